//! Timed updates of a distributed table. `hcube probe` measures with it too.

use super::arguments::Case;
use super::worked::Worked;
use crate::bench::memory::{self, Wanted};
use crate::bench::timing::{slowest, timed};
use crate::progress::Progress;
use crate::session::Session;
use hcube_core::Result;
use hcube_core::comm::Comm;
use hcube_core::mpi::MpiComm;
use hcube_core::node::huge_pages;
use hcube_hpcc::random_access::State;
use hcube_random_access::{Distribution, Options, Statistics, StreamKind, UpdateState, Updates};
use hcube_results::numbers;
use std::time::Instant;

/// Seconds of one library call where progress is shown: long enough that starting and ending the
/// exchange does not count.
const SLICE_SECONDS: f64 = 2.0;

/// Updates per rank of the run that is not measured, which opens connections and estimates how long the
/// measured run will take.
const TRIAL_UPDATES: i64 = 1 << 17;

/// A position from which on the values of both streams are well mixed; the first values hit few words.
const MIXED_POSITION: i64 = 1 << 40;

/// One measurement, of all ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Slowest rank.
    pub seconds: f64,
    /// Updates of all ranks.
    pub updates: u64,
    /// Words left wrong; `None` where not verified.
    pub errors: Option<u64>,
    /// Sums over the ranks; `most_held` is the largest of any.
    pub totals: Statistics,
}

impl Measured {
    /// Billions of updates per second.
    pub fn gups(&self) -> f64 {
        numbers::gups(self.updates, self.seconds)
    }
}

/// The table and what is measured with it.
pub struct UpdateBench<'a> {
    comm: &'a MpiComm,
    alone: &'a MpiComm,
    distribution: Distribution,
    words: Vec<u64>,
    total: u64,
    /// The first position of the stream that [`Self::next_updates`] has not used.
    next_position: i64,
    /// Ranks of each node, largest first.
    pub node_sizes: Vec<usize>,
    /// Huge pages of the table on all ranks, and how many are possible.
    pub huge: (u64, u64),
    /// What the statistics of all runs so far say has worked.
    pub worked: Worked,
}

impl<'a> UpdateBench<'a> {
    /// Collective: allocates a table of `2^log2_words` words.
    ///
    /// # Errors
    /// On all ranks where a node does not have the memory of its ranks.
    pub fn new(session: &'a Session, log2_words: u32, total_updates: u64) -> Result<Self> {
        let comm = &session.comm;
        let distribution = Distribution::new(log2_words, comm.size());
        let wanted = Wanted { what: "a table", option: "--table-size", value: log2_words.to_string() };
        let words = memory::reserve(comm, &wanted, distribution.local_length(comm.rank()))?;
        let mut bench = Self {
            comm,
            alone: &session.alone,
            distribution,
            words,
            total: total_updates,
            next_position: MIXED_POSITION,
            node_sizes: session.node_sizes()?,
            huge: (0, 0),
            worked: Worked::default(),
        };
        bench.initialise();
        Ok(bench)
    }

    /// Collective: moves the table to huge pages where that is possible.
    pub fn use_huge_pages(&mut self) -> Result<()> {
        // Outside the timed part, so every page is worth its cost.
        let report = huge_pages::collapse(&mut self.words, u64::MAX >> 12);
        let pages = self.comm.all_gather(&[report.pages as u64, report.possible as u64])?;
        self.huge = pages.chunks_exact(2).fold((0, 0), |sum, pair| (sum.0 + pair[0], sum.1 + pair[1]));
        Ok(())
    }

    pub fn ranks(&self) -> usize {
        self.comm.size()
    }

    /// Word i becomes i, as verification expects.
    fn initialise(&mut self) {
        let first = self.distribution.start(self.comm.rank());
        let length = self.distribution.local_length(self.comm.rank());
        self.words.clear();
        self.words.extend(first..first + length);
    }

