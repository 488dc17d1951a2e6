//! SUMMA and HSUMMA: C stays where it is, panels of op(A) and op(B) come to it.
//!
//! Idea: op(A) op(B) is a sum over panels of inner indices. For each panel every process row needs its rows of op(A) and
//! every process column its columns of op(B), and multiplies them. On a node the ranks of a line share one panel: who
//! owns elements writes them once, and all multiply straight out of it, without a broadcast and without a barrier.
//! Between nodes panels travel by the schedules of [`crate::schedule`]: SUMMA's broadcast, or HSUMMA's in levels. What a
//! rank has as a whole is used where it lies.
//!
//! Restrictions: none. Cost between nodes, on a grid of R x C processes with panels of w columns: k/w broadcasts along a
//! row and along a column, k (m/R + n/C) elements per rank; each element of a factor enters each domain of its line once.
//! Copies and memory: those of [`crate::transit`].
//!
//! Source: van de Geijn and Watts, "SUMMA: scalable universal matrix multiplication algorithm", Concurrency: Practice
//! and Experience 9, 1997; Quintin, Hasanov and Lastovetsky, ICPP 2013; shared panels: our own.

use crate::element::Scalar;
use crate::factor::Factor;
use crate::local::{Columns, LocalGemm, LocalProduct};
use crate::panels::Panels;
use crate::product::Product;
use crate::transit::{Setting, Transit};
use hcube_core::comm::Comm;
use hcube_core::comm::requests::{self, Requests};
use hcube_core::error::Result;
use hcube_core::machine::work::Unit;
use std::ops::Range;

/// Simulated work: a multiplication and an addition of real numbers.
pub const MULTIPLY_ADD: Unit = Unit::new("multiply-add");

/// Parts into which a local product is cut while messages are under way, so that MPI makes progress between them.
const MAX_SLABS: usize = 8;
/// Columns of such a part at least.
const MIN_SLAB_COLUMNS: usize = 64;

/// A product on its way.
struct Summa<'e, 'p, C: Comm> {
    product: &'e Product<'p>,
    factors: [&'e Factor<'p>; 2],
    panels: &'e Panels,
    local: &'e LocalGemm,
    transit: Transit<'e, 'p, C>,
}

/// Collective: computes the product, and returns the bytes that this rank has sent. The factors are A and B by rows and columns of C; the panels are those of the
/// factors that are not in place.
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
        let transit = Transit::new(setting, product.grid, (moving, product.k), panels, true);
        let mut summa = Summa { product, factors, panels, local, transit };
        summa.run(requests)?;
        Ok(summa.transit.sent())
    })
}

impl<'e, C: Comm> Summa<'e, '_, C> {
    fn run(&mut self, requests: &mut Requests<'e, C>) -> Result<()> {
        if self.factors.iter().all(|factor| factor.in_place) {
            return self.multiply_panel(requests, 0..self.product.k, 0, true);
        }
        for panel in 0..self.panels.count {
            let start = self.transit.wait_for(requests, panel)?;
            if panel == 0 {
                self.transit.give_way(panel);
            }
            let inner = self.panels.inner(panel, self.product.k);
            self.multiply_panel(requests, inner, start, panel == 0)?;
            self.transit.release_panel(requests, panel)?;
        }
        self.transit.finish(requests)
    }

    /// Where a factor's part for some inner indices lies: in the matrix, or in the panel at `start`.
    fn columns(&self, side: usize, inner: &Range<usize>, start: usize) -> (Columns<'e>, bool) {
        let factor = self.factors[side];
        if factor.in_place {
            let memory = factor.matrix.memory;
            let offset = factor.own_offset(inner.start).min(memory.len());
            let columns =
                Columns { memory: memory.part(offset..memory.len()), leading: factor.matrix.leading };
            return (columns, factor.by_outer);
        }
        let line = [self.product.grid.row, self.product.grid.column][side];
        let (memory, leading) = self.transit.area(start, side, line).expect("the own line has a panel");
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
        let (c, grid) = (&product.c, product.grid);
        let (row, column) = (c.rows.first_local(grid.row), c.columns.first_local(grid.column));
        let offset = (column * c.leading + row) * product.element.bytes();
        let [(a, a_by_outer), (b, b_by_outer)] = [0, 1].map(|side| self.columns(side, &inner, start));
        let one = Scalar::real(product.element, 1.0);
        let local = LocalProduct {
            letters: [self.factors[0].letter(a_by_outer, true), self.factors[1].letter(b_by_outer, false)],
            sizes: [m, n, inner.len()],
            alpha: &product.alpha,
            a,
            b,
            beta: if is_first { &product.beta } else { &one },
            c: Columns { memory: c.memory.part(offset..c.memory.len()), leading: c.leading },
        };
        let work = m * n * inner.len() * (product.element.flops() as usize / 2);
        // Not whether messages are under way now: the same call gives the same bits every time.
        if !self.transit.has_messages() {
            self.local.multiply(&local);
            self.transit.comm.charge(MULTIPLY_ADD.of(work));
            self.transit.settle();
            return Ok(());
        }
        let slab = n.div_ceil(MAX_SLABS).max(MIN_SLAB_COLUMNS).min(n);
        for begin in (0..n).step_by(slab) {
            let end = (begin + slab).min(n);
            self.local.multiply_columns(&local, begin, end);
            self.transit.comm.charge(MULTIPLY_ADD.of(work / n * (end - begin)));
            self.transit.advance(requests)?;
        }
        self.transit.settle();
        Ok(())
    }
}
