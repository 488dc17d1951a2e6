//! Gets of objects whose types have allocatable components.
//!
//! Idea: gfortran emits one get of the bytes of an object, which contain addresses of the components on the
//! other image. The positions of these addresses follow from the blocks ([`crate::block`]): a word of the
//! object is the address of a component if a block of that image begins there and its token is at the
//! position of an object's component. Components, and their components, are copied to newly allocated memory,
//! as Fortran's assignment does: from `malloc`, as in all variables, or from the heap, as in coarrays.
//!
//! Restrictions: previous components of the variable are not freed, because a compiler temporary for a
//! function argument is not initialised. Pointers keep the values of the other image.
//! Cost: inside the node a comparison per word of the objects and a copy of each component; between nodes a
//! request and a reply for each component, and one for each image.

use super::outside;
use super::path::Words;
use crate::abi::{Descriptor, Dtype, kind};
use crate::block::{self, Head};
use crate::failure::{Image, Result};
use crate::memory;
use crate::request;
use crate::section::{Section, copy};
use crate::token::Token;
use hcube_core::memory::bytes_of;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::ptr;

/// Bytes of an address.
const WORD: usize = size_of::<usize>();

/// A request to an image, in the field where a reference has its own kinds.
const HEAP: i64 = 3;
const BLOCK: i64 = 4;

/// Whether elements of a type may have components.
#[inline(always)]
pub fn may_have_components(kind: i8) -> bool {
    kind == kind::DERIVED || kind == kind::CLASS
}

/// Gets objects by `get`, and their components. The source is where they lie, or NULL.
///
/// # Safety
/// The target is one of the compiler, to which `get` writes the bytes of objects of that image, given by its
/// rank in the job.
pub unsafe fn get(
    image: &Image,
    owner: usize,
    source: *const u8,
    into: &Section,
    get: impl FnOnce() -> Result<()>,
) -> Result<()> {
    if source == into.base.cast_const() {
        return Ok(());
    }
    let mut adoption = Adoption::new(image, owner)?;
    // SAFETY: elements of the target can be read and written; `get` has written the bytes of the objects.
    unsafe {
        let before = adoption.own.contains(&into.base.addr()).then(|| packed(into));
        if let Some(before) = &before {
            before.chunks(into.element.max(1)).for_each(|object| adoption.take_blocks(object));
        }
        get()?;
        for (number, object) in into.addresses().enumerate() {
            let before = before.as_ref().map(|all| &all[number * into.element..][..into.element]);
            adoption.adopt(object, into.element, before.unwrap_or(&[]))?;
        }
    }
    adoption.free_blocks()
}

/// # Safety
/// The elements can be read.
unsafe fn packed(section: &Section) -> Vec<u8> {
    let mut bytes = vec![0; section.bytes()];
    let into = Section::packed(bytes.as_mut_ptr(), section.element, section.count());
    // SAFETY: the elements can be read; the copy is new.
    unsafe { copy(&into, section) };
    bytes
}

/// The words of an object; types with components have whole ones.
fn words(object: &[u8]) -> impl Iterator<Item = usize> {
    object.chunks_exact(WORD).map(|word| usize::from_ne_bytes(word.try_into().expect("a word")))
}

/// # Safety
/// It can be read.
unsafe fn word_at(object: *const u8, at: usize) -> usize {
    // SAFETY: the object can be read.
    unsafe { object.wrapping_add(at).cast::<usize>().read_unaligned() }
}

/// Where the contents of a block are.
enum Contents {
    There(*const u8),
    Message(Vec<u8>),
}

impl Contents {
    fn address(&self) -> *const u8 {
        match self {
            Self::There(address) => *address,
            Self::Message(bytes) => bytes.as_ptr(),
        }
    }
}

/// Objects whose bytes were got, while their components are.
struct Adoption<'a> {
    image: &'a Image,
    /// The image that is requested for blocks, if it is on another node.
    asked: Option<usize>,
    /// The addresses of blocks there.
    heap: Range<usize>,
    /// The heap of this image.
    own: Range<usize>,
    /// Blocks of this image that are freed afterwards: the source may be among them.
    old: Vec<*mut u8>,
    /// Blocks there whose contents are being got: a pointer in one of them may lead back to it.
    under_way: RefCell<Vec<usize>>,
}

