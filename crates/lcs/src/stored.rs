//! A string in the registered memory of processes: each has its part, packed into words.
//!
//! Idea: a symbol lies in its word as if the whole string were packed, so that the first word of a part may
//! begin with empty places. Thus every process knows where each symbol lies on each process, and a range is a
//! range of words of each part that has symbols of it, with a few symbols beside it.
//!
//! Cost: at most one word per part of a range more than the packed range.

use crate::distributed::parts::Parts;
use crate::packed::Packing;
use crate::symbol::Id;
use hcube_core::Error;
use hcube_core::memory::reserve;
use std::ops::Range;

/// A string on the processes.
#[derive(Debug, Clone)]
pub struct Stored {
    /// Where each part is.
    pub parts: Parts,
    /// How symbols lie in words.
    pub packing: Packing,
}

/// The symbols of a range that one process has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The process.
    pub from: usize,
    /// The words of its part that hold them.
    pub words: Range<usize>,
    /// Symbols in these words before the range.
    before: usize,
    /// Symbols of the range.
    symbols: usize,
}

impl Stored {
    /// The pieces of a range of the string, in its order.
    pub fn pieces(&self, range: &Range<usize>) -> impl Iterator<Item = Piece> {
        let per_word = self.packing.per_word();
        self.parts.sources(range).map(move |(from, count)| {
            let symbols = self.parts.overlap(from, range);
            let base = self.begin(from) / per_word;
            let words = symbols.start / per_word - base..symbols.end.div_ceil(per_word) - base;
            Piece { from, words, before: symbols.start % per_word, symbols: count }
        })
    }

    /// Words of all pieces of a range.
    pub fn words(&self, range: &Range<usize>) -> usize {
        self.pieces(range).map(|piece| piece.words.len()).sum()
    }

    /// The words of the part of a process.
    ///
    /// # Errors
    /// [`Error::Memory`] where there is no room for them.
    pub fn pack<I: Id>(&self, process: usize, part: &[I]) -> Result<Vec<u64>, Error> {
        let per_word = self.packing.per_word();
        let empty = self.begin(process) % per_word;
        let (head, rest) = part.split_at(((per_word - empty) % per_word).min(part.len()));
        let mut words = reserve::with_room(1 + self.packing.words(rest.len()), "packed symbols")?;
        if !head.is_empty() {
            let mut first = vec![I::from_value(0); empty];
            first.extend(head);
            self.packing.pack(&first, &mut words);
        }
        self.packing.pack(rest, &mut words);
        Ok(words)
    }

    /// Symbols for which a vector needs room in [`Self::unpack`] for a range of this length.
    pub fn room(&self, length: usize) -> usize {
        length + self.packing.per_word()
    }

    /// Appends the symbols of a piece, from its words.
    pub fn unpack<I: Id>(&self, piece: &Piece, words: &[u64], symbols: &mut Vec<I>) {
        let end = symbols.len();
        self.packing.unpack(words, piece.before + piece.symbols, symbols);
        symbols.drain(end..end + piece.before);
    }

    /// Where the part of a process begins in the string.
    fn begin(&self, process: usize) -> usize {
        self.parts.overlap(process, &(0..self.parts.length())).start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_found_in_packed_parts() {
        for alphabet in [2, 4, 200, 1000] {
            let packing = Packing::new(alphabet);
            for lengths in [vec![300], vec![100, 0, 1, 99, 100], vec![3, 4, 293], vec![0, 300, 0]] {
                let string: Vec<u32> = (0..300).map(|at| (at * 7919) % alphabet as u32).collect();
                let stored = Stored { parts: Parts::new(lengths.iter().copied()), packing };
                let mut rest = &string[..];
                let memory: Vec<Vec<u64>> = (0..lengths.len())
                    .map(|process| {
                        let (part, behind) = rest.split_at(lengths[process]);
                        rest = behind;
                        stored.pack(process, part).expect("memory")
                    })
                    .collect();
                for range in [0..300, 0..0, 5..6, 63..129, 99..101, 100..300, 299..300] {
                    let mut found: Vec<u32> = Vec::new();
                    for piece in stored.pieces(&range) {
                        stored.unpack(&piece, &memory[piece.from][piece.words.clone()], &mut found);
                    }
                    assert_eq!(found, string[range.clone()], "{range:?} of {lengths:?}, {alphabet} symbols");
                    let pieces = stored.pieces(&range).count();
                    assert!(stored.words(&range) <= packing.words(range.len()) + pieces);
                }
            }
        }
    }
}
