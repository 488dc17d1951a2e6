//! Figures of Plimpton et al. 2006 and Jin et al. 2011, with which figures of hcube are compared; of Krusche
//! 2005 in [`bsp`].

pub mod bsp;

/// Authors and year, in headings.
pub const PLIMPTON: &str = "Plimpton et al. 2006";

/// The machine of the tables of Plimpton et al. 2006, by the name of its model.
pub const MACHINE: &str = "red-storm";

/// A column of Table 2: GUP/s with one rank on each processor.
#[derive(Debug, Clone, Copy)]
pub struct Rate {
    /// Processors.
    pub ranks: usize,
    /// HPCC's own update.
    pub stock: Option<f64>,
    /// The hypercube algorithm.
    pub hypercube: f64,
    /// The cost model of Plimpton et al. 2006.
    pub model: Option<f64>,
}

const fn rate(ranks: usize, stock: Option<f64>, hypercube: f64, model: Option<f64>) -> Rate {
    Rate { ranks, stock, hypercube, model }
}

pub const TABLE_2: [Rate; 11] = [
    rate(1, Some(0.0147), 0.0180, Some(0.0180)),
    rate(4, None, 0.0377, Some(0.0333)),
    rate(16, Some(0.0105), 0.0930, Some(0.0867)),
    rate(64, Some(0.0634), 0.273, Some(0.257)),
    rate(200, None, 0.567, None),
    rate(256, None, 0.858, Some(0.817)),
    rate(300, None, 0.739, None),
    rate(1024, Some(0.195), 2.81, Some(2.71)),
    rate(4096, None, 9.25, Some(9.26)),
    rate(8192, Some(0.797), 17.24, Some(17.26)),
    rate(10_240, None, 19.72, None),
];

/// Processors and GUP/s of the update that HPCC ships: Table 1.
pub const TABLE_1: [(usize, f64); 7] =
    [(1, 0.0147), (16, 0.0105), (64, 0.0634), (1024, 0.195), (5000, 0.536), (8192, 0.797), (10_350, 1.018)];

/// The rate of Table 1 on a number of processors.
pub fn stock(ranks: usize) -> Option<f64> {
    TABLE_1.into_iter().find(|rate| rate.0 == ranks).map(|rate| rate.1)
}

/// The column of Table 2 for a number of ranks.
pub fn over_ranks(ranks: usize) -> Option<Rate> {
    TABLE_2.into_iter().find(|rate| rate.ranks == ranks)
}

/// Ranks and GUP/s with all optimisations, said in section 4.
pub const OPTIMISED: (usize, f64) = (8192, 19.98);

/// hcube's optimisations as Table 3 adds them: none, Mod1, Mod2, Mod3, Mod7. Mod4 to Mod6 are about the
/// MPI library, and Mod7 includes them.
pub const OPTIMISATIONS: [u32; 5] = [0, 1, 3, 7, ALL_OPTIMISATIONS];

/// HCUBE_OPTIMISATIONS_ALL of hcube.h.
pub const ALL_OPTIMISATIONS: u32 = 15;

/// Table 3: ranks, and seconds with each of [`OPTIMISATIONS`].
const TABLE_3: [(usize, [Option<f64>; 5]); 6] = [
    (1, [Some(7.033), Some(7.039), Some(7.032), Some(7.034), None]),
    (2, [Some(10.152), Some(10.113), Some(11.862), Some(10.063), None]),
    (4, [Some(13.654), Some(13.283), Some(13.164), Some(13.089), None]),
    (8, [Some(17.505), Some(16.431), Some(16.297), Some(16.093), None]),
    (16, [Some(21.338), Some(19.733), Some(19.821), Some(19.241), None]),
    (32, [Some(25.186), Some(23.122), Some(22.915), Some(22.260), Some(19.656)]),
];

/// The row of Table 3 for a number of ranks.
pub fn optimised_seconds(ranks: usize) -> Option<[Option<f64>; 5]> {
    TABLE_3.into_iter().find(|row| row.0 == ranks).map(|row| row.1)
}

