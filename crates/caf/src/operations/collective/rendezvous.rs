//! Protocols that send a block from one member of a team to another.
//!
//! Idea: a short block, or a block for another node, is sent in a message (*eager*). A longer block for an
//! image of the same node is *exposed* (rendezvous): the message contains its location in the node's heap,
//! the receiver copies it from there and replies, and then the sender may write it again. A block that is not
//! in the heap, or that may change before the reply, is first copied to the heap (`staging`).
//!
//! Restrictions: an exposed block must not change until the reply. If the heap has no space for a copy, the
//! block is sent in a message. After an error copies stay in the heap, because other images may still read
//! them.
//!
//! Cost: two short messages and one copy per byte, or two if the block is not in the heap; eager two copies
//! per byte, and a record per 1024 bytes. Source: our own; replies as in Jin et al. 2011, §II-E.

use super::members::{ANSWER, Members};
use crate::engine::image::Image;
use crate::engine::runtime::Runtime;
use crate::operations::steps::NAMED;
use crate::state::messages::Kind;
use crate::state::place::Place;
use crate::state::steps::{self, StepMessage};
use hcube_core::atomic;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::machine::work;
use hcube_core::memory::{Region, bytes_of};

/// The longest block that is sent eagerly inside a node.
pub(crate) const MAX_EAGER_BYTES: usize = 512;

/// A block in the heap of the node that others may copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reference {
    pub place: Place,
    pub bytes: usize,
    /// The image that waits for the answer.
    owner: usize,
}

/// Bytes of a message that holds a reference: fewer than the bytes of any exposed block.
const REFERENCE_BYTES: usize = 32;
const _: () = assert!(REFERENCE_BYTES < MAX_EAGER_BYTES);

impl Reference {
    fn words(self) -> [u64; 4] {
        [self.place.image as u64, self.place.offset as u64, self.bytes as u64, self.owner as u64]
    }

    /// The reference in a message that holds one.
    pub fn of(message: &StepMessage) -> Option<Self> {
        if message.bytes().len() != REFERENCE_BYTES {
            return None;
        }
        let mut words = message.words().map(|word| word as usize);
        let mut next = || words.next();
        let place = Place { image: next()?, offset: next()? };
        Some(Self { place, bytes: next()?, owner: next()? })
    }
}

/// A block that was sent.
#[derive(Debug)]
#[must_use]
pub(crate) struct PendingAnswer {
    /// Who answers to it, if anybody.
    reader: Option<usize>,
    round: usize,
    /// The copy in the heap.
    copy: Option<usize>,
}

impl<C: Comm> Image<C> {
    /// Whether a block for an image is exposed.
    pub(crate) fn exposes_to(&self, to: usize, bytes: usize) -> bool {
        bytes > MAX_EAGER_BYTES && self.memory.is_here(to)
    }

    /// Makes a block readable for the images of this node: where it lies and, if it was copied, the offset of
    /// the copy. Nothing if there is no room. `stays`: the block itself does not change until they have
    /// answered.
    pub(crate) fn expose(&mut self, from: Region<'_>, stays: bool) -> Option<(Reference, Option<usize>)> {
        let (owner, bytes) = (self.comm.rank(), from.len());
        let heap = self.memory.heap();
        if stays
            && let Some((number, offset)) = heap.place(from.address())
            && offset + bytes <= heap.part()
        {
            let place = Place { image: self.memory.node()[number], offset };
            return Some((Reference { place, bytes, owner }, None));
        }
        let offset = self.staging.allocate(heap, bytes)?;
        let copy = self.memory.own(offset, bytes);
        atomic::written(copy.address());
        copy.copy_from(from);
        self.comm.charge(work::COPY.of(bytes));
        Some((Reference { place: Place { image: owner, offset }, bytes, owner }, Some(offset)))
    }

    /// Frees a copy that [`Self::expose`] has made.
    pub(crate) fn free_copy(&mut self, copy: usize) -> Result<()> {
        self.staging.free(self.memory.heap(), copy)
    }

