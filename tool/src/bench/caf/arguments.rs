//! The options of `hcube bench caf`, and the operations that they select.

use super::task::{Operation, Task};
use crate::bench::drawn::Drawn;
use crate::bench::job::Common;
use crate::bench::lengths::{chosen, words};
use crate::choices::number;
use crate::list::{List, NONE, numbers};
use std::path::PathBuf;

/// Bytes of an operation: MPI's numbers are of type int.
const MAX_BYTES: usize = 256 << 20;

/// What `--plot` draws.
const PLOT: &str = "Draw times of operations, and of puts and gets over their size, into an SVG file";

/// Measurements of each variant without `--repeat`.
const REPEAT: u32 = 9;

/// The benchmark of coarrays (run it under mpirun)
///
/// Times the C functions of hcube/caf.h in libhcube.so against the corresponding MPI functions and
/// against OpenSHMEM, all in one process and alternating:
///
///   put, get       MPI_Put, MPI_Get, each with MPI_Win_flush; shmem_putmem, shmem_getmem;
///                  from 64 KiB also memcpy between the same two pages
///   put-strided    MPI_Put with MPI_Type_vector; shmem_long_iput
///   fetch-add      MPI_Fetch_and_op; shmem_ulong_atomic_fetch_add
///   compare-swap   shmem_ulong_atomic_compare_swap (MPI_Compare_and_swap crashes in Open MPI 4.1)
///   event          MPI_Send and MPI_Recv without data; shmem_ulong_atomic_inc and shmem_ulong_wait_until
///   lock           MPI_Win_lock and MPI_Win_unlock; shmem_set_lock and shmem_clear_lock
///   barrier        MPI_Barrier; shmem_barrier_all
///   finish         none; the table has its time in barriers of hcube
///   spawn-xor      MPI_Accumulate with MPI_BXOR, flushed every 1024; shmem_uint64_atomic_xor
///   copy-async     MPI_Rput, MPI_Win_flush and MPI_Wait; shmem_putmem_nbi and shmem_quiet
///   broadcast, allreduce   MPI_Bcast, MPI_Allreduce
///
/// One-sided operations go from rank 0 to rank 1, while all others wait in a barrier of the same
/// library; spawn-xor and the collective operations run on all ranks, and the slowest one counts.
/// Operations are timed in batches of about 5 ms, until all data of the batch is at its target.
///
/// Variables HCUBE_CAF_* apply to hcube. OpenSHMEM is Open MPI's (--openshmem FILE names another
/// file); where it cannot be loaded or started its columns are missing, and a note says why.
/// Oversubscription needs --oversubscribe of Open MPI's mpirun, and --bind-to none.
///
/// Examples:
///   mpirun -np 2 hcube bench caf
///   mpirun -np 4 hcube bench caf --operations barrier,finish,spawn-xor
///   mpirun -np 2 hcube bench caf --operations put,get --sizes 8,1k,16M --repeat 3
///   mpirun -np 2 hcube bench caf --ranks-per-node 1 --json=two.json --plot caf.svg
///   hcube bench caf --from two.json,four.json --plot caf.svg
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, mut_arg("plot", |plot| plot.help(PLOT)))]
pub struct Arguments {
    /// What is measured [default: all of them]
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',')]
    pub operations: Vec<Operation>,
    /// Bytes of put, get, copy-async, broadcast and allreduce [default: 8,64,4k,64k,1M for put and get,
    /// 8,1M for broadcast and allreduce, 1M for copy-async]
    #[arg(long, value_name = "BYTES[,BYTES...]", default_value = NONE, hide_default_value = true,
          value_parser = numbers(words(MAX_BYTES, "up to 256M")))]
    pub sizes: List<usize>,
    /// Treat each COUNT ranks as a node, so that hcube uses messages between them; as HCUBE_RANKS_PER_NODE
    #[arg(long, value_name = "COUNT", value_parser = number::<u32>(1..))]
    pub ranks_per_node: Option<u32>,
    /// Do not measure MPI's functions
    #[arg(long)]
    pub no_mpi: bool,
    /// Do not measure OpenSHMEM
    #[arg(long)]
    pub no_openshmem: bool,
    /// File of OpenSHMEM [default: Open MPI's, where the loader finds it]
    #[arg(long, value_name = "FILE")]
    pub openshmem: Option<PathBuf>,
    /// File of libhcube.so [default: beside the tool, or where both are installed]
    #[arg(long, value_name = "FILE")]
    pub caf: Option<PathBuf>,
    #[command(flatten)]
    pub common: Common<REPEAT>,
    #[command(flatten)]
    pub drawn: Drawn,
}

impl Arguments {
    /// All operations and sizes, in the order of the table.
    pub fn tasks(&self) -> Vec<Task> {
        let mut tasks = Vec::new();
        for operation in chosen(&self.operations) {
            let (usual, is_free) = operation.sizes();
            let sizes = if is_free && !self.sizes.is_empty() { &self.sizes } else { usual };
            tasks.extend(sizes.iter().map(|&bytes| Task { operation, bytes }));
        }
        tasks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::lengths::name;
    use crate::command_line::parse;

    fn tasks(line: &str) -> Vec<(String, usize)> {
        let tasks = parse::<Arguments>(line.split_whitespace()).tasks();
        tasks.iter().map(|task| (name(task.operation), task.bytes)).collect()
    }

    #[test]
    fn nothing_chosen_is_everything() {
        let all = tasks("");
        assert_eq!(all.len(), 2 * 5 + 8 + 1 + 2 * 2);
        assert_eq!([&all[0], &all[4]], [&("put".to_owned(), 8), &("put".to_owned(), 1 << 20)]);
    }

    #[test]
    fn sizes_are_those_of_operations_that_have_some() {
        let chosen = tasks("--operations allreduce,put-strided,get --sizes 16,2k");
        let expected =
            [("get", 16), ("get", 2048), ("put-strided", 8000), ("allreduce", 16), ("allreduce", 2048)];
        assert_eq!(chosen, expected.map(|(name, bytes)| (name.to_owned(), bytes)));
    }
}
