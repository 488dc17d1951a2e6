//! Whole updates with ranks as threads, compared with the serial loop: every size, stream, mode, look-ahead
//! and combination of optimisations, without mpirun.

use hcube_core::comm::threads;
use hcube_random_access::stream::{Recurrence, lcg::Lcg, polynomial::Polynomial};
use hcube_random_access::{
    Distribution, Mode, Optimisations, Options, StreamKind, UpdateState, Updates, run, verify,
};
use proptest::prelude::*;

/// A case: how many ranks on nodes of how many, a table of 2^`log2` words, and what each rank does.
#[derive(Debug, Clone)]
struct Case {
    ranks: usize,
    ranks_per_node: usize,
    /// Node of every rank, if they do not follow each other.
    nodes: Option<Vec<u32>>,
    log2: u32,
    kind: StreamKind,
    options: Options,
    /// Start position and number of updates of each rank.
    shares: Vec<(i64, i64)>,
}

impl Case {
    /// What HPCC does: four updates per word, started at four times the rank's first word.
    fn hpcc(ranks: usize, log2: u32, kind: StreamKind, options: Options) -> Self {
        let table = Distribution::new(log2, ranks);
        let shares = (0..ranks)
            .map(|rank| (4 * table.start(rank) as i64, 4 * table.local_length(rank) as i64))
            .collect();
        Self { ranks, ranks_per_node: ranks, nodes: None, log2, kind, options, shares }
    }

    fn serial(&self) -> Vec<u64> {
        fn apply<R: Recurrence>(table: &mut [u64], shift: u32, start: i64, count: i64) {
            let (mut state, mask) = (R::state(start), table.len() as u64 - 1);
            for _ in 0..count {
                state = R::step(state);
                table[(state.checked_shr(shift).unwrap_or(0) & mask) as usize] ^= state;
            }
        }
        let mut table: Vec<u64> = (0..1 << self.log2).collect();
        for &(start, count) in &self.shares {
            match self.kind {
                StreamKind::Polynomial => apply::<Polynomial>(&mut table, 0, start, count),
                StreamKind::Lcg => apply::<Lcg>(&mut table, 64 - self.log2, start, count),
            }
        }
        table
    }

    /// Runs the case and compares with the serial loop, word by word; then verifies it.
    fn check(&self) {
        let distribution = Distribution::new(self.log2, self.ranks);
        let consecutive = || (0..self.ranks).map(|rank| (rank / self.ranks_per_node) as u32).collect();
        let nodes = self.nodes.clone().unwrap_or_else(consecutive);
        let parts = threads::run_on_nodes(nodes, |comm| {
            use hcube_core::comm::Comm;
            use hcube_random_access::work::{GENERATE, UPDATE};
            let rank = comm.rank();
            let mut words: Vec<u64> = (distribution.start(rank)..distribution.start(rank + 1)).collect();
            let (start, count) = self.shares[rank];
            let updates = Updates { kind: self.kind, start, count };
            let mut state = UpdateState::new(comm, &self.options).expect("created");
            let statistics =
                run(comm, &mut state, distribution, &mut words, &updates, &self.options).expect("run");
            // The simulated work equals the work that was done.
            let noted = comm.noted();
            assert_eq!(
                (noted.amount(GENERATE), noted.amount(UPDATE)),
                (statistics.generated, statistics.applied),
                "{self:?}"
            );
            let result = words.clone();
            // Damage one word: verification must see it, and restore it.
            let damaged = rank == 0 && !words.is_empty();
            if damaged {
                words[0] ^= 1;
            }
            let errors = verify(comm, distribution, &mut words, &updates).expect("verified");
            assert_eq!(errors, 1, "the damaged word and no other: {self:?}");
            assert!(words.iter().copied().eq(distribution.start(rank)..distribution.start(rank + 1)));
            (result, statistics)
        });
        let table: Vec<u64> = parts.iter().flat_map(|(words, _)| words.iter().copied()).collect();
        assert!(table == self.serial(), "{self:?}");
        let applied: u64 = parts.iter().map(|(_, statistics)| statistics.applied).sum();
        assert_eq!(applied, self.shares.iter().map(|&(_, count)| count as u64).sum::<u64>());
    }
}

