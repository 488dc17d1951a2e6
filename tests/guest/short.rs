//! Short exchanges, which are compared with the MPI library's function and may be forwarded without a look at them.

use crate::common::guest::{ALWAYS, DEFAULT, Guest, later_ones_are_served, ranks};

/// Exchanges that are forwarded in one comparison.
const FORWARDED: u64 = 4 * 32;

#[test]
fn short_exchanges_stay_right() {
    for ranks in [2, ranks(3)] {
        let guest = Guest::new("short", ranks);
        let stock = guest.stock();
        let (_, statistics) = guest.same_as(&stock, DEFAULT);
        later_ones_are_served(&statistics);
        let compared = statistics.reasons().iter().any(|reason| reason.contains("short blocks out of place"));
        // Where ranks share cores, nothing is compared.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        assert_eq!(compared, ranks <= cores, "{statistics:?}");
        assert!(!compared || statistics.calls_by("library") > FORWARDED, "{statistics:?}");
        guest.same_as(&stock, ALWAYS);
    }
}
