//! From MPI's description of a datatype to its [`Layout`](crate::memory::datatype::layout::Layout).

use super::super::check::check;
use super::super::raw::{self, MPI_Datatype};
use super::array;
use super::contents::{Combiner, Contents, Envelope, count};
use crate::error::{Error, Result};
use crate::memory::datatype::layout::{Builder, Placed};

/// Datatypes nested more deeply are forwarded to the MPI library: every level is a level of recursion.
const MAX_DEPTH: usize = 64;

/// Size and extent of a datatype in bytes, both by MPI's word.
///
/// # Safety
/// `datatype` is valid.
pub(super) unsafe fn measure(datatype: MPI_Datatype) -> Result<(usize, isize)> {
    let (mut size, mut lower, mut extent) = (0, 0, 0);
    // SAFETY: a valid datatype.
    unsafe {
        check("MPI_Type_size_x", raw::PMPI_Type_size_x(datatype, &mut size))?;
        check("MPI_Type_get_extent_x", raw::PMPI_Type_get_extent_x(datatype, &mut lower, &mut extent))?;
    }
    match (usize::try_from(size), isize::try_from(extent)) {
        (Ok(size), Ok(extent)) => Ok((size, extent)),
        _ => Err(too_large()),
    }
}

/// One of MPI's own datatypes.
///
/// # Safety
/// `datatype` is valid and named, and the rest is what [`measure`] says of it.
pub(super) unsafe fn named(datatype: MPI_Datatype, size: usize, extent: isize) -> Result<Placed> {
    // Those of MPI-1 that only mark bounds have a size of none.
    if size == 0 || isize::try_from(size) == Ok(extent) {
        return Ok(Placed::run(size));
    }
    let (mut value, mut second) = (0, 0);
    // SAFETY: a valid datatype.
    if unsafe { raw::hcube_shim_pair(datatype, &mut value, &mut second) } == 0 {
        return Err(Error::Unsupported(
            "a non-contiguous predefined datatype that hcube does not know".into(),
        ));
    }
    let mut pair = Builder::default();
    let parts = [Placed::run(value), Placed { offset: second as isize, ..Placed::run(size - value) }];
    parts.into_iter().try_for_each(|part| pair.push(part)).and_then(|()| pair.finish()).ok_or_else(too_large)
}

/// Any datatype that was made from others.
///
/// # Safety
/// `datatype` is valid, `envelope` is its own and `size` what [`measure`] says.
pub(super) unsafe fn derived(datatype: MPI_Datatype, envelope: &Envelope, size: usize) -> Result<Placed> {
    // SAFETY: valid, and the envelope is its own, by the contract of this function.
    let placed = unsafe { decode(datatype, envelope, MAX_DEPTH) }?;
    // Where hcube and the library do not see the same datatype, the library's view counts. True extents
    // would say more, but in MPICH 4.0 those of a struct include members of an empty datatype.
    let bytes = placed.bytes();
    if bytes != size {
        let text = format!("a datatype of {size} bytes by the MPI library and {bytes} bytes by hcube");
        return Err(Error::Unsupported(text));
    }
    Ok(placed)
}

fn too_large() -> Error {
    Error::Unsupported("a datatype larger than memory can be".into())
}

/// The arguments of the constructors of datatypes.
struct Inner {
    placed: Placed,
    extent: isize,
}

impl Inner {
    /// # Safety
    /// `datatype` is valid.
    unsafe fn of(datatype: MPI_Datatype, depth: usize) -> Result<Self> {
        // SAFETY: valid, by the contract of this function.
        unsafe {
            let (size, extent) = measure(datatype)?;
            let envelope = Envelope::of(datatype)?;
            let placed = if envelope.is_named() {
                named(datatype, size, extent)?
            } else {
                decode(datatype, &envelope, depth)?
            };
            Ok(Self { placed, extent })
        }
    }
}

