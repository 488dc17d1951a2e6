//! Transforms by binary exchange with images as threads, compared with six steps on one rank.

use hcube_caf::Runtime;
use hcube_core::comm::Comm;
use hcube_core::comm::threads;
use hcube_core::memory::Region;
use hcube_fft::Direction;
use hcube_fft::options::Radix;
use hcube_hpcc::fft::{BinaryExchange, Images};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Images, and how many of them count as one node.
const PLACES: [(usize, usize); 7] = [(2, 2), (2, 1), (4, 4), (4, 2), (8, 8), (8, 4), (16, 16)];

/// A vector of numbers that have no pattern.
fn vector(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    (0..2 * length).flat_map(|_| next().to_ne_bytes()).collect()
}

/// The transform by six steps.
fn expected(vector: &[u8], direction: Direction) -> Vec<u8> {
    let results = threads::run(1, 1, |comm| {
        let (mut input, mut output) = (vector.to_vec(), vec![0; vector.len()]);
        let options = hcube_alltoall::Options::default();
        let mut plan =
            hcube_fft::Plan::new(comm, Ok((vector.len() / 16, direction)), &options).expect("possible");
        plan.execute(comm, Ok((Region::of(&mut input), Region::of(&mut output)))).expect("done");
        output
    });
    results.concat()
}

/// A vector, and its transform.
type Run<'a> = (&'a [u8], Direction, Radix);

/// Both radices in both directions.
const KINDS: [(Direction, Radix); 4] = [
    (Direction::Forward, Radix::Two),
    (Direction::Forward, Radix::Four),
    (Direction::Backward, Radix::Two),
    (Direction::Backward, Radix::Four),
];

/// Runs transforms one after the other, each twice: in place and out of place; their results.
fn transform(images: usize, per_node: usize, runs: &[Run<'_>]) -> Vec<Vec<u8>> {
    let parts = threads::run(images, per_node, |comm| {
        let own = comm.split(Some(0), comm.rank() as i32).expect("no MPI").expect("a colour");
        let runtime = Runtime::new(own, hcube_caf::Options::default()).expect("shared memory");
        let work = AssertUnwindSafe(|| {
            let mut kept = None;
            let one = |&(vector, direction, radix): &Run<'_>| {
                let wanted = Ok((vector.len() / 16, direction));
                let mut transform = BinaryExchange::new(comm, wanted, radix).expect("possible");
                let bytes = vector.len() / images;
                let mine = &vector[comm.rank() * bytes..][..bytes];
                let (mut input, mut output) = (mine.to_vec(), vec![0; bytes]);
                let images = Images::prepare(&mut kept, &runtime, transform.bits()).expect("room");
                let ends = (Region::of(&mut input), Region::of(&mut output));
                transform.execute(comm, &runtime, images, ends).expect("done");
                assert!(input == mine, "the input has changed");
                let same = Region::of(&mut input);
                transform.execute(comm, &runtime, images, (same, same)).expect("done");
                assert!(input == output, "in place and out of place differ");
                output
            };
            runs.iter().map(one).collect::<Vec<_>>()
        });
        // The others would wait for ever for an image that has panicked.
        let results = catch_unwind(work).unwrap_or_else(|panic| {
            let _ = runtime.fail();
            resume_unwind(panic)
        });
        runtime.finalise().expect("an end");
        results
    });
    (0..runs.len()).map(|run| parts.iter().flat_map(|part| &part[run]).copied().collect()).collect()
}

/// Compares to 1e-13 of the root of the length.
fn compare(found: &[u8], right: &[u8], name: &str) {
    let numbers = |bytes: &[u8]| -> Vec<f64> {
        let number = |bytes: &[u8]| f64::from_ne_bytes(bytes.try_into().expect("8 bytes"));
        bytes.chunks_exact(8).map(number).collect()
    };
    let bound = 1e-13 * ((right.len() / 16) as f64).sqrt();
    for (place, (one, other)) in numbers(found).into_iter().zip(numbers(right)).enumerate() {
        assert!((one - other).abs() < bound, "{name}, number {}: {one}, not {other}", place / 2);
    }
}

