//! Selects the number of groups and the broadcast with the shortest predicted time.
//!
//! Idea: compute the time for every candidate, with every arrangement of the groups in rows and columns, and
//! for SUMMA, which is one group. Groups are chosen only if they are faster than SUMMA with the best
//! broadcast.
//!
//! Cost: a formula for each candidate, arrangement and broadcast.
//! Source: Quintin, Hasanov and Lastovetsky, ICPP 2013, §IV-C: one group if the condition for a minimum does
//! not hold; their conclusions propose to automate the choice.

use super::formulas::{Division, Problem};
use super::hockney::Hockney;
use crate::schedule::Broadcast;

/// Gains of less than this are rounding errors.
const MIN_GAIN: f64 = 1e-9;

/// The selection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// The broadcast of all levels.
    pub broadcast: Broadcast,
    /// Into how many groups a process column is divided.
    pub group_rows: usize,
    /// Into how many groups a process row is divided.
    pub group_columns: usize,
    /// Predicted seconds.
    pub seconds: f64,
    /// Predicted seconds of SUMMA with its best broadcast.
    pub summa_seconds: f64,
}

impl Choice {
    /// Number of groups; 1 is SUMMA.
    pub fn groups(&self) -> usize {
        self.group_rows * self.group_columns
    }
}

/// Arrangements of `groups` groups in rows and columns on a grid of `rows` x `columns` ranks; first those
/// that divide rows and columns into numbers of groups in the proportion of the grid.
pub fn arrangements(groups: usize, (rows, columns): (usize, usize)) -> Vec<(usize, usize)> {
    let divides = |group_rows: &usize| groups.is_multiple_of(*group_rows);
    let arranged = (1..=rows.min(groups)).filter(divides).map(|group_rows| (group_rows, groups / group_rows));
    let mut all: Vec<_> = arranged.filter(|&(_, group_columns)| group_columns <= columns).collect();
    let distortion = |&(group_rows, group_columns): &(usize, usize)| {
        ((group_rows * columns) as f64 / (group_columns * rows) as f64).ln().abs()
    };
    all.sort_by(|one, other| distortion(one).total_cmp(&distortion(other)));
    all
}

/// The arrangement with the shortest time; of those that take the same time the first of [`arrangements`].
pub fn best_arrangement(
    groups: usize,
    grid: (usize, usize),
    seconds: impl Fn((usize, usize)) -> f64,
) -> Option<(usize, usize)> {
    let arranged = arrangements(groups, grid).into_iter().map(|arranged| (arranged, seconds(arranged)));
    let faster = |one: (_, f64), other: (_, f64)| if gains(other.1, one.1) { other } else { one };
    arranged.reduce(faster).map(|(arranged, _)| arranged)
}

/// Whether a time is shorter than another by more than rounding errors.
fn gains(seconds: f64, than: f64) -> bool {
    seconds < than * (1.0 - MIN_GAIN)
}

/// The choice by formula for a grid of ranks, with outer blocks between and inner blocks inside the groups.
/// The larger groups count if sizes are uneven. Candidates that do not fit onto the grid are skipped.
///
/// # Panics
/// Without a broadcast to choose.
pub fn choose(
    problem: &Problem,
    blocks: [f64; 2],
    hockney: &Hockney,
    candidates: &[usize],
    broadcasts: &[Broadcast],
) -> Choice {
    let (rows, columns) = (problem.rows as usize, problem.columns as usize);
    let [outer, inner] = blocks;
    let seconds = |broadcast: Broadcast, (group_rows, group_columns): (usize, usize)| {
        if group_rows * group_columns == 1 {
            return problem.summa(inner, broadcast, hockney);
        }
        let between = Division { rows: group_rows as f64, columns: group_columns as f64, block: outer };
        let (rows, columns) = (rows.div_ceil(group_rows) as f64, columns.div_ceil(group_columns) as f64);
        problem.seconds(&[between, Division { rows, columns, block: inner }], broadcast, hockney)
    };
    choose_by((rows, columns), candidates, broadcasts, seconds)
}

