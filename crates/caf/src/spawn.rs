//! Shipped functions: an image has another one run a function.
//!
//! Idea: functions are registered on all images in the same order, so a number names them everywhere. What is shipped is that
//! number and a copy of the arguments, as an active message; the other image runs the function where it waits. It belongs to
//! the finish block in which it was shipped, as all that it ships itself does.
//!
//! Restrictions: a function may call the runtime, but nothing that is collective. What it ships never waits for room, so that
//! images which ship to each other in their functions do not wait for each other.
//!
//! Cost: a record of 40 bytes and the arguments; see [`hcube_core::node::rings`]. Source: Jin et al. 2011, Table I, for the
//! operation; how it is implemented is left out there (§II-E) and is our own.

use crate::coarray::{IMAGE_BITS, Place};
use crate::copy::EventAt;
use crate::finish::{LABEL_BITS, Label, Scope};
use crate::handles::Handle;
use crate::image::{Image, Kind};
use crate::runtime::Runtime;
use hcube_core::active::Message;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::{append_bytes, bytes_of};
use std::cell::Cell;
use std::rc::Rc;

/// A function that can be shipped: it gets the image that has shipped it, and its arguments.
pub type Function<C> = Rc<dyn Fn(&Runtime<C>, usize, &[u8])>;

/// Bytes before the arguments: the number of the function with the label of the finish block, and the place of the event.
const HEAD: usize = 16;
/// No event.
const NO_EVENT: u64 = u64::MAX;

/// Short functions that are taken at a time.
const AT_A_TIME: usize = 256;
/// Words of functions for which memory is kept.
const KEPT_WORDS: usize = 4096;

/// A shipped function that has arrived.
#[derive(Debug, Clone, Copy)]
struct Call<'a> {
    from: usize,
    sort: Sort,
    /// The word of the place of the event that is notified when the function has returned.
    event: u64,
    arguments: &'a [u8],
}

/// What functions have in common that are counted together and run one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sort {
    /// The finish block.
    scope: u64,
    /// The number of the function, and what it counts as in the block.
    named: u64,
}

impl Sort {
    const fn function(self) -> usize {
        (self.named >> LABEL_BITS) as usize
    }

    const fn scope(self) -> Scope {
        Scope::of(self.scope)
    }

    const fn label(self) -> Label {
        Label::of(self.named)
    }
}

/// Functions that have arrived, one behind the other in words: the sender with the number of bytes that it has sent, the
/// block, and these bytes.
#[derive(Debug, Default)]
struct Calls(Vec<u64>);

/// Words before the arguments.
const HEAD_WORDS: usize = 2 + HEAD / size_of::<u64>();

/// The first word of a function.
const fn sender(image: usize, bytes: usize) -> u64 {
    image as u64 | (bytes as u64) << IMAGE_BITS
}

impl Calls {
    /// Adds what the bytes of a message say. Whether they are a function.
    #[inline]
    fn add(&mut self, from: usize, tag: u64, bytes: &[u8]) -> bool {
        if bytes.len() < HEAD {
            return false;
        }
        self.0.extend_from_slice(&[sender(from, bytes.len()), tag]);
        append_bytes(&mut self.0, bytes);
        true
    }

    /// The function that begins with a word, and the word behind it.
    #[inline]
    fn call(&self, first: usize) -> Option<(Call<'_>, usize)> {
        let [sender, scope, named, event, arguments @ ..] = self.0.get(first..)? else { return None };
        let bytes = (sender >> IMAGE_BITS) as usize - HEAD;
        let sort = Sort { scope: *scope, named: *named };
        let arguments = &bytes_of(arguments)[..bytes];
        let behind = first + HEAD_WORDS + bytes.div_ceil(size_of::<u64>());
        Some((
            Call { from: (sender & ((1 << IMAGE_BITS) - 1)) as usize, sort, event: *event, arguments },
            behind,
        ))
    }

    fn iter(&self) -> impl Iterator<Item = Call<'_>> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let (call, behind) = self.call(at)?;
            at = behind;
            Some(call)
        })
    }

    /// Adds a function of others.
    fn add_of(&mut self, call: &Call<'_>) {
        let Call { from, sort: Sort { scope, named }, event, arguments } = *call;
        let bytes = HEAD + arguments.len();
        self.0.extend_from_slice(&[sender(from, bytes), scope, named, event]);
        append_bytes(&mut self.0, arguments);
    }

    /// Forgets them, and keeps a little memory for the next ones.
    fn clear(&mut self) {
        self.0.clear();
        self.0.shrink_to(KEPT_WORDS);
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
    fn next(&self) -> Option<Call<'_>> {
        let (call, behind) = self.all.call(self.next.get())?;
        self.next.set(behind);
        Some(call)
    }

    fn is_over(&self) -> bool {
        self.next.get() >= self.all.0.len()
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
    /// Functions that this image has shipped since it has last looked for those of others.
    since_look: usize,
}

