//! The check that all processes have made the same collective calls in a superstep.
//!
//! Idea: a process announces five words: flags, which are combined by OR over all processes, and two hashes,
//! one over the counts and values that must be equal, one over the registrations that it removes; of both,
//! the minimum and the maximum over all processes are formed. If minimum and maximum are equal, all processes
//! agree. Only if they differ, or if a process has removed NULL, the processes exchange the values
//! themselves, to report the difference or to find the registration.
//!
//! Cost: five words in the barrier; after a difference or a removed NULL, one or two reductions. Source: our
//! own; NULL removes what it removes in bsponmpi: the latest registration that is NULL on all processes that
//! have removed NULL, and that the others remove.

use crate::registry::{Pop, Registry};
use hcube_core::Result;
use hcube_core::comm::Comm;
use hcube_core::comm::reduction::Operation;
use hcube_core::error::Error;
use std::collections::HashSet;

/// Words of [`Votes`].
pub const WORDS: usize = 5;

/// The combined values of all processes for a superstep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Votes {
    flags: u64,
    /// Smallest and largest hash of what must be equal.
    equal: [u64; 2],
    /// Smallest and largest hash of the removed registrations.
    pops: [u64; 2],
}

/// A bit of the flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flag {
    /// A process reads memory of another one.
    Gets = 1,
    /// A process has removed NULL.
    NullPopped = 2,
}

/// Values that must be equal on all processes, in one superstep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Calls {
    /// Whether it ends with `bsp_end`.
    pub ending: bool,
    /// Calls of `bsp_push_reg`, `bsp_pop_reg` and `bsp_set_tagsize`.
    pub pushes: usize,
    /// See `pushes`.
    pub pops: usize,
    /// See `pushes`.
    pub tag_sizes: usize,
    /// The tag size of the next superstep.
    pub tag_bytes: usize,
}

