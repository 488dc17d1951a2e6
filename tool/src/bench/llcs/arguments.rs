//! The options of `hcube bench llcs`.

use crate::bench::drawn::Drawn;
use crate::bench::job::Common;
use crate::bench::lengths::{chosen, length};
use crate::choices::number;
use crate::list::{List, numbers};
use clap::ValueEnum;

/// Measurements of each variant without `--repeat`.
const REPEAT: u32 = 5;

/// What computes the length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Variant {
    /// hcube on one process, with the kernel that it selects
    Hcube,
    /// hcube on one process, every entry of the matrix
    Standard,
    /// hcube on one process, bit-parallel in words
    Words,
    /// hcube on one process, bit-parallel in vector registers, for alphabets of at most 256 symbols
    Planes,
    /// A loop over every entry on one process, as a compiler translates it
    PlainLoop,
    /// The crate rapidfuzz on one process, bit-parallel in words
    Rapidfuzz,
    /// hcube on all ranks, with the grid that it selects
    Grid,
    /// hcube on all ranks, on square grids of --alpha
    Alpha,
    /// hcube on all ranks, on square grids of --alpha with a barrier after each block, as in the thesis
    Barriers,
}

/// Who computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One process; `every_entry` where it does not work on many entries at a time as bits.
    OneProcess { every_entry: bool },
    /// All ranks; `square` where the grid is one of the square grids of `--alpha`.
    AllRanks { square: bool },
}

impl Variant {
    pub fn kind(self) -> Kind {
        match self {
            Self::Hcube | Self::Words | Self::Planes | Self::Rapidfuzz => {
                Kind::OneProcess { every_entry: false }
            }
            Self::Standard | Self::PlainLoop => Kind::OneProcess { every_entry: true },
            Self::Grid => Kind::AllRanks { square: false },
            Self::Alpha | Self::Barriers => Kind::AllRanks { square: true },
        }
    }
}

/// The benchmark of longest common subsequences (run it under mpirun)
///
#[doc = " Computes the length of a longest common subsequence of two random strings of equal length. One process, while"]
#[doc = " the others wait: hcube with the kernel that it selects, each kernel of hcube, a plain loop over every entry of"]
#[doc = " the matrix, and the crate rapidfuzz. All ranks of the job, where they are several, with the strings in equal"]
#[doc = " parts: the grid of blocks that hcube selects, and square grids with alpha block columns on each rank, without"]
/// and with the barriers of the thesis (Krusche 2005).
///
/// All algorithms must find the same length. The rate counts the entries of the matrix, the product of both
/// lengths. Short computations are timed in batches of about 5 ms; the slowest rank counts.
///
#[doc = " The time of all ranks is predicted before: from the rate of an entry, which is measured on all ranks at the"]
/// same time, and the messages of a machine (--machine), by the sum over supersteps or, with barriers, by
/// equations 5.3 and 5.5 of the thesis.
///
/// Examples:
///   mpirun -np 1 hcube bench llcs
///   mpirun -np 1 hcube bench llcs --lengths 100,10^5 --symbols 256 --common 90
///   mpirun -np 2 hcube bench llcs --lengths 8192,32768 --variants hcube,alpha
///   mpirun -np 2 hcube bench llcs --machine calibration.json --plot ranks.svg
///   hcube bench llcs --from one.json,two.json --plot llcs.svg
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    /// Symbols of each string, as products of numbers and powers: 8192, 10^5, 3*2^18
    #[arg(long, value_name = "LENGTH[,LENGTH...]", value_parser = numbers(length),
          default_value = "1000,10^4,10^5")]
    pub lengths: List<usize>,
    /// Sizes of alphabets
    #[arg(long, value_name = "COUNT[,COUNT...]", default_value = "4,26,256", value_parser = numbers(number::<u32>(1..=1 << 16)))]
    pub symbols: List<u32>,
    /// Per cent of the symbols that both strings have in common, one half at the beginning and one at the end
    #[arg(long = "common", value_name = "PERCENT", default_value = "0", value_parser = number::<u32>(0..=100))]
    pub in_common: u32,
    /// Block columns of each rank on square grids
    #[arg(long, value_name = "N[,N...]", default_value = "1,2,3,4,5", value_parser = numbers(number::<u32>(1..=1000)))]
    pub alpha: List<u32>,
    /// What is measured [default: all of them]
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',')]
    pub variants: Vec<Variant>,
    /// Leave out standard and plain-loop for longer strings: they compute every entry
    #[arg(long, value_name = "LENGTH", value_parser = length, default_value = "20000")]
    pub max_standard: usize,
    /// Predict with the messages of a machine: the name of a model or a file of 'hcube probe' [default:
    /// calibration.json if it exists, else messages that this run measures]
    #[arg(long, value_name = "FILE|NAME")]
    pub machine: Option<String>,
    #[command(flatten)]
    pub common: Common<REPEAT>,
    #[command(flatten)]
    pub drawn: Drawn,
}

impl Arguments {
    /// The variants on a number of ranks, in the order of the table, each with its alpha; 0 where it has
    /// none.
    pub fn variants(&self, ranks: usize) -> Vec<(Variant, usize)> {
        let with_alpha = chosen(&self.variants).into_iter().flat_map(|variant| match variant.kind() {
            Kind::OneProcess { .. } => vec![(variant, 0)],
            Kind::AllRanks { .. } if ranks == 1 => Vec::new(),
            Kind::AllRanks { square: false } => vec![(variant, 0)],
            Kind::AllRanks { square: true } => {
                self.alpha.iter().map(|&alpha| (variant, alpha as usize)).collect()
            }
        });
        with_alpha.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::lengths::name;
    use crate::command_line::parse;
    use hcube_results::llcs;

    #[test]
    fn nothing_chosen_is_everything() {
        let all = parse::<Arguments>([]);
        assert_eq!((all.variants(1).len(), all.variants(2).len()), (6, 6 + 1 + 2 * 5));
        assert_eq!((&all.lengths[..], &all.symbols[..]), (&[1000, 10_000, 100_000][..], &[4, 26, 256][..]));
        let some = parse::<Arguments>(["--variants", "barriers,hcube", "--alpha", "3", "--common", "90"]);
        assert_eq!(some.variants(2), [(Variant::Hcube, 0), (Variant::Barriers, 3)]);
        assert_eq!((some.variants(1), some.in_common), (vec![(Variant::Hcube, 0)], 90));
    }

    #[test]
    fn names_are_those_of_results() {
        let of_one = [llcs::HCUBE, llcs::STANDARD, llcs::WORDS, llcs::PLANES, llcs::PLAIN, llcs::RAPIDFUZZ];
        let names = of_one.into_iter().chain([llcs::GRID, llcs::ALPHA, llcs::BARRIERS]);
        assert!(chosen::<Variant>(&[]).into_iter().map(name).eq(names));
    }
}