/// Ranks of Table 4, and of Table 3 with all optimisations.
pub const SWEEP_RANKS: usize = 32;

/// Table 4: look-ahead and GUP/s.
pub const TABLE_4: [(u64, f64); 10] = [
    (1, 0.000_627),
    (4, 0.001_93),
    (16, 0.007_04),
    (64, 0.0262),
    (256, 0.0803),
    (1024, 0.158),
    (2048, 0.189),
    (4096, 0.210),
    (8192, 0.223),
    (32_768, 0.212),
];

/// The machine of Jin et al. 2011, by the name of its model.
pub const COARRAY_MACHINE: &str = "franklin";

/// Images and GUP/s on coarrays, said in section IV-B3 of Jin et al. 2011.
pub const COARRAYS: (usize, f64) = (4096, 2.01);

/// Images and GFLOP/s of its Fourier transform, said in section I.
pub const COARRAY_FFT: (usize, f64) = (4096, 125.0);

/// Images and GFLOP/s of its HPL, said in section IV-B1. Local products of the machine's model are fitted to
/// it: rates of HPL on that model are not compared with it.
pub const COARRAY_HPL: (usize, f64) = (4096, 18_300.0);

/// Lines of a kernel of HPCC in Coarray Fortran 2.0.
#[derive(Debug, Clone, Copy)]
pub struct KernelLines {
    pub kernel: &'static str,
    pub computation: usize,
    pub communication: usize,
    pub declarations: usize,
}

impl KernelLines {
    /// All lines but comments and empty ones.
    pub fn total(self) -> usize {
        self.computation + self.communication + self.declarations
    }
}

const fn kernel_lines(
    kernel: &'static str,
    [computation, communication, declarations]: [usize; 3],
) -> KernelLines {
    KernelLines { kernel, computation, communication, declarations }
}

/// Table III of Jin et al. 2011.
pub const COARRAY_LINES: [KernelLines; 4] = [
    kernel_lines("STREAM", [30, 0, 15]),
    kernel_lines("RandomAccess", [170, 13, 121]),
    kernel_lines("FFT", [188, 15, 98]),
    kernel_lines("HPL", [532, 50, 109]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn efficiencies_of_the_paper_follow() {
        // Its row of parallel efficiencies, which is not in the constants.
        let published = [100.0, 52.4, 32.3, 23.7, 15.8, 18.6, 13.7, 15.2, 12.5, 11.7, 10.7];
        for (column, expected) in TABLE_2.iter().zip(published) {
            let efficiency = 100.0 * column.hypercube / (column.ranks as f64 * TABLE_2[0].hypercube);
            assert!((efficiency - expected).abs() < 0.06, "{column:?}: {efficiency}, expected {expected}");
        }
        for ((look_ahead, rate), expected) in TABLE_4.iter().zip([0.109, 0.335, 1.22, 4.55, 13.9, 27.4]) {
            let efficiency = 100.0 * rate / (32.0 * 0.0180);
            assert!((efficiency / expected - 1.0).abs() < 0.01, "Q = {look_ahead}: {efficiency}");
        }
    }

    #[test]
    fn totals_of_the_paper_follow() {
        // Its row of totals, which is not in the constants.
        assert_eq!(COARRAY_LINES.map(KernelLines::total), [45, 304, 301, 691]);
    }

    #[test]
    fn the_rates_that_two_tables_have_are_equal() {
        let of_table_2 = TABLE_2.iter().filter_map(|rate| Some((rate.ranks, rate.stock?)));
        let both: Vec<_> = of_table_2.filter(|(ranks, _)| stock(*ranks).is_some()).collect();
        assert!(both.len() == 5 && both.iter().all(|rate| TABLE_1.contains(rate)), "{both:?}");
    }

    #[test]
    fn rows_are_found_by_ranks() {
        assert_eq!(over_ranks(200).map(|rate| (rate.hypercube, rate.model)), Some((0.567, None)));
        assert!(over_ranks(3).is_none() && optimised_seconds(3).is_none());
        assert!(optimised_seconds(SWEEP_RANKS).is_some_and(|row| row.iter().all(Option::is_some)));
    }
}
