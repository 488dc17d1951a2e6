//! Benchmarks on several hosts of one machine (`hcube-lab hosts bench`): hcube beside its competitors.

pub mod figure;

use crate::measured::{Timing, distinct};
use crate::noise::{MARK, Spread};
use crate::numbers::{self, percent, short, time};
use crate::runs::{self, Report, Row};
use crate::table::{Column, SPEED_UP, Table, cell};
use crate::taken::{Taken, add_date};
use crate::usage::Usage;
use serde::{Deserialize, Serialize};

/// Hosts and what joins them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Place {
    pub mpi: String,
    pub hosts: usize,
    pub ranks_per_host: usize,
    /// The rate of each link; nothing where it has no limit.
    pub rate_mbit: Option<f64>,
    /// From one host to another; nothing where it is not extended.
    pub latency_us: Option<f64>,
}

/// MPI libraries in tables and pictures, by the names of their launchers.
const LIBRARIES: [(&str, &str); 4] =
    [("openmpi", "Open MPI 4"), ("openmpi5", "Open MPI 5"), ("mpich", "MPICH 4"), ("mpich5", "MPICH 5")];

impl Place {
    /// The MPI library.
    pub fn library(&self) -> &str {
        LIBRARIES.iter().find(|library| library.0 == self.mpi).map_or(&self.mpi, |library| library.1)
    }

    /// Hosts and ranks on each, and how fast the links are where that is bounded.
    pub fn shape(&self) -> String {
        let Self { hosts, ranks_per_host, .. } = self;
        let rate = limit(", ", self.rate_mbit, " Mbit/s");
        format!("{hosts} x {ranks_per_host}{rate}{}", limit(", ", self.latency_us, " us"))
    }

    /// The same in words, with the launcher.
    pub fn title(&self) -> String {
        let Self { mpi, hosts, ranks_per_host, .. } = self;
        let rate = limit("; links of ", self.rate_mbit, " Mbit/s");
        let latency = limit("; ", self.latency_us, " us between hosts");
        format!("hosts: {hosts} host(s) with {ranks_per_host} rank(s) each, mpirun.{mpi}{rate}{latency}")
    }

    /// A note about a case.
    pub fn note(&self, case: &str, text: &str) -> String {
        format!("{case}, {}: {text}", self.title())
    }
}

/// A length of time or a rate as places have them, behind these words.
fn limit(before: &str, value: Option<f64>, after: &str) -> String {
    value.map_or(String::new(), |value| format!("{before}{value}{after}"))
}

/// What a variant has shown: times on the slowest rank, and what a call uses on all ranks together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    pub variant: String,
    pub median_us: f64,
    /// The lower and the upper quartile. Where ranks share cores, the smallest and the largest time only show
    /// when the system has run others.
    pub quartiles_us: [f64; 2],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl Measured {
    pub fn new(variant: &str, timing: &Timing) -> Self {
        Self {
            variant: variant.to_owned(),
            median_us: timing.median_us,
            quartiles_us: numbers::quartiles(&timing.measured_us),
            usage: timing.usage,
        }
    }

    /// The distance of the quartiles over the median.
    fn distance(&self) -> f64 {
        (self.quartiles_us[1] - self.quartiles_us[0]) / self.median_us
    }
}

/// hcube beside the fastest of its competitors, which were measured in turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    #[serde(flatten)]
    pub place: Place,
    /// What was measured, and its size.
    pub case: String,
    pub subject: String,
    pub hcube: Measured,
    pub competitor: Measured,
    /// What verification has found; nothing where not verified.
    pub errors: Option<u64>,
}

impl Line {
    /// The competitor's time over hcube's.
    pub fn speed_up(&self) -> f64 {
        self.competitor.median_us / self.hcube.median_us
    }

    /// The speed-up in a cell, marked where it is no measured difference.
    pub fn shown(&self) -> String {
        let mark = if self.is_hidden() { MARK.to_string() } else { String::new() };
        format!("{:.2}{mark}", self.speed_up())
    }

    /// Whether the times between the quartiles overlap.
    pub fn is_hidden(&self) -> bool {
        let [own, other] = [&self.hcube, &self.competitor].map(|one| one.quartiles_us);
        own[0] <= other[1] && other[0] <= own[1]
    }

    /// A counter of both variants.
    pub fn both(&self, counter: impl Fn(&Usage) -> Option<f64>) -> String {
        // A counter that measuring alone moves as much has no value.
        let counted = |one: &Measured| one.usage.as_ref().and_then(&counter).filter(|&value| value > 0.0);
        let value = |one: &Measured| cell(counted(one).map(short));
        format!("{} : {}", value(&self.hcube), value(&self.competitor))
    }
}

