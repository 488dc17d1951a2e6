//! Functions that all ranks of a communicator call together.

use super::{MpiComm, check, count};
use crate::comm::{Comm, agree};
use crate::error::{Error, Result};
use crate::mpi::constants::constants;
use crate::mpi::raw::{self, MPI_Comm, MPI_Datatype, MPI_Op};
use std::ffi::c_int;

impl MpiComm {
    /// Combines the values of all ranks in place; `of` is the datatype of a `Value`.
    pub(super) fn reduce<Value>(
        &self,
        values: &mut [Value],
        of: MPI_Datatype,
        operation: MPI_Op,
    ) -> Result<()> {
        self.settle();
        // SAFETY: in place, on a buffer of our own with as many values of that type.
        check("MPI_Allreduce", unsafe {
            raw::PMPI_Allreduce(
                constants().in_place,
                values.as_mut_ptr().cast(),
                count(values.len())?,
                of,
                operation,
                self.private,
            )
        })
    }

    /// The values of all ranks, by rank.
    pub(super) fn gather(&self, values: &[u64]) -> Result<Vec<u64>> {
        self.settle();
        let mut all = vec![0; values.len() * self.size];
        let length = count(values.len())?;
        // SAFETY: `all` has room for `length` words of every rank.
        check("MPI_Allgather", unsafe {
            raw::PMPI_Allgather(
                values.as_ptr().cast(),
                length,
                self.words,
                all.as_mut_ptr().cast(),
                length,
                self.words,
                self.private,
            )
        })?;
        Ok(all)
    }

    /// Bytes of `root` to all ranks.
    pub(super) fn send_to_all(&self, bytes: &mut [u8], root: usize) -> Result<()> {
        self.settle();
        // SAFETY: the buffer is ours and has the length given.
        check("MPI_Bcast", unsafe {
            raw::PMPI_Bcast(
                bytes.as_mut_ptr().cast(),
                count(bytes.len())?,
                constants().byte,
                root as c_int,
                self.private,
            )
        })
    }

    /// Part i to rank i; what has come, by rank.
    pub(super) fn exchange(&self, parts: &[Vec<u64>]) -> Result<Vec<u64>> {
        assert_eq!(parts.len(), self.size, "a part for each rank");
        self.settle();
        let lengths: Vec<c_int> = parts.iter().map(|part| count(part.len())).collect::<Result<_>>()?;
        let mut arriving = vec![0 as c_int; self.size];
        let words = self.words;
        // SAFETY: a 4-byte integer per rank in both arrays.
        check("MPI_Alltoall", unsafe {
            raw::PMPI_Alltoall(
                lengths.as_ptr().cast(),
                size_of::<c_int>() as c_int,
                constants().byte,
                arriving.as_mut_ptr().cast(),
                size_of::<c_int>() as c_int,
                constants().byte,
                self.private,
            )
        })?;
        let places = displacements(&lengths).and_then(|from| Ok((from, displacements(&arriving)?)));
        // A rank that went on would wait for the others.
        let ((from, _), (to, total)) = agree(self, places)?;
        let (sent, mut received) = (parts.concat(), vec![0u64; total]);
        // SAFETY: lengths and displacements describe the two buffers exactly.
        check("MPI_Alltoallv", unsafe {
            raw::PMPI_Alltoallv(
                sent.as_ptr().cast(),
                lengths.as_ptr(),
                from.as_ptr(),
                words,
                received.as_mut_ptr().cast(),
                arriving.as_ptr(),
                to.as_ptr(),
                words,
                self.private,
            )
        })?;
        Ok(received)
    }

    /// Ranks that can share memory with this one, by MPI's own judgement, as a communicator.
    fn split_node(&self) -> Result<MPI_Comm> {
        let mut node = self.private;
        // SAFETY: `private` lives as long as self.
        check("MPI_Comm_split_type", unsafe {
            raw::PMPI_Comm_split_type(
                self.private,
                constants().comm_type_shared,
                self.rank as c_int,
                constants().info_null,
                &mut node,
            )
        })?;
        Ok(node)
    }

    /// Of every rank, the smallest rank of its node.
    pub(super) fn first_ranks_of_nodes(&self) -> Result<Vec<u32>> {
        self.settle();
        let mut node = self.split_node()?;
        let mut leader = [self.rank as u64];
        // SAFETY: rank 0 of `node` has the smallest rank of it, as the split is ordered by rank.
        unsafe {
            let code = raw::PMPI_Bcast(leader.as_mut_ptr().cast(), 1, self.words, 0, node);
            raw::PMPI_Comm_free(&mut node);
            check("MPI_Bcast", code)?;
        }
        Ok(self.gather(&leader)?.into_iter().map(|number| number as u32).collect())
    }
}

/// Displacements of blocks that follow one another, and where the last one ends.
fn displacements(lengths: &[c_int]) -> Result<(Vec<c_int>, usize)> {
    let refused = || Error::Count("more than 2^31 - 1 words for all ranks together in one exchange".into());
    let mut end: c_int = 0;
    let starts = lengths.iter().map(|&length| {
        let start = end;
        end = start.checked_add(length).filter(|_| length >= 0).ok_or_else(refused)?;
        Ok(start)
    });
    let starts = starts.collect::<Result<_>>()?;
    Ok((starts, end as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displacements_are_sums_that_fit() {
        assert_eq!(displacements(&[3, 0, 2]), Ok((vec![0, 3, 3], 5)));
        assert_eq!(displacements(&[c_int::MAX, 0]), Ok((vec![0, c_int::MAX], c_int::MAX as usize)));
        for lengths in [&[c_int::MAX, 1][..], &[1 << 30, 1 << 30, 0], &[1, -1]] {
            assert!(matches!(displacements(lengths), Err(Error::Count(_))), "{lengths:?}");
        }
    }
}
