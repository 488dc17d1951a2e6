//! What supersteps of bulk-synchronous programs cost on a machine: the part `bsp` of a machine file.
//!
//! The latency and the gap hold for a number of processes, an operation of BSPlib and a pattern of
//! communication, so there is an entry for each. A word has 64 bits; h is the number of words that a process
//! sends or receives in a superstep, h* of a message.
//!
//! Source: Krusche 2005, §2.2 (model) and chapter 3 (measurement).

mod check;

pub(crate) use check::MAX_PROCESSES;

pub(super) use check::{check_version, not_negative, positive};

use serde::{Deserialize, Serialize};

/// The version of this part of the format.
pub const VERSION: u32 = 1;

/// The noise in per cent above which predictions mean little.
pub const MAX_NOISE_PERCENT: f64 = 25.0;
/// The spread of a latency in per cent above which predictions mean little.
pub const MAX_LATENCY_SPREAD_PERCENT: f64 = 50.0;

/// Operations whose time is measured by loops of their own, or by BLAS: then [`BLAS`] is appended to the
/// name.
pub const OPERATIONS: [&str; 6] = [
    "dot-product-double",
    "matrix-product-double",
    "average-double",
    "dot-product-int",
    "matrix-product-int",
    "average-int",
];

/// The end of the name of an operation that BLAS has computed.
pub const BLAS: &str = "-blas";

/// Operations of programs: an entry of the matrix of a longest common subsequence, a multiplication and
/// addition. The efficiencies that Krusche 2005 has published refer to `llcs-standard-printed`.
pub const PROGRAMS: [&str; 4] = ["llcs-standard", "llcs-standard-printed", "llcs-bit-parallel", "matmul"];

/// Supersteps of a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bsp {
    /// [`VERSION`].
    pub version: u32,
    /// The BSP library that was measured.
    pub library: String,
    /// Times of local operations on any number of processes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<Operation>,
    /// An entry for each number of processes, ascending.
    pub processes: Vec<Processes>,
}

/// The time of a local operation (f).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    /// One of [`OPERATIONS`], with or without [`BLAS`], or of [`PROGRAMS`].
    pub name: String,
    /// Nanoseconds.
    pub ns: f64,
}

/// Supersteps of a number of processes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Processes {
    /// Their number.
    pub processes: usize,
    /// Processes that share a core.
    #[serde(default = "one")]
    pub per_core: f64,
    /// Times of local operations while all processes compute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<Operation>,
    /// Microseconds of a superstep without large messages (l).
    pub latency_us: Latency,
    /// An entry for each pattern and operation that was measured.
    pub gaps: Vec<Gap>,
    /// How far repeated measurements differ, in per cent; absent where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise_percent: Option<f64>,
    /// The largest spread of a latency, in per cent: by how much the longest of its repetitions exceeds the
    /// shortest, as a share of the median; absent where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_spread_percent: Option<f64>,
}

fn one() -> f64 {
    1.0
}

/// Microseconds of a superstep.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Latency {
    /// Without communication (l_0).
    pub empty: f64,
    /// With a short message to the next process.
    pub shift: f64,
    /// With a short message to every process.
    pub all_to_all: f64,
}

/// The sizes that were measured, in words.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// Of a superstep (h).
    pub min_words: f64,
    pub max_words: f64,
    /// Of a message (h*).
    pub min_message_words: f64,
    pub max_message_words: f64,
}

/// To whom the processes send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// Each to one other.
    RandomPermutation,
    /// Each to all others.
    AllToAll,
}

/// The operation of BSPlib that communicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GapOperation {
    Get,
    HpGet,
    HpPut,
    Put,
    Send,
}

/// The time per word: g(h, h*) = g_inf (h_half / h + o / h* + 1).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gap {
    pub pattern: Pattern,
    pub operation: GapOperation,
    /// Microseconds per word in long messages and large supersteps (g_inf).
    pub g_us: f64,
    /// Words of a superstep whose transfer takes twice as long (h_half).
    pub half_words: f64,
    /// Words of a message whose transfer takes twice as long (o).
    pub overhead_words: f64,
    /// Squared error of g(h, h*) in s² (epsilon_BSP*).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<f64>,
    /// Squared error of g(h), which has no o, in s² (epsilon_BSP; Krusche 2005, appendix B.1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_words: Option<f64>,
    /// What was measured; absent where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// The same figures by the method of least squares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least_squares: Option<LeastSquares>,
}