    /// This rank's updates: the share of the stream that its share of the table is of the table.
    fn updates(&self, kind: StreamKind) -> Updates {
        let before = |rank: usize| {
            let words = u128::from(self.distribution.start(rank));
            (u128::from(self.total) * words / u128::from(self.distribution.length())) as i64
        };
        let start = before(self.comm.rank());
        Updates { kind, start, count: before(self.comm.rank() + 1) - start }
    }

    /// Collective: one measurement of a case.
    pub fn measure(&mut self, case: &Case, verify: bool, progress: &mut Progress) -> Result<Measured> {
        let mut prepared = State::new(self.comm, &case.options)?;
        let updates = self.updates(case.stream);
        let slices = self.trial(&mut prepared, case, &updates, progress.wants_parts())?;
        self.initialise();
        let (mut seconds, mut totals) = (0.0, Statistics::default());
        for slice in 0..slices {
            let at =
                |number: i64| (i128::from(updates.count) * i128::from(number) / i128::from(slices)) as i64;
            let (from, to) = (at(slice), at(slice + 1));
            let part = Updates { kind: case.stream, start: updates.start + from, count: to - from };
            let (taken, statistics) = self.run(&mut prepared, case, &part)?;
            seconds += taken;
            add(&mut totals, &statistics);
            progress.part((slice + 1) as f64 / slices as f64);
        }
        let mut errors = None;
        if verify {
            progress.phase("verifying");
            errors =
                Some(hcube_random_access::verify(self.comm, self.distribution, &mut self.words, &updates)?);
        }
        Ok(Measured { seconds, updates: self.total, errors, totals: self.gather(&totals)? })
    }

    /// A short run; returns in how many slices the measured one is to be cut.
    fn trial(&mut self, prepared: &mut State, case: &Case, updates: &Updates, cut: bool) -> Result<i64> {
        let part = Updates { count: updates.count.min(TRIAL_UPDATES), ..*updates };
        let (seconds, _) = self.run(prepared, case, &part)?;
        let mut slices = [1];
        if cut && part.count > 0 {
            let expected = seconds * updates.count as f64 / part.count as f64;
            slices[0] = ((expected / SLICE_SECONDS) as i64).clamp(1, updates.count);
        }
        // Only rank 0 shows progress, so it has the largest number.
        self.comm.all_reduce_max(&mut slices)?;
        Ok(slices[0])
    }

    /// Collective: one library call between two barriers.
    fn run(&mut self, prepared: &mut State, case: &Case, part: &Updates) -> Result<(f64, Statistics)> {
        // The table is on huge pages already.
        let options = Options { huge_pages: false, ..case.options };
        let (comm, distribution, words) = (self.comm, self.distribution, &mut self.words);
        let (seconds, statistics) = timed(comm, || {
            let statistics = prepared.run(comm, distribution, words, part, &options)?;
            comm.barrier()?;
            Ok(statistics)
        })?;
        self.worked.add(&prepared.describe(), &statistics);
        Ok((seconds, statistics))
    }

    /// Words of the private table that a rank updates for the local bound: of the local part of the
    /// table as many as make a power of two.
    pub fn private_log2(&self) -> u32 {
        self.distribution.local_length(self.comm.size() - 1).max(1).ilog2()
    }

    /// Collective: all ranks at once update private tables, which lie in the same memory as the
    /// shared one. What updates cost without any exchange.
    pub fn local_bound(&mut self, kind: StreamKind) -> Result<Measured> {
        let (seconds, statistics) = self.private(&self.updates(kind))?;
        let totals = self.gather(&statistics)?;
        Ok(Measured { seconds, updates: self.total, errors: None, totals })
    }

    /// Collective: the updates of each rank on a private table of its own.
    fn private(&mut self, updates: &Updates) -> Result<(f64, Statistics)> {
        let log2 = self.private_log2();
        let distribution = Distribution::new(log2, 1);
        let length = distribution.length() as usize;
        let options = Options { huge_pages: false, ..Options::default() };
        let mut prepared = UpdateState::new(self.alone, &options)?;
        // A table of fewer words than ranks leaves some without any.
        self.words.resize(self.words.len().max(length), 0);
        self.comm.barrier()?;
        let begin = Instant::now();
        let words = &mut self.words[..length];
        let statistics =
            hcube_random_access::run(self.alone, &mut prepared, distribution, words, updates, &options)?;
        let own = begin.elapsed().as_secs_f64();
        self.worked.add_private(&statistics);
        self.initialise();
        self.comm.barrier()?;
        Ok((slowest(self.comm, own)?, statistics))
    }

