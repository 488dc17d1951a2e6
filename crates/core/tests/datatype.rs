//! Datatypes compared with the MPI library: `MPI_Pack` gives the locations of the bytes of random datatypes,
//! and hcube must find the same locations, in the same order, from any position on.
//!
//! MPI can be initialised once in a process, so one test calls all.

use hcube_core::Error;
use hcube_core::memory::datatype::{Block, Datatype};
use hcube_core::mpi::{MpiComm, datatype};
use hcube_datatypes::{Memory, Random, free, measure};
use mpi::ffi::{self, MPI_Datatype};
use std::ffi::c_int;
use std::ptr;

/// Random datatypes that are tried.
const DATATYPES: u64 = 6000;

#[test]
fn datatypes_are_those_of_mpi() {
    let universe = mpi::initialize().expect("the only test of this process");
    let comm = hcube_core::mpi::rsmpi::duplicate(&universe.world()).expect("a communicator");
    random_datatypes_are_packed_as_mpi_packs_them(&comm);
    contiguous_memory_is_seen(&comm);
    unusable_datatypes_are_refused(&comm);
    sizes_beyond_an_int(&comm);
    large_counts(&comm);
    fortran_kinds(&comm);
    a_datatype_outlives_its_handle(&comm);
    nothing_is_left_behind(&comm);
    drop(comm);
}

fn inspect(datatype: MPI_Datatype, comm: &MpiComm) -> hcube_core::Result<Datatype> {
    // SAFETY: MPI_Datatype of one mpi.h, seen by two sets of bindings; the handles are MPI's own.
    unsafe { datatype::inspect(std::mem::transmute_copy(&datatype), comm) }
}

/// Commits what `make` makes.
fn commit(make: impl FnOnce(&mut MPI_Datatype) -> c_int) -> MPI_Datatype {
    // SAFETY: constants; `make` has made a datatype.
    unsafe {
        let mut datatype = ffi::RSMPI_DATATYPE_NULL;
        assert_eq!(make(&mut datatype), 0);
        assert_eq!(ffi::MPI_Type_commit(&mut datatype), 0);
        datatype
    }
}

fn random_datatypes_are_packed_as_mpi_packs_them(comm: &MpiComm) {
    let (mut bytes, mut with_order, mut contradictions) = (0, 0, 0);
    for seed in 1..=DATATYPES {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        random.below(2);
        let depth = random.below(5);
        let (mut datatype, text) = match depth {
            0 => (random.named(), String::new()),
            _ => random.datatype(depth),
        };
        // SAFETY: a valid datatype.
        unsafe { ffi::MPI_Type_commit(&mut datatype) };
        let count = random.below(5);
        let known = inspect(datatype, comm).unwrap_or_else(|error| panic!("{seed}: {error}: {text}"));
        let again = inspect(datatype, comm).expect("as before");
        let size = measure(datatype);
        assert_eq!((known.size() as i64, known.extent() as i64), (size.bytes, size.extent));
        assert_eq!(format!("{known:?}"), format!("{again:?}"));

        let length = count * known.size();
        let mut memory = Memory::of(datatype, count);
        let Some(map) = memory.consistent_map(datatype, count, length) else {
            contradictions += 1;
            continue;
        };
        check_packing(&known, count, &map, &mut memory, &mut random, &format!("{seed}: {count} of {text}"));
        bytes += length;
        with_order += usize::from(map.windows(2).any(|pair| pair[0] > pair[1]));
        free(datatype);
    }
    assert!(bytes > DATATYPES as usize * 50, "{bytes} bytes: too little to mean anything");
    assert!(contradictions < DATATYPES / 200, "{contradictions} datatypes that the library packs wrongly");
    assert!(with_order > DATATYPES as usize / 10, "{with_order} datatypes with an order of their own");
}

/// Ranges of packed bytes: all of them if there are few.
fn ranges(length: usize, random: &mut Random) -> Vec<(usize, usize)> {
    if length <= 40 {
        return (0..=length).flat_map(|from| (from..=length).map(move |to| (from, to))).collect();
    }
    let mut ranges = vec![(0, length)];
    for _ in 0..60 {
        let from = random.below(length + 1);
        ranges.push((from, from + random.below(length - from + 1)));
        ranges.push((from, from + random.below((length - from).min(24) + 1)));
    }
    ranges
}

