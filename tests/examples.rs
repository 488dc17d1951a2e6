//! The installed examples, built and run only from a copy of the installed tree, as a user would.

use hcube_testing as common;

use common::installed::{fresh_make, installed, loads_from, loads_library_from, pkg_config};
use common::{Launch, Mpi, output};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const RANKS: [usize; 4] = [1, 2, 3, 4];
/// Of programs of BSPlib: with 5, matrices have 3 x 3 blocks, of which the last 4 are computed by all
/// processes.
const BSP_RANKS: [usize; 5] = [1, 2, 3, 4, 5];
/// Of programs that were built in another manner.
const SOME: [usize; 1] = [2];

/// A tree of this test's own, and a copy of its examples elsewhere.
fn tree_and_examples(name: &str) -> (PathBuf, PathBuf) {
    let tree = installed(name);
    let examples = tree.with_file_name("examples");
    output(Command::new("cp").arg("-r").arg(tree.join("share/hcube/examples")).arg(&examples));
    (tree, examples)
}

/// The compilers of the selected MPI library.
fn compiler(language: &str) -> String {
    format!("{language}.{}", Mpi::selected().name())
}

/// That the examples of BSPlib in a folder of programs do their work, with the library of the tree.
fn bsp_programs_run(tree: &Path, programs: &Path, ranks: &[usize]) {
    for (name, arguments, result) in [
        ("bsp_sort_c", &[][..], "numbers"),
        ("bsp_inner_product_cpp", &[], "inner product"),
        ("bsp_matmul_c", &[], "n = 256, "),
        ("bsp_matmul_c", &["101", "3"], "n = 101, 3 x 3 blocks of 34, "),
    ] {
        let program = programs.join(name);
        loads_library_from("libhcube_bsp.so.0", tree, &program);
        for &ranks in ranks {
            let launch = Launch::new(&program, ranks).args(arguments).env("LD_LIBRARY_PATH", "").limit(60);
            let text = launch.run().success();
            let line = text.trim().lines().last().unwrap_or_default();
            let is_right = line.starts_with(&format!("{ranks} processes, ")) && line.ends_with(", 0 errors");
            assert!(is_right && line.contains(result), "{name}: {line}");
        }
    }
}

/// The coarray programs in C and Fortran: name, arguments of a small run, what the result is measured in.
const COARRAYS: [(&str, &[&str], &str); 6] = [
    ("caf_teams", &[], ""),
    ("caf_panel_broadcast", &[], ""),
    ("caf_stream", &["1001", "12"], " GB/s"),
    ("caf_random_access_events", &["10"], " GUP/s"),
    ("caf_random_access_spawn", &["10"], " GUP/s"),
    ("caf_fft_exchange", &["10"], " GFLOP/s"),
];

/// The one that needs a BLAS, with blocks that divide neither the order nor the rows of an image.
const COARRAY_HPL: (&str, &[&str], &str) = ("caf_hpl", &["217", "24"], " GFLOP/s");

/// That a coarray program does its work, with small sizes and, once, with those that it has by itself.
fn coarray_program_runs(tree: &Path, program: &Path, (arguments, unit): (&[&str], &str), ranks: &[usize]) {
    loads_from(tree, program);
    let run = |ranks, arguments: &[&str]| {
        let launch = Launch::new(program, ranks).args(arguments).env("LD_LIBRARY_PATH", "").limit(60);
        let text = launch.env("OPENBLAS_NUM_THREADS", "1").run().success();
        let line = text.trim().lines().last().unwrap_or_default();
        let is_right = line.starts_with(&format!("{ranks} images, ")) && line.ends_with(", 0 errors");
        assert!(is_right && line.contains(unit), "{} {arguments:?}: {line}", program.display());
    };
    for &ranks in ranks {
        run(ranks, arguments);
    }
    if !arguments.is_empty() && ranks != SOME {
        run(2, &[]);
    }
}

