//! Broadcast and fold: collective operations that are complete on return, at any point between or inside
//! supersteps. They do not end a superstep: communication that was requested before is not affected.
//!
//! Cost: a fold has log2(P) rounds of messages of the length of the operands, in a binomial tree, and a
//! broadcast; operands are combined in the order of the processes, so operations need not be commutative.
//! Source: Krusche 2005, §2.6 (Broadcast, Fold), after the second draft of BSPlib.

use crate::spmd::Spmd;
use hcube_core::Result;
use hcube_core::comm::requests::scope;
use hcube_core::comm::{Comm, tags};

/// Longest message.
const PIECE_BYTES: usize = 1 << 30;

impl<C: Comm> Spmd<C> {
    /// Collective: the bytes of process `root` on all processes.
    ///
    /// # Errors
    /// For a process that does not exist, and errors of MPI.
    pub fn broadcast(&mut self, root: usize, bytes: &mut [u8]) -> Result<()> {
        self.check_process(root)?;
        bytes.chunks_mut(PIECE_BYTES).try_for_each(|piece| self.comm.broadcast(piece, root))
    }

    /// Collective: combines the operands of all processes, in their order, by `combine(first, second)`, which
    /// leaves the result in the first; the result on all processes.
    ///
    /// # Errors
    /// Errors of MPI.
    pub fn fold(
        &mut self,
        operand: &mut Vec<u8>,
        mut combine: impl FnMut(&mut Vec<u8>, &[u8]),
    ) -> Result<()> {
        let (own, size, tag) = (self.pid(), self.nprocs(), tags::BSP.tag(tags::BSP.count() - 1));
        let mut distance = 1;
        while distance < size && own.is_multiple_of(distance) {
            if own % (2 * distance) != 0 {
                self.send_operand(operand, own - distance, tag)?;
                break;
            }
            if own + distance < size {
                let mut other = vec![0; operand.len()];
                for piece in other.chunks_mut(PIECE_BYTES) {
                    scope(&self.comm, self.patience, |requests| {
                        requests.receive(0, piece, own + distance, tag)
                    })?;
                }
                combine(operand, &other);
            }
            distance *= 2;
        }
        self.broadcast(0, operand)
    }

    fn send_operand(&self, operand: &[u8], to: usize, tag: i32) -> Result<()> {
        for piece in operand.chunks(PIECE_BYTES) {
            scope(&self.comm, self.patience, |requests| requests.send(0, piece, to, tag))?;
        }
        Ok(())
    }
}
