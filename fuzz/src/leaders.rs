//! Exchanges between nodes with ranks as threads: node leaders, the algorithms beside them, and the errors of
//! all ranks, against a serial reference.

#[path = "../../crates/alltoall/tests/alltoall_local/drawn/mod.rs"]
mod drawn;

use hcube_core::comm::threads;

/// Nodes, options and exchanges one after the other.
pub fn leaders(data: &[u8]) {
    let job = drawn::Job::draw(data);
    threads::run_on_nodes(job.nodes.clone(), |comm| drawn::run::run(comm, &job));
}
