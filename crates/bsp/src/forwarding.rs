//! Forwarding of records to processes of other nodes at the end of a superstep.
//!
//! Idea: all data of a node for another node is sent together, headers with data, along the stages of a plan
//! ([`hcube_core::plan`]): with three hops, all processes of a node pass their records for another node to
//! one of them through shared memory, which sends them in one message; otherwise the nodes are divided
//! recursively, and in each stage a process exchanges one message with a partner in every other part. A
//! message also carries the votes of its sender. After the last stage, every process knows the votes of all,
//! because it has received from every part, so that no process leaves a superstep that another process has
//! not ended.
//!
//! Restrictions: none. A message begins with a piece of at most `FIRST_PIECE_WORDS`, which contains its
//! length; further pieces have the length of [`crate::options::Options::memory`].
//! Cost: messages as in the table of [`hcube_core::plan`], two per superstep that reads remote memory; with
//! three hops a record crosses the network once and is copied six times. Memory: the records themselves, in
//! forwarding.
//! Source: the plans follow Plimpton et al. 2006; their use for BSP is our own.

use crate::agreement::{self, Votes};
use crate::record::{Kind, Source as Writer, label};
use hcube_core::Result;
use hcube_core::comm::{Comm, Piece, tags};
use hcube_core::error::Error;
use hcube_core::machine::work::COPY;
use hcube_core::memory::{Region, bytes_of_mut};
use hcube_core::node::lists::{Record, RecordLists};
use hcube_core::plan::{Parting, Plan, Routing, Send, Source, Stage, Topology, Transport, three_hop};

/// Words of a record before its payload: destination and origin, value, label and number, bytes.
const RECORD_HEAD: usize = 4;
/// Words of the first piece of a message.
const FIRST_PIECE_WORDS: usize = 1024;
/// Words of a message before its records: their number of words, and the votes.
const MESSAGE_HEAD: usize = 1 + agreement::WORDS;
/// Nodes to which one stage sends at most, unless three hops are worthwhile: with more, the start-up times of
/// the messages exceed the time of a further stage.
pub const MAX_PARTS: usize = 9;

/// Records that are forwarded.
#[derive(Debug)]
pub struct Forwarding {
    stages: Vec<Stage>,
    /// Words of a piece of a message.
    piece: usize,
    /// Records, one after another.
    held: Vec<u64>,
    /// Counter for parts that take turns.
    turn: usize,
    /// How many records were added for each process, and for which there are any.
    numbers: Vec<u32>,
    numbered: Vec<usize>,
}

/// A record that has arrived.
#[derive(Debug)]
pub struct Arrived<'a> {
    /// Where it is to go.
    pub destination: usize,
    /// The process that has written it, and how many it had written before for the destination.
    pub source: Writer,
    /// As in [`Record`].
    pub value: u64,
    /// As in [`Record`].
    pub label: u32,
    /// As in [`Record`].
    pub payload: Region<'a>,
}

/// The plan for records between `nodes` nodes: the fewest stages in which each rank sends to few nodes.
fn routing(topology: &Topology) -> Routing {
    let three_hop = three_hop::worthwhile(topology);
    let suffices = |&dimensions: &usize| MAX_PARTS.pow(dimensions as u32) >= topology.nodes();
    Routing { dimensions: (1..).find(suffices).expect("powers grow"), three_hop }
}

fn join(destination: usize, origin: usize) -> u64 {
    destination as u64 | (origin as u64) << 32
}

impl Forwarding {
    /// For a process; messages are sent in pieces of at most `piece_bytes`.
    pub fn new(topology: &Topology, process: usize, piece_bytes: usize) -> Self {
        let Plan { stages } = Plan::new(topology, process, routing(topology));
        let piece = (piece_bytes / size_of::<u64>()).clamp(FIRST_PIECE_WORDS, i32::MAX as usize);
        let numbers = vec![0; topology.size()];
        Self { stages, piece, held: Vec::new(), turn: 0, numbers, numbered: Vec::new() }
    }

