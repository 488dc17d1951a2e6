//! One-sided access to the heaps of all ranks: put, get, strided access, and atomic operations on words.
//!
//! Idea: a location in a heap is a rank and an offset. Inside a node the owner takes no part in an access:
//! the memory is mapped, so a put is a copy and an atomic operation one instruction. Between nodes an access
//! is an active message, which the owner serves while it waits (`served`); a long access is divided into
//! pieces, so that reading, sending and writing overlap, and pieces need not be joined. A get requests
//! `GET_PIECES` of them, and a further one when its caller has copied one.
//!
//! Nothing here blocks. A put is complete on return for ranks of the node, otherwise when it is delivered
//! ([`Onesided::is_delivered`]); its source may be reused on return. Gets and atomic operations are requests,
//! which are tested ([`Onesided::is_finished`]) between calls of [`Onesided::receive`]. Accesses of one rank
//! to another are performed in order, except that a get of more than `GET_PIECES` pieces may complete after
//! accesses that were started later.
//!
//! Restrictions: as for [`active`](crate::active). Concurrent accesses to the same bytes are ordered by the
//! program, or atomic.
//!
//! Cost: inside a node one copy per byte, no message. Between nodes a message per piece of `PIECE_BYTES`, one
//! more for the reply, and two further copies per byte. MPI's windows are not used; `hcube bench caf`
//! compares with them.
//! Source: Jin et al. 2011, §II; shared memory and pieces are our own.

mod kinds;
mod messages;
mod requests;
mod served;
mod strided;
mod words;

pub use kinds::Atomic;
pub use requests::Request;
pub use strided::Shape;

use crate::active::Messages;
use crate::atomic::{self, AtomicU64};
use crate::comm::Comm;
#[cfg(hcube_model)]
use crate::comm::model::Member;
use crate::error::Result;
use crate::machine::work;
use crate::memory::{Region, bytes_of};
use crate::node::heap::{self, Heap};
use crate::plan::topology::Topology;
use kinds::{GET_PIECES, Kind, PIECE_BYTES, WITHOUT_RECEIPTS, apply};
use requests::{Question, Questions, Requests};

/// Kinds of messages below this one are the callers'.
pub const KINDS: u8 = kinds::FIRST;
/// The resources of a rank for access to the heaps of others.
pub struct Onesided<C: Comm> {
    heap: Heap,
    messages: Messages<C>,
    requests: Requests,
    /// The lowest offset of memory that is accessed one-sidedly, the same on all ranks: the rings lie below.
    first_offset: usize,
    /// Accesses to other nodes and inside this one so far.
    counts: Counts,
}

/// The accesses so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Puts inside the node.
    pub local_puts: u64,
    /// Gets inside the node.
    pub local_gets: u64,
    /// Bytes of both.
    pub local_bytes: u64,
    /// Puts to other nodes.
    pub remote_puts: u64,
    /// Gets from other nodes.
    pub remote_gets: u64,
    /// Bytes of both.
    pub remote_bytes: u64,
    /// Atomic operations.
    pub atomics: u64,
}

impl<C: Comm> Onesided<C> {
    /// Collective over `comm`, whose messages are opened: heaps for the nodes of the topology and messages
    /// between all ranks. Without shared memory every rank is a separate node.
    ///
    /// # Errors
    /// On all ranks of `comm`, where one of them has no memory.
    pub fn share(comm: &C, topology: &Topology) -> Result<Self> {
        let heaps = if comm.simulated() { topology.nodes() } else { 1 };
        let node = topology.node_of(topology.position(comm.rank()));
        let ranks: Vec<usize> = topology.positions(node..node + 1).map(|at| topology.rank(at)).collect();
        // The same on all ranks, so that an offset is valid everywhere or nowhere.
        let mut part = [-(heap::part(topology.most_on_a_node(), heaps) as i64)];
        comm.all_reduce_max(&mut part)?;
        let part = -part[0] as usize;
        let heap = match topology.most_on_a_node() {
            1 => own_heap(comm, part)?,
            _ => Heap::share(comm, &ranks, part)?,
        };
        Self::on(heap, comm, topology)
    }

    /// Collective over `comm`: as [`Self::share`], in heaps that the ranks of each node share.
    fn on(mut heap: Heap, comm: &C, topology: &Topology) -> Result<Self> {
        let mut messages = Messages::share(comm, topology, &mut heap)?;
        WITHOUT_RECEIPTS.into_iter().for_each(|kind| messages.expect_no_receipts(kind as u8));
        let first_offset = messages.heap_end();
        Ok(Self { heap, messages, requests: Requests::default(), first_offset, counts: Counts::default() })
    }

    /// This rank's part of the heap.
    pub fn heap(&mut self) -> &mut Heap {
        &mut self.heap
    }

    /// Whether a range of offsets may be accessed one-sidedly: it lies in the heap, and not in the rings of
    /// messages.
    pub fn is_accessible(&self, offset: usize, length: usize) -> bool {
        offset >= self.first_offset && offset.checked_add(length).is_some_and(|end| end <= self.heap.part())
    }

