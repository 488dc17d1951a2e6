//! Times and plans that mpi-bench, FFTW's own benchmark, has printed without and with hcube.

use crate::records;
use hcube_results::fftw::{Results, Run, Solver};
use hcube_tool::choices::number;
use hcube_tool::output::JsonOption;
use std::path::PathBuf;

/// Output of FFTW's mpi-bench for one problem
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The name of the problem in the results
    #[arg(long)]
    problem: String,
    /// Number of ranks
    #[arg(long, value_name = "P", value_parser = number::<usize>(1..))]
    ranks: usize,
    /// Has the files SOLVER.plan, the output of a run with --verbose=2, and SOLVER.times, the output of all
    /// others, for the solvers pairwise and hcube
    directory: PathBuf,
    #[command(flatten)]
    json: JsonOption,
}

pub fn collect(arguments: &Arguments) -> Result<(), String> {
    let run = |(solver, name)| {
        let read = |kind| records::read(&arguments.directory.join(format!("{name}.{kind}")));
        let plan = plan(&read("plan")?);
        if !fits(&plan, solver) {
            return Err(format!("mpi-bench {}: the plan is not one of {name}:\n{plan}", arguments.problem));
        }
        let problem = format!("mpi-bench {}", arguments.problem);
        Ok(Run::new(problem, arguments.ranks, solver, times(&read("times")?), plan))
    };
    let runs = [(Solver::Pairwise, "pairwise"), (Solver::Hcube, "hcube")].into_iter().map(run);
    let mut results = Results { runs: runs.collect::<Result<_, _>>()?, ..Results::default() };
    results.summarise()?;
    arguments.json.write(&results)
}

/// The plan: from its first line to the count of its operations.
fn plan(output: &str) -> String {
    let lines = output.lines().skip_while(|line| !line.starts_with("(mpi-"));
    lines.take_while(|line| !line.starts_with("flops")).collect::<Vec<_>>().join("\n")
}

/// Whether the plan is one of this solver.
fn fits(plan: &str, solver: Solver) -> bool {
    !plan.is_empty() && plan.contains("hcube") == (solver == Solver::Hcube)
}

/// Milliseconds: the last number of lines of the form (smallest mean largest median), in seconds.
fn times(output: &str) -> Vec<f64> {
    let numbers = output.lines().filter_map(|line| line.strip_prefix('(')?.strip_suffix(')'));
    numbers.filter_map(|numbers| Some(1e3 * numbers.rsplit(' ').next()?.parse::<f64>().ok()?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_read() {
        let output = "Planning ...\n(mpi-rdft2-rank-geq2\n  (mpi-transpose-pairwise))\nflops: 3\n(1 2)\n";
        let own = plan(output);
        assert_eq!(own, "(mpi-rdft2-rank-geq2\n  (mpi-transpose-pairwise))");
        assert!(fits(&own, Solver::Pairwise) && !fits(&own, Solver::Hcube));
        let ours = own.replace("pairwise", "hcube/whole");
        assert!(fits(&ours, Solver::Hcube) && !fits(&ours, Solver::Pairwise));
        assert!(!fits(&plan("error"), Solver::Pairwise));
        assert_eq!(times("(0.001 0.002 0.004 0.0025)\nflops\n(1 1 1 1e-3)\n(x)\n"), [2.5, 1.0]);
    }
}
