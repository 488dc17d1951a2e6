//! Copies between the caller's rows and blocks, without a transform.
//!
//! Blocks for other ranks contain the numbers of the rows as pairs; blocks between the passes of ranks that
//! exchange messages have separate real and imaginary parts.
//!
//! Cost: each number is read and written once.

use super::LANES;
use super::passes::{BLOCK_ROW, Direct, Workspace};
use super::vector::{Pairs, Vector};
use super::view::View;
use std::ops::Range;

/// Rows of the caller's to or from blocks.
#[derive(Debug, Clone)]
pub struct Copies<'a> {
    /// The rows.
    pub direct: Direct<'a>,
    /// Which blocks.
    pub blocks: Range<usize>,
    /// The memory of all blocks.
    pub memory: View<'a>,
    /// Numbers of a block.
    pub block_length: usize,
}

#[inline(always)]
fn copy_in_by<V: Vector>(copies: &Copies<'_>, _: &mut Workspace, proof: V::Proof) {
    let Copies { direct, blocks, memory, block_length } = copies;
    for begin in direct.rows.clone().step_by(LANES) {
        let end = (begin + LANES).min(direct.rows.end);
        for block in blocks.clone() {
            for row in begin..end {
                let pairs = Pairs(direct.take(row, block));
                let (low, high) = pairs.load::<V>(proof);
                let place = block_length * block + BLOCK_ROW * row;
                memory.stream(place, low);
                memory.stream(place + LANES, high);
            }
        }
    }
    V::fence();
}

#[inline(always)]
fn copy_out_by<V: Vector>(copies: &Copies<'_>, workspace: &mut Workspace, proof: V::Proof) {
    let Copies { direct, blocks, memory, block_length } = copies;
    if blocks.is_empty() {
        return;
    }
    // As many rows as fit, so that pages of the blocks are used for more than one row.
    let count = blocks.len();
    let height = (workspace.staged.len() / count).clamp(1, LANES);
    workspace.staged.resize(workspace.staged.len().max(count), Pairs::default());
    for begin in direct.rows.clone().step_by(height) {
        let end = (begin + height).min(direct.rows.end);
        for block in blocks.clone() {
            for row in begin..end {
                let number = (row - begin) * count + block - blocks.start;
                workspace.staged[number] = Pairs(memory.read(block_length * block + BLOCK_ROW * row));
            }
        }
        for (row, pairs) in (begin..end).zip(workspace.staged.chunks_exact(count)) {
            direct.put::<V>(row, blocks.start, pairs, proof);
        }
    }
    V::fence();
}

#[inline(always)]
fn block_by<V: Vector>(copies: &Copies<'_>, _: &mut Workspace, proof: V::Proof) {
    let Copies { direct, blocks, memory, block_length } = copies;
    for begin in direct.rows.clone().step_by(LANES) {
        let end = (begin + LANES).min(direct.rows.end);
        for block in blocks.clone() {
            for row in begin..end {
                let [re, im] = V::divide(proof, &direct.take(row, block));
                let place = block_length * block + BLOCK_ROW * row;
                memory.stream(place, re);
                memory.stream(place + LANES, im);
            }
        }
    }
    V::fence();
}

#[inline(always)]
fn unblock_by<V: Vector>(copies: &Copies<'_>, _: &mut Workspace, proof: V::Proof) {
    let Copies { direct, blocks, memory, block_length } = copies;
    let mut pairs = [Pairs::default()];
    for begin in direct.rows.clone().step_by(LANES) {
        let end = (begin + LANES).min(direct.rows.end);
        for block in blocks.clone() {
            for row in begin..end {
                let place = block_length * block + BLOCK_ROW * row;
                let re = V::load(proof, &memory.read(place));
                let [low, high] = V::pair([re, V::load(proof, &memory.read(place + LANES))]);
                pairs[0].store(low, high);
                direct.put::<V>(row, block, &pairs, proof);
            }
        }
    }
    V::fence();
}

levels! {
    /// Copies rows of a caller to blocks.
    copy_in: Copies => copy_in_by,
    /// Copies blocks to rows of a caller.
    copy_out: Copies => copy_out_by,
    /// Copies rows to blocks, with real and imaginary parts apart.
    block: Copies => block_by,
    /// The converse of [`block`].
    unblock: Copies => unblock_by,
}
