//! Elements that enter a node from the network in one multiplication.
//!
//! Idea: every column of A is broadcast once along its process row, and every row of B along its process
//! column. A part that a rank receives from another node enters its own node. With a binomial tree over the
//! ranks of a line it may enter a node several times; with a group for each node it enters once. If the ranks
//! of a node formed a square tile of the grid, the smallest number would enter.
//!
//! Restrictions: elements are divided evenly.
//! Cost: O(q^2) plans for each kind of line; lines with the same pattern of nodes are counted once.
//! Source: counted from the schedules.

use super::formulas::Problem;
use crate::schedule::{Hierarchy, Level, groups};
use std::collections::HashMap;

/// The route of a panel along one line.
#[derive(Debug, Clone)]
pub struct Line {
    /// Positions and groups.
    pub hierarchy: Hierarchy,
    /// An entry for each level.
    pub levels: Vec<Level>,
    /// Units of a panel.
    pub units: usize,
}

/// Elements into the busiest node. `node` is the node of the rank in a process row and column, and `line` is
/// the route of panels along a line whose positions are on the given nodes.
pub fn busiest(problem: &Problem, node: impl Fn(usize, usize) -> u32, line: impl Fn(&[u32]) -> Line) -> f64 {
    let (rows, columns) = (problem.rows as usize, problem.columns as usize);
    let mut into: HashMap<u32, f64> = HashMap::new();
    let mut known: HashMap<Vec<usize>, Vec<f64>> = HashMap::new();
    let mut add = |nodes: Vec<u32>, elements: f64| {
        let copies = known.entry(groups::by_number(&nodes)).or_insert_with(|| copies(&line(&nodes), &nodes));
        for (node, copies) in nodes.iter().zip(copies) {
            *into.entry(*node).or_default() += *copies * elements;
        }
    };
    for row in 0..rows {
        let own = problem.m / problem.rows * problem.k / problem.columns;
        add((0..columns).map(|column| node(row, column)).collect(), own);
    }
    for column in 0..columns {
        let own = problem.k / problem.rows * problem.n / problem.columns;
        add((0..rows).map(|row| node(row, column)).collect(), own);
    }
    into.into_values().fold(0.0, f64::max)
}

/// How many panels each position receives from other nodes if every position broadcasts one.
fn copies(line: &Line, nodes: &[u32]) -> Vec<f64> {
    let received = |me: usize| {
        let from_others = |root: usize| {
            let plan = line.hierarchy.plan(root, me, line.units, &line.levels);
            let others = plan.receives.into_iter().filter(|message| nodes[message.partner] != nodes[me]);
            others.map(|message| message.parts.len()).sum::<usize>()
        };
        (0..nodes.len()).map(from_others).sum::<usize>() as f64 / line.units as f64
    };
    (0..nodes.len()).map(received).collect()
}

/// Elements into a node if the ranks of each of `nodes` nodes formed a tile of the grid of the best shape.
pub fn tiles(problem: &Problem, nodes: usize) -> f64 {
    let Problem { m, n, k, .. } = *problem;
    let own = (m * k + k * n) / nodes as f64;
    let shapes = (1..=nodes).filter(|rows| nodes.is_multiple_of(*rows));
    let into = shapes.map(|rows| m / rows as f64 * k + k * n / (nodes / rows) as f64 - own);
    into.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Broadcast;

    /// 10^9 bytes into the busiest node for n = 65536: binomial SUMMA, one group for each node, tiles.
    #[test]
    fn bytes_into_a_node() {
        let whole = Level::whole(Broadcast::Binomial);
        let flat =
            |nodes: &[u32]| Line { hierarchy: Hierarchy::flat(nodes.len()), levels: vec![whole], units: 1 };
        let by_node = |nodes: &[u32]| {
            let hierarchy = Hierarchy::new(nodes.len(), &[groups::by_number(nodes)]);
            Line { hierarchy, levels: vec![whole, Level::Shared], units: 1 }
        };
        for (rows, columns, per_node, expected) in [
            (64, 64, 64, [33.8, 33.8, 7.5]),
            (64, 32, 64, [50.5, 33.3, 10.7]),
            (32, 32, 128, [64.4, 30.1, 17.2]),
        ] {
            let problem =
                Problem { rows: rows as f64, columns: columns as f64, ..Problem::square(65536.0, 1.0) };
            let node = |row: usize, column: usize| ((row * columns + column) / per_node) as u32;
            let elements = [
                busiest(&problem, node, flat),
                busiest(&problem, node, by_node),
                tiles(&problem, rows * columns / per_node),
            ];
            for (elements, expected) in elements.into_iter().zip(expected) {
                let gigabytes = 8.0 * elements / 1e9;
                assert!(
                    (gigabytes - expected).abs() < 0.05,
                    "{rows} x {columns}: {gigabytes}, not {expected}"
                );
            }
        }
    }
}
