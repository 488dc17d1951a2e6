//! The measurements: buffers, and timed exchanges over them.

use super::arguments::{Arguments, Case, ELEMENT};
use super::calls::{Channel, Exchange};
use super::footprint::{Added, Footprint};
use super::problem::Blocks;
use crate::memory::{self, Wanted};
use crate::numbers;
use crate::progress::Progress;
use crate::session::{Failure, Session};
use hcube_core::comm::Comm;
use std::time::Instant;

/// Seconds that a batch of calls takes at least: far more than reading the clock and leaving a barrier.
const BATCH: f64 = 1e-3;
/// Seconds that a batch may take of the slowest case, where one case needs many calls and another none.
const LONGEST_BATCH: f64 = 20e-3;
/// Calls that tell how many a batch needs: one alone may have waited for another program, and in its
/// first exchanges hcube finds out which way is faster.
const TRIALS: usize = 8;
/// Calls of a batch at most.
const MOST_CALLS: u32 = 1000;
/// Probes of the memory that an algorithm adds.
const PROBES: usize = 3;

/// All measurements of a case at one size, of the slowest or largest rank.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Seconds of one call, for each repetition.
    pub seconds: Vec<f64>,
    /// Calls that were timed together.
    pub batch: u32,
    /// Elements that had not arrived, on all ranks; `None` where not verified.
    pub errors: Option<u64>,
    /// Memory beyond the caller's; `None` where the kernel does not say.
    pub added: Option<Added>,
}

/// What became of a case: why it does not work here, where it does not.
pub type Outcome = Result<Measured, String>;

/// A case under way.
struct Line<'a> {
    case: &'a Case,
    channel: Channel,
    exchange: Exchange<'a>,
}

/// The buffers and what is measured with them.
pub struct Bench<'a> {
    session: &'a Session,
    arguments: &'a Arguments,
    /// What is sent out of place, then what is received.
    words: Vec<u64>,
    /// Ranks of each node, most first.
    pub node_sizes: Vec<usize>,
}

/// How many calls are timed together, from the seconds of one call of each case.
fn batch(seconds: &[f64]) -> u32 {
    let fastest = seconds.iter().copied().fold(LONGEST_BATCH, f64::min).max(1e-9);
    let slowest = seconds.iter().copied().fold(1e-9, f64::max);
    let (wanted, most) = ((BATCH / fastest).ceil(), (LONGEST_BATCH / slowest).floor());
    (wanted.min(most) as u32).clamp(1, MOST_CALLS)
}

impl<'a> Bench<'a> {
    /// Collective: allocates the buffers of the largest size.
    pub fn new(session: &'a Session, arguments: &'a Arguments) -> hcube_core::Result<Self> {
        let largest = arguments.sizes().iter().copied().max().unwrap_or(0);
        let wanted = Wanted { what: "two buffers", option: "--sizes", value: numbers::whole_bytes(largest) };
        let words = 2 * largest / ELEMENT;
        let mut buffers = memory::reserve(&session.comm, &wanted, words as u64)?;
        buffers.resize(words, 0);
        Ok(Self { session, arguments, words: buffers, node_sizes: session.node_sizes()? })
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.session.comm.size()
    }

    /// Collective: all repetitions of all cases at one size.
    pub fn measure(
        &mut self,
        bytes: usize,
        cases: &[Case],
        progress: &mut Progress,
    ) -> Result<Vec<Outcome>, Failure> {
        let (rank, ranks, elements) = (self.session.comm.rank(), self.ranks(), bytes / ELEMENT);
        let blocks = match self.arguments.uniform {
            true => Blocks::uniform(rank, ranks, elements),
            false => Blocks::random(rank, ranks, elements, self.arguments.seed),
        };
        let opened = self.open(bytes, cases, &blocks)?;
        let lines: Vec<&Line> = opened.iter().filter_map(|line| line.as_ref().ok()).collect();
        let mut measured = self.try_out(&lines)?;
        for turn in 0..self.arguments.repeat as usize {
            let size = numbers::whole_bytes(bytes);
            progress.step(|| format!("{size}, {} of {}", turn + 1, self.arguments.repeat));
            for number in 0..lines.len() {
                // No case always runs after the same other one.
                let number = (number + turn) % lines.len();
                let batch = measured[number].batch;
                measured[number].seconds.push(self.timed(lines[number], batch)?);
            }
        }
        for (line, measured) in lines.iter().zip(&mut measured) {
            measured.added = self.footprint(bytes, line)?;
        }
        let mut measured = measured.into_iter();
        let outcome = |line: Result<Line, String>| line.map(|_| measured.next().expect("one for each line"));
        Ok(opened.into_iter().map(outcome).collect())
    }

