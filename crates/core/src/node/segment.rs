//! Memory that the ranks of one node map together.
//!
//! The first rank of the node creates an anonymous file (`memfd_create`) and the others open it through
//! `/proc/<pid>/fd`. The file has no name in any file system, so nothing is left behind when the job ends,
//! normally or not. A file may not be longer than `RLIMIT_FSIZE`: above that System V shared memory is used
//! ([`system_v`]). If neither is permitted (another container, a hidden /proc), the caller gets an error and
//! uses messages.
//!
//! A forked child does not inherit the mapping: it is not a rank, and it would keep the memory of
//! communicators that its parent has freed.

mod huge;
pub(super) mod one_address;
#[cfg(test)]
mod other_users;
mod users;

use super::system_v::{self, Identity};
use crate::comm::{Comm, agree};
use crate::error::{Error, Result, reason};
use crate::node::huge_pages::{self, HUGE_PAGE_BYTES, Report};
use crate::node::system_page;
use std::fs::{File, Metadata, Permissions};
use std::ops::Range;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::ptr::NonNull;

/// Whether ranks that are threads of one process use one mapping, which is never unmapped. The thread
/// sanitizer compares accesses by address, so it does not see two threads that access the same memory
/// through two mappings. scripts/check-deep.sh sets this.
const ONE_MAPPING: bool = cfg!(any(hcube_one_mapping, hcube_model));

/// A shared mapping, zeroed at first, unmapped on drop.
#[derive(Debug)]
pub(super) struct Segment {
    address: NonNull<u8>,
    length: usize,
    /// The process that has this mapping; its children do not.
    process: u32,
    /// Whether other ranks of this process may use this mapping, which the last of them unmaps.
    counted: bool,
}

/// Where others find a segment.
#[derive(Debug, Clone, Copy, Default)]
struct Location {
    /// Process that created it.
    process: u64,
    /// Whether it is System V's.
    system_v: u64,
    /// The number of the file in this process, or of the System V segment.
    file: u64,
    /// Number of the file system object: proof that the file found is the right one, since process numbers of
    /// another container mean nothing here. For System V segments, the number of the IPC namespace.
    object: u64,
    /// Where it is mapped there.
    address: u64,
}

fn failed(what: &str) -> Error {
    Error::Memory(format!("{what}: {}", reason(&std::io::Error::last_os_error())))
}

fn object(file: &File) -> Result<u64> {
    file.metadata()
        .map(|data| data.ino())
        .map_err(|error| Error::Memory(format!("shared memory: {}", reason(&error))))
}

/// Bytes of address range and of a file that this process may have.
pub(super) fn max_bytes() -> usize {
    let limit = |resource| {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: a structure to be filled.
        let known = unsafe { libc::getrlimit(resource, &mut limit) } == 0;
        if known { usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX) } else { 0 }
    };
    // Mappings that remain would use up what the sanitizer leaves of the address range.
    let most = if ONE_MAPPING { 1 << 30 } else { usize::MAX };
    limit(libc::RLIMIT_AS).min(limit(libc::RLIMIT_FSIZE)).min(most)
}

/// How long a file may become; the kernel sends a signal that ends the program where one becomes longer.
fn max_file_bytes() -> Result<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a structure to be filled.
    match unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) } {
        0 => Ok(limit.rlim_cur),
        _ => Err(failed("getrlimit(RLIMIT_FSIZE)")),
    }
}

/// An anonymous file that only this user may open, which the kernel would permit to all users.
fn create_file(length: usize) -> Result<File> {
    // SAFETY: the name is a C string; the result is checked.
    let number = unsafe { libc::memfd_create(c"hcube".as_ptr(), libc::MFD_CLOEXEC) };
    if number < 0 {
        return Err(failed("memfd_create for shared memory"));
    }
    // SAFETY: a file that was just created and has no other owner.
    let file = unsafe { File::from_raw_fd(number) };
    file.set_permissions(Permissions::from_mode(0o600))
        .and_then(|()| file.set_len(length as u64))
        .map_err(|error| Error::Memory(format!("shared memory of {length} bytes: {}", reason(&error))))?;
    Ok(file)
}