    /// Sends a reference, for whose answer this image waits.
    pub(crate) fn post_reference(
        &mut self,
        members: &Members,
        to: usize,
        round: usize,
        reference: Reference,
    ) {
        let words = Reference { owner: self.comm.rank(), ..reference }.words();
        self.post(to, members.team, members.step(round), true, bytes_of(&words));
    }

    /// Sends a block in a message.
    pub(crate) fn post_block(&mut self, members: &Members, to: usize, round: usize, from: Region<'_>) {
        let head = steps::head(members.team, members.step(round));
        self.memory.send_region(to, Kind::Step as u8, NAMED, &head, from);
        self.memory.hurry();
        self.comm.charge(work::COPY.of(from.len()));
    }

    /// Answers to a reference.
    pub(crate) fn answer(&mut self, members: &Members, round: usize, reference: Reference) {
        self.post(reference.owner, members.team, members.step(round + ANSWER), true, &[]);
    }

    /// Copies what a reference refers to.
    pub(crate) fn copy_lent(&mut self, reference: Reference, into: Region<'_>) -> Result<()> {
        let Reference { place: Place { image, offset }, bytes, .. } = reference;
        let from = self.memory.here(image, offset, bytes);
        let from =
            from.ok_or_else(|| Error::Internal(format!("a block of image {image} on another node")))?;
        atomic::read(from.address());
        from.copy_to(into);
        self.comm.charge(work::COPY.of(bytes));
        Ok(())
    }

    /// Sends a block on its own. See [`Runtime::send_block`].
    fn send_block(
        &mut self,
        members: &Members,
        to: usize,
        round: usize,
        from: Region<'_>,
        stays: bool,
    ) -> PendingAnswer {
        if self.exposes_to(to, from.len())
            && let Some((reference, copy)) = self.expose(from, stays)
        {
            self.post_reference(members, to, round, reference);
            return PendingAnswer { reader: Some(to), round, copy };
        }
        self.post_block(members, to, round, from);
        PendingAnswer { reader: None, round, copy: None }
    }

    /// Takes a block out of the message that holds it or a reference to it.
    fn take_block(
        &mut self,
        members: &Members,
        round: usize,
        message: &StepMessage,
        into: Region<'_>,
    ) -> Result<()> {
        if message.bytes().len() == into.len() {
            into.write(message.bytes());
            self.comm.charge(work::COPY.of(into.len()));
            return Ok(());
        }
        match Reference::of(message) {
            Some(reference) if reference.bytes == into.len() => {
                self.copy_lent(reference, into)?;
                self.answer(members, round, reference);
                Ok(())
            }
            _ => {
                let bytes = message.bytes().len();
                Err(Error::Internal(format!("a message of {bytes} bytes for a block of {}", into.len())))
            }
        }
    }
}

impl<C: Comm> Runtime<C> {
    /// Sends a block to an image, which receives it in the same round; [`Self::settle`] ends it. `stays`: the
    /// block does not change before.
    pub(crate) fn send_block(
        &self,
        members: &Members,
        to: usize,
        round: usize,
        from: Region<'_>,
        stays: bool,
    ) -> Result<PendingAnswer> {
        self.wait_for_room(to)?;
        self.with(|image| Ok(image.send_block(members, to, round, from, stays)))
    }

    /// Waits for a block.
    pub(crate) fn receive_block(
        &self,
        members: &Members,
        from: usize,
        round: usize,
        into: Region<'_>,
    ) -> Result<()> {
        let message = self.receive_step(Some(from), members.team, members.step(round))?;
        self.with(|image| image.take_block(members, round, &message, into))
    }

    /// Waits until what was sent has been copied.
    pub(crate) fn settle(&self, members: &Members, pending: PendingAnswer) -> Result<()> {
        let Some(reader) = pending.reader else { return Ok(()) };
        self.receive_step(Some(reader), members.team, members.step(pending.round + ANSWER))?;
        match pending.copy {
            Some(copy) => self.with(|image| image.free_copy(copy)),
            None => Ok(()),
        }
    }
}
