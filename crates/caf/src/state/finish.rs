//! The counters of an image for its finish blocks: functions that were shipped and have not been executed,
//! for each reduction.
//!
//! Idea: see [`crate::operations::finish`]. Functions that an image ships or executes after it has
//! contributed to a reduction, or that descend from a function shipped by such an image, are counted in the
//! next reduction: so every function is counted as shipped and as executed in the same reduction.

use crate::state::handles::Handle;
use crate::state::team::Team;

/// A block, the same on all members of its team.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Scope(u64);

/// Bits of a number of a block in its team, which is not 0; numbers come again after as many blocks.
const NUMBER_BITS: u32 = 16;
const NUMBERS: u64 = (1 << NUMBER_BITS) - 1;

/// The identity of a team in as many bits as a block has for it: 24 of its first image, and of its number
/// there.
const fn short(team: u64) -> u64 {
    (team >> 32) << 24 | team & ((1 << 24) - 1)
}

impl Scope {
    /// The block that is always open: the whole program.
    pub const PROGRAM: Self = Self(0);

    pub const fn of(word: u64) -> Self {
        Self(word)
    }

    pub const fn word(self) -> u64 {
        self.0
    }

    /// The block of a team that was begun by this operation.
    pub fn new(team: u64, operation: u64) -> Self {
        Self(short(team) << NUMBER_BITS | (operation % NUMBERS + 1))
    }

    /// Whether all members of a team are members of the block's.
    #[inline]
    pub fn covers(self, team: &Team) -> bool {
        let own = self.0 >> NUMBER_BITS;
        team.lineage().any(|team| own == short(team))
    }
}

/// In which reduction something counts: its number modulo 4. Images are at most one reduction apart, and what
/// is shipped counts at most one further on, so an image sees numbers from one before its own to two after
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
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

    /// By how many reductions it is after one from which it is at most [`MOST_AHEAD`] away; 0 if it is before
    /// that.
    const fn ahead_of(self, other: Self) -> u8 {
        let ahead = (self.0 + LABELS - other.0) % LABELS;
        if ahead > MOST_AHEAD { 0 } else { ahead }
    }
}

/// The number of reductions by which a label may be ahead of an image.
const MOST_AHEAD: u8 = 2;

/// The counters of an image for a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
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

    /// The program begins a block of a team.
    pub fn begin(&mut self, team: Handle, scope: Scope) {
        self.open.push((team, scope));
        self.running = Running { scope, label: None };
    }

    /// The innermost block that the program is in, and its team.
    pub fn innermost(&self) -> Option<(Handle, Scope)> {
        self.open.last().copied()
    }

    /// The innermost block has ended.
    pub fn end(&mut self) {
        if let Some((_, ended)) = self.open.pop() {
            self.counts.retain(|counts| counts.scope != ended);
        }
        let scope = self.open.last().map_or(Scope::PROGRAM, |&(_, scope)| scope);
        self.running = Running { scope, label: None };
    }

    /// Gives the number of a block for the reduction that comes next.
    pub fn give(&mut self, scope: Scope) -> i64 {
        self.counts(scope).give()
    }

    /// That reduction has ended. If more is open, it counts in the next one.
    pub fn end_reduction(&mut self, scope: Scope) {
        self.counts(scope).end_reduction();
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

    /// The function that is running, for [`Self::resume`].
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

#[cfg(any(hcube_model, test))]
mod job;
#[cfg(hcube_model)]
pub mod model;
#[cfg(test)]
mod tests;
