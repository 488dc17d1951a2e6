//! Operations of the surviving images after an image has failed.

use crate::leaving::{error_of, leave, meet, with_leaving_images};
use crate::support::{Image, form};
use hcube_caf::coarray::Use;
use hcube_caf::others::Status;
use hcube_core::memory::{Region, bytes_of_mut};
use hcube_core::onesided::{Atomic, Shape};

/// Numbers of images, and how many of them count as one node.
const PLACES: [(usize, usize); 7] = [(3, 3), (3, 1), (4, 2), (5, 1), (5, 2), (7, 3), (8, 8)];

/// Bytes of each part: more than one message.
const BYTES: usize = 300_000;

/// The data of images that are alive can be read and written, also from other nodes, through a team without
/// cached members; their parts have different offsets.
#[test]
fn data_of_living_images_stays_accessible() {
    for (images, per_node) in PLACES {
        let failed = images - 1;
        with_leaving_images(images, per_node, |image, meetings| {
            let (world, own) = (image.world(), image.own());
            let team = form(image, world, 0, -(own as i64));
            let alone = form(image, world, own as i64, 0);
            image.allocate(alone, 100 * own, Use::Data).expect("room");
            let data = image.allocate(team, BYTES, Use::Data).expect("room");
            let write = |to: usize, at: usize, mut word: u64| {
                image.put(
                    data,
                    images - 1 - to,
                    at,
                    Region::of(bytes_of_mut(std::slice::from_mut(&mut word))),
                )
            };
            write(own, 0, 7 + own as u64).expect("own memory");
            write(own, BYTES - 8, 70 + own as u64).expect("own memory");
            meet(image, meetings);
            if own == failed {
                return leave(image, Status::Failed);
            }
            assert_eq!(image.barrier(world), error_of(failed, Status::Failed));
            for other in 0..failed {
                let mut all = vec![0; BYTES];
                image.get(data, images - 1 - other, 0, Region::of(&mut all)).expect("a living image");
                assert_eq!(all[..8], (7 + other as u64).to_ne_bytes());
                assert_eq!(all[BYTES - 8..], (70 + other as u64).to_ne_bytes());
                let mut ends = [0; 2];
                let shape = Shape::strided(8, &[(2, BYTES as i64 - 8)]).expect("two words");
                let into = Region::of(bytes_of_mut(&mut ends));
                image.get_shape(data, images - 1 - other, 0, &shape, into).expect("a living image");
                assert_eq!(ends, [7, 70].map(|first| first + other as u64));
                let before = image.atomic(data, images - 1 - other, 0, Atomic::Load, 0);
                assert_eq!(before, Ok(7 + other as u64));
                write(other, 8 + 8 * own, own as u64).expect("a living image");
                assert_eq!(
                    image.atomic(data, images - 1 - other, 8 + 8 * own, Atomic::Load, 0),
                    Ok(own as u64)
                );
            }
            // The others read here.
            meetings.meet(1, images - 1, || image.progress().expect("no MPI"));
        });
    }
}

/// An image that waits for an image that has stopped because another one has failed learns of the failure.
#[test]
fn an_image_that_stops_after_a_failure_names_it() {
    for (images, per_node) in PLACES {
        let failed = images - 1;
        with_leaving_images(images, per_node, |image, meetings| {
            let (world, own) = (image.world(), image.own());
            let data = image.allocate(world, 8, Use::Data).expect("room");
            meet(image, meetings);
            if own == failed {
                return leave(image, Status::Failed);
            }
            let wait = |image: &Image| image.barrier(world);
            assert_eq!(wait(image), error_of(failed, Status::Failed));
            if own == 0 {
                return leave(image, Status::Stopped);
            }
            while image.status(world, 0).expect("known") == Status::Alive {}
            assert_eq!(image.status(world, 0), Ok(Status::Stopped));
            assert_eq!(wait(image), error_of(failed, Status::Failed));
            let is_here = own / per_node == 0;
            let expected = if is_here { Ok(0) } else { error_of(failed, Status::Failed) };
            assert_eq!(image.atomic(data, 0, 0, Atomic::And, 0).map(|_| 0), expected);
        });
    }
}

/// Allocations in which a failed image would have to take part take no memory.
#[test]
fn allocations_after_a_failure_take_no_memory() {
    const LENGTH: usize = 1 << 16;
    for (images, per_node) in PLACES {
        with_leaving_images(images, per_node, |image, meetings| {
            let (world, own) = (image.world(), image.own());
            let alone = form(image, world, own as i64, 0);
            meet(image, meetings);
            if own == 0 {
                return leave(image, Status::Failed);
            }
            assert_eq!(image.barrier(world), error_of(0, Status::Failed));
            let place = || {
                let coarray = image.allocate(alone, LENGTH, Use::Data).expect("room");
                image.address(coarray).expect("a coarray").addr()
            };
            let before = place();
            for _ in 0..10 {
                assert_eq!(image.allocate(world, LENGTH, Use::Data), error_of(0, Status::Failed));
            }
            let distance = place().abs_diff(before);
            assert!(distance < 3 * LENGTH, "{distance} bytes between two coarrays of {LENGTH}");
        });
    }
}
