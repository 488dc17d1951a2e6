//! The options of `hcube bench alltoall`, and the cases that they select.

use crate::bench::frame::Common;
use crate::choices::{help_and, one_of, value};
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use hcube_alltoall::options::{MAX_MEMORY_BYTES, parse_bytes};
use hcube_alltoall::{Options, Path, Schedule};
use hcube_results::alltoall::figure;
use std::path::PathBuf;

/// Bytes of an element.
pub const ELEMENT: usize = size_of::<u64>();

/// Bytes per rank: MPI's counts are of type int.
const MAX_SIZE: usize = i32::MAX as usize * ELEMENT;

/// Bytes per rank without `--sizes`.
const DEFAULT_SIZES: [usize; 4] = [64 << 10, 512 << 10, 4 << 20, 32 << 20];

/// Bytes that an exchange stores with each block that it holds, so that `--memory all` is enough.
const BLOCK_OVERHEAD: usize = 4096;

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// hcube's choice, in place.
    Auto,
    /// hcube's choice, with a buffer to send and another to receive.
    AutoOutOfPlace,
    /// The schedule of that name.
    Mpich,
    /// The schedule of that name.
    LinearShift,
    /// The schedule of that name.
    HierarchicalSets,
    /// The path of that name.
    SingleCopy,
    /// The path of that name.
    Shared,
    /// The MPI library's own function with MPI_IN_PLACE.
    LibraryInPlace,
    /// The MPI library's own function with two buffers.
    LibraryOutOfPlace,
}

use Algorithm::{
    Auto, AutoOutOfPlace, HierarchicalSets, LibraryInPlace, LibraryOutOfPlace, LinearShift, Mpich, Shared,
    SingleCopy,
};

impl Algorithm {
    /// Names, in the order of tables.
    pub const NAMES: [(&str, Self); 9] = [
        (Schedule::Auto.name(), Auto),
        ("auto-out-of-place", AutoOutOfPlace),
        (Schedule::Mpich.name(), Mpich),
        (Schedule::LinearShift.name(), LinearShift),
        (Schedule::HierarchicalSets.name(), HierarchicalSets),
        (Path::SingleCopy.name(), SingleCopy),
        (Path::Shared.name(), Shared),
        ("library-in-place", LibraryInPlace),
        ("library-out-of-place", LibraryOutOfPlace),
    ];

    /// The name in options and results.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|&&(_, known)| known == self).map_or("?", |&(name, _)| name)
    }

    /// Whether the exchange replaces what is in the one buffer.
    pub fn in_place(self) -> bool {
        !matches!(self, AutoOutOfPlace | LibraryOutOfPlace)
    }

    /// Whether hcube makes the exchange.
    pub fn is_ours(self) -> bool {
        !matches!(self, LibraryInPlace | LibraryOutOfPlace)
    }
}

/// What `--algorithms` can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// All that work here.
    All,
    One(Algorithm),
}

fn selection_parser() -> impl TypedValueParser<Value = Selection> {
    let named = |name: &str| Algorithm::NAMES.iter().find(|known| known.0 == name);
    PossibleValuesParser::new(std::iter::once("all").chain(Algorithm::NAMES.map(|(name, _)| name)))
        .map(move |name| named(&name).map_or(Selection::All, |&(_, algorithm)| Selection::One(algorithm)))
}

/// A value of `--memory`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// This number of bytes.
    Bytes(usize),
    /// Enough for all blocks at once.
    Everything,
}

fn memory(text: &str) -> Result<Memory, String> {
    if text == "all" {
        return Ok(Memory::Everything);
    }
    value::<Options, usize>("memory")(text)
        .map(Memory::Bytes)
        .map_err(|expected| format!("{expected}, or all"))
}

fn size(text: &str) -> Result<usize, String> {
    let valid = |&bytes: &usize| bytes > 0 && bytes.is_multiple_of(ELEMENT) && bytes <= MAX_SIZE;
    parse_bytes(text).filter(valid).ok_or_else(|| {
        format!("expected bytes, a multiple of {ELEMENT} below 16G; k, M and G stand for powers of 1024")
    })
}

/// The x axis of a plot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Over {
    /// Numbers of ranks, a panel for each size: the paper's Figures 5 and 6 (left)
    Ranks,
    /// Bytes per rank, a panel for each number of ranks
    Sizes,
}

