//! One exchange of one rank: buffers in which every byte is a function of sender, receiver and position, and
//! their expected contents.

use hcube_alltoall::select::{Blocks as Known, Led};
use hcube_alltoall::{Conditions, ExchangeState, Outcome, Task, exchange};
use hcube_core::comm::Comm;
use hcube_core::comm::threads::ThreadComm;
use hcube_core::memory::Region;
use hcube_core::memory::blocks::Blocks;
use hcube_core::memory::datatype::Block;
use hcube_core::{Error, Result};
use std::ffi::c_int;
use std::ops::Range;
use std::sync::LazyLock;

/// Between blocks; whoever writes there is seen.
const GAP: u8 = 0xa5;
/// In a receive buffer before anything has arrived.
const NOTHING: u8 = 0x5a;

/// Noise without a period; the data of each pair of ranks starts at a different position.
static NOISE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let step = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    (0..1 << 20).map(step).collect()
});

/// The block of one rank for another in the exchange with this number.
fn content(number: usize, from: usize, to: usize, bytes: usize) -> &'static [u8] {
    &NOISE[(from * 64 + to) * 61 + number % 1000 * 7..][..bytes]
}

/// How blocks are described to the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Even,
    Counted,
    Listed,
}

/// A buffer with its blocks.
struct Image {
    form: Form,
    memory: Vec<u8>,
    ranges: Vec<Range<usize>>,
    /// As `MPI_Alltoallv` takes them, in elements of `element` bytes.
    counts: Vec<c_int>,
    displacements: Vec<c_int>,
    element: usize,
    origin: usize,
}

impl Image {
    fn new(form: Form, sizes: &[usize]) -> Self {
        let ranks = sizes.len();
        let element = [3, 2, 1].into_iter().find(|&element| sizes.iter().all(|size| size % element == 0));
        let element = element.expect("1 divides all");
        // Blocks in the order of the ranks, backwards, or first the odd ones; non-contiguous unless the
        // form requires adjacent blocks.
        let (order, gap): (Vec<usize>, usize) = match form {
            Form::Even => ((0..ranks).collect(), 0),
            Form::Counted => ((0..ranks).rev().collect(), element),
            Form::Listed => ((0..ranks).filter(|r| r % 2 == 1).chain((0..ranks).step_by(2)).collect(), 5),
        };
        let (mut ranges, mut end) = (vec![0..0; ranks], 3 * element);
        for rank in order {
            ranges[rank] = end..end + sizes[rank];
            end += sizes[rank] + gap;
        }
        // Some displacements are negative.
        let origin = ranges[ranks / 2].start;
        let elements = |bytes: isize| c_int::try_from(bytes / element as isize).expect("small");
        let displacements =
            ranges.iter().map(|range| elements(range.start as isize - origin as isize)).collect();
        let counts = sizes.iter().map(|&size| elements(size as isize)).collect();
        Self { form, memory: vec![GAP; end + 16], ranges, counts, displacements, element, origin }
    }

    fn fill<'c>(&mut self, block: impl Fn(usize, usize) -> Option<&'c [u8]>) {
        for (rank, range) in self.ranges.iter().enumerate() {
            let place = &mut self.memory[range.clone()];
            match block(rank, range.len()) {
                Some(content) => place.copy_from_slice(content),
                None => place.fill(NOTHING),
            }
        }
    }

    fn blocks(&mut self) -> Blocks<'_> {
        let start = self.memory.as_mut_ptr();
        match self.form {
            Form::Even => {
                let first = start.wrapping_add(self.ranges[0].start);
                // SAFETY: the ranges of the memory, which is borrowed as long as the blocks are.
                unsafe { Blocks::even(first, self.ranges[0].len(), self.ranges.len()) }.expect("small")
            }
            Form::Counted => {
                let origin = start.wrapping_add(self.origin);
                // SAFETY: the ranges of the memory, which is borrowed as long as the blocks are.
                unsafe { Blocks::counted(origin, &self.counts, &self.displacements, self.element) }
                    .expect("valid counts")
            }
            Form::Listed => {
                let block = |range: &Range<usize>| {
                    // SAFETY: inside the memory, which is borrowed as long as the blocks are.
                    let region = unsafe { Region::new(start.wrapping_add(range.start), range.len()) };
                    Block::contiguous(region)
                };
                Blocks::listed(self.ranges.iter().map(block).collect())
            }
        }
    }
}

