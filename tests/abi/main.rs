//! The binary interface that compiled programs rely on: constants, structures, prototypes, versions; and
//! programs that were compiled with the header of another version. doc/abi.md has the rules.

use hcube_testing as common;
mod gfortran;
mod header;

use common::{Language, Launch, Mpi, output, root};
use header::{Header, may_grow};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder of one test.
fn folder(name: &str) -> PathBuf {
    let folder = common::build().join("clients/abi").join(name);
    fs::create_dir_all(&folder).expect("the target directory is writable");
    folder
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn present() -> PathBuf {
    root().join("include/hcube.h")
}

/// The headers of releases, each with its version.
fn released() -> Vec<(String, PathBuf)> {
    let files =
        fs::read_dir(root().join("tests/abi")).expect("tests/abi").flatten().map(|entry| entry.path());
    // A file, or a folder with hcube.h and what that includes.
    let release = |path: PathBuf| {
        let version = path.file_name()?.to_str()?.strip_prefix("hcube-")?.trim_end_matches(".h").to_owned();
        Some((version, if path.is_dir() { path.join("hcube.h") } else { path }))
    };
    let found: Vec<_> = files.filter_map(release).collect();
    assert!(!found.is_empty(), "no header of a release in tests/abi");
    found
}

/// The folder in which a header is called hcube.h.
fn include(folder: &Path, header: &Path) -> PathBuf {
    if header.ends_with("hcube.h") {
        return header.parent().expect("a file lies in a folder").to_owned();
    }
    fs::copy(header, folder.join("hcube.h")).expect("writable");
    folder.to_owned()
}

/// Compiles a source against a header and links the library under test.
fn compile(folder: &Path, header: &Path, source: &Path) -> PathBuf {
    let program = folder.join("program");
    let library = common::library();
    let library = library.parent().expect("a file lies in a folder").display();
    let mut compiler = Command::new(format!("mpicc.{}", Mpi::selected().name()));
    compiler.args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1"]);
    compiler.arg("-I").arg(include(folder, header)).arg(source).arg("-o").arg(&program);
    output(
        compiler
            .arg(format!("-L{library}"))
            .args(["-lhcube", "-pthread"])
            .arg(format!("-Wl,-rpath,{library}")),
    );
    program
}

/// The Fortran modules, in the order in which they are compiled.
const MODULES: [&str; 2] = ["fortran/hcube.f90", "fortran/hcube_caf.f90"];

/// The compiler for a Fortran program, with the modules.
fn fortran(folder: &Path, source: &Path) -> (Command, PathBuf) {
    let program = folder.join("program");
    let library = common::library();
    let library = library.parent().expect("a file lies in a folder").display();
    let mut compiler = Command::new(format!("mpifort.{}", Mpi::selected().name()));
    compiler.args(["-std=f2018", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-fcheck=all"]);
    compiler.arg(format!("-J{}", folder.display()));
    compiler.args(MODULES.map(|module| root().join(module))).arg(source);
    compiler.arg("-o").arg(&program).arg(format!("-L{library}"));
    compiler.arg("-lhcube").arg(format!("-Wl,-rpath,{library}"));
    (compiler, program)
}

fn compile_fortran(folder: &Path, source: &Path) -> PathBuf {
    let (mut compiler, program) = fortran(folder, source);
    output(&mut compiler);
    program
}

/// The record of a header, as the compiler of the selected MPI library sees it.
fn record(name: &str, header: &Path) -> BTreeSet<String> {
    let parsed = Header::parse(&common::headers::whole(header));
    assert!(
        parsed.constants.len() > 30 && parsed.structures.len() > 5 && parsed.functions.len() > 30,
        "{}",
        header.display()
    );
    let folder = folder(name);
    let source = folder.join("record.c");
    fs::write(&source, parsed.program()).expect("writable");
    let text = output(&mut Command::new(compile(&folder, header, &source)));
    let functions = parsed.functions.iter().map(|function| format!("function {function}"));
    text.lines().map(str::to_owned).chain(functions).collect()
}

/// Checks that an interface is as recorded in a file in tests/abi; renews the file on request.
fn is_as_recorded(file: &str, now: &BTreeSet<String>) {
    let path = root().join("tests/abi").join(file);
    if std::env::var_os("HCUBE_UPDATE_ABI").is_some() {
        let head = "# The binary interface; HCUBE_UPDATE_ABI=1 cargo test --test abi renews this. doc/abi.md has the rules.\n";
        let lines: String = now.iter().map(|line| format!("{line}\n")).collect();
        fs::write(&path, format!("{head}{lines}")).expect("writable");
    }
    let text = read(&path);
    let recorded: BTreeSet<String> =
        text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
    let list = |one: &BTreeSet<String>, other| -> String {
        one.difference(other).map(|line: &String| format!("  {line}\n")).collect()
    };
    let (gone, new) = (list(&recorded, now), list(now, &recorded));
    assert!(
        gone.is_empty() && new.is_empty(),
        "The binary interface is not as tests/abi/{file} has it.\n\
         Recorded and gone or changed (programs that are compiled already break, unless a structure with \
         struct_size has grown at its end):\n{gone}Not recorded (a new name, or a field at the end of such a \
         structure, is permitted in a minor version):\n{new}\
         doc/abi.md has the rules; HCUBE_UPDATE_ABI=1 records what is right."
    );
}

#[test]
fn interface_is_as_recorded() {
    is_as_recorded("record.txt", &record("present", &present()));
}

/// bsp.h: the prototypes, and the types of both dialects.
#[test]
fn interface_of_bsplib_is_as_recorded() {
    let source = folder("bsp").join("bsp.c");
    fs::write(&source, "#include <bsp.h>\n").expect("writable");
    let mut now = BTreeSet::new();
    for (dialect, definition) in [("classic", "-DCLASSIC"), ("multicore", "-DBSP_MCBSP")] {
        let mut compiler = Language::C11.compiler(Mpi::selected());
        let text = output(compiler.args(["-E", "-P", definition]).arg(&source));
        for declaration in text.split(';') {
            let words = declaration.split_whitespace().collect::<Vec<_>>().join(" ");
            if words.starts_with("typedef ") && words.contains(" bsp_") {
                now.insert(format!("{dialect} {words}"));
            } else if words.contains("bsp_") {
                let prototype = words.split(" __attribute__").next().expect("a beginning");
                now.insert(format!("function {prototype}"));
            }
        }
    }
    assert!(now.len() > 50, "{now:?}");
    is_as_recorded("record_bsp.txt", &now);
}

/// All declarations of a released header still hold, except that structures may have grown.
#[test]
fn headers_of_releases_still_hold() {
    let now = record("now", &present());
    let growing: BTreeSet<String> = Header::parse(&common::headers::whole(&present()))
        .structures
        .iter()
        .filter(|structure| may_grow(structure))
        .map(|structure| format!("struct {} size ", structure.name))
        .collect();
    for (version, header) in released() {
        for line in record(&format!("released-{version}"), &header).difference(&now) {
            let size = |line: &str, begin: &str| -> Option<usize> {
                line.strip_prefix(begin)?.split(' ').next()?.parse().ok()
            };
            let grown = growing.iter().any(|begin| {
                let sizes = now.iter().find_map(|line| size(line, begin)).zip(size(line, begin));
                sizes.is_some_and(|(now, then)| now > then)
            });
            // A later field may have taken its place.
            let reserved = line.starts_with("field ") && line.contains(".reserved ");
            assert!(grown || reserved, "hcube.h {version} says '{line}', and that is no longer so");
        }
    }
}

/// A later field must not fall into what is padding now, which callers leave unset.
#[test]
fn structures_that_grow_have_no_padding() {
    let (now, parsed) = (record("padding", &present()), Header::parse(&common::headers::whole(&present())));
    let mut seen = 0;
    for structure in parsed.structures.iter().filter(|structure| may_grow(structure)) {
        let number = |line: &str, word: &str| -> usize {
            let mut words = line.split(' ').skip_while(|found| *found != word);
            words
                .nth(1)
                .and_then(|number| number.parse().ok())
                .unwrap_or_else(|| panic!("{word} in '{line}'"))
        };
        let find = |begin: String| now.iter().find(|line| line.starts_with(&begin)).expect("recorded");
        let whole = find(format!("struct {} ", structure.name));
        let sizes = structure
            .fields
            .iter()
            .map(|field| number(find(format!("field {}.{} ", structure.name, field.name)), "size"));
        assert_eq!(
            number(whole, "size"),
            sizes.sum::<usize>(),
            "padding in {}: add a reserved field",
            structure.name
        );
        assert_eq!(number(whole, "align"), 8, "{whole}");
        seen += 1;
    }
    assert_eq!(seen, 9, "structures with struct_size");
}

#[test]
fn fortran_modules_agree_with_the_headers() {
    let (folder, parsed) = (folder("fortran"), Header::parse(&common::headers::whole(&present())));
    let source = folder.join("layout.f90");
    fs::write(&source, parsed.fortran_program()).expect("writable");
    let program = compile_fortran(&folder, &source);
    let fortran: BTreeSet<String> = output(&mut Command::new(program)).lines().map(str::to_owned).collect();
    // Fortran says nothing of types and alignment.
    let known = |line: &String| {
        let words: Vec<_> = line.split(' ').collect();
        let count = match words[0] {
            "constant" => 3,
            "struct" => 4,
            "field" => 6,
            _ => return None,
        };
        Some(words[..count].join(" "))
    };
    let expected: BTreeSet<String> = record("for-fortran", &present()).iter().filter_map(known).collect();
    assert_eq!(fortran, expected, "the Fortran modules and the headers differ");
    // The functions for Fortran exist only for the modules: they use all of them and no others.
    let text = MODULES.map(|module| read(&root().join(module))).concat();
    let bound: BTreeSet<&str> =
        text.split("name=\"").skip(1).filter_map(|part| part.split('"').next()).collect();
    let name = |function: &'_ str| -> String {
        function.split('(').next().expect("a name").rsplit([' ', '*']).next().expect("a name").to_owned()
    };
    let declared: BTreeSet<String> = parsed.functions.iter().map(|function| name(function)).collect();
    for function in declared.iter().filter(|name| name.starts_with("hcube_fortran_")) {
        assert!(bound.contains(function.as_str()), "no Fortran module uses {function}");
    }
    for function in declared.iter().filter(|name| name.starts_with("hcube_caf_")) {
        let with_handles = function.replacen("hcube_", "hcube_fortran_", 1);
        let is_bound = [function, &with_handles].iter().any(|name| bound.contains(name.as_str()));
        assert!(is_bound, "no Fortran module has {function}");
    }
    for function in bound.iter().filter(|name| **name != "strlen") {
        assert!(declared.contains(*function), "a Fortran module uses {function}, which no header declares");
    }
}

#[test]
fn header_and_library_have_one_version() {
    let folder = folder("version");
    let source = folder.join("version.c");
    let text = "#include <hcube.h>\n#include <stdio.h>\nint main(void) {\n  printf(\"%s %s %d.%d.%d\\n\", HCUBE_VERSION, \
                hcube_version(), HCUBE_VERSION_MAJOR, HCUBE_VERSION_MINOR, HCUBE_VERSION_PATCH);\n  return 0;\n}\n";
    fs::write(&source, text).expect("writable");
    let printed = output(&mut Command::new(compile(&folder, &present(), &source)));
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(printed.trim(), format!("{version} {version} {version}"));
}

/// The version in scripts/install.sh is the version of the workspace, which every package has.
#[test]
fn there_is_one_version() {
    let workspace = read(&root().join("Cargo.toml"));
    let first = workspace.lines().find_map(|line| line.strip_prefix("version = "));
    assert_eq!(first, Some(concat!("\"", env!("CARGO_PKG_VERSION"), "\"")));
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]).current_dir(root());
    let metadata: serde_json::Value = serde_json::from_str(&output(&mut cargo)).expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    assert!(packages.len() > 5, "{metadata}");
    for package in packages {
        assert_eq!(package["version"], env!("CARGO_PKG_VERSION"), "{}", package["name"]);
    }
}

