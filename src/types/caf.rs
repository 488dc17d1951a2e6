//! The types of coarray programs for C.

use crate::sized::Growing;
use hcube_caf::statistics::Statistics;
use std::ffi::c_void;

/// A team: a handle, valid only on the image that received it. 0 stands for the default team: the team of all
/// images, unless hcube_caf_team_push has set another team.
pub type hcube_team = u64;

/// A coarray: memory of the same size on each member of a team. A handle, valid only on the image that
/// received it; never 0.
pub type hcube_coarray = u64;

/// Events: the same number on each member of a team. An event is a counter: a notification increments it, and
/// a wait that returns decrements it. A handle, valid only on the image that received it; never 0.
pub type hcube_events = u64;

/// Locks: the same number on each member of a team. A handle, valid only on the image that received it; never
/// 0.
pub type hcube_locks = u64;

/// An address in a coarray on an image, created by hcube_caf_copointer. It may be sent to other images; all
/// images may use it until the coarray is freed.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hcube_copointer {
    /// Image and address, set by hcube_caf_copointer.
    pub place: u64,
    /// Number of bytes from this address to the end of the coarray.
    pub bytes: u64,
}

/// An event on an image.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hcube_event {
    /// Events of hcube_caf_event_alloc.
    pub events: hcube_events,
    /// Index, from 0.
    pub index: i64,
    /// A rank in the team, or HCUBE_CAF_THIS_IMAGE.
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
    /// Index, from 0.
    pub index: i64,
    /// A rank in the team, or HCUBE_CAF_THIS_IMAGE.
    pub image: i32,
    /// 0; reserved for a later version.
    pub reserved: i32,
}

/// One side of an asynchronous copy: a coarray on an image, a copointer, or memory of this image.
/// Exactly one of coarray, copointer and memory is not 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hcube_place {
    /// A coarray, accessed on the member image of its team; otherwise 0.
    pub coarray: hcube_coarray,
    /// A copointer; otherwise its fields are 0.
    pub copointer: hcube_copointer,
    /// Memory of this image, in use until the copy is locally complete; otherwise NULL.
    pub memory: *mut c_void,
    /// Offset in bytes from the start of the coarray, the copointer or the memory.
    pub offset: u64,
    /// A rank in the team of the coarray, or HCUBE_CAF_THIS_IMAGE.
    pub image: i32,
    /// 0; reserved for a later version.
    pub reserved: i32,
}

/// A function that can be shipped. It may call all functions of this header, except functions marked
/// 'Collective', hcube_caf_team_push and hcube_caf_team_pop. It must not leave by longjmp or an exception.
///
/// image: the image that shipped the function, as a rank in the team of all images.
/// arguments, bytes: a copy of the arguments and its size; aligned to 8 bytes, freed when the function
/// returns.
pub type hcube_caf_function =
    Option<unsafe extern "C-unwind" fn(image: i32, arguments: *const c_void, bytes: u64)>;

/// Compares two elements, as for qsort: negative if the first element is less than the second, positive if it
/// is greater, else 0.
pub type hcube_caf_compare =
    Option<unsafe extern "C-unwind" fn(first: *const c_void, second: *const c_void) -> i32>;

/// Counters of the operations of an image since hcube_caf_init.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hcube_caf_statistics {
    /// sizeof(hcube_caf_statistics), set by the caller. A later version may append fields; no more than
    /// this size is filled.
    pub struct_size: u64,
    /// Number of puts to images on this node, including this image.
    pub node_puts: u64,
    /// Number of gets from images on this node, including this image.
    pub node_gets: u64,
    /// Number of bytes of these puts and gets.
    pub node_bytes: u64,
    /// Number of puts to images on other nodes.
    pub message_puts: u64,
    /// Number of gets from images on other nodes.
    pub message_gets: u64,
    /// Number of bytes of these puts and gets.
    pub message_bytes: u64,
    /// Number of atomic operations.
    pub atomics: u64,
    /// Number of team members whose image had to be looked up.
    pub lookups: u64,
    /// Number of remote reads for these lookups.
    pub link_reads: u64,
    /// Number of coarray addresses that were requested from other images.
    pub address_questions: u64,
    /// Number of functions that this image has shipped.
    pub spawned: u64,
    /// Number of shipped functions that have run on this image.
    pub executed: u64,
    /// Number of reductions for the termination detection of finish blocks.
    pub finish_rounds: u64,
    /// Memory of this image for its teams, in 64-bit words, without cached lookups.
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
