//! Finish blocks: all functions that were shipped in a block have ended when it ends, also those that they have shipped.
//!
//! Idea: every image counts, for each block, the functions that it has shipped and those that it has run. At the end of the
//! block it waits until all that it has sent was taken, and then the members add up what was shipped and has not run; if
//! nothing is left, the block has ended. What an image ships or runs after it has given its numbers, or because of something
//! that was shipped by an image that had given its own, counts in the next reduction: so every function is shipped and run
//! in the same one.
//!
//! Restrictions: begins and ends are collective in the team and nested. What is shipped in a block goes to members of its
//! team, through that team or one that was split from it.
//! Cost: at most L + 1 reductions, where L is the length of the longest chain of functions that ship each other: each reduction
//! covers at least one further link of all chains. Source: Yang, Murthy, Mellor-Crummey 2013, "Managing asynchronous
//! operations in Coarray Fortran 2.0".

use crate::handles::Handle;
use crate::image::Image;
use crate::reduction::Combination;
use crate::runtime::Runtime;
use crate::team::Team;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};

/// A block, the same on all members of its team.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Scope(u64);

/// Bits of a number of a block in its team, which is not 0; numbers come again after as many blocks.
const NUMBER_BITS: u32 = 16;
const NUMBERS: u64 = (1 << NUMBER_BITS) - 1;

/// The identity of a team in as many bits as a block has for it: 24 of its first image, and of its number there.
const fn short(team: u64) -> u64 {
    (team >> 32) << 24 | team & ((1 << 24) - 1)
}

impl Scope {
    /// The block that is always open: that of the whole program.
    pub const PROGRAM: Self = Self(0);

    pub const fn of(word: u64) -> Self {
        Self(word)
    }

    pub const fn word(self) -> u64 {
        self.0
    }

    /// The block of a team that was begun by this operation.
    fn new(team: u64, operation: u64) -> Self {
        Self(short(team) << NUMBER_BITS | (operation % NUMBERS + 1))
    }

    /// Whether all members of a team are members of the block's.
    #[inline]
    pub fn covers(self, team: &Team) -> bool {
        let own = self.0 >> NUMBER_BITS;
        own == short(team.id) || team.ancestors.iter().any(|&ancestor| own == short(ancestor))
    }
}

/// In which reduction something counts: its number modulo 4. Images are at most one reduction apart, and what is shipped
/// counts at most one further on, so an image sees numbers from one before its own to two after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Label(u8);

/// Bits of a label.
pub(crate) const LABEL_BITS: u32 = 2;
const LABELS: u8 = 1 << LABEL_BITS;

impl Label {
    pub const fn of(bits: u64) -> Self {
        Self(bits as u8 % LABELS)
    }

    pub const fn bits(self) -> u64 {
        self.0 as u64
    }

    const fn after(self, reductions: u8) -> Self {
        Self((self.0 + reductions) % LABELS)
    }

    /// By how many reductions it is after one from which it is at most [`MOST_AHEAD`] away; 0 where it is before that.
    const fn ahead_of(self, other: Self) -> u8 {
        let ahead = (self.0 + LABELS - other.0) % LABELS;
        if ahead > MOST_AHEAD { 0 } else { ahead }
    }
}

/// By how many reductions a label may be after that of an image.
const MOST_AHEAD: u8 = 2;

/// What an image counts for a block.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    scope: Scope,
    /// The reduction that comes next.
    label: Label,
    /// Whether this image has given its numbers for it.
    has_given: bool,
    /// Functions that were shipped less those that have run, in that reduction and in those after it.
    open: [i64; MOST_AHEAD as usize + 1],
}

impl Counts {
    /// In which reduction something counts that happens now because of something with a label.
    fn label_for(&self, cause: Label) -> Label {
        self.label.after(cause.ahead_of(self.label).max(u8::from(self.has_given)))
    }

    fn add(&mut self, label: Label, amount: i64) {
        self.open[usize::from(label.ahead_of(self.label))] += amount;
    }

    /// Gives the number for the reduction that comes next.
    fn give(&mut self) -> i64 {
        self.has_given = true;
        self.open[0]
    }

    /// That reduction has ended. If more is open, it counts in the next one.
    fn end_reduction(&mut self) {
        let [this, next, last] = self.open;
        *self = Self { label: self.label.after(1), has_given: false, open: [this + next, last, 0], ..*self };
    }
}

/// The function that is running, or the program itself: the block and the label that what it ships has.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Running {
    scope: Scope,
    label: Option<Label>,
}

/// The blocks of an image.
#[derive(Debug, Default)]
pub(crate) struct Finishes {
    counts: Vec<Counts>,
    /// Blocks that the program is in, the innermost last.
    open: Vec<(Handle, Scope)>,
    running: Running,
}

impl Finishes {
    /// Whether the program is in a block.
    pub fn is_inside(&self) -> bool {
        !self.open.is_empty()
    }

    /// Whether the program is in a block of a team.
    pub fn is_inside_block_of(&self, team: Handle) -> bool {
        self.open.iter().any(|&(of, _)| of == team)
    }

    #[inline]
    fn counts(&mut self, scope: Scope) -> &mut Counts {
        let index = match self.counts.iter().position(|counts| counts.scope == scope) {
            Some(index) => index,
            None => {
                self.counts.push(Counts { scope, ..Counts::default() });
                self.counts.len() - 1
            }
        };
        &mut self.counts[index]
    }

