//! The types of Fourier transforms for C.

use super::options_of_a_table;
use crate::sized::Growing;
use hcube_core::mpi::handle::Handle;
use hcube_core::node::device::Devices;
use hcube_fft::{Memory, Options, Stages};
use hcube_hpcc::fft::Plan;
use std::sync::Arc;

/// A plan of hcube_fft_create or hcube_fft_create_with.
pub struct hcube_fft_plan {
    pub(crate) comm: Handle,
    pub(crate) plan: Plan,
    pub(crate) devices: Devices,
}

/// Options of a transform; the same on all ranks. Call hcube_fft_default_options first, then change
/// fields. A later version may append fields: struct_size is the size in the header of the caller, and
/// fields beyond it have their defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hcube_fft_options {
    /// sizeof(hcube_fft_options) in the program of the caller.
    pub struct_size: u64,
    /// [`hcube_fft::Options::algorithm`]
    pub algorithm: i32,
    /// [`hcube_fft::Options::radix`]
    pub radix: i32,
}

options_of_a_table!(hcube_fft_options, Options, [algorithm, radix]);

// SAFETY: numbers, the size first; without padding, as test `abi` checks.
unsafe impl Growing for hcube_fft_options {
    const NAME: &'static str = "options.struct_size";
    const FILLED_BY: &'static str = "call hcube_fft_default_options first";
}

/// Memory for the local parts of vectors, created by hcube_fft_memory_create.
pub struct hcube_fft_memory {
    /// Holds the memory, which is used by address.
    #[expect(dead_code, reason = "freed with this value")]
    pub(crate) memory: Arc<Memory>,
}

/// Times of the stages of a transform on one rank, in seconds, in the order of the stages. If the ranks share
/// memory, an exchange is a copy to or from this memory, and the second exchange is only a wait; on several
/// nodes the waits are part of the exchanges. With HCUBE_FFT_BINARY_EXCHANGE, the first exchange is the bit
/// reversal, columns are the levels on this rank, rows the computation of the levels between two ranks, the
/// second exchange is their communication, and the last exchange writes the result.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hcube_fft_times {
    /// sizeof(hcube_fft_times), set by the caller.
    pub struct_size: u64,
    /// Exchange after which each rank has whole columns.
    pub first_exchange_seconds: f64,
    /// Wait for other ranks after the first exchange.
    pub first_wait_seconds: f64,
    /// Transforms of the columns.
    pub columns_seconds: f64,
    /// Exchange between the transforms of columns and of rows.
    pub second_exchange_seconds: f64,
    /// Transforms of the rows.
    pub rows_seconds: f64,
    /// Wait for other ranks after the transforms of rows.
    pub last_wait_seconds: f64,
    /// Exchange that brings the result into natural order.
    pub last_exchange_seconds: f64,
}

impl hcube_fft_times {
    pub(crate) fn from_stages(stages: &Stages) -> Self {
        Self {
            struct_size: size_of::<Self>() as u64,
            first_exchange_seconds: stages.first_exchange,
            first_wait_seconds: stages.first_wait,
            columns_seconds: stages.columns,
            second_exchange_seconds: stages.second_exchange,
            rows_seconds: stages.rows,
            last_wait_seconds: stages.last_wait,
            last_exchange_seconds: stages.last_exchange,
        }
    }
}

// SAFETY: numbers, the size first; without padding, as test `abi` checks.
unsafe impl Growing for hcube_fft_times {
    const NAME: &'static str = "times.struct_size";
    const FILLED_BY: &'static str = "sizeof *times, set by the caller";
}
