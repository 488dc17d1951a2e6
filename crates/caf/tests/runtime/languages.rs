//! Functions that compilers need for languages with coarrays: memory by address, and images that end one by
//! one.

use crate::support::{Image, PLACES, everywhere, run};
use hcube_caf::coarray::Use;
use hcube_caf::others::Status;
use hcube_core::error::Error;
use hcube_core::memory::{Region, bytes_of_mut};

/// Runs `work` on each image, which ends or fails without the others.
fn with_ending_images(images: usize, per_node: usize, work: impl Fn(&Image) + Sync) {
    let work = |image: &Image| {
        image.tolerate();
        work(image);
    };
    run(images, per_node, work, |image| drop(image.end(true)));
}

/// Memory that one image has allocated for itself is found by others of its node, and freed once.
#[test]
fn own_memory_has_a_place_on_the_node() {
    everywhere(|image, images| {
        let (world, own) = (image.world(), image.own());
        let memory = image.allocate_own(100 + own).expect("room");
        let place = image.place_of_address(memory).expect("in the heap");
        assert_eq!((place.image, image.own_memory(place.offset)), (own, memory));
        let part = image.allocate(world, 64, Use::Data).expect("room");
        for rank in 0..images {
            let address = image.part_here(part, rank).expect("a part");
            assert_eq!(address.is_some(), image.is_on_node(rank), "image {rank} from {own}");
            let found = address.and_then(|address| image.place_of_address(address));
            assert!(found.is_none_or(|place| place.image == rank), "image {rank} from {own}");
        }
        let local = 0_u64;
        assert!(image.place_of_address((&raw const local).cast()).is_none());
        image.free_own(memory).expect("allocated above");
        assert!(image.free_own(memory).is_err(), "freed twice");
        image.barrier(world).expect("all");
        image.free(part, Use::Data).expect("all");
    });
}

/// A remaining image reads the data of the others, also on other nodes, and learns that they have stopped.
#[test]
fn images_that_have_ended_serve_the_others() {
    for (images, per_node) in PLACES.into_iter().filter(|&(images, _)| images > 1) {
        with_ending_images(images, per_node, |image| {
            let (world, own) = (image.world(), image.own());
            let data = image.allocate(world, 8, Use::Data).expect("room");
            image.write_own(data, 0, &(7 + own as u64).to_ne_bytes()).expect("own memory");
            let events = image.allocate_events(world, 1).expect("room");
            image.barrier(world).expect("all");
            if own == 0 {
                for _ in 1..images {
                    image.wait_event(events, 0).expect("images that stop do not end it");
                }
                while image.images_with(world, Status::Stopped).expect("known").len() < images - 1 {}
                for rank in 1..images {
                    let mut word = 0_u64;
                    let into = Region::of(bytes_of_mut(std::slice::from_mut(&mut word)));
                    image.get(data, rank, 0, into).expect("an image that serves others");
                    assert_eq!(word, 7 + rank as u64);
                }
                assert!(matches!(image.barrier(world), Err(Error::StoppedImage { .. })));
            } else {
                image.notify(events, 0, 0).expect("image 0");
            }
            image.end(false).expect("all");
        });
    }
}

/// Images that have completed their part of an operation stop immediately; the others complete it.
#[test]
fn operations_go_on_behind_images_that_have_ended() {
    for (images, per_node) in PLACES {
        for _ in 0..20 {
            with_ending_images(images, per_node, |image| {
                let mut word = [image.own() as u64 + 1];
                let region = Region::of(bytes_of_mut(&mut word));
                let mut add = |lower: &[u8], higher: &mut [u8]| {
                    let number = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().expect("a word"));
                    let sum = number(lower) + number(higher);
                    higher.copy_from_slice(&sum.to_ne_bytes());
                };
                image.reduce(image.world(), 0, region, region, &mut add).expect("all take part");
                if image.own() == 0 {
                    assert_eq!(word[0], (images * (images + 1) / 2) as u64);
                }
                image.end(false).expect("all");
            });
        }
    }
}

/// An image fails; the others learn of it once, and continue with events.
#[test]
fn a_failure_ends_one_wait_for_an_event() {
    for (images, per_node) in [(3, 3), (3, 1), (5, 2)] {
        with_ending_images(images, per_node, |image| {
            let (world, own, failed) = (image.world(), image.own(), images - 1);
            let events = image.allocate_events(world, 2).expect("room");
            image.barrier(world).expect("all");
            if own == failed {
                return image.end(true).expect("all");
            }
            assert_eq!(image.wait_event(events, 0), Err(Error::FailedImage { image: failed }));
            image.notify(events, 1, (own + 1) % failed).expect("a living image");
            image.wait_event(events, 1).expect("the failure is known");
            image.end(false).expect("all");
        });
    }
}
