//! Exchanges on hosts of one machine, for which `doc/results/hosts.json` has measurements.
//!
//! The machines `hosts-openmpi` and so on are models of one machine whose hosts share its cores. Their costs
//! of messages were measured by ping-pongs (scripts/calibrate-hosts.sh), not by exchanges. hcube is the
//! preload library, as in the measurements: it compares algorithms in exchanges that precede those that are
//! timed, and an exchange that it forwards is made by the algorithm of the MPI library.

use super::columns::{Layout, Line, maybe, printed};
use super::place::Place;
use super::row::{Batch, Outcome, Row, Site};
use crate::records::Record;
use hcube_core::machine::work::{REST, Unit};
use hcube_results::alltoall::{COLUMNS, ROWS};
use hcube_results::machine::Machine;
use hcube_results::numbers::{time, whole_bytes};
use hcube_tool::grids::nearest_square;
use serde::{Deserialize, Serialize};

/// Names of these machines begin so; the rest is the name of the MPI library's launcher.
const MACHINES: &str = "hosts-";
/// Bytes of a pair of ranks, as `hcube-lab hosts bench` measures them.
const BLOCKS: [u64; 5] = [8, 128, 1 << 10, 16 << 10, 128 << 10];
const HCUBE: &str = "hcube";
const LIBRARY: &str = "library";

/// Exchanges before the timed ones, as `hcube bench alltoall` makes them between nodes.
const BEFORE: u32 = 100;
/// Where only the first dozen compare algorithms: if all ranks together send more than hcube's memory, and
/// inside a host.
const FEW_BEFORE: u32 = 20;
/// hcube's additional memory by default.
const MEMORY: u64 = 1 << 20;
/// Microseconds of exchanges that are timed together, as there.
const TOGETHER_US: u32 = 1000;
/// Timed several times: hcube uses slower algorithms again from time to time.
const REPEAT: u32 = 5;

/// A benchmark of `hcube-lab hosts bench`.
struct Kind {
    case: &'static str,
    /// In the form that the driver reads.
    function: &'static str,
    is_in_place: bool,
    is_uniform: bool,
}

const fn kind(case: &'static str, function: &'static str, [is_in_place, is_uniform]: [bool; 2]) -> Kind {
    Kind { case, function, is_in_place, is_uniform }
}

const KINDS: [Kind; 7] = [
    kind("alltoall", "alltoall", [false, true]),
    kind("alltoall-in-place", "alltoall", [true, true]),
    kind("alltoallv", "alltoallv", [false, false]),
    kind("alltoallv-in-place", "alltoallv", [true, false]),
    kind("alltoallw", "alltoallw", [false, false]),
    kind(ROWS, "alltoall", [false, true]),
    kind(COLUMNS, "alltoall", [false, true]),
];

impl Kind {
    /// How the driver divides the ranks into communicators, and the ranks of each.
    fn communicators(&self, ranks: usize) -> (Option<&'static str>, usize) {
        let (rows, columns) = nearest_square(ranks);
        match self.case {
            ROWS => (Some(ROWS), columns),
            COLUMNS => (Some(COLUMNS), rows),
            _ => (None, ranks),
        }
    }
}

/// An exchange by hcube or by the MPI library.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HostsExchange {
    #[serde(flatten)]
    pub site: Site,
    /// As in `hcube-lab hosts bench`.
    pub case: String,
    /// Bytes of a pair of ranks, or their mean.
    pub block: u64,
    /// `hcube` or `library`.
    pub by: String,
    /// Simulated.
    pub seconds: f64,
    #[serde(flatten)]
    pub outcome: Outcome,
    /// `library` if hcube has forwarded the last exchange.
    pub way: Option<String>,
}

impl HostsExchange {
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

    /// The size in tables.
    pub fn subject(&self) -> String {
        whole_bytes(self.block as usize)
    }

    fn kind(&self) -> Option<&'static Kind> {
        KINDS.iter().find(|kind| kind.case == self.case)
    }

    /// Exchanges before the timed ones.
    fn exchanges_before(&self) -> u32 {
        let Site { ranks, ranks_per_node, .. } = self.site;
        let (of, members) = self.kind().map_or((None, ranks), |kind| kind.communicators(ranks));
        let is_inside_a_host = of == Some(ROWS) && members <= ranks_per_node;
        let is_long = (members * (members - 1)) as u64 * self.block > MEMORY;
        if is_inside_a_host || is_long { FEW_BEFORE } else { BEFORE }
    }

    /// The library's algorithm, as the driver knows it.
    fn of_library(&self) -> &'static str {
        match (self.kind().is_some_and(|kind| kind.is_in_place), self.mpi()) {
            (false, mpi) if mpi.starts_with("mpich") => "mpich-out-of-place",
            (false, _) => "ompi-out-of-place",
            (true, "mpich") => "mpich4-in-place",
            (true, "mpich5") => "mpich5-in-place",
            (true, _) => "ompi-in-place",
        }
    }
}

impl Row for HostsExchange {
    fn driver(&self) -> (&'static str, Option<String>) {
        ("alltoall", None)
    }

    fn text(&self) -> String {
        let mut text = format!("algorithm={}", if self.is_of_hcube() { "auto" } else { self.of_library() });
        if self.is_of_hcube() {
            // The simulator has no variable for MPI_Alltoallw, which the C interface forwards as well.
            let is_replaced = self.kind().is_some_and(|kind| kind.function != "alltoallw");
            let preload = u8::from(is_replaced);
            let (forwards, warm) = (self.of_library(), self.exchanges_before());
            text += &format!(",forwards={forwards},preload={preload},warm={warm}");
        }
        if let Some(kind) = self.kind() {
            let counts = if kind.is_uniform { "equal" } else { "random" };
            let in_place = u8::from(kind.is_in_place);
            text += &format!(",function={},in-place={in_place},counts={counts}", kind.function);
            if let (Some(communicators), members) = kind.communicators(self.site.ranks) {
                text += &format!(",{communicators}={members}");
            }
        }
        let (block, node) = (self.block, self.site.ranks_per_node);
        text + &format!(",block={block},node={node},together-us={TOGETHER_US},repeat={REPEAT}")
    }

