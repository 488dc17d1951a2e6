//! Coarrays: teams, their storage and their lookups; and RandomAccess by the two programs that coarrays
//! offer.

use super::columns::{Layout, NONE, both, maybe, printed, shown};
use super::place::Place;
use super::platform::Sharing;
use super::row::{Batch, Outcome, Row, Site};
use crate::records::Record;
use hcube_results::machine::Machine;
use hcube_results::numbers::{self, significant, time};
use hcube_results::plot::Evidence::Simulated;
use hcube_results::published::{self, COARRAY_MACHINE};
use serde::{Deserialize, Serialize};

/// Bytes of a simulated image: its part of the heap of the node, what it knows of all others, rings.
const IMAGE_BYTES: u64 = 512 << 10;
/// Values of a round: the look-ahead of HPCC's rules.
const VALUES: usize = 1024;
/// Images up to which functions are shipped. On more, nearly each of the functions of a round is a message of
/// its own: 64 images take the simulator 12 s of a core, 1024 more than five minutes.
const MAX_IMAGES_SPAWN: usize = 64;
/// Images up to which teams are split: 512 take two minutes of a core, and as many more as log2^2 P times P
/// says.
const MAX_IMAGES_SPLIT: usize = 512;
/// Images up to which the images of a program share the links between nodes.
const MAX_IMAGES_SHARING: usize = 1024;

/// What messages of this number of images compete for at most.
pub fn sharing(images: usize) -> Sharing {
    if images > MAX_IMAGES_SHARING { Sharing::Ports } else { Sharing::Links }
}

/// A team of a size.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Team {
    /// Ranks are images of the program.
    #[serde(flatten)]
    pub site: Site,
    /// `world`, or `all`, `row` and `column` for those that were split from it.
    pub team: String,
    /// Images of the team.
    pub members: usize,
    /// 64-bit words that an image keeps for the team.
    pub words: u64,
    /// Simulated, to form the team; 0 for the team of all images, which exists.
    pub split_seconds: f64,
    pub barrier_seconds: f64,
    /// To get a word of a member for the first time, and again: the slowest of all.
    pub lookup_seconds: f64,
    pub access_seconds: f64,
    /// Members that were looked up, on all images.
    #[serde(default)]
    pub lookups: u64,
    /// Links that a lookup has read on other images, at most.
    pub reads: u64,
    #[serde(flatten)]
    pub outcome: Outcome,
}

impl Row for Team {
    fn driver(&self) -> (&'static str, Option<String>) {
        ("caf", None)
    }

    fn text(&self) -> String {
        format!("what=team,team={}", self.team)
    }

    fn fill(&mut self, record: &Record) -> Result<(), String> {
        self.members = record.count("members")? as usize;
        self.words = record.count("words")?;
        self.split_seconds = record.number("split")?;
        self.barrier_seconds = record.number("barrier")?;
        self.lookup_seconds = record.number("lookup")?;
        self.access_seconds = record.number("access")?;
        self.lookups = record.count("lookups")?;
        self.reads = record.count("reads")?;
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
            ("members", self.members as f64),
            ("barrier_seconds", self.barrier_seconds),
            ("lookup_seconds", self.lookup_seconds),
            ("access_seconds", self.access_seconds),
        ]
    }

    fn bytes_per_rank(&self) -> u64 {
        IMAGE_BYTES
    }

    fn sharing(&self) -> Sharing {
        sharing(self.site.ranks)
    }

    fn opens_files(&self) -> bool {
        true
    }
}

/// RandomAccess on coarrays.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Updates {
    #[serde(flatten)]
    pub site: Site,
    /// `events` for routing by copies with events, `spawn` for shipped functions.
    pub by: String,
    /// Values that an image generates before it waits until they are applied.
    #[serde(default)]
    pub values: usize,
    /// Of all images, in the time.
    #[serde(default)]
    pub updates: u64,
    /// Simulated.
    #[serde(default)]
    pub seconds: f64,
    pub gups: f64,
    /// Reductions of all finish blocks.
    #[serde(default)]
    pub reductions: u64,
    #[serde(flatten)]
    pub outcome: Outcome,
    pub published_gups: Option<f64>,
    /// Nanoseconds of a value, as the driver reads them.
    #[serde(skip)]
    costs: String,
}

impl Row for Updates {
    fn driver(&self) -> (&'static str, Option<String>) {
        ("caf_updates", None)
    }

    fn text(&self) -> String {
        // Rounds of shipped functions are many messages each.
        let rounds = if self.by == "spawn" && self.site.ranks > 256 { 1 } else { 2 };
        format!("what={},values={},rounds={rounds},{}", self.by, self.values, self.costs)
    }

    fn fill(&mut self, record: &Record) -> Result<(), String> {
        self.seconds = record.number("seconds")?;
        self.updates = record.count("updates")?;
        self.reductions = record.count("reductions")?;
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
        let figures = vec![("gups", self.gups)];
        [self.site.positive(), figures].concat()
    }

    /// Two buffers per dimension, and its part of the table twice.
    fn bytes_per_rank(&self) -> u64 {
        let dimensions = u64::from(self.site.ranks.next_power_of_two().ilog2()) + 1;
        IMAGE_BYTES + 16 * (dimensions + 2) * (self.values as u64 + 129) + (16 << 10)
    }

    fn sharing(&self) -> Sharing {
        sharing(self.site.ranks)
    }

