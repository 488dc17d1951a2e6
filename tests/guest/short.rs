//! Short exchanges, which are compared with the MPI library's function and may be forwarded without a state
//! lookup.

use crate::common::Launch;
use crate::common::guest::{ALWAYS, DEFAULT, Guest, later_ones_are_served, ranks};
use crate::common::preload::library;

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

/// Ranks with statistics look at the state of the communicator in each call, the others may have an
/// allowance: they decide alike, or they would wait for each other.
#[test]
fn ranks_decide_alike_with_statistics_and_without() {
    let guest = Guest::new("short", 2);
    let stock = guest.stock();
    for rank in ["0", "1", "none"] {
        let script = format!(
            "case ${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}} in {rank}) export HCUBE_STATS=1;; esac\n\
             LD_PRELOAD={} exec \"$@\"",
            library().display()
        );
        let outcome = Launch::new("sh", 2).args(["-c", &script, "sh"]).arg(&guest.program).limit(60).run();
        let table = outcome.stderr.contains("MPI_Alltoallv ");
        assert_eq!(table, rank == "0", "{}", outcome.stderr);
        assert_eq!(outcome.success(), stock.text, "statistics on rank {rank}");
    }
}
