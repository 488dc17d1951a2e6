//! Coarrays, as seen by one of their members.
//!
//! Idea: see [`crate::operations::allocation`]. The offsets of the parts of other images are cached in two
//! levels, from the coarray to the image to the address.

use crate::state::handles::{Handle, Table};
use crate::state::messages::Kind;
use crate::state::place::Place;
use crate::state::team::teams::Teams;
use hcube_core::active::Message;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::bytes_of;
use hcube_core::onesided::Onesided;
use std::collections::HashMap;
use std::ops::Range;

/// The use of the words of a coarray.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Data of the program.
    Data,
    /// Events.
    Events,
    /// Locks.
    Locks,
}

impl std::fmt::Display for Use {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Data => "bytes",
            Self::Events => "events",
            Self::Locks => "locks",
        })
    }
}

/// A coarray, seen from a member of its team.
#[derive(Debug)]
pub struct Coarray {
    team: Handle,
    /// The team's identity and the number of the operation that has allocated it.
    id: [u64; 2],
    /// Bytes of each part.
    bytes: usize,
    /// Offset of this member's part.
    offset: usize,
    /// Whether all parts have that offset.
    is_symmetric: bool,
    /// Members whose image and offset are known without a lookup: either all members or none.
    direct: usize,
    /// The offsets of other images' parts, if they may differ.
    offsets: HashMap<usize, usize>,
    purpose: Use,
}

/// The agreement of the members of a team on a coarray that they have allocated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allocation {
    pub team: Handle,
    /// The team's identity and the number of the operation.
    pub id: [u64; 2],
    pub bytes: usize,
    /// Offset of this member's part, and whether all parts have it.
    pub offset: usize,
    pub is_symmetric: bool,
    pub purpose: Use,
}

/// The coarrays of an image.
#[derive(Debug)]
pub(crate) struct Coarrays {
    table: Table<Coarray>,
    /// Offsets of parts by what other images call their coarrays.
    own: HashMap<[u64; 2], usize>,
    /// Answers, by the numbers of their questions.
    answers: HashMap<u64, u64>,
    questions: u64,
}

/// No offset: the coarray was freed.
const NOWHERE: u64 = u64::MAX;

impl Coarray {
    /// The team whose members have it.
    pub(crate) fn team(&self) -> Handle {
        self.team
    }

    /// The name by which other images refer to it.
    pub(crate) fn id(&self) -> [u64; 2] {
        self.id
    }

    /// Bytes of each part.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Offset of this member's part.
    #[inline]
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// The offset of a range on a member of the team of all images, if its image and offset are known without
    /// a lookup. `None` in all unusual or erroneous cases.
    #[inline(always)]
    pub(crate) fn direct_offset(&self, rank: usize, at: usize, length: usize) -> Option<usize> {
        let is_inside = at.checked_add(length).is_some_and(|end| end <= self.bytes);
        (rank < self.direct && is_inside).then(|| self.offset + at)
    }

    /// A range of a part, if it is inside.
    #[inline]
    pub(crate) fn range(&self, at: usize, length: usize) -> Result<Range<usize>> {
        match at.checked_add(length) {
            Some(end) if end <= self.bytes => Ok(self.offset + at..self.offset + end),
            _ => Err(self.outside(at, length)),
        }
    }

    #[cold]
    fn outside(&self, at: usize, length: usize) -> Error {
        let given = format!("{} (offset = {at}, bytes = {length})", at as u128 + length as u128);
        Error::argument("offset + bytes", given, format!("at most {}, the bytes of the coarray", self.bytes))
    }
}

impl Use {
    /// The error for a handle of something else.
    #[cold]
    fn other(self) -> Error {
        match self {
            Self::Data => Error::argument("coarray", "of events or locks", "a coarray of data"),
            Self::Events => {
                Error::argument("events", "a coarray or locks", "events of hcube_caf_event_alloc")
            }
            Self::Locks => Error::argument("locks", "a coarray or events", "locks of hcube_caf_lock_alloc"),
        }
    }

    /// The error for a handle that was never given or was freed.
    #[cold]
    fn unknown(self, handle: Handle) -> Error {
        let (name, expected) = match self {
            Self::Data => ("coarray", "a coarray that was not freed"),
            Self::Events => ("events", "events that were not freed"),
            Self::Locks => ("locks", "locks that were not freed"),
        };
        Error::argument(name, format_args!("{:#x}", handle.number()), expected)
    }
}

impl Default for Coarrays {
    fn default() -> Self {
        let table = Table::new("coarray", "a coarray that was not freed");
        Self { table, own: HashMap::new(), answers: HashMap::new(), questions: 0 }
    }
}

impl Coarrays {
    /// A coarray, if there is one.
    #[inline(always)]
    pub fn find(&self, handle: Handle) -> Option<&Coarray> {
        self.table.find(handle)
    }

    /// A coarray.
    ///
    /// # Errors
    /// [`Error::Argument`] for a handle that was never given or was freed.
    #[inline]
    pub fn get(&self, handle: Handle) -> Result<&Coarray> {
        self.table.get(handle)
    }

