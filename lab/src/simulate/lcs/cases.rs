//! The computations of a place.

use super::super::place::Place;
use super::super::results::{Batch, Case};
use super::{SYMBOLS, Subsequence, Variant, entry_ns, predicted, problem};
use hcube_core::machine::Placement;
use hcube_lcs::cost::{self, MAX_ALPHA, Machine};
use hcube_lcs::grid::Grid;
use hcube_tool::model::round::parameters;

/// The longest strings of the thesis' predictions, and longer ones.
const LENGTHS: [usize; 3] = [1 << 16, 1 << 18, 1_000_000];
/// Symbols of the longest strings. A core computes the 10^14 entries in 6 minutes with AVX-512, and without it in half an hour:
/// a simulation has [`SCALE_LARGE`] times fewer.
const LARGE: usize = 10_000_000;
const SCALE_LARGE: usize = 8;
/// Ranks up to which the grids of the thesis are simulated: those of more ranks have millions of messages, and tens of millions
/// with barriers.
const MAX_RANKS_OF_THESIS: usize = 64;
/// Symbols of a string up to which they are: each computes all entries.
const MAX_LENGTH_OF_THESIS: usize = 1 << 18;

/// The simulations of a place: one for each number of ranks and length, whose cases share a reference.
pub fn batches(place: &Place<'_>, full: bool) -> Vec<Batch> {
    let lengths = LENGTHS.into_iter().chain(full.then_some(LARGE));
    let scaled = |length| {
        let batches = place.batches(|place, ranks| cases(place, ranks, length));
        batches.into_iter().map(move |batch| Batch { scale: scale(length), ..batch })
    };
    lengths.flat_map(scaled).collect()
}

/// How many times shorter the second string is in the simulation.
fn scale(length: usize) -> usize {
    if length == LARGE { SCALE_LARGE } else { 1 }
}

fn cases(place: &Place<'_>, ranks: usize, length: usize) -> Vec<Case> {
    let placement = Placement { ranks, ranks_per_node: place.ranks_per_node };
    let entry = 1e-9 * entry_ns(&place.machine);
    let machine = Machine::new(&parameters(&place.machine), &placement, entry);
    let case = |variant, grid: Grid| {
        let predicted_seconds = predicted(length, variant, &grid, &machine);
        let serial_seconds = entry * (length as f64).powi(2);
        Case::Lcs(Subsequence {
            section: place.section.name(),
            machine: place.machine.name.clone(),
            ranks,
            ranks_per_node: place.ranks_per_node,
            length,
            scale: scale(length),
            symbols: SYMBOLS,
            variant,
            alpha: grid.alpha,
            block_rows: grid.block_rows,
            predicted_seconds,
            seconds: 0.0,
            predicted_efficiency: serial_seconds / (ranks as f64 * predicted_seconds),
            efficiency: 0.0,
            subsequence: 0,
            errors: 0,
            links_shared: true,
            serial_seconds,
        })
    };
    let chosen = case(Variant::Chosen, cost::choose(&problem(length), ranks, &machine));
    if length > MAX_LENGTH_OF_THESIS || ranks > MAX_RANKS_OF_THESIS {
        return vec![chosen];
    }
    let squares = (1..=MAX_ALPHA).flat_map(|alpha| {
        let grid = Grid { ranks, alpha, block_rows: alpha * ranks };
        [Variant::Square, Variant::Thesis].map(|variant| case(variant, grid))
    });
    [chosen].into_iter().chain(squares).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::arguments::Section;
    use hcube_results::machine;

    fn rows(ranks: &[usize], full: bool) -> Vec<Subsequence> {
        let machine = machine::Machine::find("juropa").expect("valid");
        let place = Place { section: Section::Lcs, machine, ranks, ranks_per_node: 8 };
        let cases = batches(&place, full).into_iter().flat_map(|batch| batch.cases);
        cases
            .map(|case| match case {
                Case::Lcs(row) => row,
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn the_longest_strings_are_simulated_on_request_and_only_on_the_chosen_grid() {
        assert!(rows(&[64, 1024], false).iter().all(|row| row.length < LARGE));
        let all = rows(&[64, 1024], true);
        let large: Vec<_> = all.iter().filter(|row| row.length == LARGE).collect();
        assert_eq!(large.len(), 2);
        for row in large {
            assert!(row.variant == Variant::Chosen && row.scale == SCALE_LARGE, "{row:?}");
        }
    }

    #[test]
    fn every_alpha_of_the_thesis_has_a_row_and_the_chosen_grid_the_shortest_prediction() {
        let all = rows(&[64], false);
        let lengths = LENGTHS.into_iter().filter(|&length| length <= MAX_LENGTH_OF_THESIS);
        assert_eq!(all.len(), LENGTHS.len() + lengths.clone().count() * 2 * MAX_ALPHA);
        for length in lengths {
            let of = |variant| all.iter().filter(move |row| (row.length, row.variant) == (length, variant));
            let chosen = of(Variant::Chosen).next().expect("a row");
            assert!(of(Variant::Square).map(|row| row.alpha).eq(1..=MAX_ALPHA));
            assert!(of(Variant::Square).all(|row| row.predicted_seconds >= chosen.predicted_seconds));
            assert!(of(Variant::Thesis).all(|row| row.block_rows == row.alpha * row.ranks));
            assert!(chosen.predicted_efficiency < 1.0, "{chosen:?}");
        }
        assert_eq!(rows(&[1024], false).len(), LENGTHS.len());
    }
}
