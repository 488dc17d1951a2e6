//! Allgather: the blocks of all members on all members.
//!
//! Idea: in round i a member has the blocks of 2^i consecutive members on the ring, starting with its own
//! block, and receives the blocks that the member at distance 2^i forward has; in the last round only the
//! missing blocks. Every block is received at its final position.
//!
//! Restrictions: none. Cost: ⌈log2 S⌉ rounds of one message, two if the ranks wrap around; S - 1 blocks per
//! member. No memory except copies of exposed blocks. Source: Bruck, Ho, Kipnis, Upfal, Weathersby 1997,
//! "Efficient algorithms for all-to-all communications in multiport message-passing systems", with a rotation
//! at the end.

use super::agreement::check_bytes;
use super::members::EXCHANGE;
use crate::engine::runtime::Runtime;
use crate::state::handles::Handle;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::memory::Region;
use std::ops::Range;

/// The ranks of `count` members from `first` on, in parts that ascend.
fn ascending(first: usize, count: usize, size: usize) -> impl Iterator<Item = Range<usize>> {
    let end = first + count;
    [first..end.min(size), 0..end.saturating_sub(size)].into_iter().filter(|part| !part.is_empty())
}

impl<C: Comm> Runtime<C> {
    /// Collective over the team: the blocks of all members, by their ranks, on all members. `into` has one
    /// block per member.
    ///
    /// # Errors
    /// On all members, if lengths differ; for a team that was freed; if an image has failed.
    pub fn allgather(&self, team: Handle, from: Region<'_>, into: Region<'_>) -> Result<()> {
        let block = from.len();
        let members = self.agree(
            team,
            |members| check_bytes("into", into, block, members.size),
            [("bytes", block as i64), ("bytes", block as i64)],
        )?;
        let part = |ranks: Range<usize>| into.part(ranks.start * block..ranks.end * block);
        from.copy_to(part(members.rank..members.rank + 1));
        let mut pending = Vec::new();
        for power in 0..members.powers() {
            let distance = 1 << power;
            let count = distance.min(members.size - distance);
            let round = EXCHANGE + 2 * power;
            for (index, ranks) in ascending(members.rank, count, members.size).enumerate() {
                let to = members.backward(power);
                pending.push(self.send_block(&members, to, round + index, part(ranks), true)?);
            }
            for (index, ranks) in ascending(members.ahead(distance), count, members.size).enumerate() {
                self.receive_block(&members, members.forward(power), round + index, part(ranks))?;
            }
        }
        pending.into_iter().try_for_each(|pending| self.settle(&members, pending))
    }
}
