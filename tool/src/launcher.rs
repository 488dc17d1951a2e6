//! The launchers of MPI libraries, for commands that start programs.

use crate::session::Failure;
use std::os::unix::fs::MetadataExt;
use std::process::Command;
use std::time::Duration;

/// Time that ranks have to end after they have written their results. MPICH 4.0.2 may wait for ever in
/// `MPI_Finalize` over TCP (doc/troubleshooting.md).
pub const TIME_TO_END: Duration = Duration::from_secs(3);

/// The note of a job whose ranks went on for so long.
pub const WERE_ENDED: &str = "its ranks did not end after their results were written, and were ended";

/// Whether a program of this name is in the search path.
pub fn exists(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// mpirun of an MPI library, `openmpi` or `mpich`, with its options.
///
/// # Errors
/// Names the programs of which none was found.
pub fn usual(mpi: &str) -> Result<Vec<String>, Failure> {
    // Debian gives each library's launcher a name of its own; others call it mpirun.
    let names: &[&str] = match mpi {
        "mpich" => &["mpirun.mpich", "mpiexec.mpich", "mpirun"],
        _ => &["mpirun.openmpi", "mpirun"],
    };
    let Some(name) = names.iter().find(|name| exists(name)) else {
        return Err(format!("none of {} is in the search path (--launcher names another)", names.join(", ")));
    };
    let options: &[&str] = match mpi {
        "mpich" => &[],
        // Runs may be oversubscribed, and binding would put all ranks on one core.
        _ => &["--oversubscribe", "--bind-to", "none"],
    };
    Ok(std::iter::once(name).chain(options).map(|&word| word.to_owned()).collect())
}

/// Sets the variables that the launcher needs.
pub fn prepare(command: &mut Command, mpi: &str) {
    if mpi != "openmpi" {
        return;
    }
    if std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0) {
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }
    // Open MPI 4 rarely reports a successful job as one that left without MPI_Finalize
    // (github.com/open-mpi/ompi/issues/7833). The output is checked in any case.
    command.env("OMPI_MCA_orte_allowed_exit_without_sync", "1");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launchers_have_the_variables_of_their_library() {
        let set = |mpi: &str| {
            let mut command = Command::new("true");
            prepare(&mut command, mpi);
            command.get_envs().count()
        };
        assert!(set("openmpi") >= 1 && set("mpich") == 0);
        assert!(exists("sh") && !exists("no-such-launcher"));
    }
}
