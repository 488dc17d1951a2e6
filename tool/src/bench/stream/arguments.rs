//! The options of `hcube bench stream`.

use crate::bench::drawn::Drawn;
use crate::bench::job::Common;
use crate::bench::lengths::{chosen, words};
use crate::list::{List, numbers};
use clap::ValueEnum;
use hcube_stream::select::Kernel;

/// Bytes of an element.
pub const ELEMENT: usize = size_of::<f64>();
/// Bytes of a vector at most.
const MAX_BYTES: usize = 1 << 40;
/// Measurements of each variant without `--repeat`.
const REPEAT: u32 = 9;

/// The kernels of STREAM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Named {
    /// c = a
    Copy,
    /// b = s * c
    Scale,
    /// c = a + b
    Add,
    /// a = b + s * c
    Triad,
}

impl Named {
    pub fn kernel(self) -> Kernel {
        match self {
            Self::Copy => Kernel::Copy,
            Self::Scale => Kernel::Scale,
            Self::Add => Kernel::Add,
            Self::Triad => Kernel::Triad,
        }
    }
}

/// What runs a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Variant {
    /// hcube, with the stores that its trial has selected
    Hcube,
    /// hcube, with stores through the cache
    Ordinary,
    /// hcube, with stores past the cache
    Streaming,
    /// A loop in C, compiled with -O3, on three allocations
    PlainC,
    /// The C library's memcpy instead of copy, on the same allocations
    Memcpy,
}

impl Variant {
    /// Whether it has a kernel.
    pub fn has(self, kernel: Kernel) -> bool {
        self != Self::Memcpy || kernel == Kernel::Copy
    }
}

/// Who runs a kernel at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Who {
    /// All ranks, as HPCC's StarSTREAM
    All,
    /// One rank while the others wait, as HPCC's SingleSTREAM
    One,
}

/// The benchmark of STREAM (run it under mpirun)
///
/// Times the kernels copy, scale, add and triad of STREAM on vectors that each rank has for itself: by hcube,
#[doc = " with vectors on huge pages and the stores that a trial has selected; with ordinary and with streaming stores"]
/// on the same vectors; and by plain loops in C, compiled with -O3, on vectors from malloc.
///
/// The rate counts the bytes that STREAM counts: 16 per element for copy and scale, 24 for add and triad.
/// Kernels are timed in batches of about 5 ms, all variants alternating; the slowest rank counts.
///
/// Examples:
///   mpirun -np 2 hcube bench stream
///   mpirun -np 2 hcube bench stream --kernels triad --sizes 16k,4M,64M
///   mpirun -np 2 hcube bench stream --json=two.json --plot stream.svg
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    /// Kernels [default: all of them]
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',')]
    pub kernels: Vec<Named>,
    /// Bytes of each vector of a rank; the default is more than caches have room for
    #[arg(long, value_name = "BYTES[,BYTES...]", value_parser = numbers(words(MAX_BYTES, "up to 1T")),
          default_value = "32M")]
    pub sizes: List<usize>,
    /// What is measured [default: all of them]
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',')]
    pub variants: Vec<Variant>,
    /// Who runs the kernels at the same time [default: all, and one]
    #[arg(long, value_name = "WHO[,WHO]", value_delimiter = ',')]
    pub running: Vec<Who>,
    #[command(flatten)]
    pub common: Common<REPEAT>,
    #[command(flatten)]
    pub drawn: Drawn,
}

impl Arguments {
    pub fn kernels(&self) -> Vec<Kernel> {
        chosen(&self.kernels).into_iter().map(Named::kernel).collect()
    }

    /// Numbers of ranks that run the kernels at the same time.
    pub fn running(&self, ranks: usize) -> Vec<usize> {
        let mut counts: Vec<usize> =
            chosen(&self.running).into_iter().map(|who| if who == Who::All { ranks } else { 1 }).collect();
        counts.dedup();
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::lengths::name;
    use crate::command_line::parse;
    use hcube_results::stream;

    #[test]
    fn nothing_chosen_is_everything() {
        let all = parse::<Arguments>([]);
        assert_eq!(
            (all.kernels().len(), chosen(&all.variants).len(), &all.sizes[..]),
            (4, 5, &[32 << 20][..])
        );
        assert_eq!((all.running(4), all.running(1)), (vec![4, 1], vec![1]));
        let some = parse::<Arguments>(["--running", "one", "--kernels", "triad,copy", "--sizes", "8,1k"]);
        assert_eq!((some.running(4), some.kernels()), (vec![1], vec![Kernel::Copy, Kernel::Triad]));
        assert_eq!(some.sizes[..], [8, 1024]);
    }

    #[test]
    fn names_are_those_of_results() {
        let names = [stream::HCUBE, stream::ORDINARY, stream::STREAMING, stream::PLAIN, stream::MEMCPY];
        assert!(chosen::<Variant>(&[]).into_iter().map(name).eq(names));
        let kernels = chosen::<Named>(&[]);
        assert!(kernels.iter().all(|&one| name(one) == one.kernel().name()));
        assert_eq!(Kernel::ALL.map(Kernel::name), stream::KERNELS);
    }
}
