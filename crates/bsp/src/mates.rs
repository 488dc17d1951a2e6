//! The processes of this node: their numbers, and their registrations.
//!
//! A process knows address and size of every registration of its node, so that a call that exceeds a size
//! returns an error immediately, and so that single copy finds the memory. Registrations of other nodes are
//! checked where the data arrives.
//! Memory: 16 bytes per registration and process of the node.

use hcube_core::Result;
use hcube_core::error::Error;

/// Not a process of this node.
const ELSEWHERE: u32 = u32::MAX;

/// Where a process has registered memory, and how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Its address there; 0 for NULL.
    pub address: u64,
    /// Bytes.
    pub size: u64,
}

/// The processes of this node.
#[derive(Debug)]
pub struct Mates {
    /// The processes, in ascending order.
    pub processes: Vec<usize>,
    /// The number of every process in that list.
    numbers: Vec<u32>,
    /// Registrations of each of them.
    places: Vec<Vec<Place>>,
    /// With several nodes, the largest size of each registration.
    largest: Vec<Place>,
}

impl Mates {
    /// Of `size` processes, these are on this node.
    pub fn new(processes: Vec<usize>, size: usize) -> Self {
        let mut numbers = vec![ELSEWHERE; size];
        for (number, &process) in processes.iter().enumerate() {
            numbers[process] = number as u32;
        }
        let places = vec![Vec::new(); processes.len()];
        Self { processes, numbers, places, largest: Vec::new() }
    }

    /// All processes, of this node and others.
    #[inline]
    pub fn all(&self) -> usize {
        self.numbers.len()
    }

    /// The number of a process on this node, if it is here.
    #[inline]
    pub fn number(&self, process: usize) -> Option<usize> {
        let number = self.numbers[process];
        (number != ELSEWHERE).then_some(number as usize)
    }

    /// Checks that a range lies in a registration of a process of this node; returns its address there.
    ///
    /// # Errors
    /// If it exceeds the size, or the process has registered NULL.
    #[inline]
    pub fn check(&self, number: usize, registration: u32, offset: usize, bytes: usize) -> Result<u64> {
        let Place { address, size } = self.places[number][registration as usize];
        if address != 0 && bytes as u64 <= size && offset as u64 <= size - bytes as u64 {
            return Ok(address + offset as u64);
        }
        Err(exceeded(offset, bytes, size, address == 0, self.processes[number]))
    }

    /// Adds registrations of a process of this node.
    pub fn add(&mut self, number: usize, places: impl Iterator<Item = Place>) {
        self.places[number].extend(places);
    }

    /// Updates the numbers of registrations at the end of a superstep: only the registrations in `kept`
    /// remain, if any were renumbered, and their number is the new count.
    pub fn settle(&mut self, kept: Option<&[bool]>, registrations: usize) {
        for places in self.places.iter_mut().chain([&mut self.largest]) {
            if let Some(kept) = kept {
                let mut number = 0;
                places.retain(|_| {
                    number += 1;
                    kept.get(number - 1).copied().unwrap_or_default()
                });
            }
            places.truncate(registrations);
        }
    }

    /// Checks that a range may lie in a registration of a process of another node, of which only the largest
    /// size of all processes is known here.
    ///
    /// # Errors
    /// If it exceeds that size.
    pub fn check_elsewhere(&self, registration: u32, offset: usize, bytes: usize) -> Result<()> {
        let Place { size, .. } = self.largest[registration as usize];
        if bytes as u64 <= size && offset as u64 <= size - bytes as u64 {
            return Ok(());
        }
        let end = offset as u128 + bytes as u128;
        let expected = format!(
            "at most {size}, the most bytes that any process has registered (offset = {offset}, nbytes = {bytes})"
        );
        Err(Error::argument("offset + nbytes", end, expected))
    }

    /// Adds the largest sizes of registrations.
    pub fn add_largest(&mut self, sizes: impl Iterator<Item = u64>) {
        self.largest.extend(sizes.map(|size| Place { address: 0, size }));
    }
}

/// The error for a range that exceeds what `process` has registered.
#[cold]
pub fn exceeded(offset: usize, bytes: usize, size: u64, is_null: bool, process: usize) -> Error {
    if is_null {
        return Error::Usage(format!(
            "process {process} has registered NULL here, so it has no part in this memory: expected a process that has"
        ));
    }
    let end = offset as u128 + bytes as u128;
    let expected = format!(
        "at most {size}, the bytes that process {process} has registered (offset = {offset}, nbytes = {bytes})"
    );
    Error::argument("offset + nbytes", end, expected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_testing::sizes::{sizes, sizes_within};
    use proptest::prelude::*;

    #[test]
    fn ranges_are_checked_without_overflow() {
        let mut mates = Mates::new(vec![1, 4], 6);
        assert_eq!((mates.number(4), mates.number(2), mates.all()), (Some(1), None, 6));
        mates.add(1, [Place { address: 0, size: 0 }, Place { address: 1000, size: 8 }].into_iter());
        assert_eq!(mates.check(1, 1, 8, 0), Ok(1008));
        assert_eq!(mates.check(1, 1, 3, 5), Ok(1003));
        for (offset, bytes) in
            [(4, 5), (0, 9), (9, 0), (usize::MAX, 1), (1, usize::MAX), (usize::MAX, usize::MAX)]
        {
            let error = mates.check(1, 1, offset, bytes).expect_err("outside").to_string();
            assert!(error.starts_with("offset + nbytes = ") && error.contains("at most 8"), "{error}");
        }
        assert!(
            mates.check(1, 0, 0, 1).expect_err("NULL").to_string().contains("process 4 has registered NULL")
        );
        mates.add_largest([4, 16].into_iter());
        assert!(mates.check_elsewhere(1, 8, 8).is_ok() && mates.check_elsewhere(1, 9, 8).is_err());
        assert!(mates.check_elsewhere(0, usize::MAX, usize::MAX).is_err());
        mates.settle(Some(&[false, true]), 1);
        assert_eq!(
            (mates.places[1].as_slice(), mates.largest[0].size),
            (&[Place { address: 1000, size: 8 }][..], 16)
        );
        mates.settle(None, 0);
        assert!(mates.places[1].is_empty());
    }

    proptest! {
        /// Registrations that end below 2^64.
        #[test]
        fn ranges_of_any_size_lie_in_a_registration_or_are_refused(
            address in sizes(), size in sizes(), [offset, bytes] in [sizes(), sizes()],
        ) {
            let size = size.min(usize::MAX - address);
            let mut mates = Mates::new(vec![0], 1);
            mates.add(0, [Place { address: address as u64, size: size as u64 }].into_iter());
            mates.add_largest([size as u64].into_iter());
            let is_inside = offset as u128 + bytes as u128 <= size as u128;
            let found = (is_inside && address != 0).then(|| (address + offset) as u64);
            prop_assert_eq!(mates.check(0, 0, offset, bytes).ok(), found);
            prop_assert_eq!(mates.check_elsewhere(0, offset, bytes).is_ok(), is_inside);
        }

        #[test]
        fn tags_of_any_size_are_padded(tag in sizes_within(0, crate::messages::MAX_TAG_BYTES)) {
            let padded = crate::messages::padded(tag);
            prop_assert!(padded >= tag && padded - tag < 16 && padded.is_multiple_of(8));
        }
    }
}
