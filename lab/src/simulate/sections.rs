//! The runs of each section. Runs with equal machine and ranks share a simulation.

use super::arguments::{Arguments, Section, System};
use super::place::{BYTES, Place};
use super::results::{Alltoall, Batch, Case, RandomAccess};
use super::{bsp, bsp_programs, caf, fft, gemm, hpl, lcs, out_of_place};
use hcube_results::alltoall::RING_OUT_OF_PLACE;
use hcube_results::published::{self, COARRAY_MACHINE, MACHINE};
use hcube_tool::session::Failure;

/// Ranks from which every case is a separate simulation: each takes minutes and is lost if the simulation fails.
const MIN_RANKS_SEPARATE: usize = 512;

/// Ranks up to which the mode `spawn` is simulated.
const MAX_RANKS_SPAWN: usize = 64;

/// All simulations of a section.
pub fn batches(section: Section, arguments: &Arguments) -> Result<Vec<Batch>, Failure> {
    if section.system() == System::Gemm {
        return gemm::cases::batches(section, arguments);
    }
    let split = |batch: Batch| {
        let size = if batch.ranks < MIN_RANKS_SEPARATE { batch.cases.len() } else { 1 };
        let cases: Vec<_> = batch.cases.chunks(size).map(<[Case]>::to_vec).collect();
        cases.into_iter().map(move |cases| Batch { cases, ..batch.clone() })
    };
    let full = arguments.full;
    let mut all = Vec::new();
    for shape in shapes(section, full) {
        let place = Place::new(section, arguments, shape)?;
        match section {
            Section::OutOfPlace => all.extend(out_of_place::batches(&place)),
            Section::Supersteps => all.extend(bsp::cases::batches(&place)),
            Section::Teams => all.extend(caf::cases::teams(&place, full)),
            Section::CoarrayUpdates => all.extend(caf::cases::updates(&place, full)),
            Section::Fft => all.extend(fft::cases::batches(&place, full)),
            Section::Hpl => all.extend(hpl::cases::batches(&place, full)),
            Section::Lcs => all.extend(lcs::cases::batches(&place, full)),
            Section::BspPrograms => all.extend(bsp_programs::cases::batches(&place, full)?),
            _ => all
                .extend(place.batches(|place, ranks| cases(place, ranks, full)).into_iter().flat_map(split)),
        }
    }
    Ok(all)
}

/// Machine, numbers of ranks, ranks per node.
type Shape = (&'static str, &'static [usize], usize);