    /// The updates of this rank where every rank has `count`: others each time, as the words that the
    /// last ones have hit may still be in the cache.
    fn next_updates(&mut self, kind: StreamKind, count: i64) -> Updates {
        let start = self.next_position + count * self.comm.rank() as i64;
        self.next_position += count * self.comm.size() as i64;
        Updates { kind, start, count }
    }

    /// Collective: seconds of `count` updates of each rank on a private table.
    pub fn private_seconds(&mut self, kind: StreamKind, count: i64) -> Result<f64> {
        let updates = self.next_updates(kind, count);
        Ok(self.private(&updates)?.0)
    }

    /// Collective: seconds of a case with `count` updates of each rank.
    pub fn seconds(&mut self, prepared: &mut State, case: &Case, count: i64) -> Result<f64> {
        let updates = self.next_updates(case.stream, count);
        Ok(self.run(prepared, case, &updates)?.0)
    }

    /// Collective: words that a case with `count` updates of each rank leaves wrong.
    pub fn errors(&mut self, prepared: &mut State, case: &Case, count: i64) -> Result<u64> {
        let updates = self.next_updates(case.stream, count);
        self.initialise();
        self.run(prepared, case, &updates)?;
        hcube_random_access::verify(self.comm, self.distribution, &mut self.words, &updates)
    }

    /// Sums over all ranks.
    fn gather(&self, own: &Statistics) -> Result<Statistics> {
        let none = Statistics { stages: own.stages, open_bound: own.open_bound, ..Statistics::default() };
        let mut own = *own;
        let Parts { times, sums, maxima } = Parts::of(&mut own);
        let times = times.map(|time| time.to_bits());
        let counts: Vec<u64> = sums.into_iter().chain(maxima).map(|count| *count).collect();
        let all = self.comm.all_gather(&[&times[..], &counts].concat())?;
        let mut totals = none;
        for rank in all.chunks_exact(times.len() + counts.len()) {
            let mut one = none;
            let Parts { times, sums, maxima } = Parts::of(&mut one);
            let (of_times, of_counts) = rank.split_at(times.len());
            times.into_iter().zip(of_times).for_each(|(time, &bits)| *time = f64::from_bits(bits));
            let counts = sums.into_iter().chain(maxima).zip(of_counts);
            counts.for_each(|(count, &found)| *count = found);
            add(&mut totals, &one);
        }
        Ok(totals)
    }
}

/// What statistics consist of.
struct Parts<'a> {
    times: [&'a mut f64; 5],
    /// Counts that are added up over runs and ranks.
    sums: [&'a mut u64; 4],
    /// Counts of which the largest one is told.
    maxima: [&'a mut u64; 2],
}

impl<'a> Parts<'a> {
    fn of(all: &'a mut Statistics) -> Self {
        Self {
            times: [&mut all.total, &mut all.generate, &mut all.route, &mut all.wait, &mut all.update],
            sums: [&mut all.messages, &mut all.message_bytes, &mut all.shared_bytes, &mut all.excess],
            maxima: [&mut all.most_held, &mut all.memory],
        }
    }
}

/// Adds what another run, or the same run on another rank, has done.
fn add(sum: &mut Statistics, other: &Statistics) {
    (sum.stages, sum.open_bound) = (other.stages, other.open_bound);
    let (to, mut other) = (Parts::of(sum), *other);
    let from = Parts::of(&mut other);
    to.times.into_iter().zip(from.times).for_each(|(to, from)| *to += *from);
    to.sums.into_iter().zip(from.sums).for_each(|(to, from)| *to += *from);
    to.maxima.into_iter().zip(from.maxima).for_each(|(to, from)| *to = (*to).max(*from));
}
