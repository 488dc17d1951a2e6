//! Operations that go on while the program does something else.
//!
//! Each one is a state machine, which is looked at in every wait; none of them waits for another, but for the barriers of one
//! team, which follow each other.

use crate::coarray::Place;
use crate::collective::broadcast::Unattended;
use crate::copy::Copy;
use crate::handles::Handle;
use crate::image::{Image, Step};
use hcube_core::comm::Comm;
use hcube_core::error::Result;

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
    list: Vec<Operation>,
    /// Copies so far.
    pub(crate) copies: u64,
}

impl Operations {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn add(&mut self, operation: Operation) {
        self.list.push(operation);
    }

    /// Whether no operation needs memory of the program any more.
    pub fn are_locally_complete(&self) -> bool {
        !self.list.iter().any(|operation| match operation {
            Operation::Copy(copy) => copy.uses_memory(),
            Operation::Broadcast(broadcast) => broadcast.uses_memory(),
            Operation::Barrier { .. } | Operation::Notify(_) | Operation::Notice { .. } => false,
        })
    }

    /// The copy with a number.
    pub fn copy(&mut self, number: u64) -> Option<&mut Copy> {
        self.list.iter_mut().find_map(|operation| match operation {
            Operation::Copy(copy) if copy.number() == number => Some(&mut **copy),
            _ => None,
        })
    }
}

impl<C: Comm> Image<C> {
    /// Goes on with all operations.
    #[cold]
    pub(crate) fn advance(&mut self) -> Result<Step> {
        let mut list = std::mem::take(&mut self.operations.list);
        let (before, mut result) = (list.len(), Ok(()));
        list.retain_mut(|operation| match self.advance_one(operation) {
            Ok(has_ended) => !has_ended,
            Err(error) => {
                result = Err(error);
                false
            }
        });
        let has_ended = list.len() < before;
        // Those that were added meanwhile follow.
        list.append(&mut self.operations.list);
        self.operations.list = list;
        result.map(|()| if has_ended { Step::Worked } else { Step::Idle })
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
            self.operations.add(Operation::Notify(event));
        }
    }
}
