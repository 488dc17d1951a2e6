//! Multiplication of distributed matrices: SUMMA and hierarchical SUMMA (HSUMMA).
//!
//! | file | holds |
//! |---|---|
//! | [`schedule`] | the messages of a broadcast along a process row or column, flat and in groups |
//! | [`model`] | predicted times, and the choice of the number of groups |

pub mod model;
pub mod schedule;
