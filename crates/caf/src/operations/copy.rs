//! Asynchronous copies: they begin when an event has been notified, and notify another event when they are
//! complete.
//!
//! Idea: a state machine per copy. It waits for its predicate; a predicate on another image is waited for
//! there, and the notification forwarded. Then it performs a put or a get, or both through this image if
//! neither side is on this image. Finally it notifies its event, when the data is visible at the destination:
//! directly after the data if the event is on that image, otherwise after a reply.
//!
//! Cost: a put or a get and a notification; a message and a reply for a predicate on another image.
//! Source: Jin et al. 2011, §II-E and Figures 6 and 7.

use crate::engine::image::Image;
use crate::engine::runtime::Runtime;
use crate::operations::copointer::Copointer;
use crate::operations::event::{EventAt, field};
use crate::state::finish::Scope;
use crate::state::handles::Handle;
use crate::state::messages::Kind;
use crate::state::pending::Operation;
use crate::state::place::Place;
use hcube_core::active::Message;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::{Region, bytes_of};
use hcube_core::onesided::Request;

/// One side of a copy.
#[derive(Debug, Clone, Copy)]
pub enum Side {
    /// A coarray on a member of its team, from an offset on.
    Coarray(Handle, usize, usize),
    /// Where a copointer leads, from an offset on.
    Copointer(Copointer, usize),
    /// Memory of this image, until the copy is locally complete.
    Memory(Region<'static>),
}

/// A side whose image is known.
#[derive(Debug, Clone, Copy)]
enum End {
    Heap(Place),
    Memory(Region<'static>),
}

#[derive(Debug)]
enum State {
    /// It waits for a notification of an event of this image.
    Predicate(usize),
    /// It waits until another image has consumed a notification, by the number of the request.
    RemotePredicate(u64),
    Ready,
    /// It reads to memory of this image.
    Reading(Request),
    /// It reads what is to be written elsewhere.
    Fetching(Request, Vec<u8>),
    /// The data was sent.
    Written,
}

/// A pending copy.
#[derive(Debug)]
struct Copy {
    destination: End,
    source: End,
    bytes: usize,
    done: Option<Place>,
    state: State,
}

impl<C: Comm> Operation<Image<C>> for Copy {
    fn advance(&mut self, image: &mut Image<C>) -> Result<bool> {
        loop {
            self.state = match &mut self.state {
                State::Predicate(offset) if image.take_notice_at(*offset) => State::Ready,
                State::RemotePredicate(number) if image.notices.is_taken(*number) => State::Ready,
                State::Predicate(_) | State::RemotePredicate(_) => return Ok(false),
                State::Ready => image.transfer(self),
                State::Reading(request) => {
                    let End::Memory(into) = self.destination else { unreachable!("read to memory") };
                    if !image.memory.is_read(*request, into) {
                        return Ok(false);
                    }
                    State::Written
                }
                State::Fetching(request, bytes) => {
                    let fetched = Region::of(bytes);
                    if !image.memory.is_read(*request, fetched) {
                        return Ok(false);
                    }
                    let End::Heap(to) = self.destination else { unreachable!("fetched for another image") };
                    image.memory.put(&image.comm, to.image, to.offset, fetched);
                    State::Written
                }
                State::Written => return Ok(image.end_copy(self)),
            };
        }
    }

    fn uses_memory(&self) -> bool {
        !matches!(self.state, State::Written)
    }
}

/// Another image waits for a notification of an event of this one.
struct Notice {
    offset: usize,
    for_image: usize,
    /// The number of its question.
    number: u64,
}

impl<C: Comm> Operation<Image<C>> for Notice {
    fn advance(&mut self, image: &mut Image<C>) -> Result<bool> {
        let is_taken = image.take_notice_at(self.offset);
        if is_taken {
            let words = bytes_of(&[TAKEN, 0]);
            image.memory.send(self.for_image, Kind::Copy as u8, self.number, [words, &[]]);
            image.memory.hurry();
        }
        Ok(is_taken)
    }

