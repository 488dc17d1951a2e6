//! What `hcube-lab hosts bench` measures on hosts of one machine, simulated: each row stands beside a line of
//! `doc/results/hosts.json` with the same case and subject.
//!
//! The machines `hosts-openmpi` and so on are models of one machine whose hosts share its cores. Their costs
//! of messages were measured by ping-pongs (scripts/calibrate-hosts.sh), not by benchmarks.
//!
//! A new case is a row of `CASES` with its runs in a file of its own. The competitor has a row where it is
//! a function of MPI whose algorithm is known.

mod coarrays;
mod exchanges;
mod panels;
mod products;
mod run;
mod statements;
mod subsequences;
mod supersteps;
mod transforms;
mod transposes;
mod updates;

use super::columns::{Layout, Line, maybe, printed};
use super::place::Place;
use super::row::{Batch, Outcome, Row, Site};
use crate::records::Record;
use hcube_core::machine::work::{REST, Unit};
use hcube_fft::work::LEVEL;
use hcube_lcs::work::ENTRY;
use hcube_random_access::work::{DIVIDE, GENERATE, UPDATE};
use hcube_results::alltoall::{COLUMNS, ROWS};
use hcube_results::machine::{Costs, Machine};
use hcube_results::numbers::time;
use run::{HCUBE, Hosts, Run};
use serde::{Deserialize, Serialize};

/// Names of these machines begin so; the rest is the name of the MPI library's launcher.
const MACHINES: &str = "hosts-";

/// A benchmark of `hcube-lab hosts bench`.
struct Case {
    name: &'static str,
    /// The MPI libraries with which it was measured.
    libraries: &'static [&'static str],
    runs: fn(&Hosts<'_>) -> Vec<Run>,
}

const ALL: &[&str] = &["openmpi", "openmpi5", "mpich", "mpich5"];
/// With windows between these hosts: MPI_Win_create of Open MPI 4 fails there.
const WITH_WINDOWS: &[&str] = &["openmpi5", "mpich", "mpich5"];
/// With which FFTW's own transforms can be measured.
const OPEN_MPI: &[&str] = &["openmpi", "openmpi5"];
/// With which products by ScaLAPACK end.
const WITH_SCALAPACK: &[&str] = &["openmpi", "openmpi5", "mpich"];
/// For which HPCC and FFTW's transposes are built.
const WITH_PROGRAMS: &[&str] = &["openmpi", "mpich"];

const fn case(
    name: &'static str,
    libraries: &'static [&'static str],
    runs: fn(&Hosts<'_>) -> Vec<Run>,
) -> Case {
    Case { name, libraries, runs }
}

const CASES: [Case; 16] = [
    case("alltoall", ALL, |hosts| exchanges::ALLTOALL.runs(hosts)),
    case("alltoall-in-place", ALL, |hosts| exchanges::ALLTOALL_IN_PLACE.runs(hosts)),
    case("alltoallv", ALL, |hosts| exchanges::ALLTOALLV.runs(hosts)),
    case("alltoallv-in-place", ALL, |hosts| exchanges::ALLTOALLV_IN_PLACE.runs(hosts)),
    case("alltoallw", ALL, |hosts| exchanges::ALLTOALLW.runs(hosts)),
    case(ROWS, ALL, |hosts| exchanges::OF_ROWS.runs(hosts)),
    case(COLUMNS, ALL, |hosts| exchanges::OF_COLUMNS.runs(hosts)),
    case("bsp", WITH_WINDOWS, supersteps::runs),
    case("panels", ALL, panels::runs),
    case("transposes", WITH_PROGRAMS, transposes::runs),
    case("caf", WITH_WINDOWS, coarrays::runs),
    case("gfortran", WITH_WINDOWS, statements::runs),
    case("gemm", WITH_SCALAPACK, products::runs),
    case("fft", OPEN_MPI, transforms::runs),
    case("llcs", ALL, subsequences::runs),
    case("random-access", WITH_PROGRAMS, updates::runs),
];

/// A time of hcube or of the MPI library.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HostsTime {
    #[serde(flatten)]
    pub site: Site,
    /// As in `hcube-lab hosts bench`.
    pub case: String,
    pub subject: String,
    /// `hcube` or `library`.
    pub by: String,
    /// Simulated.
    pub seconds: f64,
    #[serde(flatten)]
    pub outcome: Outcome,
    /// `library` if hcube has forwarded the last exchange.
    pub way: Option<String>,
    #[serde(skip)]
    pub(crate) run: Run,
}

impl HostsTime {
    /// The MPI library, by the name of its launcher.
    pub fn mpi(&self) -> &str {
        self.site.machine.strip_prefix(MACHINES).unwrap_or_default()
    }

