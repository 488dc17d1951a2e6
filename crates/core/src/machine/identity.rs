//! Identifies the machine of a process.

/// The hash of Fowler, Noll and Vo (FNV-1a), which is sufficient to distinguish sets.
pub(crate) fn hash(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0xcbf2_9ce4_8422_2325, |hash, number| (hash ^ number).wrapping_mul(0x0100_0000_01b3))
}

/// A number that is equal for processes that can share memory through `/proc`: processes of one kernel in one
/// PID namespace. Containers of one host with separate PID namespaces are separate nodes.
///
/// From the boot id of the kernel, the name of the host and the PID namespace. If /proc is not readable, less
/// distinguishes nodes: ranks that cannot share memory detect that when they try.
pub fn identity() -> u64 {
    let boot = std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let name = std::fs::read("/proc/sys/kernel/hostname").unwrap_or_default();
    let processes = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let parts = [&boot[..], &name, processes.as_os_str().as_encoded_bytes()];
    hash(parts.concat().into_iter().map(u64::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stays_and_depends_on_each_byte() {
        assert_eq!(identity(), identity());
        assert_ne!(hash([1, 2].into_iter()), hash([2, 1].into_iter()));
        assert_ne!(hash([1].into_iter()), hash([1, 0].into_iter()));
    }
}
