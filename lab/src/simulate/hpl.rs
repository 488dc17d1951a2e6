//! LU factorisation: its broadcasts of panels at some places of the factorisation, and what the whole takes.
//!
//! Matrices of the machines do not fit into the memory of this one, and a factorisation has thousands of
//! panels. So some successive panels are simulated at five places, from the first panel to the last ones, and
//! the time of the whole is the integral over them (Simpson's rule). Panels are real messages of hcube
//! between the ranks of all process rows, `scale` times shorter on a machine with as much less bandwidth.
//! Everything else is time that a rank lets pass: the update and the factorisation of a panel at the rate of
//! local products, the search for pivots and the exchange of rows by a formula (`Work`), as if they met no
//! other messages. Every byte of a panel is compared.

use super::caf;
use super::columns::{Layout, Line, both, maybe, printed, shown};
use super::place::Place;
use super::platform::Sharing;
use super::row::{Batch, Outcome, Row, Site};
use crate::records::Record;
use hcube_results::factorisation::{BLOCK, PLACES, gflops, whole};
use hcube_results::machine::Machine;
use hcube_results::numbers::{significant, time};
use hcube_results::plot::Evidence::Simulated;
use serde::{Deserialize, Serialize};

/// Panels that are simulated at a place.
const PANELS: usize = 8;
/// Bytes of a matrix element.
const ELEMENT: f64 = 8.0;
/// Rows and columns of the matrix on a rank of a square grid (Jin et al. 2011, section IV-B1).
const LOCAL: usize = 12288;
/// Bytes are fewer in the simulation by this factor.
const SCALE: usize = 1024;
/// Ranks up to which all broadcasts are simulated; beyond, the default and the last of the six.
const MAX_RANKS_OF_ALL: usize = 256;
/// HPL's six broadcasts, in the order of its BCAST.
const TOPOLOGIES: [&str; 6] =
    ["ring", "modified-ring", "two-rings", "modified-two-rings", "long", "modified-long"];

/// Panels at a place of a factorisation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Panels {
    #[serde(flatten)]
    pub site: Site,
    /// Of the process grid.
    pub rows: usize,
    pub columns: usize,
    /// Order of the matrix.
    pub order: usize,
    /// Order of what is left to factor.
    #[serde(default)]
    pub trailing: usize,
    /// Bytes are fewer in the simulation by this factor.
    #[serde(default)]
    pub scale: usize,
    pub topology: String,
    /// Simulated, of one panel.
    pub seconds: f64,
    /// The same if panels took no time to travel, computed.
    pub bound_seconds: f64,
    #[serde(flatten)]
    pub outcome: Outcome,
    #[serde(skip)]
    work: Work,
}

/// Time that a rank lets pass at a place, in nanoseconds.
///
/// Source of the formulas: A. Petitet, R. C. Whaley, J. Dongarra, A. Cleary, HPL, "Scalability".
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Work {
    /// A process column factors a panel.
    factor: f64,
    /// A rank updates the columns of the next panel.
    next: f64,
    /// And all others, with the exchange of rows.
    rest: f64,
}

impl Work {
    /// For what is left to factor on this grid.
    fn new(machine: &Machine, ranks_per_node: usize, grid: (usize, usize), trailing: usize) -> Self {
        let (rows, columns) = (grid.0 as f64, grid.1 as f64);
        let (block, trailing) = (BLOCK as f64, trailing as f64);
        let (height, width) = (trailing / rows, trailing / columns);
        let multiply = machine.costs.multiply_ns;
        let latency = 1e3 * machine.network.latency_us;
        // Ranks of a node are in columns of their own, which send at the same time.
        let byte = ranks_per_node as f64 / machine.network.bandwidth_gb_s;
        // Every column of a panel: the largest element is found, and its row exchanged, in log2 P steps.
        let steps = rows.log2().ceil();
        let pivots = block * steps * (latency + byte * ELEMENT * (2.0 * block + 4.0));
        let exchange = latency * (steps + rows - 1.0).max(0.0) + 3.0 * byte * ELEMENT * block * width;
        let exchange = if rows > 1.0 { exchange } else { 0.0 };
        let next = multiply * block * block * height;
        Self {
            factor: multiply * block * block * height + pivots,
            next,
            rest: multiply * block * height * (width - block).max(0.0)
                + multiply * block * block / 2.0 * width
                + exchange,
        }
    }
}

