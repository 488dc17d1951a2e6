//! Words that another rank polls, written without a reply.

use super::Onesided;
use super::kinds::Kind;
use crate::atomic::{self, Ordering};
use crate::comm::Comm;
use crate::machine::work;

impl<C: Comm> Onesided<C> {
    /// Adds to the word at a location, without a reply: a rank that sees the new value also sees earlier puts
    /// of this rank there.
    #[inline]
    pub fn notify(&mut self, to: usize, offset: usize, amount: u64) {
        match self.messages.number(to) {
            Some(number) => {
                // Release only: whoever reads a sum with acquire sees what was put before each of its terms.
                self.heap.word(number, offset).fetch_add(amount, Ordering::Release);
            }
            None => {
                self.heap.word(0, offset);
                self.messages.send(to, Kind::Notify as u8, offset as u64, [&amount.to_ne_bytes(), &[]]);
                self.messages.hurry();
            }
        }
    }

    /// Replaces the word at a location, of which this rank is the only writer: a rank that sees the value
    /// also sees earlier puts of this rank there. [`Self::is_delivered`] does not wait for it: another rank
    /// waits for the value.
    #[inline]
    pub fn set(&mut self, to: usize, offset: usize, value: u64) {
        match self.messages.number(to) {
            Some(number) => self.heap.word(number, offset).store(value, Ordering::Release),
            None => {
                self.heap.word(0, offset);
                self.messages.send(to, Kind::Set as u8, offset as u64, [&value.to_ne_bytes(), &[]]);
                self.messages.hurry_to(to);
            }
        }
    }

    /// Writes the bytes after a word, then replaces the word as [`Self::set`] does: a rank that sees the
    /// value also sees the bytes.
    pub fn publish(&mut self, comm: &C, to: usize, offset: usize, value: u64, bytes: &[u8]) {
        let place = offset + size_of::<u64>();
        match self.messages.number(to) {
            Some(number) => {
                let into = self.heap.region(number, place, bytes.len());
                atomic::written(into.address());
                into.write(bytes);
                comm.charge(work::COPY.of(bytes.len()));
                self.heap.word(number, offset).store(value, Ordering::Release);
            }
            None => {
                self.heap.word(0, offset);
                let payload = [&value.to_ne_bytes(), bytes];
                self.messages.send(to, Kind::Publish as u8, offset as u64, payload);
                self.messages.hurry_to(to);
            }
        }
    }
}
