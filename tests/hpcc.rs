//! The official HPCC 1.5.0 with hcube linked in, on small tables.
//!
//! HPCC's result file says nothing of whose kernels ran, so the announcements on the error stream and
//! the symbols of the program are checked as well.

use hcube_testing as common;

use common::hpcc::{Input, program};
use common::installed::{fresh_make, installed, loads_from};
use common::{Launch, Mpi, output};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn check(ranks: usize, mode: &str, path: &str) {
    let launch = |launch: Launch| launch.env("HCUBE_MODE", mode);
    common::hpcc::check(&format!("hpcc-{ranks}-{mode}"), ranks, path, launch);
}

#[test]
fn hpcc_is_linked_with_our_update() {
    let symbols = output(Command::new("nm").arg(program()));
    let with = |kind: &str, name: &str| {
        let end = format!(" {kind} {name}");
        symbols.lines().filter(|line| line.ends_with(&end)).count()
    };
    for name in [
        "AnyNodesMPIRandomAccessUpdate",
        "Power2NodesMPIRandomAccessUpdate",
        "HPCC_AnyNodesMPIRandomAccessUpdate_LCG",
        "HPCC_Power2NodesMPIRandomAccessUpdate_LCG",
        "HPCC_external_init",
        "HPCC_external_finalize",
    ] {
        assert_eq!(with("T", name), 1, "{name}");
    }
    for name in REPLACED {
        // HPCC's own function is there, too, under another name.
        assert_eq!((with("T", name), with("T", &format!("hcube_stock_{name}"))), (1, 1), "{name}");
    }
    for name in FFTW {
        // FFTW 3 has some of these names: not visible to libraries.
        assert_eq!((with("t", name), with("T", name)), (1, 0), "{name}");
    }
    for name in [
        "hcube_random_access_run",
        "hcube_fft_execute",
        "hcube_panels_wait",
        "hcube_stream_triad",
        "hcube_grid_transpose_execute",
    ] {
        assert_eq!(with("U", name), 1, "{name}");
    }
}

/// Kernels, their names in HCUBE_HPCC, and their titles.
const KERNELS: [(&str, &str); 5] = [
    ("ra", "RandomAccess update"),
    ("fft", "FFT"),
    ("hpl", "HPL broadcast"),
    ("stream", "STREAM"),
    ("ptrans", "PTRANS"),
];

/// The part of HPL in process columns, which is announced separately.
const COLUMNS: &str = "HPL pivots and swaps";

/// Functions of HPCC that hcube's replace at link time.
const REPLACED: [&str; 16] = [
    "AnyNodesMPIRandomAccessUpdate",
    "Power2NodesMPIRandomAccessUpdate",
    "HPCC_AnyNodesMPIRandomAccessUpdate_LCG",
    "HPCC_Power2NodesMPIRandomAccessUpdate_LCG",
    "HPCC_Stream",
    "PTRANS",
    "HPL_pdmxswp",
    "HPL_pdlaswp00N",
    "HPL_pdlaswp00T",
    "HPL_pdlaswp01N",
    "HPL_pdlaswp01T",
    "HPL_binit",
    "HPL_bcast",
    "HPL_bwait",
    "HPL_pdpanel_init",
    "HPL_pdpanel_free",
];

/// Functions of FFTW 2 that HPCC calls.
const FFTW: [&str; 9] = [
    "fftw_malloc",
    "fftw_free",
    "fftw_create_plan",
    "fftw_destroy_plan",
    "fftw_one",
    "fftw_mpi_create_plan",
    "fftw_mpi_destroy_plan",
    "fftw_mpi_local_sizes",
    "fftw_mpi",
];

/// Runs HPCC with these kernels, and checks that no others are hcube's.
fn select(name: &str, ranks: usize, kernels: &str) {
    let input = Input { columns: ranks, depth: 1, ..Input::default() };
    let folder = common::hpcc::folder(&format!("hpcc-select-{name}"), &input);
    let stderr = common::hpcc::run(program(), &folder, ranks, |launch| launch.env("HCUBE_HPCC", kernels));
    common::hpcc::passed(&folder, ranks);
    for (short, title) in KERNELS {
        let selected = kernels.split(',').any(|one| one == short);
        assert_eq!(common::hpcc::announces(&stderr, title), selected, "{title}:\n{stderr}");
    }
}

