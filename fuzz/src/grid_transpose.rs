//! The argument checks of hcube_grid_transpose_*, on a communicator of one rank: a valid, small matrix is
//! transposed and compared with the definition; an invalid call returns an error with a message and writes
//! nothing.

use crate::arguments::{Number, assert_told, fresh_error};
use crate::singleton;
use arbitrary::{Arbitrary, Unstructured};
use hcube::transpose_grid as grid;
use hcube::types::{hcube_grid_transpose, hcube_grid_transpose_memory, hcube_grid_transpose_shape};
use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};

/// Elements of a matrix, at most, with the gaps between its columns.
const ROOM: i64 = 1 << 12;
/// Bytes of the memory for A, at most.
const MAX_BYTES: i64 = 1 << 16;
/// Bytes that no machine has.
const TOO_MANY_BYTES: i64 = 1 << 50;

#[derive(Debug, Arbitrary)]
struct Transposition {
    sizes: [Number; 2],
    blocks: [Number; 2],
    grid: Option<[Number; 2]>,
    /// The leading dimensions, where they are not the rows.
    leading: [Option<Number>; 2],
    beta: u8,
    /// The memory for A, of which the matrix begins at an element.
    memory: Option<(Number, u8)>,
    text: u8,
    null: u8,
}

/// A matrix by columns, whose elements are their numbers.
fn matrix(first: f64, elements: i64) -> Vec<f64> {
    (0..elements).map(|number| first + number as f64).collect()
}

/// Elements of a matrix from its first to its last one, where that many fit.
fn elements(rows: i64, columns: i64, leading: i64) -> Option<i64> {
    (columns - 1).checked_mul(leading)?.checked_add(rows).filter(|&elements| elements <= ROOM)
}

/// Shapes, places, strides, and memory of transpositions.
pub fn grid_transpose(data: &[u8]) {
    let Ok(given) = Transposition::arbitrary(&mut Unstructured::new(data)) else { return };
    let comm = singleton::comm();
    let mut error = fresh_error();
    let Some((mut memory, bytes, address)) = memory(&given) else { return };
    let [rows, columns] = given.sizes.map(|size| size.0);
    let [row_block, column_block] = given.blocks.map(|block| block.0);
    let [grid_rows, grid_columns] = given.grid.map_or([1, 1], |grid| grid.map(|side| side.0));
    let shape =
        hcube_grid_transpose_shape { rows, columns, row_block, column_block, grid_rows, grid_columns };
    let fits = rows.checked_mul(columns).is_some_and(|all| all < 1 << 60);
    let is_valid = [rows, columns, row_block, column_block].iter().all(|&size| size > 0)
        && [grid_rows, grid_columns] == [1, 1]
        && fits;
    let shape_place = if given.null & 7 == 7 { null() } else { &raw const shape };
    let mut transposition: *mut hcube_grid_transpose = null_mut();
    let place = if given.null & 56 == 56 { null_mut() } else { &raw mut transposition };
    // SAFETY: local variables, or NULL.
    let code = unsafe { grid::hcube_grid_transpose_create(shape_place, memory, comm, place, &mut error) };
    assert_told(code, &error);
    assert_eq!(code == 0, is_valid && !shape_place.is_null() && !place.is_null(), "{given:?}");
    assert_eq!(transposition.is_null(), code != 0, "{given:?}");
    // The transposition keeps the memory.
    // SAFETY: the handle, or NULL.
    let code = unsafe { grid::hcube_grid_transpose_memory_free(&mut memory, &mut error) };
    assert_told(code, &error);
    assert!(code == 0 && memory.is_null(), "{given:?}");
    if !transposition.is_null() {
        execute(&given, transposition, address, bytes);
    }
    describe(&given, transposition);
    // SAFETY: the handle or NULL, in a local variable, or NULL.
    let code = unsafe { grid::hcube_grid_transpose_free(place, &mut error) };
    assert_told(code, &error);
    assert!((code == 0) != place.is_null() && transposition.is_null(), "{given:?}");
}

