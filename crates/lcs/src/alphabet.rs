//! The alphabet that two strings have in common, and the strings in it.
//!
//! Idea: a symbol that occurs in only one of the strings is part of no common subsequence, so it is dropped.
//! The others get consecutive numbers, so that kernels know how many bits a symbol has, and tables need no
//! place for symbols that do not occur. Small numbers are looked up in a table; where symbols of 32 bits are
//! large numbers, both strings are sorted.
//!
//! Cost: a few passes over both strings, or their sorting. Memory: their ids, and a table of at most 2^16
//! entries, or one in proportion to the strings.

use crate::symbol::{Id, Symbol};
use hcube_core::Error;
use hcube_core::memory::reserve;

/// Two strings in their common alphabet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coded {
    /// Both strings.
    pub strings: Strings,
    /// Number of symbols of the alphabet.
    pub size: usize,
    /// What no common subsequence exceeds: the sum over the alphabet of the smaller number of occurrences.
    pub bound: usize,
}

impl Coded {
    /// Lengths of both strings of ids.
    pub fn lengths(&self) -> (usize, usize) {
        match &self.strings {
            Strings::Narrow(a, b) => (a.len(), b.len()),
            Strings::Wide(a, b) => (a.len(), b.len()),
        }
    }
}

/// Two strings of ids below the size of the alphabet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Strings {
    /// An alphabet of at most 256 symbols.
    Narrow(Vec<u8>, Vec<u8>),
    /// A larger alphabet.
    Wide(Vec<u32>, Vec<u32>),
}

/// Numbers below this are looked up in a table, for strings of any length.
pub(crate) const SMALL_TABLE: usize = 1 << 16;

/// Bytes of both strings below which they stay as they are: to compute with them takes less time than to
/// count them.
const SHORT: usize = 1000;

/// The id of symbols that only one string has.
pub(crate) const DROPPED: u32 = u32::MAX;

/// Both strings in their common alphabet.
///
/// # Errors
/// [`Error::Count`] for 2^32 symbols and more of 32 bits, [`Error::Memory`] where there is no room for ids
/// and tables.
pub fn code<S: Symbol>(a: &[S], b: &[S]) -> Result<Coded, Error> {
    if S::BITS == u8::BITS && a.len() + b.len() < SHORT {
        let bytes = |string: &[S]| string.iter().map(|symbol| symbol.value() as u8).collect();
        let strings = Strings::Narrow(bytes(a), bytes(b));
        return Ok(Coded { strings, size: 1 << u8::BITS, bound: a.len().min(b.len()) });
    }
    let values = || a.iter().chain(b).map(|symbol| symbol.value() as usize);
    let largest = if S::BITS <= 16 { (1 << S::BITS) - 1 } else { values().max().unwrap_or(0) };
    if largest < SMALL_TABLE.max(a.len() + b.len()) {
        return by_table(a, b, largest + 1);
    }
    if a.len().max(b.len()) > u32::MAX as usize {
        let length = a.len().max(b.len());
        return Err(Error::Count(format!(
            "a string of {length} symbols of 32 bits: expected fewer than 2^32"
        )));
    }
    by_sorting(a, b)
}

fn by_table<S: Symbol>(a: &[S], b: &[S], entries: usize) -> Result<Coded, Error> {
    let common = common(&counts(a, entries)?, &counts(b, entries)?);
    let id = |symbol: &S| common.ids[symbol.value() as usize];
    coded(a.iter().map(id), b.iter().map(id), common.size, common.bound)
}

/// How often each number below `entries` occurs.
pub(crate) fn counts<S: Symbol>(string: &[S], entries: usize) -> Result<Vec<u64>, Error> {
    let mut counts = reserve::filled(0, entries, "numbers of occurrences")?;
    for symbol in string {
        counts[symbol.value() as usize] += 1;
    }
    Ok(counts)
}

/// Symbols that both strings have.
pub(crate) struct Common {
    /// The id of each number, or [`DROPPED`].
    pub ids: Vec<u32>,
    pub size: usize,
    pub bound: usize,
}

/// Finds the symbols that have occurrences in both strings.
pub(crate) fn common(in_a: &[u64], in_b: &[u64]) -> Common {
    let (mut size, mut bound) = (0, 0);
    let ids = in_a.iter().zip(in_b).map(|(&in_a, &in_b)| {
        let both = in_a.min(in_b) as usize;
        bound += both;
        if both == 0 {
            return DROPPED;
        }
        size += 1;
        size as u32 - 1
    });
    let ids = ids.collect();
    Common { ids, size, bound }
}

