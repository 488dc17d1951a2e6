//! Collective operations over teams of images that are threads.

mod broadcasts;
mod exchanges;
mod reductions;
mod refusals;
mod sorting;
#[path = "../support/mod.rs"]
mod support;

use hcube_caf::coarray::Use;
use hcube_caf::{Handle, Runtime};
use hcube_core::comm::threads::ThreadComm;
use hcube_core::memory::Region;
use support::{PLACES, with_images};

type Image = Runtime<ThreadComm>;

/// A team, seen from a member.
struct Group<'a> {
    image: &'a Image,
    team: Handle,
    rank: usize,
    size: usize,
    /// The images of all members.
    images: Vec<usize>,
}

/// Both sides of a lent letter, and those of one page; long blocks in small teams only.
const LENGTHS: [usize; 6] = [0, 1, 8, 511, 513, 5000];
const LONG: usize = 300_000;

impl Group<'_> {
    fn lengths(&self) -> Vec<usize> {
        let long = (self.size <= 4).then_some(LONG);
        LENGTHS.into_iter().chain(long).collect()
    }
}

/// Runs `work` for the team of all images, and for the odd and the even ones, in reversed order.
fn in_teams(work: impl Fn(&Group<'_>) + Sync) {
    for (images, per_node) in PLACES {
        with_images(images, per_node, |image| {
            let (world, own) = (image.world(), image.own());
            work(&Group { image, team: world, rank: own, size: images, images: (0..images).collect() });
            let team = image.split(world, (own % 2) as i64, -(own as i64)).expect("a split").expect("a team");
            let members: Vec<usize> = (0..images).rev().filter(|other| other % 2 == own % 2).collect();
            let rank = members.iter().position(|&other| other == own).expect("a member");
            work(&Group { image, team, rank, size: members.len(), images: members });
            image.free_team(team).expect("a team without coarrays");
        });
    }
}

/// The bytes of a member for another one.
fn bytes_of(images: [usize; 2], length: usize) -> Vec<u8> {
    let mut state = (images[0] * 1000 + images[1] + 1) as u64 * 0x9e37_79b9_7f4a_7c15;
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend(state.to_ne_bytes());
    }
    bytes.truncate(length);
    bytes
}

/// Memory of the program: its own, and that of a coarray.
enum Memory {
    Own(Vec<u8>),
    Coarray(Handle, Region<'static>),
}

impl Memory {
    /// Collective over the team.
    fn allocate(group: &Group<'_>, is_coarray: bool, length: usize) -> Self {
        if !is_coarray {
            return Self::Own(vec![0; length]);
        }
        let coarray = group.image.allocate(group.team, length, Use::Data).expect("room");
        let address = group.image.address(coarray).expect("a coarray");
        // SAFETY: the test uses it through this region only, until it is freed.
        Self::Coarray(coarray, unsafe { Region::new(address, length) })
    }

    fn region(&mut self) -> Region<'_> {
        match self {
            Self::Own(bytes) => Region::of(bytes),
            Self::Coarray(_, region) => *region,
        }
    }

    /// The part that begins there.
    fn holding(&mut self, at: usize, bytes: &[u8]) -> Region<'_> {
        let part = self.region().part(at..at + bytes.len());
        part.write(bytes);
        part
    }

    fn free(self, group: &Group<'_>) {
        if let Self::Coarray(coarray, _) = self {
            group.image.free(coarray, Use::Data).expect("once");
        }
    }
}

fn read(region: Region<'_>) -> Vec<u8> {
    let mut bytes = vec![0; region.len()];
    region.read(&mut bytes);
    bytes
}