impl<'a> Adoption<'a> {
    fn new(image: &'a Image, owner: usize) -> Result<Self> {
        let asked = (!image.is_on_node(owner)).then_some(owner);
        let heap = asked.map_or_else(|| Ok(image.heaps_here()), |owner| heap_of(image, owner))?;
        Ok(Self { image, asked, heap, own: image.own_heap(), old: Vec::new(), under_way: RefCell::default() })
    }

    /// The block that begins at an address, if one does.
    fn block(&self, address: usize) -> Result<Option<(Head, Contents)>> {
        if !self.heap.contains(&address) {
            return Ok(None);
        }
        let Some(owner) = self.asked else {
            // SAFETY: the heaps of the node are mapped.
            let head = unsafe { block::head_at(address, &self.heap) };
            return Ok(head.map(|head| (head, Contents::There(ptr::with_exposed_provenance(address)))));
        };
        outside::end_segment()?;
        let answer = request::ask(self.image, owner, bytes_of(&[BLOCK, address as i64]))?;
        if answer.is_empty() {
            return Ok(None);
        }
        let mut words = Words::new(&answer);
        let head = Head::read(|| words.take())?;
        let contents = words.rest().to_vec();
        Ok((contents.len() as u64 == head.bytes).then_some((head, Contents::Message(contents))))
    }

    /// The location of the token of a component in an object: after its descriptor, which gfortran sometimes
    /// gives more dimensions than the component has, or anywhere else for a scalar.
    ///
    /// # Safety
    /// The object can be read.
    unsafe fn token_of(object: *const u8, bytes: usize, head: &Head) -> Option<usize> {
        let mut places = (0..bytes / WORD).map(|number| number * WORD).filter(|_| head.token != 0);
        // SAFETY: the word is inside of the object, which can be read.
        places.find(|&place| unsafe { word_at(object, place) } as u64 == head.token)
    }

    /// Allocates components for an object. Its previous contents are empty if they are not known.
    ///
    /// # Safety
    /// Its bytes were got, and may be written.
    unsafe fn adopt(&self, object: *mut u8, bytes: usize, before: &[u8]) -> Result<()> {
        let is_own = self.own.contains(&object.addr());
        for at in (0..bytes / WORD).map(|number| number * WORD) {
            // SAFETY: inside of the object, here and below.
            let word = unsafe { word_at(object, at) };
            if !self.heap.contains(&word) {
                continue;
            }
            let Some((head, contents)) = self.block(word)? else { continue };
            // SAFETY: the object can be read.
            let Some(token) = (unsafe { Self::token_of(object, bytes, &head) }) else { continue };
            let is_array = head.rank > 0;
            // A pointer of the object may have the same address; the descriptor of the component is the last
            // before its token. SAFETY: the word is inside of the object, before its token.
            let comes_again =
                || (at + WORD..token).step_by(WORD).any(|later| unsafe { word_at(object, later) } == word);
            if is_array && comes_again() || self.under_way.borrow().contains(&word) {
                continue;
            }
            let descriptor = object.wrapping_add(at).cast::<Descriptor>();
            let count = head.bytes as usize;
            // SAFETY: a component with a dimension has a descriptor; the block has these bytes, and the
            // memory is new.
            unsafe {
                let dtype = if is_array { (*descriptor).dtype } else { head.dtype() };
                let memory = match is_own {
                    true => block::allocate(self.image, count, dtype)?,
                    false => memory::allocate(count, "a component")?,
                };
                ptr::copy_nonoverlapping(contents.address(), memory, count);
                object.wrapping_add(at).cast::<*mut u8>().write_unaligned(memory);
                let element = dtype.elem_len;
                if may_have_components(dtype.kind) && element > 0 {
                    self.under_way.borrow_mut().push(word);
                    for number in 0..count / element {
                        self.adopt(memory.wrapping_add(number * element), element, &[])?;
                    }
                    self.under_way.borrow_mut().pop();
                }
                let place = object.wrapping_add(token).cast::<*mut Token>();
                place.write_unaligned(ptr::null_mut());
                if is_own {
                    restore(place, before, token);
                    Token::attach(place, if is_array { descriptor } else { ptr::null_mut() }, memory);
                }
            }
        }
        // The tokens of components that are not allocated.
        for (number, word) in words(before).enumerate() {
            let place = object.wrapping_add(number * WORD).cast::<*mut Token>();
            // SAFETY: inside of the object, of which `before` has the bytes.
            unsafe {
                if Token::of_component(word).is_some()
                    && Token::of_component(place.read_unaligned().addr()).is_none()
                {
                    restore(place, before, number * WORD);
                }
            }
        }
        Ok(())
    }

