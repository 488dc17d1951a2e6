//! Shared memory that jobs leave behind.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

/// Asserts that nothing stays in the folder of named shared memory that was not there before; what belongs to
/// jobs that are still running does not.
pub fn assert_no_shared_memory_left(before: &BTreeSet<String>) {
    let begin = Instant::now();
    let mut left: BTreeSet<String> = named_shared_memory().difference(before).cloned().collect();
    while !left.is_empty() && begin.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(100));
        let now = named_shared_memory();
        left.retain(|name| now.contains(name));
    }
    assert!(left.is_empty(), "shared memory was left behind: {left:?}");
}

/// Names in the folder of named shared memory.
pub fn named_shared_memory() -> BTreeSet<String> {
    let folder = fs::read_dir("/dev/shm").into_iter().flatten().flatten();
    folder
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains("hcube"))
        .collect()
}
