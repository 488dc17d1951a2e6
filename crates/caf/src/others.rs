//! Images that have failed or stopped.
//!
//! Idea: every image has a word in its heap that says whether it is alive. Whoever waits for others in vain looks now and then
//! at those of its node, and at whether their processes are there; images of other nodes are told by a message.
//!
//! Cost: a load per look in waits that have found nothing; a system call per [`LOOKS_PER_PROCESS`] of them.

use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::node::exit::has_ended;
use hcube_core::onesided::Onesided;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// Looks from one question about a process to the next.
const LOOKS_PER_PROCESS: u32 = 4096;

/// What is known of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Status {
    /// It is alive.
    Alive,
    /// It has failed.
    Failed,
    /// It has ended normally.
    Stopped,
}

impl Status {
    const fn of(word: u64) -> Self {
        match word {
            1 => Self::Failed,
            2 => Self::Stopped,
            _ => Self::Alive,
        }
    }
}

/// The other images.
#[derive(Debug)]
pub struct Others {
    /// Where every image has its word.
    place: usize,
    /// Images that are not alive, as far as is known here.
    gone: BTreeMap<usize, Status>,
    /// Those of which this was seen in the last look: what they have sent before may still be under way.
    seen: BTreeMap<usize, Status>,
    looks: u32,
    /// The image of this node whose process is asked about next.
    next: usize,
    /// Process numbers of the images of this node, where each is a process.
    processes: Vec<u32>,
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
        Ok(Self { place, gone: BTreeMap::new(), seen: BTreeMap::new(), looks: 0, next: 0, processes })
    }

    /// An image has said what it is.
    pub(crate) fn note(&mut self, image: usize, status: u64) {
        if Status::of(status) != Status::Alive {
            self.seen.insert(image, Status::of(status));
        }
    }

    /// Looks at the words of the node's images, and at one process from time to time, when nothing has arrived. What the last
    /// look has seen is certain now: nothing that was sent before is under way.
    pub(crate) fn look<C: Comm>(&mut self, memory: &Onesided<C>) {
        self.gone.append(&mut self.seen);
        let node = memory.node();
        for &image in node {
            let word = memory.here_word(image, self.place).expect("an image of this node");
            let status = word.load(Ordering::Acquire);
            if status != Status::Alive as u64 && !self.gone.contains_key(&image) {
                self.note(image, status);
            }
        }
        self.looks = self.looks.wrapping_add(1);
        if self.looks.is_multiple_of(LOOKS_PER_PROCESS) && !self.processes.is_empty() {
            self.next = (self.next + 1) % self.processes.len();
            let image = node[self.next];
            if has_ended(self.processes[self.next]) && !self.gone.contains_key(&image) {
                self.seen.insert(image, Status::Failed);
            }
        }
    }

    /// What is known of an image.
    pub fn status(&self, image: usize) -> Status {
        self.gone.get(&image).copied().unwrap_or(Status::Alive)
    }

    /// Images with a status, in ascending order.
    pub fn with(&self, status: Status) -> impl Iterator<Item = usize> {
        self.gone.iter().filter(move |(_, its)| **its == status).map(|(&image, _)| image)
    }

    /// Where every image has its word.
    pub(crate) fn place(&self) -> usize {
        self.place
    }

    /// An error where an image has failed.
    pub(crate) fn check_failed(&self) -> Result<()> {
        self.with(Status::Failed).next().map_or(Ok(()), |image| Err(Error::FailedImage { image }))
    }

    /// An error where an image that is waited for is not alive.
    pub(crate) fn check(&self, image: usize) -> Result<()> {
        match self.status(image) {
            Status::Alive => Ok(()),
            Status::Failed => Err(Error::FailedImage { image }),
            Status::Stopped => Err(Error::StoppedImage { image }),
        }
    }
}