/// That the coarray programs in a folder do their work, with the library of the tree.
fn coarray_programs_run(tree: &Path, programs: &Path, ranks: &[usize]) {
    let hpl = blas_and_scalapack().map(|_| COARRAY_HPL);
    for (name, arguments, unit) in COARRAYS.into_iter().chain(hpl) {
        for end in ["c", "fortran"] {
            coarray_program_runs(tree, &programs.join(format!("{name}_{end}")), (arguments, unit), ranks);
        }
    }
    coarray_program_runs(tree, &programs.join("caf_queens_cpp"), (&[], ""), ranks);
}

/// That the programs with the coarrays of Fortran 2018 do their work, and libhcube_caf of the tree serves
/// them.
fn fortran_coarrays_run(tree: &Path, programs: &Path, ranks: &[usize]) {
    if !common::gfortran::has_compiler() {
        return;
    }
    for (name, arguments, result) in [
        ("coarray_heat", &["61", "40"][..], "61 x 61 points, 40 steps, "),
        ("coarray_heat", &[], "256 x 256 points, 200 steps, "),
        ("coarray_sort", &["1"], ""),
        ("coarray_sort", &[], "0 numbers, "),
    ] {
        let program = programs.join(format!("{name}_fortran"));
        loads_library_from("libhcube_caf.so.0", tree, &program);
        for &ranks in ranks {
            let launch = Launch::new(&program, ranks).args(arguments).env("LD_LIBRARY_PATH", "").limit(60);
            let text = launch.run().success();
            let line = text.trim();
            let is_right = line.starts_with(&format!("{ranks} images, ")) && line.ends_with(", 0 errors");
            assert!(is_right && line.contains(result), "{name} {arguments:?}: {line}");
        }
    }
    for (name, argument, message) in [
        ("coarray_heat", "2", "coarray_heat: POINTS 2: expected 3 to "),
        ("coarray_sort", "none", "coarray_sort: NUMBERS none: expected 1 to "),
    ] {
        let program = programs.join(format!("{name}_fortran"));
        let outcome = Launch::new(&program, 3).arg(argument).env("LD_LIBRARY_PATH", "").limit(60).run();
        assert!(!outcome.status.success(), "{name}: {outcome:?}");
        assert_eq!(outcome.stderr.matches(message).count(), 1, "{name}: {outcome:?}");
    }
}

/// That the coarray programs refuse sizes with the name of the argument, and say so once.
fn coarray_programs_refuse(programs: &Path) {
    let hpl = blas_and_scalapack().is_some();
    for (name, arguments, message) in [
        ("caf_stream", &["0"][..], "ELEMENTS 0: expected 1 to "),
        ("caf_stream", &["100", "9"], "ROUNDS 9: expected 10 to "),
        ("caf_random_access_events", &["2^10"], "LOG_WORDS 2^10: expected 8 to "),
        ("caf_random_access_spawn", &["-1"], "LOG_WORDS -1: expected 4 to "),
        ("caf_fft_exchange", &["99"], "LOG_ELEMENTS 99: expected 8 to "),
        ("caf_hpl", &["none"], "ORDER none: expected 1 to "),
        ("caf_hpl", &["100", "513"], "BLOCK 513: expected 1 to 512"),
        ("caf_hpl", &["100", "10", "2"], "ROWS 2: expected a divisor of "),
    ] {
        for end in ["c", "fortran"].into_iter().filter(|_| hpl || name != "caf_hpl") {
            let program = programs.join(format!("{name}_{end}"));
            let outcome = Launch::new(&program, 3).args(arguments).env("LD_LIBRARY_PATH", "").limit(60).run();
            let said = outcome.stderr.matches(&format!("{name}: {message}")).count();
            assert!(!outcome.status.success() && said == 1, "{name}_{end} {arguments:?}: {}", outcome.stderr);
        }
    }
}

