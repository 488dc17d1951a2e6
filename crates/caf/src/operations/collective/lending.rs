//! How a block gets from one member of a team to another.
//!
//! Idea: a short block, and one for another node, travels in a letter. A longer one for an image of the same
//! node is lent: the letter says where in the node's heap it lies, the receiver copies it from there and
//! answers, and then the sender has it back. A block that is not in the heap, or that must not stay as it is
//! until the answer, is copied to the heap first (`staging`).
//!
//! Restrictions: a block that is lent stays as it is until the answer. Where the heap has no room for a copy,
//! the block travels in a letter. After an error copies stay in the heap, because others may still read them.
//!
//! Cost: two short messages and one copy per byte, or two where the block is not in the heap; in a letter two
//! copies per byte, and a record per 1024 bytes. Source: our own; the answers are those of Jin et al. 2011,
//! §II-E.

use super::members::{ANSWER, Members};
use crate::engine::image::Image;
use crate::engine::runtime::Runtime;
use crate::operations::letters::NAMED;
use crate::state::mail::{self, Letter};
use crate::state::messages::Kind;
use crate::state::place::Place;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::machine::work;
use hcube_core::memory::{Region, bytes_of};

/// The longest block that travels in a letter inside a node.
pub(crate) const MAX_LETTER_BYTES: usize = 512;

/// A block in the heap of the node that others may copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reference {
    pub place: Place,
    pub bytes: usize,
    /// The image that waits for the answer.
    lender: usize,
}

/// Bytes of a letter that holds a reference: fewer than those of any block that is lent.
const REFERENCE_BYTES: usize = 32;
const _: () = assert!(REFERENCE_BYTES < MAX_LETTER_BYTES);

impl Reference {
    fn words(self) -> [u64; 4] {
        [self.place.image as u64, self.place.offset as u64, self.bytes as u64, self.lender as u64]
    }

    /// The reference in a letter that holds one.
    pub fn of(letter: &Letter) -> Option<Self> {
        if letter.bytes().len() != REFERENCE_BYTES {
            return None;
        }
        let mut words = letter.words().map(|word| word as usize);
        let mut next = || words.next();
        let place = Place { image: next()?, offset: next()? };
        Some(Self { place, bytes: next()?, lender: next()? })
    }
}

/// A block that was sent.
#[derive(Debug)]
#[must_use]
pub(crate) struct Loan {
    /// Who answers to it, if anybody.
    reader: Option<usize>,
    round: usize,
    /// The copy in the heap.
    copy: Option<usize>,
}

impl<C: Comm> Image<C> {
    /// Whether a block for an image is lent.
    pub(crate) fn lends_to(&self, to: usize, bytes: usize) -> bool {
        bytes > MAX_LETTER_BYTES && self.memory.is_here(to)
    }

    /// Makes a block readable for the images of this node: where it lies and, if it was copied, the offset of
    /// the copy. Nothing if there is no room. `stays`: the block itself does not change until they have
    /// answered.
    pub(crate) fn lend(&mut self, from: Region<'_>, stays: bool) -> Option<(Reference, Option<usize>)> {
        let (lender, bytes) = (self.comm.rank(), from.len());
        let heap = self.memory.heap();
        if stays
            && let Some((number, offset)) = heap.place(from.address())
            && offset + bytes <= heap.part()
        {
            let place = Place { image: self.memory.node()[number], offset };
            return Some((Reference { place, bytes, lender }, None));
        }
        let offset = self.staging.allocate(heap, bytes)?;
        self.memory.own(offset, bytes).copy_from(from);
        self.comm.charge(work::COPY.of(bytes));
        Some((Reference { place: Place { image: lender, offset }, bytes, lender }, Some(offset)))
    }

    /// Frees a copy that [`Self::lend`] has made.
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
        let words = Reference { lender: self.comm.rank(), ..reference }.words();
        self.post(to, members.team, members.step(round), true, bytes_of(&words));
    }

    /// Sends a block in a letter.
    pub(crate) fn post_block(&mut self, members: &Members, to: usize, round: usize, from: Region<'_>) {
        let head = mail::head(members.team, members.step(round));
        self.memory.send_region(to, Kind::Mail as u8, NAMED, &head, from);
        self.memory.hurry();
        self.comm.charge(work::COPY.of(from.len()));
    }

    /// Answers to a reference.
    pub(crate) fn answer(&mut self, members: &Members, round: usize, reference: Reference) {
        self.post(reference.lender, members.team, members.step(round + ANSWER), true, &[]);
    }

    /// Copies what a reference refers to.
    pub(crate) fn copy_lent(&mut self, reference: Reference, into: Region<'_>) -> Result<()> {
        let Reference { place: Place { image, offset }, bytes, .. } = reference;
        let from = self.memory.here(image, offset, bytes);
        let from =
            from.ok_or_else(|| Error::Internal(format!("a block of image {image} on another node")))?;
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
    ) -> Loan {
        if self.lends_to(to, from.len())
            && let Some((reference, copy)) = self.lend(from, stays)
        {
            self.post_reference(members, to, round, reference);
            return Loan { reader: Some(to), round, copy };
        }
        self.post_block(members, to, round, from);
        Loan { reader: None, round, copy: None }
    }

    /// Takes a block out of the letter in which it, or a reference to it, has come.
    fn take_block(
        &mut self,
        members: &Members,
        round: usize,
        letter: &Letter,
        into: Region<'_>,
    ) -> Result<()> {
        if letter.bytes().len() == into.len() {
            into.write(letter.bytes());
            self.comm.charge(work::COPY.of(into.len()));
            return Ok(());
        }
        match Reference::of(letter) {
            Some(reference) if reference.bytes == into.len() => {
                self.copy_lent(reference, into)?;
                self.answer(members, round, reference);
                Ok(())
            }
            _ => {
                let bytes = letter.bytes().len();
                Err(Error::Internal(format!("a letter of {bytes} bytes for a block of {}", into.len())))
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
    ) -> Result<Loan> {
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
        let letter = self.receive_letter(Some(from), members.team, members.step(round))?;
        self.with(|image| image.take_block(members, round, &letter, into))
    }

    /// Waits until what was sent has been copied.
    pub(crate) fn settle(&self, members: &Members, loan: Loan) -> Result<()> {
        let Some(reader) = loan.reader else { return Ok(()) };
        self.receive_letter(Some(reader), members.team, members.step(loan.round + ANSWER))?;
        match loan.copy {
            Some(copy) => self.with(|image| image.free_copy(copy)),
            None => Ok(()),
        }
    }
}
