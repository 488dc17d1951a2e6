//! The process grid of a BLACS context, obtained from the BLACS of the program.

use super::program::function;
use crate::product::Grid;
use hcube_core::mpi::handle::Handle;
use hcube_core::mpi::{MPI_Fint, fortran};
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

type GridInfo = unsafe extern "C" fn(*const c_int, *mut c_int, *mut c_int, *mut c_int, *mut c_int);
type Get = unsafe extern "C" fn(*const c_int, *const c_int, *mut c_int);

/// The functions of the BLACS that are needed.
#[derive(Debug, Clone, Copy)]
pub struct Blacs {
    grid_info: GridInfo,
    get: Get,
}

impl Blacs {
    /// The BLACS of the program; `None` if it has none.
    pub fn of_program() -> Option<Self> {
        static FOUND: OnceLock<Option<Blacs>> = OnceLock::new();
        *FOUND.get_or_init(|| {
            let grid_info = function(c"blacs_gridinfo_")?;
            let get = function(c"blacs_get_")?;
            // SAFETY: functions of these names have these types in every BLACS with 32-bit integers; calls of
            // those with 64-bit integers are recognised by their descriptors before.
            Some(unsafe {
                Self {
                    grid_info: std::mem::transmute::<*const c_void, GridInfo>(grid_info),
                    get: std::mem::transmute::<*const c_void, Get>(get),
                }
            })
        })
    }

    /// The grid of a context, seen from this process, and its communicator; `None` if this process is not in
    /// it, or the context does not exist.
    ///
    /// # Safety
    /// MPI is initialised and not finalised. Nobody ends the grid as long as the handle is used.
    pub unsafe fn grid(self, context: i32) -> Option<(Grid, Handle)> {
        /// What `blacs_get` calls the communicator that the grid was made with.
        const COMMUNICATOR: c_int = 10;
        let [mut rows, mut columns, mut row, mut column] = [-1; 4];
        // SAFETY: the function of the BLACS, which checks whether it knows the number.
        unsafe { (self.grid_info)(&context, &mut rows, &mut columns, &mut row, &mut column) };
        let [rows, columns, row, column] = [rows, columns, row, column].map(usize::try_from);
        let grid = Grid { rows: rows.ok()?, columns: columns.ok()?, row: row.ok()?, column: column.ok()? };
        let mut number: MPI_Fint = 0;
        // SAFETY: the function of the BLACS, with a context that it knows: it has a grid.
        unsafe { (self.get)(&context, &COMMUNICATOR, &mut number) };
        // SAFETY: MPI has given it out, and the BLACS free it with the grid, which stays by the contract of
        // this function.
        Some((grid, unsafe { Handle::new(fortran::communicator(number)) }))
    }
}
