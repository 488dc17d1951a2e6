//! The transform of ranks that share memory, in three passes over the vector.
//!
//! Idea: the six steps (transposition, transforms of columns, twiddle factors, transposition, transforms of
//! rows, transposition) need no separate passes for the transpositions: each rank reads blocks of eight
//! columns, then of eight rows, out of the data of all ranks. First every rank copies the parts of its rows
//! that other ranks transform into contiguous blocks of columns; it reads its own columns in place. A block
//! is replaced by its transform, in the same place. The transforms of rows are stored directly in the
//! caller's output if the columns of the result belong to this rank, and otherwise in blocks that the other
//! ranks copy at the end. Ranks wait for each other three times.
//!
//! Blocks of the vector in [`Memory`], which all ranks can access, need neither copy: columns are read, and
//! rows stored, there. Each rank decides this for its own blocks, and tells the others at the first wait.
//!
//! Restrictions: rows and columns are multiples of the number of ranks.
//! Cost: no messages. A rank of P reads and writes 16 n / P bytes in each of the two passes, and copies 16 n
//! / P (P - 1) / P bytes before and after them; one rank, or blocks in shared memory, need no copies. Memory
//! of the
//! node: 32 n bytes, 16 n for one rank.
//! Source: D. H. Bailey, FFTs in External or Hierarchical Memory, J. Supercomputing 4 (1990); C. van Loan,
//! Computational Frameworks for the Fast Fourier Transform, SIAM 1992, section 3.3.

use crate::COMPLEX;
use crate::kernel::LANES;
use crate::kernel::copies::{self, Copies};
use crate::kernel::passes::{
    self, BLOCK_ROW, Columns, Direct, Matrix, Rows, Workspace, block_length, groups,
};
use crate::kernel::view::View;
use crate::memory::Memory;
use crate::rounds::{Places, Rounds};
use crate::shape::Shape;
use crate::stages::{Laps, Stages};
use crate::transforms::Transforms;
use crate::work::levels;

use hcube_core::comm::{Comm, agree};
use hcube_core::error::{Error, Result};
use hcube_core::machine::work::COPY;
use hcube_core::memory::Region;
use hcube_core::node::counted_memory::CountedMemory;
use hcube_core::progress::wait::Patience;
use std::ops::Range;
use std::sync::Arc;

/// What a rank keeps between transforms.
#[derive(Debug)]
pub struct OnNode {
    transforms: Transforms,
    workspace: Workspace,
    /// The blocks, with the waits of their ranks.
    rounds: Rounds,
    /// Memory for parts of the vector, from the first call that asks for it.
    parts: Option<Arc<Memory>>,
}

