//! The binomial tree of a team, from any root.
//!
//! Idea: members are numbered from the root along the ring. The children of a member are at distances of
//! powers of two below the lowest bit of its number, so every edge is a link, and a subtree is a range of
//! numbers: members of a node, which are usually neighbours, are in one subtree.
//!
//! Cost: ⌈log2 S⌉ edges from the root to the farthest member. Source: the binomial tree.

use std::ops::Range;

/// The tree, seen from a member.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tree {
    root: usize,
    size: usize,
    /// This member, counted from the root on.
    pub number: usize,
}

impl Tree {
    pub fn new(rank: usize, size: usize, root: usize) -> Self {
        Self { root, size, number: (rank + size - root) % size }
    }

    /// The power of two that is the distance backward to the parent.
    pub fn parent(self) -> Option<usize> {
        (self.number > 0).then(|| self.number.trailing_zeros() as usize)
    }

    /// The powers of two that are the distances forward to the children.
    pub fn children(self) -> Range<usize> {
        let below = self.parent().unwrap_or(usize::BITS as usize - 1);
        let fits = (0..below).take_while(|&power| self.number + (1 << power) < self.size).count();
        0..fits
    }

    /// The members of this one's subtree.
    pub fn subtree(self) -> Range<usize> {
        let length = self.parent().map_or(self.size, |power| 1 << power);
        self.number..(self.number + length).min(self.size)
    }

    /// The members of the subtree of a child.
    pub fn subtree_of(self, power: usize) -> Range<usize> {
        Self { number: self.number + (1 << power), ..self }.subtree()
    }

    /// The rank of a member.
    pub fn rank(self, number: usize) -> usize {
        (self.root + number) % self.size
    }

    /// The number of the member with rank 0, unless that is the root's: ranks begin again there.
    pub fn turn(self) -> usize {
        self.size - self.root
    }

    /// Parts of a range of members in which ranks ascend, one or two.
    pub fn ascending(self, members: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let turn = self.turn().clamp(members.start, members.end);
        [members.start..turn, turn..members.end].into_iter().filter(|part| !part.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subtrees_are_those_of_children() {
        for size in 1..=130 {
            for root in [0, 1, size / 2, size - 1].map(|root| root % size) {
                let mut reached = vec![0; size];
                for rank in 0..size {
                    let tree = Tree::new(rank, size, root);
                    assert_eq!(tree.rank(tree.number), rank);
                    let mut members = vec![tree.number];
                    for power in tree.children() {
                        let child = Tree::new(tree.rank(tree.number + (1 << power)), size, root);
                        assert_eq!((child.parent(), child.subtree()), (Some(power), tree.subtree_of(power)));
                        members.extend(child.subtree());
                        reached[child.number] += 1;
                    }
                    assert_eq!(members, tree.subtree().collect::<Vec<_>>());
                    let parts: Vec<_> = tree.ascending(tree.subtree()).collect();
                    let ranks =
                        |part: &Range<usize>| part.clone().map(|it| tree.rank(it)).collect::<Vec<_>>();
                    assert!(parts.iter().all(|part| ranks(part).is_sorted()) && parts.len() <= 2);
                    assert_eq!(parts.iter().flat_map(ranks).count(), members.len());
                }
                assert!(reached[0] == 0 && reached[1..].iter().all(|&count| count == 1), "{reached:?}");
            }
        }
    }
}
