//! The registrations of a process: a stack of memory blocks for each address.
//!
//! Idea: registrations have numbers, the same on all processes, because all make the same calls in the same
//! order. A block is identified by its address, which is looked up in a table from addresses to the numbers
//! registered with them, the latest last; a cache contains the last few addresses. Registrations and removals
//! of a superstep take effect at its end.
//!
//! NULL means that this process has no memory to register. The number for `bsp_pop_reg(NULL)` is not
//! determined
//! locally: it follows from the other processes ([`crate::agreement`]).
//!
//! Cost: a few instructions for an address in the cache; otherwise one look-up in a hash table. 40 bytes per
//! registration. Source: Hill et al. 1998, §3.2; bsponmpi's interpretation of NULL: the registration that the
//! other processes remove.

use hcube_core::Result;
use hcube_core::error::Error;
use hcube_core::memory::Region;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Addresses in the cache.
const RECENT: usize = 16;
/// Bound on the numbers of registrations, which are part of the labels of records.
pub const MAX_REGISTRATIONS: usize = 1 << 20;

/// Numbers of removed registrations that are not worth numbering anew.
const MIN_REMOVED: usize = 64;
/// Comparing memory with more registrations takes longer than to buffer a get.
const MAX_COMPARED: usize = 256;

/// Fibonacci hashing: addresses differ in their middle bits.
#[derive(Debug, Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_usize(usize::from(byte));
        }
    }

    fn write_usize(&mut self, value: usize) {
        self.0 = (self.0 ^ value as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
}

/// One registration of this process.
#[derive(Debug, Clone, Copy)]
struct Block {
    memory: Region<'static>,
    /// Removed in this superstep, or before.
    popped: bool,
}

impl Block {
    fn address(&self) -> usize {
        self.memory.address().addr()
    }
}

/// A call of `bsp_pop_reg` in this superstep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pop {
    /// The registration; `None` for NULL, until it is found.
    pub number: Option<u32>,
    /// Registrations at the time of the call.
    pub below: u32,
}

/// The registrations of a process.
#[derive(Debug, Default)]
pub struct Registry {
    blocks: Vec<Block>,
    /// Those before may be used; the others were registered in this superstep.
    effective: usize,
    /// The numbers of each address, the latest last.
    numbers: HashMap<usize, Vec<u32>, BuildHasherDefault<AddressHasher>>,
    pops: Vec<Pop>,
    /// Blocks that were removed in former supersteps and still have numbers.
    removed: usize,
    /// Addresses and their numbers, of those that may be used.
    recent: [Option<(usize, u32)>; RECENT],
}

fn place(address: usize) -> usize {
    (address >> 4 ^ address >> 9) % RECENT
}

impl Registry {
    /// Registers memory from the next superstep on.
    ///
    /// # Errors
    /// NULL with a size, and too many registrations.
    pub fn push(&mut self, memory: Region<'static>) -> Result<()> {
        let address = memory.address().addr();
        if address == 0 && !memory.is_empty() {
            return Err(Error::argument(
                "ident",
                "NULL",
                format!("an address, or size = 0 (size = {})", memory.len()),
            ));
        }
        if self.blocks.len() == MAX_REGISTRATIONS {
            let limit = format!("at most {MAX_REGISTRATIONS}");
            return Err(Error::argument("registrations", MAX_REGISTRATIONS + 1, limit));
        }
        if address != 0 {
            self.numbers.entry(address).or_default().push(self.blocks.len() as u32);
        }
        self.blocks.push(Block { memory, popped: false });
        Ok(())
    }

    /// Removes the latest registration of an address at the end of this superstep.
    ///
    /// # Errors
    /// If the address is not registered.
    pub fn pop(&mut self, address: usize) -> Result<()> {
        let below = self.blocks.len() as u32;
        if address == 0 {
            self.pops.push(Pop { number: None, below });
            return Ok(());
        }
        let numbers = self.numbers.get(&address).map_or(&[][..], Vec::as_slice);
        let number = numbers.iter().rev().copied().find(|&number| !self.blocks[number as usize].popped);
        let Some(number) = number else {
            let popped = if numbers.is_empty() { "" } else { " (removed before in this superstep)" };
            return Err(Error::argument(
                "ident",
                format!("{address:#x}"),
                format!("a registered address{popped}"),
            ));
        };
        self.blocks[number as usize].popped = true;
        self.pops.push(Pop { number: Some(number), below });
        Ok(())
    }

