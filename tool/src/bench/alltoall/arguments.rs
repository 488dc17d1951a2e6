//! The options of `hcube bench alltoall`, and the cases that they select.

use super::communicators::Communicators;
use crate::bench::job::Common;
use crate::bench::lengths::{name, words};
use crate::choices::{help_and, number, one_of, value};
use crate::list::{List, NONE, numbers};
use crate::session::Failure;
use clap::ValueEnum;
use hcube_alltoall::options::MAX_MEMORY_BYTES;
use hcube_alltoall::{Options, Path, Schedule};
use hcube_results::alltoall::figure;
use hcube_results::numbers::whole_bytes;
use std::ffi::CStr;
use std::path::PathBuf;

/// Bytes of an element.
pub const ELEMENT: usize = size_of::<u64>();

/// Bytes per rank: MPI's counts are of type int.
const MAX_SIZE: usize = i32::MAX as usize * ELEMENT;

/// Bytes per rank without `--sizes`, besides one element for each rank.
const DEFAULT_SIZES: [usize; 4] = [1 << 10, 64 << 10, 4 << 20, 32 << 20];

/// Bytes that an exchange stores with each block that it holds, so that `--memory all` is enough.
const BLOCK_OVERHEAD: usize = 4096;

/// A kind of exchanges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExchangeKind {
    /// The blocking exchange, in place and out of place
    Exchange,
    /// The general exchange in place, whose send and receive counts differ, against a copy and MPI_Alltoallv
    General,
    /// Halos of a cube of doubles per rank by MPI_Neighbor_alltoallw and MPI_Neighbor_alltoall
    Neighbours,
    /// Nonblocking exchanges beside a computation
    Nonblocking,
    /// All of them
    All,
}

/// What can be measured of the blocking exchange, in the order of tables: hcube's choice, schedules and paths
/// of these names, and the MPI library's own function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum)]
pub enum Algorithm {
    // All that work here.
    All,
    Auto,
    AutoOutOfPlace,
    Mpich,
    LinearShift,
    HierarchicalSets,
    SingleCopy,
    Shared,
    LibraryInPlace,
    LibraryOutOfPlace,
}

use Algorithm::{
    All, Auto, AutoOutOfPlace, HierarchicalSets, LibraryInPlace, LibraryOutOfPlace, LinearShift, Mpich,
    Shared, SingleCopy,
};

impl Algorithm {
    /// Whether the exchange replaces what is in the one buffer.
    pub fn in_place(self) -> bool {
        !matches!(self, AutoOutOfPlace | LibraryOutOfPlace)
    }

    /// Whether hcube makes the exchange.
    pub fn is_ours(self) -> bool {
        !matches!(self, LibraryInPlace | LibraryOutOfPlace)
    }
}

/// A value of `--memory`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// This number of bytes.
    Bytes(usize),
    /// Enough for all blocks at once.
    Everything,
}

impl Memory {
    /// The bound for `bytes` per rank.
    pub fn bytes(self, bytes: usize, ranks: usize) -> usize {
        match self {
            Self::Bytes(memory) => memory,
            Self::Everything => bytes.saturating_add(BLOCK_OVERHEAD * ranks).min(MAX_MEMORY_BYTES),
        }
    }
}

/// Doubles along an edge of a cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cube(pub usize);

/// The largest cube has 2^30 doubles, and places in it fit an int.
const MAX_EDGE: usize = 1022;

fn cube(text: &str) -> Result<Cube, String> {
    let edge = text.parse().ok().filter(|edge| (1..=MAX_EDGE).contains(edge));
    edge.map(Cube).ok_or_else(|| format!("expected doubles along an edge, from 1 to {MAX_EDGE}"))
}

fn memory(text: &str) -> Result<Memory, String> {
    if text == "all" {
        return Ok(Memory::Everything);
    }
    value::<Options, usize>("memory")(text)
        .map(Memory::Bytes)
        .map_err(|expected| format!("{expected}, or all"))
}