/// The file of another process.
fn open_file(location: Location) -> Result<File> {
    let path = format!("/proc/{}/fd/{}", location.process, location.file);
    // Without this, a process number of another container might lead to a file that is not ours.
    let target = std::fs::read_link(&path).unwrap_or_default();
    if !target.to_string_lossy().starts_with("/memfd:hcube") {
        return Err(Error::Memory(format!("{path} is not the shared memory of this node")));
    }
    let file = File::options().read(true).write(true).open(&path).map_err(|error| {
        Error::Memory(format!("shared memory of process {}: {}", location.process, reason(&error)))
    })?;
    // A process number may have been given to a process of another user, which root may open.
    let is_own = |data: Metadata| data.ino() == location.object && data.uid() == system_v::own_user();
    if !file.metadata().is_ok_and(is_own) {
        return Err(Error::Memory(format!("{path} is not the shared memory of this node")));
    }
    Ok(file)
}

// SAFETY: a mapping belongs to the process, not to the thread that made it; a segment is used through the
// value or borrows of it, and is not `Sync`.
unsafe impl Send for Segment {}

impl Segment {
    /// Creates a segment. Keep the file open until all others have opened it.
    fn create(length: usize) -> Result<(Self, Option<File>, Location)> {
        if length as u64 > max_file_bytes()? {
            let (address, Identity { segment, namespace }) = system_v::create(length)?;
            let segment_here = Self::of(address, length)?;
            let location =
                Location { system_v: 1, file: segment, object: namespace, ..segment_here.location() };
            return Ok((segment_here, None, location));
        }
        let file = create_file(length)?;
        let segment = Self::map(&file, length)?;
        let location =
            Location { file: file.as_raw_fd() as u64, object: object(&file)?, ..segment.location() };
        Ok((segment, Some(file), location))
    }

    /// Maps the segment that another process has created.
    fn open(location: Location, length: usize) -> Result<Self> {
        if ONE_MAPPING && location.process == u64::from(std::process::id()) {
            let address = std::ptr::with_exposed_provenance_mut(location.address as usize);
            let address = NonNull::new(address).expect("a mapping is not null");
            return Ok(Self { address, length, process: std::process::id(), counted: false });
        }
        if location.system_v != 0 {
            let identity = Identity { segment: location.file, namespace: location.object };
            return Self::of(system_v::attach(identity)?, length);
        }
        Self::map(&open_file(location)?, length)
    }