    /// Ends all pending accesses, and leaves the heaps mapped until the process ends.
    pub fn leave_heap(self) {
        std::mem::forget(self.heap);
    }

    /// The accesses so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Whether a rank is on this node.
    #[inline]
    pub fn is_here(&self, rank: usize) -> bool {
        self.messages.number(rank).is_some()
    }

    /// The ranks of this node.
    pub fn node(&self) -> &[usize] {
        self.messages.node()
    }

    /// The memory of a place on this node; nothing if it is elsewhere.
    #[inline]
    pub fn here(&self, rank: usize, offset: usize, length: usize) -> Option<Region<'_>> {
        self.messages.number(rank).map(|number| self.heap.region(number, offset, length))
    }

    /// The word of a place on this node; nothing if it is elsewhere.
    #[inline]
    pub fn here_word(&self, rank: usize, offset: usize) -> Option<&AtomicU64> {
        self.messages.number(rank).map(|number| self.heap.word(number, offset))
    }

    /// This rank's own memory.
    #[inline]
    pub fn own(&self, offset: usize, length: usize) -> Region<'_> {
        self.heap.region(self.heap.own_number(), offset, length)
    }

    /// A word of this rank.
    #[inline]
    pub fn own_word(&self, offset: usize) -> &AtomicU64 {
        self.heap.word(self.heap.own_number(), offset)
    }

    /// Writes to a place.
    #[inline]
    pub fn put(&mut self, comm: &C, to: usize, offset: usize, from: Region<'_>) {
        if !self.put_here(comm, to, offset, from) {
            self.put_away(comm, to, offset, from, 0, false);
        }
    }

    /// As [`Self::put`], from byte `at` on, as far as there is room, but some bytes in any case. Where the
    /// next call is to begin: at the end of the bytes if there is nothing left. The first call, from 0 on,
    /// counts for all.
    #[inline]
    pub fn put_some(&mut self, comm: &C, to: usize, offset: usize, from: Region<'_>, at: usize) -> usize {
        if at == 0 && self.put_here(comm, to, offset, from) {
            return from.len();
        }
        self.put_away(comm, to, offset, from, at, true)
    }

    /// Writes to a place, if it is on this node. Whether it is.
    #[inline]
    fn put_here(&mut self, comm: &C, to: usize, offset: usize, from: Region<'_>) -> bool {
        let Some(number) = self.messages.number(to) else { return false };
        self.counts.local_puts += 1;
        self.counts.local_bytes += from.len() as u64;
        let into = self.heap.region(number, offset, from.len());
        atomic::written(into.address());
        from.copy_to(into);
        comm.charge(work::COPY.of(from.len()));
        true
    }

    /// Writes to a place on another node, from byte `at` on: to the end, or as far as there is room.
    #[cold]
    fn put_away(
        &mut self,
        comm: &C,
        to: usize,
        offset: usize,
        from: Region<'_>,
        at: usize,
        only_some: bool,
    ) -> usize {
        self.heap.region(0, offset, from.len());
        if at == 0 {
            self.counts.remote_puts += 1;
            self.counts.remote_bytes += from.len() as u64;
        }
        let mut end = at;
        while end < from.len() && (end == at || !only_some || self.messages.has_room(to)) {
            let piece = end..from.len().min(end + PIECE_BYTES);
            let tag = (offset + end) as u64;
            end = piece.end;
            self.messages.send_region(to, Kind::Put as u8, tag, &[], from.part(piece));
        }
        comm.charge(work::COPY.of(end - at));
        end
    }

    /// Starts reading from a location. For a rank of the node the bytes have been read on return; see
    /// [`Self::is_read`].
    #[inline]
    pub fn get(&mut self, comm: &C, from: usize, offset: usize, into: Region<'_>) -> Request {
        if let Some(number) = self.messages.number(from) {
            self.counts.local_gets += 1;
            self.counts.local_bytes += into.len() as u64;
            let from = self.heap.region(number, offset, into.len());
            atomic::read(from.address());
            from.copy_to(into);
            comm.charge(work::COPY.of(into.len()));
            return Request::DONE;
        }
        let length = into.len();
        self.heap.region(0, offset, length);
        self.counts.remote_gets += 1;
        self.counts.remote_bytes += length as u64;
        let pieces = (0..length).step_by(PIECE_BYTES).map(move |at| {
            let words = [offset + at, PIECE_BYTES.min(length - at), at];
            (Kind::Get as u8, words.map(|word| word as u64).to_vec())
        });
        self.ask(from, length, pieces)
    }

    /// Asks for the first pieces of a get, and for the others when those have come.
    fn ask(
        &mut self,
        from: usize,
        length: usize,
        mut questions: impl Iterator<Item = Question> + 'static,
    ) -> Request {
        let first: Vec<Question> = questions.by_ref().take(GET_PIECES).collect();
        let more = (first.len() == GET_PIECES).then(|| Box::new(questions) as Questions);
        let request = self.requests.read(from, length, more);
        for (kind, words) in first {
            self.messages.send(from, kind, request.number(), [bytes_of(&words), &[]]);
        }
        request
    }

    /// Writes to a place what is at another one, if that is on this node. Whether it is.
    pub fn forward(&mut self, comm: &C, from: (usize, usize), to: (usize, usize), length: usize) -> bool {
        let Some(number) = self.messages.number(from.0) else { return false };
        let address = self.heap.address(number, from.1, length);
        // SAFETY: in the heap, which lives as long as self; only regions refer to it.
        self.put(comm, to.0, to.1, unsafe { Region::new(address, length) });
        true
    }

    /// Counts a put that the caller has made on this node, by [`Self::here`].
    #[inline]
    pub fn count_put(&mut self, comm: &C, bytes: usize) {
        self.counts.local_puts += 1;
        self.counts.local_bytes += bytes as u64;
        comm.charge(work::COPY.of(bytes));
    }

    /// Counts a get that the caller has made on this node, by [`Self::here`].
    #[inline]
    pub fn count_get(&mut self, comm: &C, bytes: usize) {
        self.counts.local_gets += 1;
        self.counts.local_bytes += bytes as u64;
        comm.charge(work::COPY.of(bytes));
    }

    /// An atomic operation on the word at a place of this node: what it was before. Nothing if it is
    /// elsewhere.
    #[inline]
    pub fn atomic_here(&mut self, to: usize, offset: usize, operation: Atomic, operand: u64) -> Option<u64> {
        let number = self.messages.number(to)?;
        self.counts.atomics += 1;
        Some(apply(self.heap.word(number, offset), operation, operand))
    }

    /// Starts an atomic operation on the word at a location; for a rank of the node it is complete on return.
    /// The value of the request is the previous value of the word.
    pub fn atomic(&mut self, to: usize, offset: usize, operation: Atomic, operand: u64) -> Request {
        self.counts.atomics += 1;
        match self.messages.number(to) {
            Some(number) => Request::value(apply(self.heap.word(number, offset), operation, operand)),
            None => {
                self.heap.word(0, offset);
                let request = self.requests.word();
                let (code, expected) = kinds::code(operation);
                let words = [offset as u64, code, operand, expected];
                self.messages.send(to, Kind::Atomic as u8, request.number(), [bytes_of(&words), &[]]);
                request
            }
        }
    }

    /// Whether the bytes of a get, or of [`Self::get_shape`], have arrived. Arrived bytes are copied, unless
    /// they were read immediately, and the rest is requested, so a long get makes progress only by such
    /// calls, always with the same region.
    ///
    /// # Panics
    /// If the region does not have the length of the get.
    #[inline]
    pub fn is_read(&mut self, request: Request, into: Region<'_>) -> bool {
        if request == Request::DONE {
            return true;
        }
        let messages = &mut self.messages;
        self.requests.copy_to(request, into, |from, (kind, words)| {
            messages.send(from, kind, request.number(), [bytes_of(&words), &[]]);
            messages.hurry();
        })
    }

    /// Whether an atomic operation has finished: what the word was before.
    #[inline]
    pub fn is_finished(&mut self, request: Request) -> Option<u64> {
        self.requests.result(request)
    }

    /// Gives a request up.
    pub fn cancel(&mut self, request: Request) {
        self.requests.cancel(request);
    }
}

