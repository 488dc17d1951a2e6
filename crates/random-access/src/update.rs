//! A run from arguments to statistics.

use super::kernel::update::{DelayLine, Words};
use super::kernel::{self, Level};
use super::options::Options;
use super::prepare::Prepared;
use super::statistics::Statistics;
use super::stream::{self, Stream, StreamKind, lcg::Lcg, polynomial::Polynomial};
use super::table::{Distribution, Index};
use super::{on_node, rounds};
use hcube_core::comm::{Comm, agree, agree_on};
use hcube_core::error::{Error, Result};
use hcube_core::machine::work::Work;
use hcube_core::node::huge_pages;
use std::time::Instant;

/// Which values a rank applies to the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Updates {
    /// The generator; the same on all ranks.
    pub kind: StreamKind,
    /// Steps that the generator has taken before this rank's first value.
    pub start: i64,
    /// Number of this rank's values.
    pub count: i64,
}

impl Updates {
    /// Checks the ranges.
    pub fn check(&self) -> Result<()> {
        stream::check_start(self.start)?;
        if self.count < 0 {
            return Err(Error::argument("updates.count", self.count, "0 or more updates"));
        }
        Ok(())
    }
}

/// A generator of either kind.
enum Generator {
    Polynomial(Stream<Polynomial>),
    Lcg(Stream<Lcg>),
}

/// What a rank has still to generate.
pub(super) struct Source {
    generator: Generator,
    level: Level,
    left: u64,
}

impl Source {
    pub fn new(updates: &Updates, level: Level) -> Self {
        let generator = match updates.kind {
            StreamKind::Polynomial => Generator::Polynomial(Stream::new(updates.start)),
            StreamKind::Lcg => Generator::Lcg(Stream::new(updates.start)),
        };
        Self { generator, level, left: updates.count as u64 }
    }

    /// Values still to be generated.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Replaces the contents of `values` by the next values, `most` of them or what is left.
    pub fn generate(&mut self, most: usize, values: &mut Vec<u64>) {
        let count = usize::try_from(self.left).map_or(most, |left| left.min(most));
        values.resize(count, 0);
        match &mut self.generator {
            Generator::Polynomial(stream) => kernel::generate(self.level, stream, values),
            Generator::Lcg(stream) => kernel::generate(self.level, stream, values),
        }
        self.left -= count as u64;
        #[cfg(test)]
        super::audit::generated(values);
    }
}

/// The words that this rank owns.
pub(super) struct LocalTable<'a> {
    words: Words<'a>,
    line: DelayLine,
    accepted: u64,
}

impl<'a> LocalTable<'a> {
    pub fn new(words: &'a mut [u64], first: u64, index: Index) -> Self {
        Self { words: Words { words, first, index, strangers: 0 }, line: DelayLine::default(), accepted: 0 }
    }

    /// Takes values that this rank owns; the last of them may stay unapplied for a while, see
    /// [`Self::applied`].
    pub fn update(&mut self, values: &[u64]) {
        self.line.update(values, &mut self.words);
        self.accepted += values.len() as u64;
    }

    /// Applies everything that was taken.
    pub fn flush(&mut self) {
        self.line.flush(&mut self.words);
    }

    /// Number of values taken.
    pub fn accepted(&self) -> u64 {
        self.accepted
    }

    /// Number of values taken and not applied yet.
    pub fn waiting(&self) -> usize {
        self.line.waiting()
    }

    /// Number of values applied: in the order in which they were taken.
    pub fn applied(&self) -> u64 {
        self.accepted - self.waiting() as u64
    }
}

/// One rank alone: generate and apply.
fn alone<C: Comm + ?Sized>(
    comm: &C,
    options: &Options,
    source: &mut Source,
    table: &mut LocalTable,
) -> Statistics {
    let (mut statistics, mut values) = (Statistics::default(), Vec::new());
    while source.left() > 0 {
        // What is in the delay line is not applied yet and counts.
        let room = options.look_ahead.saturating_sub(table.waiting()).min(options.round());
        if room == 0 {
            table.flush();
            continue;
        }
        source.generate(room, &mut values);
        table.update(&values);
        comm.charge(Work::generated(values.len()));
        comm.charge(Work::updated(values.len()));
        statistics.rounds += 1;
    }
    statistics.memory = (values.capacity() * size_of::<u64>()) as u64;
    statistics
}

/// Collective: applies the updates of all ranks to the table whose local parts are `words`.
///
/// Every value is applied exactly once, duplicates and remainders included. The state must have
/// been prepared on the same communicator with options that it [serves](Prepared::serves).
///
/// # Errors
/// Where an argument is refused on any rank; then no rank has written anything.
pub fn run<C: Comm + ?Sized>(
    comm: &C,
    prepared: &mut Prepared,
    distribution: Distribution,
    words: &mut [u64],
    updates: &Updates,
    options: &Options,
) -> Result<Statistics> {
    check(comm, distribution, words, updates, options)?;
    let begin = Instant::now();
    let mut paging = huge_pages::Report::default();
    if options.huge_pages {
        // On average as many updates arrive as are generated.
        paging = huge_pages::collapse(words, updates.count as u64);
    }
    let paging_seconds = begin.elapsed().as_secs_f64();
    let index = distribution.index(updates.kind);
    let mut source = Source::new(updates, prepared.level);
    let mut table = LocalTable::new(words, distribution.start(comm.rank()), index);
    let mut statistics = if comm.size() == 1 {
        alone(comm, options, &mut source, &mut table)
    } else if prepared.on_one_node() {
        on_node::run(comm, prepared, options, (distribution, index), &mut source, &mut table)
    } else {
        let mut most = [updates.count];
        comm.all_reduce_max(&mut most)?;
        let rounds = (most[0] as u64).div_ceil(options.round() as u64);
        // Others are waiting for this rank's messages by now: there is no way back.
        rounds::run(comm, prepared, (options, rounds), (distribution, index), &mut source, &mut table)
            .unwrap_or_else(|error| comm.abort(&error))
    };
    table.flush();
    comm.settle();
    let strangers = table.words.strangers;
    if strangers > 0 {
        let text = format!("{strangers} values reached rank {}, which does not own them", comm.rank());
        return Err(Error::Internal(text));
    }
    statistics.generated = updates.count as u64;
    statistics.applied = table.applied();
    statistics.stages = prepared.plan.stages.len() as u64;
    statistics.open_bound = options.look_ahead as u64 * if options.relaxed { 3 } else { 1 };
    statistics.huge_pages = paging.pages as u64;
    statistics.paging = paging_seconds;
    statistics.finish(begin.elapsed().as_secs_f64());
    prepared.statistics = statistics;
    Ok(statistics)
}

/// Collective: checks the arguments of a run or a verification on all ranks.
pub(super) fn check<C: Comm + ?Sized>(
    comm: &C,
    distribution: Distribution,
    words: &[u64],
    updates: &Updates,
    options: &Options,
) -> Result<()> {
    let local = || {
        updates.check()?;
        options.check()?;
        if distribution.ranks() != comm.size() {
            let (ranks, size) = (distribution.ranks(), comm.size());
            return Err(Error::Distribution(format!(
                "a table on {ranks} ranks for a communicator of {size}"
            )));
        }
        distribution.check_local(comm.rank(), words.len() as i64, distribution.start(comm.rank()) as i64)
    };
    agree(comm, local())?;
    let mut common =
        vec![("table.global_length", distribution.length() as i64), ("updates.stream", updates.kind as i64)];
    common.extend(options.agreement());
    agree_on(comm, &common)
}
