//! Arguments of collective operations: if they are not valid on all members or do not agree, the operation
//! returns an error on all members.
//!
//! Idea: one reduction computes the maximum and the minimum of each argument over the team, and whether the
//! check of any member has failed. No member begins the operation before it has the result, so no member
//! waits for another that has returned an error.
//!
//! A short block of one member can go with its arguments.
//!
//! Cost: a reduction of five words, of seven without boards. Source: our own.

use super::members::Members;
use crate::engine::runtime::Runtime;
use crate::operations::reduction::{BOARD_WORDS, Combination, Reduction};
use crate::state::handles::Handle;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::{Region, bytes_of, bytes_of_mut};

/// Arguments that are the same on all members, by their names.
pub(crate) type Alike = [(&'static str, i64); 2];

/// Added to an argument that is not negative on members that combine blocks only in rank order; see
/// [`Elements`](super::Elements). Members that combine along different trees would wait for ever.
pub(crate) const IN_RANK_ORDER: i64 = 1 << 62;

/// The contribution of a member: whether it has an error, and both bounds of each argument.
const ARGUMENT_WORDS: usize = 5;
/// Words of data after them, which boards do not have.
const CARRIED_WORDS: usize = 2;
/// The same in all operations, because members may call different ones with arguments that are not valid.
const WORDS: usize = ARGUMENT_WORDS + CARRIED_WORDS;
/// The longest block that [`Runtime::agree_and_carry`] carries.
pub(super) const MAX_CARRIED_BYTES: usize = CARRIED_WORDS * size_of::<u64>();
const _: () = assert!(ARGUMENT_WORDS <= BOARD_WORDS);

/// The arguments of a member, and what it waits for.
#[derive(Debug)]
pub(crate) struct Agreement {
    checked: Result<()>,
    names: [&'static str; 2],
    pub reduction: Reduction<WORDS>,
}

impl Agreement {
    /// Begins. `checked`: what this member's own check has found.
    pub fn new(members: Members, checked: Result<()>, alike: Alike) -> Self {
        let refused =
            checked.as_ref().err().map_or(0, |error| i64::from(error.code()) << 32 | members.rank as i64);
        let [first, second] = alike.map(|(_, value)| value);
        // Any carried word is at least as large as the last ones.
        let words = [refused, first, !first, second, !second, i64::MIN, i64::MIN];
        let reduction = Reduction::new(members, words, Combination::Max);
        Self { checked, names: alike.map(|(name, _)| name), reduction }
    }

    /// Whether this member's own check has found an error.
    pub fn has_refused(&self) -> bool {
        self.checked.is_err()
    }

    /// The result from the words of all members.
    ///
    /// # Errors
    /// This member's own error, the error of another member, or the argument that differs.
    pub fn verdict(&self, words: [i64; WORDS]) -> Result<()> {
        self.checked.clone()?;
        let (refused, bounds) = (words[0], &words[1..ARGUMENT_WORDS]);
        if refused != 0 {
            return Err(refusal(refused));
        }
        for (name, bound) in self.names.into_iter().zip(bounds.chunks_exact(2)) {
            let (most, least) = (bound[0], !bound[1]);
            let order = |bound: i64| i64::from(bound & IN_RANK_ORDER != 0);
            if order(most) != order(least) && least >= 0 {
                let (least, most) = (order(least), order(most));
                return Err(Error::Mismatch { name: "whether the order of elements matters", least, most });
            }
            if most != least {
                let value = |bound: i64| if bound >= 0 { bound & !IN_RANK_ORDER } else { bound };
                return Err(Error::Mismatch { name, least: value(least), most: value(most) });
            }
        }
        Ok(())
    }
}

/// The error that follows from the first word of a member that has refused.
pub(crate) fn refusal(word: i64) -> Error {
    let rank = (word & i64::from(u32::MAX)) as usize;
    Error::Remote { rank, code: (word >> 32) as i32, message: "its arguments are not valid".into() }
}

impl<C: Comm> Runtime<C> {
    /// Collective over the team: begins an operation when the arguments of all members are valid.
    pub(crate) fn agree(
        &self,
        team: Handle,
        check: impl FnOnce(&Members) -> Result<()>,
        alike: Alike,
    ) -> Result<Members> {
        self.agree_with(team, check, alike, Region::of(&mut []))
    }

    /// As [`Self::agree`]; on the boards of a team that has them, these bytes are published with the
    /// arguments.
    pub(crate) fn agree_with(
        &self,
        team: Handle,
        check: impl FnOnce(&Members) -> Result<()>,
        alike: Alike,
        bytes: Region<'_>,
    ) -> Result<Members> {
        let members = self.with(|image| image.begin(team))?;
        let checked = check(&members);
        let mut agreement = Agreement::new(members, checked, alike);
        let words = self.exchange(team, &mut agreement, bytes)?;
        agreement.verdict(words)?;
        Ok(agreement.reduction.into_members())
    }

    /// As [`Self::agree`], in a team without boards: the short `bytes` of one member, its source, on all
    /// members. They go with the arguments, so they cost no message.
    pub(super) fn agree_and_carry(
        &self,
        team: Handle,
        check: impl FnOnce(&Members) -> Result<()>,
        alike: Alike,
        (bytes, is_source): (Region<'_>, bool),
    ) -> Result<()> {
        let members = self.with(|image| image.begin(team))?;
        let checked = check(&members);
        let mut agreement = Agreement::new(members, checked, alike);
        if is_source {
            let mut carried = [0; CARRIED_WORDS];
            bytes.read(&mut bytes_of_mut(&mut carried)[..bytes.len()]);
            agreement.reduction.own_words()[ARGUMENT_WORDS..].copy_from_slice(&carried);
        }
        let words = self.exchange(team, &mut agreement, Region::of(&mut []))?;
        agreement.verdict(words)?;
        if !is_source {
            bytes.write(&bytes_of(&words[ARGUMENT_WORDS..])[..bytes.len()]);
        }
        Ok(())
    }

    /// The words of all members.
    fn exchange(&self, team: Handle, agreement: &mut Agreement, bytes: Region<'_>) -> Result<[i64; WORDS]> {
        self.with(|image| image.use_slots(team, &mut agreement.reduction, bytes))?;
        self.wait_for_reduction(&mut agreement.reduction)
    }

    /// Collective over the team: takes part in any operation, except a nonblocking one, with invalid
    /// arguments of this member: an error on all members. Returns this member's error.
    pub fn refuse(&self, team: Handle, error: Error) -> Error {
        let agreed = self.agree(team, |_| Err(error.clone()), [("", 0); 2]);
        agreed.err().unwrap_or(error)
    }
}

/// Bytes as an argument that is the same on all members, with their order.
pub(crate) fn ordered(bytes: usize, elements: super::Elements) -> i64 {
    bytes as i64 | if elements.commute { 0 } else { IN_RANK_ORDER }
}

/// An error if no member has a rank.
pub(crate) fn check_rank(name: &'static str, rank: usize, members: &Members) -> Result<()> {
    if rank < members.size {
        return Ok(());
    }
    Err(Error::argument(name, rank, format!("0 to {}, the members of the team", members.size - 1)))
}

/// An error where a region is not as long as some blocks.
pub(crate) fn check_bytes(name: &'static str, region: Region<'_>, block: usize, blocks: usize) -> Result<()> {
    if block.checked_mul(blocks) == Some(region.len()) {
        return Ok(());
    }
    let given = format!("{} bytes", region.len());
    Err(Error::argument(name, given, format!("{blocks} blocks of {block} bytes")))
}
