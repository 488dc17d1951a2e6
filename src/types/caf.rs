//! The types of coarray programs for C.

use crate::sized::Growing;
use hcube_caf::statistics::Statistics;
use std::ffi::c_void;

/// A team: a handle, valid on the image that got it. 0 stands for the default team, which is that of all
/// images unless hcube_caf_team_push has named another one.
pub type hcube_team = u64;

/// A coarray: memory of the same size on each member of a team. A handle, valid on the image that got
/// it; never 0.
pub type hcube_coarray = u64;

/// Events: the same number on each member of a team. An event is a counter, which notices raise and
/// waits lower. A handle, valid on the image that got it; never 0.
pub type hcube_events = u64;

/// Locks: the same number on each member of a team. A handle, valid on the image that got it; never 0.
pub type hcube_locks = u64;

/// A place in a coarray on an image, which may be sent to other images: all of them may use it until
/// the coarray is freed. hcube_caf_copointer makes one.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hcube_copointer {
    /// The place: image and address, as hcube_caf_copointer has set them.
    pub place: u64,
    /// Number of bytes from there to the end of the coarray.
    pub bytes: u64,
}

/// An event on an image.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hcube_event {
    /// Events of hcube_caf_event_alloc.
    pub events: hcube_events,
    /// Which of them, from 0.
    pub index: i64,
    /// A rank in their team, or HCUBE_CAF_THIS_IMAGE.
    pub image: i32,
    /// 0; reserved for a later version.
    pub reserved: i32,
}

/// A lock on an image.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hcube_lock {
    /// Locks of hcube_caf_lock_alloc.
    pub locks: hcube_locks,
    /// Which of them, from 0.
    pub index: i64,
    /// A rank in their team, or HCUBE_CAF_THIS_IMAGE.
    pub image: i32,
    /// 0; reserved for a later version.
    pub reserved: i32,
}

/// One side of an asynchronous copy: a coarray on an image, a copointer, or memory of this image.
/// Exactly one of coarray, copointer and memory is not 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hcube_place {
    /// A coarray, on the member image of its team; 0 if the place is not in a coarray.
    pub coarray: hcube_coarray,
    /// A copointer; its members are 0 if the place is not that of a copointer.
    pub copointer: hcube_copointer,
    /// Memory of this image, until the copy is locally complete; NULL if the place is not in it.
    pub memory: *mut c_void,
    /// Bytes from the beginning of the coarray, the copointer or the memory.
    pub offset: u64,
    /// A rank in the team of the coarray, or HCUBE_CAF_THIS_IMAGE.
    pub image: i32,
    /// 0; reserved for a later version.
    pub reserved: i32,
}

/// A function that can be shipped. It may call all functions of this header but those marked
/// 'Collective', hcube_caf_team_push and hcube_caf_team_pop, and must not leave by longjmp or an
/// exception.
///
/// image: the image that has shipped it, a rank in the team of all images.
/// arguments, bytes: a copy of the arguments, aligned to 8 bytes, which is freed when the function
/// returns.
pub type hcube_caf_function =
    Option<unsafe extern "C-unwind" fn(image: i32, arguments: *const c_void, bytes: u64)>;

/// Compares two elements, as for qsort: below 0 if the first one comes before the second one, above 0
/// if it comes after it, else 0.
pub type hcube_caf_compare =
    Option<unsafe extern "C-unwind" fn(first: *const c_void, second: *const c_void) -> i32>;

/// What an image has done so far.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hcube_caf_statistics {
    /// sizeof(hcube_caf_statistics), set by the caller. A later version may append fields; no more than
    /// this size is filled.
    pub struct_size: u64,
    /// Number of puts to images of this node, this one included.
    pub node_puts: u64,
    /// Number of gets from images of this node, this one included.
    pub node_gets: u64,
    /// Number of bytes that both have moved.
    pub node_bytes: u64,
    /// Number of puts to images of other nodes.
    pub message_puts: u64,
    /// Number of gets from images of other nodes.
    pub message_gets: u64,
    /// Number of bytes that both have moved.
    pub message_bytes: u64,
    /// Number of atomic operations.
    pub atomics: u64,
    /// Number of members of teams that had to be looked up.
    pub lookups: u64,
    /// Number of links that were read on other images for them.
    pub link_reads: u64,
    /// Number of addresses of coarrays that other images were asked for.
    pub address_questions: u64,
    /// Number of functions that this image has shipped.
    pub spawned: u64,
    /// Number of shipped functions that have run on this image.
    pub executed: u64,
    /// Number of reductions by which finish blocks have found that all functions had ended.
    pub finish_rounds: u64,
    /// Number of 64-bit words that this image keeps for its teams, without members that were looked up.
    pub team_words: u64,
}

impl hcube_caf_statistics {
    pub(crate) fn from_statistics(statistics: &Statistics) -> Self {
        let Statistics { access, .. } = *statistics;
        Self {
            struct_size: size_of::<Self>() as u64,
            node_puts: access.local_puts,
            node_gets: access.local_gets,
            node_bytes: access.local_bytes,
            message_puts: access.remote_puts,
            message_gets: access.remote_gets,
            message_bytes: access.remote_bytes,
            atomics: access.atomics,
            lookups: statistics.lookups,
            link_reads: statistics.link_reads,
            address_questions: statistics.address_questions,
            spawned: statistics.spawned,
            executed: statistics.executed,
            finish_rounds: statistics.finish_rounds,
            team_words: statistics.team_words,
        }
    }
}

// SAFETY: numbers, the size first; without padding, as test `abi` checks.
unsafe impl Growing for hcube_caf_statistics {
    const NAME: &'static str = "statistics.struct_size";
    const FILLED_BY: &'static str = "sizeof *statistics, set by the caller";
}
