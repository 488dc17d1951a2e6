//! Counters of this process: calls, operations, bytes, time and memory, by routine and path.

use crate::verdict::{Reason, Verdict};
use hcube_drop_in::collection::Collection;
use hcube_drop_in::figures::{Counters, Figures};
use hcube_drop_in::output::Output;
use hcube_gemm::element::Element;
use hcube_gemm::report::UsedPath;
use std::sync::OnceLock;
use std::time::Duration;

/// How a call was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// By hcube, on this path.
    Hcube(UsedPath),
    /// By ScaLAPACK, for this reason.
    Library(Reason),
}

impl Path {
    const COUNT: usize = UsedPath::ALL.len() + Reason::ALL.len();

    fn of(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Served(report) => Self::Hcube(report.path),
            Verdict::Original(reason) => Self::Library(*reason),
        }
    }

    fn number(self) -> usize {
        match self {
            Self::Hcube(path) => path as usize,
            Self::Library(reason) => UsedPath::ALL.len() + reason as usize,
        }
    }

    /// The name in statistics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hcube(path) => path.name(),
            Self::Library(_) => "library",
        }
    }

    /// Why it was forwarded to ScaLAPACK.
    pub const fn reason(self) -> Option<&'static str> {
        match self {
            Self::Hcube(_) => None,
            Self::Library(reason) => Some(reason.text()),
        }
    }
}

/// The rows of the statistics, in the same order on all ranks.
pub fn labels() -> impl Iterator<Item = (Element, Path)> {
    let paths =
        || UsedPath::ALL.into_iter().map(Path::Hcube).chain(Reason::ALL.into_iter().map(Path::Library));
    Element::ALL.iter().flat_map(move |&element| paths().map(move |path| (element, path)))
}

/// How the figures come to rank 0.
pub static COLLECTION: Collection = Collection::new();

/// All counters.
#[derive(Debug)]
pub struct Statistics {
    counters: [[Counters; Path::COUNT]; Element::ALL.len()],
    /// What is printed.
    pub output: Output,
}

/// The statistics, if `HCUBE_STATS` asks for them. The environment is read once.
pub fn wanted() -> Option<&'static Statistics> {
    static STATISTICS: OnceLock<Option<Statistics>> = OnceLock::new();
    STATISTICS.get_or_init(|| Output::asked().map(Statistics::new)).as_ref()
}

impl Statistics {
    fn new(output: Output) -> Self {
        Self { counters: std::array::from_fn(|_| std::array::from_fn(|_| Counters::default())), output }
    }

    /// Counts one call.
    pub fn count(&self, element: Element, verdict: &Verdict, time: Duration, flops: u64) {
        let (bytes, memory) = match verdict {
            Verdict::Served(report) => (report.bytes, report.memory as u64),
            Verdict::Original(_) => (0, 0),
        };
        let path = Path::of(verdict).number();
        self.counters[element as usize][path].count(time, flops, bytes, memory);
    }

    /// The figures of this rank, in the order of [`labels`].
    pub fn rows(&self) -> Vec<Figures> {
        self.counters.iter().flatten().map(Counters::figures).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_gemm::report::Report;

    #[test]
    fn rows_have_labels() {
        let statistics = Statistics::new(Output { json: None });
        let served = Verdict::Served(Report { path: UsedPath::Hsumma, bytes: 3, memory: 4 });
        statistics.count(Element::Complex, &served, Duration::from_nanos(5), 6);
        statistics.count(Element::Single, &Verdict::Original(Reason::Chosen), Duration::from_nanos(7), 8);
        let rows = statistics.rows();
        assert_eq!(rows.len(), labels().count());
        let used: Vec<_> = labels().zip(rows).filter(|(_, row)| row.calls > 0).collect();
        let figures =
            |flops, bytes, nanoseconds, memory| Figures { calls: 1, flops, bytes, nanoseconds, memory };
        assert_eq!(
            used,
            [
                ((Element::Single, Path::Library(Reason::Chosen)), figures(8, 0, 7, 0)),
                ((Element::Complex, Path::Hcube(UsedPath::Hsumma)), figures(6, 3, 5, 4)),
            ]
        );
    }

    #[test]
    fn reasons_have_numbers() {
        for (number, reason) in Reason::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, number);
        }
        for (number, path) in UsedPath::ALL.into_iter().enumerate() {
            assert_eq!(path as usize, number);
        }
    }
}
