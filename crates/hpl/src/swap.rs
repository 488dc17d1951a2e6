//! Row swaps of an LU factorisation in a process column.
//!
//! Idea: the pivots of a panel move some rows of the matrix: as many as the panel has columns become the top rows, which
//! every rank of the column needs, and those that were there take the places of the others. With memory of the column
//! that is two copies: every rank writes its rows that move to the memory, and, when all have, copies the top rows from
//! there, and the rows whose new places it owns. Nothing is exchanged step by step, so there are no index lists, no
//! order of messages, and no balance of their lengths.
//!
//! Rows are spread over the ranks in blocks in turn (block-cyclic) and stored column by column, so a row is a strided
//! line. The memory has one line per row that moves. Rows of one rank lie together, so that ranks never write the same
//! line of the cache at once; for top rows that are stored one behind the other (`transposed`) they are contiguous, else
//! interleaved like the top rows. Copies go through blocks of eight columns, in which both sides use whole lines of the
//! cache.
//!
//! Cost for K rows that move, of n numbers, to a top of b: one wait; K n numbers written by all ranks together, b n read
//! by every rank, (K - b) n by all together. HPL: log2 P + P - 1 messages of up to b n numbers in total, and the same
//! gathering and scattering.
//!
//! Source: our own; the swaps that it replaces: HPL, A. Petitet et al., "spread and roll".

use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;

/// Bytes of a number.
pub(crate) const DOUBLE: usize = size_of::<f64>();
/// Columns that are copied at once: the numbers of a line of the cache.
const BLOCK: usize = 8;

/// Which rows move.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// Source and destination of each, alternating, as global numbers; each row is at most once a source and at most once
    /// a destination.
    pub pairs: &'a [i32],
    /// The first of the top rows.
    pub first: usize,
    /// Top rows.
    pub width: usize,
    /// Rows of a block.
    pub block: usize,
    /// Rows of this rank from `first` on.
    pub local: usize,
    /// Columns.
    pub columns: usize,
    /// Whether the top rows are stored one behind the other, else column by column.
    pub transposed: bool,
}

/// Numbers at equal distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Line {
    start: usize,
    step: usize,
}

/// What one rank copies in a swap. Lines of the matrix are local rows, whose step is that of the matrix.
#[derive(Debug, Clone)]
pub struct Swap {
    columns: usize,
    local: usize,
    /// Numbers of the top rows.
    top_size: usize,
    /// Numbers of the memory of the column.
    memory_size: usize,
    /// Local rows that go to the memory.
    given: Vec<(usize, Line)>,
    /// From the memory to the top.
    top: Vec<(Line, Line)>,
    /// From the memory to local rows.
    taken: Vec<(Line, usize)>,
}

impl Swap {
    /// What rank `own` of `ranks` copies.
    ///
    /// # Errors
    /// [`Error::Argument`] for rows that are not there, or if the top rows are not complete.
    pub fn new(rows: &Rows<'_>, own: usize, ranks: usize) -> Result<Self> {
        let &Rows { pairs, first, width, block, local, columns, transposed } = rows;
        if block == 0 {
            return Err(Error::argument("block", block, "1 or more"));
        }
        if !pairs.len().is_multiple_of(2) {
            return Err(Error::argument("pairs", pairs.len(), "an even number of rows"));
        }
        let below = local_row(first, block, own, ranks).0;
        let place = |row: i32| {
            let known = usize::try_from(row).ok().filter(|&row| row >= first);
            let row = known.ok_or_else(|| Error::argument("pairs", row, format!("{first} or more")))?;
            let owner = row / block % ranks;
            let index = local_row(row, block, owner, ranks).0;
            if owner == own && index - below >= local {
                return Err(Error::argument("pairs", row, format!("one of {local} local rows")));
            }
            Ok((row, owner, if owner == own { index - below } else { 0 }))
        };
        let mut moves = Vec::with_capacity(pairs.len() / 2);
        for pair in pairs.chunks_exact(2) {
            moves.push((place(pair[0])?, place(pair[1])?));
        }
        let mut owned = vec![0; ranks];
        for ((_, owner, _), _) in &moves {
            owned[*owner] += 1;
        }
        let starts: Vec<usize> =
            owned.iter().scan(0, |sum, count| Some(std::mem::replace(sum, *sum + count))).collect();
        let line = |of: usize, index: usize| match transposed {
            true => Line { start: (starts[of] + index) * columns, step: 1 },
            false => Line { start: starts[of] * columns + index, step: owned[of] },
        };
        let mut swap = Self {
            columns,
            local,
            top_size: width * columns,
            memory_size: moves.len() * columns,
            given: Vec::new(),
            top: Vec::new(),
            taken: Vec::new(),
        };
        let (mut seen, mut complete) = (vec![0; ranks], vec![false; width]);
        for ((_, from, source), (destination, to, target)) in moves {
            let memory = line(from, seen[from]);
            seen[from] += 1;
            if from == own {
                swap.given.push((source, memory));
            }
            match complete.get_mut(destination - first) {
                Some(row) => {
                    *row = true;
                    let row = destination - first;
                    let top = match transposed {
                        true => Line { start: row * columns, step: 1 },
                        false => Line { start: row, step: width },
                    };
                    swap.top.push((memory, top));
                }
                None if to == own => swap.taken.push((memory, target)),
                None => {}
            }
        }
        match complete.iter().position(|row| !row) {
            Some(row) => Err(Error::argument("pairs", row, "a source of each top row")),
            None => Ok(swap),
        }
    }

