//! The messages of a general exchange in place.
//!
//! A rank requests every part of its receive blocks as soon as its place contains nothing that is still to be
//! sent. The sender replies with the bytes, in several messages if they are not contiguous. Messages of one
//! pair are not reordered, so each message continues the part that was requested first. An empty message
//! signals that the sender has written the whole part itself.

use super::direct::{Direct, Done, Question};
use super::ledger::{Fragment, Ledger, Place};
use crate::task::Task;
use hcube_core::comm::owned::Owned;
use hcube_core::comm::requests::{Finished, Requests};
use hcube_core::comm::{Comm, tags};
use hcube_core::error::{Error, Result};
use hcube_core::machine::work::COPY;
use hcube_core::memory::Region;
use hcube_core::progress::wait::Patience;
use std::collections::VecDeque;
use std::ops::Range;

const QUESTION: i32 = tags::ALLTOALL_GENERAL.tag(0);
const ANSWER: i32 = tags::ALLTOALL_GENERAL.tag(1);
/// Parts of a block that are shorter wait for more, unless nothing else can be done.
const MIN_PART_BYTES: usize = if cfg!(hcube_model) { 64 } else { 4 << 10 };
/// Largest message, below the limit of MPI's counts.
const MAX_PART_BYTES: usize = 1 << 30;
/// Largest part that is written to the memory of another rank; this rank does nothing else meanwhile.
const MAX_WRITTEN_BYTES: usize = 512 << 10;
/// Pieces that the extra memory is divided into, so that one is filled while others are sent.
const PIECES: usize = 4;
/// Maximum number of outstanding replies; it bounds the time of a poll.
const MAX_UNDER_WAY: usize = 64;

/// The outstanding messages.
#[derive(Debug)]
enum Flight {
    Answer(Fragment),
    Received(usize),
}

/// A pending exchange.
pub struct Traffic<'s, 'e, C: Comm> {
    comm: &'e C,
    task: &'e Task<'e>,
    requests: &'s mut Requests<'e, C>,
    ledger: Ledger,
    extra: Region<'e>,
    direct: Direct,
    /// By sender: requests that have not been answered, in order.
    asked: Vec<VecDeque<Range<usize>>>,
    /// Questions and empty answers of this rank.
    words: Vec<Owned<C>>,
    /// Requests of other ranks.
    questions: VecDeque<Question>,
    /// By the labels of requests.
    flights: Vec<Option<Flight>>,
}

