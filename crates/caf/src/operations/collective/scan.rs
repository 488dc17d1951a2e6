//! Scan: the combination of the blocks of all members up to each member, in rank order.
//!
//! Idea: in round i a member has the combination of up to 2^i members up to itself, and receives the
//! combination of the member at distance 2^i backward.
//!
//! Restrictions: the operation is associative. Cost: ⌈log2 S⌉ rounds of a block with one combination each,
//! two in an exclusive scan. Memory: two or three blocks.
//! Source: Hillis, Steele 1986, "Data parallel algorithms".

use super::Combine;
use super::agreement::check_bytes;
use super::members::EXCHANGE;
use super::reduce::add_lower;
use super::space::Space;
use crate::engine::runtime::Runtime;
use crate::state::handles::Handle;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::memory::Region;

impl<C: Comm> Runtime<C> {
    /// Collective over the team: the combination of the blocks of all members up to this one, or up to the
    /// one before it if not `inclusive`; then `into` of member 0 is not written. `from` and `into` may be the
    /// same memory. `combine` gets a block of lower ranks and one of higher ranks, in which it leaves the
    /// result.
    ///
    /// # Errors
    /// On all members, if lengths or `inclusive` differ; for a team that was freed; if an image has failed.
    pub fn scan(
        &self,
        team: Handle,
        from: Region<'_>,
        into: Region<'_>,
        inclusive: bool,
        combine: Combine<'_>,
    ) -> Result<()> {
        let bytes = from.len();
        let members = self.agree(
            team,
            |_| check_bytes("into", into, bytes, 1),
            [("inclusive", i64::from(inclusive)), ("bytes", bytes as i64)],
        )?;
        let (mut all, mut before) = (Space::of(from), None);
        for power in 0..members.powers() {
            let (distance, round) = (1 << power, EXCHANGE + power);
            let has_receiver = members.rank + distance < members.size;
            let pending = has_receiver
                .then(|| self.send_block(&members, members.forward(power), round, all.region(), true))
                .transpose()?;
            let mut received = None;
            if members.rank >= distance {
                let mut space = Space::new(bytes);
                self.receive_block(&members, members.backward(power), round, space.region())?;
                received = Some(space);
            }
            if let Some(pending) = pending {
                self.settle(&members, pending)?;
            }
            let Some(received) = received else { continue };
            add_lower(Some(&received), &mut all, combine);
            if !inclusive {
                before = Some(match before.take() {
                    None => received,
                    Some(mut before) => {
                        add_lower(Some(&received), &mut before, combine);
                        before
                    }
                });
            }
        }
        match if inclusive { Some(all) } else { before } {
            Some(result) => into.write(result.bytes()),
            None => debug_assert_eq!(members.rank, 0),
        }
        Ok(())
    }
}
