//! The width and number of panels, and their layout in the memory of a domain.
//!
//! Idea: the width is independent of the blocks of the matrices. With a wide panel the local product runs at
//! its full rate, with few messages and waits; a narrow panel stays in the cache, and the next panel can be
//! prepared earlier. On one node about 8 MiB for all lines together were fastest, from 256 to 4096 columns.
//!
//! Memory: [`DEPTH`] panels of each line of a domain, at most the bound per rank times its ranks, with a
//! width of at least 1.

use crate::factor::{Factor, padded};
use crate::product::{Dimension, Grid};
use hcube_core::node::LINE_PAIR;

/// Panels in progress at a time: one that is multiplied, one that is complete, one that is filled.
pub const DEPTH: usize = 3;
/// Panels whose messages have distinct tags.
pub const PANEL_TAGS: usize = 4;
const _: () = assert!(PANEL_TAGS > DEPTH);
/// Bytes of the panels of all lines of a domain that a cache is expected to hold.
const CACHED_BYTES: usize = 8 << 20;
/// Inner size from which local products run at their full rate.
const MIN_WIDTH: usize = 256;
/// Inner size above which nothing is gained.
const MAX_WIDTH: usize = 4096;
/// Widths are multiples of this if they can be.
const WIDTH_STEP: usize = 8;
/// Bytes of a panel at most, so that a message has fewer than 2^31.
const MAX_PANEL_BYTES: usize = 1 << 30;

/// What determines the width in addition to the product: the same on all ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes that panels may use, per rank.
    pub memory: usize,
    /// The width that the user has chosen.
    pub width: Option<usize>,
    /// The largest width that messages permit.
    pub max_width: Option<usize>,
    /// Process rows, process columns and ranks of the domains, without repetition.
    pub shapes: Vec<[usize; 3]>,
}

/// The panel of one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Area {
    /// The line: a process row for op(A), a process column for op(B).
    pub line: usize,
    /// Where it starts in the memory of a panel, in bytes.
    pub offset: usize,
    /// Its outer indices.
    pub height: usize,
    /// Elements from one column to the next.
    pub leading: usize,
    /// Bytes of it.
    pub bytes: usize,
}

/// The panels of a product, seen from a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panels {
    /// Inner indices of a panel; the last one may have fewer.
    pub width: usize,
    /// Number of panels.
    pub count: usize,
    /// Whether outer indices are next to each other, for both factors.
    pub by_outer: [bool; 2],
    /// The panels of the lines of this domain, for both factors; none where a factor stays in place.
    pub areas: [Vec<Area>; 2],
    /// Where the partial products of the ranks of this domain start, and what each of them has.
    pub partials: (usize, Area),
    /// Bytes of all these areas.
    pub bytes: usize,
    /// Bytes of the areas of a domain of each of [`Limits::shapes`], at most.
    pub shape_bytes: Vec<usize>,
}

/// The matrices that are communicated.
#[derive(Debug, Clone, Copy)]
pub struct Moving<'f, 'a> {
    /// The factors whose panels belong to process rows, and to process columns.
    pub factors: [Option<&'f Factor<'a>>; 2],
    /// Whether outer indices are next to each other in panels.
    pub by_outer: [bool; 2],
    /// Number of inner indices.
    pub inner: usize,
    /// Rows of the partial product of a rank for each inner index; 0 without partial products.
    pub partial: usize,
    /// Size of an element.
    pub size: usize,
}

impl Moving<'_, '_> {
    /// Bytes of the panels of a domain with the given numbers of process rows, process columns and ranks. The
    /// largest number stands for what exceeds 64 bits, and no memory has it.
    fn domain_bytes(&self, [rows, columns, ranks]: [usize; 3], width: usize) -> usize {
        let of_side = |(side, lines): (usize, usize)| {
            let factor = self.factors[side]?;
            let bytes = factor.panel_bytes(factor.target.max_count(), width, self.by_outer[side]);
            Some(whole_lines(bytes).saturating_mul(lines))
        };
        let panels = [(0, rows), (1, columns)].into_iter().filter_map(of_side);
        let partials = self.partial_area(width).bytes.saturating_mul(ranks);
        panels.fold(partials, usize::saturating_add)
    }

    /// The partial product of a rank.
    fn partial_area(&self, width: usize) -> Area {
        let leading = padded(self.partial, self.size);
        let bytes = leading.saturating_mul(width).saturating_mul(self.size);
        let bytes = if self.partial == 0 { 0 } else { whole_lines(bytes) };
        Area { line: 0, offset: 0, height: self.partial, leading, bytes }
    }
}

