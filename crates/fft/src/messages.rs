//! The transform of ranks on several nodes: three exchanges, and transforms of columns and rows between them.
//!
//! Idea: the six steps of [`on_node`](crate::on_node), with a transposition of [`hcube_transpose`] where
//! ranks that share memory only wait. It packs and unpacks transposed blocks in the order in which the passes
//! read them.
//!
//! Restrictions: rows and columns are multiples of the number of ranks.
//! Cost: three exchanges of 16 n / P bytes per rank; P - 1 messages per rank and exchange between nodes, with
//! the algorithms of [`hcube_alltoall`]. A rank reads and writes its block in two passes, and copies it twice
//! between blocks and rows.
//! Memory: 48 n / P bytes per rank.
//! Source: as for `on_node`; the exchange follows M. Hofmann and G. Ruenger, EuroMPI 2013.

use crate::COMPLEX;
use crate::kernel::LANES;
use crate::kernel::copies::{self, Copies};
use crate::kernel::passes::{self, Columns, Direct, Matrix, Rows, Workspace, block_length, groups};
use crate::kernel::view::View;
use crate::memory::Memory;
use crate::shape::Shape;
use crate::stages::{Laps, Stages};
use crate::transforms::Transforms;
use crate::work::levels;
use hcube_alltoall::{ExchangeState, Options};
use hcube_core::comm::{Comm, agree};
use hcube_core::error::Result;
use hcube_core::machine::work::COPY;
use hcube_core::memory::Region;
use hcube_core::node::pages::Pages;
use hcube_transpose::{Layout, Parts, transpose};
use std::sync::Arc;

/// Real numbers of a complex number.
const NUMBERS: usize = 2;

/// The state of a rank between transforms.
#[derive(Debug)]
pub struct Messages {
    transforms: Transforms,
    workspace: Workspace,
    exchange: ExchangeState,
    /// Two parts of the vector, and blocks of columns or rows.
    memory: [Pages; 3],
    /// Memory for parts of the vector, from the first call that requests it.
    parts: Option<Arc<Memory>>,
}

impl Messages {
    /// Collective: sets the transform up.
    ///
    /// # Errors
    /// Errors of [`ExchangeState::new`]; on all ranks, if one has no memory.
    pub fn new<C: Comm>(comm: &C, shape: Shape, backward: bool, options: &Options) -> Result<Self> {
        let exchange = ExchangeState::new(comm, options)?;
        let own_columns = shape.own_columns();
        let (width, height) = (own_columns.len(), shape.own_rows().len());
        let block_numbers = |side: usize, length: usize| side.div_ceil(LANES) * block_length(length);
        let part = NUMBERS * shape.part();
        let blocks = block_numbers(width, shape.rows).max(block_numbers(shape.columns, height));
        let memory = Pages::new(part).and_then(|one| Ok([one, Pages::new(part)?, Pages::new(blocks)?]));
        let memory = agree(comm, memory)?;
        let workspace = Workspace::new([shape.rows, shape.columns]);
        let transforms = Transforms::new(shape, backward, own_columns.step_by(LANES));
        Ok(Self { transforms, workspace, exchange, memory, parts: None })
    }

    /// Collective: memory of this rank for parts of the vector, always the same.
    ///
    /// # Errors
    /// On all ranks, if one has no memory.
    pub fn parts<C: Comm>(&mut self, comm: &C) -> Result<Arc<Memory>> {
        if self.parts.is_none() {
            let bytes = COMPLEX * self.transforms.shape.part();
            self.parts = Some(Arc::new(Memory::new(comm, bytes, false)?));
        }
        Ok(Arc::clone(self.parts.as_ref().expect("allocated")))
    }

    /// Collective: as [`OnNode::execute`](crate::on_node::OnNode::execute).
    ///
    /// # Errors
    /// As there, and errors of the exchanges.
    pub fn execute<C: Comm>(&mut self, comm: &C, parts: Result<(Region<'_>, Region<'_>)>) -> Result<Stages> {
        let Self { transforms, workspace, exchange, memory, .. } = self;
        Steps { comm, transforms, workspace, exchange }.run(parts, memory.each_mut().map(Pages::region))
    }
}

/// A transform in progress.
struct Steps<'a, C> {
    comm: &'a C,
    transforms: &'a Transforms,
    workspace: &'a mut Workspace,
    exchange: &'a mut ExchangeState,
}

