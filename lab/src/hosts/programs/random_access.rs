//! RandomAccess in the official HPCC, as it is and with hcube.

use super::barriers;
use super::turns::{self, Figure, HCUBE, Plan, Program, STOCK};
use crate::hosts::cases::Measured;
use crate::hosts::site::Site;
use crate::hpcc::input::Problem;
use crate::hpcc::{parse, run};
use hcube_results::usage::Usage;
use hcube_tool::grids::nearest_square;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

/// Size of HPL's matrix, from which HPCC derives a table of 2^19 words: HPCC's own algorithm makes its
/// updates in some seconds, also between 16 ranks that share two cores.
const N: u32 = 1000;
/// HPCC makes its first updates between its second and third barrier.
const BARRIER: u32 = 2;
/// Updates for each word of the table.
const UPDATES: f64 = 4.0;

/// Share of a time by which it may differ from the time between two barriers: they differ more where
/// something else was counted than the updates.
const TOLERANCE: f64 = 0.1;
/// The same in seconds.
const SHORT: f64 = 0.01;

const CASE: &str = "random-access";

pub fn measure(site: &Site) -> Result<Measured, String> {
    match plan(site) {
        Ok(plan) => turns::in_turn(site, &plan),
        Err(reason) => Ok((Vec::new(), vec![format!("HPCC left out: {reason}")])),
    }
}

/// Both programs; or why they cannot run here.
fn plan(site: &Site) -> Result<Plan, String> {
    let folder = site.target().join("hpcc").join(site.about().mpi);
    let (library, notes) = match barriers::library(site, CASE) {
        Ok(file) => (Some(file), Vec::new()),
        Err(reason) => (None, vec![format!("usage is not counted: {reason}")]),
    };
    let program = |name: &'static str| {
        let file = folder.join(name).join("hpcc");
        if !file.is_file() {
            return Err(format!(
                "{} is not built (scripts/build-hpcc.sh in the source tree)",
                file.display()
            ));
        }
        // The announcement of hcube proves that it was active.
        let line = ["env".into(), "HCUBE_VERBOSE=1".into(), OsString::from(file)];
        Ok(Program { name, line: barriers::with(library.as_deref(), line.into()) })
    };
    let grids = vec![nearest_square(site.place.ranks())];
    let problem = Problem { n: N, block: 80, grids, broadcasts: vec![1], depth: 1 };
    Ok(Plan {
        case: CASE,
        programs: [program(HCUBE)?, program(STOCK)?],
        repeat: 3,
        files: vec![("hpccinf.txt", problem.text())],
        has_done_enough: |folder| parse::has_ended(&results(folder), parse::POLYNOMIAL),
        read: |name, ranks, folder, said| {
            let counted = barriers::usage(folder, ranks, BARRIER);
            figure(name, &results(folder), said, counted).map(|figure| vec![figure])
        },
        notes,
    })
}

/// The text of HPCC's result file, empty before it exists.
fn results(folder: &Path) -> String {
    let bytes = fs::read(folder.join(run::RESULTS)).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The time of all updates, at the rate that HPCC reports, and what was counted of them.
fn figure(name: &str, results: &str, said: &str, counted: Option<(Usage, f64)>) -> Result<Figure, String> {
    let section = parse::section(results, parse::POLYNOMIAL).ok_or("HPCC has written no results")?;
    let is_active = run::active(said).any(|kernel| kernel == "RandomAccess update");
    if is_active != (name == HCUBE) {
        return Err("NOT MEASURED: another algorithm has made the updates".to_owned());
    }
    let words = f64::from(section.log2_table).exp2();
    let seconds = UPDATES * words / (1e9 * section.gups);
    // HPCC's own algorithm makes fewer updates where all of them would take too long.
    let of_all = |(usage, between): (Usage, f64)| {
        let real = parse::real_time(results, parse::POLYNOMIAL)?;
        let is_of_updates = (between - real).abs() < TOLERANCE * real + SHORT;
        is_of_updates.then(|| usage.times(seconds / real))
    };
    // HPCC's own algorithm may lose updates, and passes with errors in one per cent of the words.
    let is_tolerated = name == STOCK && section.passed;
    Ok(Figure {
        subject: format!("HPCC, 2^{} words", section.log2_table),
        seconds,
        errors: if is_tolerated { 0 } else { section.errors },
        usage: counted.and_then(of_all),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESULTS: &str = "\
Begin of MPIRandomAccess section.
Total Main table size = 2^20 = 1048576 words
Real time used = 2.000000 seconds
  0.001048576 Billion(10^9) Updates    per second [GUP/s]
Found 3 errors in 1048576 locations (passed).
End of MPIRandomAccess section.
";

    #[test]
    fn times_follow_from_rates_of_the_algorithm_that_was_meant() {
        let active = "hcube 0.1.0: HPCC RandomAccess update active: 4 ranks\n";
        let counters = Usage { switches: 5.0, ..Usage::default() };
        let (counted, usage) = (Some((counters, 2.1)), counters.times(2.0));
        let expected =
            Figure { subject: "HPCC, 2^20 words".to_owned(), seconds: 4.0, errors: 3, usage: Some(usage) };
        assert_eq!(figure(HCUBE, RESULTS, active, counted), Ok(expected.clone()));
        assert_eq!(figure(STOCK, RESULTS, "", counted), Ok(Figure { errors: 0, ..expected.clone() }));
        let failed = figure(STOCK, &RESULTS.replace("(passed)", "(failed)"), "", counted).expect("a figure");
        assert_eq!(failed.errors, 3);
        let is_refused = |name, said| figure(name, RESULTS, said, counted).is_err();
        assert!(is_refused(STOCK, active) && is_refused(HCUBE, ""));
        assert!(figure(HCUBE, "", active, None).is_err_and(|reason| reason.contains("no results")));
        // Something else was counted than the updates.
        for other in [None, Some((counters, 4.0)), Some((counters, 1.0))] {
            assert_eq!(figure(HCUBE, RESULTS, active, other), Ok(Figure { usage: None, ..expected.clone() }));
        }
    }
}
