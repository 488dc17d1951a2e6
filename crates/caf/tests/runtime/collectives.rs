//! Collective operations over teams of images that are threads.

mod broadcasts;
mod exchanges;
mod reductions;
mod refusals;
mod sorting;

use crate::support::{Image, everywhere, form};
use hcube_caf::Handle;
use hcube_caf::coarray::Use;
use hcube_core::memory::Region;

/// A team, seen from a member.
struct Group<'a> {
    image: &'a Image,
    team: Handle,
    rank: usize,
    size: usize,
    /// The images of all members.
    images: Vec<usize>,
    /// Memory of the program, and memory of a coarray.
    memory: [Region<'static>; 2],
}

/// Lengths below and above the limit of eager blocks, and of one page; long blocks only in small teams.
const LENGTHS: [usize; 6] = [0, 1, 8, 511, 513, 5000];
const LONG: usize = 300_000;

impl Group<'_> {
    fn lengths(&self) -> Vec<usize> {
        let long = (self.size <= 4).then_some(LONG);
        LENGTHS.into_iter().chain(long).collect()
    }

    /// The part of a memory that begins there, with these bytes in it.
    fn holding(&self, is_coarray: bool, at: usize, bytes: &[u8]) -> Region<'static> {
        let part = self.memory[usize::from(is_coarray)].part(at..at + bytes.len());
        part.write(bytes);
        part
    }
}

/// Runs `work` for a team.
fn in_team(image: &Image, team: Handle, images: Vec<usize>, work: impl Fn(&Group<'_>)) {
    let size = images.len();
    let rank = images.iter().position(|&other| other == image.own()).expect("a member");
    let room = if size <= 4 { 8 * LONG } else { 160_000 };
    let coarray = image.allocate(team, room, Use::Data).expect("room");
    let mut own = vec![0; room];
    let addresses = [own.as_mut_ptr(), image.address(coarray).expect("a coarray")];
    // SAFETY: both are used only through these regions, until they are freed below, after all operations on
    // them.
    let memory = addresses.map(|address| unsafe { Region::new(address, room) });
    work(&Group { image, team, rank, size, images, memory });
    image.free(coarray, Use::Data).expect("once");
}

/// Runs `work` for the team of all images, and for the odd and the even ones, in reversed order.
fn in_teams(work: impl Fn(&Group<'_>) + Sync) {
    everywhere(|image, images| {
        let (world, own) = (image.world(), image.own());
        in_team(image, world, (0..images).collect(), &work);
        let team = form(image, world, (own % 2) as i64, -(own as i64));
        let members: Vec<usize> = (0..images).rev().filter(|other| other % 2 == own % 2).collect();
        in_team(image, team, members, &work);
        image.free_team(team).expect("a team without coarrays");
    });
}

/// The bytes of a member for another one.
fn bytes_of(images: [usize; 2], length: usize) -> Vec<u8> {
    let mut state = ((images[0] * 1000 + images[1] + 1) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
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

fn read(region: Region<'_>) -> Vec<u8> {
    let mut bytes = vec![0; region.len()];
    region.read(&mut bytes);
    bytes
}
