//! The predictions of a multiplication, as they are written in JSON.

use super::arguments::Case;
use hcube_gemm::model::port::{self, Line as PortLine};
use hcube_gemm::model::{Counted, choice, choose, counted, formulas};
use hcube_gemm::schedule::{Broadcast, Hierarchy, Level, groups};
use serde::Serialize;
use std::collections::HashMap;

/// Positions of a process row or column up to which messages are counted: counting takes their square.
const MAX_COUNTED: usize = 512;

/// Everything that was predicted.
#[derive(Debug, Serialize)]
pub struct Results {
    hcube: &'static str,
    /// Where alpha and beta are from.
    pub title: String,
    pub sources: Vec<String>,
    pub alpha_seconds: f64,
    pub beta_seconds_per_element: f64,
    pub element_bytes: usize,
    pub m: f64,
    pub n: f64,
    pub k: f64,
    pub rows: usize,
    pub columns: usize,
    pub ranks_per_node: usize,
    pub block: usize,
    pub outer_block: usize,
    /// The condition, where matrices are square and both block sizes are the same.
    pub condition: Option<Condition>,
    /// For every broadcast and number of groups.
    pub lines: Vec<Line>,
    /// The choice by formula.
    pub best: Best,
    /// Seconds of computation, where the rate is known.
    pub computation_seconds: Option<f64>,
    /// Where several ranks are on a node.
    pub port: Option<Port>,
}

/// Whether scatter and all-gather gains by groups.
#[derive(Debug, Serialize)]
pub struct Condition {
    pub alpha_over_beta: f64,
    /// 2 n b / p.
    pub threshold: f64,
    pub holds: bool,
}

/// A broadcast with a number of groups; times are of all communication of a multiplication.
#[derive(Debug, Serialize)]
pub struct Line {
    pub broadcast: &'static str,
    pub groups: usize,
    pub group_rows: usize,
    pub group_columns: usize,
    /// By formula.
    pub seconds: f64,
    /// SUMMA with the same broadcast over this.
    pub gain: f64,
    /// From the messages of the schedules; nothing where there are too many.
    pub counted_seconds: Option<f64>,
    /// SUMMA with the same broadcast over this, both counted.
    pub counted_gain: Option<f64>,
    /// Messages that a rank sends on average.
    pub messages: Option<f64>,
}

/// What is chosen by formula.
#[derive(Debug, Serialize)]
pub struct Best {
    pub broadcast: &'static str,
    pub groups: usize,
    pub seconds: f64,
    pub summa_seconds: f64,
}

/// Bytes into the busiest node.
#[derive(Debug, Serialize)]
pub struct Port {
    /// Binomial trees over the ranks of process rows and columns.
    pub flat_bytes: f64,
    /// A group for each node.
    pub node_groups_bytes: f64,
    /// Ranks of a node as a tile of the grid, of the best shape.
    pub tiles_bytes: f64,
}

impl Results {
    pub fn new(case: &Case) -> Self {
        let Case { hockney, problem, rows, columns, block, outer_block, .. } = *case;
        let blocks = [outer_block as f64, block as f64];
        let best = choose(&problem, blocks, &hockney, &case.groups, &case.broadcasts);
        let square = problem.m == problem.n && problem.n == problem.k && block == outer_block;
        let ranks = problem.ranks();
        let condition = square.then(|| Condition {
            alpha_over_beta: hockney.alpha / hockney.beta,
            threshold: 2.0 * problem.n * block as f64 / ranks,
            holds: formulas::groups_gain(problem.n, ranks, block as f64, &hockney),
        });
        let mut counts = Counts { case, known: HashMap::new() };
        let lines = case.broadcasts.iter().flat_map(|&broadcast| counts.lines(broadcast)).collect();
        Self {
            hcube: env!("CARGO_PKG_VERSION"),
            title: case.title.clone(),
            sources: case.sources.clone(),
            alpha_seconds: hockney.alpha,
            beta_seconds_per_element: hockney.beta,
            element_bytes: case.element_bytes,
            m: problem.m,
            n: problem.n,
            k: problem.k,
            rows,
            columns,
            ranks_per_node: case.ranks_per_node,
            block,
            outer_block,
            condition,
            lines,
            best: Best {
                broadcast: best.broadcast.name(),
                groups: best.groups(),
                seconds: best.seconds,
                summa_seconds: best.summa_seconds,
            },
            computation_seconds: case.rate.map(|rate| problem.operations() / rate),
            port: port(case),
        }
    }
}

