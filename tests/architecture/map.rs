//! ARCHITECTURE.md compared with the tree: every path in its tables exists, the tables are complete, and the
//! modules of the core, and the layers of coarrays, have the dependencies that it states.

use crate::common::root;
use crate::modules::{Modules, circles};
use crate::{metadata, sources};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A table: its heading and its rows, cell by cell.
struct Table {
    heading: Vec<String>,
    rows: Vec<Vec<String>>,
}

fn tables() -> Vec<Table> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let (mut tables, mut open): (Vec<Table>, bool) = (Vec::new(), false);
    for line in text.lines() {
        let Some(inside) = line.strip_prefix("| ").and_then(|line| line.strip_suffix('|')) else {
            // The line below a heading begins without a blank.
            open = open && line.starts_with("|--");
            continue;
        };
        let cells: Vec<String> = inside.split(" |").map(|cell| cell.trim().to_owned()).collect();
        match tables.last_mut() {
            Some(table) if open => table.rows.push(cells),
            _ => tables.push(Table { heading: cells, rows: Vec::new() }),
        }
        open = true;
    }
    tables
}

/// The only table with these two headings in the first and the second column.
fn table(first: &str, second: &str) -> Table {
    let mut found = tables();
    found.retain(|table| table.heading[0] == first && table.heading[1] == second);
    assert_eq!(found.len(), 1, "tables of ARCHITECTURE.md with the columns '{first}' and '{second}'");
    found.remove(0)
}

/// The text in backquotes of a cell.
fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Column by its heading, of all tables that have it.
fn column(heading: &str) -> BTreeSet<String> {
    let cells = |table: Table| {
        let number = table.heading.iter().position(|name| name == heading);
        table.rows.into_iter().filter_map(move |mut row| number.map(|number| row.swap_remove(number)))
    };
    tables().into_iter().flat_map(cells).flat_map(|cell| quoted(&cell)).collect()
}

/// Names in a folder, as paths from the root.
fn listing(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(root().join(folder)).expect("a folder").flatten();
    let path = |name: String| if folder.is_empty() { name } else { format!("{folder}/{name}") };
    entries.map(|entry| path(entry.file_name().to_string_lossy().into_owned())).collect()
}

#[test]
fn every_path_exists() {
    let mut all: BTreeSet<String> = ["crate", "directory", "header"].into_iter().flat_map(column).collect();
    all.extend(table("module", "contents").rows.iter().flat_map(|row| quoted(&row[0])));
    assert!(all.len() > 25, "{all:?}");
    for path in all {
        assert!(root().join(&path).exists(), "ARCHITECTURE.md names {path}");
    }
}

#[test]
fn every_crate_module_and_directory_has_a_row() {
    let listed: BTreeSet<String> = ["crate", "directory"].into_iter().flat_map(column).collect();
    for package in metadata()["packages"].as_array().expect("a list") {
        let manifest = package["manifest_path"].as_str().expect("a path");
        let folder = sources::relative(Path::new(manifest).parent().expect("a folder"));
        // The root has a row for its sources, and the core one for each module.
        let has_row = listed.contains(&folder) || folder.is_empty() || folder == "crates/core";
        assert!(has_row, "ARCHITECTURE.md has no row for {folder}");
    }
    let drop_ins: BTreeSet<String> =
        listing("hpcc-glue").into_iter().filter(|path| root().join(path).is_dir()).collect();
    let folders = listing("").into_iter().filter(|name| root().join(name).is_dir());
    let directories = folders.filter(|name| !name.starts_with('.') && name != "target");
    for path in drop_ins.into_iter().chain(directories) {
        assert!(listed.contains(&path), "ARCHITECTURE.md has no row for {path}");
    }
    let mut listed = listing("crates/core/src");
    listed.remove("crates/core/src/lib.rs");
    let described: BTreeSet<String> =
        table("module", "contents").rows.iter().flat_map(|row| quoted(&row[0])).collect();
    assert_eq!(listed, described, "modules of the core and rows of ARCHITECTURE.md");
}

#[test]
fn every_symbol_belongs_to_a_system() {
    let mut patterns =
        quoted(&table("system", "crate").rows.iter().map(|row| row[2].as_str()).collect::<String>());
    patterns.extend(["hcube_version", "hcube_error_string"].map(str::to_owned));
    let list = fs::read_to_string(root().join("tests/symbols.txt")).expect("tests/symbols.txt");
    let names: Vec<&str> = list.lines().filter(|line| line.starts_with("hcube_")).collect();
    let is = |pattern: &str, name: &str| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    };
    for name in &names {
        assert!(patterns.iter().any(|pattern| is(pattern, name)), "ARCHITECTURE.md: no system has {name}");
    }
    for pattern in patterns {
        assert!(names.iter().any(|name| is(&pattern, name)), "ARCHITECTURE.md: there is no {pattern}");
    }
}

/// The crates whose modules use each other as a table says, and the heading of its first column.
const DESCRIBED: [(&str, &str); 2] = [("crates/core/src", "module"), ("crates/caf/src", "layer")];

#[test]
fn modules_use_each_other_as_described() {
    let part = |path: &str| path.split("::").nth(1).map(str::to_owned);
    for (folder, heading) in DESCRIBED {
        let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (module, used) in Modules::of(folder).uses() {
            let Some(from) = part(module) else { continue };
            let others = used.iter().filter_map(|to| part(to)).filter(|to| *to != from);
            found.entry(from.clone()).or_default().extend(others);
        }
        let row = |row: &Vec<String>| {
            let users = quoted(&row[0]);
            users.into_iter().map(|user| (user, quoted(&row[1]).into_iter().collect())).collect::<Vec<_>>()
        };
        let described: BTreeMap<String, BTreeSet<String>> =
            table(heading, "uses").rows.iter().flat_map(row).collect();
        assert_eq!(found, described, "what the modules of {folder} use: as it is, and in ARCHITECTURE.md");
        let graph = found.iter().map(|(module, used)| (module.as_str(), used.clone())).collect();
        assert_eq!(circles(&graph), [], "circles between modules of {folder}");
    }
}
