//! What a soak runs: the clients of the tests that check all their results, with random arguments.

use crate::common::chance::Chance;
use crate::common::preload::{c_client, preload_variable};
use crate::common::scalapack;
use crate::common::{Language, Launch, Mpi, bsp, by_mpi, client, fftw, gfortran};

/// A client of a system.
#[derive(Debug)]
pub struct Job {
    pub name: &'static str,
    /// Whether it can do its work several times in one process (tests/c/rounds.h).
    pub repeats: bool,
    /// A run of it on some ranks; none where the machine lacks what it needs.
    pub launch: fn(&mut Chance, usize) -> Option<Launch>,
}

impl Job {
    const fn once(name: &'static str, launch: fn(&mut Chance, usize) -> Option<Launch>) -> Self {
        Self { name, repeats: false, launch }
    }

    const fn again(name: &'static str, launch: fn(&mut Chance, usize) -> Option<Launch>) -> Self {
        Self { name, repeats: true, launch }
    }
}

/// All of them. Their names select them on the command line.
pub const JOBS: [Job; 21] = [
    Job::again("all-to-all", all_to_all),
    Job::again("all-to-all-in-one-buffer", in_one_buffer),
    Job::again("neighbours", neighbours),
    Job::again("nonblocking", |chance, ranks| {
        Some(requests(chance, client_of("nonblocking", ranks), "hcube"))
    }),
    Job::again("persistent", persistent),
    Job::once("preloaded", |_, ranks| {
        let program = c_client(Language::C11, Mpi::selected());
        Some(Launch::new("env", ranks).arg(preload_variable()).arg(program).arg("preload"))
    }),
    Job::once("preloaded-neighbours", preloaded_neighbours),
    Job::again("preloaded-nonblocking", |chance, ranks| {
        Some(requests(chance, preloaded("nonblocking", ranks), "preload"))
    }),
    Job::again("random-access", random_access),
    Job::again("transpose", |_, ranks| Some(client_of("transpose", ranks))),
    Job::again("grid-transpose", |_, ranks| Some(client_of("grid_transpose", ranks))),
    Job::again("fft", |_, ranks| Some(client_of("fft", ranks))),
    Job::once("fftw", fftw_plans),
    Job::again("gemm", |_, ranks| Some(client_of("gemm", ranks))),
    Job::once("pdgemm", pdgemm),
    Job::again("matmul", |_, ranks| Some(client_of("matmul", ranks))),
    Job::again("panels", |_, ranks| Some(client_of("panel", ranks))),
    Job::again("llcs", |_, ranks| Some(client_of("lcs", ranks))),
    Job::again("bsp", supersteps),
    Job::again("caf", |_, ranks| Some(client_of("caf", ranks))),
    Job::once("coarrays", coarrays),
];

fn client_of(name: &str, ranks: usize) -> Launch {
    Launch::client(name, ranks)
}

fn preloaded(name: &str, ranks: usize) -> Launch {
    Launch::new("env", ranks).arg(preload_variable()).arg(client(name, Language::C11))
}

fn seed(chance: &mut Chance) -> String {
    chance.from(1, 1 << 30).to_string()
}

/// Mostly a few bytes or elements, sometimes many.
fn length(chance: &mut Chance) -> String {
    let most = *chance.one(&[1, 30, 1000, 1000, 20_000, 200_000]);
    chance.from(1, most).to_string()
}

/// The path of exchanges: hcube's choice, or any path that it has.
fn by_any_path(chance: &mut Chance, launch: Launch) -> Launch {
    match *chance.one(&["", "", "shared", "single-copy", "message"]) {
        "" => launch,
        path => launch.env("HCUBE_PATH", path),
    }
}

fn all_to_all(chance: &mut Chance, ranks: usize) -> Option<Launch> {
    let cases = chance.from(5, 40).to_string();
    let launch = client_of("alltoall", ranks).args([seed(chance), cases, length(chance)]);
    Some(if chance.is(50) { launch.arg("sweep") } else { by_any_path(chance, launch) })
}

fn in_one_buffer(chance: &mut Chance, ranks: usize) -> Option<Launch> {
    let launch =
        client_of("alltoall_in_one_buffer", ranks).args([seed(chance), "20".to_owned(), length(chance)]);
    let memory = *chance.one(&["1k", "64k", "1m"]);
    Some(by_any_path(chance, launch.env("HCUBE_MEMORY", memory)))
}

fn neighbours(chance: &mut Chance, ranks: usize) -> Option<Launch> {
    let launch = neighbours_of(chance, client_of("neighbours", ranks), "hcube");
    Some(by_any_path(chance, launch))
}

fn preloaded_neighbours(chance: &mut Chance, ranks: usize) -> Option<Launch> {
    Some(neighbours_of(chance, preloaded("neighbours", ranks), "preload"))
}

