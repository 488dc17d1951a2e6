//! Shared memory without a file: System V shared memory, for processes whose file size limit is smaller than
//! the memory.
//!
//! Idea: the kernel compares the length of a file, also of one that exists only in memory, with
//! `RLIMIT_FSIZE` (`ulimit -f`) and sends SIGXFSZ, which ends the program. System V shared memory has no such
//! limit. Linux lets processes attach a segment that is already marked for removal, as long as one process
//! has it attached. It is therefore marked as soon as its creator has attached it, and nothing is left behind
//! when the job ends.
//!
//! Restriction: processes of one IPC namespace, which is checked by its number.
//! Source: shmctl(2), "Linux-specific notes" of shmat(2).

use crate::error::{Error, Result, reason};
use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// A segment of System V's shared memory, as other processes of the node find it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    /// The kernel's number of the segment.
    pub segment: u64,
    /// The number of the IPC namespace in which it means that segment.
    pub namespace: u64,
}

fn failed(what: &str) -> Error {
    Error::Memory(format!("{what}: {}", reason(&std::io::Error::last_os_error())))
}

/// The user for whom this process creates files.
pub(super) fn own_user() -> libc::uid_t {
    // SAFETY: has no preconditions.
    unsafe { libc::geteuid() }
}

/// The number of this process's IPC namespace; no two of a node have the same.
fn namespace() -> Result<u64> {
    use std::os::unix::fs::MetadataExt;
    let found = std::fs::metadata("/proc/self/ns/ipc");
    found
        .map(|data| data.ino())
        .map_err(|error| Error::Memory(format!("/proc/self/ns/ipc: {}", reason(&error))))
}

/// Creates zeroed memory that is removed when the last process has unmapped it.
///
/// # Errors
/// [`Error::Memory`] where the kernel refuses it.
pub(super) fn create(length: usize) -> Result<(NonNull<u8>, Identity)> {
    let namespace = namespace()?;
    // SAFETY: a new segment that only this user may attach.
    let segment = unsafe { libc::shmget(libc::IPC_PRIVATE, length, libc::IPC_CREAT | 0o600) };
    if segment < 0 {
        return Err(failed("shmget for shared memory"));
    }
    let address = map(segment);
    // At once: from here on the job may be killed.
    // SAFETY: the segment that was just created; no structure is passed for this command.
    unsafe { libc::shmctl(segment, libc::IPC_RMID, std::ptr::null_mut()) };
    Ok((address?, Identity { segment: segment as u64, namespace }))
}

/// Maps the memory that another process has created and still has.
///
/// # Errors
/// [`Error::Memory`] for a process of another IPC namespace or of another user, and where the kernel refuses
/// it.
pub(super) fn attach(identity: Identity) -> Result<NonNull<u8>> {
    if namespace()? != identity.namespace {
        return Err(Error::Memory("the shared memory of this node is in another IPC namespace".into()));
    }
    let segment = identity.segment as libc::c_int;
    // The number may have been given to a segment of another user, which root may attach.
    if status(segment)?.shm_perm.uid != own_user() {
        return Err(Error::Memory("the shared memory of this node belongs to another user".into()));
    }
    map(segment)
}

/// What the kernel knows of a segment.
pub(super) fn status(segment: libc::c_int) -> Result<libc::shmid_ds> {
    let mut found = MaybeUninit::uninit();
    // SAFETY: a structure to be filled, which is read only if it was.
    unsafe {
        match libc::shmctl(segment, libc::IPC_STAT, found.as_mut_ptr()) {
            0 => Ok(found.assume_init()),
            _ => Err(failed("shmctl of shared memory")),
        }
    }
}

fn map(segment: libc::c_int) -> Result<NonNull<u8>> {
    // SAFETY: a new mapping at a place that the kernel selects.
    let address = unsafe { libc::shmat(segment, std::ptr::null(), 0) };
    if address.addr() == usize::MAX {
        return Err(failed("shmat of shared memory"));
    }
    Ok(NonNull::new(address.cast::<u8>()).expect("a mapping is not null"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_namespace_is_refused() {
        let (_, identity) = create(4096).expect("shared memory");
        let other = Identity { namespace: identity.namespace + 1, ..identity };
        assert!(attach(identity).is_ok() && attach(other).is_err());
    }
}