/// Figures of a gap with their confidence intervals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeastSquares {
    pub g_us: Interval,
    pub half_words: Interval,
    pub overhead_words: Interval,
}

/// A figure and the bounds between which it lies with a confidence of 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl Pattern {
    /// As in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::RandomPermutation => "random-permutation",
            Self::AllToAll => "all-to-all",
        }
    }
}

impl GapOperation {
    /// All, in the order of the published tables.
    pub const ALL: [Self; 5] = [Self::Get, Self::HpGet, Self::HpPut, Self::Put, Self::Send];

    /// As in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::HpGet => "hp-get",
            Self::HpPut => "hp-put",
            Self::Put => "put",
            Self::Send => "send",
        }
    }
}

impl Bsp {
    /// Nanoseconds of a local operation on a number of processes, by its name.
    pub fn operation(&self, name: &str, processes: usize) -> Option<f64> {
        let own =
            self.processes.iter().filter(|one| one.processes == processes).flat_map(|one| &one.operations);
        own.chain(&self.operations).find(|operation| operation.name == name).map(|operation| operation.ns)
    }

    /// The figures for a number of processes. The message of a failure lists the numbers that the file has.
    pub fn for_processes(&self, processes: usize) -> Result<&Processes, String> {
        let there: Vec<String> = self.processes.iter().map(|entry| entry.processes.to_string()).collect();
        let expected =
            if there.is_empty() { String::new() } else { format!("expected one of {}; ", there.join(", ")) };
        self.processes.iter().find(|entry| entry.processes == processes).ok_or_else(|| {
            format!(
                "no figures for {processes} processes: {expected}'mpirun -np {processes} hcube bsp probe FILE' adds them"
            )
        })
    }

    /// Adds the figures for a number of processes, or replaces the figures for the same number.
    pub fn put(&mut self, processes: Processes) {
        match self.processes.binary_search_by_key(&processes.processes, |entry| entry.processes) {
            Ok(at) => self.processes[at] = processes,
            Err(at) => self.processes.insert(at, processes),
        }
    }
}

impl Processes {
    /// The gap of an operation in a pattern, if it was measured.
    pub fn gap(&self, pattern: Pattern, operation: GapOperation) -> Option<&Gap> {
        self.gaps.iter().find(|gap| (gap.pattern, gap.operation) == (pattern, operation))
    }

