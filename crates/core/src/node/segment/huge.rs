//! Huge pages for shared memory.
//!
//! Idea: the kernel usually gives files in memory no huge pages on demand (`shmem_enabled` is `never`), but it collapses pages
//! that exist into huge ones when a process asks for it (`MADV_COLLAPSE`, Linux 6.1), whatever that setting is. All
//! processes then map the huge pages where the mapping and the file are aligned alike, so segments of a huge page and more
//! start at a multiple of it.
//!
//! Cost: a copy of each page, once; measured 2.2 ms per huge page on a virtual machine.

use super::{Segment, failed};
use crate::error::Result;
use crate::node::huge_pages::HUGE_PAGE_BYTES;
use std::ops::Range;
use std::ptr;

/// Failures that end the attempt: a single page may be busy, several mean that the kernel does not collapse here.
const FAILURES: usize = 2;

/// Reserves a range of addresses that starts at a huge page, for a mapping that replaces it.
///
/// # Errors
/// Where the process may not have the range.
pub(super) fn reserve(length: usize) -> Result<*mut libc::c_void> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let whole = length.saturating_add(HUGE_PAGE_BYTES);
    // SAFETY: a new mapping that nobody accesses.
    let found = unsafe { libc::mmap(ptr::null_mut(), whole, libc::PROT_NONE, flags, -1, 0) };
    if found == libc::MAP_FAILED {
        return Err(failed(&format!("address range for {length} bytes of shared memory")));
    }
    let before = found.addr().next_multiple_of(HUGE_PAGE_BYTES) - found.addr();
    let start = found.wrapping_byte_add(before);
    let end = length.next_multiple_of(PAGE);
    for (part, bytes) in [(found, before), (start.wrapping_byte_add(end), whole - before - end)] {
        if bytes > 0 {
            // SAFETY: pages of the mapping that was just made, outside of the range that is kept.
            unsafe { libc::munmap(part, bytes) };
        }
    }
    Ok(start)
}

/// Bytes of the smallest page.
const PAGE: usize = 4096;

impl Segment {
    /// Makes huge pages of a range whose pages exist, where the kernel can; the contents stay.
    ///
    /// # Panics
    /// Where the range is not inside.
    pub fn collapse(&self, range: Range<usize>) {
        let start = range.start.next_multiple_of(HUGE_PAGE_BYTES);
        let end = range.end / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
        let mut failures = 0;
        for page in (start..end.max(start)).step_by(HUGE_PAGE_BYTES) {
            let result = self.advise(&(page..page + HUGE_PAGE_BYTES), libc::MADV_COLLAPSE);
            failures += usize::from(result.raw_os_error() != Some(0));
            if failures == FAILURES {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_survive_and_other_mappings_see_them() {
        const LENGTH: usize = 3 * HUGE_PAGE_BYTES + PAGE;
        let (created, _file, location) = Segment::create(LENGTH).expect("shared memory");
        let opened = Segment::open(location, LENGTH).expect("the same");
        assert!([&created, &opened].iter().all(|one| one.address().addr().get() % HUGE_PAGE_BYTES == 0));
        created.provide(0..LENGTH).expect("memory");
        let bytes = |segment: &Segment| segment.address().as_ptr();
        for place in (0..LENGTH).step_by(PAGE) {
            // SAFETY: inside the mapping, which only this test has.
            unsafe { bytes(&opened).add(place).write(place.count_ones() as u8) };
        }
        created.collapse(0..LENGTH);
        for place in (0..LENGTH).step_by(PAGE) {
            // SAFETY: as above.
            assert_eq!(unsafe { bytes(&created).add(place).read() }, place.count_ones() as u8);
        }
    }
}
