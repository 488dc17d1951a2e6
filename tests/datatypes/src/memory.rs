//! Buffers of random datatypes, and the locations of their bytes according to `MPI_Pack`.

use crate::random::measure;
use mpi::ffi::{self, MPI_Datatype};
use std::ffi::{c_int, c_void};

/// A buffer in which elements may begin before their origin.
pub struct Memory {
    /// All of it, margins too.
    pub bytes: Vec<u8>,
    origin: usize,
}

impl Memory {
    /// For `count` elements, with a margin that must stay untouched.
    pub fn of(datatype: MPI_Datatype, count: usize) -> Self {
        const MARGIN: i64 = 32;
        let size = measure(datatype);
        let last = size.extent * (count as i64 - 1).max(0);
        let low = size.true_lower + last.min(0) - MARGIN;
        let high = size.true_lower + size.true_extent + last.max(0) + MARGIN;
        let origin = -low.min(0);
        Self { bytes: vec![0; (origin + high.max(0)) as usize], origin: origin as usize }
    }

    /// The origin of the first element.
    pub fn address(&mut self) -> *mut c_void {
        self.bytes.as_mut_ptr().wrapping_add(self.origin).cast()
    }

    /// All packed bytes by MPI's own function.
    fn packed_by_mpi(&mut self, datatype: MPI_Datatype, count: usize, length: usize) -> Vec<u8> {
        let (mut packed, mut position) = (vec![0u8; length], 0);
        let (address, out) = (self.address(), packed.as_mut_ptr().cast());
        // SAFETY: the memory holds the elements; the library packs without a header.
        let code = unsafe {
            ffi::MPI_Pack(
                address,
                count as c_int,
                datatype,
                out,
                length as c_int,
                &mut position,
                ffi::RSMPI_COMM_SELF,
            )
        };
        assert_eq!((code, position), (0, length as c_int));
        packed
    }

    /// The position of each packed byte according to MPI; `None` if MPI is inconsistent: for some structs
    /// with empty members Open MPI 4.1 packs several elements as if they were contiguous, although it packs
    /// one element and returns the extent correctly.
    pub fn consistent_map(
        &mut self,
        datatype: MPI_Datatype,
        count: usize,
        length: usize,
    ) -> Option<Vec<usize>> {
        let extent = measure(datatype).extent as isize;
        let one = match count {
            0 => Vec::new(),
            _ => self.map(datatype, 1, length / count),
        };
        let all = self.map(datatype, count, length);
        let expected = (0..count as isize)
            .flat_map(|number| one.iter().map(move |at| at.wrapping_add_signed(number * extent)));
        expected.eq(all.iter().copied()).then_some(all)
    }

    /// Where each packed byte lies, by MPI's word.
    pub fn map(&mut self, datatype: MPI_Datatype, count: usize, length: usize) -> Vec<usize> {
        let mut digit = |shift: u32| {
            self.bytes.iter_mut().enumerate().for_each(|(at, byte)| *byte = (at >> shift) as u8);
            self.packed_by_mpi(datatype, count, length)
        };
        let digits = [0, 8, 16].map(&mut digit);
        (0..length)
            .map(|at| digits.iter().rev().fold(0, |sum, digit| sum << 8 | usize::from(digit[at])))
            .collect()
    }
}
