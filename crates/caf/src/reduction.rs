//! Sums and maxima of a few words over a team, on all of its members.
//!
//! Idea: in round i every member sends what it knows to the member at distance 2^i forward: the combination of the 2^i
//! members up to itself, and of as many members as the lower bits of the size say. Where bit i of the size is set, the latter
//! grows by the former, and in the end covers the whole team. Members need only links. It is a state machine, so it can go on
//! while the program does something else.
//!
//! Restrictions: operations whose result does not depend on order: integers.
//! Cost: ⌈log2 S⌉ messages per member, of twice the words.
//! Source: our own; Bruck, Ho, Kipnis, Weathersby 1997 concatenate in the same pattern.

use crate::collective::members::Members;
use crate::handles::Handle;
use crate::image::Image;
use crate::runtime::Runtime;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::bytes_of;

/// What is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Combination {
    /// Modulo 2^64.
    Sum,
    /// As signed numbers.
    Max,
}

impl Combination {
    fn neutral(self) -> i64 {
        match self {
            Self::Sum => 0,
            Self::Max => i64::MIN,
        }
    }

    fn of(self, one: i64, other: i64) -> i64 {
        match self {
            Self::Sum => one.wrapping_add(other),
            Self::Max => one.max(other),
        }
    }

    fn add(self, to: &mut [i64], other: &[i64]) {
        to.iter_mut().zip(other).for_each(|(one, &other)| *one = self.of(*one, other));
    }
}

/// A reduction that goes on.
#[derive(Debug)]
pub(crate) struct Reduction<const N: usize> {
    members: Members,
    combination: Combination,
    /// Of the last 2^`round` members, and of as many as the lower bits of the size say.
    last: [i64; N],
    some: [i64; N],
    round: usize,
    /// Whether this round's message was sent.
    is_sent: bool,
}

impl<const N: usize> Reduction<N> {
    /// Begins.
    pub fn new(members: Members, words: [i64; N], combination: Combination) -> Self {
        let some = [combination.neutral(); N];
        Self { members, combination, last: words, some, round: 0, is_sent: false }
    }

    /// The members again, when it has ended.
    pub fn into_members(self) -> Members {
        self.members
    }
}

impl<C: Comm> Image<C> {
    /// Goes on with a reduction: the combination of each word over all members, when it has ended.
    pub(crate) fn advance_reduction<const N: usize>(
        &mut self,
        reduction: &mut Reduction<N>,
    ) -> Result<Option<[i64; N]>> {
        let Reduction { members, combination, last, some, round, is_sent } = reduction;
        let size = members.size;
        loop {
            let is_last = size >> *round == 1;
            if is_last && size.is_power_of_two() {
                return Ok(Some(*last));
            }
            let (step, from) = (members.step(*round), members.backward(*round));
            if !*is_sent {
                let words = [*last, *some].concat();
                self.post(members.forward(*round), members.team, step, true, bytes_of(&words));
                *is_sent = true;
            }
            let gone = self.others.check(from);
            let Some(letter) = self.letter(Some(from), members.team, step) else {
                return gone.map(|()| None);
            };
            let received: Vec<i64> = letter.words().collect();
            if received.len() != 2 * N {
                return Err(Error::Internal(format!("a step of {} words", received.len())));
            }
            if size >> *round & 1 == 1 {
                let mut longer = *last;
                combination.add(&mut longer, &received[N..]);
                *some = longer;
            }
            if is_last {
                return Ok(Some(*some));
            }
            combination.add(last, &received[..N]);
            (*round, *is_sent) = (*round + 1, false);
        }
    }
}

impl<C: Comm> Runtime<C> {
    /// Collective over the team: the combination of each word over all members.
    pub(crate) fn combine<const N: usize>(
        &self,
        team: Handle,
        words: [i64; N],
        combination: Combination,
    ) -> Result<[i64; N]> {
        let members = self.with(|image| image.begin(team))?;
        let mut reduction = Reduction::new(members, words, combination);
        self.wait(|image| image.advance_reduction(&mut reduction))
    }
}