#[cfg(hcube_model)]
impl Onesided<Member> {
    /// The ranks of a model, on one node, with heaps of this length.
    pub fn of_model(scene: &mut atomic::model::Scene, ranks: usize, part: usize) -> Vec<Self> {
        Self::on_nodes(scene, &vec![0; ranks], part)
    }

    /// As [`Self::of_model`], on these nodes; between several they are to be connected.
    pub fn on_nodes(scene: &mut atomic::model::Scene, nodes: &[u32], part: usize) -> Vec<Self> {
        let topology = Topology::from_node_numbers(nodes, None);
        let on_node = |node| Heap::of_model(scene, topology.positions(node..node + 1).len(), part);
        let heaps: Vec<Heap> = (0..topology.nodes()).flat_map(on_node).collect();
        let set_up = |rank| Member::of_set_up(rank, nodes.len());
        let heaps = heaps.into_iter().enumerate();
        heaps.map(|(rank, heap)| Self::on(heap, &set_up(rank), &topology).expect("room")).collect()
    }
}

/// Collective over `comm`, one rank per node: heaps of the longest address range, up to `part`, that all
/// ranks may have.
fn own_heap<C: Comm>(comm: &C, part: usize) -> Result<Heap> {
    let heap = crate::comm::agree(comm, Heap::own(part))?;
    let mut least = [-(heap.part() as i64)];
    comm.all_reduce_max(&mut least)?;
    let least = -least[0] as usize;
    let heap = if heap.part() == least {
        Ok(heap)
    } else {
        drop(heap);
        Heap::exactly(least)
    };
    crate::comm::agree(comm, heap)
}

#[cfg(hcube_model)]
pub mod model;
#[cfg(test)]
mod tests;