    fn opens_files(&self) -> bool {
        true
    }
}

/// The teams of a number of images. Each is a simulation of its own: of thousands of images it takes minutes.
pub fn teams(place: &Place<'_>, full: bool) -> Vec<Batch<Team>> {
    place.variants(["world", "all", "row", "column"], |team, ranks| {
        let is_simulated = team == "world" || full || ranks <= MAX_IMAGES_SPLIT;
        is_simulated.then(|| Team { site: place.site(ranks), team: team.to_owned(), ..Team::default() })
    })
}

/// RandomAccess on a number of images, which is a power of two.
pub fn updates(place: &Place<'_>, full: bool) -> Vec<Batch<Updates>> {
    let Machine { name, costs, .. } = &place.machine;
    let nanoseconds = format!(
        "generate={},divide={},update={},ship={}",
        costs.generate_ns, costs.divide_ns, costs.update_ns, costs.ship_ns
    );
    let (images, gups) = published::COARRAYS;
    place.variants(["events", "spawn"], |by, ranks| {
        let is_simulated = ranks.is_power_of_two() && (by == "events" || full || ranks <= MAX_IMAGES_SPAWN);
        is_simulated.then(|| Updates {
            site: place.site(ranks),
            by: by.to_owned(),
            values: VALUES,
            published_gups: (name == COARRAY_MACHINE && images == ranks).then_some(gups),
            costs: nanoseconds.clone(),
            ..Updates::default()
        })
    })
}

/// What a team consists of, in words.
fn kind(team: &str) -> &str {
    match team {
        "world" => "all images",
        "all" => "all images, in another order",
        other => other,
    }
}

/// Storage of an image, formation, barrier and lookups of teams.
pub const TEAMS: Layout<Team> = Layout {
    title: "Coarrays",
    columns: &[
        both(["images", "images"], None, |line| line.row.site.ranks.to_string()),
        printed("per node", |line| line.row.site.ranks_per_node.to_string()),
        printed("team", |line| line.row.team.clone()),
        shown("team", None, |line| kind(&line.row.team).to_owned()),
        both(["members", "members"], None, |line| line.row.members.to_string()),
        both(["words", "words"], Some(Simulated), |line| line.row.words.to_string()),
        both(["split", "team_split"], Some(Simulated), |line| match line.row.team.as_str() {
            "world" => NONE.to_owned(),
            _ => time(line.row.split_seconds),
        }),
        both(["barrier", "barrier"], Some(Simulated), |line| time(line.row.barrier_seconds)),
        both(["lookup", "first access"], Some(Simulated), |line| time(line.row.lookup_seconds)),
        both(["again", "again"], Some(Simulated), |line| time(line.row.access_seconds)),
        both(["reads", "remote reads"], Some(Simulated), |line| line.row.reads.to_string()),
        both(["log2", "log2"], None, |line| line.row.members.next_power_of_two().ilog2().to_string()),
        printed("errors", |line| line.row.outcome.errors.to_string()),
    ],
    has_line: |_| true,
};

/// Rates of RandomAccess.
pub const UPDATES: Layout<Updates> = Layout {
    title: "RandomAccess on coarrays",
    columns: &[
        printed("images", |line| line.row.site.ranks.to_string()),
        printed("per node", |line| line.row.site.ranks_per_node.to_string()),
        printed("by", |line| line.row.by.clone()),
        printed("values", |line| line.row.values.to_string()),
        printed("GUP/s", |line| significant(line.row.gups)),
        printed("published", |line| maybe(line.row.published_gups, significant)),
        printed("reductions", |line| line.row.reductions.to_string()),
        printed("errors", |line| line.row.outcome.errors.to_string()),
    ],
    has_line: |_| true,
};

#[cfg(test)]
mod tests {
    use super::super::arguments::Section;
    use super::*;

    fn place(ranks: &[usize]) -> Place<'_> {
        let machine = Machine::find("franklin").expect("valid");
        Place { section: Section::CoarrayUpdates, machine, ranks, ranks_per_node: 4 }
    }

    #[test]
    fn the_paper_has_a_rate_of_events_and_of_spawn_on_4096_images_only() {
        let batches = updates(&place(&[3, 64, 4096]), false);
        let rows: Vec<_> = batches.iter().flat_map(|batch| &batch.cases).collect();
        let found: Vec<_> =
            rows.iter().map(|row| (row.by.as_str(), row.site.ranks, row.published_gups)).collect();
        assert_eq!(found, [("events", 64, None), ("events", 4096, Some(2.01)), ("spawn", 64, None)]);
        assert_eq!(updates(&place(&[4096]), true).len(), 2);
        let text = rows[0].text();
        assert!(text.starts_with("what=events,values=1024,rounds=2,generate="), "{text}");
    }

    #[test]
    fn the_bound_of_reads_stands_beside_them() {
        assert_eq!(teams(&place(&[8192]), false).len(), 1);
        let mut all = teams(&place(&[8192]), true);
        let mut row = all.remove(1).cases.remove(0);
        (row.members, row.reads, row.split_seconds) = (8192, 6, 1e-3);
        let text = TEAMS.render(&[&row]);
        let line: Vec<&str> = text.lines().nth(1).expect("a row").split_whitespace().collect();
        assert_eq!((line[2], line[3], line[5]), ("all", "8192", "1.000"), "{text}");
        assert!(line.windows(2).any(|pair| pair == ["6", "13"]), "{text}");
    }
}
