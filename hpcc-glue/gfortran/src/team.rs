//! Teams: image indices refer to the current team.

use crate::failure::{Failure, Image, Result};
use hcube_caf::Handle;
use hcube_caf::others::Status;
use hcube_core::mpi::fortran;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The number of the initial team.
const INITIAL: i64 = -1;

/// A team, seen from one of its images.
#[derive(Debug)]
pub struct Team {
    /// The runtime's handle.
    pub handle: Handle,
    /// What `form team` was given.
    pub number: i64,
    /// This image, from 0 on.
    pub rank: usize,
    /// Images.
    pub size: usize,
    /// Statements `sync all` of this image in it.
    pub synchronisations: Cell<u64>,
    is_initial: bool,
    /// The images of the members, and the members by image, if they were needed.
    members: OnceCell<(Vec<usize>, HashMap<usize, usize>)>,
    /// Its number in Fortran, if the program has requested it.
    communicator: OnceCell<c_int>,
}

/// The current team.
static CURRENT: AtomicPtr<Team> = AtomicPtr::new(ptr::null_mut());

thread_local! {
    /// The addresses of all teams.
    static KNOWN: RefCell<HashSet<usize>> = RefCell::default();
    /// The teams before the current one.
    static BEFORE: RefCell<Vec<&'static Team>> = const { RefCell::new(Vec::new()) };
}

/// The current team.
#[inline]
pub fn current() -> &'static Team {
    // SAFETY: teams are never freed, and the program begins with one.
    unsafe { &*CURRENT.load(Ordering::Relaxed) }
}

fn set_current(team: &'static Team) {
    CURRENT.store(ptr::from_ref(team).cast_mut(), Ordering::Relaxed);
}

/// The initial team becomes the current one.
pub fn begin(image: &Image) {
    let world = image.world();
    let (rank, size) = image.with_team(world, |team| (team.rank(), team.size()));
    set_current(Team::new(world, INITIAL, rank, size, true));
}

impl Team {
    fn new(handle: Handle, number: i64, rank: usize, size: usize, is_initial: bool) -> &'static Self {
        let team = Box::leak(Box::new(Self {
            handle,
            number,
            rank,
            size,
            synchronisations: Cell::new(0),
            is_initial,
            members: OnceCell::new(),
            communicator: OnceCell::new(),
        }));
        KNOWN.with_borrow_mut(|known| known.insert(ptr::from_ref(team).addr()));
        team
    }

    /// The team that a variable of the program names.
    pub fn named(address: *const Self) -> Result<&'static Self> {
        if KNOWN.with_borrow(|known| known.contains(&address.addr())) {
            // SAFETY: one of those that were made, and teams are never freed.
            return Ok(unsafe { &*address });
        }
        Err(Failure::new("the team variable has no value: expected one of form team"))
    }

    /// Collective over the current team: a new team for each number.
    pub fn form(image: &Image, number: i64) -> Result<&'static Self> {
        let handle = image.split(current().handle, number, 0)?;
        let handle =
            handle.ok_or_else(|| Failure::new(format!("team number {number}: expected 0 or more")))?;
        let (rank, size) = image.with_team(handle, |team| (team.rank(), team.size()));
        Ok(Self::new(handle, number, rank, size, false))
    }

    /// The rank that an image number names.
    #[inline]
    pub fn rank_of(&self, number: i32) -> Result<usize> {
        match usize::try_from(i64::from(number) - 1) {
            Ok(rank) if rank < self.size => Ok(rank),
            _ => Err(self.no_image(number)),
        }
    }

    #[cold]
    fn no_image(&self, number: i32) -> Failure {
        let of = if self.is_initial { String::new() } else { format!(" of team {}", self.number) };
        Failure::new(format!("image index {number}: expected 1 to {}, the images{of}", self.size))
    }

    fn members(&self, image: &Image) -> Result<&(Vec<usize>, HashMap<usize, usize>)> {
        if self.members.get().is_none() {
            let images: std::result::Result<Vec<usize>, _> =
                (0..self.size).map(|rank| image.image_of(self.handle, rank)).collect();
            let images = images?;
            let ranks = images.iter().enumerate().map(|(rank, &image)| (image, rank)).collect();
            drop(self.members.set((images, ranks)));
        }
        Ok(self.members.get().expect("set above"))
    }

    /// The image of a rank: its rank in the initial team.
    pub fn image_of(&self, image: &Image, rank: usize) -> Result<usize> {
        if self.is_initial { Ok(rank) } else { Ok(self.members(image)?.0[rank]) }
    }

    /// Whether all its images are on the node of this one.
    pub fn is_on_node(&self, image: &Image) -> Result<bool> {
        for rank in 0..self.size {
            if !image.is_on_node(self.image_of(image, rank)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The communicator of the team, as Fortran has it. Collective over the team at the first call, because
    /// most programs need none, and need not wait for it in `form team`.
    pub fn communicator(&self, image: &Image) -> Result<c_int> {
        if self.is_initial {
            return Ok(fortran::world_number()?);
        }
        if let Some(&number) = self.communicator.get() {
            return Ok(number);
        }
        let (images, _) = self.members(image)?;
        // Members serve the others in here, but not while they are inside MPI.
        image.barrier(self.handle)?;
        let number = fortran::new_communicator(images)?;
        Ok(*self.communicator.get_or_init(|| number))
    }

    /// The rank in this team of the image that a number names in the current one.
    #[inline]
    pub fn rank_of_current(&self, image: &Image, number: i32) -> Result<usize> {
        let team = current();
        let rank = team.rank_of(number)?;
        if ptr::eq(self, team) { Ok(rank) } else { self.rank_in_other(image, team, rank) }
    }

    #[cold]
    fn rank_in_other(&self, image: &Image, team: &Self, rank: usize) -> Result<usize> {
        let found = team.image_of(image, rank)?;
        if self.is_initial {
            return Ok(found);
        }
        let rank_here = self.members(image)?.1.get(&found).copied();
        rank_here.ok_or_else(|| {
            Failure::new(format!(
                "image index {}: its image has no part of the coarray, which belongs to team {}",
                rank + 1,
                self.number
            ))
        })
    }
}

/// Collective over the team: it becomes the current one.
pub fn change(image: &Image, team: &'static Team) -> Result<()> {
    image.push_team(team.handle)?;
    BEFORE.with_borrow_mut(|before| before.push(current()));
    set_current(team);
    Ok(image.barrier(team.handle)?)
}

/// Collective over the current team: the one before becomes the current one again.
pub fn end(image: &Image) -> Result<()> {
    let team = BEFORE.with_borrow_mut(Vec::pop);
    let team = team.ok_or_else(|| Failure::new("no team has been changed to"))?;
    let left = current();
    image.pop_team()?;
    set_current(team);
    Ok(image.barrier(left.handle)?)
}

/// The images of the current team with a status, from 0 on.
fn with(image: &Image, status: Status) -> Result<Vec<usize>> {
    Ok(image.images_with(current().handle, status)?)
}

/// Images of the current team that have failed.
pub fn failed(image: &Image) -> Result<Vec<usize>> {
    with(image, Status::Failed)
}

/// Images of the current team that have stopped.
pub fn stopped(image: &Image) -> Result<Vec<usize>> {
    with(image, Status::Stopped)
}
