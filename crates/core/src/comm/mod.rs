//! Communication between ranks: the trait [`Comm`] and its back ends.
//!
//! The production back end is [`MpiComm`](crate::mpi::MpiComm); [`threads`] runs ranks as threads of one
//! process, so that whole algorithms run under plain `cargo test`.
//!
//! Buffers are owned by the operation while it is under way and handed back when it has finished:
//! an algorithm cannot touch a buffer that MPI still uses, and needs no unsafe code to say so.

pub mod threads;

use crate::error::{Error, Result};
use crate::machine::work::Work;
use crate::memory::Region;
use std::ops::Range;

/// A piece of a send buffer and where it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Which words of the buffer.
    pub range: Range<usize>,
    /// Receiving rank.
    pub to: usize,
    /// Message tag.
    pub tag: i32,
}

/// What algorithms need of a communicator. Ranks are `0..size`.
///
/// Collective functions are called by all ranks in the same order.
pub trait Comm {
    /// Sends under way, owning their buffer.
    type Sends;
    /// A receive under way, owning its buffer.
    type Receive;
    /// Bytes under way from or to memory of the caller.
    type Transfer<'a>;

    /// This rank.
    fn rank(&self) -> usize;
    /// Number of ranks.
    fn size(&self) -> usize;

    /// Starts sending the pieces of a buffer; an empty piece is a message of length zero.
    fn start_sends(&self, buffer: Vec<u64>, pieces: &[Piece]) -> Result<Self::Sends>;
    /// Waits until the buffer may be used again and hands it back.
    fn finish_sends(&self, sends: Self::Sends) -> Result<Vec<u64>>;
    /// Starts receiving at most `buffer.len()` words; a longer message is an error.
    fn start_receive(&self, buffer: Vec<u64>, from: usize, tag: i32) -> Result<Self::Receive>;
    /// Waits for the message; hands back the buffer and how many words have arrived.
    fn finish_receive(&self, receive: Self::Receive) -> Result<(Vec<u64>, usize)>;

    /// Lets the library make progress with whatever is under way; cheap, local.
    fn progress(&self);

    /// Starts sending bytes that stay where they are; fewer than 2^31.
    fn start_send_bytes<'a>(&self, from: Region<'a>, to: usize, tag: i32) -> Result<Self::Transfer<'a>>;
    /// Starts receiving exactly as many bytes as `into` has room for.
    fn start_receive_bytes<'a>(&self, into: Region<'a>, from: usize, tag: i32) -> Result<Self::Transfer<'a>>;
    /// Whether a transfer has finished; lets the library make progress. After `true` it is not asked
    /// again.
    fn has_finished(&self, transfer: &mut Self::Transfer<'_>) -> Result<bool>;

    /// Collective: returns when all ranks have called it.
    fn barrier(&self) -> Result<()>;
    /// Collective: replaces each value by its maximum over all ranks.
    fn all_reduce_max(&self, values: &mut [i64]) -> Result<()>;
    /// Collective: replaces each value by its sum over all ranks, modulo 2^64.
    fn all_reduce_sum(&self, values: &mut [u64]) -> Result<()>;
    /// Collective: the values of all ranks, `values.len()` per rank, in rank order.
    fn all_gather(&self, values: &[u64]) -> Result<Vec<u64>>;
    /// Collective: the bytes of `root` on all ranks; same length everywhere.
    fn broadcast(&self, bytes: &mut [u8], root: usize) -> Result<()>;
    /// Collective: `parts[i]` goes to rank i; the result holds what arrived, in rank order.
    fn all_to_all(&self, parts: &[Vec<u64>]) -> Result<Vec<u64>>;

    /// Ends the job: for a failure in the middle of an exchange that other ranks are waiting in.
    fn abort(&self, error: &Error) -> !;

    /// Collective: a number per rank that is equal for ranks on the same node.
    fn node_numbers(&self) -> Result<Vec<u32>>;
    /// Whether all ranks share one thread, so that waiting needs a call of `progress` every time.
    fn simulated(&self) -> bool {
        false
    }
    /// Notes local work of this rank, for which time passes before its next call of MPI where ranks are
    /// simulated; see [`crate::machine::work`].
    fn charge(&self, _work: Work) {}
    /// Lets the time pass for the work that was noted: at the end of what a caller may measure, and
    /// before other ranks see what this rank has written to shared memory.
    fn settle(&self) {}
    /// Lets so much time pass where ranks are simulated.
    fn rest(&self, _nanoseconds: f64) {}
    /// Returns when one of these has finished, where ranks are simulated, so that nobody polls in
    /// simulated time; elsewhere at once.
    fn rest_until_any(&self, _transfers: &mut [&mut Self::Transfer<'_>]) -> Result<()> {
        Ok(())
    }
    /// Seconds since some time in the past, by the clock that this rank lives by.
    fn seconds(&self) -> f64;
}

/// Collective: each rank's own value on all ranks, or an error on all of them: a rank's own where it has one, else
/// [`Error::Remote`] with the message of the first rank that refused. So no rank is left waiting in
/// an exchange that another never enters.
pub fn agree<C: Comm + ?Sized, T>(comm: &C, local: Result<T>) -> Result<T> {
    /// Length of the text that is passed on.
    const TEXT: usize = 480;
    let mut first = [local.as_ref().err().map_or(i64::MIN, |_| -(comm.rank() as i64))];
    comm.all_reduce_max(&mut first)?;
    if first[0] == i64::MIN {
        return local;
    }
    let culprit = (-first[0]) as usize;
    let mut bytes = [0u8; TEXT + 4];
    if let (true, Err(error)) = (comm.rank() == culprit, &local) {
        bytes[..4].copy_from_slice(&error.code().to_ne_bytes());
        for (to, from) in bytes[4..].iter_mut().zip(error.to_string().bytes()) {
            *to = from;
        }
    }
    comm.broadcast(&mut bytes, culprit)?;
    // A rank's own error says more than another's.
    local?;
    let (code, text) = bytes.split_at(4);
    Err(Error::Remote {
        rank: culprit,
        code: i32::from_ne_bytes(code.try_into().expect("four bytes")),
        message: String::from_utf8_lossy(text).trim_end_matches('\0').to_owned(),
    })
}

/// Collective: an error on all ranks where a named value is not the same on all of them.
pub fn agree_on<C: Comm + ?Sized>(comm: &C, values: &[(&'static str, i64)]) -> Result<()> {
    let mut bounds: Vec<i64> =
        values.iter().flat_map(|&(_, value)| [value, value.saturating_neg()]).collect();
    comm.all_reduce_max(&mut bounds)?;
    for (pair, &(name, _)) in bounds.chunks_exact(2).zip(values) {
        let (most, least) = (pair[0], -pair[1]);
        if most != least {
            return Err(Error::Mismatch { name, least, most });
        }
    }
    Ok(())
}
