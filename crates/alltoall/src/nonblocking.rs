//! Nonblocking exchanges inside a node: of two ranks, the one that starts later copies the blocks of both.
//!
//! Idea: a rank that starts an exchange describes its blocks in memory of its own and enters the address of that description
//! in a table of the node ([`Arrivals`]). So of two ranks exactly one is the later one: it reads the description of the other,
//! copies the block of the other rank from there and its own block to there, by single copy, and notes in the description that
//! this is done. Nothing is left to be done when a rank has started, so computation that follows is not interrupted. When
//! all ranks have started, all data has arrived: the exchange is complete once a barrier that begins after it is complete.
//!
//! Two ranks that start at about the same time share that work: the earlier one stays for half of the time that it would take, and
//! if the other one starts meanwhile, each copies only the block that it receives. Without that, the later ranks of a
//! program that computes in step would be the ones that all wait for.
//!
//! Restrictions: all ranks on one node, single copy between all of them. A block that is longer than expected is found by the
//! rank that would copy it, which returns the error; the block is not copied then. A rank that is 4096 exchanges of a
//! communicator ahead of another one waits for it.
//! Cost: 1 copy per byte, by the later rank of each pair or by both; 4 system calls per pair of ranks, 6 where they share, and more
//! for blocks of many runs. Memory: 65 KiB and 32 KiB per rank of the node in a table, whose pages become resident
//! when they are used, 64 bytes per rank of the node for each exchange under way, and 16 bytes for each run of its blocks.
//! Source: our own.

use super::copies::copy_own;
use super::node::Node;
use super::task::Task;
use hcube_core::comm::{Comm, agree};
use hcube_core::error::{Error, Result};
use hcube_core::machine::work::COPY;
use hcube_core::memory::datatype::Block;
use hcube_core::node::arrivals::Arrivals;
use hcube_core::node::device::Devices;
use hcube_core::node::single_copy::{Process, Refused, Run};
use hcube_core::progress::wait::Patience;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

/// The least bytes that ranks share: below, a copy takes less time than the scatter of the times at which ranks arrive.
const MIN_SHARED_BYTES: u64 = 128 << 10;
/// Bytes that a rank copies in a second, from another process.
const COPIED_PER_SECOND: f64 = 8e9;

/// The longest time in seconds for which a rank stays: those of a program that computes in step come within less.
const MAX_STAY: f64 = 1e-3;

/// What a rank keeps of its nonblocking exchanges.
#[derive(Debug)]
pub struct Nonblocking {
    arrivals: Arrivals,
    /// The processes of the node's ranks.
    processes: Vec<Process>,
    /// Those that other ranks may still have to read, the earliest first.
    under_way: VecDeque<Description>,
}

impl Drop for Nonblocking {
    /// A rank may start an exchange after another one has freed the communicator: what it reads then stays.
    fn drop(&mut self) {
        self.under_way.drain(..).filter(|description| !description.is_done()).for_each(std::mem::forget);
    }
}

/// The blocks of one rank for another, as the other one reads them.
#[repr(C)]
#[derive(Debug, Default)]
struct Entry {
    send: Runs,
    receive: Runs,
    /// 1 when the other rank does not read this entry any more. It writes that.
    done: AtomicU64,
    padding: u64,
}

/// The runs of a block.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct Runs {
    /// Where the list of runs is, or the only one.
    address: u64,
    count: u64,
    /// Bytes of all of them.
    bytes: u64,
}

const ENTRY_BYTES: usize = size_of::<Entry>();
const DONE_OFFSET: usize = std::mem::offset_of!(Entry, done);

/// The description of an exchange: memory that does not move while it lives.
#[derive(Debug)]
struct Description {
    /// One per rank of the node.
    entries: Box<[Entry]>,
    /// The lists of blocks with several runs, which others read.
    lists: Vec<Box<[Run]>>,
    own: usize,
}

