//! Transforms with ranks as threads, without mpirun, compared with the sum of the definition.

use hcube_alltoall::{Options, Path};
use hcube_core::comm::Comm;
use hcube_core::comm::threads;
use hcube_core::error::{Error, HCUBE_ERR_BUFFER, HCUBE_ERR_MEMORY};
use hcube_core::memory::Region;
use hcube_fft::kernel::transform::root;
use hcube_fft::{Direction, Plan};
use std::sync::Arc;

/// A vector of numbers that have no pattern.
fn vector(length: usize) -> Vec<[f64; 2]> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    (0..length).map(|_| [next(), next()]).collect()
}

/// The transform by its definition.
fn expected(vector: &[[f64; 2]], direction: Direction) -> Vec<[f64; 2]> {
    let n = vector.len();
    let roots: Vec<[f64; 2]> = (0..n).map(|part| root(part as u64, n as u64)).collect();
    let sign = if direction == Direction::Forward { 1.0 } else { -1.0 };
    (0..n)
        .map(|k| {
            vector.iter().enumerate().fold([0.0, 0.0], |[re, im], (j, &[x, y])| {
                let [cosine, sine] = roots[j * k % n];
                let sine = sign * sine;
                [re + x * cosine - y * sine, im + x * sine + y * cosine]
            })
        })
        .collect()
}

fn bytes_of(numbers: &[[f64; 2]]) -> Vec<u8> {
    numbers.iter().flatten().flat_map(|number| number.to_ne_bytes()).collect()
}

fn numbers(bytes: &[u8]) -> Vec<[f64; 2]> {
    let number = |bytes: &[u8]| f64::from_ne_bytes(bytes.try_into().expect("8 bytes"));
    bytes.chunks_exact(16).map(|pair| [number(&pair[..8]), number(&pair[8..])]).collect()
}

/// The largest difference, by the root mean square of the result.
fn difference(found: &[[f64; 2]], expected: &[[f64; 2]]) -> f64 {
    let square = |[x, y]: [f64; 2]| x * x + y * y;
    let norm = (expected.iter().map(|&value| square(value)).sum::<f64>() / expected.len() as f64).sqrt();
    let worst = found.iter().zip(expected).map(|(a, b)| square([a[0] - b[0], a[1] - b[1]]).sqrt());
    worst.fold(0.0, f64::max) / norm.max(1e-300)
}

/// Transforms in place and out of place on ranks of these nodes; the results of all ranks.
fn transform(nodes: &[u32], vector: &[[f64; 2]], direction: Direction, path: Path) -> Vec<[f64; 2]> {
    let options = Options { path, ..Options::default() };
    let shares = nodes.iter().all(|&node| node == nodes[0]) && path != Path::Message || nodes.len() == 1;
    let parts = threads::run_on_nodes(nodes.to_vec(), |comm| {
        let mut plan = Plan::new(comm, Ok((vector.len(), direction)), &options).expect("possible");
        assert_eq!(plan.shares_memory(), shares);
        let mine = &vector[plan.start()..plan.start() + plan.part()];
        let mut result = bytes_of(mine);
        for _ in 0..2 {
            result = bytes_of(mine);
            let part = Region::of(&mut result);
            plan.execute(comm, Ok((part, part))).expect("done");
        }
        let (mut input, mut output) = (bytes_of(mine), vec![0; result.len()]);
        let ends = (Region::of(&mut input), Region::of(&mut output));
        plan.execute(comm, Ok(ends)).expect("done");
        assert!(output == result && input == bytes_of(mine), "rank {}", comm.rank());
        numbers(&result)
    });
    parts.concat()
}

/// Lengths for a number of ranks, with all prime factors.
fn lengths(ranks: usize, most: usize) -> Vec<usize> {
    let mut all = Vec::new();
    for a in [1, 2, 4, 8, 16, 32, 64, 128, 256, 1024] {
        for b in [1, 3, 9, 27] {
            for c in [1, 5, 25] {
                all.push(a * b * c * ranks * ranks);
            }
        }
    }
    all.retain(|&length| length <= most);
    all
}

#[test]
fn results_are_those_of_the_definition() {
    for ranks in [1, 2, 3, 4, 5, 6, 8, 9] {
        for length in lengths(ranks, 4000) {
            let vector = vector(length);
            for direction in [Direction::Forward, Direction::Backward] {
                let found = transform(&vec![0; ranks], &vector, direction, Path::Auto);
                let error = difference(&found, &expected(&vector, direction));
                assert!(error < 2e-14, "{length} on {ranks} ranks, {direction:?}: {error:e}");
            }
        }
    }
}

#[test]
fn nodes_that_exchange_messages_have_the_same_results() {
    for ranks in [2, 3, 4, 5, 6, 8, 9] {
        let several: Vec<u32> = (0..ranks as u32).map(|rank| rank / 2).collect();
        for (nodes, path) in [(several, Path::Auto), (vec![0; ranks], Path::Message)] {
            for length in lengths(ranks, 3000) {
                let vector = vector(length);
                let found = transform(&nodes, &vector, Direction::Backward, path);
                let error = difference(&found, &expected(&vector, Direction::Backward));
                assert!(error < 2e-14, "{length} on {nodes:?}: {error:e}");
            }
        }
    }
}

