//! Atomic operations on variables of 32 bits.
//!
//! Idea: inside the node they are instructions. Between nodes the runtime has operations on words of 64 bits,
//! so the word that contains the variable is compared and swapped in a loop until it succeeds.
//!
//! Cost: one instruction; between nodes two requests and replies, more if images compete.

use crate::failure::{Failure, Image, Result};
use crate::statistics;
use crate::token::{Part, Token};
use hcube_core::onesided::Atomic;
use std::ffi::c_int;
use std::sync::atomic::{AtomicU32, Ordering};

/// A variable of an image, which is given by its number; 0 stands for this one.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The coarray.
    pub token: *const Token,
    /// Bytes from its beginning.
    pub offset: usize,
    /// The image.
    pub number: c_int,
}

/// The operation.
#[derive(Debug, Clone, Copy)]
pub enum Change {
    /// Nothing.
    Look,
    /// It becomes this.
    Set(u32),
    /// It becomes the second one, if it is the first one.
    Replace(u32, u32),
    /// Modulo 2^32.
    Add(u32),
    /// Bitwise.
    And(u32),
    /// Bitwise.
    Or(u32),
    /// Bitwise.
    Xor(u32),
}

impl Change {
    /// The new value for an old one.
    const fn of(self, old: u32) -> u32 {
        match self {
            Self::Look => old,
            Self::Set(new) => new,
            Self::Replace(expected, new) => {
                if old == expected {
                    new
                } else {
                    old
                }
            }
            Self::Add(operand) => old.wrapping_add(operand),
            Self::And(operand) => old & operand,
            Self::Or(operand) => old | operand,
            Self::Xor(operand) => old ^ operand,
        }
    }

    fn here(self, variable: &AtomicU32) -> u32 {
        let order = Ordering::AcqRel;
        match self {
            Self::Look => variable.load(Ordering::Acquire),
            Self::Set(new) => variable.swap(new, order),
            Self::Replace(expected, new) => variable
                .compare_exchange(expected, new, order, Ordering::Acquire)
                .unwrap_or_else(|found| found),
            Self::Add(operand) => variable.fetch_add(operand, order),
            Self::And(operand) => variable.fetch_and(operand, order),
            Self::Or(operand) => variable.fetch_or(operand, order),
            Self::Xor(operand) => variable.fetch_xor(operand, order),
        }
    }
}

/// Changes a variable: what it was before.
///
/// # Safety
/// The token is NULL or was returned and not freed.
pub unsafe fn change(image: &Image, place: &Place, change: Change) -> Result<u32> {
    // SAFETY: NULL or a token that was returned and not freed.
    let token = unsafe { Token::of(place.token) }?;
    let (offset, bytes) = (place.offset, size_of::<u32>());
    if offset.checked_add(bytes).is_none_or(|end| end > token.bytes) || !offset.is_multiple_of(bytes) {
        let text = format!(
            "bytes from {offset} on: expected a variable in the {} bytes of the coarray",
            token.bytes
        );
        return Err(Failure::new(text));
    }
    let rank = match place.number {
        0 => token.team.rank,
        number => token.team.rank_of_current(image, number)?,
    };
    match token.part_of(image, rank)? {
        Part::Here(part) => {
            statistics::note_path(statistics::Path::Node);
            // SAFETY: in the part, as checked above, which begins at a line of the cache; others access it
            // atomically.
            let variable = unsafe { AtomicU32::from_ptr(part.wrapping_add(offset).cast()) };
            let before = change.here(variable);
            if matches!(change, Change::Look) {
                // The program may poll again and again, until another image has done something that needs
                // this one.
                image.progress()?;
            }
            Ok(before)
        }
        Part::Away(rank) => {
            statistics::note_path(statistics::Path::Messages);
            let handle = token.data()?;
            let (word_at, shift) = (offset & !7, 8 * (offset % 8));
            let read = |word: u64| (word >> shift) as u32;
            let mut word = image.atomic(handle, rank, word_at, Atomic::Load, 0)?;
            loop {
                let old = read(word);
                let new = change.of(old);
                let replaced = word & !(u64::from(u32::MAX) << shift) | u64::from(new) << shift;
                if replaced == word {
                    return Ok(old);
                }
                let found = image.atomic(handle, rank, word_at, Atomic::CompareSwap(word), replaced)?;
                if found == word {
                    return Ok(old);
                }
                word = found;
            }
        }
    }
}
