//! Sort: the elements of all members in ascending order over the team.
//!
//! Idea: each member sorts its own elements. Then, in the order of the network of `team::network`, pairs of
//! members exchange all their elements; the lower member keeps the lower half of both, the higher member the
//! upper half.
//!
//! Restrictions: the same number of elements on all members, and a total order. Elements that compare equal
//! may be in any order, the same in every run.
//! Cost: a member's elements are sent and merged in each of the p (p + 1) / 2 steps for up to 2^p members; n
//! log n comparisons to sort. Memory: twice the member's elements, and an index of 4 bytes for each.
//! Source: Baudet, Stevenson 1978, "Optimal sorting algorithms for parallel computers", for halves instead of
//! elements; Batcher 1968 for the network.

use super::members::{EXCHANGE, Members};
use super::space::Space;
use crate::engine::runtime::Runtime;
use crate::state::handles::Handle;
use crate::state::team::network::{Comparison, comparisons};
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use std::cmp::Ordering;

/// Compares two elements.
type Compare<'a> = &'a mut dyn FnMut(&[u8], &[u8]) -> Ordering;

/// The elements in ascending order; equal ones keep theirs.
fn sorted(elements: Region<'_>, bytes: usize, compare: Compare<'_>) -> Space {
    let given = Space::of(elements);
    let element = |index: u32| &given.bytes()[index as usize * bytes..][..bytes];
    let mut order: Vec<u32> = (0..(elements.len() / bytes) as u32).collect();
    order.sort_by(|&one, &other| compare(element(one), element(other)));
    let mut result = Space::new(elements.len());
    for (into, &index) in result.bytes_mut().chunks_exact_mut(bytes).zip(&order) {
        into.copy_from_slice(element(index));
    }
    result
}

/// The lower half of the elements of two members; of equal elements the lower member's come first.
fn lower_half(own: &[u8], higher: &[u8], bytes: usize, compare: Compare<'_>, into: &mut [u8]) {
    let (mut at, mut at_higher) = (0, 0);
    for into in into.chunks_exact_mut(bytes) {
        let (one, other) = (&own[at..][..bytes], &higher[at_higher..][..bytes]);
        if compare(other, one) == Ordering::Less {
            into.copy_from_slice(other);
            at_higher += bytes;
        } else {
            into.copy_from_slice(one);
            at += bytes;
        }
    }
}

/// The higher half: the elements that [`lower_half`] does not take.
fn higher_half(own: &[u8], lower: &[u8], bytes: usize, compare: Compare<'_>, into: &mut [u8]) {
    let (mut end, mut end_lower) = (own.len(), lower.len());
    for into in into.rchunks_exact_mut(bytes) {
        let (one, other) = (&own[end - bytes..end], &lower[end_lower - bytes..end_lower]);
        if compare(one, other) == Ordering::Less {
            into.copy_from_slice(other);
            end_lower -= bytes;
        } else {
            into.copy_from_slice(one);
            end -= bytes;
        }
    }
}

/// Elements of a member that an index can name.
const MAX_ELEMENTS: usize = u32::MAX as usize;

fn check(elements: Region<'_>, bytes: usize) -> Result<()> {
    if bytes == 0 {
        return Err(Error::argument("element_bytes", bytes, "at least 1"));
    }
    if !elements.len().is_multiple_of(bytes) {
        let expected = format!("a multiple of the {bytes} bytes of an element");
        return Err(Error::argument("bytes", elements.len(), expected));
    }
    let count = elements.len() / bytes;
    if count > MAX_ELEMENTS {
        return Err(Error::argument("count", count, format!("at most {MAX_ELEMENTS}")));
    }
    Ok(())
}

impl<C: Comm> Runtime<C> {
    /// Collective over the team: sorts the elements of all members, which have the same number of them, in
    /// ascending order from member to member.
    ///
    /// # Errors
    /// On all members, if lengths differ, or are not a multiple of the length of an element; for a team that
    /// was freed; if an image has failed.
    pub fn sort(
        &self,
        team: Handle,
        elements: Region<'_>,
        element_bytes: usize,
        compare: Compare<'_>,
    ) -> Result<()> {
        let alike = [("element_bytes", element_bytes as i64), ("bytes", elements.len() as i64)];
        let members = self.agree(team, |_| check(elements, element_bytes), alike)?;
        let mut own = sorted(elements, element_bytes, compare);
        for comparison in comparisons(members.rank, members.size) {
            own = self.merge(&members, comparison, own, element_bytes, compare)?;
        }
        elements.write(own.bytes());
        Ok(())
    }

    /// A step of the network: the half that this member keeps.
    fn merge(
        &self,
        members: &Members,
        Comparison { round, partner, keeps_smaller }: Comparison,
        mut own: Space,
        bytes: usize,
        compare: Compare<'_>,
    ) -> Result<Space> {
        let (image, round) = (members.linked(partner), EXCHANGE + round);
        let (mut other, mut kept) = (Space::new(own.bytes().len()), Space::new(own.bytes().len()));
        let pending = self.send_block(members, image, round, own.region(), true)?;
        self.receive_block(members, image, round, other.region())?;
        self.settle(members, pending)?;
        let half = if keeps_smaller { lower_half } else { higher_half };
        half(own.bytes(), other.bytes(), bytes, compare, kept.bytes_mut());
        Ok(kept)
    }
}
