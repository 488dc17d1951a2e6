//! The runtime of this image, and the errors of operations on it.

use crate::abi::{STAT_ALLOCATION, STAT_FAILED_IMAGE, STAT_STOPPED_IMAGE};
use hcube_caf::{Runtime, process};
use hcube_core::error::Error;
use hcube_core::mpi::MpiComm;
use std::ffi::c_int;

/// The runtime of this image.
pub type Image = Runtime<MpiComm>;

/// The status of an error for which Fortran has no constant.
const STAT_OTHER: c_int = 5099;
/// An error of a statement.
#[derive(Debug)]
pub struct Failure {
    /// What `stat=` gets.
    pub stat: c_int,
    /// What `errmsg=` gets.
    pub text: String,
}

/// The result of a statement.
pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// One for which Fortran has no constant.
    pub fn new(text: impl Into<String>) -> Self {
        Self { stat: STAT_OTHER, text: text.into() }
    }
}

impl From<Error> for Failure {
    /// Images are numbered from 1 in Fortran.
    fn from(error: Error) -> Self {
        match error {
            Error::FailedImage { image } => {
                Self { stat: STAT_FAILED_IMAGE, text: format!("image {} has failed", image + 1) }
            }
            Error::StoppedImage { image } => {
                Self { stat: STAT_STOPPED_IMAGE, text: format!("image {} has stopped", image + 1) }
            }
            Error::Memory(_) => Self { stat: STAT_ALLOCATION, text: error.to_string() },
            _ => Self::new(error.to_string()),
        }
    }
}

/// Runs `work` with the runtime.
pub fn with<T>(work: impl FnOnce(&Image) -> Result<T>) -> Result<T> {
    let mut result = None;
    process::with(|image| {
        result = Some(work(image));
        Ok(())
    })?;
    result.unwrap_or_else(|| Err(Failure::new("the runtime has not begun")))
}
