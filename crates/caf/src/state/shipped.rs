//! Shipped functions that have arrived and have not been executed.
//!
//! They are stored contiguously in words, so that a function costs no allocation. Functions that arrive while
//! others are executed form the next batch.

use crate::state::finish::{LABEL_BITS, Label, Scope};
use crate::state::messages::Kind;
use crate::state::place::{IMAGE_BITS, Place};
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::{append_bytes, bytes_of};
use hcube_core::onesided::Onesided;
use std::cell::Cell;
use std::rc::Rc;

/// Bytes before the arguments: the number of the function with the label of the finish block, and the place
/// of the event.
const HEAD: usize = 16;
/// No event.
const NO_EVENT: u64 = u64::MAX;

/// Short functions that are taken at a time.
const AT_A_TIME: usize = 256;
/// Words of functions for which memory is reserved.
const KEPT_WORDS: usize = 4096;

/// A shipped function that has arrived.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    pub from: usize,
    pub sort: Sort,
    /// The word of the place of the event.
    event: u64,
    pub arguments: &'a [u8],
}

impl Call<'_> {
    /// The event that is notified when the function has returned.
    #[inline]
    pub fn event(&self) -> Option<Place> {
        (self.event != NO_EVENT).then(|| Place::of(self.event))
    }
}

/// The common data of functions that are counted together and run one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sort {
    scope: u64,
    /// The number of the function and the label.
    named: u64,
}

impl Sort {
    /// The number of the function.
    pub const fn function(self) -> usize {
        (self.named >> LABEL_BITS) as usize
    }

    /// The finish block.
    pub const fn scope(self) -> Scope {
        Scope::of(self.scope)
    }

    /// Its counter in the block.
    pub const fn label(self) -> Label {
        Label::of(self.named)
    }
}

/// Functions that have arrived, contiguous in words: the sender with the number of bytes that it has sent,
/// the block, and these bytes.
#[derive(Debug, Default)]
struct Calls(Vec<u64>);

/// Words before the arguments.
const HEAD_WORDS: usize = 2 + HEAD / size_of::<u64>();

/// The header before the arguments of a shipped function.
#[inline(always)]
pub(crate) fn head(function: usize, label: Label, event: Option<Place>) -> [u64; HEAD / size_of::<u64>()] {
    [(function as u64) << LABEL_BITS | label.bits(), event.map_or(NO_EVENT, Place::word)]
}

/// The first word of a function.
const fn sender(image: usize, bytes: usize) -> u64 {
    image as u64 | (bytes as u64) << IMAGE_BITS
}

impl Calls {
    /// Appends the function in the bytes of a message. Returns whether they are a function.
    #[inline]
    fn add(&mut self, from: usize, tag: u64, bytes: &[u8]) -> bool {
        if bytes.len() < HEAD {
            return false;
        }
        self.0.extend_from_slice(&[sender(from, bytes.len()), tag]);
        append_bytes(&mut self.0, bytes);
        true
    }

    /// The function that begins with a word, and the word after it.
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

/// Functions that run one after the other. A function that waits runs those after it.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    all: Calls,
    next: Cell<usize>,
}

impl Batch {
    /// The one that runs next, if there is one.
    #[inline]
    pub fn next(&self) -> Option<Call<'_>> {
        let (call, behind) = self.all.call(self.next.get())?;
        self.next.set(behind);
        Some(call)
    }

    fn is_over(&self) -> bool {
        self.next.get() >= self.all.0.len()
    }
}

/// The functions that have arrived at an image.
#[derive(Debug)]
pub(crate) struct Shipped {
    /// The running functions.
    batch: Rc<Batch>,
    /// The functions that run after that, in order.
    ready: Calls,
    /// Functions that are not registered here yet.
    early: Calls,
    /// Functions that are running, one inside the other.
    depth: usize,
    /// Functions that this image has shipped since it has last polled for functions of others, and after how
    /// many it polls.
    since_poll: usize,
    polling_interval: usize,
}

impl Shipped {
    /// Initially empty. The image polls for functions of others each time it has shipped as many itself as
    /// the interval.
    pub fn new(polling_interval: usize) -> Self {
        let (ready, early) = (Calls::default(), Calls::default());
        Self { batch: Rc::default(), ready, early, depth: 0, since_poll: 0, polling_interval }
    }

    /// Stores the function in the bytes of a message. Returns whether they are a function.
    pub fn put(&mut self, from: usize, tag: u64, bytes: &[u8]) -> bool {
        self.ready.add(from, tag, bytes)
    }

    /// Takes short functions that images of this node have shipped; see [`Onesided::receive_short`].
    #[inline]
    pub fn take_short<C: Comm>(&mut self, memory: &mut Onesided<C>) {
        self.since_poll = 0;
        let ready = &mut self.ready;
        memory.receive_short(Kind::Spawn as u8, AT_A_TIME, |from, tag, bytes| {
            // The sender's runtime has made it: there is a head.
            let _is_one = ready.add(from, tag, bytes);
        });
    }

    /// Counts a function that this image has shipped. Whether it is time to poll for functions of others.
    #[inline(always)]
    pub fn count(&mut self) -> bool {
        self.since_poll += 1;
        self.depth == 0 && self.since_poll >= self.polling_interval
    }

    /// Whether a shipped function is running.
    #[inline]
    pub fn is_running(&self) -> bool {
        self.depth > 0
    }

    /// Returns an error inside a shipped function, which must not call these functions.
    pub fn refuse_inside(&self, what: &str) -> Result<()> {
        if self.depth == 0 {
            return Ok(());
        }
        Err(Error::Usage(format!("called in a shipped function, which must not call {what}")))
    }

    /// A function has been registered: what has arrived for it may run.
    pub fn make_ready(&mut self, function: usize) {
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

    /// Begins to run what has arrived.
    pub fn begin(&mut self) -> Rc<Batch> {
        self.depth += 1;
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

    /// What [`Self::begin`] has given has run.
    pub fn end(&mut self) {
        self.depth -= 1;
    }

    /// Keeps a function until it is registered.
    pub fn keep(&mut self, call: &Call<'_>) {
        self.early.add_of(call);
    }

    /// A function of a block that waits to be registered, and the image that has shipped it.
    pub fn unregistered(&self, scope: Scope) -> Option<(usize, usize)> {
        let call = self.early.iter().find(|call| call.sort.scope() == scope)?;
        Some((call.sort.function(), call.from))
    }
}
