//! Several locks at once.
//!
//! Idea: all images take them in one order, that of their places. So an image that waits for a lock has only locks before it
//! in that order, and no images wait for each other in a circle.
//!
//! Restrictions: that holds for images that take all locks they need at the same time in one call.
//! Cost: that of each lock. Source: Havender 1968, "Avoiding deadlock in multitasking systems".

use crate::coarray::Place;
use crate::handles::Handle;
use crate::lock::LockAt;
use crate::runtime::Runtime;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};

impl<C: Comm> Runtime<C> {
    /// The places of locks, in the order in which all images take them.
    fn places_of_locks(&self, locks: &[LockAt]) -> Result<Vec<(Place, Handle)>> {
        let places = locks.iter().map(|&lock| Ok((self.place_of_lock(lock)?, lock.0)));
        let mut places = places.collect::<Result<Vec<_>>>()?;
        places.sort_unstable_by_key(|(place, _)| (place.image, place.offset));
        match places.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            None => Ok(places),
            Some(pair) => {
                let given = format!("one of image {} twice", pair[0].0.image);
                Err(Error::argument("locks", given, "different locks"))
            }
        }
    }

    /// Waits until this image has all of these locks. No images wait for each other, in whatever order they name them.
    ///
    /// # Errors
    /// As [`Self::lock`], and for a lock that is named twice; this image has none of them then.
    pub fn lock_all(&self, locks: &[LockAt]) -> Result<()> {
        let places = self.places_of_locks(locks)?;
        self.with(|image| places.iter().try_for_each(|&(place, _)| image.check_free_of(place)))?;
        for (number, &(place, locks)) in places.iter().enumerate() {
            if let Err(error) = self.take_lock(locks, place) {
                for &(taken, _) in places[..number].iter().rev() {
                    // What stands in the way of a release is an image that is gone, of which the caller learns.
                    let _ = self.release_lock(taken);
                }
                return Err(error);
            }
        }
        Ok(())
    }

    /// Gives all of these locks to the images that wait for them longest; see [`Self::unlock`].
    ///
    /// # Errors
    /// As [`Self::unlock`], and for a lock that is named twice; where arguments are wrong, this image keeps all.
    pub fn unlock_all(&self, locks: &[LockAt]) -> Result<()> {
        let places = self.places_of_locks(locks)?;
        self.with(|image| places.iter().try_for_each(|&(place, _)| image.check_held(place)))?;
        self.wait(|image| Ok(image.memory.is_made(None).then_some(())))?;
        places.iter().rev().try_for_each(|&(place, _)| self.release_lock(place))
    }
}
