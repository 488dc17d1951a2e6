//! Coarrays: memory that every member of a team has, and all members access.
//!
//! Idea: each member allocates its part in its own heap, without asking anybody, and the members agree that all have one. Where
//! all parts have the same offset, as they have in programs whose images allocate alike, every address is known. Otherwise a
//! member is asked for the address of its part at the first access, by an active message, and the answer is kept: a cache of
//! two levels, from the coarray to the image to the address.
//!
//! Restrictions: an allocation waits for the members of its team, for nobody else.
//! Cost: ⌈log2 S⌉ short messages per member for an allocation; a question and an answer per image for a first access to parts
//! that lie at different offsets. Memory: 100 bytes per coarray, and 16 per image that was asked.
//! Source: Jin et al. 2011, §II-C, where both levels are splay trees.

use crate::handles::Handle;
use crate::image::{Image, Kind};
use crate::reduction::Combination;
use crate::runtime::Runtime;
use hcube_core::active::Message;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::{Region, bytes_of};
use hcube_core::onesided::{Atomic, Shape};
use std::collections::HashMap;
use std::ops::Range;

/// What the words of a coarray are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Data of the program.
    Data,
    /// Events.
    Events,
    /// Locks.
    Locks,
}

/// A coarray, seen from a member of its team.
#[derive(Debug)]
pub struct Coarray {
    pub(crate) team: Handle,
    /// The team's identity and the number of the operation that has allocated it.
    id: [u64; 2],
    /// Bytes of each part.
    pub(crate) bytes: usize,
    /// Offset of this member's part.
    pub(crate) offset: usize,
    /// Whether all parts have that offset.
    is_symmetric: bool,
    /// The offsets of other images' parts, where they may differ.
    offsets: HashMap<usize, usize>,
    pub(crate) purpose: Use,
}

/// A place in the heap of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The image: its rank in the job.
    pub image: usize,
    /// The offset in its heap.
    pub offset: usize,
}

/// Coarrays by what other images call them, and questions about addresses.
#[derive(Debug, Default)]
pub(crate) struct Addresses {
    known: HashMap<[u64; 2], usize>,
    /// Answers, by the numbers of their questions.
    answers: HashMap<u64, u64>,
    questions: u64,
}

/// No offset: the coarray was freed.
const NOWHERE: u64 = u64::MAX;

impl Coarray {
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

    /// An error where it is not what the function needs.
    #[inline]
    pub(crate) fn check_use(&self, purpose: Use) -> Result<()> {
        if self.purpose == purpose {
            return Ok(());
        }
        Err(match purpose {
            Use::Data => Error::argument("coarray", "of events or locks", "a coarray of data"),
            Use::Events => Error::argument("event", "no event", "an event of hcube_caf_event_alloc"),
            Use::Locks => Error::argument("lock", "no lock", "a lock of hcube_caf_lock_alloc"),
        })
    }
}

impl<C: Comm> Image<C> {
    /// The place of a range on a member, if nobody has to be asked for it.
    #[inline]
    pub(crate) fn place(
        &self,
        coarray: Handle,
        rank: usize,
        at: usize,
        length: usize,
    ) -> Result<Option<Place>> {
        let coarray = self.coarrays.get(coarray)?;
        let offset = coarray.range(at, length)?.start;
        let Some(image) = self.teams.get(coarray.team)?.known(rank)? else { return Ok(None) };
        if coarray.is_symmetric || image == self.comm.rank() {
            return Ok(Some(Place { image, offset }));
        }
        Ok(coarray.offsets.get(&image).map(|offset| Place { image, offset: offset + at }))
    }

    /// Answers a question about an address.
    pub(crate) fn tell_address(&mut self, message: &Message) {
        let [team, operation] = message.payload.words();
        let offset = self.addresses.known.get(&[team, operation]).map_or(NOWHERE, |&offset| offset as u64);
        self.memory.send(message.from, Kind::AddressIs as u8, message.tag, [bytes_of(&[offset]), &[]]);
    }

    /// Notes the answer to a question.
    pub(crate) fn note_address(&mut self, message: &Message) {
        let [offset] = message.payload.words();
        self.addresses.answers.insert(message.tag, offset);
    }
}