/// The memory for A with its bytes and its address; nothing where the machine decides whether there is any.
fn memory(given: &Transposition) -> Option<(*mut hcube_grid_transpose_memory, i64, *mut c_void)> {
    let Some((bytes, _)) = given.memory else { return Some((null_mut(), 0, null_mut())) };
    let bytes = bytes.0;
    if bytes > MAX_BYTES && bytes < TOO_MANY_BYTES {
        return None;
    }
    let (mut memory, mut address, mut error) = (null_mut(), null_mut(), fresh_error());
    // SAFETY: local variables.
    let code = unsafe {
        grid::hcube_grid_transpose_memory_create(
            bytes,
            singleton::comm(),
            &mut memory,
            &mut address,
            &mut error,
        )
    };
    assert_told(code, &error);
    assert_eq!(code == 0, (0..=MAX_BYTES).contains(&bytes), "{given:?}");
    assert_eq!((memory.is_null(), address.is_null()), (code != 0, code != 0), "{given:?}");
    Some((memory, if code == 0 { bytes } else { 0 }, address))
}

/// Transposes, where that is possible with what is given.
fn execute(
    given: &Transposition,
    transposition: *mut hcube_grid_transpose,
    address: *mut c_void,
    bytes: i64,
) {
    let [rows, columns] = given.sizes.map(|size| size.0);
    let [lda, ldc] = [(given.leading[0], rows), (given.leading[1], columns)]
        .map(|(given, rows)| given.map_or(rows, |lead| lead.0));
    let refused = lda < rows || ldc < columns;
    // A refused call reads and writes no data.
    let sizes =
        if refused { Some((1, 1)) } else { elements(rows, columns, lda).zip(elements(columns, rows, ldc)) };
    let Some((a_elements, c_elements)) = sizes else { return };
    let beta = f64::from(given.beta % 3);
    let mut a = matrix(1.0, a_elements);
    let mut c = matrix(0.5, c_elements);
    let offset = given.memory.map_or(0, |(_, offset)| i64::from(offset));
    let mut from = a.as_mut_ptr();
    if !address.is_null() && 8 * (offset + a_elements) <= bytes {
        // SAFETY: the memory has these bytes behind the offset.
        unsafe {
            from = address.cast::<f64>().add(offset as usize);
            from.copy_from_nonoverlapping(a.as_ptr(), a.len());
        }
    }
    let from = if given.null & 192 == 192 { null_mut() } else { from };
    let before = c.clone();
    let mut error = fresh_error();
    // SAFETY: matrices of the sizes that the shape and the leading dimensions say, or arguments that are
    // refused.
    let code = unsafe {
        grid::hcube_grid_transpose_execute(transposition, beta, from, lda, c.as_mut_ptr(), ldc, &mut error)
    };
    assert_told(code, &error);
    assert_eq!(code == 0, !refused && !from.is_null(), "{given:?}");
    let mut expected = before;
    if code == 0 {
        for (row, column) in (0..columns).flat_map(|row| (0..rows).map(move |column| (row, column))) {
            let value = &mut expected[(column * ldc + row) as usize];
            let scaled = if beta == 0.0 { 0.0 } else { beta * *value };
            *value = a[(row * lda + column) as usize] + scaled;
        }
    }
    assert!(c == expected, "{given:?}");
}

/// A line about a transposition, or about none.
fn describe(given: &Transposition, transposition: *const hcube_grid_transpose) {
    let mut text = vec![0x55 as c_char; given.text.into()];
    let mut error = fresh_error();
    // SAFETY: the handle or NULL, and a local buffer.
    let code = unsafe {
        let (place, room) = (text.as_mut_ptr(), text.len() as u64);
        grid::hcube_grid_transpose_describe(transposition, place, room, &mut error)
    };
    assert_told(code, &error);
    assert_eq!(code == 0, !transposition.is_null() && !text.is_empty(), "{given:?}");
    assert!(code != 0 || text.contains(&0), "{given:?}");
}