/// Bytes of whole pairs of lines, or the largest number.
fn whole_lines(bytes: usize) -> usize {
    bytes.checked_next_multiple_of(LINE_PAIR).unwrap_or(usize::MAX)
}

/// The width of panels.
fn width(moving: &Moving<'_, '_>, limits: &Limits) -> usize {
    let inner = moving.inner;
    // Without the padding of columns that are short.
    let column = |&shape: &[usize; 3]| moving.domain_bytes(shape, MIN_WIDTH) / MIN_WIDTH;
    let column = limits.shapes.iter().map(column).max().unwrap_or(0);
    let cached = (CACHED_BYTES / column.max(1)).clamp(MIN_WIDTH, MAX_WIDTH);
    let largest = limits.max_width.unwrap_or(usize::MAX).min(inner).max(1);
    let mut width = limits.width.unwrap_or(cached).clamp(1, largest);
    for &shape in &limits.shapes {
        let bound = (limits.memory.saturating_mul(shape[2]) / DEPTH).min(MAX_PANEL_BYTES);
        loop {
            let bytes = moving.domain_bytes(shape, width);
            if bytes <= bound || width == 1 {
                break;
            }
            // At least one less, so that the padding of columns does not hold it up. Never too narrow: the
            // largest number stands for more bytes.
            width = ((width as u128 * bound as u128 / bytes as u128) as usize).clamp(1, width - 1);
        }
    }
    if limits.width.is_some() {
        return width;
    }
    // As many panels, of almost equal widths.
    let even = inner.div_ceil(inner.div_ceil(width).max(1)).max(1);
    let rounded = even.next_multiple_of(WIDTH_STEP);
    if rounded <= width { rounded } else { even }
}

impl Panels {
    /// `lines` are the process rows and the process columns of the domain, `ranks` its ranks.
    pub fn new(moving: &Moving<'_, '_>, limits: &Limits, lines: [&[usize]; 2], ranks: usize) -> Self {
        let width = width(moving, limits);
        let mut bytes = 0_usize;
        let areas = [0, 1].map(|side: usize| {
            let Some(factor) = moving.factors[side] else { return Vec::new() };
            let by_outer = moving.by_outer[side];
            let of_line = |&line: &usize| {
                let height = factor.height(line);
                let leading = factor.leading(height, width, by_outer);
                let area_bytes = factor.panel_bytes(height, width, by_outer);
                let offset = bytes;
                bytes = whole_lines(bytes.saturating_add(area_bytes));
                Area { line, offset, height, leading, bytes: area_bytes }
            };
            lines[side].iter().map(of_line).collect()
        });
        let partials = (bytes, moving.partial_area(width));
        bytes = bytes.saturating_add(partials.1.bytes.saturating_mul(ranks));
        let of_shape = |&shape: &[usize; 3]| moving.domain_bytes(shape, width);
        let shape_bytes = limits.shapes.iter().map(of_shape).collect();
        let count = moving.inner.div_ceil(width);
        Self { width, count, by_outer: moving.by_outer, areas, partials, bytes, shape_bytes }
    }

    /// The inner indices of a panel.
    pub fn inner(&self, panel: usize, inner: usize) -> std::ops::Range<usize> {
        panel * self.width..((panel + 1) * self.width).min(inner)
    }

    /// The area of a line.
    pub fn area(&self, side: usize, line: usize) -> Option<&Area> {
        let number = self.areas[side].binary_search_by_key(&line, |area| area.line).ok()?;
        Some(&self.areas[side][number])
    }
}

/// Process rows, process columns and ranks of the domains of a grid, without repetition.
pub fn shapes(domains: &[u32], grid: Grid) -> Vec<[usize; 3]> {
    let mut numbers = domains.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    let mut lines: Vec<[Vec<usize>; 2]> = vec![Default::default(); numbers.len()];
    let mut ranks = vec![0; numbers.len()];
    for (rank, domain) in domains.iter().enumerate() {
        let number = numbers.binary_search(domain).expect("one of the numbers");
        ranks[number] += 1;
        lines[number][0].push(rank / grid.columns);
        lines[number][1].push(rank % grid.columns);
    }
    let count = |mut lines: Vec<usize>| {
        lines.sort_unstable();
        lines.dedup();
        lines.len()
    };
    let shapes =
        lines.into_iter().zip(ranks).map(|([rows, columns], ranks)| [count(rows), count(columns), ranks]);
    let mut shapes: Vec<[usize; 3]> = shapes.collect();
    shapes.sort_unstable();
    shapes.dedup();
    shapes
}

/// The dimension of lines of a side, by its number: 0 for op(A).
pub const LINES: [Dimension; 2] = [Dimension::Rows, Dimension::Columns];

#[cfg(test)]
mod tests;
