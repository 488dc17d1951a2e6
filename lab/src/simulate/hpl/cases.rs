//! The factorisations of a place.

use super::super::place::Place;
use super::super::results::{Batch, Case};
use super::{Panels, Work};
use hcube_results::factorisation::{BLOCK, PLACES};

/// Rows and columns of the matrix on a rank of a square grid (Jin et al. 2011, section IV-B1).
const LOCAL: usize = 12288;
/// Bytes are fewer in the simulation by this factor.
const SCALE: usize = 1024;
/// Ranks up to which all broadcasts are simulated; beyond, the default and the last of the six.
const MAX_RANKS_OF_ALL: usize = 256;
/// HPL's six broadcasts, in the order of its BCAST.
pub const TOPOLOGIES: [&str; 6] =
    ["ring", "modified-ring", "two-rings", "modified-two-rings", "long", "modified-long"];

/// A simulation for each number of ranks, which is a power of 2, and broadcast.
pub fn batches(place: &Place<'_>, full: bool) -> Vec<Batch> {
    let all = |topology: &'static str| {
        let of_most = ["modified-ring", "modified-long"].contains(&topology);
        let fits = move |batch: &Batch| {
            batch.ranks.is_power_of_two() && (full || of_most || batch.ranks <= MAX_RANKS_OF_ALL)
        };
        let scaled = |batch: Batch| Batch { scale: SCALE, ..batch };
        place.batches(|place, ranks| panels(place, ranks, topology)).into_iter().filter(fits).map(scaled)
    };
    TOPOLOGIES.into_iter().flat_map(all).collect()
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

fn panels(place: &Place<'_>, ranks: usize, topology: &'static str) -> Vec<Case> {
    let grid = grid(ranks.next_power_of_two());
    let order = LOCAL * grid.0.max(grid.1);
    let at = |number: usize| {
        let trailing = trailing(order, grid, number);
        let work = Work::new(&place.machine, place.ranks_per_node, grid, trailing);
        Case::Hpl(Panels {
            section: place.section.name(),
            machine: place.machine.name.clone(),
            ranks,
            ranks_per_node: place.ranks_per_node,
            rows: grid.0,
            columns: grid.1,
            order,
            trailing,
            scale: SCALE,
            topology,
            seconds: 0.0,
            bound_seconds: bound(&work, grid.1),
            errors: 0,
            links_shared: true,
            work,
        })
    };
    (0..=PLACES).map(at).collect()
}

/// The least seconds of a panel: every rank updates, and the process columns take turns to factor a panel in addition.
fn bound(work: &Work, columns: usize) -> f64 {
    1e-9 * (work.rest + (work.next + work.factor) / columns as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_square_where_they_can_be() {
        assert_eq!([1, 2, 8, 64, 4096].map(grid), [(1, 1), (1, 2), (2, 4), (8, 8), (64, 64)]);
        assert_eq!(trailing(1024, (2, 2), 0), 1024);
        assert_eq!([1, 4].map(|place| trailing(1024, (2, 2), place)), [768, 256]);
    }
}
