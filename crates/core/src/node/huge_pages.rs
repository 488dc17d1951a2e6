//! 2 MiB pages for memory that somebody else has allocated and touched.
//!
//! A random update misses the translation of its address nearly every time with 4 KiB pages; the
//! kernel can gather the pages of a range into huge ones (`MADV_COLLAPSE`, Linux 6.1). That costs a
//! copy of the range, and much more where the machine itself must first find the memory (a virtual
//! machine that has never used it), so the work stops where it takes longer than it can save.

use std::time::Duration;

/// Size of a huge page in bytes.
pub const HUGE: usize = 2 << 20;

/// What a huge page must save per update to be worth its making, in nanoseconds. Measured savings are
/// 2.0 to 2.5 on a Zen 4 and 4 on an older virtual machine; half of the least, so that the doubtful
/// case (memory that the machine must first find, 2 ns per update for the page) is left alone.
const SAVED_PER_UPDATE: f64 = 1.0;

/// Pages tried before the cost of a page is judged, and before failures end the attempt.
const TRIAL: usize = 2;

/// What has been done.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Report {
    /// Huge pages that the range holds now by our doing.
    pub pages: usize,
    /// Huge pages that the range could hold.
    pub possible: usize,
    /// Processor time spent.
    pub seconds: f64,
}

/// Processor time of this thread: with more ranks than cores, elapsed time is mostly that of others.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes to `time` alone.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Asks for huge pages below `words`, which about `updates` random updates are going to hit. The
/// contents stay. Silently does less, or nothing, where the kernel does not permit it.
pub fn collapse(words: &mut [u64], updates: u64) -> Report {
    let start = words.as_ptr().addr().next_multiple_of(HUGE);
    let end = (words.as_ptr().addr() + size_of_val(words)) / HUGE * HUGE;
    let possible = end.saturating_sub(start) / HUGE;
    let mut report = Report { possible, ..Report::default() };
    if possible == 0 {
        return report;
    }
    let address = words.as_mut_ptr().wrapping_byte_add(start - words.as_ptr().addr());
    // SAFETY: the range lies within `words`, which are borrowed mutably; advice changes no contents.
    if unsafe { libc::madvise(address.cast(), end - start, libc::MADV_HUGEPAGE) } != 0 {
        return report;
    }
    let budget_per_page = SAVED_PER_UPDATE * 1e-9 * updates as f64 / possible as f64;
    let begin = processor_time();
    let mut failures = 0;
    for page in 0..possible {
        let address = address.wrapping_byte_add(page * HUGE);
        // SAFETY: as above.
        if unsafe { libc::madvise(address.cast(), HUGE, libc::MADV_COLLAPSE) } != 0 {
            // A page may be busy for the moment; one that fails after the other is a rule.
            failures += 1;
            if failures == TRIAL {
                break;
            }
            continue;
        }
        report.pages += 1;
        report.seconds = (processor_time() - begin).as_secs_f64();
        if report.pages >= TRIAL && report.seconds > budget_per_page * report.pages as f64 {
            break;
        }
    }
    report
}

/// Whether the kernel makes huge pages on demand: tries one.
pub fn available() -> bool {
    let mut words = vec![1u64; 2 * HUGE / size_of::<u64>()];
    collapse(&mut words, u64::MAX >> 12).pages > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_survive() {
        let mut words: Vec<u64> = (0..(3 * HUGE / 8 + 5) as u64).collect();
        let report = collapse(&mut words, 1 << 40);
        assert!(report.pages <= report.possible && (2..=3).contains(&report.possible));
        assert!(words.iter().enumerate().all(|(index, &word)| word == index as u64));
    }

    #[test]
    fn small_and_empty_tables_are_left_alone() {
        for length in [0, 1, 1000] {
            assert_eq!(collapse(&mut vec![0; length], 1 << 40), Report::default());
        }
    }
}
