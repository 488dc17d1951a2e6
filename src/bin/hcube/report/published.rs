//! Figures of the papers, for comparison.

/// Where those of RandomAccess are from.
pub const PLIMPTON: &str = "Plimpton et al. 2006";

/// A column of Table 2: GUP/s on Red Storm.
#[derive(Debug, Clone, Copy)]
pub struct Rate {
    /// Processors, with one rank each.
    pub ranks: usize,
    /// HPCC's own update.
    pub stock: Option<f64>,
    /// The hypercube algorithm.
    pub hypercube: f64,
    /// The paper's cost model.
    pub model: Option<f64>,
}

const fn rate(ranks: usize, stock: Option<f64>, hypercube: f64, model: Option<f64>) -> Rate {
    Rate { ranks, stock, hypercube, model }
}

/// Plimpton et al. 2006, Table 2.
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
    rate(10240, None, 19.72, None),
];

/// Processors of Tables 3 and 4 that are shown here.
pub const SWEEP_RANKS: usize = 32;

/// Plimpton et al. 2006, Table 3, 32 processors: seconds of Original, Mod1, Mod2, Mod3 and Mod7, each
/// with those before it. (Mod4, Mod5 and Mod6 change the MPI library.)
pub const TABLE_3: [f64; 5] = [25.186, 23.122, 22.915, 22.260, 19.656];

/// Plimpton et al. 2006, Table 4, 32 processors: look-ahead and GUP/s.
pub const TABLE_4: [(usize, f64); 10] = [
    (1, 0.000627),
    (4, 0.00193),
    (16, 0.00704),
    (64, 0.0262),
    (256, 0.0803),
    (1024, 0.158),
    (2048, 0.189),
    (4096, 0.210),
    (8192, 0.223),
    (32768, 0.212),
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
}
