//! The length in supersteps, on processes that are threads, against that of one process, and what they send
//! against the predicted cost.

use hcube_bsp::{Options, Spmd};
use hcube_core::Error;
use hcube_core::comm::Comm;
use hcube_core::comm::threads::{self, ThreadComm};
use hcube_lcs::Symbol;
use hcube_lcs::cost::{Problem, supersteps};
use hcube_lcs::kernel::Kernel;
use hcube_lcs::packed::Packing;
use hcube_lcs::supersteps::{SuperstepOptions, llcs_on_supersteps};
use std::collections::BTreeMap;

fn string(seed: u64, length: usize, alphabet: u32) -> Vec<u32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let symbols = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32 % alphabet
    });
    symbols.take(length).collect()
}

fn bytes(seed: u64, length: usize, alphabet: u32) -> Vec<u8> {
    string(seed, length, alphabet).into_iter().map(|symbol| symbol as u8).collect()
}

/// The part of a process: nearly equal parts, or everything on one process, or parts that grow.
fn part<T>(whole: &[T], process: usize, processes: usize, way: usize) -> &[T] {
    let bound = |process: usize| match way % 3 {
        0 => whole.len() * process / processes,
        1 => whole.len() * usize::from(process > way % processes),
        _ => whole.len() * process * process / (processes * processes),
    };
    &whole[bound(process)..bound(process + 1)]
}

/// On processes of nodes; small direct copies, so that some operations are direct and others are not.
fn on_threads<R: Send>(
    processes: usize,
    per_node: usize,
    program: impl Fn(&mut Spmd<ThreadComm>) -> R + Sync,
) -> Vec<R> {
    threads::run(processes, per_node, |comm| {
        let comm = comm.split(Some(0), comm.rank() as i32).expect("no error").expect("a part");
        let options = Options { single_copy: 64, ..Options::default() };
        let mut spmd = Spmd::begin(comm, &options).expect("memory");
        let result = program(&mut spmd);
        spmd.end().expect("no error");
        spmd.comm().barrier().expect("no error");
        result
    })
}

fn check<S: Symbol>(
    (processes, per_node): (usize, usize),
    (a, b): (&[S], &[S]),
    way: usize,
    options: &SuperstepOptions,
) {
    let expected = hcube_lcs::llcs(a, b).expect("short");
    let found = on_threads(processes, per_node, |spmd| {
        let own = spmd.pid();
        let parts = (part(a, own, processes, way), part(b, own, processes, way + 1));
        llcs_on_supersteps(spmd, parts.0, parts.1, options)
    });
    let lengths = (a.len(), b.len());
    assert_eq!(found, vec![Ok(expected); processes], "{lengths:?}, {per_node} per node, {options:?}");
}

#[test]
fn every_number_of_processes_and_every_alpha() {
    let (a, b) = (bytes(1, 1499, 5), bytes(2, 1201, 5));
    for processes in 1..=9 {
        for alpha in 1..=5 {
            let way = processes + alpha;
            let options = SuperstepOptions { alpha, ..SuperstepOptions::default() };
            check((processes, processes), (&a, &b), way, &options);
            check((processes, 1 + way % 4), (&b[..way * 50], &a), way, &options);
        }
    }
}

#[test]
fn every_length() {
    for (number, long) in [0, 1, 5, 64, 100, 1000].into_iter().enumerate() {
        for short in [0, 1, 5, 64, 100, 1000] {
            let (a, b) = (bytes(3, long, 4), bytes(4, short, 4));
            let options = SuperstepOptions { alpha: 1 + short % 3, ..SuperstepOptions::default() };
            check((1 + number, 2), (&a, &b), number + short, &options);
        }
    }
}

#[test]
fn every_kernel_and_alphabet() {
    for (number, alphabet) in [1, 2, 8, 20, 256].into_iter().enumerate() {
        let (a, b) = (bytes(5, 5000, alphabet), bytes(6, 2500, alphabet));
        for (kernel, _) in Kernel::ALL {
            for alpha in [1, 3] {
                let options = SuperstepOptions { kernel: Some(kernel), alpha, ..SuperstepOptions::default() };
                check((2 + number % 3, 2), (&a, &b), number, &options);
            }
        }
    }
    let (a, b) = (string(7, 3000, 2000), string(8, 2000, 2000));
    check((3, 3), (&a, &b), 0, &SuperstepOptions { alpha: 2, ..SuperstepOptions::default() });
}