/// Last line of a program's output, run with nothing but what it carries itself to find libraries by.
fn last_line(program: &Path, ranks: usize) -> String {
    let text = Launch::new(program, ranks).env("LD_LIBRARY_PATH", "").limit(60).run().success();
    text.trim().lines().last().unwrap_or_default().to_owned()
}

/// What an example of LLCS prints for two files, and their bytes: all of the first are in the second,
/// with others between that the first has, too, so that there is a matrix to compute.
fn llcs_files(folder: &Path) -> ([PathBuf; 2], &'static str) {
    let files = ["first", "second"].map(|name| folder.join(format!("llcs-{name}")));
    fs::write(&files[0], "subsequence ".repeat(250)).expect("writable");
    fs::write(&files[1], "s uebcsneequuqeenscbeu s".repeat(250)).expect("writable");
    (files, "3000 and 6000 symbols, length 3000, similarity 0.5000")
}

/// That an example of LLCS has the right results, and rank 0 has shown its progress.
fn llcs_runs(launch: impl Fn(usize) -> Launch, folder: &Path, ranks: &[usize]) {
    let (files, of_files) = llcs_files(folder);
    for &ranks in ranks {
        for (files, result) in [
            (&[][..], "20000 and 20000 symbols, length 18000, similarity 0.9000, 0 errors"),
            (&files[..], of_files),
        ] {
            let outcome = launch(ranks).args(files).whole_lines().limit(60).run();
            let shown = outcome.stderr.lines().filter(|line| *line == "100 %").count();
            assert_eq!(shown, 1, "{ranks} ranks: {outcome:?}");
            assert_eq!(outcome.success().trim(), format!("{ranks} ranks, {result}"));
        }
    }
}

/// That all examples in a folder of programs are linked to the tree, do their work, and hcube does it for
/// them.
fn all_run(tree: &Path, programs: &Path, ranks: &[usize], bsp_ranks: &[usize]) {
    let products = blas_and_scalapack().is_some();
    // Separate threads, because jobs that yield may run at the same time.
    std::thread::scope(|scope| {
        scope.spawn(|| exchanges_run(tree, programs, ranks));
        scope.spawn(|| bsp_programs_run(tree, programs, bsp_ranks));
        scope.spawn(|| coarray_programs_run(tree, programs, ranks));
        scope.spawn(|| fortran_coarrays_run(tree, programs, ranks));
        if products {
            scope.spawn(|| products_run(tree, programs, ranks));
        }
    });
}

/// The same for RandomAccess, the all-to-all exchange and LLCS.
fn exchanges_run(tree: &Path, programs: &Path, ranks: &[usize]) {
    for language in ["c", "cpp", "fortran"] {
        for name in ["random_access", "alltoall_in_place"] {
            let program = programs.join(format!("{name}_{language}"));
            loads_from(tree, &program);
            for &ranks in ranks {
                let (line, of) = (last_line(&program, ranks), format!("{name}_{language}"));
                if name == "random_access" {
                    // What hcube's statistics say, not the program's own count.
                    assert_eq!(line, format!("{ranks} ranks, {} updates, 0 errors", 4 << 18), "{of}");
                    continue;
                }
                let path = line
                    .strip_prefix(&format!("{ranks} ranks, path "))
                    .and_then(|rest| rest.strip_suffix(", 0 errors"));
                let expected = if ranks == 1 { &["alone"][..] } else { &["shared", "single-copy"] };
                assert!(path.is_some_and(|path| expected.contains(&path)), "{of}: {line}");
            }
        }
    }
    let llcs = programs.join("llcs_c");
    loads_from(tree, &llcs);
    llcs_runs(|ranks| Launch::new(&llcs, ranks).env("LD_LIBRARY_PATH", ""), programs, ranks);
}

