//! Fourier transforms, and how a short transform is simulated as a long one.
//!
//! Vectors of the machines do not fit into the memory of this one. A simulated rank has `scale` times fewer
//! numbers, on a machine with `scale` times less bandwidth whose copies and levels of butterflies take
//! `scale` times as long; the levels that a shorter part lacks are charged in addition. The number
//! of messages and their times are therefore as for the long vector, except that binary exchange cuts a part
//! into 16 strips and the long one into more. Data is real, and every number of the result is compared.

use super::columns::{Layout, both, maybe, printed, shown};
use super::place::Place;
use super::platform::Sharing;
use super::row::{Batch, Outcome, Row, Site};
use crate::records::Record;
use hcube_core::machine::work::{COPY, REST, Unit};
use hcube_fft::COMPLEX;
use hcube_results::machine::Machine;
use hcube_results::numbers::{significant, time};
use hcube_results::plot::Evidence::{Published, Simulated};
use hcube_results::published::{COARRAY_FFT, COARRAY_MACHINE};
use serde::{Deserialize, Serialize};

/// Numbers of a rank: 256 MiB, an eighth of the memory of a core of the machine of Jin et al. 2011, as HPCC
/// demands a vector that fills a quarter together with its transform.
const PART: usize = 1 << 24;
/// Numbers of a simulated rank at least: 16 strips of 4 KiB, beside which event messages of some dozens of
/// bytes are short.
const MIN_PART: usize = 4096;
/// Numbers that a simulated rank has for each other one at least, for the same reason.
const MIN_BLOCK: usize = 4;
/// Ranks up to which six steps are simulated: their exchanges have a message from each rank to each.
const MAX_RANKS_SIX_STEP: usize = 256;
/// Ranks up to which the ranks of a transform share links and the ports of nodes that receive.
const MAX_RANKS_SHARING: usize = 64;

/// A transform by one algorithm.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Transform {
    #[serde(flatten)]
    pub site: Site,
    /// `six-step` or `binary-exchange`.
    pub algorithm: String,
    /// Complex numbers of a rank.
    pub part: usize,
    /// Those in the simulation are fewer by this factor.
    #[serde(default)]
    pub scale: usize,
    /// Simulated.
    pub seconds: f64,
    /// Of these, exchanges and waits on the rank where they take longest.
    pub exchange_seconds: f64,
    pub gflops: f64,
    #[serde(flatten)]
    pub outcome: Outcome,
    pub published_gflops: Option<f64>,
    /// Time of a number in a level of butterflies.
    #[serde(skip)]
    level_ns: f64,
}

impl Transform {
    /// Nanoseconds that a rank adds to its pauses, where it waits for messages of many others: the time in
    /// which a single block leaves a node of this bandwidth. Other messages leave the node at the same time,
    /// so no wait becomes much longer.
    fn rest_ns(&self, bandwidth_gb_s: f64) -> f64 {
        if self.algorithm == "six-step" && self.site.ranks > MAX_RANKS_SHARING {
            (COMPLEX * self.part / self.site.ranks) as f64 / bandwidth_gb_s
        } else {
            0.0
        }
    }

    /// As a power of two.
    fn length(&self) -> String {
        format!("2^{}", (self.site.ranks * self.part).ilog2())
    }
}

/// The published rate of a transform on a machine and a number of ranks.
fn published(machine: &str, ranks: usize) -> Option<f64> {
    let (images, gflops) = COARRAY_FFT;
    (machine == COARRAY_MACHINE && images == ranks).then_some(gflops)
}

impl Row for Transform {
    fn driver(&self) -> (&'static str, Option<String>) {
        ("fft", None)
    }

    fn text(&self) -> String {
        let Self { algorithm, part, scale, level_ns, .. } = self;
        let (part, levels, level) = (part / scale, scale.ilog2(), level_ns * *scale as f64);
        format!("algorithm={algorithm},part={part},levels={levels},level={level}")
    }

    fn fill(&mut self, record: &Record) -> Result<(), String> {
        self.seconds = record.number("seconds")?;
        self.exchange_seconds = record.number("exchanges")?;
        let length = (self.part * self.site.ranks) as f64;
        // HPCC's count of operations.
        self.gflops = 5e-9 * length * length.log2() / self.seconds;
        Ok(())
    }

    fn place(&self) -> (&Site, &Outcome) {
        (&self.site, &self.outcome)
    }

    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }

    fn positive(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("ranks", self.site.ranks as f64),
            ("part", self.part as f64),
            ("seconds", self.seconds),
            ("gflops", self.gflops),
        ]
    }

    fn scale(&self) -> usize {
        self.scale
    }

    /// Both ends, and what the algorithms keep.
    fn bytes_per_rank(&self) -> u64 {
        (self.part / self.scale * 6 * COMPLEX) as u64 + (512 << 10)
    }

    fn sharing(&self) -> Sharing {
        if self.site.ranks > MAX_RANKS_SHARING { Sharing::SendingPorts } else { Sharing::Links }
    }

    fn opens_files(&self) -> bool {
        true
    }

    /// All copies are of the data.
    fn costs(&self, machine: &Machine, scale: f64) -> Vec<(Unit, f64)> {
        let rest_ns = self.rest_ns(machine.network.bandwidth_gb_s);
        vec![(COPY, machine.costs.copy_ns * scale), (REST, rest_ns)]
    }
}

