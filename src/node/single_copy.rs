//! Single copy between processes (`process_vm_readv`): whether it is permitted here.

/// Reads a word of another process's memory.
///
/// # Errors
/// What the kernel says: not permitted, no such process, no such address.
pub fn read_word(process: u32, address: u64) -> std::io::Result<u64> {
    let mut word = 0u64;
    let local = libc::iovec { iov_base: (&raw mut word).cast(), iov_len: size_of::<u64>() };
    let remote = libc::iovec {
        iov_base: std::ptr::without_provenance_mut(address as usize),
        iov_len: size_of::<u64>(),
    };
    // SAFETY: writes at most one word to `word`; the kernel checks the other process's address.
    let read = unsafe { libc::process_vm_readv(process as libc::pid_t, &local, 1, &remote, 1, 0) };
    match read {
        8 => Ok(word),
        0.. => Err(std::io::Error::other("a part of the word only")),
        _ => Err(std::io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn reads_a_cookie_and_refuses_a_wild_address() {
        let cookie = 0x1234_5678_9abc_def0_u64;
        let own = std::process::id();
        match super::read_word(own, (&raw const cookie).addr() as u64) {
            Ok(word) => assert_eq!(word, cookie),
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied, "{error}"),
        }
        assert!(super::read_word(own, 8).is_err());
    }
}
