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
use hcube_core::active::Message;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::bytes_of;
use std::cell::Cell;
use std::rc::Rc;

/// A function that can be shipped: it gets the image that has shipped it, and its arguments.
pub type Function<C> = Rc<dyn Fn(&Runtime<C>, usize, &[u8])>;

/// Bytes before the arguments: the number of the function with the label of the finish block, and the place of the event.
const HEAD: usize = 16;
/// No event.
const NO_EVENT: u64 = u64::MAX;

/// Short functions that are taken at a time.
const AT_A_TIME: usize = 64;
/// Words of arguments for which memory is kept.
const KEPT_WORDS: usize = 4096;

/// A shipped function that has arrived.
#[derive(Debug, Clone, Copy)]
struct Call {
    from: u32,
    function: u32,
    /// The finish block, and what it counts as there.
    scope: Scope,
    label: Label,
    /// The word of the place of the event that is notified when the function has returned.
    event: u64,
    /// The first word of the arguments, and their bytes.
    first: usize,
    bytes: usize,
}

/// Functions that have arrived, with their arguments, each from a word on.
#[derive(Debug, Default)]
struct Calls {
    calls: Vec<Call>,
    words: Vec<u64>,
}

impl Calls {
    /// Adds what the bytes of a message say. Whether they are a function.
    #[inline]
    fn add(&mut self, from: usize, tag: u64, bytes: &[u8]) -> bool {
        let Some((head, arguments)) = bytes.split_first_chunk::<HEAD>() else { return false };
        let word = |at: usize| u64::from_ne_bytes(std::array::from_fn(|byte| head[at + byte]));
        let (named, event) = (word(0), word(8));
        let (function, label) = ((named >> 1) as u32, Label::of(named & 1));
        let (scope, first) = (Scope::of(tag), self.words.len());
        self.keep(arguments);
        let bytes = arguments.len();
        self.calls.push(Call { from: from as u32, function, scope, label, event, first, bytes });
        true
    }

    #[inline]
    fn keep(&mut self, arguments: &[u8]) {
        let (words, rest) = arguments.as_chunks::<{ size_of::<u64>() }>();
        self.words.extend(words.iter().map(|&word| u64::from_ne_bytes(word)));
        if !rest.is_empty() {
            let last = std::array::from_fn(|byte| rest.get(byte).copied().unwrap_or(0));
            self.words.push(u64::from_ne_bytes(last));
        }
    }

    #[inline]
    fn arguments(&self, call: &Call) -> &[u8] {
        &bytes_of(&self.words[call.first..])[..call.bytes]
    }

    /// Adds a function of others.
    fn add_of(&mut self, others: &Self, call: &Call) {
        let first = self.words.len();
        self.keep(others.arguments(call));
        self.calls.push(Call { first, ..*call });
    }

    /// Forgets them, and keeps a little memory for the next ones.
    fn clear(&mut self) {
        self.calls.clear();
        self.words.clear();
        self.words.shrink_to(KEPT_WORDS);
    }
}

/// Functions that run one after the other. One that waits runs what is behind it.
#[derive(Debug, Default)]
struct Batch {
    all: Calls,
    next: Cell<usize>,
}

impl Batch {
    /// The one that runs next, where there is one.
    #[inline]
    fn next(&self) -> Option<&Call> {
        let next = self.next.get();
        self.next.set(next + 1);
        self.all.calls.get(next)
    }

    fn is_over(&self) -> bool {
        self.next.get() >= self.all.calls.len()
    }
}

/// What has arrived and not begun.
#[derive(Debug, Default)]
pub(crate) struct Shipped {
    /// What runs now.
    batch: Rc<Batch>,
    /// What runs after that, in order.
    ready: Calls,
    /// What is not registered here yet.
    early: Calls,
}

impl Shipped {
    fn make_ready(&mut self, function: usize) {
        let early = std::mem::take(&mut self.early);
        for call in &early.calls {
            let is_it = call.function as usize == function;
            let to = if is_it { &mut self.ready } else { &mut self.early };
            to.add_of(&early, call);
        }
    }

    /// Whether something may run.
    #[inline]
    pub fn is_ready(&self) -> bool {
        !self.ready.calls.is_empty() || !self.batch.is_over()
    }

    /// What runs now.
    fn batch(&mut self) -> Rc<Batch> {
        if self.batch.is_over() {
            // The memory of the last one serves again, unless a function of it still runs.
            let mut calls = Rc::get_mut(&mut self.batch).map(|batch| std::mem::take(&mut batch.all));
            let mut empty = calls.take().unwrap_or_default();
            empty.clear();
            let all = std::mem::replace(&mut self.ready, empty);
            self.batch = Rc::new(Batch { all, next: Cell::new(0) });
        }
        Rc::clone(&self.batch)
    }

