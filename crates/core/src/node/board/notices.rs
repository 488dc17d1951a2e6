//! Notices that are read while the next notice is written.

use super::super::slots::Slots;
use super::layout::Layout;

/// The notices of the round before the one that is being posted, all of which have been read.
#[derive(Debug, Clone, Copy)]
pub struct Notices<'a> {
    pub(super) slots: &'a Slots,
    pub(super) layout: Layout,
    pub(super) round: u64,
}

impl<'a> Notices<'a> {
    /// The bytes that a rank has posted for this one.
    ///
    /// # Panics
    /// For a rank that has refused that round ahead.
    pub fn bytes(&self, rank: usize) -> &'a [u8] {
        let Self { slots, layout, round } = *self;
        assert!(slots.published(rank, round).is_some(), "a refusal ahead has no notice");
        // SAFETY: published. This rank releases it by publishing its own next notice, for which the result
        // must have ended: it borrows the board as long as that notice is written.
        layout.bytes(unsafe { slots.contents(rank, round) }, slots.own(), slots.ranks())
    }
}
