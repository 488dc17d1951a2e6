//! Small blocks, combined along the hypercube.
//!
//! Idea: a small message costs about a microsecond, independent of its size, so on P ranks P - 1 small
//! messages cost far more than their bytes. Every rank puts its blocks into records (destination, source,
//! length, bytes), which are routed to their destinations by the plan of stages of RandomAccess: in each of
//! log2 P stages a rank sends the records for the other half of its group in one message.
//!
//! Restrictions: blocks of at most [`MAX_BLOCK_BYTES`] on all ranks, and small enough for all records of a
//! rank to fit into the memory bound ([`largest`]). Any number of ranks.
//! Cost: ceil(log2 P) messages per rank, about P / 2 records each; every byte is copied log2 P times. Extra
//! memory: the buffers of the records, at most half of the memory bound.
//! Source of the plan: Plimpton et al. 2006, §2; for the all-to-all exchange of short messages the
//! idea is Bruck, Ho, Kipnis, Upfal and Weathersby, IEEE TPDS 8 (1997).

use super::task::Task;
use hcube_core::comm::{Comm, Piece, tags};
use hcube_core::error::Result;
use hcube_core::machine::work::COPY;
use hcube_core::plan::{Parting, Plan, Routing, Send, Source, Stage, Topology, Transport};

/// Largest block that is bundled.
pub const MAX_BLOCK_BYTES: usize = 256;
/// Words before the bytes of a record: destination and source, length.
const HEADER_WORDS: usize = 2;

/// Buffers of all records that an exchange needs at the same time: records held, divided, sent and received,
/// each with room for twice the mean.
const BUFFERS: usize = 8;

/// Largest block that `memory` bytes permit to bundle on `ranks` ranks, at most [`MAX_BLOCK_BYTES`]; `None`
/// if they permit no block.
pub fn largest(ranks: usize, memory: usize) -> Option<usize> {
    let record = (memory / (BUFFERS * ranks)).checked_sub(HEADER_WORDS * size_of::<u64>())?;
    Some((record / size_of::<u64>() * size_of::<u64>()).min(MAX_BLOCK_BYTES)).filter(|&bytes| bytes > 0)
}

/// The plan of one rank.
pub fn plan(rank: usize, size: usize) -> Plan {
    let routing = Routing { dimensions: 0, three_hop: false };
    Plan::new(&Topology::without_nodes(size), rank, routing)
}

/// Records one after another.
#[derive(Debug, Default)]
struct Records {
    words: Vec<u64>,
    /// Where each starts.
    starts: Vec<usize>,
}

impl Records {
    fn push(&mut self, record: &[u64]) {
        self.starts.push(self.words.len());
        self.words.extend_from_slice(record);
    }

    /// Adds the records of a message.
    fn append(&mut self, mut words: &[u64]) {
        while let Some((record, rest)) = words.split_at_checked(length(words)).filter(|_| !words.is_empty()) {
            self.push(record);
            words = rest;
        }
    }

    fn iter(&self) -> impl Iterator<Item = &[u64]> {
        self.starts.iter().map(|&start| &self.words[start..start + length(&self.words[start..])])
    }

    /// The words of a range of records.
    fn range(&self, records: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let at = |record: usize| self.starts.get(record).copied().unwrap_or(self.words.len());
        at(records.start)..at(records.end)
    }
}

/// Words of the record that starts here.
fn length(words: &[u64]) -> usize {
    words.get(1).map_or(0, |&bytes| HEADER_WORDS + (bytes as usize).div_ceil(size_of::<u64>()))
}

fn destination(record: &[u64]) -> usize {
    (record[0] >> 32) as usize
}

/// Collective: performs the exchange, without a rank's block for itself. `largest` is the result of
/// [`largest`], the same on all ranks.
///
/// # Errors
/// Of MPI; other ranks are waiting then, so the job must end.
pub fn exchange<C: Comm>(comm: &C, task: &Task<'_>, plan: &Plan, largest: usize) -> Result<()> {
    let mut held = records_of(task, comm.rank());
    comm.charge(COPY.of(size_of_val(&*held.words)));
    for (number, stage) in plan.stages.iter().enumerate() {
        held = pass_on(comm, stage, tags::ALLTOALL_BUNDLES.tag(number), &held, largest)?;
    }
    comm.charge(COPY.of(size_of_val(&*held.words)));
    for record in held.iter() {
        let source = record[0] as u32 as usize;
        let mut bytes = [0; MAX_BLOCK_BYTES];
        for (to, word) in bytes.chunks_exact_mut(size_of::<u64>()).zip(&record[HEADER_WORDS..]) {
            to.copy_from_slice(&word.to_ne_bytes());
        }
        task.incoming(source).unpack(0, &bytes[..record[1] as usize]);
    }
    Ok(())
}

