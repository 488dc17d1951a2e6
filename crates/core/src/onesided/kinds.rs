//! The kinds of messages of one-sided access, and atomic operations on words.

use crate::active;
use crate::atomic::{AtomicU64, Ordering};

/// Bytes of a piece of a long access between nodes.
pub const PIECE_BYTES: usize = if cfg!(hcube_model) { 8 } else { 128 << 10 };
/// Pieces of a get that are requested before the first one has been copied.
pub const GET_PIECES: usize = if cfg!(hcube_model) { 2 } else { 8 };

/// An atomic operation on a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Atomic {
    /// Reads it.
    Load,
    /// Replaces it by the operand.
    Swap,
    /// Adds the operand, modulo 2^64.
    Add,
    /// Bitwise and with the operand.
    And,
    /// Bitwise or with the operand.
    Or,
    /// Bitwise exclusive or with the operand.
    Xor,
    /// Replaces it by the operand if it has this value.
    CompareSwap(u64),
}

/// The first kind of message.
pub const FIRST: u8 = 112;
/// The last one.
pub const LAST: u8 = Kind::GetShape as u8;

/// Messages of one-sided access: their kind, their tag and their payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Bytes for the offset in the tag.
    Put = FIRST,
    /// Wanted bytes: offset, length, position in the request whose number is the tag.
    Get,
    /// Bytes for a request: the position, then the bytes.
    Bytes,
    /// An amount to be added to the word at the offset in the tag.
    Notify,
    /// A value that replaces the word at the offset in the tag.
    Set,
    /// Bytes for the offset after a word at the offset in the tag, and the value that replaces it
    /// afterwards: the value, then the bytes.
    Publish,
    /// An atomic operation for a request: offset, code, operand, expected value.
    Atomic,
    /// The answer to it.
    Word,
    /// A shape and its packed elements, for the offset in the tag.
    PutShape,
    /// Wanted elements: offset, position in the request whose number is the tag, and the shape.
    GetShape,
}

/// All of them.
pub const KINDS: [Kind; 10] = [
    Kind::Put,
    Kind::Get,
    Kind::Bytes,
    Kind::Notify,
    Kind::Set,
    Kind::Publish,
    Kind::Atomic,
    Kind::Word,
    Kind::PutShape,
    Kind::GetShape,
];

/// Messages for which no receipts are expected: answers, and words that somebody waits for
/// ([`Onesided::set`](super::Onesided::set)).
pub const WITHOUT_RECEIPTS: [Kind; 4] = [Kind::Bytes, Kind::Set, Kind::Word, Kind::Publish];

const LOAD: u64 = 0;
const SWAP: u64 = 1;
const ADD: u64 = 2;
const AND: u64 = 3;
const OR: u64 = 4;
const XOR: u64 = 5;
const COMPARE_SWAP: u64 = 6;

/// An operation as a number, and what a compare-and-swap expects.
pub fn code(operation: Atomic) -> (u64, u64) {
    match operation {
        Atomic::Load => (LOAD, 0),
        Atomic::Swap => (SWAP, 0),
        Atomic::Add => (ADD, 0),
        Atomic::And => (AND, 0),
        Atomic::Or => (OR, 0),
        Atomic::Xor => (XOR, 0),
        Atomic::CompareSwap(expected) => (COMPARE_SWAP, expected),
    }
}

/// The operation that a number stands for.
pub fn operation(code: u64, expected: u64) -> Option<Atomic> {
    Some(match code {
        LOAD => Atomic::Load,
        SWAP => Atomic::Swap,
        ADD => Atomic::Add,
        AND => Atomic::And,
        OR => Atomic::Or,
        XOR => Atomic::Xor,
        COMPARE_SWAP => Atomic::CompareSwap(expected),
        _ => return None,
    })
}

const _: () = assert!(LAST < active::KINDS);

/// Makes an atomic operation.
#[inline]
pub fn apply(word: &AtomicU64, operation: Atomic, operand: u64) -> u64 {
    let order = Ordering::AcqRel;
    match operation {
        Atomic::Load => word.load(Ordering::Acquire),
        Atomic::Swap => word.swap(operand, order),
        Atomic::Add => word.fetch_add(operand, order),
        Atomic::And => word.fetch_and(operand, order),
        Atomic::Or => word.fetch_or(operand, order),
        Atomic::Xor => word.fetch_xor(operand, order),
        Atomic::CompareSwap(expected) => {
            word.compare_exchange(expected, operand, order, Ordering::Acquire).unwrap_or_else(|found| found)
        }
    }
}
