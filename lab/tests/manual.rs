//! Manual pages, completions and the table of options: sound, complete, and what the sources say.

use hcube_testing as common;

use common::installed::{files, installed, make};
use hcube_tool::variables::{GROUPS, Group};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

static TOOL: LazyLock<String> = LazyLock::new(common::tool);
static LAB: LazyLock<String> = LazyLock::new(common::lab);

/// A folder with everything that `hcube-lab manual` writes.
fn written(name: &str) -> PathBuf {
    let folder = common::build().join("clients/manual").join(name);
    drop(fs::remove_dir_all(&folder));
    let list = common::output(Command::new(LAB.as_str()).arg("manual").arg("--to").arg(&folder));
    let mut listed: Vec<PathBuf> = list.lines().map(|file| folder.join(file)).collect();
    let mut found = files(&folder);
    listed.sort();
    found.sort();
    assert_eq!(listed, found);
    folder
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The pages below a folder that are more than the name of another.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut pages = files(&folder.join("man"));
    pages.retain(|page| !text(page).starts_with(".so "));
    pages
}

/// A page as a reader sees it, found by its name.
fn shown(folder: &Path, section: &str, name: &str) -> String {
    let mut man = Command::new("man");
    man.arg("-M").arg(folder.join("man")).args(["--warnings=w", "-P", "cat", "-E", "UTF-8", section, name]);
    let output = man.env("MANWIDTH", "100").env_remove("MANPATH").output().expect("man starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{name}({section}): {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn every_page_is_sound() {
    let folder = written("sound");
    let all = pages(&folder);
    assert!(all.len() >= 15, "{all:?}");
    for page in &all {
        let name = page.file_stem().expect("a name").to_str().expect("UTF-8");
        let section = page.extension().expect("a section").to_str().expect("UTF-8");
        let page = shown(&folder, section, name);
        assert!(page.contains("NAME") && page.contains("SEE ALSO"), "{page}");
        // A name that is too long for a line is all that may exceed it.
        assert!(page.lines().all(|line| line.chars().count() <= 101), "{page}");
    }
    let output =
        Command::new("mandoc").args(["-Tlint", "-Wwarning"]).args(&all).output().expect("mandoc starts");
    let report = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    // Pages change with the version and not with the day.
    let faults: Vec<&str> = report.lines().filter(|line| !line.contains("missing date")).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn references_between_pages_lead_somewhere() {
    let folder = written("references");
    for page in files(&folder.join("man")) {
        let text = text(&page);
        if let Some(other) = text.strip_prefix(".so ") {
            assert!(folder.join("man").join(other.trim()).is_file(), "{}: {text}", page.display());
        }
        for reference in text.split("\\fB").skip(1) {
            let Some((name, rest)) = reference.split_once("\\fR(") else { continue };
            let Some((section @ ("1" | "3"), _)) = rest.split_once(')') else { continue };
            let name = name.replace("\\-", "-");
            let other = folder.join(format!("man/man{section}/{name}.{section}"));
            assert!(other.is_file(), "{}: {name}({section})", page.display());
        }
    }
}

#[test]
fn every_function_has_a_page() {
    let folder = written("functions");
    let symbols = text(&common::root().join("tests/symbols.txt"));
    let functions = symbols.lines().filter(|line| line.starts_with("hcube_"));
    for name in functions.chain(["hcube_fftw_register", "hcube_fftwf_register", "hcube_fftwl_register"]) {
        let page = shown(&folder, "3", name);
        let described =
            page.lines().any(|line| line.starts_with("   ") && line.trim().split(", ").any(|n| n == name));
        assert!(described && page.contains(&format!("{name}(")), "{name}:\n{page}");
    }
    // The structures, too.
    for name in ["hcube_error", "hcube_table", "hcube_alltoall_options", "hcube_place", "hcube_caf_function"]
    {
        assert!(shown(&folder, "3", name).contains(&format!("   {name}\n")), "{name}");
    }
}

#[test]
fn every_subcommand_and_every_variable_is_in_the_manual() {
    let folder = written("commands");
    let page = shown(&folder, "1", "hcube");
    let run = GROUPS.iter().filter(|group| group.of_a_run);
    for name in run.flat_map(Group::variables).map(|variable| variable.name) {
        assert!(page.lines().any(|line| line.trim().starts_with(&format!("{name} ("))), "{name}:\n{page}");
    }
    for name in GROUPS.iter().flat_map(Group::variables).map(|variable| variable.name) {
        assert!(page.contains(name), "{name}");
    }
    let mut found = Vec::new();
    check_subcommands(&folder, &[], &page, &mut found);
    for name in [
        "doctor",
        "info",
        "bench",
        "bench random-access",
        "bench alltoall",
        "bench gemm",
        "bench bsp",
        "bench caf",
        "bench gfortran",
        "bench fft",
        "bench stream",
        "bench panels",
        "bench llcs",
        "probe",
        "model",
    ] {
        assert!(found.iter().any(|one| one == name), "{name}: {found:?}");
    }
    // Options that variables stand for exist.
    for group in GROUPS {
        let Some(command) = group.command else { continue };
        let arguments = command.split(' ').skip(1).chain(["--help=all"]);
        let help = common::output(Command::new(TOOL.as_str()).args(arguments));
        for flag in group.variables().filter_map(|variable| variable.flag) {
            let found = help.lines().any(|line| line.split_whitespace().next() == Some(flag));
            assert!(found, "{command} {flag}");
        }
    }
    for name in ["hcube-openmpi", "hcube-mpich"] {
        assert_eq!(shown(&folder, "1", name), page);
    }
}

/// The options of a script's help, and the other names that its page has.
#[test]
fn scripts_have_pages_with_all_options() {
    let folder = written("scripts");
    for (name, twins) in [
        ("hcube-run", &[][..]),
        ("bspcc", &["bspcc-openmpi", "bspcc-mpich", "bspcxx", "bspcxx-openmpi", "bspcxx-mpich"]),
        ("bsprun", &["bsprun-openmpi", "bsprun-mpich"]),
        ("hcube-caf", &["hcube-caf-openmpi", "hcube-caf-mpich"]),
    ] {
        let page = shown(&folder, "1", name);
        let script = text(&common::root().join("install").join(name));
        let usage = script.split("\nEND\n").next().expect("a beginning");
        let options: Vec<&str> = usage.lines().filter_map(|line| line.strip_prefix("  --")).collect();
        assert!(options.len() > 5, "{usage}");
        for option in options.iter().filter_map(|option| option.split([' ', '[']).next()) {
            let option = format!("--{option}");
            assert!(
                page.lines().any(|line| line.contains("   ") && line.contains(&option)),
                "{option}:\n{page}"
            );
        }
        for twin in twins {
            assert_eq!(shown(&folder, "1", twin), page);
        }
    }
}

/// That each subcommand of a command, and of these, is in hcube(1) and has a page with all its options.
fn check_subcommands(folder: &Path, command: &[&str], overview: &str, found: &mut Vec<String>) {
    let help = common::output(Command::new(TOOL.as_str()).args(command).arg("--help=all"));
    let Some((_, list)) = help.split_once("Commands:\n") else { return };
    // Lines further to the right continue a description.
    let list = list.lines().take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    for name in list.filter_map(|line| line.split_whitespace().next()).filter(|&name| name != "help") {
        let words = [command, &[name]].concat();
        let page_name = format!("hcube-{}", words.join("-"));
        assert!(overview.contains(&format!("{page_name}(1)")), "{page_name}:\n{overview}");
        let help = common::output(Command::new(TOOL.as_str()).args(&words).arg("--help=all"));
        let page = shown(folder, "1", &page_name);
        for option in help.lines().map(str::trim).filter(|line| line.starts_with("--")) {
            let option = option.split([' ', '[']).next().expect("a word");
            assert!(page.lines().any(|line| line.trim().starts_with(option)), "{option}:\n{page}");
        }
        found.push(words.join(" "));
        check_subcommands(folder, &words, overview, found);
    }
}

#[test]
fn the_table_of_options_is_up_to_date() {
    let committed = text(&common::root().join("doc/options.md"));
    let written = common::output(Command::new(LAB.as_str()).args(["manual", "--options"]));
    assert!(committed == written, "doc/options.md is out of date: run 'make manual' and commit the result");
}

/// Source files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut all = files(folder);
    let readable = |path: &PathBuf| {
        let kind = path.extension().and_then(|kind| kind.to_str()).unwrap_or_default();
        matches!(kind, "rs" | "c" | "h" | "cpp" | "sh" | "mk" | "in") || kind.is_empty()
    };
    all.retain(readable);
    all
}

/// The variables of hcube that follow one of the beginnings in a text.
fn variables_after(text: &str, beginnings: &[&str], found: &mut BTreeSet<String>) {
    for beginning in beginnings {
        for (start, _) in text.match_indices(&format!("{beginning}HCUBE_")) {
            let rest = &text[start + beginning.len()..];
            let end = rest.find(|c: char| !c.is_ascii_uppercase() && c != '_').unwrap_or(rest.len());
            found.insert(rest[..end].to_owned());
        }
    }
}

#[test]
fn the_table_of_variables_is_what_the_sources_read() {
    let root = common::root();
    let mut read = BTreeSet::new();
    for folder in
        ["src", "crates", "hpcc-glue", "lab/simgrid", "install", "scripts"].map(|folder| root.join(folder))
    {
        for source in sources(&folder) {
            if source.components().any(|part| part.as_os_str().to_string_lossy().starts_with("tests")) {
                continue;
            }
            let text = text(&source);
            // What tests make up is no variable.
            let text = text.split("mod tests {").next().expect("a beginning");
            // Functions that read, a constant that one of them is given, and rows of the tables of options.
            let beginnings: &[&str] = match source.extension().and_then(|kind| kind.to_str()) {
                Some("rs") => &[
                    "env::var(\"",
                    "env::var_os(\"",
                    "options::value(\"",
                    "VARIABLE: &str = \"",
                    "Spec::new(\"",
                    "Spec::count(\"",
                    "Spec::any_count(\"",
                ],
                Some("c" | "h" | "cpp") => &["getenv(\""],
                Some("mk") => &["#   "],
                _ => &["${", "$"],
            };
            // A name may stand on the next line.
            let joined =
                text.split('\n').map(str::trim).collect::<Vec<_>>().join("\n").replace("(\n\"", "(\"");
            variables_after(&joined, beginnings, &mut read);
        }
    }
    variables_after(&text(&root.join("build.rs")), &["env::var_os(\""], &mut read);
    variables_after(&text(&root.join("tests/support/src/skip.rs")), &["const LIST: &str = \""], &mut read);
    let table: BTreeSet<String> =
        GROUPS.iter().flat_map(Group::variables).map(|variable| variable.name.to_owned()).collect();
    assert_eq!(table, read);
}

/// What bash would offer for the last word of a command line.
fn completed(tree: &Path, line: &[&str]) -> Vec<String> {
    let script = "
        . \"$1/bash-completion/completions/$2\"
        shift
        name=$1
        COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1)) COMPREPLY=()
        function=$(complete -p \"$name\" | sed 's/.*-F \\([^ ]*\\).*/\\1/')
        \"$function\" \"$name\" \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"
        printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    let output = common::output(bash.args(["--norc", "-c", script, "bash"]).arg(tree).args(line));
    output.lines().filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[test]
fn bash_completes_subcommands_options_and_values() {
    let tree = written("completion");
    for name in ["hcube", "hcube-openmpi", "hcube-mpich"] {
        assert_eq!(completed(&tree, &[name, "do"]), ["doctor"]);
        assert_eq!(completed(&tree, &[name, "bench", "al"]), ["alltoall"]);
        assert_eq!(completed(&tree, &[name, "bench", "random-access", "--tab"]), ["--table-size"]);
        assert_eq!(completed(&tree, &[name, "bench", "random-access", "--mode", "th"]), ["three-hop"]);
    }
    assert_eq!(completed(&tree, &["hcube-run", "--st"]), ["--stats"]);
    assert_eq!(completed(&tree, &["hcube-run", "--mpi", "op"]), ["openmpi", "openmpi5"]);
    for name in ["bsprun", "bsprun-openmpi"] {
        assert_eq!(completed(&tree, &[name, "--np"]), ["--nprocs"]);
    }
    for name in ["hcube-caf", "hcube-caf-mpich"] {
        assert_eq!(completed(&tree, &[name, "--wr"]), ["--wrapping"]);
    }
    for name in ["bspcc", "bspcxx", "bspcxx-mpich"] {
        assert_eq!(completed(&tree, &[name, "--mc"]), ["--mcbsp"]);
    }
}

#[test]
fn the_installed_tree_has_pages_and_completions() {
    let tree = installed("manual");
    let written = written("installed");
    for file in files(&written) {
        let name = file.strip_prefix(&written).expect("below it");
        assert_eq!(text(&tree.join("share").join(name)), text(&file), "{}", name.display());
    }
    assert!(shown(&tree.join("share"), "3", "hcube_alltoallv").contains("MPI_Alltoallv"));
    assert_eq!(completed(&tree.join("share"), &["hcube", "bench", "al"]), ["alltoall"]);
}

#[test]
fn pages_go_with_the_last_build_and_others_stay() {
    let folder = common::build().join("clients/manual/removed");
    drop(fs::remove_dir_all(&folder));
    common::preload::library();
    assert!(make("install", &folder).status.success());
    let share = folder.join("opt/hcube/share");
    let own = share.join("man/man1/hcube-of-somebody-else.1");
    fs::write(&own, "kept").expect("writable");
    let page = share.join("man/man3/hcube_alltoallv.3");
    // As if a build for one more MPI library were there.
    let other = folder.join("opt/hcube/lib/hcube/other");
    fs::create_dir_all(&other).expect("writable");
    assert!(make("uninstall", &folder).status.success());
    assert!(page.is_file() && share.join("hcube/manual.list").is_file());
    fs::remove_dir(&other).expect("empty");
    assert!(make("uninstall", &folder).status.success());
    assert_eq!(files(&folder), std::slice::from_ref(&own));
    let left: Vec<_> = fs::read_dir(&share).expect("a folder").flatten().map(|entry| entry.path()).collect();
    assert_eq!(left, [share.join("man")]);
}

#[test]
fn manual_says_what_it_cannot_do() {
    for (arguments, words) in [
        (&["manual"][..], "--to <DIRECTORY>|--options"),
        (&["manual", "--options", "--to", "x"], "cannot be used with"),
        (&["manual", "--to", "/dev/null/x"], "--to /dev/null/x"),
    ] {
        let output = Command::new(LAB.as_str()).args(arguments).output().expect("it starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
        assert!(errors.contains(words), "{arguments:?}: {errors}");
    }
}
