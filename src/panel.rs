//! Asynchronous broadcasts of panels for C.

use crate::boundary::{enter, enter_on, output, required};
use crate::sized;
use crate::types::{hcube_error, hcube_panels_options};
use ::hcube_hpl::Panels;
use ::hcube_hpl::slots::slots_for;
use hcube_core::comm::agree;
use hcube_core::error::{Error, Result};
use hcube_core::mpi::{MPI_Comm, MpiComm, gate};
use std::ffi::c_void;

/// Collective. Prepares a communicator, a process row, for broadcasts of panels, as LU factorisations
/// with look-ahead need them: the root of a panel computes it where the other ranks of its node
/// read it, so nothing is copied, and ranks of this node need not poll. On each further node one rank, by
/// turns, receives the panel in memory that its node reads, and passes it on to other nodes.
///
/// A panel is begun on all ranks of the row, in the same order (hcube_panels_begin). Its root writes
/// it and posts it; the others look for it (hcube_panels_test, hcube_panels_wait) and read it in
/// place; every rank releases it. Memory stays with the communicator until it is freed.
///
/// On several nodes, a rank that has to pass a panel on does that in calls of these functions with the
/// communicator: call hcube_panels_progress until it says that this is done. A rank posts its panels
/// before it waits for later ones.
///
/// A communicator may be prepared again, for larger panels or more slots, where all panels were
/// released by all ranks.
///
/// comm: an intracommunicator.
/// bytes: size of the largest panel; the same on all ranks.
/// slots: panels of one root for which there is memory, 1 or more; the same on all ranks. Where
/// all slots of a root are in use, hcube_panels_begin waits there until all ranks have released its
/// oldest panel. hcube_panels_slots returns how many exclude a deadlock.
/// Errors on all ranks: HCUBE_ERR_ARGUMENT, also if a panel is still in use; HCUBE_ERR_MISMATCH;
/// HCUBE_ERR_MEMORY, also if ranks of a node cannot share memory; HCUBE_ERR_MPI.
/// Errors only on the calling rank: HCUBE_ERR_COMM for an invalid communicator,
/// HCUBE_ERR_MPI_STATE.
/// Source of asynchronous broadcasts in HPL on teams and events: G. Jin et al., Implementation and
/// Performance Evaluation of the HPC Challenge Benchmarks in Coarray Fortran 2.0, IPDPS 2011.
///
/// # Safety
/// The pointer is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_panels_prepare(
    comm: MPI_Comm,
    bytes: u64,
    slots: u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { prepare(comm, error, || Ok(hcube_panels_options::new(bytes, slots))) }
}

/// Collective. As hcube_panels_prepare, with a choice of how nodes pass panels on.
///
/// comm: an intracommunicator.
/// options: the panels; the same on all ranks.
/// Errors: as hcube_panels_prepare.
///
/// # Safety
/// The pointers are null or valid, and the options for the bytes that their first field says.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_panels_prepare_for(
    comm: MPI_Comm,
    options: *const hcube_panels_options,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        prepare(comm, error, || {
            required(options, "options")?;
            sized::read(options, || Ok(hcube_panels_options::new(0, 0)))
        })
    }
}

/// # Safety
/// The pointer is null or valid.
unsafe fn prepare(
    comm: MPI_Comm,
    error: *mut hcube_error,
    given: impl FnOnce() -> Result<hcube_panels_options>,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function; the handle is one of MPI's.
    unsafe {
        enter_on(comm, error, |comm| {
            gate::enter_without_messages(comm, |comm, kept: &mut Option<Panels<MpiComm>>| {
                let given = match kept {
                    Some(panels) if !panels.is_idle() => {
                        Err(Error::Usage("a panel of the communicator is still in use".into()))
                    }
                    _ => given().and_then(|given| given.read()),
                };
                let (memory, topology, options) = agree(comm, given)?;
                if let Some(panels) = kept {
                    panels.finish(comm)?;
                }
                *kept = Some(Panels::renew(comm, kept.take(), memory, topology, &options)?);
                Ok(())
            })
        })
    }
}

/// Local. Computes the slots for hcube_panels_prepare that exclude a deadlock, where every rank
/// releases each panel before it begins the one `in_use` panels later.
///
/// in_use: panels that a rank has begun and not released, at most, with the one that it begins. HPL
/// with look-ahead d: d + 2.
/// roots: ranks that begin panels in turn, usually the size of the row; 1 if many consecutive panels
/// may have the same root.
/// slots: receives the number of slots per rank.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_panels_slots(
    in_use: u64,
    roots: u64,
    slots: *mut u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        enter(None, error, || {
            let slots = output(slots, "slots")?;
            let roots = usize::try_from(roots).ok().filter(|&roots| roots > 0);
            let roots = roots.ok_or_else(|| Error::argument("roots", 0, "1 or more"))?;
            *slots = slots_for(in_use as usize, roots) as u64;
            Ok(())
        })
    }
}

/// Local. Returns for what a communicator was prepared.
///
/// comm: an intracommunicator.
/// bytes: receives the size of the largest panel; 0 before hcube_panels_prepare.
/// slots: receives the number of slots per rank; 0 before hcube_panels_prepare.
/// Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_panels_prepared(
    comm: MPI_Comm,
    bytes: *mut u64,
    slots: *mut u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function; the handle is one of MPI's.
    unsafe {
        enter_on(comm, error, |comm| {
            let places = [output(bytes, "bytes")?, output(slots, "slots")?];
            let found =
                gate::look(comm, |panels: &Panels<MpiComm>| [panels.memory().bytes, panels.memory().slots])?;
            for (place, value) in places.into_iter().zip(found.unwrap_or_default()) {
                *place = value as u64;
            }
            Ok(())
        })
    }
}

