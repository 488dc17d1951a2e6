//! Events: counters on an image that any image increments and only this image waits for.
//!
//! Idea: an event is a word of the heap. A notification adds one to it when all earlier puts of the notifying
//! image are complete; a wait subtracts one. Only the image that owns the event waits for it.
//!
//! Cost: one atomic addition inside a node; between nodes a message after the puts, and a reply of every
//! other image to which this image has put data.
//! Source: Jin et al. 2011, §II-E; Mellor-Crummey et al. 2009, "A new vision for Coarray Fortran".

#[cfg(hcube_model)]
pub mod model;

use crate::engine::image::Image;
use crate::engine::runtime::Runtime;
use crate::state::coarray::Use;
use crate::state::handles::Handle;
use crate::state::place::Place;
use hcube_core::atomic::Ordering;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use std::collections::BTreeMap;

/// Bytes from one event of an allocation to the next: no two share a line of the cache that several images
/// write.
pub const STRIDE: usize = 64;

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

impl<C: Comm> Image<C> {
    /// Where an event or a lock of this image lies in its heap.
    #[inline]
    pub(crate) fn slot_offset(&self, slots: Handle, index: usize, purpose: Use) -> Result<usize> {
        let coarray = self.coarrays.get_for(slots, purpose)?;
        let all = coarray.bytes() / STRIDE;
        if index >= all {
            return Err(Error::argument("index", index, format!("less than {all}, the number of {purpose}")));
        }
        Ok(coarray.offset() + index * STRIDE)
    }

    /// Where an event of this image lies in its heap.
    pub(crate) fn event_offset(&self, event: Handle, index: usize) -> Result<usize> {
        self.slot_offset(event, index, Use::Events)
    }

    /// Consumes a notification of an event of this image, if there is one.
    #[inline]
    pub(crate) fn take_notice(&self, event: Handle, index: usize) -> Result<bool> {
        Ok(self.take_notice_at(self.slot_offset(event, index, Use::Events)?))
    }

    /// As [`Self::take_notice`], at an offset of this image's heap.
    #[inline]
    pub(crate) fn take_notice_at(&self, offset: usize) -> bool {
        let word = self.memory.own_word(offset);
        // Only this image takes away.
        let is_notified = word.load(Ordering::Acquire) > 0;
        if is_notified {
            // The load has acquired, and whoever notifies learns nothing from this.
            word.fetch_sub(1, Ordering::Relaxed);
        }
        is_notified
    }
}

impl<C: Comm> Runtime<C> {
    /// Collective over the team: `count` events on each member, with counters of 0.
    ///
    /// # Errors
    /// As [`Self::allocate`].
    pub fn allocate_events(&self, team: Handle, count: usize) -> Result<Handle> {
        self.allocate_slots(team, count, Use::Events)
    }

    /// Collective over the team: events or locks, as many on each member.
    pub(crate) fn allocate_slots(&self, team: Handle, count: usize, purpose: Use) -> Result<Handle> {
        // Too many for any memory is an error on all members, so all take part.
        self.allocate(team, count.saturating_mul(STRIDE), purpose).map_err(|error| match error {
            Error::Argument { name: "bytes", .. } => {
                Error::argument("count", count, format!("less than {}", (1_usize << 63) / STRIDE))
            }
            Error::Mismatch { name: "bytes", least, most } => {
                let [least, most] = [least, most].map(|bytes| bytes / STRIDE as i64);
                Error::Mismatch { name: "count", least, most }
            }
            error => error,
        })
    }

    /// The place of an event or a lock on a member.
    pub(crate) fn place_of_slot(
        &self,
        (slots, index, rank): (Handle, usize, usize),
        purpose: Use,
    ) -> Result<Place> {
        self.with(|image| image.slot_offset(slots, index, purpose).map(drop))?;
        self.place(slots, rank, index * STRIDE, size_of::<u64>())
    }

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

    /// Notifies an event on a member: earlier puts of this image are visible to the image that waits for the
    /// event.
    ///
    /// # Errors
    /// For an event that was freed, an index that does not exist, a rank that no member has; if an image has
    /// failed or stopped.
    pub fn notify(&self, event: Handle, index: usize, rank: usize) -> Result<()> {
        self.notify_when_made(event, index, rank, |place| {
            self.wait_for_any(|image| Ok(image.memory.is_made(Some(place.image)).then_some(())))
        })
    }

    /// As [`Self::notify`]; it continues if other images have failed, which a wait for them will detect.
    ///
    /// # Errors
    /// For an event that was freed, an index that there is not, a rank that no member has; where that image
    /// has failed or stopped.
    pub fn notify_one(&self, event: Handle, index: usize, rank: usize) -> Result<()> {
        self.notify_when_made(event, index, rank, |place| {
            self.wait_while_alive(place.image, |image| {
                Ok(image.memory.is_made(Some(place.image)).then_some(()))
            })
        })
    }

