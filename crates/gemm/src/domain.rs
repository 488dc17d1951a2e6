//! Domains: the ranks that multiply out of the same panels, usually the ranks of a node.
//!
//! Restrictions: none; domains may be uneven, and their ranks need not be consecutive. Memory: 4 bytes per
//! rank of the grid.

use crate::product::{Dimension, Grid};

/// The domains of a grid, seen from one rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Domains {
    /// The domain of every rank.
    pub of: Vec<u32>,
    /// Ranks of this rank's domain, in ascending order.
    pub ranks: Vec<usize>,
    /// Where this rank is among them.
    pub own: usize,
    /// Numbers in `ranks` of those in this rank's process row.
    pub row_mates: Vec<usize>,
    /// Numbers in `ranks` of those in this rank's process column.
    pub column_mates: Vec<usize>,
    /// The most process rows, and the most process columns, that any domain has.
    pub max_lines: [usize; 2],
}

impl Domains {
    /// From a number for every rank that is equal in a domain.
    pub fn new(of: Vec<u32>, grid: Grid) -> Self {
        let own_rank = grid.row * grid.columns + grid.column;
        let ranks: Vec<usize> = (0..of.len()).filter(|&rank| of[rank] == of[own_rank]).collect();
        let mates = |same: &dyn Fn(usize) -> bool| {
            (0..ranks.len()).filter(|&number| same(ranks[number])).collect::<Vec<_>>()
        };
        let row_mates = mates(&|rank| rank / grid.columns == grid.row);
        let column_mates = mates(&|rank| rank % grid.columns == grid.column);
        let own = ranks.binary_search(&own_rank).expect("a rank is in its own domain");
        let lines = |line: &dyn Fn(usize) -> usize| {
            let mut pairs: Vec<(u32, usize)> =
                of.iter().enumerate().map(|(rank, &domain)| (domain, line(rank))).collect();
            pairs.sort_unstable();
            pairs.dedup();
            pairs.chunk_by(|one, other| one.0 == other.0).map(<[_]>::len).max().unwrap_or(1)
        };
        let max_lines = [lines(&|rank| rank / grid.columns), lines(&|rank| rank % grid.columns)];
        Self { of, ranks, own, row_mates, column_mates, max_lines }
    }

    /// Whether all ranks are in one domain.
    pub fn is_one(&self) -> bool {
        self.ranks.len() == self.of.len()
    }

    /// Whether every rank is a separate domain.
    pub fn are_ranks(&self) -> bool {
        self.max_lines == [1, 1] && {
            let mut sorted = self.of.clone();
            sorted.sort_unstable();
            sorted.windows(2).all(|pair| pair[0] != pair[1])
        }
    }

    /// Numbers in `ranks` of those who share this rank's panel of a factor whose panels belong to the lines
    /// of the grid with one number along `dimension`.
    pub fn mates(&self, dimension: Dimension) -> &[usize] {
        match dimension {
            Dimension::Rows => &self.row_mates,
            Dimension::Columns => &self.column_mates,
        }
    }

    /// Domains of the ranks on this rank's line: its process row for `Rows`.
    pub fn on_line(&self, dimension: Dimension, grid: Grid) -> Vec<u32> {
        match dimension {
            Dimension::Rows => self.of[grid.row * grid.columns..][..grid.columns].to_vec(),
            Dimension::Columns => {
                (0..grid.rows).map(|row| self.of[row * grid.columns + grid.column]).collect()
            }
        }
    }

    /// The numbers along `dimension` that ranks of this domain have, in ascending order.
    pub fn lines(&self, dimension: Dimension, grid: Grid) -> Vec<usize> {
        let number = |&rank: &usize| match dimension {
            Dimension::Rows => rank / grid.columns,
            Dimension::Columns => rank % grid.columns,
        };
        let mut lines: Vec<usize> = self.ranks.iter().map(number).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_share_row_or_column_and_domain() {
        // 2 x 3, two domains of three ranks in row-major order.
        let domains = Domains::new(vec![0, 0, 0, 1, 1, 1], Grid::of_rank(2, 3, 4));
        assert_eq!((&*domains.ranks, domains.own), (&[3, 4, 5][..], 1));
        assert_eq!(
            (domains.mates(Dimension::Rows), domains.mates(Dimension::Columns)),
            (&[0, 1, 2][..], &[1][..])
        );
        assert_eq!((domains.is_one(), domains.are_ranks(), domains.max_lines), (false, false, [1, 3]));
        let grid = Grid::of_rank(2, 3, 4);
        assert_eq!(domains.on_line(Dimension::Columns, grid), [0, 1]);
        assert_eq!(domains.lines(Dimension::Columns, grid), [0, 1, 2]);
        // Uneven, and not contiguous.
        let domains = Domains::new(vec![7, 0, 7, 0, 7, 7], Grid::of_rank(2, 3, 0));
        assert_eq!(
            (&*domains.ranks, &*domains.row_mates, &*domains.column_mates),
            (&[0, 2, 4, 5][..], &[0, 1][..], &[0][..])
        );
        assert_eq!(domains.max_lines, [2, 3]);
        assert!(Domains::new(vec![3, 1, 2], Grid::of_rank(1, 3, 2)).are_ranks());
        assert!(Domains::new(vec![3], Grid::of_rank(1, 1, 0)).is_one());
    }
}