    /// Takes the blocks of an object of this image, and the blocks of its components, from their tokens.
    fn take_blocks(&mut self, object: &[u8]) {
        for token in words(object).filter_map(Token::of_component) {
            let memory = token.own();
            // Tokens are copied with objects.
            if memory.is_null() || words(object).all(|word| word != memory.addr()) {
                continue;
            }
            // SAFETY: memory of a component of this image, in its heap.
            let head = unsafe { block::head_at(memory.addr(), &self.own) };
            token.take_memory();
            self.old.push(memory);
            if let Some(head) = head.filter(|head| may_have_components(head.kind as i8)) {
                // SAFETY: the bytes of the block, which is freed later; nothing writes to them meanwhile.
                let inner = unsafe { std::slice::from_raw_parts(memory, head.bytes as usize) };
                inner.chunks(head.element.max(1) as usize).for_each(|object| self.take_blocks(object));
            }
        }
    }

    fn free_blocks(self) -> Result<()> {
        // SAFETY: taken from their tokens, so that nothing leads to them.
        self.old.into_iter().try_for_each(|memory| unsafe { block::free(self.image, memory) })
    }
}

/// Writes the token back that an object had before.
///
/// # Safety
/// The place can be written.
unsafe fn restore(place: *mut *mut Token, before: &[u8], at: usize) {
    let word = before.get(at..at + WORD).and_then(|word| words(word).next());
    if let Some(token) = word.and_then(Token::of_component) {
        // SAFETY: the place can be written.
        unsafe { place.write_unaligned(ptr::from_ref(token).cast_mut()) };
    }
}

/// The addresses of the heap of an image of another node, which are requested once.
fn heap_of(image: &Image, owner: usize) -> Result<Range<usize>> {
    thread_local! {
        static HEAPS: RefCell<HashMap<usize, Range<usize>>> = RefCell::default();
    }
    if let Some(known) = HEAPS.with_borrow(|all| all.get(&owner).cloned()) {
        return Ok(known);
    }
    let answer = request::ask(image, owner, bytes_of(&[HEAP]))?;
    let mut words = Words::new(&answer);
    let heap = words.take()? as usize..words.take()? as usize;
    HEAPS.with_borrow_mut(|all| all.insert(owner, heap.clone()));
    Ok(heap)
}

/// Answers a request of [`get`] on another image; `None` if it is something else.
pub fn serve(image: &Image, request: &[u8]) -> Result<Option<Vec<u8>>> {
    let mut words = Words::new(request);
    let heap = image.own_heap();
    match words.take()? {
        HEAP => Ok(Some(bytes_of(&[heap.start as i64, heap.end as i64]).to_vec())),
        BLOCK => {
            let address = words.take()? as usize;
            // SAFETY: the heap of this image is mapped.
            let head = unsafe { block::head_at(address, &heap) };
            let Some(head) = head else { return Ok(Some(Vec::new())) };
            let memory: *const u8 = ptr::with_exposed_provenance(address);
            // SAFETY: a block of these bytes, which the program does not change in this segment.
            let contents = unsafe { std::slice::from_raw_parts(memory, head.bytes as usize) };
            Ok(Some([bytes_of(&head.words()), contents].concat()))
        }
        _ => Ok(None),
    }
}

impl Head {
    fn words(&self) -> [i64; 5] {
        [self.bytes as i64, self.token as i64, self.element as i64, self.kind.into(), self.rank.into()]
    }

    fn read(mut next: impl FnMut() -> Result<i64>) -> Result<Self> {
        let (bytes, token, element) = (next()? as u64, next()? as u64, next()? as u64);
        Ok(Self::new(bytes, token, element, (next()? as i32, next()? as i32)))
    }

    /// The type of elements.
    fn dtype(&self) -> Dtype {
        let Self { element, kind, rank, .. } = *self;
        Dtype { elem_len: element as usize, version: 0, rank: rank as i8, kind: kind as i8, attribute: 0 }
    }
}