/// A simulation for each number of ranks that is a power of two and each algorithm.
pub fn batches(place: &Place<'_>, full: bool) -> Vec<Batch<Transform>> {
    let limit = if full { 4 * MAX_RANKS_SIX_STEP } else { MAX_RANKS_SIX_STEP };
    place.variants(["six-step", "binary-exchange"], |algorithm, ranks| {
        let is_simulated = ranks.is_power_of_two() && (algorithm == "binary-exchange" || ranks <= limit);
        is_simulated.then(|| transform(place, ranks, algorithm))
    })
}

/// Numbers of a simulated rank.
fn simulated(ranks: usize) -> usize {
    (ranks.next_power_of_two() * MIN_BLOCK).max(MIN_PART)
}

fn transform(place: &Place<'_>, ranks: usize, algorithm: &str) -> Transform {
    Transform {
        site: place.site(ranks),
        algorithm: algorithm.to_owned(),
        part: PART,
        scale: PART / simulated(ranks),
        published_gflops: published(&place.machine.name, ranks).filter(|_| algorithm == "binary-exchange"),
        level_ns: place.machine.costs.level_ns,
        ..Transform::default()
    }
}

/// The name of an algorithm in words.
pub fn in_words(algorithm: &str) -> &str {
    match algorithm {
        "six-step" => "six steps",
        "binary-exchange" => "binary exchange",
        other => other,
    }
}

/// Times and rates.
pub const LAYOUT: Layout<Transform> = Layout {
    title: "Fourier transforms",
    columns: &[
        both(["ranks", "ranks"], None, |line| line.row.site.ranks.to_string()),
        both(["per node", "per node"], None, |line| line.row.site.ranks_per_node.to_string()),
        printed("algorithm", |line| line.row.algorithm.clone()),
        shown("algorithm", None, |line| in_words(&line.row.algorithm).to_owned()),
        both(["length", "length"], None, |line| line.row.length()),
        both(["time", "time"], Some(Simulated), |line| time(line.row.seconds)),
        both(["exchanges", "exchanges"], Some(Simulated), |line| time(line.row.exchange_seconds)),
        both(["GFLOP/s", "GFLOP/s"], Some(Simulated), |line| significant(line.row.gflops)),
        printed("published", |line| maybe(line.row.published_gflops, significant)),
        shown("Jin et al. 2011", Some(Published), |line| {
            maybe(published(&line.row.site.machine, line.row.site.ranks), significant)
        }),
        printed("errors", |line| line.row.outcome.errors.to_string()),
    ],
    has_line: |_| true,
};

#[cfg(test)]
mod tests {
    use super::super::arguments::Section;
    use super::*;

    fn transforms(machine: &str, ranks: &[usize], full: bool) -> Vec<Transform> {
        let machine = Machine::find(machine).expect("valid");
        let place = Place { section: Section::Fft, machine, ranks, ranks_per_node: 4 };
        batches(&place, full).into_iter().flat_map(|batch| batch.cases).collect()
    }

    #[test]
    fn a_part_and_the_levels_that_it_lacks_are_those_of_the_long_vector() {
        for row in transforms("franklin", &[3, 4, 256, 4096], true) {
            assert_eq!(row.part, 1 << 24);
            let text = row.text();
            let level = |name: &str| {
                let value = text.split(',').find_map(|part| part.strip_prefix(name)).expect("a pair");
                value.parse::<u32>().expect("a number")
            };
            assert_eq!(1 << (24 - level("levels=")), level("part="), "{text}");
            assert!(level("part=") as usize >= row.site.ranks, "{text}");
        }
    }

    #[test]
    fn the_paper_has_one_rate_by_binary_exchange() {
        let found = transforms("franklin", &[256, 4096], false);
        let found: Vec<_> =
            found.iter().map(|row| (row.algorithm.as_str(), row.site.ranks, row.published_gflops)).collect();
        let expected =
            [("six-step", 256, None), ("binary-exchange", 256, None), ("binary-exchange", 4096, Some(125.0))];
        assert_eq!(found, expected);
        assert!(transforms("fat-nodes", &[4096], false).iter().all(|row| row.published_gflops.is_none()));
    }

    #[test]
    fn rows_are_rendered() {
        let mut row = transforms("franklin", &[4096], false).remove(0);
        (row.seconds, row.gflops) = (0.5, 100.0);
        let text = LAYOUT.render(&[&row]);
        let line: Vec<&str> = text.lines().nth(1).expect("a row").split_whitespace().collect();
        assert!(line.contains(&"2^36") && line.contains(&"125.0"), "{text}");
    }
}