#[test]
fn each_kernel_can_be_selected() {
    for (short, _) in KERNELS {
        select(short, 2, short);
    }
    select("none", 2, "none");
    select("two", 2, "stream,ra");
}

#[test]
fn matrices_are_transposed_on_all_grids() {
    let grids = [(1, 1), (2, 1), (1, 2), (1, 3), (2, 2), (5, 1), (2, 3)];
    let in_memory = grids.map(|grid| (grid, "0"));
    for ((rows, columns), per_node) in
        in_memory.into_iter().chain([((1, 2), "1"), ((3, 1), "1"), ((2, 2), "1")])
    {
        let ranks = rows * columns;
        let input = Input { n: 517, block: 33, rows, columns, ..Input::default() };
        let folder = common::hpcc::folder(&format!("hpcc-ptrans-{rows}-{columns}-{per_node}"), &input);
        let stderr = common::hpcc::run(program(), &folder, ranks, |launch| {
            launch.env("HCUBE_HPCC", "ptrans").env("HCUBE_RANKS_PER_NODE", per_node)
        });
        common::hpcc::passed(&folder, ranks);
        let path = if per_node == "0" { "memory of the node" } else { "messages" };
        let announcement = common::hpcc::announcement(&stderr, "PTRANS");
        assert!(announcement.contains(path), "{announcement}");
        assert!(announcement.contains(&format!("{rows} x {columns} ranks")), "{announcement}");
    }
}

#[test]
fn an_unknown_kernel_is_refused() {
    let folder = common::hpcc::folder("hpcc-unknown", &Input { columns: 2, ..Input::default() });
    let launch = Launch::new(program(), 2).folder(&folder).env("HCUBE_HPCC", "ra,fftw");
    let outcome = launch.run();
    assert!(!outcome.status.success());
    let text = "HCUBE_HPCC: 'fftw' is unknown: expected a list of ra, fft, hpl, stream, ptrans, or none";
    assert_eq!(outcome.stderr.matches(text).count(), 1, "{}", outcome.stderr);
}

/// All kernels at once, on sizes, grids and numbers of ranks that are not even.
#[test]
fn all_kernels_serve_awkward_problems() {
    let all = Input { n: 517, block: 48, broadcast: 3, depth: 1, ..Input::default() };
    let mut problems =
        vec![(1, all), (2, Input { columns: 2, ..all }), (2, Input { rows: 2, depth: 0, ..all })];
    if Mpi::selected() == Mpi::Open {
        problems.push((3, Input { columns: 3, depth: 2, broadcast: 4, ..all }));
        problems.push((6, Input { rows: 2, columns: 3, broadcast: 0, ..all }));
        problems.push((8, Input { rows: 2, columns: 4, block: 33, ..all }));
    }
    for (number, (ranks, input)) in problems.into_iter().enumerate() {
        let folder = common::hpcc::folder(&format!("hpcc-awkward-{number}"), &input);
        let stderr = common::hpcc::run(program(), &folder, ranks, |launch| launch);
        common::hpcc::passed(&folder, ranks);
        for (short, title) in KERNELS {
            // Without a second column nothing is broadcast.
            if short != "hpl" || input.columns > 1 {
                common::hpcc::announcement(&stderr, title);
            }
        }
        assert_eq!(common::hpcc::announces(&stderr, COLUMNS), input.rows > 1, "{stderr}");
        assert!(!stderr.contains("HPCC's own code runs"), "{stderr}");
    }
}

/// Behind the last column all panels have the same root.
#[test]
fn matrices_of_fewer_columns_than_hpl_looks_ahead_are_solved() {
    let ranks = if Mpi::selected() == Mpi::Open { 8 } else { 2 };
    for (n, block, depth) in [(60, 80, 0), (60, 80, 1), (60, 80, 2), (60, 80, 3), (60, 25, 3)] {
        let input = Input { n, block, columns: ranks, depth, ..Input::default() };
        let folder = common::hpcc::folder(&format!("hpcc-small-{block}-{depth}"), &input);
        let stderr = common::hpcc::run(program(), &folder, ranks, |launch| launch);
        common::hpcc::solved(&folder);
        common::hpcc::announcement(&stderr, "HPL broadcast");
    }
}

