//! Single copy between processes (`process_vm_readv`, `process_vm_writev`): a test of whether it is
//! permitted, and the copies.

#[cfg(hcube_model)]
pub mod model;

use crate::atomic::{AtomicU64, Ordering};
use crate::comm::{Comm, agree};
use crate::error::{Error, reason};
use crate::memory::Region;
#[cfg(hcube_model)]
use model::{READ, Transfer, WRITE};

/// The memory of another process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process(libc::pid_t);

#[cfg(not(hcube_model))]
const READ: Transfer = libc::process_vm_readv;
#[cfg(not(hcube_model))]
const WRITE: Transfer = libc::process_vm_writev;
#[cfg(not(hcube_model))]
type Transfer = unsafe extern "C" fn(
    libc::pid_t,
    *const libc::iovec,
    libc::c_ulong,
    *const libc::iovec,
    libc::c_ulong,
    libc::c_ulong,
) -> isize;

/// A copy that the kernel has ended early.
#[derive(Debug)]
pub struct Refused {
    /// Bytes that it has copied before; the others are unchanged.
    pub copied: usize,
    /// The kernel's reason.
    pub error: std::io::Error,
}

impl Refused {
    /// Whether the process has ended, so that it will never finish its part.
    pub fn is_lost(&self) -> bool {
        self.error.raw_os_error() == Some(libc::ESRCH)
    }

    /// Whether no copy will be permitted any more, rather than only not this one.
    pub fn is_permanent(&self) -> bool {
        use libc::{EACCES, ENOSYS, EPERM};
        self.error.raw_os_error().is_some_and(|code| [EPERM, EACCES, ENOSYS].contains(&code))
    }
}

impl Process {
    /// Copies from `address` of this process to `local`.
    ///
    /// # Errors
    /// The kernel's: not permitted, no such process, no such address.
    pub fn read(self, address: u64, local: Region<'_>) -> Result<(), Refused> {
        self.transfer(READ, address, local)
    }

    /// Copies `local` to `address` of this process.
    ///
    /// # Safety
    /// Nobody accesses these bytes before the end of this copy: they are in a [`Region`] of the process, on
    /// which it waits meanwhile, or its program does not access them before the two have synchronised.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub unsafe fn write(self, address: u64, local: Region<'_>) -> Result<(), Refused> {
        self.transfer(WRITE, address, local)
    }

    fn transfer(self, call: Transfer, address: u64, local: Region<'_>) -> Result<(), Refused> {
        let mut copied = 0;
        while copied < local.len() {
            let rest = local.len() - copied;
            let here = libc::iovec { iov_base: local.address().wrapping_add(copied).cast(), iov_len: rest };
            let there = libc::iovec {
                iov_base: std::ptr::without_provenance_mut(address as usize + copied),
                iov_len: rest,
            };
            // SAFETY: the local range is a region that may be read and written; the kernel checks the range
            // of the other process. The contract of `write` covers what is written there.
            let error = match unsafe { call(self.0, &here, 1, &there, 1, 0) } {
                count @ 1.. => {
                    copied += count as usize;
                    continue;
                }
                0 => std::io::ErrorKind::UnexpectedEof.into(),
                _ => std::io::Error::last_os_error(),
            };
            return Err(Refused { copied, error });
        }
        Ok(())
    }
}

/// Bytes that follow one another in the memory of some process.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Run {
    /// Where they start there.
    pub address: u64,
    /// Their number.
    pub bytes: u64,
}

impl Run {
    /// Bytes of this process, for which the kernel may be given the address.
    pub fn new(address: *const u8, bytes: usize) -> Self {
        Self { address: address.expose_provenance() as u64, bytes: bytes as u64 }
    }
}

/// The most runs of a side that the kernel takes in one call (`IOV_MAX`).
const MAX_RUNS: usize = 1024;

/// How far a copy of runs has come on one side.
struct Cursor<'a> {
    runs: &'a [Run],
    /// Bytes of the first of them that are copied.
    copied: u64,
}