    /// Notifies an event; `wait` returns when earlier puts of this image to the event's image are complete
    /// there.
    fn notify_when_made(
        &self,
        event: Handle,
        index: usize,
        rank: usize,
        wait: impl FnOnce(Place) -> Result<()>,
    ) -> Result<()> {
        let place = self.place_of_event((event, index, rank))?;
        self.wait_for_room(place.image)?;
        wait(place)?;
        self.change(|image| image.memory.notify(place.image, place.offset, 1))
    }

    /// Notifies several events, which may be on different members; an event that is named twice is notified
    /// twice.
    ///
    /// # Errors
    /// As [`Self::notify`]; none is notified then.
    pub fn notify_all(&self, events: &[EventAt]) -> Result<()> {
        let places: Vec<Place> =
            events.iter().map(|&event| self.place_of_event(event)).collect::<Result<_>>()?;
        let Some(first) = places.first() else { return Ok(()) };
        for place in &places {
            self.wait_for_room(place.image)?;
        }
        // Data for the only image that is notified need not be waited for.
        let only = places.iter().all(|place| place.image == first.image).then_some(first.image);
        self.wait_for_any(|image| Ok(image.memory.is_made(only).then_some(())))?;
        self.change(|image| {
            for place in &places {
                image.memory.notify(place.image, place.offset, 1);
            }
        })
    }

    /// Waits for a notification of an event of this image, and consumes it.
    ///
    /// # Errors
    /// As [`Self::notify`].
    pub fn wait_event(&self, event: Handle, index: usize) -> Result<()> {
        self.wait_for_any(|image| {
            image.pending.check()?;
            if image.take_notice(event, index)? {
                return Ok(Some(()));
            }
            image.others.check_rest().map(|()| None)
        })
    }

    /// Consumes a notification of an event of this image, if there is one; returns whether there was.
    ///
    /// # Errors
    /// As [`Self::notify`].
    pub fn try_event(&self, event: Handle, index: usize) -> Result<bool> {
        if self.with(|image| image.take_notice(event, index))? {
            return Ok(true);
        }
        let around = self.poll_others();
        if self.with(|image| image.take_notice(event, index))? { Ok(true) } else { around.map(|()| false) }
    }

    /// Waits for a notification of any of these events of this image, and consumes it; returns which one.
    /// Polls round-robin, starting after the event that the previous call returned, if that is among them, so
    /// that an event with many notifications does not starve others.
    ///
    /// # Errors
    /// As [`Self::notify`], and for no events.
    pub fn wait_any(&self, events: &[(Handle, usize)]) -> Result<usize> {
        if events.is_empty() {
            return Err(Error::argument("events", "none", "at least one"));
        }
        let last = self.with(|image| Ok(image.last_event))?;
        let first = events.iter().position(|&event| Some(event) == last).map_or(0, |number| number + 1);
        self.wait_for_any(|image| {
            image.pending.check()?;
            for number in (first..events.len()).chain(0..first) {
                let (event, index) = events[number];
                if image.take_notice(event, index)? {
                    image.last_event = Some(events[number]);
                    return Ok(Some(number));
                }
            }
            Ok(None)
        })
    }

    /// Waits until all of these events of this image have been notified, and consumes one notification of
    /// each; two of an event that is named twice.
    ///
    /// # Errors
    /// As [`Self::notify`]; no notification is consumed on an error.
    pub fn wait_all(&self, events: &[(Handle, usize)]) -> Result<()> {
        let mut wanted = BTreeMap::new();
        self.with(|image| {
            for &(event, index) in events {
                *wanted.entry(image.event_offset(event, index)?).or_insert(0) += 1;
            }
            Ok(())
        })?;
        self.wait_wanted(&wanted)
    }

    /// Waits until an event of this image has `count` notifications, and consumes them.
    ///
    /// # Errors
    /// As [`Self::notify`]; no notification is consumed on an error.
    pub fn wait_notices(&self, event: Handle, index: usize, count: u64) -> Result<()> {
        let offset = self.with(|image| image.event_offset(event, index))?;
        self.wait_wanted(&BTreeMap::from([(offset, count)]))
    }

    /// Waits until the words at these offsets are as large as these numbers, and subtracts them.
    fn wait_wanted(&self, wanted: &BTreeMap<usize, u64>) -> Result<()> {
        let mut missing = wanted.first_key_value().map(|(&offset, &count)| (offset, count));
        self.wait_for_any(|image| {
            image.pending.check()?;
            let has = |offset, count| image.memory.own_word(offset).load(Ordering::Acquire) >= count;
            if missing.is_some_and(|(offset, count)| !has(offset, count)) {
                return image.others.check_rest().map(|()| None);
            }
            // Only this image consumes notifications, so their number does not decrease during this poll.
            missing = wanted.iter().map(|(&at, &count)| (at, count)).find(|&(at, count)| !has(at, count));
            if missing.is_some() {
                return Ok(None);
            }
            for (&offset, &count) in wanted {
                image.memory.own_word(offset).fetch_sub(count, Ordering::Relaxed);
            }
            Ok(Some(()))
        })
    }
}
