//! Pivots and row swaps in process columns for C.

use crate::boundary::{enter, output, required};
use crate::types::{hcube_column_swap, hcube_error};
use ::hcube_hpl::Column;
use ::hcube_hpl::options::Options;
use ::hcube_hpl::swap::{Matrix, Rows};
use hcube_core::comm::agree;
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::mpi::handle::Handle;
use hcube_core::mpi::{MPI_Comm, MpiComm, gate};

/// Collective. Prepares a communicator, a process column of an LU factorisation, for the search of
/// pivots (hcube_column_pivot) and for row swaps (hcube_column_swap_begin, hcube_column_swap_end) in
/// memory that its ranks share. Memory stays with the communicator until it is freed.
///
/// A communicator may be prepared again, for wider panels or more columns, where no swap was begun
/// that has not been ended.
///
/// comm: an intracommunicator, whose rank r is process row r.
/// width: columns of the widest panel; the same on all ranks.
/// columns: columns of the widest swap; the same on all ranks. A swap needs 2 * width rows of columns
/// elements, and there is memory for two.
/// Errors on all ranks: HCUBE_ERR_ARGUMENT, also if a swap has not been ended or ranks do not share
/// memory; HCUBE_ERR_MISMATCH; HCUBE_ERR_MEMORY; HCUBE_ERR_MPI.
/// Errors only on the calling rank: HCUBE_ERR_COMM for an invalid communicator,
/// HCUBE_ERR_MPI_STATE.
/// Source of pivot searches on teams in HPL: G. Jin et al., Implementation and Performance Evaluation of
/// the HPC Challenge Benchmarks in Coarray Fortran 2.0, IPDPS 2011.
///
/// # Safety
/// The pointer is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_column_prepare(
    comm: MPI_Comm,
    width: u64,
    columns: u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function; the handle is one of MPI's.
    unsafe {
        let comm = Handle::new(comm);
        enter(Some(comm), error, || {
            gate::enter_without_messages(comm, |comm, kept: &mut Option<Column>| {
                let idle = match kept {
                    Some(column) if !column.is_idle() => {
                        Err(Error::Usage("a swap of the communicator has not been ended".into()))
                    }
                    _ => Ok(()),
                };
                agree(comm, idle)?;
                *kept = None;
                let options = Options::from_environment();
                *kept = Some(Column::new(comm, width as usize, columns as usize, options)?);
                Ok(())
            })
        })
    }
}

/// Local. Returns for what a communicator was prepared.
///
/// comm: an intracommunicator.
/// width: receives the columns of the widest panel; 0 before hcube_column_prepare.
/// columns: receives the columns of the widest swap; 0 before hcube_column_prepare.
/// Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_column_prepared(
    comm: MPI_Comm,
    width: *mut u64,
    columns: *mut u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function; the handle is one of MPI's.
    unsafe {
        let comm = Handle::new(comm);
        enter(Some(comm), error, || {
            let places = [output(width, "width")?, output(columns, "columns")?];
            let found = gate::look(comm, |column: &Column| [column.width(), column.columns()])?;
            for (place, value) in places.into_iter().zip(found.unwrap_or_default()) {
                *place = value as u64;
            }
            Ok(())
        })
    }
}

/// Collective. Searches the pivot of one column of a panel: the element of the largest absolute value, of
/// equal ones that of the lowest process row. Every rank returns the same one, with its row.
///
/// comm: a communicator that was prepared.
/// work: 4 + 2 * width elements. On entry: the largest element of this rank, its local row, its global row,
/// the process row that owns it (this rank, or the number of ranks if it has no row left); then the
/// width elements of its row in the panel; then, on rank current, the row that is swapped with that of the
/// pivot. On return: the pivot in the same form, and on its owner the row that is swapped with it.
/// width: columns of the panel; the same on all ranks.
/// current: the rank that owns the row to be swapped; the same on all ranks.
/// Errors only on the calling rank: HCUBE_ERR_ARGUMENT, also if the communicator was not prepared;
/// HCUBE_ERR_COMM; HCUBE_ERR_MPI_STATE.
///
/// # Safety
/// The pointers are null or valid, and nobody else uses `work` meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_column_pivot(
    comm: MPI_Comm,
    work: *mut f64,
    width: u64,
    current: i32,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        run(comm, error, |comm, column| {
            let work = output(work, "work")? as *mut f64;
            let width = column.checked_width(width)?;
            let current = usize::try_from(current)
                .map_err(|_| Error::argument("current", current, "a rank of the process column"))?;
            let bytes = (4 + 2 * width) * size_of::<f64>();
            column.pivot(comm, Region::new(work.cast(), bytes), width, current)
        })
    }
}

