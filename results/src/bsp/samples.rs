//! What a probe of a BSP machine has measured, before anything is estimated: a text file with a line for each
//! case, which `hcube bsp probe` and the portable probe in C write.

use serde::de::value::{Error as Unknown, StrDeserializer};
use serde::de::{Deserialize, IntoDeserializer};
use std::fmt::Write;
use std::str::FromStr;

use crate::machine::bsp::{GapOperation, MAX_PROCESSES, Pattern};
use crate::numbers;

/// How the first line begins in every version.
pub const FORMAT: &str = "hcube-bsp-samples ";
/// The first line: the format and its version.
const HEADER: &str = "hcube-bsp-samples 1";
/// Words of a superstep that no probe has.
const MAX_WORDS: usize = 1 << 50;
/// Repetitions from which on noise is known.
const MIN_REPETITIONS: usize = 3;
/// The last one, without which a file is not whole.
const END: &str = "end";

/// Supersteps whose latency is measured, in the order of [`Samples::latencies`].
pub const LATENCIES: [&str; 3] = ["empty", "shift", "all-to-all"];

/// An operation of a process, with nanoseconds of each repetition.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    pub name: String,
    pub nanoseconds: Vec<f64>,
}

/// Supersteps in which all processes exchange the same number of messages of the same length.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    pub pattern: Pattern,
    pub operation: GapOperation,
    /// Words of a message.
    pub words: usize,
    /// Messages to a process.
    pub count: usize,
    /// Of a superstep, in each repetition.
    pub seconds: Vec<f64>,
}

impl Exchange {
    /// Words that a process sends.
    pub fn total(&self, processes: usize) -> usize {
        let partners = match self.pattern {
            Pattern::RandomPermutation => 1,
            Pattern::AllToAll => processes.saturating_sub(1).max(1),
        };
        self.words * self.count * partners
    }
}

/// All measurements of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Samples {
    /// The BSP library.
    pub library: String,
    pub processes: usize,
    /// Of the node of process 0; 0 where the probe does not know.
    pub cores: usize,
    pub operations: Vec<Operation>,
    /// Microseconds of a superstep in each repetition, for each of [`LATENCIES`].
    pub latencies: [Vec<f64>; 3],
    pub exchanges: Vec<Exchange>,
}

/// By the name in machine files.
fn named<'a, T: Deserialize<'a>>(what: &str, name: &'a str) -> Result<T, String> {
    let deserializer: StrDeserializer<'a, Unknown> = name.into_deserializer();
    T::deserialize(deserializer).map_err(|error| format!("{what}: {error}"))
}

fn number<T: FromStr>(what: &str, word: Option<&str>) -> Result<T, String> {
    let word = word.unwrap_or_default();
    word.parse().map_err(|_| format!("{what} = '{word}': expected a number"))
}

/// Times of one or more repetitions.
fn times<'a>(words: impl Iterator<Item = &'a str>) -> Result<Vec<f64>, String> {
    let time = |word: &str| match word.parse::<f64>() {
        Ok(time) if time.is_finite() && time >= 0.0 => Ok(time),
        _ => Err(format!("time = '{word}': expected a number of 0 or more")),
    };
    let times: Vec<f64> = words.map(time).collect::<Result<_, _>>()?;
    if times.is_empty() { Err("expected a time".to_owned()) } else { Ok(times) }
}

