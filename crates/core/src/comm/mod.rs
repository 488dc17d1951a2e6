//! Communication between ranks: the trait [`Comm`], its back ends, and operations built on it.
//!
//! | module | holds |
//! |---|---|
//! | [`threads`] | ranks as threads of one process, so that whole algorithms run under plain `cargo test` |
//! | [`requests`] | several outstanding transfers, wait for any or all |
//! | [`owned`] | transfers that go on between calls, for pollers |
//! | [`reduction`] | types and operations of reductions |
//! | [`pipelined_broadcast`] | the broadcast of long messages |
//! | [`tags`] | the message tags of all systems |
//!
//! The production back end is [`MpiComm`](crate::mpi::MpiComm).
//!
//! Buffers are owned by a pending operation and returned when it is complete: an algorithm cannot access a
//! buffer that MPI still uses, and needs no unsafe code for this.

#[cfg(hcube_model)]
pub mod model;
pub mod owned;
pub mod pipelined_broadcast;
pub mod reduction;
pub mod requests;
pub mod tags;
pub mod threads;

use crate::error::{Error, Result};
use crate::machine::work::Work;
use crate::memory::Region;
use crate::progress::Progress;
use reduction::{Element, Operation};
use std::ops::Range;

/// A piece of a send buffer and where it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Words of the buffer.
    pub range: Range<usize>,
    /// Receiving rank.
    pub to: usize,
    /// Message tag.
    pub tag: i32,
}

/// An intracommunicator: a group of ranks `0..size` and a context in which their messages match.
///
/// *Collective* functions are called by all ranks of the communicator in the same order; a rank may return
/// before others have called, except from [`barrier`](Self::barrier). All others are *local*: they do not
/// wait for other ranks, except `finish_...`, which waits for the message or its receive.
///
/// Point-to-point messages between two ranks with the same tag do not overtake each other.
///
/// # Errors
/// Functions return [`Error::Mpi`] where the MPI library reports an error. After an error of a collective
/// function the ranks no longer agree on what has happened: a caller that other ranks are waiting for ends
/// the job by [`abort`](Progress::abort). Arguments out of range (a rank not below `size`) are defects of
/// hcube and end in an error of MPI or a panic.
///
/// # Safety
/// Unsafe code that shares memory between ranks relies on what the functions say here: each rank has one
/// number below the same size, which never changes; collective functions hand out the values that the ranks
/// have passed, and a barrier returns when all have called it; a transfer has finished when it is said to
/// have, and from then on nothing accesses its memory.
pub unsafe trait Comm: Progress {
    /// Outstanding sends, which own their buffer.
    type Sends;
    /// An outstanding receive, which owns its buffer.
    type Receive;
    /// Outstanding transfers from or to memory of the caller.
    type Transfer<'a>: Send;

    /// This rank (`MPI_Comm_rank`).
    fn rank(&self) -> usize;
    /// Number of ranks (`MPI_Comm_size`).
    fn size(&self) -> usize;

    /// Collective: new communicators, one per colour (`MPI_Comm_split`). Ranks are ordered by `key`, then by
    /// their rank here. `None` for ranks without a colour. The new communicator has this one's clock and
    /// pollers. It is freed when it is dropped, which all of its ranks do in the same order relative to other
    /// collective calls.
    ///
    /// # Errors
    /// [`Error::Argument`] on a rank whose colour exceeds `i32::MAX`; the others get their communicators.
    fn split(&self, colour: Option<u32>, key: i32) -> Result<Option<Self>>
    where
        Self: Sized;

    /// Collective: prepares messages between ranks. Every system calls it before its first message; from the
    /// second call on it is local. A communicator that a program has passed cannot carry messages of hcube
    /// before.
    ///
    /// # Errors
    /// On all ranks, if MPI has no further communicator.
    fn open_messages(&self) -> Result<()> {
        Ok(())
    }

    /// Starts sending the pieces of a buffer; an empty piece is a message of length zero.
    fn start_sends(&self, buffer: Vec<u64>, pieces: &[Piece]) -> Result<Self::Sends>;
    /// Waits until the buffer may be used again and hands it back.
    fn finish_sends(&self, sends: Self::Sends) -> Result<Vec<u64>>;
    /// Starts receiving at most `buffer.len()` words; a longer message is an error.
    fn start_receive(&self, buffer: Vec<u64>, from: usize, tag: i32) -> Result<Self::Receive>;
    /// Waits for the message; hands back the buffer and the number of words received.
    fn finish_receive(&self, receive: Self::Receive) -> Result<(Vec<u64>, usize)>;

