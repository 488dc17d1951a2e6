//! The cost of a product in the BSP model.
//!
//! Three costs: the costs in the thesis (Krusche 2005) for each of its two data distributions
//! ([`customized`], [`static_grid`]), and the cost of the schedule of this crate ([`scheduled`]). An
//! operation is a multiplication with an addition, a word an element.
//!
//! The thesis has q = Q^3 products of blocks of side s = n / Q, as a real number, and
//!
//! - W = ceil(q / p) n^3 / q operations,
//! - ceil(q / p) input phases, in each of which a process gets 2 s^2 words,
//! - output phases of s^2 words: e = ceil((Q^2 mod p) Q / p), if the processes that end with blocks of C do
//!   not own them,
//! - S = 2 ceil(q / p) supersteps.
//!
//! Equations 4.6 and 4.8 to 4.10 multiply e with ceil(q / p), although the text counts "approximately" e
//! supersteps with output: [`Equation::Printed`]. With e output phases in all, [`Equation::Corrected`], the
//! predictions for the matrices of §4.4 are closer to the measurements of appendix D on most machines:
//! `hcube bsp published` compares them.
//!
//! Source: Krusche 2005, §4.2, equations 4.5 to 4.10.

use crate::distribution::{Layout, Piece, grid};
use crate::plan::Plan;
use hcube_bsp::cost::{Cost, Exchange};

/// How the thesis' output phases are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Equation {
    /// In each of the ceil(q / p) steps, as the equations have it.
    Printed,
    /// Once.
    Corrected,
}

impl Equation {
    /// The factor of the number of output phases for remaining columns.
    fn factor(self, steps: f64) -> f64 {
        match self {
            Self::Printed => steps,
            Self::Corrected => 1.0,
        }
    }
}

/// The common part of both costs of the thesis: ceil(q / p), Q, s, and the output phases e.
struct Sizes {
    steps: f64,
    blocks: usize,
    side: f64,
    outputs: f64,
}

impl Sizes {
    fn new(n: usize, q: usize, p: usize) -> Self {
        let blocks = (q as f64).cbrt().round() as usize;
        let outputs = (blocks * blocks % p * blocks).div_ceil(p) as f64;
        Self { steps: q.div_ceil(p) as f64, blocks, side: n as f64 / blocks as f64, outputs }
    }

    fn cost(&self, outputs: f64, message: f64) -> Cost {
        let block = self.side * self.side;
        Cost {
            operations: self.steps * block * self.side,
            exchanges: vec![
                Exchange { count: self.steps, words: 2.0 * block, message },
                Exchange { count: outputs, words: block, message },
            ],
            supersteps: 2.0 * self.steps,
        }
    }
}

/// For the customized distribution, by equations 4.5 to 4.8: `q` products of blocks, the cube of an integer,
/// on `p` processes. A message is a block.
pub fn customized(n: usize, q: usize, p: usize, equation: Equation) -> Cost {
    let sizes = Sizes::new(n, q, p);
    sizes.cost(equation.factor(sizes.steps) * sizes.outputs, sizes.side * sizes.side)
}

