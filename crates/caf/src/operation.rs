//! Operations that go on while the program does something else.
//!
//! Each one is a state machine, which is looked at in every wait; none of them waits for another, but for the barriers of one
//! team, which follow each other.

use crate::coarray::Place;
use crate::collective::broadcast::Unattended;
use crate::copy::Copy;
use crate::finish::Scope;
use crate::handles::Handle;
use crate::image::{Image, Step};
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};

/// An operation that goes on.
#[derive(Debug)]
pub(crate) enum Operation {
    /// A barrier, by its number, and the event that is notified at its end.
    Barrier { team: Handle, number: u64, event: Option<Place> },
    /// A copy.
    Copy(Box<Copy>),
    /// An event that is notified when what this image has put before is there.
    Notify(Place),
    /// A broadcast.
    Broadcast(Box<Unattended>),
    /// Another image waits for a notice of an event of this one; see [`crate::copy`].
    Notice { offset: usize, for_image: usize, number: u64 },
}

/// Those of an image.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    /// Each with the finish block in which this image has started it.
    list: Vec<(Scope, Operation)>,
    /// Copies so far.
    pub(crate) copies: u64,
    /// The error of the first operation that has ended with one, until somebody is told.
    error: Option<Error>,
}

impl Operations {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds one that was started in a finish block.
    pub fn add(&mut self, scope: Scope, operation: Operation) {
        self.list.push((scope, operation));
    }

    /// Whether all are over that this image has started in a finish block; in the whole program, where that is named.
    pub fn are_over(&self, scope: Scope) -> bool {
        let is_of_block = |of: Scope| of == scope || scope == Scope::PROGRAM;
        // A notice is what another image has started.
        let goes_on = |operation: &Operation| !matches!(operation, Operation::Notice { .. });
        !self.list.iter().any(|(of, operation)| is_of_block(*of) && goes_on(operation))
    }

    /// The error with which an operation has ended: for functions of the program that wait for operations, not for what other
    /// images wait for as well.
    ///
    /// # Errors
    /// That one; once.
    pub fn check(&mut self) -> Result<()> {
        self.error.take().map_or(Ok(()), Err)
    }

    /// Whether no operation needs memory of the program any more.
    pub fn are_locally_complete(&self) -> bool {
        !self.list.iter().any(|(_, operation)| match operation {
            Operation::Copy(copy) => copy.uses_memory(),
            Operation::Broadcast(broadcast) => broadcast.uses_memory(),
            Operation::Barrier { .. } | Operation::Notify(_) | Operation::Notice { .. } => false,
        })
    }

    /// The copy with a number.
    pub fn copy(&mut self, number: u64) -> Option<&mut Copy> {
        self.list.iter_mut().find_map(|(_, operation)| match operation {
            Operation::Copy(copy) if copy.number() == number => Some(&mut **copy),
            _ => None,
        })
    }
}

impl<C: Comm> Image<C> {
    /// Advances all operations. An error of one of them is kept; see [`Operations::check`].
    #[cold]
    pub(crate) fn advance(&mut self) -> Step {
        let mut list = std::mem::take(&mut self.operations.list);
        let before = list.len();
        list.retain_mut(|(_, operation)| match self.advance_one(operation) {
            Ok(has_ended) => !has_ended,
            Err(error) => {
                self.operations.error.get_or_insert(error);
                false
            }
        });
        let has_ended = list.len() < before;
        // Those that were added meanwhile follow.
        list.append(&mut self.operations.list);
        self.operations.list = list;
        if has_ended { Step::Worked } else { Step::Idle }
    }

    /// Goes on with an operation. Whether it has ended.
    fn advance_one(&mut self, operation: &mut Operation) -> Result<bool> {
        match operation {
            Operation::Barrier { team, number, event } => {
                let has_ended = self.barrier_has_ended(*team, *number)?;
                if let (true, Some(event)) = (has_ended, *event) {
                    self.memory.notify(event.image, event.offset, 1);
                }
                Ok(has_ended)
            }
            Operation::Copy(copy) => self.advance_copy(copy),
            Operation::Notify(event) => Ok(self.has_notified(*event)),
            Operation::Broadcast(broadcast) => self.advance_unattended(broadcast),
            Operation::Notice { offset, for_image, number } => {
                let is_taken = self.take_notice_at(*offset);
                if is_taken {
                    self.tell_notice(*for_image, *number);
                }
                Ok(is_taken)
            }
        }
    }

    /// Notifies an event, if what this image has put before is there for whoever waits for it. Whether that is so.
    fn has_notified(&mut self, Place { image, offset }: Place) -> bool {
        let is_made = self.memory.is_made(Some(image));
        if is_made {
            self.memory.notify(image, offset, 1);
        }
        is_made
    }

    /// Notifies an event as soon as what this image has put before is there for whoever waits for it.
    pub(crate) fn notify_when_made(&mut self, event: Place) {
        if !self.has_notified(event) {
            let scope = self.finishes.scope();
            self.operations.add(scope, Operation::Notify(event));
        }
    }
}