/// Begins a panel; called by all ranks of the row in the same order. Local on all ranks but the
/// root, which waits until all ranks have released the panel that it has begun `slots` panels of its
/// own before.
///
/// comm: a communicator that was prepared.
/// root: the rank that computes the panel.
/// bytes: size of the panel; the same on all ranks.
/// panel: receives the number of the panel.
/// place: on the root receives the address to which it writes the panel before it posts it, aligned
/// to 64 bytes; elsewhere NULL.
/// Errors only on the calling rank, which has not begun the panel then, so that its later panels are
/// not those of other ranks. hcube_panels_test and hcube_panels_wait report that where the roots or
/// sizes of panels differ: HCUBE_ERR_ARGUMENT, also if the communicator was not prepared, if this
/// rank has not released the panel `in_use` numbers before, or if the root itself still uses the panel
/// for whose release it would wait; HCUBE_ERR_COMM; HCUBE_ERR_MPI_STATE.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_panels_begin(
    comm: MPI_Comm,
    root: i32,
    bytes: u64,
    panel: *mut u64,
    place: *mut *mut c_void,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        run(comm, error, |comm, panels| {
            let (number, place) = (output(panel, "panel")?, output(place, "place")?);
            let root =
                usize::try_from(root).map_err(|_| Error::argument("root", root, "a rank of the row"))?;
            *number = panels.begin(comm, root, bytes as usize)?;
            let own = panels.is_root(*number)?;
            *place = if own { panels.place(*number)?.address().cast() } else { std::ptr::null_mut() };
            Ok(())
        })
    }
}

/// Local. Shows a panel to the other ranks, on its root, which does not write to it any more. A root
/// posts its panels in the order in which it has begun them. Has no effect on a panel that was posted
/// before.
///
/// comm: a communicator that was prepared.
/// panel: the number from hcube_panels_begin.
/// Errors: HCUBE_ERR_ARGUMENT if the panel was not begun or was released, this rank is not the root,
/// an earlier panel was not posted, or the communicator was not prepared; HCUBE_ERR_COMM;
/// HCUBE_ERR_MPI_STATE.
///
/// # Safety
/// The pointer is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_panels_post(
    comm: MPI_Comm,
    panel: u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { run(comm, error, |comm, panels| panels.post(comm, panel)) }
}

/// Local. Looks whether a panel was posted and has arrived on this node.
///
/// comm: a communicator that was prepared.
/// panel: the number from hcube_panels_begin.
/// place: receives the address of the panel, which may be read until it is released; NULL if it was
/// not posted yet.
/// Errors: as hcube_panels_post; HCUBE_ERR_ARGUMENT also if the root has begun the panel with another
/// size, has not begun the same panels before it, or has released it without posting it.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_panels_test(
    comm: MPI_Comm,
    panel: u64,
    place: *mut *const c_void,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        run(comm, error, |comm, panels| {
            let place = output(place, "place")?;
            let arrived = panels.has_arrived(comm, panel)?;
            *place = if arrived { panels.content(panel)?.address().cast() } else { std::ptr::null() };
            Ok(())
        })
    }
}

/// Waits until a panel was posted; MPI makes progress meanwhile.
///
/// comm: a communicator that was prepared.
/// panel: the number from hcube_panels_begin.
/// place: receives the address of the panel, which may be read until it is released.
/// Errors: as hcube_panels_test; HCUBE_ERR_ARGUMENT also on a root that has not posted the panel.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_panels_wait(
    comm: MPI_Comm,
    panel: u64,
    place: *mut *const c_void,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        run(comm, error, |comm, panels| {
            let place = output(place, "place")?;
            panels.wait(comm, panel)?;
            *place = panels.content(panel)?.address().cast();
            Ok(())
        })
    }
}

/// Local. Passes panels on to other nodes, and says whether this rank has nothing more to do for one
/// and those before it: whether what it has to send or to receive for its node was sent and received.
/// A root, or a rank that receives a panel for its node, calls this until it is done before it waits for
/// others by other means; ranks with nothing to pass on are done at once.
///
/// comm: a communicator that was prepared.
/// panel: the number from hcube_panels_begin.
/// done: receives 1 or 0.
/// Errors: HCUBE_ERR_ARGUMENT if the panel was not begun or was released, or the communicator was not
/// prepared; HCUBE_ERR_COMM; HCUBE_ERR_MPI; HCUBE_ERR_MPI_STATE.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_panels_progress(
    comm: MPI_Comm,
    panel: u64,
    done: *mut i32,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        run(comm, error, |comm, panels| {
            let done = output(done, "done")?;
            *done = panels.progress(comm, panel)?.into();
            Ok(())
        })
    }
}

/// Local. Ends the use of a panel on this rank; its memory serves a later panel. Panels may be
/// released in any order. A root may release a panel that it has not posted if no other rank looks
/// for it.
///
/// comm: a communicator that was prepared.
/// panel: the number from hcube_panels_begin.
/// Errors: as hcube_panels_post.
///
/// # Safety
/// The pointer is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_panels_release(
    comm: MPI_Comm,
    panel: u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { run(comm, error, |comm, panels| panels.release(comm, panel)) }
}

/// # Safety
/// The pointer is null or valid.
unsafe fn run(
    comm: MPI_Comm,
    error: *mut hcube_error,
    work: impl FnOnce(&MpiComm, &mut Panels<MpiComm>) -> Result<()>,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function; the handle is one of MPI's.
    unsafe {
        enter_on(comm, error, |comm| {
            gate::enter_without_messages(comm, |comm, kept: &mut Option<Panels<MpiComm>>| match kept {
                Some(panels) => work(comm, panels),
                None => Err(Error::Usage("the communicator was not prepared for panels".into())),
            })
        })
    }
}