    fn is_of_another_image(&self) -> bool {
        true
    }
}

/// The contents of a message about copies.
const WANTED: u64 = 0;
const TAKEN: u64 = 1;

/// Another image waits for a notification for this one, or has consumed one for this one.
pub(crate) fn take_message<C: Comm>(image: &mut Image<C>, message: Message) -> Result<bool> {
    let (from, number) = (message.from, message.tag);
    match message.payload.words() {
        [WANTED, offset] => {
            let offset = usize::try_from(offset).expect("an offset");
            image.pending.add(Scope::PROGRAM, Notice { offset, for_image: from, number });
        }
        [..] => return Ok(image.notices.note_taken(number)),
    }
    Ok(true)
}

impl<C: Comm> Image<C> {
    /// Starts a copy.
    fn start_copy(&mut self, mut copy: Copy, predicate: Option<Place>) -> Result<()> {
        copy.state = match predicate {
            None => State::Ready,
            Some(Place { image, offset }) if image == self.comm.rank() => State::Predicate(offset),
            Some(Place { image, offset }) => {
                let number = self.notices.ask();
                let words = [WANTED, offset as u64];
                self.memory.send(image, Kind::Copy as u8, number, [bytes_of(&words), &[]]);
                self.memory.hurry();
                State::RemotePredicate(number)
            }
        };
        if !copy.advance(self)? {
            self.pending.add(self.finishes.scope(), copy);
        }
        Ok(())
    }

    /// Moves the data, or starts to.
    fn transfer(&mut self, copy: &Copy) -> State {
        let bytes = copy.bytes;
        match (copy.source, copy.destination) {
            (End::Memory(from), End::Memory(into)) => from.copy_to(into),
            (End::Memory(from), End::Heap(to)) => self.memory.put(&self.comm, to.image, to.offset, from),
            (End::Heap(from), End::Memory(into)) => {
                return State::Reading(self.memory.get(&self.comm, from.image, from.offset, into));
            }
            (End::Heap(from), End::Heap(to)) => {
                let places = [from, to].map(|place| (place.image, place.offset));
                if !self.memory.forward(&self.comm, places[0], places[1], bytes) {
                    let mut buffer = vec![0; bytes];
                    let into = Region::of(&mut buffer);
                    let request = self.memory.get(&self.comm, from.image, from.offset, into);
                    return State::Fetching(request, buffer);
                }
            }
        }
        State::Written
    }

    /// Notifies the event, if the data is visible to the image that waits for it. Returns whether it was
    /// notified.
    fn end_copy(&mut self, copy: &Copy) -> bool {
        let Some(done) = copy.done else { return true };
        let next = match copy.destination {
            End::Heap(to) if to.image == done.image => Some(done.image),
            _ => None,
        };
        if next.is_none() && !self.memory.is_made(next) {
            return false;
        }
        self.memory.notify(done.image, done.offset, 1);
        true
    }
}

impl<C: Comm> Runtime<C> {
    fn end_of(&self, side: Side, bytes: usize) -> Result<End> {
        Ok(match side {
            Side::Memory(region) if region.len() != bytes => {
                return Err(Error::Internal(format!("a region of {} bytes for {bytes}", region.len())));
            }
            Side::Memory(region) => End::Memory(region),
            Side::Coarray(coarray, rank, at) => End::Heap(self.place_of_data(coarray, rank, at, bytes)?),
            Side::Copointer(copointer, at) => End::Heap(self.place_of_copointer(copointer, at, bytes)?),
        })
    }

    /// Starts a copy of `bytes` bytes, when the event `predicate` has been notified, and notifies the event
    /// `done` when the data can be seen at its destination. Both events may be on any image.
    ///
    /// # Errors
    /// As [`Self::place`], for both sides and both events; nothing is copied then.
    pub fn copy_async(
        &self,
        destination: Side,
        source: Side,
        bytes: usize,
        done: Option<EventAt>,
        predicate: Option<EventAt>,
    ) -> Result<()> {
        let end_of = |name, side| self.end_of(side, bytes).map_err(|error| field(name, error));
        let (destination, source) = (end_of("destination", destination)?, end_of("source", source)?);
        let done = self.place_of_optional("done", done)?;
        let predicate = self.place_of_optional("predicate", predicate)?;
        if let End::Heap(Place { image, .. }) = destination {
            self.wait_for_room(image)?;
        }
        let copy = Copy { destination, source, bytes, done, state: State::Ready };
        self.with(|image| image.start_copy(copy, predicate))
    }

    /// Waits until no copy that this image has started uses memory of the program any more: sources may be
    /// overwritten, and what was copied to this image's own memory is there.
    ///
    /// # Errors
    /// Where an image has failed.
    pub fn cofence(&self) -> Result<()> {
        self.wait(|image| {
            image.pending.check()?;
            Ok(image.pending.are_locally_complete().then_some(()))
        })
    }
}
