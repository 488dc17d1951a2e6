//! Circular shift: each member's block goes to the member at the same distance.
//!
//! Idea: both partners are looked up. A block is sent before the other block is received, so both may be in
//! the same memory.
//!
//! Restrictions: none. Cost: one block per member, and the lookup of two members. Memory: a copy of a long
//! block if its memory is overwritten or not in the heap. Source: direct exchange.

use super::agreement::check_bytes;
use super::members::EXCHANGE;
use crate::engine::runtime::Runtime;
use crate::state::handles::Handle;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::memory::Region;

impl<C: Comm> Runtime<C> {
    /// Collective over the team: this member's block to the one at `distance` forward, or backward if it is
    /// negative, around the ring of members. `from` and `into` may be the same memory.
    ///
    /// # Errors
    /// On all members, if distances or lengths differ; for a team that was freed; if an image has failed.
    pub fn shift(&self, team: Handle, distance: i64, from: Region<'_>, into: Region<'_>) -> Result<()> {
        let bytes = from.len();
        let members = self.agree(
            team,
            |_| check_bytes("into", into, bytes, 1),
            [("distance", distance), ("bytes", bytes as i64)],
        )?;
        // Members of a team are fewer than 2^63.
        let distance = distance.rem_euclid(members.size as i64) as usize;
        if distance == 0 {
            from.copy_to(into);
            return Ok(());
        }
        let to = self.image_of(team, members.ahead(distance))?;
        let source = self.image_of(team, members.behind(distance))?;
        let pending = self.send_block(&members, to, EXCHANGE, from, !from.overlaps(into))?;
        self.receive_block(&members, source, EXCHANGE, into)?;
        self.settle(&members, pending)
    }
}
