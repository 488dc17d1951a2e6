//! The coarray and the events of all binary-exchange transforms of a process.
//!
//! Freeing a transform is local, freeing a coarray collective. The coarray and the events therefore belong to
//! the process; all transforms use them, one after the other, and a longer transform replaces them by larger
//! ones.

use super::bits::Bits;
use hcube_caf::coarray::Use;
use hcube_caf::{Handle, Runtime};
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::memory::Region;
use hcube_fft::COMPLEX;
use hcube_fft::kernel::LANES;

/// Numbers of the longest strip, 64 KiB, and strips of a part unless they would be longer.
const MAX_STRIP: usize = 1 << 12;
const STRIPS: usize = 16;

/// Numbers of a strip, if an image has this part.
pub const fn strip(part: usize) -> usize {
    let even = part / STRIPS;
    if even > MAX_STRIP {
        MAX_STRIP
    } else if even < LANES {
        LANES
    } else {
        even
    }
}

/// The coarray and the events.
#[derive(Debug)]
pub struct Images {
    /// Numbers of each image that there is room for.
    part: usize,
    /// Two columns of a part each, and half of one.
    pub(super) columns: Handle,
    /// A strip of the partner's half is complete; for each level.
    pub(super) ready: Handle,
    /// Results for a strip have arrived from the partner.
    pub(super) copied: Handle,
    /// A strip has arrived that was fetched.
    pub(super) prefetch: Handle,
}

/// Bytes of the two columns, and of half of one.
const fn bytes(part: usize) -> usize {
    COMPLEX * part / 2 * 5
}

impl Images {
    /// Collective over all images: the state in `kept` if it has room for such a vector, or a larger one
    /// instead.
    ///
    /// # Errors
    /// On all images, if one has no memory.
    pub fn prepare<'a, C: Comm>(
        kept: &'a mut Option<Self>,
        runtime: &Runtime<C>,
        bits: Bits,
    ) -> Result<&'a mut Self> {
        if kept.as_ref().is_none_or(|images| images.part < bits.part()) {
            if let Some(before) = kept.take() {
                before.free(runtime)?;
            }
            *kept = Some(Self::new(runtime, bits)?);
        }
        Ok(kept.as_mut().expect("just made"))
    }

    fn new<C: Comm>(runtime: &Runtime<C>, bits: Bits) -> Result<Self> {
        let (world, part) = (runtime.world(), bits.part());
        let strips = part / strip(part);
        let columns = runtime.allocate(world, bytes(part), Use::Data)?;
        let mut events = Vec::new();
        for count in [strips * bits.images as usize, strips, strips] {
            match runtime.allocate_events(world, count) {
                Ok(allocated) => events.push(allocated),
                // On all images, so they free together what they have.
                Err(error) => return free(runtime, columns, &events).and(Err(error)),
            }
        }
        let [ready, copied, prefetch] = events[..] else { unreachable!("three counts") };
        Ok(Self { part, columns, ready, copied, prefetch })
    }

    fn free<C: Comm>(self, runtime: &Runtime<C>) -> Result<()> {
        free(runtime, self.columns, &[self.ready, self.copied, self.prefetch])
    }

    /// This image's part of the coarray, for the duration of a transform.
    ///
    /// # Errors
    /// None while the runtime that has allocated it is active.
    pub(super) fn memory<C: Comm>(&self, runtime: &Runtime<C>) -> Result<Region<'static>> {
        let (address, found) = runtime.own_part(self.columns)?;
        // SAFETY: the coarray has these bytes on each image and is freed only by `prepare`, collectively and
        // between transforms, when no copy uses it any more; other images write to it where events permit it.
        Ok(unsafe { Region::new(address, found) })
    }
}

/// Collective over all images: frees the coarray and the events, the last ones first.
fn free<C: Comm>(runtime: &Runtime<C>, columns: Handle, events: &[Handle]) -> Result<()> {
    events.iter().rev().try_for_each(|&events| runtime.free(events, Use::Events))?;
    runtime.free(columns, Use::Data)
}
