//! The measurements of a probe: operations, latencies, and exchanges of all sizes.
//!
//! All cases of a pattern and an operation are measured in turn, so that a disturbance does not affect all
//! repetitions of one. A measurement times enough supersteps for the clock, on the slowest process. Each
//! pattern and operation has an equal share of the time that is left; where it is used up, there are fewer
//! repetitions, and where the user interrupts, what was measured until then is returned.

use super::exchange::{Case, Latency, Spmd};
use super::rates::{self, MIN_REPEAT};
use crate::bench::memory::{self, Wanted};
use crate::bench::timing::timed;
use crate::bsp::calls::blas::Blas;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use hcube_core::comm::Comm;
use hcube_core::{Error, Result};
use hcube_results::bsp::samples::{Exchange, Samples};
use hcube_results::machine::bsp::MAX_LATENCY_SPREAD_PERCENT;
use hcube_results::machine::bsp::{GapOperation, Pattern};
use hcube_results::numbers;
use std::time::Instant;

/// Words of a message, as far as they fit.
const WORDS: [usize; 11] = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 1 << 18, 1 << 20];
/// Messages to a partner.
const COUNTS: [usize; 6] = [1, 4, 16, 64, 256, 1024];
/// Seconds that the supersteps of a measurement take together, about.
const BATCH_SECONDS: f64 = 1e-3;
const MAX_BATCH: f64 = 10_000.0;
/// Supersteps that tell how many make a batch, and how often they are timed: the shortest time counts.
const TRIAL_SUPERSTEPS: u32 = 4;
const TRIALS: usize = 3;
/// Empty supersteps before each turn, in which a library may release the memory of the largest exchanges.
const IDLE: u32 = 300;
/// Supersteps before a batch, whose time does not count: the library may have to find its memory again.
const WARM_UP: u32 = 2;

/// The part of the time that operations take.
const RATES_PART: u32 = 5;
/// How often all repetitions of a latency are measured where they differ too far.
const LATENCY_ATTEMPTS: usize = 3;

/// What is measured.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Words that a process sends in a superstep at most.
    pub max_words: usize,
    /// Repetitions of a case at most.
    pub repeat: usize,
    /// When the measurements end, about.
    pub end: Instant,
}

/// Whether measurements go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Pace {
    GoOn,
    /// The time is used up.
    Late,
    Interrupted,
}

/// The patterns and operations, in the order of tables.
pub fn kinds() -> impl Iterator<Item = (Pattern, GapOperation)> {
    let operations =
        [GapOperation::Get, GapOperation::HpGet, GapOperation::HpPut, GapOperation::Put, GapOperation::Send];
    let with = move |pattern| operations.map(move |operation| (pattern, operation));
    [Pattern::RandomPermutation, Pattern::AllToAll].into_iter().flat_map(with)
}

impl Plan {
    /// The cases of a pattern and an operation.
    pub fn cases(&self, (pattern, operation): (Pattern, GapOperation), processes: usize) -> Vec<Case> {
        let partners = if pattern == Pattern::AllToAll { (processes - 1).max(1) } else { 1 };
        let all = WORDS.iter().flat_map(|&words| COUNTS.iter().map(move |&count| (words, count)));
        let mut fit: Vec<(usize, usize)> =
            all.filter(|(words, count)| words * count * partners <= self.max_words).collect();
        // Neighbours in time have similar sizes, so that no case pays for memory that another one has
        // released.
        fit.sort_by_key(|&(words, count)| (words * count, words));
        fit.into_iter().map(|(words, count)| Case { pattern, operation, words, count }).collect()
    }

    /// Whether every pattern has cases.
    ///
    /// # Errors
    /// Where the processes are too many for the words.
    pub fn check(&self, processes: usize) -> Result<()> {
        if kinds().all(|kind| !self.cases(kind, processes).is_empty()) {
            return Ok(());
        }
        let expected =
            format!("{} or more for {processes} processes", usize::BITS - processes.leading_zeros());
        Err(Error::argument("--max-words", self.max_words.ilog2(), expected))
    }

    /// Steps of progress.
    pub fn steps(&self) -> usize {
        rates::STEPS + Latency::ALL.len() + kinds().count()
    }

