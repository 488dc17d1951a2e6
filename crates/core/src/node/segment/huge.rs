//! Addresses of mappings that the kernel may put on huge pages.
//!
//! Idea: the kernel usually gives files in memory no huge pages on demand (`shmem_enabled` is `never`), but it collapses pages
//! that exist into huge ones when a process asks for it (`MADV_COLLAPSE`, Linux 6.1), whatever that setting is. All
//! processes then map the huge pages where the mapping and the file are aligned alike, so segments of a huge page and more
//! start at a multiple of it.
//!
//! Cost: a copy of each page, once; measured 2.2 ms per huge page on a virtual machine.

use crate::error::{Error, Result};
use crate::node::huge_pages::HUGE_PAGE_BYTES;
use std::ptr;

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
        let error = std::io::Error::last_os_error();
        return Err(Error::Memory(format!("address range of {length} bytes: {error}")));
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
