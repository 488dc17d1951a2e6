//! The interfaces of HPCC's kernels on a communicator of one rank: Fourier transforms, STREAM, panels; and
//! the lengths of `hcube bench fft`.

use crate::arguments::{Number, assert_told, fresh_error};
use crate::singleton;
use arbitrary::{Arbitrary, Unstructured};
use hcube::types::{hcube_fft_plan, hcube_stream};
use hcube::{fft as transforms, panel as panels, stream as loops};
use hcube_core::mpi::forward::in_place;
use std::ffi::{c_char, c_void};
use std::ptr::{null_mut, with_exposed_provenance_mut};

/// Complex numbers of a transform, and elements of a vector, that are small enough to be tried often.
const MAX_LENGTH: i64 = 1 << 12;
/// Elements of a vector for which no machine has memory.
const TOO_LONG: i64 = 1 << 50;
/// Bytes of all slots of panels.
const MAX_PANEL_BYTES: u64 = 1 << 20;
/// The factor of STREAM's kernels, and the value of all elements before.
const SCALAR: f64 = 3.0;
const INITIAL: f64 = 2.0;

/// Whether a length has no other prime factors than 2, 3 and 5.
fn is_smooth(length: i64) -> bool {
    let mut rest = length;
    for factor in [2, 3, 5] {
        while rest > 0 && rest % factor == 0 {
            rest /= factor;
        }
    }
    rest == 1
}

/// A text as a length of `hcube bench fft`.
pub fn fft_lengths(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match hcube_tool::bench::lengths::length(&text) {
        Ok(length) => {
            assert!((1..=1 << 40).contains(&length), "{text}: {length}");
            let name = hcube_results::numbers::length_name(length);
            assert_eq!(hcube_tool::bench::lengths::length(&name), Ok(length), "{text}: {name}");
        }
        Err(expected) => assert!(expected.contains("expected"), "{text}"),
    }
}

#[derive(Debug, Arbitrary)]
struct Transform {
    length: Number,
    direction: Number,
    place: u8,
    overlap: Number,
    null: u8,
}

/// Lengths, directions and places of transforms. A vector of ones becomes one number.
pub fn fft(data: &[u8]) {
    let Ok(given) = Transform::arbitrary(&mut Unstructured::new(data)) else { return };
    let comm = singleton::comm();
    let (length, direction) = (given.length.0, given.direction.0 as i32);
    let is_possible = length > 0 && is_smooth(length) && [-1, 1].contains(&direction);
    if is_possible && length > MAX_LENGTH {
        return;
    }
    let mut plan: *mut hcube_fft_plan = null_mut();
    let place = if given.null & 7 == 7 { null_mut() } else { &raw mut plan };
    let mut error = fresh_error();
    // SAFETY: a local variable, or NULL.
    let code = unsafe { transforms::hcube_fft_create(length, direction, comm, place, &mut error) };
    assert_told(code, &error);
    assert_eq!(code == 0, is_possible && !place.is_null(), "{given:?}");
    assert_eq!(plan.is_null(), code != 0, "{given:?}");
    transform(&given, plan);
    // SAFETY: the plan, or NULL.
    let code = unsafe { transforms::hcube_fft_free(place, &mut error) };
    assert_told(code, &error);
    assert_eq!(code == 0, !place.is_null(), "{given:?}");
    assert!(plan.is_null(), "{given:?}");
}

/// Executes a plan, or what is refused without one.
fn transform(given: &Transform, plan: *mut hcube_fft_plan) {
    let mut error = fresh_error();
    let (mut start, mut count) = (-1, -1);
    // SAFETY: local variables, and the plan or NULL.
    let code = unsafe { transforms::hcube_fft_local(plan, &mut start, &mut count, &mut error) };
    assert_told(code, &error);
    assert_eq!((code == 0, start == 0), (!plan.is_null(), !plan.is_null()), "{given:?}");
    let numbers = count.max(0) as usize;
    // Twice the length, so that parts may overlap inside of it.
    let mut input = [1.0, 0.0].repeat(2 * numbers);
    let mut output = vec![-1.0; 2 * numbers];
    let overlap = 2 * (given.overlap.0 as usize % (numbers + 1));
    let from = input.as_mut_ptr();
    let (from, to) = match given.place % 6 {
        0 => (null_mut(), output.as_mut_ptr()),
        1 => (from, null_mut()),
        2 => (from, from.wrapping_add(overlap)),
        3 => (in_place().cast(), from),
        4 => (from, in_place().cast()),
        _ => (from, output.as_mut_ptr()),
    };
    // Parts that follow one another do not overlap.
    let apart = given.place % 6 != 2 || overlap == 0 || overlap == 2 * numbers;
    let valid = !plan.is_null() && !from.is_null() && !to.is_null() && to.cast() != in_place() && apart;
    // SAFETY: parts of the size of the plan, or arguments that are refused before memory is accessed.
    let code = unsafe { transforms::hcube_fft_execute(plan, from.cast::<c_void>(), to.cast(), &mut error) };
    assert_told(code, &error);
    assert_eq!(code == 0, valid, "{given:?}");
    if valid {
        // SAFETY: the part of the result.
        let result = unsafe { std::slice::from_raw_parts(to, 2 * numbers) };
        let first = (result[0] - numbers as f64).abs();
        let others = result[1..].iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        assert!(first.max(others) < 1e-9 * numbers as f64, "{first}, {others}: {given:?}");
    }
}

