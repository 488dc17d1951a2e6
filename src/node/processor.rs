//! The cores that this process may use.

use crate::comm::Comm;
use crate::error::Result;

/// Number of cores that this process may run on, at least 1.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// A number that is the same for processes that may run on the same cores: a launcher that binds
/// gives every rank a set of its own, one that does not gives all ranks the same.
pub fn core_set() -> u64 {
    // SAFETY: a set of bits, for which zero is a value.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set has the size given.
    if unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) } != 0 {
        return 0;
    }
    (0..libc::CPU_SETSIZE as usize)
        // SAFETY: below CPU_SETSIZE.
        .filter(|&core| unsafe { libc::CPU_ISSET(core, &set) })
        // Fowler, Noll and Vo's hash (FNV-1a), which is enough to tell sets apart.
        .fold(0xcbf2_9ce4_8422_2325, |hash, core| (hash ^ core as u64).wrapping_mul(0x0100_0000_01b3))
}

/// Collective: whether anywhere more ranks than cores share the same cores; the same on all ranks.
/// `nodes` holds a number per rank that is equal on the same node.
pub fn crowded<C: Comm + ?Sized>(comm: &C, nodes: &[u32]) -> Result<bool> {
    let (rank, sets) = (comm.rank(), comm.all_gather(&[core_set()])?);
    let sharing = nodes.iter().zip(&sets).filter(|&(&node, &set)| node == nodes[rank] && set == sets[rank]);
    let mut crowded = [i64::from(sharing.count() > cores())];
    comm.all_reduce_max(&mut crowded)?;
    Ok(crowded[0] != 0)
}