    /// Adds a record, whose payload of `length` bytes is to be filled.
    ///
    /// # Errors
    /// [`Error::Memory`] if there is no memory for it.
    pub fn record(
        &mut self,
        destination: usize,
        origin: usize,
        value: u64,
        label: u32,
        length: usize,
    ) -> Result<Region<'_>> {
        let begin = self.held.len() + RECORD_HEAD;
        let words = length.div_ceil(size_of::<u64>());
        self.held.try_reserve(RECORD_HEAD + words).map_err(|_| {
            let held = size_of_val(&*self.held);
            Error::Memory(format!(
                "{held} bytes are buffered for other nodes, and there is no memory for {length} more"
            ))
        })?;
        let number = self.numbers[destination];
        if number == 0 {
            self.numbered.push(destination);
        }
        self.numbers[destination] = number.wrapping_add(1);
        let label = u64::from(label) | u64::from(number) << 32;
        self.held.extend([join(destination, origin), value, label, length as u64]);
        self.held.resize(begin + words, 0);
        Ok(Region::of(&mut bytes_of_mut(&mut self.held[begin..])[..length]))
    }

    /// Takes a record that was passed on by [`Self::collect`].
    pub fn add_passed(&mut self, record: Record<'_>) {
        let begin = self.held.len();
        self.held.resize(begin + record.payload.len() / size_of::<u64>(), 0);
        record.payload.read(bytes_of_mut(&mut self.held[begin..]));
    }

    /// Before the barrier of the node: passes records on to the processes that serve their nodes, if the plan
    /// begins with this stage. `list` is the number of the list for a process of this node.
    ///
    /// # Errors
    /// If the record lists have no memory.
    pub fn collect(&mut self, lists: &mut RecordLists, list: impl Fn(usize) -> usize) -> Result<()> {
        let Some(Stage { parting, transport: Transport::Node, own, .. }) = self.stages.first() else {
            return Ok(());
        };
        if self.stages.len() == 1 {
            return Ok(());
        }
        let (mut held, mut kept) = (std::mem::take(&mut self.held), Vec::new());
        for range in records(&held) {
            let words = &mut held[range];
            self.turn = self.turn.wrapping_add(1);
            let part = part(parting, words[0] as u32 as usize, self.turn);
            if part == *own {
                kept.extend_from_slice(words);
            } else {
                let bytes = bytes_of_mut(words);
                let record =
                    lists.record(list(part), words_of(bytes), label(Kind::Forwarded, 0), bytes.len())?;
                record.write(bytes);
            }
        }
        self.held = kept;
        Ok(())
    }

    /// Collective: the messages of all stages. Returns the votes of everybody from whom this process has
    /// heard.
    ///
    /// # Errors
    /// Of MPI.
    pub fn travel<C: Comm>(&mut self, comm: &C, mut votes: Votes) -> Result<Votes> {
        let stages = std::mem::take(&mut self.stages);
        for (number, stage) in stages.iter().enumerate() {
            if let Transport::Messages { sends, receives } = &stage.transport {
                comm.charge(COPY.of(size_of_val(&*self.held)));
                let parts = self.divide(stage);
                votes = self.exchange(comm, tags::BSP.tag(number), votes, sends, receives, parts)?;
            }
        }
        self.stages = stages;
        Ok(votes)
    }

    /// Divides the records held here; the records of this part stay.
    fn divide(&mut self, stage: &Stage) -> Vec<Vec<u64>> {
        let held = std::mem::take(&mut self.held);
        let mut parts = vec![Vec::new(); stage.parts];
        for range in records(&held) {
            self.turn = self.turn.wrapping_add(1);
            let words = &held[range];
            parts[part(&stage.parting, words[0] as u32 as usize, self.turn)].extend_from_slice(words);
        }
        self.held = std::mem::take(&mut parts[stage.own]);
        parts
    }

    /// One stage of messages.
    fn exchange<C: Comm>(
        &mut self,
        comm: &C,
        tag: i32,
        votes: Votes,
        sends: &[Send],
        receives: &[Source],
        mut parts: Vec<Vec<u64>>,
    ) -> Result<Votes> {
        let start = |source: &Source| comm.start_receive(vec![0; FIRST_PIECE_WORDS], source.from, tag);
        let posted: Vec<C::Receive> = receives.iter().map(start).collect::<Result<_>>()?;
        let mut under_way = Vec::new();
        for same_part in sends.chunk_by(|one, other| one.part == other.part) {
            let shares = share(std::mem::take(&mut parts[same_part[0].part]), same_part);
            for (send, records) in same_part.iter().zip(shares) {
                under_way.push(self.send(comm, tag, votes, send.to, &records)?);
            }
        }
        let mut all = votes;
        for (source, receive) in receives.iter().zip(posted) {
            let (first, words) = comm.finish_receive(receive)?;
            all = all.and(self.take(comm, tag, source.from, &first[..words])?);
        }
        under_way.into_iter().try_for_each(|sends| comm.finish_sends(sends).map(drop))?;
        Ok(all)
    }

    /// Starts a message.
    fn send<C: Comm>(
        &self,
        comm: &C,
        tag: i32,
        votes: Votes,
        to: usize,
        records: &[u64],
    ) -> Result<C::Sends> {
        let mut message = Vec::with_capacity(MESSAGE_HEAD + records.len());
        message.push(records.len() as u64);
        message.extend(votes.words());
        message.extend_from_slice(records);
        comm.charge(COPY.of(size_of_val(records)));
        let mut pieces = Vec::new();
        let mut begin = 0;
        while begin < message.len() {
            let limit = if begin == 0 { FIRST_PIECE_WORDS } else { self.piece };
            let end = message.len().min(begin + limit);
            pieces.push(Piece { range: begin..end, to, tag });
            begin = end;
        }
        comm.start_sends(message, &pieces)
    }

    /// Takes a message whose first piece has arrived; the votes in it.
    fn take<C: Comm>(&mut self, comm: &C, tag: i32, from: usize, first: &[u64]) -> Result<Votes> {
        let (head, records) = first.split_at(MESSAGE_HEAD);
        let words = head[0] as usize;
        comm.charge(COPY.of(words * size_of::<u64>()));
        let end = self.held.len() + words;
        self.held.extend_from_slice(records);
        let mut buffer = Vec::new();
        while self.held.len() < end {
            buffer.resize(self.piece.min(end - self.held.len()), 0);
            let (received, words) = comm.finish_receive(comm.start_receive(buffer, from, tag)?)?;
            self.held.extend_from_slice(&received[..words]);
            buffer = received;
        }
        Ok(Votes::from_words(head[1..].try_into().expect("the words of votes")))
    }

    /// Hands out what has arrived for this node.
    ///
    /// # Errors
    /// Errors of `arrived`.
    pub fn deliver(&mut self, mut arrived: impl FnMut(Arrived<'_>) -> Result<()>) -> Result<()> {
        for destination in self.numbered.drain(..) {
            self.numbers[destination] = 0;
        }
        let mut held = std::mem::take(&mut self.held);
        for range in records(&held) {
            let (head, payload) = held[range].split_at_mut(RECORD_HEAD);
            let [destination, origin] = [head[0] as u32 as usize, (head[0] >> 32) as usize];
            let payload = Region::of(&mut bytes_of_mut(payload)[..head[3] as usize]);
            let source = (origin, (head[2] >> 32) as u32);
            arrived(Arrived { destination, source, value: head[1], label: head[2] as u32, payload })?;
        }
        held.clear();
        self.held = held;
        Ok(())
    }
}

