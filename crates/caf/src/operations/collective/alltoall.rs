//! Alltoall: a block from each member to each other member.
//!
//! Idea: in round d a member exchanges blocks with the members at distance d in both directions. Both blocks
//! are sent before one is received, so source and destination may be the same memory. A long block for
//! another node is sent after its receiver has granted it, one round earlier.
//!
//! Restrictions: source and destination are the same memory or do not overlap. Cost: S - 1 blocks and S - 1
//! short messages per member, twice as many for long blocks; the images of all members are looked up. Memory:
//! two copies of exposed blocks, and four blocks that have arrived early. Source: pairwise exchange.

use super::agreement::check_bytes;
use super::members::{EXCHANGE, Members, READY};
use super::rendezvous::MAX_EAGER_BYTES;
use crate::engine::runtime::Runtime;
use crate::state::handles::Handle;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;

/// The partners of a round: their ranks and images. A pair of members meets in one round only.
type Partners = Vec<(usize, usize)>;

impl<C: Comm> Runtime<C> {
    fn partners(&self, team: Handle, members: &Members, distance: usize) -> Result<Partners> {
        let (ahead, behind) = (members.ahead(distance), members.behind(distance));
        let ranks: &[usize] = if ahead == behind { &[ahead] } else { &[ahead, behind] };
        ranks.iter().map(|&rank| Ok((rank, self.image_of(team, rank)?))).collect()
    }

    /// Whether a receiver grants blocks.
    fn waits_for_word(&self, image: usize, block: usize) -> Result<bool> {
        self.with(|this| Ok(block > MAX_EAGER_BYTES && !this.memory.is_here(image)))
    }

    /// Says to the partners of a round that their blocks may come.
    fn announce(&self, members: &Members, partners: &Partners, block: usize) -> Result<()> {
        for &(_, image) in partners {
            if self.waits_for_word(image, block)? {
                self.send_words(image, members.team, members.step(EXCHANGE + READY), &[])?;
            }
        }
        Ok(())
    }

    /// Collective over the team: block i of this member to the member i, and its block for this one as block
    /// i. `from` and `into` have one block per member, and may be the same memory.
    ///
    /// # Errors
    /// On all members, if lengths differ or are not a multiple of the number of members; for a team that was
    /// freed; if an image has failed.
    pub fn alltoall(&self, team: Handle, from: Region<'_>, into: Region<'_>) -> Result<()> {
        let bytes = from.len();
        let is_same = from.address() == into.address();
        let check = |members: &Members| {
            if !bytes.is_multiple_of(members.size) {
                return Err(Error::argument("bytes", bytes, format!("a multiple of {}", members.size)));
            }
            check_bytes("into", into, bytes, 1)?;
            if !is_same && from.overlaps(into) {
                return Err(Error::argument("into", "a part of `from`", "the same memory, or another"));
            }
            Ok(())
        };
        let members = self.agree(team, check, [("bytes", bytes as i64); 2])?;
        let block = bytes / members.size;
        let [from, into] =
            [from, into].map(|all| move |rank: usize| all.part(rank * block..(rank + 1) * block));
        from(members.rank).copy_to(into(members.rank));
        let rounds = members.size / 2;
        let mut next = if rounds > 0 { self.partners(team, &members, 1)? } else { Partners::new() };
        self.announce(&members, &next, block)?;
        for distance in 1..=rounds {
            let partners = std::mem::take(&mut next);
            if distance < rounds {
                next = self.partners(team, &members, distance + 1)?;
                self.announce(&members, &next, block)?;
            }
            let mut pending = Vec::new();
            for &(rank, image) in &partners {
                if self.waits_for_word(image, block)? {
                    let step = members.step(EXCHANGE + READY);
                    self.receive_step(Some(image), members.team, step)?;
                }
                pending.push(self.send_block(&members, image, EXCHANGE, from(rank), !is_same)?);
            }
            for &(rank, image) in &partners {
                self.receive_block(&members, image, EXCHANGE, into(rank))?;
            }
            pending.into_iter().try_for_each(|pending| self.settle(&members, pending))?;
        }
        Ok(())
    }
}