/// The x axis of a plot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Over {
    /// Numbers of ranks, a panel for each size: Figures 5 and 6 (left) of Hofmann and Rünger 2013
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
/// ranks. The environment variables HCUBE_* set the defaults; options have precedence.
///
/// All cases of a size are measured alternately, in an order that rotates; a time is the time of the
/// slowest rank after a barrier. Short calls are timed in batches.
///
/// Other exchanges are measured with --kinds, each against what the MPI library offers for the same purpose.
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
///   mpirun -np 4 hcube bench alltoall --algorithms all --memory 0,64k,1M,all
///   mpirun -np 8 hcube bench alltoall --kinds neighbours --cubes 32,64,128
///   mpirun -np 2 hcube bench alltoall --kinds general,nonblocking --sizes 4M
///   hcube bench alltoall --from two.json,four.json --over ranks --plot ranks.svg
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    /// The kinds of exchanges to measure, in the order of this list
    #[arg(long, value_name = "KIND[,KIND...]", value_delimiter = ',', default_value = "exchange")]
    pub kinds: Vec<ExchangeKind>,
    /// The algorithms to measure, of the kind exchange. mpich, linear-shift and hierarchical-sets are
    /// schedules of messages (path message unless --path says otherwise), single-copy and shared are paths
    /// inside a node. Default: auto, auto-out-of-place, library-in-place, library-out-of-place
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',')]
    pub algorithms: Vec<Algorithm>,
    /// Bytes of data per rank, for example 64k or 4M; of all kinds except neighbours [default: 8 for each
    /// rank, then 1k,64k,4M,32M]
    #[arg(long, value_name = "BYTES[,BYTES...]", default_value = NONE, hide_default_value = true,
          value_parser = numbers(words(MAX_SIZE, "below 16G")))]
    pub sizes: List<usize>,
    #[arg(long, value_name = "BYTES[,BYTES...]", value_delimiter = ',', value_parser = memory,
          help = help_and::<Options>("memory", "'all' is enough for all blocks. Applies to hcube's \
                                                blocking and general exchanges. A list is a sweep, as in Figure 6 \
                                                of Hofmann and Rünger 2013: 0,64k,1M,all"))]
    pub memory: Vec<Memory>,
    #[arg(long, value_parser = one_of::<Path>(Path::NAMES),
          help = help_and::<Options>("path", "Applies to auto and to the schedules, and to the other kinds; without it, \
                                              nonblocking exchanges use single-copy, the only path on which hcube makes them"))]
    pub path: Option<Path>,
    /// Doubles along an edge of a rank's cube, whose faces neighbours exchange
    #[arg(long, value_name = "EDGE[,EDGE...]", value_delimiter = ',', value_parser = cube, default_value = "64")]
    pub cubes: Vec<Cube>,
    /// Microseconds of computation beside a nonblocking exchange, by a calibrated loop; where ranks share a
    /// core, it takes longer [default: as long as the library's exchange]
    #[arg(long, value_name = "US", value_parser = number::<u32>(0..=1_000_000))]
    pub work: Option<u32>,
    /// Equal counts instead of random ones, and MPI_Alltoall (MPI_Ialltoall) instead of MPI_Alltoallv
    /// (MPI_Ialltoallv)
    #[arg(long)]
    pub uniform: bool,
    /// MPI_Alltoallw, with a datatype for each pair of ranks, instead of MPI_Alltoallv or MPI_Alltoall; of
    /// the kind exchange
    #[arg(long)]
    pub alltoallw: bool,
    /// What exchanges: all ranks, or all rows or all columns of a grid of ranks at the same time; of the kind
    /// exchange
    #[arg(long, value_enum, value_name = "NAME", default_value = "world")]
    pub communicators: Communicators,
    /// Seed of the random counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::<u64>(0..))]
    pub seed: u64,
    #[command(flatten)]
    pub common: Common<REPEAT>,
    /// Draw run times into an SVG file; times of one rank, which exchanges nothing, only without
    /// times of more ranks
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// The x axis of the plot [default: ranks where there are several numbers of ranks]
    #[arg(long, value_enum, requires = "plot")]
    pub over: Option<Over>,
    /// Do not measure (no mpirun needed): read the results of earlier runs with --json, draw them with
    /// --plot, join them with --json; --algorithms, --alltoallw, --communicators and --sizes select among
    /// blocking exchanges
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
        Options { memory: self.memory.bytes(bytes, ranks), ..self.options }
    }
}

