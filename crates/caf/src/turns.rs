//! The lock between the program and the progress thread. It is recursive, because shipped functions call the
//! runtime.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::{Condvar, Mutex};

thread_local! {
    /// How often this thread has taken its turn.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// The lock.
#[derive(Debug, Default)]
pub struct Turns {
    is_taken: Mutex<bool>,
    is_free: Condvar,
}

/// A turn; it ends when this is dropped.
#[derive(Debug)]
pub struct Turn<'a> {
    turns: &'a Turns,
    /// It stays on its thread.
    stays: PhantomData<*const ()>,
}

impl Turns {
    /// Waits for this thread's turn.
    pub fn take(&self) -> Turn<'_> {
        let depth = DEPTH.get();
        if depth == 0 {
            let taken = self.is_taken.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let waited = self.is_free.wait_while(taken, |taken| *taken);
            *waited.unwrap_or_else(std::sync::PoisonError::into_inner) = true;
        }
        DEPTH.set(depth + 1);
        Turn { turns: self, stays: PhantomData }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let depth = DEPTH.get() - 1;
        DEPTH.set(depth);
        if depth == 0 {
            *self.turns.is_taken.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = false;
            self.turns.is_free.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn one_thread_at_a_time_and_a_thread_again() {
        let (turns, count) = (Turns::default(), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        let _outer = turns.take();
                        let before = count.load(Ordering::Relaxed);
                        let _inner = turns.take();
                        count.store(before + 1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(count.load(Ordering::Relaxed), 3000);
    }
}
