//! The dependencies of Rust programs in the page about own programs are those that cargo resolves.

use hcube_testing as common;

use std::fs;
use std::process::Command;

/// The path in the page that stands for the source tree.
const PLACEHOLDER: &str = "/path/of/hcube";

/// The names of all packages that a program with these dependencies builds.
fn packages(name: &str, dependencies: &str) -> Vec<String> {
    let root = common::root();
    let folder = common::folder("documentation").join(name);
    fs::create_dir_all(folder.join("src")).expect("writable");
    let header = format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n\n[workspace]\n\n");
    let manifest = header + &dependencies.replace(PLACEHOLDER, &root.display().to_string());
    fs::write(folder.join("Cargo.toml"), manifest).expect("writable");
    fs::write(folder.join("src/main.rs"), "fn main() {}\n").expect("writable");
    // The versions that are there, as tests use no network.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).expect("a copy");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--offline", "--edges", "normal,build", "--prefix", "none"]).current_dir(&folder);
    let lines = common::output(&mut cargo);
    lines.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[test]
fn programs_in_rust_find_the_crates() {
    let page = fs::read_to_string(common::root().join("doc/your-own-code.md")).expect("a page");
    let blocks: Vec<&str> =
        page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let [without_mpi, with_mpi] = blocks[..] else { panic!("{blocks:?}") };
    let found = packages("without-mpi", without_mpi);
    assert!(found.iter().any(|name| name == "hcube-lcs"), "{found:?}");
    for needed in ["bindgen", "clang-sys", "mpi"] {
        assert!(!found.iter().any(|name| name == needed), "{needed}: {found:?}");
    }
    let found = packages("with-mpi", with_mpi);
    for needed in ["hcube-core", "hcube-alltoall", "bindgen", "mpi"] {
        assert!(found.iter().any(|name| name == needed), "{needed}: {found:?}");
    }
}

/// What the page says of crates without MPI.
#[test]
fn crates_without_mpi_are_named() {
    let page = fs::read_to_string(common::root().join("doc/your-own-code.md")).expect("a page");
    let sentence = page.split("\n\n").find(|text| text.contains("without MPI and libclang"));
    let names =
        sentence.expect("the sentence").split("without MPI and libclang").next().expect("its beginning");
    let dependencies: Vec<String> = names
        .split('`')
        .filter(|name| name.starts_with("hcube-"))
        .map(|name| format!("{name} = {{ path = \"{PLACEHOLDER}/crates/{}\" }}\n", &name["hcube-".len()..]))
        .collect();
    assert!(dependencies.len() > 5, "{dependencies:?}");
    let found = packages("all-without-mpi", &format!("[dependencies]\n{}", dependencies.concat()));
    assert!(!found.iter().any(|name| name == "bindgen"), "{found:?}");
}