/// Counts of broadcasts along a line: of an algorithm, for positions, groups and elements of a column.
struct Counts<'a> {
    case: &'a Case,
    known: HashMap<(&'static str, usize, usize, u64), Counted>,
}

impl Counts<'_> {
    /// SUMMA and all numbers of groups that fit onto the grid, each in its best arrangement.
    fn lines(&mut self, broadcast: Broadcast) -> Vec<Line> {
        let Case { hockney, problem, rows, columns, block, outer_block, .. } = *self.case;
        let blocks = [outer_block as f64, block as f64];
        let seconds = |(group_rows, group_columns): (usize, usize)| {
            let groups = (group_rows as f64, group_columns as f64);
            match group_rows * group_columns {
                1 => problem.summa(block as f64, broadcast, &hockney),
                _ => problem.hsumma(groups, blocks, broadcast, &hockney),
            }
        };
        let summa = seconds((1, 1));
        let counted_summa = self.counted(broadcast, (1, 1));
        let mut lines = Vec::new();
        for &groups in &self.case.groups {
            let Some(arranged) = choice::best_arrangement(groups, (rows, columns), seconds) else { continue };
            let counted = self.counted(broadcast, arranged);
            let counted_seconds = counted.map(|(seconds, _)| seconds);
            lines.push(Line {
                broadcast: broadcast.name(),
                groups,
                group_rows: arranged.0,
                group_columns: arranged.1,
                seconds: seconds(arranged),
                gain: gain(summa, seconds(arranged)),
                counted_seconds,
                counted_gain: counted_summa
                    .zip(counted_seconds)
                    .map(|(summa, seconds)| gain(summa.0, seconds)),
                messages: counted.map(|(_, messages)| messages),
            });
        }
        lines
    }

    /// Seconds, and messages that a rank sends on average; nothing where lines are too long to count.
    fn counted(
        &mut self,
        broadcast: Broadcast,
        (group_rows, group_columns): (usize, usize),
    ) -> Option<(f64, f64)> {
        let Case { problem, rows, columns, block, outer_block, .. } = *self.case;
        if rows.max(columns) > MAX_COUNTED {
            return None;
        }
        let panel = if group_rows * group_columns == 1 { block } else { outer_block };
        let row = self.line(broadcast, (columns, group_columns), panel, problem.m / problem.rows);
        let column = self.line(broadcast, (rows, group_rows), panel, problem.n / problem.columns);
        let panels = problem.k / panel as f64;
        let messages = row.messages as f64 / columns as f64 + column.messages as f64 / rows as f64;
        Some((panels * (row.seconds + column.seconds), panels * messages))
    }

    /// The broadcast of a panel by the first position of a line.
    fn line(
        &mut self,
        broadcast: Broadcast,
        (positions, divided): (usize, usize),
        panel: usize,
        elements: f64,
    ) -> Counted {
        let Case { hockney, block, .. } = *self.case;
        let count =
            || counted::line(broadcast, (positions, divided), [panel, block], elements, |_, _| hockney);
        *self.known.entry((broadcast.name(), positions, divided, elements.to_bits())).or_insert_with(count)
    }
}

fn gain(summa: f64, seconds: f64) -> f64 {
    if seconds > 0.0 { summa / seconds } else { 1.0 }
}

