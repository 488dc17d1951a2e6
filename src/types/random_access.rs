//! The types of RandomAccess for C.

use super::options_of_a_table;
use crate::sized::Growing;
use hcube_random_access::Statistics;

/// The part of this rank of a table of 64-bit words that is distributed over all ranks of a
/// communicator.
///
/// HPCC's distribution: contiguous blocks in rank order; if the number of ranks P does not divide
/// global_length, the first global_length mod P ranks have one word more than the others. A rank without
/// words has local_length 0 and may pass NULL for words.
#[repr(C)]
pub struct hcube_table {
    /// The words of this rank, aligned to 8 bytes. Owned by the caller; hcube accesses them only
    /// during the call.
    pub words: *mut u64,
    /// Number of words of this rank.
    pub local_length: i64,
    /// Number of words of all ranks: a power of two from 1 to 2^60.
    pub global_length: i64,
    /// Global index of the first word of this rank.
    pub first_index: i64,
}

/// The updates of this rank. Update i (from 0) replaces the word that value i of the stream selects
/// by its exclusive or with that value. Value i is the state of the generator after start + i + 1
/// steps from state 1.
#[repr(C)]
pub struct hcube_updates {
    /// Generator of the values, HCUBE_STREAM_*; the same on all ranks.
    pub stream: i32,
    /// Number of steps before the first value of this rank, 0 or more. In HPCC: 4 * first_index.
    pub start: i64,
    /// Number of updates of this rank, 0 or more; may differ between ranks. In HPCC: 4 *
    /// local_length.
    pub count: i64,
}

/// Options of a run; the same on all ranks. Call hcube_random_access_default_options first, then
/// change fields. A later version may append fields: struct_size is the size in the header of the
/// caller, and fields beyond it have their defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hcube_random_access_options {
    /// sizeof(hcube_random_access_options) in the program of the caller.
    pub struct_size: u64,
    /// [`hcube_random_access::Options::look_ahead`]
    pub look_ahead: i64,
    /// [`hcube_random_access::Options::mode`]
    pub mode: i32,
    /// [`hcube_random_access::Options::dimensions`]
    pub dimensions: i32,
    /// [`hcube_random_access::Options::relaxed`]
    pub relaxed: i32,
    /// [`hcube_random_access::Options::optimisations`]
    pub optimisations: u32,
    /// [`hcube_random_access::Options::huge_pages`]
    pub huge_pages: i32,
    /// [`hcube_random_access::Options::ranks_per_node`]
    pub ranks_per_node: i32,
}

options_of_a_table!(
    hcube_random_access_options,
    hcube_random_access::Options,
    [look_ahead, mode, dimensions, relaxed, optimisations, huge_pages, ranks_per_node]
);

/// Statistics of the last run of a rank. Times are in seconds; the times for generating, routing, waiting and
/// updating are estimated from a sample of the rounds.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hcube_random_access_statistics {
    /// sizeof(hcube_random_access_statistics), set by the caller. A later version may append fields;
    /// no more than this size is filled.
    pub struct_size: u64,
    /// Number of values that this rank generated.
    pub generated: u64,
    /// Number of values that this rank applied.
    pub applied: u64,
    /// Number of messages that this rank sent.
    pub messages: u64,
    /// Number of bytes that this rank sent in messages.
    pub message_bytes: u64,
    /// Number of bytes that this rank passed to other ranks through shared memory.
    pub shared_bytes: u64,
    /// Number of stages of the plan of this rank.
    pub stages: u64,
    /// Number of rounds; on one node, which has no rounds, the number of filled slots.
    pub rounds: u64,
    /// Number of values beyond Q that this rank held while routing, summed over all rounds.
    pub excess: u64,
    /// Maximum number of values that this rank held at a time while routing.
    pub most_held: u64,
    /// Bound on the number of values generated and not yet applied: Q if strict, 3 Q if relaxed.
    pub open_bound: u64,
    /// Number of 2 MiB pages of the table in this run.
    pub huge_pages: u64,
    /// Number of bytes of buffers and mailboxes that hcube allocated in addition to the table.
    pub memory_bytes: u64,
    /// Time of the whole run.
    pub total_seconds: f64,
    /// Time to move the table to 2 MiB pages.
    pub paging_seconds: f64,
    /// Time to generate values.
    pub generate_seconds: f64,
    /// Time to sort values by destination and copy them.
    pub route_seconds: f64,
    /// Time waiting for other ranks.
    pub wait_seconds: f64,
    /// Time to apply values.
    pub update_seconds: f64,
}

impl hcube_random_access_statistics {
    pub(crate) fn from_statistics(statistics: &Statistics) -> Self {
        Self {
            struct_size: size_of::<Self>() as u64,
            generated: statistics.generated,
            applied: statistics.applied,
            messages: statistics.messages,
            message_bytes: statistics.message_bytes,
            shared_bytes: statistics.shared_bytes,
            stages: statistics.stages,
            rounds: statistics.rounds,
            excess: statistics.excess,
            most_held: statistics.most_held,
            open_bound: statistics.open_bound,
            huge_pages: statistics.huge_pages,
            memory_bytes: statistics.memory,
            total_seconds: statistics.total,
            paging_seconds: statistics.paging,
            generate_seconds: statistics.generate,
            route_seconds: statistics.route,
            wait_seconds: statistics.wait,
            update_seconds: statistics.update,
        }
    }
}

// SAFETY: numbers, the size first; without padding, as test `abi` checks.
unsafe impl Growing for hcube_random_access_options {
    const NAME: &'static str = "options.struct_size";
    const FILLED_BY: &'static str = "call hcube_random_access_default_options first";
}

// SAFETY: numbers, the size first; without padding, as test `abi` checks.
unsafe impl Growing for hcube_random_access_statistics {
    const NAME: &'static str = "statistics.struct_size";
    const FILLED_BY: &'static str = "sizeof *statistics, set by the caller";
}