#[test]
fn examples_are_built_by_pkg_config() {
    let (tree, examples) = tree_and_examples("examples-make");
    let mut make = fresh_make();
    make.arg("-C").arg(&examples).env("PKG_CONFIG_PATH", tree.join("lib/pkgconfig"));
    make.arg(format!("PACKAGE=hcube-{}", Mpi::selected().name()));
    for (variable, language) in [("MPICC", "mpicc"), ("MPICXX", "mpicxx"), ("MPIFORT", "mpifort")] {
        make.arg(format!("{variable}={}", compiler(language)));
    }
    let warnings = "-O1 -Wall -Wextra -Wpedantic -Werror";
    make.arg(format!("CFLAGS={warnings}")).arg(format!("CXXFLAGS={warnings}"));
    let products = blas_and_scalapack();
    if let Some([blas, scalapack]) = &products {
        make.arg(format!("BLAS={blas}")).arg(format!("SCALAPACK={scalapack}"));
    }
    output(make.arg("FFLAGS=-O1 -Wall -Wextra -Wpedantic -std=f2018 -Werror"));
    let build = examples.join("build");
    all_run(&tree, &build, &RANKS, &BSP_RANKS);
    coarray_programs_refuse(&build);
}

/// The linker's names of the BLAS and of ScaLAPACK that the examples of matrix products need, where both are
/// there.
fn blas_and_scalapack() -> Option<[String; 2]> {
    common::scalapack::available().then(|| ["-l:libopenblas.so.0".to_owned(), common::scalapack::scalapack()])
}

/// That the examples of matrix products in a folder of programs do their work, and hcube does it for them.
fn products_run(tree: &Path, programs: &Path, ranks: &[usize]) {
    let gemm = programs.join("gemm_c");
    loads_from(tree, &gemm);
    for &ranks in ranks {
        let path = if ranks == 1 { "local" } else { "shared-panels" };
        assert_eq!(last_line(&gemm, ranks), format!("{ranks} ranks, path {path}, 0 errors"));
        for name in ["pdgemm_c", "pdgemm_fortran"] {
            let launch = Launch::new(tree.join("bin/hcube-run"), ranks).args(["--pblas", "--stats"]);
            let launch = launch.arg(programs.join(name)).env("LD_LIBRARY_PATH", "");
            let outcome = launch.env("OPENBLAS_NUM_THREADS", "1").whole_lines().limit(60).run();
            let statistics = outcome.stderr.clone();
            let line = outcome.success().trim().to_owned();
            assert!(
                line.starts_with(&format!("{ranks} ranks, grid ")) && line.ends_with(", 0 errors"),
                "{line}"
            );
            let rows = statistics.lines().filter_map(|line| line.strip_prefix("pdgemm"));
            let rows: Vec<_> = rows.map(|row| row.split_whitespace().take(2).collect::<Vec<_>>()).collect();
            assert_eq!(rows, [[path, &ranks.to_string()]], "{name}: {statistics}");
        }
    }
}

/// Configures the examples for an MPI library.
fn cmake(tree: &Path, examples: &Path, build: &Path, mpi: Mpi) -> Output {
    let mut cmake = Command::new("cmake");
    cmake.arg("-S").arg(examples).arg("-B").arg(build).arg(format!("-DCMAKE_PREFIX_PATH={}", tree.display()));
    for (variable, language) in [("C", "mpicc"), ("CXX", "mpicxx"), ("Fortran", "mpifort")] {
        cmake.arg(format!("-DMPI_{variable}_COMPILER={language}.{}", mpi.name()));
    }
    if let Some([blas, scalapack]) = blas_and_scalapack() {
        cmake.arg(format!("-DBLAS={blas}")).arg(format!("-DSCALAPACK={scalapack}"));
    }
    cmake.output().expect("cmake")
}

#[test]
fn examples_are_built_by_cmake() {
    let (tree, examples) = tree_and_examples("examples-cmake");
    let build = examples.join("build");
    let configured = cmake(&tree, &examples, &build, Mpi::selected());
    assert!(configured.status.success(), "{configured:?}");
    output(Command::new("cmake").arg("--build").arg(&build));
    all_run(&tree, &build, &SOME, &SOME);
    // With another MPI library they would be linked, and crash.
    let other = if Mpi::selected() == Mpi::Open { Mpi::Mpich } else { Mpi::Open };
    let refused = cmake(&tree, &examples, &examples.join("other"), other);
    let errors = String::from_utf8_lossy(&refused.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!refused.status.success());
    let soname = if other == Mpi::Open { "libmpi.so.40" } else { "libmpich.so.12" };
    assert!(errors.contains(&format!("MPI is {soname}, for which hcube is not installed")), "{errors}");
}