/// Rows of HPL on nodes of one, two and three ranks, with each of its broadcasts.
#[test]
fn hpl_passes_panels_from_node_to_node() {
    let awkward = Input { n: 517, block: 48, ..Input::default() };
    let mut problems = vec![(1, 1, 2), (1, 1, 2)];
    if Mpi::selected() == Mpi::Open {
        problems = vec![(1, 1, 4), (1, 2, 4), (2, 1, 4), (2, 2, 4), (2, 3, 3), (1, 1, 3)];
    }
    for (broadcast, (rows, ranks_per_node, columns)) in problems.into_iter().enumerate() {
        let input = Input { rows, columns, broadcast, depth: broadcast % 4, ..awkward };
        let (folder, ranks) =
            (common::hpcc::folder(&format!("hpcc-nodes-{broadcast}"), &input), rows * columns);
        let stderr = common::hpcc::run(program(), &folder, ranks, |launch| {
            launch.env("HCUBE_RANKS_PER_NODE", &ranks_per_node.to_string()).env("HCUBE_HPCC", "ra,hpl")
        });
        common::hpcc::passed(&folder, ranks);
        common::hpcc::announcement(&stderr, "HPL broadcast");
        assert!(!stderr.contains("HPL broadcast not active"), "{stderr}");
    }
}

/// Pivots and row swaps on grids with several process rows, with HPL's swaps and forms of L1 and U in turn.
#[test]
fn process_columns_are_served_in_all_forms() {
    let grids: &[(usize, usize)] =
        if Mpi::selected() == Mpi::Open { &[(2, 1), (3, 1), (2, 2), (3, 2), (2, 4)] } else { &[(2, 1)] };
    for (index, &(rows, columns)) in grids.iter().enumerate() {
        for form in [index % 4, (index + 3) % 4] {
            let (block, depth) = if (form + columns) % 2 == 0 { (33, 1) } else { (48, 0) };
            let plain = [form % 2 == 1, form / 2 == 1];
            let swap = (form + rows) % 3;
            let input = Input { n: 517, rows, columns, block, depth, swap, plain, ..Input::default() };
            let folder = common::hpcc::folder(&format!("hpcc-columns-{rows}x{columns}-{form}"), &input);
            let change = |launch: Launch| launch.env("HCUBE_HPCC", "hpl");
            let stderr = common::hpcc::run(program(), &folder, rows * columns, change);
            common::hpcc::passed(&folder, rows * columns);
            let line = common::hpcc::announcement(&stderr, COLUMNS);
            assert!(line.contains(&format!("{rows} x {columns} ranks")), "{line}");
            assert!(!stderr.contains("HPCC's own code runs"), "{stderr}");
        }
    }
}

/// Rows and columns decide separately which of them hcube serves.
#[test]
fn process_columns_on_several_nodes_run_the_code_of_hpcc() {
    if Mpi::selected() != Mpi::Open {
        return;
    }
    for (rows, columns, limit, served) in [(2, 2, "1", false), (3, 2, "2", false), (2, 3, "2", true)] {
        let input = Input { n: 517, rows, columns, block: 48, depth: 1, ..Input::default() };
        let folder = common::hpcc::folder(&format!("hpcc-column-nodes-{rows}x{columns}"), &input);
        let change = |launch: Launch| launch.env("HCUBE_HPCC", "hpl").env("HCUBE_RANKS_PER_NODE", limit);
        let stderr = common::hpcc::run(program(), &folder, rows * columns, change);
        common::hpcc::passed(&folder, rows * columns);
        assert_eq!(common::hpcc::announces(&stderr, COLUMNS), served, "{stderr}");
        let reason = format!("{COLUMNS} not active, HPCC's own code runs: process column ");
        assert_eq!(stderr.contains(&reason), !served, "{stderr}");
    }
}

#[test]
fn hpcc_succeeds_through_shared_memory() {
    for ranks in 1..=if Mpi::selected() == Mpi::Open { 5 } else { 2 } {
        check(ranks, "auto", if ranks == 1 { "no communication" } else { "1 node, shared memory" });
    }
}

#[test]
fn hpcc_succeeds_by_messages() {
    let counts: &[usize] = if Mpi::selected() == Mpi::Open { &[2, 3, 4] } else { &[2] };
    for &ranks in counts {
        check(ranks, "message", "messages in ");
    }
}

