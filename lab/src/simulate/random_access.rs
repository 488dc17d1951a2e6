//! RandomAccess: its runs, and what the sections vary.

use super::arguments::Section;
use super::columns::{Column, Layout, Line, maybe, printed};
use super::place::Place;
use super::row::{Outcome, Row, Site};
use crate::records::Record;
use hcube_results::numbers::{self, significant};
use hcube_results::published::{self, ALL_OPTIMISATIONS, COARRAY_MACHINE, OPTIMISATIONS};
use serde::{Deserialize, Serialize};

/// The look-ahead of HPCC's rules.
const LOOK_AHEAD: u64 = 1024;
/// Words of the table per rank; few, so that the check of all words is fast.
const LOG2_WORDS: u32 = 10;
/// Ranks up to which the mode `spawn` is simulated.
const MAX_RANKS_SPAWN: usize = 64;

/// A run of RandomAccess.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RandomAccess {
    #[serde(flatten)]
    pub site: Site,
    /// The name in `--mode`.
    pub mode: String,
    /// 0 for log2 P.
    pub dimensions: u32,
    /// Bits as in hcube.h.
    pub optimisations: u32,
    pub look_ahead: u64,
    /// Rounds of Q values, as in Plimpton et al. 2006; otherwise rounds of Q/2 values.
    #[serde(default)]
    pub relaxed: bool,
    /// Of all ranks, in the time.
    pub updates: u64,
    #[serde(default)]
    pub log2_table: u32,
    /// Simulated.
    pub seconds: f64,
    pub gups: f64,
    #[serde(flatten)]
    pub outcome: Outcome,
    pub messages: u64,
    #[serde(default)]
    pub message_bytes: u64,
    #[serde(default)]
    pub plan: String,
    pub published_gups: Option<f64>,
    pub published_model_gups: Option<f64>,
}

impl RandomAccess {
    /// With the defaults of hcube.
    fn new(place: &Place<'_>, ranks: usize, mode: &str) -> Self {
        Self {
            site: place.site(ranks),
            mode: mode.to_owned(),
            optimisations: ALL_OPTIMISATIONS,
            look_ahead: LOOK_AHEAD,
            log2_table: ranks.next_power_of_two().ilog2() + LOG2_WORDS,
            ..Self::default()
        }
    }
}

impl Row for RandomAccess {
    fn driver(&self) -> (&'static str, Option<String>) {
        ("random_access", Some(LOG2_WORDS.to_string()))
    }

    fn text(&self) -> String {
        let Self { mode, dimensions, optimisations, look_ahead, relaxed, .. } = self;
        // One round to warm up, and timed rounds: fewer where rounds take long.
        let warmup = if *relaxed { *look_ahead } else { look_ahead.div_ceil(2) };
        let rounds = match self.site.ranks {
            0..=256 => 4,
            257..=1024 => 2,
            _ => 1,
        };
        let updates = warmup + rounds * look_ahead;
        format!(
            "mode={mode},dimensions={dimensions},optimisations={optimisations},look_ahead={look_ahead},relaxed={},\
             warmup={warmup},updates={updates}",
            u8::from(*relaxed)
        )
    }

    fn fill(&mut self, record: &Record) -> Result<(), String> {
        self.seconds = record.number("seconds")?;
        self.updates = record.count("updates")?;
        self.messages = record.count("messages")?;
        self.message_bytes = record.count("message_bytes")?;
        record.text("plan")?.clone_into(&mut self.plan);
        self.gups = numbers::gups(self.updates, self.seconds);
        Ok(())
    }

    fn place(&self) -> (&Site, &Outcome) {
        (&self.site, &self.outcome)
    }

    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }

    fn positive(&self) -> Vec<(&'static str, f64)> {
        let figures = vec![
            ("look_ahead", self.look_ahead as f64),
            ("updates", self.updates as f64),
            ("seconds", self.seconds),
            ("gups", self.gups),
        ];
        [self.site.positive(), figures].concat()
    }
}

/// The runs of a section on a number of ranks.
pub fn cases(place: &Place<'_>, ranks: usize, full: bool) -> Vec<RandomAccess> {
    let by = |mode: &str| RandomAccess::new(place, ranks, mode);
    match place.section {
        Section::Ranks => over_ranks(place, ranks, full),
        Section::LookAhead => {
            let case = |(look_ahead, gups)| RandomAccess {
                look_ahead,
                relaxed: true,
                optimisations: 0,
                published_gups: (place.is_published() && ranks == 32).then_some(gups),
                ..by("message")
            };
            published::TABLE_4.map(case).into()
        }
        Section::Optimisations => OPTIMISATIONS
            .map(|optimisations| RandomAccess { optimisations, relaxed: true, ..by("message") })
            .into(),
        Section::Dimensions => {
            let log2 = ranks.next_power_of_two().ilog2();
            // In one dimension every rank sends to every other: only up to 256 ranks.
            let sensible = |&dimensions: &u32| dimensions > 1 || ranks <= 256;
            let dimensions = [1, 2, 3, log2].into_iter().filter(sensible);
            dimensions.map(|dimensions| RandomAccess { dimensions, ..by("message") }).collect()
        }
        Section::CoarrayModes => coarray_modes(place, ranks),
        _ => ["auto", "message", "node", "three-hop"].map(by).into(),
    }
}