    /// Numbers of the memory of the column that the swap needs.
    pub fn memory_size(&self) -> usize {
        self.memory_size
    }

    /// Copies the rows of this rank that move to the memory of the column.
    ///
    /// # Errors
    /// [`Error::Buffer`] for a matrix that is too small.
    pub fn give(&self, matrix: &Matrix<'_>, memory: Region<'_>) -> Result<()> {
        matrix.check(self.local, self.columns)?;
        let moves: Vec<_> = self.given.iter().map(|&(row, line)| (matrix.line(row), line)).collect();
        copy(&moves, self.columns, matrix.memory, memory);
        Ok(())
    }

    /// Copies the top rows, and the rows whose new places this rank owns, from the memory of the column.
    ///
    /// # Errors
    /// [`Error::Buffer`] for a matrix or a top that is too small.
    pub fn take(&self, memory: Region<'_>, matrix: &Matrix<'_>, top: Region<'_>) -> Result<()> {
        matrix.check(self.local, self.columns)?;
        if top.len() < self.top_size * DOUBLE {
            return Err(Error::Buffer(format!("{} bytes of {} top numbers", top.len(), self.top_size)));
        }
        copy(&self.top, self.columns, memory, top);
        let moves: Vec<_> = self.taken.iter().map(|&(line, row)| (line, matrix.line(row))).collect();
        copy(&moves, self.columns, memory, matrix.memory);
        Ok(())
    }
}

/// Local number of the first row of rank `own` that is not below a global row, and whether it is that row.
fn local_row(row: usize, block: usize, own: usize, ranks: usize) -> (usize, bool) {
    let (turn, rest) = (row / (block * ranks), row % (block * ranks));
    let inside = rest.saturating_sub(own * block);
    (turn * block + inside.min(block), rest >= own * block && inside < block)
}

/// The rows of a rank, stored column by column.
#[derive(Debug, Clone, Copy)]
pub struct Matrix<'a> {
    /// From the first row of the first column on.
    pub memory: Region<'a>,
    /// Numbers from one column to the next.
    pub stride: usize,
}

impl Matrix<'_> {
    /// Numbers from the first to the last.
    pub fn extent(rows: usize, columns: usize, stride: usize) -> Option<usize> {
        match columns {
            0 => Some(0),
            _ => (columns - 1).checked_mul(stride)?.checked_add(rows),
        }
    }

    pub(crate) fn check(&self, rows: usize, columns: usize) -> Result<()> {
        let numbers = Self::extent(rows, columns, self.stride).filter(|_| self.stride >= rows);
        match numbers.and_then(|numbers| numbers.checked_mul(DOUBLE)) {
            Some(bytes) if bytes <= self.memory.len() => Ok(()),
            _ => {
                let text = format!("{rows} rows, {columns} columns, stride {}", self.stride);
                Err(Error::Buffer(format!("{} bytes of a matrix of {text}", self.memory.len())))
            }
        }
    }

    fn line(&self, row: usize) -> Line {
        Line { start: row, step: self.stride }
    }
}

/// Copies lines of `count` numbers.
///
/// # Panics
/// Where one is not inside.
fn copy(moves: &[(Line, Line)], count: usize, from: Region<'_>, to: Region<'_>) {
    if count == 0 {
        return;
    }
    let inside =
        |line: Line, region: Region<'_>| line.start + (count - 1) * line.step < region.len() / DOUBLE;
    assert!(moves.iter().all(|&(source, target)| inside(source, from) && inside(target, to)), "lines inside");
    let (from, to) = (from.address().cast::<f64>(), to.address().cast::<f64>());
    for begin in (0..count).step_by(BLOCK) {
        let end = count.min(begin + BLOCK);
        for (source, target) in moves {
            for index in begin..end {
                // SAFETY: inside both regions, as was checked, whose bytes may be read and written.
                unsafe {
                    let number = from.add(source.start + index * source.step).read_unaligned();
                    to.add(target.start + index * target.step).write_unaligned(number);
                }
            }
        }
    }
}