fn check_packing(
    known: &Datatype,
    count: usize,
    map: &[usize],
    memory: &mut Memory,
    random: &mut Random,
    text: &str,
) {
    memory.bytes.iter_mut().for_each(|byte| *byte = random.below(256) as u8);
    let original = memory.bytes.clone();
    // SAFETY: the memory holds the elements and is accessed only through the block while that is used.
    let block = unsafe { Block::new(memory.address(), count, known) };
    assert_eq!(block.bytes(), map.len(), "{text}");
    let contiguous = map.windows(2).all(|pair| pair[1] == pair[0] + 1);
    assert_eq!(block.region().is_some(), contiguous, "{text}");
    if let (Some(region), Some(&first)) = (block.region(), map.first()) {
        let address = memory.bytes.as_ptr().wrapping_add(first);
        assert_eq!((region.address().cast_const(), region.len()), (address, map.len()), "{text}");
    }
    let mut places = map.to_vec();
    places.sort_unstable();
    let overlapping = places.windows(2).any(|pair| pair[0] == pair[1]);
    for (from, to) in ranges(map.len(), random) {
        let mut packed = vec![0; to - from];
        block.pack(from, &mut packed);
        let expected: Vec<u8> = map[from..to].iter().map(|&at| original[at]).collect();
        assert_eq!(packed, expected, "{text}: packed {from}..{to}");
        if overlapping {
            // The bytes that such a datatype receives are undefined.
            continue;
        }
        let new: Vec<u8> = (from..to).map(|_| random.below(256) as u8).collect();
        block.unpack(from, &new);
        let mut expected = original.clone();
        map[from..to].iter().zip(&new).for_each(|(&at, &byte)| expected[at] = byte);
        assert!(memory.bytes == expected, "{text}: unpacked {from}..{to}");
        memory.bytes.copy_from_slice(&original);
    }
}

fn contiguous_memory_is_seen(comm: &MpiComm) {
    // SAFETY: constants and valid datatypes throughout; no memory is accessed.
    unsafe {
        let double = ffi::RSMPI_DOUBLE;
        let rows = commit(|new| ffi::MPI_Type_vector(6, 2, 2, double, new));
        let shifted = commit(|new| ffi::MPI_Type_create_hindexed_block(1, 3, [-16].as_ptr(), double, new));
        let column = commit(|new| ffi::MPI_Type_vector(6, 1, 2, double, new));
        let swapped = commit(|new| ffi::MPI_Type_indexed(2, [1, 1].as_ptr(), [1, 0].as_ptr(), double, new));
        let nothing = commit(|new| ffi::MPI_Type_contiguous(0, double, new));
        let address = 0x10_0000 as *mut u8;
        let region = |datatype, count| {
            let known = inspect(datatype, comm).expect("valid");
            let region = Block::new(address.cast(), count, &known).region()?;
            Some((region.address() as isize - address as isize, region.len()))
        };
        assert_eq!(region(double, 5), Some((0, 40)));
        assert_eq!(region(rows, 3), Some((0, 288)));
        assert_eq!(region(shifted, 2), Some((-16, 48)));
        assert_eq!((region(column, 1), region(swapped, 1)), (None, None));
        for (datatype, count) in [(column, 0), (nothing, 7), (double, 0)] {
            assert_eq!(region(datatype, count).map(|(_, length)| length), Some(0));
        }
        [rows, shifted, column, swapped, nothing].into_iter().for_each(free);
    }
}

fn unusable_datatypes_are_refused(comm: &MpiComm) {
    // SAFETY: handles that MPI has returned; errors of MPI would be fatal here on every communicator except
    // hcube's.
    unsafe {
        let mut refused = vec![ffi::RSMPI_DATATYPE_NULL];
        let mut uncommitted = ffi::RSMPI_DATATYPE_NULL;
        ffi::MPI_Type_vector(2, 1, 2, ffi::RSMPI_DOUBLE, &mut uncommitted);
        refused.push(uncommitted);
        if size_of::<MPI_Datatype>() == size_of::<c_int>() {
            // MPICH: a handle is a number, which may be anything. Nothing; no such type; a communicator.
            let number = |bits: u64| std::mem::transmute_copy::<u64, MPI_Datatype>(&bits);
            refused.extend([0, 0x1234_5678, 0x4400_0000].map(number));
        }
        for datatype in refused {
            let error = inspect(datatype, comm).expect_err("cannot be used");
            assert!(matches!(error, Error::Datatype(_)), "{error:?}");
        }
        ffi::MPI_Type_commit(&mut uncommitted);
        inspect(uncommitted, comm).expect("can be used now");
        free(uncommitted);
    }
}