    fn map(file: &File, length: usize) -> Result<Self> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        Self::map_with(length, protection, libc::MAP_SHARED, file.as_raw_fd(), "mmap of shared memory")
    }

    /// A mapping that begins at a huge page, if it has one and the process may have the addresses.
    fn map_with(
        length: usize,
        protection: libc::c_int,
        flags: libc::c_int,
        file: libc::c_int,
        what: &str,
    ) -> Result<Self> {
        let reserved = if length >= HUGE_PAGE_BYTES { huge::reserve(length) } else { None };
        let (place, fixed) = reserved.map_or((std::ptr::null_mut(), 0), |place| (place, libc::MAP_FIXED));
        // SAFETY: a new mapping, of no file or of one that is open for reading and writing. The kernel
        // selects its place, or it replaces pages that `reserve` has mapped for it and nobody else knows.
        let address = unsafe { libc::mmap(place, length, protection, flags | fixed, file, 0) };
        if address == libc::MAP_FAILED {
            // A reserved range stays reserved: the kernel may have unmapped it, and another thread may have
            // mapped something there.
            return Err(failed(what));
        }
        Self::of(NonNull::new(address.cast::<u8>()).expect("a mapping is not null"), length)
    }

    /// A mapping that was just made, which children do not inherit.
    fn of(address: NonNull<u8>, length: usize) -> Result<Self> {
        address.expose_provenance();
        let segment = Self { address, length, process: std::process::id(), counted: false };
        // SAFETY: the whole mapping; nothing about this process changes.
        let kept = unsafe { libc::madvise(address.as_ptr().cast(), length, libc::MADV_DONTFORK) };
        if kept == 0 { Ok(segment) } else { Err(failed("MADV_DONTFORK of shared memory")) }
    }

    /// Memory of a model, which is never unmapped.
    #[cfg(hcube_model)]
    pub fn of_model(address: NonNull<u8>, length: usize) -> Self {
        Self { address, length, process: std::process::id(), counted: false }
    }

    /// The data of every mapping.
    fn location(&self) -> Location {
        let address = self.address.addr().get() as u64;
        Location { process: u64::from(self.process), address, ..Location::default() }
    }

    /// Requests the kernel to map all pages, if it can (Linux 5.14); otherwise, and if there is no memory,
    /// they are mapped at first use. [`provide`](Self::provide) returns whether there is memory.
    pub fn populate(&self) {
        // SAFETY: the whole mapping, whose contents stay.
        unsafe { libc::madvise(self.address.as_ptr().cast(), self.length, libc::MADV_POPULATE_READ) };
    }

    /// Memory of this process only, of which pages come with their first use.
    ///
    /// # Errors
    /// Where the process may not have the address range.
    pub fn own(length: usize) -> Result<Self> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        Self::map_with(length, protection, flags, -1, "mmap of memory")
    }

    /// Leaves the segment out of core dumps, for those that are mostly empty.
    pub fn without_dump(&self) {
        // SAFETY: the whole mapping, whose contents stay.
        unsafe { libc::madvise(self.address.as_ptr().cast(), self.length, libc::MADV_DONTDUMP) };
    }

    /// Has the kernel use huge pages for a range of pages, if it makes them on demand.
    ///
    /// # Panics
    /// Where the range is not inside.
    pub fn prefer_huge_pages(&self, range: Range<usize>) {
        self.advise(&range, libc::MADV_HUGEPAGE);
    }

    /// Makes huge pages of a range whose pages exist, where the kernel can; the contents stay.
    ///
    /// # Panics
    /// Where the range is not inside.
    pub fn collapse(&self, range: Range<usize>) -> Report {
        let start = range.start.next_multiple_of(HUGE_PAGE_BYTES);
        let end = if self.is_aligned() { range.end / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES } else { 0 };
        huge_pages::collapse_for_long_use(end.saturating_sub(start) / HUGE_PAGE_BYTES, |page| {
            let page = start + page * HUGE_PAGE_BYTES;
            let result = self.advise(&(page..page + HUGE_PAGE_BYTES), libc::MADV_COLLAPSE);
            result.raw_os_error() == Some(0)
        })
    }

    /// Whether it begins at a huge page, as it does from the length of one on where the range of addresses
    /// permits it.
    pub fn is_aligned(&self) -> bool {
        self.address.addr().get().is_multiple_of(HUGE_PAGE_BYTES)
    }

    /// Requests the kernel to commit memory for the pages of a range, if it can (Linux 5.14); otherwise
    /// memory is committed at first use, and the process ends if none is left.
    ///
    /// # Errors
    /// Where there is no memory.
    ///
    /// # Panics
    /// Where the range is not inside.
    pub fn provide(&self, range: Range<usize>) -> Result<()> {
        if cfg!(hcube_model) {
            return Ok(());
        }
        let pages = system_page::from_page(&range, system_page::bytes());
        match self.advise(&pages, libc::MADV_POPULATE_WRITE).raw_os_error() {
            None | Some(0 | libc::EINVAL | libc::ENOSYS) => Ok(()),
            Some(_) => Err(failed(&format!("{} bytes of memory", range.len()))),
        }
    }

    /// Gives the memory of the pages back that a range contains; its contents are lost, for all processes.
    ///
    /// # Panics
    /// Where the range is not inside.
    pub fn give_back(&self, range: Range<usize>) {
        let range = system_page::inside(&range, system_page::bytes());
        // The limit of a file, or else of this process.
        if self.advise(&range, libc::MADV_REMOVE).raw_os_error() != Some(0) {
            self.advise(&range, libc::MADV_DONTNEED);
        }
    }

    /// The kernel's result of madvise for a range; number 0 for success.
    fn advise(&self, range: &Range<usize>, advice: libc::c_int) -> std::io::Error {
        assert!(range.start <= range.end && range.end <= self.length, "{range:?} of {} bytes", self.length);
        // SAFETY: inside the mapping; the advice that is given here changes no contents that are in use.
        match unsafe { libc::madvise(self.address.as_ptr().add(range.start).cast(), range.len(), advice) } {
            0 => std::io::Error::from_raw_os_error(0),
            _ => std::io::Error::last_os_error(),
        }
    }

    /// Start of the mapping, aligned to a page.
    #[inline]
    pub fn address(&self) -> NonNull<u8> {
        self.address
    }
}

/// Words by which others find a segment and know its use.
const WORDS: usize = 7;

/// Collective over `comm`: one zeroed segment for each node. `ranks` are the ranks of this rank's node, in
/// node order; every rank of `comm` calls it. `layout` stands for how the ranks use the segment; it and the
/// length are the same on a node.
///
/// # Errors
/// On all ranks of `comm`, if a rank cannot reach the shared memory of its node, or uses a different layout.
pub(super) fn share<C: Comm + ?Sized>(
    comm: &C,
    ranks: &[usize],
    length: usize,
    layout: u64,
) -> Result<Segment> {
    share_with(comm, ranks, length, layout, |_| Ok(()))
}

