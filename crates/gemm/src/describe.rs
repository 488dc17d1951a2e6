//! Descriptions for users of the algorithms, and of the selection on a communicator.

use crate::options::{Algorithm, Options};
use crate::report::UsedPath;

/// The paths of products: name, needs, cost per rank, used where. For an R x C grid, C of m x n, inner size k
/// and panels of w columns.
pub const PATHS: [[&str; 4]; 6] = [
    ["local", "every rank has its operands", "no messages, no memory", "if every rank has its operands"],
    ["shared-panels", "all ranks on one node", "1 copy of its part of A and B", "on one node"],
    [
        "summa",
        "messages",
        "k/w broadcasts along its row and its column: k (m/R + n/C) elements",
        "several nodes, unless groups are faster",
    ],
    [
        "hsumma",
        "several nodes on a process row or column",
        "as summa; one broadcast between groups and one inside for each panel",
        "several nodes, if the model predicts that groups are faster",
    ],
    [
        "stationary-a",
        "messages",
        "panels of B and partial sums of C",
        "k much larger than m and n, or n much smaller than m and k",
    ],
    [
        "stationary-b",
        "messages",
        "panels of A and partial sums of C",
        "k much larger than m and n, or m much smaller than n and k",
    ],
];

/// Describes the selection for products in which ranks need data of others, from the number of the node of
/// each rank.
pub fn describe(nodes: &[u32], options: &Options) -> String {
    let mut distinct = nodes.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let largest = distinct.iter().map(|node| nodes.iter().filter(|other| *other == node).count()).max();
    let per_node = match options.ranks_per_node {
        0 => largest.unwrap_or(1),
        limit => limit.min(largest.unwrap_or(1)),
    };
    let path = match options.algorithm {
        _ if nodes.len() == 1 => UsedPath::Local.name(),
        _ if distinct.len() == 1 && per_node == nodes.len() => UsedPath::SharedPanels.name(),
        Algorithm::Summa => UsedPath::Summa.name(),
        Algorithm::Hsumma => UsedPath::Hsumma.name(),
        Algorithm::Auto | Algorithm::Library => "summa or hsumma, by the model for each product",
    };
    let left = if options.algorithm == Algorithm::Library {
        "forwarded to ScaLAPACK (HCUBE_GEMM=library); by the C interface: "
    } else {
        ""
    };
    let plural = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    format!("{}, {}: {left}{path}", plural(nodes.len(), "rank"), plural(distinct.len(), "node"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_with_an_algorithm_has_a_row() {
        let names: Vec<&str> = PATHS.iter().map(|row| row[0]).collect();
        let without = [UsedPath::Nothing, UsedPath::Scale];
        let expected = UsedPath::ALL.into_iter().filter(|path| !without.contains(path)).map(UsedPath::name);
        assert_eq!(names, expected.collect::<Vec<_>>());
    }

    #[test]
    fn the_choice_depends_on_nodes_and_options() {
        let auto = Options::default();
        assert_eq!(describe(&[0], &auto), "1 rank, 1 node: local");
        assert_eq!(describe(&[0; 4], &auto), "4 ranks, 1 node: shared-panels");
        let several = "4 ranks, 2 nodes: summa or hsumma, by the model for each product";
        assert_eq!(describe(&[0, 0, 1, 1], &auto), several);
        let summa = Options { algorithm: Algorithm::Summa, ..auto };
        assert_eq!(describe(&[0, 0, 1, 1], &summa), "4 ranks, 2 nodes: summa");
        let divided = Options { ranks_per_node: 2, algorithm: Algorithm::Hsumma, ..auto };
        assert_eq!(describe(&[0; 4], &divided), "4 ranks, 1 node: hsumma");
        let library = Options { algorithm: Algorithm::Library, ..auto };
        assert!(describe(&[0; 4], &library).contains("forwarded to ScaLAPACK"));
    }
}