    /// A communicator with its options for each case, or why hcube refuses them.
    fn open(
        &self,
        bytes: usize,
        cases: &'a [Case],
        blocks: &'a Blocks,
    ) -> Result<Vec<Result<Line<'a>, String>>, Failure> {
        let mut lines = Vec::new();
        for case in cases {
            let channel = Channel::new();
            let ours = case.algorithm.is_ours();
            let set = if ours { channel.set_options(&case.options(bytes, self.ranks())) } else { Ok(()) };
            let exchange = Exchange { ours, uniform: self.arguments.uniform, blocks };
            lines.push(match set {
                Ok(()) => Ok(Line { case, channel, exchange }),
                Err(reason) if case.optional => Err(reason),
                Err(reason) => return Err(format!("--algorithms {}: {reason}", case.algorithm.name())),
            });
        }
        Ok(lines)
    }

    /// Verifies each case, and finds how many calls are to be timed together.
    fn try_out(&mut self, lines: &[&Line]) -> Result<Vec<Measured>, Failure> {
        let (mut errors, mut seconds) = (Vec::new(), Vec::new());
        for line in lines {
            let wrong = self.verify(line)?;
            errors.push((!self.arguments.no_verify).then_some(wrong));
        }
        for line in lines {
            let mut fastest = f64::INFINITY;
            for _ in 0..TRIALS {
                fastest = fastest.min(self.timed(line, 1)?);
            }
            seconds.push(fastest);
        }
        let batch = batch(&seconds);
        Ok(errors
            .into_iter()
            .map(|errors| Measured { seconds: Vec::new(), batch, errors, added: None })
            .collect())
    }

    /// Buffer to send, where the case has one, and buffer to receive.
    fn buffers(&mut self, line: &Line) -> (Option<&mut [u64]>, &mut [u64]) {
        let half = self.words.len() / 2;
        let (sent, received) = self.words.split_at_mut(half);
        let elements = line.exchange.blocks.elements();
        let sent = (!line.case.algorithm.in_place()).then_some(&mut sent[..elements]);
        (sent, &mut received[..elements])
    }

    /// One exchange of known data; returns how many elements are wrong on all ranks together. It opens
    /// connections too.
    fn verify(&mut self, line: &Line) -> Result<u64, Failure> {
        let (sent, received) = self.buffers(line);
        let blocks = line.exchange.blocks;
        let sent = match sent {
            Some(sent) => {
                blocks.fill(sent);
                received.fill(u64::MAX);
                Some(&*sent)
            }
            None => {
                blocks.fill(received);
                None
            }
        };
        let done = line.channel.exchange(&line.exchange, sent, received);
        let wrong = blocks.wrong(received);
        self.together(done)?;
        let all = self.session.comm.all_gather(&[wrong]).map_err(|error| error.to_string())?;
        Ok(all.iter().sum())
    }

    /// Collective: seconds of one call, on the slowest rank, from a batch of them after a barrier.
    fn timed(&mut self, line: &Line, batch: u32) -> Result<f64, Failure> {
        let session = self.session;
        let (sent, received) = self.buffers(line);
        let sent = sent.map(|sent| &*sent);
        let mut done = Ok(());
        session.comm.barrier().map_err(|error| error.to_string())?;
        let begin = Instant::now();
        for _ in 0..batch {
            done = done.and(line.channel.exchange(&line.exchange, sent, received));
        }
        let mut nanoseconds = [(begin.elapsed().as_secs_f64() * 1e9) as i64];
        self.together(done)?;
        session.comm.all_reduce_max(&mut nanoseconds).map_err(|error| error.to_string())?;
        Ok(nanoseconds[0] as f64 * 1e-9 / f64::from(batch))
    }

    /// Collective: success where all ranks had it.
    fn together(&self, own: Result<(), Failure>) -> Result<(), Failure> {
        let mut failed = [i64::from(own.is_err())];
        self.session.comm.all_reduce_max(&mut failed).map_err(|error| error.to_string())?;
        own.and(if failed[0] == 0 { Ok(()) } else { Err("the exchange failed on another rank".to_owned()) })
    }

    /// Collective: what an algorithm adds to the memory of a process; of the median probe, on the
    /// largest rank.
    fn footprint(&mut self, bytes: usize, line: &Line) -> Result<Option<Added>, Failure> {
        let mut probes = Vec::new();
        for _ in 0..PROBES {
            let Some(added) = self.probe(bytes, line)? else { return Ok(None) };
            probes.push(added);
        }
        probes.sort_unstable_by_key(|added| added.peak);
        Ok(Some(probes[PROBES / 2]))
    }

    /// Collective: the first two exchanges on a new communicator.
    fn probe(&mut self, bytes: usize, line: &Line) -> Result<Option<Added>, Failure> {
        let session = self.session;
        let barrier = || session.comm.barrier().map_err(|error| error.to_string());
        let fresh = Line { case: line.case, channel: Channel::new(), exchange: line.exchange };
        barrier()?;
        let before = Footprint::begin();
        // Nobody maps more memory of others before all have read.
        barrier()?;
        if fresh.exchange.ours {
            fresh.channel.set_options(&line.case.options(bytes, self.ranks()))?;
        }
        for _ in 0..2 {
            let (sent, received) = self.buffers(&fresh);
            let done = fresh.channel.exchange(&fresh.exchange, sent.map(|sent| &*sent), received);
            self.together(done)?;
        }
        let after = Footprint::end();
        let own = before.zip(after).map(|(before, after)| after.added_since(&before));
        let mut largest = own.map_or([0, 0, 1], |own| [own.peak as i64, own.held as i64, 0]);
        // Nobody frees memory before all have read, either.
        self.session.comm.all_reduce_max(&mut largest).map_err(|error| error.to_string())?;
        let [peak, held, unknown] = largest;
        Ok((unknown == 0).then_some(Added { peak: peak as u64, held: held as u64 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_long_enough_and_not_too_long() {
        assert_eq!(batch(&[10e-6, 50e-6]), 100);
        assert_eq!(batch(&[1e-3, 2.0]), 1);
        // The slow one would take 100 ms.
        assert_eq!(batch(&[10e-6, 1e-3]), 20);
        assert_eq!((batch(&[0.0]), batch(&[])), (MOST_CALLS, 1));
    }
}
