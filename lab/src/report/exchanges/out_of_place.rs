//! Simulated exchanges of equal blocks out of place: node leaders beside the functions of MPI libraries.

use super::sample::{Sample, at, places};
use crate::report::shared::distinct;
use crate::report::table::{Table, cell};
use hcube_results::alltoall::figure::time;
use hcube_results::numbers;
use hcube_results::plot::Evidence::Simulated;

/// The functions of MPI libraries, as results and tables call them.
const LIBRARIES: [(&str, &str); 2] = [("mpich-out-of-place", "MPICH"), ("ompi-out-of-place", "Open MPI")];

/// The times of all sizes, and the speed-up over the faster of the functions.
pub fn table(samples: &[&Sample]) -> Table {
    let figures = LIBRARIES.map(|(_, name)| name.to_owned()).into_iter();
    let figures = figures.chain(["node leaders".to_owned(), "speed-up over the faster function".to_owned()]);
    let subjects = ["where", "ranks", "block"].map(|name| (name.to_owned(), None));
    let columns = subjects.into_iter().chain(figures.map(|name| (name, Some(Simulated))));
    let mut table = Table::new("Times of MPI_Alltoall out of place on large machines", columns);
    for place in places(samples) {
        let own = at(samples, |one| one.place == place);
        for (ranks, bytes) in distinct(own.iter().map(|one| (one.ranks, one.bytes))) {
            let seconds = |algorithm: &str| {
                let same = |one: &&&Sample| {
                    (one.ranks, one.bytes, one.algorithm.as_str()) == (ranks, bytes, algorithm)
                };
                own.iter().find(same).map(|one| one.seconds)
            };
            let libraries = LIBRARIES.map(|(key, _)| seconds(key));
            let faster = libraries.iter().flatten().copied().reduce(f64::min);
            let ours = seconds("node-leaders");
            let mut cells =
                vec![place.to_owned(), ranks.to_string(), numbers::whole_bytes(bytes / (ranks - 1))];
            cells.extend(libraries.into_iter().chain([ours]).map(|seconds| cell(seconds, time)));
            let gain = faster.zip(ours).map(|(library, ours)| library / ours);
            cells.push(cell(gain, |gain| format!("×{gain:.2}")));
            table.row(cells);
        }
    }
    table
}