fn by_sorting<S: Symbol>(a: &[S], b: &[S]) -> Result<Coded, Error> {
    let sorted = |string: &[S]| {
        let places = string.iter().enumerate();
        let mut keys: Vec<u64> = reserve::with_room(string.len(), "symbols to be sorted")?;
        keys.extend(places.map(|(at, symbol)| u64::from(symbol.value()) << 32 | at as u64));
        keys.sort_unstable();
        Ok::<_, Error>(keys)
    };
    let (keys_a, keys_b) = (sorted(a)?, sorted(b)?);
    let (mut from_a, mut from_b) = (&keys_a[..], &keys_b[..]);
    let mut ids_a = reserve::filled(DROPPED, a.len(), IDS)?;
    let mut ids_b = reserve::filled(DROPPED, b.len(), IDS)?;
    let (mut size, mut bound) = (0, 0);
    while let (Some(&first), Some(&second)) = (from_a.first(), from_b.first()) {
        let symbol = (first >> 32).min(second >> 32);
        let (in_a, in_b) = (occurrences(&mut from_a, symbol), occurrences(&mut from_b, symbol));
        if in_a.is_empty() || in_b.is_empty() {
            continue;
        }
        for (places, ids) in [(in_a, &mut ids_a), (in_b, &mut ids_b)] {
            for &place in places {
                ids[place as u32 as usize] = size as u32;
            }
        }
        size += 1;
        bound += in_a.len().min(in_b.len());
    }
    coded(ids_a.into_iter(), ids_b.into_iter(), size, bound)
}

/// Takes the keys of a symbol from the beginning of a sorted list.
fn occurrences<'a>(keys: &mut &'a [u64], symbol: u64) -> &'a [u64] {
    let number = keys.iter().take_while(|&&key| key >> 32 == symbol).count();
    let (taken, rest) = keys.split_at(number);
    *keys = rest;
    taken
}

/// What vectors of ids hold, in messages.
const IDS: &str = "ids of symbols";

/// Strings of ids without those that are [`DROPPED`].
pub(crate) fn coded(
    a: impl ExactSizeIterator<Item = u32>,
    b: impl ExactSizeIterator<Item = u32>,
    size: usize,
    bound: usize,
) -> Result<Coded, Error> {
    let strings = if size <= 1 << u8::BITS {
        Strings::Narrow(kept(a)?, kept(b)?)
    } else {
        Strings::Wide(kept(a)?, kept(b)?)
    };
    Ok(Coded { strings, size, bound })
}

fn kept<I: Id>(ids: impl ExactSizeIterator<Item = u32>) -> Result<Vec<I>, Error> {
    let mut kept = reserve::with_room(ids.len(), IDS)?;
    kept.extend(ids.filter(|&id| id != DROPPED).map(I::from_value));
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_of_one_string_are_dropped() {
        let wide = |string: &[u8]| string.iter().map(|&byte| u16::from(byte)).collect::<Vec<_>>();
        let coded = code(&wide(b"abcabx"), &wide(b"zbaab")).expect("short");
        let strings = Strings::Narrow(vec![0, 1, 0, 1], vec![1, 0, 0, 1]);
        assert_eq!(coded, Coded { strings, size: 2, bound: 4 });
        let empty = Coded { strings: Strings::Narrow(Vec::new(), Vec::new()), size: 0, bound: 0 };
        assert_eq!(code::<u16>(&[1, 2], &[3]), Ok(empty.clone()));
        assert_eq!(code::<u32>(&[], &[3]), Ok(empty));
    }

    #[test]
    fn sorting_finds_the_same_as_a_table() {
        let string = |seed: u32, length: u32| -> Vec<u32> {
            (0..length).map(|at| (at * 7919 + seed) * 31 % 1009 % 700).collect()
        };
        for (a, b) in [(string(1, 900), string(5, 300)), (string(3, 40), string(4, 40)), (vec![], vec![1])] {
            let expected = by_table(&a, &b, 1009);
            assert_eq!(by_sorting(&a, &b), expected);
            let large = |string: &[u32]| string.iter().map(|value| value << 21 | 5).collect::<Vec<_>>();
            assert_eq!(code(&large(&a), &large(&b)), expected);
        }
    }
}
