//! From the arguments of the all-to-all functions of MPI to an exchange: the one entry point of the C
//! interface and the preload library.
//!
//! | file | holds |
//! |---|---|
//! | `allowance` | calls that are forwarded without a state lookup |
//! | `call` | the arguments of a call, and the library's own function for them |
//! | `collective` | the entrance: state of the communicator, exchange, verdict |
//! | `general` | the entrance of the general exchange in place |
//! | `judged` | arguments that MPI libraries judge differently |
//! | `kind` | calls that may be forwarded without votes, by what they are compared with |
//! | `neighbours` | exchanges between neighbours in a topology |
//! | `nonblocking` | the entrance of nonblocking exchanges |
//! | `one_rank` | communicators of one rank, whose calls are forwarded at once |
//! | `persistent` | exchanges that are initialised once, and started again and again |
//! | `state` | the state of a communicator, and calls that are forwarded before any set-up |
//! | `setup` | the collective set-up, and the engines that communicators share |
//! | `arguments` | from arguments to the blocks of a rank |

pub mod allowance;
mod arguments;
pub mod call;
pub mod collective;
pub mod general;
mod judged;
mod kind;
mod neighbours;
pub mod nonblocking;
pub mod one_rank;
pub mod persistent;
mod setup;
pub mod state;

pub use call::{Call, Counts, Function, Side, Types};
pub use collective::{Refusal, Verdict, exchange, forwarded, prepare, set_options};
pub use setup::expect_missing_processes;
pub use state::Engine;
