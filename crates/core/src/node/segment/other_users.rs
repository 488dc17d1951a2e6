//! Tests of what another user of the machine can reach of the memory and pipes of a node's ranks, and of core
//! dumps (doc/clusters.md, "Security").

use super::tests::in_child;
use super::{Location, Segment, create_file, object, open_file, system_v};
use crate::node::pipe::Pipe;
use std::ffi::CString;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;

/// Usually called nobody.
const OTHER_USER: libc::uid_t = 65534;
const LENGTH: usize = 1 << 16;

fn is_root() -> bool {
    let is_root = system_v::own_user() == 0;
    if !is_root {
        hcube_testing::skip("root", "only root can become another user");
    }
    is_root
}

/// Gives the permissions of root up. The system calls, because the C library's functions wait for the threads
/// of the parent.
fn become_other_user() {
    let (id, none) = (OTHER_USER, std::ptr::null::<libc::gid_t>());
    // SAFETY: numbers, and a list without elements.
    unsafe {
        if libc::syscall(libc::SYS_setgroups, 0, none) != 0
            || libc::syscall(libc::SYS_setresgid, id, id, id) != 0
            || libc::syscall(libc::SYS_setresuid, id, id, id) != 0
        {
            libc::abort();
        }
    }
}

/// Whether `attempt` succeeds in a process of the same user, and in one of another user. It calls functions
/// that may be called between a fork and the end of the child.
fn by_own_and_other(attempt: impl Fn() -> bool) -> [bool; 2] {
    // SAFETY: system calls only.
    unsafe {
        [
            in_child(&attempt),
            in_child(|| {
                become_other_user();
                attempt()
            }),
        ]
    }
}

fn opens(path: &str) -> impl Fn() -> bool + use<> {
    let path = CString::new(path).expect("a path");
    // SAFETY: a path that the closure owns; the process ends with the file.
    move || unsafe { libc::open(path.as_ptr(), libc::O_RDWR | libc::O_NONBLOCK) >= 0 }
}

/// Whether the first byte of a mapping is read by single copy.
fn reads(segment: &Segment) -> impl Fn() -> bool + use<> {
    let (process, address) = (std::process::id(), segment.address().as_ptr().addr());
    move || {
        let mut byte = 0_u8;
        let here = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
        let there = libc::iovec { iov_base: std::ptr::without_provenance_mut(address), iov_len: 1 };
        // SAFETY: one byte of this process; the kernel checks the other address.
        unsafe { libc::process_vm_readv(process as libc::pid_t, &here, 1, &there, 1, 0) == 1 }
    }
}

#[test]
fn files_are_opened_by_their_user_only() {
    let (segment, file, location) = Segment::create(LENGTH).expect("shared memory");
    let file = file.expect("of a file");
    assert_eq!(file.metadata().expect("open").mode() & 0o7777, 0o600);
    if is_root() {
        let path = format!("/proc/{}/fd/{}", location.process, location.file);
        assert_eq!(by_own_and_other(opens(&path)), [true, false]);
        assert!(!by_own_and_other(reads(&segment))[1], "single copy by another user");
        for name in ["mem", "maps", "environ", "map_files", "fd", "auxv"] {
            let path = format!("/proc/{}/{name}", location.process);
            assert!(!by_own_and_other(opens(&path))[1], "{path} by another user");
        }
    }
}

#[test]
fn memory_without_a_file_is_attached_by_its_user_only() {
    let (address, identity) = system_v::create(LENGTH).expect("shared memory");
    let _segment = Segment::of(address, LENGTH).expect("a mapping");
    let number = identity.segment as libc::c_int;
    assert_eq!(system_v::status(number).expect("a segment").shm_perm.mode & 0o777, 0o600);
    if is_root() {
        // SAFETY: a new mapping, which ends with its process.
        let attempt = || unsafe { libc::shmat(number, std::ptr::null(), 0).addr() != usize::MAX };
        assert_eq!(by_own_and_other(attempt), [true, false]);
    }
}

#[test]
fn pipes_are_opened_by_their_user_only() {
    let pipe = Pipe::new().expect("a pipe");
    let address = pipe.address().to_string();
    let words: Vec<&str> = address.split('/').collect();
    if is_root() {
        let path = format!("/proc/{}/fd/{}", words[0], words[1]);
        assert_eq!(by_own_and_other(opens(&path)), [true, false]);
    }
}

/// A rank that is root could open them.
#[test]
fn memory_of_another_user_is_refused() {
    if !is_root() {
        return;
    }
    let file = create_file(LENGTH).expect("shared memory");
    let location = Location {
        process: u64::from(std::process::id()),
        file: file.as_raw_fd() as u64,
        object: object(&file).expect("open"),
        ..Location::default()
    };
    assert!(open_file(location).is_ok());
    std::os::unix::fs::fchown(&file, Some(OTHER_USER), None).expect("root may");
    assert!(open_file(location).is_err());

    let (address, identity) = system_v::create(LENGTH).expect("shared memory");
    let _segment = Segment::of(address, LENGTH).expect("a mapping");
    assert!(system_v::attach(identity).is_ok());
    let number = identity.segment as libc::c_int;
    let mut status = system_v::status(number).expect("a segment");
    status.shm_perm.uid = OTHER_USER;
    // SAFETY: the segment of this test, with the kernel's own data.
    assert_eq!(unsafe { libc::shmctl(number, libc::IPC_SET, &mut status) }, 0);
    assert!(system_v::attach(identity).is_err());
}

/// Whether the kernel writes a mapping to core dumps.
fn is_dumped(segment: &Segment) -> bool {
    let text = std::fs::read_to_string("/proc/self/smaps").expect("/proc");
    let begin = format!("{:x}-", segment.address().as_ptr().addr());
    let mut lines = text.lines().skip_while(|line| !line.starts_with(&begin));
    let flags = lines.find_map(|line| line.strip_prefix("VmFlags:")).expect("a mapping");
    !flags.split_whitespace().any(|flag| flag == "dd")
}

#[test]
fn core_dumps_have_the_memory_that_is_not_left_out() {
    let (segment, _file, _) = Segment::create(LENGTH).expect("shared memory");
    assert!(is_dumped(&segment));
    segment.without_dump();
    assert!(!is_dumped(&segment));
}
