//! Handles: numbers by which a program identifies objects of the runtime.

use hcube_core::error::{Error, Result};

/// A number that is never used again: an index and how often it was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle(u64);

impl Handle {
    /// What C passes.
    #[inline]
    pub const fn from_number(number: u64) -> Self {
        Self(number)
    }

    /// What C gets; never 0.
    #[inline]
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// Things with handles.
#[derive(Debug)]
pub struct Table<T> {
    /// Their description for errors: the name of the argument, and the expected value.
    name: &'static str,
    expected: &'static str,
    entries: Vec<(u32, Option<T>)>,
    free: Vec<u32>,
}

impl<T> Table<T> {
    /// An empty table; errors have the form `name = 5: expected ...`.
    pub const fn new(name: &'static str, expected: &'static str) -> Self {
        Self { name, expected, entries: Vec::new(), free: Vec::new() }
    }

    /// Adds a thing.
    pub fn add(&mut self, thing: T) -> Handle {
        let index = self.free.pop().unwrap_or_else(|| {
            self.entries.push((0, None));
            self.entries.len() as u32 - 1
        });
        let (uses, place) = &mut self.entries[index as usize];
        *uses += 1;
        *place = Some(thing);
        Handle(u64::from(index) | u64::from(*uses) << 32)
    }

    #[cold]
    fn unknown(&self, handle: Handle) -> Error {
        Error::argument(self.name, format_args!("{:#x}", handle.0), self.expected)
    }

    /// A thing.
    ///
    /// # Errors
    /// [`Error::Argument`] for a handle that was never given or was freed.
    #[inline]
    pub fn get(&self, handle: Handle) -> Result<&T> {
        self.find(handle).ok_or_else(|| self.unknown(handle))
    }

    /// A thing, if there is one.
    #[inline(always)]
    pub fn find(&self, handle: Handle) -> Option<&T> {
        match self.entries.get(handle.0 as u32 as usize) {
            Some((uses, Some(thing))) if *uses == (handle.0 >> 32) as u32 => Some(thing),
            _ => None,
        }
    }

    /// A thing, to be changed.
    ///
    /// # Errors
    /// As [`Self::get`].
    #[inline]
    pub fn get_mut(&mut self, handle: Handle) -> Result<&mut T> {
        self.get(handle)?;
        Ok(self.entries[handle.0 as u32 as usize].1.as_mut().expect("found above"))
    }

    /// Takes a thing away.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn remove(&mut self, handle: Handle) -> Result<T> {
        self.get(handle)?;
        let index = handle.0 as u32;
        self.free.push(index);
        Ok(self.entries[index as usize].1.take().expect("found above"))
    }

    /// All things.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.entries.iter().filter_map(|(_, thing)| thing.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_names_one_thing_for_ever() {
        let mut table = Table::new("team", "a team that was not freed");
        let (first, second) = (table.add("first"), table.add("second"));
        assert_eq!(table.get(first), Ok(&"first"));
        assert_eq!(table.remove(first), Ok("first"));
        let third = table.add("third");
        assert_eq!(
            (table.get(second), table.get(third), table.iter().count()),
            (Ok(&"second"), Ok(&"third"), 2)
        );
        for wrong in [first, Handle::from_number(0), Handle::from_number(u64::MAX)] {
            let error = table.get_mut(wrong).expect_err("freed").to_string();
            assert!(error.starts_with("team = 0x") && error.ends_with("that was not freed"), "{error}");
        }
        assert_ne!((first.number(), third.number()), (0, first.number()));
    }
}