fn sizes_beyond_an_int(comm: &MpiComm) {
    const GIB: usize = 1 << 30;
    // SAFETY: constants and valid datatypes; the memory is mapped as long as it is used.
    unsafe {
        let gib = commit(|new| ffi::MPI_Type_contiguous(1 << 30, ffi::RSMPI_INT8_T, new));
        let large = commit(|new| ffi::MPI_Type_contiguous(5, gib, new));
        let known = inspect(large, comm).expect("valid");
        assert_eq!((known.size(), known.extent()), (5 * GIB, 5 * GIB as isize));
        assert_eq!(Block::new(ptr::null_mut(), 3, &known).region().map(|all| all.len()), Some(15 * GIB));

        let far = commit(|new| ffi::MPI_Type_create_hvector(3, 1, 3 << 30, ffi::RSMPI_DOUBLE, new));
        let known = inspect(far, comm).expect("valid");
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let memory = libc::mmap(ptr::null_mut(), 7 * GIB, access, flags, -1, 0);
        assert_ne!(memory, libc::MAP_FAILED);
        let block = Block::new(memory, 1, &known);
        block.unpack(6, &[7; 18]);
        assert_eq!(*memory.cast::<u8>().add(6 * GIB + 7), 7);
        assert_eq!(*memory.cast::<[u8; 8]>(), [0, 0, 0, 0, 0, 0, 7, 7]);
        let mut packed = [1; 12];
        block.pack(0, &mut packed);
        assert_eq!(packed, [0, 0, 0, 0, 0, 0, 7, 7, 7, 7, 7, 7]);
        libc::munmap(memory, 7 * GIB);
        [gib, large, far].into_iter().for_each(free);
    }
}

/// MPI-4's constructors, where the library has them.
fn large_counts(comm: &MpiComm) {
    type Vector = unsafe extern "C" fn(i64, i64, i64, MPI_Datatype, *mut MPI_Datatype) -> c_int;
    type Subarray = unsafe extern "C" fn(
        c_int,
        *const i64,
        *const i64,
        *const i64,
        c_int,
        MPI_Datatype,
        *mut MPI_Datatype,
    ) -> c_int;
    type Darray = unsafe extern "C" fn(
        c_int,
        c_int,
        c_int,
        *const i64,
        *const c_int,
        *const c_int,
        *const c_int,
        c_int,
        MPI_Datatype,
        *mut MPI_Datatype,
    ) -> c_int;
    // SAFETY: the symbols, where they exist, are the functions of MPI-4; MPI_Count has 64 bits.
    unsafe {
        let function = |name: &std::ffi::CStr| libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr());
        let vector = function(c"MPI_Type_vector_c");
        if vector.is_null() {
            hcube_testing::skip("large-counts", "the MPI library has no MPI_Type_vector_c");
            return;
        }
        let vector: Vector = std::mem::transmute(vector);
        let subarray: Subarray = std::mem::transmute(function(c"MPI_Type_create_subarray_c"));
        let darray: Darray = std::mem::transmute(function(c"MPI_Type_create_darray_c"));
        let large = commit(|new| vector(3, 2, 5, ffi::RSMPI_INT32_T, new));
        let order = ffi::MPI_ORDER_C as c_int;
        let (sizes, parts, starts) = ([4, 6], [2, 3], [1, 2]);
        let part = commit(|new| {
            subarray(2, sizes.as_ptr(), parts.as_ptr(), starts.as_ptr(), order, ffi::RSMPI_INT16_T, new)
        });
        let (block, cyclic) = (ffi::MPI_DISTRIBUTE_BLOCK as c_int, ffi::MPI_DISTRIBUTE_CYCLIC as c_int);
        let arguments = [ffi::MPI_DISTRIBUTE_DFLT_DARG as c_int, 2];
        let (distributions, grid) = ([block, cyclic], [2, 2]);
        let distributed = commit(|new| {
            darray(
                4,
                1,
                2,
                sizes.as_ptr(),
                distributions.as_ptr(),
                arguments.as_ptr(),
                grid.as_ptr(),
                order,
                ffi::RSMPI_INT16_T,
                new,
            )
        });
        // Of four rows two, of six columns the third and fourth.
        for (datatype, bytes) in [(large, 48), (part, 24), (distributed, 16)] {
            let known = inspect(datatype, comm).expect("valid");
            let mut memory = Memory::of(datatype, 2);
            let map = memory.map(datatype, 2, bytes);
            check_packing(&known, 2, &map, &mut memory, &mut Random(9), "large counts");
            // Not `free`, which calls MPI_Type_get_envelope: for these it is an error.
            ffi::MPI_Type_free(&mut { datatype });
        }
    }
}

