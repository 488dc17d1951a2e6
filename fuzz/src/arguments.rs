//! The argument checks of the C interface, on a communicator of one rank: a valid call is executed with a
//! correct result; an invalid call returns an error with a message and accesses no memory.

use crate::singleton;
use arbitrary::{Arbitrary, Unstructured};
use hcube::types::*;
use hcube::{alltoall as exchange, random_access as updates, transpose as matrix};
use mpi::ffi;
use std::ffi::{c_char, c_int, c_void};
use std::mem::transmute_copy;
use std::ptr::{null, null_mut};

/// An argument: mostly small, or close to a power of two.
#[derive(Debug, Clone, Copy)]
pub struct Number(pub i64);

impl<'a> Arbitrary<'a> for Number {
    fn arbitrary(source: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        Ok(Self(match source.int_in_range(0..=7u8)? {
            0 => source.arbitrary()?,
            1 => (1i64 << source.int_in_range(0..=63)?).wrapping_add(source.int_in_range(-2..=2)?),
            2 => -source.int_in_range(0..=9)?,
            3 => [i64::MAX, i64::MIN, c_int::MAX.into(), c_int::MIN.into()][source.choose_index(4)?],
            _ => source.int_in_range(0..=65)?,
        }))
    }
}

pub fn fresh_error() -> hcube_error {
    hcube_error { code: -1, message: [0x55; 508] }
}

/// The structure holds the returned code, and a message if and only if the call failed.
pub fn assert_told(code: i32, error: &hcube_error) {
    assert_eq!(code, error.code);
    let end = error.message.iter().position(|&letter| letter == 0).expect("a zero byte");
    assert_eq!(code == 0, end == 0, "code {code}, message of {end} bytes");
}

#[derive(Debug, Arbitrary)]
struct Structures {
    size: Number,
    /// Selects the size of the structure: 0 `size`, 1 the size in this version, 2 a small multiple of 8.
    kind: u8,
    numbers: [Number; 7],
    /// Contents of the fields that this version does not know.
    behind: Number,
    zeros_behind: bool,
    length: u8,
    null: u8,
}

/// Whether `size` is a valid size of a structure, by doc/abi.md.
fn is_size(size: u64) -> bool {
    (16..=4096).contains(&size) && size.is_multiple_of(8)
}

impl Structures {
    /// Exactly the bytes that a caller of this size has: the address sanitizer detects accesses beyond them.
    /// With an invalid size only the first field exists.
    fn memory<T>(&self, filled: impl FnOnce(u64) -> T) -> (u64, Vec<u64>) {
        let size = match self.kind % 3 {
            0 => self.size.0 as u64,
            1 => size_of::<T>() as u64,
            _ => (self.size.0 as u64 % 20).wrapping_mul(8),
        };
        let words = if is_size(size) { size as usize / 8 } else { 1 };
        let behind = if self.zeros_behind { 0 } else { self.behind.0 as u64 };
        let mut memory = vec![behind; words];
        let (value, known) = (filled(size), size_of::<T>().min(8 * words));
        // SAFETY: both have at least `known` bytes; the structures are plain numbers.
        unsafe {
            std::ptr::copy_nonoverlapping((&raw const value).cast::<u8>(), memory.as_mut_ptr().cast(), known);
        }
        (size, memory)
    }

    fn random_access(&self, struct_size: u64) -> hcube_random_access_options {
        let [a, b, c, d, e, f, g] = self.numbers.map(|number| number.0);
        hcube_random_access_options {
            struct_size,
            look_ahead: a,
            mode: b as i32,
            dimensions: c as i32,
            relaxed: d as i32,
            optimisations: e as u32,
            huge_pages: f as i32,
            ranks_per_node: g as i32,
        }
    }

    fn alltoall(&self, struct_size: u64) -> hcube_alltoall_options {
        let [a, b, c, d, e, ..] = self.numbers.map(|number| number.0);
        hcube_alltoall_options {
            struct_size,
            // Not every machine has more memory.
            memory: if a > 1 << 24 && a <= 1 << 40 { a % (1 << 24) } else { a },
            schedule: b as i32,
            path: c as i32,
            ranks_per_node: d as i32,
            reserved: e as i32,
        }
    }
}