#[test]
fn results_are_those_of_six_steps() {
    for (images, per_node) in PLACES {
        let least = images.ilog2() + images.max(64).ilog2();
        // The last one needs a further pass.
        for log in (least..=least + 4).chain([14 + images.ilog2() + 2]) {
            let vector = vector(1 << log);
            let right =
                [Direction::Forward, Direction::Backward].map(|direction| expected(&vector, direction));
            let runs = KINDS.map(|(direction, radix)| (&vector[..], direction, radix));
            for (found, (_, direction, radix)) in transform(images, per_node, &runs).iter().zip(runs) {
                let name =
                    format!("2^{log} on {images} images, {per_node} per node, {direction:?}, {radix:?}");
                compare(found, &right[usize::from(direction == Direction::Backward)], &name);
            }
        }
    }
}

/// One coarray serves all transforms of a process.
#[test]
fn lengths_change_between_transforms() {
    for (images, per_node) in [(2, 2), (4, 2), (8, 8)] {
        let vectors = [10, 14, 9, 16, 12, 16].map(|log| vector(1 << log));
        let runs: Vec<Run<'_>> = vectors
            .iter()
            .zip(KINDS.iter().cycle())
            .map(|(vector, &(direction, radix))| (&vector[..], direction, radix))
            .collect();
        for (found, &(vector, direction, _)) in transform(images, per_node, &runs).iter().zip(&runs) {
            compare(found, &expected(vector, direction), &format!("{} bytes on {images}", vector.len()));
        }
    }
}

#[test]
fn one_rank_needs_no_images() {
    // With no, one and two further passes.
    for log in [6, 7, 10, 14, 15, 17, 22, 23] {
        let vector = vector(1 << log);
        for (direction, radix) in KINDS {
            let found = threads::run(1, 1, |comm| {
                let mut part = vector.clone();
                let mut transform =
                    BinaryExchange::new(comm, Ok((1 << log, direction)), radix).expect("possible");
                let same = Region::of(&mut part);
                transform.execute_alone(comm, (same, same));
                part
            });
            compare(
                &found.concat(),
                &expected(&vector, direction),
                &format!("2^{log}, {direction:?}, {radix:?}"),
            );
        }
    }
}

#[test]
fn what_is_not_possible_is_refused_on_all_ranks() {
    let refusal = |ranks: usize, length: usize| {
        let texts = threads::run(ranks, ranks, |comm| {
            let made = BinaryExchange::new(comm, Ok((length, Direction::Forward)), Radix::Two);
            made.err().map(|error| error.to_string()).unwrap_or_default()
        });
        assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
        texts[0].clone()
    };
    assert_eq!(refusal(3, 1 << 20), "3 ranks: expected 2^a ranks for a Fourier transform by binary exchange");
    let expected = "expected 2^b, at least 256 on 4 ranks, for a transform by binary exchange";
    assert_eq!(refusal(4, 3 << 20), format!("length = 3145728: {expected}"));
    assert_eq!(refusal(4, 128), format!("length = 128: {expected}"));
    assert_eq!(refusal(4, 256), "");
}

/// 16 strips, of which each image fetches and sends 8 in each level.
#[test]
fn each_level_moves_half_of_the_part_in_both_directions() {
    for images in [2, 4, 8_usize] {
        let (levels, bytes) = (u64::from(images.ilog2()), (16 << 16) / images);
        let all = threads::run(images, images, |comm| {
            let own = comm.split(Some(0), comm.rank() as i32).expect("no MPI").expect("a colour");
            let runtime = Runtime::new(own, hcube_caf::Options::default()).expect("shared memory");
            let wanted = Ok((1 << 16, Direction::Forward));
            let mut transform = BinaryExchange::new(comm, wanted, Radix::Two).expect("possible");
            let (mut kept, mut part) = (None, vec![0; bytes]);
            let prepared = Images::prepare(&mut kept, &runtime, transform.bits()).expect("room");
            let before = runtime.statistics().access;
            let same = Region::of(&mut part);
            transform.execute(comm, &runtime, prepared, (same, same)).expect("done");
            let after = runtime.statistics().access;
            runtime.finalise().expect("an end");
            [
                after.local_gets - before.local_gets,
                after.local_puts - before.local_puts,
                after.local_bytes - before.local_bytes,
            ]
        });
        for [gets, puts, moved] in all {
            // The exchange of the bit reversal may add a few words for each image.
            let few = 2 * images as u64;
            assert_eq!(gets, 8 * levels);
            assert!((8 * levels..=8 * levels + few).contains(&puts), "{puts} puts in {levels} levels");
            let expected = levels * bytes as u64;
            assert!((expected..=expected + 256 * few).contains(&moved), "{moved} bytes, not {expected}");
        }
    }
}
