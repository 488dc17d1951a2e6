//! Bit-parallel rows in vector registers, for small alphabets: symbols as bit planes.
//!
//! Idea: the words of a strip are spread over the lanes of a few registers, their *depth*, consecutive words
//! over consecutive registers: word w is in register w mod depth. Each word works one row behind the word
//! before it, so that a carry goes to the same lane of the next register, and is needed one step later; only
//! the carries of the last register change lanes. Where the symbol of a row has bit p, a lane of plane p of
//! the text is all ones; the columns whose symbols differ from it are the union of the planes' differences:
//! no table in proportion to the alphabet. The formula is the same as in [`words`](super::words).
//!
//! The planes of the text serve for all strips, so text is cut into pieces whose planes stay in the
//! second-level cache. The pipeline of a strip is filled at the beginning of a piece and emptied at its end,
//! where a further plane makes the symbols of lanes without a row differ from all columns.
//!
//! Restrictions: alphabets of at most 256 symbols. What is left behind the last whole strip goes to
//! [`words`](super::words). Cost: n m / 64 words; an operation of AVX-512 or two of AVX2 per plane, and 6 or
//! 7 others per register and row; as many more rows as a strip has words, per piece. Memory: `CACHE_BYTES`
//! per lane; a bit per plane and column.
//!
//! Source: the formula of Crochemore, Iliopoulos, Pinzon and Reid 2001; words that carry from row to row as
//! in the wavefront of Krusche 2005, §5.2; the planes are our own.

use super::vector::{Loop, Vector};
use super::words::Places;
use super::{Tick, WORD};
use crate::symbol::{Id, bits_for};
use hcube_core::Error;
use hcube_core::memory::reserve;
use std::ops::ControlFlow;

/// Registers of a strip for a number of planes: with more planes fewer, so that the planes of the columns
/// stay in registers of AVX-512.
const fn depth(planes: usize) -> usize {
    match planes {
        1 | 2 => 6,
        3 => 5,
        4 | 5 => 4,
        _ => 3,
    }
}

/// Bytes of the planes of a piece, per lane.
const CACHE_BYTES: usize = 64 << 10;

/// Bits of a symbol.
pub const MAX_PLANES: usize = 8;

const _: () = assert!(super::MAX_SYMBOLS_AVX512 == 1 << MAX_PLANES);

/// What a band keeps of its columns and of a piece.
#[derive(Debug)]
pub struct Planes<V: Vector> {
    proof: V::Proof,
    /// Bits of a symbol.
    planes: usize,
    /// The planes of the columns in whole strips, word by word.
    columns: Vec<u64>,
    text: Text<V>,
    /// Carries out of a strip, behind the carries of the steps that fill its pipeline.
    outgoing: Vec<u64>,
    rest: Places,
}

/// The planes of a piece of text by step: what the first register needs in that step. The others need it
/// later.
#[derive(Debug)]
struct Text<V> {
    steps: usize,
    planes: Vec<V>,
    /// Ones in lanes without a row.
    guards: Vec<V>,
    /// The symbols of all lanes, and whether they have none, as bytes.
    bytes: Vec<[u64; 2]>,
}

impl<V: Vector> Planes<V> {
    /// Words of a strip.
    fn strip(&self) -> usize {
        V::LANES * depth(self.planes)
    }

