//! Images that have failed or stopped.
//!
//! Idea: every image has a status word in its heap. An image that fails or stops writes its own word; if its
//! process ends without this, the first image of its node that detects the end of the process writes it.
//! Images of the node read the words while they are idle; images of other nodes are notified by a message of
//! the image that wrote the word.
//!
//! Messages that an image has sent before it was gone still count. An image is therefore considered gone from
//! the second poll
//! on: messages sent before the first poll have been received by the second, because nothing more had
//! arrived, or because of `MESSAGES_PER_POLL`.
//!
//! Restrictions: only images of the same node detect the end of a process.
//! Cost: a load per image of the node in waits that have found nothing; a system call per `POLLS_PER_PROCESS`
//! of them; a message to each image of another node for an image that is gone, and, when an image stops, one
//! to each image for a failed image that it knows.

#[cfg(hcube_model)]
mod model;

pub use crate::state::options::Status;

use crate::state::messages::Kind;
use hcube_core::atomic::{self, Ordering};
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
#[cfg(not(hcube_model))]
use hcube_core::node::exit::has_ended;
use hcube_core::onesided::Onesided;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// Polls from one question about a process to the next.
const POLLS_PER_PROCESS: u32 = if cfg!(hcube_model) { 1 } else { 4096 };
/// Messages that an image takes in a wait from one poll to the next: more than the ring of another image
/// holds.
const MESSAGES_PER_POLL: u32 = 1 << 14;

/// The word of an image whose process has ended, or is ending.
pub(crate) const DIED: u64 = 3;
/// The word of an image that has stopped, and serves others until all have; see
/// [`crate::operations::ending`].
pub(crate) const SERVING: u64 = 4;
/// The word of an image that has failed, and listens until all have.
pub(crate) const LISTENING: u64 = 5;
/// Bits of the word in the tag of a message; the image follows.
const WORD_BITS: u32 = 3;

impl Status {
    const fn of(word: u64) -> Self {
        match word {
            1 | DIED | LISTENING => Self::Failed,
            2 | SERVING => Self::Stopped,
            _ => Self::Alive,
        }
    }

    /// An error unless it is alive.
    fn check(self, image: usize) -> Result<()> {
        match self {
            Self::Alive => Ok(()),
            Self::Failed => Err(Error::FailedImage { image }),
            Self::Stopped => Err(Error::StoppedImage { image }),
        }
    }
}

/// An image's knowledge of the others, and its own status.
#[derive(Debug)]
pub struct Others {
    /// Where every image has its word.
    place: usize,
    /// This image, its status, and the number of images.
    own: usize,
    own_status: Status,
    images: usize,
    /// Images that are not alive, as far as is known here.
    gone: BTreeMap<usize, Status>,
    /// Images that were already gone in the last poll: their last messages may still have been outstanding
    /// then.
    seen: BTreeMap<usize, Status>,
    /// Images whose process has ended, as far as is known here.
    died: BTreeSet<usize>,
    /// Images that have stopped or failed, and wait until all have.
    serving: BTreeSet<usize>,
    polls: u32,
    /// Messages since the last poll.
    steps: u32,
    /// Where only failures that no call has returned end a wait for what any image may do: how many one has.
    returned: Option<Cell<usize>>,
    /// The image of this node whose process is checked next.
    next: usize,
    /// Process numbers of the images of this node, where each is a process.
    processes: Vec<u32>,
    #[cfg(hcube_model)]
    ends: Vec<Option<atomic::model::End>>,
}

impl Others {
    /// Collective over `comm`.
    pub(crate) fn new<C: Comm>(comm: &C, memory: &mut Onesided<C>) -> Result<Self> {
        let place = hcube_core::comm::agree(comm, memory.heap().allocate(size_of::<u64>()))?;
        memory.own_word(place).store(Status::Alive as u64, Ordering::Relaxed);
        let own = std::process::id();
        let all = comm.all_gather(&[u64::from(own)])?;
        let mates: Vec<u32> = memory.node().iter().map(|&image| all[image] as u32).collect();
        let is_process = mates.iter().filter(|&&process| process == own).count() == 1;
        let processes = if is_process { mates } else { Vec::new() };
        Ok(Self {
            place,
            own: comm.rank(),
            own_status: Status::Alive,
            images: comm.size(),
            gone: BTreeMap::new(),
            seen: BTreeMap::new(),
            died: BTreeSet::new(),
            serving: BTreeSet::new(),
            polls: 0,
            steps: 0,
            returned: None,
            next: 0,
            processes,
            #[cfg(hcube_model)]
            ends: Vec::new(),
        })
    }

    /// Whether the process of an image of this node has ended, by its number there.
    #[cfg(not(hcube_model))]
    fn has_process_ended(&self, number: usize) -> bool {
        has_ended(self.processes[number])
    }

    /// The value of an image's status word.
    fn note(&mut self, image: usize, word: u64) {
        if word == DIED {
            self.died.insert(image);
        }
        if word == SERVING || word == LISTENING {
            self.serving.insert(image);
        }
        if Status::of(word) != Status::Alive && !self.gone.contains_key(&image) {
            self.seen.insert(image, Status::of(word));
            atomic::worked();
        }
    }

