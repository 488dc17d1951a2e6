//! The types of the C interface.

use crate::sized;
use hcube_alltoall::{Path, Schedule};
use hcube_core::error::{Error, Result};
use hcube_random_access::Statistics;
use hcube_random_access::options::{Mode, Optimisations, Options};
use hcube_transpose::{Layout, Shape};

/// Where a function puts what went wrong. Owned by the caller, who need not initialise it; pass
/// NULL where only the code matters.
#[repr(C)]
pub struct hcube_error {
    /// The HCUBE_* code that the function also returns.
    pub code: i32,
    /// One sentence that names argument and value, terminated by a zero byte; empty on success.
    pub message: [std::ffi::c_char; 508],
}

impl hcube_error {
    pub(crate) fn set(&mut self, code: i32, text: &str) {
        self.code = code;
        self.message.fill(0);
        let room = self.message.len() - 1;
        for (to, from) in self.message[..room].iter_mut().zip(text.bytes()) {
            *to = from as std::ffi::c_char;
        }
    }
}

/// hcube_updates.stream: multiplication by x modulo x^64 + x^2 + x + 1 over GF(2); a value updates
/// the word given by its low bits.
pub const HCUBE_STREAM_POLYNOMIAL: i32 = 0;
/// hcube_updates.stream: Knuth's 64-bit linear congruential generator; a value updates the word
/// given by its high bits.
pub const HCUBE_STREAM_LCG: i32 = 1;

/// hcube_random_access_options.mode: shared memory inside nodes where it works; between nodes the
/// hypercube, or three hops unless they need many more messages.
pub const HCUBE_MODE_AUTO: i32 = 0;
/// hcube_random_access_options.mode: messages alone, as if every rank were a node.
pub const HCUBE_MODE_MESSAGE: i32 = 1;
/// hcube_random_access_options.mode: shared memory inside nodes, the hypercube between them.
pub const HCUBE_MODE_NODE: i32 = 2;
/// hcube_random_access_options.mode: local, network, local; every value crosses the network once.
pub const HCUBE_MODE_THREE_HOP: i32 = 3;

/// hcube_random_access_options.optimisations: receives of all stages are posted before a round
/// (Mod1 of Plimpton et al. 2006, section 4).
pub const HCUBE_RECEIVE_AHEAD: u32 = 1;
/// hcube_random_access_options.optimisations: own values are applied after the last send (Mod2).
pub const HCUBE_LATE_UPDATES: u32 = 2;
/// hcube_random_access_options.optimisations: a message is waited for after the kept list has been
/// divided for the next stage (Mod3).
pub const HCUBE_LATE_WAITS: u32 = 4;
/// hcube_random_access_options.optimisations: sends do not block, lists are double-buffered (Mod7).
pub const HCUBE_OVERLAPPED_SENDS: u32 = 8;
/// hcube_random_access_options.optimisations: all of them.
pub const HCUBE_OPTIMISATIONS_ALL: u32 = 15;

/// This rank's part of a table of 64-bit words that is spread over all ranks of a communicator.
///
/// The distribution is HPCC's: contiguous blocks in rank order; where the number of ranks P does not
/// divide global_length, the first (global_length mod P) ranks own one word more. A rank that owns
/// no word has local_length 0 and may pass NULL for words.
#[repr(C)]
pub struct hcube_table {
    /// The words of this rank, aligned to 8 bytes. Owned by the caller; written by hcube during the
    /// call only.
    pub words: *mut u64,
    /// Number of words of this rank.
    pub local_length: i64,
    /// Number of words on all ranks together: a power of two from 1 to 2^60.
    pub global_length: i64,
    /// Global index of the first of these words.
    pub first_index: i64,
}

/// Which updates this rank makes. Update number i (from 0) exclusive-ors value i of the stream into
/// the word that the value selects; value i is the generator's state after start + i + 1 steps from
/// state 1.
#[repr(C)]
pub struct hcube_updates {
    /// HCUBE_STREAM_*; the same on all ranks.
    pub stream: i32,
    /// Steps before this rank's first value, 0 or more. HPCC: four times first_index.
    pub start: i64,
    /// Number of updates of this rank, 0 or more; may differ between ranks. HPCC: four times
    /// local_length.
    pub count: i64,
}