/// The words of bytes that were words.
fn words_of(bytes: &[u8]) -> u64 {
    (bytes.len() / size_of::<u64>()) as u64
}

/// The ranges of records.
fn records(held: &[u64]) -> Vec<std::ops::Range<usize>> {
    let (mut ranges, mut at) = (Vec::new(), 0);
    while at < held.len() {
        let end = at + RECORD_HEAD + (held[at + 3] as usize).div_ceil(size_of::<u64>());
        ranges.push(at..end);
        at = end;
    }
    ranges
}

/// The part of a destination; parts that take turns by `turn`.
fn part(parting: &Parting, destination: usize, turn: usize) -> usize {
    match parting {
        Parting::Ranks(bounds) => bounds.partition_point(|&bound| bound <= destination) - 1,
        Parting::Entries(entries) => {
            let entry = entries[destination];
            entry.first as usize + turn % entry.count as usize
        }
    }
}

/// Divides the records of a part among its messages, by their shares.
fn share(part: Vec<u64>, sends: &[Send]) -> Vec<Vec<u64>> {
    if sends.len() == 1 {
        return vec![part];
    }
    let mut shares = vec![Vec::new(); sends.len()];
    let size = |send: &Send| (send.to_share - send.from_share) as f64;
    for range in records(&part) {
        let load = |index: &usize| (shares[*index].len() + range.len()) as f64 / size(&sends[*index]);
        let least =
            (0..sends.len()).min_by(|one, other| load(one).total_cmp(&load(other))).expect("a message");
        shares[least].extend_from_slice(&part[range]);
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_stages_suffice() {
        let routing =
            |nodes: u32| routing(&Topology::from_node_numbers(&(0..nodes).collect::<Vec<_>>(), None));
        for (nodes, dimensions) in [(2, 1), (9, 1), (10, 2), (81, 2), (82, 3), (10_000, 5)] {
            assert_eq!(routing(nodes), Routing { dimensions, three_hop: false }, "{nodes} nodes");
        }
    }

    #[test]
    fn records_are_shared_out_whole() {
        let topology = Topology::without_nodes(5);
        let mut forwarding = Forwarding::new(&topology, 0, 0);
        for number in 0..100u8 {
            let mut data = vec![number; number as usize];
            let record = forwarding.record(3, 1, u64::from(number), 7, data.len()).expect("memory");
            record.copy_from(Region::of(&mut data));
        }
        let held = forwarding.held.clone();
        let send = |from_share, to_share| Send { part: 0, to: 0, from_share, to_share, of: 4, mean: (1, 1) };
        let shares = share(held.clone(), &[send(0, 1), send(1, 4)]);
        assert_eq!(shares.iter().map(Vec::len).sum::<usize>(), held.len());
        assert!((2.5..3.5).contains(&(shares[1].len() as f64 / shares[0].len() as f64)));
        let mut seen = Vec::new();
        for part in shares {
            forwarding.held = part;
            let record = |arrived: Arrived<'_>| {
                let mut bytes = vec![0; arrived.payload.len()];
                arrived.payload.read(&mut bytes);
                assert_eq!((arrived.destination, arrived.source.0, arrived.label), (3, 1, 7));
                assert_eq!(u64::from(arrived.source.1), arrived.value);
                assert!(
                    bytes.len() as u64 == arrived.value
                        && bytes.iter().all(|&byte| u64::from(byte) == arrived.value)
                );
                seen.push(arrived.value);
                Ok(())
            };
            forwarding.deliver(record).expect("no error");
        }
        seen.sort_unstable();
        assert_eq!(seen, (0..100).collect::<Vec<u64>>());
    }
}