/// For the static distribution, by equations 4.9 and 4.10, with messages of [`average_message`].
pub fn static_grid(n: usize, q: usize, p: usize, equation: Equation) -> Cost {
    let sizes = Sizes::new(n, q, p);
    let outputs = sizes.steps / sizes.blocks as f64 + equation.factor(sizes.steps) * sizes.outputs;
    sizes.cost(outputs, average_message(n, sizes.blocks, p))
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// The average length of a message in the static distribution (h*).
///
/// A column of the matrix is cut where a block of the algorithm ends, at multiples of n / Q, and where the
/// part of a process ends, at multiples of n / r on a grid of r x c processes. gcd(Q, r) of these places
/// coincide, so that a column has Q + r - gcd(Q, r) pieces, whose average length is the message size: the
/// thesis transfers a block line by line, and takes "the average of all possible message sizes". If Q = r,
/// the lines of a block follow each other in the memory of its process, and a message has all lines that lie
/// on one process, n / (Q + c - gcd(Q, c)) on average. On a square grid, r = c = sqrt(p), lines may be rows
/// or columns.
pub fn average_message(n: usize, blocks: usize, p: usize) -> f64 {
    let (rows, columns) = grid(p);
    let average = |cuts: usize| n as f64 / (blocks + cuts - greatest_common_divisor(blocks, cuts)) as f64;
    let lines = if blocks == rows { average(columns) } else { 1.0 };
    average(rows) * lines
}

/// Words and messages of a superstep.
#[derive(Debug, Clone, PartialEq)]
struct Traffic {
    /// Words that each process receives, and that each one sends.
    received: Vec<usize>,
    sent: Vec<usize>,
    messages: usize,
}

impl Traffic {
    fn new(processes: usize) -> Self {
        Self { received: vec![0; processes], sent: vec![0; processes], messages: 0 }
    }

    fn add(&mut self, from: usize, to: usize, words: usize, messages: usize) {
        if from != to {
            self.sent[from] += words;
            self.received[to] += words;
            self.messages += messages;
        }
    }

    /// The exchange of a superstep, after which nothing is counted.
    fn take(&mut self) -> Option<Exchange> {
        let words = *self.received.iter().chain(&self.sent).max()?;
        let all: usize = self.received.iter().sum();
        let message = all as f64 / self.messages as f64;
        self.received.fill(0);
        self.sent.fill(0);
        self.messages = 0;
        (words > 0).then_some(Exchange { count: 1.0, words: words as f64, message })
    }
}

/// What [`crate::product`] does for a problem on all processes: blocks have the side ceil(n / Q) and smaller
/// ones lie at the edges, blocks of the process itself and blocks that it has already are not transferred,
/// and the columns that remain are divided. The words of a superstep are the most that a process sends or
/// receives, and the words of a message their average.
pub fn scheduled(layout: &Layout) -> Cost {
    let plan = Plan::of(layout);
    let mut schedule = Schedule { layout, plan, fetched: vec![[None; 2]; layout.processes()] };
    let supersteps = plan.products() + plan.sums() + 1;
    // Of the current superstep, and of the next one, to which finished blocks are sent.
    let mut traffic = [(); 2].map(|()| Traffic::new(layout.processes()));
    let (mut exchanges, mut operations) = (Vec::new(), 0.0);
    for superstep in 0..plan.products() {
        operations += schedule.product(superstep, &mut traffic);
        count(&mut exchanges, traffic[0].take());
        traffic.swap(0, 1);
    }
    for step in 0..plan.sums() {
        schedule.sum(step, &mut traffic[0]);
        count(&mut exchanges, traffic[0].take());
    }
    schedule.divided_blocks(&mut traffic[0]);
    count(&mut exchanges, traffic[0].take());
    // Another one registers the matrices.
    Cost { operations, exchanges, supersteps: supersteps as f64 + 1.0 }
}

/// Adds an exchange to the exchanges of the same lengths.
fn count(exchanges: &mut Vec<Exchange>, exchange: Option<Exchange>) {
    let Some(exchange) = exchange else { return };
    let same = |other: &&mut Exchange| (other.words, other.message) == (exchange.words, exchange.message);
    match exchanges.iter_mut().find(same) {
        Some(other) => other.count += 1.0,
        None => exchanges.push(exchange),
    }
}

/// The schedule, superstep by superstep.
struct Schedule<'l> {
    layout: &'l Layout,
    plan: Plan,
    /// The blocks of A and B in the temporary memory of each process.
    fetched: Vec<[Option<(usize, usize)>; 2]>,
}

impl Schedule<'_> {
    /// A superstep with products: adds its traffic to the first element of `traffic`, and the traffic of
    /// finished blocks to the second. Returns the operations of the process that computes most.
    fn product(&mut self, superstep: usize, traffic: &mut [Traffic; 2]) -> f64 {
        // A block of 2^22 x 2^22 elements has 2^66 operations.
        let mut most = 0.0_f64;
        for process in 0..self.layout.processes() {
            let Some(product) = self.plan.product(process, superstep) else { continue };
            for (factor, block) in
                [(product.row, product.inner), (product.inner, product.column)].into_iter().enumerate()
            {
                self.get(process, factor, block, &mut traffic[0]);
            }
            let sizes = [product.row, product.inner, product.column];
            most = most.max(sizes.map(|number| self.layout.range(number).len() as f64).iter().product());
            if product.ends && !product.is_divided {
                self.put(process, (product.row, product.column), &mut traffic[1]);
            }
        }
        most
    }

    fn get(&mut self, process: usize, factor: usize, block: (usize, usize), traffic: &mut Traffic) {
        let pieces = self.layout.pieces(block.0, block.1);
        if lies_on(process, &pieces) || self.fetched[process][factor] == Some(block) {
            return;
        }
        self.fetched[process][factor] = Some(block);
        for piece in &pieces {
            traffic.add(piece.process, process, piece.rows * piece.columns, self.messages(piece, block.0));
        }
    }

    fn put(&self, process: usize, block: (usize, usize), traffic: &mut Traffic) {
        for piece in &self.layout.pieces(block.0, block.1) {
            traffic.add(process, piece.process, piece.rows * piece.columns, self.messages(piece, block.0));
        }
    }

    fn messages(&self, piece: &Piece, row: usize) -> usize {
        if piece.is_contiguous(self.layout.range(row).len()) { 1 } else { piece.columns }
    }

    fn sum(&self, step: usize, traffic: &mut Traffic) {
        for process in 0..self.layout.processes() {
            if let (Some(from), Some((row, column))) =
                (self.plan.sum(process, step), self.plan.divided_block(process))
            {
                traffic.add(from, process, self.layout.block(row, column).elements(), 1);
            }
        }
    }

    fn divided_blocks(&self, traffic: &mut Traffic) {
        for process in 0..self.plan.remaining() {
            if let Some(block) = self.plan.divided_block(process).filter(|_| self.plan.members(process) > 1) {
                self.put(process, block, traffic);
            }
        }
    }
}

