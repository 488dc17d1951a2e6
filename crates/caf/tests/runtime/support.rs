//! Images as threads.

use hcube_caf::options::Options;
use hcube_caf::{Handle, Runtime};
use hcube_core::comm::Comm;
use hcube_core::comm::threads::{self, ThreadComm};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

pub type Image = Runtime<ThreadComm>;

/// Numbers of images, and how many of them count as one node.
pub const PLACES: [(usize, usize); 8] = [(1, 1), (2, 2), (2, 1), (3, 2), (4, 4), (5, 2), (7, 3), (8, 8)];

/// Placements of images on nodes, by the lowest image of the node: in turn, and unequal.
pub const PLACEMENTS: [&[u32]; 3] =
    [&[0, 1, 0, 1, 0, 1], &[0, 1, 2, 0, 1, 2, 0, 1], &[0, 0, 2, 3, 3, 2, 3, 7, 0]];

/// Runs `work` on each image. If it panics, `leave` follows, since the others would wait for ever for the
/// image.
pub fn run<T: Send>(
    images: usize,
    per_node: usize,
    work: impl Fn(&Image) -> T + Sync,
    leave: impl Fn(&Image) + Sync,
) -> Vec<T> {
    let nodes = (0..images).map(|image| (image / per_node) as u32).collect();
    run_on(nodes, work, leave)
}

/// As [`run`], of images on these nodes.
fn run_on<T: Send>(
    nodes: Vec<u32>,
    work: impl Fn(&Image) -> T + Sync,
    leave: impl Fn(&Image) + Sync,
) -> Vec<T> {
    threads::run_on_nodes(nodes.clone(), |comm| {
        let own = comm.split(Some(0), comm.rank() as i32).expect("no MPI").expect("a colour");
        let image = Runtime::new(own, Options::default()).expect("shared memory");
        catch_unwind(AssertUnwindSafe(|| work(&image))).unwrap_or_else(|panic| {
            eprintln!("in a test with images on the nodes {nodes:?}");
            leave(&image);
            resume_unwind(panic)
        })
    })
}

/// Runs `work` on each image, and ends the program as hcube_caf_finalize does.
pub fn with_images<T: Send>(images: usize, per_node: usize, work: impl Fn(&Image) -> T + Sync) -> Vec<T> {
    let work = |image: &Image| {
        let result = work(image);
        image.finalise().expect("an end");
        result
    };
    run(images, per_node, work, |image| drop(image.fail()))
}

/// As [`with_images`], with all numbers of images, which `work` is given, and all placements.
pub fn everywhere(work: impl Fn(&Image, usize) + Sync) {
    for (images, per_node) in PLACES {
        with_images(images, per_node, |image| work(image, images));
    }
    for nodes in PLACEMENTS {
        let work = |image: &Image| {
            work(image, nodes.len());
            image.finalise().expect("an end");
        };
        run_on(nodes.to_vec(), work, |image| drop(image.fail()));
    }
}

/// Collective over the parent: a team of which this image becomes a member.
pub fn form(image: &Image, parent: Handle, colour: i64, key: i64) -> Handle {
    image.split(parent, colour, key).expect("a split").expect("a team")
}
