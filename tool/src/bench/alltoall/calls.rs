//! The calls that are measured. A channel is a communicator of its own, so that what hcube keeps for it, and
//! its options, concern only one case.

use super::communicators::Member;
use super::problem::Blocks;
use crate::bench::proof::{self, Claim, Origin};
use hcube_alltoall::mpi_front::state::State;
use hcube_alltoall::mpi_front::{
    Call, Counts, Function, Side, Types, Verdict, allowance, collective, general, nonblocking,
};
use hcube_alltoall::{Options, UsedPath};
use hcube_core::mpi::forward::in_place;
use hcube_core::mpi::gate;
use hcube_core::mpi::handle::Handle;
use hcube_core::mpi::{MPI_Aint, MPI_Comm, MPI_Datatype, MPI_Request};
use hcube_core::{Error, Result};
use mpi::datatype::Equivalence;
use mpi::ffi::{
    MPI_Dims_create, MPI_ORDER_C, MPI_Type_commit, MPI_Type_create_subarray, MPI_Type_free, MPI_Wait,
    RSMPI_REQUEST_NULL, RSMPI_STATUS_IGNORE,
};
use mpi::raw::AsRaw;
use mpi::topology::{CartesianCommunicator, Color, Communicator, SimpleCommunicator};
use std::cell::Cell;
use std::ffi::{CStr, c_int, c_void};

/// What exchanges are counted under: the paths of hcube, then those that it leaves to the library.
const PATHS: [&str; UsedPath::ALL.len() + 1] = {
    let mut names = ["library"; UsedPath::ALL.len() + 1];
    let mut number = 0;
    while number < UsedPath::ALL.len() {
        names[number] = UsedPath::ALL[number].name();
        number += 1;
    }
    names
};

/// An exchange by hcube, by any of its paths; with those that it leaves to the library, where it may choose
/// that.
pub fn by_hcube(may_leave: bool) -> Claim {
    Claim::counted_as(if may_leave { &PATHS } else { &PATHS[..UsedPath::ALL.len()] })
}

/// An exchange by one of these paths.
pub fn by_path(paths: &[UsedPath]) -> Claim {
    let names = paths.iter().chain([&UsedPath::Alone]).map(|path| path.name());
    Claim::counted_as(&names.collect::<Vec<&'static str>>())
}

/// An exchange by these functions of the MPI library.
///
/// # Errors
/// Where another library has replaced one; ranks may differ.
pub fn by_library(names: &[&CStr]) -> Result<Claim> {
    Origin::of_mpi(names).map(|origin| Claim::of(&origin))
}

/// One exchange, from `sent` where it is out of place.
#[derive(Debug, Clone, Copy)]
pub struct Exchange<'a> {
    /// By hcube, or by the MPI library's own function.
    pub ours: bool,
    pub form: Form<'a>,
    /// Counts and displacements, of both buffers.
    pub blocks: &'a Blocks,
}

/// Which of MPI's functions takes the blocks.
#[derive(Debug, Clone, Copy)]
pub enum Form<'a> {
    /// MPI_Alltoall, with one count for all.
    Uniform,
    /// MPI_Alltoallv, with a count for each.
    Counted,
    /// MPI_Alltoallw, with a count and a datatype for each.
    Typed(&'a BlockTypes),
}

impl Form<'_> {
    pub fn of(uniform: bool) -> Self {
        if uniform { Self::Uniform } else { Self::Counted }
    }

    fn function(self) -> Function {
        match self {
            Self::Uniform => Function::Alltoall,
            Self::Counted => Function::Alltoallv,
            Self::Typed(_) => Function::Alltoallw,
        }
    }

    fn counts(self, blocks: &Blocks) -> Counts {
        match self {
            Self::Typed(each) => Counts::Int(blocks.counts.as_ptr(), each.displacements.as_ptr()),
            _ => blocks.as_counts(matches!(self, Self::Uniform)),
        }
    }

    fn types(self) -> Types {
        match self {
            Self::Typed(each) => Types::Each(each.types.as_ptr()),
            _ => Types::One(datatype::<u64>()),
        }
    }
}

/// Blocks as MPI_Alltoallw takes them.
#[derive(Debug)]
pub struct BlockTypes {
    types: Vec<MPI_Datatype>,
    /// In bytes.
    displacements: Vec<c_int>,
}

impl BlockTypes {
    /// The displacements in bytes fit an int.
    pub fn new(blocks: &Blocks) -> Self {
        let bytes = |&displacement: &c_int| displacement * size_of::<u64>() as c_int;
        let displacements = blocks.displacements.iter().map(bytes).collect();
        Self { types: vec![datatype::<u64>(); blocks.ranks()], displacements }
    }
}

