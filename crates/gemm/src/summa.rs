//! SUMMA and HSUMMA: C is stationary, panels of op(A) and op(B) are communicated.
//!
//! Idea: op(A) op(B) is a sum over panels of inner indices. For each panel every process row needs its rows
//! of op(A) and every process column its columns of op(B), and multiplies them. On a node the ranks of a line
//! share one panel: the owners of elements write them once, and all ranks multiply directly out of it,
//! without a broadcast and without a barrier. Between nodes panels are broadcast by the schedules of
//! [`crate::schedule`]: SUMMA's broadcast, or HSUMMA's in levels. A panel that a rank owns completely is used
//! in place.
//!
//! Restrictions: none. Cost between nodes, on a grid of R x C processes with panels of w columns: k/w
//! broadcasts along a row and along a column, k (m/R + n/C) elements per rank; each element of a factor
//! enters each domain of its line once. Copies and memory: see [`crate::pipeline`].
//!
//! Source: van de Geijn and Watts, "SUMMA: scalable universal matrix multiplication algorithm", Concurrency:
//! Practice and Experience 9, 1997; Quintin, Hasanov and Lastovetsky, ICPP 2013; shared panels: our own.

use crate::element::Scalar;
use crate::factor::Factor;
use crate::local::{Columns, LocalGemm, LocalProduct};
use crate::panels::Panels;
use crate::pipeline::{Pipeline, Setting};
use crate::product::Product;
use hcube_core::comm::Comm;
use hcube_core::comm::requests::{self, Requests};
use hcube_core::error::Result;
use hcube_core::machine::work::Unit;
use std::ops::Range;

/// Simulated work: a multiplication and an addition of real numbers.
pub const MULTIPLY_ADD: Unit = Unit::new("multiply-add");

/// Parts into which a local product is divided while messages are outstanding, so that MPI makes progress
/// between them.
const MAX_SLABS: usize = 8;
/// Columns of such a part at least.
const MIN_SLAB_COLUMNS: usize = 64;

/// A product that is being computed.
struct Summa<'e, 'p, C: Comm> {
    product: &'e Product<'p>,
    factors: [&'e Factor<'p>; 2],
    panels: &'e Panels,
    local: &'e LocalGemm,
    pipeline: Pipeline<'e, 'p, C>,
}

/// Where a factor that is in place lies from an inner index on, and whether outer indices are next to each
/// other.
fn in_matrix<'p>(factor: &Factor<'p>, first: usize) -> (Columns<'p>, bool) {
    let memory = factor.matrix.memory;
    let offset = factor.own_offset(first).min(memory.len());
    (Columns { memory: memory.part(offset..memory.len()), leading: factor.matrix.leading }, factor.by_outer)
}

