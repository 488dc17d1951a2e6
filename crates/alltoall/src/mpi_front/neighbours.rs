//! Exchanges between neighbours of a topology, as exchanges of all ranks in which most blocks are empty.
//!
//! If all ranks share memory, an exchange of all ranks takes one round of notices, and each rank reads only
//! the pieces that are for it. Blocks for a rank that is a neighbour several times are combined into one
//! block; their order is determined from the MPI library at the set-up of the communicator. Between nodes the
//! call is forwarded to the MPI library, which sends messages only to neighbours.

use super::arguments::{Named, RECEIVED, SENT, list};
use super::call::Call;
use super::judged::{form, memory};
use crate::Task;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::blocks::Blocks;
use hcube_core::memory::datatype::Block;
use hcube_core::mpi::backend::MpiComm;
use hcube_core::mpi::handle::library_version;
use hcube_core::mpi::topology::{self, Form, Neighbours};

/// Mean length of blocks from which hcube is used. MPI libraries send shorter blocks in the message that
/// announces them, which is faster than a round of notices (faces of 16 x 16 doubles, 2 KiB, Open MPI 4.1.4
/// on 2 cores: 0.5 to 0.95 of its speed on 2, 4 and 8 ranks; faces of 24 x 24: 2.0, 2.4 and 2.2).
const MIN_BLOCK_BYTES: u64 = 4096;

/// Exchanges that are forwarded after one with shorter blocks, before the ranks state the length again.
const FORWARDED_CALLS: u32 = 63;

/// The numbers of the blocks of each rank that is a neighbour.
type Groups = Vec<(usize, Vec<usize>)>;

/// The topology of a communicator.
#[derive(Debug)]
pub(super) struct Topology {
    neighbours: Neighbours,
    /// For each rank that this one receives from, the numbers of its blocks, in the order of the sender's.
    /// For each form of the exchange, from its first one on.
    incoming: [Option<Groups>; 3],
    /// The same for what is sent, in this rank's order.
    outgoing: Groups,
    /// Blocks that all ranks together send to others.
    blocks: u64,
    /// Calls that are still to be forwarded; the same on all ranks.
    forwarded: u32,
    /// Whether the MPI library is MPICH 4.
    of_mpich_4: bool,
}

impl Topology {
    /// Local: `None` for a communicator without a topology.
    ///
    /// # Errors
    /// Errors of MPI.
    pub fn new(comm: &MpiComm) -> Result<Option<Self>> {
        let Some(neighbours) = topology::neighbours(comm)? else { return Ok(None) };
        let outgoing = by_rank(&neighbours.destinations, |number| number);
        Ok(Some(Self {
            neighbours,
            incoming: [const { None }; 3],
            outgoing,
            blocks: 0,
            forwarded: 0,
            of_mpich_4: is_mpich_4(),
        }))
    }

    /// Collective at the first exchange of a form that is served, local afterwards: which blocks belong
    /// together.
    ///
    /// # Errors
    /// Errors of MPI.
    pub fn complete(&mut self, call: &Call, comm: &MpiComm) -> Result<()> {
        let form = form(call.function);
        if self.incoming[form as usize].is_none() {
            let numbers = topology::arriving(comm, &self.neighbours, form)?;
            let others = self.outgoing.iter().filter(|(rank, _)| *rank != comm.rank());
            let mut blocks = [others.map(|(_, numbers)| numbers.len() as u64).sum()];
            comm.all_reduce_sum(&mut blocks)?;
            self.blocks = blocks[0];
            self.incoming[form as usize] = Some(by_rank(&self.neighbours.sources, |number| numbers[number]));
        }
        Ok(())
    }

    /// Local: whether the library delivers other blocks than hcube would, the same on all ranks:
    /// `MPI_Neighbor_alltoallw` of MPICH 4.0.2, with datatypes that differ.
    pub fn is_ambiguous(&self, call: &Call) -> bool {
        self.of_mpich_4 && form(call.function) == Form::Types
    }

    /// Local: whether the next call is forwarded because blocks were short; the same on all ranks.
    pub fn is_forwarding(&self) -> bool {
        self.forwarded > 0
    }

    /// Notes that a call was forwarded.
    pub fn note_forwarded(&mut self) {
        self.forwarded = self.forwarded.saturating_sub(1);
    }

    /// Notes the bytes of all ranks together in an exchange that was made; the same on all ranks.
    pub fn note_served(&mut self, total: u64) {
        if total < self.blocks * MIN_BLOCK_BYTES {
            self.forwarded = FORWARDED_CALLS;
        }
    }

