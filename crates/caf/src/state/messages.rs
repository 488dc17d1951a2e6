//! The kinds of active messages of the runtime.

/// The kind of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// A step of a collective operation; see [`crate::state::steps`].
    Step = 1,
    /// A shipped function; see [`crate::state::shipped`].
    Spawn,
    /// Where a coarray lies: its identity, and the number of the question; see [`crate::state::coarray`].
    Address,
    /// The answer.
    AddressIs,
    /// The request of an asynchronous copy to another image; see [`crate::operations::copy`].
    Copy,
    /// An image has failed or stopped; see [`crate::state::others`].
    Status,
    /// How far an image that has stopped has come in a team; see [`crate::state::participation`].
    HowFar,
    /// The answer.
    SoFar,
}

impl Kind {
    /// All kinds, by their numbers from 1.
    pub const ALL: [Self; 8] = [
        Self::Step,
        Self::Spawn,
        Self::Address,
        Self::AddressIs,
        Self::Copy,
        Self::Status,
        Self::HowFar,
        Self::SoFar,
    ];
}
