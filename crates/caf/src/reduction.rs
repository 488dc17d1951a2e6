//! Sums and maxima of a few words over a team, on all of its members.
//!
//! Idea: in round i every member sends what it knows to the member at distance 2^i forward: the combination of the 2^i
//! members up to itself, and of as many members as the lower bits of the size say. Where bit i of the size is set, the latter
//! grows by the former, and in the end covers the whole team. Members need only links.
//!
//! Restrictions: operations whose result does not depend on order: integers.
//! Cost: ⌈log2 S⌉ messages per member, of twice the words.
//! Source: our own; Bruck, Ho, Kipnis, Weathersby 1997 concatenate in the same pattern.

use crate::handles::Handle;
use crate::mail::step;
use crate::runtime::Runtime;
use crate::team::{BACKWARD, FORWARD};
use hcube_core::comm::Comm;
use hcube_core::error::Result;

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

impl<C: Comm> Runtime<C> {
    /// Collective over the team: the combination of each word over all members.
    pub(crate) fn combine<const N: usize>(
        &self,
        team: Handle,
        words: [i64; N],
        combination: Combination,
    ) -> Result<[i64; N]> {
        let (id, size, operation) = self.with(|image| {
            let team = image.teams.get_mut(team)?;
            Ok((team.id, team.size(), team.next_operation()))
        })?;
        // Of the last 2^i members, and of as many as the lower i bits of the size say.
        let (mut last, mut some) = (words, [combination.neutral(); N]);
        for round in 0.. {
            let is_last = size >> round == 1;
            if is_last && size.is_power_of_two() {
                return Ok(last);
            }
            let step = step(operation, round);
            let [to, from] = self.with(|image| {
                let team = image.teams.get(team)?;
                Ok([FORWARD, BACKWARD].map(|direction| team.link(round, direction).image))
            })?;
            self.send_words(to, id, step, &[last, some].concat())?;
            let letter = self.receive_letter(Some(from), id, step)?;
            let received: Vec<i64> = letter.words().collect();
            if size >> round & 1 == 1 {
                let mut longer = last;
                combination.add(&mut longer, &received[N..]);
                some = longer;
            }
            if is_last {
                return Ok(some);
            }
            combination.add(&mut last, &received[..N]);
        }
        unreachable!("a size has a highest bit")
    }
}
