//! Commands of pages that change something on the machine of the reader.

use crate::common::{output, root, skip};
use std::fs;
use std::process::Command;

/// A segment as a rank leaves it that is killed between shmget and shmctl: without a key, of a process that
/// has ended, attached by nobody.
fn segment_left_behind() -> Option<String> {
    // IPC_PRIVATE, a page, IPC_CREAT | 0600.
    let made = Command::new("perl").args(["-e", "print shmget(0, 4096, 01600)"]).output().ok()?;
    Some(String::from_utf8(made.stdout).expect("a number"))
}

/// Numbers of all segments, in the second column.
fn segments() -> Vec<String> {
    let table = fs::read_to_string("/proc/sysvipc/shm").expect("Linux");
    table.lines().filter_map(|line| line.split_whitespace().nth(1)).map(str::to_owned).collect()
}

#[test]
fn memory_of_killed_jobs_is_removed_by_the_command_of_the_page() {
    let Some(segment) = segment_left_behind() else {
        skip("perl", "no perl to create a segment with");
        return;
    };
    assert!(segments().contains(&segment), "{segment}");
    let page = fs::read_to_string(root().join("doc/clusters.md")).expect("a page");
    let command = page.lines().find(|line| line.contains("/proc/sysvipc/shm |")).expect("the command");
    let (select, remove) = command.split_once(" | ").expect("a pipe");
    let selected = output(Command::new("sh").args(["-c", select]));
    assert!(selected.lines().any(|line| line == segment), "{segment} is not among {selected}");
    // Only its own: others may belong to somebody.
    output(Command::new("sh").args(["-c", &format!("echo {segment} | {remove}")]));
    assert!(!segments().contains(&segment), "{segment}");
}
