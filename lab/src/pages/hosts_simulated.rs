//! What doc/simulation.md says of benchmarks on hosts that were simulated: a line of `doc/results/hosts.json`
//! and the rows of `doc/results/simulate/hosts.json` with the same case and subject.

use super::measured::results;
use super::paragraph::wrapped;
use crate::simulate::hosts::HostsTime;
use crate::simulate::results::Results as Simulated;
use hcube_results::hosts::{Line, Measured, Results};
use hcube_results::measured::distinct;
use hcube_results::numbers::geometric_mean;
use std::path::Path;

/// Who takes a time: hcube, and the MPI library as far as it is simulated.
const VARIANTS: [&str; 2] = ["hcube", "MPI library"];

/// A line as measured and as simulated.
struct Pair<'a> {
    line: &'a Line,
    /// Simulated over measured time, in the order of [`VARIANTS`].
    errors: [Option<f64>; 2],
    /// hcube's simulated speed-up, where the MPI library is simulated.
    speed_up: Option<f64>,
    /// Whether hcube forwards the exchange, so that both are the same function and agree by construction.
    is_forwarded: bool,
}

impl Pair<'_> {
    /// Whether the faster one of both is the same, where a difference was measured and both differ.
    fn has_sign(&self) -> Option<bool> {
        let speed_up = self.speed_up.filter(|_| !self.line.is_hidden() && !self.is_forwarded)?;
        Some((self.line.speed_up() > 1.0) == (speed_up > 1.0))
    }
}

/// All lines that have a simulated row of hcube.
fn pairs<'a>(measured: &'a Results, simulated: &[HostsTime]) -> Vec<Pair<'a>> {
    let pair = |line: &'a Line| {
        let row = |is_of_hcube: bool| {
            let is = |row: &&HostsTime| {
                let place = (row.mpi(), row.hosts(), row.site.ranks_per_node);
                (row.is_of_hcube(), &row.case, &row.subject) == (is_of_hcube, &line.case, &line.subject)
                    && place == (line.place.mpi.as_str(), line.place.hosts, line.place.ranks_per_host)
            };
            simulated.iter().find(is)
        };
        let (hcube, library) = (row(true)?, row(false));
        let error = |row: &HostsTime, measured: &Measured| 1e6 * row.seconds / measured.median_us;
        let errors =
            [Some(error(hcube, &line.hcube)), library.map(|library| error(library, &line.competitor))];
        let is_forwarded = hcube.way.as_deref() == Some("library");
        let speed_up = library.map(|library| library.seconds / hcube.seconds);
        Some(Pair { line, errors, speed_up, is_forwarded })
    };
    measured.lines.iter().filter_map(pair).collect()
}

