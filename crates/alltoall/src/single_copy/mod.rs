//! Exchanges by copies between the address spaces of processes of one node.
//!
//! Only this module reads and writes memory of other processes, which have posted its address.
//!
//! | file | holds |
//! |---|---|
//! | [`exchange`] | large blocks of one exchange |
//! | [`fallback`] | blocks whose copies the kernel has refused |
//! | [`nonblocking`], `description`, `sharing` | nonblocking exchanges: of two ranks the later one copies |
//! | [`persistent`] | exchanges that are initialised once, and started again and again |

mod description;
pub mod exchange;
pub mod fallback;
pub mod nonblocking;
pub mod persistent;
mod sharing;