    /// An error where a function of a block waits to be registered, and this image waits for the end of the block.
    pub fn check(&self, scope: Scope) -> Result<()> {
        self.early.calls.iter().find(|call| call.scope == scope).map_or(Ok(()), |call| {
            let text = format!(
                "image {} has shipped function {}, which is not registered here",
                call.from, call.function
            );
            Err(Error::Usage(text + ": expected the same functions in the same order on all images"))
        })
    }
}

impl<C: Comm> Image<C> {
    /// Takes short functions that images of this node have shipped; see [`hcube_core::onesided::Onesided::receive_short`].
    #[inline]
    pub(crate) fn take_short(&mut self) -> usize {
        let ready = &mut self.shipped.ready;
        self.memory.receive_short(Kind::Spawn as u8, AT_A_TIME, |from, tag, bytes| {
            // The sender's runtime has made it: there is a head.
            let _is_one = ready.add(from, tag, bytes);
        })
    }

    /// Keeps a function that another image has shipped. Whether it is one.
    pub(crate) fn arrived(&mut self, message: &Message) -> bool {
        self.shipped.ready.add(message.from, message.tag, &message.payload)
    }

    /// Sends a function. Whether it is time to look for those of others.
    #[inline]
    fn ship(&mut self, to: usize, function: usize, event: u64, arguments: &[u8]) -> bool {
        let (scope, label) = self.finishes.ship();
        let head = [(function as u64) << 1 | label.bit(), event];
        let head = bytes_of(&head);
        self.memory.send(to, Kind::Spawn as u8, scope.word(), [head, arguments]);
        self.statistics.spawned += 1;
        self.depth == 0 && self.statistics.spawned.is_multiple_of(self.options.look as u64)
    }

    /// The image that is to run what is shipped to a member of a team, if no link has to be read.
    #[inline]
    fn recipient(&self, team: Handle, rank: usize) -> Result<Option<usize>> {
        let members = self.teams.get(team)?;
        if !self.finishes.scope().covers(members) {
            let expected = "the team of the finish block, or one that was split from it";
            return Err(Error::argument("team", format_args!("{:#x}", team.number()), expected));
        }
        members.known(rank)
    }
}

impl<C: Comm> Runtime<C> {
    /// Registers a function, on all images in the same order: its number. Other images may ship it here before that; it runs
    /// when this image next waits.
    pub fn register(&self, function: Function<C>) -> usize {
        let mut functions = self.functions.borrow_mut();
        functions.push(function);
        let number = functions.len() - 1;
        self.image.borrow_mut().shipped.make_ready(number);
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
        let soon = self.with(|image| match image.recipient(team, rank)? {
            Some(to) if event.is_none() && (image.depth > 0 || image.memory.has_room(to)) => {
                Ok(Some(image.ship(to, function, NO_EVENT, arguments)))
            }
            _ => Ok(None),
        })?;
        let looks = match soon {
            Some(looks) => looks,
            None => self.spawn_slowly(team, rank, function, arguments, event)?,
        };
        if looks { self.look() } else { Ok(()) }
    }

    /// As [`Self::spawn`], where the member has to be looked up, or there is an event or no room.
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
        let event = match event {
            None => NO_EVENT,
            Some(event) => self.place_of_event(event)?.word(),
        };
        self.wait_for_room(to)?;
        self.with(|image| Ok(image.ship(to, function, event, arguments)))
    }

    /// Runs functions that have arrived.
    pub(crate) fn run(&self) -> Result<()> {
        let (batch, before) = self.with(|image| {
            image.depth += 1;
            Ok((image.shipped.batch(), image.finishes.running()))
        })?;
        // Those of one block and label are counted together.
        let (mut counted, mut kind) = (0, None);
        let mut last: Option<(u32, Function<C>)> = None;
        while let Some(call) = batch.next() {
            if last.as_ref().is_none_or(|&(number, _)| number != call.function) {
                last = self.registered(call).map(|function| (call.function, function));
            }
            let Some((_, function)) = &last else {
                self.image.borrow_mut().shipped.early.add_of(&batch.all, call);
                continue;
            };
            if kind != Some((call.scope, call.label)) {
                let image = &mut *self.image.borrow_mut();
                image.count_run(std::mem::take(&mut counted));
                image.finishes.enter(call.scope, call.label);
                kind = Some((call.scope, call.label));
            }
            function(self, call.from as usize, batch.all.arguments(call));
            counted += 1;
            if call.event != NO_EVENT {
                self.image.borrow_mut().notify_when_made(Place::of(call.event));
            }
        }
        let image = &mut *self.image.borrow_mut();
        image.count_run(counted);
        image.finishes.resume(before);
        image.depth -= 1;
        Ok(())
    }

    /// The function that a call names.
    fn registered(&self, call: &Call) -> Option<Function<C>> {
        self.functions.borrow().get(call.function as usize).cloned()
    }
}

impl<C: Comm> Image<C> {
    /// Counts functions that have run in the block and with the label of those that run.
    fn count_run(&mut self, functions: u64) {
        self.finishes.have_run(functions as i64);
        self.statistics.executed += functions;
    }
}
