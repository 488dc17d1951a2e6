//! Random datatypes by all constructors of MPI, from a reproducible generator.

use mpi::ffi::{self, MPI_Aint, MPI_Datatype};
use std::ffi::c_int;
use std::ptr;

unsafe extern "C" {
    /// The shim of hcube: MPI's pairs of a value and an int.
    fn hcube_shim_pair_type(number: c_int) -> MPI_Datatype;
}

/// Constructors that [`Random::derived`] uses.
pub const CONSTRUCTORS: usize = 12;

/// xorshift64*, Vigna 2016.
pub struct Random(pub u64);

impl Random {
    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as usize) % limit
    }

    /// One of `low..=high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    fn ints(&mut self, count: usize, low: i64, high: i64) -> Vec<c_int> {
        (0..count).map(|_| self.between(low, high) as c_int).collect()
    }

    fn addresses(&mut self, count: usize, low: i64, high: i64) -> Vec<MPI_Aint> {
        (0..count).map(|_| self.between(low, high) as MPI_Aint).collect()
    }

    /// One of MPI's own datatypes.
    pub fn named(&mut self) -> MPI_Datatype {
        // SAFETY: constants, after MPI_Init.
        unsafe {
            match self.below(9) {
                0 => ffi::RSMPI_INT8_T,
                1 => ffi::RSMPI_INT16_T,
                2 => ffi::RSMPI_INT32_T,
                3 | 4 => ffi::RSMPI_DOUBLE,
                5 => ffi::RSMPI_DOUBLE_COMPLEX,
                6 => ffi::RSMPI_C_BOOL,
                _ => hcube_shim_pair_type(self.below(6) as c_int),
            }
        }
    }

    /// A datatype of up to `depth` levels and what it was made by; not committed, to be freed by
    /// [`free`].
    pub fn datatype(&mut self, depth: usize) -> (MPI_Datatype, String) {
        let mut old: Vec<(MPI_Datatype, String)> = (0..3)
            .map(|_| match depth {
                0 | 1 => (self.named(), "named".to_owned()),
                _ if self.below(4) == 0 => (self.named(), "named".to_owned()),
                _ => self.datatype(depth - 1),
            })
            .collect();
        let constructor = self.below(CONSTRUCTORS);
        // Struct has several old types, twice the same among them; all others use the first.
        let used: Vec<MPI_Datatype> = [0, 0, 1, 2].map(|at| old[at].0).to_vec();
        let mut made = self.derived(constructor, &used);
        let mut text = format!("{constructor}({})", old[0].1);
        let size = measure(made.0);
        if size.bytes > 2048 || size.true_extent > 20_000 || size.extent.abs() > 20_000 {
            free(made.0);
            made = self.derived(6, &used);
            text = format!("resized({})", old[0].1);
        } else {
            text = format!("{text}{}", made.1);
        }
        old.drain(..).for_each(|(old, _)| free(old));
        (made.0, text)
    }

    /// A datatype by one of the constructors.
    fn derived(&mut self, constructor: usize, old: &[MPI_Datatype]) -> (MPI_Datatype, String) {
        let mut new = old[0];
        let count = self.below(5);
        let (c, one) = (count as c_int, old[0]);
        let length = self.below(4) as c_int;
        let (mut stride, mut bytes) = (self.between(-6, 6) as c_int, self.between(-70, 70) as MPI_Aint);
        if bytes == -1 || measure(one).extent * i64::from(stride) == -1 {
            // To Open MPI 4.1 a stride of -1 byte means the extent of what is repeated.
            (stride, bytes) = (-2, -2);
        }
        let (lengths, places) = (self.ints(count, 0, 3), self.ints(count, -8, 8));
        let at = self.addresses(count, -200, 200);
        let text = format!(" {c} {length} {stride} {bytes} {lengths:?} {places:?} {at:?}");
        // SAFETY: the arrays have the lengths that are passed; all old datatypes are valid.
        let code = unsafe {
            let (lengths, places, at) = (lengths.as_ptr(), places.as_ptr(), at.as_ptr());
            match constructor {
                0 => ffi::MPI_Type_contiguous(c, one, &mut new),
                1 => ffi::MPI_Type_vector(c, length, stride, one, &mut new),
                2 => ffi::MPI_Type_create_hvector(c, length, bytes, one, &mut new),
                3 => ffi::MPI_Type_indexed(c, lengths, places, one, &mut new),
                4 => ffi::MPI_Type_create_hindexed(c, lengths, at, one, &mut new),
                5 => ffi::MPI_Type_create_indexed_block(c, length, places, one, &mut new),
                6 => {
                    let extent = self.between(0, 150) as MPI_Aint;
                    ffi::MPI_Type_create_resized(one, bytes, extent, &mut new)
                }
                7 => ffi::MPI_Type_create_hindexed_block(c, length, at, one, &mut new),
                8 => ffi::MPI_Type_create_struct(c.min(4), lengths, at, old.as_ptr(), &mut new),
                9 => self.subarray(one, &mut new),
                // Open MPI refuses to distribute elements of no bytes.
                10 if measure(one).bytes > 0 => self.darray(one, &mut new),
                _ => ffi::MPI_Type_dup(one, &mut new),
            }
        };
        assert_eq!(code, 0, "constructor {constructor}");
        (new, text)
    }

    fn order(&mut self) -> c_int {
        [ffi::MPI_ORDER_C as c_int, ffi::MPI_ORDER_FORTRAN as c_int][self.below(2)]
    }

    fn subarray(&mut self, old: MPI_Datatype, new: &mut MPI_Datatype) -> c_int {
        let dimensions = 1 + self.below(3);
        let sizes = self.ints(dimensions, 1, 5);
        let parts: Vec<c_int> = sizes.iter().map(|&size| self.between(1, size.into()) as c_int).collect();
        let starts: Vec<c_int> = sizes
            .iter()
            .zip(&parts)
            .map(|(&size, &part)| self.between(0, (size - part).into()) as c_int)
            .collect();
        // SAFETY: the arrays have the lengths that are passed; the old datatype is valid.
        unsafe {
            ffi::MPI_Type_create_subarray(
                dimensions as c_int,
                sizes.as_ptr(),
                parts.as_ptr(),
                starts.as_ptr(),
                self.order(),
                old,
                new,
            )
        }
    }

    fn darray(&mut self, old: MPI_Datatype, new: &mut MPI_Datatype) -> c_int {
        let dimensions = 1 + self.below(3);
        let sizes = self.ints(dimensions, 1, 7);
        let mut grid = self.ints(dimensions, 1, 3);
        let default = ffi::MPI_DISTRIBUTE_DFLT_DARG as c_int;
        let mut distributions = Vec::new();
        let mut arguments = Vec::new();
        for (processes, &size) in grid.iter_mut().zip(&sizes) {
            let enough = (size + *processes - 1) / *processes;
            let (distribution, argument) = match self.below(5) {
                0 => (ffi::MPI_DISTRIBUTE_BLOCK as c_int, default),
                1 => (ffi::MPI_DISTRIBUTE_BLOCK as c_int, enough + self.below(2) as c_int),
                2 => (ffi::MPI_DISTRIBUTE_CYCLIC as c_int, default),
                3 => (ffi::MPI_DISTRIBUTE_CYCLIC as c_int, 1 + self.below(3) as c_int),
                _ => {
                    *processes = 1;
                    (ffi::MPI_DISTRIBUTE_NONE as c_int, default)
                }
            };
            distributions.push(distribution);
            arguments.push(argument);
        }
        let processes: c_int = grid.iter().product();
        // SAFETY: the arrays have the lengths that are passed; the old datatype is valid.
        unsafe {
            ffi::MPI_Type_create_darray(
                processes,
                self.below(processes as usize) as c_int,
                dimensions as c_int,
                sizes.as_ptr(),
                distributions.as_ptr(),
                arguments.as_ptr(),
                grid.as_ptr(),
                self.order(),
                old,
                new,
            )
        }
    }
}

