//! `sync all` after the failure of an image: the others synchronise among themselves.
//!
//! Idea: an image counts its `sync all` statements of each team. If one returns an error because an image has
//! failed, and the program has `stat=`, the image ships its count to all other members, and waits until each
//! of them has shipped at least the same count. A member that has passed the barrier before it knew of the
//! failure ships a higher count with its next statement; and the barrier may still complete, if the image has
//! failed after it.
//!
//! Cost: a message to each other member, only after a failure.

use crate::failure::{Image, Result};
use crate::team::{Team, current};
use hcube_caf::others::Status;
use hcube_core::error::Error;
use hcube_core::memory::bytes_of;
use hcube_core::mpi::MpiComm;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

thread_local! {
    /// The number of the function that takes counts.
    static TAKE: Cell<usize> = const { Cell::new(0) };
    /// Whether the next statement is one of the compiler, whose error the program knows of.
    static FORGIVES: Cell<bool> = const { Cell::new(false) };
    /// The counts of other images, by the identity of the team and the image.
    static COUNTS: RefCell<HashMap<(u64, usize), u64>> = RefCell::default();
}

/// Registers the function, on all images at the same place in the order.
pub fn register(image: &Image) {
    let take = |_: &Image, from: usize, bytes: &[u8]| {
        if let [team, count] = words(bytes)[..] {
            COUNTS.with_borrow_mut(|counts| {
                let known = counts.entry((team, from)).or_default();
                *known = count.max(*known);
            });
        }
    };
    let take: hcube_caf::Function<MpiComm> = Rc::new(take);
    TAKE.set(image.register(take));
}

fn words(bytes: &[u8]) -> Vec<u64> {
    let words = bytes.chunks_exact(size_of::<u64>());
    words.map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes"))).collect()
}

/// An allocation has returned the status of an error: the `sync all` that gfortran puts after it does not end
/// the program.
pub fn forgive_next() {
    FORGIVES.set(true);
}

/// `sync all`; with a status, images that are alive synchronise also if others have failed.
pub fn sync_all(image: &Image, has_status: bool) -> Result<()> {
    let team = current();
    let count = team.synchronisations.get() + 1;
    team.synchronisations.set(count);
    let result = image.barrier(team.handle);
    let forgives = FORGIVES.replace(false) && !has_status;
    if let (true, Err(Error::FailedImage { .. })) = (has_status || forgives, &result) {
        among_survivors(image, team, count)?;
    }
    if forgives { Ok(()) } else { Ok(result?) }
}

fn among_survivors(image: &Image, team: &Team, count: u64) -> Result<()> {
    let identity = image.look_at_team(team.handle, hcube_caf::team::Team::identity)?;
    let living = image.images_with(team.handle, Status::Alive)?;
    let others = living.into_iter().filter(|&rank| rank != team.rank);
    let others = others.map(|rank| team.image_of(image, rank)).collect::<Result<Vec<_>>>()?;
    // Puts to images that have failed cannot be waited for.
    drop(image.complete_puts());
    for &other in &others {
        drop(image.spawn(image.world(), other, TAKE.get(), bytes_of(&[identity, count]), None));
    }
    for other in others {
        let has_come =
            || COUNTS.with_borrow(|counts| counts.get(&(identity, other)).is_some_and(|&its| its >= count));
        // One that fails meanwhile is not waited for.
        drop(image.wait_after_barrier(team.handle, other, has_come));
    }
    Ok(())
}