#[test]
fn programs_of_older_headers_run() {
    for (version, header) in released() {
        let program =
            compile(&folder(&format!("older-{version}")), &header, &root().join("tests/c/older_header.c"));
        for ranks in [1, 3] {
            let text = Launch::new(&program, ranks).run().success();
            let expected = format!("ok hcube.h {version}, library {}", env!("CARGO_PKG_VERSION"));
            assert_eq!(text.trim(), expected);
        }
    }
}

#[test]
fn callers_may_know_more_or_less_of_a_structure() {
    for ranks in [1, 2] {
        let text = Launch::new(common::client("struct_sizes", Language::C11), ranks).run().success();
        assert!(text.starts_with("ok "), "{text}");
    }
}

#[test]
fn fortran_module_does_everything() {
    let program = compile_fortran(&folder("fortran-calls"), &root().join("tests/fortran/interface.f90"));
    for ranks in [1, 2, 3, 4] {
        let launch = Launch::new(&program, ranks).env("HCUBE_TEST_VERSION", env!("CARGO_PKG_VERSION"));
        let text = launch.limit(60).run().success();
        assert!(text.starts_with("ok "), "{text}");
    }
}

/// It would otherwise be taken for a buffer, and the bytes after it exchanged.
#[test]
fn fortran_refuses_in_place_of_mpi() {
    for (binding, value) in [("mpi", ""), ("mpi_f08", "%MPI_VAL")] {
        let folder = folder(&format!("fortran-{binding}"));
        let source = folder.join("refused.f90");
        let text = |sent: &str| {
            format!(
                "program refused\n  use {binding}\n  use hcube\n  implicit none\n  integer :: blocks(1), ierror\n  \
                 blocks = 1\n  call hcube_alltoall({sent}, 1, MPI_INTEGER{value}, blocks, 1, MPI_INTEGER{value}, &\n    \
                 MPI_COMM_SELF{value}, ierror)\nend program\n"
            )
        };
        fs::write(&source, text("blocks")).expect("writable");
        compile_fortran(&folder, &source);
        fs::write(&source, text("MPI_IN_PLACE")).expect("writable");
        let refused = fortran(&folder, &source).0.output().expect("the compiler starts");
        let errors = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success() && errors.contains("sendbuf"), "{errors}");
    }
}
