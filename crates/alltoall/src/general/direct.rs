//! Replies of a general exchange in place that a rank writes directly to the memory of the requesting rank.
//!
//! Idea: a request contains the address for its bytes, and this memory is free. The sender therefore writes
//! them there in one copy, and an empty message signals completion.
//! Cost: one copy per byte, in addition to copies to extra memory; a system call for each part.
//! Source: our own.

use super::ledger::Fragment;
use crate::node::Node;
use hcube_core::error::{Error, Result, reason};
use hcube_core::memory::Region;
use hcube_core::node::single_copy::{Process, Run};
use std::collections::VecDeque;
use std::ops::Range;

/// The address of a question whose bytes are not to be written.
const NOWHERE: u64 = 0;

/// The ranks that write to the memory of each other.
#[derive(Debug)]
pub struct Direct {
    /// By rank, whether its process may write to this one.
    offered: Vec<bool>,
    /// By rank, its process, until this one was refused to write to it.
    processes: Vec<Option<Process>>,
    /// Counters of this exchange.
    done: Done,
}

/// The statistics of an exchange on a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Done {
    /// Bytes that it has written to the memory of others.
    pub written: usize,
    /// Bytes that it has sent in messages.
    pub sent: usize,
    /// Whether the kernel forbids it to write, also in further exchanges.
    pub forbidden: bool,
}

impl Direct {
    /// `node` if its ranks have single copy; `forbidden` if this rank is known not to be permitted to write.
    pub fn new(node: Option<&Node>, ranks: usize, forbidden: bool) -> Self {
        let (mut offered, mut processes) = (vec![false; ranks], vec![None; ranks]);
        if let Some(node) = node {
            let known = node.processes.iter().flatten();
            for (&rank, &process) in node.ranks.iter().zip(known) {
                offered[rank] = true;
                processes[rank] = Some(process).filter(|_| !forbidden);
            }
        }
        Self { offered, processes, done: Done { forbidden, ..Done::default() } }
    }

    /// The number of other ranks that may write to this one; as a rule, this one to them as well.
    pub fn partners(&self, own: usize) -> usize {
        (0..self.offered.len()).filter(|&rank| rank != own && self.offered[rank]).count()
    }

    /// Whether that rank may write to the memory of this one.
    pub fn is_offered(&self, rank: usize) -> bool {
        self.offered[rank]
    }

    /// Notes bytes that are sent in a message.
    pub fn note_sent(&mut self, bytes: usize) {
        self.done.sent += bytes;
    }

    /// The statistics so far.
    pub fn done(&self) -> Done {
        self.done
    }

    /// The bytes of a question for a part of the block of that rank: the part, and where its bytes may be
    /// written to.
    pub fn ask(&self, from: usize, part: &Range<usize>, place: Region<'_>) -> Vec<u8> {
        let address =
            if self.offered[from] { Run::new(place.address(), place.len()).address } else { NOWHERE };
        [part.start as u64, part.len() as u64, address].map(u64::to_ne_bytes).concat()
    }

    /// Writes the fragments of a request, which `place` finds, to the memory of the requesting rank. Returns
    /// whether all were written; only the first call for a request tries. Otherwise any of these bytes may
    /// have been written.
    ///
    /// # Errors
    /// Where the process has ended.
    pub fn answer<'e>(
        &mut self,
        question: &mut Question,
        place: impl Fn(&Fragment) -> Region<'e>,
    ) -> Result<bool> {
        let from = question.from;
        let address = std::mem::replace(&mut question.address, NOWHERE);
        let Some(process) = self.processes[from].filter(|_| address != NOWHERE) else { return Ok(false) };
        let bytes = question.len();
        let runs =
            question.fragments.iter().map(&place).map(|region| Run::new(region.address(), region.len()));
        // SAFETY: regions of this rank, in which nothing is changed before the request is answered. The other
        // rank has requested these bytes and does not access their place before the reply; the reply has not
        // been sent, because only the first call has an address.
        let written =
            unsafe { process.write_runs(&[Run { address, bytes: bytes as u64 }], &runs.collect::<Vec<_>>()) };
        match written {
            Ok(()) => {
                self.done.written += bytes;
                Ok(true)
            }
            Err(refused) if refused.is_lost() => {
                Err(Error::Memory(format!("single copy with rank {from}: {}", reason(&refused.error))))
            }
            Err(refused) => {
                self.processes[from] = None;
                self.done.forbidden |= refused.is_permanent();
                if self.done.forbidden {
                    self.processes.fill(None);
                }
                Ok(false)
            }
        }
    }
}

/// A request of another rank.
#[derive(Debug)]
pub struct Question {
    /// The rank.
    pub from: usize,
    /// Where its bytes lie, in order.
    pub fragments: VecDeque<Fragment>,
    address: u64,
}

impl Question {
    /// The number of its bytes.
    pub const BYTES: usize = 24;

    /// Reads the bytes of a question; `take` finds the fragments of a part.
    pub fn read(from: usize, bytes: &[u8], take: impl FnOnce(Range<usize>) -> Vec<Fragment>) -> Self {
        let word = |number: usize| {
            u64::from_ne_bytes(bytes[8 * number..8 * number + 8].try_into().expect("eight bytes"))
        };
        let first = word(0) as usize;
        Self { from, fragments: take(first..first + word(1) as usize).into(), address: word(2) }
    }

    /// Bytes that were requested and not sent.
    pub fn len(&self) -> usize {
        self.fragments.iter().map(|fragment| fragment.range.len()).sum()
    }
}