impl From<Over> for figure::Over {
    fn from(over: Over) -> Self {
        match over {
            Over::Ranks => Self::Ranks,
            Over::Sizes => Self::Sizes,
        }
    }
}

/// Measurements of each case without `--repeat`.
const REPEAT: u32 = 21;

/// The all-to-all benchmark (run it under mpirun)
///
/// Times the in-place all-to-all exchange against the MPI library's own, in place and out of place, as
/// in section 4 of Hofmann and Ruenger, In-place Algorithms for the Symmetric All-to-all Exchange with
/// MPI, EuroMPI 2013: 64-bit integers, a random count for each pair of ranks, the same total on all
/// ranks. Defaults are those of the environment variables HCUBE_*; options have precedence.
///
/// All cases of a size are measured alternately, in an order that rotates; a time is that of the slowest
/// rank after a barrier. Short calls are timed in batches.
///
/// Extra memory is what an algorithm adds to the resident memory of a process at its peak: on a new
/// duplicate of the communicator, after all algorithms have run once on others, the kernel's peak
/// (VmHWM) is reset, the options are set, the exchange is called twice, and the peak is compared.
/// Memory shared between processes counts with this rank's share (PSS). Median of three such probes,
/// largest rank; the kernel is exact to a few hundred KiB. Memory that an algorithm keeps for the next
/// call is included (JSON's held_bytes has it separately). The buffers of the caller are not included:
/// out of place, the second buffer is as large as the data.
///
/// Examples:
///   mpirun -np 4 hcube bench alltoall --algorithms all --sizes 4M
///   mpirun -np 4 hcube bench alltoall --algorithms hierarchical-sets --memory 0,64k,1M,all
///   hcube bench alltoall --from two.json,four.json --over ranks --plot ranks.svg
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    /// The algorithms to measure. mpich, linear-shift and hierarchical-sets are schedules of messages (path
    /// message unless --path says otherwise), single-copy and shared are paths inside a node.
    /// Default: auto, auto-out-of-place, library-in-place, library-out-of-place
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',', value_parser = selection_parser())]
    pub algorithms: Vec<Selection>,
    /// Bytes of data per rank, for example 64k or 4M [default: 64k,512k,4M,32M]
    #[arg(long, value_name = "BYTES[,BYTES...]", value_delimiter = ',', value_parser = size)]
    pub sizes: Vec<usize>,
    #[arg(long, value_name = "BYTES[,BYTES...]", value_delimiter = ',', value_parser = memory,
          help = help_and::<Options>("memory", "'all' is enough for all blocks. A list is a sweep, as in the paper's \
                                                Figure 6: 0,64k,1M,all"))]
    pub memory: Vec<Memory>,
    #[arg(long, value_parser = one_of::<Path>(Path::NAMES),
          help = help_and::<Options>("path", "Applies to auto and to the schedules"))]
    pub path: Option<Path>,
    /// Equal counts and MPI_Alltoall instead of random counts and MPI_Alltoallv
    #[arg(long)]
    pub uniform: bool,
    /// Seed of the random counts
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub common: Common<REPEAT>,
    /// Draw run times into an SVG file; those of one rank, which exchanges nothing, only if there are no others
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// The x axis of the plot [default: ranks where there are several numbers of ranks]
    #[arg(long, value_enum, requires = "plot")]
    pub over: Option<Over>,
    /// Do not measure (no mpirun needed): read the results of earlier runs with --json, draw them with
    /// --plot, join them with --json; --algorithms and --sizes select among them
    #[arg(long, value_name = "FILE[,FILE...]", value_delimiter = ',')]
    pub from: Vec<PathBuf>,
}

/// One line of the table for each size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    /// What is measured.
    pub algorithm: Algorithm,
    /// hcube's choices, except the memory; without meaning for the library.
    pub options: Options,
    /// Additional memory.
    pub memory: Memory,
    /// Left out, not refused, where it does not work.
    pub optional: bool,
}

impl Case {
    /// The options for `bytes` per rank.
    pub fn options(&self, bytes: usize, ranks: usize) -> Options {
        let memory = match self.memory {
            Memory::Bytes(memory) => memory,
            Memory::Everything => bytes.saturating_add(BLOCK_OVERHEAD * ranks).min(MAX_MEMORY_BYTES),
        };
        Options { memory, ..self.options }
    }
}

impl Arguments {
    /// In bytes per rank.
    pub fn sizes(&self) -> &[usize] {
        if self.sizes.is_empty() { &DEFAULT_SIZES } else { &self.sizes }
    }