fn port(case: &Case) -> Option<Port> {
    let Case { problem, rows, columns, ranks_per_node, element_bytes, .. } = *case;
    if ranks_per_node == 1 || rows.max(columns) > MAX_COUNTED {
        return None;
    }
    let whole = Level::whole(Broadcast::Binomial);
    let flat =
        |nodes: &[u32]| PortLine { hierarchy: Hierarchy::flat(nodes.len()), levels: vec![whole], units: 1 };
    let by_node = |nodes: &[u32]| PortLine {
        hierarchy: Hierarchy::new(nodes.len(), &[groups::by_number(nodes)]),
        levels: vec![whole, Level::Shared],
        units: 1,
    };
    let node = |row: usize, column: usize| ((row * columns + column) / ranks_per_node) as u32;
    let bytes = |elements: f64| element_bytes as f64 * elements;
    Some(Port {
        flat_bytes: bytes(port::busiest(&problem, node, flat)),
        node_groups_bytes: bytes(port::busiest(&problem, node, by_node)),
        tiles_bytes: bytes(port::tiles(&problem, (rows * columns).div_ceil(ranks_per_node))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::parse;
    use crate::model::gemm::Arguments;

    fn results(line: &str) -> Results {
        Results::new(&parse::<Arguments>(line.split(' ')).case().expect("valid"))
    }

    #[test]
    fn a_latency_bound_grid_gains() {
        let results = results("--alpha 1e-5 --beta 8e-9 --ranks 512 --n 4096 --block 16");
        assert!(results.condition.as_ref().is_some_and(|condition| condition.holds));
        let line = |broadcast: &str, groups: usize| {
            let found =
                results.lines.iter().find(|line| line.broadcast == broadcast && line.groups == groups);
            found.expect("a line")
        };
        assert!(
            results
                .lines
                .iter()
                .filter(|line| line.broadcast == "binomial")
                .all(|line| line.gain < 1.0 + 1e-9)
        );
        let (summa, best) = (line("scatter-allgather", 1), line("scatter-allgather", 16));
        assert!(best.gain > 1.5 && best.counted_gain.is_some_and(|gain| gain > 1.5), "{best:?}");
        let ratio = |line: &Line| line.counted_seconds.map_or(0.0, |seconds| seconds / line.seconds);
        // Powers of two: the schedules cost what the formulas say.
        assert!((ratio(best) - 1.0).abs() < 1e-6, "{best:?}");
        // 16 columns are no even pieces for 32 members.
        assert!((1.01..1.05).contains(&ratio(summa)), "{summa:?}");
        // A rank passes on fewer and larger messages in groups.
        assert!(best.messages < summa.messages);
        assert!(results.port.is_none() && results.computation_seconds.is_none());
    }

    #[test]
    fn nodes_and_computation() {
        let results =
            results("--alpha 1e-6 --beta 1e-9 --grid 32x32 --ranks-per-node 128 --n 65536 --rate 10");
        let port = results.port.expect("several ranks on a node");
        let gigabytes = [port.flat_bytes, port.node_groups_bytes, port.tiles_bytes].map(|bytes| bytes / 1e9);
        let expected = [64.4, 30.1, 17.2];
        assert!(
            gigabytes.iter().zip(expected).all(|(one, other)| (one - other).abs() < 0.05),
            "{gigabytes:?}"
        );
        let seconds = results.computation_seconds.expect("a rate");
        assert!((seconds - 2.0 * 65536.0_f64.powi(3) / 1024.0 / 1e10).abs() < 1e-6 * seconds);
    }

    #[test]
    fn odd_grids_and_blocks_that_do_not_fit() {
        let odd =
            results("--alpha 1e-6 --beta 1e-9 --grid 7x13 --n 1000 --m 300 --block 48 --outer-block 96");
        assert!(odd.condition.is_none() && odd.best.seconds <= odd.best.summa_seconds);
        assert!(odd.lines.iter().all(|line| line.seconds > 0.0 && line.counted_seconds > Some(0.0)));
        let one = results("--alpha 1e-6 --beta 1e-9 --ranks 1");
        assert!(
            one.lines
                .iter()
                .all(|line| line.seconds == 0.0 && line.gain == 1.0 && line.messages == Some(0.0))
        );
    }
}
