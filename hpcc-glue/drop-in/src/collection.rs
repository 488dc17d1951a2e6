//! Collection of the statistics of all ranks on rank 0 at `MPI_Finalize`.
//!
//! 1. On one node, through a pipe of rank 0 ([`hcube_core::node::pipe`]), if the placement of all ranks is
//!    known ([`Collection::decide`]). The others write their statistics there before the MPI library's
//!    `MPI_Finalize`; rank 0 reads them after it. MPI is not involved: a program may have abandoned
//!    nonblocking operations whose buffers are already freed, and progress would access these buffers.
//! 2. Otherwise by MPI reductions, which make progress on the program's requests.
//!
//! No rank waits for another for longer than [`PATIENCE`].

use crate::figures::{Figures, Total};
use crate::launcher::is_first_rank;
use crate::world;
use hcube_core::machine::identity::identity;
use hcube_core::node::pipe::{Address, Pipe};
use std::ffi::c_int;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Time that a rank waits in `MPI_Finalize` for the statistics of others. A rank without statistics (another
/// environment, no hcube) never sends any.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// The statistics of all ranks, on rank 0.
#[derive(Debug)]
pub struct Totals {
    /// The totals, row by row.
    pub rows: Vec<Total>,
    /// Number of ranks whose statistics are in it.
    pub ranks: usize,
    /// Number of ranks of `MPI_COMM_WORLD`.
    pub world: usize,
}

/// The path of the statistics.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Path {
    /// To a pipe of rank 0, from a number of other ranks.
    Pipe(Address, usize),
    /// Reductions.
    Mpi,
    /// Rank 0 has no statistics.
    Nowhere,
}

/// The collection of one library.
#[derive(Debug, Default)]
pub struct Collection {
    pipe: OnceLock<Option<Pipe>>,
    path: OnceLock<Path>,
}

impl Collection {
    /// One that uses reductions until the places of all ranks are known.
    pub const fn new() -> Self {
        Self { pipe: OnceLock::new(), path: OnceLock::new() }
    }

    /// Before `MPI_Init`: the location of the statistics of this rank, for the other ranks. A word without
    /// blanks: the node, and on rank 0 the address of its pipe.
    pub fn place(&self) -> String {
        let node = format!("{:x}", identity());
        let pipe = self.pipe.get_or_init(|| is_first_rank().then(Pipe::new)?.ok());
        match pipe {
            Some(pipe) => format!("{node}/{}", pipe.address()),
            None => node,
        }
    }

    /// After `MPI_Init`: the path, from the places of all ranks; of those with statistics.
    pub fn decide(&self, places: &[Option<&str>]) {
        self.path.get_or_init(|| path(places));
    }

    /// Around `MPI_Finalize` of the MPI library, `forward`: sends the statistics of this rank to rank 0,
    /// which passes the sum to `print`.
    pub fn collect(
        &self,
        rows: &[Figures],
        forward: impl FnOnce() -> c_int,
        print: impl FnOnce(Totals),
    ) -> c_int {
        let (rank, world) = (world::rank(), world::size());
        let print = |totals, ranks| print(Totals { rows: totals, ranks, world });
        match self.path.get().unwrap_or(&Path::Mpi) {
            Path::Nowhere => forward(),
            Path::Pipe(address, _) if rank != 0 => {
                // If this fails, rank 0 reports that statistics are missing.
                drop(address.send(&message(rank, rows)));
                forward()
            }
            &Path::Pipe(_, senders) => {
                let code = forward();
                let (totals, ranks) = self.received(rows, senders);
                print(totals, ranks);
                code
            }
            Path::Mpi => {
                let reduced = by_mpi(rows);
                match reduced {
                    _ if rank != 0 => {}
                    Some(totals) => print(totals, world),
                    None => print(own(rows), 1),
                }
                forward()
            }
        }
    }

