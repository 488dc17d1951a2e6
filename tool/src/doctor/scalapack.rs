//! What programs that use ScaLAPACK have here: ScaLAPACK for this MPI library, with its BLACS, and the BLAS.

use super::finding::{Finding, State, Topic};
use crate::bench::library::{file_of, load, mpi_name, scalapack_files};
use hcube_core::mpi::handle;
use hcube_core::node::loader::Library;

const TOPIC: Topic = Topic::Scalapack;

/// What was found on this rank.
pub fn find() -> Finding {
    let mpi = mpi_name(&handle::library_version());
    // Loaded for this process only: nothing is called.
    let Ok(library) = load(&scalapack_files(mpi), Library::open) else {
        let text = format!("no library of ScaLAPACK for {mpi} was found by the loader");
        let advice = "only programs that use ScaLAPACK need it; if one has it elsewhere, set LD_LIBRARY_PATH";
        return Finding::new(TOPIC, State::Fact, text).advise(advice);
    };
    let file = |name| library.symbol(name).map(file_of);
    let blas = [c"dgemm_", c"sgemm_", c"cgemm_", c"zgemm_"].map(file);
    // hcube needs all of them.
    let blas = if blas.iter().all(Option::is_some) { blas[0].clone() } else { None };
    judge([file(c"pdgemm_"), file(c"blacs_gridinfo_"), blas])
}

/// From the files of PDGEMM, of the BLACS and of the BLAS.
fn judge([scalapack, blacs, blas]: [Option<String>; 3]) -> Finding {
    let name = |file: &Option<String>| file.clone().unwrap_or_else(|| "not found".to_owned());
    let text = format!("{}; BLACS: {}; BLAS: {}", name(&scalapack), name(&blacs), name(&blas));
    if [&scalapack, &blacs, &blas].iter().all(|file| file.is_some()) {
        return Finding::new(TOPIC, State::Good, text);
    }
    let advice = "without BLACS, or without sgemm_, dgemm_, cgemm_ and zgemm_, libhcube_pblas.so leaves all products \
                  to ScaLAPACK";
    Finding::new(TOPIC, State::Slow, text).advise(advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_is_missing_is_told() {
        let all = ["a.so", "b.so", "c.so"].map(|name| Some(name.to_owned()));
        assert_eq!(judge(all.clone()).state, State::Good);
        assert_eq!(judge(all.clone()).text, "a.so; BLACS: b.so; BLAS: c.so");
        let [scalapack, blacs, _] = all;
        let finding = judge([scalapack, blacs, None]);
        assert_eq!((finding.state, finding.text.ends_with("BLAS: not found")), (State::Slow, true));
    }
}
