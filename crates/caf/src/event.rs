//! Events: counters on an image that others raise and the image itself waits for.
//!
//! Idea: an event is a word of the heap. A notice adds one to it, wherever it lies, when all that the notifying image has put
//! before has been made; a wait takes one away. Only the image to which an event belongs waits for it.
//!
//! Cost: one atomic addition inside a node; between nodes a message behind the puts, and an answer of every other image to
//! which this one has put something.
//! Source: Jin et al. 2011, §II-E; Mellor-Crummey et al. 2009, "A new vision for Coarray Fortran".

use crate::coarray::Use;
use crate::handles::Handle;
use crate::image::Image;
use crate::runtime::Runtime;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes from one event of an allocation to the next: no two share a line of the cache that several images write.
pub const STRIDE: usize = 64;

impl<C: Comm> Image<C> {
    /// The word of an event of this image.
    #[inline]
    fn event(&self, event: Handle, index: usize) -> Result<&AtomicU64> {
        let coarray = self.coarrays.get(event)?;
        coarray.check_use(Use::Events)?;
        let all = coarray.bytes / STRIDE;
        if index >= all {
            return Err(Error::argument("index", index, format!("less than {all}, the number of events")));
        }
        Ok(self.memory.own_word(coarray.offset + index * STRIDE))
    }

    /// Where an event of this image lies in its heap.
    pub(crate) fn event_offset(&self, event: Handle, index: usize) -> Result<usize> {
        self.event(event, index)?;
        Ok(self.coarrays.get(event)?.offset + index * STRIDE)
    }

    /// Takes a notice of an event of this image, if there is one.
    #[inline]
    pub(crate) fn take_notice(&self, event: Handle, index: usize) -> Result<bool> {
        let word = self.event(event, index)?;
        // Only this image takes away.
        let is_notified = word.load(Ordering::Acquire) > 0;
        if is_notified {
            word.fetch_sub(1, Ordering::AcqRel);
        }
        Ok(is_notified)
    }
}

impl<C: Comm> Runtime<C> {
    /// Collective over the team: `count` events on each member, without notices.
    ///
    /// # Errors
    /// As [`Self::allocate`].
    pub fn allocate_events(&self, team: Handle, count: usize) -> Result<Handle> {
        self.allocate(team, count.saturating_mul(STRIDE), Use::Events)
    }

    /// Notifies an event on a member: all that this image has put before is there for whoever has waited for it.
    ///
    /// # Errors
    /// For an event that was freed, an index that there is not, a rank that no member has; where an image has failed.
    pub fn notify(&self, event: Handle, index: usize, rank: usize) -> Result<()> {
        self.with(|image| image.event(event, index).map(drop))?;
        let place = self.place(event, rank, index * STRIDE, size_of::<u64>())?;
        self.wait_for_room(place.image)?;
        self.wait(|image| Ok(image.memory.is_made(Some(place.image)).then_some(())))?;
        self.with(|image| {
            image.memory.notify(place.image, place.offset, 1);
            Ok(())
        })
    }

    /// Waits for a notice of an event of this image, and takes it.
    ///
    /// # Errors
    /// As [`Self::notify`].
    pub fn wait_event(&self, event: Handle, index: usize) -> Result<()> {
        self.wait(|image| image.take_notice(event, index).map(|taken| taken.then_some(())))
    }

    /// Takes a notice of an event of this image, if there is one: whether there was.
    ///
    /// # Errors
    /// As [`Self::notify`].
    pub fn try_event(&self, event: Handle, index: usize) -> Result<bool> {
        if self.with(|image| image.take_notice(event, index))? {
            return Ok(true);
        }
        self.progress()?;
        self.with(|image| image.take_notice(event, index))
    }

    /// Waits for a notice of any of these events of this image, and takes it: which one.
    ///
    /// # Errors
    /// As [`Self::notify`], and for no events.
    pub fn wait_any(&self, events: &[(Handle, usize)]) -> Result<usize> {
        if events.is_empty() {
            return Err(Error::argument("events", "none", "at least one"));
        }
        self.wait(|image| {
            for (number, &(event, index)) in events.iter().enumerate() {
                if image.take_notice(event, index)? {
                    return Ok(Some(number));
                }
            }
            Ok(None)
        })
    }
}