/// # Safety
/// As [`derived`].
unsafe fn decode(datatype: MPI_Datatype, envelope: &Envelope, depth: usize) -> Result<Placed> {
    let depth = depth
        .checked_sub(1)
        .ok_or_else(|| Error::Unsupported(format!("a datatype of more than {MAX_DEPTH} levels")))?;
    // SAFETY: valid, and the envelope is its own, by the contract of this function; what it is made from is
    // valid as long as `contents` lives.
    unsafe {
        let contents = Contents::of(datatype, envelope)?;
        if contents.combiner == Combiner::Struct {
            return structure(&contents, depth);
        }
        let inner = match contents.types[..] {
            [one] => Inner::of(one, depth)?,
            _ => return Err(Error::Internal(format!("{contents:?} for a datatype"))),
        };
        combine(contents.combiner, &contents.numbers, inner).ok_or_else(too_large)
    }
}

/// The results of a constructor with one old datatype.
fn combine(combiner: Combiner, numbers: &[i64], Inner { placed, extent }: Inner) -> Option<Placed> {
    match combiner {
        Combiner::Same => Some(placed),
        Combiner::Contiguous => placed.repeated(count(numbers, 0)?, extent),
        Combiner::Vector | Combiner::Hvector => {
            let unit = if combiner == Combiner::Vector { extent } else { 1 };
            let stride = unit.checked_mul(distance(numbers, 2)?)?;
            placed.repeated(count(numbers, 1)?, extent)?.repeated(count(numbers, 0)?, stride)
        }
        Combiner::Indexed | Combiner::Hindexed => {
            let unit = if combiner == Combiner::Indexed { extent } else { 1 };
            let (lengths, displacements) = numbers.get(1..)?.split_at_checked(count(numbers, 0)?)?;
            blocks(lengths.iter().zip(displacements), unit, &placed, extent)
        }
        Combiner::IndexedBlock | Combiner::HindexedBlock => {
            let unit = if combiner == Combiner::IndexedBlock { extent } else { 1 };
            blocks(numbers.get(2..)?.iter().map(|at| (&numbers[1], at)), unit, &placed, extent)
        }
        Combiner::Subarray => array::subarray(numbers, placed, extent),
        Combiner::Darray => array::darray(numbers, placed, extent),
        Combiner::Struct => None,
    }
}

/// Blocks of these lengths at these places.
fn blocks<'a>(
    blocks: impl Iterator<Item = (&'a i64, &'a i64)>,
    unit: isize,
    element: &Placed,
    extent: isize,
) -> Option<Placed> {
    let mut builder = Builder::default();
    // Most blocks have the length of the one before and then share its shape.
    let mut last = (0, Placed::run(0));
    for (&length, &at) in blocks {
        if last.0 != length {
            last = (length, element.clone().repeated(usize::try_from(length).ok()?, extent)?);
        }
        builder.push(last.1.clone().moved(unit.checked_mul(isize::try_from(at).ok()?)?)?)?;
    }
    builder.finish()
}

/// `MPI_Type_create_struct`.
///
/// # Safety
/// The datatypes in `contents` are valid.
unsafe fn structure(contents: &Contents, depth: usize) -> Result<Placed> {
    let numbers = contents.numbers.get(1..).unwrap_or_default();
    let (lengths, displacements) = numbers.split_at(contents.types.len().min(numbers.len()));
    let mut builder = Builder::default();
    let mut last: Option<(MPI_Datatype, Inner)> = None;
    for ((&datatype, &length), &at) in contents.types.iter().zip(lengths).zip(displacements) {
        let inner = match last.take() {
            Some((same, inner)) if same == datatype => inner,
            // SAFETY: one of `contents`, which are valid by the contract of this function.
            _ => unsafe { Inner::of(datatype, depth) }?,
        };
        let block = usize::try_from(length)
            .ok()
            .and_then(|length| inner.placed.clone().repeated(length, inner.extent))
            .and_then(|block| block.moved(isize::try_from(at).ok()?));
        block.and_then(|block| builder.push(block)).ok_or_else(too_large)?;
        last = Some((datatype, inner));
    }
    builder.finish().ok_or_else(too_large)
}

/// An argument that may be negative.
fn distance(numbers: &[i64], position: usize) -> Option<isize> {
    isize::try_from(*numbers.get(position)?).ok()
}
