//! Pipelined ring: every member forwards the panel to the next member, block by block.
//!
//! Idea: the root sends to the member after it, and so on to the member before the root. A member forwards
//! one block while it receives the next.
//!
//! Restrictions: none.
//! Cost: q - 1 messages per block; with k blocks the last member has the panel after q - 2 + k messages, one
//! after the other. Every member sends and receives the panel at most once, which is optimal for long panels;
//! the latency is proportional to q. In SUMMA the pipeline also overlaps successive panels.
//! Source: van de Geijn and Watts, "SUMMA: scalable universal matrix multiplication algorithm", Concurrency:
//! Practice and Experience 9 (4), 1997 (the broadcast of its pipelined variant).

use super::message::{Message, Plan};
use std::ops::Range;

/// The messages of a member for one block, where `relative` and all partners are counted from the root.
pub fn plan(members: usize, relative: usize, parts: Range<usize>) -> Plan {
    let message = |partner| Message { partner, parts: parts.clone(), level: 0 };
    let mut plan = Plan::default();
    if parts.is_empty() {
        return plan;
    }
    plan.receives.extend(relative.checked_sub(1).map(message));
    plan.sends.extend(Some(relative + 1).filter(|&next| next < members).map(message));
    plan
}
