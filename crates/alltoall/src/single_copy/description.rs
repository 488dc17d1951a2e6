//! The description of a rank's blocks for other ranks of its node, in memory that they read by single copy.

#[cfg(hcube_model)]
pub mod model;

use crate::node::Node;
use crate::task::Task;
use hcube_core::atomic::{AtomicU64, Ordering};
use hcube_core::error::{Error, reason};
use hcube_core::memory::datatype::Block;
use hcube_core::memory::reserve::filled;
use hcube_core::node::single_copy::{Process, Refused, Run};

type Result<T> = std::result::Result<T, Refused>;

/// The blocks of one rank for another, as the other one reads them.
#[repr(C)]
#[derive(Debug, Default)]
struct Entry {
    send: Runs,
    receive: Runs,
    /// 1 when the other rank does not read this entry any more; written by the other rank.
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
pub struct Description {
    /// One per rank of the node.
    entries: Box<[Entry]>,
    /// The lists of blocks with several runs, which others read.
    lists: Vec<Box<[Run]>>,
    own: usize,
}

impl Description {
    /// Of the blocks of this rank.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn new(task: &Task<'_>, node: &Node) -> hcube_core::Result<Self> {
        let (own, mut lists) = (node.board.own(), Vec::new());
        let mut lacks_memory = false;
        let mut runs = |block: &Block<'_>| {
            let mut list: Vec<Run> = Vec::new();
            block.runs(|address, bytes| match list.try_reserve(1) {
                Ok(()) => list.push(Run::new(address, bytes)),
                Err(_) => lacks_memory = true,
            });
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
        let entries: Box<[Entry]> = entries.collect();
        #[cfg(hcube_model)]
        let entries = model::placed(own, entries);
        match lacks_memory {
            true => Err(Error::Memory("no memory for the description of non-contiguous blocks".into())),
            false => Ok(Self { entries, lists, own }),
        }
    }

    /// This rank's number on its node.
    pub fn own(&self) -> usize {
        self.own
    }

    /// The numbers of the other ranks of the node.
    pub fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let own = self.own;
        (0..self.entries.len()).filter(move |&number| number != own)
    }

    /// Bytes that are copied from and to another rank.
    pub fn bytes_with(&self, number: usize) -> u64 {
        let Entry { send, receive, .. } = &self.entries[number];
        send.bytes + receive.bytes
    }

    /// Bytes of the description itself.
    pub fn memory(&self) -> usize {
        let lists: usize = self.lists.iter().map(|list| size_of_val(&**list)).sum();
        size_of_val(&*self.entries) + lists
    }

    /// The key by which other ranks find it; not 0.
    pub fn address(&self) -> u64 {
        self.entries.as_ptr().expose_provenance() as u64
    }

    /// The blocks for another rank and from it, or for this rank itself.
    pub fn blocks(&self, number: usize) -> Blocks {
        let Entry { send, receive, .. } = &self.entries[number];
        // SAFETY: runs of this description.
        let side = |runs: &Runs| Side { runs: unsafe { own_list(runs) }, bytes: runs.bytes };
        Blocks { send: side(send), receive: side(receive) }
    }

    /// Notes that nothing is left to be copied by another rank.
    pub fn note_done(&self, number: usize) {
        // Relaxed: where this rank notes it, only this rank reads it.
        self.entries[number].done.store(1, Ordering::Relaxed);
    }

    /// Whether the blocks for all other ranks are copied.
    pub fn is_done(&self) -> bool {
        // Acquire: the other rank has ended its accesses before this rank frees the memory.
        self.others().all(|number| self.entries[number].done.load(Ordering::Acquire) != 0)
    }
}

#[cfg(hcube_model)]
impl Drop for Description {
    fn drop(&mut self) {
        model::free(self.own, std::mem::take(&mut self.entries));
    }
}

/// One of the two blocks of a pair of ranks.
#[derive(Debug, Default)]
pub struct Side {
    /// Where it is.
    pub runs: Vec<Run>,
    /// Their bytes.
    pub bytes: u64,
}

/// The two blocks between a pair of ranks, as one of the two ranks has them.
#[derive(Debug, Default)]
pub struct Blocks {
    /// The block that this rank sends to the other one.
    pub send: Side,
    /// Where it receives from the other one.
    pub receive: Side,
}

/// The direction that a rank copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The blocks of both.
    Both,
    /// The block that it receives; the other rank does the same.
    Received,
}