impl Cursor<'_> {
    /// The next runs for one call, of at most `bound` bytes.
    fn next(&self, bound: u64) -> (Vec<libc::iovec>, u64) {
        let (mut list, mut bytes, mut skip) = (Vec::new(), 0, self.copied);
        for run in self.runs {
            let length = (run.bytes - skip).min(bound - bytes);
            if list.len() == MAX_RUNS || bytes == bound {
                break;
            }
            // The runs of the calling process were exposed by the code that has created them; other addresses
            // have no meaning here.
            let base = std::ptr::with_exposed_provenance_mut((run.address + skip) as usize);
            list.push(libc::iovec { iov_base: base, iov_len: length as usize });
            bytes += length;
            skip = 0;
        }
        (list, bytes)
    }

    /// The position of the copy in the calling process, and the remaining bytes of that run.
    fn place(&self) -> Option<(*mut u8, u64)> {
        let run = self.runs.first()?;
        let place = std::ptr::with_exposed_provenance_mut((run.address + self.copied) as usize);
        Some((place, run.bytes - self.copied))
    }

    fn advance(&mut self, mut bytes: u64) {
        while let Some(first) = self.runs.first() {
            let rest = first.bytes - self.copied;
            if bytes < rest {
                self.copied += bytes;
                return;
            }
            bytes -= rest;
            self.copied = 0;
            self.runs = &self.runs[1..];
        }
    }
}

impl Process {
    /// Copies the bytes of `there`, runs of this process, to the bytes of `here`, runs of the calling
    /// process, each in their order.
    ///
    /// # Safety
    /// The runs of the calling process can be written, their addresses are exposed, and nobody accesses them
    /// meanwhile; nobody writes to the runs of this process.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub unsafe fn read_runs(self, there: &[Run], here: &[Run]) -> Result<(), Refused> {
        // SAFETY: the runs here can be written, and nobody accesses them meanwhile or writes to those of the
        // process.
        unsafe { self.transfer_runs(READ, there, here) }
    }

    /// Copies the bytes of `here`, runs of the calling process, to the bytes of `there`, runs of this
    /// process.
    ///
    /// # Safety
    /// The runs of the calling process can be read, their addresses are exposed, and nobody writes to them
    /// meanwhile; nobody accesses the runs of this process before the two have synchronised.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub unsafe fn write_runs(self, there: &[Run], here: &[Run]) -> Result<(), Refused> {
        // SAFETY: the runs here can be read, and nobody writes to them meanwhile or accesses those of the
        // process.
        unsafe { self.transfer_runs(WRITE, there, here) }
    }

    /// Stores a word of this process, which it reads as an atomic. It sees the word only when this rank has
    /// ended what it read and wrote of that process before: the kernel has dropped its reference to those
    /// pages by an ordered operation.
    ///
    /// # Safety
    /// The address is the place of an atomic of this process, which lives.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub unsafe fn store(self, address: u64, word: u64) -> Result<(), Refused> {
        if cfg!(hcube_model) {
            let place = std::ptr::with_exposed_provenance_mut(address as usize);
            // SAFETY: an atomic, by the contract of this function; the process is this one.
            unsafe { AtomicU64::from_ptr(place) }.store(word, Ordering::Release);
            return Ok(());
        }
        let here = [Run::new((&raw const word).cast(), size_of_val(&word))];
        // SAFETY: an atomic of the process, by the contract of this function.
        unsafe { self.write_runs(&[Run { address, bytes: here[0].bytes }], &here) }
    }

    /// # Safety
    /// As [`Self::read_runs`] or [`Self::write_runs`].
    unsafe fn transfer_runs(self, call: Transfer, there: &[Run], here: &[Run]) -> Result<(), Refused> {
        let (mut here, mut there) = (Cursor { runs: here, copied: 0 }, Cursor { runs: there, copied: 0 });
        let mut copied = 0;
        loop {
            // As many bytes on both sides: of the shorter one of two lists.
            let (_, bound) = there.next(u64::MAX);
            let (local, bytes) = here.next(bound);
            let (remote, bytes) = there.next(bytes);
            if bytes == 0 {
                return Ok(());
            }
            let [locals, remotes] = [&local, &remote].map(|list| list.len() as libc::c_ulong);
            // SAFETY: lists of as many entries; the local runs can be accessed by the contract of this
            // function, and the kernel checks those of the other process.
            let error = match unsafe { call(self.0, local.as_ptr(), locals, remote.as_ptr(), remotes, 0) } {
                count @ 1.. => {
                    copied += count as usize;
                    here.advance(count as u64);
                    there.advance(count as u64);
                    continue;
                }
                0 => std::io::ErrorKind::UnexpectedEof.into(),
                _ => std::io::Error::last_os_error(),
            };
            return Err(Refused { copied, error });
        }
    }
}

