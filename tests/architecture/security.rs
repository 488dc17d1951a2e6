//! What libraries do not do in the programs that they are part of (doc/clusters.md, "Security"): they create
//! no files except what the user names, change no permissions of the process, and read their variables where
//! these are ignored in a process with more permissions than its user has.

use crate::sources::{CRATES, Source, sources};
use std::collections::BTreeSet;

/// Folders of libraries; the other crates are commands.
const LIBRARIES: [&str; 3] = ["crates/", "src/", "hpcc-glue/"];

/// Files that create a file, and the variable in which the user names it.
const CREATED: [(&str, &str); 2] = [
    ("hpcc-glue/bsplib/src/profile.rs", "HCUBE_BSP_PROFILE"),
    ("hpcc-glue/drop-in/src/output.rs", "HCUBE_STATS=json:FILE"),
];

/// Ways to create something with a name; what stands in `CREATED` uses the first.
const CREATING: [&[&str]; 14] = [
    &["fs", "::", "write"],
    &["File", "::", "create"],
    &["File", "::", "create_new"],
    &["create", "(", "true"],
    &["fs", "::", "create_dir"],
    &["fs", "::", "create_dir_all"],
    &["DirBuilder"],
    &["UnixListener"],
    &["O_CREAT"],
    &["O_TMPFILE"],
    &["mkfifo"],
    &["mknod"],
    &["mkstemp"],
    &["shm_open"],
];

/// Files that read variables by themselves, with reasons; the others call `options::value`.
const READING: [(&str, &str); 8] = [
    ("crates/core/src/atomic/fault.rs", "which fault, in builds for tests of faults"),
    ("crates/core/src/machine/work.rs", "the costs of simulations, which the lab starts"),
    ("crates/core/src/mpi/misspelt.rs", "LD_PRELOAD, to print a message only once"),
    ("crates/core/src/options/known.rs", "names of misspelt variables, after the same comparison"),
    ("hpcc-glue/drop-in/src/launcher.rs", "the launcher's variables"),
    ("hpcc-glue/mpi/src/membership.rs", "the launcher's variables"),
    ("hpcc-glue/mpi/src/membership/hydra.rs", "the launcher's variables"),
    ("hpcc-glue/mpi/src/membership/pmix.rs", "the launcher's variables"),
];

fn has(source: &Source, words: &[&str]) -> bool {
    source.words.windows(words.len()).any(|found| found == words)
}

/// Sources of libraries that have one of some sequences of words.
fn with(sequences: &[&[&str]]) -> BTreeSet<String> {
    let libraries =
        CRATES.iter().filter(|folder| LIBRARIES.iter().any(|it| format!("{folder}/").starts_with(it)));
    let all = libraries.flat_map(|folder| sources(folder));
    all.filter(|source| sequences.iter().any(|words| has(source, words))).map(|source| source.path).collect()
}

fn listed(list: &[(&str, &str)]) -> BTreeSet<String> {
    list.iter().map(|(path, _)| (*path).to_owned()).collect()
}

#[test]
fn only_files_that_the_user_names_are_created() {
    assert_eq!(with(&CREATING), listed(&CREATED));
    assert_eq!(with(&CREATING[1..]), BTreeSet::new());
}

/// Whether others may trace it (`PR_SET_DUMPABLE`, `PR_SET_PTRACER`), and its users and groups.
#[test]
fn permissions_of_the_process_do_not_change() {
    let changing =
        ["prctl", "ptrace", "setuid", "seteuid", "setresuid", "setgid", "umask", "chmod", "capset"];
    assert_eq!(with(&changing.each_ref().map(std::slice::from_ref)), BTreeSet::new());
}

#[test]
fn variables_are_read_where_permissions_are_compared() {
    let reading: [&[&str]; 4] =
        [&["env", "::", "var"], &["env", "::", "var_os"], &["env", "::", "vars_os"], &["getenv"]];
    let mut found = with(&reading);
    assert!(found.remove("crates/core/src/options/mod.rs"), "{found:?}");
    assert_eq!(found, listed(&READING));
}
