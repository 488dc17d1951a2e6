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

use crate::output::JsonOption;
use crate::session::{Failure, Session, Verdict};
use finding::{Finding, State, Topic};
use hcube_alltoall::select::ALGORITHMS;
use hcube_core::comm::{Comm, agree};
use hcube_gemm::describe::{PATHS, describe};
use hcube_random_access::state::ROUTES;
use hcube_results::table::Table;
use serde::Serialize;

/// Reports what works on this machine and what hcube will choose (with or without mpirun)
///
/// Start it as you start your program: with the same options of mpirun and the same environment. Findings
/// that need an action have advice. The exit status is 1 if something does not work.
///
/// Example: mpirun -np 4 hcube doctor
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    json: JsonOption,
}

#[derive(Debug, Serialize)]
struct Results {
    hcube: &'static str,
    findings: Vec<Finding>,
    choice: Option<String>,
    alltoall_choice: Option<String>,
    gemm_choice: Option<String>,
    bsp_choice: Option<String>,
    caf_choice: Option<String>,
}

/// Collective: looks, and reports on rank 0.
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
    // One rank reports, and it alone starts a compiler.
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
        print!("{}", text(&results));
    }
    if let Err(failure) = arguments.json.write(&results) {
        eprintln!("hcube: {failure}");
        return Ok(Verdict::Wrong);
    }
    Ok(verdict)
}

fn text(results: &Results) -> String {
    let width = results.findings.iter().map(|finding| finding.topic.len()).max().unwrap_or(0);
    let mut text = format!("hcube {} doctor\n\n", results.hcube);
    for finding in &results.findings {
        let (mark, topic) = (finding.state.mark(), &finding.topic);
        text.push_str(&format!("{mark:>4}  {topic:<width$}  {}\n", finding.text));
        if let Some(advice) = &finding.advice {
            text.push_str(&format!("      {:width$}  -> {advice}\n", ""));
        }
    }
    if results.findings.iter().any(|finding| matches!(finding.state, State::Slow | State::Wrong)) {
        text.push_str("\nTroubleshooting (doc/troubleshooting.md in share/doc/hcube) has a section for each of these names\n");
    }
    if let Some(choice) = &results.choice {
        text.push_str(&format!("\nRandomAccess here: {choice}\n"));
    }
    let mut routes = Table::new(["route", "needs", "cost per rank and round", "used where"]);
    ROUTES.iter().for_each(|route| routes.row(*route));
    text.push_str(
        "\nRandomAccess: routes of values, for P ranks on M nodes of k (HCUBE_MODE selects another):\n",
    );
    text.push_str(&routes.render());
    let mut algorithms = Table::new(["algorithm", "needs", "cost per rank", "used where"]);
    ALGORITHMS.iter().for_each(|algorithm| algorithms.row(*algorithm));
    text.push_str("\nAll-to-all, for P ranks (HCUBE_ALLTOALL and HCUBE_PATH select another):\n");
    text.push_str(&algorithms.render());
    if let Some(choice) = &results.alltoall_choice {
        text.push_str(&format!("All-to-all exchanges here: {choice}\n"));
    }
    text.push_str("\nAll-to-all exchanges of unmodified programs that hcube's tests have checked:\n");
    text.push_str(&tested::text());
    let mut paths = Table::new(["path", "needs", "cost per rank", "used where"]);
    PATHS.iter().for_each(|path| paths.row(*path));
    text.push_str(
        "\nMatrix products, m x n with inner size k on R x C ranks, panels of w (HCUBE_GEMM selects another):\n",
    );
    text.push_str(&paths.render());
    if let Some(choice) = &results.gemm_choice {
        text.push_str(&format!("Matrix products here: {choice}\n"));
    }
    if let Some(choice) = &results.bsp_choice {
        text.push_str(&format!("\nBSP programs here: {choice}\n"));
    }
    if let Some(choice) = &results.caf_choice {
        text.push_str(&format!("Coarrays here: {choice}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn advice_stands_below_its_finding() {
        let findings = vec![
            Finding::new(Topic::Mpi, State::Fact, "some"),
            Finding::new(Topic::HugePages, State::Slow, "no").advise("allow them"),
        ];
        let text = text(&Results {
            hcube: "1.2.3",
            findings,
            choice: Some("1 rank".into()),
            alltoall_choice: Some("alone".into()),
            gemm_choice: Some("local".into()),
            bsp_choice: Some("one".into()),
            caf_choice: Some("two".into()),
        });
        let expected = "hcube 1.2.3 doctor\n\n  --  MPI         some\nslow  huge pages  no\n                  -> allow them\n\nTroubleshooting (doc/troubleshooting.md in share/doc/hcube) has a section for each of these names\n\nRandomAccess here: 1 rank\n";
        let (findings, routes) = text.split_at(expected.len());
        assert_eq!(findings, expected);
        assert!(ALGORITHMS.iter().all(|[name, ..]| routes.contains(name)), "{routes}");
        assert!(routes.contains("All-to-all exchanges here: alone\n"), "{routes}");
        assert!(PATHS.iter().all(|[name, ..]| routes.contains(name)), "{routes}");
        assert!(
            routes.ends_with("Matrix products here: local\n\nBSP programs here: one\nCoarrays here: two\n"),
            "{routes}"
        );
        assert!(ROUTES.iter().all(|[name, ..]| routes.contains(name)), "{routes}");
    }

    #[test]
    fn every_topic_has_a_section_in_the_documentation() {
        let page = include_str!("../../doc/troubleshooting.md");
        for topic in Topic::value_variants() {
            let title = format!("### {}", topic.name());
            assert!(page.lines().any(|line| line == title), "doc/troubleshooting.md: no section '{title}'");
        }
    }
}
