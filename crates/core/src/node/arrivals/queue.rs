//! Operations that a rank has entered while all rows of their bucket were in use: a list in its own memory,
//! which the other ranks of the node read and change by single copy, under the lock of the bucket.
//!
//! Cost: a search for an operation makes a system call for 64 entries of a list, and usually finds it among
//! the first ones, because ranks start the operations of a communicator in the same order; removing an entry
//! is a further call. Memory: 16 bytes for each operation.

use crate::atomic::{self, AtomicU64, Ordering};
use crate::error::{Error, Result, reason};
use crate::memory::Region;
use crate::node::single_copy::{Process, Refused};
use std::cell::Cell;

/// An operation of the list, accessed under the lock of the bucket.
#[repr(C)]
#[derive(Debug, Clone)]
struct Entry {
    /// 0 where another rank has removed it.
    key: Cell<u64>,
    word: u64,
}

const ENTRY_BYTES: usize = size_of::<Entry>();
/// Entries that are read at a time.
const READ_AT_ONCE: usize = if cfg!(hcube_model) { 2 } else { 64 };
/// The key of the entries of a list that is freed, in a model.
const FREED: u64 = u64::MAX;

/// Words of the bucket by which others find the list of a rank.
pub(super) const WORDS: usize = 3;

/// Those words.
pub(super) struct Place<'a> {
    address: &'a AtomicU64,
    /// The entries before this one are removed.
    first: &'a AtomicU64,
    length: &'a AtomicU64,
}

/// An operation in the list of another rank.
#[derive(Debug, Clone, Copy)]
pub(super) struct Queued {
    pub rank: usize,
    pub word: u64,
    entry: u64,
}

impl<'a> Place<'a> {
    pub fn new([address, first, length]: [&'a AtomicU64; WORDS]) -> Self {
        Self { address, first, length }
    }

    fn numbers(&self) -> [u64; WORDS] {
        // Relaxed: under the lock of the bucket, which orders them.
        [self.address, self.first, self.length].map(|word| word.load(Ordering::Relaxed))
    }

    /// What stands for the entries of the list in a model: they have no fixed address.
    fn entries(&self) -> *const u8 {
        self.address.as_ptr().cast()
    }

    /// Searches the list of another rank, given by its number and process, for an operation.
    ///
    /// # Errors
    /// [`Error::Memory`] where the kernel refuses to read it.
    pub fn find(&self, rank: usize, process: Process, key: u64) -> Result<Option<Queued>> {
        let [address, first, length] = self.numbers();
        let mut entries = [[0u64; 2]; READ_AT_ONCE];
        let mut next = first;
        while next < length {
            let count = (length - next).min(READ_AT_ONCE as u64) as usize;
            let bytes = entries[..count].as_flattened_mut();
            // SAFETY: a local array that nothing refers to during the call; any bytes are numbers.
            let local = unsafe { Region::new(bytes.as_mut_ptr().cast(), size_of_val(bytes)) };
            process
                .read(address + next * ENTRY_BYTES as u64, local)
                .map_err(|refused| failed(rank, &refused))?;
            atomic::read(self.entries());
            assert!(
                !cfg!(hcube_model) || entries.iter().all(|entry| entry[0] != FREED),
                "a list that is freed"
            );
            if let Some(at) = entries[..count].iter().position(|entry| entry[0] == key) {
                return Ok(Some(Queued { rank, word: entries[at][1], entry: next + at as u64 }));
            }
            next += count as u64;
        }
        Ok(None)
    }

    /// Removes what [`Self::find`] has found.
    ///
    /// # Errors
    /// As [`Self::find`].
    pub fn remove(&self, process: Process, found: Queued) -> Result<()> {
        let [address, first, _] = self.numbers();
        let mut removed = 0u64;
        // SAFETY: a local variable that nothing else refers to during the call.
        let local = unsafe { Region::new((&raw mut removed).cast(), size_of::<u64>()) };
        atomic::written(self.entries());
        // SAFETY: the key of an entry of the list, a cell; the holder of the lock of the bucket uses it, and
        // that is this rank.
        let written = unsafe { process.write(address + found.entry * ENTRY_BYTES as u64, local) };
        written.map_err(|refused| failed(found.rank, &refused))?;
        if found.entry == first {
            self.first.store(first + 1, Ordering::Relaxed);
        }
        Ok(())
    }
}

#[cold]
fn failed(rank: usize, refused: &Refused) -> Error {
    Error::Memory(format!("single copy with rank {rank} of the node: {}", reason(&refused.error)))
}

/// The list of this rank for one bucket.
#[derive(Debug, Default)]
pub(super) struct Queue(Vec<Entry>);

impl Queue {
    /// Appends an operation.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn push(&mut self, place: &Place<'_>, key: u64, word: u64) -> Result<()> {
        let Self(entries) = self;
        if entries.len() == entries.capacity() {
            let open = entries.iter().filter(|entry| entry.key.get() != 0);
            let mut moved = Vec::new();
            // Twice the remaining entries, so that removed ones are collected only from time to time.
            let count = open.clone().count();
            let room = moved.try_reserve_exact(count + count.max(READ_AT_ONCE));
            room.map_err(|_| Error::Memory("no memory for operations that others have not started".into()))?;
            moved.extend(open.cloned());
            free(std::mem::replace(entries, moved));
            publish(entries, place);
        }
        atomic::written(place.entries());
        entries.push(Entry { key: Cell::new(key), word });
        place.length.store(entries.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Empties a list whose entries are all removed.
    pub fn clear(&mut self, place: &Place<'_>) {
        if !self.0.is_empty() {
            atomic::written(place.entries());
            free(std::mem::take(&mut self.0));
            publish(&self.0, place);
        }
    }

    /// Bytes of the list.
    pub fn bytes(&self) -> usize {
        self.0.capacity() * ENTRY_BYTES
    }

    /// Leaves the memory to other ranks, which may still read it: an operation in another list is also in
    /// this one, because this rank has started it too. A list whose entries are all removed is therefore
    /// never read.
    pub fn abandon(&mut self) {
        let entries = std::mem::take(&mut self.0);
        // SAFETY: an entry of this list. Volatile: another rank may remove it meanwhile.
        let is_open = |entry: &Entry| unsafe { entry.key.as_ptr().read_volatile() } != 0;
        if entries.iter().any(is_open) { std::mem::forget(entries) } else { free(entries) }
    }
}

/// Frees entries that nobody reads any more. A model leaves them, so that it notices who does.
fn free(entries: Vec<Entry>) {
    if cfg!(hcube_model) {
        entries.iter().for_each(|entry| entry.key.set(FREED));
        std::mem::forget(entries);
    }
}

fn publish(entries: &[Entry], place: &Place<'_>) {
    place.address.store(entries.as_ptr().expose_provenance() as u64, Ordering::Relaxed);
    place.first.store(0, Ordering::Relaxed);
    place.length.store(entries.len() as u64, Ordering::Relaxed);
}
