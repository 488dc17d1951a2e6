//! The rate of all processes of an MPI job on random strings, and what the BSP model predicts from the rate of one.
//!
//! ```text
//! cargo build --release -p hcube-lcs --example ranks
//! mpirun -n 2 target/release/examples/ranks [LENGTH ALPHABET [REPEATS [ALPHA BLOCK_ROWS]]]
//! ```
//!
//! Each repetition measures rank 0 alone on its share of the work, n x n / p entries, and then all ranks on n x n. Rank 0 prints
//! medians.

use hcube_core::comm::Comm;
use hcube_core::mpi::lifetime;
use hcube_lcs::distributed::{Options, llcs};
use hcube_lcs::{Outcome, cost};
use std::ops::ControlFlow;

fn main() {
    lifetime::initialise().expect("MPI");
    let comm = lifetime::world_comm().expect("a communicator");
    measure(&comm);
    drop(comm);
    lifetime::finalise().expect("MPI");
}

fn string(seed: u64, length: usize, alphabet: usize) -> Vec<u8> {
    let mut state = seed;
    let symbols = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as usize % alphabet) as u8
    });
    symbols.take(length).collect()
}

fn measure(comm: &impl Comm) {
    let arguments: Vec<usize> =
        std::env::args().skip(1).map(|number| number.parse().expect("a number")).collect();
    let argument = |at: usize, default| arguments.get(at).copied().unwrap_or(default);
    let (length, alphabet, repeats) = (argument(0, 100_000), argument(1, 4), argument(2, 5));
    let (rank, ranks) = (comm.rank(), comm.size());
    let (a, b) = (string(1, length, alphabet), string(2, length, alphabet));
    let part = length * rank / ranks..length * (rank + 1) / ranks;
    let entries = (length * length) as f64;
    let mut options = Options { alpha: argument(3, 0), block_rows: argument(4, 0), ..Options::default() };
    let (mut alone, mut together) = (Vec::new(), Vec::new());
    let mut found = None;
    for _ in 0..repeats {
        comm.barrier().expect("MPI");
        let begin = comm.seconds();
        if rank == 0 {
            std::hint::black_box(hcube_lcs::llcs(&a[part.clone()], &b).expect("short"));
        }
        let seconds = comm.seconds() - begin;
        alone.push(entries / ranks as f64 / seconds);
        options.machine.entry = seconds * ranks as f64 / entries;
        comm.barrier().expect("MPI");
        let begin = comm.seconds();
        let outcome =
            llcs(comm, &a[part.clone()], &b[part.clone()], &options, &mut |_| ControlFlow::Continue(()));
        together.push(entries / (comm.seconds() - begin));
        found = Some(outcome.expect("equal options"));
    }
    if rank > 0 {
        return;
    }
    for rates in [&mut alone, &mut together] {
        rates.sort_by(f64::total_cmp);
    }
    let (alone, together) = (alone[repeats / 2], together[repeats / 2]);
    let problem = cost::Problem { columns: length, rows: length, bits: 9 };
    options.machine.entry = alone.recip();
    let grid = cost::choose(&problem, ranks, &options.machine);
    let predicted = entries / cost::seconds(&problem, &grid, &options.machine);
    let expected = Outcome::Length(hcube_lcs::llcs(&a, &b).expect("short"));
    assert_eq!(found, Some(expected));
    println!(
        "{length} x {length}, {alphabet} symbols, 10^9 entries/s: one rank {:.1}, {ranks} ranks {:.1} ({:.2} times), \
         predicted {:.1} on a grid of {} x {} blocks",
        alone / 1e9,
        together / 1e9,
        together / alone,
        predicted / 1e9,
        grid.block_columns(),
        grid.block_rows,
    );
}
