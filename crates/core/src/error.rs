//! The one error type of the crate and the codes by which C sees it.

use std::fmt;

/// The call did what it says.
pub const HCUBE_SUCCESS: i32 = 0;
/// An argument is outside what the function accepts; the message names it and its value.
pub const HCUBE_ERR_ARGUMENT: i32 = 1;
/// The local part of the table is not the part that this rank has in the distribution.
pub const HCUBE_ERR_DISTRIBUTION: i32 = 2;
/// The communicator is null, freed or an intercommunicator.
pub const HCUBE_ERR_COMM: i32 = 3;
/// MPI is not initialised yet or already finalised.
pub const HCUBE_ERR_MPI_STATE: i32 = 4;
/// An MPI function failed; the message names the function and carries MPI's own text.
pub const HCUBE_ERR_MPI: i32 = 5;
/// Memory could not be obtained.
pub const HCUBE_ERR_MEMORY: i32 = 6;
/// The ranks of the communicator passed different values for an argument that must agree.
pub const HCUBE_ERR_MISMATCH: i32 = 7;
/// A defect of hcube itself: please report the message.
pub const HCUBE_ERR_INTERNAL: i32 = 8;

/// What a rank sends is not what its partner expects; the message names ranks and counts.
pub const HCUBE_ERR_TRUNCATE: i32 = 9;
/// A count is negative.
pub const HCUBE_ERR_COUNT: i32 = 10;
/// A datatype is null, not committed or not valid.
pub const HCUBE_ERR_DATATYPE: i32 = 11;
/// A buffer is null where it must hold data.
pub const HCUBE_ERR_BUFFER: i32 = 12;

/// Result of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What can go wrong. The numbers of [`Error::code`] never change their meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// An argument is outside what is accepted.
    Argument {
        /// The argument's name in the C interface, for example `table.words`.
        name: &'static str,
        /// Its value as text.
        value: String,
        /// What would be accepted.
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
    /// Memory could not be obtained.
    Memory(String),
    /// The ranks passed different values for an argument that must agree.
    Mismatch {
        /// The argument's name.
        name: &'static str,
        /// The smallest value any rank passed.
        least: i64,
        /// The largest value any rank passed.
        most: i64,
    },
    /// What a rank sends is not what its partner expects.
    Truncate(String),
    /// A count is negative.
    Count(String),
    /// A datatype is null, not committed or not valid.
    Datatype(String),
    /// A buffer is null where it must hold data.
    Buffer(String),
    /// What MPI allows and hcube leaves to the MPI library's own functions.
    Unsupported(String),
    /// Another rank refused its arguments.
    Remote {
        /// That rank.
        rank: usize,
        /// Its error code.
        code: i32,
        /// Its message.
        message: String,
    },
    /// A defect of hcube.
    Internal(String),
}

impl Error {
    /// An [`Error::Argument`] from displayable parts.
    pub fn argument(name: &'static str, value: impl fmt::Display, expected: impl fmt::Display) -> Self {
        Self::Argument { name, value: value.to_string(), expected: expected.to_string() }
    }

    /// The code that the C interface returns.
    pub fn code(&self) -> i32 {
        match self {
            Self::Argument { .. } | Self::Unsupported(_) => HCUBE_ERR_ARGUMENT,
            Self::Distribution(_) => HCUBE_ERR_DISTRIBUTION,
            Self::Communicator(_) => HCUBE_ERR_COMM,
            Self::MpiState(_) => HCUBE_ERR_MPI_STATE,
            Self::Mpi { .. } => HCUBE_ERR_MPI,
            Self::Memory(_) => HCUBE_ERR_MEMORY,
            Self::Mismatch { .. } => HCUBE_ERR_MISMATCH,
            Self::Truncate(_) => HCUBE_ERR_TRUNCATE,
            Self::Count(_) => HCUBE_ERR_COUNT,
            Self::Datatype(_) => HCUBE_ERR_DATATYPE,
            Self::Buffer(_) => HCUBE_ERR_BUFFER,
            Self::Remote { code, .. } => *code,
            Self::Internal(_) => HCUBE_ERR_INTERNAL,
        }
    }
}

/// One sentence for each code, without the particulars that [`Error`] carries.
pub fn describe_code(code: i32) -> &'static std::ffi::CStr {
    match code {
        HCUBE_SUCCESS => c"success",
        HCUBE_ERR_ARGUMENT => c"an argument is outside what the function accepts",
        HCUBE_ERR_DISTRIBUTION => c"the local part of the table does not match the distribution",
        HCUBE_ERR_COMM => c"the communicator is null, freed or an intercommunicator",
        HCUBE_ERR_MPI_STATE => c"MPI is not initialised or already finalised",
        HCUBE_ERR_MPI => c"an MPI function failed",
        HCUBE_ERR_MEMORY => c"memory could not be obtained",
        HCUBE_ERR_MISMATCH => c"the ranks passed different values for an argument that must agree",
        HCUBE_ERR_INTERNAL => c"internal error of hcube",
        HCUBE_ERR_TRUNCATE => c"what a rank sends is not what its partner expects",
        HCUBE_ERR_COUNT => c"a count is negative",
        HCUBE_ERR_DATATYPE => c"a datatype is null, not committed or not valid",
        HCUBE_ERR_BUFFER => c"a buffer is null where it must hold data",
        _ => c"unknown error code",
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument { name, value, expected } => write!(out, "{name} = {value}: expected {expected}"),
            Self::Distribution(text) | Self::Communicator(text) | Self::Memory(text) => out.write_str(text),
            Self::Truncate(text)
            | Self::Count(text)
            | Self::Datatype(text)
            | Self::Buffer(text)
            | Self::Unsupported(text) => out.write_str(text),
            Self::MpiState(text) => out.write_str(text),
            Self::Mpi { call, code, text } => write!(out, "{call} failed with code {code}: {text}"),
            Self::Mismatch { name, least, most } => {
                write!(
                    out,
                    "{name} differs between ranks: from {least} to {most}; all ranks must pass the same"
                )
            }
            Self::Remote { rank, message, .. } => write!(out, "rank {rank} refused: {message}"),
            Self::Internal(text) => write!(out, "internal error, please report: {text}"),
        }
    }
}

impl std::error::Error for Error {}