    /// Collective: memory for exchanges, on both sides.
    ///
    /// # Errors
    /// On all ranks where a node does not have it.
    pub fn areas(&self, comm: &impl Comm) -> Result<[Vec<u64>; 2]> {
        let words = Spmd::area(self.max_words, comm.size());
        let value = self.max_words.ilog2().to_string();
        let wanted = Wanted { what: "areas of memory", option: "--max-words", value };
        let area = || {
            let mut memory = memory::reserve(comm, &wanted, words as u64)?;
            memory.resize(words, 0);
            Ok(memory)
        };
        Ok([area()?, area()?])
    }
}

/// A probe under way.
pub struct Probe<'a, C: Comm> {
    pub comm: &'a C,
    pub plan: Plan,
    pub spmd: Spmd,
    pub library: String,
    /// Of all nodes.
    pub cores: usize,
    pub blas: Option<Blas>,
    pub interrupt: &'a Interrupt,
}

/// What a probe has measured.
#[derive(Debug)]
pub struct Measured {
    /// Nothing where it was interrupted before the first exchange was measured.
    pub samples: Option<Samples>,
    pub interrupted: bool,
}

impl<C: Comm> Probe<'_, C> {
    /// Collective: everything, or what was measured until the user has interrupted it.
    ///
    /// # Errors
    /// On all ranks; where data has not arrived as it was sent, the library is named.
    pub fn measure(&mut self, progress: &mut Progress) -> Result<Measured> {
        progress.begin(self.plan.steps());
        let (comm, repeat) = (self.comm, self.plan.repeat);
        let share = self.plan.end.saturating_duration_since(Instant::now()) / RATES_PART;
        let operations = rates::measure(comm, self.blas.as_ref(), (repeat, share), progress)?;
        let mut latencies: [Vec<f64>; 3] = Default::default();
        for (latency, times) in Latency::ALL.into_iter().zip(&mut latencies) {
            progress.step(|| format!("latency, {latency:?}"));
            *times = self.latency(latency)?;
        }
        let (mut exchanges, all, mut interrupted) = (Vec::new(), kinds().count(), false);
        for (number, kind) in kinds().enumerate() {
            progress.step(|| format!("{}, {}", kind.0.name(), kind.1.name()));
            let left = self.plan.end.saturating_duration_since(Instant::now());
            let until = Instant::now() + left / (all - number) as u32;
            let (swept, ended) = self.sweep(kind, until)?;
            exchanges.extend(swept);
            interrupted = ended == Pace::Interrupted;
            if interrupted {
                break;
            }
        }
        let samples = Samples {
            library: self.library.clone(),
            processes: comm.size(),
            cores: self.cores,
            operations,
            latencies,
            exchanges,
        };
        Ok(Measured { samples: Some(samples).filter(|samples| !samples.exchanges.is_empty()), interrupted })
    }

    /// Collective: whether to go on, the same on all ranks; a time that only one rank has reached counts.
    fn pace(&self, until: Instant) -> Result<Pace> {
        let own = match (self.interrupt.requested(), Instant::now() >= until) {
            (true, _) => Pace::Interrupted,
            (false, true) => Pace::Late,
            (false, false) => Pace::GoOn,
        };
        let mut all = [own as i64];
        self.comm.all_reduce_max(&mut all)?;
        Ok([Pace::GoOn, Pace::Late, Pace::Interrupted][all[0] as usize])
    }

    /// Collective: microseconds of a superstep in each repetition. Every prediction depends on them, so
    /// repetitions that differ too far are measured again; those that differ least count.
    fn latency(&self, latency: Latency) -> Result<Vec<f64>> {
        let batch = self.batch(|spmd, times| spmd.idle(latency, times))?;
        let mut best: Option<(f64, Vec<f64>)> = None;
        for _ in 0..LATENCY_ATTEMPTS {
            let times = (0..self.plan.repeat)
                .map(|_| Ok(1e6 * self.seconds(batch, |spmd, times| spmd.idle(latency, times))?))
                .collect::<Result<Vec<f64>>>()?;
            // The times are those of the slowest rank, so all ranks decide alike.
            let spread = 100.0 * numbers::spread(&times);
            if best.as_ref().is_none_or(|(least, _)| spread < *least) {
                best = Some((spread, times));
            }
            if spread <= MAX_LATENCY_SPREAD_PERCENT {
                break;
            }
        }
        Ok(best.map(|(_, times)| times).unwrap_or_default())
    }

    /// Collective: seconds of a superstep.
    fn seconds(&self, batch: u32, work: impl Fn(&Spmd, u32)) -> Result<f64> {
        work(&self.spmd, WARM_UP);
        let (seconds, ()) = timed(self.comm, || {
            work(&self.spmd, batch);
            Ok(())
        })?;
        Ok(seconds / f64::from(batch))
    }

    /// Collective: supersteps of a measurement.
    fn batch(&self, work: impl Fn(&Spmd, u32)) -> Result<u32> {
        // One superstep that is long enough makes a batch.
        let mut one = self.seconds(1, &work)?;
        if one >= BATCH_SECONDS {
            return Ok(1);
        }
        for _ in 0..TRIALS {
            one = one.min(self.seconds(TRIAL_SUPERSTEPS, &work)?);
        }
        Ok((BATCH_SECONDS / one.max(1e-9)).ceil().clamp(1.0, MAX_BATCH) as u32)
    }

    /// Collective: all sizes of a pattern and an operation, until a time, and whether it was reached; of an
    /// interrupted sweep the cases that were measured.
    fn sweep(&mut self, kind: (Pattern, GapOperation), until: Instant) -> Result<(Vec<Exchange>, Pace)> {
        let cases = self.plan.cases(kind, self.comm.size());
        let mut times = vec![Vec::new(); cases.len()];
        let mut pace = Pace::GoOn;
        let mut batches = Vec::new();
        for case in &cases {
            self.verify(case)?;
            batches.push(self.batch(|spmd, times| spmd.run(case, times))?);
            pace = self.pace(until)?;
            if pace == Pace::Interrupted {
                return Ok((Vec::new(), pace));
            }
        }
        'turns: for turn in 0..self.plan.repeat {
            if pace == Pace::Late && turn >= MIN_REPEAT {
                break;
            }
            self.spmd.permute(turn as u64);
            self.spmd.idle(Latency::Empty, IDLE);
            for (number, case) in cases.iter().enumerate() {
                times[number].push(self.seconds(batches[number], |spmd, times| spmd.run(case, times))?);
                pace = self.pace(until)?;
                if pace == Pace::Interrupted {
                    break 'turns;
                }
            }
        }
        let exchange = |(case, seconds): (Case, Vec<f64>)| {
            let Case { pattern, operation, words, count } = case;
            Exchange { pattern, operation, words, count, seconds }
        };
        let measured = cases.into_iter().zip(times).filter(|(_, seconds)| !seconds.is_empty());
        Ok((measured.map(exchange).collect(), pace))
    }

    /// Collective: a superstep whose data is checked.
    fn verify(&self, case: &Case) -> Result<()> {
        self.spmd.fill_for(case);
        self.comm.barrier()?;
        self.spmd.run(case, 1);
        let wrong: u64 = self.comm.all_gather(&[self.spmd.wrong(case)])?.iter().sum();
        if wrong == 0 {
            return Ok(());
        }
        let Case { pattern, operation, words, count } = case;
        let (pattern, operation) = (pattern.name(), operation.name());
        let size = numbers::whole_bytes(8 * words);
        Err(Error::Unsupported(format!(
            "{}: {wrong} messages have not arrived as they were sent: {operation}, {pattern}, {count} x {size}",
            self.library
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_fit_into_the_bound() {
        let plan = Plan { max_words: 1 << 12, repeat: 1, end: Instant::now() };
        assert_eq!(kinds().count(), 10);
        for processes in [1, 2, 9] {
            for kind in kinds() {
                let cases = plan.cases(kind, processes);
                let most = cases.iter().map(|case| case.per_partner()).max().expect("cases");
                let partners = if kind.0 == Pattern::AllToAll { (processes - 1).max(1) } else { 1 };
                assert!(most * partners <= 4096 && most * partners > 1024, "{processes} {kind:?}: {most}");
            }
        }
        assert_eq!(plan.steps(), 9 + 3 + 10);
        assert!(plan.check(4097).is_ok());
        let error = Plan { max_words: 16, ..plan }.check(18).expect_err("refused").to_string();
        assert!(error.contains("--max-words = 4") && error.contains("5 or more for 18"), "{error}");
    }
}
