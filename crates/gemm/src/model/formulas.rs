//! Communication time of a multiplication by formula.
//!
//! C (m x n) = A (m x k) * B (k x n) on a grid of P x Q ranks. For each panel of b columns of A and b rows of
//! B, every process row broadcasts m/P * b elements among Q members, and every process column b * n/Q among
//! P. With groups the members of a line are divided among levels, whose products are P and Q; each level has
//! its own block size. Square case, p ranks, G groups, b = B (L and W of [`super::hockney`]):
//!
//! - SUMMA: 2 (n/b L(sqrt p) alpha + n^2 / sqrt p * W(sqrt p) beta).
//! - HSUMMA: the same sum for sqrt(p/G) members inside the groups and for sqrt G members between them.
//! - Scatter and all-gather: the derivative by G is (G - sqrt p) / (G sqrt G) * (n alpha / b - 2 n^2 beta /
//!   p). So G = sqrt p is the minimum if alpha / beta > 2 n b / p; else it is the maximum, and G = 1 is best.
//! - Binomial tree: logarithms add up, so the cost is the same for every G.
//!
//! Restrictions: quantities are real numbers; remainders are not modelled.
//! Source: Quintin, Hasanov and Lastovetsky, ICPP 2013, §IV-A to §IV-C, formulas 2 to 12, Tables I and II.

use super::hockney::Hockney;
use crate::schedule::Broadcast;

/// A multiplication on a grid of ranks. Sizes are real numbers, so that a grid can be sqrt p x sqrt p for any
/// p.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Problem {
    /// Rows of A and C.
    pub m: f64,
    /// Columns of B and C.
    pub n: f64,
    /// Columns of A and rows of B.
    pub k: f64,
    /// P: process rows of the grid.
    pub rows: f64,
    /// Q: process columns of the grid.
    pub columns: f64,
}

/// A level of a multiplication: how many members broadcast in it, and how many columns or rows at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Division {
    /// Members of a broadcast along a process column.
    pub rows: f64,
    /// Members of a broadcast along a process row.
    pub columns: f64,
    /// Columns of A and rows of B in a panel.
    pub block: f64,
}

impl Problem {
    /// Square matrices on sqrt p x sqrt p ranks.
    pub fn square(n: f64, ranks: f64) -> Self {
        Self { m: n, n, k: n, rows: ranks.sqrt(), columns: ranks.sqrt() }
    }

    /// Number of ranks.
    pub fn ranks(&self) -> f64 {
        self.rows * self.columns
    }

    /// Additions and multiplications of a rank.
    pub fn operations(&self) -> f64 {
        2.0 * self.m * self.n * self.k / self.ranks()
    }

    /// Seconds of communication with the given levels, from the outside to the inside.
    pub fn seconds(&self, divisions: &[Division], broadcast: Broadcast, hockney: &Hockney) -> f64 {
        let level = |division: &Division| {
            let one = |members, line: f64| {
                hockney.broadcast(broadcast, members, line * division.block, division.block.max(1.0) as usize)
            };
            let row = one(division.columns, self.m / self.rows);
            let column = one(division.rows, self.n / self.columns);
            self.k / division.block * (row + column)
        };
        divisions.iter().map(level).sum()
    }

    /// SUMMA with panels of `block` columns.
    pub fn summa(&self, block: f64, broadcast: Broadcast, hockney: &Hockney) -> f64 {
        self.seconds(&[Division { rows: self.rows, columns: self.columns, block }], broadcast, hockney)
    }

    /// HSUMMA with `groups` = (rows, columns) of groups, outer blocks between and inner blocks inside the
    /// groups.
    pub fn hsumma(
        &self,
        groups: (f64, f64),
        [outer, inner]: [f64; 2],
        broadcast: Broadcast,
        hockney: &Hockney,
    ) -> f64 {
        self.seconds(&self.divided(groups, [outer, inner]), broadcast, hockney)
    }

    /// The levels of HSUMMA: between groups and inside them.
    pub fn divided(&self, (rows, columns): (f64, f64), [outer, inner]: [f64; 2]) -> [Division; 2] {
        let inside = Division { rows: self.rows / rows, columns: self.columns / columns, block: inner };
        [Division { rows, columns, block: outer }, inside]
    }
}

