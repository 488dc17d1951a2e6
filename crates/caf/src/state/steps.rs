//! Messages of collective operations that have arrived before their receive.

use hcube_core::active::Payload;
use std::collections::HashMap;

/// The key of a message: the team, the step of its operations, and the sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// The identity of the team.
    pub team: u64,
    /// The number of the operation in the team, and of the step in the operation; see [`step`].
    pub step: u64,
    /// The image, where the receiver knows it.
    pub from: Option<usize>,
}

/// Bytes of the head of a message: the identity of the team and the step.
pub const HEAD: usize = 16;

/// The number of a step of an operation.
pub const fn step(operation: u64, round: usize) -> u64 {
    operation << 16 | round as u64
}

/// The head of a message.
pub fn head(team: u64, step: u64) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(&team.to_ne_bytes());
    head[8..].copy_from_slice(&step.to_ne_bytes());
    head
}

/// The messages that have arrived.
#[derive(Debug, Default)]
pub struct Steps(HashMap<Key, Payload>);

/// The bytes of a message, without its head.
#[derive(Debug)]
pub struct StepMessage(Payload);

impl StepMessage {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0[HEAD..]
    }

    /// The words.
    pub fn words(&self) -> impl Iterator<Item = i64> {
        self.bytes().chunks_exact(8).map(|word| i64::from_ne_bytes(word.try_into().expect("eight bytes")))
    }
}

impl Steps {
    /// Keeps a message. Whether it has a head, and is the only one for its key.
    #[must_use]
    pub fn put(&mut self, from: Option<usize>, payload: Payload) -> bool {
        if payload.len() < HEAD {
            return false;
        }
        let [team, step] = payload.words();
        self.0.insert(Key { team, step, from }, payload).is_none()
    }

    /// Takes a message.
    pub fn take(&mut self, key: Key) -> Option<StepMessage> {
        if self.0.is_empty() { None } else { self.0.remove(&key).map(StepMessage) }
    }
}
