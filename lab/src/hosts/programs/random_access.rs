//! RandomAccess in the official HPCC, as it is and with hcube.

use super::turns::{self, Figure, HCUBE, Plan, Program, STOCK};
use crate::hosts::cases::Measured;
use crate::hosts::site::Site;
use crate::hpcc::input::Problem;
use crate::hpcc::{parse, run};
use hcube_tool::grids::nearest_square;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

/// Size of HPL's matrix, from which HPCC derives a table of 2^19 words: HPCC's own algorithm makes its
/// updates in some seconds, also between 16 ranks that share two cores.
const N: u32 = 1000;
/// Updates for each word of the table.
const UPDATES: f64 = 4.0;

pub fn measure(site: &Site) -> Result<Measured, String> {
    match plan(site) {
        Ok(plan) => turns::in_turn(site, &plan),
        Err(reason) => Ok((Vec::new(), vec![format!("HPCC left out: {reason}")])),
    }
}

/// Both programs; or why they cannot run here.
fn plan(site: &Site) -> Result<Plan, String> {
    let folder = site.target().join("hpcc").join(site.about().mpi);
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
        Ok(Program { name, line: line.into() })
    };
    let grids = vec![nearest_square(site.place.ranks())];
    let problem = Problem { n: N, block: 80, grids, broadcasts: vec![1], depth: 1 };
    Ok(Plan {
        case: "random-access",
        programs: [program(HCUBE)?, program(STOCK)?],
        repeat: 3,
        files: vec![("hpccinf.txt", problem.text())],
        has_done_enough: |folder| parse::has_ended(&results(folder), parse::POLYNOMIAL),
        read: |name, folder, said| figures(name, &results(folder), said),
    })
}

/// The text of HPCC's result file, empty before it exists.
fn results(folder: &Path) -> String {
    let bytes = fs::read(folder.join(run::RESULTS)).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The time of all updates, at the rate that HPCC reports.
fn figures(name: &str, results: &str, said: &str) -> Result<Vec<Figure>, String> {
    let section = parse::section(results, parse::POLYNOMIAL).ok_or("HPCC has written no results")?;
    let is_active = run::active(said).any(|kernel| kernel == "RandomAccess update");
    if is_active != (name == HCUBE) {
        return Err("NOT MEASURED: another algorithm has made the updates".to_owned());
    }
    let words = f64::from(section.log2_table).exp2();
    // HPCC's own algorithm may lose updates, and passes with errors in one per cent of the words.
    let is_tolerated = name == STOCK && section.passed;
    Ok(vec![Figure {
        subject: format!("HPCC, 2^{} words", section.log2_table),
        seconds: UPDATES * words / (1e9 * section.gups),
        errors: if is_tolerated { 0 } else { section.errors },
    }])
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESULTS: &str = "\
Begin of MPIRandomAccess section.
Total Main table size = 2^20 = 1048576 words
  0.001048576 Billion(10^9) Updates    per second [GUP/s]
Found 3 errors in 1048576 locations (passed).
End of MPIRandomAccess section.
";

    #[test]
    fn times_follow_from_rates_of_the_algorithm_that_was_meant() {
        let active = "hcube 0.1.0: HPCC RandomAccess update active: 4 ranks\n";
        let expected = Figure { subject: "HPCC, 2^20 words".to_owned(), seconds: 4.0, errors: 3 };
        assert_eq!(figures(HCUBE, RESULTS, active), Ok(vec![expected.clone()]));
        assert_eq!(figures(STOCK, RESULTS, ""), Ok(vec![Figure { errors: 0, ..expected }]));
        let failed = figures(STOCK, &RESULTS.replace("(passed)", "(failed)"), "").expect("figures");
        assert_eq!(failed[0].errors, 3);
        assert!(figures(STOCK, RESULTS, active).is_err() && figures(HCUBE, RESULTS, "").is_err());
        assert!(figures(HCUBE, "", active).is_err_and(|reason| reason.contains("no results")));
    }
}