impl Arguments {
    /// That options which are only of the blocking exchange are not given with other kinds.
    ///
    /// # Errors
    /// Says which options do not fit.
    pub fn check(&self) -> Result<(), Failure> {
        let given = match (self.communicators, self.alltoallw) {
            (Communicators::World, false) => return Ok(()),
            (Communicators::World, true) => "--alltoallw".to_owned(),
            (communicators, _) => format!("--communicators = {}", communicators.name()),
        };
        if let Some(other) = self.kinds().into_iter().find(|kind| *kind != ExchangeKind::Exchange) {
            return Err(format!("{given}: expected --kinds exchange, not {}", name(other)));
        }
        match self.sizes.iter().find(|&&size| self.alltoallw && size > i32::MAX as usize) {
            Some(&size) => {
                Err(format!("--sizes = {}: expected below 2G with --alltoallw", whole_bytes(size)))
            }
            None => Ok(()),
        }
    }

    /// MPI's function for the blocking exchange.
    pub fn function(&self) -> &'static CStr {
        match (self.alltoallw, self.uniform) {
            (true, _) => c"MPI_Alltoallw",
            (false, true) => c"MPI_Alltoall",
            (false, false) => c"MPI_Alltoallv",
        }
    }

    /// The kinds, each once, in the order of tables.
    pub fn kinds(&self) -> Vec<ExchangeKind> {
        let wanted = |kind: &ExchangeKind| {
            *kind != ExchangeKind::All
                && (self.kinds.contains(kind) || self.kinds.contains(&ExchangeKind::All))
        };
        ExchangeKind::value_variants().iter().copied().filter(wanted).collect()
    }

    /// The options of the environment, with `--path`.
    ///
    /// # Errors
    /// Variables that are not valid.
    pub fn options(&self) -> hcube_core::Result<Options> {
        let options = Options::from_environment()?;
        Ok(Options { path: self.path.unwrap_or(options.path), ..options })
    }

    /// The bounds of memory, in the order of tables.
    pub fn memory(&self, options: &Options) -> Vec<Memory> {
        if self.memory.is_empty() { vec![Memory::Bytes(options.memory)] } else { self.memory.clone() }
    }

    /// In bytes per rank: without `--sizes`, from 8 bytes between two ranks on.
    pub fn sizes(&self, ranks: usize) -> Vec<usize> {
        if !self.sizes.is_empty() {
            return self.sizes.to_vec();
        }
        let smallest = ELEMENT * ranks;
        [smallest].into_iter().chain(DEFAULT_SIZES.into_iter().filter(|&size| size > smallest)).collect()
    }

    /// The algorithms, each once, and whether one that does not work is left out.
    fn algorithms(&self) -> Vec<(Algorithm, bool)> {
        let usual = [Auto, AutoOutOfPlace, LibraryInPlace, LibraryOutOfPlace];
        let chosen = if self.algorithms.is_empty() { &usual } else { &self.algorithms[..] };
        let named = |one: &Algorithm| chosen.contains(one);
        let wanted = |one: &Algorithm| *one != All && (named(&All) || named(one));
        let all = Algorithm::value_variants().iter().copied();
        all.filter(wanted).map(|one| (one, !named(&one))).collect()
    }

    /// Whether `--algorithms` asks for this name.
    pub fn wants(&self, algorithm: &str) -> bool {
        let named = |&one: &Algorithm| one == All || name(one) == algorithm;
        self.algorithms.is_empty() || self.algorithms.iter().any(named)
    }

    /// All cases, in the order of the table.
    pub fn cases(&self, defaults: &Options) -> Vec<Case> {
        let (usual, sweep) = ([Memory::Bytes(defaults.memory)], self.memory(defaults));
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
            let sweep = if algorithm.is_ours() { &sweep[..] } else { &usual };
            cases.extend(sweep.iter().map(|&memory| Case { algorithm, options, memory, optional }));
        }
        cases
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::parse;
    use hcube_results::alltoall::{self, kinds};

    #[test]
    fn nothing_chosen_is_hcube_against_the_library() {
        let arguments: Arguments = parse("".split_whitespace());
        let cases = arguments.cases(&Options::default());
        let names: Vec<String> = cases.iter().map(|case| name(case.algorithm)).collect();
        assert_eq!(names, ["auto", "auto-out-of-place", "library-in-place", "library-out-of-place"]);
        assert!(cases.iter().all(|case| !case.optional && case.options == Options::default()));
        assert_eq!(arguments.sizes(2), [16, 1 << 10, 64 << 10, 4 << 20, 32 << 20]);
        assert_eq!(arguments.sizes(1000), [8000, 64 << 10, 4 << 20, 32 << 20]);
        assert_eq!(parse::<Arguments>(["--sizes", "8,64k"]).sizes(2), [8, 64 << 10]);
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
        let required = named.iter().filter(|case| !case.optional).map(|case| case.algorithm);
        assert_eq!(required.collect::<Vec<_>>(), [Shared]);
    }

    #[test]
    fn names_stand_for_schedules_and_paths() {
        let schedules = [Schedule::Auto, Schedule::Mpich, Schedule::LinearShift, Schedule::HierarchicalSets];
        assert_eq!([Auto, Mpich, LinearShift, HierarchicalSets].map(name), schedules.map(Schedule::name));
        assert_eq!([SingleCopy, Shared].map(name), [Path::SingleCopy, Path::Shared].map(Path::name));
        let library = [alltoall::LIBRARY_IN_PLACE, alltoall::LIBRARY_OUT_OF_PLACE];
        assert_eq!([LibraryInPlace, LibraryOutOfPlace].map(name), library);
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
    fn kinds_come_once_and_the_blocking_exchange_without_any() {
        use ExchangeKind::{Exchange, General, Neighbours, Nonblocking};
        let kinds = |line: &str| parse::<Arguments>(line.split_whitespace()).kinds();
        assert_eq!(kinds(""), [Exchange]);
        assert_eq!(kinds("--kinds neighbours,general,neighbours"), [General, Neighbours]);
        assert_eq!(kinds("--kinds all,general"), [Exchange, General, Neighbours, Nonblocking]);
        let names = [General, Neighbours, Nonblocking]
            .map(|kind| kind.to_possible_value().expect("shown").get_name().to_owned());
        assert_eq!(names, [kinds::GENERAL, kinds::NEIGHBOURS, kinds::NONBLOCKING]);
        assert_eq!((cube("64"), cube("1")), (Ok(Cube(64)), Ok(Cube(1))));
        assert!(["0", "1023", "-1", "64k", "x"].iter().all(|text| cube(text).is_err()));
    }

    #[test]
    fn options_of_the_blocking_exchange_are_refused_with_other_kinds() {
        let check = |line: &str| parse::<Arguments>(line.split_whitespace()).check();
        assert_eq!((check("--kinds all"), check("--communicators rows --alltoallw")), (Ok(()), Ok(())));
        let refused = |line| check(line).expect_err("refused");
        let expected = "--communicators = columns: expected --kinds exchange, not neighbours";
        assert_eq!(refused("--communicators columns --kinds neighbours,exchange"), expected);
        assert_eq!(refused("--alltoallw --kinds all"), "--alltoallw: expected --kinds exchange, not general");
        assert!(refused("--alltoallw --sizes 8,2G").starts_with("--sizes = 2 GiB: expected below 2G"));
    }

    #[test]
    fn sizes_and_memory_are_checked() {
        let size = words(MAX_SIZE, "below 16G");
        assert_eq!(
            [size("64k"), size("8"), size("16G").map_err(|_| String::new())],
            [Ok(65536), Ok(8), Err(String::new())]
        );
        assert!(["2T", "some", "-1"].iter().all(|text| memory(text).is_err()));
    }
}
