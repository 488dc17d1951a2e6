//! The statistics of the statements of all images, if `HCUBE_STATS` is set: statements, bytes and time by
//! kind and path.
//!
//! Idea: the clock is read around each statement, and bytes and path are recorded inside of it. At the end
//! the statistics of all images are added, and image 1 prints them, with advice ([`advice`]). Without
//! statistics, a statement reads one word.
//!
//! Cost: two readings of the clock per statement, and two reductions at the end.

mod advice;
pub mod report;

use crate::failure::{Image, Result};
use crate::statement::kind::Kind;
use crate::team::current;
use advice::Elements;
use hcube_drop_in::figures::Counters;
use hcube_drop_in::output::Output;
use std::cell::{Cell, RefCell};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The path of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// Memory of this node.
    Node,
    /// Another image has performed it, because only that image can access the memory.
    Request,
    /// Messages to or from other nodes.
    Messages,
}

impl Path {
    const ALL: [Self; 3] = [Self::Node, Self::Request, Self::Messages];

    /// The name in statistics.
    const fn name(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Request => "request",
            Self::Messages => "messages",
        }
    }
}

/// The rows, in the same order on all images.
fn labels() -> impl Iterator<Item = (Kind, Path)> {
    Kind::ALL.iter().flat_map(|&kind| Path::ALL.map(|path| (kind, path)))
}

/// The counters of this image.
#[derive(Debug)]
struct Statistics {
    /// In the order of [`labels`].
    rows: Vec<Counters>,
    elements: Elements,
}

static ARE_WANTED: AtomicBool = AtomicBool::new(false);
/// The requested output, and the start time of the program.
static OUTPUT: OnceLock<(Output, Instant)> = OnceLock::new();

thread_local! {
    static STATISTICS: RefCell<Statistics> = RefCell::new(Statistics {
        rows: labels().map(|_| Counters::default()).collect(),
        elements: Elements::default(),
    });
    /// The records of the running statement.
    static BYTES: Cell<usize> = const { Cell::new(0) };
    static PATH: Cell<Option<Path>> = const { Cell::new(None) };
}

/// Reads the requested data.
pub fn begin() {
    if let Some(output) = Output::asked() {
        OUTPUT.get_or_init(|| (output, Instant::now()));
        ARE_WANTED.store(true, Ordering::Relaxed);
    }
}

/// Whether statements are counted.
#[inline(always)]
pub fn are_wanted() -> bool {
    ARE_WANTED.load(Ordering::Relaxed)
}

/// Runs a statement, and counts it. Unless it notes its path, that is the one of the current team.
#[cold]
#[inline(never)]
pub fn count<T>(image: &Image, kind: Kind, work: impl FnOnce(&Image) -> Result<T>) -> Result<T> {
    BYTES.set(0);
    PATH.set(None);
    let team = current();
    let begin = Instant::now();
    let result = work(image);
    let time = begin.elapsed();
    let of_team = || if team.is_on_node(image).unwrap_or(false) { Path::Node } else { Path::Messages };
    let path = PATH.get().unwrap_or_else(of_team);
    STATISTICS.with_borrow(|all| {
        all.rows[kind as usize * Path::ALL.len() + path as usize].count(time, 0, BYTES.get() as u64, 0);
    });
    result
}

/// Notes the bytes that the statement moves or allocates.
#[inline]
pub fn note_bytes(bytes: usize) {
    if are_wanted() {
        BYTES.set(bytes);
    }
}

/// Notes the path of the statement.
#[inline]
pub fn note_path(path: Path) {
    if are_wanted() {
        PATH.set(Some(path));
    }
}

/// Notes that the statement concerns an image: `here` is the path if it is on this node.
#[inline]
pub fn note_image(image: &Image, other: usize, here: Path) {
    if are_wanted() {
        PATH.set(Some(if image.is_on_node(other) { here } else { Path::Messages }));
    }
}

/// Notes an access to elements of a coarray on an image; in memory of the node, unless another path was noted
/// before.
#[inline]
pub fn note_access(access: impl FnOnce() -> Access) {
    if !are_wanted() {
        return;
    }
    let Access { kind, coarray, number, position, count, bytes } = access();
    BYTES.set(bytes);
    PATH.set(PATH.get().or(Some(Path::Node)));
    if count == 1 {
        STATISTICS.with_borrow_mut(|all| all.elements.note(kind, (coarray, number), position));
    }
}

/// An access to elements of a coarray.
#[derive(Debug, Clone, Copy)]
pub struct Access {
    /// A get or a put.
    pub kind: Kind,
    /// The coarray: the address of its token.
    pub coarray: usize,
    /// The image.
    pub number: i32,
    /// Where the first element is: any number that grows by the same amount from one element of a section to
    /// the next.
    pub position: usize,
    /// Elements.
    pub count: usize,
    /// Bytes of all.
    pub bytes: usize,
}