const KINDS: [StreamKind; 2] = [StreamKind::Polynomial, StreamKind::Lcg];
/// The look-aheads of Plimpton et al. 2006, Table 4.
const TABLE_4: [usize; 10] = [1, 4, 16, 64, 256, 1024, 2048, 4096, 8192, 32768];

fn message(options: Options) -> Options {
    Options { mode: Mode::Message, ..options }
}

#[test]
fn every_size_by_messages_and_by_shared_memory() {
    for ranks in (1..=17).chain([31, 32, 33]) {
        for kind in KINDS {
            Case::hpcc(ranks, 12, kind, Options::default()).check();
            Case::hpcc(ranks, 12, kind, message(Options::default())).check();
        }
    }
}

#[test]
fn every_optimisation_alone_and_together() {
    for ranks in [2, 3, 4, 5, 7, 8] {
        for bits in 0..16 {
            let on = |bit: u32| bits >> bit & 1 == 1;
            let optimisations = Optimisations {
                receive_ahead: on(0),
                late_updates: on(1),
                late_waits: on(2),
                overlapped_sends: on(3),
            };
            for relaxed in [false, true] {
                let options = Options { optimisations, relaxed, ..Options::default() };
                Case::hpcc(ranks, 11, StreamKind::Polynomial, message(options)).check();
            }
        }
    }
}

#[test]
fn every_look_ahead_of_table_4() {
    for look_ahead in TABLE_4 {
        for ranks in [1, 2, 3, 4] {
            let log2 = if look_ahead < 64 { 7 } else { 12 };
            let options = Options { look_ahead, ..Options::default() };
            Case::hpcc(ranks, log2, StreamKind::Lcg, options).check();
            Case::hpcc(ranks, log2, StreamKind::Polynomial, message(options)).check();
        }
    }
}

#[test]
fn every_dimensionality() {
    for ranks in [2, 3, 6, 8, 9, 16, 27] {
        for dimensions in 1..=5 {
            let options = Options { dimensions, ..Options::default() };
            Case::hpcc(ranks, 12, StreamKind::Polynomial, message(options)).check();
        }
    }
}

#[test]
fn nodes_with_hypercube_and_with_three_hops() {
    for (ranks, ranks_per_node) in [(4, 2), (4, 3), (5, 2), (6, 2), (7, 3), (8, 4), (9, 3), (12, 4), (16, 2)]
    {
        for mode in [Mode::Auto, Mode::Node, Mode::ThreeHop] {
            for relaxed in [false, true] {
                let options = Options { mode, relaxed, ..Options::default() };
                for kind in KINDS {
                    let case = Case::hpcc(ranks, 12, kind, options);
                    Case { ranks_per_node, ..case }.check();
                }
                let options = Options { ranks_per_node, ..options };
                Case::hpcc(ranks, 11, StreamKind::Lcg, options).check();
            }
        }
    }
}

/// Ranks placed round robin over the nodes, or at random: positions and ranks differ.
#[test]
fn placements_that_are_not_in_rank_order() {
    for nodes in
        [vec![0, 1, 0, 1], vec![0, 1, 2, 0, 1, 2, 0], vec![0, 1, 1, 0, 4, 4, 0, 1, 4], vec![0, 1, 2, 3, 0]]
    {
        for mode in [Mode::Auto, Mode::Node, Mode::ThreeHop, Mode::Message] {
            for kind in KINDS {
                let case = Case::hpcc(nodes.len(), 12, kind, Options { mode, ..Options::default() });
                Case { nodes: Some(nodes.clone()), ..case }.check();
            }
        }
    }
}