    /// Hosts.
    pub fn hosts(&self) -> usize {
        self.site.ranks / self.site.ranks_per_node.max(1)
    }

    pub fn is_of_hcube(&self) -> bool {
        self.by == HCUBE
    }
}

impl Row for HostsTime {
    fn driver(&self) -> (&'static str, Option<String>) {
        (self.run.driver, self.run.argument.map(str::to_owned))
    }

    fn text(&self) -> String {
        self.run.text.clone()
    }

    fn fill(&mut self, record: &Record) -> Result<(), String> {
        let of_all = |updates: u64| Ok::<_, String>(updates as f64 / record.number("updates")?);
        self.seconds = record.number("seconds")? * self.run.updates.map_or(Ok(1.0), of_all)?;
        // Only exchanges have one.
        self.way = record.text("way").ok().map(str::to_owned).filter(|way| !way.is_empty());
        Ok(())
    }

    fn place(&self) -> (&Site, &Outcome) {
        (&self.site, &self.outcome)
    }

    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }

    fn positive(&self) -> Vec<(&'static str, f64)> {
        [self.site.positive(), vec![("seconds", self.seconds)]].concat()
    }

    fn bytes_per_rank(&self) -> u64 {
        self.run.bytes_per_rank
    }

    fn opens_files(&self) -> bool {
        [coarrays::DRIVER, transforms::DRIVER].contains(&self.run.driver)
    }

    /// A rank that waits in shared memory polls when all others on its core have polled.
    fn costs(&self, machine: &Machine, _scale: f64) -> Vec<(Unit, f64)> {
        let ranks = self.site.ranks;
        let Some(messages) = &machine.messages else { return Vec::new() };
        let mut costs = vec![(REST, 1e3 * messages.rotation_us(ranks))];
        if self.run.computes {
            let share = messages.share(ranks);
            let Costs { generate_ns, update_ns, divide_ns, level_ns, entry_ns, .. } = machine.costs;
            let work = [
                (GENERATE, generate_ns),
                (UPDATE, update_ns),
                (DIVIDE, divide_ns),
                (LEVEL, level_ns),
                (ENTRY, entry_ns),
            ];
            costs.extend(work.map(|(unit, cost_ns)| (unit, share * cost_ns)));
        }
        costs
    }

    fn collectives(&self) -> &'static [&'static str] {
        &["--cfg=smpi/allreduce:rdb"]
    }
}

/// The simulations of a place: one for each case, number of ranks and driver.
pub fn batches(place: &Place<'_>) -> Vec<Batch<HostsTime>> {
    let mpi = place.machine.name.strip_prefix(MACHINES).unwrap_or_default();
    let of_case = |case: &'static Case, ranks: usize| {
        let hosts = Hosts { machine: &place.machine, mpi, ranks, ranks_per_host: place.ranks_per_node };
        let runs = if case.libraries.contains(&mpi) { (case.runs)(&hosts) } else { Vec::new() };
        let row = move |run: Run| HostsTime {
            site: place.site(ranks),
            case: case.name.to_owned(),
            subject: run.subject.clone(),
            by: run.by.to_owned(),
            run,
            ..HostsTime::default()
        };
        runs.into_iter().map(row).collect::<Vec<_>>()
    };
    let by_driver = |batch: Batch<HostsTime>| {
        let of_one = batch.cases.chunk_by(|one, next| one.run.driver == next.run.driver);
        let cases: Vec<_> = of_one.map(<[HostsTime]>::to_vec).collect();
        cases.into_iter().map(move |cases| Batch { cases, ..batch.clone() })
    };
    place.variants(CASES.iter(), of_case).into_iter().flat_map(by_driver).collect()
}

/// hcube and the MPI library share a line.
pub const LAYOUT: Layout<HostsTime> = Layout {
    title: "Hosts of one machine",
    columns: &[
        printed("hosts", |line| line.row.hosts().to_string()),
        printed("ranks per host", |line| line.row.site.ranks_per_node.to_string()),
        printed("case", |line| line.row.case.clone()),
        printed("subject", |line| line.row.subject.clone()),
        printed("hcube", |line| time(line.row.seconds)),
        printed("library", |line| maybe(library(line), |library| time(library.seconds))),
        printed("speed-up", |line| {
            maybe(library(line), |library| format!("{:.2}", library.seconds / line.row.seconds))
        }),
        printed("path", |line| maybe(line.row.way.as_deref(), str::to_owned)),
        printed("errors", |line| {
            let of_library = library(line).map_or(0, |library| library.outcome.errors);
            (line.row.outcome.errors + of_library).to_string()
        }),
    ],
    has_line: |line| line.row.is_of_hcube(),
};

