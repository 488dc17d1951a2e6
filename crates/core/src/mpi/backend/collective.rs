//! Functions that all ranks of a communicator call together.

use super::{MpiComm, count};
use crate::comm::agree;
use crate::comm::reduction::{Element, ElementType, Operation};
use crate::error::{Error, Result};
use crate::machine::identity::identity;
use crate::mpi::check::check;
use crate::mpi::constants::constants;
use crate::mpi::own_call::marked;
use crate::mpi::raw::{self, MPI_Datatype, MPI_Op};
use crate::progress::Progress;
use std::collections::HashMap;
use std::ffi::{c_int, c_void};

/// MPI's datatype for elements.
fn datatype(of: ElementType) -> MPI_Datatype {
    match of {
        ElementType::F64 => constants().float64,
        ElementType::F32 => constants().float32,
        ElementType::I64 => constants().int64,
        ElementType::U64 => constants().uint64,
    }
}

/// MPI's operation.
fn operation_of(operation: Operation) -> MPI_Op {
    match operation {
        Operation::Sum => constants().sum,
        Operation::Min => constants().min,
        Operation::Max => constants().max,
    }
}

/// Reduces values by `reduce` as signed numbers in the same order, if that is necessary: MPICH 4.0.2
/// (pmodels/mpich#6083) and Open MPI 4.1.4 (open-mpi/ompi#10648) take minimum and maximum of unsigned
/// integers as if they were signed. `None` if it is not.
fn as_signed<T: Element>(
    values: &mut [T],
    operation: Operation,
    reduce: impl FnOnce(&mut [i64]) -> Result<()>,
) -> Option<Result<()>> {
    const SIGN: u64 = 1 << 63;
    if T::TYPE != ElementType::U64 || operation == Operation::Sum {
        return None;
    }
    let mut signed: Vec<i64> = values.iter().map(|value| (value.to_word() ^ SIGN) as i64).collect();
    let result = reduce(&mut signed);
    for (value, signed) in values.iter_mut().zip(signed) {
        *value = T::from_word(signed as u64 ^ SIGN);
    }
    Some(result)
}

impl MpiComm {
    /// Combines the values of all ranks in place.
    pub(super) fn reduce_to_all<T: Element>(&self, values: &mut [T], operation: Operation) -> Result<()> {
        if let Some(result) = as_signed(values, operation, |signed| self.reduce_to_all(signed, operation)) {
            return result;
        }
        self.enter()?;
        let length = count(values.len())?;
        // SAFETY: in place, on a slice of our own with that many elements of that type.
        check("MPI_Allreduce", unsafe {
            raw::PMPI_Allreduce(
                constants().in_place,
                values.as_mut_ptr().cast(),
                length,
                datatype(T::TYPE),
                operation_of(operation),
                self.raw(),
            )
        })
    }

    /// Combines the values of all ranks in place on `root`.
    pub(super) fn reduce_to_root<T: Element>(
        &self,
        values: &mut [T],
        operation: Operation,
        root: usize,
    ) -> Result<()> {
        let signed = as_signed(values, operation, |signed| self.reduce_to_root(signed, operation, root));
        if let Some(result) = signed {
            return result;
        }
        self.enter()?;
        let length = count(values.len())?;
        // Not in place: MPICH 4.0.2 reads through MPI_IN_PLACE where the root is not the first rank of its
        // node.
        let own = if self.rank == root { values.to_vec() } else { Vec::new() };
        let (sent, received) = if self.rank == root {
            (own.as_ptr().cast::<c_void>(), values.as_mut_ptr().cast::<c_void>())
        } else {
            (values.as_ptr().cast(), std::ptr::null_mut())
        };
        // SAFETY: slices of our own with that many elements of that type; the receive buffer is significant
        // only on the root.
        check("MPI_Reduce", unsafe {
            raw::PMPI_Reduce(
                sent,
                received,
                length,
                datatype(T::TYPE),
                operation_of(operation),
                root as c_int,
                self.raw(),
            )
        })
    }

