//! The general exchange in place: what a rank sends and what it receives lie in one buffer, and their counts
//! differ.
//!
//! The competitor is what a program does without hcube: it copies the buffer to a second one, and calls
//! MPI_Alltoallv from there. The second buffer is kept between the calls.

use super::arguments::{Arguments, ELEMENT, Memory};
use super::calls::{Channel, by_hcube, by_library, repeat};
use super::kinds::{Case, Kind, Named, Variant};
use super::problem::Blocks;
use crate::bench::footprint::{self, Added};
use crate::bench::memory::{self, Wanted};
use crate::bench::proof::{Claim, Counts};
use crate::session::Session;
use hcube_alltoall::Options;
use hcube_core::Result;
use hcube_core::comm::{Comm, agree};
use hcube_results::alltoall::kinds::GENERAL;
use hcube_results::numbers;

/// The buffers, and the problem.
pub struct General<'a> {
    arguments: &'a Arguments,
    options: Options,
    rank: usize,
    ranks: usize,
    /// The buffer that is exchanged.
    buffer: Vec<u64>,
    /// The second buffer, of the competitor.
    second: Vec<u64>,
}

/// A case under way.
pub struct Line {
    case: Case<usize>,
    channel: Channel,
    sent: Blocks,
    received: Blocks,
}

impl<'a> General<'a> {
    /// Collective: allocates the buffers of the largest size.
    pub fn new(session: &Session, arguments: &'a Arguments) -> Result<Self> {
        let comm = &session.comm;
        let options = agree(comm, arguments.options())?;
        let largest = arguments.sizes(comm.size()).into_iter().max().unwrap_or(0);
        let wanted = Wanted { what: "two buffers", option: "--sizes", value: numbers::whole_bytes(largest) };
        let length = largest / ELEMENT;
        let mut buffer = memory::reserve(comm, &wanted, 2 * length as u64)?;
        buffer.resize(2 * length, 0);
        let second = buffer.split_off(length);
        Ok(Self { arguments, options, rank: comm.rank(), ranks: comm.size(), buffer, second })
    }

    fn channel(&self, case: &Case<usize>) -> Result<Channel> {
        let channel = Channel::new();
        if let Some((memory, _)) = case.memory {
            channel.set_options(&Options { memory, ..self.options })?;
        }
        Ok(channel)
    }
}

/// Collective: an exchange on a channel, through a second buffer where the library makes it.
fn exchange(line: &Line, channel: &Channel, buffer: &mut [u64], second: &mut [u64]) -> Result<()> {
    let blocks = [&line.sent, &line.received];
    match line.case.variant {
        Variant::Hcube => channel.in_one_buffer(blocks, buffer),
        _ => channel.through(blocks, buffer, second),
    }
}

impl Kind for General<'_> {
    const NAME: &'static str = GENERAL;
    /// Bytes of the largest rank.
    type What = usize;
    type Line = Line;

    fn groups(&self) -> Vec<Vec<Case<usize>>> {
        let bytes = |what: usize| {
            let by_hcube = |memory: Memory| {
                let bytes = memory.bytes(what, self.ranks);
                Case { what, variant: Variant::Hcube, memory: Some((bytes, memory)) }
            };
            let ours = self.arguments.memory(&self.options).into_iter().map(by_hcube);
            ours.chain([Case { what, variant: Variant::Library, memory: None }]).collect()
        };
        self.arguments.sizes(self.ranks).into_iter().map(bytes).collect()
    }

    fn heading(&self) -> String {
        let counts = if self.arguments.uniform {
            "equal counts".to_owned()
        } else {
            format!("random counts per ordered pair (seed {})", self.arguments.seed)
        };
        format!("64-bit integers, {counts}, one buffer, hcube_alltoallv_in_place")
    }

    fn named(&self, &bytes_per_rank: &usize) -> Named {
        Named { exchange: String::new(), bytes_per_rank, cube: None }
    }

    fn open(&mut self, case: &Case<usize>) -> Result<Line> {
        let (rank, ranks, elements) = (self.rank, self.ranks, case.what / ELEMENT);
        let [sent, received] = match self.arguments.uniform {
            true => [(); 2].map(|()| Blocks::uniform(rank, ranks, elements)),
            false => Blocks::directed(rank, ranks, elements, self.arguments.seed),
        };
        Ok(Line { case: *case, channel: self.channel(case)?, sent, received })
    }

    fn call(&mut self, line: &mut Line, calls: u32) -> Result<()> {
        repeat(calls, || exchange(line, &line.channel, &mut self.buffer, &mut self.second))
    }

    fn wrong(&mut self, line: &mut Line) -> Result<Option<u64>> {
        self.buffer.fill(u64::MAX);
        line.sent.fill(&mut self.buffer);
        self.call(line, 1)?;
        Ok(Some(line.received.wrong(&self.buffer)))
    }

    fn claim(&self, case: &Case<usize>) -> Result<Claim> {
        if case.variant == Variant::Hcube { Ok(by_hcube(false)) } else { by_library(&[c"MPI_Alltoallv"]) }
    }

    fn counts(&self, line: &Line) -> Counts {
        line.channel.counts()
    }

    fn last_path(line: &Line) -> Result<&'static str> {
        line.channel.last_path()
    }

    fn footprint(&mut self, session: &Session, line: &Line) -> Result<Option<Added>> {
        let comm = &session.comm;
        footprint::typical(|| {
            let fresh = Channel::new();
            footprint::added_by(comm, || {
                if let Some((memory, _)) = line.case.memory {
                    fresh.set_options(&Options { memory, ..self.options })?;
                }
                // The second buffer is part of what the competitor needs.
                let length = if line.case.variant == Variant::Library { line.sent.elements() } else { 0 };
                let mut second = vec![0; length];
                repeat(2, || exchange(line, &fresh, &mut self.buffer, &mut second))
            })
        })
    }
}
