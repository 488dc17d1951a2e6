//! Broadcasts of panels through the C interface.

use crate::common::{Launch, Mpi};

#[test]
fn panels_arrive_on_every_number_of_ranks() {
    // MPICH never yields: more ranks than cores take minutes.
    let counts: &[usize] = if Mpi::selected() == Mpi::Open { &[1, 2, 3, 5, 8] } else { &[1, 2] };
    for &ranks in counts {
        let text = Launch::client("panel", ranks).limit(60).run().success();
        assert_eq!(text.trim(), format!("ok {ranks}"));
    }
}