    /// The block of what is shipped now.
    #[inline]
    pub fn scope(&self) -> Scope {
        self.running.scope
    }

    /// Counts a function that is shipped now: its block and label.
    #[inline]
    pub fn ship(&mut self) -> (Scope, Label) {
        let Running { scope, label } = self.running;
        let counts = self.counts(scope);
        let label = counts.label_for(label.unwrap_or(counts.label));
        counts.add(label, 1);
        (scope, label)
    }

    /// What is running, for [`Self::resume`].
    #[inline]
    pub fn running(&self) -> Running {
        self.running
    }

    /// A function begins to run.
    #[inline]
    pub fn enter(&mut self, scope: Scope, label: Label) {
        let label = self.counts(scope).label_for(label);
        self.running = Running { scope, label: Some(label) };
    }

    /// Functions of the block and the label that are running have returned.
    #[inline]
    pub fn have_run(&mut self, functions: i64) {
        let Running { scope, label } = self.running;
        if let Some(label) = label {
            self.counts(scope).add(label, -functions);
        }
    }

    /// Goes on with what was running before.
    #[inline]
    pub fn resume(&mut self, before: Running) {
        self.running = before;
    }
}

impl<C: Comm> Image<C> {
    /// Whether nothing of a block goes on here, as far as this image knows.
    fn is_quiet(&self, scope: Scope) -> bool {
        self.operations.are_over(scope) && self.memory.is_delivered() && !self.shipped.is_ready()
    }
}

impl<C: Comm> Runtime<C> {
    /// Collective over the team: begins a block. Does not wait.
    ///
    /// # Errors
    /// For a team that was freed, and in a shipped function.
    pub fn begin_finish(&self, team: Handle) -> Result<()> {
        self.with(|image| {
            refuse_inside(image.depth, "is collective")?;
            let members = image.teams.get_mut(team)?;
            let scope = Scope::new(members.id, members.next_operation());
            image.finishes.open.push((team, scope));
            image.finishes.running = Running { scope, label: None };
            Ok(())
        })
    }

    /// Collective over the team of the innermost block: returns when all functions that members have shipped in it have ended,
    /// with those that these have shipped. The number of reductions.
    ///
    /// # Errors
    /// Outside of a block, in a shipped function; on all members, where one of them has not registered a function that was
    /// shipped to it: the block stays open, and may be ended when it has; where an image has failed or stopped.
    pub fn end_finish(&self) -> Result<usize> {
        let (team, scope) = self.with(|image| {
            refuse_inside(image.depth, "is collective")?;
            let open = image.finishes.open.last().copied();
            open.ok_or_else(|| {
                Error::Usage("no finish block has begun: expected hcube_caf_finish_begin before".into())
            })
        })?;
        let rounds = self.terminate(team, scope)?;
        self.with(|image| {
            let finishes = &mut image.finishes;
            finishes.open.pop();
            finishes.counts.retain(|counts| counts.scope != scope);
            let scope = finishes.open.last().map_or(Scope::PROGRAM, |&(_, scope)| scope);
            finishes.running = Running { scope, label: None };
            image.operations.check().map(|()| rounds)
        })
    }

    /// Reductions until all functions of a block have ended: their number.
    pub(crate) fn terminate(&self, team: Handle, scope: Scope) -> Result<usize> {
        for rounds in 1.. {
            self.wait(|image| Ok(image.is_quiet(scope).then_some(())))?;
            let open = self.with(|image| {
                image.statistics.finish_rounds += 1;
                Ok(image.finishes.counts(scope).give())
            })?;
            let unregistered = self.image.borrow().shipped.unregistered(scope);
            let words = [open, i64::from(unregistered.is_some())];
            let [all, missing] = self.combine(team, words, Combination::Sum)?;
            self.with(|image| {
                image.finishes.counts(scope).end_reduction();
                Ok(())
            })?;
            if missing != 0 {
                return Err(self.not_registered(team, unregistered)?);
            }
            if all == 0 {
                return Ok(rounds);
            }
        }
        unreachable!("chains of functions end")
    }

    /// Collective over the team, where a member was shipped a function that it has not registered: the error, which names one
    /// such image and function on all members. `own`: what was shipped to this one, and by whom.
    fn not_registered(&self, team: Handle, own: Option<(usize, usize)>) -> Result<Error> {
        let word = own.map_or(-1, |(function, _)| (self.own() as i64) << 32 | function as i64);
        let [most] = self.combine(team, [word], Combination::Max)?;
        let text = match own {
            Some((function, from)) => {
                format!("image {from} has shipped function {function}, which is not registered here")
            }
            None => format!(
                "function {} was shipped to image {}, where it is not registered",
                most & i64::from(u32::MAX),
                most >> 32
            ),
        };
        Ok(Error::Usage(text + ": expected the same functions in the same order on all images"))
    }
}

/// An error in a shipped function: what belongs to the program, not to what others have shipped.
pub(crate) fn refuse_inside(depth: usize, what: &str) -> Result<()> {
    if depth == 0 {
        return Ok(());
    }
    Err(Error::Usage(format!("called in a shipped function, where nothing {what}")))
}

#[cfg(test)]
mod tests;
