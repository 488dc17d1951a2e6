//! Programs that were linked dynamically to OpenCoarrays run on hcube by `hcube-run --caf`, without
//! relinking. The loader's record of bindings shows which library's functions they call.

use crate::common;
use crate::common::gfortran::{for_open_coarrays, has_compiler, open_coarrays};
use crate::common::installed::installed;
use crate::common::{Launch, Mpi, folder, output};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An installed tree, and where OpenCoarrays is.
fn tree(name: &str) -> Option<(PathBuf, PathBuf)> {
    if !has_compiler() {
        return None;
    }
    let libraries = open_coarrays()?;
    common::gfortran::library();
    Some((installed(name), libraries))
}

/// hcube-run --caf with a program.
fn preloaded(tree: &Path, options: &[&str], program: &Path, images: usize) -> Launch {
    let launch = Launch::new(tree.join("bin/hcube-run"), images).arg("--caf").args(options.iter().copied());
    launch.arg(program).limit(60)
}

/// The libraries that have served the coarray functions which a program has called, from the files that the
/// loader has written.
fn bindings(records: &Path, program: &Path) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::<String, Vec<String>>::new();
    for record in fs::read_dir(records).expect("a folder").flatten() {
        let text = fs::read_to_string(record.path()).expect("text");
        let begin = format!("binding file {} [0] to ", program.display());
        for line in text.lines().filter(|line| line.contains("_gfortran_caf_")) {
            let Some((_, rest)) = line.split_once(&begin) else { continue };
            let (library, rest) = rest.split_once(" [0]: ").expect("a library");
            let name = rest.split(['`', '\'']).nth(1).expect("a name");
            let libraries = found.entry(name.to_owned()).or_default();
            libraries.push(library.to_owned());
        }
    }
    found
}

#[test]
fn programs_run_on_hcube_without_being_linked_again() {
    let Some((tree, libraries)) = tree("caf-preload") else { return };
    let library = tree.join("lib/hcube").join(Mpi::selected().name()).join("libhcube_caf.so");
    for name in ["hello", "sections", "components", "synchronisation", "collectives", "teams"] {
        let program = for_open_coarrays(name, &libraries, false);
        let linked = output(Command::new("ldd").arg(&program));
        assert!(linked.contains("libcaf_") && !linked.contains("libhcube"), "{linked}");
        for images in [1, 3] {
            let records = folder("opencoarrays/bindings");
            fs::remove_dir_all(&records).expect("our own");
            fs::create_dir_all(&records).expect("writable");
            let record = records.join("record");
            // In the processes of the program only, not in the launcher.
            let launch = Launch::new("env", images)
                .arg("LD_DEBUG=bindings")
                .arg(format!("LD_DEBUG_OUTPUT={}", record.display()));
            let launch = launch.arg(tree.join("bin/hcube-run")).arg("--caf").arg(&program).limit(60);
            assert_eq!(launch.run().success(), format!("{name}: passed\n"), "{images} images");
            let bindings = bindings(&records, &program);
            let begun = bindings.get("_gfortran_caf_init").map_or(0, Vec::len);
            assert_eq!(begun, images, "{name}: {bindings:?}");
            let others = bindings.values().flatten().filter(|served| Path::new(served) != library);
            assert_eq!(others.count(), 0, "{name}: {bindings:?}");
        }
    }
}

/// What OpenCoarrays does not do: a line names image, statement and index.
#[test]
fn errors_are_those_of_hcube() {
    let Some((tree, libraries)) = tree("caf-preload-errors") else { return };
    let program = for_open_coarrays("ends", &libraries, false);
    let outcome = preloaded(&tree, &[], &program, 2).arg("10").whole_lines().run();
    assert_eq!(outcome.status.code(), Some(1), "{outcome:?}");
    assert!(outcome.stderr.contains("get: image index 99: expected 1 to 2"), "{outcome:?}");
}

/// With the other options of hcube-run: exchanges of a program that also uses MPI are served as well.
#[test]
fn exchanges_of_the_program_are_served_too() {
    let Some((tree, libraries)) = tree("caf-preload-mpi") else { return };
    let program = for_open_coarrays("exchange", &libraries, false);
    let outcome = preloaded(&tree, &["--stats", "--verbose"], &program, 2).whole_lines().run();
    let report = outcome.stderr.clone();
    assert_eq!(outcome.success(), "exchange: passed\n");
    assert!(report.contains("libhcube_caf.so") && report.contains("preloads "), "{report}");
    let rows = report.lines().filter_map(|line| line.strip_prefix("MPI_Alltoall "));
    let served = rows.filter(|row| row.trim_start().starts_with("shared"));
    assert_eq!(served.count(), 1, "{report}");
}

/// Where the functions of OpenCoarrays are in the program, nothing can take their place.
#[test]
fn programs_that_contain_opencoarrays_are_refused() {
    let Some((tree, libraries)) = tree("caf-preload-static") else { return };
    let program = for_open_coarrays("hello", &libraries, true);
    let stripped = program.with_file_name("hello-stripped");
    output(Command::new("strip").arg("-o").arg(&stripped).arg(&program));
    for program in [program, stripped] {
        let outcome =
            Command::new(tree.join("bin/hcube-run")).arg("--caf").arg(&program).output().expect("it starts");
        let errors = String::from_utf8_lossy(&outcome.stderr);
        let line = format!(
            "hcube-run: --caf: {} is linked statically to a coarray library; link it by hcube-caf instead\n",
            program.display()
        );
        assert_eq!((outcome.status.code(), &*errors), (Some(2), &*line));
    }
}

#[test]
fn libraries_to_preload_are_printed() {
    let Some((tree, libraries)) = tree("caf-preload-print") else { return };
    let program = for_open_coarrays("hello", &libraries, false);
    let print = |program: &Path| {
        output(Command::new(tree.join("bin/hcube-run")).args(["--caf", "--pblas", "--print"]).arg(program))
    };
    let own = tree.join("lib/hcube").join(Mpi::selected().name());
    let list = ["libhcube_preload.so", "libhcube_pblas.so", "libhcube_caf.so"]
        .map(|name| own.join(name).display().to_string());
    assert_eq!(print(&program).trim_end(), list.join(":"));
    // Scripts that start programs are taken at their word, and so is a program that hcube serves already.
    assert_eq!(
        print(&common::preload::c_client(common::Language::C11, Mpi::selected())).trim_end(),
        list.join(":")
    );
    assert_eq!(print(&common::gfortran::program("hello")).trim_end(), list.join(":"));
    fs::remove_file(own.join("libhcube_caf.so")).expect("a link");
    let refused =
        Command::new(tree.join("bin/hcube-run")).arg("--caf").arg(&program).output().expect("it starts");
    let errors = String::from_utf8_lossy(&refused.stderr);
    let line = format!(
        "hcube-run: --caf: {} is not installed (make install)\n",
        own.join("libhcube_caf.so").display()
    );
    assert_eq!((refused.status.code(), &*errors), (Some(2), &*line));
}
