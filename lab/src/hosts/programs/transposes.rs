//! FFTW's transposes: its own plans against hcube's, alternating in one process of each rank, by the program
//! that measures them also without hosts.

use super::compiled;
use super::turns::{self, FFTW, HCUBE, Run};
use crate::collect::fftw;
use crate::hosts::cases::Measured;
use crate::hosts::site::{Site, has_been_written};
use hcube_hosts::placement::Order;
use hcube_results::fftw::Solver;
use hcube_results::measured::Timing;
use hcube_tool::launcher::WERE_ENDED;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the program, the counters and the headers of hcube, in the source tree.
const SOURCES: &str = "hpcc-glue/fftw/bench";
const COUNTERS: &str = "hpcc-glue/bench/counters.c";
const HEADERS: &str = "include";
const PLUGIN: &str = "libhcube_fftw.so";
/// FFTW with hcube's solver, as `scripts/build-fftw.sh patched` builds it, in the folder of all builds.
const PATCHED: [&str; 2] = ["patched/mpi/.libs/libfftw3_mpi.a", "patched/.libs/libfftw3.a"];

/// Transposes of squares of doubles, in place and out of place.
const PROBLEMS: [&str; 6] = [
    "transpose,128x128,in,none",
    "transpose,512x512,in,none",
    "transpose,1024x1024,in,none",
    "transpose,128x128,out,none",
    "transpose,512x512,out,none",
    "transpose,1024x1024,out,none",
];

pub fn measure(site: &Site) -> Result<Measured, String> {
    let (program, preload) = match Fftw::of(site).and_then(|fftw| Ok((compile(site, &fftw)?, fftw.preload))) {
        Ok(compiled) => compiled,
        Err(reason) => return Ok((Vec::new(), vec![format!("transposes left out: {reason}")])),
    };
    let records = site.file("transposes", ".records");
    // The program appends to it.
    let _ = fs::remove_file(&records);
    let mut line: Vec<OsString> = vec!["env".into()];
    line.extend(preload.map(|plugin| format!("LD_PRELOAD={}", plugin.display()).into()));
    line.push(program.into());
    line.extend(["--repeat", "15", "--rigour", "measure", "--output"].map(OsString::from));
    line.push(records.clone().into());
    line.extend(PROBLEMS.map(OsString::from));
    let folder = records.parent().unwrap_or(Path::new("."));
    let is_written = has_been_written(&records);
    // The program appends its record of each plan.
    let has_all =
        || fftw::runs(std::slice::from_ref(&records)).is_ok_and(|runs| runs.len() == 2 * PROBLEMS.len());
    let said = site.file("transposes", ".txt");
    let has_ended = site.run((folder, Order::Filling), &line, &said, || is_written() && has_all())?;
    let runs = fftw::runs(std::slice::from_ref(&records))?.iter().map(run).collect();
    let (lines, mut notes) = turns::compared(site, "transposes", runs);
    notes.extend((!has_ended).then(|| WERE_ENDED.to_owned()));
    Ok((lines, notes))
}

fn run(run: &hcube_results::fftw::Run) -> Run {
    let program = match run.solver {
        Solver::Hcube => HCUBE,
        Solver::Pairwise => FFTW,
    };
    // The program fails if the results of the two plans differ.
    Run {
        subject: run.problem.clone(),
        program: program.to_owned(),
        timing: Timing {
            usage: run.usage,
            ..Timing::of_us(run.times_ms.iter().map(|ms| 1e3 * ms).collect())
        },
        errors: 0,
    }
}

/// FFTW with hcube's solver.
struct Fftw {
    /// What the linker takes.
    libraries: Vec<OsString>,
    /// The library that adds the solver to an unchanged FFTW.
    preload: Option<PathBuf>,
}

impl Fftw {
    /// The distribution's library for several ranks is for Open MPI 4; for MPICH 4 the solver is part of
    /// FFTW.
    fn of(site: &Site) -> Result<Self, String> {
        let [plugin, libhcube] = [PLUGIN, "libhcube.so"].map(|name| site.built(name));
        let built = |file: &PathBuf| {
            let missing = || format!("{} is not built (make fftw in the source tree)", file.display());
            file.is_file().then_some(()).ok_or_else(missing)
        };
        match site.about().mpi.as_str() {
            "openmpi" => {
                built(&plugin)?;
                let libraries = ["-lfftw3_mpi", "-lfftw3"].map(OsString::from).to_vec();
                Ok(Self { libraries, preload: Some(plugin) })
            }
            mpi @ "mpich" => {
                let files = PATCHED.map(|file| site.target().join("fftw").join(mpi).join(file));
                files.iter().try_for_each(built)?;
                let libraries = files.into_iter().chain([libhcube]).map(OsString::from).collect();
                Ok(Self { libraries, preload: None })
            }
            mpi => Err(format!("there is no FFTW for {mpi}")),
        }
    }
}

/// The program, compiled for the MPI library.
fn compile(site: &Site, fftw: &Fftw) -> Result<PathBuf, String> {
    let tree = compiled::tree(site);
    let program = site.file("transposes", ".program");
    let sources = compiled::sources(&tree.join(SOURCES))?;
    let compiled = compiled::compile(site, |command| {
        command.args(["-rdynamic", "-I"]).arg(tree.join(HEADERS)).arg("-o").arg(&program).args(sources);
        command.arg(tree.join(COUNTERS)).args(&fftw.libraries).args(["-ldl", "-lm"]);
    });
    compiled.map_err(|reason| format!("{reason} (with FFTW's library for several ranks)"))?;
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_compared_by_their_solvers() {
        let of = |solver| {
            hcube_results::fftw::Run::new("a".to_owned(), 4, solver, vec![2.0, 1.0, 3.0], String::new())
        };
        let runs = [Solver::Hcube, Solver::Pairwise].map(|solver| run(&of(solver)));
        assert_eq!(runs.each_ref().map(|run| run.program.as_str()), [HCUBE, FFTW]);
        assert_eq!((runs[0].timing.median_us, runs[0].subject.as_str()), (2000.0, "a"));
    }
}