    /// The values of all ranks, by rank.
    pub(super) fn gather(&self, values: &[u64]) -> Result<Vec<u64>> {
        self.enter()?;
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
                self.raw(),
            )
        })?;
        Ok(all)
    }

    /// Bytes of `root` to all ranks.
    pub(super) fn send_to_all(&self, bytes: &mut [u8], root: usize) -> Result<()> {
        if bytes.is_empty() {
            // The address of an empty slice of bytes may be 1, which is MPI_IN_PLACE in Open MPI.
            return Ok(());
        }
        self.enter()?;
        // SAFETY: the buffer is ours and has the length given.
        check("MPI_Bcast", unsafe {
            raw::PMPI_Bcast(
                bytes.as_mut_ptr().cast(),
                count(bytes.len())?,
                constants().byte,
                root as c_int,
                self.raw(),
            )
        })
    }

    /// Part i to rank i; what has come, by rank.
    pub(super) fn exchange(&self, parts: &[Vec<u64>]) -> Result<Vec<u64>> {
        assert_eq!(parts.len(), self.size, "a part for each rank");
        self.enter()?;
        // Arrays that are too long are refused below, on all ranks.
        let lengths: Vec<c_int> = parts.iter().map(|part| count(part.len()).unwrap_or(-1)).collect();
        let mut arriving = vec![0 as c_int; self.size];
        let words = self.words;
        // SAFETY: a 4-byte integer per rank in both arrays.
        let exchanged = marked(lengths.as_ptr().cast(), || unsafe {
            raw::PMPI_Alltoall(
                lengths.as_ptr().cast(),
                size_of::<c_int>() as c_int,
                constants().byte,
                arriving.as_mut_ptr().cast(),
                size_of::<c_int>() as c_int,
                constants().byte,
                self.raw(),
            )
        });
        check("MPI_Alltoall", exchanged)?;
        let places = displacements(&lengths).and_then(|from| Ok((from, displacements(&arriving)?)));
        // A rank that went on would wait for the others.
        let ((from, _), (to, total)) = agree(self, places)?;
        let (sent, mut received) = (parts.concat(), vec![0u64; total]);
        // SAFETY: lengths and displacements describe the two buffers exactly.
        let exchanged = marked(sent.as_ptr().cast(), || unsafe {
            raw::PMPI_Alltoallv(
                sent.as_ptr().cast(),
                lengths.as_ptr(),
                from.as_ptr(),
                words,
                received.as_mut_ptr().cast(),
                arriving.as_ptr(),
                to.as_ptr(),
                words,
                self.raw(),
            )
        });
        check("MPI_Alltoallv", exchanged)?;
        Ok(received)
    }

    /// Of every rank, the smallest rank of its node.
    pub(super) fn first_ranks_of_nodes(&self) -> Result<Vec<u32>> {
        if self.simulated() {
            return self.simulated_nodes();
        }
        let nodes = self.gather(&[identity()])?;
        let mut first = HashMap::new();
        Ok((0..).zip(nodes).map(|(rank, node)| *first.entry(node).or_insert(rank)).collect())
    }

    /// As [`Self::first_ranks_of_nodes`] where nodes are simulated and MPI knows them.
    fn simulated_nodes(&self) -> Result<Vec<u32>> {
        self.enter()?;
        let (mut node, mut leader) = (self.raw(), [self.rank as u64]);
        // SAFETY: the communicator lives as long as self. Rank 0 of `node` has the smallest rank of it, as
        // the split is ordered by rank.
        unsafe {
            let (kind, info) = (constants().comm_type_shared, constants().info_null);
            let code = raw::PMPI_Comm_split_type(self.raw(), kind, self.rank as c_int, info, &mut node);
            check("MPI_Comm_split_type", code)?;
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
