//! Hosts of this machine (crate `hcube-hosts`) for tests.

use super::supervise::{MARKER, OUTPUT};
use super::{Launch, Mpi};
use hcube_hosts::{Launcher, Network, Placement, possible};
use std::process::Command;
use std::sync::OnceLock;

pub use hcube_hosts::{Hosts, all_gone, placement::KEEPALIVE};

/// Why this machine, or this user, cannot have hosts.
fn reason_against() -> Option<&'static str> {
    static REASON: OnceLock<Option<String>> = OnceLock::new();
    let find = || match Mpi::selected() {
        Mpi::Open => possible().err(),
        Mpi::Mpich => Some("they are about Open MPI's daemons".to_owned()),
    };
    REASON.get_or_init(find).as_deref()
}

/// So many hosts, or none where the machine cannot have them.
pub fn new_hosts(number: usize) -> Option<Hosts> {
    if let Some(reason) = reason_against() {
        super::skip("hosts", &format!("this machine cannot have several hosts: {reason}"));
        return None;
    }
    Some(Hosts::new(number, &Network::default(), &[MARKER]).unwrap_or_else(|reason| panic!("{reason}")))
}

/// The start of the launcher's command line.
pub(super) fn command(placement: &Placement, launcher: &str, launch: &Launch) -> Command {
    let own = [MARKER, OUTPUT, "LD_LIBRARY_PATH"];
    let variables = own.into_iter().chain(launch.environment.iter().map(|(name, _)| name.as_str()));
    let mut command = placement.command(Launcher::of(Mpi::selected().name()), launcher, variables);
    if let Some(folder) = &launch.folder {
        command.arg("-wdir").arg(folder);
    }
    command
}
