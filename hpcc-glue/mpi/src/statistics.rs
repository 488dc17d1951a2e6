//! Counters of this process: calls, paths, bytes, time and memory.

use hcube_alltoall::mpi_front::{Call, Function};
use hcube_alltoall::report::UsedPath;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The path of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// Through hcube, by this path.
    Hcube(UsedPath),
    /// Forwarded to the MPI library.
    Library,
    /// Refused by hcube with an error.
    Refused,
}

impl Path {
    /// All paths, in the order of their numbers.
    const ALL: [Self; UsedPath::ALL.len() + 2] = {
        let mut all = [Self::Library; UsedPath::ALL.len() + 2];
        let mut number = 0;
        while number < UsedPath::ALL.len() {
            all[number] = Self::Hcube(UsedPath::ALL[number]);
            number += 1;
        }
        all[number + 1] = Self::Refused;
        all
    };

    fn number(self) -> usize {
        match self {
            Self::Hcube(path) => path as usize,
            Self::Library => UsedPath::ALL.len(),
            Self::Refused => UsedPath::ALL.len() + 1,
        }
    }

    /// The name in statistics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hcube(path) => path.name(),
            Self::Library => "library",
            Self::Refused => "refused",
        }
    }
}

/// Out of place and in place.
const PLACES: usize = 2;

/// Figures of one function, place and path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The function of MPI.
    pub function: Function,
    /// Whether `MPI_IN_PLACE` was given.
    pub in_place: bool,
    /// Name of the path.
    pub path: &'static str,
    /// Calls of this rank.
    pub calls: u64,
    /// Bytes that this rank has sent to others.
    pub bytes: u64,
    /// Time that this rank has spent.
    pub nanoseconds: u64,
    /// The largest memory that hcube held for a communicator of such a call, in bytes.
    pub memory: u64,
}

#[derive(Default)]
struct Counters {
    calls: AtomicU64,
    bytes: AtomicU64,
    nanoseconds: AtomicU64,
    memory: AtomicU64,
}

/// All counters. They are independent sums, so no order among their updates is needed.
#[derive(Default)]
pub struct Statistics {
    counters: [[[Counters; Path::ALL.len()]; PLACES]; Function::ALL.len()],
    reasons: [[OnceLock<&'static str>; PLACES]; Function::ALL.len()],
    /// Where the JSON file is to be written, if anywhere.
    pub json: Option<String>,
}

/// The statistics, if `HCUBE_STATS` asks for them. The environment is read once.
pub fn wanted() -> Option<&'static Statistics> {
    static STATISTICS: OnceLock<Option<Statistics>> = OnceLock::new();
    STATISTICS.get_or_init(|| Statistics::as_asked(&std::env::var("HCUBE_STATS").ok()?)).as_ref()
}

impl Statistics {
    /// Values of `HCUBE_STATS`: nothing or 0 for none, `json:FILE` for a table and a file, anything else
    /// for a table.
    fn as_asked(value: &str) -> Option<Self> {
        match value {
            "" | "0" => None,
            _ => Some(Self { json: value.strip_prefix("json:").map(str::to_owned), ..Self::default() }),
        }
    }

    /// Counts one call.
    pub fn count(&self, call: &Call, path: Path, time: Duration, bytes: u64, memory: u64) {
        let counters = &self.counters[call.function as usize][usize::from(call.in_place())][path.number()];
        counters.calls.fetch_add(1, Ordering::Relaxed);
        counters.bytes.fetch_add(bytes, Ordering::Relaxed);
        counters.nanoseconds.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
        counters.memory.fetch_max(memory, Ordering::Relaxed);
    }

    /// Stores the first reason for which a call of this kind was forwarded.
    pub fn explain(&self, call: &Call, reason: &'static str) {
        self.reasons[call.function as usize][usize::from(call.in_place())].get_or_init(|| reason);
    }

    /// Why calls of a kind were forwarded.
    pub fn reason(&self, function: Function, in_place: bool) -> Option<&'static str> {
        self.reasons[function as usize][usize::from(in_place)].get().copied()
    }

    /// The figures of this rank: a row for each function, place and path, in the same order on all ranks.
    pub fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        for function in Function::ALL {
            for in_place in [false, true] {
                let paths = &self.counters[function as usize][usize::from(in_place)];
                rows.extend(Path::ALL.iter().zip(paths).map(|(path, counters)| Row {
                    function,
                    in_place,
                    path: path.name(),
                    calls: counters.calls.load(Ordering::Relaxed),
                    bytes: counters.bytes.load(Ordering::Relaxed),
                    nanoseconds: counters.nanoseconds.load(Ordering::Relaxed),
                    memory: counters.memory.load(Ordering::Relaxed),
                }));
            }
        }
        rows
    }
}