/// A text about the pairs of both files of results.
fn of_pairs(root: &Path, text: impl Fn(&Results, &[Pair<'_>]) -> String) -> Result<String, String> {
    let measured: Results = results(root, "hosts")?;
    let simulated: Simulated = results(root, "simulate/hosts")?;
    let pairs = pairs(&measured, &simulated.hosts);
    if pairs.is_empty() {
        return Err("doc/results/simulate/hosts.json: no line of doc/results/hosts.json".to_owned());
    }
    Ok(text(&measured, &pairs))
}

/// The geometric mean of ratios with their range.
fn cell(ratios: &[f64]) -> String {
    let mean = geometric_mean(ratios).map_or(String::new(), |mean| format!("{mean:.2}"));
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let most = ratios.iter().copied().fold(0.0, f64::max);
    if ratios.is_empty() { mean } else { format!("{mean} ({least:.2} to {most:.2})") }
}

/// The factor by which a time is wrong in the mean, in either direction.
fn mean_factor(ratios: &[f64]) -> f64 {
    let factors: Vec<f64> = ratios.iter().map(|ratio| ratio.ln().abs().exp()).collect();
    geometric_mean(&factors).unwrap_or(1.0)
}

/// Simulated over measured times: a row for each case, number of ranks and variant, a column for each
/// library.
pub fn table(root: &Path) -> Result<String, String> {
    of_pairs(root, |_, pairs| {
        let libraries = distinct(pairs.iter().map(|pair| pair.line.place.library()));
        let mut text = format!("| case | hosts x ranks | time of | {} |\n", libraries.join(" | "));
        text += &format!("|---|---|---|{}\n", "---|".repeat(libraries.len()));
        for (case, shape) in distinct(pairs.iter().map(|pair| (&pair.line.case, pair.line.place.shape()))) {
            for (of, name) in VARIANTS.into_iter().enumerate() {
                let ratios = |library: &&str| {
                    let is = |pair: &&Pair<'_>| {
                        (&pair.line.case, pair.line.place.shape()) == (case, shape.clone())
                            && pair.line.place.library() == *library
                    };
                    cell(&pairs.iter().filter(is).filter_map(|pair| pair.errors[of]).collect::<Vec<_>>())
                };
                let cells: Vec<String> = libraries.iter().map(ratios).collect();
                if cells.iter().any(|cell| !cell.is_empty()) {
                    text += &format!("| `{case}` | {shape} | {name} | {} |\n", cells.join(" | "));
                }
            }
        }
        text
    })
}

/// Why times are wrong, as far as that is known, by case.
const REASONS: [(&str, &str); 16] = [
    ("alltoall", SLOWER),
    ("alltoall-in-place", SLOWER),
    ("alltoallv", SLOWER),
    ("alltoallv-in-place", SLOWER),
    ("alltoallw", SLOWER),
    ("rows", "ranks of MPICH inside a host busy-wait in the measurements; otherwise as `alltoall`"),
    ("columns", SLOWER),
    ("fft", "as `gemm`; the rate is of a transform in caches"),
    ("gemm", "the machine was slower with MPICH 4, and with Open MPI 5 on few ranks"),
    ("llcs", "not all ranks have work at the same time"),
    ("transposes", "unknown; the measured ones begin at the end of a barrier, which ranks leave one by one"),
    ("panels", "long messages of MPICH take too much on few ranks; with MPICH 4 the machine was slower"),
    ("bsp", SLOWER),
    ("caf", SLOWER),
    ("gfortran", "Fortran programs are not bound to cores, and each long call follows a barrier"),
    ("random-access", "with MPICH 4 the machine was slower"),
];
const SLOWER: &str = "with MPICH 4 the machine was slower; otherwise unknown";

/// Mean errors of each case, and of all of them.
pub fn cases(root: &Path) -> Result<String, String> {
    of_pairs(root, |_, pairs| {
        let mut text =
            "| case | lines | error, hcube | MPI library | simulated over measured, hcube | reason |\n\
                        |---|---|---|---|---|---|\n"
                .to_owned();
        let line = |name: &str, own: &[&Pair<'_>], reason: &str| {
            let [hcube, library] = [0, 1].map(|variant| errors(own.iter().copied(), variant));
            let [count, error] = [own.len().to_string(), factor(&hcube)];
            let cells = [name, &count, &error, &factor(&library), &cell(&hcube), reason];
            format!("| {} |\n", cells.join(" | "))
        };
        for case in distinct(pairs.iter().map(|pair| pair.line.case.as_str())) {
            let own: Vec<&Pair<'_>> = pairs.iter().filter(|pair| pair.line.case == case).collect();
            let reason = REASONS.iter().find(|reason| reason.0 == case).map_or("", |reason| reason.1);
            text += &line(&format!("`{case}`"), &own, reason);
        }
        text += &line("all", &pairs.iter().collect::<Vec<_>>(), "");
        text
    })
}

/// Simulated over measured times of a variant.
fn errors<'a>(pairs: impl Iterator<Item = &'a Pair<'a>>, variant: usize) -> Vec<f64> {
    pairs.filter_map(|pair| pair.errors[variant]).collect()
}

/// The mean error in a cell; empty without any time.
fn factor(ratios: &[f64]) -> String {
    if ratios.is_empty() { String::new() } else { format!("{:.2}", mean_factor(ratios)) }
}

/// Mean errors and signs.
pub fn summary(root: &Path) -> Result<String, String> {
    of_pairs(root, |_, pairs| {
        let all: Vec<f64> = pairs.iter().flat_map(|pair| pair.errors).flatten().collect();
        let of = |variant: usize| errors(pairs.iter(), variant);
        let within = |factor: f64| all.iter().filter(|ratio| ratio.ln().abs() <= factor.ln()).count();
        let compared = || pairs.iter().filter(|pair| pair.speed_up.is_some());
        let own: Vec<&Pair<'_>> = compared().filter(|pair| !pair.is_forwarded).collect();
        let speed_up = |pair: &&Pair<'_>| Some(pair.speed_up? / pair.line.speed_up());
        let speed_ups: Vec<f64> = own.iter().filter_map(speed_up).collect();
        let signs: Vec<bool> = own.iter().filter_map(|pair| pair.has_sign()).collect();
        let faster =
            own.iter().filter(|pair| pair.has_sign().is_some() && pair.line.speed_up() > 1.0).count();
        wrapped(&format!(
            "Of {} times, {} are wrong by at most a factor of 1.5 and {} by at most 2. The mean error is a factor of \
             {:.2} ({:.2} for hcube, {:.2} for the MPI libraries). Both times are simulated in {} lines. In {} of them, \
             hcube forwards the exchange, and both times are of the same function; in the other {}, the mean error of \
             hcube's speed-up is a factor of {:.2}. \
             A difference was measured in {} of them, and the faster one is the same in {}. Without a simulation, the \
             answer hcube for all of them is right in {}.",
            all.len(),
            within(1.5),
            within(2.0),
            mean_factor(&all),
            mean_factor(&of(0)),
            mean_factor(&of(1)),
            compared().count(),
            compared().count() - own.len(),
            own.len(),
            mean_factor(&speed_ups),
            signs.len(),
            signs.iter().filter(|&&is_same| is_same).count(),
            faster
        ))
    })
}

