//! The error type of all crates, and the codes by which C sees it.

use std::ffi::CStr;
use std::fmt;
use std::io::{self, ErrorKind};

/// A code by which C sees an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// The name of the constant in C and Fortran.
    pub constant: &'static str,
    /// The value that C functions return.
    pub number: i32,
    /// The text that `hcube_error_string()` returns.
    pub text: &'static CStr,
}

/// Declares the codes. The text of a code is its documentation in the C header and what
/// `hcube_error_string()` returns.
macro_rules! codes {
    ($($Name:ident = $number:literal: $text:literal;)+) => {
        $(#[doc = $text] pub const $Name: i32 = $number;)+

        /// All codes, in ascending order.
        pub const CODES: &[Code] = &[$(Code {
            constant: stringify!($Name),
            number: $number,
            text: match CStr::from_bytes_with_nul(concat!($text, "\0").as_bytes()) {
                Ok(text) => text,
                Err(_) => panic!("a text has no zero byte"),
            },
        }),+];
    };
}

codes! {
    HCUBE_SUCCESS = 0: "No error";
    HCUBE_ERR_ARGUMENT = 1: "An argument is not valid; the message names it";
    HCUBE_ERR_DISTRIBUTION = 2: "The local part of the table is not the part that this rank has in the distribution";
    HCUBE_ERR_COMM = 3: "The communicator is null, freed, an intercommunicator or too large";
    HCUBE_ERR_MPI_STATE = 4: "MPI is not initialised yet or already finalised";
    HCUBE_ERR_MPI = 5: "A call of MPI failed; the message names it and contains the text of MPI";
    HCUBE_ERR_MEMORY = 6: "Memory, or shared memory, could not be allocated";
    HCUBE_ERR_MISMATCH = 7: "The ranks passed different values for an argument that must be the same on all ranks";
    HCUBE_ERR_INTERNAL = 8: "An internal error of hcube; please report the message";
    HCUBE_ERR_TRUNCATE = 9: "A rank sends a different amount of data than its partner expects; the message names both";
    HCUBE_ERR_COUNT = 10: "A count or displacement is negative or too large";
    HCUBE_ERR_DATATYPE = 11: "A datatype is null, not committed or not valid";
    HCUBE_ERR_BUFFER = 12: "A buffer is null or cannot be used";
    HCUBE_ERR_FAILED_IMAGE = 13: "An image has failed, so what was waited for may never come";
    HCUBE_ERR_STOPPED_IMAGE = 14: "An image has stopped, so what was waited for will never come";
}

/// Result of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// An error. The numbers of [`Error::code`] never change their meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// An argument is not valid.
    Argument {
        /// The argument's name in the C interface, for example `table.words`.
        name: &'static str,
        /// Its value as text.
        value: String,
        /// The valid values, for the message `name = value: expected ...`.
        expected: String,
    },
    /// The local part of a table does not match the distribution.
    Distribution(String),
    /// The communicator cannot be used.
    Communicator(String),
    /// MPI is not initialised or already finalised.
    MpiState(&'static str),
    /// An MPI function failed.
    Mpi {
        /// The function, for example `MPI_Isend`.
        call: &'static str,
        /// The MPI error code.
        code: i32,
        /// MPI's text for the code.
        text: String,
    },
    /// Memory could not be allocated.
    Memory(String),
    /// The ranks passed different values for an argument that must be the same on all ranks.
    Mismatch {
        /// The name of the argument in the C interface.
        name: &'static str,
        /// The smallest value.
        least: i64,
        /// The largest value.
        most: i64,
    },
    /// A rank sends a different amount of data than its partner expects.
    Truncate {
        /// What differs, between which ranks.
        message: String,
        /// Whether this rank prints the message: the lowest rank that the mismatch concerns.
        first: bool,
    },
    /// A count or displacement is negative or too large.
    Count(String),
    /// A datatype is null, not committed or not valid.
    Datatype(String),
    /// A buffer is null or cannot be used.
    Buffer(String),
    /// Valid in MPI, but forwarded to the MPI library.
    Unsupported(String),
    /// A call that is not valid where or when it was made, or that other ranks have not made.
    Usage(String),
    /// The arguments of another rank are not valid.
    Remote {
        /// The rank whose arguments are not valid.
        rank: usize,
        /// The error code of that rank, a value of [`CODES`].
        code: i32,
        /// The message of that rank, without a prefix.
        message: String,
    },
    /// An image has failed, so what was waited for may never come.
    FailedImage {
        /// Its rank in the job.
        image: usize,
    },
    /// An image has stopped, so what was waited for will never come.
    StoppedImage {
        /// Its rank in the job.
        image: usize,
    },
    /// An internal error of hcube.
    Internal(String),
}

impl Error {
    /// An [`Error::Argument`] from displayable parts.
    pub fn argument(name: &'static str, value: impl fmt::Display, expected: impl fmt::Display) -> Self {
        Self::Argument { name, value: value.to_string(), expected: expected.to_string() }
    }

    /// Whether this rank or another one had no memory.
    pub fn is_lack_of_memory(&self) -> bool {
        self.code() == HCUBE_ERR_MEMORY
    }

    /// The code that the C interface returns.
    pub fn code(&self) -> i32 {
        match self {
            Self::Argument { .. } | Self::Unsupported(_) | Self::Usage(_) => HCUBE_ERR_ARGUMENT,
            Self::Distribution(_) => HCUBE_ERR_DISTRIBUTION,
            Self::Communicator(_) => HCUBE_ERR_COMM,
            Self::MpiState(_) => HCUBE_ERR_MPI_STATE,
            Self::Mpi { .. } => HCUBE_ERR_MPI,
            Self::Memory(_) => HCUBE_ERR_MEMORY,
            Self::Mismatch { .. } => HCUBE_ERR_MISMATCH,
            Self::Truncate { .. } => HCUBE_ERR_TRUNCATE,
            Self::Count(_) => HCUBE_ERR_COUNT,
            Self::Datatype(_) => HCUBE_ERR_DATATYPE,
            Self::Buffer(_) => HCUBE_ERR_BUFFER,
            Self::Remote { code, .. } => *code,
            Self::FailedImage { .. } => HCUBE_ERR_FAILED_IMAGE,
            Self::StoppedImage { .. } => HCUBE_ERR_STOPPED_IMAGE,
            Self::Internal(_) => HCUBE_ERR_INTERNAL,
        }
    }
}

/// What the system says of an error of input or output, for messages: the text of strerror(3), without its
/// number.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match (error.raw_os_error(), error.kind()) {
        (Some(_), _) => text.split(" (os error ").next().unwrap_or_default().to_owned(),
        (None, ErrorKind::InvalidData) => "not a text in UTF-8".to_owned(),
        (None, ErrorKind::UnexpectedEof) => "it ends too early".to_owned(),
        (None, ErrorKind::WriteZero) => "no more can be written".to_owned(),
        (None, ErrorKind::OutOfMemory) => "no memory".to_owned(),
        (None, _) => text,
    }
}

