//! The measurements of a probe: operations, latencies, and exchanges of all sizes.
//!
//! All cases of a pattern and an operation are measured in turn, so that a disturbance does not hit all repetitions of one. A
//! measurement times enough supersteps for the clock, on the slowest process.

use super::exchange::{Case, Latency, Spmd};
use super::rates;
use crate::bench::memory::{self, Wanted};
use crate::bench::timing::timed;
use crate::bsp::blas::Blas;
use crate::progress::Progress;
use hcube_core::comm::Comm;
use hcube_core::node::processor;
use hcube_core::{Error, Result};
use hcube_results::bsp::samples::{Exchange, Samples};
use hcube_results::machine::bsp::{GapOperation, Pattern};
use hcube_results::numbers;

/// Words of a message, as far as they fit.
const WORDS: [usize; 11] = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 1 << 18, 1 << 20];
/// Messages to a partner.
const COUNTS: [usize; 6] = [1, 4, 16, 64, 256, 1024];
/// Seconds that the supersteps of a measurement take together, about.
const BATCH_SECONDS: f64 = 1e-3;
const MAX_BATCH: f64 = 10_000.0;
/// Supersteps that tell how many make a batch.
const TRIAL: u32 = 4;

/// What is measured.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Words that a process sends in a superstep at most.
    pub max_words: usize,
    pub repeat: usize,
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
        let fit = all.filter(|(words, count)| words * count * partners <= self.max_words);
        fit.map(|(words, count)| Case { pattern, operation, words, count }).collect()
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
    pub blas: Option<Blas>,
}

impl<C: Comm> Probe<'_, C> {
    /// Collective: everything.
    ///
    /// # Errors
    /// On all ranks; where data has not arrived as it was sent, the library is named.
    pub fn measure(&mut self, progress: &mut Progress) -> Result<Samples> {
        progress.begin(self.plan.steps());
        let (comm, repeat) = (self.comm, self.plan.repeat);
        let operations = rates::measure(comm, self.blas.as_ref(), repeat, progress)?;
        let mut latencies: [Vec<f64>; 3] = Default::default();
        for (latency, times) in Latency::ALL.into_iter().zip(&mut latencies) {
            progress.step(|| format!("latency, {latency:?}"));
            let batch = self.batch(|spmd, times| spmd.idle(latency, times))?;
            for _ in 0..repeat {
                times.push(1e6 * self.seconds(batch, |spmd, times| spmd.idle(latency, times))?);
            }
        }
        let mut exchanges = Vec::new();
        for kind in kinds() {
            progress.step(|| format!("{}, {}", kind.0.name(), kind.1.name()));
            exchanges.extend(self.sweep(kind)?);
        }
        Ok(Samples {
            library: self.library.clone(),
            processes: comm.size(),
            cores: processor::cores(),
            operations,
            latencies,
            exchanges,
        })
    }

    /// Collective: seconds of a superstep.
    fn seconds(&self, batch: u32, work: impl FnOnce(&Spmd, u32)) -> Result<f64> {
        let (seconds, ()) = timed(self.comm, || {
            work(&self.spmd, batch);
            Ok(())
        })?;
        Ok(seconds / f64::from(batch))
    }

    /// Collective: supersteps of a measurement.
    fn batch(&self, work: impl Fn(&Spmd, u32)) -> Result<u32> {
        self.seconds(1, &work)?;
        let one = self.seconds(TRIAL, &work)?;
        Ok((BATCH_SECONDS / one.max(1e-9)).ceil().clamp(1.0, MAX_BATCH) as u32)
    }

    /// Collective: all sizes of a pattern and an operation.
    fn sweep(&mut self, kind: (Pattern, GapOperation)) -> Result<Vec<Exchange>> {
        let cases = self.plan.cases(kind, self.comm.size());
        let mut batches = Vec::new();
        for case in &cases {
            self.verify(case)?;
            batches.push(self.batch(|spmd, times| spmd.run(case, times))?);
        }
        let mut times = vec![Vec::new(); cases.len()];
        for turn in 0..self.plan.repeat {
            self.spmd.permute(turn as u64);
            for (number, case) in cases.iter().enumerate() {
                times[number].push(self.seconds(batches[number], |spmd, times| spmd.run(case, times))?);
            }
        }
        let exchange = |(case, seconds): (Case, Vec<f64>)| {
            let Case { pattern, operation, words, count } = case;
            Exchange { pattern, operation, words, count, seconds }
        };
        Ok(cases.into_iter().zip(times).map(exchange).collect())
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
        let plan = Plan { max_words: 1 << 12, repeat: 1 };
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
    }
}