/// A communicator of its own: a duplicate of MPI_COMM_WORLD, or one with a topology; and the number of
/// exchanges on it that an allowance has forwarded to the MPI library.
pub struct Channel<C = SimpleCommunicator>(C, Cell<u64>);

/// The result of a call of MPI.
fn done(call: &'static str, code: c_int) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(Error::Mpi { call, code, text: String::new() }) }
}

/// Collective: an exchange several times; also after a failure, since the other ranks wait in these calls.
pub fn repeat(calls: u32, mut exchange: impl FnMut() -> Result<()>) -> Result<()> {
    let mut done = Ok(());
    for _ in 0..calls {
        done = done.and(exchange());
    }
    done
}

/// MPI's datatype of a type of Rust.
fn datatype<T: Equivalence>() -> MPI_Datatype
where
    T::Out: AsRaw<Raw = mpi::ffi::MPI_Datatype>,
{
    const { assert!(size_of::<MPI_Datatype>() == size_of::<mpi::ffi::MPI_Datatype>()) };
    // SAFETY: both types are MPI_Datatype of one mpi.h.
    unsafe { std::mem::transmute_copy(&T::equivalent_datatype().as_raw()) }
}

/// Collective: makes a call, by hcube or by the MPI library's own function.
///
/// # Safety
/// The call describes memory and handles as MPI asks for them.
unsafe fn perform(call: &Call, ours: bool, allowed: &Cell<u64>) -> Result<()> {
    // SAFETY: the caller promises that the call describes memory and handles as MPI asks for them.
    let code = unsafe {
        if ours && allowance::take(call) {
            allowed.set(allowed.get() + 1);
            call.by_library()
        } else if ours {
            match collective::exchange(call) {
                Verdict::Done(_) => 0,
                Verdict::Refused(refusal) => refusal.raise(),
                Verdict::Library(reason) => collective::forwarded(call, reason, || call.by_library()),
            }
        } else {
            call.by_library()
        }
    };
    done("the exchange", code)
}

impl Channel {
    /// Collective. Dropping it, between MPI_Init and MPI_Finalize, is collective too.
    pub fn new() -> Self {
        Self(SimpleCommunicator::world().duplicate(), Cell::new(0))
    }

    /// Collective: the communicator of a rank, whose ranks follow each other as in MPI_COMM_WORLD.
    pub fn of(member: &Member) -> Result<Self> {
        const NAME: &str = "MPI_Comm_split";
        let colour = Color::with_value(member.communicator as c_int);
        let created = SimpleCommunicator::world().split_by_color(colour);
        let missing = Error::Mpi { call: NAME, code: 0, text: "no communicator".to_owned() };
        created.map(|comm| Self(comm, Cell::new(0))).ok_or(missing)
    }

    /// That blocks lie in a buffer of this length.
    fn check(&self, blocks: &Blocks, length: usize) {
        assert_eq!(blocks.ranks(), self.0.size() as usize, "an entry per rank");
        assert!(blocks.elements() <= length, "all blocks in the buffers");
    }

    /// Collective: makes an exchange, in place where `sent` is nothing.
    pub fn exchange(&self, exchange: &Exchange, sent: Option<&[u64]>, received: &mut [u64]) -> Result<()> {
        let length = sent.map_or(received.len(), |sent| sent.len().min(received.len()));
        self.check(exchange.blocks, length);
        let form = exchange.form;
        let (function, counts, types) = (form.function(), form.counts(exchange.blocks), form.types());
        if let Form::Typed(each) = form {
            assert_eq!(each.types.len(), exchange.blocks.ranks(), "an entry per rank");
        }
        let sent = sent.map_or(in_place(), |sent| sent.as_ptr().cast_mut().cast::<c_void>());
        let received = received.as_mut_ptr().cast::<c_void>();
        let side = |buffer| Side { buffer, counts, types };
        // As the preload library makes it.
        let call =
            Call { function, send: side(sent), receive: side(received), comm: self.handle(), guest: true };
        // SAFETY: an entry per rank, and blocks follow one another inside the buffers, as checked
        // above; `sent` is only read.
        unsafe { perform(&call, exchange.ours, &self.1) }
    }

    /// Collective: the general exchange in place by hcube: blocks that are sent and blocks that are received
    /// lie in one buffer.
    pub fn in_one_buffer(&self, [sent, received]: [&Blocks; 2], buffer: &mut [u64]) -> Result<()> {
        [sent, received].iter().for_each(|blocks| self.check(blocks, buffer.len()));
        let counts = (sent.as_counts(false), received.as_counts(false));
        let (kind, comm, buffer) = (datatype::<u64>(), self.handle(), buffer.as_mut_ptr().cast());
        const NAME: &str = "hcube_alltoallv_in_place";
        // SAFETY: an entry per rank, and the blocks of each direction follow one another inside the buffer,
        // as checked.
        done(NAME, unsafe { general::in_one_buffer(NAME, buffer, counts, kind, comm) })
    }

