//! The state of the systems on one communicator: a slot for each of them, used by one thread at a time.
//!
//! A thread that enters owns the state until it leaves. Inside its call it may enter again for another
//! system, whose slot is free: one system may call another with the same communicator. The value of a
//! slot is taken out while its system uses it, so a system cannot enter itself.

use crate::atomic::{self, AtomicUsize, Ordering};
use crate::error::{Error, Result};
use std::any::{Any, TypeId};
use std::cell::{OnceCell, RefCell, UnsafeCell};

/// The state of one communicator; `C` is what hcube communicates through.
#[derive(Debug)]
pub(super) struct CommState<C> {
    /// The thread that is inside, by [`this_thread`], or [`NOBODY`].
    owner: AtomicUsize,
    contents: UnsafeCell<Contents<C>>,
}

// SAFETY: `contents` is reached only in `enter`, by the thread whose mark is in `owner`, and one thread after
// the other puts its mark there, with acquire and release. What systems keep is `Send`, as is `C`.
unsafe impl<C: Send> Sync for CommState<C> {}

const NOBODY: usize = 0;

/// The data of the owner. Nested calls share it, on one thread.
#[derive(Debug)]
pub(super) struct Contents<C> {
    comm: OnceCell<C>,
    slots: RefCell<Vec<Slot<C>>>,
}

/// The place of one system.
struct Slot<C> {
    /// The type of what it keeps.
    system: TypeId,
    /// An `Option` of that type; nothing while the system uses it.
    value: Option<Box<dyn Any + Send>>,
    /// What it does with the value before the communicator is freed.
    end: Option<Box<End<C>>>,
}

type End<C> = dyn Fn(&mut (dyn Any + Send), &C) + Send;

impl<C> std::fmt::Debug for Slot<C> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Slot").field("system", &self.system).finish_non_exhaustive()
    }
}

/// A number for the calling thread that no other thread has meanwhile.
fn this_thread() -> usize {
    #[cfg(hcube_model)]
    if let Some(number) = atomic::model::participant() {
        return number;
    }
    thread_local! {
        static MARK: u8 = const { 0 };
    }
    MARK.with(|mark| std::ptr::from_ref(mark).addr())
}

pub(super) fn in_use() -> Error {
    Error::Communicator("comm is in use by another hcube call: one call per communicator at a time".into())
}

impl<C> Default for CommState<C> {
    fn default() -> Self {
        let contents = Contents { comm: OnceCell::new(), slots: RefCell::default() };
        Self { owner: AtomicUsize::new(NOBODY), contents: UnsafeCell::new(contents) }
    }
}

impl<C> CommState<C> {
    /// Runs `work` with the contents.
    ///
    /// # Errors
    /// Errors of `work`, and [`Error::Communicator`] while another thread is inside.
    #[inline(always)]
    pub fn enter<T>(&self, work: impl FnOnce(&Contents<C>) -> Result<T>) -> Result<T> {
        /// Gives the state up at the end of the outermost call, also when it panics.
        struct Leave<'a>(&'a AtomicUsize);
        impl Drop for Leave<'_> {
            fn drop(&mut self) {
                self.0.store(NOBODY, Ordering::Release);
            }
        }
        let thread = this_thread();
        let found = self.owner.compare_exchange(NOBODY, thread, Ordering::Acquire, Ordering::Relaxed);
        let _leave = match found {
            Ok(_) => Some(Leave(&self.owner)),
            Err(owner) if owner == thread => None,
            Err(_) => return Err(in_use()),
        };
        atomic::written(self.contents.get().cast());
        // SAFETY: this thread is the owner until the outermost call on its stack returns, and it only makes
        // shared references.
        work(unsafe { &*self.contents.get() })
    }

    /// Whether a thread is inside.
    pub fn is_entered(&self) -> bool {
        self.owner.load(Ordering::Acquire) != NOBODY
    }

    /// Drops what systems keep, the latest first, and hands out the communicator. With `is_active`, MPI may
    /// be called: what [`Contents::at_end`] has registered is called before.
    pub fn into_comm(self, is_active: bool) -> Option<C> {
        let Contents { comm, slots } = self.contents.into_inner();
        let mut slots = slots.into_inner();
        while let Some(Slot { value, end, .. }) = slots.pop() {
            if let (true, Some(comm), Some(mut value), Some(end)) = (is_active, comm.get(), value, end) {
                end(&mut *value, comm);
            }
        }
        comm.into_inner()
    }
}