/// Options of a run; the same on all ranks. Fill with hcube_random_access_default_options first and
/// change what shall differ. A later version may add fields behind the present ones; struct_size tells
/// what the caller knows, and fields that the caller does not know have their defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hcube_random_access_options {
    /// sizeof(hcube_random_access_options) as the caller knows it.
    pub struct_size: u64,
    /// Look-ahead Q: how many values a rank may have generated that are not yet applied, 1 to
    /// 1048576. Default 1024, what the benchmark's rules permit.
    pub look_ahead: i64,
    /// HCUBE_MODE_*.
    pub mode: i32,
    /// Dimensionality d of the message stages: 1 (direct) to log2 of the number of nodes (hypercube);
    /// 0, the default, for the latter.
    pub dimensions: i32,
    /// 0: strict, the look-ahead is a hard bound. 1: whole rounds of Q overlap, up to 3 Q values of a
    /// rank may be open; outside the benchmark's rules.
    pub relaxed: i32,
    /// HCUBE_RECEIVE_AHEAD and so on, or-ed. Default HCUBE_OPTIMISATIONS_ALL. They act on stages of
    /// messages.
    pub optimisations: u32,
    /// 1: 2 MiB pages for the table where the kernel permits it and it pays (default). 0: not.
    pub huge_pages: i32,
    /// Pretend that nodes hold at most so many ranks; 0, the default, for nodes as they are.
    pub ranks_per_node: i32,
}

/// What this rank has done in the last run and where its time went. Times are in seconds; generate,
/// route, wait and update are estimated from a sample of the rounds.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hcube_random_access_statistics {
    /// sizeof(hcube_random_access_statistics), set by the caller; later versions add fields behind
    /// the present ones and fill no more than this.
    pub struct_size: u64,
    /// Values generated by this rank.
    pub generated: u64,
    /// Values applied by this rank.
    pub applied: u64,
    /// Messages sent by this rank.
    pub messages: u64,
    /// Bytes sent by this rank in messages.
    pub message_bytes: u64,
    /// Bytes handed to other ranks through shared memory.
    pub shared_bytes: u64,
    /// Stages of this rank's plan.
    pub stages: u64,
    /// Rounds, or slots filled where there are no rounds.
    pub rounds: u64,
    /// Values above Q that this rank held while routing, summed over rounds.
    pub excess: u64,
    /// The largest number of values that this rank held at once while routing.
    pub most_held: u64,
    /// The bound that held for values generated and not yet applied: Q strict, 3 Q relaxed.
    pub open_bound: u64,
    /// 2 MiB pages given to the table in this run.
    pub huge_pages: u64,
    /// Bytes of buffers and mailboxes that hcube held beside the table.
    pub memory_bytes: u64,
    /// The whole run.
    pub total_seconds: f64,
    /// Giving 2 MiB pages to the table.
    pub paging_seconds: f64,
    /// Generating values.
    pub generate_seconds: f64,
    /// Dividing and copying values.
    pub route_seconds: f64,
    /// Waiting for other ranks.
    pub wait_seconds: f64,
    /// Applying values.
    pub update_seconds: f64,
}

impl hcube_random_access_options {
    pub(crate) fn from_options(options: &Options) -> Self {
        let Optimisations { receive_ahead, late_updates, late_waits, overlapped_sends } =
            options.optimisations;
        let bit = |on: bool, bit: u32| if on { bit } else { 0 };
        Self {
            struct_size: size_of::<Self>() as u64,
            look_ahead: options.look_ahead as i64,
            mode: options.mode as i32,
            dimensions: options.dimensions as i32,
            relaxed: i32::from(options.relaxed),
            optimisations: bit(receive_ahead, HCUBE_RECEIVE_AHEAD)
                | bit(late_updates, HCUBE_LATE_UPDATES)
                | bit(late_waits, HCUBE_LATE_WAITS)
                | bit(overlapped_sends, HCUBE_OVERLAPPED_SENDS),
            huge_pages: i32::from(options.huge_pages),
            ranks_per_node: options.ranks_per_node as i32,
        }
    }

    /// What a caller passes, of which the first field says how much there is.
    ///
    /// # Safety
    /// The pointer is valid for the bytes that its first field says.
    pub(crate) unsafe fn read(options: *const Self) -> Result<Options> {
        let defaults = || Options::from_environment().map(|options| Self::from_options(&options));
        // SAFETY: valid for the bytes that its first field says, by the contract of this function.
        unsafe { sized::read(options, defaults) }?.to_options()
    }

