//! RandomAccess in the official HPCC.
//!
//! Only hcube's: HPCC's own algorithm calls MPI for each value, and no file of a machine has the cost of such
//! a call. All ranks compute at the same time, so that the times of the machine's file are multiplied by the
//! ranks of a core. Updates follow from the rate of some rounds.

use super::run::{Hosts, Run, of_hcube};
use hcube_results::published::ALL_OPTIMISATIONS;

/// The driver, and its words of a rank; few, so that the check of all words is fast.
const DRIVER: &str = "random_access";
const LOG2_WORDS: &str = "10";
/// The table of HPCC with the matrix of `hcube-lab hosts bench`, and its updates for each word.
const LOG2_TABLE: u32 = 19;
const UPDATES_PER_WORD: u64 = 4;
/// The look-ahead of HPCC's rules, of which hcube makes two rounds, and timed ones.
const LOOK_AHEAD: u64 = 1024;
const ROUNDS: u64 = 32;

/// All updates of a run.
pub fn runs(_: &Hosts<'_>) -> Vec<Run> {
    let warmup = LOOK_AHEAD / 2;
    let text = format!(
        "mode=auto,dimensions=0,optimisations={ALL_OPTIMISATIONS},look_ahead={LOOK_AHEAD},relaxed=0,warmup={warmup},\
         updates={}",
        warmup + ROUNDS * LOOK_AHEAD
    );
    let run = of_hcube(format!("HPCC, 2^{LOG2_TABLE} words"), text);
    let updates = Some(UPDATES_PER_WORD << LOG2_TABLE);
    vec![Run { driver: DRIVER, argument: Some(LOG2_WORDS), updates, computes: true, ..run }]
}
