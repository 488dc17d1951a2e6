//! What one member of a broadcast receives and sends.

use std::ops::Range;

/// A message to or from another member.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Message {
    /// The other member.
    pub partner: usize,
    /// Parts of the panel in the message; never empty.
    pub parts: Range<usize>,
    /// Level of the hierarchy: 0 is the broadcast between the outermost groups, or the only one.
    pub level: usize,
}

/// The messages of one member.
///
/// A send may start when its parts have been received; at the root immediately. Messages between two members
/// are in the same order on both sides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// In the order in which they are received.
    pub receives: Vec<Message>,
    /// In the order in which they are started.
    pub sends: Vec<Message>,
}

impl Plan {
    /// The same messages with partners under other numbers.
    pub fn renumbered(mut self, number: impl Fn(usize) -> usize) -> Self {
        for message in self.receives.iter_mut().chain(&mut self.sends) {
            message.partner = number(message.partner);
        }
        self
    }
}