/// All of a run.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Results {
    #[serde(flatten)]
    pub taken: Taken,
    /// Cores that all hosts share.
    pub cores: usize,
    pub lines: Vec<Line>,
    /// What was left out, and why.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl Results {
    /// Adds the results of a later run. Cases that it has measured on the same hosts replace those that were
    /// there, with their notes.
    pub fn add(&mut self, other: Self) {
        let measured = distinct(other.lines.iter().map(|line| (&line.place, &line.case)));
        self.lines.retain(|line| !measured.contains(&(&line.place, &line.case)));
        let again: Vec<String> = measured.iter().map(|(place, case)| place.note(case, "")).collect();
        self.notes.retain(|note| !again.iter().any(|start| note.starts_with(start)));
        self.cores = self.cores.max(other.cores);
        add_date(&mut self.taken.date, &other.taken.date);
        self.lines.extend(other.lines);
        self.notes.extend(other.notes);
    }

    /// The lines in which hcube is slowest come first.
    pub fn slowest_first(&self) -> Vec<&Line> {
        let mut lines: Vec<&Line> = self.lines.iter().collect();
        lines.sort_by(|a, b| a.speed_up().total_cmp(&b.speed_up()));
        lines
    }

    /// In how many lines hcube is slower, and faster, by more than the times vary.
    pub fn counts(&self) -> [usize; 2] {
        let count =
            |is: fn(&Line) -> bool| self.lines.iter().filter(|one| !one.is_hidden() && is(one)).count();
        [count(|line| line.speed_up() < 1.0), count(|line| line.speed_up() > 1.0)]
    }
}

/// The names of hcube's variant and of its competitors.
pub struct Comparison {
    pub variant: &'static str,
    pub competitors: &'static [&'static str],
}

impl Comparison {
    /// The lines of a benchmark's results, with the name of each subject. Left out are subjects that only one
    /// of both has, and competitors with wrong results.
    pub fn lines<R: Row>(
        &self,
        place: &Place,
        case: &str,
        results: &runs::Results<R>,
        name: impl Fn(&R) -> String,
    ) -> Vec<Line> {
        let line = |beside: Vec<&R>| {
            let own = beside.iter().find(|run| run.measured().1 == self.variant)?;
            let is_right = |run: &&&R| run.errors().unwrap_or(0) == 0;
            let others =
                beside.iter().filter(|run| self.competitors.contains(&run.measured().1)).filter(is_right);
            let other = others.min_by(|a, b| a.measured().2.total_cmp(&b.measured().2))?;
            Some(Line {
                place: place.clone(),
                case: case.to_owned(),
                subject: name(own),
                hcube: Measured::new(self.variant, &own.timing()),
                competitor: Measured::new(other.measured().1, &other.timing()),
                errors: own.errors(),
            })
        };
        runs::by_subject(&results.runs).into_iter().filter_map(line).collect()
    }
}

const TIMES: &[Column<Line>] = &[
    (SPEED_UP, Line::shown),
    ("case", |line| line.case.clone()),
    ("what", |line| line.subject.clone()),
    ("MPI library", |line| line.place.library().to_owned()),
    ("hosts x ranks", |line| line.place.shape()),
    ("hcube", |line| time(line.hcube.median_us * 1e-6)),
    ("quartiles", |line| percent(line.hcube.distance())),
    ("competitor", |line| line.competitor.variant.clone()),
    ("its time", |line| time(line.competitor.median_us * 1e-6)),
    ("quartiles", |line| percent(line.competitor.distance())),
];

const USAGES: &[Column<Line>] = &[
    ("case", |line| line.case.clone()),
    ("what", |line| line.subject.clone()),
    ("MPI library", |line| line.place.library().to_owned()),
    ("hosts x ranks", |line| line.place.shape()),
    ("packets", |line| line.both(|used| used.sent_packets)),
    ("KiB", |line| line.both(|used| used.sent_bytes.map(|bytes| bytes / 1024.0))),
    ("switches", |line| line.both(|used| Some(used.switches))),
    ("processor us", |line| line.both(|used| Some(used.processor_us))),
    ("in the kernel", |line| line.both(|used| Some(used.kernel_us))),
];

impl Report for Results {
    /// Times, and what a call uses where that was counted.
    fn tables(&self) -> Vec<Table> {
        let lines = self.slowest_first();
        let counted = lines.iter().copied().filter(|line| line.hcube.usage.is_some());
        let usages = Table::with(USAGES, counted);
        [Table::with(TIMES, lines), usages].into_iter().filter(|table| table.rows().len() > 1).collect()
    }

    fn below(&self) -> String {
        let [slower, faster] = self.counts();
        format!(
            "{SPEED_UP}: of hcube over its competitor, both measured in turn; of {} lines, hcube is slower in {slower} and \
             faster in {faster}\n{MARK} half of the times of both overlap: not a measured difference\nquartiles: their \
             distance over the median\nA call on all ranks, hcube : competitor; packets and KiB are sent between hosts, switches \
             are context switches.\nAll hosts share {} core(s): these are not times of a cluster.\n{}",
            self.lines.len(),
            self.cores,
            runs::lines(&self.notes)
        )
    }

