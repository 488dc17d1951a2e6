//! The options of `hcube bench panels`.

use crate::bench::drawn::Drawn;
use crate::bench::frame::Common;
use clap::{ValueEnum, value_parser};
use hcube_alltoall::options::parse_bytes;
use hcube_results::panels;

/// Bytes of a word.
pub const WORD: usize = size_of::<u64>();
/// Bytes of a panel: MPI's numbers are of type int.
const MAX_BYTES: usize = 1 << 30;
/// Measurements of each variant without `--repeat`.
const REPEAT: u32 = 9;

/// What broadcasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Variant {
    /// hcube: the panel stays where its root writes it, in the memory of the node
    Hcube,
    /// MPI_Bcast
    MpiBcast,
    /// MPI_Ibcast, with calls of MPI_Test during the computation
    MpiIbcast,
    /// The pipelined broadcast of hcube, by messages
    Pipelined,
}

impl Variant {
    /// The name in options and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hcube => panels::HCUBE,
            Self::MpiBcast => panels::BCAST,
            Self::MpiIbcast => panels::IBCAST,
            Self::Pipelined => panels::PIPELINED,
        }
    }
}

fn size(text: &str) -> Result<usize, String> {
    let valid = |&bytes: &usize| bytes > 0 && bytes.is_multiple_of(WORD) && bytes <= MAX_BYTES;
    parse_bytes(text).filter(valid).ok_or_else(|| {
        format!("expected bytes, a multiple of {WORD} up to 1G; k, M and G stand for powers of 1024")
    })
}

/// The benchmark of broadcasts of panels (run it under mpirun)
///
/// Ranks take turns as the root of a panel, as in a row of HPL's process grid with a look-ahead of one panel.
/// For each panel the root writes it, all ranks compute for a given time, and read the panel. Compared are hcube,
/// where ranks of a node read the panel in the memory of its root, MPI_Bcast, MPI_Ibcast with MPI_Test
/// during the computation, and the pipelined broadcast of hcube by messages.
///
/// The time is that of a panel with the computation, on the slowest rank. Computation is a calibrated loop:
/// where ranks share a core, it takes longer than the given time.
///
/// Examples:
///   mpirun -np 2 hcube bench panels
///   mpirun -np 4 hcube bench panels --sizes 64k,4M --work 0,1000 --variants hcube,mpi-ibcast
///   mpirun -np 2 hcube bench panels --json two.json --plot panels.svg
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    /// Bytes of a panel
    #[arg(long, value_name = "BYTES[,BYTES...]", value_delimiter = ',', value_parser = size,
          default_value = "64k,512k,4M")]
    pub sizes: Vec<usize>,
    /// Microseconds of computation per panel
    #[arg(long, value_name = "US[,US...]", value_delimiter = ',', default_value = "0,1000",
          value_parser = value_parser!(u32).range(0..=1_000_000))]
    pub work: Vec<u32>,
    /// Panels that are timed together
    #[arg(long, value_name = "COUNT", default_value_t = 32, value_parser = value_parser!(u32).range(1..=100_000))]
    pub panels: u32,
    /// What is measured [default: all of them]
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',')]
    pub variants: Vec<Variant>,
    #[command(flatten)]
    pub common: Common<REPEAT>,
    #[command(flatten)]
    pub drawn: Drawn,
}

impl Arguments {
    /// The variants, in the order of the table.
    pub fn variants(&self) -> Vec<Variant> {
        let all = Variant::value_variants().iter().copied();
        all.filter(|one| self.variants.is_empty() || self.variants.contains(one)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::parse;

    #[test]
    fn nothing_chosen_is_everything() {
        let all = parse::<Arguments>([]);
        assert_eq!((all.variants().len(), all.panels, &all.work[..]), (4, 32, &[0, 1000][..]));
        assert_eq!(all.sizes, [64 << 10, 512 << 10, 4 << 20]);
        let some = parse::<Arguments>(["--variants", "pipelined,hcube", "--sizes", "8", "--work", "5"]);
        assert_eq!(some.variants(), [Variant::Hcube, Variant::Pipelined]);
        assert!(["0", "12", "2G", "x"].iter().all(|text| size(text).is_err()));
        for one in Variant::value_variants() {
            assert_eq!(one.to_possible_value().expect("shown").get_name(), one.name());
        }
    }
}
