//! Ranks that share memory: each reads the other ranks' parts of A directly.
//!
//! Idea: a rank publishes the location of its part of A in the memory of the node, and waits until all ranks
//! have done so. Then it transposes every block that it needs directly from the part of its owner to its own
//! part of C, and waits until all ranks have finished, because their programs may change A afterwards.
//!
//! Restrictions: the parts of A are in [`Memory`], except on one rank.
//! Cost: no messages; for an m x n matrix on P ranks, a rank reads 16 m n / P bytes and writes 8 m n / P, the
//! same as a local transposition of its share. Two waits. Memory: none in addition to the matrices.
//! Source: our own; the block-cyclic transposition with messages follows J. Choi, J. Dongarra, D. Walker,
//! Parallel matrix transpose algorithms on distributed memory concurrent computers, Parallel Computing 21
//! (1995).

use super::memory::Memory;
use super::notices::{Notice, Notices};
use super::shape::Shape;
use super::tile::{Instructions, Matrix, Update, bytes};
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::progress::wait::Patience;
use std::sync::Arc;

/// What a rank keeps between transpositions.
#[derive(Debug)]
pub struct OnNode {
    shape: Shape,
    rank: usize,
    instructions: Instructions,
    /// Where the others' parts are, with their numbers in it; not needed on one rank.
    parts: Option<(Arc<Memory>, Vec<usize>)>,
    notices: Notices,
}

impl OnNode {
    /// Collective: sets a transposition up. `parts` are the memory and the numbers of all ranks in it.
    ///
    /// # Errors
    /// On all ranks, where one has no memory.
    pub fn new<C: Comm>(
        comm: &C,
        shape: Shape,
        parts: Option<(Arc<Memory>, Vec<usize>)>,
        patience: Patience,
    ) -> Result<Self> {
        let notices = Notices::new(comm, patience)?;
        Ok(Self { shape, rank: comm.rank(), instructions: Instructions::detect(), parts, notices })
    }

    /// Where a part of A lies in this rank's part of the memory, where others read it.
    fn offset(&self, a: Region<'_>) -> Result<usize> {
        let Some((memory, _)) = &self.parts else { return Ok(0) };
        let offset = a.address().addr().wrapping_sub(memory.address().addr());
        if a.is_empty() {
            Ok(0)
        } else if offset <= memory.bytes() && a.len() <= memory.bytes() - offset {
            Ok(offset)
        } else {
            let expected = "in the memory with which the transposition was created";
            let given = format!("a = {:p}, {} bytes: expected a place {expected}", a.address(), a.len());
            Err(Error::Buffer(given))
        }
    }

    /// Collective: C = A' + beta C. Of A a region and the numbers from column to column, and C; or the error
    /// that all ranks are to report.
    ///
    /// # Errors
    /// On all ranks, where one has an error; nothing is written then.
    pub fn execute<C: Comm>(
        &mut self,
        comm: &C,
        operands: Result<(Region<'_>, usize, Matrix<'_>)>,
        update: Update,
    ) -> Result<()> {
        let checked = operands.and_then(|(a, stride, c)| Ok((a, stride, c, self.offset(a)?)));
        let notice = match &checked {
            Ok((_, stride, _, offset)) => Notice { offset: *offset as u64, stride: *stride as u64, code: 0 },
            Err(error) => Notice { offset: 0, stride: 0, code: error.code() as u64 },
        };
        let notices = self.notices.exchange(comm, notice);
        let result = checked.and_then(|(a, _, c, _)| {
            refusal(&notices)?;
            self.transpose(a, &notices, c, update);
            Ok(())
        });
        self.notices.finish(comm);
        result
    }

    /// Between the two waits of [`execute`](Self::execute).
    fn transpose(&self, own: Region<'_>, notices: &[Notice], c: Matrix<'_>, update: Update) {
        let parts: Vec<Matrix<'_>> = (0..notices.len()).map(|rank| self.part(rank, own, notices)).collect();
        for piece in self.shape.incoming(self.rank) {
            let [high, wide] = piece.size;
            let from = parts[piece.other].part(piece.from, piece.size);
            self.instructions.transpose(from, c.part(piece.to, [wide, high]), update);
        }
    }

    /// The part of A of a rank, to be read in [`transpose`](Self::transpose).
    fn part<'a>(&'a self, rank: usize, own: Region<'a>, notices: &[Notice]) -> Matrix<'a> {
        let (size, stride) = (self.shape.part(rank), notices[rank].stride as usize);
        let region = match &self.parts {
            Some((memory, numbers)) => {
                let offset = notices[rank].offset as usize;
                let length = bytes(size, stride).expect("its rank has checked it");
                // It is only read, by `transpose`, between the two waits of `execute`: its rank has published
                // it before, and its program gets it back after them.
                memory.part(numbers[rank]).part(offset..offset + length)
            }
            None => own,
        };
        Matrix::new(region, size, stride)
    }

    /// The instructions of this processor.
    pub fn instructions(&self) -> Instructions {
        self.instructions
    }
}

/// The error of another rank.
fn refusal(notices: &[Notice]) -> Result<()> {
    match notices.iter().position(|notice| notice.code != 0) {
        None => Ok(()),
        Some(rank) => Err(Error::Remote {
            rank,
            code: notices[rank].code as i32,
            message: "its parts of the matrices are not valid".into(),
        }),
    }
}
