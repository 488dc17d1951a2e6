//! Transposition of a matrix that is spread over the ranks of a communicator, in one go.
//!
//! Idea: rank i has rows of the matrix before and columns of it afterwards; the block of its rows and
//! rank j's columns goes to rank j, turned. Local transpositions before and after an exchange, of which
//! each goes through the whole memory, are left out: blocks are turned while they are packed and
//! unpacked ([`grid`](crate::comm::grid)), so that every element is read from memory once and written once.
//!
//! In place the block of i for j and that of j for i change places, piece by piece and mirrored. That
//! works where both lie at the same place, whatever the number of ranks: square matrices with the same
//! blocks before and afterwards, the local parts stored alike. The rank's own block is transposed
//! where it lies. Out of place all shapes work, and the input stays as it is.
//!
//! Cost: one exchange of the [`alltoall`] module; every element is loaded and stored twice, and
//! crosses memory once in each direction where pieces stay in the cache. Extra memory: that of the
//! exchange, and about 100 bytes per rank during a call.
//! Source: the exchange is that of Hofmann and Ruenger, EuroMPI 2013; §4.4 applies it to transpositions
//! with the local parts turned before and afterwards. To turn blocks under way is our own.

mod blocks;
mod shape;

pub use shape::{Layout, Shape};

use crate::alltoall::{self, Facts, Outcome, Prepared, Report, Task};
use crate::comm::Comm;
use crate::comm::grid::transpose_square;
use crate::comm::memory::Region;
use crate::error::{Error, Result};
use blocks::Blocks;

/// The local parts of a matrix on this rank.
#[derive(Debug, Clone, Copy)]
pub enum Parts<'a> {
    /// One that is replaced.
    InPlace(Region<'a>),
    /// One that is read and one that is written, and do not overlap.
    Between(Region<'a>, Region<'a>),
}

/// Collective: the transposition. Every rank passes the same shape, checked by [`Shape::check`] for its
/// local parts, or the reason why it cannot take part, of which all ranks hear.
///
/// # Errors
/// As [`alltoall::exchange()`]; nothing is written then.
pub fn transpose<C: Comm>(
    comm: &C,
    prepared: &mut Prepared,
    work: Result<(Shape, Parts<'_>)>,
) -> Result<Report> {
    let own = comm.rank();
    let task = work.as_ref().map_err(Clone::clone).map(|(shape, parts)| {
        let blocks = Blocks::new(shape, own, comm.size());
        match *parts {
            Parts::InPlace(all) => Task::in_place(blocks.outgoing(all)),
            Parts::Between(from, to) => Task::between(blocks.outgoing(from), blocks.incoming(to)),
        }
    });
    // The library has no function for this.
    let facts = Facts { beyond_library: true, ..Facts::default() };
    let outcome = alltoall::exchange(comm, prepared, &task, facts, None)?;
    if let Ok((shape, Parts::InPlace(all))) = work {
        let side = shape.rows_of(own);
        let (start, stride) = shape.own_block(own);
        let bytes = if side == 0 { 0 } else { (side - 1) * stride + side * shape.element };
        let start = if side == 0 { 0 } else { start };
        transpose_square(all.part(start..start + bytes), side, stride, shape.element);
    }
    match outcome {
        Outcome::Done(report) => Ok(report),
        Outcome::Library(reason) => Err(Error::Internal(format!("nobody has made the exchange: {reason}"))),
    }
}
