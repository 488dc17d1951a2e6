//! Products in which A or B is stationary, for inner sizes that are large compared with m and n.
//!
//! Idea: SUMMA communicates both factors, m k + k n elements. If A is stationary, each rank multiplies its
//! part of A by its inner indices of a panel of columns of op(B); the result is a partial sum for these
//! columns of C. Only op(B) is communicated, and m n elements for each process along the inner indices. The
//! same holds for rows of C if B is stationary.
//!
//! Restrictions: neither the stationary matrix nor C is replicated. Cost: the panels of one factor
//! ([`crate::pipeline`]), and partial products ([`crate::partial`]). Memory: a partial product of each rank
//! in addition to each panel.
//!
//! Source: PBLAS selects among the same three forms; the parallel algorithm is SUMMA, van de Geijn and Watts
//! 1997, section 5.

use crate::domain::Domains;
use crate::element::Scalar;
use crate::factor::Factor;
use crate::local::{Columns, LocalGemm, LocalProduct};
use crate::panels::Panels;
use crate::partial::{Partial, Partials};
use crate::pipeline::{Pipeline, Setting};
use crate::product::{Dimension, Matrix, Operation, Product};
use crate::summa::MULTIPLY_ADD;
use hcube_core::comm::Comm;
use hcube_core::comm::requests::{self, Requests};
use hcube_core::error::Result;
use hcube_core::node::counted_memory::Counter;
use std::ops::Range;

/// The matrix that stays: A or B.
#[derive(Debug, Clone, Copy)]
pub struct Fixed<'a> {
    /// 0 for A, 1 for B.
    pub number: usize,
    /// The matrix.
    pub matrix: Matrix<'a>,
    /// Its letter in the local product.
    letter: u8,
    /// The dimension of the grid along which its outer indices lie: rows of C where A stays, else columns.
    pub outer: Dimension,
}

impl<'a> Fixed<'a> {
    /// A (0) or B (1) of a product.
    pub fn new(product: &Product<'a>, number: usize) -> Self {
        let plain = product.operations[number] == Operation::Plain;
        let letter = match product.operations[number] {
            Operation::Adjoint if !product.element.is_complex() => Operation::Transpose.letter(),
            operation => operation.letter(),
        };
        // Outer indices are rows of op(A) and columns of op(B).
        let outer = if plain == (number == 0) { Dimension::Rows } else { Dimension::Columns };
        Self { number, matrix: [product.a, product.b][number], letter, outer }
    }

    /// The dimension of C with its outer indices.
    pub const fn of_c(&self) -> Dimension {
        if self.number == 0 { Dimension::Rows } else { Dimension::Columns }
    }

    /// The factor that moves: its panels hold the inner indices of the product as the matrix that stays has
    /// them.
    pub fn moving(&self, product: &Product<'a>) -> Factor<'a> {
        let inner = self.outer.other();
        let target = (self.matrix.section(inner), inner);
        Factor::new(product, 1 - self.number, self.number == 0, target, None).with_panels()
    }

    /// Whether it may stay.
    pub fn is_possible(&self, product: &Product<'a>) -> bool {
        let everywhere = |matrix: &Matrix<'_>| {
            [matrix.rows, matrix.columns].iter().any(|section| section.axis.source.is_none())
        };
        !everywhere(&self.matrix) && !everywhere(&product.c)
    }

    /// Bytes that move within or between nodes, for a factor that does not lie in place.
    pub fn moved_bytes(&self, product: &Product<'a>) -> f64 {
        let size = product.element.bytes() as f64;
        let [m, n, k] = [product.m, product.n, product.k].map(|size| size as f64);
        let moving = if self.number == 0 { k * n } else { m * k };
        let parts = product.grid.processes(self.outer.other()) as f64;
        // A partial product is written and read.
        size * (moving + 2.0 * parts * m * n)
    }
}

/// A product in progress.
struct Stationary<'e, 'p, C: Comm> {
    product: &'e Product<'p>,
    fixed: &'e Fixed<'p>,
    factor: &'e Factor<'p>,
    panels: &'e Panels,
    local: &'e LocalGemm,
    domains: &'e Domains,
    partials: Partials,
    pipeline: Pipeline<'e, 'p, C>,
}

/// Collective: computes the product, and returns the bytes that this rank has sent. The factor is the one
/// that moves, and the panels are its.
///
/// # Errors
/// Errors of MPI, before anything is outstanding; later errors end the job.
pub fn multiply<C: Comm>(
    setting: Setting<'_, C>,
    product: &Product<'_>,
    (fixed, factor): (&Fixed<'_>, &Factor<'_>),
    panels: &Panels,
    local: &LocalGemm,
) -> Result<u64> {
    let (comm, patience, domains) = (setting.comm, setting.patience, setting.domains);
    let outer = fixed.matrix.section(fixed.outer);
    let partials = Partials::new(product, (outer, fixed.outer), fixed.of_c(), domains);
    requests::scope(comm, patience, |requests| {
        let mut moving = [None, None];
        moving[factor.lines as usize] = Some(factor);
        let pipeline = Pipeline::new(setting, product.grid, (moving, factor.inner.length), panels, false);
        let mut stationary =
            Stationary { product, fixed, factor, panels, local, domains, partials, pipeline };
        stationary.run(requests)?;
        Ok(stationary.pipeline.sent())
    })
}

