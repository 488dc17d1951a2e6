//! Multiplication of distributed matrices: SUMMA and hierarchical SUMMA (HSUMMA).
//!
//! | file | holds |
//! |---|---|
//! | [`schedule`] | the messages of a broadcast along a process row or column, flat and in groups |

pub mod schedule;
