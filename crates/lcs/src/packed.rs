//! Symbols in words, for messages: 1, 2, 4, 8, 16 or 32 bits each, as many as the alphabet needs.

use crate::columns::WORD;
use crate::symbol::{Id, bits_for};

/// How symbols lie in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packing {
    bits: usize,
}

impl Packing {
    /// For symbols below `alphabet`.
    pub fn new(alphabet: usize) -> Self {
        Self { bits: bits_for(alphabet).next_power_of_two() }
    }

    /// Bits of a symbol.
    pub fn bits(self) -> usize {
        self.bits
    }

    /// Symbols in a word.
    pub fn per_word(self) -> usize {
        WORD / self.bits
    }

    /// Words that hold this number of symbols.
    pub fn words(self, symbols: usize) -> usize {
        symbols.div_ceil(self.per_word())
    }

    /// Appends the words of symbols.
    pub fn pack<I: Id>(self, symbols: &[I], words: &mut Vec<u64>) {
        words.extend(symbols.chunks(self.per_word()).map(|symbols| {
            let places = symbols.iter().enumerate();
            places.fold(0, |word, (at, symbol)| word | u64::from(symbol.value()) << (at * self.bits))
        }));
    }

    /// Appends this number of symbols from words.
    pub fn unpack<I: Id>(self, words: &[u64], count: usize, symbols: &mut Vec<I>) {
        let mask = u64::MAX >> (WORD - self.bits);
        let end = symbols.len() + count;
        for &word in words {
            let in_word = (end - symbols.len()).min(self.per_word());
            symbols.extend((0..in_word).map(|at| I::from_value((word >> (at * self.bits) & mask) as u32)));
        }
        assert_eq!(symbols.len(), end, "symbols in {} words", words.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_come_back() {
        for (alphabet, bits) in [(1, 1), (2, 1), (3, 2), (5, 4), (17, 8), (256, 8), (257, 16), (70_000, 32)] {
            let packing = Packing::new(alphabet);
            assert_eq!(packing.bits(), bits);
            for length in [0, 1, 2, 63, 64, 65, 200] {
                let symbols: Vec<u32> = (0..length).map(|at| (at * 7919) % alphabet as u32).collect();
                let (mut words, mut back) = (vec![5], vec![9_u32]);
                packing.pack(&symbols, &mut words);
                assert_eq!(words.len() - 1, packing.words(length as usize));
                packing.unpack(&words[1..], length as usize, &mut back);
                assert_eq!(back[1..], symbols);
            }
        }
    }
}