    fn to_options(self) -> Result<Options> {
        let count =
            |name, value: i64| usize::try_from(value).map_err(|_| Error::argument(name, value, "0 or more"));
        let flag = |name, value: i32| match value {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Error::argument(name, value, "0 or 1")),
        };
        let mode = usize::try_from(self.mode).ok().and_then(|mode| Mode::NAMES.get(mode));
        let mode = mode.ok_or_else(|| Error::argument("options.mode", self.mode, "HCUBE_MODE_*, 0 to 3"))?.1;
        if self.optimisations > HCUBE_OPTIMISATIONS_ALL {
            return Err(Error::argument(
                "options.optimisations",
                self.optimisations,
                "bits of HCUBE_OPTIMISATIONS_ALL",
            ));
        }
        let on = |bit: u32| self.optimisations & bit != 0;
        let options = Options {
            look_ahead: count("options.look_ahead", self.look_ahead)?,
            mode,
            dimensions: count("options.dimensions", self.dimensions.into())?,
            relaxed: flag("options.relaxed", self.relaxed)?,
            optimisations: Optimisations {
                receive_ahead: on(HCUBE_RECEIVE_AHEAD),
                late_updates: on(HCUBE_LATE_UPDATES),
                late_waits: on(HCUBE_LATE_WAITS),
                overlapped_sends: on(HCUBE_OVERLAPPED_SENDS),
            },
            huge_pages: flag("options.huge_pages", self.huge_pages)?,
            ranks_per_node: count("options.ranks_per_node", self.ranks_per_node.into())?,
        };
        options.check()?;
        Ok(options)
    }
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

/// hcube_alltoall_options.schedule: hcube decides, and leaves what it does not make faster to the
/// library's own function.
pub const HCUBE_ALLTOALL_AUTO: i32 = 0;
/// hcube_alltoall_options.schedule: pairs in lexicographic order, 2 P - 3 steps.
pub const HCUBE_ALLTOALL_MPICH: i32 = 1;
/// hcube_alltoall_options.schedule: linear shift, P steps.
pub const HCUBE_ALLTOALL_LINEAR_SHIFT: i32 = 2;
/// hcube_alltoall_options.schedule: hierarchical sets, P + ceil(log2 P) - 2 steps.
pub const HCUBE_ALLTOALL_HIERARCHICAL_SETS: i32 = 3;
/// hcube_alltoall_options.schedule: always the library's own function.
pub const HCUBE_ALLTOALL_LIBRARY: i32 = 4;
/// hcube_alltoall_options.schedule: blocks up to 256 bytes bundled along the hypercube in log2 P steps;
/// hierarchical sets where blocks are larger.
pub const HCUBE_ALLTOALL_HYPERCUBE: i32 = 5;

/// hcube_alltoall_options.path: the fastest of those that work here.
pub const HCUBE_PATH_AUTO: i32 = 0;
/// hcube_alltoall_options.path: inside a node, one process reads and writes the other's memory.
pub const HCUBE_PATH_SINGLE_COPY: i32 = 1;
/// hcube_alltoall_options.path: inside a node, through a segment of shared memory.
pub const HCUBE_PATH_SHARED: i32 = 2;
/// hcube_alltoall_options.path: messages, inside a node as between nodes.
pub const HCUBE_PATH_MESSAGE: i32 = 3;

/// Options of the all-to-all exchanges on a communicator; the same on all ranks. Fill with
/// hcube_alltoall_default_options first and change what shall differ. A later version may add fields
/// behind the present ones; struct_size tells what the caller knows, and fields that the caller does not
/// know have their defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hcube_alltoall_options {
    /// sizeof(hcube_alltoall_options) as the caller knows it.
    pub struct_size: u64,
    /// Additional memory per rank and communicator in bytes, 0 for the least that works (below
    /// 64 KiB). Default 1 MiB.
    pub memory: i64,
    /// HCUBE_ALLTOALL_*: order of the exchanges by messages.
    pub schedule: i32,
    /// HCUBE_PATH_*: way inside a node.
    pub path: i32,
    /// Pretend that nodes hold at most so many ranks; 0, the default, for nodes as they are.
    pub ranks_per_node: i32,
    /// 0; for a later version.
    pub reserved: i32,
}