/// Copies the bytes of `from` to the bytes of `to`, runs of the calling process, each in their order, up to
/// the shorter length.
///
/// # Safety
/// The runs can be read and written, their addresses are exposed, and nobody else accesses them meanwhile.
pub unsafe fn copy_own_runs(from: &[Run], to: &[Run]) {
    let (mut from, mut to) = (Cursor { runs: from, copied: 0 }, Cursor { runs: to, copied: 0 });
    while let (Some((source, readable)), Some((target, writable))) = (from.place(), to.place()) {
        let bytes = readable.min(writable);
        // SAFETY: parts of two runs that can be read and written. Buffers of a program that is wrong may
        // overlap.
        unsafe { std::ptr::copy(source, target, bytes as usize) };
        from.advance(bytes);
        to.advance(bytes);
    }
}

/// Reads a word of another process's memory.
///
/// # Errors
/// The kernel's: not permitted, no such process, no such address.
pub fn read_word(process: u32, address: u64) -> std::io::Result<u64> {
    let mut word = 0u64;
    // SAFETY: a local variable that nothing refers to during the call.
    let local = unsafe { Region::new((&raw mut word).cast(), size_of::<u64>()) };
    let read = Process(process as libc::pid_t).read(address, local);
    read.map(|()| word).map_err(|refused| refused.error)
}

/// Collective over `comm`: the processes of `ranks`, this rank's node. Every rank has read a word of each
/// other rank whose value only that process knows, and has written one that only it knows: process numbers of
/// another container mean nothing here, and a filter may permit only one of the two calls.
///
/// # Errors
/// On all ranks of `comm`, if two ranks of a node cannot reach each other.
pub fn prove<C: Comm + ?Sized>(comm: &C, ranks: &[usize]) -> crate::Result<Vec<Process>> {
    let own = u64::from(std::process::id());
    let place = std::ptr::from_ref(comm).cast::<u8>().addr() as u64;
    let cookie = Box::new(own.rotate_left(32) ^ place ^ 0x6863_7562_6500_0000 ^ comm.rank() as u64);
    // A cell for every rank of the node to write into.
    let mut cells = vec![0u64; ranks.len()];
    let places = [&raw const *cookie, cells.as_ptr()].map(|place| place.addr() as u64);
    let all = comm.all_gather(&[own, places[0], places[1], *cookie])?;
    let index = ranks.iter().position(|&rank| rank == comm.rank()).expect("a rank is on its own node");
    let tried = ranks.iter().map(|&rank| {
        let [process, readable, writable, expected] = all[4 * rank..4 * rank + 4] else { unreachable!() };
        let refused = |why: String| Err(Error::Memory(format!("single copy with rank {rank}: {why}")));
        let process = Process(process as libc::pid_t);
        let mut token = *cookie;
        // SAFETY: a local variable that nothing else refers to during the call.
        let local = unsafe { Region::new((&raw mut token).cast(), size_of::<u64>()) };
        match read_word(process.0 as u32, readable) {
            Ok(word) if word == expected => {}
            Ok(_) => return refused(format!("process {} is another one here", process.0)),
            Err(error) => return refused(reason(&error)),
        }
        let cell = writable + (index * size_of::<u64>()) as u64;
        // SAFETY: the process has just shown that it is the rank that has posted this address: its cell for
        // this rank. It keeps the cells until all ranks have agreed below.
        let written = unsafe { process.write(cell, local) };
        written.map_or_else(|why| refused(reason(&why.error)), |()| Ok(process))
    });
    // Also a barrier, after which all have written and the cookie is not read any more.
    let processes = agree(comm, tried.collect())?;
    let written = ranks.iter().zip(&mut cells).all(|(&rank, cell)| {
        // SAFETY: a cell of this rank, read from its own address; others have finished writing to it.
        unsafe { (&raw const *cell).read_volatile() == all[4 * rank + 3] }
    });
    let refusal = || Error::Memory("single copy: a word that was written has not arrived".into());
    agree(comm, if written { Ok(processes) } else { Err(refusal()) })
}

