//! The cores that this process may use.

/// Number of cores that this process may run on, at least 1.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