/// Fibonacci hashing, with a rotation so that the order counts.
fn hash(values: impl Iterator<Item = u64>) -> u64 {
    values.fold(0, |sum, value| (sum.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

impl Calls {
    fn values(&self) -> [(&'static str, u64); 5] {
        [
            ("bsp_end", u64::from(self.ending)),
            ("bsp_push_reg", self.pushes as u64),
            ("bsp_pop_reg", self.pops as u64),
            ("bsp_set_tagsize", self.tag_sizes as u64),
            ("tag size", self.tag_bytes as u64),
        ]
    }
}

impl Votes {
    /// The votes of one process.
    pub fn new(calls: &Calls, pops: &[Pop], gets: bool) -> Self {
        let null_popped = pops.iter().any(|pop| pop.number.is_none());
        let flags = (if gets { Flag::Gets as u64 } else { 0 })
            | (if null_popped { Flag::NullPopped as u64 } else { 0 });
        let equal = hash(calls.values().into_iter().map(|(_, value)| value));
        let pops = hash(pops.iter().map(|pop| pop.number.map_or(0, |number| u64::from(number) + 1)));
        Self { flags, equal: [equal; 2], pops: [pops; 2] }
    }

    /// The combined votes of two processes, or of two sets of processes.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let both = |one: [u64; 2], two: [u64; 2]| [one[0].min(two[0]), one[1].max(two[1])];
        Self {
            flags: self.flags | other.flags,
            equal: both(self.equal, other.equal),
            pops: both(self.pops, other.pops),
        }
    }

    /// Encoded as words.
    pub fn words(self) -> [u64; WORDS] {
        [self.flags, self.equal[0], self.equal[1], self.pops[0], self.pops[1]]
    }

    /// From [`Self::words`].
    pub fn from_words([flags, least, most, least_pops, most_pops]: [u64; WORDS]) -> Self {
        Self { flags, equal: [least, most], pops: [least_pops, most_pops] }
    }

    /// Whether any process has set a flag.
    #[inline]
    pub fn has(&self, flag: Flag) -> bool {
        self.flags & flag as u64 != 0
    }

    /// Whether all processes agree; if NULL was removed, [`resolve_null`] decides.
    #[inline]
    pub fn agree(&self) -> bool {
        self.equal[0] == self.equal[1] && (self.pops[0] == self.pops[1] || self.has(Flag::NullPopped))
    }
}

/// An error that all processes have found: process 0 is the one to print it.
fn found_by_all<C: Comm>(comm: &C, text: String) -> Error {
    let error = Error::Usage(text);
    match comm.rank() {
        0 => error,
        _ => Error::Remote { rank: 0, code: error.code(), message: error.to_string() },
    }
}

/// Collective, if the votes do not agree: the error that states the difference.
pub fn difference<C: Comm>(comm: &C, calls: &Calls, pops: &[Pop]) -> Error {
    let own: Vec<u64> = calls.values().iter().map(|&(_, value)| value).collect();
    let all = match comm.all_gather(&own) {
        Ok(all) => all,
        Err(error) => return error,
    };
    for (number, (what, _)) in calls.values().into_iter().enumerate() {
        let value = |process: usize| all[process * own.len() + number];
        if let Some(other) = (1..comm.size()).find(|&process| value(process) != value(0)) {
            return found_by_all(comm, describe(what, value(0), other, value(other)));
        }
    }
    different_pops(comm, pops)
}

fn describe(what: &str, first: u64, other: usize, second: u64) -> String {
    let times = |count| if count == 1 { "once".to_owned() } else { format!("{count} times") };
    match what {
        "bsp_end" => {
            let name = |ending| if ending == 1 { "bsp_end" } else { "bsp_sync" };
            format!(
                "process 0 has called {} and process {other} {}: expected the same on all processes",
                name(first),
                name(second)
            )
        }
        "tag size" => format!(
            "bsp_set_tagsize: process 0 has set the tag size {first} and process {other} {second}: expected the same on \
             all processes"
        ),
        _ => format!(
            "{what} was called {} by process 0 and {} by process {other} in this superstep: expected the same number on \
             all processes",
            times(first),
            times(second)
        ),
    }
}

/// Collective: the error for processes that have removed different registrations, as many on all.
fn different_pops<C: Comm>(comm: &C, pops: &[Pop]) -> Error {
    let own: Vec<u64> = pops.iter().map(|pop| pop.number.map_or(0, |number| u64::from(number) + 1)).collect();
    let all = match comm.all_gather(&own) {
        Ok(all) => all,
        Err(error) => return error,
    };
    for process in 1..comm.size() {
        for (call, &first) in own_of(&all, 0, own.len()).iter().enumerate() {
            let other = own_of(&all, process, own.len())[call];
            if first != other && first != 0 && other != 0 {
                let text = format!(
                    "bsp_pop_reg: call {} of this superstep removes registration {} on process 0 and {} on process \
                     {process} (counted from 0 in the order of bsp_push_reg): expected the same on all processes",
                    call + 1,
                    first - 1,
                    other - 1
                );
                return found_by_all(comm, text);
            }
        }
    }
    Error::Internal("hashes of removed registrations differ, but not the registrations".into())
}

fn own_of(all: &[u64], process: usize, length: usize) -> &[u64] {
    &all[process * length..][..length]
}

/// Collective, if a process has removed NULL and all agree on the number of calls: finds these registrations
/// and removes them.
///
/// # Errors
/// On all processes, if no registration matches.
pub fn resolve_null<C: Comm>(comm: &C, registry: &mut Registry) -> Result<()> {
    let pops = registry.pops().to_vec();
    // The largest, and by the complement the smallest, number that a process names.
    let mut named: Vec<i64> = pops
        .iter()
        .flat_map(|pop| pop.number.map_or([-1, i64::MIN], |number| [i64::from(number), !i64::from(number)]))
        .collect();
    comm.all_reduce(&mut named, Operation::Max)?;
    let calls: Vec<[i64; 2]> = named.chunks_exact(2).map(|pair| [pair[0], !pair[1]]).collect();
    if calls.iter().any(|&[most, least]| most >= 0 && most != least) {
        return Err(different_pops(comm, &pops));
    }
    // Whether each registration is NULL on all processes, and whether what others remove is, where a process
    // removes NULL.
    let fits = |(pop, &[number, _]): (&Pop, &[i64; 2])| {
        i64::from(pop.number.is_some() || number < 0 || registry.is_null(number as usize))
    };
    let mut fit: Vec<i64> = (0..registry.count()).map(|number| i64::from(registry.is_null(number))).collect();
    fit.extend(pops.iter().zip(&calls).map(fits));
    comm.all_reduce(&mut fit, Operation::Min)?;
    let (null, fits) = fit.split_at(registry.count());
    let (mut candidates, mut next) = (Vec::new(), 0);
    let named: HashSet<usize> =
        calls.iter().filter_map(|&[number, _]| usize::try_from(number).ok()).collect();
    for ((pop, &[number, _]), &fits) in pops.iter().zip(&calls).zip(fits) {
        let (below, named_here) = (pop.below as usize, usize::try_from(number).ok());
        candidates.extend((next..below).filter(|number| null[*number] == 1 && !named.contains(number)));
        next = next.max(below);
        match named_here.filter(|_| fits == 1).or_else(|| candidates.pop().filter(|_| named_here.is_none())) {
            Some(number) if pop.number.is_none() => registry.pop_null(number),
            Some(_) => {}
            None => return Err(found_by_all(comm, no_match(named_here))),
        }
    }
    Ok(())
}

/// The error for `bsp_pop_reg(NULL)`, which others call with registration `number`.
fn no_match(number: Option<usize>) -> String {
    let of = number.map_or_else(String::new, |number| format!("; others remove registration {number}"));
    format!(
        "bsp_pop_reg: ident = NULL: expected a registration that is NULL on all processes that remove NULL{of}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALLS: Calls = Calls { ending: false, pushes: 1, pops: 1, tag_sizes: 0, tag_bytes: 4 };

    fn pop(number: Option<u32>) -> [Pop; 1] {
        [Pop { number, below: 9 }]
    }

    #[test]
    fn equal_calls_agree_in_any_combination() {
        let votes = Votes::new(&CALLS, &pop(Some(3)), false);
        let gets = Votes::new(&CALLS, &pop(Some(3)), true);
        let all = votes.and(gets).and(votes);
        assert!(all.agree() && all.has(Flag::Gets) && !votes.has(Flag::Gets));
        assert_eq!(Votes::from_words(all.words()), all);
    }

    #[test]
    fn every_difference_is_seen() {
        let votes = Votes::new(&CALLS, &pop(Some(3)), false);
        for calls in [
            Calls { ending: true, ..CALLS },
            Calls { pushes: 2, ..CALLS },
            Calls { pops: 0, ..CALLS },
            Calls { tag_sizes: 1, ..CALLS },
            Calls { tag_bytes: 0, ..CALLS },
        ] {
            assert!(!votes.and(Votes::new(&calls, &pop(Some(3)), false)).agree(), "{calls:?}");
        }
        assert!(!votes.and(Votes::new(&CALLS, &pop(Some(4)), false)).agree());
        assert!(votes.and(Votes::new(&CALLS, &pop(None), false)).agree(), "decided later");
    }
}
