//! Answers of a general exchange in place that a rank writes to the memory of the rank that has asked.
//!
//! Idea: a question says where its bytes are to go, and nothing lies there that anybody needs. So the sender writes them there
//! in one copy, and an empty message says that they are complete.
//! Cost: one copy per byte, besides that of what was in the way; a call of the system for each fragment.
//! Source: our own.

use super::ledger::Fragment;
use crate::node::Node;
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::node::single_copy::{Process, Run};
use std::collections::VecDeque;
use std::ops::Range;

/// The address of a question whose bytes are not to be written.
const NOWHERE: u64 = 0;

/// The processes that this rank may write to.
#[derive(Debug)]
pub struct Direct {
    /// By rank.
    processes: Vec<Option<Process>>,
}

impl Direct {
    /// `node` where its ranks have single copy.
    pub fn new(node: Option<&Node>, ranks: usize) -> Self {
        let mut processes = vec![None; ranks];
        if let Some(node) = node {
            let known = node.processes.iter().flatten();
            for (&rank, &process) in node.ranks.iter().zip(known) {
                processes[rank] = Some(process);
            }
        }
        Self { processes }
    }

    /// The number of other ranks that this one may write to.
    pub fn partners(&self, own: usize) -> usize {
        (0..self.processes.len()).filter(|&rank| rank != own && self.reaches(rank)).count()
    }

    /// Whether this rank may write to the memory of that one; as a rule, the other way round as well.
    pub fn reaches(&self, rank: usize) -> bool {
        self.processes[rank].is_some()
    }

    /// The bytes of a question for a part of the block of that rank: the part, and where its bytes may be written to.
    pub fn ask(&self, from: usize, part: &Range<usize>, place: Region<'_>) -> Vec<u8> {
        let address =
            if self.reaches(from) { Run::new(place.address(), place.len()).address } else { NOWHERE };
        [part.start as u64, part.len() as u64, address].map(u64::to_ne_bytes).concat()
    }

    /// Writes the fragments of a question, which `place` finds, to the memory of the rank that has asked. Whether that was
    /// possible, for the first time; if not, any of these bytes may have been written.
    ///
    /// # Errors
    /// Where the process has ended.
    pub fn answer<'e>(
        &mut self,
        question: &mut Question,
        place: impl Fn(&Fragment) -> Region<'e>,
    ) -> Result<bool> {
        let from = question.from;
        let mut address = std::mem::replace(&mut question.address, NOWHERE);
        let Some(process) = self.processes[from].filter(|_| address != NOWHERE) else { return Ok(false) };
        for fragment in &question.fragments {
            // SAFETY: a part of what that rank has asked for, by the bytes of its question. It does not access that before the
            // answer, which was not given, because only the first try has an address.
            let written = unsafe { process.write(address, place(fragment)) };
            match written {
                Ok(()) => address += fragment.range.len() as u64,
                Err(refused) if refused.is_lost() => {
                    return Err(Error::Memory(format!("single copy with rank {from}: {}", refused.error)));
                }
                Err(_) => {
                    self.processes[from] = None;
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// What another rank has asked for.
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

    /// Bytes that were asked for and not answered.
    pub fn len(&self) -> usize {
        self.fragments.iter().map(|fragment| fragment.range.len()).sum()
    }
}
