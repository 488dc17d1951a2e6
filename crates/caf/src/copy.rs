//! Asynchronous copies: they begin when an event has been notified, and notify another one when the data is there.
//!
//! Idea: a state machine per copy. It waits for the notice of its predicate; an event of another image is waited for there, and
//! the notice passed on. Then it puts or gets, or both by way of this image where neither side is here. Last it notifies the
//! event, when the data can be seen at the destination: right behind the data where the event is on that image, after an
//! answer elsewhere.
//!
//! Cost: that of a put or a get and of a notice; a message and an answer for a predicate on another image.
//! Source: Jin et al. 2011, §II-E and Figures 6 and 7.

use crate::coarray::{Place, Use};
use crate::copointer::Copointer;
use crate::finish::{Scope, refuse_inside};
use crate::handles::Handle;
use crate::image::{Image, Kind};
use crate::operation::Operation;
use crate::runtime::Runtime;
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

/// The error for a structure that is an argument of a function: it names the field of the structure.
pub fn field(structure: &'static str, error: Error) -> Error {
    /// The names of the fields of structures.
    macro_rules! names {
        ($name:expr, $($structure:literal),*) => {
            match structure {
                $($structure => match $name {
                    "coarray" => concat!($structure, ".coarray"),
                    "copointer" => concat!($structure, ".copointer"),
                    "events" => concat!($structure, ".events"),
                    "image" => concat!($structure, ".image"),
                    "index" => concat!($structure, ".index"),
                    "offset" => concat!($structure, ".offset"),
                    "offset + bytes" => concat!($structure, ".offset + bytes"),
                    "reserved" => concat!($structure, ".reserved"),
                    other => other,
                },)*
                _ => $name,
            }
        };
    }
    match error {
        Error::Argument { name, value, expected } => {
            let name = names!(name, "destination", "source", "done", "predicate");
            Error::Argument { name, value, expected }
        }
        error => error,
    }
}

/// An event on a member of its team: handle, index, rank.
pub type EventAt = (Handle, usize, usize);

/// A side whose image is known.
#[derive(Debug, Clone, Copy)]
enum End {
    Heap(Place),
    Memory(Region<'static>),
}

#[derive(Debug)]
enum State {
    /// It waits for a notice of an event of this image.
    Predicate(usize),
    /// It waits until another image has taken a notice.
    RemotePredicate,
    Ready,
    /// It reads to memory of this image.
    Reading(Request),
    /// It reads what is to be written elsewhere.
    Fetching(Request, Vec<u8>),
    /// The data was sent.
    Written,
}

/// A copy that goes on.
#[derive(Debug)]
pub(crate) struct Copy {
    number: u64,
    destination: End,
    source: End,
    bytes: usize,
    done: Option<Place>,
    state: State,
}

impl Copy {
    /// By which answers name it.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whether memory of the program is still read or written.
    pub fn uses_memory(&self) -> bool {
        !matches!(self.state, State::Written)
    }
}

/// What a message about copies says.
const WANTED: u64 = 0;
const TAKEN: u64 = 1;

impl<C: Comm> Image<C> {
    /// Another image waits for a notice of this one, or has taken one for this one.
    pub(crate) fn take_copy(&mut self, message: &Message) -> Result<()> {
        let [what, offset] = message.payload.words();
        match what {
            WANTED => {
                let (for_image, number) = (message.from, message.tag);
                let offset = usize::try_from(offset).expect("an offset");
                self.operations.add(Scope::PROGRAM, Operation::Notice { offset, for_image, number });
            }
            _ => {
                // Operations are looked at one by one, so none is away now.
                let copy = self.operations.copy(message.tag);
                let copy = copy.ok_or_else(|| Error::Internal("a notice for no copy".into()))?;
                copy.state = State::Ready;
            }
        }
        Ok(())
    }

    /// Tells an image that a notice was taken for it.
    pub(crate) fn tell_notice(&mut self, image: usize, number: u64) {
        self.memory.send(image, Kind::Copy as u8, number, [bytes_of(&[TAKEN, 0]), &[]]);
        self.memory.hurry();
    }

