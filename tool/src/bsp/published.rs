//! `hcube bsp published`: predictions for all runs that Krusche 2005 has published. Never starts MPI.

use super::predict;
use super::program::{Costs, Matrices, Program, ProgramArguments, Subsequence};
use crate::machine::bsp::Estimate;
use crate::output::JsonOption;
use crate::session::{self, Failure};
use hcube_results::bsp::comparison::{Comparison, Run};
use hcube_results::bsp::prediction::ByModel;
use hcube_results::machine::Machine;
use hcube_results::published::bsp as published;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::process::ExitCode;

/// Compares predictions for the machines of Krusche 2005 with all that it has published
///
/// A line for each of four programs on three machines with three libraries: the mean difference of predicted
/// and published efficiencies with constant g, g(h) and g(h,h*), and the mean error of predicted times beside
/// the one that the thesis prints for its own predictions.
///
/// Example: hcube bsp published --json=published.json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    #[command(flatten)]
    json: JsonOption,
}

/// Compares, prints, writes.
pub fn run(arguments: &Arguments) -> ExitCode {
    session::without_mpi(|| {
        arguments.json.check().map_err(|error| error.to_string())?;
        let comparison = compare(published::Program::size)?;
        arguments.json.write(&comparison)?;
        if arguments.json.tables() {
            print!("{}", comparison.text());
        }
        Ok(())
    })
}

/// The options of `hcube bsp predict` for a published program, with one size and all of its parameters.
fn arguments(program: published::Program, size: usize, parameters: Vec<u32>) -> ProgramArguments {
    use published::Program::{LlcsBitParallel, LlcsStandard, MatmulCustomized, MatmulStatic};
    let (distribution, kernel) = match program {
        MatmulCustomized => (Some(Matrices::Customized), None),
        MatmulStatic => (Some(Matrices::Static), None),
        LlcsStandard => (None, Some(Subsequence::Standard)),
        LlcsBitParallel => (None, Some(Subsequence::BitParallel)),
    };
    let is_product = distribution.is_some();
    let (blocks, alpha) = if is_product { (parameters, Vec::new()) } else { (Vec::new(), parameters) };
    ProgramArguments {
        program: if is_product { Program::Matmul } else { Program::Llcs },
        machine: None,
        sizes: vec![size].into(),
        blocks: blocks.into(),
        distribution,
        alpha: alpha.into(),
        kernel,
        estimate: Estimate::Weighted,
        operation_ns: None,
    }
}

/// Programs, machines and libraries with all of their runs; see [`runs`].
///
/// # Errors
/// Where a machine cannot be predicted for.
pub fn compare(size: impl Fn(published::Program) -> usize) -> Result<Comparison, Failure> {
    Ok(Comparison::new(&runs(size)?))
}

