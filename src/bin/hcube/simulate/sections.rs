//! Which runs a section is made of. Runs of equal machine and ranks share a simulation.

use super::arguments::{Arguments, Section};
use super::published;
use super::results::{Alltoall, Case, RandomAccess};

/// Cases that one simulation runs one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    pub machine: String,
    pub ranks: usize,
    pub ranks_per_node: usize,
    pub cases: Vec<Case>,
}

/// The look-ahead of HPCC's rules.
const LOOK_AHEAD: u64 = 1024;
/// All of HCUBE_OPTIMISATIONS_ALL.
const ALL_OPTIMISATIONS: u32 = 15;
/// Words of the table per rank: small, so that the check of all words takes no time.
pub const LOG2_WORDS: u32 = 10;
/// Bytes of a rank for all others together where a section is not about sizes.
const BYTES: u64 = 1 << 20;

/// A section on one machine.
struct Place<'a> {
    section: Section,
    arguments: &'a Arguments,
    machine: &'a str,
    ranks: &'a [usize],
    ranks_per_node: usize,
}

impl Place<'_> {
    fn batches(&self, cases: impl Fn(&Self, usize) -> Vec<Case>) -> Vec<Batch> {
        let ranks = self.arguments.ranks.as_ref().map_or(self.ranks, |ranks| &ranks.0);
        let batch = |&ranks: &usize| Batch {
            machine: self.machine().to_owned(),
            ranks,
            ranks_per_node: self.per_node(),
            cases: cases(self, ranks),
        };
        ranks.iter().map(batch).filter(|batch| !batch.cases.is_empty()).collect()
    }

    fn machine(&self) -> &str {
        self.arguments.machine.as_deref().unwrap_or(self.machine)
    }

    fn per_node(&self) -> usize {
        self.arguments.ranks_per_node.map_or(self.ranks_per_node, |ranks| ranks as usize)
    }

    fn random_access(&self, ranks: usize, mode: &'static str) -> RandomAccess {
        RandomAccess {
            section: self.section.name(),
            machine: self.machine().to_owned(),
            ranks,
            ranks_per_node: self.per_node(),
            mode,
            dimensions: 0,
            optimisations: ALL_OPTIMISATIONS,
            look_ahead: LOOK_AHEAD,
            relaxed: false,
            updates: 0,
            log2_table: ranks.next_power_of_two().ilog2() + LOG2_WORDS,
            seconds: 0.0,
            gups: 0.0,
            errors: 0,
            messages: 0,
            message_bytes: 0,
            plan: String::new(),
            links_shared: true,
            published_gups: None,
            published_model_gups: None,
        }
    }

    fn alltoall(&self, ranks: usize, algorithm: &'static str) -> Alltoall {
        Alltoall {
            section: self.section.name(),
            machine: self.machine().to_owned(),
            ranks,
            ranks_per_node: self.per_node(),
            algorithm,
            path: "message",
            memory: BYTES,
            bytes_per_rank: BYTES,
            seconds: 0.0,
            errors: 0,
            way: None,
            links_shared: true,
        }
    }
}

/// Ranks from which every case is a simulation of its own: it takes minutes, and is lost with one that fails.
const ALONE_FROM: usize = 512;

/// All simulations of a section.
pub fn batches(section: Section, arguments: &Arguments) -> Vec<Batch> {
    let split = |batch: Batch| {
        let size = if batch.ranks < ALONE_FROM { batch.cases.len() } else { 1 };
        let cases: Vec<_> = batch.cases.chunks(size).map(<[Case]>::to_vec).collect();
        cases.into_iter().map(move |cases| Batch { cases, ..batch.clone() })
    };
    together(section, arguments).into_iter().flat_map(split).collect()
}