/// Lines whose simulated sign is the opposite of the measured one.
pub fn wrong_signs(root: &Path) -> Result<String, String> {
    of_pairs(root, |_, pairs| {
        let mut text = "| case | size | MPI library, hosts x ranks | measured speed-up | simulated |\n\
                        |---|---|---|---|---|\n"
            .to_owned();
        for pair in pairs.iter().filter(|pair| pair.has_sign() == Some(false)) {
            let (line, speed_up) = (pair.line, pair.speed_up.unwrap_or_default());
            let place = format!("{}, {}", line.place.library(), line.place.shape());
            let (case, subject) = (&line.case, &line.subject);
            text += &format!("| `{case}` | {subject} | {place} | {} | {speed_up:.2} |\n", line.shown());
        }
        text
    })
}

/// How many measured lines have a simulated counterpart, and what the others are.
pub fn coverage(root: &Path) -> Result<String, String> {
    of_pairs(root, |measured, pairs| {
        let has_pair = |line: &Line| pairs.iter().any(|pair| pair.line == line);
        let without: Vec<&Line> = measured.lines.iter().filter(|line| !has_pair(line)).collect();
        let cases = distinct(without.iter().map(|line| line.case.as_str()));
        let count = |case: &&str| without.iter().filter(|line| line.case == **case).count();
        let others: Vec<String> = cases.iter().map(|case| format!("`{case}` ({})", count(case))).collect();
        wrapped(&format!(
            "The check covers {} of the {} measured lines. Not simulated are {}.",
            pairs.len(),
            measured.lines.len(),
            others.join(", ")
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::row::Site;
    use hcube_results::hosts::{Measured, Place};

    fn measured(subject: &str, hcube: f64, library: f64) -> Line {
        let one = |us: f64| Measured { median_us: us, quartiles_us: [us, us], ..Measured::default() };
        Line {
            place: Place { mpi: "mpich".to_owned(), hosts: 2, ranks_per_host: 4, ..Place::default() },
            case: "alltoall".to_owned(),
            subject: subject.to_owned(),
            hcube: one(hcube),
            competitor: one(library),
            errors: Some(0),
        }
    }

    fn simulated(subject: &str, by: &str, us: f64) -> HostsTime {
        let site = Site { machine: "hosts-mpich".to_owned(), ranks: 8, ranks_per_node: 4, ..Site::default() };
        let [case, subject, by] = ["alltoall", subject, by].map(str::to_owned);
        HostsTime { site, case, subject, by, seconds: 1e-6 * us, ..HostsTime::default() }
    }

    #[test]
    fn rows_stand_beside_the_measured_line_of_their_exchange() {
        let lines =
            vec![measured("8 B", 10.0, 20.0), measured("1 KiB", 10.0, 5.0), measured("128 B", 1.0, 1.0)];
        let results = Results { lines, ..Results::default() };
        let rows = [
            simulated("8 B", "hcube", 20.0),
            simulated("8 B", "library", 10.0),
            simulated("1 KiB", "library", 5.0),
            simulated("1 KiB", "hcube", 10.0),
            simulated("128 B", "hcube", 1.0),
            simulated("16 KiB", "hcube", 1.0),
        ];
        let pairs = pairs(&results, &rows);
        let near = |one: Option<f64>, other: f64| one.is_some_and(|one| (one - other).abs() < 1e-9);
        assert_eq!(pairs.len(), 3);
        assert!(
            near(pairs[0].errors[0], 2.0) && near(pairs[0].errors[1], 0.5) && near(pairs[0].speed_up, 0.5)
        );
        // Only hcube is simulated.
        assert!(near(pairs[2].errors[0], 1.0) && pairs[2].errors[1].is_none() && pairs[2].speed_up.is_none());
        assert_eq!((errors(pairs.iter(), 0).len(), errors(pairs.iter(), 1).len()), (3, 2));
        let signs: Vec<_> = pairs.iter().map(Pair::has_sign).collect();
        assert_eq!(signs, [Some(false), Some(true), None]);
        // What hcube forwards agrees by construction.
        let mut forwarded = rows.clone();
        forwarded[3].way = Some("library".to_owned());
        let signs: Vec<_> = super::pairs(&results, &forwarded).iter().map(Pair::has_sign).collect();
        assert_eq!(signs, [Some(false), None, None]);
    }

    #[test]
    fn errors_count_in_both_directions() {
        assert!((mean_factor(&[0.5, 2.0]) - 2.0).abs() < 1e-9 && (mean_factor(&[1.0]) - 1.0).abs() < 1e-9);
        assert_eq!(cell(&[0.5, 2.0]), "1.00 (0.50 to 2.00)");
        assert_eq!(cell(&[]), "");
    }
}
