//! Broadcasts of panels through the C interface.

use crate::common::{Launch, by_mpi};

#[test]
fn panels_arrive_on_every_number_of_ranks() {
    for &ranks in by_mpi(&[1, 2, 3, 5, 8][..], &[1, 2]) {
        let text = Launch::client("panel", ranks).limit(60).run().success();
        assert_eq!(text.trim(), format!("ok {ranks}"));
    }
}
