//! Arguments of collective operations: if they are not valid on all members or do not agree, the operation
//! returns an error on all members.
//!
//! Idea: one reduction computes the maximum and the minimum of each argument over the team, and whether the
//! check of any member has failed. No member begins the operation before it has the result, so no member
//! waits for another that has returned an error.
//!
//! Cost: a reduction of five words. Source: our own.

use super::members::Members;
use crate::engine::runtime::Runtime;
use crate::operations::reduction::{Combination, Reduction};
use crate::state::handles::Handle;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;

/// Arguments that are the same on all members, by their names.
pub(crate) type Alike = [(&'static str, i64); 2];

/// The contribution of a member: whether it has an error, and both bounds of each argument.
const WORDS: usize = 5;

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
        let words = [refused, first, !first, second, !second];
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
        let [refused, bounds @ ..] = words;
        if refused != 0 {
            return Err(refusal(refused));
        }
        for (name, bound) in self.names.into_iter().zip(bounds.chunks_exact(2)) {
            let (most, least) = (bound[0], !bound[1]);
            if most != least {
                return Err(Error::Mismatch { name, least, most });
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
        self.with(|image| image.use_slots(team, &mut agreement.reduction, bytes))?;
        let words = self.wait(|image| image.advance_reduction(&mut agreement.reduction))?;
        agreement.verdict(words)?;
        Ok(agreement.reduction.into_members())
    }

    /// Collective over the team: takes part in any operation, except a nonblocking one, with invalid
    /// arguments of this member: an error on all members. Returns this member's error.
    pub fn refuse(&self, team: Handle, error: Error) -> Error {
        let agreed = self.agree(team, |_| Err(error.clone()), [("", 0); 2]);
        agreed.err().unwrap_or(error)
    }
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
