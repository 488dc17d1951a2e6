//! Options of matrix products, and their names.

use hcube_core::options::{Kind, Pair, RANKS_PER_NODE, Spec};

/// Default of [`Options::memory`].
pub const DEFAULT_MEMORY_BYTES: usize = 32 << 20;
/// Largest memory bound that is accepted, 1 TiB: a larger one is a typing error.
pub const MAX_MEMORY_BYTES: usize = 1 << 40;
/// Largest number of levels: with two groups on each, more have no ranks.
const MAX_LEVELS: i64 = 32;

hcube_core::named_values! {
    /// A type of elements of matrices.
    #[derive(Hash)]
    pub enum Element {
        /// float.
        Single = 0, "single", "HCUBE_ELEMENT_SINGLE";
        /// double.
        Double = 1, "double", "HCUBE_ELEMENT_DOUBLE";
        /// Complex number of two floats.
        Complex = 2, "complex", "HCUBE_ELEMENT_COMPLEX";
        /// Complex number of two doubles.
        DoubleComplex = 3, "double-complex", "HCUBE_ELEMENT_DOUBLE_COMPLEX";
    }
}

hcube_core::named_values! {
    /// Algorithm of the products.
    pub enum Algorithm {
        /// hcube chooses.
        Auto = 0, "auto", "HCUBE_GEMM_AUTO";
        /// SUMMA: panels of A and B are broadcast along the rows and columns of the grid.
        Summa = 1, "summa", "HCUBE_GEMM_SUMMA";
        /// HSUMMA, hierarchical SUMMA: panels are broadcast between groups of ranks, then inside the groups.
        Hsumma = 2, "hsumma", "HCUBE_GEMM_HSUMMA";
        /// Every product is forwarded to ScaLAPACK; in the C interface the same as auto.
        Library = 3, "library", "HCUBE_GEMM_LIBRARY";
    }
}

hcube_core::named_values! {
    /// The matrix that is not communicated.
    pub enum Stationary {
        /// hcube chooses.
        Auto = 0, "auto", "HCUBE_GEMM_STATIONARY_AUTO";
        /// Panels of A and B are sent to the ranks that have C.
        C = 1, "c", "HCUBE_GEMM_STATIONARY_C";
        /// Panels of B are sent to the ranks that have A, and partial results to the ranks that have C.
        A = 2, "a", "HCUBE_GEMM_STATIONARY_A";
        /// Panels of A are sent to the ranks that have B, and partial results to the ranks that have C.
        B = 3, "b", "HCUBE_GEMM_STATIONARY_B";
    }
}

hcube_core::named_values! {
    /// How panels are broadcast between nodes or groups.
    pub enum BroadcastChoice {
        /// hcube chooses.
        Auto = 0, "auto", "HCUBE_GEMM_BROADCAST_AUTO";
        /// A binomial tree.
        Binomial = 1, "binomial", "HCUBE_GEMM_BROADCAST_BINOMIAL";
        /// A pipelined ring.
        Ring = 2, "ring", "HCUBE_GEMM_BROADCAST_RING";
        /// A scatter, then an all-gather in a ring.
        ScatterAllgather = 3, "scatter-allgather", "HCUBE_GEMM_BROADCAST_SCATTER_ALLGATHER";
    }
}

/// `HCUBE_GEMM_GROUPS`.
const GROUPS: Pair = Pair {
    pattern: "RxC",
    separator: 'x',
    second_is_optional: false,
    ascending: false,
    doc: "HSUMMA: R rows and C columns of groups, into which the process grid is divided; 0x0 selects both by the \
          model, otherwise 0 counts as 1.",
};

/// `HCUBE_GEMM_BLOCK`.
const BLOCK: Pair = Pair {
    pattern: "b[:B]",
    separator: ':',
    second_is_optional: true,
    ascending: true,
    doc: "Columns of a message inside a group of HSUMMA, b, and columns of op(A) and rows of op(B) that are sent between \
          groups and multiplied at a time, B; without B, b is both; 0 selects B from the sizes of cache and memory and \
          does not divide messages.",
};