/// The MPI library's time.
fn library<'a>(line: &Line<'a, HostsTime>) -> Option<&'a HostsTime> {
    let same = |row: &HostsTime| (row.site.clone(), row.case.clone(), row.subject.clone());
    line.all.iter().copied().find(|other| !other.is_of_hcube() && same(other) == same(line.row))
}

#[cfg(test)]
mod tests {
    use super::super::arguments::Section;
    use super::super::row::take;
    use super::run::{LIBRARY, of_hcube};
    use super::*;
    use crate::records::{self, read_json};
    use hcube_results::hosts::{self, Results};

    fn row(by: &str) -> HostsTime {
        let site =
            Site { machine: "hosts-mpich5".to_owned(), ranks: 16, ranks_per_node: 4, ..Site::default() };
        let [case, subject, by] = ["alltoall", "8 B", by].map(str::to_owned);
        HostsTime { site, case, subject, by, seconds: 2e-6, ..HostsTime::default() }
    }

    fn batches(mpi: &str, ranks: &[usize], ranks_per_node: usize) -> Vec<Batch<HostsTime>> {
        let machine = Machine::find(&format!("{MACHINES}{mpi}")).expect("valid");
        super::batches(&Place { section: Section::Hosts, machine, ranks, ranks_per_node })
    }

    /// A row that stands beside no line is not on the page. Competitors do not end, or have wrong results,
    /// with some libraries and numbers of ranks, but each subject was measured.
    #[test]
    fn every_subject_is_measured() {
        let file = hcube_testing::root().join("doc/results/hosts.json");
        let measured: Results = read_json(&file).expect("measurements");
        // Without the ranks.
        let name = |subject: &str| subject.rsplit_once(", ").map_or(subject, |parts| parts.0).to_owned();
        for mpi in ALL {
            let all = batches(mpi, &[4], 2).into_iter().chain(batches(mpi, &[16, 32], 4));
            for row in all.flat_map(|batch| batch.cases) {
                let is =
                    |line: &hosts::Line| line.case == row.case && name(&line.subject) == name(&row.subject);
                assert!(measured.lines.iter().any(is), "{row:?}");
            }
        }
    }

    #[test]
    fn a_simulation_has_one_driver() {
        let all = batches("mpich", &[16], 4);
        let drivers = |batch: &Batch<HostsTime>| {
            batch.cases.iter().map(|row| row.run.driver).collect::<std::collections::BTreeSet<_>>().len()
        };
        assert!(all.iter().all(|batch| drivers(batch) == 1));
        // Supersteps have a competitor of another driver.
        assert_eq!(all.iter().filter(|batch| batch.cases[0].case == "bsp").count(), 2);
    }

    #[test]
    fn work_of_all_ranks_takes_longer_where_they_share_cores() {
        let updates = |ranks: usize| {
            let all = batches("mpich", &[ranks], 4);
            let batch = all.iter().find(|batch| batch.cases[0].case == "random-access").expect("a case");
            let row = &batch.cases[0];
            let costs = row.costs(&batch.machine, 1.0);
            let cost_ns = costs.iter().find(|cost| cost.0 == UPDATE).expect("updates cost time").1;
            (row.driver(), cost_ns / batch.machine.costs.update_ns)
        };
        assert_eq!(updates(16), (("random_access", Some("10".to_owned())), 8.0));
        assert_eq!(updates(32).1, 16.0);
        // Supersteps do not.
        let all = batches("mpich", &[16], 4);
        let bsp = all.iter().find(|batch| batch.cases[0].case == "bsp").expect("a case");
        assert_eq!(bsp.cases[0].costs(&bsp.machine, 1.0).len(), 1);
    }

    #[test]
    fn times_of_all_updates_follow_from_a_rate() {
        let run = Run { updates: Some(400), ..of_hcube(String::new(), "x=1".to_owned()) };
        let mut row = HostsTime { run, ..HostsTime::default() };
        let text = "case\tx=1\nranks\t4\nseconds\t0.5\nupdates\t100\nerrors\t0\n\n";
        take(&mut row, &records::parse(text).expect("records")[0], true).expect("figures");
        assert_eq!((row.seconds, row.way), (2.0, None));
    }

    #[test]
    fn hcube_and_the_library_share_a_line() {
        assert_eq!((row(HCUBE).mpi(), row(HCUBE).hosts()), ("mpich5", 4));
        let rows = [row(HCUBE), row(LIBRARY)];
        let text = LAYOUT.render(&rows.iter().collect::<Vec<_>>());
        assert!(text.lines().count() == 2 && text.contains("1.00"), "{text}");
    }
}