fn neighbours_of(chance: &mut Chance, launch: Launch, how: &str) -> Launch {
    let launch = launch.args([seed(chance), "9".to_owned(), length(chance), how.to_owned()]);
    // MPICH 4.0.2 ends programs in MPI_Neighbor_alltoallw with derived datatypes, also without hcube.
    if Mpi::selected().name() == "mpich" { launch.arg("without-alltoallw") } else { launch }
}

fn requests(chance: &mut Chance, launch: Launch, how: &str) -> Launch {
    let (rounds, requests) = (chance.from(1, 5).to_string(), chance.from(1, 6).to_string());
    let launch = launch.args([seed(chance), rounds, requests, length(chance), how.to_owned()]);
    launch.env("HCUBE_PATH", "single-copy")
}

/// Open MPI 4 has no persistent collective operations.
fn persistent(chance: &mut Chance, ranks: usize) -> Option<Launch> {
    let has_them = Mpi::selected().name() != "openmpi";
    has_them.then(|| requests(chance, client_of("persistent", ranks), "hcube"))
}

fn random_access(chance: &mut Chance, ranks: usize) -> Option<Launch> {
    let mut case = |_| {
        let stream = chance.one(&["polynomial", "lcg"]);
        let count = chance.one(&["hpcc", "hpcc", "uneven", "few", "none"]);
        let look_ahead = *chance.one(&[1, 7, 64, 1024, 5000]);
        format!(
            "table={},stream={stream},count={count},look_ahead={look_ahead},mode={},relaxed={}",
            chance.from(4, 13),
            chance.from(0, 5),
            chance.from(0, 1)
        )
    };
    let cases: Vec<String> = (0..4).map(&mut case).collect();
    Some(client_of("update", ranks).args(cases))
}

/// FFTW's planner exchanges many messages, which takes long where ranks share cores.
fn fftw_plans(chance: &mut Chance, ranks: usize) -> Option<Launch> {
    if !fftw::ranks().contains(&ranks) {
        return None;
    }
    let launch = |name: &str| fftw::always(name, fftw::Precision::Double, ranks);
    Some(match chance.below(3) {
        0 => launch("fftw_dft").arg(seed(chance)),
        1 => launch("fftw_transpose").args(["communicators".to_owned(), seed(chance), "10".to_owned()]),
        _ => launch("fftw_transpose").args(["shapes".to_owned(), seed(chance), "20".to_owned()]),
    })
}

fn pdgemm(chance: &mut Chance, ranks: usize) -> Option<Launch> {
    let program = scalapack::client("pblas", "", &[])?;
    let forms = ["r", "c", "p", "d"];
    let grids = (1..=ranks).filter(|rows| ranks.is_multiple_of(*rows));
    let grids: Vec<String> =
        grids.map(|rows| format!("{rows}x{}{}", ranks / rows, chance.one(&forms))).collect();
    let launch = scalapack::stock("env", ranks).arg(scalapack::preload_variable()).arg(program);
    let launch = launch.args([seed(chance), by_mpi("60", "20").to_owned()]).args(grids);
    Some(if chance.is(50) { launch.env("HCUBE_GEMM_BLOCK", "5") } else { launch })
}

fn supersteps(chance: &mut Chance, ranks: usize) -> Option<Launch> {
    let programs = chance.from(1, 6).to_string();
    let segment = chance.one(&["7", "300", "5000"]);
    let launch = bsp::launch("bsp/random", ranks).args([seed(chance), programs, (*segment).to_owned()]);
    Some(if chance.is(30) { launch.env("HCUBE_BSP_SINGLE_COPY", "0") } else { launch })
}

fn coarrays(chance: &mut Chance, ranks: usize) -> Option<Launch> {
    if !gfortran::has_compiler() {
        return None;
    }
    // Few of them, because compiling one takes longer than running it.
    let number = chance.from(1, 200) as u64;
    let (kind, text) = if chance.is(50) {
        ("arrays", gfortran::arrays::program(number))
    } else {
        ("components", gfortran::components::program(number))
    };
    if is_compiled_wrongly(&text) {
        return None;
    }
    Some(Launch::new(gfortran::random(&format!("random-{kind}-{number}"), &text)?, ranks))
}

/// gfortran 12 assigns to a copy of a static complex scalar that other images access.
fn is_compiled_wrongly(program: &str) -> bool {
    let scalar = |line: &str| {
        let name = line.trim_start().strip_prefix("complex(")?.split_once(", save :: ")?.1;
        name.split_once('[').map(|(name, _)| !name.contains('('))
    };
    program.lines().any(|line| scalar(line) == Some(true))
}

#[test]
fn programs_that_are_compiled_wrongly_are_known() {
    assert!(is_compiled_wrongly("program p\n  complex(4), save :: a4[0:*]\n"));
    for right in
        ["complex(4), save :: a4(1)[0:*]", "complex(4), allocatable :: a4[:]", "real(4), save :: a[*]"]
    {
        assert!(!is_compiled_wrongly(right), "{right}");
    }
}
