//! In place, where what arrives does not belong where something leaves: in slices.
//!
//! Idea: an element is a vector, and every part of it goes the same way. So of all elements of a rank the
//! same few bytes are read before any are written: what is for others becomes part of the notice that
//! opens an exchange, what stays goes to scratch memory. Then they are written to their new places,
//! and the next slice follows. Any shape will do, uneven blocks included.
//!
//! Restrictions: ranks that share memory; elements so large, or parts of the matrix so small, that a
//! slice of all elements of a rank fits into memory and is still 256 bytes long. That is what
//! FFTW's transpositions between transforms of two or more dimensions look like.
//!
//! Cost: a round of notices per slice; every byte crosses memory once in each direction and is copied
//! twice. Extra memory: that of the exchange. The idea is our own; locally it is the usual way to permute
//! records in place by columns.

use super::blocks::Blocks;
use super::{Shape, exchange_all};
use hcube_alltoall::{Prepared, Report, Task};
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::memory::Region;
use hcube_core::memory::datatype::Block;
use hcube_core::memory::scratch::{Piece, Scratch};
use std::mem::replace;

/// Fewest bytes of a slice, if an element has so many: some lines of the cache in a row.
const LEAST: usize = 256;
/// Slices begin at lines of the cache where elements do.
const LINE: usize = 64;

/// Bytes of a slice, or `None` where this way is not possible; the same on all ranks.
pub fn slice(shape: &Shape, prepared: &Prepared) -> Option<usize> {
    let ranks = prepared.situation.ranks;
    let (enclosed, kept) = (prepared.most_enclosed()?, prepared.node.as_ref()?.chunk.size());
    let (mut leaving, mut staying) = (1, 1);
    for rank in 0..ranks {
        let own = shape.rows_of(rank) * shape.columns_of(rank);
        leaving = leaving.max(shape.rows_of(rank) * shape.columns - own);
        staying = staying.max(own);
    }
    let most = (enclosed / leaving).min(kept / staying);
    let slice = if most < shape.element_bytes { most / LINE * LINE } else { shape.element_bytes };
    (slice >= LEAST.min(shape.element_bytes)).then_some(slice)
}

/// Collective: transposes this rank's part in slices of so many bytes, as [`slice()`] says on all ranks.
///
/// # Errors
/// As [`hcube_alltoall::exchange()`]; nothing is written then, because they come with the first slice.
pub fn transpose<C: Comm>(
    comm: &C,
    prepared: &mut Prepared,
    shape: &Shape,
    part: Region<'_>,
    slice: usize,
) -> Result<Report> {
    let own = comm.rank();
    let kept = scratch(prepared).take(shape.rows_of(own) * shape.columns_of(own) * slice);
    let kept = kept.expect("nothing else uses this memory between exchanges");
    let blocks = Blocks::new(shape, own, comm.size());
    let outcome = (0..shape.element_bytes).step_by(slice).try_fold(None, |_, start| {
        let blocks = blocks.slice(start..shape.element_bytes.min(start + slice));
        one_slice(comm, prepared, (shape, &blocks), part, &kept).map(Some)
    });
    scratch(prepared).give(kept);
    outcome.map(|last| last.expect("an element has a byte"))
}

/// Collective: one slice; what stays on this rank goes through the memory `kept`.
fn one_slice<C: Comm>(
    comm: &C,
    prepared: &mut Prepared,
    (shape, blocks): (&Shape, &Blocks<'_>),
    part: Region<'_>,
    kept: &Piece,
) -> Result<Report> {
    let own = comm.rank();
    let (mut from, mut to) = (blocks.outgoing(part), blocks.incoming(part));
    let nothing = Block::contiguous(part.part(0..0));
    let leaves = replace(&mut from[own], nothing.clone());
    let arrives = replace(&mut to[own], nothing);
    leaves.pack(0, &mut scratch(prepared).bytes(kept)[..leaves.bytes()]);
    let task = Task::between(Blocks::listed(from), Blocks::listed(to));
    let report = exchange_all(comm, prepared, shape.fingerprint(), &Ok(task))?;
    arrives.unpack(0, &scratch(prepared).bytes(kept)[..arrives.bytes()]);
    Ok(report)
}

/// Memory that an exchange uses only for what is not enclosed.
fn scratch(prepared: &mut Prepared) -> &mut Scratch {
    &mut prepared.node.as_mut().expect("a slice is known where there is a node").chunk
}
