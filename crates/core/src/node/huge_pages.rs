//! 2 MiB pages for memory that the caller has allocated and touched.
//!
//! With 4 KiB pages nearly every random update misses the translation lookaside buffer. The kernel can
//! collapse the pages of a range into huge ones (`MADV_COLLAPSE`, Linux 6.1). This costs a copy of the range,
//! and much more if a virtual machine must first get the memory from its host, so the collapse stops when it
//! takes longer than it can save.

use std::time::Duration;

/// Size of a huge page in bytes.
pub const HUGE_PAGE_BYTES: usize = 2 << 20;

/// Time in nanoseconds that a huge page is assumed to save per update. Measured savings are 2.0 to 2.5 on a
/// Zen 4 and 4 on an older virtual machine; half of the smallest, so that pages are not collapsed in the
/// doubtful case (memory that the host must first provide, 2 ns per update for the page).
const SAVED_NANOSECONDS_PER_UPDATE: f64 = 1.0;

/// Pages collapsed before their cost is compared with the saving, and failures that end the attempt.
const TRIAL_PAGES: usize = 2;

/// Processor time in seconds for the collapse of memory that hcube shares out itself: 2.2 ms per page were
/// measured on a virtual machine, so that several hundred pages are huge at least.
const MAX_SECONDS: f64 = 2.0;

/// What [`collapse`] has done.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Report {
    /// Pages of the range that were made huge.
    pub pages: usize,
    /// Huge pages that the range could hold.
    pub possible: usize,
    /// Processor time spent.
    pub seconds: f64,
}

impl Report {
    /// Whether all pages are huge but one, which may have been busy.
    pub(super) const fn is_complete(&self) -> bool {
        self.pages + 1 >= self.possible
    }
}

/// Processor time of this thread: on oversubscribed cores most of the elapsed time is used by other ranks.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes only to `time`.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Requests huge pages for `words`, which about `updates` random updates will access. The contents do not
/// change. Does less, or nothing, without an error where the kernel does not permit it.
pub fn collapse(words: &mut [u64], updates: u64) -> Report {
    let start = words.as_ptr().addr().next_multiple_of(HUGE_PAGE_BYTES);
    let end = (words.as_ptr().addr() + size_of_val(words)) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    let possible = end.saturating_sub(start) / HUGE_PAGE_BYTES;
    let report = Report { possible, ..Report::default() };
    if possible == 0 {
        return report;
    }
    let address = words.as_mut_ptr().wrapping_byte_add(start - words.as_ptr().addr());
    // SAFETY: the range lies within `words`, which are borrowed mutably; advice changes no contents.
    if unsafe { libc::madvise(address.cast(), end - start, libc::MADV_HUGEPAGE) } != 0 {
        return report;
    }
    let budget_per_page = SAVED_NANOSECONDS_PER_UPDATE * 1e-9 * updates as f64 / possible as f64;
    let is_worth = |report: &Report| {
        report.pages < TRIAL_PAGES || report.seconds <= budget_per_page * report.pages as f64
    };
    collapse_while(is_worth, possible, |page| {
        let address = address.wrapping_byte_add(page * HUGE_PAGE_BYTES);
        // SAFETY: within the range above; the call moves the contents to other pages and does not change
        // them.
        unsafe { libc::madvise(address.cast(), HUGE_PAGE_BYTES, libc::MADV_COLLAPSE) == 0 }
    })
}

/// Collapses the pages of memory that many transfers use: `page` collapses one, and returns whether the
/// kernel did.
pub(super) fn collapse_for_long_use(possible: usize, page: impl FnMut(usize) -> bool) -> Report {
    collapse_while(|report| report.seconds < MAX_SECONDS, possible, page)
}

/// Collapses one page after the other, until that is not worth its time any more or fails.
fn collapse_while(
    is_worth: impl Fn(&Report) -> bool,
    possible: usize,
    mut collapse: impl FnMut(usize) -> bool,
) -> Report {
    let mut report = Report { possible, ..Report::default() };
    let begin = processor_time();
    let mut failures = 0;
    for page in 0..possible {
        if !collapse(page) {
            // A single page may be busy; several failures mean that the kernel does not collapse here.
            failures += 1;
            if failures == TRIAL_PAGES {
                break;
            }
            continue;
        }
        report.pages += 1;
        report.seconds = (processor_time() - begin).as_secs_f64();
        if !is_worth(&report) {
            break;
        }
    }
    report
}

/// Memory for which the kernel may make huge pages on demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Of one process.
    Private,
    /// Files in memory.
    Shared,
}

/// Whether the kernel makes huge pages on demand for such memory, by its settings.
pub(super) fn are_on_demand(kind: Kind) -> bool {
    let name = match kind {
        Kind::Private => "enabled",
        Kind::Shared => "shmem_enabled",
    };
    std::fs::read_to_string(format!("/sys/kernel/mm/transparent_hugepage/{name}"))
        .is_ok_and(|text| permits(&text))
}

/// Whether a setting permits huge pages: the value in brackets, such as `always [madvise] never`.
fn permits(text: &str) -> bool {
    let selected = text.split('[').nth(1).and_then(|rest| rest.split(']').next());
    selected.is_some_and(|value| !matches!(value, "never" | "deny"))
}

/// Whether the kernel makes huge pages on demand: tries one.
pub fn available() -> bool {
    let mut words = vec![1u64; 2 * HUGE_PAGE_BYTES / size_of::<u64>()];
    collapse(&mut words, u64::MAX >> 12).pages > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_survive() {
        let mut words: Vec<u64> = (0..(3 * HUGE_PAGE_BYTES / 8 + 5) as u64).collect();
        let report = collapse(&mut words, 1 << 40);
        assert!(report.pages <= report.possible && (2..=3).contains(&report.possible));
        assert!(words.iter().enumerate().all(|(index, &word)| word == index as u64));
        if report.pages == 0 {
            hcube_testing::unproved("huge-pages", "the kernel gives no huge page (MADV_COLLAPSE)");
        }
    }

    #[test]
    fn pages_are_collapsed_until_the_time_is_up_or_two_fail() {
        let run = |possible: usize, failing: &[usize], most: usize| {
            let report =
                collapse_while(|report| report.pages < most, possible, |page| !failing.contains(&page));
            (report.pages, report.is_complete())
        };
        assert_eq!(run(9, &[], 100), (9, true));
        assert_eq!(run(9, &[4], 100), (8, true));
        assert_eq!(run(9, &[2, 5], 100), (4, false));
        assert_eq!(run(9, &[], 3), (3, false));
        assert_eq!(run(0, &[], 3), (0, true));
    }

    #[test]
    fn settings_are_those_in_brackets() {
        assert!(permits("always [madvise] never\n") && permits("[always] madvise never\n"));
        assert!(permits("always within_size [advise] never deny force\n"));
        assert!(!permits("always madvise [never]\n") && !permits("always advise never [deny] force\n"));
        assert!(!permits(""));
    }

    #[test]
    fn small_and_empty_tables_are_left_alone() {
        for length in [0, 1, 1000] {
            assert_eq!(collapse(&mut vec![0; length], 1 << 40), Report::default());
        }
    }
}