    /// The algorithms, each once, and whether one that does not work is left out.
    fn algorithms(&self) -> Vec<(Algorithm, bool)> {
        let usual = [Auto, AutoOutOfPlace, LibraryInPlace, LibraryOutOfPlace].map(Selection::One);
        let chosen = if self.algorithms.is_empty() { &usual } else { &self.algorithms[..] };
        let all = chosen.contains(&Selection::All);
        let named = |algorithm| chosen.contains(&Selection::One(algorithm));
        let wanted = Algorithm::NAMES.iter().map(|&(_, algorithm)| algorithm);
        wanted.filter(|&one| all || named(one)).map(|one| (one, !named(one))).collect()
    }

    /// Whether `--algorithms` asks for this name.
    pub fn wants(&self, name: &str) -> bool {
        let named = |selection: &Selection| match selection {
            Selection::All => true,
            Selection::One(algorithm) => algorithm.name() == name,
        };
        self.algorithms.is_empty() || self.algorithms.iter().any(named)
    }

    /// All cases, in the order of the table.
    pub fn cases(&self, defaults: &Options) -> Vec<Case> {
        let usual = [Memory::Bytes(defaults.memory)];
        let sweep = if self.memory.is_empty() { &usual } else { &self.memory[..] };
        let mut cases = Vec::new();
        for (algorithm, optional) in self.algorithms() {
            let schedule = match algorithm {
                Mpich => Schedule::Mpich,
                LinearShift => Schedule::LinearShift,
                HierarchicalSets => Schedule::HierarchicalSets,
                _ => Schedule::Auto,
            };
            let path = match algorithm {
                SingleCopy => Path::SingleCopy,
                Shared => Path::Shared,
                Mpich | LinearShift | HierarchicalSets => self.path.unwrap_or(Path::Message),
                _ => self.path.unwrap_or(defaults.path),
            };
            let options = Options { schedule, path, ..*defaults };
            // The library has no bound of its memory.
            let sweep = if algorithm.is_ours() { sweep } else { &usual };
            cases.extend(sweep.iter().map(|&memory| Case { algorithm, options, memory, optional }));
        }
        cases
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::parse;

    #[test]
    fn nothing_chosen_is_hcube_against_the_library() {
        let arguments: Arguments = parse("".split_whitespace());
        let cases = arguments.cases(&Options::default());
        let names: Vec<&str> = cases.iter().map(|case| case.algorithm.name()).collect();
        assert_eq!(names, ["auto", "auto-out-of-place", "library-in-place", "library-out-of-place"]);
        assert!(cases.iter().all(|case| !case.optional && case.options == Options::default()));
        assert_eq!(arguments.sizes(), DEFAULT_SIZES);
    }

    #[test]
    fn memory_multiplies_what_is_ours() {
        let cases = parse::<Arguments>(
            "--algorithms all --memory 0,64k,all --sizes 8,4M --repeat 3".split_whitespace(),
        )
        .cases(&Options::default());
        assert_eq!(cases.len(), 7 * 3 + 2);
        let named =
            parse::<Arguments>("--algorithms shared,all".split_whitespace()).cases(&Options::default());
        let optional: Vec<&str> =
            named.iter().filter(|case| !case.optional).map(|case| case.algorithm.name()).collect();
        assert_eq!(optional, ["shared"]);
    }

    #[test]
    fn names_stand_for_schedules_and_paths() {
        let case = |line: &str| parse::<Arguments>(line.split_whitespace()).cases(&Options::default())[0];
        let options = |line: &str| case(line).options(1 << 20, 4);
        let linear = options("--algorithms linear-shift --memory 64k");
        let expected = (Schedule::LinearShift, Path::Message, 65536);
        assert_eq!((linear.schedule, linear.path, linear.memory), expected);
        assert_eq!(options("--algorithms mpich --path shared").path, Path::Shared);
        assert_eq!(options("--algorithms single-copy --path shared").path, Path::SingleCopy);
        assert!(options("--memory all").memory > 1 << 20);
    }

    #[test]
    fn sizes_and_memory_are_checked() {
        assert_eq!([size("64k"), size("4M"), size("8")], [Ok(65536), Ok(4 << 20), Ok(8)]);
        assert!(["0", "12", "16G", "x", "-8", "1.5M"].iter().all(|text| size(text).is_err()));
        assert!(["2T", "some", "-1"].iter().all(|text| memory(text).is_err()));
    }
}