#[derive(Debug, Arbitrary)]
struct Loops {
    length: Number,
    kernels: Vec<u8>,
    text: u8,
    null: u8,
}

/// Lengths of vectors, and kernels in any order. Every kernel computes the operation in its name.
pub fn stream(data: &[u8]) {
    let Ok(given) = Loops::arbitrary(&mut Unstructured::new(data)) else { return };
    let length = given.length.0;
    // More is allocated or refused as the machine has memory.
    if length > MAX_LENGTH && length < TOO_LONG {
        return;
    }
    singleton::begin();
    let mut stream: *mut hcube_stream = null_mut();
    let mut vectors = [null_mut::<f64>(); 3];
    let [a, b, c] = vectors.each_mut().map(|place| &raw mut *place);
    let a = if given.null & 7 == 7 { null_mut() } else { a };
    let mut error = fresh_error();
    // SAFETY: local variables, or NULL.
    let code = unsafe { loops::hcube_stream_create(length, &mut stream, a, b, c, &mut error) };
    assert_told(code, &error);
    assert_eq!(code == 0, (0..=MAX_LENGTH).contains(&length) && !a.is_null(), "{given:?}");
    assert_eq!(stream.is_null(), code != 0, "{given:?}");
    let elements = if code == 0 { length as usize } else { 0 };
    let mut expected = [INITIAL; 3];
    for vector in vectors.into_iter().filter(|vector| !vector.is_null()) {
        // SAFETY: a vector of this length.
        unsafe { std::slice::from_raw_parts_mut(vector, elements) }.fill(INITIAL);
    }
    for kernel in given.kernels.iter().take(8) {
        // SAFETY: the handle, or NULL.
        let code = unsafe { run(stream, kernel % 4, &mut expected) };
        assert_eq!(code == 0, !stream.is_null(), "{given:?}");
    }
    for (vector, expected) in vectors.into_iter().zip(expected) {
        if code == 0 {
            // SAFETY: a vector of this length; no kernel runs.
            let values = unsafe { std::slice::from_raw_parts(vector, elements) };
            assert!(values.iter().all(|&value| value == expected), "{given:?}");
        }
    }
    let mut text = vec![0x55 as c_char; given.text.into()];
    // SAFETY: the handle or NULL, and a local buffer.
    unsafe {
        let (place, room) = (text.as_mut_ptr(), text.len() as u64);
        let code = loops::hcube_stream_describe(stream, place, room, &mut error);
        assert_told(code, &error);
        assert!(code != 0 || text.contains(&0), "{given:?}");
        let code = loops::hcube_stream_free(&mut stream, &mut error);
        assert_told(code, &error);
        assert!(code == 0 && stream.is_null(), "{given:?}");
    }
}

/// Runs a kernel, and computes what it should give.
///
/// # Safety
/// The handle is valid or NULL.
unsafe fn run(stream: *mut hcube_stream, kernel: u8, [a, b, c]: &mut [f64; 3]) -> i32 {
    let mut error = fresh_error();
    // SAFETY: the handle is valid or NULL.
    let code = unsafe {
        match kernel {
            0 => loops::hcube_stream_copy(stream, &mut error),
            1 => loops::hcube_stream_scale(stream, SCALAR, &mut error),
            2 => loops::hcube_stream_add(stream, &mut error),
            _ => loops::hcube_stream_triad(stream, SCALAR, &mut error),
        }
    };
    assert_told(code, &error);
    if code == 0 {
        match kernel {
            0 => *c = *a,
            1 => *b = SCALAR * *c,
            2 => *c = *a + *b,
            _ => *a = *b + SCALAR * *c,
        }
    }
    code
}

