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

/// Collective. Prepares a communicator, usually a process row, for asynchronous broadcasts of panels in LU
/// factorisations with look-ahead. The root computes a panel in shared memory, where the other ranks of its
/// node read it without a copy and without progress calls. On each other node, one rank receives the panel in
/// shared memory and forwards it to other nodes; the ranks of a node alternate.
///
/// All ranks begin the panels in the same order (hcube_panels_begin). The root of a panel writes it and posts
/// it (hcube_panels_post); the other ranks test or wait for it (hcube_panels_test, hcube_panels_wait) and
/// read it in place; every rank releases it (hcube_panels_release). The memory is kept until the communicator
/// is freed.
///
/// On several nodes, a rank forwards panels only inside calls of these functions: call hcube_panels_progress
/// until it returns done = 1. A rank must post its panels before it waits for later panels.
///
/// A communicator may be prepared again, for larger panels or more slots, when all ranks have released all
/// panels.
///
/// comm: an intracommunicator.
/// bytes: size of the largest panel in bytes; the same on all ranks.
/// slots: number of panel buffers per root, 1 or more; the same on all ranks. If all slots of a root are in
/// use, hcube_panels_begin waits on the root until all ranks have released its oldest panel.
/// hcube_panels_slots returns a number that excludes deadlock.
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

/// Collective. As hcube_panels_prepare, with a choice of the topology of the broadcast between nodes.
///
/// comm: an intracommunicator.
/// options: the same on all ranks.
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
            })?;
            // Otherwise the memory of messages that are still sent would have to stay.
            gate::at_end(comm, |panels: &mut Panels<MpiComm>, comm| {
                if panels.is_idle() {
                    let _ = panels.finish(comm);
                }
            })
        })
    }
}

/// Local. Computes the number of slots for hcube_panels_prepare that excludes deadlock if every rank releases
/// panel i before it begins panel i + in_use.
///
/// in_use: maximum number of panels that a rank has begun and not released, including the panel that it
/// begins. HPL with look-ahead d: d + 2.
/// roots: number of ranks that are root in turn, usually the size of the process row; 1 if many consecutive
/// panels may have the same root.
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

/// Local. Returns the panel size and the number of slots for which a communicator was prepared.
///
/// comm: an intracommunicator.
/// bytes: receives the size of the largest panel in bytes; 0 before hcube_panels_prepare.
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

/// Begins a panel; called by all ranks of the communicator in the same order. Local, except on the root,
/// which waits until all ranks have released the panel in the slot that is reused, the root's own panel
/// `slots` panels earlier.
///
/// comm: a communicator that was prepared.
/// root: the rank that computes the panel.
/// bytes: size of the panel in bytes; the same on all ranks.
/// panel: receives the number of the panel.
/// place: on the root, receives the address where the root writes the panel before it posts it, aligned to 64
/// bytes; NULL on other ranks.
/// Errors only on the calling rank: HCUBE_ERR_ARGUMENT, also if the communicator was not prepared, if this
/// rank has not released panel number - in_use, or if the root itself still uses the panel for whose release
/// it would wait; HCUBE_ERR_COMM; HCUBE_ERR_MPI_STATE. After an error this rank has not begun the panel, and
/// its later panels no longer match the panels of other ranks: hcube_panels_test and hcube_panels_wait report
/// this if roots or sizes differ.
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

/// Local, on the root of a panel. Publishes the panel to the other ranks; the root must not write to it
/// afterwards. A root posts its panels in the order in which it has begun them. No effect on a panel that has
/// been posted.
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

/// Local. Tests whether a panel has been posted and has arrived on this node.
///
/// comm: a communicator that was prepared.
/// panel: the number from hcube_panels_begin.
/// place: receives the address of the panel, which may be read until it is released; NULL if it has not
/// arrived.
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

/// Waits until a panel has been posted and has arrived on this node; MPI makes progress during the wait.
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

/// Local. Makes progress on messages to other nodes, and returns whether this rank has completed all its
/// messages for this panel and earlier panels. A root, or a rank that receives a panel for its node, must
/// call this function until it returns done = 1 before it waits for other ranks by other means. On ranks
/// without messages it returns done = 1 immediately.
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

/// Local. Releases a panel on this rank; its memory is reused for a later panel. Panels may be released in
/// any order. A root may release a panel that it has not posted if no other rank tests or waits for it.
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