impl<C: Comm> Runtime<C> {
    /// Collective over the team: a coarray with `bytes` bytes on each member; they hold anything.
    ///
    /// # Errors
    /// On all members, where their numbers of bytes differ or one has no memory; for a team that was freed; where an image has
    /// failed.
    pub fn allocate(&self, team: Handle, bytes: usize, purpose: Use) -> Result<Handle> {
        let allocated = self.with(|image| {
            image.teams.get(team)?;
            Ok(i64::try_from(bytes).map_err(|_| Error::argument("bytes", bytes, "less than 2^63")).and_then(
                |_| {
                    let offset = image.memory.heap().allocate(bytes)?;
                    if purpose != Use::Data {
                        image.memory.own(offset, bytes).write(&vec![0; bytes]);
                    }
                    // A part that is found by its offset later than other members know it would be missing.
                    let team = image.teams.get(team)?;
                    image.addresses.known.insert([team.id, team.upcoming()], offset);
                    Ok(offset)
                },
            ))
        })?;
        let (own, offset) = (bytes as i64, allocated.as_ref().map_or(0, |&offset| offset as i64));
        let failed = i64::from(allocated.is_err());
        let id = self.with(|image| image.teams.get(team).map(|team| [team.id, team.upcoming()]))?;
        let [failed, most, least, highest, lowest] =
            self.combine(team, [failed, own, -own, offset, -offset], Combination::Max)?;
        let refused = match allocated {
            Err(error) => Some(error),
            Ok(_) if failed != 0 => Some(Error::Memory("another member of the team has no memory".into())),
            Ok(_) if most != -least => Some(Error::Mismatch { name: "bytes", least: -least, most }),
            Ok(_) => None,
        };
        self.with(|image| {
            if let Some(error) = refused {
                image.addresses.known.remove(&id);
                if failed == 0 {
                    image.memory.heap().free(offset as usize)?;
                }
                return Err(error);
            }
            image.teams.get_mut(team)?.coarrays += 1;
            Ok(image.coarrays.add(Coarray {
                team,
                id,
                bytes,
                offset: offset as usize,
                is_symmetric: highest == -lowest,
                offsets: HashMap::new(),
                purpose,
            }))
        })
    }

    /// Collective over the team of the coarray: frees it, when all members have called it.
    ///
    /// # Errors
    /// For a coarray that was freed; where an image has failed.
    pub fn free(&self, coarray: Handle, purpose: Use) -> Result<()> {
        let team = self.with(|image| {
            let coarray = image.coarrays.get(coarray)?;
            coarray.check_use(purpose)?;
            Ok(coarray.team)
        })?;
        self.barrier(team)?;
        self.with(|image| {
            let coarray = image.coarrays.remove(coarray)?;
            image.addresses.known.remove(&coarray.id);
            image.teams.get_mut(team)?.coarrays -= 1;
            image.memory.heap().free(coarray.offset)
        })
    }

    /// This member's part.
    ///
    /// # Errors
    /// For a coarray that was freed.
    pub fn address(&self, coarray: Handle) -> Result<*mut u8> {
        self.with(|image| {
            let (offset, bytes) =
                image.coarrays.get(coarray).map(|coarray| (coarray.offset, coarray.bytes))?;
            Ok(image.memory.own(offset, bytes).address())
        })
    }

    /// The place of a range of a coarray on a member.
    ///
    /// # Errors
    /// For a coarray that was freed, a range outside of it, a rank that no member has; where an image has failed.
    #[inline]
    pub fn place(&self, coarray: Handle, rank: usize, at: usize, length: usize) -> Result<Place> {
        match self.with(|image| image.place(coarray, rank, at, length))? {
            Some(place) => Ok(place),
            None => self.ask_place(coarray, rank, at, length),
        }
    }

    /// Looks the member up, and asks it for its address where that is not known.
    #[cold]
    fn ask_place(&self, coarray: Handle, rank: usize, at: usize, length: usize) -> Result<Place> {
        let team = self.with(|image| Ok(image.coarrays.get(coarray)?.team))?;
        let to = self.image_of(team, rank)?;
        if let Some(place) = self.with(|image| image.place(coarray, rank, at, length))? {
            return Ok(place);
        }
        let question = self.with(|image| {
            let id = image.coarrays.get(coarray)?.id;
            image.statistics.address_questions += 1;
            image.addresses.questions += 1;
            let question = image.addresses.questions;
            image.memory.send(to, Kind::Address as u8, question, [bytes_of(&id), &[]]);
            Ok(question)
        })?;
        let offset = self.wait(|image| {
            let gone = image.others.check(to);
            match image.addresses.answers.remove(&question) {
                None => gone.map(|()| None),
                answer => Ok(answer),
            }
        })?;
        if offset == NOWHERE {
            return Err(Error::argument(
                "coarray",
                "freed",
                format!("one that image {rank} of the team has"),
            ));
        }
        self.with(|image| {
            image.coarrays.get_mut(coarray)?.offsets.insert(to, offset as usize);
            Ok(Place { image: to, offset: offset as usize + at })
        })
    }

