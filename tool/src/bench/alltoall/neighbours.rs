//! Exchanges between neighbours: the halo of a cube of doubles per rank, in a grid of ranks whose three axes are periodic
//! or have open ends.
//!
//! Faces are subarrays of the cube (MPI_Neighbor_alltoallw), or lie packed in two buffers (MPI_Neighbor_alltoall). The
//! competitor is the MPI library's own function. Which of two blocks for the same rank arrives first, on a periodic axis of two
//! ranks, depends on the library, so that hcube's results are compared with its results.

use super::arguments::{Arguments, Cube};
use super::calls::{Channel, datatype, done, perform};
use super::kinds::{Case, Kind, Named, Variant};
use crate::bench::memory::{self, Wanted};
use crate::session::Session;
use hcube_alltoall::Options;
use hcube_alltoall::mpi_front::{Call, Counts, Function, Types};
use hcube_core::comm::{Comm, agree};
use hcube_core::mpi::{MPI_Aint, MPI_Datatype};
use hcube_core::{Error, Result};
use hcube_results::alltoall::kinds::NEIGHBOURS;
use mpi::datatype::Equivalence;
use mpi::ffi::{MPI_Dims_create, MPI_ORDER_C, MPI_Type_commit, MPI_Type_create_subarray, MPI_Type_free};
use mpi::raw::AsRaw;
use mpi::topology::{CartesianCommunicator, Communicator, SimpleCommunicator};
use std::ffi::{c_int, c_void};

/// Axes of the grid and of the cubes.
const AXES: usize = 3;
/// Neighbours: one before a rank and one behind it, on each axis.
const FACES: usize = 2 * AXES;

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

    /// Doubles of the buffer that is sent from, and of that which is received into: the same cube where faces are subarrays.
    fn doubles(self) -> usize {
        if self.packed { FACES * self.face() } else { (self.edge + 2).pow(AXES as u32) }
    }
}

/// A face of a cube.
struct Subarray(MPI_Datatype);

impl Subarray {
    /// The layer with this number on an axis, without the edges of the halo.
    fn layer(edge: usize, axis: usize, number: usize) -> Result<Self> {
        let whole = [edge as c_int + 2; AXES];
        let (mut size, mut from) = ([edge as c_int; AXES], [1; AXES]);
        (size[axis], from[axis]) = (1, number as c_int);
        let mut created = f64::equivalent_datatype().as_raw();
        let old = created;
        // SAFETY: arrays of three numbers, and a layer inside the cube.
        let code = unsafe {
            let code = MPI_Type_create_subarray(
                AXES as c_int,
                whole.as_ptr(),
                size.as_ptr(),
                from.as_ptr(),
                MPI_ORDER_C as c_int,
                old,
                &mut created,
            );
            if code == 0 { MPI_Type_commit(&mut created) } else { code }
        };
        done("MPI_Type_create_subarray", code)?;
        // SAFETY: both types are MPI_Datatype of one mpi.h.
        Ok(Self(unsafe { std::mem::transmute_copy(&created) }))
    }
}

impl Drop for Subarray {
    fn drop(&mut self) {
        // SAFETY: a datatype of this value, before MPI_Finalize; both types are MPI_Datatype of one mpi.h.
        unsafe { MPI_Type_free((&raw mut self.0).cast()) };
    }
}

/// A case under way.
pub struct Line {
    case: Case<Halo>,
    channel: Channel<CartesianCommunicator>,
    /// What is sent to each neighbour, then what is received from each, where faces are subarrays.
    types: Vec<MPI_Datatype>,
    _subarrays: Vec<Subarray>,
}

/// The buffers.
pub struct Neighbours<'a> {
    arguments: &'a Arguments,
    options: Options,
    rank: usize,
    ranks: usize,
    /// A cube with its halo, or packed faces that are sent.
    sent: Vec<f64>,
    /// Packed faces that are received.
    received: Vec<f64>,
}

/// Collective: a grid of all ranks, as cubical as possible.
fn grid(ranks: usize, periodic: bool) -> Result<Channel<CartesianCommunicator>> {
    let mut edges = [0; AXES];
    // SAFETY: an array of three numbers.
    let code = unsafe { MPI_Dims_create(ranks as c_int, AXES as c_int, edges.as_mut_ptr()) };
    done("MPI_Dims_create", code)?;
    let created = SimpleCommunicator::world().create_cartesian_communicator(&edges, &[periodic; AXES], false);
    let missing = Error::Mpi { call: "MPI_Cart_create", code: 0, text: "no communicator".to_owned() };
    created.map(Channel).ok_or(missing)
}

