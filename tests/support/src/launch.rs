//! Programs that are started on several ranks under the launcher.

use super::disturb::Disturbance;
use super::supervise::{Interruption, OUTPUT, Outcome};
use super::{Language, Mpi, build, client, hosts, own_build};
use hcube_hosts::placement::Order;
use hcube_hosts::{Hosts, Placement};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A program to be started on several ranks.
#[derive(Debug)]
pub struct Launch {
    pub(super) program: OsString,
    pub(super) ranks: usize,
    /// Ranks of further programs, which are in the arguments.
    pub(super) further_ranks: usize,
    pub(super) arguments: Vec<OsString>,
    pub(super) environment: Vec<(String, String)>,
    pub(super) folder: Option<PathBuf>,
    pub(super) limit: Duration,
    pub(super) whole_lines: bool,
    pub(super) placement: Option<Placement>,
    pub(super) interruption: Option<Interruption>,
    pub(super) disturbance: Option<Disturbance>,
    pub(super) hopeless: Option<(&'static str, Duration)>,
    pub(super) simulated: bool,
    pub(super) alone: bool,
}

impl Launch {
    pub fn new(program: impl Into<OsString>, ranks: usize) -> Self {
        let (arguments, environment, folder) = (Vec::new(), Vec::new(), None);
        // Far more than any of them needs: a limit for a hang, not for slowness.
        Self {
            program: program.into(),
            ranks,
            further_ranks: 0,
            arguments,
            environment,
            folder,
            limit: Duration::from_secs(120),
            whole_lines: false,
            placement: None,
            interruption: None,
            disturbance: None,
            hopeless: None,
            simulated: false,
            alone: false,
        }
    }

    pub fn client(name: &str, ranks: usize) -> Self {
        Self::new(client(name, Language::C11), ranks)
    }

    /// Its ranks are simulated by one thread, so it takes no turn of others.
    pub fn simulated(self) -> Self {
        Self { simulated: true, ..self }
    }

    /// No other job runs at the same time: the memory of the MPI library depends on how messages pile up.
    pub fn alone(self) -> Self {
        Self { alone: true, ..self }
    }

    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    pub fn args(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// A further program of the same job.
    pub fn and(mut self, ranks: usize, line: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.further_ranks += ranks;
        self.args([":", "-np", &ranks.to_string()]).args(line)
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// This number of ranks counts as a node.
    pub fn per_node(self, ranks: usize) -> Self {
        self.env("HCUBE_RANKS_PER_NODE", &ranks.to_string())
    }

    pub fn envs(self, variables: &[(&str, &str)]) -> Self {
        variables.iter().fold(self, |launch, (name, value)| launch.env(name, value))
    }

    pub fn folder(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.to_path_buf());
        self
    }

    pub fn limit(mut self, seconds: u64) -> Self {
        self.limit = Duration::from_secs(seconds);
        self
    }

    /// Lets the ranks write past the launcher, which forwards partial lines and may insert lines of one rank
    /// into lines of another. For tests that read lines of more than one rank.
    pub fn whole_lines(mut self) -> Self {
        self.whole_lines = true;
        self
    }

    /// Places these numbers of ranks on the hosts.
    pub fn on(mut self, hosts: &Hosts, ranks: &[usize]) -> Self {
        assert_eq!(ranks.iter().sum::<usize>(), self.ranks, "every rank has its place");
        self.placement = Some(hosts.placement(ranks, Order::Filling));
        self
    }

    /// The same, but neighbouring ranks are on different hosts as far as possible.
    pub fn on_in_turn(mut self, hosts: &Hosts, ranks: &[usize]) -> Self {
        self = self.on(hosts, ranks);
        self.placement = Some(hosts.placement(ranks, Order::InTurn));
        self
    }

    /// Does something as soon as the output of the job has this text.
    pub fn interrupt(mut self, text: &str, action: impl FnOnce() + Send + 'static) -> Self {
        self.interruption = Some(Interruption { text: text.to_owned(), action: Box::new(action) });
        self
    }

    /// Kills or stops a rank while the job is running.
    pub fn disturb(self, disturbance: Disturbance) -> Self {
        Self { disturbance: Some(disturbance), ..self }
    }

    /// Once the output of the job has this text, its limit is only this number of seconds from then on.
    pub fn hopeless_after(mut self, text: &'static str, seconds: u64) -> Self {
        self.hopeless = Some((text, Duration::from_secs(seconds)));
        self
    }

    fn command(&self) -> Command {
        let mpi = Mpi::selected();
        let launcher = format!("mpirun.{}", mpi.name());
        let mut command = match &self.placement {
            Some(placement) => hosts::command(placement, &launcher, self),
            None => Command::new(launcher),
        };
        if mpi == Mpi::Mpich {
            // Where TCP is among its transports, even unused, MPICH 4.0.2 with UCX 1.13 may hang in
            // MPI_Finalize, in up to one of ten runs and of plain MPI programs too.
            command.env("UCX_TLS", "self,posix,sysv,cma");
        }
        if mpi == Mpi::Open {
            command.args(["--oversubscribe", "--bind-to", "none"]);
            if self.placement.is_none() {
                // Also where every rank has a core, because other jobs run at the same time.
                command.env("OMPI_MCA_mpi_yield_when_idle", "1");
                // The time that it waits before it ends what an aborted job has left, even where that is
                // nothing: by default 1 s. On several hosts, a daemon that ends at once is taken for one that
                // did not start.
                command.env("OMPI_MCA_odls_base_sigkill_timeout", "0");
            }
            // SAFETY: has no preconditions.
            if unsafe { libc::geteuid() } == 0 {
                command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
            }
        }
        command.args(["-np", &self.ranks.to_string()]);
        // MPICH's launcher loses what a rank has written just before it ends the job, in one of twenty runs.
        if self.whole_lines || mpi == Mpi::Mpich {
            command.args([
                "sh",
                "-c",
                &format!("exec \"$0\" \"$@\" >>\"${OUTPUT}.out\" 2>>\"${OUTPUT}.err\""),
            ]);
        }
        command.arg(&self.program);
        let mut folders = vec![build()];
        // Without the folders that cargo adds for the test itself: every library of every rank would be
        // searched in all of them.
        let given = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let own = own_build();
        folders.extend(std::env::split_paths(&given).filter(|folder| !folder.starts_with(&own)));
        command.env("LD_LIBRARY_PATH", std::env::join_paths(folders).expect("folders without colons"));
        command
    }

    /// Runs it under the selected MPI's launcher.
    pub fn run(self) -> Outcome {
        let command = self.command();
        self.supervise(command)
    }
}
