//! Counters of this process: calls, paths, bytes, time and memory.

use hcube_alltoall::mpi_front::{Call, Function};
use hcube_alltoall::report::UsedPath;
use hcube_drop_in::collection::Collection;
use hcube_drop_in::figures::{Counters, Figures};
use hcube_drop_in::output::Output;
use std::sync::OnceLock;
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

    /// The paths of nonblocking calls.
    const NONBLOCKING: [Self; 3] = [Self::Hcube(UsedPath::SingleCopy), Self::Library, Self::Refused];

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

/// The meaning of a row of the statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label {
    /// The function of MPI.
    pub function: Function,
    /// Whether `MPI_IN_PLACE` was given.
    pub in_place: bool,
    /// The path.
    pub path: Path,
}

impl Label {
    /// The label of a call. Functions without a row for exchanges in place count them in their only row.
    pub fn of(call: &Call, path: Path) -> Self {
        let in_place = call.function.has_in_place() && call.in_place();
        Self { function: call.function, in_place, path }
    }
}

/// The rows, in the same order on all ranks.
pub fn labels() -> impl Iterator<Item = Label> {
    Function::ALL.into_iter().flat_map(|function| {
        let places = if function.has_in_place() { &[false, true][..] } else { &[false] };
        let paths = if function.is_nonblocking() { &Path::NONBLOCKING[..] } else { &Path::ALL };
        let label = move |in_place: bool| move |&path: &Path| Label { function, in_place, path };
        places.iter().flat_map(move |&in_place| paths.iter().map(label(in_place)))
    })
}

/// How the statistics are sent to rank 0.
pub static COLLECTION: Collection = Collection::new();

/// All counters.
#[derive(Debug)]
pub struct Statistics {
    counters: [[[Counters; Path::ALL.len()]; PLACES]; Function::ALL.len()],
    reasons: [[OnceLock<&'static str>; PLACES]; Function::ALL.len()],
    /// The requested output.
    pub output: Output,
}

/// The statistics, if `HCUBE_STATS` requests them. The environment is read once.
pub fn wanted() -> Option<&'static Statistics> {
    static STATISTICS: OnceLock<Option<Statistics>> = OnceLock::new();
    STATISTICS.get_or_init(|| Output::asked().map(Statistics::new)).as_ref()
}

impl Statistics {
    fn new(output: Output) -> Self {
        Self { counters: Default::default(), reasons: Default::default(), output }
    }

    /// Counts one call.
    pub fn count(&self, label: Label, time: Duration, bytes: u64, memory: u64) {
        self.counters(label).count(time, 0, bytes, memory);
    }

    fn counters(&self, label: Label) -> &Counters {
        &self.counters[label.function as usize][usize::from(label.in_place)][label.path.number()]
    }

    /// Stores the first reason for which a call of this kind was forwarded.
    pub fn explain(&self, call: &Call, reason: &'static str) {
        let Label { function, in_place, .. } = Label::of(call, Path::Library);
        self.reasons[function as usize][usize::from(in_place)].get_or_init(|| reason);
    }

    /// Why calls of a kind were forwarded.
    pub fn reason(&self, function: Function, in_place: bool) -> Option<&'static str> {
        self.reasons[function as usize][usize::from(in_place)].get().copied()
    }

    /// The statistics of this rank, in the order of [`labels`].
    pub fn rows(&self) -> Vec<Figures> {
        labels().map(|label| self.counters(label).figures()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_core::node::pipe::MAX_MESSAGE_BYTES;
    use hcube_drop_in::collection::message;

    #[test]
    fn rows_have_labels_and_fit_into_a_message() {
        let statistics = Statistics::new(Output { json: None });
        let mut rows = statistics.rows();
        assert_eq!(labels().count(), rows.len());
        let last = labels().last().expect("there are rows");
        let function = Function::ALL[Function::ALL.len() - 1];
        assert_eq!(last, Label { function, in_place: false, path: Path::Refused });
        rows.iter_mut().for_each(|row| row.calls = 1);
        let length = message(0, &rows).len();
        assert!(length <= MAX_MESSAGE_BYTES, "{length} bytes");
    }
}
