//! Shipped functions: an image has another image execute a function.
//!
//! Idea: functions are registered on all images in the same order, so a number identifies a function on all
//! images. The number and a copy of the arguments are sent as an active message; the other image executes the
//! function while it waits. The function, and all functions that it ships, belong to the finish block in
//! which it was shipped.
//!
//! Restrictions: a function may call the runtime, except collective functions. Functions that it ships never
//! wait for buffer space, so that images which ship to each other inside functions do not deadlock.
//!
//! Cost: a record of 40 bytes and the arguments; see [`hcube_core::node::rings`]. Source: Jin et al. 2011,
//! Table I, for the operation; the implementation, which they omit (§II-E), is our own.

use crate::engine::image::Image;
use crate::engine::runtime::{Function, Runtime};
use crate::operations::event::EventAt;
use crate::state::handles::Handle;
use crate::state::messages::Kind;
use crate::state::place::Place;
use crate::state::shipped;
use hcube_core::active::Message;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};

impl<C: Comm> Image<C> {
    /// Sends a function. Whether it is time to poll for functions of others.
    #[inline(always)]
    fn ship(&mut self, to: usize, function: usize, event: Option<Place>, arguments: &[u8]) -> bool {
        let (scope, label) = self.finishes.ship();
        let head = shipped::head(function, label, event);
        self.memory.send_words(to, Kind::Spawn as u8, scope.word(), head, arguments);
        self.statistics.spawned += 1;
        self.shipped.count()
    }

    /// The image that is to run what is shipped to a member of a team, if no link has to be read.
    #[inline]
    fn recipient(&self, team: Handle, rank: usize) -> Result<Option<usize>> {
        let members = self.teams.get(team)?;
        if !self.finishes.scope().covers(members) {
            let expected = "the team of the finish block, or a team that was split from it";
            return Err(Error::argument("team", format_args!("{:#x}", team.number()), expected));
        }
        members.known(rank)
    }
}

impl<C: Comm> Runtime<C> {
    /// Registers a function, on all images in the same order: its number. Other images may ship it here
    /// before that; it runs when this image next waits.
    pub fn register(&self, function: Function<C>) -> usize {
        let mut functions = self.functions.borrow_mut();
        functions.push(function);
        let number = functions.len() - 1;
        self.image.borrow_mut().shipped.make_ready(number);
        number
    }

    /// Has a member of a team run a function with a copy of these arguments. The event, which may be on any
    /// image, is notified by the member that has run the function, when it has returned and what that member
    /// has put before is there.
    ///
    /// # Errors
    /// For a function that was not registered, a rank that no member has, an event that does not exist; if an
    /// image has failed.
    pub fn spawn(
        &self,
        team: Handle,
        rank: usize,
        function: usize,
        arguments: &[u8],
        event: Option<EventAt>,
    ) -> Result<()> {
        let functions = self.functions.borrow().len();
        if function >= functions {
            let expected = format!("less than {functions}, the number of functions that were registered");
            return Err(Error::argument("function", function, expected));
        }
        // Out of the closure without a Result: its few bytes would go through memory, for each function.
        let mut polls = None;
        self.with(|image| {
            if let Some(to) = image.recipient(team, rank)?
                && event.is_none()
                && (image.shipped.is_running() || image.memory.has_room(to))
            {
                polls = Some(image.ship(to, function, None, arguments));
            }
            Ok(())
        })?;
        let polls = match polls {
            Some(polls) => polls,
            None => self.spawn_slowly(team, rank, function, arguments, event)?,
        };
        if polls { self.poll() } else { Ok(()) }
    }

    /// As [`Self::spawn`], if the member has to be looked up, or there is an event or no room.
    #[cold]
    fn spawn_slowly(
        &self,
        team: Handle,
        rank: usize,
        function: usize,
        arguments: &[u8],
        event: Option<EventAt>,
    ) -> Result<bool> {
        let to = self.image_of(team, rank)?;
        let event = self.place_of_optional("done", event)?;
        self.wait_for_room(to)?;
        self.with(|image| Ok(image.ship(to, function, event, arguments)))
    }
}

/// Keeps a function that has arrived.
pub(crate) fn keep<C: Comm>(image: &mut Image<C>, message: Message) -> Result<bool> {
    Ok(image.shipped.put(message.from, message.tag, &message.payload))
}
