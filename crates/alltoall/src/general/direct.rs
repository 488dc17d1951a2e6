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

    /// The word of a question that says where its bytes may be written to; 0 for nowhere.
    pub fn address(&self, from: usize, place: Region<'_>) -> u64 {
        if self.reaches(from) { Run::new(place.address(), place.len()).address } else { 0 }
    }

    /// Writes fragments, which `place` finds, to consecutive bytes of the rank that they go to. Whether that was possible;
    /// if not, any of these bytes may have been written.
    ///
    /// # Errors
    /// Where the process has ended.
    ///
    /// # Safety
    /// `address` is from a question of this rank for these bytes, which was not answered.
    pub unsafe fn write<'e>(
        &mut self,
        (to, mut address): (usize, u64),
        fragments: &[Fragment],
        place: impl Fn(&Fragment) -> Region<'e>,
    ) -> Result<bool> {
        let Some(process) = self.processes[to].filter(|_| address != 0) else { return Ok(false) };
        for fragment in fragments {
            // SAFETY: a part of what was asked for, by the contract of this function; the process does not access it before
            // the answer.
            let written = unsafe { process.write(address, place(fragment)) };
            match written {
                Ok(()) => address += fragment.range.len() as u64,
                Err(refused) if refused.is_lost() => {
                    return Err(Error::Memory(format!("single copy with rank {to}: {}", refused.error)));
                }
                Err(_) => {
                    self.processes[to] = None;
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
