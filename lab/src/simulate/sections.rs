//! The sections: machines and ranks, what runs there, and the table of the results.

use super::arguments::{Arguments, Section};
use super::place::{Place, Shape};
use super::results::{Case, Results};
use super::row::Batch;
use super::{
    alltoall, alltoallv, bsp, bsp_programs, buckets, caf, fft, gemm, hosts, hpl, lcs, published,
    random_access,
};
use hcube_results::machine::Machine;
use hcube_results::published::{COARRAY_MACHINE, MACHINE};

/// Ranks from which every case is a separate simulation: each takes minutes and is lost if the simulation
/// fails.
const MIN_RANKS_SEPARATE: usize = 512;

/// Hosts of one machine with each MPI library; the first two by default.
const HOSTS: [&str; 4] = ["hosts-openmpi", "hosts-mpich", "hosts-openmpi5", "hosts-mpich5"];

type Batches = Result<Vec<Batch<Case>>, String>;

/// A section.
struct Part {
    /// The machines and ranks; the default takes a few minutes for all sections. Products have machines of
    /// their own.
    shapes: Vec<Shape>,
    /// The simulations of a place.
    batches: fn(&Place<'_>, bool) -> Batches,
    /// The table of its rows on a machine.
    table: fn(&Results, &str, &Machine) -> String,
    /// What is published and has no column.
    published: &'static str,
}

/// All batches as cases of a kind.
fn kind<T>(batches: Vec<Batch<T>>, kind: fn(T) -> Case) -> Batches {
    Ok(batches.into_iter().map(|batch| batch.map(kind)).collect())
}

/// All batches as cases of a kind; each case is a simulation of its own on many ranks.
fn separated<T: Clone>(batches: Vec<Batch<T>>, of: fn(T) -> Case) -> Batches {
    let split = |batch: Batch<T>| {
        let size = if batch.ranks < MIN_RANKS_SEPARATE { batch.cases.len() } else { 1 };
        let cases: Vec<_> = batch.cases.chunks(size).map(<[T]>::to_vec).collect();
        cases.into_iter().map(move |cases| Batch { cases, ..batch.clone() })
    };
    kind(batches.into_iter().flat_map(split).collect(), of)
}

fn updates(shapes: Vec<Shape>) -> Part {
    Part {
        shapes,
        batches: |place, full| {
            separated(place.batches(|ranks| random_access::cases(place, ranks, full)), Case::RandomAccess)
        },
        table: |results, section, machine| {
            random_access::RATES.text(&results.random_access, section, machine)
        },
        published: "",
    }
}

fn exchanges(shapes: Vec<Shape>) -> Part {
    Part {
        shapes,
        batches: |place, full| {
            separated(place.batches(|ranks| alltoall::cases(place, ranks, full)), Case::Alltoall)
        },
        table: |results, section, machine| alltoall::LAYOUT.text(&results.alltoall, section, machine),
        published: "",
    }
}

fn products(published: &'static str) -> Part {
    Part {
        shapes: Vec::new(),
        batches: |_, _| Ok(Vec::new()),
        table: |results, section, machine| gemm::LAYOUT.text(&results.gemm, section, machine),
        published,
    }
}

/// The two clusters of Hofmann and Rünger 2013.
fn clusters(ranks: &'static [usize]) -> Vec<Shape> {
    vec![("juropa", ranks, 8), ("juqueen", ranks, 16)]
}

fn part(section: Section, full: bool) -> Part {
    let sizes = |default: &'static [usize], all: &'static [usize]| if full { all } else { default };
    let coarray_modes = || {
        let franklin = (COARRAY_MACHINE, sizes(&[4, 16, 64, 256], &[4, 16, 64, 256, 1024, 4096]), 4);
        vec![franklin, ("fat-nodes", sizes(&[64, 256], &[64, 256, 1024, 4096]), 64)]
    };
    match section {
        Section::Ranks => {
            const ALL: [usize; 12] = [1, 4, 16, 64, 200, 256, 300, 1024, 2048, 4096, 8192, 10_240];
            const DEFAULT: [usize; 10] = [1, 4, 16, 64, 200, 256, 300, 1024, 4096, 8192];
            updates(vec![(MACHINE, sizes(&DEFAULT, &ALL), 1)])
        }
        Section::LookAhead => updates(vec![(MACHINE, &[32], 1)]),
        Section::Optimisations => Part {
            table: |results, section, machine| {
                random_access::TIMES.text(&results.random_access, section, machine)
            },
            ..updates(vec![(MACHINE, sizes(&[4, 32], &[1, 2, 4, 8, 16, 32]), 1)])
        },
        Section::Stock => {
            let ranks = sizes(&[1, 16, 64, 1024], &[1, 16, 64, 1024, 5000, 8192, 10_350]);
            Part {
                shapes: vec![(MACHINE, ranks, 1)],
                batches: |place, _| kind(place.batches(|ranks| buckets::cases(place, ranks)), Case::Buckets),
                table: |results, section, machine| buckets::LAYOUT.text(&results.buckets, section, machine),
                published: "",
            }
        }
        Section::Dimensions => updates(vec![(MACHINE, sizes(&[64, 256], &[64, 256, 1024]), 1)]),
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
            updates(["juropa", "juqueen"].into_iter().flat_map(on).collect())
        }
        Section::CoarrayModes => Part { published: published::COARRAYS, ..updates(coarray_modes()) },
        Section::Schedules => Part {
            published: published::SCHEDULES,
            ..exchanges(clusters(sizes(
                &[2, 8, 16, 32, 64, 128],
                &[2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
            )))
        },
        Section::Memory => Part {
            published: published::MEMORY,
            ..exchanges(vec![("juropa", sizes(&[16, 32, 64], &[16, 32, 64, 128]), 8)])
        },
        Section::Transpositions => Part {
            published: published::TRANSPOSITIONS,
            ..exchanges(vec![("juqueen", sizes(&[2, 16], &[2, 16, 128, 1024]), 16)])
        },
        Section::AlltoallNodes => exchanges(clusters(sizes(&[32, 64], &[32, 64, 128]))),
        Section::Small => exchanges(clusters(sizes(&[16, 32, 64], &[16, 32, 64, 128]))),
        Section::OutOfPlace => {
            let ranks = sizes(&[16, 32, 64, 128], &[16, 32, 64, 128, 256]);
            Part {
                batches: |place, _| kind(alltoall::out_of_place(place), Case::Alltoall),
                ..exchanges(vec![("juropa", ranks, 8), ("juqueen", &ranks[1..], 16)])
            }
        }
        Section::Placements => Part {
            batches: |place, _| kind(alltoallv::placements(place), Case::Alltoall),
            ..exchanges(vec![
                ("juropa", sizes(&[24, 32], &[24, 32, 48, 64]), 8),
                ("juqueen", sizes(&[], &[48]), 16),
            ])
        },
        Section::Alltoallv => Part {
            batches: |place, _| kind(alltoallv::of_counts(place), Case::Alltoall),
            ..exchanges(vec![("fat-nodes", sizes(&[128], &[128, 256]), 64)])
        },
        Section::Groups => products(published::GROUPS),
        Section::Latency | Section::Chosen | Section::FatNodes => products(""),
        Section::Supersteps => Part {
            shapes: clusters(sizes(&[32, 128, 512], &[32, 128, 512, 1024])),
            batches: |place, _| kind(bsp::batches(place), Case::Bsp),
            table: |results, section, machine| bsp::LAYOUT.text(&results.bsp, section, machine),
            published: "",
        },
        Section::Teams => Part {
            shapes: vec![(COARRAY_MACHINE, sizes(&[64, 512], &[64, 512, 4096, 8192]), 4)],
            batches: |place, full| kind(caf::teams(place, full), Case::Team),
            table: |results, section, machine| caf::TEAMS.text(&results.teams, section, machine),
            published: "",
        },
        Section::CoarrayUpdates => Part {
            shapes: vec![(
                COARRAY_MACHINE,
                sizes(&[1, 4, 16, 64, 256, 1024], &[1, 4, 16, 64, 256, 1024, 4096]),
                4,
            )],
            batches: |place, full| kind(caf::updates(place, full), Case::Updates),
            table: |results, section, machine| caf::UPDATES.text(&results.coarray_updates, section, machine),
            published: published::COARRAYS,
        },
        Section::Fft => {
            let franklin = (COARRAY_MACHINE, sizes(&[4, 16, 64], &[4, 16, 64, 256, 1024]), 4);
            Part {
                shapes: vec![franklin, ("fat-nodes", sizes(&[64], &[64, 256]), 64)],
                batches: |place, full| kind(fft::batches(place, full), Case::Fft),
                table: |results, section, machine| fft::LAYOUT.text(&results.fft, section, machine),
                published: published::FFT,
            }
        }
        Section::Hpl => Part {
            shapes: coarray_modes(),
            batches: |place, full| kind(hpl::batches(place, full), Case::Hpl),
            table: |results, section, machine| hpl::LAYOUT.text(&results.hpl, section, machine),
            published: published::HPL,
        },
        Section::Lcs => {
            let ranks = sizes(&[64, 256], &[64, 256, 1024]);
            Part {
                shapes: vec![("juropa", ranks, 8), ("fat-nodes", ranks, 64)],
                batches: |place, full| kind(lcs::batches(place, full), Case::Lcs),
                table: |results, section, machine| lcs::LAYOUT.text(&results.lcs, section, machine),
                published: "",
            }
        }
        Section::BspPrograms => Part {
            // Every message of the published machines is one of their network.
            shapes: vec![
                ("aracari-oxtool", &[4, 8, 10, 16, 32], 1),
                ("argus-oxtool", &[4, 10], 1),
                ("skua-oxtool", &[4, 8, 10, 16, 32], 1),
                ("fat-nodes", &[256, 1024], 64),
            ],
            batches: |place, full| kind(bsp_programs::batches(place, full)?, Case::BspProgram),
            table: |results, section, machine| {
                bsp_programs::LAYOUT.text(&results.bsp_programs, section, machine)
            },
            published: "",
        },
        Section::Hosts => Part {
            shapes: (if full { &HOSTS[..] } else { &HOSTS[..2] })
                .iter()
                .flat_map(|&name| [(name, &[4][..], 2), (name, &[16, 32], 4)])
                .collect(),
            batches: |place, _| kind(hosts::batches(place), Case::Hosts),
            table: |results, section, machine| hosts::LAYOUT.text(&results.hosts, section, machine),
            published: "",
        },
    }
}

/// All simulations of a section.
pub fn batches(section: Section, arguments: &Arguments) -> Batches {
    let full = arguments.full;
    let Part { shapes, batches, .. } = part(section, full);
    let mut all = kind(gemm::cases::batches(section, arguments)?, Case::Gemm)?;
    for shape in shapes {
        all.extend(batches(&Place::new(section, arguments, shape)?, full)?);
    }
    Ok(all)
}

/// A table for each machine of each section.
pub fn text(results: &Results, sections: &[Section]) -> String {
    let mut text = String::new();
    for &section in sections {
        let part = part(section, false);
        for machine in &results.machines {
            text += &(part.table)(results, &section.name(), machine);
        }
        text += part.published;
    }
    text
}