    /// Starts a copy.
    fn start_copy(&mut self, mut copy: Copy, predicate: Option<Place>) -> Result<()> {
        self.operations.copies += 1;
        copy.number = self.operations.copies;
        copy.state = match predicate {
            None => State::Ready,
            Some(Place { image, offset }) if image == self.comm.rank() => State::Predicate(offset),
            Some(Place { image, offset }) => {
                let words = [WANTED, offset as u64];
                self.memory.send(image, Kind::Copy as u8, copy.number, [bytes_of(&words), &[]]);
                self.memory.hurry();
                State::RemotePredicate
            }
        };
        if !self.advance_copy(&mut copy)? {
            let scope = self.finishes.scope();
            self.operations.add(scope, Operation::Copy(Box::new(copy)));
        }
        Ok(())
    }

    /// Goes on with a copy. Whether it has ended.
    pub(crate) fn advance_copy(&mut self, copy: &mut Copy) -> Result<bool> {
        loop {
            match &mut copy.state {
                State::Predicate(offset) => {
                    let offset = *offset;
                    if !self.take_notice_at(offset) {
                        return Ok(false);
                    }
                    copy.state = State::Ready;
                }
                State::RemotePredicate => return Ok(false),
                State::Ready => copy.state = self.transfer(copy),
                State::Reading(request) => {
                    let request = *request;
                    let End::Memory(into) = copy.destination else { unreachable!("read to memory") };
                    if !self.memory.is_read(request, into) {
                        return Ok(false);
                    }
                    copy.state = State::Written;
                }
                State::Fetching(request, bytes) => {
                    let request = *request;
                    if !self.memory.is_read(request, Region::of(bytes)) {
                        return Ok(false);
                    }
                    let mut bytes = std::mem::take(bytes);
                    let End::Heap(Place { image, offset }) = copy.destination else {
                        unreachable!("fetched for another image")
                    };
                    self.memory.put(&self.comm, image, offset, Region::of(&mut bytes));
                    copy.state = State::Written;
                }
                State::Written => return Ok(self.end_copy(copy)),
            }
        }
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

    /// Notifies the event, if the data can be seen by whoever waits for it. Whether that is so.
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
    /// The place of an event on a member.
    pub(crate) fn place_of_event(&self, event: EventAt) -> Result<Place> {
        self.place_of_slot(event, Use::Events)
    }

    /// The place of an event that a function may be given: its argument `name`.
    pub(crate) fn place_of_optional(
        &self,
        name: &'static str,
        event: Option<EventAt>,
    ) -> Result<Option<Place>> {
        let place = event.map(|event| self.place_of_event(event)).transpose();
        place.map_err(|error| field(name, error))
    }

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

    /// Starts a copy of `bytes` bytes, when the event `predicate` has been notified, and notifies the event `done` when the data
    /// can be seen at its destination. Both events may be on any image.
    ///
    /// # Errors
    /// As those of [`Self::place`], for both sides and both events; nothing is copied then.
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
        let copy = Copy { number: 0, destination, source, bytes, done, state: State::Ready };
        self.with(|image| image.start_copy(copy, predicate))
    }

    /// Waits until no copy that this image has started uses memory of the program any more: sources may be overwritten, and
    /// what was copied to this image's own memory is there.
    ///
    /// # Errors
    /// Where an image has failed.
    pub fn cofence(&self) -> Result<()> {
        self.wait(|image| {
            image.operations.check()?;
            Ok(image.operations.are_locally_complete().then_some(()))
        })
    }

    /// Collective over the team: starts a barrier, at whose end an event is notified, which may be on any image.
    ///
    /// # Errors
    /// For a team that was freed, and in a shipped function; for an event that there is not, where this image takes part in
    /// the barrier without it.
    pub fn barrier_async(&self, team: Handle, event: Result<EventAt>) -> Result<()> {
        self.with(|image| refuse_inside(image.depth, "is collective"))?;
        let event = event.and_then(|event| self.place_of_event(event).map_err(|error| field("done", error)));
        self.with(|image| {
            let number = image.call_barrier(team)?;
            let place = event.as_ref().ok().copied();
            let scope = image.finishes.scope();
            image.operations.add(scope, Operation::Barrier { team, number, event: place });
            image.advance();
            event.map(drop)
        })
    }
}