    /// Collective: the same exchange by the MPI library, through a second buffer.
    pub fn through(
        &self,
        [sent, received]: [&Blocks; 2],
        buffer: &mut [u64],
        second: &mut [u64],
    ) -> Result<()> {
        self.check(received, buffer.len());
        self.check(sent, second.len().min(buffer.len()));
        second[..sent.elements()].copy_from_slice(&buffer[..sent.elements()]);
        let kind = Types::One(datatype::<u64>());
        let from = (second.as_ptr().cast(), sent.as_counts(false), kind);
        let to = (buffer.as_mut_ptr().cast(), received.as_counts(false), kind);
        let call = Call::new(Function::Alltoallv, from, to, self.handle(), false);
        // SAFETY: an entry per rank, and blocks follow one another inside the two buffers, as checked.
        unsafe { perform(&call, false, &self.1) }
    }

    /// Collective: a nonblocking exchange, with something between its start and its end.
    pub fn around(
        &self,
        (ours, uniform, blocks): (bool, bool, &Blocks),
        sent: &[u64],
        received: &mut [u64],
        between: impl FnOnce(),
    ) -> Result<()> {
        self.check(blocks, sent.len().min(received.len()));
        let function = if uniform { Function::Ialltoall } else { Function::Ialltoallv };
        let (counts, kind) = (blocks.as_counts(uniform), Types::One(datatype::<u64>()));
        let sent = (sent.as_ptr().cast(), counts, kind);
        let received = (received.as_mut_ptr().cast(), counts, kind);
        let call = Call::new(function, sent, received, self.handle(), false);
        const { assert!(size_of::<MPI_Request>() == size_of::<mpi::ffi::MPI_Request>()) };
        // SAFETY: a constant of MPI; both types are MPI_Request of one mpi.h.
        let mut request: MPI_Request = unsafe { std::mem::transmute_copy(&RSMPI_REQUEST_NULL) };
        // SAFETY: an entry per rank, and blocks inside the buffers, as checked, which are borrowed until the
        // request is complete.
        let started = unsafe {
            if ours {
                match nonblocking::start(&call) {
                    Verdict::Done(_) => nonblocking::complete(&call, &mut request),
                    Verdict::Refused(refusal) => nonblocking::refuse(&call, refusal, &mut request),
                    Verdict::Library(_) => nonblocking::by_library(&call, &mut request),
                }
            } else {
                nonblocking::by_library(&call, &mut request)
            }
        };
        between();
        // SAFETY: the request of this exchange, or none.
        let ended = unsafe { MPI_Wait((&raw mut request).cast(), RSMPI_STATUS_IGNORE) };
        done("the start of an exchange", started).and(done("MPI_Wait", ended))
    }
}

/// Axes of a grid of ranks and of their cubes.
const AXES: usize = 3;
/// Neighbours in a grid: one before a rank and one behind it, on each axis.
pub const FACES: usize = 2 * AXES;

/// A layer of a cube.
struct Subarray(MPI_Datatype);