/// The text of a code.
pub fn describe_code(code: i32) -> &'static CStr {
    CODES.iter().find(|known| known.number == code).map_or(c"Unknown error code", |known| known.text)
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument { name, value, expected } => write!(out, "{name} = {value}: expected {expected}"),
            Self::Distribution(text) | Self::Communicator(text) | Self::Memory(text) => out.write_str(text),
            Self::Truncate { message: text, .. }
            | Self::Count(text)
            | Self::Datatype(text)
            | Self::Buffer(text)
            | Self::Unsupported(text)
            | Self::Usage(text) => out.write_str(text),
            Self::MpiState(text) => out.write_str(text),
            Self::Mpi { call, code, text } => write!(out, "{call} failed with code {code}: {text}"),
            Self::Mismatch { name, least, most } => {
                write!(
                    out,
                    "{name} differs between ranks, from {least} to {most}: expected the same on all ranks"
                )
            }
            Self::Remote { rank, message, .. } => write!(out, "rank {rank} refused: {message}"),
            Self::FailedImage { image } => write!(out, "image {image} has failed"),
            Self::StoppedImage { image } => write!(out, "image {image} has stopped"),
            Self::Internal(text) => write!(out, "internal error, please report: {text}"),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_system_have_the_words_of_the_system() {
        for (error, expected) in [
            (io::Error::from_raw_os_error(libc::ENOENT), "No such file or directory"),
            (io::Error::from_raw_os_error(libc::EACCES), "Permission denied"),
            (io::Error::from(ErrorKind::UnexpectedEof), "it ends too early"),
            (
                io::Error::new(ErrorKind::InvalidData, "stream did not contain valid UTF-8"),
                "not a text in UTF-8",
            ),
            (io::Error::other("said elsewhere"), "said elsewhere"),
        ] {
            assert_eq!(reason(&error), expected);
        }
    }
}
