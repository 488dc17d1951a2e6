//! Addresses of mappings that the kernel may put on huge pages.
//!
//! Idea: by default the kernel does not use huge pages on demand for files in memory (`shmem_enabled` is
//! `never`), but it collapses existing pages into huge ones on request (`MADV_COLLAPSE`, Linux 6.1),
//! regardless of that setting. All processes then map the huge pages if the mapping and the file have the
//! same alignment, so segments of at least a huge page start at a multiple of it.
//!
//! Cost: a copy of each page, once; measured 2.2 ms per huge page on a virtual machine.

use crate::node::huge_pages::HUGE_PAGE_BYTES;
use crate::node::system_page;
use std::ptr;

/// Reserves a range of addresses that starts at a huge page, for a mapping that replaces it. `None` where the
/// process may not have the range, which is longer than the mapping at first.
pub(super) fn reserve(length: usize) -> Option<*mut libc::c_void> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let whole = length.saturating_add(HUGE_PAGE_BYTES);
    // SAFETY: a new mapping that nobody accesses.
    let found = unsafe { libc::mmap(ptr::null_mut(), whole, libc::PROT_NONE, flags, -1, 0) };
    if found == libc::MAP_FAILED {
        return None;
    }
    let before = found.addr().next_multiple_of(HUGE_PAGE_BYTES) - found.addr();
    let start = found.wrapping_byte_add(before);
    let end = length.next_multiple_of(system_page::bytes());
    for (part, bytes) in [(found, before), (start.wrapping_byte_add(end), whole - before - end)] {
        if bytes > 0 {
            // SAFETY: pages of the mapping that was just made, outside of the range that is kept.
            unsafe { libc::munmap(part, bytes) };
        }
    }
    Some(start)
}

#[cfg(test)]
mod tests {
    use super::super::Segment;
    use super::super::tests::in_child;
    use crate::node::system_page;

    /// Whether a child maps memory of this length where its range of addresses may grow by `more` bytes.
    fn child_maps(length: usize, more: usize) -> bool {
        let maps = || {
            let mut text = [0; 32];
            // SAFETY: reads a file into memory that is there.
            unsafe {
                let file = libc::open(c"/proc/self/statm".as_ptr(), libc::O_RDONLY);
                libc::read(file, text.as_mut_ptr().cast(), text.len());
            }
            let digits = text.iter().take_while(|digit: &&u8| digit.is_ascii_digit());
            let pages = digits.fold(0, |number, digit| 10 * number + usize::from(digit - b'0'));
            let most = (system_page::bytes() * pages + more) as u64;
            let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
            // SAFETY: a limit of this process, which is the child.
            let is_limited = pages > 0 && unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) } == 0;
            is_limited && Segment::own(length).is_ok()
        };
        // SAFETY: the child has one thread; the C library keeps its heap usable after a fork.
        unsafe { in_child(maps) }
    }

    #[test]
    fn memory_needs_no_addresses_beyond_its_length() {
        const LENGTH: usize = 64 << 20;
        const SOME: usize = 1 << 20;
        assert!(child_maps(LENGTH, LENGTH + SOME), "the range for alignment does not fit, the memory does");
        assert!(!child_maps(LENGTH, LENGTH - SOME), "the limit has no effect");
    }
}
