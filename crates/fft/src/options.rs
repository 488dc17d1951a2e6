//! Options of Fourier transforms.

use hcube_core::options::{Kind, Spec};

hcube_core::named_values! {
    /// Algorithm for the transform of a distributed vector.
    pub enum Algorithm {
        /// Six steps: transposition, transforms of columns, twiddle factors, transposition, transforms of
        /// rows, transposition.
        SixStep = 0, "six-step", "HCUBE_FFT_SIX_STEP";
        /// Radix 2 with binary exchange on coarrays, as in Jin et al. 2011, Figure 7. Needs 2^a ranks, a
        /// length of 2^b, and a communicator congruent to MPI_COMM_WORLD or of one rank.
        BinaryExchange = 1, "binary-exchange", "HCUBE_FFT_BINARY_EXCHANGE";
    }
}

hcube_core::named_values! {
    /// The radix of the butterflies of binary exchange.
    pub enum Radix {
        /// 2, as in Jin et al. 2011.
        Two = 2, "2", "HCUBE_FFT_RADIX_2";
        /// 4, with fewer multiplications and memory accesses than radix 2; proposed in Jin et al. 2011.
        Four = 4, "4", "HCUBE_FFT_RADIX_4";
    }
}

hcube_core::options_table! {
    /// The options of a transform.
    pub struct Options {
        /// Algorithm for the transform of a distributed vector.
        pub algorithm: Algorithm = Spec::new("HCUBE_FFT", Kind::One(Algorithm::NAMES), Algorithm::SixStep as i64),
        /// Radix of the butterflies of binary exchange, in the levels that need no communication and run in
        /// the cache.
        pub radix: Radix = Spec::new("HCUBE_FFT_RADIX", Kind::One(Radix::NAMES), Radix::Two as i64),
    }
}
