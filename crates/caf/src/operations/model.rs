//! Images of models, which run the whole runtime, on one node or several.
//!
//! What all waits promise where an image ends at some step: a survivor gets what that image had completed, or
//! the error that names it; none waits for ever.

use super::start::handler;
use crate::Runtime;
use crate::state::coarray::{Allocation, Use};
use crate::state::handles::Handle;
use crate::state::messages::Kind;
use hcube_core::atomic::model::{End, Scene};
use hcube_core::comm::model::{Copied, Member, connect};
use hcube_core::error::{Error, Result};
use hcube_core::memory::{Region, bytes_of_mut};
use hcube_core::onesided::{Onesided, Request};
use hcube_core::plan::Topology;
use hcube_core::progress::wait::Patience;

/// An image of a model.
pub(crate) type Image = Runtime<Member>;

/// Bytes of the heap of an image.
const PART: usize = 32 << 10;

/// Some images, on teams with boards or with rings only.
pub(crate) fn images(scene: &mut Scene, count: usize, have_boards: bool) -> Vec<Image> {
    let images = images_on(scene, &vec![0; count]);
    for runtime in &images {
        let (world, mut image) = (runtime.world(), runtime.image.borrow_mut());
        let team = image.teams.get_mut(world).expect("the team of all images");
        assert!(team.board().is_some() || count == 1);
        if !have_boards {
            team.set_board(None);
        }
    }
    images
}

/// An image on each of these nodes, in ascending order, between which messages pass.
pub(crate) fn images_on(scene: &mut Scene, nodes: &[u32]) -> Vec<Image> {
    let topology = Topology::from_node_numbers(nodes, None);
    if topology.nodes() > 1 {
        connect(scene, nodes, Copied::Early);
    }
    let memories = Onesided::on_nodes(scene, nodes, PART).into_iter().enumerate();
    let image = |(rank, memory)| {
        let comm = Member::of_set_up(rank, nodes.len());
        let handlers = Kind::ALL.map(handler);
        Runtime::on((memory, &topology), Patience::new(true, false), comm, handlers)
    };
    let images: Vec<Image> = memories.map(image).collect();
    if topology.nodes() > 1 {
        // One that is alone on its node would ask the system.
        images.iter().for_each(|image| note_ends(image, |_| None));
    }
    images
}

/// A coarray of some bytes on all images.
pub(crate) fn coarray(images: &[Image], bytes: usize, purpose: Use) -> Handle {
    let add = |runtime: &Image| {
        let (team, mut image) = (runtime.world(), runtime.image.borrow_mut());
        let offset = image.memory.heap().allocate(bytes).expect("room");
        let allocation = Allocation { team, id: [0, u64::MAX], bytes, offset, is_symmetric: true, purpose };
        image.coarrays.add(allocation, Some(images.len()))
    };
    images.iter().map(add).last().expect("images")
}

/// The other images learn when this one ends.
pub(crate) fn watch(images: &[Image], ended: usize, end: &End) {
    images.iter().for_each(|image| note_ends(image, |mate| (mate == ended).then(|| end.clone())));
}

/// Which of the images of its node end.
fn note_ends(image: &Image, end: impl Fn(usize) -> Option<End>) {
    let state = &mut *image.image.borrow_mut();
    let ends = state.memory.node().iter().map(|&mate| end(mate)).collect();
    state.others.are_processes(ends);
}

/// The part of a coarray of data on an image that its program may use.
pub(crate) fn own_part(image: &Image, coarray: Handle, bytes: usize) -> Region<'static> {
    let part = image.part_here(coarray, image.own()).expect("a coarray").expect("on this node");
    // SAFETY: in the heap, which lives as long as the model.
    unsafe { Region::new(part, bytes) }
}

/// Writes a word of a coarray of data on an image.
pub(crate) fn write(image: &Image, coarray: Handle, rank: usize, number: usize, mut word: u64) {
    let place = image.place(coarray, rank, 8 * number, 8).expect("a word");
    let state = &mut *image.image.borrow_mut();
    let bytes = Region::of(bytes_of_mut(std::slice::from_mut(&mut word)));
    state.memory.put(&state.comm, place.image, place.offset, bytes);
}

/// Reads a word of a coarray of data on an image.
pub(crate) fn read(image: &Image, coarray: Handle, rank: usize, number: usize) -> u64 {
    let place = image.place(coarray, rank, 8 * number, 8).expect("a word");
    let (state, mut word) = (&mut *image.image.borrow_mut(), 0);
    let bytes = Region::of(bytes_of_mut(std::slice::from_mut(&mut word)));
    assert_eq!(state.memory.get(&state.comm, place.image, place.offset, bytes), Request::DONE);
    word
}

/// Whether something has been done; an error names the image that has ended.
pub(crate) fn is_done<T>(result: Result<T>, ended: usize) -> bool {
    match result {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error, Error::FailedImage { image: ended });
            false
        }
    }
}
