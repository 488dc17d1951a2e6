//! A coarray program in Rust, under the launcher: the example.

use hcube_testing::{Launch, Mpi, own_build};

#[test]
fn example_counts_all_numbers() {
    let program = own_build().join("examples/histogram");
    assert!(program.exists(), "{}: cargo test -p hcube-caf builds it", program.display());
    // MPICH never yields: more images than cores take minutes.
    let sizes: &[usize] = if Mpi::selected() == Mpi::Open { &[1, 2, 3, 4] } else { &[1, 2] };
    for &images in sizes {
        for nodes in ["0", "1"] {
            let launch = Launch::new(&program, images).env("HCUBE_RANKS_PER_NODE", nodes);
            let text = launch.limit(60).run().success();
            assert_eq!(text.trim(), format!("{images} images, {} numbers, 0 errors", images * 100_000));
        }
    }
}
