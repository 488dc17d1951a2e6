//! Copies compared with the standard library: lengths, distances, overlaps. On all processors these tests
//! copy in pieces.

use super::*;

type Copy = unsafe fn(*const u8, *mut u8, usize);

/// A function without the attribute that puts it in line.
unsafe fn apart(from: *const u8, to: *mut u8, length: usize) {
    // SAFETY: parts of one buffer of the test that do not overlap, `length` bytes each.
    unsafe { copy_nonoverlapping(from, to, length) };
}

/// As [`apart`].
unsafe fn overlapping(from: *const u8, to: *mut u8, length: usize) {
    // SAFETY: parts of one buffer of the test, `length` bytes each.
    unsafe { copy(from, to, length) };
}

/// As [`apart`].
unsafe fn short(from: *const u8, to: *mut u8, length: usize) {
    // SAFETY: parts of one buffer of the test, `length` bytes each.
    unsafe { copy_short(from, to, length) };
}

const ALL: [(&str, Copy); 4] =
    [("copy_nonoverlapping", apart), ("copy", overlapping), ("copy_short", short), ("in_pieces", in_pieces)];

/// Bytes around the ranges that must not change.
const GUARD: usize = 64;

/// Memory that begins with a page, and what it holds before every copy.
struct Memory {
    bytes: Vec<u8>,
    start: usize,
    before: Vec<u8>,
}

impl Memory {
    fn new(length: usize) -> Self {
        let bytes = vec![0; length + PAGE_BYTES];
        let start = bytes.as_ptr().align_offset(PAGE_BYTES);
        // Marsaglia's xorshift: parts that are not copied differ from what should have arrived.
        let mut state = 0x9e37_79b9_u32;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state >> 24) as u8
        };
        Self { bytes, start, before: (0..length).map(|_| next()).collect() }
    }
}

/// Copies inside of a memory, and compares it with what `copy_within` does.
fn check((name, function): (&str, Copy), memory: &mut Memory, from: usize, to: usize, length: usize) {
    // Only the ranges and their guards, for speed.
    let range = from.min(to) - GUARD..from.max(to) + length + GUARD;
    let whole = &mut memory.bytes[memory.start..][..memory.before.len()];
    whole[range.clone()].copy_from_slice(&memory.before[range.clone()]);
    let mut expected = memory.before[range.clone()].to_vec();
    expected.copy_within(from - range.start..from - range.start + length, to - range.start);
    let address = whole.as_mut_ptr();
    // SAFETY: both ranges lie inside of the memory; callers pass those that the function permits.
    unsafe { function(address.add(from), address.add(to), length) };
    assert!(whole[range] == expected, "{name}: {length} bytes from {from} to {to}");
}

/// Around the limits of lengths, and several pieces.
fn long_lengths() -> Vec<usize> {
    let around = |limit: usize| limit - 2..limit + 3;
    let piece = PIECE_BYTES;
    [around(piece), around(2112), around(2 * piece), around(3 * piece)].into_iter().flatten().collect()
}

#[test]
fn every_length_at_every_distance_is_copied_and_no_more() {
    const FROM: usize = PAGE_BYTES;
    const TO: usize = 5 * PAGE_BYTES;
    let mut memory = Memory::new(10 * PAGE_BYTES);
    let lengths: Vec<usize> = (0..300).chain(long_lengths()).collect();
    for &length in &lengths {
        for distance in 0..64 {
            for function in ALL {
                check(function, &mut memory, FROM, TO + distance, length);
                check(function, &mut memory, FROM + 16, TO + 16 + distance, length);
            }
        }
    }
}

#[test]
fn distances_below_the_source_are_copied() {
    let mut memory = Memory::new(10 * PAGE_BYTES);
    for length in long_lengths() {
        for distance in 0..64 {
            for function in ALL {
                check(function, &mut memory, 6 * PAGE_BYTES, PAGE_BYTES + distance, length);
            }
        }
    }
}

#[test]
fn the_largest_affected_copies_are_complete() {
    let mut memory = Memory::new(2 * MIN_UNAFFECTED_BYTES + 4 * PAGE_BYTES);
    for length in MIN_UNAFFECTED_BYTES - 1..=MIN_UNAFFECTED_BYTES + 1 {
        for distance in [0, 1, 16, 31, 32] {
            for function in ALL {
                let to = MIN_UNAFFECTED_BYTES + 2 * PAGE_BYTES + distance;
                check(function, &mut memory, PAGE_BYTES, to, length);
            }
        }
    }
}

/// All overlaps of short copies, and those around the pieces and pages of long ones, in both directions.
#[test]
fn overlaps_are_copied_in_both_directions() {
    let near = (0..=70).chain(PIECE_BYTES - 33..=PIECE_BYTES + 33);
    let pages = (PAGE_BYTES - 33..=PAGE_BYTES + 33).chain(2 * PAGE_BYTES - 33..=2 * PAGE_BYTES + 33);
    let shifts: Vec<usize> = near.chain(pages).collect();
    let mut memory = Memory::new(12 * PAGE_BYTES);
    for length in [1, 2, 31, 64, 65, 300, 2049, 2112, 4096, 4097, 6144, 9000] {
        for &shift in &shifts {
            let (low, high) = (PAGE_BYTES, PAGE_BYTES + shift);
            check(("copy up", overlapping), &mut memory, low, high, length);
            check(("copy down", overlapping), &mut memory, high, low, length);
            // At every distance, not only at affected ones; not upward where the ranges overlap.
            check(("pieces down", in_pieces), &mut memory, high, low, length);
            if shift >= length {
                check(("pieces up", in_pieces), &mut memory, low, high, length);
            }
        }
    }
}

#[test]
fn short_overlaps_are_copied_in_both_directions() {
    let mut memory = Memory::new(2 * PAGE_BYTES);
    for length in 0..20 {
        for shift in 0..20 {
            check(("short up", short), &mut memory, 1000, 1000 + shift, length);
            check(("short down", short), &mut memory, 1000 + shift, 1000, length);
        }
    }
}

#[test]
fn what_is_slow_depends_on_length_and_distance() {
    let x86 = cfg!(target_arch = "x86_64");
    for pages in [0, 1, 7, usize::MAX / PAGE_BYTES] {
        for within in 0..PAGE_BYTES {
            let slow = x86 && (1..=31).contains(&within);
            for length in [PIECE_BYTES + 1, 4096, MIN_UNAFFECTED_BYTES - 1] {
                assert_eq!(is_slow(pages * PAGE_BYTES + within, length), slow, "{within}, {length} bytes");
            }
            for length in [0, 1, 32, PIECE_BYTES, MIN_UNAFFECTED_BYTES, usize::MAX] {
                assert!(!is_slow(pages * PAGE_BYTES + within, length), "{within}, {length} bytes");
            }
        }
    }
}

#[test]
fn the_processor_is_the_one_that_the_system_names() {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let vendor = text.lines().find_map(|line| line.strip_prefix("vendor_id")?.split(':').nth(1));
    if let Some(vendor) = vendor {
        assert_eq!(processor::may_be_slow(), vendor.trim() == "AuthenticAMD");
        assert_eq!(processor::may_be_slow(), vendor.trim() == "AuthenticAMD", "asked again");
    }
}