impl<C: Comm> Steps<'_, C> {
    fn run(
        &mut self,
        parts: Result<(Region<'_>, Region<'_>)>,
        [one, other, blocks]: [Region<'_>; 3],
    ) -> Result<Stages> {
        let comm = self.comm;
        let mut laps = Laps::start(|| comm.seconds());
        let mut stages = Stages::default();
        let Shape { rows, columns, .. } = self.transforms.shape;
        let part = self.transforms.shape.part();
        let (by_row, by_column) = (Layout::RowMajor, Layout::ColumnMajor);
        let blocks = View::of(blocks);
        // A rank without parts takes part, so that all ranks see its error.
        let output = parts.as_ref().map_or(other, |&(_, output)| output);
        let ends = parts.map(|(input, _)| [input, one]);
        self.exchange([rows, columns], [by_row, by_column], ends)?;
        stages.first_exchange = laps.lap();
        self.transform_columns(View::of(one), blocks);
        self.unblock(blocks, View::of(other));
        comm.charge(levels(part, rows));
        comm.charge(COPY.of(COMPLEX * part));
        stages.columns = laps.lap();
        self.exchange([columns, rows], [by_column, by_row], Ok([other, one]))?;
        stages.second_exchange = laps.lap();
        self.block(View::of(one), blocks);
        self.transform_rows(blocks, View::of(other));
        comm.charge(COPY.of(COMPLEX * part));
        comm.charge(levels(part, columns));
        stages.rows = laps.lap();
        self.exchange([rows, columns], [by_column, by_row], Ok([other, output]))?;
        stages.last_exchange = laps.lap();
        Ok(stages)
    }

    /// Transposes a matrix that is distributed by rows.
    fn exchange(
        &mut self,
        [rows, columns]: [usize; 2],
        [before, after]: [Layout; 2],
        ends: Result<[Region<'_>; 2]>,
    ) -> Result<()> {
        let ranks = self.transforms.shape.ranks;
        let shape = hcube_transpose::Shape {
            rows,
            columns,
            element_bytes: COMPLEX,
            row_block: rows / ranks,
            column_block: columns / ranks,
            before,
            after,
        };
        // Packed and unpacked.
        self.comm.charge(COPY.of(2 * COMPLEX * self.transforms.shape.part()));
        let work = ends.map(|[from, to]| (shape, Parts::Between(from, to)));
        transpose(self.comm, self.exchange, work).map(drop)
    }

    /// From rows with all of this rank's columns to blocks.
    fn transform_columns(&mut self, from: View<'_>, memory: View<'_>) {
        let Transforms { shape, backward, level, columns: transform, phases, .. } = self.transforms;
        let side = shape.own_columns().len();
        let direct = Direct { rows: 0..shape.rows, data: from, length: side, large_pages: false };
        let matrix = &Matrix::new(vec![direct], shape.rows);
        for blocks in groups(&(0..side.div_ceil(LANES)), shape.rows) {
            let number = blocks.start;
            let columns = Columns { transform, number, blocks, matrix, memory, phases, backward: *backward };
            passes::columns(*level, &columns, self.workspace);
        }
    }

    /// From blocks of this rank's columns to rows with all of them.
    fn unblock(&mut self, memory: View<'_>, to: View<'_>) {
        let Transforms { shape, level, .. } = self.transforms;
        let side = shape.own_columns().len();
        let direct = Direct { rows: 0..shape.rows, data: to, length: side, large_pages: false };
        let (blocks, block_length) = (0..side.div_ceil(LANES), block_length(shape.rows));
        copies::unblock(*level, &Copies { direct, blocks, memory, block_length }, self.workspace);
    }

    /// From this rank's rows to blocks of columns.
    fn block(&mut self, from: View<'_>, memory: View<'_>) {
        let Transforms { shape, level, .. } = self.transforms;
        let side = shape.own_rows().len();
        let direct = Direct { rows: 0..side, data: from, length: shape.columns, large_pages: false };
        let (blocks, block_length) = (0..shape.columns.div_ceil(LANES), block_length(side));
        copies::block(*level, &Copies { direct, blocks, memory, block_length }, self.workspace);
    }

    /// From blocks of columns to the columns of the result that this rank's rows become.
    fn transform_rows(&mut self, memory: View<'_>, to: View<'_>) {
        let Transforms { shape, backward, level, rows: transform, .. } = self.transforms;
        let height = shape.own_rows().len();
        let direct = Direct { rows: 0..shape.columns, data: to, length: height, large_pages: false };
        let matrix = &Matrix::new(vec![direct], shape.columns);
        for blocks in groups(&(0..height.div_ceil(LANES)), shape.columns) {
            let target = memory.part(0..0);
            let rows = Rows { transform, blocks, memory, height, matrix, target, backward: *backward };
            passes::rows(*level, &rows, self.workspace);
        }
    }
}