#[test]
fn mpi4py_is_served_through_hcube_run() {
    let Some(python) = common::preload::python() else {
        common::skip("mpi4py", &format!("no Python here has an mpi4py for {}", Mpi::selected().name()));
        return;
    };
    let (tree, examples) = tree_and_examples("examples-python");
    for ranks in RANKS {
        let launch = Launch::new(tree.join("bin/hcube-run"), ranks).arg("--stats").arg(&python);
        let launch = launch.arg(examples.join("python/alltoall_mpi4py.py")).env("LD_LIBRARY_PATH", "");
        let outcome = launch.whole_lines().limit(60).run();
        let statistics = outcome.stderr.clone();
        assert_eq!(outcome.success().trim(), format!("{ranks} ranks, 0 errors"));
        let rows = statistics.lines().filter_map(|line| line.strip_prefix("MPI_Alltoall in place"));
        let calls = |served: bool| -> usize {
            let words = rows.clone().map(|row| row.split_whitespace().collect::<Vec<_>>());
            let rows = words.filter(|words| (words[0] != "library") == served);
            rows.map(|words| words[1].parse::<usize>().expect("a number")).sum()
        };
        // The first of five is forwarded, and all if there is no other rank.
        let served = if ranks == 1 { 0 } else { 4 * ranks };
        assert_eq!([calls(true), calls(false)], [served, 5 * ranks - served], "{statistics}");
    }
}

#[test]
fn python_calls_hcube_by_ctypes() {
    let Some(python) = common::preload::python() else {
        common::skip("mpi4py", &format!("no Python here has an mpi4py for {}", Mpi::selected().name()));
        return;
    };
    let (tree, examples) = tree_and_examples("examples-ctypes");
    let libraries = tree.join("lib/hcube").join(Mpi::selected().name());
    let program = examples.join("python/llcs_ctypes.py");
    let launch = |ranks| {
        let launch = Launch::new(&python, ranks).arg(&program);
        launch.env("LD_LIBRARY_PATH", &libraries.display().to_string())
    };
    llcs_runs(launch, &examples, &RANKS);
}

/// All queries of the version return the same.
#[test]
fn installed_files_have_one_version() {
    let tree = installed("examples-version");
    let version = env!("CARGO_PKG_VERSION");
    let header = common::headers::whole(&tree.join("include/hcube.h"));
    assert!(header.contains(&format!("#define HCUBE_VERSION \"{version}\"\n")), "{header}");
    assert_eq!(pkg_config(&tree, "hcube", &["--modversion"]), [version]);
    let script = tree.join("version.cmake");
    let config = tree.join("lib/cmake/hcube/hcubeConfigVersion.cmake");
    // A program that requests exactly this version gets it, and a program that requests a later one does not.
    let text = format!(
        "set(PACKAGE_FIND_VERSION {version})\nset(PACKAGE_FIND_VERSION_MAJOR 0)\ninclude({config})\n\
         message(\"${{PACKAGE_VERSION}} ${{PACKAGE_VERSION_EXACT}}\")\n\
         set(PACKAGE_FIND_VERSION 0.99)\ninclude({config})\nmessage(\"${{PACKAGE_VERSION_COMPATIBLE}}\")\n",
        config = config.display()
    );
    fs::write(&script, text).expect("writable");
    let asked = Command::new("cmake").arg("-P").arg(&script).output().expect("cmake");
    assert_eq!(String::from_utf8_lossy(&asked.stderr), format!("{version} TRUE\nFALSE\n"));
}