/// Memory is registered anew and the program goes on.
#[test]
fn a_program_may_compute_several_lengths() {
    let lengths = on_threads(4, 2, |spmd| {
        let own = spmd.pid();
        [3, 1, 2].map(|alpha| {
            let (a, b) = (bytes(9, 700 * alpha, 4), bytes(10, 900, 4));
            let parts = (part(&a, own, 4, 0), part(&b, own, 4, 0));
            let options = SuperstepOptions { alpha, ..SuperstepOptions::default() };
            llcs_on_supersteps(spmd, parts.0, parts.1, &options).expect("short")
        })
    });
    let expected =
        [3, 1, 2].map(|alpha| hcube_lcs::llcs(&bytes(9, 700 * alpha, 4), &bytes(10, 900, 4)).expect("short"));
    assert_eq!(lengths, [expected; 4]);
}

#[test]
fn options_that_are_not_valid_are_refused_on_all_processes() {
    let alphas = |alpha: fn(usize) -> usize| {
        on_threads(3, 3, |spmd| {
            let options = SuperstepOptions { alpha: alpha(spmd.pid()), ..SuperstepOptions::default() };
            llcs_on_supersteps(spmd, b"ab", b"ba", &options)
        })
    };
    for result in alphas(|_| 0) {
        assert!(matches!(result, Err(Error::Argument { name: "alpha", .. })), "{result:?}");
    }
    let results = alphas(|pid| if pid == 1 { 0 } else { 2 });
    assert!(matches!(results[0], Err(Error::Remote { .. })), "{results:?}");
    for result in alphas(|pid| 1 + pid / 2) {
        assert!(matches!(result, Err(Error::Mismatch { .. })), "{result:?}");
    }
}

/// Words of each exchange that a program has noted, and the supersteps in which there was one.
fn noted(processes: usize, alpha: usize, (a, b): (&[u8], &[u8])) -> (BTreeMap<usize, usize>, usize) {
    let mut noted = on_threads(processes, processes, |spmd| {
        spmd.start_profile();
        let own = spmd.pid();
        let options = SuperstepOptions { alpha, ..SuperstepOptions::default() };
        let parts = (part(a, own, processes, 0), part(b, own, processes, 0));
        llcs_on_supersteps(spmd, parts.0, parts.1, &options).expect("short");
        let profile = spmd.profile().expect("no error").expect("it was started");
        let bytes = profile.supersteps.iter().map(|superstep| superstep.max.sent.max(superstep.max.received));
        let mut exchanges = BTreeMap::new();
        for bytes in bytes.filter(|&bytes| bytes > 0.0) {
            *exchanges.entry(bytes as usize / size_of::<u64>()).or_insert(0) += 1;
        }
        (exchanges, profile.supersteps.len())
    });
    noted.remove(0)
}

#[test]
fn the_predicted_cost_is_that_of_the_program() {
    for processes in 2..=6 {
        for (alpha, long, short) in
            [(1, 4000, 4000), (2, 3989, 2503), (3, 5000, 1), (5, 2000, 1999), (2, 0, 0)]
        {
            let (a, b) = (bytes(11, long, 4), bytes(12, short, 4));
            let alphabet = if short > 1 { 4 } else { short };
            let bits = 1 + Packing::new(alphabet).bits();
            // Symbols that only one string has are dropped.
            let columns = if short == 1 { a.iter().filter(|&&symbol| symbol == b[0]).count() } else { long };
            let cost = supersteps(&Problem { columns, rows: short, bits }, processes, alpha);
            let mut predicted = BTreeMap::new();
            for exchange in &cost.exchanges {
                *predicted.entry(exchange.words as usize).or_insert(0) += exchange.count as usize;
            }
            let (exchanges, supersteps) = noted(processes, alpha, (&a, &b));
            assert_eq!(
                exchanges, predicted,
                "{processes} processes, alpha {alpha}, {long} and {short} symbols"
            );
            // What reads has two barriers: the columns, and text that the first process does not have.
            let reading = cost.supersteps as usize - supersteps;
            let most = 1 + alpha * (processes - 1);
            assert!(
                if short > 1 { reading == most } else { reading <= most },
                "{reading} supersteps that read"
            );
        }
    }
}