impl Panels {
    /// Bytes of a panel on a rank.
    fn bytes(&self) -> usize {
        (self.trailing / self.rows + BLOCK) * BLOCK * ELEMENT as usize
    }

    /// Whether another place is of the same factorisation.
    fn is_of_same(&self, other: &Self) -> bool {
        (&self.site, &self.topology) == (&other.site, &other.topology)
    }
}

impl Row for Panels {
    fn driver(&self) -> (&'static str, Option<String>) {
        ("panels", None)
    }

    fn text(&self) -> String {
        let Self { rows, topology, scale, work: Work { factor, next, rest }, .. } = self;
        let bytes = (self.bytes() / scale).next_multiple_of(ELEMENT as usize);
        format!(
            "rows={rows},topology={topology},bytes={bytes},panels={PANELS},factor={factor:.0},next={next:.0},rest={rest:.0}"
        )
    }

    fn fill(&mut self, record: &Record) -> Result<(), String> {
        self.seconds = record.number("seconds")? / PANELS as f64;
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
            ("order", self.order as f64),
            ("seconds", self.seconds),
            ("bound_seconds", self.bound_seconds),
        ]
    }

    fn scale(&self) -> usize {
        self.scale
    }

    /// Four slots of panels at most.
    fn bytes_per_rank(&self) -> u64 {
        (4 * self.bytes() / self.scale) as u64 + (64 << 10)
    }

    fn sharing(&self) -> Sharing {
        caf::sharing(self.site.ranks)
    }

    fn opens_files(&self) -> bool {
        true
    }
}

/// A simulation for each number of ranks, which is a power of 2, and broadcast.
pub fn batches(place: &Place<'_>, full: bool) -> Vec<Batch<Panels>> {
    place.variants(TOPOLOGIES, |topology, ranks| {
        let of_most = ["modified-ring", "modified-long"].contains(&topology);
        let is_simulated = ranks.is_power_of_two() && (full || of_most || ranks <= MAX_RANKS_OF_ALL);
        if is_simulated { panels(place, ranks, topology) } else { Vec::new() }
    })
}

/// The grid of a number of ranks, which is a power of two: with as many rows as columns, or half.
fn grid(ranks: usize) -> (usize, usize) {
    let rows = 1 << (ranks.ilog2() / 2);
    (rows, ranks / rows)
}

/// Order of what is left at a place: at the last one, a panel on each row and column.
fn trailing(order: usize, (rows, columns): (usize, usize), place: usize) -> usize {
    (order / PLACES * (PLACES - place)).max(BLOCK * rows.max(columns))
}

fn panels(place: &Place<'_>, ranks: usize, topology: &str) -> Vec<Panels> {
    let grid = grid(ranks.next_power_of_two());
    let order = LOCAL * grid.0.max(grid.1);
    let at = |number: usize| {
        let trailing = trailing(order, grid, number);
        let work = Work::new(&place.machine, place.ranks_per_node, grid, trailing);
        Panels {
            site: place.site(ranks),
            rows: grid.0,
            columns: grid.1,
            order,
            trailing,
            scale: SCALE,
            topology: topology.to_owned(),
            bound_seconds: bound(&work, grid.1),
            work,
            ..Panels::default()
        }
    };
    (0..=PLACES).map(at).collect()
}

/// The least seconds of a panel: every rank updates, and the process columns take turns to factor a panel in
/// addition.
fn bound(work: &Work, columns: usize) -> f64 {
    1e-9 * (work.rest + (work.next + work.factor) / columns as f64)
}

/// A whole factorisation.
#[derive(Debug)]
pub struct Factorisation {
    pub seconds: f64,
    /// The same if panels took no time to travel.
    bound_seconds: f64,
    pub errors: u64,
}