    /// Starts sending bytes that stay where they are; fewer than 2^31. From safe code: [`requests`] and
    /// [`owned`].
    ///
    /// # Safety
    /// The region stays as [`Region::new`] requires until [`has_finished`](Self::has_finished) has said so,
    /// also where the transfer is dropped before. Where the transfer moves to another thread, only that
    /// thread touches the memory from then on.
    unsafe fn start_send_bytes<'a>(
        &self,
        from: Region<'a>,
        to: usize,
        tag: i32,
    ) -> Result<Self::Transfer<'a>>;
    /// Starts receiving at most `into.len()` bytes; a longer message is an error. Safe code cannot, or MPI
    /// would write to what it has freed:
    ///
    /// ```compile_fail,E0133
    /// use hcube_core::comm::{Comm, threads};
    /// use hcube_core::memory::scratch::Scratch;
    /// threads::run(1, 1, |comm| {
    ///     let mut scratch = Scratch::new(64).unwrap();
    ///     let piece = scratch.take(64).unwrap();
    ///     drop(comm.start_receive_bytes(scratch.region(&piece), 0, 1).unwrap());
    /// });
    /// ```
    ///
    /// # Safety
    /// As [`start_send_bytes`](Self::start_send_bytes).
    unsafe fn start_receive_bytes<'a>(
        &self,
        into: Region<'a>,
        from: usize,
        tag: i32,
    ) -> Result<Self::Transfer<'a>>;
    /// Whether a transfer has finished; lets the library make progress. Not to be called again after `true`.
    fn has_finished(&self, transfer: &mut Self::Transfer<'_>) -> Result<bool>;
    /// The index of a transfer that has finished, if one has; lets the library make progress, once for all of
    /// them. That transfer is as after [`has_finished`](Self::has_finished) has returned `true`.
    fn first_finished(&self, transfers: &mut [&mut Self::Transfer<'_>]) -> Result<Option<usize>> {
        for (index, transfer) in transfers.iter_mut().enumerate() {
            if self.has_finished(transfer)? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// Local: a message of bytes with this tag that has arrived and that no receive takes: its sender and its
    /// length. Stays so until a receive from that sender was started. Lets the library make progress.
    fn arrived(&self, tag: i32) -> Result<Option<(usize, usize)>>;

    /// Collective: returns when all ranks have called it (`MPI_Barrier`).
    fn barrier(&self) -> Result<()>;
    /// Collective: replaces each value by its combination over all ranks (`MPI_Allreduce`). All ranks pass
    /// the same number of values and the same operation.
    fn all_reduce<T: Element>(&self, values: &mut [T], operation: Operation) -> Result<()>;
    /// Collective: as [`all_reduce`](Self::all_reduce), but only `root` gets the result (`MPI_Reduce`); the
    /// values of the others stay as they are.
    fn reduce<T: Element>(&self, values: &mut [T], operation: Operation, root: usize) -> Result<()>;
    /// Collective: [`all_reduce`](Self::all_reduce) by [`Operation::Max`].
    fn all_reduce_max<T: Element>(&self, values: &mut [T]) -> Result<()> {
        self.all_reduce(values, Operation::Max)
    }
    /// Collective: [`all_reduce`](Self::all_reduce) by [`Operation::Sum`].
    fn all_reduce_sum<T: Element>(&self, values: &mut [T]) -> Result<()> {
        self.all_reduce(values, Operation::Sum)
    }
    /// Collective: the values of all ranks, `values.len()` per rank, in rank order (`MPI_Allgather`).
    fn all_gather(&self, values: &[u64]) -> Result<Vec<u64>>;
    /// Collective: the bytes of `root` on all ranks; same length everywhere (`MPI_Bcast`). For long messages
    /// see [`pipelined_broadcast`].
    fn broadcast(&self, bytes: &mut [u8], root: usize) -> Result<()>;
    /// Collective: `parts[i]` is sent to rank i; the result is the received data, in rank order
    /// (`MPI_Alltoallv` with counts that only the sender knows).
    fn all_to_all(&self, parts: &[Vec<u64>]) -> Result<Vec<u64>>;

    /// Collective: a number per rank that is equal for ranks on the same node.
    fn node_numbers(&self) -> Result<Vec<u32>>;

    /// Notes local work of this rank, for which time passes before its next call of MPI where ranks are
    /// simulated; see [`work`](crate::machine::work).
    fn charge(&self, _work: Work) {}
    /// Passes the time for the work that was noted: at the end of what a caller may measure, and before other
    /// ranks see what this rank has written to shared memory.
    fn settle(&self) {}
    /// Returns when one of these is complete, if ranks are simulated, so that no rank polls in simulated
    /// time; otherwise immediately.
    fn rest_until_any(&self, _transfers: &mut [&mut Self::Transfer<'_>]) -> Result<()> {
        Ok(())
    }
    /// Seconds since some time in the past, by the clock of this rank.
    fn seconds(&self) -> f64;
}

/// The meaning of a colour for [`Comm::split`].
pub(crate) fn check_colour(colour: Option<u32>) -> Result<()> {
    match colour {
        Some(colour) if i32::try_from(colour).is_err() => {
            Err(Error::argument("colour", colour, format!("at most {}", i32::MAX)))
        }
        _ => Ok(()),
    }
}

/// Collective: each rank's own value on all ranks, or an error on all of them: a rank's own if it has one,
/// else [`Error::Remote`] with the message of the first rank that refused. So no rank is left waiting in an
/// exchange that another never enters.
pub fn agree<C: Comm + ?Sized, T>(comm: &C, local: Result<T>) -> Result<T> {
    let mut first = [local.as_ref().err().map_or(i64::MIN, |_| -(comm.rank() as i64))];
    comm.all_reduce_max(&mut first)?;
    if first[0] == i64::MIN {
        return local;
    }
    let failed_rank = (-first[0]) as usize;
    let mut bytes = local.as_ref().err().map_or([0; ERROR_BYTES], error_bytes);
    comm.broadcast(&mut bytes, failed_rank)?;
    // A rank's own error is more specific than another's.
    local?;
    Err(remote_error(failed_rank, &bytes))
}

/// Size of [`error_bytes`].
pub const ERROR_BYTES: usize = 484;
/// Where the text starts in them, after the code.
const TEXT: usize = size_of::<i32>();

/// An error as bytes for other ranks: its code and as much of its text as fits.
pub fn error_bytes(error: &Error) -> [u8; ERROR_BYTES] {
    let mut bytes = [0; ERROR_BYTES];
    bytes[..TEXT].copy_from_slice(&error.code().to_ne_bytes());
    for (to, from) in bytes[TEXT..].iter_mut().zip(error.to_string().bytes()) {
        *to = from;
    }
    bytes
}

/// The error of another rank, from [`error_bytes`], which may be truncated.
///
/// # Panics
/// Where even the code is missing.
pub fn remote_error(rank: usize, bytes: &[u8]) -> Error {
    let (code, text) = bytes.split_at(TEXT);
    Error::Remote {
        rank,
        code: i32::from_ne_bytes(code.try_into().expect("four bytes")),
        message: String::from_utf8_lossy(text).trim_end_matches('\0').to_owned(),
    }
}

/// Collective: an error on all ranks where a named value is not the same on all of them.
pub fn agree_on<C: Comm + ?Sized>(comm: &C, values: &[(&'static str, i64)]) -> Result<()> {
    let mut bounds = bounds(values);
    comm.all_reduce_max(&mut bounds)?;
    check_bounds(&bounds, values)
}

/// Collective: as [`agree_on`]; the word of rank 0 on all ranks, in the same round.
///
/// # Errors
/// As [`agree_on`].
pub fn agree_on_and_share<C: Comm + ?Sized>(
    comm: &C,
    values: &[(&'static str, i64)],
    word: u64,
) -> Result<u64> {
    let mut bounds = bounds(values);
    bounds.push(if comm.rank() == 0 { word as i64 } else { i64::MIN });
    comm.all_reduce_max(&mut bounds)?;
    check_bounds(&bounds, values)?;
    Ok(bounds[2 * values.len()] as u64)
}

/// Each value and its complement, whose maxima ([`Comm::all_reduce_max`]) give the maximum and the minimum
/// over all ranks.
pub fn bounds(values: &[(&'static str, i64)]) -> Vec<i64> {
    values.iter().flat_map(|&(_, value)| [value, !value]).collect()
}

/// Local: the error where the maxima of [`bounds`] over all ranks differ.
///
/// # Errors
/// [`Error::Mismatch`] for the first value that is not the same on all ranks.
pub fn check_bounds(bounds: &[i64], values: &[(&'static str, i64)]) -> Result<()> {
    for (pair, &(name, _)) in bounds.chunks_exact(2).zip(values) {
        let (most, least) = (pair[0], !pair[1]);
        if most != least {
            return Err(Error::Mismatch { name, least, most });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits of -0.0 are the smallest number, which has no negative.
    #[test]
    fn the_smallest_number_is_equal_on_all_ranks() {
        for value in [i64::MIN, i64::MIN + 1, i64::MAX, -1, 0] {
            let same = threads::run(3, 2, |comm| agree_on(comm, &[("value", value)]));
            assert_eq!(same, vec![Ok(()); 3]);
            let differ =
                threads::run(3, 2, |comm| agree_on(comm, &[("value", value ^ i64::from(comm.rank() == 2))]));
            assert!(differ.iter().all(Result::is_err), "{differ:?}");
        }
    }
}