    /// The warning on predictions from measurements that differ too far.
    pub fn noise_warning(&self) -> Option<String> {
        let processes = self.processes;
        let above = |value: Option<f64>, bound: f64| value.filter(|&value| value > bound);
        let (what, value, bound) = match (
            above(self.noise_percent, MAX_NOISE_PERCENT),
            above(self.latency_spread_percent, MAX_LATENCY_SPREAD_PERCENT),
        ) {
            (Some(noise), _) => ("their supersteps", noise, MAX_NOISE_PERCENT),
            (None, Some(spread)) => ("the latency of a superstep (l)", spread, MAX_LATENCY_SPREAD_PERCENT),
            (None, None) => return None,
        };
        Some(format!(
            "predictions for {processes} processes mean little: repeated measurements of {what} differ by {value:.0} %, \
             expected {bound:.0} % or less; close other programs and measure again with 'mpirun -np {processes} hcube bsp \
             probe FILE'"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAP: Gap = Gap {
        pattern: Pattern::AllToAll,
        operation: GapOperation::HpGet,
        g_us: 0.5,
        half_words: 100.0,
        overhead_words: 10.0,
        error_message: Some(1e-9),
        error_words: Some(2e-9),
        range: None,
        least_squares: None,
    };

    fn processes(processes: usize) -> Processes {
        Processes {
            processes,
            per_core: 1.0,
            operations: Vec::new(),
            latency_us: Latency { empty: 1.0, shift: 2.0, all_to_all: 3.0 },
            gaps: vec![GAP],
            noise_percent: None,
            latency_spread_percent: None,
        }
    }

    /// All fields, for two numbers of processes.
    pub fn example() -> Bsp {
        let interval = |value| Interval { value, low: 0.5 * value, high: 1.5 * value };
        let least_squares =
            LeastSquares { g_us: interval(0.5), half_words: interval(100.0), overhead_words: interval(10.0) };
        let range =
            Range { min_words: 1.0, max_words: 65536.0, min_message_words: 1.0, max_message_words: 1024.0 };
        let least_squares = Some(least_squares);
        let put = Gap { operation: GapOperation::Put, least_squares, range: Some(range), ..GAP };
        let operation = |name: &str, ns| Operation { name: name.to_owned(), ns };
        Bsp {
            version: VERSION,
            library: "hcube".to_owned(),
            operations: vec![operation("dot-product-double-blas", 1.5), operation("matmul", 0.25)],
            processes: vec![
                processes(1),
                Processes {
                    gaps: vec![GAP, put],
                    noise_percent: Some(3.0),
                    latency_spread_percent: Some(20.0),
                    operations: vec![operation("matmul", 0.5)],
                    ..processes(4)
                },
            ],
        }
    }

    #[test]
    fn figures_are_found() {
        let bsp = example();
        assert_eq!([1, 4].map(|processes| bsp.operation("matmul", processes)), [Some(0.25), Some(0.5)]);
        assert_eq!(bsp.operation("average-int", 4), None);
        let four = bsp.for_processes(4).expect("there");
        assert!(
            four.gap(Pattern::AllToAll, GapOperation::Put).is_some_and(|gap| gap.least_squares.is_some())
        );
        assert_eq!(four.gap(Pattern::RandomPermutation, GapOperation::Put), None);
        assert_eq!(
            bsp.for_processes(3).expect_err("not there"),
            "no figures for 3 processes: expected one of 1, 4; 'mpirun -np 3 hcube bsp probe FILE' adds them"
        );
        let empty = Bsp { processes: Vec::new(), ..bsp };
        assert_eq!(
            empty.for_processes(2).expect_err("nothing"),
            "no figures for 2 processes: 'mpirun -np 2 hcube bsp probe FILE' adds them"
        );
    }

    #[test]
    fn numbers_of_processes_stay_in_order() {
        let mut bsp = example();
        for number in [8, 2] {
            bsp.put(processes(number));
        }
        bsp.put(Processes { per_core: 2.0, ..processes(8) });
        let numbers: Vec<usize> = bsp.processes.iter().map(|entry| entry.processes).collect();
        assert_eq!((numbers, bsp.processes[3].per_core), (vec![1, 2, 4, 8], 2.0));
        assert_eq!(bsp.check(), Ok(()));
    }

    #[test]
    fn noise_is_said() {
        let noisy = |noise_percent| Processes { noise_percent, ..processes(4) }.noise_warning();
        assert_eq!([noisy(None), noisy(Some(MAX_NOISE_PERCENT))], [None, None]);
        let warning = noisy(Some(61.7)).expect("above the bound");
        for words in
            ["4 processes", "differ by 62 %, expected 25 % or less", "close other programs", "mpirun -np 4"]
        {
            assert!(warning.contains(words), "{warning}");
        }
        // A latency of which one repetition took long, though the median is that of the others.
        let spread = |latency_spread_percent| {
            Processes { latency_spread_percent, noise_percent: Some(5.3), ..processes(2) }.noise_warning()
        };
        assert_eq!(spread(Some(MAX_LATENCY_SPREAD_PERCENT)), None);
        let warning = spread(Some(848.0)).expect("above the bound");
        let words = "the latency of a superstep (l) differ by 848 %, expected 50 % or less";
        assert!(warning.contains(words), "{warning}");
    }

    #[test]
    fn names_are_those_of_files() {
        let json = |value: serde_json::Value| value.as_str().map(str::to_owned);
        for operation in GapOperation::ALL {
            let written = serde_json::to_value(operation).map(json).expect("JSON");
            assert_eq!(written.as_deref(), Some(operation.name()));
        }
        for pattern in [Pattern::RandomPermutation, Pattern::AllToAll] {
            let written = serde_json::to_value(pattern).map(json).expect("JSON");
            assert_eq!(written.as_deref(), Some(pattern.name()));
        }
    }

    #[test]
    fn what_is_written_can_be_read() {
        let text = serde_json::to_string(&example()).expect("JSON");
        assert_eq!(serde_json::from_str::<Bsp>(&text).ok(), Some(example()));
        // One process on a core without being told so, and no field that nobody knows.
        let text = text.replacen("\"per_core\":1.0,", "", 1);
        assert_eq!(serde_json::from_str::<Bsp>(&text).ok(), Some(example()));
        let error = serde_json::from_str::<Bsp>(&text.replacen("g_us", "g_ms", 1)).expect_err("unknown");
        assert!(error.to_string().contains("unknown field `g_ms`"), "{error}");
    }
}