impl<'e, C: Comm> Stationary<'e, '_, C> {
    fn run(&mut self, requests: &mut Requests<'e, C>) -> Result<()> {
        let computing: Vec<usize> = self.partials.computing_here();
        let number_of = |rank: &usize| self.domains.ranks.binary_search(rank).expect("a rank of the domain");
        let computing: Vec<usize> = computing.iter().map(number_of).collect();
        for panel in 0..self.panels.count {
            let indices = self.panels.inner(panel, self.factor.inner.length);
            let comm = self.pipeline.comm;
            let size = self.product.element.bytes();
            let mut messages = self.partials.begin(comm, panel, &indices, size)?;
            let start = self.pipeline.wait_for(requests, panel)?;
            self.multiply_panel(start, &indices);
            let count = self.pipeline.number(panel) + 1;
            let own = self.partial(start, self.domains.own, &indices);
            self.pipeline.sent += self.partials.send(comm, &mut messages, (panel, &indices), (own, size))?;
            self.pipeline.settle();
            // A rank that reads the count sees this rank's partial product.
            self.pipeline.counters.publish(Counter::Multiplied, count);
            self.pipeline.until(requests, |pipeline| {
                let computing = computing.iter().copied();
                let multiplied = pipeline.counters.have(computing, Counter::Multiplied, count);
                Ok(multiplied && self.partials.have_arrived(comm, &mut messages)?)
            })?;
            self.partials.sum(self.product, &messages, &indices, |rank| {
                let number = self.domains.ranks.binary_search(&rank).expect("a rank of the domain");
                self.partial(start, number, &indices)
            });
            self.pipeline.until(requests, |_| messages.have_left(comm))?;
            self.pipeline.release_panel(requests, panel)?;
        }
        self.pipeline.finish(requests)
    }

    /// The partial product of a rank of this domain.
    fn partial(&self, start: usize, number: usize, indices: &Range<usize>) -> Partial<'e> {
        let (offset, area) = self.panels.partials;
        let begin = start + offset + number * area.bytes;
        // The area of one rank in the panel that starts here. That rank writes it after all have released the
        // previous panel there, and others read it after that rank's counter has been incremented.
        let memory = self.pipeline.memory.region(begin..begin + area.bytes);
        // Columns of C: as long as this rank's part where A stays, as wide as the panel where B does.
        let leading = if self.fixed.number == 0 { area.leading } else { indices.len().max(1) };
        Partial { memory, leading }
    }

    fn multiply_panel(&self, start: usize, indices: &Range<usize>) {
        let (product, fixed, grid) = (self.product, self.fixed, self.product.grid);
        let size = product.element.bytes();
        let (outer, inner) = (fixed.matrix.section(fixed.outer), fixed.matrix.section(fixed.outer.other()));
        let (outer_count, inner_count) =
            (outer.count(grid.own(fixed.outer)), inner.count(grid.own(fixed.outer.other())));
        let (rows, columns) =
            (fixed.matrix.rows.first_local(grid.row), fixed.matrix.columns.first_local(grid.column));
        let memory = fixed.matrix.memory;
        let offset = ((columns * fixed.matrix.leading + rows) * size).min(memory.len());
        let stays = Columns { memory: memory.part(offset..memory.len()), leading: fixed.matrix.leading };
        let by_outer = self.panels.by_outer[self.factor.lines as usize];
        let line = grid.own(self.factor.lines);
        let (region, leading) =
            self.pipeline.area(start, self.factor.lines as usize, line).expect("the own line");
        let moves = Columns { memory: region, leading };
        let letter = self.factor.letter(by_outer, fixed.number == 0);
        let Partial { memory, leading } = self.partial(start, self.domains.own, indices);
        let zero = Scalar::real(product.element, 0.0);
        let (letters, sizes, a, b) = match fixed.number {
            0 => ([fixed.letter, letter], [outer_count, indices.len(), inner_count], stays, moves),
            _ => ([letter, fixed.letter], [indices.len(), outer_count, inner_count], moves, stays),
        };
        let c = Columns { memory, leading };
        self.local.multiply(&LocalProduct { letters, sizes, alpha: &product.alpha, a, b, beta: &zero, c });
        let work = outer_count * indices.len() * inner_count * (product.element.flops() as usize / 2);
        self.pipeline.comm.charge(MULTIPLY_ADD.of(work));
    }
}
