//! Memory of the caller, as far as hcube may touch it.
use std::marker::PhantomData;
use std::ops::Range;

/// A piece of the caller's memory.
#[derive(Debug, Clone, Copy)]
pub struct Region<'a> {
    address: *mut u8,
    length: usize,
    lifetime: PhantomData<&'a ()>,
}

impl<'a> Region<'a> {
    /// # Safety
    /// x
    pub unsafe fn new(address: *mut u8, length: usize) -> Self {
        Self { address, length, lifetime: PhantomData }
    }
    /// x
    pub fn address(&self) -> *mut u8 {
        self.address
    }
    /// x
    pub fn len(&self) -> usize {
        self.length
    }
    /// x
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
    /// x
    pub fn part(&self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.length);
        Self { address: self.address.wrapping_add(range.start), length: range.len(), lifetime: PhantomData }
    }
    /// x
    pub fn read(&self, out: &mut [u8]) {
        assert_eq!(out.len(), self.length);
        // SAFETY: x
        unsafe { std::ptr::copy_nonoverlapping(self.address, out.as_mut_ptr(), self.length) }
    }
    /// x
    pub fn write(&self, bytes: &[u8]) {
        assert_eq!(bytes.len(), self.length);
        // SAFETY: x
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.address, self.length) }
    }
    /// x
    pub fn copy_to(&self, other: Region<'_>) {
        assert_eq!(other.len(), self.length);
        // SAFETY: x
        unsafe { std::ptr::copy(self.address, other.address, self.length) }
    }
}