impl Samples {
    /// From the text of a file.
    ///
    /// # Errors
    /// Names the line and what is wrong there.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        match lines.next() {
            Some((_, first)) if first.trim() == HEADER => {}
            first => {
                let found = first.map_or("", |(_, line)| line);
                return Err(format!("line 1 is '{found}': expected '{HEADER}'"));
            }
        }
        let mut samples = Self::default();
        for (number, line) in lines {
            if line.trim() == END {
                return samples.check();
            }
            samples.take(line).map_err(|problem| format!("line {}: {problem}", number + 1))?;
        }
        Err(format!("the last line is not '{END}': the probe has not ended"))
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        let (kind, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        let mut words = rest.split_whitespace();
        match kind {
            "library" => self.library = rest.trim().to_owned(),
            "processes" => self.processes = number(kind, words.next())?,
            "cores" => self.cores = number(kind, words.next())?,
            "operation" => {
                let name = words.next().unwrap_or_default().to_owned();
                self.operations.push(Operation { name, nanoseconds: times(words)? });
            }
            "latency" => {
                let name = words.next().unwrap_or_default();
                let place = LATENCIES.iter().position(|known| *known == name);
                let place = place
                    .ok_or_else(|| format!("latency '{name}': expected one of {}", LATENCIES.join(", ")))?;
                self.latencies[place] = times(words)?;
            }
            "gap" => self.exchanges.push(Exchange {
                pattern: named("pattern", words.next().unwrap_or_default())?,
                operation: named("operation", words.next().unwrap_or_default())?,
                words: number("words", words.next())?,
                count: number("messages", words.next())?,
                seconds: times(words)?,
            }),
            other => {
                let expected = "library, processes, cores, operation, latency, gap or end";
                return Err(format!("'{other}': expected {expected}"));
            }
        }
        Ok(())
    }

    /// Whether nothing is missing.
    fn check(self) -> Result<Self, String> {
        if !(1..=MAX_PROCESSES).contains(&self.processes) {
            return Err(format!("processes = {}: expected 1 to {MAX_PROCESSES}", self.processes));
        }
        if let Some(place) = self.latencies.iter().position(Vec::is_empty) {
            return Err(format!("no line 'latency {}'", LATENCIES[place]));
        }
        if self.exchanges.is_empty() {
            return Err("no line 'gap'".to_owned());
        }
        let partners = self.processes.max(2) - 1;
        for Exchange { words, count, .. } in &self.exchanges {
            let all = words.checked_mul(*count).and_then(|all| all.checked_mul(partners));
            if all.is_none_or(|all| all == 0 || all > MAX_WORDS) {
                return Err(format!(
                    "a line 'gap' has {words} words and {count} messages: expected 1 or more, and less than 2^50 words in all"
                ));
            }
        }
        Ok(self)
    }

    /// The text of a file.
    pub fn text(&self) -> String {
        let Self { library, processes, cores, .. } = self;
        let mut text = format!("{HEADER}\nlibrary {library}\nprocesses {processes}\ncores {cores}\n");
        let list = |times: &[f64]| times.iter().map(|time| format!(" {time:.6e}")).collect::<String>();
        for Operation { name, nanoseconds } in &self.operations {
            let _ = writeln!(text, "operation {name}{}", list(nanoseconds));
        }
        for (name, times) in LATENCIES.iter().zip(&self.latencies) {
            let _ = writeln!(text, "latency {name}{}", list(times));
        }
        for Exchange { pattern, operation, words, count, seconds } in &self.exchanges {
            let (pattern, operation) = (pattern.name(), operation.name());
            let _ = writeln!(text, "gap {pattern} {operation} {words} {count}{}", list(seconds));
        }
        text + END + "\n"
    }

    /// Processes that share a core, on average; 1 where the probe does not know the cores.
    pub fn per_core(&self) -> f64 {
        if self.cores == 0 { 1.0 } else { (self.processes as f64 / self.cores as f64).max(1.0) }
    }

    /// The noise in per cent: by how much the median of a case exceeds its minimum, in the median over all
    /// cases, or the spread of a latency where it is more; nothing where there are too few repetitions to
    /// tell.
    pub fn noise_percent(&self) -> Option<f64> {
        let repeat = self.exchanges.iter().map(|exchange| exchange.seconds.len()).max().unwrap_or(0);
        if repeat < MIN_REPETITIONS {
            return None;
        }
        let excess = |times: &Vec<f64>| {
            let least = times.iter().copied().fold(f64::INFINITY, f64::min);
            (least > 0.0).then(|| 100.0 * (numbers::median(times) / least - 1.0))
        };
        let exchanges: Vec<f64> =
            self.exchanges.iter().filter_map(|exchange| excess(&exchange.seconds)).collect();
        // Three figures, on which every prediction depends.
        let latencies = self.latencies.iter().filter_map(excess);
        let typical = (!exchanges.is_empty()).then(|| numbers::median(&exchanges));
        typical.into_iter().chain(latencies).reduce(f64::max)
    }
}

