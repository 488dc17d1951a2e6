//! What is compared: the libraries that carry out the operations, and copies by the processor.

use super::arguments::Arguments;
use super::calls::functions::{Coarrays, Openshmem};
use super::calls::hcube::Images;
use super::calls::one_sided::{self, Windows};
use super::calls::openshmem::{self, Elements};
use super::calls::{Calls, Place, address, memcpy};
use super::task::{Operation, Task};
use crate::bench::frame::Opened;
use crate::bench::proof::Origin;
use hcube_core::comm::{Comm, agree};
use hcube_core::node::single_copy;
use hcube_core::{Error, Result};
use hcube_results::caf::{HCUBE, MEMCPY, MPI, OPENSHMEM};
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes from which puts and gets are compared with copies.
const MIN_COPY_BYTES: usize = 64 << 10;

/// Who carries out the operations.
pub enum Work {
    Library(Box<dyn Calls>),
    /// Copies between the memory of this rank and the memory of the target, which is at this address.
    Copy(*mut u8),
    /// Nobody, for this reason.
    Missing(String),
}

/// What is compared.
pub struct Variant {
    pub name: &'static str,
    /// Of the library; empty for MPI and copies.
    pub file: String,
    pub work: Work,
    /// That its functions belong to the library; none where the library is missing.
    pub origin: Option<Origin>,
}

impl Variant {
    /// Whether it has an operation, or is to say why it has none.
    pub fn has(&self, task: &Task) -> bool {
        match &self.work {
            Work::Library(calls) => calls.has(task.operation),
            _ if self.name == MEMCPY => {
                matches!(task.operation, Operation::Put | Operation::Get) && task.bytes >= MIN_COPY_BYTES
            }
            _ => true,
        }
    }

    /// Collective: operations; their seconds on this rank, with memory that only this rank uses.
    pub fn run(&mut self, task: &Task, times: u32, own: &[AtomicU64], is_origin: bool) -> f64 {
        match &mut self.work {
            Work::Library(calls) => calls.run(task, times, own),
            Work::Copy(there) if is_origin => memcpy::run(task, times, own, *there),
            _ => 0.0,
        }
    }
}

/// Collective: starts all libraries, with these functions of hcube.
pub fn start(
    comm: &impl Comm,
    arguments: &Arguments,
    (functions, file, origin): (Coarrays, String, Origin),
    place: Place,
    words: usize,
) -> Result<Vec<Variant>> {
    let images = agree(comm, Images::begin(functions, place, words))?;
    let memory = neighbour(comm, place, images.shared())?;
    let none = String::new;
    let work = Work::Library(Box::new(images));
    let mut variants = vec![Variant { name: HCUBE, file, work, origin: Some(origin) }];
    if !arguments.no_mpi {
        let windows = Windows::new(place, words);
        let everywhere = !comm.all_gather(&[u64::from(windows.is_none())])?.contains(&1);
        let work = match windows.filter(|_| everywhere) {
            Some(windows) => Work::Library(Box::new(windows)),
            None => Work::Missing("MPI_Win_allocate fails here".to_owned()),
        };
        let origin = Some(agree(comm, one_sided::origin())?);
        variants.push(Variant { name: MPI, file: none(), work, origin });
    }
    if !arguments.no_openshmem {
        let (work, file, origin) = match openshmem(comm, arguments, place, words)? {
            Ok((elements, file, origin)) => (Work::Library(Box::new(elements)), file, Some(origin)),
            Err(reason) => (Work::Missing(reason), none(), None),
        };
        variants.push(Variant { name: OPENSHMEM, file, work, origin });
    }
    let work = memory
        .map_or_else(|| Work::Missing("ranks 0 and 1 have no memory at one address".to_owned()), Work::Copy);
    let origin = Some(agree(comm, Origin::of_libc(&[c"memcpy"]))?);
    variants.push(Variant { name: MEMCPY, file: none(), work, origin });
    Ok(variants)
}

/// Collective: where this rank can access the memory of the target's coarray by loads and stores, if ranks 0
/// and 1 share it.
fn neighbour(comm: &impl Comm, place: Place, shared: &[AtomicU64]) -> Result<Option<*mut u8>> {
    let cookie = 0x6863_7562_6500_0000 ^ u64::from(std::process::id()) << 8 ^ place.rank as u64;
    shared[0].store(cookie, Ordering::Relaxed);
    // Also makes the words known to the others.
    let all = comm.all_gather(&[address(shared).addr() as u64, cookie])?;
    let target = 1 % place.ranks;
    let (there, expected) = (all[2 * target], all[2 * target + 1]);
    // A system call, which does not crash where nothing is mapped.
    let found = single_copy::read_word(std::process::id(), there).is_ok_and(|word| word == expected);
    let found = comm.all_gather(&[u64::from(found)])?[0] == 1;
    Ok(found.then(|| std::ptr::with_exposed_provenance_mut(there as usize)))
}

/// Collective: OpenSHMEM and its file, or why it is not measured.
fn openshmem(
    comm: &impl Comm,
    arguments: &Arguments,
    place: Place,
    words: usize,
) -> Result<Opened<(Elements, String, Origin)>> {
    let refused = |reason: &str| Error::Unsupported(reason.to_owned());
    let load = || match openshmem::refusal() {
        Some(reason) => Err(refused(reason)),
        None => Openshmem::load(arguments.openshmem.as_deref()).map_err(|reason| refused(&reason)),
    };
    let started = agree(comm, load()).and_then(|(functions, file, origin)| {
        let begun = Elements::begin(functions, place, words).map_err(|reason| refused(&reason));
        agree(comm, begun).map(|elements| (elements, file, origin))
    });
    match started {
        Ok(started) => Ok(Ok(started)),
        Err(error @ Error::Mpi { .. }) => Err(error),
        Err(error) => Ok(Err(error.to_string())),
    }
}
