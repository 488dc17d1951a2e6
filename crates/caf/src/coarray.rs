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

use crate::collective::agreement::refusal;
use crate::finish::refuse_inside;
use crate::handles::Handle;
use crate::image::{Image, Kind};
use crate::reduction::Combination;
use crate::runtime::Runtime;
use hcube_core::active::Message;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::{Region, bytes_of};
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
    pub(crate) team: Handle,
    /// The team's identity and the number of the operation that has allocated it.
    id: [u64; 2],
    /// Bytes of each part.
    pub(crate) bytes: usize,
    /// Offset of this member's part.
    pub(crate) offset: usize,
    /// Whether all parts have that offset.
    is_symmetric: bool,
    /// Members whose image and offset are known without a look at anything else: all or none.
    direct: usize,
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

/// Bits of an image in the word of a place: 16 million images; the others hold the offset, 1 TiB.
pub(crate) const IMAGE_BITS: u32 = 24;

impl Place {
    /// The place in a word, which other images can read.
    #[inline]
    pub(crate) const fn word(self) -> u64 {
        debug_assert!(self.image < 1 << IMAGE_BITS && self.offset < 1 << (u64::BITS - IMAGE_BITS));
        self.image as u64 | (self.offset as u64) << IMAGE_BITS
    }

    /// The place that a word names.
    #[inline]
    pub(crate) const fn of(word: u64) -> Self {
        Self { image: (word & ((1 << IMAGE_BITS) - 1)) as usize, offset: (word >> IMAGE_BITS) as usize }
    }
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

impl<C: Comm> Image<C> {
    /// A coarray that is used for this.
    ///
    /// # Errors
    /// [`Error::Argument`], with the name that the handle has in functions for this use.
    #[inline]
    pub(crate) fn coarray_for(&self, handle: Handle, purpose: Use) -> Result<&Coarray> {
        match self.coarrays.find(handle) {
            Some(coarray) if coarray.purpose == purpose => Ok(coarray),
            Some(_) => Err(purpose.other()),
            None => Err(purpose.unknown(handle)),
        }
    }

    /// The memory of a range on a member of the team of all images, if it is on this node: what most accesses need. Nothing
    /// where anything is unusual or wrong.
    #[inline(always)]
    pub(crate) fn reach(&self, coarray: Handle, rank: usize, at: usize, length: usize) -> Option<Region<'_>> {
        let coarray = self.coarrays.find(coarray)?;
        let is_inside = at.checked_add(length).is_some_and(|end| end <= coarray.bytes);
        if rank >= coarray.direct || !is_inside || self.others.check_own().is_err() {
            return None;
        }
        self.memory.here(rank, coarray.offset + at, length)
    }

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
        self.memory.hurry();
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
    /// On all members, where their numbers of bytes differ or one has no memory; for a team that was freed, and in a shipped
    /// function; where an image has failed.
    pub fn allocate(&self, team: Handle, bytes: usize, purpose: Use) -> Result<Handle> {
        let allocated = self.with(|image| {
            refuse_inside(image.depth, "is collective")?;
            if image.teams.get(team)?.size() > 1 {
                // Members could not agree. Memory for which they have begun to is lost where one fails meanwhile: another
                // member may have the coarray, and write to it.
                image.others.check_any()?;
            }
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
        let own = i64::try_from(bytes).unwrap_or(i64::MAX);
        let (offset, failed) = allocated.as_ref().map_or((0, 1), |&offset| (offset as i64, 0));
        let id = self.with(|image| image.teams.get(team).map(|team| [team.id, team.upcoming()]))?;
        let [failed, most, least, highest, lowest] =
            self.combine(team, [failed, own, -own, offset, -offset], Combination::Max)?;
        let has_part = allocated.is_ok();
        let refused = match allocated {
            Err(error) => Some(error),
            Ok(_) if failed == 1 => Some(Error::Memory("another member of the team has no memory".into())),
            Ok(_) if failed != 0 => Some(refusal(failed)),
            Ok(_) if most != -least => Some(Error::Mismatch { name: "bytes", least: -least, most }),
            Ok(_) => None,
        };
        self.with(|image| {
            if let Some(error) = refused {
                image.addresses.known.remove(&id);
                // All members know of an error of one of them; nobody uses the others' parts then.
                if failed <= 1 && has_part {
                    image.memory.heap().free(offset as usize)?;
                }
                return Err(error);
            }
            image.teams.get_mut(team)?.coarrays += 1;
            let is_symmetric = highest == -lowest;
            let is_direct = is_symmetric && purpose == Use::Data;
            let direct = image.teams.get(team)?.size_of_world().filter(|_| is_direct).unwrap_or(0);
            Ok(image.coarrays.add(Coarray {
                team,
                id,
                bytes,
                offset: offset as usize,
                is_symmetric,
                direct,
                offsets: HashMap::new(),
                purpose,
            }))
        })
    }

    /// Collective over the team of the coarray: frees it, when all members have called it.
    ///
    /// # Errors
    /// For a coarray that was freed, and in a shipped function; on all members, for locks that one of them holds; where an image
    /// has failed.
    pub fn free(&self, coarray: Handle, purpose: Use) -> Result<()> {
        let team = self.with(|image| {
            refuse_inside(image.depth, "is collective")?;
            image.coarray_for(coarray, purpose).map(|coarray| coarray.team)
        })?;
        if purpose == Use::Locks {
            self.agree_unlocked(team, coarray)?;
        }
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
    /// For a coarray that was freed, for events and for locks.
    pub fn address(&self, coarray: Handle) -> Result<*mut u8> {
        self.own_part(coarray).map(|(address, _)| address)
    }

    /// This member's part: its address and its bytes.
    ///
    /// # Errors
    /// As [`address`](Self::address).
    pub fn own_part(&self, coarray: Handle) -> Result<(*mut u8, usize)> {
        self.with(|image| {
            let coarray = image.coarray_for(coarray, Use::Data)?;
            Ok((image.memory.own(coarray.offset, coarray.bytes).address(), coarray.bytes))
        })
    }

    /// Writes to this member's part, from `at` on.
    ///
    /// # Errors
    /// For a coarray that was freed, for events and for locks; for a range outside of it.
    pub fn write_own(&self, coarray: Handle, at: usize, bytes: &[u8]) -> Result<()> {
        self.with(|image| {
            let start = image.coarray_for(coarray, Use::Data)?.range(at, bytes.len())?.start;
            image.memory.own(start, bytes.len()).write(bytes);
            Ok(())
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

    /// As [`Self::place`], of a coarray with data of the program.
    #[inline]
    pub(crate) fn place_of_data(
        &self,
        coarray: Handle,
        rank: usize,
        at: usize,
        length: usize,
    ) -> Result<Place> {
        self.with(|image| image.coarray_for(coarray, Use::Data).map(drop))?;
        self.place(coarray, rank, at, length)
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
        let offset = self.wait_for_image(to, |image| Ok(image.addresses.answers.remove(&question)))?;
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
}
