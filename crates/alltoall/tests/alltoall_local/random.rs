//! Random exchanges between nodes, of inputs as the fuzz target `leaders` has them.

use super::drawn::Job;
use super::drawn::run::{Effect, run};
use super::nodes::run_on_nodes;
use hcube_alltoall::UsedPath;
use hcube_core::error::{HCUBE_ERR_COUNT, HCUBE_ERR_TRUNCATE};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::HashSet;
use std::io::Write;
use std::sync::mpsc;
use std::time::Duration;

/// A limit for ranks that wait for ever.
const LIMIT: Duration = Duration::from_secs(60);
/// Bytes of an input: some more than the exchanges of most ranks need.
const MAX_INPUT_BYTES: usize = 600;

/// Runs an input; the process ends if a result is wrong or does not come.
fn effects(input: &[u8]) -> HashSet<Effect> {
    let job = Job::draw(input);
    let (done, end) = mpsc::channel::<()>();
    let shown = &job;
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if end.recv_timeout(LIMIT) == Err(mpsc::RecvTimeoutError::Timeout) {
                let _ = writeln!(std::io::stderr(), "FAILED: ranks wait for ever: {input:?}, {shown:?}");
                std::process::exit(101);
            }
        });
        let all = run_on_nodes(job.nodes.clone(), |comm| run(comm, &job));
        drop(done);
        all.into_iter().flatten().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn drawn_exchanges_are_as_the_serial_reference(input in vec(any::<u8>(), 0..MAX_INPUT_BYTES)) {
        effects(&input);
    }
}

/// Inputs reach what is special about node leaders, and each kind of result.
#[test]
fn drawn_exchanges_are_of_all_kinds() {
    let input = |seed: u64| {
        let mut state = seed;
        let next = move |_| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 56) as u8
        };
        (0..MAX_INPUT_BYTES).map(next).collect::<Vec<u8>>()
    };
    let found: HashSet<Effect> = (0..80).flat_map(|seed| effects(&input(seed))).collect();
    for effect in [
        Effect::Done(UsedPath::NodeLeaders),
        Effect::Done(UsedPath::Mixed),
        Effect::Done(UsedPath::Message),
        Effect::Done(UsedPath::Alone),
        Effect::Forwarded,
        Effect::Error(HCUBE_ERR_COUNT),
        Effect::Error(HCUBE_ERR_TRUNCATE),
    ] {
        assert!(found.contains(&effect), "{effect:?} is not among {found:?}");
    }
}
