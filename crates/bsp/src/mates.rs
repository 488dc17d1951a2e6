//! The processes of this node: their numbers here, and what they have registered.
//!
//! A process knows address and size of every registration of its node, so that a call that exceeds a size is refused
//! where it is made, and so that single copy finds the memory. Those of other nodes are checked where the data
//! arrives.
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
}

impl Mates {
    /// Of `size` processes, these are on this node.
    pub fn new(processes: Vec<usize>, size: usize) -> Self {
        let mut numbers = vec![ELSEWHERE; size];
        for (number, &process) in processes.iter().enumerate() {
            numbers[process] = number as u32;
        }
        let places = vec![Vec::new(); processes.len()];
        Self { processes, numbers, places }
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

    /// Forgets registrations from a number on.
    pub fn truncate(&mut self, registrations: usize) {
        self.places.iter_mut().for_each(|places| places.truncate(registrations));
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
        mates.truncate(1);
        assert_eq!(mates.places[1].len(), 1);
    }
}