hcube_core::options_table! {
    /// The options of a communicator; the same on all ranks.
    pub struct Options {
        /// Algorithm of the products.
        pub algorithm: Algorithm = Spec::new("HCUBE_GEMM", Kind::One(Algorithm::NAMES), Algorithm::Auto as i64),
        /// HSUMMA: rows of groups, into which the process grid is divided; 0 for both rows and columns
        /// selects them by the model, otherwise 0 counts as 1.
        pub group_rows: usize = Spec::any_count("HCUBE_GEMM_GROUPS", "rows of groups").first_of(&GROUPS),
        /// HSUMMA: columns of groups, into which the process grid is divided; 0 for both rows and columns
        /// selects them by the model, otherwise 0 counts as 1.
        pub group_columns: usize = Spec::any_count("HCUBE_GEMM_GROUPS", "columns of groups").second_of(&GROUPS),
        /// HSUMMA: columns of a message inside a group; without outer_block also the columns of op(A) and
        /// rows of op(B) that are multiplied at a time; 0 does not divide messages.
        pub inner_block: usize = Spec::any_count("HCUBE_GEMM_BLOCK", "columns").first_of(&BLOCK),
        /// Columns of op(A) and rows of op(B) that are sent between groups and multiplied at a time, at least
        /// inner_block; 0 selects inner_block or, if inner_block is 0, a number from the sizes of cache and
        /// memory.
        pub outer_block: usize = Spec::any_count("HCUBE_GEMM_BLOCK", "columns").second_of(&BLOCK),
        /// Bound on extra memory per rank and communicator, in bytes. Panels become narrower to fit, down to
        /// one column.
        pub memory: usize = Spec::new(
            "HCUBE_GEMM_MEMORY",
            Kind::Bytes { max: MAX_MEMORY_BYTES as i64 },
            DEFAULT_MEMORY_BYTES as i64,
        ),
        /// Matrix that is not communicated.
        pub stationary: Stationary =
            Spec::new("HCUBE_GEMM_STATIONARY", Kind::One(Stationary::NAMES), Stationary::Auto as i64),
        /// Broadcast of panels between nodes or groups.
        pub broadcast: BroadcastChoice =
            Spec::new("HCUBE_GEMM_BROADCAST", Kind::One(BroadcastChoice::NAMES), BroadcastChoice::Auto as i64),
        /// Levels of broadcasts between nodes: 1 is SUMMA, 2 or more are HSUMMA; 0 selects 2 where groups are
        /// used.
        pub levels: usize = Spec::count("HCUBE_GEMM_LEVELS", 0, MAX_LEVELS, "levels"),
        /// See [`RANKS_PER_NODE`].
        pub ranks_per_node: usize = RANKS_PER_NODE,
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
        let options = Options::default();
        assert_eq!(from("HCUBE_GEMM", "hsumma"), Ok(Options { algorithm: Algorithm::Hsumma, ..options }));
        assert_eq!(
            from("HCUBE_GEMM_GROUPS", "4x2"),
            Ok(Options { group_rows: 4, group_columns: 2, ..options })
        );
        assert_eq!(from("HCUBE_GEMM_BLOCK", "64"), Ok(Options { inner_block: 64, ..options }));
        let blocks = Options { inner_block: 64, outer_block: 512, ..options };
        assert_eq!(from("HCUBE_GEMM_BLOCK", "64:512"), Ok(blocks));
        assert_eq!(from("HCUBE_GEMM_MEMORY", "1M"), Ok(Options { memory: 1 << 20, ..options }));
        assert_eq!(from("HCUBE_GEMM_STATIONARY", "a"), Ok(Options { stationary: Stationary::A, ..options }));
        assert_eq!(from("HCUBE_GEMM_BROADCAST", ""), Ok(options));
        assert_eq!(options.memory, 32 << 20);
    }

    #[test]
    fn bad_variables_are_named_with_their_value() {
        for (name, value) in [
            ("HCUBE_GEMM", "fast"),
            ("HCUBE_GEMM_GROUPS", "4"),
            ("HCUBE_GEMM_GROUPS", "4x-1"),
            ("HCUBE_GEMM_BLOCK", "64:"),
            ("HCUBE_GEMM_BLOCK", "64:63"),
            ("HCUBE_GEMM_MEMORY", "2T"),
            ("HCUBE_GEMM_STATIONARY", "d"),
            ("HCUBE_GEMM_BROADCAST", "tree"),
            ("HCUBE_GEMM_LEVELS", "33"),
            ("HCUBE_RANKS_PER_NODE", "1.5"),
        ] {
            let error = from(name, value).expect_err("refused").to_string();
            assert!(error.starts_with(&format!("{name} = '{value}': expected ")), "{error}");
        }
    }
}