impl Factorisation {
    /// The one that a line is of; nothing if places of it are missing.
    pub fn of(line: &Line<'_, Panels>) -> Option<Self> {
        let places = || line.all.iter().filter(|one| one.is_of_same(line.row));
        let all = |of: fn(&Panels) -> f64| {
            whole(line.row.order, &places().map(|place| of(place)).collect::<Vec<_>>())
        };
        Some(Self {
            seconds: all(|row| row.seconds)?,
            bound_seconds: all(|row| row.bound_seconds)?,
            errors: places().map(|row| row.outcome.errors).sum(),
        })
    }
}

/// Rates of the whole, from the panels at all places.
pub const LAYOUT: Layout<Panels> = Layout {
    title: "LU factorisations",
    columns: &[
        printed("ranks", |line| line.row.site.ranks.to_string()),
        shown("grid", None, |line| format!("{} x {}", line.row.rows, line.row.columns)),
        both(["per node", "per node"], None, |line| line.row.site.ranks_per_node.to_string()),
        printed("grid", |line| format!("{}x{}", line.row.rows, line.row.columns)),
        both(["order", "order"], None, |line| line.row.order.to_string()),
        both(["broadcast", "broadcast"], None, |line| line.row.topology.clone()),
        both(["time", "time"], Some(Simulated), |line| {
            maybe(Factorisation::of(line), |one| time(one.seconds))
        }),
        both(["GFLOP/s", "GFLOP/s"], Some(Simulated), |line| {
            maybe(Factorisation::of(line), |one| significant(gflops(line.row.order, one.seconds)))
        }),
        both(["of bound", "of bound"], Some(Simulated), |line| {
            maybe(Factorisation::of(line), |one| format!("{:.0}%", 100.0 * one.bound_seconds / one.seconds))
        }),
        printed("errors", |line| maybe(Factorisation::of(line), |one| one.errors.to_string())),
    ],
    // The first of its places.
    has_line: |line| {
        let first = line.all.iter().find(|one| one.is_of_same(line.row));
        first.is_some_and(|first| std::ptr::eq(*first, line.row)) && Factorisation::of(line).is_some()
    },
};

#[cfg(test)]
mod tests {
    use super::super::arguments::Section;
    use super::*;

    fn panels(ranks: &[usize], full: bool) -> Vec<Panels> {
        let machine = Machine::find("franklin").expect("valid");
        let place = Place { section: Section::Hpl, machine, ranks, ranks_per_node: 4 };
        batches(&place, full).into_iter().flat_map(|batch| batch.cases).collect()
    }

    #[test]
    fn grids_are_square_where_they_can_be() {
        assert_eq!([1, 2, 8, 64, 4096].map(grid), [(1, 1), (1, 2), (2, 4), (8, 8), (64, 64)]);
        assert_eq!(trailing(1024, (2, 2), 0), 1024);
        assert_eq!([1, 4].map(|place| trailing(1024, (2, 2), place)), [768, 256]);
    }
    #[test]
    fn a_rank_alone_reaches_the_rate_of_its_products() {
        let mut rows = panels(&[1], false);
        rows.retain(|row| row.topology == "ring");
        rows.iter_mut().for_each(|row| row.seconds = row.bound_seconds);
        let text = LAYOUT.render(&rows.iter().collect::<Vec<_>>());
        let machine = Machine::find("franklin").expect("valid");
        let line: Vec<&str> = text.lines().nth(1).expect("a row").split_whitespace().collect();
        let rate: f64 = line[line.len() - 4].parse().expect("a rate");
        assert!((0.9..=1.0).contains(&(rate * machine.costs.multiply_ns / 2.0)), "{text}");
    }

    /// The published rate is what the local products of the machine are fitted to: no column compares with
    /// it.
    #[test]
    fn rates_do_not_stand_beside_what_they_are_fitted_to() {
        let rows = panels(&[64, 4096], false);
        assert_eq!(rows.len(), (6 + 2) * (PLACES + 1));
        assert_eq!(panels(&[4096], true).len(), 6 * (PLACES + 1));
        let text = LAYOUT.render(&rows.iter().collect::<Vec<_>>());
        assert!(!text.contains("published") && text.contains("of bound"), "{text}");
        let said = crate::simulate::published::HPL;
        assert!(said.contains("fitted to it") && said.contains("18.3 TFLOP/s"), "{said}");
        assert!(rows[0].text().starts_with("rows=8,topology=ring,bytes="), "{}", rows[0].text());
    }
}
