//! MPI_Alltoall by node leaders beside the functions of MPI libraries.
//!
//! The library functions are those that MPICH and Open MPI select for each size, as SimGrid has them: algorithms of
//! Bruck, of all messages at once, and by pairs. Beside them hcube's votes are summed by recursive doubling, as those
//! libraries sum few words.

use super::place::Place;
use super::results::{Alltoall, Batch, Case};

/// Bytes of a block.
const BLOCKS: [u64; 7] = [8, 32, 128, 256, 512, 1024, 4096];

/// hcube's algorithm, and the libraries' functions.
const ALGORITHMS: [&str; 3] = ["node-leaders", "mpich-out-of-place", "ompi-out-of-place"];

/// Memory within which node leaders exchange all blocks.
const MEMORY: u64 = 64 << 20;

/// Options of SimGrid for the cases of a batch.
pub fn collectives(case: &Case) -> &'static [&'static str] {
    match case {
        Case::Alltoall(case) if case.block.is_some() => match case.algorithm {
            "mpich-out-of-place" => &["--cfg=smpi/alltoall:mpich"],
            "ompi-out-of-place" => &["--cfg=smpi/alltoall:ompi"],
            _ => &["--cfg=smpi/allreduce:rdb"],
        },
        _ => &[],
    }
}

/// A simulation for each number of ranks and algorithm.
pub fn batches(place: &Place<'_>) -> Vec<Batch> {
    let of_algorithm = |algorithm| {
        place.batches(move |place, ranks| {
            let case = |block| {
                let bytes_per_rank = block * (ranks as u64 - 1);
                let row = place.alltoall(ranks, algorithm);
                Case::Alltoall(Alltoall {
                    block: Some(block),
                    bytes_per_rank,
                    path: "auto",
                    memory: MEMORY,
                    ..row
                })
            };
            BLOCKS.into_iter().map(case).collect()
        })
    };
    ALGORITHMS.into_iter().flat_map(of_algorithm).collect()
}
