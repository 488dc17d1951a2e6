//! Cases of exchanges that [`super::alltoall`] makes in other sections: MPI_Alltoallv with random counts out
//! of place, and schedules where ranks are placed on nodes in turn.

use super::alltoall::{Alltoall, CYCLIC, LEADERS, SCALED_BYTES};
use super::place::Place;
use super::row::Batch;
use hcube_results::alltoall::OUT_OF_PLACE;

/// Mean bytes of a block.
pub const MEANS: [u64; 4] = [8, 32, 128, 256];
/// Memory within which node leaders pass on blocks of twice the largest mean in one round, on 1024 ranks.
const MEMORY: u64 = 16 << 20;
/// The schedules of placements: two over ranks, and hcube's choice, which knows the nodes.
pub const PLACED: [&str; 3] = ["linear-shift", "hierarchical-sets", "auto"];

/// MPI_Alltoallv out of place: a simulation for each number of ranks and algorithm.
pub fn of_counts(place: &Place<'_>) -> Vec<Batch<Alltoall>> {
    let [mpich, open_mpi] = OUT_OF_PLACE.map(|one| one.0);
    place.variants([LEADERS, mpich, open_mpi], |algorithm, ranks| {
        MEANS.map(|block| Alltoall {
            block: Some(block),
            function: Some("alltoallv".to_owned()),
            bytes_per_rank: block * (ranks as u64 - 1),
            path: Some("auto".to_owned()),
            memory: Some(MEMORY),
            ..Alltoall::new(place, ranks, algorithm)
        })
    })
}

/// Schedules with ranks that fill one node after the other, and with ranks that are placed on nodes in turn;
/// with shared memory inside nodes, which excludes trials.
pub fn placements(place: &Place<'_>) -> Vec<Batch<Alltoall>> {
    place.variants([None, Some(CYCLIC)], |placement, ranks| {
        PLACED.map(|algorithm| Alltoall {
            placement: placement.map(str::to_owned),
            path: Some("shared".to_owned()),
            ..Alltoall::new(place, ranks, algorithm).scaled(SCALED_BYTES)
        })
    })
}