/// All ranks start at position 0, where the polynomial stream has single bits: nearly everything
/// goes to rank 0. Nothing overflows, is cut off or lost.
#[test]
fn skewed_streams() {
    for mode in [Mode::Auto, Mode::Message, Mode::Node, Mode::ThreeHop] {
        for (ranks, ranks_per_node) in [(2, 2), (3, 3), (7, 7), (8, 2), (9, 3)] {
            for look_ahead in [2, 1024, 32768] {
                for bits in [Optimisations::ALL, Optimisations::NONE] {
                    let options = Options { mode, look_ahead, optimisations: bits, ..Options::default() };
                    let count = if look_ahead == 2 { 40 } else { 3000 };
                    Case {
                        ranks,
                        ranks_per_node,
                        nodes: None,
                        log2: 20,
                        kind: StreamKind::Polynomial,
                        options,
                        shares: vec![(0, count); ranks],
                    }
                    .check();
                }
            }
        }
    }
}

/// One rank has all the work, or one has none; tables smaller than the look-ahead and than the
/// number of ranks.
#[test]
fn uneven_and_tiny() {
    for mode in [Mode::Auto, Mode::Message] {
        for ranks in [1, 2, 3, 5, 8] {
            for log2 in [0, 1, 3, 9] {
                let options = Options { mode, ..Options::default() };
                for kind in KINDS {
                    Case::hpcc(ranks, log2, kind, options).check();
                    let mut case = Case::hpcc(ranks, log2, kind, options);
                    case.shares =
                        (0..ranks).map(|rank| (17, if rank == ranks / 2 { 5000 } else { 0 })).collect();
                    case.check();
                    case.shares = (0..ranks)
                        .map(|rank| (1 << 40, [0, 1, 511, 512, 513, 1023, 1025, 7][rank]))
                        .collect();
                    case.check();
                }
            }
        }
    }
}

#[test]
fn statistics_count_what_the_paper_counts() {
    let ranks = 8;
    let distribution = Distribution::new(16, ranks);
    let all = threads::run(ranks, 1, |comm| {
        use hcube_core::comm::Comm;
        let rank = comm.rank();
        let mut words: Vec<u64> = (distribution.start(rank)..distribution.start(rank + 1)).collect();
        let updates = Updates { kind: StreamKind::Lcg, start: 1 << 30 | (rank as i64) << 20, count: 1 << 15 };
        let options = message(Options::default());
        let mut state = UpdateState::new(comm, &options).expect("created");
        run(comm, &mut state, distribution, &mut words, &updates, &options).expect("run")
    });
    for statistics in all {
        assert_eq!(statistics.rounds, (1 << 15) / 512);
        assert_eq!(statistics.stages, 3);
        // L = log2 P messages and V = log2(P) Q/2 words per round of Q, here Q/2.
        assert_eq!(statistics.messages, 64 * 3);
        let words = statistics.message_bytes as f64 / 8.0;
        assert!((words / (64.0 * 3.0 * 256.0) - 1.0).abs() < 0.05, "{words}");
        assert_eq!(statistics.open_bound, 1024);
        assert!(statistics.most_held < 800 && statistics.excess == 0);
        assert!(statistics.memory < 256 << 10);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn any_case_equals_the_serial_loop(
        ranks in 1usize..10,
        ranks_per_node in 1usize..10,
        log2 in 0u32..14,
        lcg: bool,
        look_ahead in 1usize..3000,
        mode in 0usize..4,
        dimensions in 0usize..4,
        relaxed: bool,
        bits in 0u32..16,
        seed in any::<u32>(),
    ) {
        let on = |bit: u32| bits >> bit & 1 == 1;
        let optimisations = Optimisations {
            receive_ahead: on(0), late_updates: on(1), late_waits: on(2), overlapped_sends: on(3),
        };
        let options = Options {
            look_ahead, mode: Mode::ALL[mode], dimensions, relaxed, optimisations, ..Options::default()
        };
        let kind = if lcg { StreamKind::Lcg } else { StreamKind::Polynomial };
        let most = if look_ahead < 16 { 100 } else { 4000 };
        let shares = (0..ranks as i64).map(|rank| {
            let mixed = i64::from(seed).wrapping_mul(rank * 7919 + 1).rem_euclid(1 << 40);
            (mixed % (1 << 30), mixed % most)
        }).collect();
        Case { ranks, ranks_per_node, nodes: None, log2, kind, options, shares }.check();
    }
}
