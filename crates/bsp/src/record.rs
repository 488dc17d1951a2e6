//! Records that processes leave for each other: kinds and labels.
//!
//! | kind | value | label | payload |
//! |---|---|---|---|
//! | put | offset | registration | the data |
//! | get | offset | registration | the number of the request, and bytes |
//! | reply | the number of the request | | the data |
//! | message | bytes of the payload | | the tag with its padding, the payload |
//! | registration | | | addresses and sizes |
//! | origin | process, and a number | | none: the records after it in the list belong to that process, from its record of that number on |
//! | forwarded | destination and origin | | a record for another node |
//! | copied | bytes | 1 if the reader of the list has received them, 0 if it has sent them | none: for the profile |

use crate::registry::MAX_REGISTRATIONS;
use hcube_core::node::lists::LABELS;

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
    Forwarded,
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
    Kind::Forwarded,
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

/// The writer of a record, and the number of its earlier records for the same process: the order in which
/// records of one kind take effect.
pub type Source = (usize, u32);

/// The value of a record of [`Kind::Origin`].
pub fn origin((process, number): Source) -> u64 {
    process as u64 | u64::from(number) << 32
}

/// The inverse of [`origin`].
#[inline]
pub fn source(value: u64) -> Source {
    (value as u32 as usize, (value >> 32) as u32)
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
    fn sources_are_processes_and_numbers() {
        for place in [(0, 0), (7, 1), (u32::MAX as usize, u32::MAX)] {
            assert_eq!(source(origin(place)), place);
        }
    }
}
