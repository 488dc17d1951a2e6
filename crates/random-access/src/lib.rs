//! The HPCC RandomAccess benchmark: random updates of a table that lies spread over all ranks.
//!
//! Every rank generates its share of a stream of random values in rounds, the values travel to the
//! ranks that own the words they update ([`hcube_core::plan`]), and are applied there. Stream,
//! routing and update are independent of each other and composed, never copied:
//!
//! | file | holds |
//! |---|---|
//! | `options` | what a caller chooses, and the environment variables |
//! | `stream/`, `table` | values and the words they update |
//! | `kernel/` | the inner loops for the processor at hand |
//! | `divide` | a list of values into one list per part |
//! | `prepare` | what depends on communicator and options alone, kept between runs |
//! | `rounds` | synchronous rounds: stages of messages, shared memory, or both |
//! | `on_node` | all ranks on one node: mailboxes alone, no rounds |
//! | `update` | a run from arguments to statistics |
//! | `verify` | replay by another route, and the count of errors |
//!
//! Look-ahead: values that a rank has generated and that are not yet applied never exceed Q
//! (default 1024). Rounds take Q/2 values: whoever has completed a round knows that every rank has
//! started it, and so has applied the round before; the values of two rounds are open at the most.
//! On one node a rank knows which of its values are applied, and generates no more than the rest of Q.

#[cfg(test)]
mod audit;
mod divide;
pub mod kernel;
pub mod model;
mod on_node;
pub mod options;
pub mod prepare;
mod rounds;
pub mod statistics;
pub mod stream;
pub mod table;
pub mod update;
pub mod verify;

pub use options::{Mode, Optimisations, Options};
pub use prepare::Prepared;
pub use statistics::Statistics;
pub use stream::StreamKind;
pub use table::Distribution;
pub use update::{Updates, run};
pub use verify::verify;