impl hcube_alltoall_options {
    pub(crate) fn from_options(options: &hcube_alltoall::Options) -> Self {
        Self {
            struct_size: size_of::<Self>() as u64,
            memory: options.memory as i64,
            schedule: options.schedule as i32,
            path: options.path as i32,
            ranks_per_node: options.ranks_per_node as i32,
            reserved: 0,
        }
    }

    /// What a caller passes, of which the first field says how much there is.
    ///
    /// # Safety
    /// The pointer is valid for the bytes that its first field says.
    pub(crate) unsafe fn read(options: *const Self) -> Result<hcube_alltoall::Options> {
        let defaults =
            || hcube_alltoall::Options::from_environment().map(|options| Self::from_options(&options));
        // SAFETY: valid for the bytes that its first field says, by the contract of this function.
        unsafe { sized::read(options, defaults) }?.to_options()
    }

    fn to_options(self) -> Result<hcube_alltoall::Options> {
        if self.reserved != 0 {
            return Err(Error::argument("options.reserved", self.reserved, 0));
        }
        let schedule = usize::try_from(self.schedule).ok().and_then(|index| Schedule::NAMES.get(index));
        let path = usize::try_from(self.path).ok().and_then(|index| Path::NAMES.get(index));
        let options = hcube_alltoall::Options {
            schedule: schedule
                .ok_or_else(|| {
                    Error::argument("options.schedule", self.schedule, "HCUBE_ALLTOALL_*, 0 to 5")
                })?
                .1,
            path: path.ok_or_else(|| Error::argument("options.path", self.path, "HCUBE_PATH_*, 0 to 3"))?.1,
            memory: usize::try_from(self.memory)
                .map_err(|_| Error::argument("options.memory", self.memory, "0 or more bytes"))?,
            ranks_per_node: usize::try_from(self.ranks_per_node)
                .map_err(|_| Error::argument("options.ranks_per_node", self.ranks_per_node, "0 or more"))?,
        };
        options.check()?;
        Ok(options)
    }
}

/// A matrix that is spread over the ranks of a communicator, and its transposition; the same on all
/// ranks. Before, rank r has the rows from r * row_block on, row_block of them or what is left;
/// afterwards the columns from r * column_block on, as rows of the transposed matrix.
#[repr(C)]
pub struct hcube_transpose_shape {
    /// Rows of the matrix, 1 or more.
    pub rows: i64,
    /// Columns of the matrix, 1 or more.
    pub columns: i64,
    /// Bytes of an element, 1 or more: of a number, or of several that stay together.
    pub element_bytes: i64,
    /// Rows of a rank before; no less than rows / ranks, rounded up.
    pub row_block: i64,
    /// Columns of a rank afterwards; no less than columns / ranks, rounded up.
    pub column_block: i64,
    /// How a rank's rows are stored before: 0 row by row, 1 column by column.
    pub transposed_in: i32,
    /// How a rank's rows of the transposed matrix are stored afterwards: 0 row by row, 1 column by
    /// column.
    pub transposed_out: i32,
}

impl hcube_transpose_shape {
    /// What it says, as far as one can tell without the communicator.
    pub(crate) fn to_shape(&self) -> Result<Shape> {
        let size =
            |name, value: i64| usize::try_from(value).map_err(|_| Error::argument(name, value, "1 or more"));
        let layout = |name, value| match value {
            0 => Ok(Layout::RowMajor),
            1 => Ok(Layout::ColumnMajor),
            _ => Err(Error::argument(name, value, "0 or 1")),
        };
        Ok(Shape {
            rows: size("shape.rows", self.rows)?,
            columns: size("shape.columns", self.columns)?,
            element_bytes: size("shape.element_bytes", self.element_bytes)?,
            row_block: size("shape.row_block", self.row_block)?,
            column_block: size("shape.column_block", self.column_block)?,
            before: layout("shape.transposed_in", self.transposed_in)?,
            after: layout("shape.transposed_out", self.transposed_out)?,
        })
    }

    /// What must be the same on all ranks, by name.
    pub(crate) fn agreement(&self) -> [(&'static str, i64); 7] {
        [
            ("shape.rows", self.rows),
            ("shape.columns", self.columns),
            ("shape.element_bytes", self.element_bytes),
            ("shape.row_block", self.row_block),
            ("shape.column_block", self.column_block),
            ("shape.transposed_in", self.transposed_in.into()),
            ("shape.transposed_out", self.transposed_out.into()),
        ]
    }
}