/// What MPI says of a datatype, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    pub bytes: i64,
    pub extent: i64,
    pub true_lower: i64,
    pub true_extent: i64,
}

/// Asks MPI.
pub fn measure(datatype: MPI_Datatype) -> Measure {
    let (mut bytes, mut lower, mut extent, mut true_lower, mut true_extent) = (0, 0, 0, 0, 0);
    // SAFETY: a valid datatype.
    unsafe {
        ffi::MPI_Type_size_x(datatype, &mut bytes);
        ffi::MPI_Type_get_extent_x(datatype, &mut lower, &mut extent);
        ffi::MPI_Type_get_true_extent_x(datatype, &mut true_lower, &mut true_extent);
    }
    if bytes == 0 {
        // Of nothing the libraries know no bounds.
        (true_lower, true_extent) = (0, 0);
    }
    Measure { bytes, extent, true_lower, true_extent }
}

/// Frees a datatype unless it is one of MPI's own.
pub fn free(mut datatype: MPI_Datatype) {
    let (mut integers, mut addresses, mut types, mut combiner, mut named) = (0, 0, 0, 0, 0);
    // SAFETY: valid datatypes.
    unsafe {
        let mut ask = |datatype, combiner: &mut c_int| {
            ffi::MPI_Type_get_envelope(
                datatype,
                &mut integers,
                &mut addresses,
                &mut types,
                ptr::from_mut(combiner),
            )
        };
        ask(datatype, &mut combiner);
        ask(ffi::RSMPI_DOUBLE, &mut named);
        if combiner != named {
            ffi::MPI_Type_free(&mut datatype);
        }
    }
}
