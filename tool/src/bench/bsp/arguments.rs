//! The options of `hcube bench bsp`, and the supersteps that they select.

use super::step::{Operation, Step};
use crate::bench::drawn::Drawn;
use crate::bench::job::Common;
use crate::bench::lengths::{chosen, words};
use crate::choices::number;
use crate::list::{List, NONE, numbers};
use crate::session::Failure;
use std::path::PathBuf;

/// Bytes that a process sends in a superstep: sizes and offsets of BSPlib are of type int.
const MAX_BYTES: usize = 1 << 30;

/// Bytes of a message without `--sizes`.
const DEFAULT_SIZES: [usize; 6] = [8, 64, 1 << 10, 8 << 10, 64 << 10, 1 << 20];

/// Messages of a superstep without `--messages`.
const DEFAULT_MESSAGES: [u32; 5] = [1, 4, 16, 256, 4096];

/// What `--plot` draws.
const PLOT: &str = "Draw times of supersteps, and of messages over their size, into an SVG file";

/// Measurements of each variant without `--repeat`.
const REPEAT: u32 = 9;

/// The benchmark of bulk-synchronous programs (run it under mpirun)
///
/// Times supersteps of BSPlib's C functions in libhcube_bsp.so against MPI's functions of the same
/// meaning, and against other BSP libraries (--library), all in one process and alternating.
///
/// Latency: empty (bsp_sync; MPI_Barrier), shift (a bsp_put of 8 bytes to the next process; MPI_Put and
/// MPI_Win_fence), all-to-all (a bsp_put of 8 bytes to every process; MPI_Alltoall).
/// Sweep: every process transfers a number of messages of a size to or from the next one, by bsp_put or
/// bsp_hpput (MPI_Put, MPI_Win_fence), bsp_get or bsp_hpget (MPI_Get, MPI_Win_fence), or bsp_send, with
/// bsp_move of every message that has arrived (MPI_Irecv, MPI_Isend, MPI_Waitall).
///
/// A time is the time of a superstep on the slowest rank; supersteps are timed in batches of about 5 ms.
/// Each variant is verified once for each superstep. hcube reads its environment variables HCUBE_BSP_*.
/// Oversubscription needs --oversubscribe of Open MPI's mpirun, and --bind-to none.
///
/// --library takes a shared library with BSPlib's classic functions (int for processes and sizes) for
/// the same MPI library. If there is only a static one:
///   mpicxx -shared -o libbsponmpi.so -Wl,--whole-archive libbsponmpi.a -Wl,--no-whole-archive
/// whose objects must be compiled with -fPIC. A library whose bsp_end finalises MPI must be the last.
///
/// Examples:
///   mpirun -np 2 hcube bench bsp
///   mpirun -np 4 hcube bench bsp --operations empty,shift,all-to-all
///   mpirun -np 2 hcube bench bsp --operations put,get --sizes 8,1k --repeat 3
///   mpirun -np 2 hcube bench bsp --library ./libbsponmpi.so --plot bsp.svg
///   hcube bench bsp --from two.json,four.json --plot bsp.svg
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, mut_arg("plot", |plot| plot.help(PLOT)))]
pub struct Arguments {
    /// What is measured [default: all of them]
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',')]
    pub operations: Vec<Operation>,
    /// Bytes of a message in the sweep [default: 8,64,1k,8k,64k,1M]
    #[arg(long, value_name = "BYTES[,BYTES...]", default_value = NONE, hide_default_value = true,
          value_parser = numbers(words(MAX_BYTES, "up to 1G")))]
    pub sizes: List<usize>,
    /// Messages of a process in a superstep of the sweep [default: 1,4,16,256,4096]
    #[arg(long, value_name = "N[,N...]", default_value = NONE, hide_default_value = true, value_parser = numbers(number::<u32>(1..=1 << 20)))]
    pub messages: List<u32>,
    /// Leave out supersteps in which a process transfers more
    #[arg(long, value_name = "BYTES", default_value = "4M", value_parser = words(MAX_BYTES, "up to 1G"))]
    pub max_bytes: usize,
    /// Files of other BSP libraries to compare with
    #[arg(long, value_name = "FILE[,FILE...]", value_delimiter = ',')]
    pub library: Vec<PathBuf>,
    /// Do not measure MPI's functions
    #[arg(long)]
    pub no_mpi: bool,
    /// File of libhcube_bsp.so [default: beside the tool, or where both are installed]
    #[arg(long, value_name = "FILE")]
    pub bsp: Option<PathBuf>,
    #[command(flatten)]
    pub common: Common<REPEAT>,
    #[command(flatten)]
    pub drawn: Drawn,
}

/// What was chosen, or the default.
fn or<'a, T>(values: &'a [T], usual: &'a [T]) -> &'a [T] {
    if values.is_empty() { usual } else { values }
}

impl Arguments {
    /// All supersteps, in the order of the table.
    ///
    /// # Errors
    /// Where none is left.
    pub fn steps(&self, ranks: usize) -> Result<Vec<Step>, Failure> {
        let (sizes, counts) = (or(&self.sizes, &DEFAULT_SIZES), or(&self.messages, &DEFAULT_MESSAGES));
        let mut steps = Vec::new();
        for operation in chosen(&self.operations) {
            if let Some((bytes, messages)) = operation.fixed_load(ranks) {
                steps.push(Step { operation, bytes, messages });
                continue;
            }
            for &bytes in sizes {
                let counts = counts.iter().map(|&count| count as usize);
                let fitting = counts.filter(|count| bytes.saturating_mul(*count) <= self.max_bytes);
                steps.extend(fitting.map(|messages| Step { operation, bytes, messages }));
            }
        }
        if steps.is_empty() {
            return Err(format!(
                "--max-bytes = {}: expected at least the size of one superstep",
                self.max_bytes
            ));
        }
        Ok(steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::lengths::name;
    use crate::command_line::parse;

    fn steps(line: &str) -> Result<Vec<Step>, Failure> {
        parse::<Arguments>(line.split_whitespace()).steps(4)
    }

    #[test]
    fn nothing_chosen_is_the_latencies_and_the_sweep() {
        let steps = steps("").expect("valid");
        assert_eq!(steps.len(), 3 + 5 * (5 + 5 + 5 + 4 + 3 + 2));
        let all_to_all = Step { operation: Operation::AllToAll, bytes: 8, messages: 4 };
        assert!(steps[2] == all_to_all && steps.iter().all(|step| step.bytes * step.messages <= 4 << 20));
    }

    #[test]
    fn lists_multiply_up_to_the_largest_superstep() {
        let chosen =
            steps("--operations send,empty --sizes 8,1M --messages 1,8 --max-bytes 1M").expect("valid");
        let loads: Vec<_> =
            chosen.iter().map(|step| (name(step.operation), step.bytes, step.messages)).collect();
        let expected = [("empty", 0, 0), ("send", 8, 1), ("send", 8, 8), ("send", 1 << 20, 1)];
        assert_eq!(loads, expected.map(|(name, bytes, messages)| (name.to_owned(), bytes, messages)));
        let refused = steps("--operations put --sizes 64 --max-bytes 8").expect_err("nothing left");
        assert!(refused.starts_with("--max-bytes = 8: expected"), "{refused}");
    }
}
