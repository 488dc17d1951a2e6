//! The cores that this process may use.

use crate::comm::Comm;
use crate::error::Result;
use crate::machine::identity::hash;

/// Number of cores that this process may run on, at least 1.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Bytes of the largest cache of a core; an estimate if the system does not report it.
pub fn cache() -> usize {
    /// A minimum that most processors have.
    const GUESS: usize = 16 << 20;
    let level = |level: u32| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{level}/size");
        let text = std::fs::read_to_string(path).ok()?;
        let kibibytes: usize = text.trim().strip_suffix('K')?.parse().ok()?;
        Some(kibibytes << 10)
    };
    level(3).or_else(|| level(2)).unwrap_or(GUESS)
}

/// A number that is equal for processes that may run on the same cores. A launcher that binds assigns every
/// rank a separate set; otherwise all ranks have the same set.
pub fn core_set() -> u64 {
    // SAFETY: a set of bits, for which zero is a value.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set has the size given.
    if unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) } != 0 {
        return 0;
    }
    // SAFETY: below CPU_SETSIZE.
    let usable = (0..libc::CPU_SETSIZE as usize).filter(|&core| unsafe { libc::CPU_ISSET(core, &set) });
    hash(usable.map(|core| core as u64))
}

/// Collective: whether cores are oversubscribed on any node; the same on all ranks. `nodes` holds a number
/// per rank that is equal on the same node.
///
/// Never for simulated ranks: each of them has its own core, and its behaviour must not depend on the machine
/// that runs the simulation.
pub fn crowded<C: Comm + ?Sized>(comm: &C, nodes: &[u32]) -> Result<bool> {
    if comm.simulated() {
        return Ok(false);
    }
    let (rank, sets) = (comm.rank(), comm.all_gather(&[core_set()])?);
    let sharing = nodes.iter().zip(&sets).filter(|&(&node, &set)| node == nodes[rank] && set == sets[rank]);
    let mut crowded = [i64::from(sharing.count() > cores())];
    comm.all_reduce_max(&mut crowded)?;
    Ok(crowded[0] != 0)
}
