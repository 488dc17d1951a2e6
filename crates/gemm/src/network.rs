//! The time of a message between domains, measured once for a communicator.
//!
//! Idea: every rank sends to the rank that is as many ranks further as the largest domain has ranks, so that
//! messages leave their domain and all ranks send at the same time, as in a product. The minimum over some
//! messages of one byte and of a long message gives latency and bandwidth; all ranks use the mean over all
//! ranks, so that they make the same choice.
//! Cost: a few messages per rank, at the first product that needs messages.
//! Source: Hockney's model ([`crate::model::hockney`]); the measurement is our own.

use crate::model::hockney::Hockney;
use hcube_core::comm::owned::Owned;
use hcube_core::comm::tags::GEMM_NETWORK;
use hcube_core::comm::{Comm, agree, agree_on_and_share};
use hcube_core::error::Result;
use hcube_core::memory::reserve;
use hcube_core::progress::wait::Patience;

/// Messages of each length.
const TURNS: usize = 4;
/// Bytes of the messages.
const BYTES: [usize; 2] = [1, 128 << 10];
/// Shortest time that is believed, in seconds.
const MIN_SECONDS: f64 = 1e-8;

/// Collective: seconds of a message and of a byte, between ranks that are `distance` apart.
///
/// # Errors
/// Of MPI, and on all ranks where one has no memory for the messages.
pub fn measure<C: Comm>(comm: &C, distance: usize, patience: Patience) -> Result<Hockney> {
    let (size, rank) = (comm.size(), comm.rank());
    let (to, from) = ((rank + distance) % size, (rank + size - distance % size) % size);
    let buffer = |bytes| reserve::filled(0, bytes, "messages that measure the network");
    let pair = |bytes| Ok([buffer(bytes)?, buffer(bytes)?]);
    let [one, long] = BYTES.map(pair);
    let mut buffers = agree(comm, one.and_then(|one| Ok([one, long?])))?;
    let mut shortest = [f64::INFINITY; 2];
    for _ in 0..TURNS {
        for (shortest, buffers) in shortest.iter_mut().zip(&mut buffers) {
            let [to_receive, to_send] = std::mem::take(buffers);
            let begin = comm.seconds();
            let mut received = Owned::receive(comm, to_receive, from, GEMM_NETWORK.tag(0))?;
            let mut sent = Owned::send(comm, to_send, to, GEMM_NETWORK.tag(0))?;
            // Polls of all ranks would take the simulator longer than the product.
            received.rest(comm)?;
            sent.rest(comm)?;
            let mut wait = patience.for_costly_polls().wait();
            while !received.has_finished(comm)? || !sent.has_finished(comm)? {
                wait.pause(comm);
            }
            *shortest = shortest.min(comm.seconds() - begin);
            *buffers = [received.into_buffer(), sent.into_buffer()];
        }
    }
    let [alpha, long] = shortest.map(|seconds| seconds.max(MIN_SECONDS));
    let beta = ((long - alpha) / BYTES[1] as f64).max(MIN_SECONDS / BYTES[1] as f64);
    let mut sums = [alpha, beta];
    comm.all_reduce_sum(&mut sums)?;
    // Those of rank 0: sums may differ in their last bits between ranks, and routes follow from them.
    let share = |sum: f64| agree_on_and_share(comm, &[], (sum / size as f64).to_bits()).map(f64::from_bits);
    Ok(Hockney { alpha: share(sums[0])?, beta: share(sums[1])? })
}
