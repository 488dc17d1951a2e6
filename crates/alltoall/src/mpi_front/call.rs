//! The arguments of the all-to-all functions of MPI, and the functions of the MPI library for them.

use hcube_core::mpi::forward::{self, in_place};
use hcube_core::mpi::handle::{Handle, partners};
use hcube_core::mpi::{MPI_Aint, MPI_Comm, MPI_Count, MPI_Datatype};
use std::ffi::{c_int, c_void};

/// Which of MPI's functions a call belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Function {
    /// `MPI_Alltoall`.
    Alltoall,
    /// `MPI_Alltoallv`.
    Alltoallv,
    /// `MPI_Alltoallw`.
    Alltoallw,
    /// `MPI_Neighbor_alltoall`.
    NeighborAlltoall,
    /// `MPI_Neighbor_alltoallv`.
    NeighborAlltoallv,
    /// `MPI_Neighbor_alltoallw`.
    NeighborAlltoallw,
    /// `MPI_Ialltoall`.
    Ialltoall,
    /// `MPI_Ialltoallv`.
    Ialltoallv,
    /// `MPI_Ialltoallw`.
    Ialltoallw,
    /// `MPI_Alltoall_init`.
    AlltoallInit,
    /// `MPI_Alltoallv_init`.
    AlltoallvInit,
    /// `MPI_Alltoallw_init`.
    AlltoallwInit,
}

impl Function {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 12] = [
        Self::Alltoall,
        Self::Alltoallv,
        Self::Alltoallw,
        Self::NeighborAlltoall,
        Self::NeighborAlltoallv,
        Self::NeighborAlltoallw,
        Self::Ialltoall,
        Self::Ialltoallv,
        Self::Ialltoallw,
        Self::AlltoallInit,
        Self::AlltoallvInit,
        Self::AlltoallwInit,
    ];

    /// MPI's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Alltoall => "MPI_Alltoall",
            Self::Alltoallv => "MPI_Alltoallv",
            Self::Alltoallw => "MPI_Alltoallw",
            Self::NeighborAlltoall => "MPI_Neighbor_alltoall",
            Self::NeighborAlltoallv => "MPI_Neighbor_alltoallv",
            Self::NeighborAlltoallw => "MPI_Neighbor_alltoallw",
            Self::Ialltoall => "MPI_Ialltoall",
            Self::Ialltoallv => "MPI_Ialltoallv",
            Self::Ialltoallw => "MPI_Ialltoallw",
            Self::AlltoallInit => "MPI_Alltoall_init",
            Self::AlltoallvInit => "MPI_Alltoallv_init",
            Self::AlltoallwInit => "MPI_Alltoallw_init",
        }
    }

    /// Whether its exchanges end with the completion of a request.
    pub fn is_nonblocking(self) -> bool {
        matches!(
            self,
            Self::Ialltoall
                | Self::Ialltoallv
                | Self::Ialltoallw
                | Self::AlltoallInit
                | Self::AlltoallvInit
                | Self::AlltoallwInit
        )
    }

    /// Whether blocks belong to the neighbours in a topology instead of all ranks.
    pub fn is_of_neighbours(self) -> bool {
        matches!(self, Self::NeighborAlltoall | Self::NeighborAlltoallv | Self::NeighborAlltoallw)
    }

    /// Whether exchanges in place are made, too.
    pub fn has_in_place(self) -> bool {
        !self.is_of_neighbours() && !self.is_nonblocking()
    }
}

/// Counts and displacements of the blocks of one buffer.
#[derive(Debug, Clone, Copy)]
pub enum Counts {
    /// Block i has this number of elements and follows block i - 1.
    Same(c_int),
    /// As [`Self::Same`], of the type of MPI-4's large-count functions.
    SameLarge(MPI_Count),
    /// An array of each, one entry per rank, or per neighbour.
    Int(*const c_int, *const c_int),
    /// As [`Self::Int`], with displacements of type `MPI_Aint`, as in `MPI_Neighbor_alltoallw`.
    Far(*const c_int, *const MPI_Aint),
    /// As [`Self::Int`], of the types of MPI-4's large-count functions.
    Large(*const MPI_Count, *const MPI_Aint),
}