/// Whether a block is one piece of a process.
fn lies_on(process: usize, pieces: &[Piece]) -> bool {
    matches!(pieces, [piece] if piece.process == process)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::{MAX_SIZE, Problem};
    use crate::options::Distribution;
    use hcube_testing::sizes::sizes_within;
    use proptest::prelude::*;

    #[test]
    fn costs_are_those_of_the_equations() {
        // Q = 5 on 16 processes: ceil(125 / 16) = 8, e = ceil(9 * 5 / 16) = 3, s = 20.
        let cost = customized(100, 125, 16, Equation::Printed);
        assert_eq!((cost.operations, cost.supersteps), (8.0 * 8000.0, 16.0));
        assert_eq!(cost.words(), 8.0 * 400.0 * (2.0 + 3.0));
        assert_eq!(customized(100, 125, 16, Equation::Corrected).words(), 400.0 * (8.0 * 2.0 + 3.0));
        assert!(cost.exchanges.iter().all(|exchange| exchange.message == 400.0));
        let words = |equation| static_grid(100, 125, 16, equation).words();
        assert!((words(Equation::Printed) - 8.0 * 400.0 * (2.0 + 0.2 + 3.0)).abs() < 1e-9);
        assert!((words(Equation::Corrected) - 400.0 * (8.0 * 2.2 + 3.0)).abs() < 1e-9);
        // No columns remain.
        assert_eq!(customized(100, 64, 16, Equation::Printed), customized(100, 64, 16, Equation::Corrected));
    }

    /// Against the lengths between the places where a column of 7200 elements is cut.
    #[test]
    fn average_messages_are_those_of_all_pieces() {
        for (blocks, p, rows) in [(5, 16, 4), (8, 16, 4), (6, 16, 4), (4, 9, 3), (3, 12, 3), (9, 18, 3)] {
            let n = 7200;
            let mut cuts: Vec<usize> = (1..=blocks).map(|k| k * n / blocks).collect();
            cuts.extend((1..=rows).map(|k| k * n / rows));
            cuts.sort_unstable();
            cuts.dedup();
            let line = n as f64 / cuts.len() as f64;
            let message = average_message(n, blocks, p);
            if blocks == rows {
                // Three rows of blocks on three rows of four processes: a row of blocks is cut at 1/4, 1/3,
                // 1/2, 2/3, 3/4.
                assert_eq!(message, line * n as f64 / 6.0);
            } else {
                assert_eq!(message, line, "{blocks} blocks, {p} processes");
            }
        }
        assert_eq!(average_message(100, 4, 16), 625.0);
    }

    fn cost(n: usize, blocks: usize, p: usize, distribution: Distribution) -> Cost {
        scheduled(&Layout::new(&Problem { n, blocks, distribution }, p).expect("valid"))
    }

    #[test]
    fn scheduled_costs_count_what_is_transferred() {
        // Every process has one column, and its own blocks in one of the two supersteps each.
        let four = cost(100, 2, 4, Distribution::Customized);
        assert_eq!((four.operations, four.supersteps), (2.0 * 50f64.powi(3), 4.0));
        assert_eq!(four.exchanges, [Exchange { count: 2.0, words: 5000.0, message: 2500.0 }]);
        // One block is a piece of one process on either grid.
        assert_eq!(cost(100, 2, 4, Distribution::Static), four);
        let alone = cost(100, 3, 1, Distribution::Static);
        assert_eq!((alone.words(), alone.operations), (0.0, 1e6));
        // The blocks of one column lie on one process.
        let two = cost(100, 1, 2, Distribution::Customized);
        assert_eq!((two.operations, two.words(), two.supersteps), (1e6, 0.0, 3.0));
    }

    /// The processes of a remaining column have nearly as many products as in ceil(q / p) steps.
    #[test]
    fn scheduled_costs_are_close_to_those_of_the_thesis() {
        for p in [4, 9, 16, 25] {
            for blocks in 5..=9 {
                let n = 5040;
                let (ours, thesis) = (
                    cost(n, blocks, p, Distribution::Customized),
                    customized(n, blocks.pow(3), p, Equation::Corrected),
                );
                assert!(ours.operations <= thesis.operations * 1.3, "{blocks} {p}");
                assert!(ours.operations >= (n as f64).powi(3) / p as f64 * 0.999);
                assert!(ours.supersteps <= thesis.supersteps + 2.0, "{blocks} {p}");
            }
        }
    }

    proptest! {
        /// On one process each product of blocks is counted.
        #[test]
        fn operations_of_matrices_of_any_size_are_counted(n in sizes_within(1, MAX_SIZE), blocks in 1..4_usize) {
            let found = cost(n, blocks.min(n), 1, Distribution::Customized);
            let exact = (n as u128).pow(3) as f64;
            prop_assert!((found.operations / exact - 1.0).abs() < 1e-12, "{} of {}", found.operations, exact);
            prop_assert_eq!(found.words(), 0.0);
        }
    }
}