/// The machines and ranks of a section; the default takes a few minutes for all sections.
fn shapes(section: Section, full: bool) -> Vec<Shape> {
    let sizes = |default: &'static [usize], all: &'static [usize]| if full { all } else { default };
    let clusters = |ranks: &'static [usize]| vec![("juropa", ranks, 8), ("juqueen", ranks, 16)];
    match section {
        Section::Ranks => {
            const ALL: [usize; 12] = [1, 4, 16, 64, 200, 256, 300, 1024, 2048, 4096, 8192, 10_240];
            const DEFAULT: [usize; 10] = [1, 4, 16, 64, 200, 256, 300, 1024, 4096, 8192];
            vec![(MACHINE, sizes(&DEFAULT, &ALL), 1)]
        }
        Section::LookAhead => vec![(MACHINE, &[32], 1)],
        Section::Optimisations => vec![(MACHINE, sizes(&[4, 32], &[1, 2, 4, 8, 16, 32]), 1)],
        Section::Dimensions => vec![(MACHINE, sizes(&[64, 256], &[64, 256, 1024]), 1)],
        Section::Nodes => {
            let per_node = [
                (2, sizes(&[8], &[8, 512])),
                (4, sizes(&[128], &[128, 512])),
                (8, sizes(&[128], &[128, 512])),
                (16, sizes(&[64, 256], &[64, 256, 1024])),
                (64, sizes(&[256], &[256, 1024])),
                (128, sizes(&[256], &[256, 512, 1024])),
            ];
            let on = |machine| per_node.map(|(per_node, ranks)| (machine, ranks, per_node));
            ["juropa", "juqueen"].into_iter().flat_map(on).collect()
        }
        Section::Schedules => {
            clusters(sizes(&[2, 8, 16, 32, 64, 128], &[2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]))
        }
        Section::Memory => vec![("juropa", sizes(&[16, 64], &[16, 32, 64, 128]), 8)],
        Section::AlltoallNodes => clusters(sizes(&[32, 64], &[32, 64, 128])),
        Section::Small => clusters(sizes(&[16, 32, 64], &[16, 32, 64, 128])),
        Section::OutOfPlace => {
            let ranks = sizes(&[16, 32, 64, 128], &[16, 32, 64, 128, 256]);
            vec![("juropa", ranks, 8), ("juqueen", &ranks[1..], 16)]
        }
        Section::Supersteps => clusters(sizes(&[32, 128, 512], &[32, 128, 512, 1024])),
        Section::Teams => vec![(COARRAY_MACHINE, sizes(&[64, 512], &[64, 512, 4096, 8192]), 4)],
        Section::CoarrayUpdates => {
            vec![(COARRAY_MACHINE, &[1, 4, 16, 64, 256, 1024, 4096], 4)]
        }
        Section::CoarrayModes | Section::Hpl => {
            let franklin = (COARRAY_MACHINE, sizes(&[4, 16, 64, 256], &[4, 16, 64, 256, 1024, 4096]), 4);
            vec![franklin, ("fat-nodes", sizes(&[64, 256], &[64, 256, 1024, 4096]), 64)]
        }
        Section::Fft => {
            let franklin = (COARRAY_MACHINE, sizes(&[4, 16, 64, 256], &[4, 16, 64, 256, 1024]), 4);
            vec![franklin, ("fat-nodes", sizes(&[64], &[64, 256]), 64)]
        }
        Section::Lcs => {
            let ranks = sizes(&[64, 256], &[64, 256, 1024]);
            vec![("juropa", ranks, 8), ("fat-nodes", ranks, 64)]
        }
        Section::BspPrograms => {
            // Every message of the published machines is one of their network.
            let published = [
                ("aracari-oxtool", [4, 8, 10, 16, 32].as_slice(), 1),
                ("argus-oxtool", &[4, 10], 1),
                ("skua-oxtool", &[4, 8, 10, 16, 32], 1),
            ];
            published.into_iter().chain([("fat-nodes", [256, 1024].as_slice(), 64)]).collect()
        }
        Section::Groups | Section::Latency | Section::Chosen | Section::FatNodes => Vec::new(),
    }
}