/// Datatypes of the blocks of one buffer.
#[derive(Debug, Clone, Copy)]
pub enum Types {
    /// One for all; displacements count its extents.
    One(MPI_Datatype),
    /// One per rank; displacements are bytes.
    Each(*const MPI_Datatype),
}

/// One buffer with its blocks.
#[derive(Debug, Clone, Copy)]
pub struct Side {
    /// Start of the buffer.
    pub buffer: *mut c_void,
    /// How long the blocks are and where.
    pub counts: Counts,
    /// The datatypes of the blocks.
    pub types: Types,
}

/// A call of one of MPI's functions.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    /// The function that the program has called.
    pub function: Function,
    /// The send side; its buffer is `MPI_IN_PLACE` if the exchange is in place, and then its other fields are
    /// ignored.
    pub send: Side,
    /// Where it is received.
    pub receive: Side,
    /// The communicator, unchecked.
    pub comm: MPI_Comm,
    /// Whether the program calls MPI and does not call hcube. hcube then accepts arguments that MPI libraries
    /// accept, and communicators that are used once cost as little as without hcube.
    pub guest: bool,
}

impl Call {
    /// A call from the arguments of MPI's functions: what is sent, what is received, each with its counts and
    /// datatypes.
    pub fn new(
        function: Function,
        (sent, sent_counts, sent_types): (*const c_void, Counts, Types),
        (received, received_counts, received_types): (*mut c_void, Counts, Types),
        comm: MPI_Comm,
        guest: bool,
    ) -> Self {
        let send = Side { buffer: sent.cast_mut(), counts: sent_counts, types: sent_types };
        let receive = Side { buffer: received, counts: received_counts, types: received_types };
        Self { function, send, receive, comm, guest }
    }

    /// Whether it is in place.
    pub fn in_place(&self) -> bool {
        self.send.buffer == in_place()
    }

    /// Whether the library has a function for this kind of call, without regard to its counts; the same on
    /// all ranks.
    pub fn library_has_function(&self) -> bool {
        let small = matches!(self.receive.counts, Counts::Same(_) | Counts::Int(..) | Counts::Far(..));
        small || forward::has_large_counts()
    }

    /// Whether the MPI library has a function for the counts of this rank: if it lacks MPI-4's functions with
    /// large counts, they must fit an `int`.
    ///
    /// # Safety
    /// Arrays of counts hold an entry per rank; `size` is the number of (remote) ranks.
    #[inline]
    pub unsafe fn library_can(&self, size: usize) -> bool {
        // SAFETY: arrays of counts hold an entry per rank.
        self.library_has_function() || unsafe { self.counts_fit_int(size) }
    }

    /// # Safety
    /// As [`Self::library_can`].
    #[cold]
    unsafe fn counts_fit_int(&self, size: usize) -> bool {
        let sides = if self.in_place() { &[self.receive][..] } else { &[self.send, self.receive][..] };
        sides.iter().all(|side| match side.counts {
            Counts::Same(_) | Counts::Int(..) | Counts::Far(..) => true,
            Counts::SameLarge(count) => c_int::try_from(count).is_ok(),
            // SAFETY: arrays hold an entry per rank, by the contract of this function.
            Counts::Large(..) => unsafe { side.counts.as_int(size) }.is_some(),
        })
    }