impl Subarray {
    /// The layer with this number on an axis, without the edges of the halo.
    fn new(edge: usize, axis: usize, number: usize) -> Result<Self> {
        let whole = [edge as c_int + 2; AXES];
        let (mut size, mut from) = ([edge as c_int; AXES], [1; AXES]);
        (size[axis], from[axis]) = (1, number as c_int);
        let double = f64::equivalent_datatype().as_raw();
        let (mut created, axes, order) = (double, AXES as c_int, MPI_ORDER_C as c_int);
        let (whole, size, from) = (whole.as_ptr(), size.as_ptr(), from.as_ptr());
        // SAFETY: arrays of three numbers, and a layer inside the cube.
        let code = unsafe {
            match MPI_Type_create_subarray(axes, whole, size, from, order, double, &mut created) {
                0 => MPI_Type_commit(&mut created),
                code => code,
            }
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

/// The faces of a cube with a halo, as datatypes.
pub struct Faces {
    doubles: usize,
    /// What is sent to each neighbour, then what is received from each.
    layers: Vec<Subarray>,
}

impl Faces {
    /// Of a cube with this number of doubles along an edge, without the halo.
    pub fn new(edge: usize) -> Result<Self> {
        // The outermost layers go to the neighbours; what comes from these surrounds them.
        let both = [[1, edge], [0, edge + 1]].into_iter();
        let places = both.flat_map(|pair| (0..AXES).flat_map(move |axis| pair.map(|number| (axis, number))));
        let layers = places.map(|(axis, number)| Subarray::new(edge, axis, number)).collect::<Result<_>>()?;
        Ok(Self { doubles: Self::doubles(edge), layers })
    }

    /// Of the cube with its halo.
    pub fn doubles(edge: usize) -> usize {
        (edge + 2).pow(AXES as u32)
    }
}

impl Channel<CartesianCommunicator> {
    /// Collective: a grid of all ranks, as cubical as possible.
    pub fn grid(periodic: bool) -> Result<Self> {
        let world = SimpleCommunicator::world();
        let mut edges = [0; AXES];
        // SAFETY: an array of three numbers.
        let code = unsafe { MPI_Dims_create(world.size(), AXES as c_int, edges.as_mut_ptr()) };
        done("MPI_Dims_create", code)?;
        let created = world.create_cartesian_communicator(&edges, &[periodic; AXES], false);
        let missing = Error::Mpi { call: "MPI_Cart_create", code: 0, text: "no communicator".to_owned() };
        created.map(|comm| Self(comm, Cell::new(0))).ok_or(missing)
    }

    /// Collective: exchanges the faces of a cube with the neighbours.
    pub fn exchange_faces(&self, faces: &Faces, cube: &mut [f64], ours: bool) -> Result<()> {
        assert!(faces.doubles <= cube.len(), "the cube in the buffer");
        let types: Vec<MPI_Datatype> = faces.layers.iter().map(|layer| layer.0).collect();
        let (sends, receives) = types.split_at(FACES);
        let (ones, places) = ([1; FACES], [0 as MPI_Aint; FACES]);
        let counts = Counts::Far(ones.as_ptr(), places.as_ptr());
        let cube = cube.as_mut_ptr().cast::<c_void>();
        let sent = (cube.cast_const(), counts, Types::Each(sends.as_ptr()));
        let received = (cube, counts, Types::Each(receives.as_ptr()));
        let call = Call::new(Function::NeighborAlltoallw, sent, received, self.handle(), false);
        // SAFETY: an entry per neighbour; layers inside the cube, as checked, those that are received in its
        // halo.
        unsafe { perform(&call, ours, &self.1) }
    }

    /// Collective: exchanges faces of this number of doubles, which lie one behind the other.
    pub fn exchange_packed(&self, face: usize, sent: &[f64], received: &mut [f64], ours: bool) -> Result<()> {
        assert!(FACES * face <= sent.len().min(received.len()), "all faces in the buffers");
        let (counts, kind) = (Counts::Same(face as c_int), Types::One(datatype::<f64>()));
        let sent = (sent.as_ptr().cast(), counts, kind);
        let received = (received.as_mut_ptr().cast(), counts, kind);
        let call = Call::new(Function::NeighborAlltoall, sent, received, self.handle(), false);
        // SAFETY: a block per neighbour in both buffers, as checked.
        unsafe { perform(&call, ours, &self.1) }
    }
}

impl<C: AsRaw<Raw = mpi::ffi::MPI_Comm>> Channel<C> {
    /// As hcube's functions take it.
    fn handle(&self) -> MPI_Comm {
        // The crate `mpi` and hcube have bindings of their own, generated from the same header.
        const { assert!(size_of::<MPI_Comm>() == size_of::<mpi::ffi::MPI_Comm>()) };
        // SAFETY: both types are MPI_Comm of one mpi.h.
        unsafe { std::mem::transmute_copy(&self.0.as_raw()) }
    }

    /// Collective: sets hcube's options for this communicator.
    pub fn set_options(&self, options: &Options) -> Result<()> {
        // SAFETY: the communicator is alive as long as this channel.
        let comm = unsafe { Handle::new(self.handle()) };
        collective::set_options(comm, Ok(*options))
    }

    /// Local: the exchanges that hcube has made by each path, as it counts them, and the exchanges that it
    /// has forwarded to the MPI library.
    pub fn counts(&self) -> proof::Counts {
        // SAFETY: the communicator is alive as long as this channel.
        let comm = unsafe { Handle::new(self.handle()) };
        let found = gate::look(comm, |state: &State| state.paths().collect::<proof::Counts>());
        let mut counts = found.ok().flatten().unwrap_or_else(|| PATHS.map(|name| (name, 0)).to_vec());
        if let Some(library) = counts.last_mut() {
            library.1 += self.1.get();
        }
        counts
    }

    /// Local: the path of hcube's last exchange.
    pub fn last_path(&self) -> Result<&'static str> {
        // SAFETY: the communicator is alive as long as this channel.
        let comm = unsafe { Handle::new(self.handle()) };
        Ok(gate::look(comm, |state: &State| state.last_path())?.unwrap_or("none"))
    }
}

impl Blocks {
    /// As MPI's functions take counts; equal counts also as `MPI_Alltoall` takes them.
    pub fn as_counts(&self, uniform: bool) -> Counts {
        if uniform {
            Counts::Same(self.counts[0])
        } else {
            Counts::Int(self.counts.as_ptr(), self.displacements.as_ptr())
        }
    }
}
