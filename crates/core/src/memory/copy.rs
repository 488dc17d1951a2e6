//! Copies of bytes in memory: all copies of this library except streaming copies and single numbers.
//!
//! Idea: on AMD processors with fast string instructions (from Zen 3), glibc 2.36 copies with `rep movsb`,
//! from 2112 bytes up to the size of the second-level cache. If the distance from source to destination,
//! modulo a page, is 1 to 31 bytes, this instruction is slow: 1.8 GB/s instead of 42 (Zen 3). Such a copy is
//! divided into pieces shorter than 2112 bytes, which glibc copies with vector instructions. Large blocks of
//! `malloc` start 16 bytes after a page boundary, so they have this distance to a page-aligned block.
//!
//! Restrictions: x86-64. All other copies are compiler-generated, including an overlap in which the
//! destination is above the source: glibc copies it backward, without `rep movsb`.
//! Cost: a comparison for a copy outside of the range of lengths, two inside of it; at an affected distance
//! an additional call and load, and on AMD processors a call per piece. Extra memory: a byte per process.
//! Source: the measurement is our own; glibc bug 30994 describes the same. The lengths are from
//! `sysdeps/x86/dl-cacheinfo.h` in glibc 2.36.

use std::ptr;

/// Size of a piece: below 2112 bytes, where glibc's use of `rep movsb` begins.
const PIECE_BYTES: usize = 2 << 10;

/// Size from which glibc uses vector instructions again: the size of the second-level cache of Zen 4. The
/// second-level cache of Zen 3 has half of this size.
const MIN_UNAFFECTED_BYTES: usize = 1 << 20;

const PAGE_BYTES: usize = 4 << 10;

/// Largest distance from source to destination, modulo a page, at which `rep movsb` is slow.
const MAX_SLOW_DISTANCE: usize = 31;

/// As [`ptr::copy_nonoverlapping`].
///
/// # Safety
/// As for [`ptr::copy_nonoverlapping`].
#[inline(always)]
pub unsafe fn copy_nonoverlapping(from: *const u8, to: *mut u8, length: usize) {
    // SAFETY: both ranges can be accessed and do not overlap, by the contract of this function.
    unsafe {
        if is_slow(distance(from, to), length) {
            avoid_string_copy(from, to, length);
        } else {
            ptr::copy_nonoverlapping(from, to, length);
        }
    }
}

/// As [`ptr::copy`]: the ranges may overlap.
///
/// # Safety
/// As for [`ptr::copy`].
#[inline(always)]
pub unsafe fn copy(from: *const u8, to: *mut u8, length: usize) {
    let distance = distance(from, to);
    // SAFETY: both ranges can be accessed, by the contract of this function. A distance of at least the
    // length means that `to` is not inside of the source.
    unsafe {
        if is_slow(distance, length) && distance >= length {
            avoid_string_copy(from, to, length);
        } else {
            ptr::copy(from, to, length);
        }
    }
}

/// As [`copy`], for lengths that are often a few bytes: these are copied by loads and stores that may
/// overlap, which takes a third of the time of a call.
///
/// # Safety
/// As for [`ptr::copy`].
#[inline(always)]
pub unsafe fn copy_short(from: *const u8, to: *mut u8, length: usize) {
    /// The first and the last `T` of the range, which cover it.
    ///
    /// # Safety
    /// As for [`ptr::copy`]; the length is at least the size of one `T` and at most the size of two.
    #[inline(always)]
    unsafe fn ends<T: Copy>(from: *const u8, to: *mut u8, length: usize) {
        let last = length - size_of::<T>();
        // SAFETY: inside of both ranges. Both ends are read before one is written.
        unsafe {
            let values = [from.cast::<T>().read_unaligned(), from.add(last).cast::<T>().read_unaligned()];
            to.cast::<T>().write_unaligned(values[0]);
            to.add(last).cast::<T>().write_unaligned(values[1]);
        }
    }
    // SAFETY: `length` bytes can be read and written, and each arm is for lengths from one to two of its
    // type.
    unsafe {
        match length {
            8..=16 => ends::<u64>(from, to, length),
            17..=32 => ends::<u128>(from, to, length),
            4..8 => ends::<u32>(from, to, length),
            2..4 => ends::<u16>(from, to, length),
            1 => to.write(from.read()),
            0 => {}
            _ => copy(from, to, length),
        }
    }
}

