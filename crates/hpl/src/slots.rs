//! The memory of a node and its slots.
//!
//! Every rank of the node has slots in two rings, one for panels of which it is the root, one for panels that
//! it receives from other nodes. A panel is in the slot of its holder: the root, or the receiver of the node.
//! The k-th panel of a ring is in slot k modulo the length of the ring. A slot contains the length and number
//! of the panel before its data, so ranks that have not begun the same panels detect this.
//!
//! Memory is requested in huge pages if the system has them for shared memory (shmem_enabled), and for the
//! private memory of one rank.

use hcube_core::atomic::{
    self,
    Ordering::{Acquire, Release},
};
use hcube_core::comm::{Comm, agree};
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::node::counted_memory::{CountedMemory, Counter};
use std::ops::Range;

/// Bytes of a slot before the panel, which hold its [`Head`]: a line, so that panels are aligned to lines.
const HEAD: usize = 64;
/// Slots start at pages.
const PAGE: usize = 4096;

/// A panel's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder {
    /// The rank whose slot it is, by its number on the node.
    pub member: usize,
    /// Whether that is not the root.
    pub received: bool,
    /// Panels of the ring before.
    pub turn: u64,
}

impl Holder {
    fn counter(self) -> Counter {
        if self.received { Counter::Complete } else { Counter::Written }
    }
}

/// The header of a slot before the panel, and the first message to another node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The number of the panel.
    pub number: u64,
    /// Its bytes; `None` where its root has released it without posting it.
    pub bytes: Option<usize>,
}

impl Head {
    /// Bytes of a head.
    pub const BYTES: usize = 16;

    /// As bytes.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let length = self.bytes.map_or(u64::MAX, |bytes| bytes as u64);
        let mut out = [0; Self::BYTES];
        out[..8].copy_from_slice(&self.number.to_ne_bytes());
        out[8..].copy_from_slice(&length.to_ne_bytes());
        out
    }

    /// From [`Self::to_bytes`].
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        let word = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        Self {
            number: word(0),
            bytes: Some(word(8)).filter(|&bytes| bytes != u64::MAX).map(|bytes| bytes as usize),
        }
    }
}

/// The bytes of a panel, for reading.
#[derive(Debug, Clone, Copy)]
pub struct Content<'a>(Region<'a>);

impl<'a> Content<'a> {
    /// Of a panel that has arrived and is not released.
    pub(crate) const fn new(region: Region<'a>) -> Self {
        Self(region)
    }

    /// Where it begins; aligned to 64 bytes.
    pub fn address(self) -> *const u8 {
        self.0.address().cast_const()
    }

    /// Its bytes.
    #[expect(clippy::len_without_is_empty, reason = "bytes, not elements")]
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// Copies all of it.
    ///
    /// # Panics
    /// Where the lengths differ.
    pub fn read(self, out: &mut [u8]) {
        self.0.read(out);
    }
}

/// The slots of a node, seen from one of its ranks.
#[derive(Debug)]
pub struct Slots {
    /// Nothing after [`Self::leak`].
    memory: Option<CountedMemory>,
    capacity: usize,
    own: usize,
    received: usize,
}

impl Slots {
    /// Collective: slots for panels of up to `capacity` bytes, `own` and `received` per rank, on each node.
    /// `ranks` are the ranks of this rank's node.
    ///
    /// # Errors
    /// On all ranks: [`Error::Argument`], and where memory cannot be allocated or shared.
    pub fn new<C: Comm>(
        comm: &C,
        ranks: &[usize],
        capacity: usize,
        own: usize,
        received: usize,
    ) -> Result<Self> {
        let bytes = agree(comm, total_bytes(capacity, own, received, ranks.len()))?;
        let memory = Some(CountedMemory::share_large(comm, ranks, bytes)?);
        Ok(Self { memory, capacity, own, received })
    }

    /// The slots of each of the ranks of a node of a model.
    #[cfg(hcube_model)]
    pub fn of_model(
        scene: &mut atomic::model::Scene,
        ranks: usize,
        capacity: usize,
        own: usize,
        received: usize,
    ) -> Vec<Self> {
        let bytes = total_bytes(capacity, own, received, ranks).expect("small");
        let memories = CountedMemory::of_model(scene, ranks, bytes).into_iter();
        memories.map(|memory| Self { memory: Some(memory), capacity, own, received }).collect()
    }

    fn memory(&self) -> &CountedMemory {
        self.memory.as_ref().expect("used before it was given up")
    }

    /// Gives the memory up without freeing it.
    pub fn leak(&mut self) {
        std::mem::forget(self.memory.take());
    }

    /// Bytes of the largest possible panel.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Slots of each rank for its own panels.
    pub fn own(&self) -> usize {
        self.own
    }

    /// Slots of each rank for panels from other nodes.
    pub fn received(&self) -> usize {
        self.received
    }

    /// This rank's number on the node.
    pub fn own_number(&self) -> usize {
        self.memory().own_number()
    }

    /// The number of a panel's slot in its ring.
    pub fn slot(&self, holder: Holder) -> usize {
        (holder.turn % if holder.received { self.received } else { self.own } as u64) as usize
    }

