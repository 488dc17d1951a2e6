//! The transform of ranks that share memory, in three passes over the vector.
//!
//! Idea: six steps (transposition, transforms of columns, factors, transposition, transforms of rows, transposition) need
//! no passes of their own for the transpositions: each rank takes blocks of eight columns, then of eight rows, out of what
//! all ranks have stored. First every rank copies of its rows what other ranks transform, as blocks of columns that are
//! contiguous; its own columns it reads where they are. A block is replaced by its transform, in the same place. The
//! transforms of rows are stored where the caller wants them, as far as the columns of the result are this
//! rank's own, and otherwise in blocks that the others copy at the end. Ranks wait for each other three times.
//!
//! Restrictions: rows and columns are multiples of the number of ranks.
//! Cost: no messages. A rank of P reads and writes 16 n / P bytes in each of the two passes, and copies
//! 16 n / P (P - 1) / P bytes before and after them; one rank copies nothing. Memory of the node: 32 n bytes, 16 n for one
//! rank.
//! Source: D. H. Bailey, FFTs in External or Hierarchical Memory, J. Supercomputing 4 (1990); C. van Loan, Computational
//! Frameworks for the Fast Fourier Transform, SIAM 1992, section 3.3.

use crate::kernel::passes::{
    self, BLOCK_ROW, Columns, Copies, Direct, Rows, Workspace, block_length, groups,
};
use crate::kernel::transform::Transform;
use crate::kernel::view::View;
use crate::kernel::{LANES, Level};
use crate::phases::Phases;
use crate::shape::Shape;
use crate::stages::{Laps, Stages};
use hcube_core::comm::{Comm, agree};
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::node::panels::{Counter, PanelMemory};
use hcube_core::progress::wait::Patience;
use std::ops::Range;
use std::sync::atomic::Ordering;

/// What a rank keeps between transforms.
#[derive(Debug)]
pub struct OnNode {
    shape: Shape,
    backward: bool,
    level: Level,
    columns: Transform,
    rows: Transform,
    phases: Phases,
    workspace: Workspace,
    memory: PanelMemory,
    patience: Patience,
    /// Waits so far.
    waits: u64,
}

/// Bits for the code of an error.
const CODE_BITS: u32 = 8;
/// Bytes of a row of a block.
const ROW_BYTES: usize = BLOCK_ROW * size_of::<f64>();

/// Bytes of the blocks of columns, and bytes of the blocks of rows.
fn bytes(shape: &Shape) -> Option<[usize; 2]> {
    let [columns, rows] = shape.blocks();
    let of = |blocks: usize, rows: usize| blocks.checked_mul(rows)?.checked_mul(ROW_BYTES);
    let others = if shape.ranks > 1 { rows } else { 0 };
    Some([of(columns, shape.rows.next_multiple_of(LANES))?, of(others, shape.columns)?])
}

impl OnNode {
    /// Collective: sets the transform up, on ranks that share memory.
    ///
    /// # Errors
    /// On all ranks, where one has no memory.
    pub fn new<C: Comm>(
        comm: &C,
        shape: Shape,
        transforms: [Transform; 2],
        backward: bool,
        patience: Patience,
    ) -> Result<Self> {
        let [columns, rows] = transforms;
        let capacity = bytes(&shape).and_then(|[blocks, others]| blocks.checked_add(others));
        let capacity =
            capacity.ok_or_else(|| Error::Memory(format!("memory for {} complex numbers", shape.length())));
        let ranks: Vec<usize> = (0..shape.ranks).collect();
        let memory = PanelMemory::share_large(comm, &ranks, agree(comm, capacity)?)?;
        let blocks = shape.own_blocks()[0].clone().map(|block| block * LANES);
        let phases = Phases::new(&columns, shape.length(), blocks);
        let workspace = Workspace::new([shape.rows, shape.columns]);
        let level = Level::detect();
        Ok(Self { shape, backward, level, columns, rows, phases, workspace, memory, patience, waits: 0 })
    }

    /// Collective: transforms the distributed vector. The first part is this rank's input; the second part receives its
    /// result, and may be the same memory. Or the error that all ranks are to report.
    ///
    /// # Errors
    /// On all ranks, where one has an error; nothing is written then.
    pub fn execute<C: Comm>(&mut self, comm: &C, parts: Result<(Region<'_>, Region<'_>)>) -> Result<Stages> {
        let mut workspace = std::mem::take(&mut self.workspace);
        let result = self.three_passes(comm, parts, &mut workspace);
        self.workspace = workspace;
        self.waits += 3;
        result
    }

