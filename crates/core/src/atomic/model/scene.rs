//! What one execution of a model consists of.

use crate::atomic::AtomicU64;
use std::alloc::{Layout, alloc_zeroed};
use std::cell::{Cell, RefCell};
use std::fmt;
use std::ptr::NonNull;
use std::rc::Rc;

/// Pages are what shared memory begins at.
const PAGE: usize = 4096;

thread_local! {
    /// The memory of all executions of a model.
    static MEMORY: RefCell<Vec<(NonNull<u8>, Layout)>> = const { RefCell::new(Vec::new()) };
    static CHOICES: Cell<usize> = const { Cell::new(1) };
}

/// One of those who take part.
pub(super) struct Participant {
    pub work: Box<dyn FnOnce()>,
    /// Steps after which it ends.
    pub ends_after: Option<usize>,
    /// Whether it has ended so.
    pub ended: Rc<Cell<bool>>,
}

/// The distance of the places at which copies note their accesses: words, at whose beginnings ranks note
/// theirs.
const NOTED: usize = size_of::<u64>();

/// Notes the access of a copy to memory that participants share.
pub fn note(place: *mut u8, access: fn(*const u8)) {
    if place.addr().is_multiple_of(NOTED) && is_of_scene(place) {
        access(place);
    }
}

/// Whether a place is in the memory that the participants share.
pub fn is_of_scene(place: *const u8) -> bool {
    MEMORY.with_borrow(|memory| {
        let holds = |&(start, layout): &(NonNull<u8>, Layout)| {
            (start.addr().get()..start.addr().get() + layout.size()).contains(&place.addr())
        };
        memory.iter().any(holds)
    })
}

/// What one execution consists of.
#[derive(Default)]
pub struct Scene {
    participants: Vec<Participant>,
    finally: Option<Box<dyn FnOnce()>>,
    memories: usize,
    choice: usize,
}

impl fmt::Debug for Scene {
    fn fmt(&self, output: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(output, "a scene of {}", self.participants.len())
    }
}

/// Whether a participant has ended before it was done.
#[derive(Debug, Clone)]
pub struct End(Rc<Cell<bool>>);

impl End {
    /// Whether it has; as a rank that asks the system about a process.
    pub fn has_happened(&self) -> bool {
        let (seen, ended) = (self.0.get(), self.0.clone());
        super::current::polled(Box::new(move || ended.get() != seen));
        seen
    }
}

impl Scene {
    pub(super) fn new(choice: usize) -> Self {
        Self { choice, ..Self::default() }
    }

    pub(super) fn into_parts(self) -> (Vec<Participant>, Option<Box<dyn FnOnce()>>) {
        (self.participants, self.finally)
    }

    /// How many values the choice of a scene has.
    pub(super) fn choices(scene: fn(&mut Self)) -> usize {
        CHOICES.set(1);
        scene(&mut Self::default());
        CHOICES.get()
    }

    /// One of the numbers below `count`; the model is explored with each of them. Once for a scene.
    pub fn choose(&mut self, count: usize) -> usize {
        CHOICES.set(count);
        self.choice
    }

    /// Memory that the participants share, all zero, aligned to a page, at the same address in all
    /// executions. Never freed.
    pub fn memory(&mut self, bytes: usize) -> NonNull<u8> {
        let layout = Layout::from_size_align(bytes.max(1), PAGE).expect("a size");
        let number = self.memories;
        self.memories += 1;
        MEMORY.with_borrow_mut(|memory| {
            if memory.len() == number {
                // SAFETY: of at least one byte.
                let place = NonNull::new(unsafe { alloc_zeroed(layout) }).expect("memory");
                place.expose_provenance();
                memory.push((place, layout));
            }
            let (place, size) = memory[number];
            assert_eq!(size, layout, "executions differ in their memory");
            // SAFETY: allocated with this size; the participants of earlier executions have ended.
            unsafe { place.write_bytes(0, layout.size()) };
            place
        })
    }

    /// A word of such memory.
    pub fn word(&mut self) -> &'static AtomicU64 {
        // SAFETY: never freed, and accessed as an atomic only.
        unsafe { self.memory(size_of::<AtomicU64>()).cast().as_ref() }
    }

    /// What a participant does.
    pub fn participant(&mut self, work: impl FnOnce() + 'static) {
        self.add(None, work);
    }

    /// What a participant does that is killed before its step with this number, counted from 0.
    pub fn participant_that_ends(&mut self, step: usize, work: impl FnOnce() + 'static) -> End {
        self.add(Some(step + 1), work)
    }

    fn add(&mut self, ends_after: Option<usize>, work: impl FnOnce() + 'static) -> End {
        let ended = Rc::new(Cell::new(false));
        self.participants.push(Participant { work: Box::new(work), ends_after, ended: ended.clone() });
        End(ended)
    }

    /// What holds when all participants have ended.
    pub fn finally(&mut self, check: impl FnOnce() + 'static) {
        self.finally = Some(Box::new(check));
    }
}
