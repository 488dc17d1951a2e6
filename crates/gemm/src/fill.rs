//! Copies a rank's part of a factor into panels.
//!
//! Each element is read once and written once for every line that needs it. Panels usually have the order of
//! the matrix; if outer indices must be contiguous in the panel and are not in the matrix, small tiles are
//! transposed.

use crate::factor::Factor;
use crate::product::Operation;
use crate::runs::Run;
use hcube_core::memory::Region;
use std::ops::Range;

/// The panel of a line while it is filled.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// Its memory.
    pub memory: Region<'a>,
    /// Elements from one column to the next.
    pub leading: usize,
    /// Whether outer indices are next to each other in it.
    pub by_outer: bool,
}

/// Elements of a side of a tile that is transposed.
const TILE: usize = 16;

/// Copies what this rank hands out of the inner indices in `inner`, whose first is the panel's first, to the
/// panels of those lines for which `panel` returns one. Returns the bytes written.
pub fn fill<'a>(
    factor: &Factor<'_>,
    inner: &Range<usize>,
    panel: impl Fn(usize) -> Option<Target<'a>>,
) -> usize {
    let mut bytes = 0;
    let first = factor.inner_runs.partition_point(|run| run.number + run.length <= inner.start);
    let pieces = factor.inner_runs[first..].iter().map_while(|run| run.within(inner.start, inner.end));
    for columns in pieces {
        bytes += copy_columns(factor, &columns, columns.number - inner.start, &panel);
    }
    bytes
}

/// Copies a run of inner indices, which stand in the panel from `column` on.
fn copy_columns<'a>(
    factor: &Factor<'_>,
    columns: &Run,
    column: usize,
    panel: &impl Fn(usize) -> Option<Target<'a>>,
) -> usize {
    let mut bytes = 0;
    for lines in factor.outer_runs.chunk_by(|one, other| one.process == other.process) {
        let Some(target) = panel(lines[0].process) else { continue };
        for rows in lines {
            copy_block(factor, rows, columns, column, target);
            bytes += rows.length * columns.length * factor.size;
        }
    }
    bytes
}

/// Copies a run of outer indices times one of inner indices, which stands in the panel from `column` on.
pub fn copy_block(factor: &Factor<'_>, rows: &Run, columns: &Run, column: usize, target: Target<'_>) {
    if factor.by_outer != target.by_outer {
        return transpose_block(factor, rows, columns, column, target);
    }
    let (size, leading) = (factor.size, factor.matrix.leading);
    // Successive elements of a column of the matrix, and the first of that and of the panel.
    let (count, length, from, to) = if factor.by_outer {
        let from = columns.local * leading + rows.local;
        (columns.length, rows.length, from, column * target.leading + rows.place)
    } else {
        let from = rows.local * leading + columns.local;
        (rows.length, columns.length, from, rows.place * target.leading + column)
    };
    let length = length * size;
    for number in 0..count {
        let (from, to) = ((from + number * leading) * size, (to + number * target.leading) * size);
        factor.matrix.memory.part(from..from + length).copy_to(target.memory.part(to..to + length));
    }
}

/// As [`copy_block`], from columns of inner indices to columns of outer ones; conjugates an adjoint.
fn transpose_block(factor: &Factor<'_>, rows: &Run, columns: &Run, column: usize, target: Target<'_>) {
    let (size, leading) = (factor.size, factor.matrix.leading);
    let conjugate = factor.operation == Operation::Adjoint;
    let (mut tile, mut transposed) = ([0u8; TILE * TILE * 16], [0u8; TILE * TILE * 16]);
    for row in (0..rows.length).step_by(TILE) {
        let height = TILE.min(rows.length - row);
        for start in (0..columns.length).step_by(TILE) {
            let width = TILE.min(columns.length - start);
            for number in 0..height {
                let from = ((rows.local + row + number) * leading + columns.local + start) * size;
                let part = factor.matrix.memory.part(from..from + width * size);
                part.read(&mut tile[number * TILE * size..][..width * size]);
            }
            transpose_tile(&tile, &mut transposed, size, [height, width]);
            if conjugate {
                negate_imaginary(&mut transposed[..TILE * width * size], size);
            }
            for number in 0..width {
                let to = ((column + start + number) * target.leading + rows.place + row) * size;
                let part = target.memory.part(to..to + height * size);
                part.write(&transposed[number * TILE * size..][..height * size]);
            }
        }
    }
}

/// Transposes a tile of `height` columns of `width` elements.
fn transpose_tile(tile: &[u8], transposed: &mut [u8], size: usize, [height, width]: [usize; 2]) {
    /// The loop for a size that the compiler knows.
    fn by<const SIZE: usize>(tile: &[u8], transposed: &mut [u8], [height, width]: [usize; 2]) {
        for inner in 0..width {
            for outer in 0..height {
                let (from, to) = ((outer * TILE + inner) * SIZE, (inner * TILE + outer) * SIZE);
                transposed[to..to + SIZE].copy_from_slice(&tile[from..from + SIZE]);
            }
        }
    }
    match size {
        4 => by::<4>(tile, transposed, [height, width]),
        8 => by::<8>(tile, transposed, [height, width]),
        _ => by::<16>(tile, transposed, [height, width]),
    }
}

/// Conjugates complex elements of `size` bytes.
fn negate_imaginary(elements: &mut [u8], size: usize) {
    for element in elements.chunks_exact_mut(size) {
        // The sign is the highest bit of the last byte on little-endian machines, of the first of the half
        // elsewhere.
        let sign = if cfg!(target_endian = "little") { size - 1 } else { size / 2 };
        element[sign] ^= 0x80;
    }
}
