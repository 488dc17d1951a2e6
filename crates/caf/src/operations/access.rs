//! Access to the coarrays of members: put, get, sections, atomic operations on words.
//!
//! Idea: the address is looked up first ([`Runtime::place`]), then accessed. A put waits only for buffer
//! space; a get and an atomic operation wait for their results.
//!
//! Cost: see [`hcube_core::onesided`]. Source: Jin et al. 2011, §II-C.

use crate::engine::image::Image;
use crate::engine::runtime::Runtime;
use crate::state::coarray::Use;
use crate::state::handles::Handle;
use crate::state::place::Place;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::onesided::{Atomic, Request, Shape};

impl<C: Comm> Image<C> {
    /// The memory of a range on a member of the team of all images, if it is on this node: the common case.
    /// `None` in all unusual or erroneous cases.
    #[inline(always)]
    fn reach(&self, coarray: Handle, rank: usize, at: usize, length: usize) -> Option<Region<'_>> {
        let offset = self.coarrays.find(coarray)?.direct_offset(rank, at, length)?;
        if self.others.check_own().is_err() {
            return None;
        }
        self.memory.here(rank, offset, length)
    }

    /// Writes to a coarray on a member of this node, if [`Self::reach`] finds it. Whether it has.
    #[inline(always)]
    fn put_here(&mut self, coarray: Handle, rank: usize, at: usize, from: Region<'_>) -> bool {
        let Some(into) = self.reach(coarray, rank, at, from.len()) else { return false };
        from.copy_to(into);
        self.memory.count_put(&self.comm, from.len());
        true
    }

    /// As [`Self::put_here`], for a read.
    #[inline(always)]
    fn get_here(&mut self, coarray: Handle, rank: usize, at: usize, into: Region<'_>) -> bool {
        let Some(from) = self.reach(coarray, rank, at, into.len()) else { return false };
        from.copy_to(into);
        self.memory.count_get(&self.comm, into.len());
        true
    }

    /// An atomic operation on a word of a member of this node, if [`Self::reach`] finds it: what it was
    /// before.
    #[inline(always)]
    fn atomic_here(
        &mut self,
        coarray: Handle,
        rank: usize,
        at: usize,
        operation: Atomic,
        operand: u64,
    ) -> Option<u64> {
        self.reach(coarray, rank, at, size_of::<u64>())?;
        let offset = self.coarrays.find(coarray)?.offset() + at;
        self.memory.atomic_here(rank, offset, operation, operand)
    }
}

impl<C: Comm> Runtime<C> {
    /// Writes to a coarray on a member, from `at` on. The bytes are there for others at the next
    /// synchronisation.
    ///
    /// # Errors
    /// As [`Self::place`].
    #[inline]
    pub fn put(&self, coarray: Handle, rank: usize, at: usize, from: Region<'_>) -> Result<()> {
        if self.image.borrow_mut().put_here(coarray, rank, at, from) {
            return Ok(());
        }
        self.put_elsewhere(coarray, rank, at, from)
    }

    #[cold]
    fn put_elsewhere(&self, coarray: Handle, rank: usize, at: usize, from: Region<'_>) -> Result<()> {
        let place = self.place_of_data(coarray, rank, at, from.len())?;
        self.put_place(place, from)
    }

    #[inline]
    pub(crate) fn put_place(&self, Place { image: to, offset }: Place, from: Region<'_>) -> Result<()> {
        let mut at = 0;
        loop {
            self.wait_for_room(to)?;
            at = self.with(|image| Ok(image.memory.put_some(&image.comm, to, offset, from, at)))?;
            if at == from.len() {
                return Ok(());
            }
        }
    }

    /// Reads from a coarray on a member, from `at` on.
    ///
    /// # Errors
    /// As [`Self::place`].
    #[inline]
    pub fn get(&self, coarray: Handle, rank: usize, at: usize, into: Region<'_>) -> Result<()> {
        if self.image.borrow_mut().get_here(coarray, rank, at, into) {
            return Ok(());
        }
        self.get_elsewhere(coarray, rank, at, into)
    }

    #[cold]
    fn get_elsewhere(&self, coarray: Handle, rank: usize, at: usize, into: Region<'_>) -> Result<()> {
        let place = self.place_of_data(coarray, rank, at, into.len())?;
        self.get_place(place, into)
    }

    #[inline]
    pub(crate) fn get_place(&self, Place { image: from, offset }: Place, into: Region<'_>) -> Result<()> {
        let request = self.with(|image| Ok(image.memory.get(&image.comm, from, offset, into)))?;
        self.wait_for_bytes(from, request, into)
    }