    /// For columns with these symbols, which are below `alphabet`.
    ///
    /// # Errors
    /// [`Error::Memory`] where there is no room for their planes.
    pub fn new<I: Id>(proof: V::Proof, symbols: &[I], alphabet: usize) -> Result<Self, Error> {
        let planes = bits_for(alphabet);
        assert!(planes <= MAX_PLANES, "an alphabet of {alphabet} symbols");
        let strip = V::LANES * depth(planes);
        let words = symbols.len() / (strip * WORD) * strip * planes;
        let mut columns = reserve::filled(0_u64, words, "bit planes of symbols")?;
        for (words, symbols) in columns.chunks_exact_mut(planes).zip(symbols.chunks_exact(WORD)) {
            for (at, symbol) in symbols.iter().enumerate() {
                for (plane, word) in words.iter_mut().enumerate() {
                    *word |= (symbol.index() as u64 >> plane & 1) << at;
                }
            }
        }
        let text = Text { steps: 0, planes: Vec::new(), guards: Vec::new(), bytes: Vec::new() };
        Ok(Self { proof, planes, columns, text, outgoing: Vec::new(), rest: Places::new(alphabet) })
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
        let words = self.columns.len() / self.planes;
        let (whole, rest) = columns.split_at_mut(words);
        if words > 0 {
            let steps = CACHE_BYTES / (size_of::<u64>() * (self.planes + 1));
            let rows = (steps - self.strip()) / WORD * WORD;
            for (text, carries) in text.chunks(rows).zip(carries.chunks_mut(rows / WORD)) {
                self.piece(whole, text, carries, tick)?;
            }
        }
        self.rest.advance(&symbols[words * WORD..], rest, text, carries, tick)
    }

    fn piece<I: Id>(
        &mut self,
        columns: &mut [u64],
        text: &[I],
        carries: &mut [u64],
        tick: &mut Tick<'_>,
    ) -> ControlFlow<()> {
        let (proof, planes, strip) = (self.proof, self.planes, self.strip());
        V::execute(proof, Fill { text: &mut self.text, symbols: text, planes, proof });
        self.outgoing.resize(self.text.steps / WORD, 0);
        let strips = columns.chunks_exact_mut(strip).zip(self.columns.chunks_exact(strip * planes));
        for (columns, planes) in strips {
            let outgoing = &mut self.outgoing[..];
            let work =
                Strip { proof, planes, columns, text: &self.text, carries, outgoing, rows: text.len() };
            V::execute(proof, work);
            // The first carries are those of rows before the first.
            let (first, shift) = (strip / WORD, strip % WORD);
            for (at, word) in carries.iter_mut().enumerate() {
                let behind = self.outgoing.get(first + at + 1).copied().unwrap_or(0);
                *word = self.outgoing[first + at] >> shift | behind << 1 << (WORD - 1 - shift);
            }
            super::clear_behind(carries, text.len());
            tick((strip * WORD) as u64 * text.len() as u64)?;
        }
        ControlFlow::Continue(())
    }
}

/// Makes the planes of a piece.
struct Fill<'a, V: Vector, I> {
    text: &'a mut Text<V>,
    symbols: &'a [I],
    planes: usize,
    proof: V::Proof,
}

impl<V: Vector, I: Id> Loop for Fill<'_, V, I> {
    #[inline(always)]
    fn run(self) {
        let Self { text, symbols, planes, proof } = self;
        let depth = depth(planes);
        text.steps = (symbols.len() + V::LANES * depth).next_multiple_of(WORD);
        let (entries, zero) = (text.steps + depth - 1, V::gather(proof, |_| 0));
        // What was there before is overwritten.
        text.bytes.resize(depth + entries, [0; 2]);
        text.planes.resize(entries * planes, zero);
        text.guards.resize(entries, zero);
        text.bytes[..depth].fill([0, u64::MAX]);
        let vectors = text.planes.chunks_exact_mut(planes).zip(&mut text.guards);
        for (at, (planes, guard)) in vectors.enumerate() {
            let row = at.checked_sub(depth - 1).and_then(|row| symbols.get(row));
            let [symbol, absent] = row.map_or([0, 0xff], |symbol| [symbol.index() as u64, 0]);
            // Each word of a strip in a lane is as many rows behind that of the lane before as there are
            // registers.
            let before = text.bytes[at];
            let bytes = [before[0] << 8 | symbol, before[1] << 8 | absent];
            text.bytes[depth + at] = bytes;
            for (plane, vector) in planes.iter_mut().enumerate() {
                *vector = V::spread(proof, bytes[0], plane as u32);
            }
            *guard = V::spread(proof, bytes[1], 0);
        }
    }
}