/// The data that is exchanged: the same on all ranks.
#[derive(Clone, Copy)]
pub struct Shape<'s> {
    /// Changes the contents.
    pub number: usize,
    pub in_place: bool,
    pub form: Form,
    /// Bytes from one rank for another.
    pub size: &'s (dyn Fn(usize, usize) -> usize + Sync),
    /// Bytes that a rank, the second, expects of another; as `size` where counts match.
    pub expected: &'s (dyn Fn(usize, usize) -> usize + Sync),
}

impl<'s> Shape<'s> {
    pub fn matching(
        number: usize,
        in_place: bool,
        form: Form,
        size: &'s (dyn Fn(usize, usize) -> usize + Sync),
    ) -> Self {
        Self { number, in_place, form, size, expected: size }
    }
}

/// Special conditions on a rank.
#[derive(Debug, Clone, Default)]
pub struct Special {
    /// In place of the task.
    pub refusal: Option<Error>,
    pub conditions: Conditions,
    /// Why the library is to do it.
    pub left: Option<&'static str>,
}

/// The buffers of one rank for one exchange.
pub struct Rank {
    number: usize,
    own: usize,
    send: Option<Image>,
    receive: Image,
    /// All memory as it was before.
    before: [Vec<u8>; 2],
}

impl Rank {
    pub fn new(comm: &ThreadComm, shape: &Shape<'_>) -> Self {
        let (own, ranks, number) = (comm.rank(), comm.size(), shape.number);
        let sizes = |size: &dyn Fn(usize) -> usize| (0..ranks).map(size).collect::<Vec<usize>>();
        let mut receive = Image::new(shape.form, &sizes(&|from| (shape.expected)(from, own)));
        let outgoing = |to, bytes| Some(content(number, own, to, bytes));
        let send = (!shape.in_place).then(|| {
            let mut send = Image::new(shape.form, &sizes(&|to| (shape.size)(own, to)));
            send.fill(outgoing);
            send
        });
        match send {
            Some(_) => receive.fill(|_, _| None),
            None => receive.fill(outgoing),
        }
        let before =
            [send.as_ref().map_or_else(Vec::new, |send| send.memory.clone()), receive.memory.clone()];
        Self { number, own, send, receive, before }
    }

    /// The exchange of these buffers.
    pub fn exchange(
        &mut self,
        comm: &ThreadComm,
        state: &mut ExchangeState,
        special: &Special,
    ) -> Result<Outcome> {
        let (in_place, block, situation) =
            (self.send.is_none(), self.receive.ranges[0].len(), state.situation());
        // As the front end reports it for MPI_Alltoall and for MPI_Alltoallv; a list comes from elsewhere.
        let led = match self.receive.form {
            Form::Even => match situation.leads_equal(in_place, || Some(block)) {
                Led::Yes(blocks) => Some(blocks),
                Led::No | Led::Unknown => None,
            },
            Form::Counted => situation.leads(in_place).then_some(Known::Any),
            Form::Listed => None,
        };
        let receive = self.receive.blocks();
        let task = match self.send.as_mut().map(Image::blocks) {
            Some(send) => Task::between(send, receive),
            None => Task::in_place(receive),
        };
        let task = special.refusal.clone().map_or(Ok(task), Err);
        exchange(comm, state, &task, Conditions { led, ..special.conditions }, special.left)
    }

    /// Whether everything has arrived and nothing else has changed.
    pub fn has_arrived(&mut self) -> bool {
        let (number, own) = (self.number, self.own);
        let found = std::mem::replace(&mut self.receive.memory, self.before[1].clone());
        self.receive.fill(|from, bytes| Some(content(number, from, own, bytes)));
        let expected = std::mem::replace(&mut self.receive.memory, found);
        self.receive.memory == expected && self.send_is_untouched()
    }

    /// Whether nothing has changed.
    pub fn is_untouched(&self) -> bool {
        self.receive.memory == self.before[1] && self.send_is_untouched()
    }

    fn send_is_untouched(&self) -> bool {
        self.send.as_ref().is_none_or(|send| send.memory == self.before[0])
    }

    /// Bytes for other ranks.
    pub fn bytes_sent(&self) -> u64 {
        let ranges = &self.send.as_ref().unwrap_or(&self.receive).ranges;
        let others = ranges.iter().enumerate().filter(|&(rank, _)| rank != self.own);
        others.map(|(_, range)| range.len() as u64).sum()
    }
}