    fn three_passes<C: Comm>(
        &self,
        comm: &C,
        parts: Result<(Region<'_>, Region<'_>)>,
        workspace: &mut Workspace,
    ) -> Result<Stages> {
        let mut laps = Laps::start(|| comm.seconds());
        let mut stages = Stages::default();
        let shape = &self.shape;
        let parts = parts.inspect_err(|refusal| self.refuse(refusal)).map(|(input, output)| {
            let before = Direct { rows: shape.own_rows(), data: View::of(input), length: shape.columns };
            let after = Direct { rows: shape.own_columns(), data: View::of(output), length: shape.rows };
            self.copy_in(&before, workspace);
            (before, after)
        });
        stages.first_exchange = laps.lap();
        self.wait(comm, 1);
        stages.first_wait = laps.lap();
        let (before, after) = parts?;
        self.check_refusals()?;
        self.transform_columns(&before, workspace);
        stages.columns = laps.lap();
        self.wait(comm, 2);
        stages.second_exchange = laps.lap();
        self.transform_rows(&after, workspace);
        stages.rows = laps.lap();
        self.wait(comm, 3);
        stages.last_wait = laps.lap();
        self.copy_out(&after, workspace);
        stages.last_exchange = laps.lap();
        Ok(stages)
    }

    /// A number that tells others of an error in this transform, with its code.
    fn refusal(&self, code: u64) -> u64 {
        (self.waits + 1) << CODE_BITS | code
    }

    /// Tells others of an error, before the first wait.
    fn refuse(&self, error: &Error) {
        let number = self.refusal(error.code() as u64);
        self.memory.counter(self.shape.rank, Counter::Complete).store(number, Ordering::Relaxed);
    }

    /// The error of another rank, after the first wait.
    fn check_refusals(&self) -> Result<()> {
        for rank in 0..self.shape.ranks {
            let number = self.memory.counter(rank, Counter::Complete).load(Ordering::Relaxed);
            if number >= self.refusal(0) {
                let code = (number % (1 << CODE_BITS)) as i32;
                return Err(Error::Remote {
                    rank,
                    code,
                    message: "its part of the vector is not valid".into(),
                });
            }
        }
        Ok(())
    }

    /// The node's memory: blocks of columns, and those of rows.
    fn blocks(&self) -> [View<'_>; 2] {
        let [columns, rows] = bytes(&self.shape).expect("allocated");
        [0..columns, columns..columns + rows].map(|range| {
            // SAFETY: ranks write only to the blocks and rows of their shares, and read them after they have waited for
            // those who wrote them; before a part is written again, all ranks that have read it have been waited for.
            View::of(unsafe { self.memory.region(range) })
        })
    }

    /// Waits until all ranks have come to the same place: wait number `number` of a transform.
    fn wait<C: Comm>(&self, comm: &C, number: u64) {
        let place = self.waits + number;
        self.memory.counter(self.shape.rank, Counter::Written).store(place, Ordering::Release);
        for rank in 0..self.shape.ranks {
            let counter = self.memory.counter(rank, Counter::Written);
            let mut wait = self.patience.wait();
            while counter.load(Ordering::Acquire) < place {
                wait.pause(comm);
            }
        }
    }

    /// Copies this rank's rows, as far as others transform them.
    fn copy_in(&self, before: &Direct<'_>, workspace: &mut Workspace) {
        let [memory, _] = self.blocks();
        for blocks in others(self.shape.blocks()[0], &self.shape.own_blocks()[0]) {
            let block_length = block_length(self.shape.rows);
            let copies = Copies { direct: before.clone(), blocks, memory, block_length };
            passes::copy_in(self.level, &copies, workspace);
        }
    }

    fn transform_columns(&self, before: &Direct<'_>, workspace: &mut Workspace) {
        let [memory, _] = self.blocks();
        let own = &self.shape.own_blocks()[0];
        for blocks in groups(own, self.shape.rows) {
            let columns = Columns {
                transform: &self.columns,
                number: blocks.start - own.start,
                blocks,
                direct: before.clone(),
                memory,
                phases: &self.phases,
                backward: self.backward,
            };
            passes::columns(self.level, &columns, workspace);
        }
    }

    fn transform_rows(&self, after: &Direct<'_>, workspace: &mut Workspace) {
        let [memory, target] = self.blocks();
        for blocks in groups(&self.shape.own_blocks()[1], self.shape.columns) {
            let rows = Rows {
                transform: &self.rows,
                blocks,
                memory,
                height: self.shape.rows,
                direct: after.clone(),
                target,
                backward: self.backward,
            };
            passes::rows(self.level, &rows, workspace);
        }
    }

    /// Copies what others have transformed of this rank's part of the result.
    fn copy_out(&self, after: &Direct<'_>, workspace: &mut Workspace) {
        let [_, memory] = self.blocks();
        for blocks in others(self.shape.blocks()[1], &self.shape.own_blocks()[1]) {
            let block_length = BLOCK_ROW * self.shape.columns;
            let copies = Copies { direct: after.clone(), blocks, memory, block_length };
            passes::copy_out(self.level, &copies, workspace);
        }
    }
}

/// All blocks but some.
fn others(all: usize, own: &Range<usize>) -> [Range<usize>; 2] {
    [0..own.start, own.end..all]
}
