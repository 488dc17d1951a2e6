//! How the MPI library handles arguments that some libraries accept and others reject, so that hcube behaves
//! in the same way in the exchanges that it performs.
//!
//! Idea: the behaviour of the library is tested, once per process and question, by a call without effect on a
//! private communicator of one rank (`guard`). Calls with unambiguous arguments do not need this.
//!
//! Restrictions: all MPI functions of one form behave alike, except neighbourhood collectives, which are
//! tested separately (Open MPI 4 and 5, MPICH 4 and 5, Intel MPI 2021). Without the communicator, and for
//! simulated ranks, ambiguous arguments are accepted.
//! Cost: a communicator of one rank, which also checks datatypes; for neighbourhood collectives another one,
//! temporarily.

use super::check::check;
use super::constants::{SUCCESS, constants};
use super::guard::guard;
use super::handle::simulated;
use super::own_call::marked;
use super::raw::{self, MPI_Comm, MPI_Datatype};
use super::topology::Form;
use crate::atomic::{AtomicU8, Ordering};
use crate::error::Result;
use std::ffi::{c_int, c_void};
use std::sync::{Mutex, PoisonError};

/// Functions that judge alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judge {
    /// Those that exchange with neighbours in a topology.
    pub of_neighbours: bool,
    /// The kind of their arguments.
    pub form: Form,
}

/// A question to the library.
#[derive(Debug, Clone, Copy)]
enum Question {
    /// Whether blocks without elements may have any datatype.
    UnusedTypes,
    /// Whether the receive buffer may be `MPI_IN_PLACE` if nothing is received.
    ReceiveInPlace,
    /// Whether one buffer may be the send buffer and the receive buffer.
    OneBuffer,
}

/// An answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It is accepted.
    Accepted,
    /// It is refused with `MPI_ERR_ARG`.
    Argument,
    /// It is refused with another error.
    Refused,
}

/// The answers that were given.
static ANSWERS: [[[AtomicU8; QUESTIONS]; FORMS]; 2] =
    [const { [const { [const { AtomicU8::new(UNKNOWN) }; QUESTIONS] }; FORMS] }; 2];
const QUESTIONS: usize = 3;
const FORMS: usize = 3;
const UNKNOWN: u8 = 0;

/// Entries of arrays: a ring of one rank has two neighbours.
const ENTRIES: usize = 2;

impl Judge {
    /// Local: whether blocks without elements may have any datatype, also `MPI_DATATYPE_NULL`.
    pub fn ignores_unused_types(self) -> bool {
        self.ask(Question::UnusedTypes) == Answer::Accepted
    }

    /// Local: the judgement of `MPI_IN_PLACE` as the receive buffer of blocks without elements; for
    /// neighbours also as the send buffer.
    pub fn receive_in_place(self) -> Answer {
        self.ask(Question::ReceiveInPlace)
    }

    /// Local: whether one buffer may be the send buffer and the receive buffer.
    pub fn accepts_one_buffer(self) -> bool {
        self.ask(Question::OneBuffer) == Answer::Accepted
    }

    fn ask(self, question: Question) -> Answer {
        /// One thread at a time uses the communicator, and these calls do not wait.
        static TURN: Mutex<()> = Mutex::new(());
        let place = &ANSWERS[usize::from(self.of_neighbours)][self.form as usize][question as usize];
        if let Some(answer) = Answer::of(place.load(Ordering::Relaxed)) {
            return answer;
        }
        if simulated() {
            return Answer::Accepted;
        }
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        // A question that could not be tested now is tested again.
        let Ok(answer) = self.answer(question) else { return Answer::Accepted };
        place.store(answer.number(), Ordering::Relaxed);
        answer
    }

