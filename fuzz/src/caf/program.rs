//! Coarray programs, and the semantics of their calls.

use arbitrary::{Arbitrary, Unstructured};
use hcube_caf::Handle;

/// Images of a program at most.
pub const MAX_IMAGES: usize = 4;
/// Steps of a program.
pub const MAX_STEPS: usize = 100;
/// Teams, and coarrays, of a program.
pub const MAX_TEAMS: usize = 5;
/// Events of each image, and locks.
pub const EVENTS: usize = 2;

/// A rank, an index or a number of bytes: below `LIMIT`, so that many exist and some do not.
#[derive(Debug, Clone, Copy)]
pub struct Small<const LIMIT: u8>(pub u8);

impl<'a, const LIMIT: u8> Arbitrary<'a> for Small<LIMIT> {
    fn arbitrary(data: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        Ok(Self(u8::arbitrary(data)? % LIMIT))
    }
}

impl<const LIMIT: u8> Small<LIMIT> {
    pub fn get(self) -> usize {
        usize::from(self.0)
    }
}

pub type Image = Small<5>;
pub type Index = Small<3>;
pub type Bytes = Small<40>;

/// A place in a coarray, which may be outside.
#[derive(Debug, Clone, Copy, Arbitrary)]
pub struct At {
    pub coarray: u8,
    pub rank: Image,
    pub offset: Small<96>,
}

#[derive(Debug, Clone, Arbitrary)]
pub struct Step {
    /// The image that makes the call, if not all do.
    pub by: u8,
    pub call: Call,
}

#[derive(Debug, Clone, Arbitrary)]
pub enum Call {
    Split { parent: u8, colours: [i8; MAX_IMAGES], keys: [i8; MAX_IMAGES] },
    Allocate { team: u8, bytes: Small<128> },
    Free { coarray: u8 },
    Put { at: At, bytes: Bytes, first: u8 },
    Get { at: At, bytes: Bytes },
    PutSection { at: At, element: Small<9>, shape: [(Small<5>, i8); 2] },
    GetIndexed { at: At, element: Small<9>, indices: [Small<12>; 5] },
    Atomic { at: At, operation: u8, operand: u64, compare: u64 },
    Notify { index: Index, image: Image },
    Try { index: Index },
    Copy { from: At, to: At, bytes: Bytes, done: Option<(Index, Image)>, predicate: Option<(Index, Image)> },
    Spawn { to: Image, chain: Small<5>, index: Index },
    Lock { index: Index, image: Image },
    Unlock { index: Index, image: Image },
}

/// A team: the images that are its members, by rank.
pub struct Team {
    pub members: Vec<usize>,
    pub handle: Option<Handle>,
}

pub struct Coarray {
    /// Of its team.
    pub members: Vec<usize>,
    pub bytes: usize,
    pub handle: Option<Handle>,
    /// By rank.
    pub data: Vec<Vec<u8>>,
}

/// The state of an image: the model of all images, and its own handles.
pub struct Model {
    pub images: usize,
    pub teams: Vec<Team>,
    pub coarrays: Vec<Coarray>,
    /// Notices, by image.
    pub notices: Vec<[u64; EVENTS]>,
    /// The image that holds a lock, by image.
    pub holders: Vec<[Option<usize>; EVENTS]>,
}

/// The bytes of a place that exists: the coarray, and where.
pub type Found = (usize, usize, usize);

impl Model {
    /// A handle for what a call names, as the image that makes it has it.
    pub fn coarray(&self, at: At) -> Option<(usize, Handle)> {
        let number = usize::from(at.coarray) % self.coarrays.len().max(1);
        Some((number, self.coarrays.get(number)?.handle?))
    }

    /// Where a call accesses bytes from `range` around the offset, if they exist.
    pub fn place(&self, number: usize, at: At, range: std::ops::Range<i64>) -> Option<Found> {
        let (coarray, offset) = (&self.coarrays[number], at.offset.get() as i64);
        let inside = offset + range.start >= 0 && offset + range.end <= coarray.bytes as i64;
        let rank = at.rank.get();
        (rank < coarray.members.len() && inside).then_some((number, rank, at.offset.get()))
    }

    pub fn bytes(&mut self, (number, rank, at): Found, bytes: usize) -> &mut [u8] {
        &mut self.coarrays[number].data[rank][at..at + bytes]
    }
}
