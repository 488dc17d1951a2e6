//! Pending operations: operations that are advanced while the program does something else.
//!
//! Each pending operation is a state machine, which is advanced in every wait; none waits for another, except
//! the barriers of one team, which are ordered. This module does not know the operations: they are values
//! that can be advanced with an image, of the type `I`.

use crate::state::finish::Scope;
use hcube_core::error::{Error, Result};

/// A pending operation.
pub(crate) trait Operation<I> {
    /// Goes on. Whether it has ended.
    ///
    /// # Errors
    /// The operation has ended with this error.
    fn advance(&mut self, image: &mut I) -> Result<bool>;

    /// Whether memory of the program is still read or written.
    fn uses_memory(&self) -> bool {
        false
    }

    /// Whether another image has started it, so that no finish block of this one waits for it.
    fn is_of_another_image(&self) -> bool {
        false
    }
}

/// The pending operations of an image.
pub(crate) struct Pending<I> {
    /// Each with the finish block in which this image has started it.
    list: Vec<(Scope, Box<dyn Operation<I>>)>,
    /// The error of the first operation that has ended with one, until it is returned.
    error: Option<Error>,
}

impl<I> Default for Pending<I> {
    fn default() -> Self {
        Self { list: Vec::new(), error: None }
    }
}

impl<I> Pending<I> {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds one that was started in a finish block.
    pub fn add(&mut self, scope: Scope, operation: impl Operation<I> + 'static) {
        self.list.push((scope, Box::new(operation)));
    }

    /// Advances all operations. Returns whether one has ended. An error of one of them is stored; see
    /// [`Self::check`].
    pub fn advance(&mut self, image: &mut I) -> bool {
        let Self { list, error } = self;
        let before = list.len();
        list.retain_mut(|(_, operation)| match operation.advance(image) {
            Ok(has_ended) => !has_ended,
            Err(its) => {
                error.get_or_insert(its);
                false
            }
        });
        list.len() < before
    }

    /// Adds those that were started while these were advanced.
    pub fn append(&mut self, mut started: Self) {
        self.list.append(&mut started.list);
    }

    /// Whether all are over that this image has started in a finish block; in the whole program, where that
    /// is named.
    pub fn are_over(&self, scope: Scope) -> bool {
        let is_of_block = |of: Scope| of == scope || scope == Scope::PROGRAM;
        !self.list.iter().any(|(of, operation)| is_of_block(*of) && !operation.is_of_another_image())
    }

    /// The error with which an operation has ended: for functions of the program that wait for operations,
    /// not for what other images wait for as well.
    ///
    /// # Errors
    /// That one; once.
    pub fn check(&mut self) -> Result<()> {
        self.error.take().map_or(Ok(()), Err)
    }

    /// Whether no operation needs memory of the program any more.
    pub fn are_locally_complete(&self) -> bool {
        !self.list.iter().any(|(_, operation)| operation.uses_memory())
    }
}
