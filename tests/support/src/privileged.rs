//! Programs with more permissions than the user who starts them.

use super::{folder, made_once, skip};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

/// A group to which root does not belong, usually called nogroup.
const OTHER_GROUP: u32 = 65534;

/// A copy of a program that runs with the permissions of another group (set-group-id), so that the kernel
/// sets `AT_SECURE`. `None` where the test is skipped.
pub fn privileged(program: &Path) -> Option<PathBuf> {
    let status = fs::read_to_string("/proc/self/status").expect("/proc");
    // SAFETY: has no preconditions.
    if unsafe { libc::geteuid() } != 0 || !status.contains("NoNewPrivs:\t0") {
        skip("root", "only root can give a program the permissions of another group");
        return None;
    }
    let copy = folder("privileged").join(program.file_name().expect("a program"));
    Some(made_once(copy, |copy| {
        drop(fs::remove_file(copy));
        fs::copy(program, copy).expect("the target directory is writable");
        // In this order: the kernel removes the bit where the group changes.
        chown(copy, None, Some(OTHER_GROUP)).expect("root may");
        fs::set_permissions(copy, Permissions::from_mode(0o2755)).expect("root may");
    }))
}
