//! Hockney's model of a message, and the time of a broadcast by formula.
//!
//! A message of m elements takes alpha + m * beta seconds. A broadcast of m elements among q members takes
//! L(q) * alpha + m * W(q) * beta (Quintin, Hasanov and Lastovetsky 2013, formula 1):
//!
//! | broadcast | L(q) | W(q) |
//! |---|---|---|
//! | binomial | log2 q | log2 q |
//! | ring with k blocks | q - 2 + k | (q - 2 + k) / k |
//! | scatter and all-gather | log2 q + q - 1 | 2 (q - 1) / q |
//!
//! Logarithms are not rounded up, as in that formula; [`super::counted`] counts whole rounds.
//! Source: Quintin, Hasanov and Lastovetsky, ICPP 2013, §IV, with its reference to Hockney, Parallel
//! Computing 20 (3), 1994. The ring is an addition.

use crate::schedule::Broadcast;

/// The time of messages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hockney {
    /// Seconds per message.
    pub alpha: f64,
    /// Seconds per element. For elements of 8 bytes, 8 times the seconds per byte.
    pub beta: f64,
}

impl Hockney {
    /// Seconds for a message.
    pub fn message(&self, elements: f64) -> f64 {
        self.alpha + self.beta * elements
    }

    /// Seconds for a broadcast of `elements` elements, which a ring cuts into at most `max_blocks` blocks.
    pub fn broadcast(&self, broadcast: Broadcast, members: f64, elements: f64, max_blocks: usize) -> f64 {
        let blocks = match broadcast {
            Broadcast::Ring => self.ring_blocks(members, elements, max_blocks),
            Broadcast::Binomial | Broadcast::ScatterAllgather => 1,
        };
        let Factors { latency, bandwidth } = Factors::new(broadcast, members, blocks);
        latency * self.alpha + elements * bandwidth * self.beta
    }

    /// The number of blocks with which a pipelined ring takes the shortest time, between 1 and `max_blocks`.
    pub fn ring_blocks(&self, members: f64, elements: f64, max_blocks: usize) -> usize {
        let seconds = |blocks: usize| {
            let Factors { latency, bandwidth } = Factors::new(Broadcast::Ring, members, blocks);
            latency * self.alpha + elements * bandwidth * self.beta
        };
        // Where the derivative of (q - 2 + k)(alpha + m beta / k) is zero.
        let best = ((members - 2.0).max(0.0) * elements * self.beta / self.alpha).sqrt();
        // The cast saturates where alpha is zero.
        let below = (best as usize).clamp(1, max_blocks.max(1));
        let above = below.saturating_add(1).min(max_blocks.max(1));
        if seconds(above) < seconds(below) { above } else { below }
    }
}

/// L(q) and W(q) of a broadcast.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factors {
    /// L(q): messages on the critical path.
    pub latency: f64,
    /// W(q): how many times the whole panel is transferred on the critical path.
    pub bandwidth: f64,
}

impl Factors {
    /// Among `members` members, 1 or more; `blocks` matters only for a ring.
    pub fn new(broadcast: Broadcast, members: f64, blocks: usize) -> Self {
        if members <= 1.0 {
            return Self { latency: 0.0, bandwidth: 0.0 };
        }
        match broadcast {
            Broadcast::Binomial => Self { latency: members.log2(), bandwidth: members.log2() },
            Broadcast::Ring => {
                let messages = (members - 2.0).max(0.0) + blocks as f64;
                Self { latency: messages, bandwidth: messages / blocks as f64 }
            }
            Broadcast::ScatterAllgather => {
                Self { latency: members.log2() + members - 1.0, bandwidth: 2.0 * (members - 1.0) / members }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broadcast_among_two_is_a_message() {
        let hockney = Hockney { alpha: 3e-6, beta: 1e-9 };
        for broadcast in [Broadcast::Binomial, Broadcast::Ring] {
            assert_eq!(hockney.broadcast(broadcast, 2.0, 500.0, 1), hockney.message(500.0), "{broadcast:?}");
            assert_eq!(hockney.broadcast(broadcast, 1.0, 500.0, 1), 0.0);
        }
    }

    #[test]
    fn the_blocks_of_a_ring_are_the_best() {
        let hockney = Hockney { alpha: 2e-6, beta: 3e-9 };
        for (members, elements, max) in [(9.0, 1e4, 1000), (128.0, 1e6, 1000), (2.0, 1e6, 50), (30.0, 1e6, 7)]
        {
            let blocks = hockney.ring_blocks(members, elements, max);
            let seconds = |blocks| {
                let Factors { latency, bandwidth } = Factors::new(Broadcast::Ring, members, blocks);
                latency * hockney.alpha + elements * bandwidth * hockney.beta
            };
            assert!((1..=max).all(|other| seconds(blocks) <= seconds(other)), "{members} members: {blocks}");
            assert_eq!(hockney.broadcast(Broadcast::Ring, members, elements, max), seconds(blocks));
        }
        assert_eq!(Hockney { alpha: 0.0, beta: 1e-9 }.ring_blocks(9.0, 1e6, 64), 64);
        assert_eq!(Hockney { alpha: 1e-6, beta: 0.0 }.ring_blocks(9.0, 1e6, 64), 1);
    }
}
