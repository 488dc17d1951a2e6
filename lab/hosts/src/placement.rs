//! How launchers of MPI libraries start ranks on hosts.

use crate::holder::Holder;
use crate::{AGENT, TEMPORARY, name};
use std::ffi::OsStr;
use std::process::Command;

/// Seconds after which Open MPI has detected that a host is gone: its daemons' connections are idle during a
/// job, so silence is detected only by TCP's keepalive. By default it begins after 300 s and gives up after 9
/// probes, 20 s apart: 480 s. Here it is 3 s and 3 probes, 1 s apart.
pub const KEEPALIVE: [(&str, u64); 3] =
    [("oob_tcp_keepalive_time", 3), ("oob_tcp_keepalive_intvl", 1), ("oob_tcp_keepalive_probes", 3)];

/// What launchers have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Launcher {
    OpenMpi4,
    OpenMpi5,
    /// MPICH and what comes from it.
    Hydra,
}

impl Launcher {
    /// That of an MPI library, by its name in the commands.
    pub fn of(mpi: &str) -> Self {
        match mpi {
            "openmpi" => Self::OpenMpi4,
            "openmpi5" => Self::OpenMpi5,
            _ => Self::Hydra,
        }
    }
}

/// Which ranks are on one host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Ranks that follow each other.
    Filling,
    /// Neighbours are on different hosts as far as possible.
    InTurn,
}

/// Where the ranks of a job are to run, and how they are started there.
#[derive(Debug, Clone)]
pub struct Placement {
    entrance: Vec<String>,
    hosts: String,
    order: Order,
}

impl Placement {
    pub(crate) fn new(entrance: Vec<String>, hosts: String, order: Order) -> Self {
        Self { entrance, hosts, order }
    }

    /// The start of the launcher's command line, on the front; these variables of its environment reach the
    /// ranks.
    pub fn command<'a>(
        &self,
        launcher: Launcher,
        program: impl AsRef<OsStr>,
        variables: impl IntoIterator<Item = &'a str>,
    ) -> Command {
        let mut command = Command::new(&self.entrance[0]);
        command.args(&self.entrance[1..]).arg(program.as_ref()).env("TMPDIR", TEMPORARY);
        let variables: Vec<&str> = variables.into_iter().collect();
        if launcher == Launcher::Hydra {
            self.hydra(&mut command, &variables);
        } else {
            self.open_mpi(launcher, &mut command, &variables);
        }
        command
    }

    fn open_mpi(&self, launcher: Launcher, command: &mut Command, variables: &[&str]) {
        let by = if self.order == Order::Filling { "slot" } else { "node" };
        command.args(["--map-by", by, "--host", &self.hosts]);
        if launcher == Launcher::OpenMpi4 {
            command.args(["--mca", "plm_rsh_agent", AGENT]);
            for (name, seconds) in KEEPALIVE {
                command.args(["--mca", name, &seconds.to_string()]);
            }
        } else {
            command.args(["--prtemca", "plm_ssh_agent", AGENT]);
        }
        // Hosts have all cores each, as far as Open MPI knows, and in truth share them.
        command.args(["--mca", "mpi_yield_when_idle", "1"]);
        for name in variables {
            command.args(["-x", name]);
        }
    }

    fn hydra(&self, command: &mut Command, variables: &[&str]) {
        command.args(["-launcher", "rsh", "-launcher-exec", AGENT, "-localhost", "front"]);
        match self.order {
            Order::Filling => command.args(["-hosts", &self.hosts]),
            Order::InTurn => {
                let names: Vec<&str> =
                    self.hosts.split(',').filter_map(|host| host.split(':').next()).collect();
                command.args(["-hosts", &names.join(","), "-ppn", "1"])
            }
        };
        if !variables.is_empty() {
            command.args(["-genvlist", &variables.join(",")]);
        }
    }
}

/// The script that launchers call instead of ssh: `agent [option...] <host> <command>`. Nothing of the
/// environment goes along but these variables and where programs are: others go by options of the launcher,
/// as between real hosts.
pub(crate) fn agent(hosts: &[Holder], variables: &[&str]) -> String {
    let case = |(index, host): (usize, &Holder)| {
        format!("  {}) entrance='{}' ;;\n", name(index + 1), host.entrance_from_hosts().join(" "))
    };
    let cases: String = hosts.iter().enumerate().map(case).collect();
    let kept: String = variables.iter().map(|name| format!("{name}=\"${name}\" ")).collect();
    format!(
        "#!/bin/sh\nwhile [ \"${{1#-}}\" != \"$1\" ]; do shift; done\ncase $1 in\n{cases}  \
         *) echo \"no host $1\" >&2; exit 1 ;;\nesac\nshift\n\
         exec $entrance env -i {kept}PATH=\"$PATH\" HOME=/root TMPDIR={TEMPORARY} sh -c \"$*\"\n"
    )
}
