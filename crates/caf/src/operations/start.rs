//! The start of an image, and its handlers for messages.

use crate::engine::image::{Handler, Image};
use crate::engine::runtime::Runtime;
use crate::operations::{copy, spawn, steps};
use crate::state::messages::Kind;
use crate::state::options::Options;
use crate::state::participation::Participation;
use hcube_core::comm::Comm;
use hcube_core::error::Result;

impl<C: Comm> Runtime<C> {
    /// Collective over `comm`, whose messages are opened: its ranks become images.
    ///
    /// # Errors
    /// On all images, if the options differ or an image has no memory; errors of MPI.
    pub fn new(comm: C, options: Options) -> Result<Self> {
        Self::with_handlers(comm, &options, Kind::ALL.map(handler))
    }
}

pub(super) fn handler<C: Comm>(kind: Kind) -> Handler<Image<C>> {
    match kind {
        Kind::Step => steps::keep,
        Kind::Spawn => spawn::keep,
        Kind::Address => |image, message| {
            image.coarrays.answer(&message, &mut image.memory);
            Ok(true)
        },
        Kind::AddressIs => |image, message| {
            image.coarrays.note_answer(&message);
            Ok(true)
        },
        Kind::Copy => copy::take_message,
        Kind::Status => |image, message| {
            image.others.note_message(message.tag);
            Ok(true)
        },
        Kind::HowFar => |image, message| {
            Participation::answer(&message, &image.teams, &mut image.memory);
            Ok(true)
        },
        Kind::SoFar => |image, message| {
            image.participation.note(&message);
            Ok(true)
        },
    }
}