/// The blocks of this rank for others as records.
fn records_of(task: &Task<'_>, own: usize) -> Records {
    let mut records = Records::default();
    records.words.reserve_exact(task.bytes_sent(own) as usize / size_of::<u64>() + 3 * task.ranks());
    records.starts.reserve_exact(task.ranks());
    for to in (0..task.ranks()).filter(|&to| to != own) {
        let block = task.outgoing(to);
        let mut bytes = [0; MAX_BLOCK_BYTES];
        block.pack(0, &mut bytes[..block.bytes()]);
        let mut record = [0; HEADER_WORDS + MAX_BLOCK_BYTES / size_of::<u64>()];
        record[0] = (to as u64) << 32 | own as u64;
        record[1] = block.bytes() as u64;
        for (word, from) in record[HEADER_WORDS..].iter_mut().zip(bytes.chunks_exact(size_of::<u64>())) {
            *word = u64::from_ne_bytes(from.try_into().expect("eight bytes"));
        }
        let words = length(&record);
        records.push(&record[..words]);
    }
    records
}

/// One stage: sends the records of other parts, returns the records of this part and those that have arrived.
fn pass_on<C: Comm>(comm: &C, stage: &Stage, tag: i32, held: &Records, largest: usize) -> Result<Records> {
    let Transport::Messages { sends, receives } = &stage.transport else {
        unreachable!("without nodes all stages are messages")
    };
    let size = comm.size();
    let started = receives
        .iter()
        .map(|source| comm.start_receive(vec![0; bound(size, source, largest)], source.from, tag))
        .collect::<Result<Vec<_>>>()?;
    let mut parts: Vec<Records> = (0..stage.parts).map(|_| Records::default()).collect();
    for record in held.iter() {
        parts[part_of(&stage.parting, destination(record))].push(record);
    }
    let (message, pieces) = assemble(&parts, sends, tag);
    comm.charge(COPY.of(size_of_val(&*held.words) + size_of_val(&*message)));
    let under_way = comm.start_sends(message, &pieces)?;
    let mut kept = std::mem::take(&mut parts[stage.own]);
    for receive in started {
        let (words, length) = comm.finish_receive(receive)?;
        kept.append(&words[..length]);
        comm.charge(COPY.of(size_of_val(&words[..length])));
    }
    comm.finish_sends(under_way)?;
    Ok(kept)
}

fn part_of(parting: &Parting, rank: usize) -> usize {
    match parting {
        Parting::Ranks(bounds) => bounds.partition_point(|&bound| bound <= rank) - 1,
        Parting::Entries(entries) => entries[rank].first as usize,
    }
}

/// One buffer with all messages of a stage.
fn assemble(parts: &[Records], sends: &[Send], tag: i32) -> (Vec<u64>, Vec<Piece>) {
    let (mut message, mut pieces) = (Vec::new(), Vec::new());
    for send in sends {
        let part = &parts[send.part];
        let start = message.len();
        message.extend_from_slice(&part.words[part.range(send.cut(part.starts.len()))]);
        pieces.push(Piece { range: start..message.len(), to: send.to, tag });
    }
    (message, pieces)
}

/// Largest number of words of a message: twice the expected share, because shares are whole records and parts
/// differ by a rank, and a few records.
fn bound(size: usize, source: &Source, largest: usize) -> usize {
    let (numerator, denominator) = source.mean;
    let records = (2 * size as u64 * numerator).div_ceil(denominator) as usize + 4;
    records * (HEADER_WORDS + largest / size_of::<u64>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Follows the records of all ranks through all stages: no message exceeds its bound, and every record
    /// arrives.
    #[test]
    fn messages_keep_their_bounds_at_every_size() {
        for size in (2..=40).chain([63, 64, 65, 100, 127]) {
            let plans: Vec<Plan> = (0..size).map(|rank| plan(rank, size)).collect();
            let to_all = |own| (0..size).filter(move |&to| to != own).collect::<Vec<usize>>();
            let mut held: Vec<Vec<usize>> = (0..size).map(to_all).collect();
            for number in 0..plans.iter().map(|plan| plan.stages.len()).max().unwrap_or(0) {
                let mut next = vec![Vec::new(); size];
                for (rank, list) in held.iter().enumerate() {
                    let Some(stage) = plans[rank].stages.get(number) else {
                        next[rank].extend(list);
                        continue;
                    };
                    let mut parts = vec![Vec::new(); stage.parts];
                    list.iter().for_each(|&to| parts[part_of(&stage.parting, to)].push(to));
                    next[rank].extend(&parts[stage.own]);
                    let Transport::Messages { sends, .. } = &stage.transport else { unreachable!() };
                    for send in sends {
                        let sent = &parts[send.part][send.cut(parts[send.part].len())];
                        let source = Source { from: rank, mean: send.mean };
                        let most =
                            bound(size, &source, MAX_BLOCK_BYTES) / (HEADER_WORDS + MAX_BLOCK_BYTES / 8);
                        assert!(sent.len() <= most, "{} of {most} records, {size} ranks", sent.len());
                        next[send.to].extend(sent);
                    }
                }
                held = next;
            }
            for (rank, list) in held.iter().enumerate() {
                assert_eq!(*list, vec![rank; size - 1], "rank {rank} of {size}");
            }
        }
    }
}
