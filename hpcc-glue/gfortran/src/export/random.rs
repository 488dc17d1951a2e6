//! `random_init`.

use crate::abi::{Descriptor, Dimension, Dtype, kind};
use crate::reduce::broadcast;
use crate::statement::{self, Failure, Image, Result};
use crate::team::current;
use hcube_core::node::loader;
use std::ffi::{CStr, c_void};
use std::mem::transmute;
use std::ptr;

/// Words of a seed.
const SEED_WORDS: usize = 8;

/// An array of words.
#[repr(C)]
struct Seed {
    head: Descriptor,
    dimension: Dimension,
}

type Init = unsafe extern "C" fn(i32, i32, i32);
type Exchange = unsafe extern "C" fn(*const c_void, *const Seed, *const Seed);

/// A function of libgfortran.
fn library(name: &CStr) -> Result<*const c_void> {
    loader::global(name)
        .ok_or_else(|| Failure::new(format!("{}: expected libgfortran with it", name.to_string_lossy())))
}

/// The seed of this image's generator: the same in each run if it is repeatable, and different on each image if it is distinct.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn _gfortran_caf_random_init(is_repeatable: bool, is_distinct: bool) {
    statement::run("random_init", |image| {
        // SAFETY: libgfortran's function of that name.
        unsafe {
            let init: Init = transmute(library(c"_gfortran_random_init")?);
            init(is_repeatable.into(), is_distinct.into(), current().rank as i32 + 1);
        }
        if is_repeatable || is_distinct { Ok(()) } else { share(image) }
    });
}

/// All images get the seed of the first one.
fn share(image: &Image) -> Result<()> {
    let mut words = [0_i32; SEED_WORDS];
    let element = size_of::<i32>();
    let dtype = Dtype { elem_len: element, version: 0, rank: 1, kind: kind::INTEGER, attribute: 0 };
    let head = Descriptor::new(words.as_mut_ptr().cast(), dtype);
    let seed = Seed { head, dimension: Dimension { stride: 1, lower: 1, upper: SEED_WORDS as isize } };
    // SAFETY: libgfortran's function of that name, which reads and writes seeds of as many words.
    unsafe {
        let exchange: Exchange = transmute(library(c"_gfortran_random_seed_i4")?);
        exchange(ptr::null(), ptr::null(), &seed);
        broadcast(image, &seed.head, 1)?;
        exchange(ptr::null(), &seed, ptr::null());
    }
    Ok(())
}