impl Description {
    fn new(task: &Task<'_>, node: &Node) -> Self {
        let (own, mut lists) = (node.board.own(), Vec::new());
        let mut runs = |block: &Block<'_>| {
            let mut list = Vec::new();
            block.runs(|address, bytes| list.push(Run::new(address, bytes)));
            let (count, bytes) = (list.len() as u64, block.bytes() as u64);
            let address = match list[..] {
                [] => 0,
                [only] => only.address,
                _ => {
                    lists.push(list.into_boxed_slice());
                    lists.last().map_or(0, |list| list.as_ptr().expose_provenance() as u64)
                }
            };
            Runs { address, count, bytes }
        };
        let entries = node.ranks.iter().map(|&rank| {
            let (send, receive) = (runs(&task.outgoing(rank)), runs(&task.incoming(rank)));
            Entry { send, receive, ..Entry::default() }
        });
        let entries = entries.collect();
        Self { entries, lists, own }
    }

    /// Bytes that are copied from and to other ranks.
    fn bytes(&self) -> u64 {
        let others = self.entries.iter().enumerate().filter(|(number, _)| *number != self.own);
        others.map(|(_, entry)| entry.send.bytes + entry.receive.bytes).sum()
    }

    /// Bytes of the description itself.
    fn memory(&self) -> usize {
        let lists: usize = self.lists.iter().map(|list| size_of_val(&**list)).sum();
        size_of_val(&*self.entries) + lists
    }

    fn address(&self) -> u64 {
        self.entries.as_ptr().expose_provenance() as u64
    }

    /// Whether the blocks for all other ranks are copied.
    fn is_done(&self) -> bool {
        let others = self.entries.iter().enumerate().filter(|(number, _)| *number != self.own);
        others.map(|(_, entry)| entry.done.load(Ordering::Acquire)).all(|done| done != 0)
    }
}

impl Nonblocking {
    /// Collective over `comm`; `ranks` are the ranks of this rank's node, whose processes these are.
    ///
    /// # Errors
    /// On all ranks, where the ranks of a node cannot share memory, or a process may have memory of a device, which the kernel does
    /// not copy: a rank that finds such memory later could not tell those that have started the exchange.
    pub fn new<C: Comm + ?Sized>(comm: &C, ranks: &[usize], processes: Vec<Process>) -> Result<Self> {
        let reachable = match Devices::new().exist() {
            false => Ok(()),
            true => Err(Error::Unsupported("memory of devices in nonblocking exchanges".into())),
        };
        agree(comm, reachable)?;
        Ok(Self { arrivals: Arrivals::create(comm, ranks)?, processes, under_way: VecDeque::new() })
    }

    /// Bytes of memory of this rank: its part of the table, and the descriptions of exchanges under way.
    pub fn memory(&self) -> usize {
        self.arrivals.bytes() + self.under_way.iter().map(Description::memory).sum::<usize>()
    }

    /// Starts the exchange with this key, the same on all ranks and not 0, and copies what this rank has to copy of each pair of
    /// ranks. Waits only where some thousand exchanges are under way that other ranks have not started.
    ///
    /// # Errors
    /// [`Error::Truncate`] for a block that is longer than the other rank expects; the others are copied.
    /// [`Error::Memory`] where the kernel refuses a copy: the job must end, as other ranks take the exchange for complete.
    ///
    /// # Safety
    /// The memory of the blocks stays until all ranks have started the exchange and a barrier behind it is complete, and is not
    /// accessed until then, but for reads of what is sent.
    pub unsafe fn start<C: Comm>(
        &mut self,
        comm: &C,
        node: &mut Node,
        key: u64,
        task: &Task<'_>,
        patience: Patience,
    ) -> Result<()> {
        let description = Description::new(task, node);
        let Node { ranks, chunk, .. } = node;
        while self.under_way.front().is_some_and(Description::is_done) {
            self.under_way.pop_front();
        }
        let (arrivals, processes) = (&self.arrivals, &self.processes[..]);
        let mut pairs = Pairs { comm, arrivals, processes, ranks, description: &description, mismatch: None };
        // Nobody needs this core meanwhile, and there is something to share.
        let offers = !patience.shares_cores() && description.bytes() >= MIN_SHARED_BYTES;
        let others = || (0..ranks.len()).filter(|&partner| partner != description.own);
        if offers {
            others().for_each(|partner| arrivals.make_offer(partner, key));
        }
        let mut wait = patience.wait();
        let before = loop {
            match arrivals.enter(key, description.address()) {
                Some(before) => break before,
                None => wait.pause(comm),
            }
        };
        let later = others().filter(|partner| before.iter().all(|(rank, _)| rank != partner));
        let later: Vec<usize> = later.collect();
        // SAFETY: the contract of this function.
        unsafe {
            pairs.copy_with_earlier(key, &before, offers)?;
            if pairs.fits_itself() {
                copy_own(comm, task, chunk, false);
            }
            if offers {
                pairs.share_with_later(key, later)?;
            }
        }
        comm.settle();
        let mismatch = pairs.mismatch;
        self.under_way.push_back(description);
        match mismatch {
            None => Ok(()),
            Some(message) => Err(Error::Truncate { message, first: true }),
        }
    }
}