    /// Waits until a message to an image would go out soon; inside a shipped function goes on at once.
    #[inline]
    pub(crate) fn wait_for_room(&self, to: usize) -> Result<()> {
        let has_room = self.with(|image| Ok(image.depth > 0 || image.memory.has_room(to)))?;
        if has_room { Ok(()) } else { self.wait(|image| Ok(image.memory.has_room(to).then_some(()))) }
    }

    /// Writes to a coarray on a member, from `at` on. The bytes are there for others at the next synchronisation.
    ///
    /// # Errors
    /// As [`Self::place`].
    #[inline]
    pub fn put(&self, coarray: Handle, rank: usize, at: usize, from: Region<'_>) -> Result<()> {
        let Place { image: to, offset } = self.place(coarray, rank, at, from.len())?;
        self.wait_for_room(to)?;
        self.with(|image| {
            image.memory.put(&image.comm, to, offset, from);
            Ok(())
        })
    }

    /// Reads from a coarray on a member, from `at` on.
    ///
    /// # Errors
    /// As [`Self::place`].
    #[inline]
    pub fn get(&self, coarray: Handle, rank: usize, at: usize, into: Region<'_>) -> Result<()> {
        let Place { image: from, offset } = self.place(coarray, rank, at, into.len())?;
        let request = self.with(|image| Ok(image.memory.get(&image.comm, from, offset, into)))?;
        self.wait(|image| {
            let gone = image.others.check(from);
            if image.memory.is_read(request, into) { Ok(Some(())) } else { gone.map(|()| None) }
        })
    }

    /// The place of the elements of a shape on a member, from `at` on.
    fn place_of_shape(&self, coarray: Handle, rank: usize, at: usize, shape: &Shape) -> Result<Place> {
        let outside = || {
            let bounds = shape.bounds();
            let given = format!("{}..{} from offset {at} on", bounds.start, bounds.end);
            Error::argument("section", given, "bytes of the coarray")
        };
        let range = shape.range(at).ok_or_else(outside)?;
        let Place { image, offset } =
            self.place(coarray, rank, range.start, range.len()).map_err(|error| match error {
                Error::Argument { name: "offset + bytes", .. } => outside(),
                error => error,
            })?;
        Ok(Place { image, offset: offset + at - range.start })
    }

    /// Writes packed bytes to the elements of a shape of a coarray on a member, from `at` on.
    ///
    /// # Errors
    /// As [`Self::place`].
    pub fn put_shape(
        &self,
        coarray: Handle,
        rank: usize,
        at: usize,
        shape: &Shape,
        from: Region<'_>,
    ) -> Result<()> {
        let Place { image: to, offset } = self.place_of_shape(coarray, rank, at, shape)?;
        self.wait_for_room(to)?;
        self.with(|image| {
            image.memory.put_shape(&image.comm, to, offset, shape, from);
            Ok(())
        })
    }

    /// Reads the elements of a shape of a coarray on a member into packed bytes, from `at` on.
    ///
    /// # Errors
    /// As [`Self::place`].
    pub fn get_shape(
        &self,
        coarray: Handle,
        rank: usize,
        at: usize,
        shape: &Shape,
        into: Region<'_>,
    ) -> Result<()> {
        let Place { image: from, offset } = self.place_of_shape(coarray, rank, at, shape)?;
        let request =
            self.with(|image| Ok(image.memory.get_shape(&image.comm, from, offset, shape, into)))?;
        self.wait(|image| {
            let gone = image.others.check(from);
            if image.memory.is_read(request, into) { Ok(Some(())) } else { gone.map(|()| None) }
        })
    }

    /// An atomic operation on a word of a coarray on a member, at `at`: what it was before.
    ///
    /// # Errors
    /// As [`Self::place`], and for a word that does not begin at a multiple of 8 bytes.
    pub fn atomic(
        &self,
        coarray: Handle,
        rank: usize,
        at: usize,
        operation: Atomic,
        operand: u64,
    ) -> Result<u64> {
        if !at.is_multiple_of(size_of::<u64>()) {
            return Err(Error::argument("offset", at, "a multiple of 8"));
        }
        let place = self.place(coarray, rank, at, size_of::<u64>())?;
        self.atomic_at(place, operation, operand)
    }

    /// As [`Self::atomic`], at a place.
    pub(crate) fn atomic_at(&self, place: Place, operation: Atomic, operand: u64) -> Result<u64> {
        let Place { image: to, offset } = place;
        let request = self.with(|image| Ok(image.memory.atomic(to, offset, operation, operand)))?;
        self.wait(|image| {
            let gone = image.others.check(to);
            match image.memory.is_finished(request) {
                None => gone.map(|()| None),
                value => Ok(value),
            }
        })
    }
}
