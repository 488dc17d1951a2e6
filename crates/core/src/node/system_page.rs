//! Pages of the system: 4 KiB, on some processors 16 KiB or 64 KiB.
//!
//! Layouts of shared memory, which are the same everywhere, count pages of 4 KiB. What the kernel is told of
//! a range must begin at a page of the system, and it rounds the length up: it would free memory after the
//! range that is in use. So ranges are rounded here.

use std::ops::Range;

/// Bytes of a page.
pub(super) fn bytes() -> usize {
    // SAFETY: has no preconditions.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// The pages of `page` bytes that a range contains: those whose memory it may give back.
pub(super) fn inside(range: &Range<usize>, page: usize) -> Range<usize> {
    let end = range.end / page * page;
    range.start.checked_next_multiple_of(page).map_or(end, |start| start.min(end))..end
}

/// The range from the begin of its first page on.
pub(super) fn from_page(range: &Range<usize>, page: usize) -> Range<usize> {
    range.start / page * page..range.end
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_testing::sizes::sizes;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ranges_are_rounded_to_pages_of_any_size(bounds in [sizes(), sizes()], log in 12..17) {
            let (range, page) = (bounds[0].min(bounds[1])..bounds[0].max(bounds[1]), 1_usize << log);
            let wide = [range.start as u128, page as u128, range.end as u128];
            let inside = inside(&range, page);
            prop_assert!(inside.start.is_multiple_of(page) && inside.end.is_multiple_of(page) && inside.end <= range.end);
            // The most that there are.
            let [start, size, end] = wide;
            let most = (end / size * size).saturating_sub(start.next_multiple_of(size));
            prop_assert_eq!(inside.len() as u128, most);
            prop_assert!(inside.is_empty() || inside.start >= range.start);
            let from_page = from_page(&range, page);
            prop_assert!(from_page.end == range.end && from_page.start.is_multiple_of(page));
            prop_assert!(from_page.start <= range.start && range.start - from_page.start < page);
        }
    }
}
