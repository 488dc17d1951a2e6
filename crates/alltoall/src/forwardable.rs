//! Which exchanges may be forwarded to the MPI library for speed.

use super::choice::Choice;
use super::conditions::Conditions;
use super::select;
use super::state::ExchangeState;
use super::task::Task;
use super::vote::{Property, Vote};

impl ExchangeState {
    /// Whether an exchange that hcube can perform may be forwarded after the votes if the MPI library is
    /// faster; `total` is the sum of the bytes of all ranks. The library's functions in place may need a copy
    /// of the buffer: it is permitted between nodes, where it is within the memory bound.
    pub(super) fn compares(&self, task: &Task<'_>, conditions: Conditions, total: u64) -> bool {
        let permitted = match task.is_in_place() {
            true => !self.situation.shared && self.permits_copy(total),
            false => self.situation.shared || conditions.led.is_some(),
        };
        conditions.timed && permitted && !self.options.are_chosen()
    }

    /// Whether each rank's blocks for others are within the memory bound; the same on all ranks.
    fn permits_copy(&self, total: u64) -> bool {
        total <= self.options.memory as u64
    }

    /// Whether exchanges like this one, which has been decided, might be faster by the MPI library's function
    /// without votes; `sum` is the sum of the votes of all ranks.
    pub(super) fn may_skip_votes(
        &self,
        choice: Choice,
        task: &Task<'_>,
        conditions: Conditions,
        sum: &Vote,
    ) -> bool {
        let (total, longer) = (sum.bytes, sum.any(Property::Large) || sum.any(Property::Long));
        if self.options.are_chosen() {
            return false;
        }
        match choice {
            Choice::Enclosed | Choice::Alone if self.situation.shared => {
                self.is_short(task, conditions, total)
            }
            _ if self.situation.shared => false,
            // Blocks of one round are within the memory bound, because they are part of the notices.
            Choice::Leaders => {
                conditions.led.is_some() && (!task.is_in_place() || self.permits_copy(total) || !longer)
            }
            _ => conditions.may_skip_votes && self.compares(task, conditions, total),
        }
    }

    /// Whether an exchange inside a node that was made by enclosed blocks, or in which nothing was sent, is
    /// so short that its votes count. Where ranks share cores, the MPI library is not faster.
    fn is_short(&self, task: &Task<'_>, conditions: Conditions, total: u64) -> bool {
        conditions.may_skip_votes
            && total < select::MAX_SHORT_BYTES * self.situation.ranks as u64
            && !self.patience.shares_cores()
            && self.compares(task, conditions, total)
    }
}
