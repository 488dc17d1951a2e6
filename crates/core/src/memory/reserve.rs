//! Memory whose size a caller determines: a failed allocation is an error and does not end the process.

use crate::error::{Error, Result};

/// An empty vector with room for `length` elements. `what` names its contents in the message.
///
/// # Errors
/// [`Error::Memory`] if the system has no room for it.
pub fn with_room<T>(length: usize, what: &str) -> Result<Vec<T>> {
    let mut vector = Vec::new();
    match vector.try_reserve_exact(length) {
        Ok(()) => Ok(vector),
        Err(_) => {
            Err(Error::Memory(format!("{what}: no memory for {length} elements of {} bytes", size_of::<T>())))
        }
    }
}

/// A vector of `length` equal elements.
///
/// # Errors
/// As [`with_room`].
pub fn filled<T: Clone>(value: T, length: usize, what: &str) -> Result<Vec<T>> {
    let mut vector = with_room(length, what)?;
    vector.resize(length, value);
    Ok(vector)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lack_of_memory_is_an_error_that_names_the_contents() {
        assert_eq!(filled(7_u16, 3, "numbers"), Ok(vec![7; 3]));
        let error = with_room::<u64>(usize::MAX / 16, "columns").expect_err("more than there is").to_string();
        assert!(error.starts_with("columns: no memory for ") && error.ends_with("of 8 bytes"), "{error}");
    }
}