/// A strip that goes through the rows of a piece.
struct Strip<'a, V: Vector> {
    proof: V::Proof,
    planes: &'a [u64],
    columns: &'a mut [u64],
    text: &'a Text<V>,
    carries: &'a [u64],
    outgoing: &'a mut [u64],
    rows: usize,
}

impl<V: Vector> Loop for Strip<'_, V> {
    #[inline(always)]
    fn run(self) {
        match self.planes.len() / self.columns.len() {
            1 => self.steps::<1, { depth(1) }>(),
            2 => self.steps::<2, { depth(2) }>(),
            3 => self.steps::<3, { depth(3) }>(),
            4 => self.steps::<4, { depth(4) }>(),
            5 => self.steps::<5, { depth(5) }>(),
            6 => self.steps::<6, { depth(6) }>(),
            7 => self.steps::<7, { depth(7) }>(),
            _ => self.steps::<MAX_PLANES, { depth(MAX_PLANES) }>(),
        }
    }
}

impl<V: Vector> Strip<'_, V> {
    #[inline(always)]
    fn steps<const PLANES: usize, const DEPTH: usize>(self) {
        let zero = V::gather(self.proof, |_| 0);
        let (mut planes, mut state) = ([[zero; PLANES]; DEPTH], [[zero; 2]; DEPTH]);
        for register in 0..DEPTH {
            let word = |lane: usize| lane * DEPTH + register;
            for (plane, vector) in planes[register].iter_mut().enumerate() {
                *vector = V::gather(self.proof, |lane| self.planes[word(lane) * PLANES + plane]);
            }
            state[register][0] = V::gather(self.proof, |lane| self.columns[word(lane)]);
        }
        let text = self.text.planes.as_chunks::<PLANES>().0;
        let full = V::LANES * DEPTH - 1;
        for (group, outgoing) in self.outgoing.iter_mut().enumerate() {
            let first = group * WORD;
            let window = first..first + WORD + DEPTH - 1;
            let (text, guards) = (&text[window.clone()], &self.text.guards[window]);
            let incoming = self.carries.get(group).copied().unwrap_or(0);
            *outgoing = if first >= full && first + WORD <= self.rows {
                group_of_steps::<V, PLANES, DEPTH, false>(&planes, &mut state, incoming, text, guards)
            } else {
                group_of_steps::<V, PLANES, DEPTH, true>(&planes, &mut state, incoming, text, guards)
            };
        }
        for (register, [columns, _]) in state.into_iter().enumerate() {
            for lane in 0..V::LANES {
                self.columns[lane * DEPTH + register] = columns.word(lane);
            }
        }
    }
}

/// As many steps as a word of carries has bits. The state of a register: columns, and carries of the last
/// step.
#[inline(always)]
fn group_of_steps<V: Vector, const PLANES: usize, const DEPTH: usize, const GUARD: bool>(
    planes: &[[V; PLANES]; DEPTH],
    state: &mut [[V; 2]; DEPTH],
    mut incoming: u64,
    text: &[[V; PLANES]],
    guards: &[V],
) -> u64 {
    let mut outgoing = 0;
    for (text, guards) in text.windows(DEPTH).zip(guards.windows(DEPTH)) {
        let (mut carry, out) = state[DEPTH - 1][1].shift_in(incoming & 1);
        incoming >>= 1;
        outgoing = outgoing >> 1 | out << (WORD - 1);
        for register in 0..DEPTH {
            // Every register is a row behind the one before.
            let (symbol, guard) = (&text[DEPTH - 1 - register], guards[DEPTH - 1 - register]);
            let first = V::differ(planes[register][0], symbol[0]);
            let mut differs = if GUARD { guard.or_differ(planes[register][0], symbol[0]) } else { first };
            for plane in 1..PLANES {
                differs = differs.or_differ(planes[register][plane], symbol[plane]);
            }
            let (row, out) = state[register][0].next_row(differs, carry);
            carry = state[register][1];
            state[register] = [row, out];
        }
    }
    outgoing
}
