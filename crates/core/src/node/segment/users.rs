//! Mappings that several ranks of this process use, threads or simulated: the last of them unmaps.

use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The mappings that several ranks of this process may use: their addresses and numbers of users.
static USERS: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

fn users() -> MutexGuard<'static, Vec<(usize, usize)>> {
    USERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Another user of the mapping there.
pub fn join(address: NonNull<u8>) {
    let address = address.addr().get();
    let mut users = users();
    match users.iter_mut().find(|(other, _)| *other == address) {
        Some((_, number)) => *number += 1,
        None => users.push((address, 1)),
    }
}

/// One user less: whether it was the last one.
pub fn leave(address: NonNull<u8>) -> bool {
    let mut users = users();
    let Some(index) = users.iter().position(|&(other, _)| other == address.addr().get()) else { return true };
    users[index].1 -= 1;
    if users[index].1 > 0 {
        return false;
    }
    users.swap_remove(index);
    true
}