impl Shipped {
    fn make_ready(&mut self, function: usize) {
        let early = std::mem::take(&mut self.early);
        for call in early.iter() {
            let is_it = call.sort.function() == function;
            let to = if is_it { &mut self.ready } else { &mut self.early };
            to.add_of(&call);
        }
    }

    /// Whether something may run.
    #[inline]
    pub fn is_ready(&self) -> bool {
        !self.ready.0.is_empty() || !self.batch.is_over()
    }

    /// What runs now.
    fn batch(&mut self) -> Rc<Batch> {
        if self.batch.is_over() {
            match Rc::get_mut(&mut self.batch) {
                Some(batch) => {
                    batch.all.clear();
                    std::mem::swap(&mut batch.all, &mut self.ready);
                    batch.next.set(0);
                }
                // A function of the last one still runs.
                None => {
                    let all = std::mem::take(&mut self.ready);
                    self.batch = Rc::new(Batch { all, next: Cell::new(0) });
                }
            }
        }
        Rc::clone(&self.batch)
    }

    /// A function of a block that waits to be registered, and the image that has shipped it.
    pub fn unregistered(&self, scope: Scope) -> Option<(usize, usize)> {
        let call = self.early.iter().find(|call| call.sort.scope() == scope)?;
        Some((call.sort.function(), call.from))
    }
}

impl<C: Comm> Image<C> {
    /// Takes short functions that images of this node have shipped; see [`hcube_core::onesided::Onesided::receive_short`].
    #[inline]
    pub(crate) fn take_short(&mut self) -> usize {
        self.shipped.since_look = 0;
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
    #[inline(always)]
    fn ship(&mut self, to: usize, function: usize, event: u64, arguments: &[u8]) -> bool {
        let (scope, label) = self.finishes.ship();
        let head = [(function as u64) << LABEL_BITS | label.bits(), event];
        self.memory.send_words(to, Kind::Spawn as u8, scope.word(), head, arguments);
        self.statistics.spawned += 1;
        self.shipped.since_look += 1;
        self.depth == 0 && self.shipped.since_look >= self.options.look
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
        // Out of the closure without a Result: its few bytes would go through memory, for each function.
        let mut looks = None;
        self.with(|image| {
            if let Some(to) = image.recipient(team, rank)?
                && event.is_none()
                && (image.depth > 0 || image.memory.has_room(to))
            {
                looks = Some(image.ship(to, function, NO_EVENT, arguments));
            }
            Ok(())
        })?;
        let looks = match looks {
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
        let event = self.place_of_optional("done", event)?.map_or(NO_EVENT, Place::word);
        self.wait_for_room(to)?;
        self.with(|image| Ok(image.ship(to, function, event, arguments)))
    }

    /// Runs functions that have arrived.
    pub(crate) fn run(&self) -> Result<()> {
        let (batch, before) = self.with(|image| {
            image.depth += 1;
            Ok((image.shipped.batch(), image.finishes.running()))
        })?;
        // Those of one sort are counted together.
        let mut last: Option<(Sort, Function<C>)> = None;
        let mut counted = 0;
        while let Some(call) = batch.next() {
            if last.as_ref().is_none_or(|&(sort, _)| sort != call.sort) {
                let image = &mut *self.image.borrow_mut();
                image.count_run(std::mem::take(&mut counted));
                last = self.registered(call.sort);
                if last.is_some() {
                    image.finishes.enter(call.sort.scope(), call.sort.label());
                } else {
                    image.shipped.early.add_of(&call);
                }
            }
            let Some((_, function)) = &last else { continue };
            function(self, call.from, call.arguments);
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

    /// The function of a sort.
    fn registered(&self, sort: Sort) -> Option<(Sort, Function<C>)> {
        let functions = self.functions.borrow();
        functions.get(sort.function()).map(|function| (sort, Rc::clone(function)))
    }
}

impl<C: Comm> Image<C> {
    /// Counts functions that have run in the block and with the label of those that run.
    fn count_run(&mut self, functions: u64) {
        self.finishes.have_run(functions as i64);
        self.statistics.executed += functions;
    }
}
