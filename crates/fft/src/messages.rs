//! The transform of ranks on several nodes: three exchanges, and transforms of columns and rows between them.
//!
//! Idea: the six steps of [`on_node`](crate::on_node), with a transposition of [`hcube_transpose`] where ranks that share memory
//! only wait. It packs and unpacks blocks transposed, and hands them over in the order in which the passes read them.
//!
//! Restrictions: rows and columns are multiples of the number of ranks.
//! Cost: three exchanges of 16 n / P bytes per rank; P - 1 messages per rank and exchange between nodes, with the choices
//! of [`hcube_alltoall`]. A rank reads and writes its part in two passes, and copies it twice between blocks and rows.
//! Memory: 48 n / P bytes per rank.
//! Source: as there; the exchange is that of M. Hofmann and G. Ruenger, EuroMPI 2013.

use crate::kernel::passes::{self, BLOCK_ROW, Columns, Direct, Rows, Workspace, block_length, groups};
use crate::kernel::transform::Transform;
use crate::kernel::vector::Row;
use crate::kernel::view::View;
use crate::kernel::{LANES, Level};
use crate::phases::Phases;
use crate::shape::Shape;
use crate::stages::{Laps, Stages};
use hcube_alltoall::{ExchangeState, Options};
use hcube_core::comm::{Comm, agree};
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_transpose::{Layout, Parts, transpose};

/// Bytes of a complex number.
const COMPLEX: usize = 16;

/// What a rank keeps between transforms.
#[derive(Debug)]
pub struct Messages {
    shape: Shape,
    backward: bool,
    level: Level,
    columns: Transform,
    rows: Transform,
    phases: Phases,
    workspace: Workspace,
    exchange: ExchangeState,
    /// Two parts of the vector, and blocks of columns or rows.
    memory: [Vec<u8>; 3],
}

/// Memory of this process, with its pages.
fn zeros(bytes: usize) -> Result<Vec<u8>> {
    let mut memory = Vec::new();
    memory.try_reserve_exact(bytes).map_err(|_| Error::Memory(format!("{bytes} bytes of memory")))?;
    memory.resize(bytes, 0);
    Ok(memory)
}

impl Messages {
    /// Collective: sets the transform up.
    ///
    /// # Errors
    /// Those of [`ExchangeState::new`]; on all ranks, where one has no memory.
    pub fn new<C: Comm>(
        comm: &C,
        shape: Shape,
        transforms: [Transform; 2],
        backward: bool,
        options: &Options,
    ) -> Result<Self> {
        let exchange = ExchangeState::new(comm, options)?;
        let [columns, rows] = transforms;
        let (own_columns, own_rows) = (shape.own_columns(), shape.own_rows());
        let block_bytes = |side: usize, length: usize| {
            side.div_ceil(LANES) * length.next_multiple_of(LANES) * size_of::<Row>()
        };
        let part = shape.part() * COMPLEX;
        let blocks =
            block_bytes(own_columns.len(), shape.rows).max(block_bytes(shape.columns, own_rows.len()));
        let memory = zeros(part).and_then(|one| Ok([one, zeros(part)?, zeros(blocks)?]));
        let memory = agree(comm, memory)?;
        let phases = Phases::new(&columns, shape.length(), own_columns.step_by(LANES));
        let workspace = Workspace::new([shape.rows, shape.columns]);
        let level = Level::detect();
        Ok(Self { shape, backward, level, columns, rows, phases, workspace, exchange, memory })
    }

    /// Collective: as [`OnNode::execute`](crate::on_node::OnNode::execute).
    ///
    /// # Errors
    /// As there, and those of the exchanges.
    pub fn execute<C: Comm>(&mut self, comm: &C, parts: Result<(Region<'_>, Region<'_>)>) -> Result<Stages> {
        let mut memory = std::mem::take(&mut self.memory);
        let result = self.six_steps(comm, parts, memory.each_mut().map(|memory| Region::of(memory)));
        self.memory = memory;
        result
    }

