//! The figures of Quintin, Hasanov and Lastovetsky 2013 by their model, beside what they have measured.

use hcube_gemm::model::hockney::Hockney;
use hcube_gemm::model::paper::{EXASCALE_OPERATIONS, MEASURED, Row, SETTINGS, Setting};
use hcube_gemm::schedule::Broadcast;
use serde::Serialize;

/// The broadcasts of the model of Quintin et al. 2013.
const BROADCASTS: [Broadcast; 2] = [Broadcast::Binomial, Broadcast::ScatterAllgather];

/// All figures.
#[derive(Debug, Serialize)]
pub struct Figures {
    hcube: &'static str,
    pub settings: Vec<Predicted>,
    /// Seconds of computation of Figure 10.
    pub exascale_computation_seconds: f64,
}

/// A setting of a figure. Times are of the communication, by formula. A reciprocal bandwidth without a unit
/// is read per element.
#[derive(Debug, Serialize)]
pub struct Predicted {
    pub figure: &'static str,
    pub machine: &'static str,
    pub n: f64,
    pub ranks: f64,
    pub block: f64,
    pub alpha_over_beta: f64,
    /// 2 n b / p, above which alpha / beta makes groups gain.
    pub threshold: f64,
    pub binomial_seconds: f64,
    /// By number of groups, which is the power of two with the index as exponent. The first is SUMMA.
    pub scatter_allgather_seconds: Vec<f64>,
    pub best_groups: usize,
    pub gain: f64,
    /// The gain if the reciprocal bandwidth is per byte, where they give no unit.
    pub gain_per_byte: Option<f64>,
    /// The measured gain, where Quintin et al. 2013 give one.
    pub measured_gain: Option<f64>,
}

impl Predicted {
    fn new(setting: &Setting) -> Self {
        let Setting { figure, machine, n, ranks, block, hockney, .. } = *setting;
        let seconds = |broadcast, groups: usize, hockney: &Hockney| {
            Row::new(broadcast, n, ranks, groups as f64, [block; 2]).seconds(hockney)
        };
        let by_groups = |hockney: &Hockney| -> Vec<f64> {
            let exponents = 0..=(ranks as usize).ilog2();
            exponents.map(|exponent| seconds(BROADCASTS[1], 1 << exponent, hockney)).collect()
        };
        let shortest = |all: &[f64]| all.iter().copied().fold(f64::INFINITY, f64::min);
        let all = by_groups(&hockney);
        let best = shortest(&all);
        let gain_per_byte = setting.per_byte().map(|hockney| {
            let all = by_groups(&hockney);
            all[0] / shortest(&all)
        });
        // The first that is as good as the best.
        let exponent = all.iter().position(|&seconds| seconds <= best * (1.0 + 1e-9)).unwrap_or(0);
        let measured =
            MEASURED.iter().find(|measured| machine == "BlueGene/P" && measured.ranks as f64 == ranks);
        Self {
            figure,
            machine,
            n,
            ranks,
            block,
            alpha_over_beta: hockney.alpha / hockney.beta,
            threshold: 2.0 * n * block / ranks,
            binomial_seconds: seconds(BROADCASTS[0], 1, &hockney),
            best_groups: 1 << exponent,
            gain: all[0] / best,
            gain_per_byte,
            scatter_allgather_seconds: all,
            measured_gain: measured.map(|measured| measured.gain),
        }
    }
}

impl Figures {
    pub fn of_the_paper() -> Self {
        let exascale = SETTINGS[SETTINGS.len() - 1];
        Self {
            hcube: env!("CARGO_PKG_VERSION"),
            settings: SETTINGS.iter().map(Predicted::new).collect(),
            exascale_computation_seconds: 2.0 * exascale.n.powi(3) / EXASCALE_OPERATIONS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_gains_stand_beside_those_of_the_model() {
        let figures = Figures::of_the_paper();
        let of = |ranks: f64| figures.settings.iter().find(|one| one.ranks == ranks).expect("a setting");
        let large = of(16384.0);
        assert!((large.gain - 1.18).abs() < 0.005 && large.measured_gain == Some(5.89), "{large:?}");
        assert_eq!(large.best_groups, 128);
        let small = of(2048.0);
        assert!((small.best_groups, small.gain, small.measured_gain) == (1, 1.0, Some(2.08)), "{small:?}");
        // Both ends are SUMMA.
        for one in &figures.settings {
            let all = &one.scatter_allgather_seconds;
            assert!((all[0] / all[all.len() - 1] - 1.0).abs() < 1e-9, "{one:?}");
        }
        assert!((figures.exascale_computation_seconds - 147.6).abs() < 0.1);
        // Its bandwidth is in GB/s: 22.4 s with SUMMA, 11.8 s with 1024 groups.
        let exascale = of(1_048_576.0);
        let seconds = &exascale.scatter_allgather_seconds;
        assert!((seconds[0] - 22.42).abs() < 0.01 && (seconds[10] - 11.83).abs() < 0.01, "{exascale:?}");
        assert!((exascale.gain - 1.89).abs() < 0.01 && exascale.gain_per_byte.is_none(), "{exascale:?}");
    }

    /// Per byte, BlueGene/P gains nothing, and Graphene only with small blocks.
    #[test]
    fn both_readings_of_a_bandwidth_without_a_unit() {
        let figures = Figures::of_the_paper();
        for one in figures.settings.iter().filter(|one| one.machine != "exascale") {
            let gain = one.gain_per_byte.expect("no unit");
            let expected = if one.figure == "5" { 1.10 } else { 1.0 };
            assert!((gain - expected).abs() < 0.005 && gain <= one.gain + 1e-9, "{one:?}");
        }
    }
}