/// The coarray runtime starts before the timed part, and ends with MPI.
#[test]
fn hpcc_succeeds_on_coarrays() {
    let counts: &[usize] = if Mpi::selected() == Mpi::Open { &[2, 3, 4] } else { &[2] };
    for &ranks in counts {
        check(ranks, "events", "coarrays, copies with events");
        check(ranks, "spawn", "coarrays, shipped functions");
    }
}

/// Runs HPCC with transforms by binary exchange; its error output.
fn binary_exchange(ranks: usize) -> String {
    let input = Input { columns: ranks, ..Input::default() };
    let folder = common::hpcc::folder(&format!("hpcc-binary-exchange-{ranks}"), &input);
    let launch = |launch: Launch| launch.env("HCUBE_FFT", "binary-exchange").env("HCUBE_HPCC", "fft");
    let stderr = common::hpcc::run(program(), &folder, ranks, launch);
    common::hpcc::passed(&folder, ranks);
    stderr
}

#[test]
fn hpcc_transforms_by_binary_exchange() {
    let counts: &[usize] = if Mpi::selected() == Mpi::Open { &[1, 2, 4, 8] } else { &[2] };
    for &ranks in counts {
        let stderr = binary_exchange(ranks);
        let announcement = common::hpcc::announcement(&stderr, "FFT");
        assert!(announcement.ends_with(", binary exchange"), "{announcement}");
        assert!(!stderr.contains("uses another algorithm"), "{stderr}");
    }
}

/// Of three ranks, HPCC transforms on two: their communicator is not that of the images.
#[test]
fn hpcc_transforms_in_six_steps_where_binary_exchange_is_not_possible() {
    if Mpi::selected() == Mpi::Open {
        let stderr = binary_exchange(3);
        let line = "HPCC FFT uses another algorithm: binary exchange on a communicator of 2 of 3 processes";
        assert_eq!(stderr.matches(line).count(), 1, "{stderr}");
        let announcement = common::hpcc::announcement(&stderr, "FFT");
        assert!(announcement.ends_with(", six steps"), "{announcement}");
    }
}

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

const ALL: [&str; 4] = ["ra", "fft", "hpl", "stream"];

/// HPCC's other algorithms, a real FFTW 2, no common symbols: hcube's kernels and HPCC's standard ones are still linked.
#[test]
fn flags_of_users_do_not_matter() {
    let headers = common::folder("hpcc-fftw2");
    fs::write(headers.join("fftw.h"), "#error the user's FFTW 2\n").expect("writable");
    let flags = "-fno-common -DRA_SANDIA_OPT2 -DHPCC_FFT_235 -DHPCC_FFTW_CHECK32 -DUSING_FFTW";
    let program = with_flags("hpcc-flags", &format!("{flags} -I{}", headers.display()), "");
    // Lengths of the factors 2, 3 and 5 leave no rank out.
    let ranks = if Mpi::selected() == Mpi::Open { 3 } else { 2 };
    for (kernels, expected) in [("ra,fft,hpl,stream", &ALL[..]), ("none", &[])] {
        let folder = row("hpcc-flags-run", ranks);
        let (active, stderr) = kernels_of(&program, &folder, ranks, "HCUBE_HPCC", kernels);
        assert_eq!(active, expected, "{stderr}");
        common::hpcc::passed(&folder, ranks);
        assert_eq!(common::hpcc::result(&folder, "MPIFFT_Procs"), ranks.to_string());
    }
}

/// Kernels of HPCC that use all threads of a rank are not replaced by those of one thread.
#[test]
fn threads_of_openmp_are_left_to_hpcc() {
    let flags = "-fopenmp -DRA_SANDIA_NOPT -DHPCC_MEMALLCTR";
    let program = with_flags("hpcc-openmp", flags, "-fopenmp");
    let folder = row("hpcc-openmp-2", 2);
    let (active, stderr) = kernels_of(&program, &folder, 2, "OMP_NUM_THREADS", "2");
    assert_eq!(active, ["ra", "hpl"], "{stderr}");
    for title in ["FFT", "STREAM"] {
        let line = format!(
            "HPCC {title} not active, HPCC's own code runs: it uses 2 threads per rank, and hcube's one"
        );
        assert_eq!(stderr.matches(&line).count(), 1, "{stderr}");
    }
    // Not HPCC's verdict: threads of its StarRandomAccess lose updates, more than are permitted in a small table.
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
