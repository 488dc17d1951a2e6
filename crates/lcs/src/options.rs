//! What a user can choose for longest common subsequences, and by which name.

use hcube_core::options::{Kind, Spec};

/// The largest number of block columns per rank and of block rows: more is a typing error.
pub const MAX_BLOCKS: usize = 1 << 24;

hcube_core::named_values! {
    /// The algorithm for the blocks of the matrix.
    pub enum KernelChoice {
        /// hcube chooses.
        Auto = 0, "auto", "HCUBE_LLCS_KERNEL_AUTO";
        /// Every entry by dynamic programming.
        Standard = 1, "standard", "HCUBE_LLCS_KERNEL_STANDARD";
        /// Bit-parallel rows in words.
        Words = 2, "words", "HCUBE_LLCS_KERNEL_WORDS";
        /// Bit-parallel rows in vector registers, symbols as bit planes; words for more than 256 symbols.
        Planes = 3, "planes", "HCUBE_LLCS_KERNEL_PLANES";
    }
}

hcube_core::options_table! {
    /// The options of a call; the same on all ranks.
    pub struct Options {
        /// Block columns of each rank (alpha). 0: the cost model chooses them and the block rows, and one
        /// rank computes without a grid.
        pub alpha: usize = Spec::count("HCUBE_LLCS_ALPHA", 0, MAX_BLOCKS as i64, "block columns"),
        /// Block rows of the grid; 0 for as many as block columns. Not used where the cost model chooses the
        /// grid.
        pub block_rows: usize = Spec::count("HCUBE_LLCS_BLOCK_ROWS", 0, MAX_BLOCKS as i64, "block rows"),
        /// Whether each block of a rank on a diagonal is a superstep that ends with a barrier, as in Krusche
        /// 2005: (2 G - 1) G / p supersteps on a grid of G x G blocks on p ranks.
        pub barriers: bool = Spec::new("HCUBE_LLCS_BARRIERS", Kind::Flag, 0),
        /// Algorithm for the blocks of the matrix.
        pub kernel: KernelChoice =
            Spec::new("HCUBE_LLCS_KERNEL", Kind::One(KernelChoice::NAMES), KernelChoice::Auto as i64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(variable: &str, value: &str) -> hcube_core::Result<Options> {
        Options::from_variables(|asked| (asked == variable).then(|| value.into()))
    }

    #[test]
    fn variables_change_the_defaults() {
        let options = Options { alpha: 0, block_rows: 0, barriers: false, kernel: KernelChoice::Auto };
        assert_eq!(Options::default(), options);
        assert_eq!(from("HCUBE_LLCS_ALPHA", "5"), Ok(Options { alpha: 5, ..options }));
        assert_eq!(from("HCUBE_LLCS_BLOCK_ROWS", "64"), Ok(Options { block_rows: 64, ..options }));
        assert_eq!(from("HCUBE_LLCS_BARRIERS", "1"), Ok(Options { barriers: true, ..options }));
        let words = Options { kernel: KernelChoice::Words, ..options };
        assert_eq!(from("HCUBE_LLCS_KERNEL", "words"), Ok(words));
    }

    #[test]
    fn bad_variables_are_named_with_their_value() {
        for (name, value) in [
            ("HCUBE_LLCS_ALPHA", "-1"),
            ("HCUBE_LLCS_ALPHA", "16777217"),
            ("HCUBE_LLCS_BLOCK_ROWS", "many"),
            ("HCUBE_LLCS_BARRIERS", "2"),
            ("HCUBE_LLCS_KERNEL", "fast"),
        ] {
            let error = from(name, value).expect_err("refused").to_string();
            assert!(error.starts_with(&format!("{name} = '{value}': expected ")), "{error}");
        }
    }
}
