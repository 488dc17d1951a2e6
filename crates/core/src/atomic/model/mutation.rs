//! Mutations: one access of the source is weakened or left out, and a model must notice.
//!
//! Every access of a model belongs to a site, the place in the source with the kind of step. A mutation
//! changes one site in all executions: an ordering becomes weaker, or a store or an addition does not happen.
//! A model that still passes does not need what the source says: either the source asks for too much, or the
//! model does not test it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fmt;
use std::panic::Location;
use std::sync::atomic::Ordering;

/// What happens at a site, with its ordering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A load.
    Load(Ordering),
    /// A store.
    Store(Ordering),
    /// A load and a store as one, or the success of a comparison.
    Update(Ordering),
    /// An addition, or another change that depends on the value only.
    Change(Ordering),
    /// A comparison that fails.
    Failure(Ordering),
    /// A fence.
    Fence(Ordering),
}

/// An access of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Site {
    file: &'static str,
    line: u32,
    column: u32,
    step: Step,
}

/// A change of one site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mutation {
    site: Site,
    change: Change,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Weaker(Ordering),
    LeftOut,
}

thread_local! {
    static MUTATION: Cell<Option<Mutation>> = const { Cell::new(None) };
    static SITES: RefCell<Vec<Site>> = const { RefCell::new(Vec::new()) };
    static SEEN: RefCell<BTreeSet<(&'static str, u32, u32, u8)>> = const { RefCell::new(BTreeSet::new()) };
}

/// Runs something with a mutation; returns the sites that it has visited as well.
pub fn with<T>(mutation: Option<Mutation>, run: impl FnOnce() -> T) -> (T, Vec<Site>) {
    MUTATION.set(mutation);
    let result = run();
    MUTATION.set(None);
    SEEN.take();
    (result, SITES.take())
}

impl Step {
    fn ordering(self) -> Ordering {
        match self {
            Self::Load(order) | Self::Store(order) | Self::Update(order) | Self::Failure(order) => order,
            Self::Change(order) | Self::Fence(order) => order,
        }
    }

    fn number(self) -> u8 {
        match self {
            Self::Load(_) => 0,
            Self::Store(_) => 1,
            Self::Update(_) => 2,
            Self::Failure(_) => 3,
            Self::Fence(_) => 4,
            Self::Change(_) => 5,
        }
    }

    /// The next weaker orderings.
    fn weaker(self) -> &'static [Ordering] {
        match (self, self.ordering()) {
            (_, Ordering::Acquire | Ordering::Release) => &[Ordering::Relaxed],
            (_, Ordering::AcqRel) => &[Ordering::Acquire, Ordering::Release],
            (Self::Load(_) | Self::Failure(_), Ordering::SeqCst) => &[Ordering::Acquire],
            (Self::Store(_), Ordering::SeqCst) => &[Ordering::Release],
            (Self::Update(_) | Self::Change(_), Ordering::SeqCst) => &[Ordering::AcqRel],
            (Self::Fence(_), Ordering::SeqCst) => &[Ordering::Relaxed],
            _ => &[],
        }
    }
}

impl Site {
    pub(super) fn of(location: &'static Location<'static>, step: Step) -> Self {
        let site = Self { file: location.file(), line: location.line(), column: location.column(), step };
        if super::current::is_running() {
            let key = (site.file, site.line, site.column, step.number());
            if SEEN.with_borrow_mut(|seen| seen.insert(key)) {
                SITES.with_borrow_mut(|sites| sites.push(site));
            }
        }
        site
    }

    /// The source that it is in.
    pub fn file(self) -> &'static str {
        self.file
    }

    fn change(self) -> Option<Change> {
        let mutation = MUTATION.get().filter(|_| super::current::is_running())?;
        (mutation.site == self).then_some(mutation.change)
    }

    /// The ordering of this access.
    pub(super) fn ordering(self, order: Ordering) -> Ordering {
        match self.change() {
            Some(Change::Weaker(weaker)) => weaker,
            _ => order,
        }
    }

    /// Whether this access does not happen.
    pub(super) fn is_left_out(self) -> bool {
        self.change() == Some(Change::LeftOut)
    }

    /// All changes of this site.
    pub fn mutations(self) -> Vec<Mutation> {
        let mut changes: Vec<Change> =
            self.step.weaker().iter().map(|&order| Change::Weaker(order)).collect();
        if matches!(self.step, Step::Store(_) | Step::Change(_)) {
            changes.push(Change::LeftOut);
        }
        changes.into_iter().map(|change| Mutation { site: self, change }).collect()
    }
}

impl Mutation {
    /// Whether a model that has visited these sites can notice it.
    pub fn is_at(&self, sites: &[Site]) -> bool {
        sites.contains(&self.site)
    }

    /// File and line of its site.
    pub fn place(&self) -> (&'static str, u32) {
        (self.site.file, self.site.line)
    }
}

impl fmt::Display for Mutation {
    fn fmt(&self, output: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.site.step {
            Step::Load(_) => "load",
            Step::Store(_) => "store",
            Step::Update(_) => "update",
            Step::Failure(_) => "failed comparison",
            Step::Fence(_) => "fence",
            Step::Change(_) => "change",
        };
        match self.change {
            Change::Weaker(order) => write!(output, "{kind} {:?} as {order:?}", self.site.step.ordering()),
            Change::LeftOut => write!(output, "{kind} left out"),
        }
    }
}
