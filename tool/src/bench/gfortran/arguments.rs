//! The options of `hcube bench gfortran`.

use crate::bench::drawn::Drawn;
use crate::bench::lengths::words;
use crate::choices::number;
use crate::list::{List, numbers};
use crate::output::JsonOption;
use clap::builder::PossibleValuesParser;
use hcube_results::gfortran::{self, PROGRAMS};
use std::path::PathBuf;

/// Bytes of a transfer at most.
const MAX_BYTES: usize = 256 << 20;

/// The benchmark of Fortran programs with coarrays (not under mpirun)
///
#[doc = " Compiles programs with gfortran -fcoarray=lib, links the same objects to libhcube_caf.so and to OpenCoarrays,"]
/// and starts them by mpirun, alternating. Where OpenCoarrays is not installed, or a statement ends its
/// program, a note says so.
///
///   get, put            contiguous sections of the right neighbour, over --sizes
///   get-scalar, put-scalar       a scalar
///   get-row, put-row             a row of 1024 x 1024 elements of 8 bytes
#[doc = "   get-face, put-face           a face of 64 x 64 x 64, in which all elements lie apart (get) or runs of 64 do (put)"]
///   get-vector, put-vector       1000 elements by a vector subscript
///   get-component, put-component an allocatable component of 4096 elements
///   sync-all, sync-images, event-round-trip, lock, critical, atomic-add, co_sum, co_broadcast
///   allocate            allocate and deallocate, of 128 KiB
///   halo-faces          halos of a 64 x 64 x 64 block, put as sections; against MPI_Sendrecv
///   halo-get-elements, halo-put-elements     the same, one element per statement
///   jacobi              halo-faces and the step that needs them
///   transpose-get, transpose-put   a distributed 1024 x 1024 matrix, by blocks; against MPI_Alltoall
///
/// All images work at the same time, and the slowest one counts. A run of a program takes the median of up to
/// 21 batches, the table the median of the runs. Every operation is verified, and the results of halos and
/// transpositions are compared with the same programs in MPI.
///
/// Examples:
///   hcube bench gfortran
///   hcube bench gfortran --images 2 --operations get,put --sizes 8,4k,16M
///   hcube bench gfortran --operations halo-faces,jacobi --plot halo.svg
///   hcube bench gfortran --from two.json,four.json --plot both.svg
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    /// Numbers of images
    #[arg(long, value_name = "N[,N...]", default_value = "2,4,8", value_parser = numbers(number::<u32>(1..=4096)))]
    pub images: List<u32>,
    /// What is measured [default: all of them]
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',', value_parser = PossibleValuesParser::new(gfortran::operations()))]
    pub operations: Vec<String>,
    /// Bytes of get and put
    #[arg(long, value_name = "BYTES[,BYTES...]", default_value = "8,64,512,4k,32k,256k,1M",
          value_parser = numbers(words(MAX_BYTES, "up to 256M")))]
    pub sizes: List<usize>,
    /// Runs of each program, alternating; the table shows the median and (largest - smallest) / median
    #[arg(long, value_name = "TIMES", default_value = "5", value_parser = number::<u32>(1..=1000))]
    pub repeat: u32,
    /// Treat each COUNT images as a node, so that hcube uses messages between them; as HCUBE_RANKS_PER_NODE
    #[arg(long, value_name = "COUNT", value_parser = number::<u32>(1..))]
    pub ranks_per_node: Option<u32>,
    /// Do not measure OpenCoarrays
    #[arg(long)]
    pub no_opencoarrays: bool,
    /// File of OpenCoarrays' library [default: libcaf_openmpi, libcaf_mpich or libcaf_mpi, where the linker
    /// finds it]
    #[arg(long, value_name = "FILE")]
    pub opencoarrays: Option<PathBuf>,
    /// Do not measure the programs with MPI
    #[arg(long)]
    pub no_mpi: bool,
    /// File of libhcube_caf.so [default: beside the tool, or where both are installed]
    #[arg(long, value_name = "FILE")]
    pub caf: Option<PathBuf>,
    /// The Fortran compiler: gfortran 12 to 14
    #[arg(long, value_name = "PROGRAM", default_value = "gfortran")]
    pub compiler: String,
    /// The compiler of MPI programs [default: mpifort of the MPI library]
    #[arg(long, value_name = "PROGRAM")]
    pub mpi_compiler: Option<String>,
    /// The command that starts programs, without -np [default: mpirun of the MPI library]
    #[arg(long, value_name = "COMMAND")]
    pub launcher: Option<String>,
    /// Folder that all nodes see, for compiled programs in 'hcube-bench-gfortran' [default: a
    /// temporary one]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Seconds after which a run is ended
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = number::<u32>(1..))]
    pub limit: u32,
    /// Do not show progress
    #[arg(long)]
    pub no_progress: bool,
    #[command(flatten)]
    pub json: JsonOption,
    #[command(flatten)]
    pub drawn: Drawn,
}

impl Arguments {
    /// The operations that were chosen, in the order of the table: statements, and programs.
    pub fn chosen(&self) -> [Vec<&'static str>; 2] {
        let is_chosen = |name: &&'static str| {
            self.operations.is_empty() || self.operations.iter().any(|chosen| chosen == name)
        };
        let is_program = |name: &&'static str| PROGRAMS.iter().any(|(program, _)| program == name);
        let (programs, statements) = gfortran::operations().filter(is_chosen).partition(is_program);
        [statements, programs]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::parse;

    fn arguments(line: &str) -> Arguments {
        parse::<Arguments>(line.split_whitespace())
    }

    #[test]
    fn nothing_chosen_is_everything() {
        let all = arguments("");
        assert_eq!(all.chosen().map(|names| names.len()), [21, 6]);
        assert_eq!((&all.images[..], all.sizes[6]), (&[2, 4, 8][..], 1 << 20));
    }

    #[test]
    fn statements_and_programs_are_chosen_by_name() {
        let some = arguments("--operations jacobi,put,get,halo-faces --sizes 16,2k");
        assert_eq!(some.chosen(), [vec!["get", "put"], vec!["halo-faces", "jacobi"]]);
        assert_eq!(some.sizes[..], [16, 2048]);
    }
}