/// Whether scatter and all-gather gains by groups: alpha / beta > 2 n b / p, for square matrices and b = B.
pub fn groups_gain(n: f64, ranks: f64, block: f64, hockney: &Hockney) -> bool {
    hockney.alpha > hockney.beta * (2.0 * n * block / ranks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::paper::SETTINGS;

    fn close(one: f64, other: f64) {
        assert!((one / other - 1.0).abs() < 1e-12, "{one}, expected {other}");
    }

    const BLUE_GENE: Hockney = Hockney { alpha: 3e-6, beta: 1e-9 };

    /// The formulas as they are written out in the square case.
    #[test]
    fn square_matrices() {
        let (n, p, b) = (65536.0_f64, 16384.0_f64, 256.0);
        let Hockney { alpha, beta } = BLUE_GENE;
        let problem = Problem::square(n, p);
        let (side, binomial, sag) = (p.sqrt(), Broadcast::Binomial, Broadcast::ScatterAllgather);
        close(problem.summa(b, binomial, &BLUE_GENE), p.log2() * (alpha * n / b + beta * n * n / side));
        let latency = (p.log2() + 2.0 * (side - 1.0)) * alpha * n / b;
        close(problem.summa(b, sag, &BLUE_GENE), latency + 4.0 * (1.0 - 1.0 / side) * beta * n * n / side);
        // Formula 12: G = sqrt p.
        let quarter = side.sqrt();
        let latency = (p.log2() + 4.0 * (quarter - 1.0)) * alpha * n / b;
        close(
            problem.hsumma((quarter, quarter), [b, b], sag, &BLUE_GENE),
            latency + 8.0 * (1.0 - 1.0 / quarter) * beta * n * n / side,
        );
        close(problem.operations() * p, 2.0 * n * n * n);
    }

    #[test]
    fn one_group_and_a_group_for_each_rank_are_summa() {
        let problem = Problem { m: 3000.0, n: 5000.0, k: 700.0, rows: 12.0, columns: 40.0 };
        for broadcast in Broadcast::ALL {
            let summa = problem.summa(32.0, broadcast, &BLUE_GENE);
            for groups in [(1.0, 1.0), (12.0, 40.0)] {
                close(problem.hsumma(groups, [32.0; 2], broadcast, &BLUE_GENE), summa);
            }
            // Binomial trees cost the same with any groups.
            let groups = (3.0, 8.0);
            let seconds = problem.hsumma(groups, [32.0; 2], broadcast, &BLUE_GENE);
            assert_eq!(
                broadcast == Broadcast::Binomial,
                (seconds / summa - 1.0).abs() < 1e-12,
                "{broadcast:?}"
            );
        }
    }

    /// The condition distinguishes minimum from maximum at sqrt p, for the published machines and around the
    /// threshold.
    #[test]
    fn the_condition_tells_minimum_from_maximum() {
        let broadcast = Broadcast::ScatterAllgather;
        let mut cases: Vec<(f64, f64, f64, Hockney)> = SETTINGS
            .iter()
            .map(|setting| (setting.n, setting.ranks, setting.block, setting.hockney))
            .collect();
        for factor in [0.5, 0.99, 1.01, 2.0] {
            let beta = 1e-9;
            cases.push((8192.0, 1024.0, 64.0, Hockney { alpha: factor * beta * 1024.0, beta }));
        }
        for (n, ranks, block, hockney) in cases {
            let problem = Problem::square(n, ranks);
            let seconds =
                |groups: f64| problem.hsumma((groups.sqrt(), groups.sqrt()), [block; 2], broadcast, &hockney);
            let (middle, gain) = (seconds(ranks.sqrt()), groups_gain(n, ranks, block, &hockney));
            for exponent in 0..=20 {
                let other = seconds(ranks.powf(f64::from(exponent) / 20.0));
                let ordered = if gain { middle <= other } else { middle >= other };
                assert!(ordered || (other / middle - 1.0).abs() < 1e-12, "{n} {ranks} {block} {hockney:?}");
            }
            let best = seconds(if gain { ranks.sqrt() } else { 1.0 });
            assert!(best <= middle && best <= seconds(1.0));
        }
    }

    /// Levels beyond two gain where latency dominates.
    #[test]
    fn more_levels() {
        let problem = Problem::square(4096.0, 4096.0);
        let hockney = Hockney { alpha: 1e-4, beta: 1e-9 };
        // With the same number of members in each level.
        let seconds = |levels: usize| {
            let members = problem.rows.powf(1.0 / levels as f64);
            let divisions = vec![Division { rows: members, columns: members, block: 16.0 }; levels];
            problem.seconds(&divisions, Broadcast::ScatterAllgather, &hockney)
        };
        assert!(seconds(1) > seconds(2) && seconds(2) > seconds(3));
        close(seconds(1), problem.summa(16.0, Broadcast::ScatterAllgather, &hockney));
        close(seconds(2), problem.hsumma((8.0, 8.0), [16.0; 2], Broadcast::ScatterAllgather, &hockney));
    }
}