    /// Local: whether the arguments of a call are valid.
    ///
    /// # Errors
    /// The error of them.
    ///
    /// # Safety
    /// The call describes memory and handles as MPI requires.
    pub unsafe fn check(&self, call: &Call, comm: &MpiComm) -> Result<()> {
        // SAFETY: memory and handles of the call are as MPI requires.
        unsafe { self.sides(call, comm, &mut Named::default()) }.map(drop)
    }

    /// Local: what a rank has to do, after [`Self::complete`].
    ///
    /// # Errors
    /// The error of its arguments.
    ///
    /// # Safety
    /// The call describes memory and handles as MPI requires, for as long as the result lives.
    pub unsafe fn read<'a>(&self, call: &Call, comm: &MpiComm, named: &mut Named) -> Result<Task<'a>> {
        // SAFETY: memory and handles of the call are as MPI requires.
        let [send, receive] = unsafe { self.sides(call, comm, named)? };
        let incoming = self.incoming[form(call.function) as usize].as_deref().expect("completed before");
        let size = comm.size();
        Ok(Task::between(join(send, &self.outgoing, size)?, join(receive, incoming, size)?))
    }

    /// # Safety
    /// As [`Self::read`].
    unsafe fn sides<'a>(
        &self,
        call: &Call,
        comm: &MpiComm,
        named: &mut Named,
    ) -> Result<[Vec<Block<'a>>; 2]> {
        let Neighbours { sources, destinations } = &self.neighbours;
        let (function, from, to) = (call.function, sources.len(), destinations.len());
        // SAFETY: arrays hold an entry per neighbour, by the contract of this function.
        unsafe {
            let sent = memory(call, call.send, to, SENT.buffer)?;
            let received = memory(call, call.receive, from, RECEIVED.buffer)?;
            let send = list(function, (&sent, to), comm, named, &SENT)?;
            Ok([send, list(function, (&received, from), comm, named, &RECEIVED)?])
        }
    }
}

fn is_mpich_4() -> bool {
    let version = library_version();
    let mut words = version.split_whitespace();
    words.next() == Some("MPICH") && words.nth(1).is_some_and(|number| number.starts_with("4."))
}

/// The numbers of the blocks of each rank, in the order of `order`.
fn by_rank(neighbours: &[Option<usize>], order: impl Fn(usize) -> usize) -> Groups {
    let mut all: Vec<(usize, usize)> =
        neighbours.iter().enumerate().filter_map(|(number, rank)| Some(((*rank)?, number))).collect();
    all.sort_by_key(|&(rank, number)| (rank, order(number)));
    all.chunk_by(|one, next| one.0 == next.0)
        .map(|group| (group[0].0, group.iter().map(|&(_, number)| number).collect()))
        .collect()
}

/// One block for each of `size` ranks.
fn join<'a>(blocks: Vec<Block<'a>>, groups: &[(usize, Vec<usize>)], size: usize) -> Result<Blocks<'a>> {
    let mut all = vec![Block::joined(Vec::new()).expect("nothing fits"); size];
    for (rank, numbers) in groups {
        let parts = numbers.iter().map(|&number| blocks[number].clone()).collect();
        all[*rank] = Block::joined(parts).ok_or_else(|| {
            Error::Count(format!("blocks for rank {rank}: more bytes than the address space"))
        })?;
    }
    Ok(Blocks::listed(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_a_rank_come_in_the_order_of_their_sender() {
        let neighbours = [Some(3), Some(1), None, Some(3), Some(1)];
        let own = by_rank(&neighbours, |number| number);
        assert_eq!(own, [(1, vec![1, 4]), (3, vec![0, 3])]);
        let arriving = [7, 5, 0, 2, 4];
        assert_eq!(by_rank(&neighbours, |number| arriving[number]), [(1, vec![4, 1]), (3, vec![3, 0])]);
    }

    #[test]
    fn blocks_are_joined_in_order_and_others_are_empty() {
        let mut memory: Vec<u8> = (0..12).collect();
        let base = memory.as_mut_ptr();
        let block = |at: usize, length: usize| {
            // SAFETY: inside the memory, which nothing refers to while blocks of it are used.
            Block::contiguous(unsafe { hcube_core::memory::Region::new(base.wrapping_add(at), length) })
        };
        let blocks = vec![block(8, 4), block(0, 3), block(3, 2)];
        let joined = join(blocks, &[(1, vec![0, 1, 2])], 3).expect("small");
        let bytes: Vec<Vec<u8>> = (0..3)
            .map(|rank| {
                let mut bytes = vec![0; joined.block(rank).bytes()];
                joined.block(rank).pack(0, &mut bytes);
                bytes
            })
            .collect();
        assert_eq!(bytes, [vec![], vec![8, 9, 10, 11, 0, 1, 2, 3, 4], vec![]]);
        let part = &mut [0; 4];
        joined.block(1).pack(2, part);
        assert_eq!(part, &[10, 11, 0, 1]);
    }
}