/// The algorithm of Plimpton et al. 2006, hcube's default, and hcube with the rounds of Plimpton et al. 2006.
fn over_ranks(place: &Place<'_>, ranks: usize, full: bool) -> Vec<RandomAccess> {
    let of_paper = place.is_published().then_some(ranks);
    let published = of_paper.and_then(published::over_ranks);
    let hcube = RandomAccess::new(place, ranks, "message");
    let relaxed =
        RandomAccess { relaxed: true, published_gups: of_paper.and_then(optimised), ..hcube.clone() };
    let plain = RandomAccess {
        optimisations: 0,
        published_gups: published.map(|rate| rate.hypercube),
        published_model_gups: published.and_then(|rate| rate.model),
        ..relaxed.clone()
    };
    if ranks > 4096 && !full {
        // Each takes a minute of a core.
        return vec![plain, hcube];
    }
    vec![plain, hcube, relaxed]
}

/// The modes beside the figure of Jin et al. 2011. With shipped functions to many images nearly each is a
/// message of its own, with an answer, which takes the simulator long.
fn coarray_modes(place: &Place<'_>, ranks: usize) -> Vec<RandomAccess> {
    let spawn = (ranks <= MAX_RANKS_SPAWN).then_some("spawn");
    let modes = ["auto", "events"].into_iter().chain(spawn);
    let is_machine = place.machine.name == COARRAY_MACHINE;
    let published = |mode: &str| {
        let (images, gups) = published::COARRAYS;
        (is_machine && images == ranks && mode == "events").then_some(gups)
    };
    modes
        .map(|mode| RandomAccess { published_gups: published(mode), ..RandomAccess::new(place, ranks, mode) })
        .collect()
}

/// Published GUP/s with all optimisations on a number of ranks.
fn optimised(ranks: usize) -> Option<f64> {
    let (measured, rate) = published::OPTIMISED;
    (ranks == measured).then_some(rate)
}

/// Published time with optimisations relative to the time without.
fn published_time(ranks: usize, optimisations: u32) -> Option<f64> {
    let seconds = published::optimised_seconds(ranks)?;
    let place = OPTIMISATIONS.iter().position(|&bits| bits == optimisations)?;
    Some(seconds[place]? / seconds[0]?)
}

/// Time relative to that without optimisations.
fn relative_time(line: &Line<'_, RandomAccess>) -> f64 {
    let (row, ranks) = (line.row, line.row.site.ranks);
    let plain = line.all.iter().find(|other| other.site.ranks == ranks && other.optimisations == 0);
    plain.map_or(1.0, |plain| plain.gups / row.gups)
}

fn optimisations(bits: u32) -> String {
    let names = [(1, "Mod1"), (2, "Mod2"), (4, "Mod3"), (8, "Mod7")];
    let chosen: Vec<&str> = names.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, name)| *name).collect();
    if chosen.is_empty() { "none".to_owned() } else { chosen.join("+") }
}

fn whole_percent(simulated: f64, published: f64) -> String {
    format!("{:+.0}%", 100.0 * (simulated / published - 1.0))
}

/// The columns, including published figures.
const fn columns(published: [Column<RandomAccess>; 3]) -> [Column<RandomAccess>; 13] {
    let [figure, deviation, other] = published;
    [
        printed("ranks", |line| line.row.site.ranks.to_string()),
        printed("per node", |line| line.row.site.ranks_per_node.to_string()),
        printed("mode", |line| line.row.mode.clone()),
        printed("dimensions", |line| match line.row.dimensions {
            0 => "log2".to_owned(),
            dimensions => dimensions.to_string(),
        }),
        printed("optimisations", |line| optimisations(line.row.optimisations)),
        printed("look-ahead", |line| line.row.look_ahead.to_string()),
        printed("values a round", |line| {
            let look_ahead = line.row.look_ahead;
            if line.row.relaxed { look_ahead } else { look_ahead.div_ceil(2) }.to_string()
        }),
        printed("GUP/s", |line| significant(line.row.gups)),
        figure,
        deviation,
        other,
        printed("messages", |line| line.row.messages.to_string()),
        printed("errors", |line| line.row.outcome.errors.to_string()),
    ]
}

/// Rates beside published ones.
pub const RATES: Layout<RandomAccess> = Layout {
    title: "RandomAccess",
    columns: &columns([
        printed("published", |line| maybe(line.row.published_gups, significant)),
        printed("deviation", |line| {
            maybe(line.row.published_gups, |published| whole_percent(line.row.gups, published))
        }),
        printed("model", |line| maybe(line.row.published_model_gups, significant)),
    ]),
    has_line: |_| true,
};

/// Times relative to that without optimisations, beside published ones.
pub const TIMES: Layout<RandomAccess> = Layout {
    columns: &columns([
        printed("published/none", |line| maybe(published_time_of(line), significant)),
        printed("deviation", |line| {
            maybe(published_time_of(line), |published| whole_percent(relative_time(line), published))
        }),
        printed("time/none", |line| significant(relative_time(line))),
    ]),
    ..RATES
};

fn published_time_of(line: &Line<'_, RandomAccess>) -> Option<f64> {
    published_time(line.row.site.ranks, line.row.optimisations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_tables() {
        assert_eq!((optimised(8192), optimised(4096)), (Some(19.98), None));
        let share = published_time(32, 15).expect("Mod7");
        assert!((share - 0.7804).abs() < 1e-4, "{share}");
        assert_eq!((published_time(32, 2), published_time(1, 15), published_time(3, 0)), (None, None, None));
    }
}