/// What this rank copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The blocks of both.
    Both,
    /// What it receives; the other rank does the same.
    Received,
}

/// The pairs of ranks that this rank belongs to, in one exchange.
struct Pairs<'a, C> {
    comm: &'a C,
    arrivals: &'a Arrivals,
    processes: &'a [Process],
    ranks: &'a [usize],
    description: &'a Description,
    /// The first block that is longer than expected.
    mismatch: Option<String>,
}

impl<C: Comm> Pairs<'_, C> {
    /// Whether the block of this rank for itself is not longer than it expects.
    fn fits_itself(&mut self) -> bool {
        let Entry { send, receive, .. } = &self.description.entries[self.description.own];
        let mismatch = too_long(send, receive);
        let fits = mismatch.is_none();
        self.mismatch = self.mismatch.take().or(mismatch);
        fits
    }

    /// Copies with the ranks that have started before, whose numbers and descriptions these are.
    ///
    /// # Safety
    /// As [`Nonblocking::start`]; the words are those of this exchange.
    unsafe fn copy_with_earlier(&mut self, key: u64, before: &[(usize, u64)], offers: bool) -> Result<()> {
        let own = self.description.address();
        let take_offer_of = |&(partner, address): &(usize, u64)| {
            if offers {
                self.arrivals.withdraw_offer(partner, key);
            }
            let is_shared = self.arrivals.take_offer(partner, key, own);
            (partner, address, if is_shared { Part::Received } else { Part::Both })
        };
        // All of them first, so that the others can begin.
        let taken: Vec<_> = before.iter().map(take_offer_of).collect();
        // SAFETY: the contract of this function.
        taken
            .into_iter()
            .try_for_each(|(partner, address, part)| unsafe { self.copy(partner, address, part) })
    }

    /// Copies what this rank receives from later ranks that come within half of the time that the copies take.
    ///
    /// # Safety
    /// As [`Nonblocking::start`]; there are offers to these ranks.
    unsafe fn share_with_later(&mut self, key: u64, mut later: Vec<usize>) -> Result<()> {
        let begin = self.comm.seconds();
        let entries = later.iter().map(|&partner| &self.description.entries[partner]);
        let bytes: u64 = entries.map(|entry| entry.send.bytes + entry.receive.bytes).sum();
        let until = begin + (bytes as f64 / 2.0 / COPIED_PER_SECOND).min(MAX_STAY);
        while !later.is_empty() && self.comm.seconds() < until {
            let taken =
                later.iter().find_map(|&partner| Some((partner, self.arrivals.taken_offer(partner)?)));
            let Some((partner, address)) = taken else {
                std::hint::spin_loop();
                continue;
            };
            later.retain(|&rank| rank != partner);
            // SAFETY: the contract of this function; the other rank has passed the address of its description.
            unsafe { self.copy(partner, address, Part::Received)? };
        }
        for partner in later {
            if let Some(address) = self.arrivals.withdraw_offer(partner, key) {
                // SAFETY: as above.
                unsafe { self.copy(partner, address, Part::Received)? };
            }
        }
        Ok(())
    }

    /// Copies with one other rank.
    ///
    /// # Safety
    /// As [`Nonblocking::start`]; the address is that of the description of this exchange by the partner, which it keeps until this
    /// rank has noted that it is done, and the partner does the same or the other part.
    unsafe fn copy(&mut self, partner: usize, address: u64, part: Part) -> Result<()> {
        let own = &self.description.entries[partner];
        // SAFETY: the contract of this function: nobody else copies these blocks.
        let copied =
            unsafe { exchange_with(self.processes[partner], address, self.description.own, own, part) };
        let mut bytes = own.receive.bytes;
        if part == Part::Both {
            own.done.store(1, Ordering::Release);
            bytes += own.send.bytes;
        }
        self.comm.charge(COPY.of(bytes as usize));
        let rank = self.ranks[partner];
        match copied {
            Ok(None) => Ok(()),
            Ok(Some(text)) => {
                self.mismatch.get_or_insert_with(|| format!("rank {rank}: {text}"));
                Ok(())
            }
            Err(refused) => Err(Error::Memory(format!("single copy with rank {rank}: {}", refused.error))),
        }
    }
}

