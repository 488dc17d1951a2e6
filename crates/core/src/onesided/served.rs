//! The owner's side of accesses of other nodes to its part of the heap.

use super::Onesided;
use super::kinds::{KINDS, Kind, apply, operation};
use super::strided::Shape;
use crate::active::{Message, Payload};
use crate::atomic::{self, Ordering};
use crate::comm::Comm;
use crate::error::{Error, Result};
use crate::machine::work;
use crate::memory::Region;

impl<C: Comm> Onesided<C> {
    /// Performs the access of a message.
    pub(super) fn serve(&mut self, comm: &C, message: Message) -> Result<()> {
        atomic::worked();
        let Message { from, kind, tag, payload } = message;
        let broken =
            || Error::Internal(format!("rank {from} asks for an access that there is not: kind {kind}"));
        match KINDS.into_iter().find(|&known| known as u8 == kind).ok_or_else(broken)? {
            Kind::Put => {
                let region = self.checked(tag as usize, payload.len()).ok_or_else(broken)?;
                atomic::written(region.address());
                region.write(&payload);
                comm.charge(work::COPY.of(payload.len()));
            }
            Kind::Get => {
                let [offset, length, at] = payload.words();
                let (offset, length) = (offset as usize, length as usize);
                self.checked(offset, length).ok_or_else(broken)?;
                let read = self.heap.region(self.heap.own_number(), offset, length);
                atomic::read(read.address());
                comm.charge(work::COPY.of(length));
                self.messages.send_region(from, Kind::Bytes as u8, tag, &at.to_ne_bytes(), read);
                self.messages.hurry();
            }
            Kind::Bytes => {
                comm.charge(work::COPY.of(payload.len()));
                if !self.requests.write(tag, payload) {
                    return Err(broken());
                }
            }
            Kind::Notify => {
                let [amount] = payload.words();
                self.checked_word(tag as usize).ok_or_else(broken)?;
                self.own_word(tag as usize).fetch_add(amount, Ordering::Release);
            }
            Kind::Set => {
                let [value] = payload.words();
                self.checked_word(tag as usize).ok_or_else(broken)?;
                // Not a copy: other ranks of this node may poll the word for what was put before.
                self.own_word(tag as usize).store(value, Ordering::Release);
            }
            Kind::Publish => {
                let [value] = payload.words();
                let bytes = payload.get(size_of::<u64>()..).ok_or_else(broken)?;
                let word = tag as usize;
                self.checked_word(word).ok_or_else(broken)?;
                let into = self.checked(word + size_of::<u64>(), bytes.len()).ok_or_else(broken)?;
                atomic::written(into.address());
                into.write(bytes);
                comm.charge(work::COPY.of(bytes.len()));
                self.own_word(word).store(value, Ordering::Release);
            }
            Kind::Atomic => {
                let [offset, code, operand, expected] = payload.words();
                self.checked_word(offset as usize).ok_or_else(broken)?;
                let operation = operation(code, expected).ok_or_else(broken)?;
                let before = apply(self.own_word(offset as usize), operation, operand);
                self.messages.send(from, Kind::Word as u8, tag, [&before.to_ne_bytes(), &[]]);
                self.messages.hurry();
            }
            Kind::Word => {
                let [value] = payload.words();
                if !self.requests.answer(tag, value) {
                    return Err(broken());
                }
            }
            Kind::PutShape => {
                let (shape, elements) = Shape::from_bytes(&payload).ok_or_else(broken)?;
                let range = shape.range(tag as usize).filter(|_| shape.bytes() == elements.len());
                let range = range.ok_or_else(broken)?;
                let into = self.checked(range.start, range.len()).ok_or_else(broken)?;
                // SAFETY: bytes of the message, which are only read.
                shape.scatter(unsafe { Region::new(elements.as_ptr().cast_mut(), elements.len()) }, into);
                comm.charge(work::COPY.of(elements.len()));
            }
            Kind::GetShape => self.serve_shape(comm, from, tag, &payload).ok_or_else(broken)?,
        }
        Ok(())
    }

    /// Sends the elements of a shape.
    fn serve_shape(&mut self, comm: &C, from: usize, tag: u64, payload: &Payload) -> Option<()> {
        let [offset, at] = payload.words();
        let (shape, _) = Shape::from_bytes(payload.get(2 * size_of::<u64>()..)?)?;
        let range = shape.range(offset as usize)?;
        let elements = self.checked(range.start, range.len())?;
        let mut packed = vec![0; shape.bytes()];
        shape.gather(elements, Region::of(&mut packed));
        comm.charge(work::COPY.of(packed.len()));
        let payload = [&at.to_ne_bytes(), &packed[..]];
        self.messages.send(from, Kind::Bytes as u8, tag, payload);
        self.messages.hurry();
        Some(())
    }

    /// A range of this rank's part, if others may access it.
    fn checked(&self, offset: usize, length: usize) -> Option<Region<'_>> {
        self.is_accessible(offset, length).then(|| self.own(offset, length))
    }

    /// Whether there is a word of this rank's part.
    fn checked_word(&self, offset: usize) -> Option<()> {
        (offset.is_multiple_of(size_of::<u64>()) && self.checked(offset, size_of::<u64>()).is_some())
            .then_some(())
    }
}
