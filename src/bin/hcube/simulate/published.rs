//! Published figures that simulations stand beside.

/// Table 2 of Plimpton et al. 2006: ranks, GUP/s measured on Red Storm, GUP/s of the paper's model.
const RANKS: [(usize, f64, Option<f64>); 11] = [
    (1, 0.0180, Some(0.0180)),
    (4, 0.0377, Some(0.0333)),
    (16, 0.0930, Some(0.0867)),
    (64, 0.273, Some(0.257)),
    (200, 0.567, None),
    (256, 0.858, Some(0.817)),
    (300, 0.739, None),
    (1024, 2.81, Some(2.71)),
    (4096, 9.25, Some(9.26)),
    (8192, 17.24, Some(17.26)),
    (10_240, 19.72, None),
];

/// Measured GUP/s and those of the paper's model on a number of ranks.
pub fn over_ranks(ranks: usize) -> (Option<f64>, Option<f64>) {
    let row = RANKS.iter().find(|row| row.0 == ranks);
    (row.map(|row| row.1), row.and_then(|row| row.2))
}

/// What all optimisations brought on a number of ranks (section 4).
pub fn optimised(ranks: usize) -> Option<f64> {
    (ranks == 8192).then_some(19.98)
}

/// Table 4: look-ahead and GUP/s on 32 ranks.
pub const OVER_LOOK_AHEAD: [(u64, f64); 10] = [
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

/// hcube's optimisations as Table 3 adds them: none, Mod1, Mod2, Mod3, Mod7.
pub const OPTIMISATIONS: [u32; 5] = [0, 1, 3, 7, 15];

/// Table 3: ranks, and seconds with each of [`OPTIMISATIONS`]; Mod4 to Mod6 are about the MPI library,
/// and Mod7 includes them.
const SECONDS: [(usize, [Option<f64>; 5]); 6] = [
    (1, [Some(7.033), Some(7.039), Some(7.032), Some(7.034), None]),
    (2, [Some(10.152), Some(10.113), Some(11.862), Some(10.063), None]),
    (4, [Some(13.654), Some(13.283), Some(13.164), Some(13.089), None]),
    (8, [Some(17.505), Some(16.431), Some(16.297), Some(16.093), None]),
    (16, [Some(21.338), Some(19.733), Some(19.821), Some(19.241), None]),
    (32, [Some(25.186), Some(23.122), Some(22.915), Some(22.260), Some(19.656)]),
];

/// Time with optimisations relative to the time without.
pub fn relative_time(ranks: usize, optimisations: u32) -> Option<f64> {
    let row = SECONDS.iter().find(|row| row.0 == ranks)?;
    let place = OPTIMISATIONS.iter().position(|&bits| bits == optimisations)?;
    Some(row.1[place]? / row.1[0]?)
}

/// What section 4 of Hofmann and Rünger 2013 says of its figures, which have no numbers in the text.
pub const SCHEDULES: &str = "Published (Hofmann and Rünger 2013, section 4.2): on JuRoPA MPICH order takes about twice as long as\n\
the best other; linear shift and hierarchical sets differ little, the latter faster in almost all cases, by\n\
10% at best; the library out of place is fastest up to 32 ranks and significantly slower beyond. On Juqueen\n\
MPICH order is significantly slower in most cases, about three times on 512 ranks; linear shift and\n\
hierarchical sets differ by up to 25%.\n";

/// Of additional memory.
pub const MEMORY: &str = "Published (Hofmann and Rünger 2013, section 4.3, JuRoPA): up to 32 ranks more memory is faster; beyond,\n\
hierarchical sets are fastest without additional memory.\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_tables() {
        assert_eq!(over_ranks(200), (Some(0.567), None));
        assert_eq!(over_ranks(8192), (Some(17.24), Some(17.26)));
        assert_eq!(over_ranks(3), (None, None));
        let share = relative_time(32, 15).expect("Mod7");
        assert!((share - 0.7804).abs() < 1e-4, "{share}");
        assert_eq!((relative_time(32, 2), relative_time(1, 15), relative_time(3, 0)), (None, None, None));
    }
}