impl Samples {
    /// The largest spread of a latency in per cent; nothing where no latency has enough repetitions to tell.
    /// The noise does not show it: with many repetitions, the median is the median on a quiet machine.
    pub fn latency_spread_percent(&self) -> Option<f64> {
        let enough = self.latencies.iter().filter(|times| times.len() >= MIN_REPETITIONS);
        enough.map(|times| 100.0 * numbers::spread(times)).reduce(f64::max)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub const TEXT: &str = "hcube-bsp-samples 1\nlibrary some library 1.0\nprocesses 4\ncores 2\n\
        operation dot-product-double 0.5 0.6 0.55\n\
        latency empty 1 2 3\nlatency shift 4 4 4\nlatency all-to-all 9\n\
        gap random-permutation put 8 16 1e-6 2e-6 3e-6\ngap all-to-all hp-get 1 1 5e-6\nend\n";

    #[test]
    fn what_was_written_is_read() {
        let samples = Samples::parse(TEXT).expect("valid");
        assert_eq!((samples.library.as_str(), samples.processes, samples.cores), ("some library 1.0", 4, 2));
        assert_eq!(samples.operations[0].nanoseconds, [0.5, 0.6, 0.55]);
        assert_eq!(samples.latencies[1], [4.0; 3]);
        let [put, get] = [&samples.exchanges[0], &samples.exchanges[1]];
        assert_eq!((put.operation, put.total(4)), (GapOperation::Put, 128));
        assert_eq!((get.pattern, get.total(4), get.total(1)), (Pattern::AllToAll, 3, 1));
        assert_eq!(Samples::parse(&samples.text()), Ok(samples));
    }

    #[test]
    fn noise_is_that_of_a_typical_case() {
        let mut samples = Samples::parse(TEXT).expect("valid");
        // Latencies 100, 0 and 0 %, exchanges 100 and 0 %.
        assert_eq!((samples.noise_percent(), samples.per_core()), (Some(100.0), 2.0));
        samples.latencies = [vec![1.0, 1.2, 1.2], vec![4.0, 5.0, 6.0], vec![2.0]];
        assert!(samples.noise_percent().is_some_and(|noise| (noise - 50.0).abs() < 1e-9));
        samples.exchanges[0].seconds = vec![1.0; 3];
        assert!(samples.noise_percent().is_some_and(|noise| (noise - 25.0).abs() < 1e-9));
        samples.exchanges.iter_mut().for_each(|one| one.seconds.truncate(2));
        assert_eq!(samples.noise_percent(), None);
        samples.cores = 0;
        assert_eq!(samples.per_core(), 1.0);
    }

    #[test]
    fn the_spread_of_a_latency_is_not_hidden_by_its_median() {
        let mut samples = Samples::parse(TEXT).expect("valid");
        assert_eq!(samples.latency_spread_percent(), Some(100.0));
        samples.latencies = [vec![1.0, 1.0, 1.0, 1.0, 9.5], vec![4.0; 5], vec![9.0]];
        assert_eq!(samples.latency_spread_percent(), Some(850.0));
        samples.latencies.iter_mut().for_each(|times| times.truncate(2));
        assert_eq!(samples.latency_spread_percent(), None);
    }

    #[test]
    fn what_cannot_be_is_named_with_its_line() {
        for (old, new, message) in [
            ("samples 1", "samples 2", "line 1 is 'hcube-bsp-samples 2': expected 'hcube-bsp-samples 1'"),
            ("processes 4", "processes four", "line 3: processes = 'four': expected a number"),
            ("processes 4", "processes 0", "processes = 0: expected 1 to 16777216"),
            ("latency shift", "latency shaft", "line 7: latency 'shaft': expected one of empty, shift"),
            ("latency shift 4 4 4\n", "", "no line 'latency shift'"),
            ("put 8 16", "push 8 16", "line 9: operation: unknown variant `push`"),
            ("put 8 16", "put 8 0", "8 words and 0 messages"),
            ("put 8 16", "put 9000000000000000000 16", "less than 2^50 words"),
            ("1e-6 2e-6 3e-6", "", "line 9: expected a time"),
            ("1e-6 2e-6 3e-6", "1e-6 nan", "line 9: time = 'nan'"),
            ("cores 2", "chores 2", "line 4: 'chores': expected library, processes"),
            ("\nend", "", "the last line is not 'end'"),
        ] {
            assert!(TEXT.contains(old), "{old}");
            let error = Samples::parse(&TEXT.replacen(old, new, 1)).expect_err("refused");
            assert!(error.contains(message), "{error}; expected {message}");
        }
        assert!(Samples::parse("").expect_err("refused").contains("line 1 is ''"));
    }
}
