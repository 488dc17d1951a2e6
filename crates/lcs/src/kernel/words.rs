//! Bit-parallel rows in strips of words that stay in registers, for any alphabet.
//!
//! Idea: with the columns V and the places M of the row's symbol in string A, the columns of the next row are
//! V' = (V + (V & M)) | (V & ~M), and the carry into the sum comes from the strip on the left. A strip of
//! `STRIP` words goes through all rows before the next begins, so that its columns stay in registers. Its
//! places M, only as many as the strip has symbols, stay in the first-level cache; only a carry per row goes
//! from strip to strip through memory.
//!
//! Restrictions: none. Cost: n m / 64 words, each with a load and five operations; a row of a strip takes as
//! long as the chain of its carries. Memory: (64 `STRIP` + 1) entries of `STRIP` words; with more than 256
//! symbols, two bytes per symbol of the alphabet. Per call: the places M of every strip are written and
//! erased.
//!
//! Source: Crochemore, Iliopoulos, Pinzon and Reid 2001, which has the formula; Hyyrö 2004, which has fewer
//! operations; the carries between strips are those between blocks in Krusche 2005, §5.2.

use super::{Tick, WORD};
use crate::symbol::Id;
use std::ops::ControlFlow;

/// Words of a strip.
const STRIP: usize = 4;

/// Symbols of text between calls of [`Tick`].
const PIECE: usize = 1 << 16;

/// The places of symbols in a strip: entry 0 is for symbols that the strip does not have.
#[derive(Debug)]
pub struct Places {
    /// Entry of each symbol of the alphabet, 0 outside of calls.
    entries: Vec<u16>,
    /// Bits of the places of a symbol.
    bits: Vec<[u64; STRIP]>,
}

/// Symbols of bytes have an entry each.
const BYTES: usize = 1 << u8::BITS;

impl Places {
    /// For symbols below `alphabet`.
    pub fn new(alphabet: usize) -> Self {
        let entries = if alphabet <= BYTES { Vec::new() } else { vec![0; alphabet] };
        Self { entries, bits: vec![[0; STRIP]; BYTES.max(STRIP * WORD + 1)] }
    }

    /// Takes columns, which have these symbols of string A, through the rows of a text.
    pub fn advance<I: Id>(
        &mut self,
        symbols: &[I],
        columns: &mut [u64],
        text: &[I],
        carries: &mut [u64],
        tick: &mut Tick<'_>,
    ) -> ControlFlow<()> {
        for (symbols, columns) in symbols.chunks(STRIP * WORD).zip(columns.chunks_mut(STRIP)) {
            self.enter(symbols);
            for (text, carries) in text.chunks(PIECE).zip(carries.chunks_mut(PIECE / WORD)) {
                match columns.len() {
                    1 => self.strip::<I, 1>(columns, text, carries),
                    2 => self.strip::<I, 2>(columns, text, carries),
                    3 => self.strip::<I, 3>(columns, text, carries),
                    _ => self.strip::<I, STRIP>(columns, text, carries),
                }
                tick(symbols.len() as u64 * text.len() as u64)?;
            }
            self.erase(symbols);
        }
        ControlFlow::Continue(())
    }

    fn enter<I: Id>(&mut self, symbols: &[I]) {
        let mut used = 0;
        for (place, symbol) in symbols.iter().enumerate() {
            let entry = match self.entries.get_mut(symbol.index()) {
                None => symbol.index(),
                Some(entry) => {
                    if *entry == 0 {
                        used += 1;
                        *entry = used;
                    }
                    usize::from(*entry)
                }
            };
            self.bits[entry][place / WORD] |= 1 << (place % WORD);
        }
    }

    fn erase<I: Id>(&mut self, symbols: &[I]) {
        for symbol in symbols {
            let entry = match self.entries.get_mut(symbol.index()) {
                None => symbol.index(),
                Some(entry) => usize::from(std::mem::take(entry)),
            };
            self.bits[entry] = [0; STRIP];
        }
    }

    fn strip<I: Id, const WORDS: usize>(&self, columns: &mut [u64], text: &[I], carries: &mut [u64]) {
        let columns: &mut [u64; WORDS] = columns.try_into().expect("words of a strip");
        if self.entries.is_empty() {
            let bits: &[[u64; STRIP]; BYTES] = self.bits[..BYTES].try_into().expect("an entry per byte");
            // Ids are below the size of the alphabet.
            rows(columns, text, carries, |symbol: I| &bits[symbol.index() % BYTES]);
        } else {
            rows(columns, text, carries, |symbol: I| &self.bits[usize::from(self.entries[symbol.index()])]);
        }
    }
}

/// The rows of a strip, whose bits of a symbol `places` tells.
#[inline(always)]
fn rows<'a, I: Id, const WORDS: usize>(
    columns: &mut [u64; WORDS],
    text: &[I],
    carries: &mut [u64],
    places: impl Fn(I) -> &'a [u64; STRIP],
) {
    let mut v = *columns;
    for (text, word) in text.chunks(WORD).zip(carries) {
        // First row first, so that the addition of a word to itself takes the carry out of one and puts it
        // into the other.
        let (mut incoming, mut outgoing) = (word.reverse_bits(), 0);
        for &symbol in text {
            let places = places(symbol);
            let mut carry;
            (incoming, carry) = add(incoming, incoming, 0);
            for (v, places) in v.iter_mut().zip(places) {
                let matches = *v & places;
                let (sum, out) = add(*v, matches, carry);
                *v = sum | (*v ^ matches);
                carry = out;
            }
            (outgoing, _) = add(outgoing, outgoing, carry);
        }
        *word = outgoing.reverse_bits() >> (WORD - text.len());
    }
    *columns = v;
}

/// The sum of two words and a carry, and the carry out of it.
#[inline(always)]
fn add(a: u64, b: u64, carry: u8) -> (u64, u8) {
    #[cfg(target_arch = "x86_64")]
    {
        let mut sum = 0;
        // A chain of these becomes a chain of `adc`.
        let out = core::arch::x86_64::_addcarry_u64(carry, a, b, &mut sum);
        (sum, out)
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let (sum, first) = a.overflowing_add(b);
        let (sum, second) = sum.overflowing_add(u64::from(carry));
        (sum, u8::from(first | second))
    }
}
