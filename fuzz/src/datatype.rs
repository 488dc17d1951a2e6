//! Datatypes: hcube must find the bytes where `MPI_Pack` finds them, and must handle datatypes that do not
//! fit in memory.

use crate::singleton;
use arbitrary::{Arbitrary, Unstructured};
use hcube_core::memory::datatype::{Block, Datatype};
use hcube_core::mpi::backend::MpiComm;
use hcube_datatypes::{Memory, Random, free, measure};
use mpi::ffi::{self, MPI_Aint, MPI_Datatype};
use std::ffi::c_int;
use std::ptr;

thread_local! {
    /// The communicator for calls of MPI.
    static COMM: MpiComm = {
        singleton::begin();
        hcube_core::mpi::rsmpi::duplicate(&mpi::topology::SimpleCommunicator::self_comm()).expect("a communicator")
    };
}

/// The meaning of an input.
#[derive(Debug, Arbitrary)]
enum Made {
    /// A datatype that fits into memory, from a seed.
    Small { seed: u64, depth: u8, count: u8, from: u16, to: u16 },
    /// Constructors with arbitrary numbers.
    Large { levels: Vec<Level>, count: u16 },
}

#[derive(Debug, Clone, Copy, Arbitrary)]
enum Level {
    Contiguous(c_int),
    Vector(c_int, c_int, c_int),
    Hvector(c_int, c_int, i64),
    Indexed([c_int; 3], [c_int; 3]),
    Hindexed([c_int; 3], [i64; 3]),
    Resized(i64, i64),
    Struct([c_int; 2], [i64; 2]),
}

/// A datatype of any kind.
pub fn datatype(data: &[u8]) {
    let Ok(made) = Made::arbitrary(&mut Unstructured::new(data)) else { return };
    COMM.with(|comm| match made {
        Made::Small { seed, depth, count, from, to } => {
            small(comm, seed, usize::from(depth % 5), usize::from(count % 5), [from, to])
        }
        Made::Large { levels, count } => large(comm, &levels, count.into()),
    });
}

fn inspect(datatype: MPI_Datatype, comm: &MpiComm) -> hcube_core::Result<Datatype> {
    // SAFETY: MPI_Datatype of one mpi.h, seen by two sets of bindings; the handles are MPI's own.
    unsafe { hcube_core::mpi::datatype::inspect(std::mem::transmute_copy(&datatype), comm) }
}

fn small(comm: &MpiComm, seed: u64, depth: usize, count: usize, range: [u16; 2]) {
    let mut random = Random(seed | 1);
    let (mut datatype, text) = match depth {
        0 => (random.named(), String::new()),
        _ => random.datatype(depth),
    };
    // SAFETY: a valid datatype.
    unsafe { ffi::MPI_Type_commit(&mut datatype) };
    let known = inspect(datatype, comm).unwrap_or_else(|error| panic!("{error}: {text}"));
    let length = count * known.size();
    let mut memory = Memory::of(datatype, count);
    // With several elements Open MPI 4.1 may read bytes that do not belong to them.
    let one = if count == 0 { Vec::new() } else { memory.map(datatype, 1, known.size()) };
    let element = |number: usize| number as isize * known.extent();
    let map: Vec<usize> = (0..count)
        .flat_map(|number| one.iter().map(move |at| at.wrapping_add_signed(element(number))))
        .collect();
    memory.bytes.iter_mut().for_each(|byte| *byte = random.below(256) as u8);
    // SAFETY: the memory holds the elements.
    let block = unsafe { Block::new(memory.address(), count, &known) };
    let [from, to] = range.map(|at| usize::from(at) % (length + 1));
    let (from, to) = (from.min(to), from.max(to));
    let mut packed = vec![0; to - from];
    block.pack(from, &mut packed);
    let expected: Vec<u8> = map[from..to].iter().map(|&at| memory.bytes[at]).collect();
    assert_eq!(packed, expected, "{from}..{to} of {count}: {text}");
    // Unpacking the same bytes again changes nothing.
    let before = memory.bytes.clone();
    block.unpack(from, &packed);
    assert!(memory.bytes == before, "{from}..{to} of {count}: {text}");
    free(datatype);
}

fn large(comm: &MpiComm, levels: &[Level], count: usize) {
    let mut datatype = Random(count as u64 | 1).named();
    // Open MPI itself recurses at every level.
    for &level in levels.iter().take(70) {
        let Some(next) = by_constructor(level, datatype) else { break };
        free(datatype);
        datatype = next;
    }
    // SAFETY: a valid datatype; the block's memory is not touched.
    unsafe {
        if ffi::MPI_Type_commit(&mut datatype) == 0
            && let Ok(known) = inspect(datatype, comm)
        {
            assert_eq!(known.extent() as i64, measure(datatype).extent);
            if known.size().checked_mul(count).is_some_and(|bytes| isize::try_from(bytes).is_ok()) {
                Block::new(ptr::null_mut(), count, &known).region();
            }
        }
    }
    free(datatype);
}

/// A datatype of another one, where MPI makes it.
fn by_constructor(level: Level, old: MPI_Datatype) -> Option<MPI_Datatype> {
    // MPI forbids negative counts, and Open MPI's arithmetic overflows long before an int does.
    let count = |number: c_int| number.rem_euclid(1 << 20);
    let mut new = old;
    // SAFETY: a valid datatype, and arrays of the lengths that are passed.
    let code = unsafe {
        match level {
            Level::Contiguous(times) => ffi::MPI_Type_contiguous(count(times), old, &mut new),
            Level::Vector(times, length, stride) => {
                ffi::MPI_Type_vector(count(times), count(length), stride, old, &mut new)
            }
            Level::Hvector(times, length, stride) => {
                ffi::MPI_Type_create_hvector(count(times), count(length), stride as MPI_Aint, old, &mut new)
            }
            Level::Indexed(lengths, places) => {
                let lengths = lengths.map(count);
                ffi::MPI_Type_indexed(3, lengths.as_ptr(), places.as_ptr(), old, &mut new)
            }
            Level::Hindexed(lengths, places) => {
                let (lengths, places) = (lengths.map(count), places.map(|place| place as MPI_Aint));
                ffi::MPI_Type_create_hindexed(3, lengths.as_ptr(), places.as_ptr(), old, &mut new)
            }
            Level::Resized(lower, extent) => {
                ffi::MPI_Type_create_resized(old, lower as MPI_Aint, extent as MPI_Aint, &mut new)
            }
            Level::Struct(lengths, places) => {
                let (lengths, places) = (lengths.map(count), places.map(|place| place as MPI_Aint));
                let types = [old, ffi::RSMPI_DOUBLE];
                ffi::MPI_Type_create_struct(2, lengths.as_ptr(), places.as_ptr(), types.as_ptr(), &mut new)
            }
        }
    };
    (code == 0).then_some(new)
}
