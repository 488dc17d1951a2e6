//! Tokens of components.

use super::{Content, Token};
use crate::abi::Descriptor;
use crate::block;
use crate::failure::{Image, Result};
use crate::team;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::ptr;

thread_local! {
    /// The tokens of components that were returned and not freed.
    static COMPONENTS: RefCell<HashSet<usize>> = RefCell::default();
}

impl Token {
    /// Notes the memory of a component in its token. A missing token is made.
    ///
    /// # Safety
    /// The place can be read and written; the descriptor describes the component, or is NULL; the memory was
    /// allocated by [`block::allocate`].
    pub unsafe fn attach(place: *mut *mut Self, descriptor: *mut Descriptor, memory: *mut u8) {
        // SAFETY: the place can be read.
        let found = unsafe { place.read_unaligned() };
        // SAFETY: one that was returned and not freed.
        let own =
            unsafe { found.as_ref().filter(|_| is_component(found)).filter(|token| token.own().is_null()) };
        let token = own.unwrap_or_else(|| {
            let token = new_component(descriptor);
            // SAFETY: the place can be written, and the token was made here.
            unsafe {
                place.write_unaligned(token);
                &*token
            }
        });
        token.memory.set(memory);
        token.descriptor.set(descriptor);
        // SAFETY: memory of a component.
        unsafe { block::note_token(memory, ptr::from_ref(token).addr()) };
    }

    /// The token of a component of this image, by its address.
    pub fn of_component<'a>(address: usize) -> Option<&'a Self> {
        let token: *const Self = ptr::with_exposed_provenance(address);
        // SAFETY: returned and not freed, as all in the set.
        is_component(token).then(|| unsafe { &*token })
    }

    /// The component has no memory any more, which the caller frees.
    pub fn take_memory(&self) {
        self.memory.set(ptr::null_mut());
    }
}

/// Whether an address is the token of a component.
pub(super) fn is_component(token: *const Token) -> bool {
    COMPONENTS.with_borrow(|all| all.contains(&token.addr()))
}

/// The token of a component without memory.
pub(super) fn new_component(descriptor: *mut Descriptor) -> *mut Token {
    let token = Box::into_raw(Box::new(Token {
        content: Content::Component,
        team: team::current(),
        bytes: 0,
        memory: Cell::new(ptr::null_mut()),
        descriptor: Cell::new(descriptor),
        is_copied: Cell::new(false),
        is_critical: false,
        parts: Box::default(),
    }));
    COMPONENTS.with_borrow_mut(|all| all.insert(token.expose_provenance()));
    token
}

/// Gives a component memory.
///
/// # Safety
/// As [`register`](super::register::register).
pub(super) unsafe fn allocate_component(
    image: &Image,
    size: usize,
    place: *mut *mut Token,
    descriptor: *mut Descriptor,
) -> Result<()> {
    // SAFETY: a living descriptor of the compiler, and a place of a token that can be read and written.
    unsafe {
        let memory = block::allocate(image, size, (*descriptor).dtype)?;
        (*descriptor).base = memory;
        // For a component of a coarray that is a component itself, gfortran 12 names the token of that
        // coarray.
        if is_component(place.read_unaligned()) || image.place_of_address(place.cast()).is_some() {
            Token::attach(place, descriptor, memory);
        }
    }
    Ok(())
}

/// Marks a token as unused.
pub(super) fn forget(token: *const Token) {
    COMPONENTS.with_borrow_mut(|all| all.remove(&token.addr()));
}

/// Frees the memory of a component.
///
/// # Safety
/// The descriptor of a component that lies in a coarray is still there.
pub(super) unsafe fn free_component(image: &Image, token: &Token) -> Result<()> {
    let memory = token.memory.replace(ptr::null_mut());
    if memory.is_null() {
        return Ok(());
    }
    // SAFETY: allocated for the token, which does not contain it any more.
    unsafe { block::free(image, memory) }?;
    let descriptor = token.descriptor.get();
    if image.place_of_address(descriptor.cast()).is_some() {
        // SAFETY: the descriptor lies in a coarray, where it still is.
        unsafe { (*descriptor).base = ptr::null_mut() };
    }
    Ok(())
}
