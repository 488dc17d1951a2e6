//! Segments that all ranks of a node map at the same address, so that addresses in them can be passed between
//! ranks.
//!
//! Idea: the first rank of the node maps the file in an unused range of addresses that programs, libraries
//! and their stacks leave free, and the others try the same address (`MAP_FIXED_NOREPLACE`, Linux 4.17, never
//! replaces a mapping; older kernels take the address as a hint, and the result is compared). If the range is
//! in use on one of them, the first rank tries the next address. Ranks of one process, threads or simulated,
//! share one mapping, which the last of them unmaps.
//!
//! Cost: one gather of a few words and one reduction per attempt; usually one attempt.

use super::users::join;
use super::{Location, ONE_MAPPING, Segment, create_file, max_file_bytes, object, open_file};
use crate::comm::{Comm, agree};
use crate::error::{Error, Result};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::ptr::{self, NonNull};

/// Addresses to be tried, in the middle of a 47-bit address space; then any.
const WISHES: [usize; 4] = [0x2000_0000_0000, 0x3000_0000_0000, 0x4000_0000_0000, 0];
/// Attempts until the node has no common address.
const ATTEMPTS: usize = 8;

impl Segment {
    /// Maps a file at an unused address; 0 for any.
    fn map_at(file: &File, length: usize, address: usize) -> Result<Self> {
        let (protection, mut flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_NORESERVE);
        if address != 0 {
            flags |= libc::MAP_FIXED_NOREPLACE;
        }
        let wish = ptr::without_provenance_mut(address);
        // SAFETY: a new mapping of a file that is open for reading and writing, which replaces nothing.
        let found = unsafe { libc::mmap(wish, length, protection, flags, file.as_raw_fd(), 0) };
        if found == libc::MAP_FAILED {
            return Err(super::failed("mmap of shared memory"));
        }
        // From here on, an error unmaps it.
        let mut segment = Self::of(NonNull::new(found.cast()).expect("a mapping is not null"), length)?;
        if address != 0 && found.addr() != address {
            return Err(Error::Memory(format!("shared memory at address {address:#x}: it is in use")));
        }
        join(segment.address);
        segment.counted = true;
        Ok(segment)
    }

    /// The mapping of another rank of this process.
    fn of_this_process(address: u64, length: usize) -> Self {
        let address = NonNull::new(ptr::with_exposed_provenance_mut(address as usize));
        let address = address.expect("a mapping is not null");
        join(address);
        Self { address, length, process: std::process::id(), counted: true }
    }
}

/// A file of this length. It is refused where files may not be as long: the kernel would end the program.
fn create_permitted_file(length: usize) -> Result<File> {
    let most = max_file_bytes()?;
    if length as u64 > most {
        return Err(Error::Memory(format!(
            "shared memory of {length} bytes: files of this process have at most {most} (ulimit -f)"
        )));
    }
    create_file(length)
}

/// The file of the node's first rank, and the next address to be tried.
struct Creator {
    file: File,
    next: usize,
}

impl Creator {
    /// A mapping at the next address that is free here, and where others find it.
    fn map(&mut self, length: usize) -> Result<(Segment, Location)> {
        loop {
            // The thread sanitizer moves a mapping at an address that it does not like to 0.
            let wish = if ONE_MAPPING { 0 } else { WISHES[self.next.min(WISHES.len() - 1)] };
            self.next += 1;
            match Segment::map_at(&self.file, length, wish) {
                Err(_) if wish != 0 => {}
                Err(error) => return Err(error),
                Ok(segment) => {
                    let location = segment.location();
                    let (file, object) = (self.file.as_raw_fd() as u64, object(&self.file)?);
                    return Ok((segment, Location { file, object, ..location }));
                }
            }
        }
    }
}

/// The mapping of a rank that is not the first one of its node.
fn open(location: Location, length: usize) -> Result<Segment> {
    match location {
        Location { address: 0, .. } => Err(Error::Memory("the first rank of the node has no memory".into())),
        Location { process, address, .. } if process == u64::from(std::process::id()) => {
            Ok(Segment::of_this_process(address, length))
        }
        _ => Segment::map_at(&open_file(location)?, length, location.address as usize),
    }
}

/// Collective over `comm`: one zeroed segment for each node, at one address on all ranks of a node. `ranks`
/// are the ranks of this rank's node, in node order; the length is the same on a node.
///
/// # Errors
/// On all ranks of `comm`, if the ranks of a node cannot share memory at one address.
pub fn share<C: Comm + ?Sized>(comm: &C, ranks: &[usize], length: usize) -> Result<Segment> {
    let file = (ranks[0] == comm.rank()).then(|| create_permitted_file(length)).transpose();
    let mut creator = agree(comm, file)?.map(|file| Creator { file, next: 0 });
    // That of a node whose ranks all have it, while other nodes try further addresses.
    let mut shared: Option<Segment> = None;
    let mut last = Ok(());
    for _ in 0..ATTEMPTS {
        let created = match &mut creator {
            Some(creator) if shared.is_none() => Some(creator.map(length)),
            _ => None,
        };
        let Location { process, file, object, address, .. } = match &created {
            Some(Ok((_, location))) => *location,
            _ => Location::default(),
        };
        let all = comm.all_gather(&[process, file, object, address])?;
        let [process, file, object, address] = all[4 * ranks[0]..][..4].try_into().expect("four words");
        let tried = match (shared.take(), created) {
            (Some(segment), _) => Ok(segment),
            (None, Some(created)) => created.map(|(segment, _)| segment),
            (None, None) => open(Location { process, file, object, address, ..Location::default() }, length),
        };
        // Acts as the barrier as well, after which the creator may close the file.
        let have = comm.all_gather(&[u64::from(tried.is_ok())])?;
        match tried {
            Ok(segment) if ranks.iter().all(|&rank| have[rank] == 1) => shared = Some(segment),
            tried => last = tried.map(drop),
        }
        if have.iter().all(|&has| has == 1) {
            return Ok(shared.expect("all ranks of the node have it"));
        }
    }
    agree(comm, last)?;
    Err(Error::Memory("the ranks of a node have no range of addresses in common".into()))
}
