//! The checks under the launcher of the MPI library of this build.

mod common;

use hcube_testing::{Launch, Mpi, build, own_build};

#[test]
fn checks_pass_on_mpi() {
    let mpi = Mpi::selected();
    let program = build().join("clients/core_client");
    let program = common::compile(&format!("mpicc.{}", mpi.name()), &own_build().join("deps"), program);
    // MPICH's ranks never yield while they wait: more of them than cores take minutes.
    let sizes: &[usize] = if mpi == Mpi::Open { &[1, 2, 3, 5, 8] } else { &[1, 2] };
    for &ranks in sizes {
        common::assert_passed(&Launch::new(&program, ranks).run().success(), ranks);
    }
}