    /// The registration of an address in this superstep.
    ///
    /// # Errors
    /// If it is not registered; `name` is the name of the argument.
    #[inline]
    pub fn find(&mut self, name: &'static str, address: usize) -> Result<u32> {
        match self.recent[place(address)] {
            Some((known, number)) if known == address => Ok(number),
            _ => self.look_up(name, address),
        }
    }

    #[cold]
    fn look_up(&mut self, name: &'static str, address: usize) -> Result<u32> {
        let refused = |value: String, why: &str| {
            Err(Error::argument(name, value, format!("a registered address{why}")))
        };
        if address == 0 {
            return refused("NULL".into(), "");
        }
        let numbers = self.numbers.get(&address).map_or(&[][..], Vec::as_slice);
        match numbers.iter().rev().find(|&&number| (number as usize) < self.effective) {
            Some(&number) => {
                self.recent[place(address)] = Some((address, number));
                Ok(number)
            }
            None if numbers.is_empty() => refused(format!("{address:#x}"), ""),
            None => refused(
                format!("{address:#x}"),
                "; its registration takes effect at the end of this superstep (call bsp_sync first)",
            ),
        }
    }

    /// The memory of a registration that may be used; none for NULL.
    #[inline]
    pub fn memory(&self, number: u32) -> Option<Region<'static>> {
        let block = self.blocks[..self.effective].get(number as usize)?;
        (block.address() != 0).then_some(block.memory)
    }

    /// Whether memory may overlap what others may use of this process.
    pub fn may_overlap(&self, memory: Region<'_>) -> bool {
        let overlap = |block: &Block| block.memory.overlaps(memory);
        self.effective > MAX_COMPARED || self.blocks[..self.effective].iter().any(overlap)
    }

    /// Registrations of this superstep.
    pub fn pushed(&self) -> impl ExactSizeIterator<Item = Region<'static>> + '_ {
        self.blocks[self.effective..].iter().map(|block| block.memory)
    }

    /// Removals of this superstep.
    pub fn pops(&self) -> &[Pop] {
        &self.pops
    }

    /// Whether registration `number` is NULL here and not removed.
    pub fn is_null(&self, number: usize) -> bool {
        self.blocks.get(number).is_some_and(|block| block.address() == 0 && !block.popped)
    }

    /// All registrations, also of this superstep.
    pub fn count(&self) -> usize {
        self.blocks.len()
    }

    /// Removes a registration that is NULL here.
    pub fn pop_null(&mut self, number: usize) {
        self.blocks[number].popped = true;
    }

    /// Ends the superstep: what it has registered and removed takes effect. If numbers change by that, which
    /// of them stay: the registrations that are left are numbered anew in their order, on all processes
    /// alike.
    pub fn settle(&mut self) -> Option<Vec<bool>> {
        if self.effective == self.blocks.len() && self.pops.is_empty() {
            return None;
        }
        for pop in std::mem::take(&mut self.pops) {
            self.removed += 1;
            let Some(number) = pop.number else { continue };
            let address = self.blocks[number as usize].address();
            if let Some(numbers) = self.numbers.get_mut(&address) {
                numbers.retain(|&other| other != number);
                if numbers.is_empty() {
                    self.numbers.remove(&address);
                }
            }
        }
        while self.blocks.pop_if(|block| block.popped).is_some() {
            self.removed -= 1;
        }
        let kept =
            (self.removed > MIN_REMOVED && 2 * self.removed > self.blocks.len()).then(|| self.renumber());
        self.effective = self.blocks.len();
        self.recent = [None; RECENT];
        kept
    }

    /// Gives the registrations that are left consecutive numbers.
    fn renumber(&mut self) -> Vec<bool> {
        let kept: Vec<bool> = self.blocks.iter().map(|block| !block.popped).collect();
        let sums = kept.iter().scan(0, |next, &kept| {
            let number = *next;
            *next += u32::from(kept);
            Some(number)
        });
        let new: Vec<u32> = sums.collect();
        self.blocks.retain(|block| !block.popped);
        self.numbers.values_mut().flatten().for_each(|number| *number = new[*number as usize]);
        self.removed = 0;
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Memory that is never accessed.
    fn block(address: usize, length: usize) -> Region<'static> {
        // SAFETY: only the address and the length of the region are used.
        unsafe { Region::new(std::ptr::without_provenance_mut(address), length) }
    }

    fn registry(addresses: &[usize]) -> Registry {
        let mut registry = Registry::default();
        let size = |address| if address == 0 { 0 } else { 8 };
        addresses.iter().for_each(|&address| registry.push(block(address, size(address))).expect("room"));
        registry.settle();
        registry
    }

    #[test]
    fn a_registration_takes_effect_at_the_end_of_the_superstep() {
        let mut registry = registry(&[16]);
        assert_eq!(registry.find("dst", 16), Ok(0));
        registry.push(block(16, 4)).expect("room");
        registry.push(block(32, 4)).expect("room");
        assert_eq!(registry.find("dst", 16), Ok(0), "the earlier one is still meant");
        let early = registry.find("dst", 32).expect_err("not yet").to_string();
        assert!(
            early.starts_with("dst = 0x20: expected a registered address; its registration takes effect"),
            "{early}"
        );
        registry.settle();
        assert_eq!([16, 32].map(|address| registry.find("dst", address)), [Ok(1), Ok(2)]);
        assert_eq!(registry.memory(1).map(Region::len), Some(4));
    }

    #[test]
    fn the_latest_registration_of_an_address_is_removed_first() {
        let mut registry = registry(&[16, 32, 16]);
        registry.pop(16).expect("registered");
        assert_eq!(registry.find("dst", 16), Ok(2), "until the end of the superstep");
        registry.settle();
        assert_eq!((registry.find("dst", 16), registry.count()), (Ok(0), 2));
        registry.pop(16).expect("registered");
        assert!(registry.pop(16).is_err() && registry.pop(48).is_err());
        registry.settle();
        assert!(registry.find("dst", 16).is_err());
        // A number is free again only when all after it are.
        assert_eq!((registry.count(), registry.find("dst", 32)), (2, Ok(1)));
        registry.pop(32).expect("registered");
        registry.settle();
        assert_eq!(registry.count(), 0);
    }

    #[test]
    fn what_is_registered_and_removed_in_one_superstep_is_gone() {
        let mut registry = registry(&[]);
        registry.push(block(16, 1)).expect("room");
        registry.pop(16).expect("registered");
        assert_eq!(registry.pops(), [Pop { number: Some(0), below: 1 }]);
        registry.settle();
        assert_eq!((registry.count(), registry.find("src", 16).is_err()), (0, true));
    }

    /// A program that registers and removes in every superstep, for ever.
    #[test]
    fn numbers_of_removed_registrations_are_used_again() {
        let mut registry = registry(&[16]);
        for turn in 0..10_000usize {
            let (old, new) = (32 + 16 * (turn % 7), 32 + 16 * ((turn + 1) % 7));
            if turn > 0 {
                registry.pop(old).expect("registered");
            }
            registry.push(block(new, 8)).expect("room");
            if let Some(kept) = registry.settle() {
                assert_eq!(kept.len(), registry.count() + kept.iter().filter(|&&kept| !kept).count());
            }
            assert!(registry.count() < 3 * MIN_REMOVED, "{} numbers", registry.count());
            for address in [16, new] {
                let number = registry.find("dst", address).expect("registered");
                assert_eq!(registry.memory(number).map(|memory| memory.address().addr()), Some(address));
            }
            assert!(registry.find("dst", old).is_err() || old == new);
        }
    }

    #[test]
    fn overlaps_are_found_to_the_byte() {
        let mut registry = registry(&[100, 0, 300]);
        registry.push(block(500, 8)).expect("room");
        for (begin, length, expected) in [
            (92, 8, false),
            (93, 8, true),
            (107, 1, true),
            (108, 192, false),
            (50, 1000, true),
            (500, 8, false),
            (0, 8, false),
        ] {
            assert_eq!(registry.may_overlap(block(begin, length)), expected, "{length} bytes from {begin}");
        }
    }

    #[test]
    fn null_has_no_memory_and_no_size() {
        let mut registry = registry(&[]);
        registry.push(block(0, 0)).expect("no part");
        assert!(registry.push(block(0, 1)).is_err());
        registry.settle();
        assert!(registry.is_null(0) && registry.memory(0).is_none() && registry.find("dst", 0).is_err());
        registry.pop(0).expect("decided later");
        assert_eq!(registry.pops(), [Pop { number: None, below: 1 }]);
        registry.pop_null(0);
        registry.settle();
        assert_eq!(registry.count(), 0);
    }

    #[test]
    fn addresses_that_share_a_place_are_told_apart() {
        let addresses: Vec<usize> = (1..200).map(|number| number * 4096 + 16).collect();
        let mut registry = registry(&addresses);
        for _ in 0..2 {
            for (number, &address) in addresses.iter().enumerate() {
                assert_eq!(registry.find("dst", address), Ok(number as u32));
            }
        }
    }
}