/// This rank's product of some inner indices.
fn local_product<'a>(
    product: &'a Product<'_>,
    factors: [&Factor<'_>; 2],
    [(a, a_by_outer), (b, b_by_outer)]: [(Columns<'a>, bool); 2],
    (length, beta): (usize, &'a Scalar),
) -> LocalProduct<'a> {
    let (c, grid, (m, n)) = (&product.c, product.grid, product.own_size());
    let (row, column) = (c.rows.first_local(grid.row), c.columns.first_local(grid.column));
    let offset = (column * c.leading + row) * product.element.bytes();
    LocalProduct {
        letters: [factors[0].letter(a_by_outer, true), factors[1].letter(b_by_outer, false)],
        sizes: [m, n, length],
        alpha: &product.alpha,
        a,
        b,
        beta,
        c: Columns { memory: c.memory.part(offset..c.memory.len()), leading: c.leading },
    }
}

/// Multiplications and additions of this rank for `length` inner indices.
fn work(product: &Product<'_>, length: usize) -> usize {
    let (m, n) = product.own_size();
    m * n * length * (product.element.flops() as usize / 2)
}

/// Local: computes a product of which every rank has what it multiplies.
pub fn multiply_in_place<C: Comm>(
    comm: &C,
    product: &Product<'_>,
    factors: [&Factor<'_>; 2],
    local: &LocalGemm,
) {
    let (m, n) = product.own_size();
    if m > 0 && n > 0 {
        let columns = factors.map(|factor| in_matrix(factor, 0));
        local.multiply(&local_product(product, factors, columns, (product.k, &product.beta)));
        comm.charge(MULTIPLY_ADD.of(work(product, product.k)));
    }
}

/// Collective: computes the product, and returns the bytes that this rank has sent. The factors are A and B
/// by rows and columns of C; the panels contain the factors that are not in place.
///
/// # Errors
/// Of MPI, before anything is under way; later errors end the job.
pub fn multiply<C: Comm>(
    setting: Setting<'_, C>,
    product: &Product<'_>,
    factors: [&Factor<'_>; 2],
    panels: &Panels,
    local: &LocalGemm,
) -> Result<u64> {
    let (comm, patience) = (setting.comm, setting.patience);
    requests::scope(comm, patience, |requests| {
        let moving = factors.map(|factor| Some(factor).filter(|factor| !factor.in_place));
        let pipeline = Pipeline::new(setting, product.grid, (moving, product.k), panels, true);
        let mut summa = Summa { product, factors, panels, local, pipeline };
        summa.run(requests)?;
        Ok(summa.pipeline.sent())
    })
}

impl<'e, C: Comm> Summa<'e, '_, C> {
    fn run(&mut self, requests: &mut Requests<'e, C>) -> Result<()> {
        for panel in 0..self.panels.count {
            let start = self.pipeline.wait_for(requests, panel)?;
            if panel == 0 {
                self.pipeline.give_way(panel);
            }
            let inner = self.panels.inner(panel, self.product.k);
            self.multiply_panel(requests, inner, start, panel == 0)?;
            self.pipeline.release_panel(requests, panel)?;
        }
        self.pipeline.finish(requests)
    }

    /// Where a factor's part for some inner indices lies: in the matrix, or in the panel at `start`.
    fn columns(&self, side: usize, inner: &Range<usize>, start: usize) -> (Columns<'e>, bool) {
        let factor = self.factors[side];
        if factor.in_place {
            return in_matrix(factor, inner.start);
        }
        let line = [self.product.grid.row, self.product.grid.column][side];
        let (memory, leading) = self.pipeline.area(start, side, line).expect("the own line has a panel");
        (Columns { memory, leading }, self.panels.by_outer[side])
    }

    /// Adds the product of a panel to C.
    fn multiply_panel(
        &mut self,
        requests: &mut Requests<'e, C>,
        inner: Range<usize>,
        start: usize,
        is_first: bool,
    ) -> Result<()> {
        let product = self.product;
        let (m, n) = product.own_size();
        if m == 0 || n == 0 {
            return Ok(());
        }
        let columns = [0, 1].map(|side| self.columns(side, &inner, start));
        let one = Scalar::real(product.element, 1.0);
        let beta = if is_first { &product.beta } else { &one };
        let local = local_product(product, self.factors, columns, (inner.len(), beta));
        let work = work(product, inner.len());
        // Independent of whether messages are outstanding now: the same call gives the same bits every time.
        if !self.pipeline.has_messages() {
            self.local.multiply(&local);
            self.pipeline.comm.charge(MULTIPLY_ADD.of(work));
            self.pipeline.settle();
            return Ok(());
        }
        let slab = n.div_ceil(MAX_SLABS).max(MIN_SLAB_COLUMNS).min(n);
        for begin in (0..n).step_by(slab) {
            let end = (begin + slab).min(n);
            self.local.multiply_columns(&local, begin, end);
            self.pipeline.comm.charge(MULTIPLY_ADD.of(work / n * (end - begin)));
            self.pipeline.advance(requests)?;
        }
        self.pipeline.settle();
        Ok(())
    }
}
