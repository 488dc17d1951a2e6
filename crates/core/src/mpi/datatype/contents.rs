//! The constructor of a datatype: MPI's envelope and contents, and the handles in them that must be freed.

use super::super::check::check;
use super::super::constants::constants;
use super::super::raw::{self, MPI_Aint, MPI_Count, MPI_Datatype};
use crate::error::{Error, Result};
use crate::memory::reserve::with_room;

/// The constructor of a datatype, and the lengths of the arrays of its arguments.
#[derive(Debug, Clone, Copy)]
pub(super) struct Envelope {
    combiner: raw::hcube_shim_combiner,
    lengths: [MPI_Count; 4],
}

/// The constructors that hcube knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Combiner {
    /// `MPI_Type_dup` or `MPI_Type_create_resized`: the same bytes.
    Same,
    Contiguous,
    Vector,
    /// As the one before with the stride in bytes; so are the other names with H.
    Hvector,
    Indexed,
    Hindexed,
    IndexedBlock,
    HindexedBlock,
    Struct,
    Subarray,
    Darray,
}

impl Envelope {
    /// Asks MPI; local and quick.
    ///
    /// # Safety
    /// `datatype` is valid.
    pub unsafe fn of(datatype: MPI_Datatype) -> Result<Self> {
        let mut envelope = Self { combiner: raw::hcube_shim_combiner_HCUBE_SHIM_UNKNOWN, lengths: [0; 4] };
        // SAFETY: a valid datatype; four lengths are written.
        let code = unsafe {
            raw::hcube_shim_type_envelope(datatype, envelope.lengths.as_mut_ptr(), &mut envelope.combiner)
        };
        check("MPI_Type_get_envelope", code).map(|()| envelope)
    }

    /// Whether it is one of MPI's own datatypes, which are made from nothing and never freed.
    pub fn is_named(&self) -> bool {
        self.combiner == raw::hcube_shim_combiner_HCUBE_SHIM_NAMED
    }

    fn combiner(&self) -> Option<Combiner> {
        Some(match self.combiner {
            raw::hcube_shim_combiner_HCUBE_SHIM_DUP | raw::hcube_shim_combiner_HCUBE_SHIM_RESIZED => {
                Combiner::Same
            }
            raw::hcube_shim_combiner_HCUBE_SHIM_CONTIGUOUS => Combiner::Contiguous,
            raw::hcube_shim_combiner_HCUBE_SHIM_VECTOR => Combiner::Vector,
            raw::hcube_shim_combiner_HCUBE_SHIM_HVECTOR => Combiner::Hvector,
            raw::hcube_shim_combiner_HCUBE_SHIM_INDEXED => Combiner::Indexed,
            raw::hcube_shim_combiner_HCUBE_SHIM_HINDEXED => Combiner::Hindexed,
            raw::hcube_shim_combiner_HCUBE_SHIM_INDEXED_BLOCK => Combiner::IndexedBlock,
            raw::hcube_shim_combiner_HCUBE_SHIM_HINDEXED_BLOCK => Combiner::HindexedBlock,
            raw::hcube_shim_combiner_HCUBE_SHIM_STRUCT => Combiner::Struct,
            raw::hcube_shim_combiner_HCUBE_SHIM_SUBARRAY => Combiner::Subarray,
            raw::hcube_shim_combiner_HCUBE_SHIM_DARRAY => Combiner::Darray,
            _ => return None,
        })
    }
}

/// The constructor of a datatype. Its datatypes are freed when it is dropped.
#[derive(Debug)]
pub(super) struct Contents {
    pub combiner: Combiner,
    /// All integers in the order of the constructor's arguments, whichever of MPI's arrays they came in.
    pub numbers: Vec<i64>,
    pub types: Vec<MPI_Datatype>,
}

impl Contents {
    /// Asks MPI.
    ///
    /// # Safety
    /// `datatype` is valid, not named, and `envelope` is its own.
    pub unsafe fn of(datatype: MPI_Datatype, envelope: &Envelope) -> Result<Self> {
        let combiner = envelope.combiner().ok_or_else(|| {
            Error::Unsupported("the datatype has a constructor that hcube does not know".into())
        })?;
        let [integers, addresses, counts, types] = envelope.lengths.map(|length| length as usize);
        // For these lists and for the layout, which is not larger: freed immediately, so that the memory is
        // available for them.
        let all = integers.saturating_add(addresses).saturating_add(counts).saturating_add(types);
        with_room::<[u64; 16]>(all, "the description of a datatype")
            .map_err(|error| Error::Unsupported(error.to_string()))?;
        let null = constants().datatype_null;
        let mut contents = Self { combiner, numbers: Vec::new(), types: vec![null; types] };
        let mut integers = vec![0; integers];
        let mut addresses: Vec<MPI_Aint> = vec![0; addresses];
        let mut counts: Vec<MPI_Count> = vec![0; counts];
        // SAFETY: a valid datatype; the arrays have the lengths that MPI has returned.
        check("MPI_Type_get_contents", unsafe {
            raw::hcube_shim_type_contents(
                datatype,
                envelope.lengths.as_ptr(),
                integers.as_mut_ptr(),
                addresses.as_mut_ptr(),
                counts.as_mut_ptr(),
                contents.types.as_mut_ptr(),
            )
        })?;
        // Constructors with large counts return in a separate array the values that others return among the
        // integers: of arrays the sizes, which follow the number of dimensions, of others everything.
        let split = match combiner {
            Combiner::Subarray => 1,
            Combiner::Darray => 3,
            _ => 0,
        };
        let (before, after) = integers.split_at(split.min(integers.len()));
        let wide = |&number: &std::ffi::c_int| i64::from(number);
        contents.numbers = before.iter().map(wide).collect();
        contents.numbers.extend(counts);
        contents.numbers.extend(after.iter().map(wide));
        contents.numbers.extend(addresses.into_iter().map(|address| address as i64));
        Ok(contents)
    }
}

impl Drop for Contents {
    fn drop(&mut self) {
        let null = constants().datatype_null;
        for datatype in &mut self.types {
            // SAFETY: what MPI_Type_get_contents returns is a reference of ours to a valid datatype,
            // except for named ones, which are constants; null where the call has failed.
            unsafe {
                if *datatype != null && Envelope::of(*datatype).is_ok_and(|envelope| !envelope.is_named()) {
                    raw::PMPI_Type_free(datatype);
                }
            }
        }
    }
}

/// An argument that counts.
pub(super) fn count(numbers: &[i64], position: usize) -> Option<usize> {
    usize::try_from(*numbers.get(position)?).ok()
}