/// Bytes from the source up to the destination, modulo the address space.
#[inline(always)]
fn distance(from: *const u8, to: *mut u8) -> usize {
    to.addr().wrapping_sub(from.addr())
}

/// Whether `rep movsb` is slow for this distance, and glibc uses it for this length on affected processors.
#[inline(always)]
fn is_slow(distance: usize, length: usize) -> bool {
    cfg!(target_arch = "x86_64")
        && (PIECE_BYTES + 1..MIN_UNAFFECTED_BYTES).contains(&length)
        && (1..=MAX_SLOW_DISTANCE).contains(&(distance % PAGE_BYTES))
}

/// Copies in pieces on affected processors.
///
/// # Safety
/// As for [`ptr::copy`], and `to` is not inside of the source.
#[inline(never)]
unsafe fn avoid_string_copy(from: *const u8, to: *mut u8, length: usize) {
    // Unit tests make the pieces on every processor.
    let affected = cfg!(test) || processor::may_be_slow();
    // SAFETY: `length` bytes can be read and written, and `to` is not inside of the source.
    unsafe { if affected { in_pieces(from, to, length) } else { ptr::copy(from, to, length) } }
}

/// Copies in pieces, the first one first.
///
/// # Safety
/// As for [`ptr::copy`], and `to` is not inside of the source.
unsafe fn in_pieces(mut from: *const u8, mut to: *mut u8, mut length: usize) {
    // The compiler makes one copy of a loop of copies if it knows their length.
    let piece = std::hint::black_box(PIECE_BYTES).max(1);
    // SAFETY: parts of the two ranges, which can be accessed. A piece is written below the addresses that
    // were read for it, or outside of the source, so it changes no byte of the source that is still to be
    // read.
    unsafe {
        while length > piece {
            ptr::copy(from, to, piece);
            from = from.add(piece);
            to = to.add(piece);
            length -= piece;
        }
        ptr::copy(from, to, length);
    }
}

#[cfg(target_arch = "x86_64")]
mod processor {
    use crate::atomic::{AtomicU8, Ordering};
    use std::arch::x86_64::__cpuid;

    const UNKNOWN: u8 = 0;
    const NOT_AFFECTED: u8 = 1;
    const MAY_BE_SLOW: u8 = 2;

    /// A fact about the process: `cpuid` takes a microsecond or more on a virtual machine.
    static VENDOR: AtomicU8 = AtomicU8::new(UNKNOWN);

    /// Whether the processor is AMD's. Its family is not checked: processors without fast string instructions
    /// lose a few percent of the affected copies, and later ones may be slow as well.
    #[inline]
    pub fn may_be_slow() -> bool {
        // Relaxed: threads that do not see the value yet find the same one.
        match VENDOR.load(Ordering::Relaxed) {
            UNKNOWN => find(),
            known => known == MAY_BE_SLOW,
        }
    }

    #[cold]
    fn find() -> bool {
        // SAFETY: every x86-64 processor has the instruction and its leaf 0.
        #[allow(unused_unsafe)]
        let leaf = unsafe { __cpuid(0) };
        let is_amd = [leaf.ebx, leaf.edx, leaf.ecx].map(u32::to_le_bytes).as_flattened() == b"AuthenticAMD";
        VENDOR.store(if is_amd { MAY_BE_SLOW } else { NOT_AFFECTED }, Ordering::Relaxed);
        is_amd
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod processor {
    pub fn may_be_slow() -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
