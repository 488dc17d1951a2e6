//! Shipped functions: an image has another one run a function.
//!
//! Idea: functions are registered on all images in the same order, so a number names them everywhere. What is shipped is that
//! number and a copy of the arguments, as an active message; the other image runs the function where it waits. It belongs to
//! the finish block in which it was shipped, as all that it ships itself does.
//!
//! Restrictions: a function may call the runtime, but nothing that is collective. What it ships never waits for room, so that
//! images which ship to each other in their functions do not wait for each other.
//!
//! Cost: a record of 40 bytes and the arguments; see [`hcube_core::node::rings`]. Source: Jin et al. 2011, §II-E.

use crate::coarray::Place;
use crate::copy::EventAt;
use crate::finish::{Label, Scope};
use crate::handles::Handle;
use crate::image::{Image, Kind};
use crate::runtime::Runtime;
use hcube_core::active::{Message, Payload};
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use std::collections::VecDeque;
use std::rc::Rc;

/// A function that can be shipped: it gets the image that has shipped it, and its arguments.
pub type Function<C> = Rc<dyn Fn(&Runtime<C>, usize, &[u8])>;

/// Bytes before the arguments: the number of the function with the label of the finish block, and the place of the event.
const HEAD: usize = 16;
/// No event.
const NO_EVENT: u64 = u64::MAX;

/// A shipped function that has arrived.
#[derive(Debug)]
pub(crate) struct Call {
    from: usize,
    function: usize,
    /// The finish block, and what it counts as there.
    pub(crate) scope: Scope,
    pub(crate) label: Label,
    /// The word of the place of the event that is notified when the function has returned.
    event: u64,
    payload: Payload,
}

/// What was shipped here before it was registered.
#[derive(Debug, Default)]
pub(crate) struct Shipped {
    early: Vec<Call>,
    /// What has been registered since.
    ready: VecDeque<Call>,
}

impl Shipped {
    fn make_ready(&mut self, function: usize) {
        let (ready, early) =
            std::mem::take(&mut self.early).into_iter().partition(|call| call.function == function);
        self.early = early;
        let ready: Vec<Call> = ready;
        self.ready.extend(ready);
    }

    /// A function that may run now.
    pub fn next(&mut self) -> Option<Call> {
        self.ready.pop_front()
    }

    /// An error where something waits to be registered, and this image waits for its end.
    pub fn check(&self) -> Result<()> {
        self.early.first().map_or(Ok(()), |call| {
            let text = format!(
                "image {} has shipped function {}, which is not registered here",
                call.from, call.function
            );
            Err(Error::Usage(text + ": expected the same functions in the same order on all images"))
        })
    }
}

impl<C: Comm> Image<C> {
    /// A function that another image has shipped.
    pub(crate) fn arrived(&mut self, message: Message) -> Option<Call> {
        let Message { from, tag, payload, .. } = message;
        if payload.len() < HEAD {
            return None;
        }
        let [first, event] = payload.words();
        let (function, label) = ((first >> 1) as usize, Label::of(first & 1));
        Some(Call { from, function, scope: Scope::of(tag), label, event, payload })
    }
}

impl<C: Comm> Runtime<C> {
    /// Registers a function, on all images in the same order: its number. Other images may ship it here before that; it runs
    /// when this image next waits.
    pub fn register(&self, function: Function<C>) -> usize {
        let mut functions = self.functions.borrow_mut();
        functions.push(function);
        let number = functions.len() - 1;
        self.shipped.borrow_mut().make_ready(number);
        number
    }

    /// Has a member of a team run a function with a copy of these arguments. The event, which may be on any image, is notified
    /// by the member that has run the function, when it has returned and what that member has put before is there.
    ///
    /// # Errors
    /// For a function that was not registered, a rank that no member has, an event that there is not; where an image has
    /// failed.
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
        self.with(|image| {
            if image.finishes.scope().covers(image.teams.get(team)?) {
                return Ok(());
            }
            let expected = "the team of the finish block, or one that was split from it";
            Err(Error::argument("team", format_args!("{:#x}", team.number()), expected))
        })?;
        let to = self.image_of(team, rank)?;
        let event = match event {
            None => NO_EVENT,
            Some(event) => self.place_of_event(event)?.word(),
        };
        self.wait_for_room(to)?;
        let looks = self.with(|image| {
            let (scope, label) = image.finishes.ship();
            let head = [(function as u64) << 1 | label.bit(), event];
            let head = hcube_core::memory::bytes_of(&head);
            image.memory.send(to, Kind::Spawn as u8, scope.word(), [head, arguments]);
            image.statistics.spawned += 1;
            Ok(image.depth == 0 && image.statistics.spawned.is_multiple_of(image.options.look as u64))
        })?;
        if looks { self.progress() } else { Ok(()) }
    }

    /// Runs a function that has arrived.
    pub(crate) fn run(&self, call: Call) -> Result<()> {
        let Some(function) = self.functions.borrow().get(call.function).cloned() else {
            self.shipped.borrow_mut().early.push(call);
            return Ok(());
        };
        let before = self.with(|image| {
            image.depth += 1;
            Ok(image.finishes.enter(call.scope, call.label))
        })?;
        function(self, call.from, &call.payload[HEAD..]);
        self.with(|image| {
            image.depth -= 1;
            image.statistics.executed += 1;
            image.finishes.leave(before);
            if call.event != NO_EVENT {
                image.notify_when_made(Place::of(call.event));
            }
            Ok(())
        })
    }
}
