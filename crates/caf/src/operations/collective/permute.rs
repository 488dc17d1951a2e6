//! Permute: each member names the member that receives its block.
//!
//! Idea: a member knows only the destination of its own block, and tells this member its rank. Whether the
//! destinations are a permutation is checked by the sum of a mixing function over them, which must equal the
//! sum over all ranks.
//!
//! Restrictions: other destinations are accepted as a permutation with a probability of 2^-64.
//! Cost: a reduction of one word, a short message and one block per member, and the lookup of one member.
//! Source: our own; the mixing function is the final step of SplitMix64 (Steele, Lea, Flood 2014).

use super::agreement::{check_bytes, check_rank};
use super::members::EXCHANGE;
use crate::engine::runtime::Runtime;
use crate::operations::reduction::Combination;
use crate::state::handles::Handle;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::{Region, bytes_of};

/// A word for a rank, such that sums of different ranks differ.
fn mixed(rank: usize) -> i64 {
    let mut word = (rank as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (word ^ word >> 31) as i64
}

impl<C: Comm> Runtime<C> {
    /// Collective over the team: this member's block to the member `destination`, another one for each
    /// member. `from` and `into` may be the same memory.
    ///
    /// # Errors
    /// On all members, for a destination that does not exist or that two members name, or if lengths differ;
    /// for a team that was freed; if an image has failed.
    pub fn permute(
        &self,
        team: Handle,
        destination: usize,
        from: Region<'_>,
        into: Region<'_>,
    ) -> Result<()> {
        let bytes = from.len();
        let members = self.agree(
            team,
            |members| {
                check_rank("destination", destination, members)?;
                check_bytes("into", into, bytes, 1)
            },
            [("bytes", bytes as i64); 2],
        )?;
        let difference = mixed(destination).wrapping_sub(mixed(members.rank));
        let [sum] = self.combine(team, [difference], Combination::Sum)?;
        if sum != 0 {
            let expected = "a different member for each member of the team";
            return Err(Error::argument("destination", destination, expected));
        }
        if destination == members.rank {
            from.copy_to(into);
            return Ok(());
        }
        let (to, step) = (self.image_of(team, destination)?, members.step(EXCHANGE + 1));
        let own = self.own() as u64;
        self.change(|image| image.post(to, members.team, step, false, bytes_of(&[own])))?;
        let pending = self.send_block(&members, to, EXCHANGE, from, !from.overlaps(into))?;
        let [source] = self.receive_words(None, members.team, step)?;
        self.receive_block(&members, source as usize, EXCHANGE, into)?;
        self.settle(&members, pending)
    }
}