/// Structures of options, of any size that a caller may know, and buffers for text.
pub fn option_structures(data: &[u8]) {
    let Ok(given) = Structures::arbitrary(&mut Unstructured::new(data)) else { return };
    let comm = singleton::comm();
    let mut text = vec![0x55 as c_char; given.length.into()];
    let place = if given.null & 1 == 1 { null_mut() } else { text.as_mut_ptr() };
    let mut error = fresh_error();
    // SAFETY: local structures and buffers, of the sizes that are passed.
    unsafe {
        let (size, mut options) = given.memory(|size| given.random_access(size));
        let (of_text, address) = (text.len() as u64, options.as_mut_ptr());
        let code = updates::hcube_random_access_describe(comm, address.cast(), place, of_text, &mut error);
        assert_told(code, &error);
        assert!(code != 0 || (is_size(size) && text.contains(&0)), "{given:?}");
        let code = updates::hcube_random_access_default_options(address.cast(), size, &mut error);
        assert_told(code, &error);
        assert_eq!(code == 0, is_size(size), "{given:?}");

        let (size, mut options) = given.memory(|size| given.alltoall(size));
        let address = options.as_mut_ptr();
        let code = exchange::hcube_alltoall_set_options(comm, address.cast_const().cast(), &mut error);
        assert_told(code, &error);
        assert!(code != 0 || is_size(size), "{given:?}");
        let code = exchange::hcube_alltoall_default_options(address.cast(), size, &mut error);
        assert_told(code, &error);
        assert_eq!(code == 0, is_size(size), "{given:?}");
        // The library accepts its own default values.
        if code == 0 {
            let code = exchange::hcube_alltoall_set_options(comm, address.cast_const().cast(), &mut error);
            assert_eq!(code, 0, "{given:?}");
        }
    }
}

#[derive(Debug, Arbitrary)]
struct Updates {
    log2_length: u8,
    lengths: Option<[Number; 2]>,
    first: Option<Number>,
    stream: Number,
    start: Number,
    count: Number,
    misaligned: bool,
    null: u8,
}

/// A table and updates. An accepted call runs, and the table is correct afterwards.
pub fn random_access(data: &[u8]) {
    const MAX_UPDATES: i64 = 5000;
    let Ok(given) = Updates::arbitrary(&mut Unstructured::new(data)) else { return };
    let comm = singleton::comm();
    let length = 1i64 << (given.log2_length % 13);
    let mut words: Vec<u64> = (0..=length as u64).collect();
    let [local, global] = given.lengths.map_or([length; 2], |lengths| lengths.map(|number| number.0));
    // A table longer than the memory has a null pointer.
    let missing = given.null & 1 == 1 || local > length;
    let address = if missing { null_mut() } else { words.as_mut_ptr() };
    let address = if given.misaligned { address.wrapping_byte_add(4) } else { address };
    let table = hcube_table {
        words: address,
        local_length: local,
        global_length: global,
        first_index: given.first.map_or(0, |first| first.0),
    };
    let count = if given.count.0 > MAX_UPDATES { given.count.0 % MAX_UPDATES } else { given.count.0 };
    let wanted = hcube_updates { stream: given.stream.0 as i32, start: given.start.0, count };
    let mut error = fresh_error();
    // SAFETY: the words that the table describes, or a null pointer, and local structures.
    unsafe {
        let table_place = if given.null & 2 == 2 { null() } else { &raw const table };
        let code = updates::hcube_random_access_run(comm, table_place, &wanted, null(), &mut error);
        assert_told(code, &error);
        let mut wrong = -1;
        if code == 0 {
            let code = updates::hcube_random_access_verify(comm, &table, &wanted, &mut wrong, &mut error);
            assert_told(code, &error);
            assert_eq!((code, wrong), (0, 0));
        } else {
            assert!(
                (0..).zip(&words).all(|(index, &word)| index == word),
                "refused, but the table was written"
            );
        }
    }
    assert_eq!(words[length as usize], length as u64, "written beyond the table");
}

#[derive(Debug, Arbitrary)]
struct OneSide {
    count: Number,
    displacement: Number,
    datatype: u8,
    null: u8,
}

#[derive(Debug, Arbitrary)]
struct Exchange {
    function: u8,
    large: bool,
    in_place: bool,
    alike: bool,
    send: OneSide,
    receive: OneSide,
}

/// Bytes of each buffer.
const ROOM: usize = 1024;

impl OneSide {
    fn size(&self) -> i128 {
        [1, 4, 8][usize::from(self.datatype % 3)]
    }