impl Blocks {
    /// Reads the blocks of another rank that a part needs, which that rank has for rank `own` of the node.
    ///
    /// # Safety
    /// `address` is the address of a living description of the process.
    pub unsafe fn read(process: Process, address: u64, own: usize, part: Part) -> Result<Self> {
        let place = address + (own * ENTRY_BYTES) as u64;
        // SAFETY: the address is that of a living description: an entry of it and its lists are read. Any
        // bytes are an entry.
        unsafe {
            let mut entry = [Run::default(); ENTRY_BYTES / size_of::<Run>()];
            read_list(process, place, &mut entry)?;
            let Entry { send, receive, .. } = std::mem::transmute::<[Run; 4], Entry>(entry);
            let side = |runs: &Runs| Ok(Side { runs: list_of(process, runs)?, bytes: runs.bytes });
            let receive = if part == Part::Both { side(&receive)? } else { Side::default() };
            Ok(Self { send: side(&send)?, receive })
        }
    }

    /// Copies a part of the blocks between this rank, which has these, and another one, which has `theirs`.
    /// Returns what is wrong where lengths differ; that block is not copied.
    ///
    /// # Safety
    /// The blocks belong to this process and the other one, and no other thread or process accesses them
    /// meanwhile.
    pub unsafe fn copy(&self, process: Process, theirs: &Self, part: Part) -> Result<Option<String>> {
        let received = too_long(&theirs.send, &self.receive);
        let sent = if part == Part::Both { too_long(&self.send, &theirs.receive) } else { None };
        // SAFETY: blocks of this process and of the other one, which nobody accesses meanwhile; their lengths
        // were compared.
        unsafe {
            if received.is_none() {
                process.read_runs(&theirs.send.runs, &self.receive.runs)?;
            }
            if part == Part::Both && sent.is_none() {
                process.write_runs(&theirs.receive.runs, &self.send.runs)?;
            }
        }
        Ok(received.or(sent))
    }
}

/// Marks in the description of another rank, at this address, that rank `own` of the node does not need it
/// any more.
///
/// # Safety
/// As [`Blocks::read`].
pub unsafe fn note_done(process: Process, address: u64, own: usize) -> Result<()> {
    let place = address + (own * ENTRY_BYTES + DONE_OFFSET) as u64;
    // SAFETY: the address is that of a living description; the note is an atomic of it.
    unsafe { process.store(place, 1) }
}

/// The error if more is sent than is expected.
pub fn too_long(sent: &Side, expected: &Side) -> Option<String> {
    let (sent, expected) = (sent.bytes, expected.bytes);
    (sent > expected).then(|| format!("{sent} bytes sent where {expected} are expected"))
}

/// # Safety
/// The runs belong to a description of this process.
unsafe fn own_list(runs: &Runs) -> Vec<Run> {
    match runs.count {
        0 => Vec::new(),
        1 => vec![Run { address: runs.address, bytes: runs.bytes }],
        count => {
            let list = std::ptr::with_exposed_provenance::<Run>(runs.address as usize);
            // SAFETY: the list of the description, which has this number of runs, by the contract of this
            // function.
            unsafe { std::slice::from_raw_parts(list, count as usize) }.to_vec()
        }
    }
}

/// # Safety
/// The runs belong to a living description of the process.
unsafe fn list_of(process: Process, runs: &Runs) -> Result<Vec<Run>> {
    match runs.count {
        0 => Ok(Vec::new()),
        1 => Ok(vec![Run { address: runs.address, bytes: runs.bytes }]),
        count => {
            let no_memory = |_| Refused { copied: 0, error: std::io::ErrorKind::OutOfMemory.into() };
            let mut list =
                filled(Run::default(), count as usize, "the runs of a block").map_err(no_memory)?;
            // SAFETY: a list of a living description, to which nobody writes.
            unsafe { read_list(process, runs.address, &mut list)? };
            Ok(list)
        }
    }
}

/// # Safety
/// The list is in memory of the process that nobody writes to.
unsafe fn read_list(process: Process, address: u64, list: &mut [Run]) -> Result<()> {
    let here = [Run::new(list.as_mut_ptr().cast(), size_of_val(list))];
    let bytes = here[0].bytes;
    // SAFETY: a list of this function's caller, which nothing else refers to, and memory of the process by
    // the contract.
    unsafe { process.read_runs(&[Run { address, bytes }], &here) }
}

/// The error of a copy that the kernel has refused.
pub fn of_refusal(rank: usize, refused: &Refused) -> Error {
    Error::Memory(format!("single copy with rank {rank}: {}", reason(&refused.error)))
}