/// Copies a part of the blocks of a pair of ranks, and notes in the description of the partner that this rank needs it no more;
/// `own` is this rank's number. Returns what is wrong where lengths differ.
///
/// # Safety
/// `address` is that of the description of the partner, whose process this is; nobody accesses these blocks meanwhile.
unsafe fn exchange_with(
    process: Process,
    address: u64,
    own: usize,
    mine: &Entry,
    part: Part,
) -> std::result::Result<Option<String>, Refused> {
    let place = address + (own * ENTRY_BYTES) as u64;
    // SAFETY: the contract of this function, which is that of all of these: entries and lists of the description, and the blocks
    // that they describe. Any bytes are an entry.
    unsafe {
        let mut theirs = [Run::default(); ENTRY_BYTES / size_of::<Run>()];
        read_list(process, place, &mut theirs)?;
        let theirs: Entry = std::mem::transmute(theirs);
        let received = too_long(&theirs.send, &mine.receive);
        if received.is_none() {
            process.read_runs(&list_of(process, &theirs.send)?, &own_list(&mine.receive))?;
        }
        let sent = if part == Part::Both { too_long(&mine.send, &theirs.receive) } else { None };
        if part == Part::Both && sent.is_none() {
            process.write_runs(&list_of(process, &theirs.receive)?, &own_list(&mine.send))?;
        }
        let done = 1u64;
        let note = [Run::new((&raw const done).cast(), size_of_val(&done))];
        process.write_runs(&[Run { address: place + DONE_OFFSET as u64, bytes: 8 }], &note)?;
        Ok(received.or(sent))
    }
}

/// What is wrong where more is sent than is expected.
fn too_long(sent: &Runs, expected: &Runs) -> Option<String> {
    let is_wrong = sent.bytes > expected.bytes;
    is_wrong.then(|| format!("{} bytes sent where {} are expected", sent.bytes, expected.bytes))
}

/// # Safety
/// The runs are those of a description of this process.
unsafe fn own_list(runs: &Runs) -> Vec<Run> {
    match runs.count {
        0 => Vec::new(),
        1 => vec![Run { address: runs.address, bytes: runs.bytes }],
        count => {
            let list = std::ptr::with_exposed_provenance::<Run>(runs.address as usize);
            // SAFETY: the list of the description, which has this number of runs, by the contract of this function.
            unsafe { std::slice::from_raw_parts(list, count as usize) }.to_vec()
        }
    }
}

/// # Safety
/// The runs are those of a living description of the process.
unsafe fn list_of(process: Process, runs: &Runs) -> std::result::Result<Vec<Run>, Refused> {
    match runs.count {
        0 => Ok(Vec::new()),
        1 => Ok(vec![Run { address: runs.address, bytes: runs.bytes }]),
        count => {
            let mut list = vec![Run::default(); count as usize];
            // SAFETY: the contract of this function.
            unsafe { read_list(process, runs.address, &mut list)? };
            Ok(list)
        }
    }
}

/// # Safety
/// The list is in memory of the process that nobody writes to.
unsafe fn read_list(process: Process, address: u64, list: &mut [Run]) -> std::result::Result<(), Refused> {
    let here = [Run::new(list.as_mut_ptr().cast(), size_of_val(list))];
    let bytes = here[0].bytes;
    // SAFETY: a list of this function's caller, which nothing else refers to, and memory of the process by the contract.
    unsafe { process.read_runs(&[Run { address, bytes }], &here) }
}
