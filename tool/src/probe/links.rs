//! Single messages: exchanges between two ranks of a node, and between two ranks of different nodes, while
//! the others wait.

use super::fit::{Quantity, Sample};
use crate::progress::Progress;
use hcube_core::Result;
use hcube_core::comm::{Comm, Piece, tags};
use hcube_core::machine::{EXAMPLE, Link, Parameters};
use hcube_results::numbers;
use std::time::Instant;

/// Words of the messages: from the shortest to a piece of the all-to-all exchange.
const WORDS: [usize; 5] = [1, 64, 512, 4096, 32768];
/// Seconds of one measurement. The shortest counts, as disturbances only add, and all lengths are measured
/// alternately, so that a long disturbance does not hit all measurements of a length.
const MEASUREMENT_SECONDS: f64 = 0.005;
const TIMES: usize = 9;
/// Exchanges of a measurement: a few where each waits for a core, and a bound for the others.
const MIN_EXCHANGES: f64 = 4.0;
const MAX_EXCHANGES: f64 = 5000.0;
const TAG: i32 = tags::LINKS.tag(0);

/// Which ranks exchange with rank 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pairs {
    /// A rank of its node; itself where there is only one rank at all.
    near: Option<usize>,
    /// A rank of another node.
    far: Option<usize>,
}

impl Pairs {
    /// From a number per rank that is the same on the same node.
    pub fn new(nodes: &[u32]) -> Self {
        let find = |same: bool| (1..nodes.len()).find(|&rank| (nodes[rank] == nodes[0]) == same);
        let near = if nodes.len() == 1 { Some(0) } else { find(true) };
        Self { near, far: find(false) }
    }

    fn all(&self) -> impl Iterator<Item = (bool, usize)> {
        let far = self.far.map(|rank| (true, rank));
        self.near.map(|rank| (false, rank)).into_iter().chain(far)
    }

    /// Steps of progress.
    pub fn steps(&self) -> usize {
        self.all().count() * TIMES
    }

    /// Whether no messages went between nodes.
    pub fn within_a_node(&self) -> bool {
        self.far.is_none()
    }

    /// Where only one kind of link was there, its figures serve for the other.
    pub fn complete(&self, mut parameters: Parameters) -> Parameters {
        match (self.near, self.far) {
            (Some(_), None) => parameters.network = parameters.node,
            (None, Some(_)) => parameters.node = parameters.network,
            _ => {}
        }
        parameters
    }

    /// What the file says about links.
    pub fn sources(&self) -> Vec<String> {
        let measured = |place: &str, other: usize| {
            let (least, most) = (8 * WORDS[0], numbers::whole_bytes(8 * WORDS[WORDS.len() - 1]));
            format!("Messages {place}: exchanges of {least} B to {most} between ranks 0 and {other}.")
        };
        let absent = |place: &str, other: &str| {
            format!("Messages {place}: not measured, the run had none; the figures {other} are used.")
        };
        let (inside, between) = ("inside a node", "between nodes");
        vec![
            match self.near {
                Some(0) => {
                    format!("Messages {inside}: of a rank to itself, as the run had one rank; a substitute.")
                }
                Some(rank) => measured(inside, rank),
                None => absent(inside, between),
            },
            self.far.map_or_else(|| absent(between, inside), |rank| measured(between, rank)),
        ]
    }
}

/// Collective: exchanges of all lengths over all kinds of links, alternately.
pub fn measure(comm: &impl Comm, pairs: &Pairs, progress: &mut Progress) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for (far, other) in pairs.all() {
        let place = if far { "between nodes" } else { "inside a node" };
        let turn = |turn| progress.step(|| format!("exchanges {place}, {} of {TIMES}", turn + 1));
        for (seconds, words) in shortest(comm, other, WORDS, turn)?.into_iter().zip(WORDS) {
            let bytes = 8 * words;
            let name = format!("exchange {} {place}", numbers::whole_bytes(bytes));
            samples.push(Sample { name, quantity: Quantity::Exchange { far, bytes: bytes as f64 }, seconds });
        }
    }
    Ok(samples)
}

