//! Simulated exchanges of equal blocks out of place: node leaders beside the functions of MPI libraries.

use super::sample::{Sample, at, places};
use crate::report::shared::distinct;
use crate::report::table::{Columns, Table, cell, times};
use hcube_results::alltoall::OUT_OF_PLACE;
use hcube_results::alltoall::figure::time;
use hcube_results::numbers;
use hcube_results::plot::Evidence::Simulated;

/// hcube's algorithm.
const OURS: &str = "node-leaders";

/// The times of all sizes, and the speed-up over the faster of the functions.
pub fn table(samples: &[&Sample]) -> Table {
    type Place<'a> = (&'a str, usize, usize);
    let seconds = |&(place, ranks, bytes): &Place<'_>, algorithm: &str| {
        let mut own =
            samples.iter().filter(|one| (one.place.as_str(), one.ranks, one.bytes) == (place, ranks, bytes));
        own.find(|one| one.algorithm == algorithm).map(|one| one.seconds)
    };
    let mut columns: Columns<'_, Place<'_>> = Columns::new();
    columns.add("where", None, |row| row.0.to_owned());
    columns.add("ranks", None, |row| row.1.to_string());
    columns.add("block", None, |row| numbers::whole_bytes(row.2 / (row.1 - 1)));
    for (algorithm, name) in OUT_OF_PLACE.into_iter().chain([(OURS, "node leaders")]) {
        columns.add(name, Some(Simulated), move |row| cell(seconds(row, algorithm), time));
    }
    columns.add("speed-up over the faster function", Some(Simulated), |row| {
        let faster = OUT_OF_PLACE.into_iter().filter_map(|(key, _)| seconds(row, key)).reduce(f64::min);
        times(faster.zip(seconds(row, OURS)).map(|(library, ours)| library / ours))
    });
    let of_place = |place| {
        let own = at(samples, |one| one.place == place);
        distinct(own.iter().map(|one| (place, one.ranks, one.bytes)))
    };
    let rows = places(samples).into_iter().flat_map(of_place);
    columns.table("Times of MPI_Alltoall out of place on large machines", rows)
}
