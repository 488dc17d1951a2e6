//! The official HPCC 1.5.0 with hcube linked in, on small tables.
//!
//! HPCC's result file does not tell whose kernels ran, so the messages on the error stream and the symbols of
//! the program are checked as well.

use hcube_testing as common;

mod fallbacks;
mod flags;
mod hpl;

use common::hpcc::{Input, program};
use common::{Launch, Mpi, by_mpi, output};
use std::path::Path;
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

/// Functions of HPCC that hcube's replace at link time.
const REPLACED: [&str; 11] = [
    "AnyNodesMPIRandomAccessUpdate",
    "Power2NodesMPIRandomAccessUpdate",
    "HPCC_AnyNodesMPIRandomAccessUpdate_LCG",
    "HPCC_Power2NodesMPIRandomAccessUpdate_LCG",
    "HPCC_Stream",
    "PTRANS",
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

/// That hcube says so of every kernel, once.
fn all_are_served(stderr: &str) {
    for (_, title) in KERNELS {
        common::hpcc::announcement(stderr, title);
    }
    assert!(!stderr.contains("HPCC's own code runs"), "{stderr}");
}

/// Runs HPCC with these kernels, and checks that no others are hcube's.
fn select(name: &str, ranks: usize, kernels: &str) {
    let input = Input { columns: ranks, depth: 1, ..Input::default() };
    let stderr = common::hpcc::passes(&format!("hpcc-select-{name}"), &input, ranks, |launch| {
        launch.env("HCUBE_HPCC", kernels)
    });
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
    let in_memory = grids.map(|grid| (grid, 0, "0"));
    let by_messages = [((1, 2), 0, "1"), ((3, 1), 0, "1"), ((2, 2), 0, "1")];
    // HPCC draws several grids; each leaves one or two ranks out.
    let beside = [((2, 2), 1, "0"), ((1, 2), 2, "0"), ((2, 2), 1, "1")];
    for ((rows, columns), others, per_node) in in_memory.into_iter().chain(by_messages).chain(beside) {
        let ranks = rows * columns + others;
        // MPICH never yields: more ranks than cores take minutes.
        if Mpi::selected() == Mpi::Mpich && ranks > 2 {
            continue;
        }
        let input = Input { n: 517, block: 33, rows, columns, ..Input::default() };
        let name = format!("hpcc-ptrans-{rows}-{columns}-of-{ranks}-{per_node}");
        let folder = common::hpcc::folder(&name, &input);
        let stderr = common::hpcc::run(program(), &folder, ranks, |launch| {
            launch.env("HCUBE_HPCC", "ra,ptrans").env("HCUBE_RANKS_PER_NODE", per_node)
        });
        if others == 0 {
            common::hpcc::passed(&folder, ranks);
        } else {
            // Rank 0 may be in none of the grids; then HPCC has the verdicts, but no residual.
            assert_eq!(common::hpcc::result(&folder, "Success"), "1");
            common::hpcc::solved(&folder);
        }
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
        let stderr = common::hpcc::passes(&format!("hpcc-awkward-{number}"), &input, ranks, |launch| launch);
        for (short, title) in KERNELS {
            // Without a second column nothing is broadcast.
            if short != "hpl" || input.columns > 1 {
                common::hpcc::announcement(&stderr, title);
            }
        }
        assert!(!stderr.contains("HPCC's own code runs"), "{stderr}");
    }
}

/// Several sizes, blocks, grids, broadcasts and depths in one input, grids by columns, and a further size of
/// PTRANS.
#[test]
fn all_kernels_serve_several_problems_in_one_run() {
    let ranks = by_mpi(3, 2);
    let folder = common::hpcc::folder("hpcc-several", &Input { columns: ranks, ..Input::default() });
    let list = |of: [usize; 3]| of.map(|value| value.to_string()).join(" ");
    common::hpcc::change(
        &folder,
        &[
            ("number of problem sizes", "2"),
            ("N", "300 517"),
            ("number of block sizes", "2"),
            ("NB", "33 80"),
            ("process mapping by rows", "1"),
            ("number of grids", "3"),
            ("P", &list([1, ranks, 1])),
            ("Q", &list([ranks, 1, 2])),
            ("broadcasts", "6"),
            ("broadcast", "0 1 2 3 4 5"),
            ("look-ahead depths", "2"),
            ("depth", "0 2"),
            ("further sizes for PTRANS", "1"),
            ("sizes", "211"),
        ],
    );
    let stderr = common::hpcc::run(program(), &folder, ranks, |launch| launch);
    common::hpcc::passed(&folder, ranks);
    all_are_served(&stderr);
}

/// All kernels between nodes: one rank on each.
#[test]
fn all_kernels_serve_by_messages() {
    let input = Input { n: 517, block: 48, columns: 2, depth: 1, ..Input::default() };
    let stderr =
        common::hpcc::passes("hpcc-messages", &input, 2, |launch| launch.env("HCUBE_RANKS_PER_NODE", "1"));
    all_are_served(&stderr);
}

#[test]
fn hpcc_succeeds_through_shared_memory() {
    for ranks in 1..=by_mpi(5, 2) {
        check(ranks, "auto", if ranks == 1 { "no communication" } else { "1 node, shared memory" });
    }
}

#[test]
fn hpcc_succeeds_by_messages() {
    for &ranks in by_mpi(&[2, 3, 4][..], &[2]) {
        check(ranks, "message", "messages in ");
    }
}

/// The coarray runtime starts before the timed part, and ends with MPI.
#[test]
fn hpcc_succeeds_on_coarrays() {
    for &ranks in by_mpi(&[2, 3, 4][..], &[2]) {
        check(ranks, "events", "coarrays, copies with events");
        check(ranks, "spawn", "coarrays, shipped functions");
    }
}

/// Runs HPCC with transforms by binary exchange; its error output.
fn binary_exchange(ranks: usize) -> String {
    let input = Input { columns: ranks, ..Input::default() };
    let launch = |launch: Launch| launch.env("HCUBE_FFT", "binary-exchange").env("HCUBE_HPCC", "ra,fft");
    common::hpcc::passes(&format!("hpcc-binary-exchange-{ranks}"), &input, ranks, launch)
}

#[test]
fn hpcc_transforms_by_binary_exchange() {
    for &ranks in by_mpi(&[1, 2, 4, 8][..], &[2]) {
        let stderr = binary_exchange(ranks);
        let announcement = common::hpcc::announcement(&stderr, "FFT");
        assert!(announcement.ends_with(", binary exchange"), "{announcement}");
        assert!(!stderr.contains("uses another algorithm"), "{stderr}");
    }
}

/// HPCC transforms on two of three ranks: their communicator is not congruent to MPI_COMM_WORLD.
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

/// Launchers may pass variables to some ranks only: the variables of rank 0 are used, and no rank waits for
/// another.
#[test]
fn variables_of_transforms_are_those_of_the_first_rank() {
    let run = |name: &str, change: &str| {
        let script = format!("case ${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}} in {change};; esac; exec \"$@\"");
        let folder =
            common::hpcc::folder(&format!("hpcc-fft-{name}"), &Input { columns: 2, ..Input::default() });
        let launch =
            |launch: Launch| launch.args(["-c", &script, "sh"]).arg(program()).env("HCUBE_HPCC", "ra,fft");
        let stderr = common::hpcc::run(Path::new("sh"), &folder, 2, launch);
        common::hpcc::passed(&folder, 2);
        assert!(!stderr.contains("uses another algorithm"), "{stderr}");
        common::hpcc::announcement(&stderr, "FFT")
    };
    for (name, change, algorithm) in [
        ("first", "0) export HCUBE_FFT=binary-exchange", ", binary exchange"),
        ("second", "1) export HCUBE_FFT=binary-exchange", ", six steps"),
        ("radix", "0) export HCUBE_FFT=binary-exchange HCUBE_FFT_RADIX=4", ", binary exchange"),
        ("refused", "1) export HCUBE_FFT=unknown", ", six steps"),
    ] {
        let announcement = run(name, change);
        assert!(announcement.ends_with(algorithm), "{change}: {announcement}");
    }
}
