//! Transposition of a distributed matrix in one exchange.
//!
//! Idea: rank i has rows of the matrix before and columns afterwards; the block of its rows and rank j's
//! columns goes to rank j, transposed. The usual local transpositions before and after the exchange, each of
//! which reads and writes the whole matrix, are not needed: blocks are transposed while they are packed and
//! unpacked ([`grid`](hcube_core::memory::grid)), so that every element is read from memory once and written
//! once.
//!
//! In place, the block of i for j and the block of j for i are swapped, piece by piece and mirrored. This is
//! possible if both have the same location, for any number of ranks: square matrices with the same blocks
//! before and afterwards, and the same local order. The rank's own block is transposed in place. Other shapes
//! are transposed in slices if elements are large ([`sliced`]). Out of place all shapes are possible, and the
//! input does not change.
//!
//! Restrictions: see [`check`].
//! Cost: one exchange of the [`hcube_alltoall`] crate; every element is loaded and stored twice, and crosses
//! the memory bus once in each direction if pieces stay in the cache. Extra memory: as for the exchange, and
//! at most 150 bytes per rank during a call.
//! Source: the exchange follows Hofmann and Ruenger, EuroMPI 2013, who apply it to transpositions with local
//! transpositions before and afterwards (§4.4). Transposing blocks during the exchange is our own.

use super::blocks::Blocks;
use super::exchange::exchange_all;
use super::shape::Shape;
use super::sliced;
use hcube_alltoall::{ExchangeState, Report, Task, select};
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::memory::grid::transpose_square;

/// The local parts of a matrix on this rank.
#[derive(Debug, Clone, Copy)]
pub enum Parts<'a> {
    /// One part that is replaced; it has the size of the larger of both.
    InPlace(Region<'a>),
    /// One part that is read and one that is written; they do not overlap.
    Between(Region<'a>, Region<'a>),
}

/// Whether a transposition is possible, in place or not; the same result on all ranks. Returns the sizes of
/// this rank's part before and afterwards.
///
/// # Errors
/// [`Error::Argument`] with the possible shapes, [`Error::Communicator`] for too many ranks.
pub fn check<C: Comm>(comm: &C, state: &ExchangeState, shape: &Shape, in_place: bool) -> Result<[usize; 2]> {
    select::check_ranks(state.situation())?;
    let bytes = shape.check(comm.rank(), comm.size())?;
    if !in_place || shape.is_symmetric() || sliced::slice(shape, state).is_some() {
        return Ok(bytes);
    }
    let Shape { rows, columns, element_bytes, row_block, column_block, .. } = shape;
    Err(Error::argument(
        "input == output",
        format!(
            "{rows} x {columns} elements of {element_bytes} bytes, blocks {row_block} and {column_block}"
        ),
        "rows == columns, row_block == column_block and transposed_in == transposed_out, or ranks that share \
         memory and elements so large that 256 bytes of each element of a rank fit into it",
    ))
}

/// As [`check`], and whether the parts are large enough.
fn check_parts<C: Comm>(comm: &C, state: &ExchangeState, shape: &Shape, parts: &Parts<'_>) -> Result<()> {
    let in_place = matches!(parts, Parts::InPlace(_));
    let [before, after] = check(comm, state, shape, in_place)?;
    let pairs = match parts {
        Parts::InPlace(all) => [(all, before), (all, after)],
        Parts::Between(from, to) => [(from, before), (to, after)],
    };
    match pairs.iter().find(|(part, bytes)| part.len() < *bytes) {
        None => Ok(()),
        Some((part, bytes)) => {
            Err(Error::Buffer(format!("a part of {} bytes: expected {bytes}", part.len())))
        }
    }
}

/// Collective: the transposition. Every rank passes the same shape, or the error that all ranks are to
/// report.
///
/// # Errors
/// Errors of [`check`], [`Error::Buffer`] for a part that is too short, and errors of
/// [`hcube_alltoall::exchange()`]; nothing is written then.
pub fn transpose<C: Comm>(
    comm: &C,
    state: &mut ExchangeState,
    work: Result<(Shape, Parts<'_>)>,
) -> Result<Report> {
    let own = comm.rank();
    let checked = work.and_then(|(shape, parts)| {
        check_parts(comm, state, &shape, &parts)?;
        Ok((shape, parts))
    });
    let (shape, parts) = match checked {
        Ok(work) => work,
        Err(refusal) => return exchange_all(comm, state, 0, &Err(refusal)),
    };
    let agreement = shape.fingerprint();
    let blocks = Blocks::new(&shape, own, comm.size());
    match parts {
        Parts::InPlace(part) if shape.is_symmetric() => {
            let task = Task::in_place(Blocks::listed(blocks.outgoing(part)));
            let report = exchange_all(comm, state, agreement, &Ok(task))?;
            if let Some((own_block, side, stride)) = shape.own_block(own, part) {
                transpose_square(own_block, side, stride, shape.element_bytes);
            }
            Ok(report)
        }
        Parts::InPlace(part) => {
            let slice = sliced::slice(&shape, state).expect("checked");
            sliced::transpose(comm, state, &shape, part, slice)
        }
        Parts::Between(from, to) => {
            let (from, to) = (blocks.outgoing(from), blocks.incoming(to));
            let task = Task::between(Blocks::listed(from), Blocks::listed(to));
            exchange_all(comm, state, agreement, &Ok(task))
        }
    }
}