/// Both ends of a transform on this rank.
struct Ends<'a> {
    before: Direct<'a>,
    after: Direct<'a>,
    places: Places,
}

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
    pub fn new<C: Comm>(comm: &C, shape: Shape, backward: bool, patience: Patience) -> Result<Self> {
        let capacity = bytes(&shape).and_then(|[blocks, others]| blocks.checked_add(others));
        let capacity =
            capacity.ok_or_else(|| Error::Memory(format!("memory for {} complex numbers", shape.length())));
        let ranks: Vec<usize> = (0..shape.ranks).collect();
        let blocks = CountedMemory::share_large(comm, &ranks, agree(comm, capacity)?)?;
        let workspace = Workspace::new([shape.rows, shape.columns]);
        let own = shape.own_blocks()[0].clone().map(|block| block * LANES);
        let transforms = Transforms::new(shape, backward, own);
        Ok(Self { transforms, workspace, rounds: Rounds::new(blocks, patience), parts: None })
    }

    /// Collective: memory of this rank and the others for parts of the vector, always the same.
    ///
    /// # Errors
    /// On all ranks, where one has no memory.
    pub fn parts<C: Comm>(&mut self, comm: &C) -> Result<Arc<Memory>> {
        if self.parts.is_none() {
            self.parts = Some(Arc::new(Memory::new(comm, COMPLEX * self.transforms.shape.part(), true)?));
        }
        Ok(Arc::clone(self.parts.as_ref().expect("allocated")))
    }

    /// Collective: transforms the distributed vector. The first part is this rank's input; the second part
    /// receives its result, and may be the same memory. Or the error that all ranks are to report.
    ///
    /// # Errors
    /// On all ranks, if one has an error; nothing is written then.
    pub fn execute<C: Comm>(&mut self, comm: &C, parts: Result<(Region<'_>, Region<'_>)>) -> Result<Stages> {
        let mut workspace = std::mem::take(&mut self.workspace);
        let result = self.three_passes(comm, parts, &mut workspace);
        self.workspace = workspace;
        self.rounds.end();
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
        let shape = &self.transforms.shape;
        let ends = self.ends(parts);
        if let Ok(ends) = &ends
            && ends.places.input.is_none()
        {
            self.copy_in(&ends.before, workspace);
            comm.charge(COPY.of(COMPLEX * shape.part()));
        }
        self.rounds.tell(ends.as_ref().map(|ends| ends.places));
        stages.first_exchange = laps.lap();
        self.rounds.wait(comm, 1);
        stages.first_wait = laps.lap();
        let ends = ends?;
        let all = self.rounds.all_places()?;
        self.transform_columns(&ends.before, &all, workspace);
        comm.charge(levels(shape.part(), shape.rows));
        stages.columns = laps.lap();
        self.rounds.wait(comm, 2);
        stages.second_exchange = laps.lap();
        self.transform_rows(&ends.after, &all, workspace);
        comm.charge(levels(shape.part(), shape.columns));
        stages.rows = laps.lap();
        self.rounds.wait(comm, 3);
        stages.last_wait = laps.lap();
        if ends.places.output.is_none() {
            self.copy_out(&ends.after, workspace);
            comm.charge(COPY.of(COMPLEX * shape.part()));
        }
        stages.last_exchange = laps.lap();
        Ok(stages)
    }

    /// The rows of this rank before and after the transform.
    fn ends<'a>(&self, parts: Result<(Region<'a>, Region<'a>)>) -> Result<Ends<'a>> {
        let shape = &self.transforms.shape;
        let (input, output) = parts?;
        let which = |region: Region<'_>| self.parts.as_ref().and_then(|parts| parts.which(region));
        let has_large_pages = self.parts.as_ref().is_some_and(|parts| parts.has_large_pages());
        let direct = |rows, region: Region<'a>, length| {
            let large_pages = has_large_pages && which(region).is_some();
            Direct { rows, data: View::of(region), length, large_pages }
        };
        Ok(Ends {
            before: direct(shape.own_rows(), input, shape.columns),
            after: direct(shape.own_columns(), output, shape.rows),
            places: Places { input: which(input), output: which(output) },
        })
    }

    /// The matrix before or after the transform, `rows` rows of `length` numbers: the rows of this rank, rows
    /// of others in shared memory, and the rest in blocks.
    fn matrix<'a>(
        &'a self,
        own: &Direct<'a>,
        [rows, length]: [usize; 2],
        places: impl Iterator<Item = Option<usize>>,
    ) -> Matrix<'a> {
        let Shape { ranks, rank: own_rank, .. } = self.transforms.shape;
        let rows_of = |rank| rows / ranks * rank..rows / ranks * (rank + 1);
        let direct = places.enumerate().filter_map(|(rank, place)| {
            if rank == own_rank {
                return Some(own.clone());
            }
            let parts = self.parts.as_ref()?;
            let range = parts.range(rank, place?);
            // A part that its rank has given to this transform: between the first two waits ranks only read
            // it, between the last two each of them writes the columns of its share, and the rank itself uses
            // it otherwise.
            let data = View::of(parts.all().region(range));
            Some(Direct { rows: rows_of(rank), data, length, large_pages: parts.has_large_pages() })
        });
        Matrix::new(direct.collect(), rows)
    }

    /// The node's memory: blocks of columns and of rows.
    fn blocks(&self) -> [View<'_>; 2] {
        let [columns, rows] = bytes(&self.transforms.shape).expect("allocated");
        // Ranks write only to the blocks and rows of their shares, and read them after they have waited for
        // those who wrote them; before a part is written again, all ranks that have read it have been waited
        // for.
        [0..columns, columns..columns + rows].map(|range| View::of(self.rounds.memory().region(range)))
    }

    /// Copies this rank's rows, as far as others transform them.
    fn copy_in(&self, before: &Direct<'_>, workspace: &mut Workspace) {
        let [memory, _] = self.blocks();
        let Transforms { shape, level, .. } = &self.transforms;
        for blocks in others(shape.blocks()[0], &shape.own_blocks()[0]) {
            let block_length = block_length(shape.rows);
            let copies = Copies { direct: before.clone(), blocks, memory, block_length };
            copies::copy_in(*level, &copies, workspace);
        }
    }

    fn transform_columns(&self, before: &Direct<'_>, places: &[Places], workspace: &mut Workspace) {
        let [memory, _] = self.blocks();
        let Transforms { shape, backward, level, columns: transform, phases, .. } = &self.transforms;
        let inputs = places.iter().map(|places| places.input);
        let matrix = &self.matrix(before, [shape.rows, shape.columns], inputs);
        let own = &shape.own_blocks()[0];
        for blocks in groups(own, shape.rows) {
            let number = blocks.start - own.start;
            let columns = Columns { transform, number, blocks, matrix, memory, phases, backward: *backward };
            passes::columns(*level, &columns, workspace);
        }
    }

    fn transform_rows(&self, after: &Direct<'_>, places: &[Places], workspace: &mut Workspace) {
        let [memory, target] = self.blocks();
        let Transforms { shape, backward, level, rows: transform, .. } = &self.transforms;
        let outputs = places.iter().map(|places| places.output);
        let matrix = &self.matrix(after, [shape.columns, shape.rows], outputs);
        for blocks in groups(&shape.own_blocks()[1], shape.columns) {
            let height = shape.rows;
            let rows = Rows { transform, blocks, memory, height, matrix, target, backward: *backward };
            passes::rows(*level, &rows, workspace);
        }
    }

    /// Copies what others have transformed of this rank's part of the result.
    fn copy_out(&self, after: &Direct<'_>, workspace: &mut Workspace) {
        let [_, memory] = self.blocks();
        let Transforms { shape, level, .. } = &self.transforms;
        for blocks in others(shape.blocks()[1], &shape.own_blocks()[1]) {
            let block_length = BLOCK_ROW * shape.columns;
            let copies = Copies { direct: after.clone(), blocks, memory, block_length };
            copies::copy_out(*level, &copies, workspace);
        }
    }
}

/// All blocks but some.
fn others(all: usize, own: &Range<usize>) -> [Range<usize>; 2] {
    [0..own.start, own.end..all]
}