    fn errors(&self) -> Vec<Option<u64>> {
        self.lines.iter().map(|line| line.errors).collect()
    }

    fn spreads(&self) -> Vec<Spread> {
        let spread = |line: &Line| (format!("{}, {}", line.case, line.subject), line.hcube.distance());
        self.lines.iter().map(spread).collect()
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::panels::Run;
    use serde_json::json;

    fn run(bytes: u64, variant: &str, us: f64) -> Run {
        let used = json!({
            "processor_us": 2.0 * us, "kernel_us": us, "switches": 3.0, "sent_packets": 12.0, "sent_bytes": 2048.0
        });
        let value = json!({
            "mpi": "Open MPI", "ranks": 4, "bytes": bytes, "panels": 1, "work_us": 0, "variant": variant,
            "median_us": us, "spread": 0.2, "measured_us": [0.75 * us, us, 1.25 * us], "usage": used, "errors": 0
        });
        serde_json::from_value(value).expect("a run")
    }

    /// Speed-ups of 3, 0.5 and 0.99.
    pub fn results() -> Results {
        let runs = vec![
            run(64, "hcube", 10.0),
            run(64, "mpi-bcast", 40.0),
            run(64, "mpi-ibcast", 30.0),
            run(128, "hcube", 50.0),
            run(128, "mpi-bcast", 25.0),
            run(256, "hcube", 1.0),
            run(512, "hcube", 100.0),
            run(512, "mpi-bcast", 99.0),
        ];
        let comparison = Comparison { variant: "hcube", competitors: &["mpi-bcast", "mpi-ibcast"] };
        let place = Place { mpi: "openmpi".to_owned(), hosts: 2, ranks_per_host: 2, ..Place::default() };
        let lines =
            comparison.lines(&place, "panels", &runs::Results::new(runs, Vec::new()), Run::subject_name);
        Results { cores: 2, lines, ..Results::default() }
    }

    #[test]
    fn hcube_stands_beside_the_fastest_competitor_and_slow_lines_come_first() {
        let results = results();
        let shown: Vec<(&str, f64)> =
            results.lines.iter().map(|line| (line.competitor.variant.as_str(), line.speed_up())).collect();
        assert_eq!(shown, [("mpi-ibcast", 3.0), ("mpi-bcast", 0.5), ("mpi-bcast", 0.99)]);
        assert_eq!(results.counts(), [1, 1]);
        let text = results.text();
        let places = ["0.50 ", "0.99~", "3.00 "].map(|speed_up| text.find(speed_up).expect(speed_up));
        assert!(places.is_sorted() && text.contains("slower in 1 and faster in 1"), "{text}");
        assert!(text.contains("12.0 : 12.0") && text.contains("100 : 50.0"), "{text}");
        let back: Results =
            serde_json::from_str(&serde_json::to_string(&results).expect("JSON")).expect("read");
        assert_eq!(back.lines, results.lines);
    }

    #[test]
    fn cases_that_were_measured_again_replace_the_earlier_ones() {
        let first = |results: &Results| results.lines[0].clone();
        let mut results = results();
        let mut again = Results { lines: vec![first(&results)], ..Results::default() };
        let elsewhere = Line { case: "elsewhere".to_owned(), ..first(&results) };
        let other = Line { place: Place { hosts: 4, ..elsewhere.place.clone() }, ..elsewhere.clone() };
        results.lines.extend([elsewhere.clone(), other.clone()]);
        results.notes =
            [&elsewhere, &first(&results), &other].map(|line| line.place.note(&line.case, "old")).into();
        again.lines[0].hcube.median_us = 5.0;
        again.lines.push(elsewhere.clone());
        again.notes = vec![elsewhere.place.note("elsewhere", "new")];
        let lines = again.lines.clone();
        results.add(again);
        assert_eq!(results.lines, [std::slice::from_ref(&other), &lines[..]].concat());
        assert_eq!(
            results.notes,
            [other.place.note("elsewhere", "old"), elsewhere.place.note("elsewhere", "new")]
        );
    }

    #[test]
    fn places_tell_what_bounds_their_links() {
        let mut place = results().lines[0].place.clone();
        assert_eq!(place.shape(), "2 x 2");
        (place.rate_mbit, place.latency_us) = (Some(1000.0), Some(100.0));
        assert_eq!(place.shape(), "2 x 2, 1000 Mbit/s, 100 us");
        let title = "hosts: 2 host(s) with 2 rank(s) each, mpirun.openmpi; links of 1000 Mbit/s; 100 us between hosts";
        assert_eq!(place.title(), title);
    }
}
