//! The kind of stores that currently writes to shared memory faster.
//!
//! Idea: a cache line that another core has read must be invalidated there before it is written. Between
//! cores that share a cache this is fast; between others it can cost 50 ns per line, serially, and streaming
//! stores, which write to memory, take a tenth of the time (measured on a virtual machine whose two
//! processors sometimes share a cache and sometimes not). Every write is therefore timed, and from time to
//! time a small part of a write uses the other kind.
//!
//! Cost: two readings of the clock per write of [`MIN_TIMED_BYTES`] or more. Source: our own.

use std::time::Instant;

/// Size from which the kind of stores matters.
pub const MIN_TIMED_BYTES: usize = 8 << 10;
/// Writes from one probe of the other kind to the next.
const WRITES_PER_PROBE: u64 = 32;
/// Size of a probe.
const PROBE_BYTES: usize = 4 << 10;
/// Number of samples; the fastest counts, because a sample may include the time of another process.
const SAMPLES: usize = 4;

/// A kind of stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Stores into the cache.
    Cached,
    /// Streaming stores, which bypass the cache.
    Streaming,
}

/// Measurements of both kinds: picoseconds per byte of the last writes.
#[derive(Debug, Clone, Default)]
pub struct Pace {
    writes: u64,
    samples: [[u64; SAMPLES]; 2],
    next: [usize; 2],
}

impl Pace {
    /// Writes `length` bytes in one or two parts: `write` gets the range and the kind.
    pub fn write(&mut self, length: usize, mut write: impl FnMut(std::ops::Range<usize>, Kind)) {
        if length < MIN_TIMED_BYTES {
            return write(0..length, Kind::Cached);
        }
        let probed = self.writes.is_multiple_of(WRITES_PER_PROBE);
        self.writes += 1;
        let kind = self.faster();
        let other = if kind == Kind::Cached { Kind::Streaming } else { Kind::Cached };
        let probe = if probed { PROBE_BYTES } else { 0 };
        for (range, kind) in [(0..probe, other), (probe..length, kind)] {
            if !range.is_empty() {
                let (begin, bytes) = (Instant::now(), range.len() as u64);
                write(range, kind);
                self.note(kind, begin.elapsed().as_nanos() as u64 * 1000 / bytes);
            }
        }
    }

    /// The kind that was faster in the last writes; cached stores before there are measurements, because
    /// readers find the data in the cache.
    fn faster(&self) -> Kind {
        let best = |kind: Kind| self.samples[kind as usize].iter().copied().filter(|&time| time > 0).min();
        match (best(Kind::Cached), best(Kind::Streaming)) {
            (Some(cached), Some(streaming)) if cached > 2 * streaming => Kind::Streaming,
            _ => Kind::Cached,
        }
    }

    fn note(&mut self, kind: Kind, time: u64) {
        let next = &mut self.next[kind as usize];
        self.samples[kind as usize][*next] = time.max(1);
        *next = (*next + 1) % SAMPLES;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_written_once_and_probes_are_small() {
        let mut pace = Pace::default();
        for length in [0, 100, MIN_TIMED_BYTES, MIN_TIMED_BYTES + 1, 1 << 20] {
            let mut end = 0;
            pace.write(length, |range, _| {
                assert_eq!(range.start, end);
                end = range.end;
            });
            assert_eq!(end, length);
        }
        // The first write that is long enough holds a probe.
        let mut parts = Vec::new();
        Pace::default().write(MIN_TIMED_BYTES, |range, kind| parts.push((range.len(), kind)));
        assert_eq!(parts, [(PROBE_BYTES, Kind::Streaming), (MIN_TIMED_BYTES - PROBE_BYTES, Kind::Cached)]);
    }

    #[test]
    fn the_faster_kind_is_taken_and_a_change_is_noticed() {
        let mut pace = Pace::default();
        assert_eq!(pace.faster(), Kind::Cached);
        let mut note = |cached, streaming| {
            for _ in 0..SAMPLES {
                pace.note(Kind::Cached, cached);
                pace.note(Kind::Streaming, streaming);
            }
            pace.faster()
        };
        assert_eq!(note(1000, 90), Kind::Streaming);
        assert_eq!(note(40, 90), Kind::Cached);
        assert_eq!(note(120, 90), Kind::Cached);
    }
}