    /// A coarray that is used for this.
    ///
    /// # Errors
    /// [`Error::Argument`], with the name that the handle has in functions for this use.
    #[inline]
    pub fn get_for(&self, handle: Handle, purpose: Use) -> Result<&Coarray> {
        match self.table.find(handle) {
            Some(coarray) if coarray.purpose == purpose => Ok(coarray),
            Some(_) => Err(purpose.other()),
            None => Err(purpose.unknown(handle)),
        }
    }

    /// This image has a part of a coarray that the members of a team are allocating: others may request its
    /// address.
    pub fn begin(&mut self, id: [u64; 2], offset: usize) {
        self.own.insert(id, offset);
    }

    /// The coarray is not allocated.
    pub fn give_up(&mut self, id: [u64; 2]) {
        self.own.remove(&id);
    }

    /// All members have their parts. `world`: the number of members, if they are all images.
    pub fn add(&mut self, allocation: Allocation, world: Option<usize>) -> Handle {
        let Allocation { team, id, bytes, offset, is_symmetric, purpose } = allocation;
        let is_direct = is_symmetric && purpose == Use::Data;
        let direct = world.filter(|_| is_direct).unwrap_or(0);
        let offsets = HashMap::new();
        self.table.add(Coarray { team, id, bytes, offset, is_symmetric, direct, offsets, purpose })
    }

    /// Takes a coarray away: the offset of this image's part.
    ///
    /// # Errors
    /// For a coarray that was freed.
    pub fn remove(&mut self, handle: Handle) -> Result<usize> {
        let coarray = self.table.remove(handle)?;
        self.own.remove(&coarray.id);
        Ok(coarray.offset)
    }

    /// Coarrays that live in a team.
    pub fn count(&self, team: Handle) -> usize {
        self.table.iter().filter(|coarray| coarray.team == team).count()
    }

    /// The location of a range on a member, if it is known without a request. `own`: this image.
    #[inline]
    pub fn place(
        &self,
        handle: Handle,
        (rank, own): (usize, usize),
        (at, length): (usize, usize),
        teams: &Teams,
    ) -> Result<Option<Place>> {
        let coarray = self.table.get(handle)?;
        let offset = coarray.range(at, length)?.start;
        let Some(image) = teams.get(coarray.team)?.known(rank)? else { return Ok(None) };
        if coarray.is_symmetric || image == own {
            return Ok(Some(Place { image, offset }));
        }
        Ok(coarray.offsets.get(&image).map(|offset| Place { image, offset: offset + at }))
    }

    /// The number of the next question about an address.
    pub fn next_question(&mut self) -> u64 {
        self.questions += 1;
        self.questions
    }

    /// Answers a question.
    pub fn answer<C: Comm>(&self, message: &Message, memory: &mut Onesided<C>) {
        let [team, operation] = message.payload.words();
        let offset = self.own.get(&[team, operation]).map_or(NOWHERE, |&offset| offset as u64);
        memory.send(message.from, Kind::AddressIs as u8, message.tag, [bytes_of(&[offset]), &[]]);
        memory.hurry();
    }

    /// Notes the answer to a question.
    pub fn note_answer(&mut self, message: &Message) {
        let [offset] = message.payload.words();
        self.answers.insert(message.tag, offset);
    }

    /// The answer to a question, if it has come: an offset, or none where the coarray was freed.
    pub fn take_answer(&mut self, question: u64) -> Option<Option<usize>> {
        let answer = self.answers.remove(&question)?;
        Some((answer != NOWHERE).then_some(answer as usize))
    }

    /// Keeps the offset of another image's part.
    ///
    /// # Errors
    /// For a coarray that was freed.
    pub fn keep_offset(&mut self, handle: Handle, image: usize, offset: usize) -> Result<()> {
        self.table.get_mut(handle)?.offsets.insert(image, offset);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::place::IMAGE_BITS;
    use hcube_testing::sizes::{sizes, sizes_within};
    use proptest::prelude::*;

    /// More than the part of an image in the heap.
    const MOST: usize = (1 << (u64::BITS - IMAGE_BITS)) - 1;

    proptest! {
        #[test]
        fn ranges_of_any_size_are_exact_or_refused(
            [bytes, offset] in [sizes_within(0, MOST), sizes_within(0, MOST)], [at, length] in [sizes(), sizes()],
            rank in 0..4_usize,
        ) {
            let mut coarrays = Coarrays::default();
            let (id, team) = ([1, 2], Handle::from_number(3));
            let allocation = Allocation { team, id, bytes, offset, is_symmetric: true, purpose: Use::Data };
            let handle = coarrays.add(allocation, Some(2));
            let coarray = coarrays.get(handle).expect("it was just added");
            let end = at as u128 + length as u128;
            let inside = (end <= bytes as u128).then(|| offset + at..offset + end as usize);
            prop_assert_eq!(coarray.range(at, length).ok(), inside.clone());
            let first = inside.filter(|_| rank < 2).map(|range| range.start);
            prop_assert_eq!(coarray.direct_offset(rank, at, length), first);
        }

        #[test]
        fn places_of_any_size_are_named_by_words(image in sizes_within(0, (1 << IMAGE_BITS) - 1), offset in sizes_within(0, MOST)) {
            let place = Place { image, offset };
            prop_assert_eq!(Place::of(place.word()), place);
        }
    }
}
