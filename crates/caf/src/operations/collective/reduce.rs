//! Reduce: the combination of the blocks of all members, in rank order, on one member.
//!
//! Idea: a binomial tree from the root, whose subtrees are ranges of the ring. A range that wraps around
//! consists of two ranges of ranks, which are sent separately; the root combines the range from rank 0 before
//! its own.
//!
//! For all images on several nodes, blocks are combined along a tree with one edge to each node
//! (`node_tree`), one block per member, if they commute, or if ranks are in the order of nodes and the root
//! is the first one.
//!
//! Restrictions: the operation is associative. The order of the combinations depends only on the root,
//! the size of the team and the nodes of its members, so the result is bitwise identical in every run.
//! Cost: one block per member, two on the path of a range that wraps around; ⌈log2 S⌉ consecutive messages
//! and combinations. Memory: two or three blocks. Source: the binomial tree; the two ranges are our own.

use super::agreement::{check_bytes, check_rank, ordered};
use super::members::{Members, TREE};
use super::node_tree::NodeTree;
use super::pieces::{Folding, Receivers};
use super::space::Space;
use super::tree::Tree;
use super::{Combine, Elements};
use crate::engine::runtime::Runtime;
use crate::state::handles::Handle;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::memory::Region;

/// Combines a block with one of lower ranks, if there is one.
pub(super) fn add_lower(lower: Option<&Space>, higher: &mut Space, combine: Combine<'_>) {
    if let Some(lower) = lower {
        combine(lower.bytes(), higher.bytes_mut());
    }
}

impl<C: Comm> Runtime<C> {
    /// Collective over the team: the combination of the blocks of all members on the member `root`; `into` is
    /// used only there, and may be the same memory as `from`. `combine` gets a block of lower ranks and one
    /// of higher ranks, in which it leaves the result.
    ///
    /// # Errors
    /// On all members, for a root that there is not, or where roots or lengths differ; for a team that was
    /// freed; where an image has failed.
    pub fn reduce(
        &self,
        team: Handle,
        root: usize,
        from: Region<'_>,
        into: Region<'_>,
        combine: Combine<'_>,
    ) -> Result<()> {
        let elements = Elements { bytes: from.len(), commute: false };
        self.reduce_elements(team, root, (from, into), elements, combine)
    }

    /// As [`Self::reduce`], of elements: `combine` may get some of them at a time, and blocks in any order if
    /// they commute.
    ///
    /// # Errors
    /// As there.
    pub fn reduce_elements(
        &self,
        team: Handle,
        root: usize,
        (from, into): (Region<'_>, Region<'_>),
        elements: Elements,
        combine: Combine<'_>,
    ) -> Result<()> {
        let check = |members: &Members| {
            check_rank("root", root, members)?;
            if members.rank == root { check_bytes("into", into, from.len(), 1) } else { Ok(()) }
        };
        let alike = [("root", root as i64), ("bytes", ordered(from.len(), elements))];
        let pieces = self.pieces(team, from.len(), elements.bytes)?;
        let members = self.agree_with(team, check, alike, Self::first_piece(pieces, from))?;
        if let Some(pieces) = pieces {
            let receivers = Receivers::Only(root);
            let folding = Folding::new(team, &members, (pieces, elements), receivers, (from, into));
            return self.fold(&folding, combine);
        }
        if let Some(tree) = members.node_tree_to_reduce(root, elements) {
            return self.reduce_along(&members, &tree, from, into, combine);
        }
        self.reduce_agreed(&members, root, from, into, combine)
    }

    /// As [`Self::reduce`], along a tree of [`Members::node_tree_to_reduce`], when the arguments have been
    /// compared.
    pub(super) fn reduce_along(
        &self,
        members: &Members,
        tree: &NodeTree,
        from: Region<'_>,
        into: Region<'_>,
        combine: Combine<'_>,
    ) -> Result<()> {
        let send_to_parent = |block: Region<'_>| {
            tree.parent.map_or(Ok(()), |parent| {
                let pending = self.send_block(members, parent, TREE, block, true)?;
                self.settle(members, pending)
            })
        };
        if tree.children.is_empty() && tree.parent.is_some() {
            return send_to_parent(from);
        }
        let (mut own, mut other) = (Space::of(from), Space::new(from.len()));
        // The smallest subtree first, whose block comes first; in rank order if subtrees are.
        for &child in tree.children.iter().rev() {
            self.receive_block(members, child, TREE, other.region())?;
            combine(own.bytes(), other.bytes_mut());
            std::mem::swap(&mut own, &mut other);
        }
        if tree.parent.is_none() {
            into.write(own.bytes());
        }
        send_to_parent(own.region())
    }

    /// As [`Self::reduce`], when the arguments have been compared.
    pub(super) fn reduce_agreed(
        &self,
        members: &Members,
        root: usize,
        from: Region<'_>,
        into: Region<'_>,
        combine: Combine<'_>,
    ) -> Result<()> {
        let tree = Tree::new(members.rank, members.size, root);
        if let Some(power) = tree.parent()
            && tree.children().is_empty()
        {
            let round = TREE + 2 * power;
            let pending = self.send_block(members, members.backward(power), round, from, true)?;
            return self.settle(members, pending);
        }
        // Of the ranks from the root's on, and of those from 0 on.
        let is_past_turn = |number: usize| usize::from(number >= tree.turn());
        let mut parts = [None, None];
        parts[is_past_turn(tree.number)] = Some(Space::of(from));
        for power in tree.children() {
            for (index, part) in tree.ascending(tree.subtree_of(power)).enumerate() {
                let mut received = Space::new(from.len());
                let round = TREE + 2 * power + index;
                self.receive_block(members, members.forward(power), round, received.region())?;
                let lower = &mut parts[is_past_turn(part.start)];
                add_lower(lower.as_ref(), &mut received, combine);
                *lower = Some(received);
            }
        }
        let [from_root, from_zero] = &mut parts;
        let Some(power) = tree.parent() else {
            let result = from_root.as_mut().expect("the root's own");
            add_lower(from_zero.as_ref(), result, combine);
            into.write(result.bytes());
            return Ok(());
        };
        let mut pending = Vec::new();
        for (index, part) in [from_root, from_zero].into_iter().flatten().enumerate() {
            let round = TREE + 2 * power + index;
            pending.push(self.send_block(members, members.backward(power), round, part.region(), true)?);
        }
        pending.into_iter().try_for_each(|pending| self.settle(members, pending))
    }
}
