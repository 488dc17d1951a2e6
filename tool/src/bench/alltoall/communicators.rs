//! The communicators of the blocking exchange: one of all ranks, or the rows or columns of a grid of ranks,
//! which all exchange at the same time, as in Fourier transforms of two and three dimensions.

use crate::grids::nearest_square;
use clap::ValueEnum;
use hcube_results::alltoall::{COLUMNS, ROWS, WORLD};

/// What exchanges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Communicators {
    /// All ranks
    World,
    /// Each row of a grid of ranks that is as square as possible; consecutive ranks form a row
    Rows,
    /// Each column of this grid
    Columns,
}

/// A rank in its communicator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Number of the communicator.
    pub communicator: usize,
    pub rank: usize,
    /// Ranks of each communicator.
    pub ranks: usize,
}

/// How the ranks of communicators lie on nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnNodes {
    /// Two ranks of a communicator share a node.
    pub shared: bool,
    /// The ranks of a communicator are on several nodes.
    pub several: bool,
}

impl Communicators {
    pub fn member(self, rank: usize, ranks: usize) -> Member {
        let (rows, columns) = nearest_square(ranks);
        let (communicator, rank, ranks) = match self {
            Self::World => (0, rank, ranks),
            Self::Rows => (rank / columns, rank % columns, columns),
            Self::Columns => (rank % columns, rank / columns, rows),
        };
        Member { communicator, rank, ranks }
    }

    /// From the number of the node of each rank.
    pub fn on_nodes(self, numbers: &[u32]) -> OnNodes {
        let communicator = |rank: usize| self.member(rank, numbers.len()).communicator;
        let pairs = (0..numbers.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
        let together = pairs.filter(|&(one, other)| communicator(one) == communicator(other));
        let mut found = OnNodes { shared: false, several: false };
        for (one, other) in together {
            let on_same_node = numbers[one] == numbers[other];
            found.shared |= on_same_node;
            found.several |= !on_same_node;
        }
        found
    }

    /// For headings: nothing where all ranks exchange.
    pub fn heading(self, ranks: usize) -> String {
        if self == Self::World {
            return String::new();
        }
        let each = self.member(0, ranks).ranks;
        format!(", {} {} of {each} rank(s) at the same time", ranks / each, self.name())
    }

    /// The name in `--communicators` and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::World => WORLD,
            Self::Rows => ROWS,
            Self::Columns => COLUMNS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Communicators::{Columns, Rows, World};
    use super::*;

    #[test]
    fn ranks_have_a_place_in_each_communicator() {
        let of_all = |kind: Communicators, ranks| {
            let member = |rank| kind.member(rank, ranks);
            (0..ranks).map(member).map(|one| (one.communicator, one.rank, one.ranks)).collect::<Vec<_>>()
        };
        assert_eq!(of_all(World, 2), [(0, 0, 2), (0, 1, 2)]);
        let rows = [(0, 0, 3), (0, 1, 3), (0, 2, 3), (1, 0, 3), (1, 1, 3), (1, 2, 3)];
        assert_eq!(of_all(Rows, 6), rows);
        let columns = [(0, 0, 2), (1, 0, 2), (2, 0, 2), (0, 1, 2), (1, 1, 2), (2, 1, 2)];
        assert_eq!(of_all(Columns, 6), columns);
        assert_eq!(of_all(Columns, 3), [(0, 0, 1), (1, 0, 1), (2, 0, 1)]);
        assert_eq!(Rows.heading(6), ", 2 rows of 3 rank(s) at the same time");
        assert_eq!(World.heading(6), "");
    }

    #[test]
    fn rows_share_nodes_that_columns_connect() {
        let on_nodes = |kind: Communicators| kind.on_nodes(&[0, 0, 2, 2]);
        assert_eq!(on_nodes(World), OnNodes { shared: true, several: true });
        assert_eq!(on_nodes(Rows), OnNodes { shared: true, several: false });
        assert_eq!(on_nodes(Columns), OnNodes { shared: false, several: true });
    }
}
