//! Scatter, then all-gather: the root divides the panel among the members, and a ring brings each piece to
//! all.
//!
//! Idea: piece i of q belongs to member i, counted from the root. Scatter: the holder of the pieces of an
//! interval of members keeps the pieces of the first half and sends the rest to the first member of the
//! second half. All-gather: in step s member v sends piece v - s to member v + 1 (modulo q). A member that
//! has forwarded pieces in the scatter still has them, and the ring does not send them to it again.
//!
//! Restrictions: none. Pieces are whole parts; with fewer parts than members some are empty and are not sent.
//! Cost: a member receives every part once: q - 1 times the panel in all. Critical path: ceil(log2 q) + q - 1
//! messages, 2 (q - 1) / q times the bytes of the panel where q is a power of two. Best for long panels.
//! Source: van de Geijn's broadcast: Barnett et al., SHPCC 1994; Quintin, Hasanov and Lastovetsky, ICPP 2013,
//! §IV. Without the redundant messages of the ring: Zhou et al., "A bandwidth-saving optimization for MPI
//! broadcast collective operation", 2015.

use super::message::{Message, Plan};
use std::ops::Range;

/// First part of the piece of a member; the piece ends at the first part of the next member's.
fn start(parts: &Range<usize>, members: usize, member: usize) -> usize {
    parts.start + member * parts.len() / members
}

/// The messages of a member, where `relative` and all partners are counted from the root.
pub fn plan(members: usize, relative: usize, parts: Range<usize>) -> Plan {
    let mut plan = Plan::default();
    let message = |partner: usize, pieces: Range<usize>| {
        let parts = start(&parts, members, pieces.start)..start(&parts, members, pieces.end);
        (!parts.is_empty()).then_some(Message { partner, parts, level: 0 })
    };
    let mut interval = 0..members;
    while interval.len() > 1 {
        let middle = interval.start + interval.len().div_ceil(2);
        let upper = middle..interval.end;
        if relative == interval.start {
            plan.sends.extend(message(middle, upper));
            interval.end = middle;
        } else if relative == middle {
            plan.receives.extend(message(interval.start, upper.clone()));
            interval = upper;
        } else if relative < middle {
            interval.end = middle;
        } else {
            interval = upper;
        }
    }
    let previous = (relative + members - 1) % members;
    let next = (relative + 1) % members;
    let (held, held_by_next) = (held(members, relative), held(members, next));
    for step in 0..members.saturating_sub(1) {
        let received = (previous + members - step) % members;
        if !held.contains(&received) {
            plan.receives.extend(message(previous, received..received + 1));
        }
        let sent = (relative + members - step) % members;
        if !held_by_next.contains(&sent) {
            plan.sends.extend(message(next, sent..sent + 1));
        }
    }
    plan
}

/// The pieces that a member has after the scatter: the pieces of the interval whose first member it was.
fn held(members: usize, relative: usize) -> Range<usize> {
    let mut interval = 0..members;
    while interval.start != relative {
        let middle = interval.start + interval.len().div_ceil(2);
        interval = if relative < middle { interval.start..middle } else { middle..interval.end };
    }
    interval
}
