//! Transposition in place in slices, for shapes in which blocks cannot be swapped.
//!
//! Idea: an element is a vector, and all parts of an element move to the same location. A slice is the same
//! few bytes of all elements of a rank. It is read completely before any of it is written: blocks for other
//! ranks become part of the notices of an exchange, the rank's own block is copied to scratch memory. Then
//! the slice is written to its new locations, and the next slice follows. Any shape is possible, including
//! uneven blocks.
//!
//! Restrictions: ranks that share memory; elements so large, or parts of the matrix so small, that a slice of
//! all elements of a rank fits into this memory and has at least [`MIN_SLICE_BYTES`] per element. FFTW's
//! transpositions between transforms of two or more dimensions are of this kind.
//! Cost: a round of notices per slice; every byte crosses the memory bus once in each direction and is copied
//! twice. Extra memory: as for the exchange.
//! Source: our own; on one rank it is a common method to permute records in place by columns.

use super::blocks::Blocks;
use super::exchange::exchange_all;
use super::shape::Shape;
use hcube_alltoall::{ExchangeState, Report, Task};
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::memory::Region;
use hcube_core::memory::datatype::Block;
use hcube_core::memory::scratch::{Piece, Scratch};
use std::mem::replace;

/// Smallest slice of an element that is larger: some consecutive lines of the cache.
pub const MIN_SLICE_BYTES: usize = 256;
/// Slices begin at lines of the cache where elements do.
const LINE: usize = 64;

/// Bytes of a slice, or `None` where slices are not possible; the same on all ranks.
pub fn slice(shape: &Shape, state: &ExchangeState) -> Option<usize> {
    let ranks = state.situation().ranks;
    let (enclosed, kept) = (state.max_enclosed()?, state.spare_bytes()?);
    let (mut leaving, mut staying) = (1, 1);
    for rank in 0..ranks {
        let own = shape.rows_of(rank) * shape.columns_of(rank);
        leaving = leaving.max(shape.rows_of(rank) * shape.columns - own);
        staying = staying.max(own);
    }
    let max = (enclosed / leaving).min(kept / staying);
    let slice = if max < shape.element_bytes { max / LINE * LINE } else { shape.element_bytes };
    (slice >= MIN_SLICE_BYTES.min(shape.element_bytes)).then_some(slice)
}

/// Collective: transposes this rank's part in slices of the size of [`slice()`].
///
/// # Errors
/// As [`hcube_alltoall::exchange()`]; they occur in the first slice, before anything is written.
pub fn transpose<C: Comm>(
    comm: &C,
    state: &mut ExchangeState,
    shape: &Shape,
    part: Region<'_>,
    slice: usize,
) -> Result<Report> {
    let own = comm.rank();
    let kept = scratch(state).take(shape.rows_of(own) * shape.columns_of(own) * slice);
    let kept = kept.expect("nothing else uses this memory between exchanges");
    let blocks = Blocks::new(shape, own, comm.size());
    let outcome = (0..shape.element_bytes).step_by(slice).try_fold(None, |_, start| {
        let blocks = blocks.slice(start..shape.element_bytes.min(start + slice));
        one_slice(comm, state, (shape, &blocks), part, &kept).map(Some)
    });
    scratch(state).give(kept);
    outcome.map(|last| last.expect("an element has a byte"))
}

/// Collective: one slice; this rank's own block uses the memory `kept`.
fn one_slice<C: Comm>(
    comm: &C,
    state: &mut ExchangeState,
    (shape, blocks): (&Shape, &Blocks<'_>),
    part: Region<'_>,
    kept: &Piece,
) -> Result<Report> {
    let own = comm.rank();
    let (mut from, mut to) = (blocks.outgoing(part), blocks.incoming(part));
    let nothing = Block::contiguous(part.part(0..0));
    let leaves = replace(&mut from[own], nothing.clone());
    let arrives = replace(&mut to[own], nothing);
    leaves.pack(0, &mut scratch(state).bytes(kept)[..leaves.bytes()]);
    let task = Task::between(Blocks::listed(from), Blocks::listed(to));
    let report = exchange_all(comm, state, shape.fingerprint(), &Ok(task))?;
    arrives.unpack(0, &scratch(state).bytes(kept)[..arrives.bytes()]);
    Ok(report)
}

/// Memory that an exchange uses only where blocks are not enclosed.
fn scratch(state: &mut ExchangeState) -> &mut Scratch {
    state.spare().expect("a slice is known where there is a node")
}
