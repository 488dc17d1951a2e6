//! Binomial tree: in every round each member that has the panel sends all of it to a member that does not.
//!
//! Idea: members are counted from the root. Member v receives from v without its lowest set bit, and sends to
//! v + 2^i for every 2^i below that bit, the largest first, because the largest subtree takes the most
//! rounds.
//!
//! Restrictions: none.
//! Cost: q - 1 messages with all parts, ceil(log2 q) of them on the critical path; the root sends all of
//! them. Best for short panels.
//! Source: Barnett et al., "Interprocessor collective communication library (InterCom)", SHPCC 1994; Quintin,
//! Hasanov and Lastovetsky, ICPP 2013, §IV, first of its two broadcasts.

use super::message::{Message, Plan};
use std::ops::Range;

/// The messages of a member, where `relative` and all partners are counted from the root.
pub fn plan(members: usize, relative: usize, parts: Range<usize>) -> Plan {
    let mut plan = Plan::default();
    if parts.is_empty() {
        return plan;
    }
    let message = |partner| Message { partner, parts: parts.clone(), level: 0 };
    let mut step = match relative {
        0 => members.next_power_of_two(),
        _ => 1 << relative.trailing_zeros(),
    };
    if relative > 0 {
        plan.receives.push(message(relative - step));
    }
    while step > 1 {
        step /= 2;
        if relative + step < members {
            plan.sends.push(message(relative + step));
        }
    }
    plan
}
