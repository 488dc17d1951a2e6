//! Exchanges by the C interface, and by unmodified programs under the preload library, on every path.

use hcube_testing as common;

mod in_place;
mod interface;
mod neighbours;
mod nonblocking;
mod persistent;
mod requests;
mod tested;

/// Numbers of ranks for random calls.
fn ranks() -> std::ops::RangeInclusive<usize> {
    1..=common::by_mpi(9, 2)
}

/// Calls by a path, of rank 0.
fn used(text: &str, path: &str) -> u64 {
    let word = text.split_whitespace().find_map(|word| word.strip_prefix(path)?.strip_prefix('='));
    word.unwrap_or_else(|| panic!("no {path} in {text}")).parse().expect("a number")
}