/// The cases of a section on a number of ranks.
fn cases(place: &Place<'_>, ranks: usize, full: bool) -> Vec<Case> {
    match place.section {
        Section::Ranks => over_ranks(place, ranks, full),
        Section::LookAhead => updates(published::TABLE_4, |(look_ahead, gups)| RandomAccess {
            look_ahead,
            relaxed: true,
            optimisations: 0,
            published_gups: (place.is_published() && ranks == 32).then_some(gups),
            ..place.random_access(ranks, "message")
        }),
        Section::Optimisations => updates(published::OPTIMISATIONS, |optimisations| RandomAccess {
            optimisations,
            relaxed: true,
            ..place.random_access(ranks, "message")
        }),
        Section::Dimensions => {
            let log2 = ranks.next_power_of_two().ilog2();
            // In one dimension every rank sends to every other: only up to 256 ranks.
            let sensible = |&dimensions: &u32| dimensions > 1 || ranks <= 256;
            let dimensions = [1, 2, 3, log2].into_iter().filter(sensible);
            updates(dimensions, |dimensions| RandomAccess {
                dimensions,
                ..place.random_access(ranks, "message")
            })
        }
        Section::Nodes => {
            updates(["auto", "message", "node", "three-hop"], |mode| place.random_access(ranks, mode))
        }
        Section::CoarrayModes => updates(coarray_modes(ranks), |mode| {
            let is_machine = place.machine.name == COARRAY_MACHINE;
            let published = Some(published::COARRAYS)
                .filter(|&(images, _)| is_machine && images == ranks && mode == "events");
            RandomAccess {
                published_gups: published.map(|(_, gups)| gups),
                ..place.random_access(ranks, mode)
            }
        }),
        Section::Schedules => {
            // Without additional memory on every number of ranks, as the paper's algorithms in section 4.2: a line over
            // ranks has one condition. With memory for all blocks, simulations take long besides: SimGrid redistributes the
            // bandwidth among all active messages whenever one ends, more than 4 minutes of a core on 256 ranks instead of
            // 17 s.
            let all = ["mpich", "linear-shift", "hierarchical-sets", RING_OUT_OF_PLACE];
            exchanges(all, |algorithm| Alltoall { memory: 0, ..place.alltoall(ranks, algorithm) })
        }
        Section::Memory => {
            let with = |algorithm| {
                [0, 64 << 10, 256 << 10, BYTES]
                    .map(|memory| Alltoall { memory, ..place.alltoall(ranks, algorithm) })
            };
            exchanges(["mpich", "linear-shift", "hierarchical-sets"].into_iter().flat_map(with), |case| case)
        }
        Section::AlltoallNodes => {
            exchanges(["auto", "message"], |path| Alltoall { path, ..place.alltoall(ranks, "auto") })
        }
        Section::Small => {
            let block = |bytes: u64| {
                let bytes_per_rank = bytes * (ranks as u64 - 1);
                ["hypercube", "hierarchical-sets"]
                    .map(|name| Alltoall { bytes_per_rank, ..place.alltoall(ranks, name) })
            };
            exchanges([8, 16, 32, 64, 256].into_iter().flat_map(block), |case| case)
        }
        Section::Groups
        | Section::Latency
        | Section::Chosen
        | Section::FatNodes
        | Section::OutOfPlace
        | Section::Supersteps
        | Section::Teams
        | Section::CoarrayUpdates
        | Section::Fft
        | Section::Hpl
        | Section::Lcs
        | Section::BspPrograms => Vec::new(),
    }
}

fn updates<T>(all: impl IntoIterator<Item = T>, case: impl Fn(T) -> RandomAccess) -> Vec<Case> {
    all.into_iter().map(case).map(Case::RandomAccess).collect()
}

fn exchanges<T>(all: impl IntoIterator<Item = T>, case: impl Fn(T) -> Alltoall) -> Vec<Case> {
    all.into_iter().map(case).map(Case::Alltoall).collect()
}

/// The modes beside the paper's figure. Of shipped functions to many images nearly each is a message of its own, with an
/// answer, which takes the simulator long.
fn coarray_modes(ranks: usize) -> impl Iterator<Item = &'static str> {
    let spawn = (ranks <= MAX_RANKS_SPAWN).then_some("spawn");
    ["auto", "events"].into_iter().chain(spawn)
}

/// The paper's algorithm, hcube's default, and hcube with the paper's rounds.
fn over_ranks(place: &Place<'_>, ranks: usize, full: bool) -> Vec<Case> {
    let of_paper = place.is_published().then_some(ranks);
    let published = of_paper.and_then(published::over_ranks);
    let hcube = place.random_access(ranks, "message");
    let relaxed = RandomAccess {
        relaxed: true,
        published_gups: of_paper.and_then(super::published::optimised),
        ..hcube.clone()
    };
    let plain = RandomAccess {
        optimisations: 0,
        published_gups: published.map(|rate| rate.hypercube),
        published_model_gups: published.and_then(|rate| rate.model),
        ..relaxed.clone()
    };
    if ranks > 4096 && !full {
        // Each takes a minute of a core.
        return updates([plain, hcube], |case| case);
    }
    updates([plain, hcube, relaxed], |case| case)
}
