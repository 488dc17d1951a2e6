//! The options of `hcube bench panels`.

use crate::bench::drawn::Drawn;
use crate::bench::job::Common;
use crate::bench::lengths::words;
use crate::choices::number;
use crate::list::{List, numbers};
use clap::ValueEnum;

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

/// The benchmark of broadcasts of panels (run it under mpirun)
///
/// Ranks take turns as the root of a panel, as in a row of HPL's process grid with a look-ahead of one panel.
#[doc = " For each panel the root writes it, all ranks compute for a given time, and read the panel. Compared are hcube,"]
/// where ranks of a node read the panel in the memory of its root, MPI_Bcast, MPI_Ibcast with MPI_Test
/// during the computation, and the pipelined broadcast of hcube by messages.
///
/// The time is the time of a panel with the computation, on the slowest rank. Computation is a calibrated
/// loop: where ranks share a core, it takes longer than the given time.
///
/// Examples:
///   mpirun -np 2 hcube bench panels
///   mpirun -np 4 hcube bench panels --sizes 64k,4M --work 0,1000
///   mpirun -np 2 hcube bench panels --json=two.json --plot panels.svg
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    /// Bytes of a panel
    #[arg(long, value_name = "BYTES[,BYTES...]", value_parser = numbers(words(MAX_BYTES, "up to 1G")),
          default_value = "64k,512k,4M")]
    pub sizes: List<usize>,
    /// Microseconds of computation per panel
    #[arg(long, value_name = "US[,US...]", default_value = "0,1000", value_parser = numbers(number::<u32>(0..=1_000_000)))]
    pub work: List<u32>,
    /// Panels that are timed together
    #[arg(long, value_name = "COUNT", default_value_t = 32, value_parser = number::<u32>(1..=100_000))]
    pub panels: u32,
    /// What is measured [default: all of them]
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',')]
    pub variants: Vec<Variant>,
    #[command(flatten)]
    pub common: Common<REPEAT>,
    #[command(flatten)]
    pub drawn: Drawn,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::lengths::{chosen, name};
    use crate::command_line::parse;
    use hcube_results::panels;

    #[test]
    fn nothing_chosen_is_everything() {
        let all = parse::<Arguments>([]);
        assert_eq!((chosen(&all.variants).len(), all.panels, &all.work[..]), (4, 32, &[0, 1000][..]));
        assert_eq!(all.sizes[..], [64 << 10, 512 << 10, 4 << 20]);
        let some = parse::<Arguments>(["--variants", "pipelined,hcube", "--sizes", "8", "--work", "5"]);
        assert_eq!(chosen(&some.variants), [Variant::Hcube, Variant::Pipelined]);
        let names = chosen::<Variant>(&[]).into_iter().map(name);
        assert!(names.eq([panels::HCUBE, panels::BCAST, panels::IBCAST, panels::PIPELINED]));
    }
}