    fn six_steps<C: Comm>(
        &mut self,
        comm: &C,
        parts: Result<(Region<'_>, Region<'_>)>,
        [one, other, blocks]: [Region<'_>; 3],
    ) -> Result<Stages> {
        let mut laps = Laps::start(|| comm.seconds());
        let mut stages = Stages::default();
        let [rows, columns] = [self.shape.rows, self.shape.columns];
        let (by_row, by_column) = (Layout::RowMajor, Layout::ColumnMajor);
        let blocks = View::of(blocks);
        // A rank without parts takes part, so that all ranks see its error.
        let output = parts.as_ref().map_or(other, |&(_, output)| output);
        let ends = parts.map(|(input, _)| [input, one]);
        self.exchange(comm, [rows, columns], [by_row, by_column], ends)?;
        stages.first_exchange = laps.lap();
        self.transform_columns(View::of(one), blocks);
        self.unblock(blocks, View::of(other));
        stages.columns = laps.lap();
        self.exchange(comm, [columns, rows], [by_column, by_row], Ok([other, one]))?;
        stages.second_exchange = laps.lap();
        self.block(View::of(one), blocks);
        self.transform_rows(blocks, View::of(other));
        stages.rows = laps.lap();
        self.exchange(comm, [rows, columns], [by_column, by_row], Ok([other, output]))?;
        stages.last_exchange = laps.lap();
        Ok(stages)
    }

    /// Transposes a matrix that is distributed by rows.
    fn exchange<C: Comm>(
        &mut self,
        comm: &C,
        [rows, columns]: [usize; 2],
        [before, after]: [Layout; 2],
        ends: Result<[Region<'_>; 2]>,
    ) -> Result<()> {
        let ranks = self.shape.ranks;
        let shape = hcube_transpose::Shape {
            rows,
            columns,
            element_bytes: COMPLEX,
            row_block: rows / ranks,
            column_block: columns / ranks,
            before,
            after,
        };
        let work = ends.map(|[from, to]| (shape, Parts::Between(from, to)));
        transpose(comm, &mut self.exchange, work).map(drop)
    }

    /// From rows with all of this rank's columns to blocks.
    fn transform_columns(&mut self, from: View<'_>, memory: View<'_>) {
        let side = self.shape.own_columns().len();
        for blocks in groups(&(0..side.div_ceil(LANES)), self.shape.rows) {
            let columns = Columns {
                transform: &self.columns,
                number: blocks.start,
                blocks,
                direct: Direct { rows: 0..self.shape.rows, data: from, length: side },
                memory,
                phases: &self.phases,
                backward: self.backward,
            };
            passes::columns(self.level, &columns, &mut self.workspace);
        }
    }

    /// From blocks of this rank's columns to rows with all of them.
    fn unblock(&self, blocks: View<'_>, to: View<'_>) {
        let (side, length) = (self.shape.own_columns().len(), block_length(self.shape.rows));
        for row in 0..self.shape.rows {
            for column in 0..side {
                let start = length * (column / LANES) + BLOCK_ROW * row + column % LANES;
                let [[re], [im]] = [0, LANES].map(|part| blocks.read(start + part));
                to.write(2 * (row * side + column), [re, im]);
            }
        }
    }

    /// From this rank's rows to blocks of columns.
    fn block(&self, from: View<'_>, blocks: View<'_>) {
        let side = self.shape.own_rows().len();
        let (columns, length) = (self.shape.columns, block_length(side));
        for row in 0..side {
            for column in 0..columns {
                let start = length * (column / LANES) + BLOCK_ROW * row + column % LANES;
                let [re, im] = from.read(2 * (row * columns + column));
                blocks.write(start, [re]);
                blocks.write(start + LANES, [im]);
            }
        }
    }

    /// From blocks of columns to the columns of the result that this rank's rows become.
    fn transform_rows(&mut self, memory: View<'_>, to: View<'_>) {
        let side = self.shape.own_rows().len();
        for blocks in groups(&(0..side.div_ceil(LANES)), self.shape.columns) {
            let rows = Rows {
                transform: &self.rows,
                blocks,
                memory,
                height: side,
                direct: Direct { rows: 0..self.shape.columns, data: to, length: side },
                target: memory.part(0..0),
                backward: self.backward,
            };
            passes::rows(self.level, &rows, &mut self.workspace);
        }
    }
}
