//! CP2K's own benchmark of matrix products, if CP2K is installed.

use crate::common::scalapack::WithHcube;
use crate::common::{Mpi, folder, skip};
use std::fs;
use std::process::Command;

/// Two products by PDGEMM on four ranks.
const INPUT: &str = "\
&GLOBAL
  PROJECT gemm
  PROGRAM_NAME TEST
  RUN_TYPE NONE
  &FM
    TYPE_OF_MATRIX_MULTIPLICATION SCALAPACK
  &END FM
&END GLOBAL
&TEST
  &CP_FM_GEMM
    M 300
    N 280
    K 310
    N_LOOP 2
    NROW_BLOCK 32
    NCOL_BLOCK 32
  &END CP_FM_GEMM
&END TEST
";

#[test]
fn products_of_cp2k() {
    const PROGRAM: &str = "cp2k.psmp";
    let is_there = Command::new(PROGRAM).arg("--version").env("OMP_NUM_THREADS", "1").output().is_ok();
    if !is_there || Mpi::selected() != Mpi::Open {
        skip("cp2k", "no cp2k.psmp for the selected MPI library");
        return;
    }
    let folder = folder("scalapack").join("cp2k");
    fs::create_dir_all(&folder).expect("the target directory is writable");
    fs::write(folder.join("gemm.inp"), INPUT).expect("writable");
    let run = WithHcube::preloaded("cp2k", PROGRAM, 4);
    let run =
        run.with(|launch| launch.arg("gemm.inp").folder(&folder).env("OMP_NUM_THREADS", "1").limit(110));
    let (text, statistics) = run.success();
    assert!(text.contains("PROGRAM ENDED"), "{text}");
    assert!(statistics.served("pdgemm") == 8 && statistics.all_left() == 0, "{statistics:?}");
}