    /// On rank 0: its own statistics and those in its pipe; and the number of ranks in them.
    fn received(&self, rows: &[Figures], senders: usize) -> (Vec<Total>, usize) {
        let begin = Instant::now();
        let mut bytes = Vec::new();
        loop {
            let pipe = self.pipe.get().and_then(Option::as_ref);
            let open = pipe.is_some_and(|pipe| pipe.receive(&mut bytes).is_ok());
            let collected = add(rows, &bytes);
            if !open || collected.1 > senders || begin.elapsed() > PATIENCE {
                return collected;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn path(places: &[Option<&str>]) -> Path {
    let Some(Some(first)) = places.first() else { return Path::Nowhere };
    let Some((node, Ok(address))) = first.split_once('/').map(|(node, address)| (node, address.parse()))
    else {
        return Path::Mpi;
    };
    let others = places[1..].iter().flatten();
    if others.clone().any(|place| *place != node) {
        return Path::Mpi;
    }
    Path::Pipe(address, others.count())
}

fn own(rows: &[Figures]) -> Vec<Total> {
    rows.iter().copied().map(Total::of).collect()
}

/// Words of a row in a message: its number with the memory, and the other values.
const ROW_WORDS: usize = 5;
/// Bits of the memory in the first word of a row.
const MEMORY_BITS: u32 = 48;
const MAX_MEMORY: u64 = (1 << MEMORY_BITS) - 1;

/// The statistics of a rank: the rank, the number of rows with calls, and these rows.
pub fn message(rank: usize, rows: &[Figures]) -> Vec<u8> {
    let used = || rows.iter().enumerate().filter(|(_, row)| row.calls > 0);
    let head = [rank as u64, used().count() as u64];
    let figures = used().flat_map(|(number, row)| {
        let first = (number as u64) << MEMORY_BITS | row.memory.min(MAX_MEMORY);
        [first, row.calls, row.flops, row.bytes, row.nanoseconds]
    });
    head.into_iter().chain(figures).flat_map(u64::to_le_bytes).collect()
}

/// The statistics of this rank plus received ones; and the number of ranks in them.
fn add(rows: &[Figures], messages: &[u8]) -> (Vec<Total>, usize) {
    let mut collected = (own(rows), 1);
    let mut words =
        messages.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().expect("8 bytes")));
    while let (Some(_), Some(count)) = (words.next(), words.next()) {
        for _ in 0..count {
            let figures: Vec<u64> = words.by_ref().take(ROW_WORDS).collect();
            let &[first, calls, flops, bytes, nanoseconds] = &figures[..] else { return collected };
            let (number, memory) = (first >> MEMORY_BITS, first & MAX_MEMORY);
            let Some(total) = collected.0.get_mut(number as usize) else { return collected };
            total.add(&Total::of(Figures { calls, flops, bytes, nanoseconds, memory }));
        }
        collected.1 += 1;
    }
    collected
}

/// Collective: the statistics of all ranks, on rank 0; `None` if they do not arrive in time.
fn by_mpi(rows: &[Figures]) -> Option<Vec<Total>> {
    let summands = rows.iter().flat_map(|row| [row.calls, row.flops, row.bytes, row.nanoseconds]).collect();
    let values = rows.iter().flat_map(|row| [row.nanoseconds, row.memory]).collect();
    let (sums, maxima) = world::reduce(summands, values, PATIENCE.as_secs_f64())?;
    let total = |(sum, maximum): (&[u64], &[u64])| Total {
        figures: Figures {
            calls: sum[0],
            flops: sum[1],
            bytes: sum[2],
            nanoseconds: maximum[0],
            memory: maximum[1],
        },
        nanoseconds: sum[3],
    };
    Some(sums.chunks_exact(4).zip(maxima.chunks_exact(2)).map(total).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows in which one of three has calls.
    fn rows(factor: u64) -> Vec<Figures> {
        let used = Figures {
            calls: factor,
            flops: 7 * factor,
            bytes: 10 * factor,
            nanoseconds: 100 * factor,
            memory: 1000 * factor,
        };
        (0..60).map(|number| if number % 3 == 0 { used } else { Figures::default() }).collect()
    }

    #[test]
    fn figures_of_ranks_are_added() {
        let messages = [message(1, &rows(2)), message(3, &rows(0)), message(2, &rows(5))].concat();
        let (totals, ranks) = add(&rows(1), &messages);
        assert_eq!(ranks, 4);
        let largest = rows(5)[0];
        assert_eq!(totals[0].figures, Figures { calls: 8, flops: 56, bytes: 80, ..largest });
        assert_eq!((totals[0].nanoseconds, totals[1].figures.calls), (800, 0));
    }

    #[test]
    fn a_part_of_a_message_is_not_a_rank() {
        let whole = message(1, &rows(2));
        for length in 0..whole.len() {
            assert_eq!(add(&rows(1), &whole[..length]).1, 1, "{length} bytes");
        }
        assert_eq!(add(&rows(1), &whole).1, 2);
    }

    #[test]
    fn a_pipe_serves_one_node() {
        let address: Address = "10/3/77".parse().expect("an address");
        assert_eq!(path(&[Some("a/10/3/77"), None, Some("a")]), Path::Pipe(address, 1));
        assert_eq!(path(&[Some("a/10/3/77"), Some("a"), Some("b")]), Path::Mpi);
        assert_eq!(path(&[Some("a"), Some("a")]), Path::Mpi, "no file for a pipe was left");
        assert_eq!(path(&[None, Some("a")]), Path::Nowhere);
    }
}