/// The choice by any cost: a function of the broadcast and of the groups as (rows, columns), (1, 1) for
/// SUMMA.
///
/// # Panics
/// Without a broadcast to choose.
pub fn choose_by(
    grid: (usize, usize),
    candidates: &[usize],
    broadcasts: &[Broadcast],
    seconds: impl Fn(Broadcast, (usize, usize)) -> f64,
) -> Choice {
    let summa = broadcasts.iter().map(|&broadcast| (broadcast, seconds(broadcast, (1, 1))));
    let (broadcast, summa_seconds) =
        summa.min_by(|one, other| one.1.total_cmp(&other.1)).expect("a broadcast to choose");
    let mut best =
        Choice { broadcast, group_rows: 1, group_columns: 1, seconds: summa_seconds, summa_seconds };
    for &broadcast in broadcasts {
        for (group_rows, group_columns) in candidates.iter().flat_map(|&groups| arrangements(groups, grid)) {
            let seconds = seconds(broadcast, (group_rows, group_columns));
            if gains(seconds, best.seconds) {
                best = Choice { broadcast, group_rows, group_columns, seconds, ..best };
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::counted;
    use crate::model::formulas::groups_gain;
    use crate::model::paper::{MEASURED, SETTINGS};
    use proptest::prelude::*;

    fn powers(ranks: usize) -> Vec<usize> {
        (0..usize::BITS).map(|exponent| 1 << exponent).take_while(|&groups| groups <= ranks).collect()
    }

    fn on(rows: usize, columns: usize, n: f64) -> Problem {
        Problem { rows: rows as f64, columns: columns as f64, ..Problem::square(n, 1.0) }
    }

    const SAG: [Broadcast; 1] = [Broadcast::ScatterAllgather];

    /// With the parameters of Quintin, Hasanov and Lastovetsky, the model's speed-up is far from their
    /// measurements.
    #[test]
    fn blue_gene() {
        let hockney = Hockney { alpha: 3e-6, beta: 1e-9 };
        let choice = choose(&on(128, 128, 65536.0), [256.0; 2], &hockney, &powers(16384), &SAG);
        // sqrt 128 is no integer: 8 x 8 and 16 x 16 groups, and those between, take the same time.
        assert_eq!((choice.group_rows, choice.group_columns), (8, 8));
        assert!((choice.summa_seconds / choice.seconds - 1.18).abs() < 0.005, "{choice:?}");
        assert_eq!(MEASURED.last().map(|measured| (measured.ranks, measured.gain)), Some((16384, 5.89)));
        // 2048 ranks: the condition fails, the measured speed-up is 2.08. It also fails with 8 bytes for an
        // element.
        let choice = choose(&on(32, 64, 65536.0), [256.0; 2], &hockney, &powers(2048), &SAG);
        assert!(choice.groups() == 1 && !groups_gain(65536.0, 2048.0, 256.0, &hockney));
        let by_byte = Hockney { beta: 8e-9, ..hockney };
        assert_eq!(choose(&on(128, 128, 65536.0), [256.0; 2], &by_byte, &powers(16384), &SAG).groups(), 1);
    }

    /// Times by the model. Binomial trees gain nothing.
    #[test]
    fn latency_bound_grid_of_512() {
        let hockney = Hockney { alpha: 10e-6, beta: 8e-9 };
        let choice = choose(&on(16, 32, 4096.0), [16.0; 2], &hockney, &powers(512), &SAG);
        assert!([16, 32].contains(&choice.groups()), "{choice:?}");
        let is = |seconds: f64, expected: f64| (seconds / expected - 1.0).abs() < 0.1;
        assert!(is(choice.summa_seconds, 0.165) && is(choice.seconds, 0.104), "{choice:?}");
        let binomial = choose(&on(16, 32, 4096.0), [16.0; 2], &hockney, &powers(512), &[Broadcast::Binomial]);
        assert_eq!(binomial.groups(), 1);
    }

    /// The selection by counted messages, with a function of two positions that returns the link between
    /// them, for process rows and for process columns: for uneven groups, and for ranks of which some share a
    /// node.
    fn choose_counted(
        problem: &Problem,
        blocks: [usize; 2],
        (row_link, column_link): (impl Fn(usize, usize) -> Hockney, impl Fn(usize, usize) -> Hockney),
        candidates: &[usize],
        broadcasts: &[Broadcast],
    ) -> Choice {
        let (rows, columns) = (problem.rows as usize, problem.columns as usize);
        let seconds = |broadcast: Broadcast, (group_rows, group_columns): (usize, usize)| {
            let blocks = if group_rows * group_columns == 1 { [blocks[1]; 2] } else { blocks };
            let (row, column) = (problem.m / problem.rows, problem.n / problem.columns);
            let row = counted::line(broadcast, (columns, group_columns), blocks, row, &row_link);
            let column = counted::line(broadcast, (rows, group_rows), blocks, column, &column_link);
            problem.k / blocks[0] as f64 * (row.seconds + column.seconds)
        };
        choose_by((rows, columns), candidates, broadcasts, seconds)
    }

    /// Where both agree, and where only counting knows that groups are nodes.
    #[test]
    fn counted_choices() {
        let (problem, hockney) = (on(16, 32, 4096.0), Hockney { alpha: 10e-6, beta: 8e-9 });
        let everywhere = (|_: usize, _: usize| hockney, |_: usize, _: usize| hockney);
        let counted = choose_counted(&problem, [32; 2], everywhere, &powers(512), &SAG);
        let formula = choose(&problem, [32.0; 2], &hockney, &powers(512), &SAG);
        assert!((counted.seconds / formula.seconds - 1.0).abs() < 1e-9, "{counted:?}, {formula:?}");
        assert_eq!(counted.groups(), formula.groups());
        // A process row of 12 ranks on 4 nodes of 3: a binomial tree leaves nodes in every round.
        let near = Hockney { alpha: 1e-7, beta: 1e-11 };
        let link = |from: usize, to: usize| if from / 3 == to / 3 { near } else { hockney };
        let problem = on(1, 12, 1200.0);
        let one = choose_counted(&problem, [32; 2], (link, link), &[1, 2, 3, 4, 6], &[Broadcast::Binomial]);
        assert_eq!((one.group_columns, one.group_rows), (4, 1), "{one:?}");
        assert!(one.summa_seconds > 1.2 * one.seconds, "{one:?}");
    }

    #[test]
    fn one_group_where_the_condition_fails() {
        for setting in SETTINGS {
            let side = setting.ranks.sqrt();
            if side.fract() == 0.0 {
                let problem = Problem::square(setting.n, setting.ranks);
                let all = powers(setting.ranks as usize);
                let choice = choose(&problem, [setting.block; 2], &setting.hockney, &all, &SAG);
                let gain = groups_gain(setting.n, setting.ranks, setting.block, &setting.hockney);
                assert_eq!(gain, choice.groups() > 1, "{setting:?}: {choice:?}");
            }
        }
    }

    #[test]
    fn arrangements_fit_onto_the_grid() {
        assert_eq!(arrangements(6, (4, 3)), [(3, 2), (2, 3)]);
        assert_eq!(arrangements(16, (8, 32)), [(2, 8), (1, 16), (4, 4), (8, 2)]);
        assert_eq!(arrangements(1, (1, 1)), [(1, 1)]);
        assert!(arrangements(7, (4, 3)).is_empty() && arrangements(0, (4, 3)).is_empty());
        assert_eq!(best_arrangement(16, (8, 32), |_| 1.0), Some((2, 8)));
        assert_eq!(best_arrangement(16, (8, 32), |(rows, _)| 1.0 / rows as f64), Some((8, 2)));
        assert_eq!(best_arrangement(7, (4, 3), |_| 1.0), None);
    }

    proptest! {
        #[test]
        fn never_worse_than_summa(rows in 1..50_usize, columns in 1..50_usize, n in 1e2..1e5, block in 1.0..512.0,
                                  outer in 1.0..4.0, alpha in 1e-8..1e-3, beta in 1e-12..1e-7) {
            let problem = on(rows, columns, n);
            let hockney = Hockney { alpha, beta };
            let all: Vec<usize> = (0..=rows * columns).collect();
            let blocks = [outer * block, block];
            let choice = choose(&problem, blocks, &hockney, &all, &Broadcast::ALL);
            for broadcast in Broadcast::ALL {
                prop_assert!(choice.seconds <= problem.summa(block, broadcast, &hockney));
            }
            prop_assert!(choice.group_rows <= rows && choice.group_columns <= columns);
        }
    }
}