    #[cold]
    fn answer(self, question: Question) -> Result<Answer> {
        let guard = guard()?;
        if !self.of_neighbours {
            return Ok(self.call(question, guard));
        }
        let (one, mut ring) = (1, constants().comm_null);
        // SAFETY: a communicator of one rank, which nobody else uses; the new one is freed here.
        unsafe {
            check("MPI_Cart_create", raw::PMPI_Cart_create(guard, 1, &one, &one, 0, &mut ring))?;
            raw::PMPI_Comm_set_errhandler(ring, constants().errors_return);
            let answer = self.call(question, ring);
            raw::PMPI_Comm_free(&mut ring);
            Ok(answer)
        }
    }

    /// Makes the call.
    fn call(self, question: Question, comm: MPI_Comm) -> Answer {
        let (byte, none) = (constants().byte, constants().datatype_null);
        let mut bytes = [0u8; 2 * ENTRIES];
        let sent = bytes.as_mut_ptr().cast::<c_void>();
        let received = bytes[ENTRIES..].as_mut_ptr().cast::<c_void>();
        match question {
            Question::UnusedTypes => self.exchange(0, none, sent, received, comm),
            Question::ReceiveInPlace => self.exchange(0, byte, sent, constants().in_place, comm),
            Question::OneBuffer => self.exchange(1, byte, sent, sent, comm),
        }
    }

    /// An exchange of a rank with itself.
    fn exchange(
        self,
        count: c_int,
        datatype: MPI_Datatype,
        sent: *mut c_void,
        received: *mut c_void,
        comm: MPI_Comm,
    ) -> Answer {
        let (counts, places, far) = ([count; ENTRIES], [0, 1], [0, 1]);
        let (counts_at, places_at, types) = (counts.as_ptr(), places.as_ptr(), [datatype; ENTRIES]);
        let types_at = types.as_ptr();
        // SAFETY: all arrays have an entry per neighbour, which are at most two, and each buffer has a byte
        // for each of them. Nothing is read or written where the count is 0; otherwise these are bytes of
        // this call.
        let code = marked(sent, || unsafe {
            match (self.of_neighbours, self.form) {
                (false, Form::Equal) => {
                    raw::PMPI_Alltoall(sent, count, datatype, received, count, datatype, comm)
                }
                (false, Form::Counts) => raw::PMPI_Alltoallv(
                    sent, counts_at, places_at, datatype, received, counts_at, places_at, datatype, comm,
                ),
                (false, Form::Types) => raw::PMPI_Alltoallw(
                    sent, counts_at, places_at, types_at, received, counts_at, places_at, types_at, comm,
                ),
                (true, Form::Equal) => {
                    raw::PMPI_Neighbor_alltoall(sent, count, datatype, received, count, datatype, comm)
                }
                (true, Form::Counts) => raw::PMPI_Neighbor_alltoallv(
                    sent, counts_at, places_at, datatype, received, counts_at, places_at, datatype, comm,
                ),
                (true, Form::Types) => {
                    let far_at = far.as_ptr();
                    raw::PMPI_Neighbor_alltoallw(
                        sent, counts_at, far_at, types_at, received, counts_at, far_at, types_at, comm,
                    )
                }
            }
        });
        Answer::from_code(code)
    }
}

impl Answer {
    fn number(self) -> u8 {
        match self {
            Self::Accepted => 1,
            Self::Argument => 2,
            Self::Refused => 3,
        }
    }

    /// The answer with this number.
    fn of(number: u8) -> Option<Self> {
        [Self::Accepted, Self::Argument, Self::Refused].into_iter().find(|answer| answer.number() == number)
    }

    fn from_code(code: c_int) -> Self {
        if code == SUCCESS {
            return Self::Accepted;
        }
        let mut class = 0;
        // SAFETY: a code that MPI has just returned.
        unsafe { raw::PMPI_Error_class(code, &mut class) };
        if class == constants().error_arg { Self::Argument } else { Self::Refused }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_has_a_number_of_its_own() {
        let all = [Answer::Accepted, Answer::Argument, Answer::Refused];
        assert_eq!(all.map(|answer| Answer::of(answer.number())), all.map(Some));
        assert_eq!(Answer::of(UNKNOWN), None);
    }
}