/// Each end of a transform: the first or the second part of the plan's memory, or memory of the rank.
const PLACES: [Option<usize>; 3] = [Some(0), Some(1), None];

#[test]
fn parts_in_memory_of_the_plan_have_the_same_results() {
    for (nodes, path) in [
        (vec![0; 1], Path::Auto),
        (vec![0; 2], Path::Auto),
        (vec![0; 3], Path::Auto),
        (vec![0; 5], Path::Auto),
        (vec![0; 8], Path::Auto),
        (vec![0; 4], Path::Message),
        (vec![0, 0, 1, 1], Path::Auto),
    ] {
        let ranks = nodes.len();
        for length in lengths(ranks, 2000) {
            let vector = vector(length);
            let expected = transform(&nodes, &vector, Direction::Forward, path);
            let options = Options { path, ..Options::default() };
            threads::run_on_nodes(nodes.clone(), |comm| {
                let rank = comm.rank();
                let mut plan = Plan::new(comm, Ok((length, Direction::Forward)), &options).expect("possible");
                let memory = plan.memory(comm).expect("memory");
                assert!(Arc::ptr_eq(&memory, &plan.memory(comm).expect("memory")));
                let (start, bytes) = (plan.start(), 16 * plan.part());
                let own = [0, 1].map(|_| vec![0; bytes]);
                let lent = memory.own();
                // All pairs of ends, on all ranks alike and on each rank another one.
                for round in 0..PLACES.len() * PLACES.len() * 2 {
                    let pair = if round % 2 == 0 { round / 2 } else { round / 2 + rank };
                    let [from, to] = [pair % 3, pair / 3 % 3].map(|place| PLACES[place]);
                    let mut own = own.clone();
                    let mut regions = own.each_mut().map(|own| Region::of(own));
                    for (region, place) in regions.iter_mut().zip([from, to]) {
                        if let Some(part) = place {
                            // SAFETY: this rank's part, which others use only during the transform.
                            *region = unsafe { Region::new(lent[part], bytes) };
                        }
                    }
                    let mine = &vector[start..start + plan.part()];
                    // Other ranks have completed their reads of the last transform: no wait is needed before
                    // it is replaced.
                    regions[0].write(&bytes_of(mine));
                    plan.execute(comm, Ok((regions[0], regions[1]))).expect("done");
                    let mut found = vec![0; bytes];
                    regions[1].read(&mut found);
                    assert!(
                        numbers(&found) == expected[start..start + plan.part()],
                        "{length} on {nodes:?}, rank {rank}: {from:?} to {to:?}"
                    );
                }
                // Valid after the plan.
                drop(plan);
                // SAFETY: this rank's part, which nobody else uses: no transform is in progress.
                unsafe { Region::new(lent[0], bytes) }.write(&vec![1; bytes]);
            });
        }
    }
}

#[test]
fn a_vector_that_is_too_long_is_an_error() {
    for (nodes, path) in [(vec![0], Path::Auto), (vec![0; 2], Path::Auto), (vec![0, 1], Path::Auto)] {
        for log in [48, 56] {
            let errors = threads::run_on_nodes(nodes.clone(), |comm| {
                let options = Options { path, ..Options::default() };
                let length = 1usize << log;
                Plan::new(comm, Ok((length, Direction::Forward)), &options).expect_err("no such memory")
            });
            for error in errors {
                assert_eq!(error.code(), HCUBE_ERR_MEMORY, "{error}");
            }
        }
    }
}

#[test]
fn parts_of_another_size_are_refused_on_all_ranks() {
    for (nodes, path) in [(vec![0; 1], Path::Auto), (vec![0; 2], Path::Auto), (vec![0; 2], Path::Message)] {
        threads::run_on_nodes(nodes, |comm| {
            let options = Options { path, ..Options::default() };
            let mut plan = Plan::new(comm, Ok((64, Direction::Forward)), &options).expect("possible");
            let mut part = vec![0; 16 * plan.part()];
            let short = part.len() - 16 * usize::from(comm.rank() == 0);
            let region = Region::of(&mut part);
            let error = plan.execute(comm, Ok((region, region.part(0..short)))).expect_err("too short");
            assert_eq!(error.code(), HCUBE_ERR_BUFFER, "{error}");
        });
    }
}

#[test]
fn a_refusal_is_seen_by_ranks_that_come_late() {
    const RANKS: usize = 4;
    threads::run(RANKS, RANKS, |comm| {
        let length = 16 * RANKS * RANKS;
        let options = Options::default();
        let mut plan = Plan::new(comm, Ok((length, Direction::Forward)), &options).expect("possible");
        let mut part = vec![0; 16 * plan.part()];
        for round in 0..300 {
            let refuses = comm.rank() == round % RANKS;
            let region = Region::of(&mut part);
            let ends = if refuses { Err(Error::Buffer("refused".into())) } else { Ok((region, region)) };
            let error = plan.execute(comm, ends).expect_err("refused by one rank");
            assert_eq!(error.code(), HCUBE_ERR_BUFFER, "{error}");
            plan.execute(comm, Ok((region, region))).expect("done");
        }
    });
}