    /// Panels of a ring that may be read.
    pub fn posted(&self, holder: Holder) -> u64 {
        self.memory().counter(holder.member, holder.counter()).load(Acquire)
    }

    /// Shows the next panel of one of this rank's rings: what it has written before.
    pub fn post(&self, holder: Holder) {
        self.memory().counter(holder.member, holder.counter()).store(holder.turn + 1, Release);
    }

    /// Whether all ranks of the node have released this panel and those before it.
    pub fn is_released(&self, number: u64) -> bool {
        (0..self.memory().ranks()).all(|member| self.is_released_by(member, number))
    }

    /// Whether a rank has.
    pub fn is_released_by(&self, member: usize, number: u64) -> bool {
        self.memory().counter(member, Counter::Released).load(Acquire) > number
    }

    /// Says that this rank has released all panels before this one.
    pub fn release(&self, first: u64) {
        self.memory().counter(self.own_number(), Counter::Released).store(first, Release);
    }

    fn start(&self, holder: Holder) -> usize {
        let before = if holder.received { self.own } else { 0 };
        let slot = holder.member * (self.own + self.received) + before + self.slot(holder);
        slot * slot_bytes(self.capacity)
    }

    /// Some bytes of the panel. The holder writes them between all ranks' release of the panel that was in
    /// this slot before and its [`post`](Self::post); others read them from then until they release the
    /// panel.
    ///
    /// # Panics
    /// Where the range is not inside a panel.
    pub fn content(&self, holder: Holder, range: Range<usize>) -> Region<'_> {
        assert!(range.end <= self.capacity, "{range:?} of a panel of {} bytes", self.capacity);
        let start = self.start(holder) + HEAD;
        self.memory().region(start + range.start..start + range.end)
    }

    /// As [`content`](Self::content), for a transfer that continues after this call.
    ///
    /// # Safety
    /// The memory stays until the transfer is complete; if its completion is never tested, it is
    /// [leaked](Self::leak).
    pub unsafe fn lasting(&self, holder: Holder, range: Range<usize>) -> Region<'static> {
        let region = self.content(holder, range);
        // SAFETY: bytes of the slot, which stay until the transfer has finished, by the contract of this
        // function.
        unsafe { Region::new(region.address(), region.len()) }
    }

    /// Writes what the panel is, on its holder.
    pub fn write_head(&self, holder: Holder, head: Head) {
        let place = self.head(holder);
        atomic::written(place.address());
        place.write(&head.to_bytes());
    }

    /// The identity of the panel.
    pub fn read_head(&self, holder: Holder) -> Head {
        let (mut bytes, place) = ([0; Head::BYTES], self.head(holder));
        atomic::read(place.address());
        place.read(&mut bytes);
        Head::from_bytes(bytes)
    }

    fn head(&self, holder: Holder) -> Region<'_> {
        let start = self.start(holder);
        self.memory().region(start..start + Head::BYTES)
    }
}

/// Slots per rank with which no `begin` waits for a rank that waits for the same root, where every rank has
/// released a panel before it begins the one `live` numbers later. `roots` ranks begin panels in turn, of
/// which one may have two in a row, as HPL's that begins a panel again which it has freed; 1 for panels that
/// may all have the same root.
pub fn slots_for(live: usize, roots: usize) -> usize {
    (live / roots.max(1)).saturating_add(2).min(live).max(1)
}

fn slot_bytes(capacity: usize) -> usize {
    (capacity + HEAD).next_multiple_of(PAGE)
}

fn total_bytes(capacity: usize, own: usize, received: usize, ranks: usize) -> Result<usize> {
    if own == 0 {
        return Err(Error::argument("slots", own, "1 or more"));
    }
    let slot = capacity.checked_add(HEAD).and_then(|bytes| bytes.checked_next_multiple_of(PAGE));
    let total = slot.and_then(|slot| slot.checked_mul(own.checked_add(received)?)?.checked_mul(ranks));
    total.ok_or_else(|| Error::Memory(format!("{own} panels of {capacity} bytes on each of {ranks} ranks")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_testing::sizes::{sizes, sizes_within};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn slots_of_any_size_are_exact_or_refused(
            capacity in sizes(), own in sizes_within(1, usize::MAX), received in sizes(), ranks in sizes_within(1, usize::MAX),
        ) {
            let slot = (capacity as u128 + HEAD as u128).next_multiple_of(PAGE as u128);
            let total = (own as u128 + received as u128).checked_mul(ranks as u128).and_then(|all| all.checked_mul(slot));
            let expected = total.filter(|&total| total <= usize::MAX as u128);
            prop_assert_eq!(total_bytes(capacity, own, received, ranks).ok().map(|bytes| bytes as u128), expected);
            if expected.is_some() {
                prop_assert_eq!(slot_bytes(capacity) as u128, slot);
            }
        }

        #[test]
        fn numbers_of_any_size_of_living_panels_have_slots(live in sizes(), roots in sizes()) {
            let expected = (live as u128 / roots.max(1) as u128 + 2).min(live as u128).max(1);
            prop_assert_eq!(slots_for(live, roots) as u128, expected);
        }
    }
}
