//! Where the compiler wrapper gives programs a run path to the MPI library, `hcube-lab` has it as well.

#[path = "../crates/core/run_path.rs"]
mod run_path;

fn main() {
    run_path::link("bins");
}
