//! Exchanges between neighbours: the halo of a cube of doubles per rank, in a grid of ranks whose three axes
//! are periodic or have open ends.
//!
//! Faces are subarrays of the cube (MPI_Neighbor_alltoallw), or lie packed in two buffers
//! (MPI_Neighbor_alltoall). The competitor is the MPI library's own function. Which of two blocks for the
//! same rank arrives first, on a periodic axis of two ranks, depends on the library, so that hcube's results
//! are compared with its results.

use super::arguments::{Arguments, Cube};
use super::calls::{Channel, FACES, Faces, by_hcube, by_library, repeat};
use super::kinds::{Case, Kind, Named, Variant};
use crate::bench::memory::{self, Wanted};
use crate::bench::proof::{Claim, Counts};
use crate::session::Session;
use hcube_alltoall::Options;
use hcube_core::Result;
use hcube_core::comm::{Comm, agree};
use hcube_results::alltoall::kinds::NEIGHBOURS;
use mpi::topology::CartesianCommunicator;

/// What is exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Halo {
    /// Doubles along an edge, without the halo.
    edge: usize,
    packed: bool,
    periodic: bool,
}

impl Halo {
    fn face(self) -> usize {
        self.edge * self.edge
    }

    /// Doubles of the buffer that is sent from, and of that which is received into: the same cube where faces
    /// are subarrays.
    fn doubles(self) -> usize {
        if self.packed { FACES * self.face() } else { Faces::doubles(self.edge) }
    }
}

/// A case under way.
pub struct Line {
    case: Case<Halo>,
    channel: Channel<CartesianCommunicator>,
    /// Where they are not packed.
    faces: Option<Faces>,
}

/// The buffers.
pub struct Neighbours<'a> {
    arguments: &'a Arguments,
    options: Options,
    rank: usize,
    /// A cube with its halo, or packed faces that are sent.
    sent: Vec<f64>,
    /// Packed faces that are received.
    received: Vec<f64>,
}

impl<'a> Neighbours<'a> {
    /// Collective: allocates the buffers of the largest cube.
    pub fn new(session: &Session, arguments: &'a Arguments) -> Result<Self> {
        let comm = &session.comm;
        let options = agree(comm, arguments.options())?;
        let edge = arguments.cubes.iter().map(|cube| cube.0).max().unwrap_or(0);
        let [cube, packed] = [false, true].map(|packed| Halo { edge, packed, periodic: false }.doubles());
        // While results are compared, there are three of each.
        let wanted = Wanted { what: "cubes", option: "--cubes", value: edge.to_string() };
        drop(memory::reserve(comm, &wanted, 3 * (cube.max(packed) + packed) as u64)?);
        let (sent, received) = (vec![0.0; cube.max(packed)], vec![0.0; packed]);
        Ok(Self { arguments, options, rank: comm.rank(), sent, received })
    }

    /// Collective: an exchange, by hcube or by the MPI library.
    fn exchange(&mut self, line: &Line, ours: bool) -> Result<()> {
        match &line.faces {
            Some(faces) => line.channel.exchange_faces(faces, &mut self.sent, ours),
            None => {
                let face = line.case.what.face();
                line.channel.exchange_packed(face, &self.sent, &mut self.received, ours)
            }
        }
    }

    /// Collective: what an exchange of known values leaves in the buffers.
    fn result(&mut self, line: &Line, ours: bool) -> Result<[Vec<f64>; 2]> {
        // Whole numbers that doubles can hold.
        let first = ((self.rank as u64) << 32) as f64;
        self.sent.iter_mut().enumerate().for_each(|(place, value)| *value = first + place as f64);
        self.received.fill(-1.0);
        self.exchange(line, ours)?;
        Ok([self.sent.clone(), self.received.clone()])
    }
}

impl Kind for Neighbours<'_> {
    const NAME: &'static str = NEIGHBOURS;
    type What = Halo;
    type Line = Line;

    fn groups(&self) -> Vec<Vec<Case<Halo>>> {
        let mut groups = Vec::new();
        for &Cube(edge) in &self.arguments.cubes {
            for (packed, periodic) in [(false, false), (false, true), (true, false), (true, true)] {
                let what = Halo { edge, packed, periodic };
                let variants = [Variant::Hcube, Variant::Library].into_iter();
                groups.push(variants.map(|variant| Case { what, variant, memory: None }).collect());
            }
        }
        groups
    }

    fn heading(&self) -> String {
        "halo of a cube of doubles per rank, MPI_Neighbor_alltoallw (subarrays) and MPI_Neighbor_alltoall (packed)"
            .to_owned()
    }

    fn named(&self, what: &Halo) -> Named {
        let form = if what.packed { "packed" } else { "subarrays" };
        let ends = if what.periodic { "periodic" } else { "open" };
        let bytes_per_rank = FACES * what.face() * size_of::<f64>();
        Named { exchange: format!("{form}, {ends}"), bytes_per_rank, cube: Some(what.edge) }
    }

    fn open(&mut self, case: &Case<Halo>) -> Result<Line> {
        let Halo { edge, packed, periodic } = case.what;
        let channel = Channel::grid(periodic)?;
        if case.variant == Variant::Hcube {
            channel.set_options(&self.options)?;
        }
        let faces = (!packed).then(|| Faces::new(edge)).transpose()?;
        Ok(Line { case: *case, channel, faces })
    }

    fn call(&mut self, line: &mut Line, calls: u32) -> Result<()> {
        repeat(calls, || self.exchange(line, line.case.variant == Variant::Hcube))
    }

    /// Compares with the result of the MPI library.
    fn wrong(&mut self, line: &mut Line) -> Result<Option<u64>> {
        let expected = self.result(line, false);
        if line.case.variant == Variant::Library {
            return expected.map(|_| None);
        }
        // Also after a failure: the other ranks wait in this exchange.
        let found = self.result(line, true);
        let (expected, found) = (expected?, found?);
        let pairs = found.iter().flatten().zip(expected.iter().flatten());
        Ok(Some(pairs.filter(|(found, expected)| found.to_bits() != expected.to_bits()).count() as u64))
    }

    fn claim(&self, case: &Case<Halo>) -> Result<Claim> {
        match case.variant {
            Variant::Hcube => Ok(by_hcube(true)),
            _ if case.what.packed => by_library(&[c"MPI_Neighbor_alltoall"]),
            _ => by_library(&[c"MPI_Neighbor_alltoallw"]),
        }
    }

    fn counts(&self, line: &Line) -> Counts {
        line.channel.counts()
    }

    fn last_path(line: &Line) -> Result<&'static str> {
        line.channel.last_path()
    }
}