/// Begins a row swap: copies the rows of this rank that move to the memory of the process column. Called by all
/// ranks, and does not wait for them.
///
/// comm: a communicator that was prepared.
/// swap: which rows move, and where this rank has its rows.
/// Errors only on the calling rank: HCUBE_ERR_ARGUMENT, also if the communicator was not prepared or a
/// swap has not been ended; HCUBE_ERR_BUFFER; HCUBE_ERR_COMM; HCUBE_ERR_MPI_STATE.
///
/// # Safety
/// The pointers are null or valid, those in `swap` for the elements that it says, which nobody else uses meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_column_swap_begin(
    comm: MPI_Comm,
    swap: *const hcube_column_swap,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        run(comm, error, |_, column| {
            let swap = required(swap, "swap")?;
            let rows = rows(swap)?;
            column.begin_swap(&rows, &matrix(swap, &rows)?)
        })
    }
}

/// Ends the row swap that was begun: waits until all ranks have begun it, then copies the top rows to
/// swap->top, and to swap->rows the rows that this rank receives in place of top rows. The top rows in
/// swap->rows are not changed. MPI makes progress meanwhile.
///
/// comm: a communicator that was prepared.
/// swap: as for hcube_column_swap_begin.
/// Errors only on the calling rank: as hcube_column_swap_begin; HCUBE_ERR_ARGUMENT also if no swap was begun.
///
/// # Safety
/// As `hcube_column_swap_begin`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_column_swap_end(
    comm: MPI_Comm,
    swap: *const hcube_column_swap,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        run(comm, error, |comm, column| {
            let swap = required(swap, "swap")?;
            let rows = rows(swap)?;
            let top =
                rows.width.checked_mul(rows.columns).and_then(|size| size.checked_mul(size_of::<f64>()));
            let top = top.ok_or_else(|| Error::argument("swap.width", rows.width, "less"))?;
            if top > 0 {
                output(swap.top, "swap.top")?;
            }
            column.end_swap(comm, &matrix(swap, &rows)?, Region::new(swap.top.cast(), top))
        })
    }
}

/// Which rows move.
///
/// # Safety
/// The pairs are null or valid.
unsafe fn rows(swap: &hcube_column_swap) -> Result<Rows<'_>> {
    let pairs = match usize::try_from(swap.pair_count).ok().and_then(|count| count.checked_mul(2)) {
        Some(0) => &[],
        // SAFETY: valid for as many, by the contract of this function, where the first one is.
        Some(count) if count <= 1 << 31 => unsafe {
            std::slice::from_raw_parts(required(swap.pairs, "swap.pairs")?, count)
        },
        _ => return Err(Error::argument("swap.pair_count", swap.pair_count, "at most 2 * width")),
    };
    let transposed = match swap.transposed {
        0 => false,
        1 => true,
        other => return Err(Error::argument("swap.transposed", other, "0 or 1")),
    };
    Ok(Rows {
        pairs,
        first: swap.first as usize,
        width: swap.width as usize,
        block: swap.block as usize,
        local: swap.row_count as usize,
        columns: swap.columns as usize,
        transposed,
    })
}

/// The rows of this rank.
///
/// # Safety
/// The rows are null or valid.
unsafe fn matrix<'a>(swap: &'a hcube_column_swap, rows: &Rows<'_>) -> Result<Matrix<'a>> {
    let numbers = Matrix::extent(rows.local, rows.columns, swap.stride as usize);
    let bytes = numbers.and_then(|numbers| numbers.checked_mul(size_of::<f64>()));
    let bytes = bytes.ok_or_else(|| Error::argument("swap.stride", swap.stride, "less"))?;
    if bytes > 0 {
        // SAFETY: null or valid, by the contract of this function.
        unsafe { output(swap.rows, "swap.rows") }?;
    }
    // SAFETY: the elements are there and nobody else uses them, by the contract of this function.
    Ok(Matrix { memory: unsafe { Region::new(swap.rows.cast(), bytes) }, stride: swap.stride as usize })
}

/// # Safety
/// The pointer is null or valid.
unsafe fn run(
    comm: MPI_Comm,
    error: *mut hcube_error,
    work: impl FnOnce(&MpiComm, &mut Column) -> Result<()>,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function; the handle is one of MPI's.
    unsafe {
        let comm = Handle::new(comm);
        enter(Some(comm), error, || {
            gate::enter_without_messages(comm, |comm, kept: &mut Option<Column>| match kept {
                Some(column) => work(comm, column),
                None => Err(Error::Usage("the communicator was not prepared for a process column".into())),
            })
        })
    }
}