/// Datatypes that are MPI's own without a name; they must not be freed.
fn fortran_kinds(comm: &MpiComm) {
    // SAFETY: constants; a library without Fortran refuses, which must not be fatal then.
    unsafe {
        let mut real = ffi::RSMPI_DATATYPE_NULL;
        ffi::MPI_Comm_set_errhandler(ffi::RSMPI_COMM_WORLD, ffi::RSMPI_ERRORS_RETURN);
        let code = ffi::MPI_Type_create_f90_real(15, 307, &mut real);
        ffi::MPI_Comm_set_errhandler(ffi::RSMPI_COMM_WORLD, ffi::RSMPI_ERRORS_ARE_FATAL);
        if code != 0 {
            hcube_testing::skip("fortran-kinds", "the MPI library was built without Fortran");
            return;
        }
        let two = commit(|new| ffi::MPI_Type_vector(2, 1, 2, real, new));
        assert_eq!(inspect(real, comm).expect("valid").size(), 8);
        for _ in 0..3 {
            // Several times, or a freed handle goes unnoticed.
            let again = commit(|new| ffi::MPI_Type_dup(two, new));
            assert_eq!(inspect(again, comm).expect("valid").size(), 16);
            free(again);
        }
        assert_eq!(inspect(real, comm).expect("still valid").size(), 8);
        free(two);
    }
}

fn a_datatype_outlives_its_handle(comm: &MpiComm) {
    // SAFETY: constants and valid datatypes; the block's memory is alive.
    unsafe {
        let column = commit(|new| ffi::MPI_Type_vector(3, 1, 2, ffi::RSMPI_INT8_T, new));
        let known = inspect(column, comm).expect("valid");
        let copy = commit(|new| ffi::MPI_Type_dup(column, new));
        free(column);
        let (mut memory, mut packed) = ([1u8, 2, 3, 4, 5], [0; 3]);
        for datatype in [known, inspect(copy, comm).expect("valid")] {
            Block::new(memory.as_mut_ptr().cast(), 1, &datatype).pack(0, &mut packed);
            assert_eq!(packed, [1, 3, 5]);
        }
        free(copy);
    }
}

/// Fresh datatypes made, inspected and freed take no more memory in the end than without inspection:
/// in about every other process MPICH 4.0 loses 64 bytes by itself for each that is made and freed.
fn nothing_is_left_behind(comm: &MpiComm) {
    let resident = || -> usize {
        let text = std::fs::read_to_string("/proc/self/statm").expect("Linux");
        text.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).expect("a number of pages")
    };
    let round = |number: usize, inspected: bool| {
        // SAFETY: constants and valid datatypes.
        unsafe {
            let mut inner = ffi::RSMPI_DATATYPE_NULL;
            ffi::MPI_Type_vector(3, 1, 2 + (number % 5) as c_int, ffi::RSMPI_DOUBLE, &mut inner);
            let (lengths, places) = ([1, 2, 1], [0, 100, 400]);
            let types = [inner, ffi::RSMPI_DOUBLE, inner];
            let outer = commit(|new| {
                ffi::MPI_Type_create_struct(3, lengths.as_ptr(), places.as_ptr(), types.as_ptr(), new)
            });
            if inspected {
                inspect(outer, comm).expect("valid");
                inspect(outer, comm).expect("valid");
            }
            free(inner);
            free(outer);
        }
    };
    let grown = |inspected| {
        (0..20_000).for_each(|number| round(number, inspected));
        let before = resident();
        (0..100_000).for_each(|number| round(number, inspected));
        resident().saturating_sub(before)
    };
    let (without, with) = (grown(false), grown(true));
    // The smallest allocation of malloc, leaked each time, would be 780 pages.
    assert!(with < without + 400, "{with} pages more, {without} of them without inspection");
}