#[cfg(test)]
pub(super) mod tests {
    use crate::comm::threads;

    impl super::Process {
        /// The calling process.
        pub fn own() -> Self {
            Self(std::process::id() as libc::pid_t)
        }
    }

    /// Whether the kernel lets a process read its own memory by the call; otherwise nothing can be proved
    /// here.
    pub fn permitted() -> bool {
        let word = 0x1234_5678_9abc_def0_u64;
        match super::read_word(std::process::id(), (&raw const word).addr() as u64) {
            Ok(read) => assert_eq!(read, word),
            Err(error) => {
                hcube_testing::unproved("single-copy", &format!("process_vm_readv: {error}"));
                return false;
            }
        }
        true
    }

    #[test]
    fn reads_a_cookie_and_refuses_a_wild_address() {
        if permitted() {
            assert!(super::read_word(std::process::id(), 8).is_err());
        }
    }

    #[test]
    fn runs_of_any_lengths_are_copied_in_order() {
        use super::{Process, Run, copy_own_runs};
        if !permitted() {
            return;
        }
        let own = Process::own();
        let from: Vec<u8> = (0..20_000u32).map(|value| (value % 251) as u8).collect();
        let mut to = vec![0u8; from.len()];
        let runs = |start: *const u8, lengths: &[u64]| -> Vec<Run> {
            let mut address = start.addr() as u64;
            let all = lengths.iter().cycle().scan(from.len() as u64, |left, &length| {
                let bytes = length.min(*left);
                *left -= bytes;
                (bytes > 0).then(|| {
                    address += bytes;
                    Run { address: address - bytes, bytes }
                })
            });
            all.collect()
        };
        // More runs than one system call accepts, on either side or on both.
        for [ours, theirs] in [[&[7][..], &[20_000]], [&[20_000], &[3, 5]], [&[1, 2, 9], &[4, 11]]] {
            for way in 0..3 {
                to.fill(0);
                from.as_ptr().expose_provenance();
                to.as_mut_ptr().expose_provenance();
                let target = runs(to.as_mut_ptr(), ours);
                let source = runs(from.as_ptr(), theirs);
                // SAFETY: parts of two lists that nothing refers to during the call.
                let copied = unsafe {
                    match way {
                        0 => own.write_runs(&target, &source),
                        1 => own.read_runs(&source, &target),
                        _ => {
                            copy_own_runs(&source, &target);
                            Ok(())
                        }
                    }
                };
                assert!(copied.is_ok() && to == from, "{} and {} runs", target.len(), source.len());
            }
        }
    }

    #[test]
    fn ranks_prove_each_other() {
        if permitted() {
            let proved = threads::run(3, 3, |comm| super::prove(comm, &[0, 1, 2]).map(|all| all.len()));
            assert!(proved.iter().all(|result| result == &Ok(3)), "{proved:?}");
        }
    }
}
