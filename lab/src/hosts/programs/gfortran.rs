//! Fortran programs with coarrays, by hcube and by OpenCoarrays, and without coarrays by MPI: `hcube bench
//! gfortran`, which starts its programs itself.

use crate::hosts::cases::Measured;
use crate::hosts::site::{self, Site};
use hcube_hosts::placement::Order;
use hcube_results::gfortran::{HCUBE, MPI, OPENCOARRAYS, Results, Run, counterpart};
use hcube_results::hosts::Comparison;
use hcube_results::runs::Row;
use hcube_tool::{launcher, output};
use std::fs;
use std::process::Command;
use std::time::Duration;

const LIBRARY: &str = "libhcube_caf.so";
const COMPILER: &str = "gfortran";
/// As `scripts/build-opencoarrays.sh` builds it, in the folder of all builds.
const OTHER_LIBRARY: &str = "libcaf_mpi.so";

/// What is measured: statements that all images execute at the same time, and programs that exist in MPI too.
const ARGUMENTS: &str = "--operations get,put,sync-all,co_sum,co_broadcast,halo-faces,jacobi,transpose-put \
                         --sizes 8,4k,64k --repeat 3 --limit 60 --no-progress";

/// The limit of all jobs together. On 16 ranks of MPICH 4 they take 5 minutes, most of it with OpenCoarrays.
const LIMIT: Duration = Duration::from_secs(1800);

pub fn measure(site: &Site) -> Result<Measured, String> {
    let left_out = |reason: String| Ok((Vec::new(), vec![format!("left out: {reason}")]));
    if !launcher::exists(COMPILER) {
        return left_out(format!("{COMPILER} is not in the search path"));
    }
    let library = site.built(LIBRARY);
    if !library.is_file() {
        return left_out(format!("{} is not built", library.display()));
    }
    // Hosts share files.
    let (folder, json) = (site.file("gfortran", "-programs"), site.file("gfortran", ".json"));
    fs::create_dir_all(&folder).map_err(output::failure(&folder))?;
    let _ = fs::remove_file(&json);
    let mut command = Command::new(&site.tool);
    command.args(["bench", "gfortran", "--images", &site.place.ranks().to_string()]);
    command.args(ARGUMENTS.split_whitespace()).arg(format!("--json={}", json.display()));
    command.args(["--mpi-compiler", &mpi_compiler(&site.about().mpi)]);
    // For MPI libraries for which the distribution has none.
    let other = site.target().join("opencoarrays").join(site.about().mpi).join(OTHER_LIBRARY);
    if other.is_file() {
        command.arg("--opencoarrays").arg(other);
    }
    command
        .arg("--folder")
        .arg(&folder)
        .args(["--launcher", &words(&site.launcher(&folder, Order::Filling))?]);
    site::run(command, LIMIT, &site.file("gfortran", ".txt"), || false)?;
    let text = fs::read_to_string(&json).map_err(output::failure(&json))?;
    let results: Results = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let comparison = Comparison { variant: HCUBE, competitors: &[OPENCOARRAYS, MPI] };
    let lines = comparison.lines(&site.about(), "gfortran", &with_counterparts(&results), Run::subject_name);
    Ok((lines, brief(results.notes)))
}

/// The compiler wrapper of an MPI library: for C where the library has no Fortran.
fn mpi_compiler(mpi: &str) -> String {
    let name = format!("mpifort.{mpi}");
    if launcher::exists(&name) { name } else { format!("mpicc.{mpi}") }
}

/// The results, with the programs in MPI under the names of the programs with coarrays that do the same.
fn with_counterparts(results: &Results) -> Results {
    let without = |own: &Run| {
        let name = counterpart(&own.subject.operation)?;
        let is_it = |run: &&Run| run.variant == MPI && run.subject.operation == name;
        let found = results.runs.iter().find(is_it)?;
        Some(Run { subject: own.subject.clone(), ..found.clone() })
    };
    let own = results.runs.iter().filter(|run| run.variant == HCUBE);
    let runs = own.clone().cloned().chain(own.filter_map(without));
    let others = results.runs.iter().filter(|run| run.variant == OPENCOARRAYS).cloned();
    Results { runs: runs.chain(others).collect(), ..Results::default() }
}

/// The notes, with the first one about OpenCoarrays for all of them: without windows, all of its programs
/// fail.
fn brief(mut notes: Vec<String>) -> Vec<String> {
    let (left_out, mut is_first) = (format!("left out of {OPENCOARRAYS}"), true);
    notes.retain(|note| !note.contains(&left_out) || std::mem::take(&mut is_first));
    notes
}

/// A command with its environment in words between blanks, as `--launcher` takes it.
fn words(command: &Command) -> Result<String, String> {
    let variables = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let variables =
        variables.map(|(name, value)| format!("{}={}", name.to_string_lossy(), value.to_string_lossy()));
    let line = std::iter::once(command.get_program()).chain(command.get_args());
    let line = line.map(|word| word.to_string_lossy().into_owned());
    let all: Vec<String> = std::iter::once("env".to_owned()).chain(variables).chain(line).collect();
    match all.iter().find(|word| word.contains(char::is_whitespace)) {
        None => Ok(all.join(" ")),
        Some(word) => Err(format!("'{word}': expected no blanks in a launcher's command")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_in_mpi_stand_beside_those_with_coarrays() {
        let run = |operation: &str, variant: &str| {
            let mut run = Run { variant: variant.to_owned(), ..Run::default() };
            run.subject.operation = operation.to_owned();
            run
        };
        let runs =
            vec![run("jacobi", HCUBE), run("put", HCUBE), run("put", OPENCOARRAYS), run("jacobi", MPI)];
        let results = with_counterparts(&Results { runs, ..Results::default() });
        let comparison = Comparison { variant: HCUBE, competitors: &[OPENCOARRAYS, MPI] };
        let lines = comparison.lines(&Default::default(), "gfortran", &results, Run::subject_name);
        let competitors: Vec<&str> = lines.iter().map(|line| line.competitor.variant.as_str()).collect();
        assert_eq!(competitors, [MPI, OPENCOARRAYS]);
        let notes = ["get left out of opencoarrays: x", "other", "put left out of opencoarrays: x"];
        assert_eq!(brief(notes.map(str::to_owned).to_vec()), notes[..2]);
    }

    #[test]
    fn launchers_become_words() {
        let mut command = Command::new("nsenter");
        command.args(["-n", "mpirun"]).env("A", "b");
        assert_eq!(words(&command), Ok("env A=b nsenter -n mpirun".to_owned()));
        command.arg("a folder");
        assert!(words(&command).is_err_and(|reason| reason.contains("'a folder'")));
    }
}