/// A call for panels.
#[derive(Debug, Arbitrary)]
enum Call {
    Prepare { bytes: Number, slots: Number },
    Begin { root: Number, bytes: Number },
    Post(Number),
    Test(Number),
    Wait(Number),
    Release(Number),
}

/// A panel as the target knows it.
struct Known {
    bytes: u64,
    place: *mut u8,
    posted: bool,
    released: bool,
}

/// Calls in any order. On one rank nothing waits: what would wait for ever is an error, or is not called.
pub fn panel(data: &[u8]) {
    let Ok(calls) = Vec::<Call>::arbitrary(&mut Unstructured::new(data)) else { return };
    let comm = singleton::comm();
    let mut known: Vec<Known> = Vec::new();
    let mut error = fresh_error();
    for call in calls.iter().take(64) {
        // SAFETY: a living communicator and local variables.
        let code = unsafe {
            match call {
                Call::Prepare { bytes, slots } => {
                    let (bytes, slots) = (bytes.0 as u64, slots.0 as u64);
                    let total = bytes.saturating_add(4096).saturating_mul(slots);
                    if total > MAX_PANEL_BYTES && total < 1 << 62 {
                        continue;
                    }
                    let code = panels::hcube_panels_prepare(comm, bytes, slots, &mut error);
                    if code == 0 {
                        assert!(known.iter().all(|panel| panel.released), "{calls:?}");
                        known.clear();
                    }
                    code
                }
                Call::Begin { root, bytes } => {
                    let (mut number, mut place) = (u64::MAX, null_mut());
                    let bytes = bytes.0 as u64;
                    let code = panels::hcube_panels_begin(
                        comm,
                        root.0 as i32,
                        bytes,
                        &mut number,
                        &mut place,
                        &mut error,
                    );
                    if code == 0 {
                        assert_eq!((root.0 as i32, number), (0, known.len() as u64), "{calls:?}");
                        place.cast::<u8>().write_bytes(number as u8, bytes as usize);
                        known.push(Known { bytes, place: place.cast(), posted: false, released: false });
                    }
                    code
                }
                Call::Post(number) => {
                    let code = panels::hcube_panels_post(comm, number.0 as u64, &mut error);
                    if code == 0 {
                        known[number.0 as usize].posted = true;
                    }
                    code
                }
                Call::Test(number) | Call::Wait(number) => {
                    let number = number.0 as u64;
                    let panel = known.get(number as usize);
                    let waits = matches!(call, Call::Wait(_));
                    if waits && panel.is_some_and(|panel| !panel.posted && !panel.released) {
                        continue;
                    }
                    let mut place = with_exposed_provenance_mut::<c_void>(8).cast_const();
                    let code = if waits {
                        panels::hcube_panels_wait(comm, number, &mut place, &mut error)
                    } else {
                        panels::hcube_panels_test(comm, number, &mut place, &mut error)
                    };
                    if code == 0 {
                        check(&known[number as usize], number, place.cast());
                    }
                    code
                }
                Call::Release(number) => {
                    let code = panels::hcube_panels_release(comm, number.0 as u64, &mut error);
                    if code == 0 {
                        let panel = &mut known[number.0 as usize];
                        assert!(!panel.released, "{calls:?}");
                        (panel.posted, panel.released) = (true, true);
                    }
                    code
                }
            }
        };
        assert_told(code, &error);
    }
    // The next input finds no panel in use: in the order in which they were begun, which roots keep.
    for (number, _) in (0..).zip(&known).filter(|(_, panel)| !panel.released) {
        // SAFETY: a living communicator.
        let code = unsafe { panels::hcube_panels_release(comm, number, &mut error) };
        assert_eq!(code, 0, "{calls:?}");
    }
    // SAFETY: a living communicator.
    let code = unsafe { panels::hcube_panels_prepare(comm, 64, 2, &mut error) };
    assert_eq!(code, 0, "{calls:?}");
}

/// A panel that was found is there, with its contents, if and only if it was posted.
///
/// # Safety
/// The place is NULL or the address of the panel.
unsafe fn check(panel: &Known, number: u64, place: *const u8) {
    assert!(!panel.released);
    assert_eq!(place.is_null(), !panel.posted);
    if panel.posted {
        assert_eq!(place, panel.place.cast_const());
        // SAFETY: not NULL, as the panel was posted; its root has written all of it.
        let bytes = unsafe { std::slice::from_raw_parts(place, panel.bytes as usize) };
        assert!(bytes.iter().all(|&byte| byte == number as u8));
    }
}
