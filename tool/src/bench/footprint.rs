//! What a call adds to the resident memory of a process, as the kernel counts it.

use hcube_core::Result;
use hcube_core::comm::{Comm, agree};
use std::fs;

/// Probes of the memory that something adds.
const PROBES: usize = 3;

/// What the kernel says about this process, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Footprint {
    /// Most pages that were resident since the peak was reset.
    peak: i64,
    /// Resident pages that are shared memory; each process that maps one counts it.
    shared: i64,
    /// The same, a page counting 1/n where n processes map it.
    shared_share: i64,
    /// All resident pages, counted so.
    share: i64,
    /// The same, when the heap has given back what was freed.
    kept: i64,
}

/// What was added between two footprints, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Added {
    /// At the peak.
    pub peak: u64,
    /// What has stayed.
    pub held: u64,
}

/// Returns the free memory of the heap to the kernel.
fn trim_heap() {
    // SAFETY: has no preconditions.
    unsafe { libc::malloc_trim(0) };
}

/// Collective: what the work adds to the memory of a process, on the largest rank; nothing where the kernel
/// does not permit it on every rank.
pub fn added_by(comm: &impl Comm, work: impl FnOnce() -> Result<()>) -> Result<Option<Added>> {
    comm.barrier()?;
    let before = Footprint::begin();
    // Nobody maps more memory of others before all have read.
    comm.barrier()?;
    agree(comm, work())?;
    let own = before.zip(Footprint::end()).map(|(before, after)| after.added_since(&before));
    let mut largest = own.map_or([0, 0, 1], |own| [own.peak as i64, own.held as i64, 0]);
    // Nobody frees memory before all have read, either.
    comm.all_reduce_max(&mut largest)?;
    let [peak, held, unknown] = largest;
    Ok((unknown == 0).then_some(Added { peak: peak as u64, held: held as u64 }))
}

/// Collective: the median by its peak of several probes, each by [`added_by`].
pub fn typical(mut probe: impl FnMut() -> Result<Option<Added>>) -> Result<Option<Added>> {
    let mut probes = Vec::new();
    for _ in 0..PROBES {
        let Some(added) = probe()? else { return Ok(None) };
        probes.push(added);
    }
    probes.sort_unstable_by_key(|added: &Added| added.peak);
    Ok(Some(probes[PROBES / 2]))
}

/// The value of a line `name:   123 kB`.
fn value(text: &str, name: &str) -> Option<i64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<i64>().ok()? * 1024)
}

impl Footprint {
    /// Resets the peak and reads; nothing where the kernel does not permit it.
    fn begin() -> Option<Self> {
        // Else the first exchange would use again, unseen, what the heap has kept of freed memory.
        trim_heap();
        fs::write("/proc/self/clear_refs", "5").ok()?;
        Self::read()
    }

    fn end() -> Option<Self> {
        let before = Self::read()?;
        trim_heap();
        Some(Self { kept: Self::read()?.share, ..before })
    }

    fn read() -> Option<Self> {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let rollup = fs::read_to_string("/proc/self/smaps_rollup").ok()?;
        Self::parse(&status, &rollup)
    }

    fn parse(status: &str, rollup: &str) -> Option<Self> {
        let share = value(rollup, "Pss")?;
        Some(Self {
            peak: value(status, "VmHWM")?,
            shared: value(status, "RssShmem")?,
            shared_share: value(rollup, "Pss_Shmem")?,
            share,
            kept: share,
        })
    }

    /// What has been added since `before`. The peak counts shared memory, which is assumed to have
    /// stayed, by this process's share. Kernels may count a peak a few hundred KiB too low, but not the
    /// pages of now, so it is at least these.
    fn added_since(&self, before: &Self) -> Added {
        let own_peak = (self.peak - self.shared) - (before.peak - before.shared);
        let shared = self.shared_share - before.shared_share;
        let peak = (own_peak + shared).max(self.share - before.share).max(0);
        Added { peak: peak as u64, held: (self.kept - before.share).max(0) as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_memory_counts_by_its_share() {
        let read = |peak, shared, shared_share, share| {
            let status = format!("VmPeak:\t 9 kB\nVmHWM:\t {peak} kB\nRssShmem:\t {shared} kB\n");
            let rollup = format!("Rss:  1 kB\nPss:  {share} kB\nPss_Shmem:  {shared_share} kB\n");
            Footprint::parse(&status, &rollup).expect("complete")
        };
        let before = read(1000, 100, 50, 800);
        let after = read(1900, 500, 150, 1000);
        // 500 of its own at the peak, 400 of shared memory of which a quarter is its share.
        assert_eq!(after.added_since(&before), Added { peak: 600 << 10, held: 200 << 10 });
        assert_eq!(before.added_since(&after), Added { peak: 0, held: 0 });
        assert_eq!(Footprint::parse("VmHWM:\t 1 kB\n", ""), None);
    }

    #[test]
    fn memory_that_was_freed_is_in_the_peak() {
        let Some(before) = Footprint::begin() else {
            hcube_testing::skip(
                "memory-peak",
                "the kernel does not let a process reset the peak of its memory",
            );
            return;
        };
        drop(std::hint::black_box(vec![1u8; 32 << 20]));
        let added = Footprint::end().expect("still there").added_since(&before);
        // Other tests of this process run meanwhile: no upper bound.
        assert!(added.peak >= 24 << 20, "{added:?}");
    }
}
