//! No run exceeds its look-ahead.

use super::audit;
use crate::state::UpdateState;
use crate::stream::StreamKind;
use crate::{Distribution, Mode, Options, Updates, run};
use hcube_core::comm::{Comm, threads};

/// The largest number of values of one rank that were open at any time.
fn max_open(ranks: usize, ranks_per_node: usize, options: &Options) -> usize {
    let distribution = Distribution::new(14, ranks);
    let run_all = || {
        threads::run(ranks, ranks_per_node, |comm| {
            let rank = comm.rank();
            let mut words: Vec<u64> = (distribution.start(rank)..distribution.start(rank + 1)).collect();
            let count = (20 * options.look_ahead as i64).clamp(50, 3000);
            let updates = Updates { kind: StreamKind::Lcg, start: (rank as i64 + 1) << 40, count };
            let mut state = UpdateState::new(comm, options).expect("created");
            run(comm, &mut state, distribution, &mut words, &updates, options).expect("run");
        })
    };
    audit(|| drop(run_all())).max_open
}

#[test]
fn no_rank_ever_has_more_than_the_look_ahead_open() {
    for look_ahead in [1, 2, 3, 47, 64, 1024] {
        for mode in [Mode::Auto, Mode::Message, Mode::Node, Mode::ThreeHop] {
            for (ranks, ranks_per_node) in [(1, 1), (2, 2), (3, 3), (4, 2), (5, 2), (6, 2), (8, 8)] {
                let options = Options { look_ahead, mode, ..Options::default() };
                let open = max_open(ranks, ranks_per_node, &options);
                let case = format!("Q = {look_ahead}, {mode:?}, {ranks} ranks on nodes of {ranks_per_node}");
                assert!(open <= look_ahead, "{case}: {open} open");
                assert!(open * 3 >= look_ahead.min(50), "{case}: only {open} open: is the audit at work?");
            }
        }
    }
}

#[test]
fn relaxed_keeps_to_its_bound() {
    for (ranks, ranks_per_node) in [(1, 1), (4, 4), (4, 1), (6, 2)] {
        let options = Options { look_ahead: 64, relaxed: true, ..Options::default() };
        let open = max_open(ranks, ranks_per_node, &options);
        assert!(open <= 3 * 64, "{ranks} ranks on nodes of {ranks_per_node}: {open} open");
    }
}
