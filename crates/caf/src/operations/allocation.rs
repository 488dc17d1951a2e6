//! Coarrays: memory on every member of a team that all members access.
//!
//! Idea: each member allocates its part in its own heap without communication, then the members agree that
//! all allocations succeeded. If all parts have the same offset, as in programs whose images allocate in the
//! same order, every address is known. Otherwise the address of a member's part is requested at the first
//! access by an active message and cached, in two levels: from the coarray to the image to the address.
//!
//! Restrictions: an allocation waits for the members of its team, and for no other image.
//! Cost: ⌈log2 S⌉ short messages per member for an allocation; a request and a reply per image for the first
//! access to parts at different offsets. Memory: 100 bytes per coarray, and 16 bytes per image whose address
//! was requested.
//! Source: Jin et al. 2011, §II-C, with splay trees for both levels.

use crate::engine::runtime::Runtime;
use crate::operations::collective::agreement::refusal;
use crate::operations::reduction::Combination;
use crate::state::coarray::{Allocation, Use};
use crate::state::handles::Handle;
use crate::state::messages::Kind;
use crate::state::place::Place;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::bytes_of;

impl<C: Comm> Runtime<C> {
    /// Collective over the team: a coarray with `bytes` bytes on each member; they hold anything.
    ///
    /// # Errors
    /// On all members, if their numbers of bytes differ or one has no memory; for a team that was freed, and
    /// in a shipped function; if an image has failed.
    pub fn allocate(&self, team: Handle, bytes: usize, purpose: Use) -> Result<Handle> {
        let allocated = self.with(|image| {
            image.shipped.refuse_inside("collective functions")?;
            if image.teams.get(team)?.size() > 1 {
                // Members could not agree. Memory for which they have begun to is lost if one fails
                // meanwhile: another member may have the coarray, and write to it.
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
                    image.coarrays.begin([team.identity(), team.upcoming()], offset);
                    Ok(offset)
                },
            ))
        })?;
        let own = i64::try_from(bytes).unwrap_or(i64::MAX);
        let (offset, failed) = allocated.as_ref().map_or((0, 1), |&offset| (offset as i64, 0));
        let id = self.with(|image| image.teams.get(team).map(|team| [team.identity(), team.upcoming()]))?;
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
                image.coarrays.give_up(id);
                // All members know of an error of one of them; no member uses the others' parts then.
                if failed <= 1 && has_part {
                    image.memory.heap().free(offset as usize)?;
                }
                return Err(error);
            }
            let (offset, is_symmetric) = (offset as usize, highest == -lowest);
            let allocation = Allocation { team, id, bytes, offset, is_symmetric, purpose };
            Ok(image.coarrays.add(allocation, image.teams.get(team)?.size_of_world()))
        })
    }

    /// Collective over the team of the coarray: frees it, when all members have called it.
    ///
    /// # Errors
    /// For a coarray that was freed, and in a shipped function; on all members, for locks that one of them
    /// holds; if an image has failed.
    pub fn free(&self, coarray: Handle, purpose: Use) -> Result<()> {
        let team = self.with(|image| {
            image.shipped.refuse_inside("collective functions")?;
            Ok(image.coarrays.get_for(coarray, purpose)?.team())
        })?;
        if purpose == Use::Locks {
            self.agree_unlocked(team, coarray)?;
        }
        self.barrier(team)?;
        self.with(|image| {
            let offset = image.coarrays.remove(coarray)?;
            image.memory.heap().free(offset)
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
            let coarray = image.coarrays.get_for(coarray, Use::Data)?;
            Ok((image.memory.own(coarray.offset(), coarray.bytes()).address(), coarray.bytes()))
        })
    }

    /// Writes to this member's part, from `at` on.
    ///
    /// # Errors
    /// For a coarray that was freed, for events and for locks; for a range outside of it.
    pub fn write_own(&self, coarray: Handle, at: usize, bytes: &[u8]) -> Result<()> {
        self.with(|image| {
            let start = image.coarrays.get_for(coarray, Use::Data)?.range(at, bytes.len())?.start;
            image.memory.own(start, bytes.len()).write(bytes);
            Ok(())
        })
    }

    /// The place of a range of a coarray on a member.
    ///
    /// # Errors
    /// For a coarray that was freed, a range outside of it, a rank that no member has; if an image has
    /// failed.
    #[inline]
    pub fn place(&self, coarray: Handle, rank: usize, at: usize, length: usize) -> Result<Place> {
        match self.with(|image| {
            image.coarrays.place(coarray, (rank, image.comm.rank()), (at, length), &image.teams)
        })? {
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
        self.with(|image| image.coarrays.get_for(coarray, Use::Data).map(drop))?;
        self.place(coarray, rank, at, length)
    }

    /// Looks up the member, and asks it for its address if this address is not known.
    #[cold]
    fn ask_place(&self, coarray: Handle, rank: usize, at: usize, length: usize) -> Result<Place> {
        let team = self.with(|image| Ok(image.coarrays.get(coarray)?.team()))?;
        let to = self.image_of(team, rank)?;
        if let Some(place) = self.with(|image| {
            image.coarrays.place(coarray, (rank, image.comm.rank()), (at, length), &image.teams)
        })? {
            return Ok(place);
        }
        let question = self.with(|image| {
            let id = image.coarrays.get(coarray)?.id();
            image.statistics.address_questions += 1;
            let question = image.coarrays.next_question();
            image.memory.send(to, Kind::Address as u8, question, [bytes_of(&id), &[]]);
            Ok(question)
        })?;
        let offset = self.wait_for_image(to, |image| Ok(image.coarrays.take_answer(question)))?;
        let Some(offset) = offset else {
            let expected = format!("one that image {rank} of the team has");
            return Err(Error::argument("coarray", "freed", expected));
        };
        self.with(|image| {
            image.coarrays.keep_offset(coarray, to, offset)?;
            Ok(Place { image: to, offset: offset + at })
        })
    }

    /// Collective over the team: an error on all members, if one of them has one of these locks.
    fn agree_unlocked(&self, team: Handle, locks: Handle) -> Result<()> {
        let is_used = self.with(|image| Ok(image.locks.uses(locks)))?;
        let [any] = self.combine(team, [i64::from(is_used)], Combination::Max)?;
        if any == 0 {
            return Ok(());
        }
        let who = if is_used { "this image" } else { "another image" };
        let given = format!("{:#x}, of which {who} has one", locks.number());
        Err(Error::argument("locks", given, "locks that no image has"))
    }
}