    fn fill(&mut self, record: &Record) -> Result<(), String> {
        self.seconds = record.number("seconds")?;
        self.way = Some(record.text("way")?.to_owned()).filter(|way| !way.is_empty());
        Ok(())
    }

    fn place(&self) -> (&Site, &Outcome) {
        (&self.site, &self.outcome)
    }

    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }

    fn positive(&self) -> Vec<(&'static str, f64)> {
        let figures = vec![("block", self.block as f64), ("seconds", self.seconds)];
        [self.site.positive(), figures].concat()
    }

    /// The data, and a second buffer or copies; a detached message is copied too.
    fn bytes_per_rank(&self) -> u64 {
        3 * self.block * self.site.ranks as u64
    }

    /// A rank that waits in shared memory polls when all others on its core have polled.
    fn costs(&self, machine: &Machine, _scale: f64) -> Vec<(Unit, f64)> {
        let rotation_us =
            machine.messages.as_ref().map_or(0.0, |messages| messages.rotation_us(self.site.ranks));
        vec![(REST, 1e3 * rotation_us)]
    }

    fn collectives(&self) -> &'static [&'static str] {
        &["--cfg=smpi/allreduce:rdb"]
    }
}

/// The exchanges on a number of ranks, which share a simulation.
pub fn batches(place: &Place<'_>) -> Vec<Batch<HostsExchange>> {
    place.variants(KINDS.iter(), |kind: &Kind, ranks| {
        let case = move |block: u64, by: &str| HostsExchange {
            site: place.site(ranks),
            case: kind.case.to_owned(),
            block,
            by: by.to_owned(),
            ..HostsExchange::default()
        };
        BLOCKS
            .into_iter()
            .flat_map(move |block| [HCUBE, LIBRARY].map(|by| case(block, by)))
            .collect::<Vec<_>>()
    })
}

/// hcube and the MPI library share a line.
pub const LAYOUT: Layout<HostsExchange> = Layout {
    title: "Hosts of one machine",
    columns: &[
        printed("hosts", |line| line.row.hosts().to_string()),
        printed("ranks per host", |line| line.row.site.ranks_per_node.to_string()),
        printed("case", |line| line.row.case.clone()),
        printed("block", |line| line.row.subject()),
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

/// The MPI library's exchange.
fn library<'a>(line: &Line<'a, HostsExchange>) -> Option<&'a HostsExchange> {
    let same = |row: &HostsExchange| (row.site.clone(), row.case.clone(), row.block);
    line.all.iter().copied().find(|other| !other.is_of_hcube() && same(other) == same(line.row))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(machine: &str, case: &str, by: &str) -> HostsExchange {
        let site = Site { machine: machine.to_owned(), ranks: 16, ranks_per_node: 4, ..Site::default() };
        let (case, by) = (case.to_owned(), by.to_owned());
        HostsExchange { site, case, block: 1024, by, seconds: 2e-6, ..HostsExchange::default() }
    }

    #[test]
    fn cases_name_the_library_of_their_machine() {
        let text = row("hosts-mpich5", "alltoallv-in-place", "library").text();
        assert!(text.contains("algorithm=mpich5-in-place") && text.contains("counts=random"), "{text}");
        assert!(text.contains("in-place=1") && !text.contains("warm="), "{text}");
        let text = row("hosts-openmpi", "alltoall", "hcube").text();
        assert!(text.contains("algorithm=auto,forwards=ompi-out-of-place,preload=1,warm=100"), "{text}");
        let long = HostsExchange { block: 128 << 10, ..row("hosts-openmpi", "alltoall", "hcube") };
        assert!(long.text().contains("warm=20"), "{}", long.text());
        let text = row("hosts-openmpi", "alltoallw", "hcube").text();
        assert!(text.contains("preload=0") && text.contains("function=alltoallw"), "{text}");
        assert_eq!(
            (row("hosts-openmpi5", "alltoall", "hcube").mpi(), row("x", "", "").hosts()),
            ("openmpi5", 4)
        );
    }

    /// The measurements have the same communicators.
    #[test]
    fn rows_and_columns_are_those_of_the_benchmark() {
        for (case, ranks, expected) in
            [("rows", 16, ",rows=4"), ("rows", 32, ",rows=8"), ("columns", 32, ",columns=4")]
        {
            let mut row = row("hosts-mpich", case, "library");
            row.site.ranks = ranks;
            assert!(row.text().contains(expected), "{}", row.text());
        }
        assert!(!row("hosts-mpich", "alltoall", "library").text().contains("rows"));
    }

    /// Each is a case of `hcube-lab hosts bench`, whose lines they stand beside.
    #[test]
    fn kinds_are_measured() {
        let measured = crate::hosts::names_of_cases();
        for kind in &KINDS {
            assert!(measured.contains(&kind.case), "{}", kind.case);
        }
    }

    #[test]
    fn hcube_and_the_library_share_a_line() {
        let rows = [row("hosts-mpich", "alltoall", "hcube"), row("hosts-mpich", "alltoall", "library")];
        let text = LAYOUT.render(&rows.iter().collect::<Vec<_>>());
        assert!(text.lines().count() == 2 && text.contains("1.00"), "{text}");
    }
}
