//! Memory: regions of the caller, blocks of elements in them, and copies.

pub mod blocks;
pub mod copy;
pub mod datatype;
pub mod grid;
pub mod region;
pub mod reserve;
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

/// Adds bytes to words, as they would lie in their memory; the last word is filled up with zeros.
#[inline]
pub fn append_bytes(words: &mut Vec<u64>, bytes: &[u8]) {
    let (begin, count) = (words.len(), bytes.len().div_ceil(size_of::<u64>()));
    words.reserve(count);
    let place = words.spare_capacity_mut();
    if let Some(last) = place[..count].last_mut() {
        last.write(0);
    }
    // SAFETY: there is memory for all words after the last one, which nobody else accesses; after the copy
    // all of it has been written.
    unsafe {
        copy::copy_short(bytes.as_ptr(), place.as_mut_ptr().cast(), bytes.len());
        words.set_len(begin + count);
    }
}

/// The bytes of words, to be written.
pub fn bytes_of_mut<T: Word>(words: &mut [T]) -> &mut [u8] {
    // SAFETY: the memory of the words, which is borrowed exclusively; bytes have no alignment, and all values
    // are valid.
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_were_appended_lie_behind_each_other() {
        let bytes: Vec<u8> = (1..=100).collect();
        let mut words = vec![7];
        for length in 0..=bytes.len() {
            words.truncate(1);
            append_bytes(&mut words, &bytes[..length]);
            let (written, zeros) = bytes_of(&words[1..]).split_at(length);
            assert_eq!((words[0], written), (7, &bytes[..length]));
            assert!(zeros.len() < 8 && zeros.iter().all(|&byte| byte == 0), "{length} bytes");
        }
    }
}
