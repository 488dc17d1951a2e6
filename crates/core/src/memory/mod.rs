//! Memory: regions of the caller's, blocks of elements in them, and how they are copied.

pub mod blocks;
pub mod copy;
pub mod datatype;
pub mod grid;
pub mod region;
pub mod scratch;
pub mod streaming;

pub use region::Region;

/// A word of 64 bits.
pub trait Word: private::Word {}
impl Word for u64 {}
impl Word for i64 {}

mod private {
    /// All bytes are valid, and there is no padding.
    pub trait Word {}
    impl Word for u64 {}
    impl Word for i64 {}
}

/// The bytes of words.
pub fn bytes_of<T: Word>(words: &[T]) -> &[u8] {
    // SAFETY: the memory of the words, which is borrowed; bytes have no alignment, and words no padding.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) }
}

/// The bytes of words, to be written.
pub fn bytes_of_mut<T: Word>(words: &mut [T]) -> &mut [u8] {
    // SAFETY: the memory of the words, which is borrowed exclusively; bytes have no alignment, and all values are
    // valid.
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
}