    fn handle(&self) -> hcube_core::mpi::MPI_Datatype {
        // SAFETY: constants of one mpi.h, seen by two sets of bindings.
        unsafe {
            let all = [ffi::RSMPI_INT8_T, ffi::RSMPI_INT32_T, ffi::RSMPI_DOUBLE];
            transmute_copy(&all[usize::from(self.datatype % 3)])
        }
    }

    fn count(&self, large: bool) -> i64 {
        if large { self.count.0 } else { (self.count.0 as c_int).into() }
    }

    /// First byte of the block, from the start of the buffer.
    fn start(&self, function: u8, large: bool) -> i128 {
        let displacement = if large { self.displacement.0 } else { (self.displacement.0 as c_int).into() };
        i128::from(displacement) * [0, self.size(), 1][usize::from(function)]
    }

    fn bytes(&self, large: bool) -> i128 {
        i128::from(self.count(large)) * self.size()
    }

    fn null_array(&self, function: u8) -> bool {
        function > 0 && self.null & 6 == 6
    }

    fn null_buffer(&self) -> bool {
        self.null & 24 == 24
    }

    /// Whether a call with this side is an error for any other side.
    fn is_refused(&self, function: u8, large: bool) -> bool {
        let bytes = self.bytes(large);
        self.null_array(function) || bytes < 0 || (self.null_buffer() && bytes > 0)
    }

    /// Whether the block lies within the buffer.
    fn fits(&self, function: u8, large: bool) -> bool {
        let (start, bytes) = (self.start(function, large), self.bytes(large));
        bytes == 0 || (start >= 0 && start + bytes <= ROOM as i128)
    }
}

/// Counts, displacements and datatypes of all exchanges. Blocks outside the buffers are passed only if the
/// call is an error for another reason.
pub fn alltoall(data: &[u8]) {
    let Ok(mut given) = Exchange::arbitrary(&mut Unstructured::new(data)) else { return };
    let comm = singleton::comm();
    let (function, large) = (given.function % 3, given.large);
    if given.alike {
        (given.send.count, given.send.datatype) = (given.receive.count, given.receive.datatype);
    }
    let Exchange { in_place, send, receive, .. } = &given;
    let sides = if *in_place { vec![receive] } else { vec![send, receive] };
    let differ = !in_place && send.bytes(large) != receive.bytes(large);
    let refused = differ || sides.iter().any(|side| side.is_refused(function, large));
    if !refused && sides.iter().any(|side| !side.fits(function, large)) {
        return;
    }
    let sent: Vec<u8> = (0..ROOM).map(|at| at as u8 ^ 0x5a).collect();
    let mut received = vec![0xee; ROOM];
    let mut expected = received.clone();
    if !refused && !in_place && receive.bytes(large) > 0 {
        let [to, from] = [receive, send].map(|side| side.start(function, large) as usize);
        let bytes = receive.bytes(large) as usize;
        expected[to..to + bytes].copy_from_slice(&sent[from..from + bytes]);
    }
    let code = call(comm, &given, function, (&sent, &mut received));
    assert_eq!(code != 0, refused, "{given:?}");
    assert!(received == expected, "{given:?}");
}