impl<'s, 'e, C: Comm> Traffic<'s, 'e, C> {
    /// The blocks of the task are contiguous, and match the blocks of all other ranks; `ledger` was created
    /// from the addresses of the task's blocks and the size of `extra`.
    pub fn new(
        comm: &'e C,
        task: &'e Task<'e>,
        ledger: Ledger,
        (extra, direct): (Region<'e>, Direct),
        requests: &'s mut Requests<'e, C>,
    ) -> Self {
        let asked = (0..comm.size()).map(|_| VecDeque::new()).collect();
        let (words, questions, flights) = (Vec::new(), VecDeque::new(), Vec::new());
        Self { comm, task, requests, ledger, extra, direct, asked, words, questions, flights }
    }

    /// Returns when this rank has received and sent all of its blocks, with what it has done for that.
    ///
    /// # Errors
    /// Of MPI; other ranks are waiting then, so the job must end.
    pub fn run(mut self, patience: Patience) -> Result<Done> {
        let patience = patience.for_costly_polls();
        let mut wait = patience.wait();
        loop {
            let moved = self.step()?;
            if self.ledger.is_settled() && self.requests.is_empty() && self.words.is_empty() {
                return Ok(self.direct.done());
            }
            if moved {
                wait = patience.wait();
            } else {
                wait.pause(self.comm);
            }
        }
    }

    /// Does what can be done now; whether that was anything.
    fn step(&mut self) -> Result<bool> {
        let mut moved = self.complete()? | self.listen()? | self.receive()? | self.answer()?;
        while self.evict() {
            moved = true;
            self.fill(MIN_PART_BYTES)?;
        }
        let waits = moved || !self.requests.is_empty() || self.asked.iter().any(|parts| !parts.is_empty());
        // A rank that waits for nothing else would never make progress.
        Ok(self.fill(if waits { MIN_PART_BYTES } else { 1 })? || moved)
    }

    /// Tests the outstanding messages.
    fn complete(&mut self) -> Result<bool> {
        let mut index = 0;
        while index < self.words.len() {
            if self.words[index].has_finished(self.comm)? {
                self.words.swap_remove(index);
            } else {
                index += 1;
            }
        }
        let mut moved = false;
        while let Some(Finished { label, .. }) = self.requests.test_any()? {
            moved = true;
            match self.flights[label].take().expect("a label that is under way") {
                Flight::Answer(fragment) => self.ledger.left(&fragment),
                Flight::Received(bytes) => self.ledger.received(bytes),
            }
        }
        Ok(moved)
    }

    /// Takes the questions that have arrived.
    fn listen(&mut self) -> Result<bool> {
        let mut moved = false;
        while let Some((from, _)) = self.comm.arrived(QUESTION)? {
            let mut message = Owned::receive(self.comm, vec![0; Question::BYTES], from, QUESTION)?;
            while !message.has_finished(self.comm)? {}
            let take = |part| self.ledger.take(from, part);
            self.questions.push_back(Question::read(from, &message.into_buffer(), take));
            moved = true;
        }
        Ok(moved)
    }

    /// Starts to receive the answers that have arrived.
    fn receive(&mut self) -> Result<bool> {
        let mut moved = false;
        while let Some((from, bytes)) = self.comm.arrived(ANSWER)? {
            let part = self.asked[from].front_mut().filter(|part| part.len() >= bytes);
            let Some(part) = part else {
                return Err(Error::Internal(format!(
                    "{bytes} bytes from rank {from} that were not asked for"
                )));
            };
            let place = part.start..part.start + bytes;
            // An empty answer: the sender has written the part.
            let written = if bytes == 0 { part.len() } else { 0 };
            part.start = place.end + written;
            if part.start == part.end {
                self.asked[from].pop_front();
            }
            let label = self.label(Flight::Received(bytes + written));
            self.requests.receive_region(label, incoming(self.task, from).part(place), from, ANSWER)?;
            moved = true;
        }
        Ok(moved)
    }

    /// Writes requested bytes, or starts to send them.
    fn answer(&mut self) -> Result<bool> {
        let mut moved = false;
        while self.requests.len() < MAX_UNDER_WAY
            && let Some(mut question) = self.questions.pop_front()
        {
            moved = true;
            if self.write(&mut question)? {
                self.words.push(Owned::send(self.comm, Vec::new(), question.from, ANSWER)?);
                // Others may be waiting for something else, which this rank handles first.
                break;
            }
            let fragment = question.fragments.pop_front().expect("parts are not empty");
            let (place, to) = (fragment.region(self.task, self.extra), fragment.to);
            self.direct.note_sent(place.len());
            let label = self.label(Flight::Answer(fragment));
            self.requests.send_region(label, place, to, ANSWER)?;
            if !question.fragments.is_empty() {
                self.questions.push_front(question);
            }
        }
        Ok(moved)
    }

    /// Writes all requested bytes, if that is possible and worth a system call.
    fn write(&mut self, question: &mut Question) -> Result<bool> {
        let bytes = question.len();
        let written = bytes >= MIN_PART_BYTES
            && self.direct.answer(question, |fragment| fragment.region(self.task, self.extra))?;
        if written {
            self.comm.charge(COPY.of(bytes));
            question.fragments.iter().for_each(|fragment| self.ledger.left(fragment));
        }
        Ok(written)
    }

    /// Makes room; whether it has.
    fn evict(&mut self) -> bool {
        let piece = (self.extra.len() / PIECES).clamp(1, MAX_PART_BYTES);
        let Some((fragment, at)) = self.ledger.evict(piece) else { return false };
        self.copy(&fragment, self.extra.part(at..at + fragment.range.len()));
        true
    }

    /// Asks for the bytes of all holes of at least this length, and copies this rank's own.
    fn fill(&mut self, least: usize) -> Result<bool> {
        let (own, ranks) = (self.comm.rank(), self.comm.size());
        let mut moved = false;
        for from in (own..ranks).chain(0..own) {
            let most = if self.direct.is_offered(from) { MAX_WRITTEN_BYTES } else { MAX_PART_BYTES };
            while let Some(hole) = self.ledger.take_hole(from, least, most) {
                moved = true;
                if from == own {
                    self.keep(hole.range);
                    continue;
                }
                let place = incoming(self.task, from).part(hole.range.clone());
                let question = self.direct.ask(from, &hole.range, place);
                self.words.push(Owned::send(self.comm, question, from, QUESTION)?);
                self.asked[from].push_back(hole.range);
            }
        }
        Ok(moved)
    }

    /// Copies a part of this rank's block for itself.
    fn keep(&mut self, part: Range<usize>) {
        let own = self.comm.rank();
        for fragment in self.ledger.take(own, part) {
            self.copy(&fragment, incoming(self.task, own).part(fragment.range.clone()));
            self.ledger.received(fragment.range.len());
            self.ledger.left(&fragment);
        }
    }

    fn copy(&self, fragment: &Fragment, to: Region<'_>) {
        fragment.region(self.task, self.extra).copy_to(to);
        self.comm.charge(COPY.of(fragment.range.len()));
    }

    fn label(&mut self, flight: Flight) -> usize {
        let free = self.flights.iter().position(Option::is_none);
        let label = free.unwrap_or(self.flights.len());
        if label == self.flights.len() {
            self.flights.push(None);
        }
        self.flights[label] = Some(flight);
        label
    }
}

impl Fragment {
    /// Its memory.
    fn region<'e>(&self, task: &Task<'e>, extra: Region<'e>) -> Region<'e> {
        let Range { start, end } = self.range;
        match self.place {
            Place::Block => task.outgoing(self.to).region().expect("contiguous").part(start..end),
            Place::Extra(at) => extra.part(at..at + (end - start)),
        }
    }
}

fn incoming<'e>(task: &Task<'e>, from: usize) -> Region<'e> {
    task.incoming(from).region().expect("contiguous")
}