    /// Collective: forwards the call to the MPI library, if [`Self::library_can`] is true on all ranks.
    ///
    /// # Safety
    /// The call describes memory and handles as MPI requires.
    pub unsafe fn by_library(&self) -> c_int {
        let (send, receive) = (self.send, self.receive);
        // SAFETY: the arguments are as MPI requires, by the contract of this function.
        unsafe {
            match (send.counts, receive.counts) {
                _ if self.function.is_of_neighbours() => self.between_neighbours(),
                (Counts::Int(sent, from), Counts::Int(received, to)) => {
                    self.with_int_counts([sent, from, received, to])
                }
                (Counts::Same(sent), Counts::Same(received)) => {
                    self.with_same_counts(sent.into(), received.into())
                }
                (Counts::SameLarge(sent), Counts::SameLarge(received)) => {
                    self.with_same_counts(sent, received)
                }
                _ => self.with_large_counts(),
            }
        }
    }

    /// `MPI_Alltoall`.
    ///
    /// # Safety
    /// As [`Self::by_library`].
    unsafe fn with_same_counts(&self, sent: MPI_Count, received: MPI_Count) -> c_int {
        let (send, receive) = (self.send, self.receive);
        // SAFETY: the arguments are as MPI requires, by the contract of this function.
        unsafe {
            let (Types::One(sent_type), Types::One(received_type)) = (send.types, receive.types) else {
                return forward::error_type();
            };
            // In place the first of the two means nothing.
            let sent_as_int = if self.in_place() { Ok(0) } else { c_int::try_from(sent) };
            let (buffer, to, comm) = (send.buffer, receive.buffer, self.comm);
            match (sent_as_int, c_int::try_from(received)) {
                (Ok(sent), Ok(received)) => {
                    forward::alltoall(buffer, sent, sent_type, to, received, received_type, comm)
                }
                _ => forward::alltoall_large(buffer, sent, sent_type, to, received, received_type, comm),
            }
        }
    }

    /// `MPI_Alltoallv` or `MPI_Alltoallw` with counts sent, their displacements, counts received, theirs.
    ///
    /// # Safety
    /// As [`Self::by_library`], with these arrays.
    unsafe fn with_int_counts(&self, [sent, from, received, to]: [*const c_int; 4]) -> c_int {
        let (send, receive) = (self.send, self.receive);
        // SAFETY: the arguments are as MPI requires, by the contract of this function.
        unsafe {
            match (send.types, receive.types) {
                (Types::One(sent_type), Types::One(received_type)) => forward::alltoallv(
                    send.buffer,
                    sent,
                    from,
                    sent_type,
                    receive.buffer,
                    received,
                    to,
                    received_type,
                    self.comm,
                ),
                (Types::Each(sent_types), Types::Each(received_types)) => forward::alltoallw(
                    send.buffer,
                    sent,
                    from,
                    sent_types,
                    receive.buffer,
                    received,
                    to,
                    received_types,
                    self.comm,
                ),
                _ => forward::error_type(),
            }
        }
    }

    /// # Safety
    /// As [`Self::by_library`].
    unsafe fn with_large_counts(&self) -> c_int {
        let (send, receive) = (self.send, self.receive);
        let (Counts::Large(sent, from), Counts::Large(received, to)) = (send.counts, receive.counts) else {
            return forward::error_count();
        };
        // SAFETY: the arguments are as MPI requires, by the contract of this function.
        unsafe {
            if !forward::has_large_counts() {
                let size = partners(Handle::new(self.comm));
                let in_place = self.in_place();
                let sent = if in_place { Some(Default::default()) } else { send.counts.as_int(size) };
                return match (sent, receive.counts.as_int(size)) {
                    (Some((sent, from)), Some((received, to))) => {
                        self.with_int_counts([sent.as_ptr(), from.as_ptr(), received.as_ptr(), to.as_ptr()])
                    }
                    _ => forward::error_count(),
                };
            }
            match (send.types, receive.types) {
                (Types::One(sent_type), Types::One(received_type)) => forward::alltoallv_large(
                    send.buffer,
                    sent,
                    from,
                    sent_type,
                    receive.buffer,
                    received,
                    to,
                    received_type,
                    self.comm,
                ),
                (Types::Each(sent_types), Types::Each(received_types)) => forward::alltoallw_large(
                    send.buffer,
                    sent,
                    from,
                    sent_types,
                    receive.buffer,
                    received,
                    to,
                    received_types,
                    self.comm,
                ),
                _ => forward::error_type(),
            }
        }
    }

