//! Requests: operations that another image performs for this one, on memory that only it can access, and its
//! replies.
//!
//! Idea: one shipped function serves all requests, another one receives the replies. An image therefore
//! serves requests while it waits.
//!
//! Cost: a request and a reply.

use crate::failure::{Failure, Image, Result};
use hcube_core::mpi::MpiComm;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::c_int;
use std::rc::Rc;

/// The numbers of the shipped functions, which every image registers first.
const SERVE: usize = 0;
const ANSWER: usize = 1;

/// Bytes of the number of a request, with which requests and answers begin.
const NUMBER: usize = size_of::<u64>();
/// The byte before an answer, and before status and text of an error.
const DONE: u8 = 0;
const FAILED: u8 = 1;

thread_local! {
    static REQUESTS: Cell<u64> = const { Cell::new(0) };
    static ANSWERS: RefCell<HashMap<u64, Vec<u8>>> = RefCell::default();
}

/// Serves a request of an image; returns the reply.
pub type Serve = fn(&Image, &[u8]) -> Result<Vec<u8>>;

/// Registers the functions, on all images before any request.
pub fn register(image: &Image, work: Serve) {
    let serve = move |image: &Image, from: usize, bytes: &[u8]| {
        let (number, request) = bytes.split_at(NUMBER);
        let (state, answer) = match work(image, request) {
            Ok(answer) => (DONE, answer),
            Err(failure) => (FAILED, [&failure.stat.to_ne_bytes(), failure.text.as_bytes()].concat()),
        };
        let message = [number, &[state], &answer].concat();
        // The requesting image gets an error elsewhere if this image cannot reply.
        drop(image.spawn(image.world(), from, ANSWER, &message, None));
    };
    let answer = |_: &Image, _: usize, bytes: &[u8]| {
        let (number, answer) = bytes.split_at(NUMBER);
        let number = u64::from_ne_bytes(number.try_into().expect("eight bytes"));
        ANSWERS.with_borrow_mut(|answers| answers.insert(number, answer.to_vec()));
    };
    let functions: [hcube_caf::Function<MpiComm>; 2] = [Rc::new(serve), Rc::new(answer)];
    for (function, expected) in functions.into_iter().zip([SERVE, ANSWER]) {
        assert_eq!(image.register(function), expected, "shipped functions are numbered");
    }
}

/// Asks an image, given by its rank in the job, for something, and waits for its answer.
pub fn ask(image: &Image, to: usize, request: &[u8]) -> Result<Vec<u8>> {
    let number = REQUESTS.get();
    REQUESTS.set(number + 1);
    image.spawn(image.world(), to, SERVE, &[&number.to_ne_bytes(), request].concat(), None)?;
    let mut answer = None;
    image.wait_for(to, || {
        answer = ANSWERS.with_borrow_mut(|answers| answers.remove(&number));
        answer.is_some()
    })?;
    let answer = answer.ok_or_else(|| Failure::new("a request without an answer"))?;
    match answer.split_first() {
        Some((&DONE, bytes)) => Ok(bytes.to_vec()),
        Some((_, error)) => {
            let Some((stat, text)) = error.split_first_chunk() else {
                return Err(Failure::new("an answer without a status"));
            };
            Err(Failure {
                stat: c_int::from_ne_bytes(*stat),
                text: String::from_utf8_lossy(text).into_owned(),
            })
        }
        None => Err(Failure::new("an answer without bytes")),
    }
}
