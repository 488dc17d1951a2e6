//! The pages of section 3: what the headers do not say of them.

use hcube_tool::variables::{self, Group};

/// The functions of one page.
pub struct Part {
    pub page: &'static str,
    pub about: &'static str,
    /// How the names of its functions and structures begin.
    pub prefix: &'static str,
    pub include: &'static str,
    pub compile: &'static str,
    pub introduction: &'static [&'static str],
    pub variables: &'static [Group],
}

const COMPILE: &str = "mpicc program.c $(pkg-config --cflags --libs hcube)";

/// The functions with the handles of Fortran.
pub const FORTRAN: &str = "hcube_fortran";

/// What belongs to no other part.
pub const GENERAL: Part = Part {
    page: "hcube",
    about: "conventions, version and errors of the C interface",
    prefix: "hcube_",
    include: "hcube.h",
    compile: COMPILE,
    introduction: &[
        "The header is valid C11 and C++17. Functions that belong together share a page: `hcube_random_access`(3) for \
         updates of a table, `hcube_alltoall`(3) for exchanges that take the place of MPI's, `hcube_transpose`(3) for \
         matrices, `hcube_fft`(3) for Fourier transforms, `hcube_gemm`(3) and `hcube_matmul`(3) for products of \
         matrices, `hcube_panels`(3) and `hcube_stream`(3) for kernels of HPCC, `hcube_llcs`(3) for longest common \
         subsequences, `hcube_caf`(3) for coarrays, `hcube_fftw`(3) for programs that use FFTW, `bsp`(3) for BSPlib.",
    ],
    variables: &[],
};

pub const PARTS: [Part; 13] = [
    Part {
        page: "hcube_random_access",
        about: "updates of random words of a table that is spread over all ranks (HPCC RandomAccess)",
        prefix: "hcube_random_access",
        introduction: &[],
        variables: &[variables::RANDOM_ACCESS],
        ..GENERAL
    },
    Part {
        page: "hcube_alltoall",
        about: "all-to-all, also in place",
        prefix: "hcube_alltoall",
        introduction: &[],
        variables: &[variables::ALLTOALL],
        ..GENERAL
    },
    Part {
        page: FORTRAN,
        about: "functions that the Fortran module of hcube calls",
        prefix: FORTRAN,
        compile: "mpifort $(pkg-config --variable=fortran_module hcube) \\\n    program.f90 $(pkg-config --libs hcube)",
        introduction: &[
            "Programs in Fortran use the module hcube, whose procedures have the names of the C functions, and with \
             _in_place at the end where an exchange is in place. What they do is on the pages of these. The functions \
             below are the same with the handles of Fortran.",
        ],
        ..GENERAL
    },
    Part {
        page: "hcube_transpose",
        about: "transposition of a matrix that is spread over all ranks, in place or out of place",
        prefix: "hcube_transpose",
        introduction: &[],
        variables: &[variables::ALLTOALL],
        ..GENERAL
    },
    Part {
        page: "hcube_grid_transpose",
        about: "transposition of a block-cyclic matrix on a grid of processes",
        prefix: "hcube_grid_transpose",
        introduction: &[],
        variables: &[variables::ALLTOALL],
        ..GENERAL
    },
    Part {
        page: "hcube_gemm",
        about: "products of block-cyclic matrices: SUMMA and HSUMMA",
        prefix: "hcube_gemm",
        introduction: &[],
        variables: &[variables::GEMM],
        ..GENERAL
    },
    Part {
        page: "hcube_matmul",
        about: "products of matrices in blocks, with little temporary memory, by BSP",
        prefix: "hcube_matmul",
        introduction: &[],
        variables: &[variables::BSP],
        ..GENERAL
    },
    Part {
        page: "hcube_panels",
        about: "asynchronous broadcasts of panels along a process row, for LU factorisations",
        prefix: "hcube_panels",
        introduction: &[],
        ..GENERAL
    },
    Part {
        page: "hcube_pdgemm_",
        about: "products of matrices for programs with BLACS, with the arguments of PBLAS",
        prefix: "hcube_p",
        introduction: &[],
        variables: &[variables::GEMM],
        ..GENERAL
    },
    Part {
        page: "hcube_fft",
        about: "Fourier transforms of distributed vectors",
        prefix: "hcube_fft",
        introduction: &[],
        variables: &[variables::FFT, variables::ALLTOALL],
        ..GENERAL
    },
    Part {
        page: "hcube_stream",
        about: "the four kernels of STREAM",
        prefix: "hcube_stream",
        introduction: &[],
        ..GENERAL
    },
    Part {
        page: "hcube_llcs",
        about: "length of a longest common subsequence of two strings",
        prefix: "hcube_llcs",
        introduction: &[],
        variables: &[variables::LCS],
        ..GENERAL
    },
    Part {
        page: "hcube_caf",
        about: "coarrays: teams, one-sided access, events, copies and functions on other images",
        prefix: "hcube_caf",
        introduction: &[
            "The runtime of Coarray Fortran 2.0. `hcube_caf_init` makes the processes of the job images, which count from \
             0; `hcube_caf_finalize` ends it. Functions that are marked Collective are called by all members of a team in \
             the same order. Wherever a function takes a team, 0 is the default team.",
            "A put is complete when it returns, and other images see it after the next synchronisation with this image: \
             a barrier, a post of an event that the other image has waited for, a lock that this image has released \
             and the other one holds, or the end of a finish block. Images serve others where they wait and in \
             `hcube_caf_progress`. The page doc/coarrays.md of the documentation has the memory model with examples.",
        ],
        variables: &[variables::CAF],
        ..GENERAL
    },
];

pub const FFTW: Part = Part {
    page: "hcube_fftw",
    about: "transposes of FFTW-MPI by hcube",
    prefix: "hcube_fftw",
    include: "hcube_fftw.h",
    compile: "mpicc program.c -lhcube_fftw -lfftw3_mpi -lfftw3 $(pkg-config --cflags --libs hcube)",
    introduction: &[],
    variables: &[variables::FFTW, variables::ALLTOALL],
};

pub const BSP: Part = Part {
    page: "bsp",
    about: "BSPlib: bulk-synchronous programs",
    prefix: "bsp_",
    include: "bsp.h",
    compile: "bspcc program.c",
    introduction: &[],
    variables: &[variables::BSP],
};
