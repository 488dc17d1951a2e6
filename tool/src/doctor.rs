//! `hcube doctor`: what works on this machine, and what hcube therefore chooses.

mod bsp;
mod caf;
mod environment;
mod finding;
mod gfortran;
mod host;
mod hpcc;
mod lcs;
mod own;
mod probes;
mod scalapack;
mod tested;
mod text;
mod wrap;

use crate::output::JsonOption;
use crate::session::{Failure, Session, Verdict};
use finding::{Finding, Results, State, Topic};
use hcube_core::comm::{Comm, agree};
use hcube_gemm::describe::describe;

/// Reports what works on this machine and what hcube will choose (with or without mpirun)
///
/// Start it as you start your program: with the same options of mpirun and the same environment. It prints
/// first what needs attention, with advice, then what works and what hcube uses here. The last line is the
/// verdict; the exit status is 0 if it is 'ready', and 1 if something does not work.
///
/// Example: mpirun -np 4 hcube doctor
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Also print the tables: routes, algorithms and paths with their costs, and the exchanges that the tests
    /// of hcube have checked with each MPI library
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    json: JsonOption,
}

/// Collective: examines the machine; rank 0 reports.
pub fn run(session: &Session, arguments: &Arguments) -> Result<Verdict, Failure> {
    let comm = &session.comm;
    let writable = if session.speaks() { arguments.json.check() } else { Ok(()) };
    agree(comm, writable).map_err(|error| error.to_string())?;
    let host = host::Asked::new();
    let defaults = environment::defaults(comm);
    let mut findings = probes::all(comm).map_err(|error| error.to_string())?;
    let works = |topic: Topic| {
        findings.iter().any(|finding| finding.topic == topic.name() && finding.state == State::Good)
    };
    let permitted =
        bsp::Permitted { shared_memory: works(Topic::SharedMemory), single_copy: works(Topic::SingleCopy) };
    findings.push(scalapack::find());
    findings.push(bsp::find());
    findings.extend(caf::all(comm).map_err(|error| error.to_string())?);
    // Only the rank that reports starts a compiler.
    if session.speaks() {
        findings.extend(gfortran::all());
    }
    findings.extend(hpcc::all(comm, defaults.alltoall.as_ref().ok()).map_err(|error| error.to_string())?);
    findings.extend(lcs::all(comm).map_err(|error| error.to_string())?);
    findings.push(host.finding(comm).map_err(|error| error.to_string())?);
    findings.extend(environment::findings(&defaults));
    let choice = match &defaults.random_access {
        Ok(options) => probes::choice(comm, options),
        Err(_) => Err("the environment is not valid; every run returns an error".to_owned()),
    };
    if let Err(reason) = &choice {
        findings.push(Finding::new(Topic::Choice, State::Wrong, reason.clone()));
    }
    let alltoall_choice = match &defaults.alltoall {
        Ok(options) => probes::alltoall_choice(comm, options).map(Some),
        // Already among the findings.
        Err(_) => Ok(None),
    };
    if let Err(reason) = &alltoall_choice {
        findings.push(Finding::new(Topic::Alltoall, State::Wrong, reason.clone()));
    }
    let nodes = comm.node_numbers().map_err(|error| error.to_string())?;
    let gemm_choice = defaults.gemm.as_ref().ok().map(|options| describe(&nodes, options));
    let bsp_choice = defaults.bsp.as_ref().ok().map(|options| {
        let predictions = bsp::predictions(comm.size());
        format!("{}\nPredictions of BSP programs: {predictions}", bsp::describe(&nodes, options, permitted))
    });
    let caf_choice =
        defaults.caf.as_ref().ok().map(|options| caf::describe(&nodes, options, permitted.shared_memory));
    let wrong = findings.iter().any(|finding| finding.state == State::Wrong);
    let verdict = if wrong { Verdict::Wrong } else { Verdict::Good };
    if !session.speaks() {
        return Ok(verdict);
    }
    let (choice, alltoall_choice) = (choice.ok(), alltoall_choice.ok().flatten());
    let results = Results {
        hcube: env!("CARGO_PKG_VERSION"),
        findings,
        choice,
        alltoall_choice,
        gemm_choice,
        bsp_choice,
        caf_choice,
    };
    if arguments.json.tables() {
        print!("{}", text::text(&results, arguments.verbose));
    }
    if let Err(failure) = arguments.json.write(&results) {
        eprintln!("hcube: {failure}");
        return Ok(Verdict::Wrong);
    }
    Ok(verdict)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn every_topic_has_a_section_in_the_documentation() {
        let page = include_str!("../../doc/troubleshooting.md");
        for topic in Topic::value_variants() {
            let title = format!("### {}", topic.name());
            assert!(page.lines().any(|line| line == title), "doc/troubleshooting.md: no section '{title}'");
        }
    }
}
