//! Products on ranks that are threads, compared with the serial result: every element of sub(C) exactly, and
//! everything else unchanged.

mod blas;
mod case;

use case::{Case, Layout, Part, cases};
use hcube_core::comm::{Comm, threads};
use hcube_gemm::options::{Algorithm, BroadcastChoice, Options, Stationary};
use hcube_gemm::product::{Grid, Operation};
use hcube_gemm::report::UsedPath;
use hcube_gemm::state::State;
use proptest::prelude::*;

/// Computes some products one after the other on the same communicator, and checks them. Returns the paths.
fn run(cases: &[Case], ranks_per_node: usize, options: &Options) -> Vec<UsedPath> {
    let [rows, columns] = cases[0].grid;
    let paths = threads::run(rows * columns, ranks_per_node, |comm| {
        let grid = Grid::of_rank(rows, columns, comm.rank());
        let mut state = State::new(comm, grid, options).expect("no error");
        let compute = |case: &Case| {
            let mut parts: [Part; 3] = [0, 1, 2].map(|matrix| case.part(matrix, grid));
            let before = [0, 1, 2].map(|matrix| parts[matrix].numbers.clone());
            let product = case.product(grid, &mut parts);
            let report = state.multiply(comm, &product, &blas::local(case.complex)).expect("no error");
            check(case, grid, &parts, &before);
            report.path
        };
        cases.iter().map(compute).collect::<Vec<_>>()
    });
    paths[0].clone()
}

fn check(case: &Case, grid: Grid, parts: &[Part; 3], before: &[Vec<f64>; 3]) {
    for factor in 0..2 {
        assert!(parts[factor].numbers == before[factor], "factor {factor} has changed");
    }
    let c = &parts[2];
    let mut expected = before[2].clone();
    for (row, column, place) in case.elements(&c.sections, c.leading, grid) {
        expected[place..place + case.reals()].copy_from_slice(&case.expected(row, column)[..case.reals()]);
    }
    let wrong = expected.iter().zip(&c.numbers).position(|(expected, found)| expected != found);
    if let Some(wrong) = wrong {
        panic!("{grid:?}: number {wrong} is {}, not {}: {case:?}", c.numbers[wrong], expected[wrong]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn products_on_one_node(case in cases(), width in 0usize..20) {
        let options = Options { inner_block: width, ..Options::default() };
        run(&[case], 99, &options);
    }

    #[test]
    fn products_between_nodes(case in cases(), width in 0usize..20, ranks_per_node in 1usize..6) {
        let options = Options { inner_block: width, ..Options::default() };
        run(&[case], ranks_per_node, &options);
    }

    /// HSUMMA: any groups, levels, blocks and broadcasts.
    #[test]
    fn products_between_groups(
        case in cases(), blocks in (0usize..9, 0usize..30), ranks_per_node in 1usize..4, groups in (0usize..4, 0usize..5),
        levels in 0usize..4, broadcast in 0usize..4, algorithm in 0usize..3,
    ) {
        let broadcasts =
            [BroadcastChoice::Auto, BroadcastChoice::Binomial, BroadcastChoice::Ring, BroadcastChoice::ScatterAllgather];
        let options = Options {
            algorithm: [Algorithm::Auto, Algorithm::Summa, Algorithm::Hsumma][algorithm],
            inner_block: blocks.0,
            outer_block: blocks.1,
            group_rows: groups.0,
            group_columns: groups.1,
            levels,
            broadcast: broadcasts[broadcast],
            ..Options::default()
        };
        run(&[case], ranks_per_node, &options);
    }

    /// A or B stays, on one node and on several.
    #[test]
    fn products_with_another_matrix_that_stays(
        case in cases(), width in 0usize..20, ranks_per_node in 1usize..12, b in any::<bool>(),
    ) {
        let stationary = if b { Stationary::B } else { Stationary::A };
        let options = Options { inner_block: width, stationary, ..Options::default() };
        run(&[case], ranks_per_node, &options);
    }

    /// Panels of different products share memory one after the other.
    #[test]
    fn several_products_in_a_row(
        all in proptest::collection::vec(cases(), 1..8), width in 0usize..20, ranks_per_node in 1usize..7,
    ) {
        let grid = all[0].grid;
        let all: Vec<Case> = all.into_iter().map(|case| Case { grid, ..case }).collect();
        let options = Options { inner_block: width, memory: 10_000, ..Options::default() };
        run(&all, ranks_per_node, &options);
    }
}

/// More blocks in a panel than tags for their messages: some ranks forward blocks that others have sent
/// later.
#[test]
fn panels_of_many_blocks() {
    let layout = Layout { first_block: [1; 2], block: [1; 2], source: [Some(0); 2], start: [0; 2], gap: 0 };
    for grid in [[1, 5], [5, 1], [2, 3]] {
        let case = Case {
            grid,
            operations: [Operation::Plain; 2],
            sizes: [7, 8, 700],
            scalars: [1.0, 0.0],
            layouts: [layout; 3],
            complex: false,
        };
        for broadcast in [BroadcastChoice::Binomial, BroadcastChoice::Ring, BroadcastChoice::ScatterAllgather]
        {
            for inner_block in [0, 700] {
                let algorithm = Algorithm::Summa;
                let stationary = Stationary::C;
                let options = Options { algorithm, stationary, broadcast, inner_block, ..Options::default() };
                let paths = run(&[case.clone(), case.clone()], 1, &options);
                assert_eq!(paths, [UsedPath::Summa; 2]);
            }
        }
    }
}

/// A domain with fewer ranks has less memory, which is divided among fewer.
#[test]
fn memory_is_within_the_bound_on_small_nodes() {
    const BOUND: usize = 60_000;
    let layout = Layout { first_block: [16; 2], block: [16; 2], source: [Some(0); 2], start: [0; 2], gap: 0 };
    let case = Case {
        grid: [4, 2],
        operations: [Operation::Plain; 2],
        sizes: [64, 64, 1500],
        scalars: [1.0, 0.0],
        layouts: [layout; 3],
        complex: false,
    };
    let options = Options { memory: BOUND, stationary: Stationary::C, ..Options::default() };
    let memory = threads::run(8, 7, |comm| {
        let grid = Grid::of_rank(4, 2, comm.rank());
        let mut state = State::new(comm, grid, &options).expect("no error");
        let mut parts = [0, 1, 2].map(|matrix| case.part(matrix, grid));
        let product = case.product(grid, &mut parts);
        state.multiply(comm, &product, &blas::local(false)).expect("no error").memory
    });
    assert!(memory.iter().all(|&bytes| (1..=BOUND).contains(&bytes)), "{memory:?}");
}