    /// An exchange between neighbours.
    ///
    /// # Safety
    /// As [`Self::by_library`].
    unsafe fn between_neighbours(&self) -> c_int {
        let (send, receive, comm) = (self.send, self.receive, self.comm);
        // SAFETY: the arguments are as MPI requires, by the contract of this function.
        unsafe {
            match (send.counts, send.types, receive.counts, receive.types) {
                (
                    Counts::Same(sent),
                    Types::One(sent_type),
                    Counts::Same(received),
                    Types::One(received_type),
                ) => forward::neighbor_alltoall(
                    send.buffer,
                    sent,
                    sent_type,
                    receive.buffer,
                    received,
                    received_type,
                    comm,
                ),
                (
                    Counts::Int(sent, from),
                    Types::One(sent_type),
                    Counts::Int(received, to),
                    Types::One(received_type),
                ) => forward::neighbor_alltoallv(
                    send.buffer,
                    sent,
                    from,
                    sent_type,
                    receive.buffer,
                    received,
                    to,
                    received_type,
                    comm,
                ),
                (
                    Counts::Far(sent, from),
                    Types::Each(sent_types),
                    Counts::Far(received, to),
                    Types::Each(received_types),
                ) => forward::neighbor_alltoallw(
                    send.buffer,
                    sent,
                    from,
                    sent_types,
                    receive.buffer,
                    received,
                    to,
                    received_types,
                    comm,
                ),
                _ => forward::error_count(),
            }
        }
    }
}

impl Counts {
    /// Elements of the block for a rank.
    ///
    /// # Safety
    /// Arrays hold an entry for it.
    pub unsafe fn of(&self, rank: usize) -> i64 {
        // SAFETY: an array holds an entry for the rank, by the contract of this function.
        unsafe {
            match *self {
                Self::Same(count) => count.into(),
                Self::SameLarge(count) => count,
                Self::Int(counts, _) | Self::Far(counts, _) => (*counts.add(rank)).into(),
                Self::Large(counts, _) => *counts.add(rank),
            }
        }
    }

    /// Displacement of the block for a rank.
    ///
    /// # Safety
    /// As [`Self::of`].
    pub unsafe fn displacement(&self, rank: usize) -> i64 {
        // SAFETY: an array holds an entry for the rank, by the contract of this function.
        unsafe {
            match *self {
                Self::Same(count) => i64::from(count) * rank as i64,
                Self::SameLarge(count) => count.saturating_mul(rank as i64),
                Self::Int(_, displacements) => (*displacements.add(rank)).into(),
                Self::Far(_, displacements) | Self::Large(_, displacements) => {
                    *displacements.add(rank) as i64
                }
            }
        }
    }

    /// Large counts and displacements as `int`s, if all of them fit.
    ///
    /// # Safety
    /// Arrays hold an entry for each of `size` ranks.
    unsafe fn as_int(&self, size: usize) -> Option<(Vec<c_int>, Vec<c_int>)> {
        let &Self::Large(counts, displacements) = self else { return None };
        if counts.is_null() || displacements.is_null() {
            return None;
        }
        // SAFETY: not null, and then they hold an entry per rank, by the contract of this function.
        let (counts, displacements) = unsafe {
            (std::slice::from_raw_parts(counts, size), std::slice::from_raw_parts(displacements, size))
        };
        let counts = counts.iter().map(|&count| c_int::try_from(count).ok()).collect::<Option<_>>()?;
        let displacements =
            displacements.iter().map(|&at| c_int::try_from(at).ok()).collect::<Option<_>>()?;
        Some((counts, displacements))
    }
}