/// Collective over `comm`: as [`share`], where each rank prepares its mapping by `prepare`.
///
/// # Errors
/// As [`share`], and on all ranks if a rank cannot prepare its mapping.
pub(super) fn share_with<C: Comm + ?Sized>(
    comm: &C,
    ranks: &[usize],
    length: usize,
    layout: u64,
    prepare: impl FnOnce(&Segment) -> Result<()>,
) -> Result<Segment> {
    let created = (ranks[0] == comm.rank()).then(|| Segment::create(length));
    let Location { process, system_v, file, object, address } = match &created {
        Some(Ok((_, _, location))) => *location,
        _ => Location::default(),
    };
    let all = comm.all_gather(&[process, system_v, file, object, address, length as u64, layout])?;
    let first: [u64; WORDS] = all[WORDS * ranks[0]..][..WORDS].try_into().expect("the words of a rank");
    let [process, system_v, file, object, address, its_length, its_layout] = first;
    let segment = match created {
        Some(created) => created.map(|(segment, file, _)| (segment, file)),
        None if (its_length, its_layout) != (length as u64, layout) => {
            Err(Error::Internal("ranks of a node divide their shared memory in different ways".into()))
        }
        None => {
            let location = Location { process, system_v, file, object, address };
            Segment::open(location, length).map(|segment| (segment, None))
        }
    };
    let prepared = segment.and_then(|(segment, file)| prepare(&segment).map(|()| (segment, file)));
    // Acts as the barrier as well, after which the creator may close the file.
    agree(comm, prepared).map(|(segment, _)| segment)
}

impl Drop for Segment {
    fn drop(&mut self) {
        // A child of the program may have something else at this place.
        if ONE_MAPPING || self.process != std::process::id() || (self.counted && !users::leave(self.address))
        {
            return;
        }
        // SAFETY: a mapping that was made for a segment, unmapped once. References to it borrow what owns the
        // segment, so none is left.
        unsafe { libc::munmap(self.address.as_ptr().cast(), self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mappings that a child inherits if it is forked now.
    ///
    /// # Safety
    /// `find` only calls functions that may be called between a fork and the end of the child.
    pub(super) unsafe fn in_child(find: impl FnOnce() -> bool) -> bool {
        // SAFETY: the child calls `find`, and ends.
        let child = unsafe {
            match libc::fork() {
                0 => libc::_exit(i32::from(find())),
                child => child,
            }
        };
        let mut status = -1;
        // SAFETY: the child that was just made.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert!(libc::WIFEXITED(status), "status {status}");
        libc::WEXITSTATUS(status) == 1
    }

    /// Whether a child that is forked now has memory at the place of a segment.
    fn is_inherited(segment: &Segment) -> bool {
        let (address, length) = (segment.address.as_ptr().cast(), segment.length);
        // SAFETY: the child calls one system call.
        unsafe { in_child(|| libc::msync(address, length, libc::MS_ASYNC) == 0) }
    }

    #[test]
    fn children_do_not_inherit_a_segment() {
        const LENGTH: usize = 1 << 20;
        let (created, _file, location) = Segment::create(LENGTH).expect("shared memory");
        let opened = Segment::open(location, LENGTH).expect("the same");
        let (address, _) = system_v::create(LENGTH).expect("shared memory");
        let without_file = Segment::of(address, LENGTH).expect("a mapping");
        assert_eq!([&created, &opened, &without_file].map(is_inherited), [false; 3]);
    }

    #[test]
    fn contents_survive_and_other_mappings_see_them() {
        const LENGTH: usize = 3 * HUGE_PAGE_BYTES + 4096;
        let (created, _file, location) = Segment::create(LENGTH).expect("shared memory");
        let opened = Segment::open(location, LENGTH).expect("the same");
        assert!([&created, &opened].iter().all(|one| one.address().addr().get() % HUGE_PAGE_BYTES == 0));
        created.provide(0..LENGTH).expect("memory");
        let bytes = |segment: &Segment| segment.address().as_ptr();
        for place in (0..LENGTH).step_by(4096) {
            // SAFETY: inside the mapping, which only this test has.
            unsafe { bytes(&opened).add(place).write(place.count_ones() as u8) };
        }
        created.collapse(0..LENGTH);
        for place in (0..LENGTH).step_by(4096) {
            // SAFETY: inside the other mapping of the same memory, which only this test has.
            assert_eq!(unsafe { bytes(&created).add(place).read() }, place.count_ones() as u8);
        }
    }
}
