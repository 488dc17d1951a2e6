//! Which implementation a line has measured, proved by what has worked meanwhile.
//!
//! The name of a variant is a [`Claim`]. Each implementation counts how often it has worked, in the
//! statistics of its system or in a counter beside its code, and [`frame`](super::frame) compares these
//! [`Counts`] before and after each measurement of a line, on all ranks: a counter of the implementation that
//! the line claims must have moved, and none of another. The functions of other libraries have no counter:
//! they are called by an [`Origin`], for which the file that defines each of them was checked, and all
//! counters must stand still. A line whose claim does not hold is no result.
//!
//! There is no line without a claim: [`System::claim`](super::frame::System::claim) has no default, and a
//! claim names a counter or an origin.

use hcube_core::comm::Comm;
use hcube_core::node::loader;
use hcube_core::{Error, Result};
use std::ffi::{CStr, c_void};

/// The file in which a function lies; empty where the loader does not know it.
fn file_of(function: *const c_void) -> String {
    loader::file_of(function).map_or_else(String::new, |file| file.to_string_lossy().into_owned())
}

/// How often each implementation of a system has worked in this process, by name: always the same names, in
/// the same order.
pub type Counts = Vec<(&'static str, u64)>;

/// The implementation that a line claims to measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Counters of the implementation, of which one must have moved; none for another library.
    own: Vec<&'static str>,
    /// Counters of what it may use.
    uses: Vec<&'static str>,
}

impl Claim {
    /// An implementation that counts under this name.
    pub fn counted(name: &'static str) -> Self {
        Self { own: vec![name], uses: Vec::new() }
    }

