//! The common alphabet of two strings whose parts lie on all ranks.
//!
//! Idea: as for one process ([`alphabet`](crate::alphabet)). Small numbers: the ranks add up tables of
//! occurrences. Large numbers: each has a rank of its own, which hears from all others how often they have
//! it, and answers with its id.
//!
//! Cost: a reduction of two tables of at most 2^16 entries; or two exchanges of three words and one per
//! different symbol of a rank's parts. Memory: the table, or what is exchanged.

use crate::alphabet::{Coded, Common, DROPPED, SMALL_TABLE, coded, common, counts};
use crate::symbol::Symbol;
use hcube_core::Error;
use hcube_core::comm::{Comm, agree};
use hcube_core::memory::reserve;

/// Collective: the parts of this rank in the common alphabet, with the size and the bound of the whole
/// strings.
///
/// # Errors
/// Errors of communication; [`Error::Memory`] or [`Error::Remote`] where a rank has no room for its parts.
pub fn code<C: Comm, S: Symbol>(comm: &C, a: &[S], b: &[S]) -> Result<Coded, Error> {
    let mut largest = [a.iter().chain(b).map(|symbol| u64::from(symbol.value())).max().unwrap_or(0)];
    comm.all_reduce_max(&mut largest)?;
    let entries = largest[0] as usize + 1;
    if entries > SMALL_TABLE {
        return by_owners(comm, a, b);
    }
    let tables = counts(a, entries).and_then(|in_a| Ok([in_a, counts(b, entries)?].concat()));
    let mut tables = agree(comm, tables)?;
    comm.all_reduce_sum(&mut tables)?;
    let common = common(&tables[..entries], &tables[entries..]);
    let id = |symbol: &S| common.ids[symbol.value() as usize];
    agree(comm, coded(a.iter().map(id), b.iter().map(id), common.size, common.bound))
}

/// A symbol, and how often it occurs in both strings.
type Entry = [u64; 3];

/// The rank that gives a symbol its id.
fn owner(symbol: u64, ranks: usize) -> usize {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    ((u128::from(symbol.wrapping_mul(FACTOR)) * ranks as u128) >> u64::BITS) as usize
}

fn by_owners<C: Comm, S: Symbol>(comm: &C, a: &[S], b: &[S]) -> Result<Coded, Error> {
    let mut entries = agree(comm, occurrences(a, b))?;
    entries.sort_by_key(|entry| owner(entry[0], comm.size()));
    let mut parts = vec![Vec::new(); comm.size()];
    for entry in &entries {
        parts[owner(entry[0], comm.size())].extend(entry);
    }
    // Each part tells its length.
    for part in &mut parts {
        part.insert(0, part.len() as u64);
    }
    let mut asked = &comm.all_to_all(&parts)?[..];
    let questions: Vec<&[Entry]> = (0..comm.size())
        .map(|_| {
            let (part, rest) = asked[1..].split_at(asked[0] as usize);
            asked = rest;
            part.as_chunks().0
        })
        .collect();
    let (answers, common) = answer(comm, &questions)?;
    let ids = comm.all_to_all(&answers)?;
    let mut pairs: Vec<(u64, u32)> =
        entries.iter().zip(&ids).map(|(entry, &id)| (entry[0], id as u32)).collect();
    pairs.sort_unstable();
    let id = |symbol: &S| {
        let place = pairs.binary_search_by_key(&u64::from(symbol.value()), |pair| pair.0);
        place.map_or(DROPPED, |place| pairs[place].1)
    };
    agree(comm, coded(a.iter().map(id), b.iter().map(id), common.size, common.bound))
}

/// The different symbols of this rank's parts, in ascending order.
fn occurrences<S: Symbol>(a: &[S], b: &[S]) -> Result<Vec<Entry>, Error> {
    let mut all: Vec<Entry> = reserve::with_room(a.len() + b.len(), "symbols to be sorted")?;
    all.extend(a.iter().map(|symbol| [u64::from(symbol.value()), 1, 0]));
    all.extend(b.iter().map(|symbol| [u64::from(symbol.value()), 0, 1]));
    sum_up(&mut all);
    Ok(all)
}

/// Sorts entries, one for each symbol.
fn sum_up(entries: &mut Vec<Entry>) {
    entries.sort_unstable();
    entries.dedup_by(|entry, sum| {
        let same = entry[0] == sum[0];
        if same {
            sum[1] += entry[1];
            sum[2] += entry[2];
        }
        same
    });
}

/// Collective: the ids of the symbols that each rank has asked for, in its order, and the sums over all
/// owners.
fn answer<C: Comm>(comm: &C, questions: &[&[Entry]]) -> Result<(Vec<Vec<u64>>, Common), Error> {
    let mut entries = questions.concat();
    sum_up(&mut entries);
    let counts = |number: usize| entries.iter().map(|entry| entry[number]).collect::<Vec<_>>();
    let mine = common(&counts(1), &counts(2));
    let all = comm.all_gather(&[mine.size as u64, mine.bound as u64])?;
    let sum = |ranks: &[u64], number: usize| ranks.iter().skip(number).step_by(2).sum::<u64>();
    let first = sum(&all[..2 * comm.rank()], 0);
    let id = |entry: &Entry| {
        let place = entries.binary_search_by_key(&entry[0], |own| own[0]);
        match place.map_or(DROPPED, |place| mine.ids[place]) {
            DROPPED => u64::from(DROPPED),
            id => first + u64::from(id),
        }
    };
    let answers = questions.iter().map(|questions| questions.iter().map(id).collect()).collect();
    let sums = Common { ids: Vec::new(), size: sum(&all, 0) as usize, bound: sum(&all, 1) as usize };
    Ok((answers, sums))
}