impl<'a> Neighbours<'a> {
    /// Collective: allocates the buffers of the largest cube.
    pub fn new(session: &Session, arguments: &'a Arguments) -> Result<Self> {
        let comm = &session.comm;
        let options = agree(comm, arguments.options())?;
        let edge = arguments.cubes.iter().map(|cube| cube.0).max().unwrap_or(0);
        let [cube, packed] = [false, true].map(|packed| Halo { edge, packed, periodic: false }.doubles());
        // While results are compared, there are two of each.
        let wanted = Wanted { what: "cubes", option: "--cubes", value: edge.to_string() };
        drop(memory::reserve(comm, &wanted, 2 * (cube.max(packed) + packed) as u64)?);
        let (rank, ranks) = (comm.rank(), comm.size());
        let (sent, received) = (vec![0.0; cube.max(packed)], vec![0.0; packed]);
        Ok(Self { arguments, options, rank, ranks, sent, received })
    }

    /// Collective: an exchange, by hcube or by the MPI library.
    fn exchange(&mut self, line: &Line, ours: bool) -> Result<()> {
        let halo = line.case.what;
        let (comm, kind) = (line.channel.handle(), datatype::<f64>());
        if halo.packed {
            let needed = halo.doubles();
            assert!(needed <= self.sent.len().min(self.received.len()), "all faces in the buffers");
            let counts = Counts::Same(halo.face() as c_int);
            let sent = (self.sent.as_ptr().cast(), counts, Types::One(kind));
            let received = (self.received.as_mut_ptr().cast(), counts, Types::One(kind));
            let call = Call::new(Function::NeighborAlltoall, sent, received, comm, false);
            // SAFETY: a block per neighbour in both buffers, as checked.
            return unsafe { perform(&call, ours) };
        }
        assert!(halo.doubles() <= self.sent.len(), "the cube in the buffer");
        let (counts, places) = ([1; FACES], [0 as MPI_Aint; FACES]);
        let counts = Counts::Far(counts.as_ptr(), places.as_ptr());
        let (sends, receives) = line.types.split_at(FACES);
        let cube = self.sent.as_mut_ptr().cast::<c_void>();
        let sent = (cube.cast_const(), counts, Types::Each(sends.as_ptr()));
        let received = (cube, counts, Types::Each(receives.as_ptr()));
        let call = Call::new(Function::NeighborAlltoallw, sent, received, comm, false);
        // SAFETY: an entry per neighbour; layers inside the cube, as checked, those that are received in its halo.
        unsafe { perform(&call, ours) }
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
        let channel = grid(self.ranks, periodic)?;
        if case.variant == Variant::Hcube {
            channel.set_options(&self.options)?;
        }
        let mut subarrays = Vec::new();
        if !packed {
            // The outermost layers go to the neighbours; what comes from these surrounds them.
            for numbers in [[1, edge], [0, edge + 1]] {
                for axis in 0..AXES {
                    for number in numbers {
                        subarrays.push(Subarray::layer(edge, axis, number)?);
                    }
                }
            }
        }
        let types = subarrays.iter().map(|subarray| subarray.0).collect();
        Ok(Line { case: *case, channel, types, _subarrays: subarrays })
    }

    fn call(&mut self, line: &mut Line, calls: u32) -> Result<()> {
        let mut done = Ok(());
        for _ in 0..calls {
            // Also after a failure: the other ranks wait in these calls.
            done = done.and(self.exchange(line, line.case.variant == Variant::Hcube));
        }
        done
    }

    /// Compares with the result of the MPI library.
    fn wrong(&mut self, line: &mut Line) -> Result<Option<u64>> {
        let expected = self.result(line, false)?;
        if line.case.variant == Variant::Library {
            return Ok(None);
        }
        let found = self.result(line, true)?;
        let pairs = found.iter().flatten().zip(expected.iter().flatten());
        Ok(Some(pairs.filter(|(found, expected)| found.to_bits() != expected.to_bits()).count() as u64))
    }

    fn path(&self, line: &Line) -> Result<Option<&'static str>> {
        (line.case.variant == Variant::Hcube).then(|| line.channel.last_path()).transpose()
    }
}
