//! Streaming copies, which bypass the cache.
//!
//! An ordinary store first fetches the cache line that it changes. If more is written than the cache holds,
//! these fetches are an unused third of the memory traffic; and if another core holds the line, it must be
//! transferred from there. Streaming stores write whole lines directly to memory.

use super::Region;

/// Copies a region to bytes, past the cache.
///
/// # Panics
/// Where the lengths differ.
pub fn read_streaming(region: Region<'_>, bytes: &mut [u8]) {
    assert_eq!(region.len(), bytes.len(), "bytes of the region and to be written");
    // SAFETY: the region can be read and no reference, hence not `bytes`, refers to it.
    unsafe { copy(region.address(), bytes.as_mut_ptr(), bytes.len()) };
}

/// Copies bytes to a region, past the cache.
///
/// # Panics
/// Where the lengths differ.
pub fn write_streaming(region: Region<'_>, bytes: &[u8]) {
    assert_eq!(region.len(), bytes.len(), "bytes of the region and to be written");
    // SAFETY: the region can be written and no reference, hence not `bytes`, refers to it.
    unsafe { copy(bytes.as_ptr(), region.address(), bytes.len()) };
}

/// Copies a region to another one that does not overlap it, past the cache.
///
/// # Panics
/// Where the lengths differ.
pub fn copy_streaming(from: Region<'_>, to: Region<'_>) {
    assert_eq!(from.len(), to.len(), "bytes of the two regions");
    // SAFETY: the regions can be read and written; both loads and stores are of bytes.
    unsafe { copy(from.address(), to.address(), from.len()) };
}

/// `to[i] = value(from[i], other[i])`, past the cache.
///
/// # Panics
/// Where the lengths differ.
#[inline(always)]
pub fn write_values(to: &mut [f64], from: &[f64], other: &[f64], value: impl Fn(f64, f64) -> f64 + Copy) {
    assert!(to.len() == from.len() && to.len() == other.len(), "lengths of the three vectors");
    let head = to.as_ptr().align_offset(LINE).min(to.len());
    let part = |to: &mut [f64], from: &[f64], other: &[f64]| {
        for ((to, &from), &other) in to.iter_mut().zip(from).zip(other) {
            *to = value(from, other);
        }
    };
    let (first, to) = to.split_at_mut(head);
    part(first, &from[..head], &other[..head]);
    let (lines, last) = to.as_chunks_mut::<NUMBERS>();
    let (from_lines, from_last) = from[head..].as_chunks::<NUMBERS>();
    let (other_lines, other_last) = other[head..].as_chunks::<NUMBERS>();
    for ((to, from), other) in lines.iter_mut().zip(from_lines).zip(other_lines) {
        let mut line = [0.0; NUMBERS];
        part(&mut line, from, other);
        store_line(to, &line);
    }
    finish();
    part(last, from_last, other_last);
}

/// Bytes of a line of the cache.
const LINE: usize = 64;
/// Numbers of a line of the cache.
const NUMBERS: usize = LINE / size_of::<f64>();

/// Writes a line of the cache past it. `to` starts at a line.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn store_line(to: &mut [f64; NUMBERS], line: &[f64; NUMBERS]) {
    use std::arch::x86_64::{__m128d, _mm_loadu_pd, _mm_stream_pd};
    const WIDTH: usize = size_of::<__m128d>() / size_of::<f64>();
    assert!(to.as_ptr().addr().is_multiple_of(LINE), "a line of the cache");
    for part in (0..NUMBERS).step_by(WIDTH) {
        // SAFETY: inside the two lines; `to` is aligned to a line, hence each of its parts to a register.
        unsafe { _mm_stream_pd(to.as_mut_ptr().add(part), _mm_loadu_pd(line.as_ptr().add(part))) };
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn store_line(to: &mut [f64; NUMBERS], line: &[f64; NUMBERS]) {
    *to = *line;
}

/// Orders streaming stores before what follows; nothing else does.
#[inline(always)]
pub(super) fn finish() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: an instruction of every x86-64.
    unsafe {
        std::arch::x86_64::_mm_sfence()
    };
}

/// # Safety
/// As [`copy_unordered`].
unsafe fn copy(from: *const u8, to: *mut u8, length: usize) {
    // SAFETY: `length` bytes can be read from the source and written to the destination.
    unsafe { copy_unordered(from, to, length) };
    finish();
}

/// Copies past the cache; [`finish`] follows the last one of several.
///
/// # Safety
/// As `ptr::copy_nonoverlapping`; where the two overlap, what is written is one or the other.
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn copy_unordered(from: *const u8, to: *mut u8, length: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
    const WIDTH: usize = size_of::<__m128i>();

    let head = to.align_offset(LINE).min(length);
    let lines = (length - head) / LINE;
    // SAFETY: all accesses lie inside the two ranges; `to + head` is aligned to a line.
    unsafe {
        std::ptr::copy(from, to, head);
        let (mut source, mut target) = (from.add(head), to.add(head));
        for _ in 0..lines {
            for part in 0..LINE / WIDTH {
                let value = _mm_loadu_si128(source.add(part * WIDTH).cast());
                _mm_stream_si128(target.add(part * WIDTH).cast(), value);
            }
            source = source.add(LINE);
            target = target.add(LINE);
        }
        std::ptr::copy(source, target, length - head - lines * LINE);
    }
}

/// # Safety
/// As `ptr::copy`.
#[cfg(not(target_arch = "x86_64"))]
pub(super) unsafe fn copy_unordered(from: *const u8, to: *mut u8, length: usize) {
    // SAFETY: `length` bytes can be read from the source and written to the destination.
    unsafe { std::ptr::copy(from, to, length) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_and_alignment_arrives_and_no_more() {
        for start in [0, 1, 15, 63] {
            for length in [0, 1, 16, 63, 64, 65, 127, 128, 200, 1000] {
                let from: Vec<u8> = (0..length).map(|index| index as u8 ^ 0x5a).collect();
                let mut memory = vec![0xee; 64 + 64 + length];
                // SAFETY: the memory is borrowed for the life of the region.
                let all = unsafe { Region::new(memory.as_mut_ptr(), memory.len()) };
                write_streaming(all.part(start..start + length), &from);
                assert_eq!(&memory[start..start + length], &from[..]);
                let rest = memory[..start].iter().chain(&memory[start + length..]);
                assert!(rest.copied().all(|byte| byte == 0xee), "{length} bytes from {start}");
            }
        }
    }
}
