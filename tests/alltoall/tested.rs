//! The exchanges of unmodified programs that work, by MPI library and path, as checked by the clients.
//! `hcube doctor` and doc/libraries.md show the table, which is tool/src/doctor/tested.txt.
//! `HCUBE_UPDATE_TESTED=1` writes both, for the selected MPI library.

use crate::common;
use crate::common::preload::{Preloaded, c_client};
use crate::common::{Language, Launch, Mpi, root};
use crate::neighbours;
use crate::nonblocking::NONBLOCKING;
use crate::persistent::PERSISTENT;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The paths, and the options by which calls go there.
const PATHS: [(&str, &[(&str, &str)]); 4] = [
    ("shared", &[("HCUBE_PATH", "shared")]),
    ("single-copy", &[("HCUBE_PATH", "single-copy")]),
    ("message", &[("HCUBE_PATH", "message"), ("HCUBE_ALLTOALL", "hierarchical-sets")]),
    ("hypercube", &[("HCUBE_PATH", "message"), ("HCUBE_ALLTOALL", "hypercube")]),
];

/// Paths by function.
type Works = BTreeMap<String, Vec<String>>;

/// The results of the clients, which check every byte.
fn observed() -> (String, Works) {
    let (mut library, mut works) = (String::new(), Works::new());
    let of_requests = ["3", "2", "60", "5000", "preload"];
    for (path, options) in PATHS {
        let mut run = |client: &str, program: PathBuf, functions: &[&str], arguments: &[&str]| {
            let run = Preloaded::new(&format!("tested-{client}-{path}"), program, 2);
            let change = |launch: Launch| launch.args(arguments.iter().copied()).envs(options);
            let (_, statistics) = run.with(change).success();
            let calls = functions.iter().flat_map(|function| [(function, false), (function, true)]);
            for (function, in_place) in calls {
                let rows = statistics.rows(function, in_place);
                if rows.iter().any(|(used, calls, _)| *used == path && *calls > 0) {
                    let function = format!("{function}{}", if in_place { " in place" } else { "" });
                    works.entry(function).or_default().push(path.to_owned());
                }
            }
            library = statistics.mpi();
        };
        let program = |name| common::client(name, Language::C11);
        let own = c_client(Language::C11, Mpi::selected());
        run("preload", own, &["MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw"], &[]);
        run("nonblocking", program("nonblocking"), &NONBLOCKING.functions, &of_requests);
        // Open MPI has them from version 5 on.
        if Mpi::selected().name() != "openmpi" {
            run("persistent", program("persistent"), &PERSISTENT.functions, &of_requests);
        }
        // The hypercube bundles blocks of up to 256 bytes. Calls are compared with the first ones, which take
        // the path as well: neighbours.rs compares with the library's.
        let largest = if path == "hypercube" { "20" } else { "3000" };
        let mut arguments = vec!["3", "9", largest, "preload"];
        // MPICH 4.0.2 itself sometimes delivers wrong bytes then.
        if Mpi::selected().name() == "mpich" {
            arguments.push("without-alltoallw");
        }
        run("neighbours", program("neighbours"), &neighbours::FUNCTIONS, &arguments);
    }
    (library, works)
}

fn file() -> PathBuf {
    root().join("tool/src/doctor/tested.txt")
}

/// The lines `library | function | paths` of the file.
fn recorded() -> Vec<[String; 3]> {
    let text = std::fs::read_to_string(file()).expect("tested.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let mut parts = line.split(" | ").map(str::to_owned);
            [(); 3].map(|()| parts.next().unwrap_or_else(|| panic!("{line}: three parts expected")))
        })
        .collect()
}

fn update(mpi: &str, library: &str, works: &Works) {
    let mut lines: Vec<[String; 3]> = recorded().into_iter().filter(|[of, ..]| of != mpi).collect();
    lines.push([mpi.to_owned(), "version".to_owned(), library.to_owned()]);
    lines.extend(works.iter().map(|(function, paths)| [mpi.to_owned(), function.clone(), paths.join(" ")]));
    let head = "# Written by tests/alltoall/tested.rs: exchanges that its clients have checked, by MPI library and path.\n";
    let text: String = lines.iter().map(|line| line.join(" | ") + "\n").collect();
    std::fs::write(file(), head.to_owned() + &text).expect("writable");
}

#[test]
fn what_is_recorded_works_and_stands_on_the_page() {
    let mpi = Mpi::selected().name();
    let (library, works) = observed();
    if std::env::var_os("HCUBE_UPDATE_TESTED").is_some() {
        update(mpi, &library, &works);
    }
    let mut expected: Works = recorded()
        .into_iter()
        .filter(|[of, function, _]| of == mpi && function != "version")
        .map(|[_, function, paths]| (function, paths.split(' ').map(str::to_owned).collect()))
        .collect();
    let takes_single_copy = works.values().flatten().any(|path| path == "single-copy");
    if !takes_single_copy {
        common::unproved("single-copy", "no exchange took this path");
        expected.values_mut().for_each(|paths| paths.retain(|path| path != "single-copy"));
    }
    assert_eq!(works, expected, "{mpi}");
    page_has_the_recorded_table();
}

fn title(function: &str) -> String {
    match function.strip_suffix(" in place") {
        Some(name) => format!("`{name}` in place"),
        None => format!("`{function}`"),
    }
}

/// The page has a row for each function and a column for each MPI library, with the letters of paths.
fn page_has_the_recorded_table() {
    let lines = recorded();
    let mut libraries: Vec<&str> = Vec::new();
    lines.iter().for_each(|[mpi, ..]| {
        if !libraries.contains(&mpi.as_str()) {
            libraries.push(mpi);
        }
    });
    libraries.sort_by_key(|mpi| {
        ["openmpi", "mpich", "openmpi5", "mpich5", "intelmpi", "abi"].iter().position(|other| other == mpi)
    });
    let functions: BTreeSet<&str> = lines
        .iter()
        .map(|[_, function, _]| function.as_str())
        .filter(|function| *function != "version")
        .collect();
    let cell = |mpi: &str, function: &str| {
        let found = lines.iter().find(|line| line[0] == mpi && line[1] == function);
        let letter = |path: &str| if path == "single-copy" { "c" } else { &path[..1] }.to_owned();
        let letters = found.map(|[.., paths]| paths.split(' ').map(letter).collect::<String>());
        letters.unwrap_or_else(|| "-".to_owned())
    };
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut table =
        row(std::iter::once("exchange").chain(libraries.iter().copied()).map(str::to_owned).collect());
    table += &format!("|{}\n", "---|".repeat(libraries.len() + 1));
    for function in functions {
        let cells = libraries.iter().map(|mpi| cell(mpi, function));
        table += &row(std::iter::once(title(function)).chain(cells).collect());
    }
    let page = root().join("doc/libraries.md");
    let text = std::fs::read_to_string(&page).expect("doc/libraries.md");
    let (begin, end) = ("<!-- from tests -->\n", "<!-- end -->\n");
    let (before, rest) = text.split_once(begin).expect("where the table begins");
    let (old, after) = rest.split_once(end).expect("where the table ends");
    if std::env::var_os("HCUBE_UPDATE_TESTED").is_some() && old != table {
        std::fs::write(&page, format!("{before}{begin}{table}{end}{after}")).expect("writable");
    } else {
        assert_eq!(old, table, "doc/libraries.md is out of date: HCUBE_UPDATE_TESTED=1 writes the table");
    }
}
