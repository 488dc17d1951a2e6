//! Records that processes leave for each other: kinds and labels.
//!
//! | kind | value | label | payload |
//! |---|---|---|---|
//! | put | offset | registration | the data |
//! | get | offset | registration | the number of the request, and bytes |
//! | reply | the number of the request | | the data |
//! | message | bytes of the payload, and its number | the rest of the number | the tag with its padding, the payload |
//! | registration | | | addresses and sizes |
//! | origin | process | | none: the records after it in the list are those of that process |
//! | transit | destination and origin | | a record for another node |
//! | copied | bytes | 1 if the reader of the list has received them, 0 if it has sent them | none: for the profile |

use crate::registry::MAX_REGISTRATIONS;
use hcube_core::node::arena::LABELS;

/// Kinds of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// See the module.
    Put,
    /// See the module.
    Get,
    /// See the module.
    Reply,
    /// See the module.
    Message,
    /// See the module.
    Registration,
    /// See the module.
    Origin,
    /// See the module.
    Transit,
    /// See the module.
    Copied,
}

const KINDS: [Kind; 8] = [
    Kind::Put,
    Kind::Get,
    Kind::Reply,
    Kind::Message,
    Kind::Registration,
    Kind::Origin,
    Kind::Transit,
    Kind::Copied,
];

const _: () =
    assert!(MAX_REGISTRATIONS.is_power_of_two() && (KINDS.len() + 1) * MAX_REGISTRATIONS <= LABELS as usize);

/// A kind, and the number of a registration or 0.
#[inline]
pub fn label(kind: Kind, registration: u32) -> u32 {
    kind as u32 * MAX_REGISTRATIONS as u32 + registration
}

/// The inverse of [`label`].
#[inline]
pub fn parts(label: u32) -> (Kind, u32) {
    (KINDS[label as usize / MAX_REGISTRATIONS], label % MAX_REGISTRATIONS as u32)
}

/// Bits of a message's value that hold the bytes of its payload.
const BYTE_BITS: u32 = 40;

/// Value and label of a message: the bytes of its payload, and its number among those of its sender to other nodes,
/// which take different paths.
#[inline]
pub fn message(bytes: usize, number: u64) -> (u64, u32) {
    let high = (number >> (u64::BITS - BYTE_BITS)) % MAX_REGISTRATIONS as u64;
    (bytes as u64 | number << BYTE_BITS, label(Kind::Message, high as u32))
}

/// The bytes and the number of a message.
#[inline]
pub fn of_message(value: u64, label: u32) -> (usize, u64) {
    let number = value >> BYTE_BITS | u64::from(parts(label).1) << (u64::BITS - BYTE_BITS);
    ((value & ((1 << BYTE_BITS) - 1)) as usize, number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_two_parts() {
        for kind in KINDS {
            for registration in [0, 1, MAX_REGISTRATIONS as u32 - 1] {
                let label = label(kind, registration);
                assert!(label < LABELS);
                assert_eq!(parts(label), (kind, registration));
            }
        }
    }

    #[test]
    fn messages_have_lengths_and_numbers() {
        for number in [0, 1, 1 << 23, (1 << 24) - 1, 1 << 24, (1 << 44) - 1] {
            let (value, label) = message(12345, number);
            assert_eq!((of_message(value, label), parts(label).0), ((12345, number), Kind::Message));
        }
    }
}
