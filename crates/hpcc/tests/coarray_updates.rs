//! RandomAccess on coarrays with images as threads, compared with a serial loop.

use hcube_caf::Runtime;
use hcube_core::comm::Comm;
use hcube_core::comm::threads;
use hcube_core::machine::instructions::Level;
use hcube_hpcc::random_access::Images;
use hcube_random_access::source::Source;
use hcube_random_access::{Distribution, Mode, Options, Statistics, StreamKind, Updates};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

const MODES: [Mode; 2] = [Mode::Events, Mode::Spawn];

/// Images, and how many of them count as one node.
const PLACES: [(usize, usize); 11] =
    [(2, 2), (2, 1), (3, 3), (3, 1), (4, 4), (5, 2), (6, 6), (7, 3), (8, 8), (8, 1), (9, 4)];

/// Runs one after the other, each with the updates of each rank.
type Runs<'a> = &'a [(Options, StreamKind, &'a (dyn Fn(usize) -> (i64, i64) + Sync))];

/// The table after all runs, and the statistics of each run on each image.
fn run(images: usize, per_node: usize, log2: u32, runs: Runs<'_>) -> (Vec<u64>, Vec<Vec<Statistics>>) {
    let distribution = Distribution::new(log2, images);
    let results = threads::run(images, per_node, |comm| {
        let own = comm.split(Some(0), comm.rank() as i32).expect("no MPI").expect("a colour");
        let rank = comm.rank();
        let mut words: Vec<u64> = (distribution.start(rank)..distribution.start(rank + 1)).collect();
        let runtime = Runtime::new(own, hcube_caf::Options::default()).expect("shared memory");
        // The others would wait for ever for an image that has panicked.
        let work = AssertUnwindSafe(|| {
            let mut kept = None;
            let one = |(options, kind, of): &(Options, StreamKind, _)| {
                let of: &&(dyn Fn(usize) -> (i64, i64) + Sync) = of;
                let (start, count) = of(rank);
                let updates = Updates { kind: *kind, start, count };
                let images = Images::prepare(&mut kept, comm, &runtime, options).expect("room");
                images.run(comm, &runtime, distribution, &mut words, &updates, options).expect("a run")
            };
            runs.iter().map(one).collect::<Vec<_>>()
        });
        let statistics = catch_unwind(work).unwrap_or_else(|panic| {
            let _ = runtime.fail();
            resume_unwind(panic)
        });
        runtime.finalise().expect("an end");
        (words, statistics)
    });
    let (words, statistics): (Vec<_>, Vec<_>) = results.into_iter().unzip();
    (words.concat(), statistics)
}

/// The table after the same runs, one value after the other.
fn serial(images: usize, log2: u32, runs: Runs<'_>) -> Vec<u64> {
    let distribution = Distribution::new(log2, images);
    let mut table: Vec<u64> = (0..distribution.length()).collect();
    for (_, kind, of) in runs {
        let index = distribution.index(*kind);
        for rank in 0..images {
            let (start, count) = of(rank);
            let updates = Updates { kind: *kind, start, count };
            let mut values = Vec::new();
            Source::new(&updates, Level::Portable).generate(count as usize, &mut values);
            values.iter().for_each(|&value| table[index.of(value) as usize] ^= value);
        }
    }
    table
}

fn check(images: usize, per_node: usize, log2: u32, runs: Runs<'_>) -> Vec<Vec<Statistics>> {
    let (found, statistics) = run(images, per_node, log2, runs);
    let modes: Vec<_> = runs.iter().map(|(options, kind, _)| (options.mode, kind)).collect();
    assert!(found == serial(images, log2, runs), "{images} images, {per_node} per node: {modes:?}");
    statistics
}

fn with(mode: Mode) -> Options {
    Options { mode, huge_pages: false, ..Options::default() }
}

#[test]
fn every_update_once_on_any_number_of_images() {
    for (images, per_node) in PLACES {
        for mode in MODES {
            for kind in [StreamKind::Polynomial, StreamKind::Lcg] {
                let share = |rank: usize| ((rank as i64) << 20, 7000 + 331 * rank as i64);
                let statistics = check(images, per_node, 14, &[(with(mode), kind, &share)]);
                for (rank, of) in statistics.iter().enumerate() {
                    let Statistics { generated, messages, shared_bytes, .. } = of[0];
                    assert_eq!(generated, share(rank).1 as u64);
                    let (has_mates, has_others) = (per_node > 1 && images > 1, per_node < images);
                    assert!(!has_others || messages > 0 || per_node > 1, "{mode:?}: no messages");
                    assert!(has_others || messages == 0, "{mode:?}: {messages} messages");
                    assert!(
                        has_mates || shared_bytes == 0,
                        "{mode:?}: {shared_bytes} bytes in shared memory"
                    );
                }
                let applied: u64 = statistics.iter().map(|of| of[0].applied).sum();
                assert_eq!(applied, statistics.iter().map(|of| of[0].generated).sum());
            }
        }
    }
}

/// Streams begin with values that hit few words: more than a slot has room for.
#[test]
fn skewed_streams_and_images_without_updates() {
    for (images, per_node) in PLACES {
        for mode in MODES {
            let skewed = |rank: usize| (0, if rank.is_multiple_of(2) { 3000 } else { 0 });
            let one = |rank: usize| (0, if rank == images - 1 { 5000 } else { 0 });
            let none = |_: usize| (0, 0);
            let few = |rank: usize| (rank as i64, (rank % 3) as i64);
            let kinds = [StreamKind::Polynomial, StreamKind::Lcg];
            for kind in kinds {
                let options = with(mode);
                let runs: Runs<'_> = &[
                    (options, kind, &skewed),
                    (options, kind, &none),
                    (options, kind, &one),
                    (options, kind, &few),
                ];
                check(images, per_node, 12, runs);
            }
        }
    }
}

#[test]
fn tables_smaller_than_the_number_of_images() {
    for (images, per_node) in PLACES {
        for mode in MODES {
            for log2 in 0..3 {
                let share = |rank: usize| ((rank as i64) << 30, 600);
                check(images, per_node, log2, &[(with(mode), StreamKind::Lcg, &share)]);
            }
        }
    }
}

/// One runtime for changing options, as in a program that calls with different ones.
#[test]
fn options_change_between_runs() {
    for (images, per_node) in [(3, 3), (4, 4), (5, 2), (8, 1)] {
        let share = |rank: usize| ((rank as i64) << 20, 900);
        let mut options = Vec::new();
        for look_ahead in [1, 2, 3, 47, 64, 1024] {
            for mode in MODES {
                for relaxed in [false, true] {
                    options.push(Options { look_ahead, relaxed, ..with(mode) });
                }
            }
        }
        options.push(Options { dimensions: 1, ..with(Mode::Events) });
        options.push(Options { dimensions: 2, ..with(Mode::Events) });
        let runs: Vec<_> = options
            .into_iter()
            .map(|options| {
                let of: &(dyn Fn(usize) -> (i64, i64) + Sync) = &share;
                (options, StreamKind::Polynomial, of)
            })
            .collect();
        check(images, per_node, 10, &runs);
    }
}
