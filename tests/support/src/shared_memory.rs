//! Shared memory that jobs leave behind.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

/// Asserts that nothing stays in the folder of named shared memory that was not there before; what belongs to
/// jobs that are still running does not.
pub fn assert_no_shared_memory_left(before: &BTreeSet<String>) {
    let left = left_in_shared_memory(before);
    assert!(left.is_empty(), "shared memory was left behind: {left:?}");
}

/// What stays of shared memory that was not there before.
pub fn left_in_shared_memory(before: &BTreeSet<String>) -> BTreeSet<String> {
    let begin = Instant::now();
    let mut left: BTreeSet<String> = named_shared_memory().difference(before).cloned().collect();
    while !left.is_empty() && begin.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(100));
        let now = named_shared_memory();
        left.retain(|name| now.contains(name));
    }
    left
}

/// Names in the folder of named shared memory, and the numbers of System V segments that nobody uses. Those
/// of hcube are for their owner to read and write; those with other permissions are of MPI libraries, which
/// leave some where a rank is killed while it starts.
pub fn named_shared_memory() -> BTreeSet<String> {
    let folder = fs::read_dir("/dev/shm").into_iter().flatten().flatten();
    let names = folder.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let segments = fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
    let unused = segments.lines().skip(1).filter_map(|line| {
        // key, number, permissions, size, creator, last user, attached processes.
        let columns: Vec<&str> = line.split_whitespace().collect();
        let is_own = columns.get(2).is_some_and(|permissions| permissions.ends_with("600"));
        (is_own && columns.get(6) == Some(&"0")).then(|| format!("System V segment {}", columns[1]))
    });
    names.filter(|name| name.contains("hcube")).chain(unused).collect()
}