    /// A message about an image has arrived.
    pub(crate) fn note_message(&mut self, tag: u64) {
        self.note((tag >> WORD_BITS) as usize, tag & ((1 << WORD_BITS) - 1));
    }

    /// Sends the status word of an image of this node to the images of other nodes.
    fn tell<C: Comm>(&self, memory: &mut Onesided<C>, image: usize, word: u64) {
        for to in 0..self.images {
            // One that serves others waits until all have ended.
            let listens = self.status(to) == Status::Alive || self.serving.contains(&to);
            if !memory.is_here(to) && listens {
                let tag = (image as u64) << WORD_BITS | word;
                memory.send(to, Kind::Status as u8, tag, [&[], &[]]);
            }
        }
    }

    /// Polls the status words of the node's images, and checks one process from time to time. Status changes
    /// seen in the previous poll are now final.
    pub(crate) fn poll<C: Comm>(&mut self, memory: &mut Onesided<C>) {
        self.steps = 0;
        if !self.seen.is_empty() {
            atomic::worked();
        }
        self.gone.append(&mut self.seen);
        for number in 0..memory.node().len() {
            let image = memory.node()[number];
            let word = memory.here_word(image, self.place).expect("an image of this node");
            let word = word.load(Ordering::Acquire);
            if word != Status::Alive as u64 {
                self.note(image, word);
            }
        }
        self.polls = self.polls.wrapping_add(1);
        if self.polls.is_multiple_of(POLLS_PER_PROCESS) && !self.processes.is_empty() {
            // In a model all of them: a poll that asks another one finds something else.
            for _ in 0..if cfg!(hcube_model) { self.processes.len() } else { 1 } {
                self.ask_process(memory);
            }
        }
    }

    /// A message has arrived in a wait: polls if there have been many.
    pub(crate) fn poll_when_busy<C: Comm>(&mut self, memory: &mut Onesided<C>) {
        self.steps += 1;
        if self.steps >= MESSAGES_PER_POLL {
            self.poll(memory);
        }
    }

    /// Asks whether the next process of the node has ended.
    fn ask_process<C: Comm>(&mut self, memory: &mut Onesided<C>) {
        self.next = (self.next + 1) % self.processes.len();
        let image = memory.node()[self.next];
        if self.died.contains(&image) || !self.has_process_ended(self.next) {
            return;
        }
        self.died.insert(image);
        let word = memory.here_word(image, self.place).expect("an image of this node");
        let alive = Status::Alive as u64;
        // What that image has written becomes visible to others as it has to this one. What it has written
        // before its own word is acquired by the next poll, before which it does not count as gone.
        match word.compare_exchange(alive, DIED, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => {
                self.note(image, DIED);
                self.tell(memory, image, DIED);
            }
            // It had failed or stopped before, or another image was faster.
            Err(word) => self.note(image, word),
        }
    }

    /// Before this image fails or stops: notifies the others of the failed images that it knows, so that no
    /// image detects that this one has stopped without knowing the cause.
    pub(crate) fn pass_on<C: Comm>(&self, memory: &mut Onesided<C>) {
        for failed in self.with(Status::Failed) {
            let tag = (failed as u64) << WORD_BITS | Status::Failed as u64;
            for to in (0..self.images).filter(|&to| to != self.own && self.status(to) == Status::Alive) {
                memory.send(to, Kind::Status as u8, tag, [&[], &[]]);
            }
        }
    }

    /// The process of this image ends: others of its node can know it from now on.
    pub(crate) fn note_end<C: Comm>(&self, memory: &Onesided<C>) {
        memory.own_word(self.place).store(DIED, Ordering::Release);
    }

    /// This image fails or stops: all others can detect this from now on, as soon as the messages have been
    /// sent.
    pub(crate) fn announce<C: Comm>(&self, memory: &mut Onesided<C>, word: u64) {
        memory.own_word(self.place).store(word, Ordering::Release);
        self.tell(memory, self.own, word);
    }

    /// The program has ended on all images: no image waits for this one any more, so no notification is
    /// needed.
    pub(crate) fn end<C: Comm>(&mut self, memory: &Onesided<C>) {
        memory.own_word(self.place).store(Status::Stopped as u64, Ordering::Relaxed);
        self.become_gone(Status::Stopped);
    }

    /// From now on every call of this image is an error.
    pub(crate) fn become_gone(&mut self, status: Status) {
        self.own_status = status;
    }

    /// An error if this image itself has failed or stopped.
    #[inline]
    pub(crate) fn check_own(&self) -> Result<()> {
        if self.own_status == Status::Alive { Ok(()) } else { self.own_status.check(self.own) }
    }

    /// What is known of an image.
    pub fn status(&self, image: usize) -> Status {
        self.gone.get(&image).copied().unwrap_or(Status::Alive)
    }

    /// Whether no image is known to have failed or stopped.
    #[inline]
    pub(crate) fn are_all_alive(&self) -> bool {
        self.gone.is_empty()
    }

