//! Allreduce: the combination of the blocks of all members, in rank order, on all members.
//!
//! Idea: short blocks in teams of 2^p members are combined along a hypercube: in round i a member and the
//! member at distance 2^i exchange the combinations of their subcubes, which are ranges of ranks, and both
//! combine them in the same order. All other blocks are reduced to member 0 and broadcast, so a long block is
//! combined once per member instead of log2 S times.
//!
//! For all images on several nodes, blocks are reduced along a tree with one edge to each node (`node_tree`)
//! and broadcast along the same tree, if they commute or ranks are in the order of nodes.
//!
//! With boards, see `pieces`.
//!
//! Restrictions: the operation is associative. The result is bitwise identical on all members, and in all
//! runs with the same members on each node.
//! Cost: log2 S rounds of a block, or ⌈log2 S⌉ rounds of the reduction and of the broadcast. Memory: two
//! blocks.
//! Source: recursive doubling, and reduction with broadcast.

use super::agreement::{check_bytes, ordered};
use super::members::{EXCHANGE, Members};
use super::pieces::{Folding, Receivers};
use super::reduce::add_lower;
use super::space::Space;
use super::{Combine, Elements};
use crate::engine::runtime::Runtime;
use crate::state::handles::Handle;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::memory::Region;

/// The longest block that is combined along a hypercube.
const MAX_CUBE_BYTES: usize = 8 << 10;

impl<C: Comm> Runtime<C> {
    /// Collective over the team: the combination of the blocks of all members; `from` and `into` may be the
    /// same memory. `combine` gets a block of lower ranks and one of higher ranks, in which it leaves the
    /// result.
    ///
    /// # Errors
    /// On all members, where lengths differ; for a team that was freed; where an image has failed.
    pub fn allreduce(
        &self,
        team: Handle,
        from: Region<'_>,
        into: Region<'_>,
        combine: Combine<'_>,
    ) -> Result<()> {
        let elements = Elements { bytes: from.len(), commute: false };
        self.allreduce_elements(team, (from, into), elements, combine)
    }

    /// As [`Self::allreduce`], of elements: `combine` may get some of them at a time, and blocks in any order
    /// if they commute.
    ///
    /// # Errors
    /// As there, and where the bytes of an element differ.
    pub fn allreduce_elements(
        &self,
        team: Handle,
        (from, into): (Region<'_>, Region<'_>),
        elements: Elements,
        combine: Combine<'_>,
    ) -> Result<()> {
        let bytes = from.len();
        let check = |_: &Members| check_bytes("into", into, bytes, 1);
        let alike = [("bytes", ordered(bytes, elements)), ("bytes of an element", elements.bytes as i64)];
        let pieces = self.pieces(team, bytes, elements.bytes)?;
        let members = self.agree_with(team, check, alike, Self::first_piece(pieces, from))?;
        if let Some(pieces) = pieces {
            let folding = Folding::new(team, &members, (pieces, elements), Receivers::All, (from, into));
            return self.fold(&folding, combine);
        }
        if let Some(tree) = members.node_tree_to_reduce(0, elements) {
            self.reduce_along(&members, &tree, from, into, combine)?;
            return self.broadcast_agreed(members, 0, into);
        }
        if members.size.is_power_of_two() && bytes <= MAX_CUBE_BYTES {
            return self.along_hypercube(&members, from, into, combine);
        }
        self.reduce_agreed(&members, 0, from, into, combine)?;
        self.broadcast_agreed(members, 0, into)
    }

    fn along_hypercube(
        &self,
        members: &Members,
        from: Region<'_>,
        into: Region<'_>,
        combine: Combine<'_>,
    ) -> Result<()> {
        let mut own = Space::of(from);
        for power in 0..members.powers() {
            let (partner, round) = (members.rank ^ 1 << power, EXCHANGE + power);
            let (image, mut other) = (members.linked(partner), Space::new(from.len()));
            let pending = self.send_block(members, image, round, own.region(), true)?;
            self.receive_block(members, image, round, other.region())?;
            self.settle(members, pending)?;
            if partner > members.rank {
                std::mem::swap(&mut own, &mut other);
            }
            add_lower(Some(&other), &mut own, combine);
        }
        into.write(own.bytes());
        Ok(())
    }
}
