//! HPCC built with flags of users, in wrong orders, and from an installed tree.

use super::{KERNELS, common};
use common::hpcc::{Input, program};
use common::installed::{fresh_make, installed, loads_from};
use common::{Mpi, by_mpi, output};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A copy of HPCC in a folder of this name, whose Make file `change` has changed.
fn copy(name: &str, change: impl FnOnce(String) -> String) -> PathBuf {
    let folder = common::folder(name).join("hpcc");
    let _ = fs::remove_dir_all(&folder);
    output(Command::new("cp").arg("-a").arg(program().parent().expect("HPCC's folder")).arg(&folder));
    let make_file = folder.join("hpl/Make.hcube-hcube");
    let text = fs::read_to_string(&make_file).expect("it was built with this file");
    fs::write(&make_file, change(text)).expect("writable");
    folder
}

/// `make` in a copy of HPCC.
fn make(folder: &Path) -> Command {
    let mut make = fresh_make();
    make.arg("-C").arg(folder).arg("arch=hcube-hcube");
    make
}

/// Whether make fails with this text.
fn is_refused(make: &mut Command, text: &str) {
    let refused = make.output().expect("make starts");
    let errors = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && errors.contains(text), "{text}:\n{errors}");
}

/// Included before the variables that it adds to, hcube.mk would have no effect.
#[test]
fn an_include_that_stands_too_early_is_refused() {
    let folder = copy("hpcc-early", |text| {
        let (hcube, own): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| line.contains("HCUBE_") && !line.starts_with("HPL_"));
        [hcube, own].concat().join("\n") + "\n"
    });
    is_refused(&mut make(&folder), "must be included at the END of Make.");
}

/// What hcube.mk has added is lost by a later assignment.
#[test]
fn variables_that_lose_what_was_added_are_refused() {
    for name in ["CCFLAGS", "HPL_LIBS"] {
        let lost = format!("{name} has lost what hcube.mk has added to it");
        let folder = copy("hpcc-late", |text| format!("{text}{name} = \n"));
        is_refused(&mut make(&folder), &format!("{lost}, because it is assigned after the include"));
        let folder = copy("hpcc-late", |text| text);
        let line = format!("{name}=-O2");
        is_refused(
            make(&folder).arg(line),
            &format!("{lost}, because it is assigned on make's command line"),
        );
    }
}

/// HPCC's archive before hcube's objects: the linker would take HPCC's kernels.
#[test]
fn an_archive_in_front_is_refused() {
    let folder = copy("hpcc-order", |text| format!("{text}HPL_LIBS := $(HPLlib) $(HPL_LIBS)\n"));
    is_refused(&mut make(&folder), "libhpl.a before the objects of hcube");
}

/// A libhcube for one MPI library and an HPCC for another.
#[test]
fn a_libhcube_for_another_mpi_library_is_refused() {
    let other = by_mpi("mpich", "openmpi");
    let folder = copy("hpcc-other", |text| text);
    fs::remove_dir_all(folder.join("hcube")).expect("it was built there");
    let libraries = common::library();
    let line = format!("HCUBE_LIBDIR={}", libraries.parent().expect("a folder").display());
    is_refused(
        make(&folder).arg(line).arg(format!("HCUBE_MPI={other}")),
        "HCUBE_MPI is not the MPI library that HPCC is compiled with",
    );
}

/// HPCC, compiled anew with these flags and linked with these; optimised less, because that takes less time.
fn with_flags(name: &str, compile: &str, link: &str) -> PathBuf {
    let folder = copy(name, |text| {
        let text = text.replace("-O3", &format!("-O1 {compile}"));
        text.replace("LINKFLAGS    =", &format!("LINKFLAGS    = {link}"))
    });
    output(make(&folder).arg("clean"));
    output(make(&folder).arg("-j2"));
    folder.join("hpcc")
}

/// Runs HPCC with an environment; the kernels that were hcube's, and its error output.
fn kernels_of(
    program: &Path,
    folder: &Path,
    ranks: usize,
    name: &str,
    value: &str,
) -> (Vec<&'static str>, String) {
    let stderr = common::hpcc::run(program, folder, ranks, |launch| launch.env(name, value));
    let active = KERNELS.iter().filter(|(_, title)| common::hpcc::announces(&stderr, title));
    (active.map(|(short, _)| *short).collect(), stderr)
}

/// A folder of this name for a run on a row of ranks.
fn row(name: &str, ranks: usize) -> PathBuf {
    common::hpcc::folder(name, &Input { columns: ranks, depth: 1, ..Input::default() })
}