/// All published runs, each with the size that `size` has for its program. A run without figures of its
/// machine is left out.
///
/// # Errors
/// Where a machine cannot be predicted for.
pub fn runs(size: impl Fn(published::Program) -> usize) -> Result<Vec<Run>, Failure> {
    let all = published::rows();
    let mut files: BTreeMap<String, Machine> = BTreeMap::new();
    let mut runs = Vec::new();
    for published in &all {
        let file = match files.entry(published.machine_file()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let file = Machine::find(place.key())?;
                place.insert(file)
            }
        };
        let known = file.bsp.as_ref().is_some_and(|bsp| bsp.for_processes(published.processes).is_ok());
        if !known {
            continue;
        }
        let parameter = predict::parameter_of(published) as u32;
        let arguments = arguments(published.program, size(published.program), vec![parameter]);
        let efficiency = |costs: Costs| -> Result<Option<ByModel>, Failure> {
            let rows = predict::rows(&arguments, file, published.processes, costs)?;
            Ok(rows.first().map(|row| row.efficiency_percent))
        };
        if let (Some(corrected), Some(printed)) = (efficiency(Costs::Corrected)?, efficiency(Costs::Printed)?)
        {
            let may_be_larger = published.may_be_larger(&all);
            runs.push(Run { published: *published, corrected, printed, may_be_larger });
        }
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_results::bsp::comparison::Compared;

    fn of<'a>(
        comparison: &'a Comparison,
        program: published::Program,
        machines: &'a [&str],
    ) -> impl Iterator<Item = &'a Compared> {
        let own = move |row: &&Compared| row.program == program.name() && machines.contains(&row.machine);
        comparison.rows.iter().filter(own)
    }

    /// Four programs on three machines with three libraries, and every published run whose latencies and gaps
    /// the thesis has: it has no latencies and gaps of PUB on skua for 8 processes, where subsequences were
    /// computed.
    #[test]
    fn every_combination_is_compared() {
        let comparison = compare(published::Program::size).expect("predicted");
        assert_eq!(comparison.rows.len(), 36);
        let published = published::rows().into_iter().filter(|row| row.efficiency_percent.is_some()).count();
        let runs: usize = comparison.rows.iter().map(|row| row.runs).sum();
        assert_eq!(runs, published - 2 * 5);
        for row in &comparison.rows {
            let figures = row.points.all().into_iter().chain(row.certain_points.all());
            let errors = [row.error_constant_percent, row.error_model_percent];
            assert!(figures.chain(errors).all(|value| value > 0.0 && value < 100.0), "{row:?}");
        }
    }

    /// The rows that were computed from the thesis by hand, favourable and not.
    #[test]
    fn differences_are_those_of_the_thesis() {
        let comparison = compare(published::Program::size).expect("predicted");
        for (program, machine, library, points) in [
            ("matmul-customized", "skua", "mpi", 19.6),
            ("matmul-customized", "skua", "pub", 29.5),
            ("matmul-static", "skua", "mpi", 33.9),
            ("matmul-static", "skua", "oxtool", 24.3),
            ("llcs-standard", "skua", "pub", 19.8),
            ("llcs-bit-parallel", "argus", "mpi", 1.3),
            ("llcs-bit-parallel", "aracari", "oxtool", 3.1),
        ] {
            let same =
                |row: &&Compared| (row.program, row.machine, row.library) == (program, machine, library);
            let row = comparison.rows.iter().find(same).expect("compared");
            assert!((row.points.constant - points).abs() < 0.06, "{row:?}, expected {points}");
        }
    }

    /// Strings of half and of twice the size meet the tables of the clusters worse.
    #[test]
    fn sizes_are_those_that_meet_the_tables() {
        use published::Program::{LlcsBitParallel, LlcsStandard};
        let programs = [LlcsStandard, LlcsBitParallel];
        // The same factor for both, as each is compared with its own tables.
        let means = |halves: usize| {
            let comparison = compare(|program| program.size() * halves / 2).expect("predicted");
            programs.map(|program| {
                let points: Vec<f64> =
                    of(&comparison, program, &["argus", "aracari"]).map(|row| row.points.constant).collect();
                points.iter().sum::<f64>() / points.len() as f64
            })
        };
        let [half, own, twice] = [1, 2, 4].map(means);
        for (place, program) in programs.into_iter().enumerate() {
            let [half, own, twice] = [half, own, twice].map(|means| means[place]);
            assert!(own < 2.5 && half > 1.9 * own && twice > 1.9 * own, "{program:?}: {half} {own} {twice}");
        }
    }

    /// Both errors of the thesis are errors: the printed equations and rates are farther from what it has
    /// measured.
    #[test]
    fn corrections_come_closer() {
        use published::Program::{LlcsStandard, MatmulCustomized};
        let comparison = compare(published::Program::size).expect("predicted");
        for row in of(&comparison, LlcsStandard, &["argus", "aracari"]) {
            assert!(row.points.constant < 6.0 && row.printed_points.constant > 15.0, "{row:?}");
        }
        for row in of(&comparison, MatmulCustomized, &["argus", "aracari"]) {
            assert!(row.points.constant < row.printed_points.constant, "{row:?}");
        }
    }
}
