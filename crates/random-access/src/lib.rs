//! The HPCC RandomAccess benchmark: random updates of a table that is distributed over all ranks.
//!
//! Every rank generates its share of a stream of random values, the values are sent to the ranks that own the
//! words they update ([`hcube_core::plan`]), and are applied there. Stream, routing and update are
//! independent of each other:
//!
//! | file | holds |
//! |---|---|
//! | [`options`] | options of a caller, and the environment variables |
//! | [`stream`], [`table`](mod@table) | values and the words they update |
//! | [`source`] | the values that a rank generates |
//! | [`local_table`] | the words that a rank owns |
//! | [`kernel`] | the inner loops for the processor |
//! | [`divide`] | a list of values into one list per part |
//! | [`state`] | state that depends only on communicator and options, kept between runs |
//! | [`one_rank`] | a single rank: no communication |
//! | `on_node` | all ranks on one node: only mailboxes, no rounds |
//! | `rounds` | synchronous rounds: stages of messages, of shared memory, or both |
//! | [`update`] | the driver: a run from arguments to statistics |
//! | [`verify`](mod@verify) | the updates a second time by other means, and the count of errors |
//! | [`statistics`], [`model`] | statistics and predicted time of a run |
//! | `work` | units of simulated work |
//!
//! Look-ahead: the number of values that a rank has generated and that have not been applied never exceeds Q
//! (default 1024). Rounds have Q/2 values: a rank that has completed a round knows that every rank has
//! started it, and has therefore applied the round before; so the values of at most two rounds are open. On
//! one node a rank knows which of its values have been applied, and generates at most the remainder of Q.
//!
//! The modes on coarrays, [`Mode::Events`] and [`Mode::Spawn`], are in the crate `hcube-hpcc`, which uses all
//! of this crate except [`state`].

#[cfg(test)]
mod audit;
pub mod divide;
pub mod kernel;
pub mod local_table;
pub mod model;
mod on_node;
pub mod one_rank;
pub mod options;
mod rounds;
pub mod source;
pub mod state;
pub mod statistics;
pub mod stream;
pub mod table;
pub mod update;
pub mod verify;
pub mod work;

pub use options::{Mode, Optimisations, Options};
pub use source::Updates;
pub use state::UpdateState;
pub use statistics::Statistics;
pub use stream::StreamKind;
pub use table::Distribution;
pub use update::run;
pub use verify::verify;