    /// An implementation that counts under one of these names; at least one name is required.
    ///
    /// # Panics
    /// Without a name.
    pub fn counted_as(names: &[&'static str]) -> Self {
        assert!(!names.is_empty(), "a claim without a counter proves nothing");
        Self { own: names.to_vec(), uses: Vec::new() }
    }

    /// Functions of another library: no counter moves.
    pub fn of(_: &Origin) -> Self {
        Self { own: Vec::new(), uses: Vec::new() }
    }

    /// What the implementation may use, by the names of their counters.
    pub fn with(mut self, names: &[&'static str]) -> Self {
        self.uses.extend(names);
        self
    }

    /// Whether the counters have moved as claimed, by these numbers on all ranks together.
    fn check(&self, moved: &[(&'static str, u64)]) -> std::result::Result<(), String> {
        let has_moved = |name: &&'static str| moved.iter().any(|(other, by)| other == name && *by > 0);
        let mut others = moved
            .iter()
            .filter(|(name, by)| *by > 0 && !self.own.contains(name) && !self.uses.contains(name));
        if let Some((name, by)) = others.next() {
            return Err(format!("the counter of another implementation, '{name}', has moved by {by}"));
        }
        if self.own.is_empty() || self.own.iter().any(has_moved) {
            return Ok(());
        }
        Err(format!("its counter, '{}', has not moved", self.own.join("' or '")))
    }
}

/// By how much the counters have moved while a line was measured.
#[derive(Debug, Default)]
pub struct Moved(Counts);

impl Moved {
    /// Adds a measurement, from what the counters were before and after it.
    pub fn add(&mut self, before: &Counts, after: &Counts) {
        if self.0.is_empty() {
            self.0 = before.iter().map(|&(name, _)| (name, 0)).collect();
        }
        for (sum, (from, to)) in self.0.iter_mut().zip(before.iter().zip(after)) {
            assert!(sum.0 == from.0 && from.0 == to.0, "counters keep their names");
            sum.1 += to.1.wrapping_sub(from.1);
        }
    }

    /// Collective: what speaks against the claim, the same on all ranks.
    ///
    /// # Errors
    /// Of MPI.
    pub fn refutes(&self, comm: &impl Comm, claim: &Claim) -> Result<Option<String>> {
        let own: Vec<u64> = self.0.iter().map(|&(_, by)| by).collect();
        let all = if own.is_empty() { Vec::new() } else { comm.all_gather(&own)? };
        let sum = |at: usize| all.iter().skip(at).step_by(own.len()).sum();
        let moved: Counts = self.0.iter().enumerate().map(|(at, &(name, _))| (name, sum(at))).collect();
        Ok(claim.check(&moved).err())
    }
}

/// Functions of another library, each of which lies in the file of that library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(());

impl Origin {
    /// Functions by their names and addresses, which a file is expected to define.
    ///
    /// # Errors
    /// [`Error::Unsupported`] names the first one that lies elsewhere; ranks may differ.
    pub fn of_file<'a>(
        file: &str,
        functions: impl IntoIterator<Item = (&'a str, *const c_void)>,
    ) -> Result<Self> {
        for (name, address) in functions {
            let found = file_of(address);
            if found != file || file.is_empty() {
                let text = format!("{name} comes from '{found}', expected '{file}'");
                return Err(Error::Unsupported(text));
            }
        }
        Ok(Self(()))
    }

    /// Functions of the C library.
    ///
    /// # Errors
    /// As [`Self::of_file`].
    pub fn of_libc(names: &[&CStr]) -> Result<Self> {
        Self::beside(c"getpid", names)
    }

    /// Functions of the MPI library: those that a call in this program reaches must lie where the library has
    /// its `PMPI_Comm_size`, which no other library replaces.
    ///
    /// # Errors
    /// [`Error::Unsupported`] names the first one that a preloaded library replaces.
    pub fn of_mpi(names: &[&CStr]) -> Result<Self> {
        Self::beside(c"PMPI_Comm_size", names)
    }

    /// Functions that a call in this program reaches, in the file of another one.
    fn beside(other: &CStr, names: &[&CStr]) -> Result<Self> {
        let find = |name: &CStr| loader::global(name).unwrap_or(std::ptr::null());
        let file = file_of(find(other));
        let text = |name: &CStr| name.to_string_lossy().into_owned();
        let all: Vec<(String, *const c_void)> = names.iter().map(|name| (text(name), find(name))).collect();
        Self::of_file(&file, all.iter().map(|(name, address)| (name.as_str(), *address)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_core::comm::threads;

    fn counts(values: [u64; 3]) -> Counts {
        ["hcube", "other", "part"].into_iter().zip(values).collect()
    }

    /// What speaks against a claim where the counters have moved like this.
    fn against(claim: &Claim, by: [u64; 3]) -> Option<String> {
        claim.check(&counts(by)).err()
    }

    #[test]
    fn a_claim_holds_where_its_counter_moves_and_no_other() {
        let claim = Claim::counted("hcube").with(&["part"]);
        assert_eq!([[1, 0, 0], [2, 0, 7]].map(|by| against(&claim, by)), [None, None]);
        let words = "its counter, 'hcube', has not moved";
        assert_eq!(
            [[0, 0, 0], [0, 0, 7]].map(|by| against(&claim, by)),
            [Some(words.into()), Some(words.into())]
        );
        let other = against(&claim, [1, 3, 0]).expect("refuted");
        assert!(other.contains("'other'") && other.ends_with("moved by 3"), "{other}");
        let either = Claim::counted_as(&["hcube", "other"]);
        assert_eq!((against(&either, [0, 1, 0]), against(&either, [1, 0, 0])), (None, None));
        assert!(against(&either, [0, 0, 0]).is_some_and(|text| text.contains("'hcube' or 'other'")));
    }

    #[test]
    fn another_library_is_measured_where_no_counter_moves() {
        let claim = Claim::of(&Origin(()));
        assert_eq!(against(&claim, [0; 3]), None);
        assert!(against(&claim, [0, 0, 1]).is_some_and(|text| text.contains("'part'")));
    }

    #[test]
    fn counters_of_all_ranks_count() {
        let found = threads::run(3, 3, |comm| {
            let mut moved = Moved::default();
            for _ in 0..2 {
                moved.add(&counts([5, 0, 0]), &counts([5 + u64::from(comm.rank() == 2), 0, 0]));
            }
            let claims = [Claim::counted("hcube"), Claim::counted("other"), Claim::of(&Origin(()))];
            claims.map(|claim| moved.refutes(comm, &claim).expect("no MPI"))
        });
        for [hcube, other, library] in found {
            assert_eq!(hcube, None);
            assert!(other.is_some_and(|text| text.ends_with("moved by 2")), "of both turns");
            assert!(library.is_some());
        }
    }

    #[test]
    fn functions_lie_in_the_file_of_their_library() {
        let memory = loader::global(c"malloc").expect("in every C library");
        let libc = file_of(memory);
        assert!(Origin::of_file(&libc, [("malloc", memory)]).is_ok());
        let own = functions_lie_in_the_file_of_their_library as *const c_void;
        let refused =
            Origin::of_file(&libc, [("malloc", memory), ("own", own)]).expect_err("elsewhere").to_string();
        assert!(refused.contains("own comes from '") && refused.contains(&libc), "{refused}");
        assert!(Origin::of_file("", [("malloc", memory)]).is_err());
    }
}