fn together(section: Section, arguments: &Arguments) -> Vec<Batch> {
    let full = arguments.full;
    let sizes = |default: &'static [usize], all: &'static [usize]| if full { all } else { default };
    let on = |machine, ranks, ranks_per_node| Place { section, arguments, machine, ranks, ranks_per_node };
    let clusters = [("juropa", 8), ("juqueen", 16)];
    match section {
        Section::Ranks => {
            const ALL: [usize; 12] = [1, 4, 16, 64, 200, 256, 300, 1024, 2048, 4096, 8192, 10_240];
            const DEFAULT: [usize; 10] = [1, 4, 16, 64, 200, 256, 300, 1024, 4096, 8192];
            on("red-storm", sizes(&DEFAULT, &ALL), 1).batches(|place, ranks| {
                let (measured, model) = published::over_ranks(ranks);
                // The paper's algorithm, hcube's default, and that with rounds as large as the paper's.
                let hcube = place.random_access(ranks, "message");
                let optimised = published::optimised(ranks);
                let relaxed = RandomAccess { relaxed: true, published_gups: optimised, ..hcube.clone() };
                let plain = RandomAccess {
                    optimisations: 0,
                    published_gups: measured,
                    published_model_gups: model,
                    ..relaxed.clone()
                };
                if ranks > 4096 && !full {
                    // A minute of a core for each.
                    return vec![Case::RandomAccess(plain), Case::RandomAccess(hcube)];
                }
                [plain, hcube, relaxed].map(Case::RandomAccess).into()
            })
        }
        Section::LookAhead => on("red-storm", &[32], 1).batches(|place, ranks| {
            let with = |&(look_ahead, gups): &(u64, f64)| RandomAccess {
                look_ahead,
                relaxed: true,
                optimisations: 0,
                published_gups: (ranks == 32).then_some(gups),
                ..place.random_access(ranks, "message")
            };
            published::OVER_LOOK_AHEAD.iter().map(with).map(Case::RandomAccess).collect()
        }),
        Section::Optimisations => {
            on("red-storm", sizes(&[4, 32], &[1, 2, 4, 8, 16, 32]), 1).batches(|place, ranks| {
                let with = |&optimisations| RandomAccess {
                    optimisations,
                    relaxed: true,
                    ..place.random_access(ranks, "message")
                };
                published::OPTIMISATIONS.iter().map(with).map(Case::RandomAccess).collect()
            })
        }
        Section::Dimensions => {
            on("red-storm", sizes(&[64, 256], &[64, 256, 1024]), 1).batches(|place, ranks| {
                // Of one dimension every rank sends to every other: at most 256.
                let log2 = ranks.next_power_of_two().ilog2();
                let dimensions =
                    [1, 2, 3, log2].into_iter().filter(|&dimensions| dimensions > 1 || ranks <= 256);
                dimensions
                    .map(|dimensions| RandomAccess { dimensions, ..place.random_access(ranks, "message") })
                    .map(Case::RandomAccess)
                    .collect()
            })
        }
        Section::Nodes => {
            let mut all = Vec::new();
            for (machine, _) in clusters {
                for (per_node, ranks) in [
                    (16, sizes(&[64], &[64, 256, 1024])),
                    (64, sizes(&[256], &[256, 1024])),
                    (128, sizes(&[256], &[512, 1024])),
                ] {
                    all.extend(on(machine, ranks, per_node).batches(|place, ranks| {
                        let modes = ["auto", "message", "node", "three-hop"];
                        modes.map(|mode| Case::RandomAccess(place.random_access(ranks, mode))).into()
                    }));
                }
            }
            all
        }
        Section::Schedules => over_clusters(&clusters, |machine, per_node| {
            on(machine, sizes(&[2, 8, 16, 32, 64], &[2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]), per_node)
                .batches(|place, ranks| {
                    let algorithms = [
                        "mpich",
                        "linear-shift",
                        "hierarchical-sets",
                        "auto",
                        "library-in-place",
                        "library-out-of-place",
                    ];
                    algorithms.map(|algorithm| Case::Alltoall(place.alltoall(ranks, algorithm))).into()
                })
        }),
        Section::Memory => {
            on("juropa", sizes(&[16, 64], &[16, 32, 64, 128, 256]), 8).batches(|place, ranks| {
                let with = |memory| Alltoall { memory, ..place.alltoall(ranks, "hierarchical-sets") };
                [64 << 10, 256 << 10, BYTES, 4 * BYTES].map(with).map(Case::Alltoall).into()
            })
        }
        Section::AlltoallNodes => over_clusters(&clusters, |machine, per_node| {
            on(machine, sizes(&[32, 64], &[32, 64, 128, 256]), per_node).batches(|place, ranks| {
                let with = |path| Alltoall { path, ..place.alltoall(ranks, "auto") };
                ["auto", "message"].map(with).map(Case::Alltoall).into()
            })
        }),
        Section::Small => over_clusters(&clusters, |machine, per_node| {
            on(machine, sizes(&[16, 32, 64], &[2, 4, 8, 16, 32, 64, 128, 256, 512]), per_node).batches(
                |place, ranks| {
                    let algorithms = ["hypercube", "hierarchical-sets", "library-in-place"];
                    let block = |bytes: u64| {
                        let bytes_per_rank = bytes * (ranks as u64 - 1);
                        algorithms.map(|name| Alltoall { bytes_per_rank, ..place.alltoall(ranks, name) })
                    };
                    [8, 32, 64, 256].into_iter().flat_map(block).map(Case::Alltoall).collect()
                },
            )
        }),
    }
}

fn over_clusters(
    clusters: &[(&'static str, usize)],
    batches: impl Fn(&'static str, usize) -> Vec<Batch>,
) -> Vec<Batch> {
    clusters.iter().flat_map(|&(machine, per_node)| batches(machine, per_node)).collect()
}