/// Collective: the figures of links from the shortest and the longest message, without rounds and without a
/// fit. The figures of local work belong to no particular machine.
pub fn figures(comm: &impl Comm) -> Result<Parameters> {
    let pairs = Pairs::new(&comm.node_numbers()?);
    let words = [WORDS[0], WORDS[WORDS.len() - 1]];
    let mut parameters = EXAMPLE;
    for (far, other) in pairs.all() {
        let [latency, longest] = shortest(comm, other, words, |_| ())?;
        let bytes = 8.0 * (words[1] - words[0]) as f64;
        let link = Link { latency, bandwidth: bytes / (longest - latency).max(1e-9) };
        *(if far { &mut parameters.network } else { &mut parameters.node }) = link;
    }
    Ok(pairs.complete(parameters))
}

/// Collective: seconds of exchanges of each length with another rank, the shortest of all turns, each of
/// which `begin` announces.
fn shortest<const LENGTHS: usize>(
    comm: &impl Comm,
    other: usize,
    words: [usize; LENGTHS],
    mut begin: impl FnMut(usize),
) -> Result<[f64; LENGTHS]> {
    let mut shortest = [f64::INFINITY; LENGTHS];
    for turn in 0..TIMES {
        begin(turn);
        for (shortest, words) in shortest.iter_mut().zip(words) {
            *shortest = shortest.min(exchange(comm, other, words)?);
        }
    }
    Ok(shortest)
}

/// Collective: seconds of an exchange between rank 0 and another; the same on all ranks.
fn exchange(comm: &impl Comm, other: usize, words: usize) -> Result<f64> {
    let takes_part = comm.rank() == 0 || comm.rank() == other;
    let partner = if comm.rank() == 0 { other } else { 0 };
    let mut buffers = [vec![0; words], vec![0; words]];
    let mut batch = |count: usize| -> Result<f64> {
        comm.barrier()?;
        let begin = Instant::now();
        for _ in 0..if takes_part { count } else { 0 } {
            let [from, to] = std::mem::take(&mut buffers);
            let receive = comm.start_receive(to, partner, TAG)?;
            let sends = comm.start_sends(from, &[Piece { range: 0..words, to: partner, tag: TAG }])?;
            let (to, _) = comm.finish_receive(receive)?;
            buffers = [comm.finish_sends(sends)?, to];
        }
        let mut nanoseconds = [if takes_part { begin.elapsed().as_nanos() as i64 } else { 0 }];
        comm.all_reduce_max(&mut nanoseconds)?;
        Ok(1e-9 * nanoseconds[0].max(1) as f64 / count as f64)
    };
    // The first opens the connection and tells how many take so long.
    let once = batch(MIN_EXCHANGES as usize)?;
    batch((MEASUREMENT_SECONDS / once).clamp(MIN_EXCHANGES, MAX_EXCHANGES) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_lie_where_the_ranks_are() {
        for (nodes, near, far) in [
            (&[0][..], Some(0), None),
            (&[0, 0, 0], Some(1), None),
            (&[0, 1, 2], None, Some(1)),
            (&[0, 1, 0, 1], Some(2), Some(1)),
        ] {
            let pairs = Pairs::new(nodes);
            assert_eq!(pairs, Pairs { near, far }, "{nodes:?}");
            assert_eq!(pairs.within_a_node(), far.is_none(), "{nodes:?}");
            let sources = pairs.sources().concat();
            assert_eq!(sources.contains("not measured"), near.is_none() || far.is_none(), "{sources}");
        }
    }

    #[test]
    fn exchanges_between_threads_take_time() {
        for (ranks, per_node) in [(1, 1), (3, 3), (4, 2)] {
            let samples = hcube_core::comm::threads::run(ranks, per_node, |comm| {
                let pairs = Pairs::new(&comm.node_numbers().expect("numbers"));
                let samples = measure(comm, &pairs, &mut Progress::new("probe", false)).expect("exchanges");
                samples.iter().map(|sample| sample.seconds).collect::<Vec<f64>>()
            });
            let expected = if ranks > per_node { 2 * WORDS.len() } else { WORDS.len() };
            assert!(samples.iter().all(|all| all.len() == expected && *all == samples[0]), "{samples:?}");
            assert!(samples[0].iter().all(|&seconds| seconds > 0.0), "{samples:?}");
        }
    }
}