impl<C> Contents<C> {
    /// The communicator, made by `make` at the first call that succeeds.
    #[inline(always)]
    pub fn comm(&self, make: impl FnOnce() -> Result<C>) -> Result<&C> {
        match self.comm.get() {
            Some(comm) => Ok(comm),
            None => {
                let comm = make()?;
                Ok(self.comm.get_or_init(|| comm))
            }
        }
    }

    /// Runs `work` with the place of the system that keeps an `S`, which is empty at first.
    ///
    /// # Errors
    /// Errors of `work`, and [`Error::Communicator`] inside a call of the same system.
    #[inline(always)]
    pub fn with<S: Any + Send, T>(&self, work: impl FnOnce(&mut Option<S>) -> Result<T>) -> Result<T> {
        /// Puts the value back, also when the call panics.
        struct Return<'a, C, S: Any + Send> {
            slots: &'a RefCell<Vec<Slot<C>>>,
            number: usize,
            value: Option<Box<Option<S>>>,
        }
        impl<C, S: Any + Send> Drop for Return<'_, C, S> {
            fn drop(&mut self) {
                let value = self.value.take();
                self.slots.borrow_mut()[self.number].value = value.map(|value| value as Box<dyn Any + Send>);
            }
        }
        let (number, value) = self.take::<S>()?;
        let mut place = Return { slots: &self.slots, number, value: Some(value) };
        work(place.value.as_mut().expect("just put there"))
    }

    /// Registers what the system that keeps an `S` does with it before the communicator is freed.
    pub fn at_end<S: Any + Send>(&self, end: fn(&mut S, &C))
    where
        C: 'static,
    {
        let is_its = |slot: &&mut Slot<C>| slot.system == TypeId::of::<S>();
        if let Some(slot) = self.slots.borrow_mut().iter_mut().find(is_its) {
            slot.end = Some(Box::new(move |value, comm| {
                if let Some(Some(kept)) = value.downcast_mut::<Option<S>>() {
                    end(kept, comm);
                }
            }));
        }
    }

    /// Takes a system's value out; slots never change their number.
    #[inline(always)]
    fn take<S: Any + Send>(&self) -> Result<(usize, Box<Option<S>>)> {
        let mut slots = self.slots.borrow_mut();
        let system = TypeId::of::<S>();
        if let Some(number) = slots.iter().position(|slot| slot.system == system) {
            let value = slots[number].value.take().ok_or_else(in_use)?;
            return Ok((number, value.downcast().expect("its slot is known by its type")));
        }
        slots.push(Slot { system, value: None, end: None });
        Ok((slots.len() - 1, Box::new(None)))
    }
}

