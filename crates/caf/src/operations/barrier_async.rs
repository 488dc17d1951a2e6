//! Asynchronous barriers.
//!
//! An event is notified at the end. See [`crate::operations::barrier`].

use crate::engine::image::Image;
use crate::engine::runtime::Runtime;
use crate::operations::event::{EventAt, field};
use crate::state::handles::Handle;
use crate::state::pending::Operation;
use crate::state::place::Place;
use hcube_core::comm::Comm;
use hcube_core::error::Result;

/// A barrier, by its number, and the event that is notified at its end.
struct Unattended {
    team: Handle,
    number: u64,
    event: Option<Place>,
}

impl<C: Comm> Operation<Image<C>> for Unattended {
    fn advance(&mut self, image: &mut Image<C>) -> Result<bool> {
        let has_ended = image.barrier_has_ended(self.team, self.number)?;
        if let (true, Some(event)) = (has_ended, self.event) {
            image.memory.notify(event.image, event.offset, 1);
        }
        Ok(has_ended)
    }
}

impl<C: Comm> Runtime<C> {
    /// Collective over the team: starts a barrier, at whose end an event is notified, which may be on any
    /// image.
    ///
    /// # Errors
    /// For a team that was freed, and in a shipped function; for an event that does not exist, in which case
    /// this image takes part in the barrier without it.
    pub fn barrier_async(&self, team: Handle, event: Result<EventAt>) -> Result<()> {
        self.with(|image| image.shipped.refuse_inside("collective functions"))?;
        let event = event.and_then(|event| self.place_of_event(event).map_err(|error| field("done", error)));
        self.with(|image| {
            let number = image.call_barrier(team)?;
            let place = event.as_ref().ok().copied();
            image.pending.add(image.finishes.scope(), Unattended { team, number, event: place });
            image.advance_pending();
            event.map(drop)
        })
    }
}