    /// Whether the process of an image has ended, as far as is known here, whether the image has failed or
    /// stopped before or not.
    pub fn has_died(&self, image: usize) -> bool {
        self.died.contains(&image)
    }

    /// Images with a status, in ascending order.
    pub fn with(&self, status: Status) -> impl Iterator<Item = usize> {
        self.gone.iter().filter(move |(_, its)| **its == status).map(|(&image, _)| image)
    }

    /// An error if an image has failed or, if none has, one has stopped.
    #[inline]
    pub(crate) fn check_all(&self) -> Result<()> {
        if self.gone.is_empty() { Ok(()) } else { self.first_gone() }
    }

    /// An error if an image has failed, whether a call has returned that or not.
    pub(crate) fn check_failed(&self) -> Result<()> {
        self.with(Status::Failed).next().map_or(Ok(()), |image| Status::Failed.check(image))
    }

    /// From now on, waits that any image may end continue if others have stopped, and after a failure that a
    /// call has returned: the program handles it.
    pub(crate) fn tolerate(&mut self) {
        self.returned = Some(Cell::new(0));
    }

    /// Whether [`Self::tolerate`] was called.
    pub(crate) fn is_tolerant(&self) -> bool {
        self.returned.is_some()
    }

    /// The program has been informed of all failures up to now.
    pub(crate) fn note_returned(&self) {
        if let Some(returned) = &self.returned {
            returned.set(self.with(Status::Failed).count());
        }
    }

    /// An error for a wait for what any image may do.
    pub(crate) fn check_any(&self) -> Result<()> {
        let Some(returned) = &self.returned else { return self.check_all() };
        if self.gone.is_empty() || self.with(Status::Failed).count() == returned.get() {
            return Ok(());
        }
        self.note_returned();
        self.first_gone()
    }

    /// An error for a wait for something that only other images do, where none is left to do it.
    pub(crate) fn check_rest(&self) -> Result<()> {
        if self.gone.len() + 1 < self.images { Ok(()) } else { self.first_gone() }
    }

    #[cold]
    fn first_gone(&self) -> Result<()> {
        let first = self.with(Status::Failed).next().or_else(|| self.with(Status::Stopped).next());
        first.map_or(Ok(()), |image| self.status(image).check(image))
    }

    /// An error if an image that is waited for is not alive. If it has stopped and another one has failed,
    /// that is why: the error is about the one that has failed.
    pub(crate) fn check(&self, image: usize) -> Result<()> {
        match self.status(image) {
            Status::Stopped => self.first_gone_or(image),
            status => status.check(image),
        }
    }

    /// As [`Self::check`], for what an image still does that has stopped and serves others.
    pub(crate) fn check_served(&self, image: usize) -> Result<()> {
        let serves = self.status(image) == Status::Stopped && self.serving.contains(&image);
        if serves { Ok(()) } else { self.check(image) }
    }

    /// Images that have stopped or failed, and take messages until all have.
    pub(crate) fn listening(&self) -> impl Iterator<Item = usize> {
        self.serving.iter().copied().filter(|image| self.gone.contains_key(image))
    }

    /// Whether an image is one of [`Self::listening`].
    pub(crate) fn listens(&self, image: usize) -> bool {
        self.serving.contains(&image)
    }

    /// Whether all images have failed or stopped, as far as is known here.
    pub(crate) fn are_all_gone(&self) -> bool {
        self.gone.len() == self.images
    }

    #[cold]
    fn first_gone_or(&self, stopped: usize) -> Result<()> {
        let failed = self.with(Status::Failed).next();
        let (image, status) = failed.map_or((stopped, Status::Stopped), |failed| (failed, Status::Failed));
        status.check(image)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_core::comm::threads;
    use hcube_core::plan::Topology;
    use std::process::Command;

    /// One image of the first node detects that the process of another one has ended, and notifies all.
    #[test]
    fn the_end_of_a_process_is_told_to_all() {
        threads::run(4, 2, |comm| {
            let topology = Topology::from_node_numbers(&comm.node_numbers().expect("no MPI"), None);
            let mut memory = Onesided::share(comm, &topology).expect("room");
            let mut others = Others::new(comm, &mut memory).expect("room");
            comm.barrier().expect("no MPI");
            if comm.rank() == 0 {
                let mut child = Command::new("true").spawn().expect("a command");
                let ended = child.id();
                child.wait().expect("a child");
                others.processes = vec![std::process::id(), ended];
            }
            if comm.rank() != 1 {
                while others.status(1) == Status::Alive {
                    assert_eq!(others.check_all(), Ok(()));
                    others.poll(&mut memory);
                    if let Some(message) = memory.receive(comm).expect("no MPI") {
                        assert_eq!(message.kind, Kind::Status as u8);
                        others.note_message(message.tag);
                    }
                }
                assert_eq!(others.check_all(), Err(Error::FailedImage { image: 1 }));
                assert_eq!((others.has_died(1), others.has_died(0)), (true, false));
            }
            comm.barrier().expect("no MPI");
        });
    }
}