const ALL: [&str; 5] = ["ra", "fft", "hpl", "stream", "ptrans"];

/// HPCC's other algorithms, a real FFTW 2, no common symbols: hcube's kernels and HPCC's standard ones are
/// still linked.
#[test]
fn flags_of_users_do_not_matter() {
    if !common::only_with(Mpi::Open, "flags of compilers are the same with every MPI library") {
        return;
    }
    let headers = common::folder("hpcc-fftw2");
    fs::write(headers.join("fftw.h"), "#error the user's FFTW 2\n").expect("writable");
    let flags = "-fno-common -DRA_SANDIA_OPT2 -DHPCC_FFT_235 -DHPCC_FFTW_CHECK32 -DUSING_FFTW";
    let program = with_flags("hpcc-flags", &format!("{flags} -I{}", headers.display()), "");
    // Lengths of the factors 2, 3 and 5 leave no rank out.
    let ranks = 3;
    for (kernels, expected) in [("ra,fft,hpl,stream,ptrans", &ALL[..]), ("none", &[])] {
        let folder = row("hpcc-flags-run", ranks);
        let (active, stderr) = kernels_of(&program, &folder, ranks, "HCUBE_HPCC", kernels);
        assert_eq!(active, expected, "{stderr}");
        // HPCC's own RandomAccess may lose some updates, as its rules permit.
        assert_eq!(common::hpcc::result(&folder, "Success"), "1");
        assert_eq!(common::hpcc::result(&folder, "MPIFFT_Procs"), ranks.to_string());
    }
}

/// Kernels of HPCC that use all threads of a rank are not replaced by kernels that use one thread.
#[test]
fn threads_of_openmp_are_left_to_hpcc() {
    if !common::only_with(Mpi::Open, "flags of compilers are the same with every MPI library") {
        return;
    }
    let flags = "-fopenmp -DRA_SANDIA_NOPT -DHPCC_MEMALLCTR";
    let program = with_flags("hpcc-openmp", flags, "-fopenmp");
    let folder = row("hpcc-openmp-2", 2);
    let (active, stderr) = kernels_of(&program, &folder, 2, "OMP_NUM_THREADS", "2");
    assert_eq!(active, ["ra", "hpl", "ptrans"], "{stderr}");
    for title in ["FFT", "STREAM"] {
        let line = format!(
            "HPCC {title} not active, HPCC's own code runs: it uses 2 threads per rank, and hcube's one"
        );
        assert_eq!(stderr.matches(&line).count(), 1, "{stderr}");
    }
    // Not HPCC's verdict: threads of its StarRandomAccess lose updates, more than are permitted in a small
    // table.
    common::hpcc::served(&folder, 2);
    let folder = row("hpcc-openmp-1", 2);
    let (active, stderr) = kernels_of(&program, &folder, 2, "OMP_NUM_THREADS", "1");
    assert_eq!(active, ALL, "{stderr}");
    common::hpcc::passed(&folder, 2);
}

/// As a user does it who has nothing of hcube but what `make install` has put there.
#[test]
fn hpcc_is_linked_with_an_installed_tree() {
    let tree = installed("hpcc");
    let built = program().parent().expect("HPCC's folder");
    let folder = tree.join("hpcc-1.5.0");
    output(Command::new("cp").arg("-a").arg(built).arg(&folder));
    let make_file = folder.join("hpl/Make.hcube-hcube");
    let text = fs::read_to_string(&make_file).expect("it was built with this file");
    let own: String =
        text.lines().filter(|line| !line.contains("HCUBE_")).map(|line| format!("{line}\n")).collect();
    let lines = format!(
        "HCUBE_MPI = {}\nHCUBE_DIR = {}\ninclude $(HCUBE_DIR)/share/hcube/hpcc/hcube.mk\n",
        Mpi::selected().name(),
        tree.display()
    );
    fs::write(&make_file, own + &lines).expect("writable");
    // HPCC itself is as it was: what is made anew is the glue and the program.
    fs::remove_file(folder.join("hpcc")).expect("it was built there");
    fs::remove_dir_all(folder.join("hcube")).expect("it was built there");
    output(fresh_make().arg("-C").arg(&folder).arg("arch=hcube-hcube"));
    let program = folder.join("hpcc");
    loads_from(&tree.join("lib/hcube"), &program);
    common::hpcc::check_program(&program, "hpcc-installed", 2, "1 node, shared memory", |launch| {
        launch.env("LD_LIBRARY_PATH", "")
    });
}
