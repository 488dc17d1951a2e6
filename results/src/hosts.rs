//! Benchmarks on several hosts of one machine (`hcube-lab hosts bench`): hcube beside its competitors.

use crate::noise::{self, Spread};
use crate::numbers::{percent, time};
use crate::runs::{self, Report, Row};
use crate::table::{Column, SPEED_UP, Table};
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

/// hcube beside the fastest of its competitors, which were measured in turn in one job.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    #[serde(flatten)]
    pub place: Place,
    /// What was measured, and its size.
    pub case: String,
    pub subject: String,
    pub variant: String,
    pub competitor: String,
    /// Median times on the slowest rank, and (largest - smallest) / median.
    pub time_us: f64,
    pub spread: f64,
    pub competitor_time_us: f64,
    pub competitor_spread: f64,
    /// What verification has found; nothing where not verified.
    pub errors: Option<u64>,
}

impl Line {
    /// The competitor's time over hcube's.
    pub fn speed_up(&self) -> f64 {
        self.competitor_time_us / self.time_us
    }
}

/// All of a run.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Results {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub date: String,
    /// Cores that all hosts share.
    pub cores: usize,
    pub lines: Vec<Line>,
    /// What was left out, and why.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// What one line compares: the names of hcube's variant, of its competitors, and what their times are
/// multiplied with to be microseconds.
pub struct Comparison {
    pub variant: &'static str,
    pub competitors: &'static [&'static str],
    pub microseconds: f64,
}

impl Comparison {
    /// The lines of a benchmark's results. Subjects that only one of both has are left out.
    pub fn lines<R: Row>(&self, place: &Place, case: &str, results: &runs::Results<R>) -> Vec<Line> {
        let line = |beside: Vec<&R>| {
            let own = beside.iter().find(|run| run.measured().1 == self.variant)?;
            let others = beside.iter().filter(|run| self.competitors.contains(&run.measured().1));
            let other = others.min_by(|a, b| a.measured().2.total_cmp(&b.measured().2))?;
            Some(Line {
                place: place.clone(),
                case: case.to_owned(),
                subject: own.subject_name(),
                variant: self.variant.to_owned(),
                competitor: other.measured().1.to_owned(),
                time_us: own.measured().2 * self.microseconds,
                spread: own.spread(),
                competitor_time_us: other.measured().2 * self.microseconds,
                competitor_spread: other.spread(),
                errors: own.errors(),
            })
        };
        runs::by_subject(&results.runs).into_iter().filter_map(line).collect()
    }
}

const COLUMNS: &[Column<Line>] = &[
    (SPEED_UP, |line| noise::speed_up(Some(line.speed_up()), [line.spread, line.competitor_spread])),
    ("case", |line| line.case.clone()),
    ("what", |line| line.subject.clone()),
    ("MPI library", |line| line.place.mpi.clone()),
    ("hosts x ranks", |line| format!("{} x {}", line.place.hosts, line.place.ranks_per_host)),
    ("hcube", |line| time(line.time_us * 1e-6)),
    ("spread", |line| percent(line.spread)),
    ("competitor", |line| line.competitor.clone()),
    ("its time", |line| time(line.competitor_time_us * 1e-6)),
    ("its spread", |line| percent(line.competitor_spread)),
];

impl Report for Results {
    /// The lines in which hcube is slowest come first.
    fn tables(&self) -> Vec<Table> {
        let mut lines: Vec<&Line> = self.lines.iter().collect();
        lines.sort_by(|a, b| a.speed_up().total_cmp(&b.speed_up()));
        vec![Table::with(COLUMNS, lines)]
    }

    fn below(&self) -> String {
        let slower = self.lines.iter().filter(|line| line.speed_up() < 1.0).count();
        format!(
            "{SPEED_UP}: of hcube over its competitor, both measured in turn; hcube is slower in {slower} of {} lines\n\
             All hosts share {} core(s): these are not times of a cluster.\n{}{}",
            self.lines.len(),
            self.cores,
            self.marks(),
            runs::lines(&self.notes)
        )
    }

    fn errors(&self) -> Vec<Option<u64>> {
        self.lines.iter().map(|line| line.errors).collect()
    }

    fn spreads(&self) -> Vec<Spread> {
        let spread = |line: &Line| (format!("{}, {}", line.case, line.subject), line.spread);
        self.lines.iter().map(spread).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::Run;
    use serde_json::json;

    fn run(bytes: u64, variant: &str, us: f64) -> Run {
        let value = json!({
            "mpi": "Open MPI", "ranks": 4, "bytes": bytes, "panels": 1, "work_us": 0, "variant": variant,
            "median_us": us, "spread": 0.1, "measured_us": [us], "errors": 0
        });
        serde_json::from_value(value).expect("a run")
    }

    #[test]
    fn hcube_stands_beside_the_fastest_competitor_and_slow_lines_come_first() {
        let runs = vec![
            run(64, "hcube", 10.0),
            run(64, "mpi-bcast", 40.0),
            run(64, "mpi-ibcast", 30.0),
            run(128, "hcube", 50.0),
            run(128, "mpi-bcast", 25.0),
            run(256, "hcube", 1.0),
        ];
        let comparison =
            Comparison { variant: "hcube", competitors: &["mpi-bcast", "mpi-ibcast"], microseconds: 1.0 };
        let place = Place { mpi: "Open MPI".to_owned(), hosts: 2, ranks_per_host: 2, ..Place::default() };
        let lines = comparison.lines(&place, "panels", &runs::Results::new(runs, Vec::new()));
        let shown: Vec<(&str, f64)> =
            lines.iter().map(|line| (line.competitor.as_str(), line.speed_up())).collect();
        assert_eq!(shown, [("mpi-ibcast", 3.0), ("mpi-bcast", 0.5)]);
        let results = Results { cores: 2, lines, ..Results::default() };
        let text = results.text();
        assert!(text.find("0.50") < text.find("3.00") && text.contains("slower in 1 of 2 lines"), "{text}");
        let back: Results =
            serde_json::from_str(&serde_json::to_string(&results).expect("JSON")).expect("read");
        assert_eq!(back.lines, results.lines);
    }
}