fn call(
    comm: hcube_core::mpi::MPI_Comm,
    given: &Exchange,
    function: u8,
    memory: (&[u8], &mut [u8]),
) -> c_int {
    let Exchange { large, in_place, send, receive, .. } = given;
    let place = |side: &OneSide, start: *mut c_void| if side.null_buffer() { null_mut() } else { start };
    let from = if *in_place {
        hcube_core::mpi::forward::in_place()
    } else {
        place(send, memory.0.as_ptr().cast_mut().cast())
    };
    let to = place(receive, memory.1.as_mut_ptr().cast());
    let types = [send.handle(), receive.handle()];
    let counts = [send.count(*large), receive.count(*large)];
    let int_counts = counts.map(|count| count as c_int);
    let displacements = [send.displacement.0, receive.displacement.0];
    let int_displacements = displacements.map(|at| at as c_int);
    let aints = displacements.map(|at| at as hcube_core::mpi::MPI_Aint);
    let wide = counts.map(|count| count as hcube_core::mpi::MPI_Count);
    /// A pointer to the entry of one side, or null.
    fn array<T>(side: &OneSide, function: u8, entry: &T) -> *const T {
        if side.null_array(function) { null() } else { entry }
    }
    // SAFETY: arrays with an entry for the only rank, or null, and buffers that hold the blocks, or arguments
    // that are refused before memory is accessed.
    unsafe {
        match (function, *large) {
            (0, false) => {
                exchange::hcube_alltoall(from, int_counts[0], types[0], to, int_counts[1], types[1], comm)
            }
            (0, true) => exchange::hcube_alltoall_c(from, wide[0], types[0], to, wide[1], types[1], comm),
            (1, false) => exchange::hcube_alltoallv(
                from,
                array(send, 1, &int_counts[0]),
                &int_displacements[0],
                types[0],
                to,
                array(receive, 1, &int_counts[1]),
                &int_displacements[1],
                types[1],
                comm,
            ),
            (1, true) => exchange::hcube_alltoallv_c(
                from,
                array(send, 1, &wide[0]),
                &aints[0],
                types[0],
                to,
                array(receive, 1, &wide[1]),
                &aints[1],
                types[1],
                comm,
            ),
            (_, false) => exchange::hcube_alltoallw(
                from,
                array(send, 2, &int_counts[0]),
                &int_displacements[0],
                &types[0],
                to,
                array(receive, 2, &int_counts[1]),
                &int_displacements[1],
                &types[1],
                comm,
            ),
            (_, true) => exchange::hcube_alltoallw_c(
                from,
                array(send, 2, &wide[0]),
                &aints[0],
                &types[0],
                to,
                array(receive, 2, &wide[1]),
                &aints[1],
                &types[1],
                comm,
            ),
        }
    }
}

#[derive(Debug, Arbitrary)]
struct Matrix {
    sizes: [Number; 3],
    blocks: Option<[Number; 2]>,
    layouts: [Number; 2],
    in_place: Number,
}

/// Shapes of matrices. Valid small ones are transposed.
pub fn transpose(data: &[u8]) {
    let Ok(given) = Matrix::arbitrary(&mut Unstructured::new(data)) else { return };
    let comm = singleton::comm();
    let [rows, columns, element_bytes] = given.sizes.map(|number| number.0);
    let [row_block, column_block] =
        given.blocks.map_or([rows, columns], |blocks| blocks.map(|block| block.0));
    let [transposed_in, transposed_out] = given.layouts.map(|layout| layout.0 as i32);
    let shape = hcube_transpose_shape {
        rows,
        columns,
        element_bytes,
        row_block,
        column_block,
        transposed_in,
        transposed_out,
    };
    let mut error = fresh_error();
    // SAFETY: local structures.
    let code = unsafe { matrix::hcube_transpose_check(&shape, given.in_place.0 as i32, comm, &mut error) };
    assert_told(code, &error);
    if ![0, 1].contains(&(given.in_place.0 as i32)) {
        assert_ne!(code, 0, "{given:?}");
        return;
    }
    let in_place = given.in_place.0 as i32 == 1;
    let bytes = rows.saturating_mul(columns).saturating_mul(element_bytes);
    if code == 0 && bytes > 1 << 14 {
        return;
    }
    // A refused call reads and writes no data.
    let bytes = if code == 0 { bytes as usize } else { 1 };
    let source: Vec<u8> = (0..bytes).map(|at| (at * 31 + at / 256) as u8).collect();
    let mut target = if in_place { source.clone() } else { vec![0; bytes] };
    let to: *mut c_void = target.as_mut_ptr().cast();
    let from = if in_place { to.cast_const() } else { source.as_ptr().cast() };
    // SAFETY: the bytes that the shape describes, or a shape that is refused.
    let again = unsafe { matrix::hcube_transpose(from, to, &shape, comm, &mut error) };
    assert_told(again, &error);
    if code != 0 {
        assert_ne!(again, 0, "refused only by the check: {given:?}");
        return;
    }
    assert_eq!(again, 0, "refused after the check: {given:?}");
    let [rows, columns, length] = [rows, columns, element_bytes].map(|size| size as usize);
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let (by_row, by_column) = ((row * columns + column) * length, (column * rows + row) * length);
        let from = if transposed_in == 0 { by_row } else { by_column };
        let to = if transposed_out == 0 { by_column } else { by_row };
        assert!(source[from..from + length] == target[to..to + length], "{row}, {column}: {given:?}");
    }
}
