//! Memory by address, for compilers whose language has coarrays.
//!
//! Idea: the heaps of a node are mapped at one address, so an address in a heap has the same meaning on all
//! images of the node. These images access a part of a coarray, or memory that an image has allocated for
//! itself, directly; images of other nodes need its location, which only images of the node can compute from
//! an address.
//!
//! Restrictions: users of an address stay within the allocated bytes, until they are freed.
//! Cost: no message, except for coarrays whose parts have different offsets; see
//! [`crate::operations::allocation`].

use crate::engine::runtime::Runtime;
use crate::state::handles::Handle;
use crate::state::place::Place;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::node::single_copy::{self, Process};
use std::ops::Range;

impl<C: Comm> Runtime<C> {
    /// Local: allocates memory in the heap of this image, which no other image has to allocate. It holds
    /// anything.
    ///
    /// # Errors
    /// [`Error::Memory`] where the heap has no room.
    pub fn allocate_own(&self, bytes: usize) -> Result<*mut u8> {
        self.with(|image| {
            let offset = image.memory.heap().allocate(bytes)?;
            Ok(image.memory.own(offset, bytes).address())
        })
    }

    /// Local: frees what [`Self::allocate_own`] has given.
    ///
    /// # Errors
    /// For an address that it has not given, or that was freed.
    pub fn free_own(&self, address: *mut u8) -> Result<()> {
        self.with(|image| {
            let heap = image.memory.heap();
            let place = heap.place(address).filter(|&(number, _)| number == heap.own_number());
            let given =
                || Error::argument("address", format_args!("{address:p}"), "one of this image's heap");
            heap.free(place.ok_or_else(given)?.1)
        })
    }

    /// The address of an offset in the heap of this image.
    ///
    /// # Panics
    /// Where the heap does not reach so far.
    pub fn own_memory(&self, offset: usize) -> *mut u8 {
        self.image.borrow().memory.own(offset, 0).address()
    }

    /// The address of the part of a member of a coarray, if this image accesses it directly.
    ///
    /// # Errors
    /// As [`Self::place`].
    pub fn part_here(&self, coarray: Handle, rank: usize) -> Result<Option<*mut u8>> {
        let Place { image: member, offset } = self.place_of_data(coarray, rank, 0, 0)?;
        self.with(|image| Ok(image.memory.here(member, offset, 0).map(Region::address)))
    }

    /// The address of the first event or lock of a member, if this image accesses it directly.
    ///
    /// # Errors
    /// As [`Self::place`].
    pub fn slots_here(&self, slots: Handle, rank: usize) -> Result<Option<*mut u8>> {
        let Place { image: member, offset } = self.place(slots, rank, 0, 0)?;
        self.with(|image| Ok(image.memory.here(member, offset, 0).map(Region::address)))
    }

    /// Collective over all images: the images of this node with their processes, if the system permits access
    /// to the memory that these have outside of the heaps.
    ///
    /// # Errors
    /// Errors of MPI.
    pub fn processes(&self) -> Result<Option<Vec<(usize, Process)>>> {
        let image = self.image.borrow();
        let node = image.memory.node();
        match single_copy::prove(&image.comm, node) {
            Ok(processes) => Ok(Some(node.iter().copied().zip(processes).collect())),
            Err(Error::Memory(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The addresses of all heaps of this node.
    pub fn heaps_here(&self) -> Range<usize> {
        let memory = &mut self.image.borrow_mut().memory;
        let heap = memory.heap();
        let begin = heap.address(0, 0, 0).addr();
        begin..begin + heap.ranks() * heap.part()
    }

    /// The addresses of the heap of this image.
    pub fn own_heap(&self) -> Range<usize> {
        let memory = &mut self.image.borrow_mut().memory;
        let heap = memory.heap();
        let begin = heap.address(heap.own_number(), 0, 0).addr();
        begin..begin + heap.part()
    }

    /// The place of an address in a heap of this node.
    pub fn place_of_address(&self, address: *const u8) -> Option<Place> {
        let memory = &mut self.image.borrow_mut().memory;
        let (number, offset) = memory.heap().place(address)?;
        memory.is_accessible(offset, 0).then(|| Place { image: memory.node()[number], offset })
    }

    /// Waits until something is so that shipped functions of this image make so for an image, given by its
    /// rank in the job.
    ///
    /// # Errors
    /// If that image has failed, or has stopped and does not serve others any more.
    pub fn wait_for(&self, of: usize, mut is_so: impl FnMut() -> bool) -> Result<()> {
        self.wait_for_image(of, |_| Ok(is_so().then_some(())))
    }

    /// As [`Self::wait_for`], for something that an image does not do any more when it has stopped.
    ///
    /// # Errors
    /// Where that image has failed or stopped.
    pub fn wait_for_living(&self, of: usize, mut is_so: impl FnMut() -> bool) -> Result<()> {
        self.wait_while_alive(of, |_| Ok(is_so().then_some(())))
    }

    /// Waits until all that this image has put is there.
    ///
    /// # Errors
    /// Errors of MPI; if an image has failed.
    #[inline]
    pub fn wait_for_puts(&self) -> Result<()> {
        self.wait_for_any(|image| Ok(image.memory.is_made(None).then_some(())))
    }

    /// Waits for a notification of an event of this image that only one image notifies, given by its rank in
    /// the job, and consumes it.
    ///
    /// # Errors
    /// For an event that was freed; where that image has failed or stopped.
    pub fn wait_event_of(&self, event: Handle, index: usize, from: usize) -> Result<()> {
        self.wait_while_alive(from, |image| image.take_notice(event, index).map(|taken| taken.then_some(())))
    }

    /// Waits until all puts of this image are complete, and serves other images.
    ///
    /// # Errors
    /// Errors of MPI.
    pub fn complete_puts(&self) -> Result<()> {
        self.serve()?;
        self.wait_for_puts()
    }
}