#[cfg(hcube_model)]
pub mod model;

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    /// Two systems.
    #[derive(Debug, Default, PartialEq)]
    struct First(u32);
    #[derive(Debug, Default, PartialEq)]
    struct Second(String);

    type State = CommState<u32>;

    fn count(contents: &Contents<u32>) -> Result<u32> {
        contents.with(|first: &mut Option<First>| {
            let first = first.get_or_insert_default();
            first.0 += 1;
            Ok(first.0)
        })
    }

    #[test]
    fn a_system_finds_what_it_has_kept() {
        let state = State::default();
        assert_eq!([(); 3].map(|()| state.enter(count)), [Ok(1), Ok(2), Ok(3)]);
        let other = state.enter(|contents| contents.with(|second: &mut Option<Second>| Ok(second.take())));
        assert_eq!(other, Ok(None));
    }

    #[test]
    fn a_system_calls_another_one_but_not_itself() {
        let state = State::default();
        let inner = state.enter(|contents| {
            contents.with(|second: &mut Option<Second>| {
                *second = Some(Second("outer".into()));
                let nested = state.enter(count);
                let again = state.enter(|contents| contents.with(|_: &mut Option<Second>| Ok(())));
                assert!(matches!(&again, Err(Error::Communicator(_))), "{again:?}");
                assert!(state.is_entered(), "the inner call does not give the state up");
                assert_eq!(second.as_ref().map(|second| &*second.0), Some("outer"));
                nested
            })
        });
        assert_eq!((inner, state.is_entered()), (Ok(1), false));
        assert_eq!(state.enter(count), Ok(2));
    }

    #[test]
    fn a_call_that_fails_or_panics_leaves_the_state_usable() {
        let state = State::default();
        state.enter(count).expect("free");
        let refused: Result<()> =
            state.enter(|contents| contents.with(|_: &mut Option<First>| Err(Error::Internal("no".into()))));
        assert_eq!(refused, Err(Error::Internal("no".into())));
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            state.enter(|contents| contents.with::<First, ()>(|_| panic!("on purpose")))
        }));
        assert!(panicked.is_err());
        assert_eq!(state.enter(count), Ok(2));
    }

    #[test]
    fn the_communicator_is_made_once_and_tried_again_after_a_failure() {
        let state = State::default();
        let make = |result: Result<u32>| state.enter(|contents| contents.comm(|| result).copied());
        assert!(make(Err(Error::Internal("no".into()))).is_err());
        assert_eq!((make(Ok(7)), make(Ok(8))), (Ok(7), Ok(7)));
        assert_eq!(state.into_comm(true), Some(7));
    }

    /// Only where MPI may be called, with what is kept then.
    #[test]
    fn a_system_ends_its_work_before_the_communicator_is_freed() {
        static ENDED: AtomicUsize = AtomicUsize::new(0);
        for (is_active, expected) in [(false, 0), (true, 3)] {
            let state = State::default();
            state.enter(|contents| contents.comm(|| Ok(7)).map(|_| ())).expect("free");
            state
                .enter(|contents| {
                    contents.at_end(|_: &mut First, _| unreachable!("nothing is kept"));
                    count(contents)?;
                    contents.at_end(|kept: &mut First, &comm| {
                        assert_eq!(comm, 7);
                        ENDED.fetch_add(kept.0 as usize, Ordering::Relaxed);
                    });
                    count(contents)?;
                    count(contents)
                })
                .expect("free");
            assert_eq!(state.into_comm(is_active), Some(7));
            assert_eq!(ENDED.load(Ordering::Relaxed), expected);
        }
    }

    /// A load and a store instead of one exchange would occasionally let two threads in.
    #[test]
    fn threads_that_meet_are_never_inside_together() {
        const TURNS: usize = 100_000;
        let (state, arrived, inside) = (State::default(), AtomicUsize::new(0), AtomicBool::new(false));
        let together = AtomicUsize::new(0);
        let run = || -> usize {
            let turns = (1..=TURNS).map(|turn| {
                // Busy, because what wakes threads up lets one of them be first.
                arrived.fetch_add(1, Ordering::AcqRel);
                let mut looks = 0;
                while arrived.load(Ordering::Acquire) < 2 * turn {
                    looks += 1;
                    if looks % 1000 == 0 { std::thread::yield_now() } else { std::hint::spin_loop() }
                }
                let result = state.enter(|_| {
                    together.fetch_add(usize::from(inside.swap(true, Ordering::AcqRel)), Ordering::Relaxed);
                    inside.store(false, Ordering::Release);
                    Ok(())
                });
                usize::from(result.is_ok())
            });
            turns.sum()
        };
        let entered: usize = std::thread::scope(|scope| {
            let threads = [(); 2].map(|()| scope.spawn(run));
            threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
        });
        assert_eq!(together.into_inner(), 0, "two threads were inside");
        assert!((TURNS..=2 * TURNS).contains(&entered), "{entered}");
    }
}
