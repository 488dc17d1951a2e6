//! `random_init`.

use crate::abi::{Descriptor, Dimension, Dtype, kind};
use crate::failure::{Failure, Result};
use crate::random::{self, SEED_WORDS};
use crate::statement::{self, kind::Kind};
use crate::team::current;
use hcube_core::node::loader;
use std::ffi::{CStr, c_void};
use std::mem::transmute;
use std::ptr;

/// An odd number with bits everywhere: its multiples differ in all parts of a word.
const SPREAD: i32 = 0x1e37_79b1;

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

/// The seed of this image's generator: the same in each run if it is repeatable, and different on each image
/// if it is distinct.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn _gfortran_caf_random_init(is_repeatable: bool, is_distinct: bool) {
    statement::run(Kind::RandomInit, |_| {
        // SAFETY: libgfortran's function of that name.
        unsafe {
            let init: Init = transmute(library(c"_gfortran_random_init")?);
            // It has no notion of images, and ends the program if it must give several of them one seed.
            init(is_repeatable.into(), 1, 1);
        }
        match (is_repeatable, is_distinct) {
            // libgfortran gives all images the same seed.
            (true, true) => reseed(|seed| {
                let own = (current().rank as i32).wrapping_mul(SPREAD);
                seed.iter_mut().for_each(|word| *word ^= own);
            }),
            // And here each image its own seed.
            (false, false) => reseed(|seed| *seed = random::common()),
            _ => Ok(()),
        }
    });
}

/// An array of words.
fn array(words: &mut [i32; SEED_WORDS]) -> Seed {
    let dtype = Dtype { elem_len: size_of::<i32>(), version: 0, rank: 1, kind: kind::INTEGER, attribute: 0 };
    let head = Descriptor::new(words.as_mut_ptr().cast(), dtype);
    Seed { head, dimension: Dimension { stride: 1, lower: 1, upper: SEED_WORDS as isize } }
}

/// Changes the seed of this image.
fn reseed(change: impl FnOnce(&mut [i32; SEED_WORDS])) -> Result<()> {
    let mut words = [0; SEED_WORDS];
    // SAFETY: libgfortran's function of that name, which reads and writes seeds of as many words.
    unsafe {
        let exchange: Exchange = transmute(library(c"_gfortran_random_seed_i4")?);
        exchange(ptr::null(), ptr::null(), &array(&mut words));
        change(&mut words);
        exchange(ptr::null(), &array(&mut words), ptr::null());
    }
    Ok(())
}