    /// Waits for bytes of an image, even if others are gone.
    fn wait_for_bytes(&self, from: usize, request: Request, into: Region<'_>) -> Result<()> {
        let result = self.wait_for_image(from, |image| Ok(image.memory.is_read(request, into).then_some(())));
        self.cancel_unless_done(request, result)
    }

    /// The place of the elements of a shape on a member, from `at` on.
    fn place_of_shape(&self, coarray: Handle, rank: usize, at: usize, shape: &Shape) -> Result<Place> {
        let outside = || {
            let bounds = shape.bounds();
            let given = format!("{}..{} from offset {at} on", bounds.start, bounds.end);
            Error::argument("section", given, "bytes of the coarray")
        };
        self.with(|image| image.coarrays.get_for(coarray, Use::Data).map(drop))?;
        let range = shape.range(at).ok_or_else(outside)?;
        let Place { image, offset } =
            self.place(coarray, rank, range.start, range.len()).map_err(|error| match error {
                Error::Argument { name: "offset + bytes", .. } => outside(),
                error => error,
            })?;
        Ok(Place { image, offset: offset + at - range.start })
    }

    /// That a shape lies in the part of a member of a coarray, from `at` on.
    ///
    /// # Errors
    /// As [`Self::place`].
    pub fn check_section(&self, coarray: Handle, rank: usize, at: usize, shape: &Shape) -> Result<()> {
        self.place_of_shape(coarray, rank, at, shape).map(drop)
    }

    /// Writes packed bytes to the elements of a shape of a coarray on a member, from `at` on.
    ///
    /// # Errors
    /// As [`Self::place`].
    pub fn put_shape(
        &self,
        coarray: Handle,
        rank: usize,
        at: usize,
        shape: &Shape,
        from: Region<'_>,
    ) -> Result<()> {
        let Place { image: to, offset } = self.place_of_shape(coarray, rank, at, shape)?;
        self.wait_for_room(to)?;
        self.change(|image| image.memory.put_shape(&image.comm, to, offset, shape, from))
    }

    /// Reads the elements of a shape of a coarray on a member into packed bytes, from `at` on.
    ///
    /// # Errors
    /// As [`Self::place`].
    pub fn get_shape(
        &self,
        coarray: Handle,
        rank: usize,
        at: usize,
        shape: &Shape,
        into: Region<'_>,
    ) -> Result<()> {
        let Place { image: from, offset } = self.place_of_shape(coarray, rank, at, shape)?;
        let request =
            self.with(|image| Ok(image.memory.get_shape(&image.comm, from, offset, shape, into)))?;
        self.wait_for_bytes(from, request, into)
    }

    /// An atomic operation on a word of a coarray on a member, at `at`: what it was before.
    ///
    /// # Errors
    /// As [`Self::place`], and for a word that does not begin at a multiple of 8 bytes.
    #[inline]
    pub fn atomic(
        &self,
        coarray: Handle,
        rank: usize,
        at: usize,
        operation: Atomic,
        operand: u64,
    ) -> Result<u64> {
        if !at.is_multiple_of(size_of::<u64>()) {
            return Err(Error::argument("offset", at, "a multiple of 8"));
        }
        let before = self.image.borrow_mut().atomic_here(coarray, rank, at, operation, operand);
        match before {
            Some(before) => Ok(before),
            None => self.atomic_elsewhere(coarray, rank, at, operation, operand),
        }
    }

    #[cold]
    fn atomic_elsewhere(
        &self,
        coarray: Handle,
        rank: usize,
        at: usize,
        operation: Atomic,
        operand: u64,
    ) -> Result<u64> {
        let place = match operation {
            // Reading an event or a lock is harmless.
            Atomic::Load => self.place(coarray, rank, at, size_of::<u64>()),
            _ => self.place_of_data(coarray, rank, at, size_of::<u64>()),
        }?;
        self.atomic_place(place, operation, operand)
    }

    /// As [`Self::atomic`], at a place.
    pub(crate) fn atomic_place(&self, place: Place, operation: Atomic, operand: u64) -> Result<u64> {
        let Place { image: to, offset } = place;
        let request = self.with(|image| Ok(image.memory.atomic(to, offset, operation, operand)))?;
        let result = self.wait_for_image(to, |image| Ok(image.memory.is_finished(request)));
        self.cancel_unless_done(request, result)
    }
}
