//! Gather of a block of each member on one member, and scatter, its inverse.
//!
//! Idea: a binomial tree from the root. A member collects the blocks of its subtree, which is a range of
//! members, and sends them to its parent in one message; the root receives them at their final position.
//! Scatter sends ranges along the same edges in the other direction.
//!
//! Restrictions: none. Cost: one message per member, two if the ranks of a subtree wrap around; each block
//! crosses at most ⌈log2 S⌉ edges. Memory: on a member the blocks of its subtree. Source: the binomial tree.

use super::agreement::{check_bytes, check_rank};
use super::members::{Members, TREE};
use super::space::Space;
use super::tree::Tree;
use crate::engine::runtime::Runtime;
use crate::state::handles::Handle;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::memory::Region;
use std::ops::Range;

/// Blocks of members of a subtree in memory.
#[derive(Clone, Copy)]
struct Blocks<'a> {
    tree: Tree,
    block: usize,
    memory: Region<'a>,
}

impl<'a> Blocks<'a> {
    /// Blocks of members whose ranks ascend: at the root ordered by ranks, elsewhere from this member's own
    /// on.
    fn part(&self, members: &Range<usize>) -> Region<'a> {
        let Tree { number, .. } = self.tree;
        let first = if number == 0 { self.tree.rank(members.start) } else { members.start - number };
        self.memory.part(first * self.block..(first + members.len()) * self.block)
    }

    /// This member's own block.
    fn own(&self) -> Region<'a> {
        let number = self.tree.number;
        self.part(&(number..number + 1))
    }

    /// The messages of a subtree along an edge: their rounds and their blocks.
    fn messages(&self, power: usize, subtree: Range<usize>) -> impl Iterator<Item = (usize, Region<'a>)> {
        let parts = self.tree.ascending(subtree).enumerate();
        parts.map(move |(index, part)| (TREE + 2 * power + index, self.part(&part)))
    }
}

impl<C: Comm> Runtime<C> {
    /// The common part of gather and scatter: one block per member, all of them at the root.
    fn agree_on_root(
        &self,
        team: Handle,
        root: usize,
        block: usize,
        (name, all): (&'static str, Region<'_>),
    ) -> Result<Members> {
        let check = |members: &Members| {
            check_rank("root", root, members)?;
            if members.rank == root { check_bytes(name, all, block, members.size) } else { Ok(()) }
        };
        self.agree(team, check, [("root", root as i64), ("bytes", block as i64)])
    }

    /// Collective over the team: the blocks of all members, by their ranks, on the member `root`. `into` is
    /// used only there, and has one block per member.
    ///
    /// # Errors
    /// On all members, for a root that there is not, or where roots or lengths differ; for a team that was
    /// freed; where an image has failed.
    pub fn gather(&self, team: Handle, root: usize, from: Region<'_>, into: Region<'_>) -> Result<()> {
        let block = from.len();
        let members = self.agree_on_root(team, root, block, ("into", into))?;
        let tree = Tree::new(members.rank, members.size, root);
        let subtree = tree.subtree();
        let mut space;
        let memory = match tree.parent() {
            None => into,
            // It has no other block to send.
            Some(_) if subtree.len() == 1 => from,
            Some(_) => {
                space = Space::new(subtree.len() * block);
                space.region()
            }
        };
        let blocks = Blocks { tree, block, memory };
        from.copy_to(blocks.own());
        for power in tree.children() {
            for (round, part) in blocks.messages(power, tree.subtree_of(power)) {
                self.receive_block(&members, members.forward(power), round, part)?;
            }
        }
        let Some(power) = tree.parent() else { return Ok(()) };
        let mut pending = Vec::new();
        for (round, part) in blocks.messages(power, subtree) {
            pending.push(self.send_block(&members, members.backward(power), round, part, true)?);
        }
        pending.into_iter().try_for_each(|pending| self.settle(&members, pending))
    }

    /// Collective over the team: to each member its block of those that the member `root` has, by their
    /// ranks. `from` is used only there, and has one block per member.
    ///
    /// # Errors
    /// As [`Self::gather`].
    pub fn scatter(&self, team: Handle, root: usize, from: Region<'_>, into: Region<'_>) -> Result<()> {
        let block = into.len();
        let members = self.agree_on_root(team, root, block, ("from", from))?;
        let tree = Tree::new(members.rank, members.size, root);
        let subtree = tree.subtree();
        let mut space;
        let memory = match tree.parent() {
            None => from,
            Some(_) if subtree.len() == 1 => into,
            Some(_) => {
                space = Space::new(subtree.len() * block);
                space.region()
            }
        };
        let blocks = Blocks { tree, block, memory };
        if let Some(power) = tree.parent() {
            for (round, part) in blocks.messages(power, subtree) {
                self.receive_block(&members, members.backward(power), round, part)?;
            }
        }
        let mut pending = Vec::new();
        for power in tree.children().rev() {
            for (round, part) in blocks.messages(power, tree.subtree_of(power)) {
                pending.push(self.send_block(&members, members.forward(power), round, part, true)?);
            }
        }
        pending.into_iter().try_for_each(|pending| self.settle(&members, pending))?;
        // The own block last: it may lie where others were.
        blocks.own().copy_to(into);
        Ok(())
    }
}
