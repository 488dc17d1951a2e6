//! What pictures say: a sentence for each of them with figures of its points, which is its title.

use super::chart::{Chart, Series};
use super::evidence::Evidence::{self, Measured, Predicted, Published, Simulated};
use crate::numbers::short;

/// Figures of a sentence.
enum Figures {
    /// Speed-ups of the series that begins with the first name over those that begin with the others, in the
    /// charts whose titles contain a word.
    LowerIsBetter(&'static str, &'static str, &'static [&'static str]),
    HigherIsBetter(&'static str, &'static str, &'static [&'static str]),
    /// The values of a series, in the charts whose titles contain a word.
    Values(&'static str, &'static str),
    /// How many speed-ups are above 1, in the charts whose titles contain a word.
    Faster(&'static str),
    /// The largest value of a series, and the smallest.
    Largest(&'static str),
    Smallest(&'static str),
    /// Values of one kind of evidence over values of another in a series whose name begins alike.
    Ratio(Evidence, Evidence),
}
use Figures::{Faster, HigherIsBetter, Largest, LowerIsBetter, Ratio, Smallest, Values};

struct Message {
    picture: &'static str,
    /// With `{}` for each of the figures.
    sentence: &'static str,
    figures: &'static [Figures],
}

const fn says(picture: &'static str, sentence: &'static str, figures: &'static [Figures]) -> Message {
    Message { picture, sentence, figures }
}

/// For a picture that has several, the first whose figures it has.
const MESSAGES: [Message; 33] = [
    says(
        "alltoall-measured",
        "hcube's all-to-all in place: speed-up of {} over the MPI library in place, {} out of place",
        &[
            LowerIsBetter("", "hcube, in place", &["MPI library, in place"]),
            LowerIsBetter("", "hcube, in place", &["MPI library, out of place"]),
        ],
    ),
    says(
        "alltoall-measured",
        "hcube's all-to-all in place: speed-up of {} over the MPI library",
        &[LowerIsBetter("", "hcube, in place", &["MPI library, in place", "MPI library, out of place"])],
    ),
    says(
        "alltoall-schedules",
        "hcube in place selects its schedule: speed-up of {} over fixed schedules",
        &[LowerIsBetter("", "hcube, in place", &["MPICH order", "linear shift", "hierarchical sets"])],
    ),
    says(
        "alltoall-memory",
        "An exchange in place needs up to {} of additional memory with hcube, {} with the MPI library",
        &[Largest("hcube, in place"), Largest("MPI library, in place")],
    ),
    says(
        "bsp",
        "hcube's supersteps with little data: speed-up of {} over MPI",
        &[LowerIsBetter("superstep", "hcube", &["MPI"])],
    ),
    says(
        "bsp-latency",
        "hcube's supersteps with little data: speed-up of {} over MPI",
        &[LowerIsBetter("", "hcube", &["MPI"])],
    ),
    says(
        "bsp-put",
        "bsp_put: speed-up of {} over MPI_Put with many messages in a superstep, {} with one",
        &[LowerIsBetter("", "hcube, up to", &["MPI, up to"]), LowerIsBetter("", "hcube, 1 ", &["MPI, 1 "])],
    ),
    says(
        "bsp-gap",
        "Longer and more messages lower the gap of bsp_put: {} to {} ns per word",
        &[Largest("bsp_put"), Smallest("bsp_put")],
    ),
    says(
        "bsp-puts-simulated",
        "Supersteps with 64 puts on simulated clusters: speed-up of {} over the MPI library",
        &[LowerIsBetter("", "hcube, ", &["MPI library, "])],
    ),
    says(
        "bsp-programs-simulated",
        "Simulated efficiencies of BSP programs are {} of the published ones",
        &[Ratio(Simulated, Published)],
    ),
    says(
        "bsp-predict",
        "g(h,h*) predicts {} of the measured times",
        &[HigherIsBetter("", "g(h,h*)", &["measured"])],
    ),
    says(
        "bsp-predict",
        "g(h,h*) predicts {} of the published efficiencies",
        &[HigherIsBetter("", "g(h,h*)", &["published"])],
    ),
    says(
        "coarrays",
        "Functions shipped by hcube's coarrays: speed-up of {} over MPI's one-sided functions",
        &[HigherIsBetter("exclusive-or", "hcube", &["MPI"])],
    ),
    says(
        "coarrays-spawn",
        "Functions shipped by hcube's coarrays: speed-up of {} over MPI_Accumulate, {} over OpenSHMEM",
        &[HigherIsBetter("", "hcube", &["MPI"]), HigherIsBetter("", "hcube", &["OpenSHMEM"])],
    ),
    says(
        "coarrays-updates-simulated",
        "Simulated copies with events reach {} times the rate published for 4096 images",
        &[HigherIsBetter("", "copies with events, Franklin", &["Coarray Fortran 2.0 on Franklin"])],
    ),
    says(
        "fft",
        "hcube's Fourier transform: speed-up of {} over FFTW (both planners)",
        &[HigherIsBetter("", "hcube, six steps", &["FFTW, estimate", "FFTW, measure"])],
    ),
    says(
        "fftw",
        "FFTW with hcube's solver: speed-up of {} for transforms, {} for transpositions",
        &[Values("speed-up", "whole transform"), Values("speed-up", "transposition only")],
    ),
    says("fftw", "FFTW with hcube's solver: speed-up of {}", &[Values("speed-up", "")]),
    says(
        "gemm",
        "PDGEMM of hcube: speed-up of {} over ScaLAPACK with wider panels, {} as installed",
        &[Values("wider panels", ""), Values("as installed", "")],
    ),
    says("gemm", "PDGEMM of hcube: speed-up of {} over ScaLAPACK", &[Values("over ScaLAPACK", "")]),
    says(
        "gfortran",
        "Fortran coarrays with hcube are faster than OpenCoarrays in {} operations, than MPI in {} programs",
        &[Faster("over OpenCoarrays"), Faster("against MPI")],
    ),
    says(
        "gfortran",
        "Fortran coarrays with hcube are faster than OpenCoarrays in {} operations",
        &[Faster("over OpenCoarrays")],
    ),
    says(
        "lcs-simulated",
        "Simulated efficiencies are {} of the predictions of the cost model",
        &[Ratio(Simulated, Predicted)],
    ),
    says(
        "llcs",
        "Longest common subsequence on one core: speed-up of {} over rapidfuzz",
        &[HigherIsBetter("1 process", "hcube", &["rapidfuzz"])],
    ),
    says(
        "llcs-ranks",
        "On the selected grid, 2 ranks reach an efficiency of {}",
        &[Values("", "selected grid")],
    ),
    says("llcs", "On the selected grid, all ranks reach an efficiency of {}", &[Values("", "selected grid")]),
    says(
        "look-ahead",
        "Simulated rates over the look-ahead are {} of the published ones",
        &[HigherIsBetter("", "published algorithm", &["hypercube (Table 4)"])],
    ),
    says(
        "panels",
        "Broadcasts of panels in node memory: speed-up of {} over MPI_Bcast, {} over MPI_Ibcast",
        &[
            LowerIsBetter("", "hcube, in node memory", &["MPI_Bcast"]),
            LowerIsBetter("", "hcube, in node memory", &["MPI_Ibcast"]),
        ],
    ),
    says("programs", "Unmodified programs with the preload library: speed-up of {}", &[Values("", "")]),
    says(
        "random-access-measured",
        "RandomAccess of HPCC with hcube: speed-up of {} over HPCC as shipped, {} over Sandia's update",
        &[
            HigherIsBetter("", "HPCC with hcube", &["HPCC as shipped"]),
            HigherIsBetter("", "HPCC with hcube", &["HPCC with Sandia's update"]),
        ],
    ),
    says(
        "random-access-simulated",
        "Simulated RandomAccess reaches {} of the rates published for Red Storm",
        &[HigherIsBetter("", "Red Storm, published algorithm", &["Red Storm, hypercube (Table 2)"])],
    ),
    says(
        "stream",
        "STREAM with hcube: speed-up of {} over plain C",
        &[HigherIsBetter("vectors of", "hcube", &["plain C"])],
    ),
    says(
        "stream",
        "STREAM with hcube: speed-up of {} over plain C",
        &[HigherIsBetter("", "hcube", &["plain C"])],
    ),
];

/// The sentence of a picture; nothing where it has none, or figures are missing.
pub fn of(picture: &str, panels: &[Chart]) -> Option<String> {
    let own = MESSAGES.iter().filter(|message| message.picture == picture);
    own.filter_map(|message| message.text(panels)).next()
}

impl Message {
    fn text(&self, panels: &[Chart]) -> Option<String> {
        let mut pieces = self.sentence.split("{}");
        let mut text = pieces.next()?.to_owned();
        for (figures, piece) in self.figures.iter().zip(pieces) {
            text += &figures.text(panels)?;
            text += piece;
        }
        Some(text)
    }
}

/// `low to high` of these values; nothing without any.
pub fn range(values: &[f64]) -> Option<String> {
    let [low, high] = [f64::min, f64::max].map(|pick| values.iter().copied().reduce(pick).map(short));
    let (low, high) = (low?, high?);
    Some(if low == high { low } else { format!("{low} to {high}") })
}

impl Figures {
    fn text(&self, panels: &[Chart]) -> Option<String> {
        match *self {
            LowerIsBetter(chart, ours, theirs) => {
                let inverse = ratios(panels, chart, ours, theirs).into_iter().map(f64::recip);
                range(&inverse.collect::<Vec<_>>())
            }
            HigherIsBetter(chart, ours, theirs) => range(&ratios(panels, chart, ours, theirs)),
            Values(chart, name) => range(&values(panels, chart, name)),
            Faster(chart) => {
                let all = values(panels, chart, "");
                let faster = all.iter().filter(|&&value| value > 1.0).count();
                (!all.is_empty()).then(|| format!("{faster} of {}", all.len()))
            }
            Largest(name) => extreme(panels, name, f64::max),
            Smallest(name) => extreme(panels, name, f64::min),
            Ratio(of, to) => {
                let values = panels.iter().flat_map(|panel| {
                    let own = panel.series.iter().filter(move |one| one.is(of));
                    own.flat_map(move |one| {
                        let others = panel.series.iter();
                        let beside =
                            others.filter(move |other| other.is(to) && other.name.starts_with(&one.name));
                        beside.flat_map(move |other| quotients(one, other, panel))
                    })
                });
                range(&values.collect::<Vec<_>>())
            }
        }
    }
}

/// The values of the measured series that begin with a name, in the charts whose titles contain a word.
fn values(panels: &[Chart], chart: &str, name: &str) -> Vec<f64> {
    let own = panels.iter().filter(|panel| panel.title.contains(chart));
    let values = own.flat_map(|panel| {
        let series = panel.series.iter().filter(|one| one.is(Measured) && one.name.starts_with(name));
        series.flat_map(|one| one.points.iter().map(|point| panel.labelled(point).1))
    });
    values.collect()
}

/// The extreme value of the measured series that begin with a name, as its axis writes it.
fn extreme(panels: &[Chart], name: &str, pick: fn(f64, f64) -> f64) -> Option<String> {
    let of_panel = |panel: &Chart| {
        let own = panel.series.iter().filter(|one| one.is(Measured) && one.name.starts_with(name));
        let values = own.flat_map(|one| &one.points).map(|point| panel.labelled(point).1);
        values.reduce(pick)
    };
    let axis = &panels.first()?.y;
    Some(axis.rounded(panels.iter().filter_map(of_panel).reduce(pick)?))
}

/// Values of one series over values of others, for the same label.
fn ratios(panels: &[Chart], chart: &str, ours: &str, theirs: &[&str]) -> Vec<f64> {
    let mut all = Vec::new();
    for panel in panels.iter().filter(|panel| panel.title.contains(chart)) {
        for own in &panel.series {
            let Some(rest) = own.name.strip_prefix(ours) else { continue };
            for name in theirs {
                let is_named = |other: &&Series| match other.name.strip_prefix(name) {
                    Some(other) => rest.is_empty() && !other.starts_with(',') || other == rest,
                    None => false,
                };
                panel
                    .series
                    .iter()
                    .filter(is_named)
                    .for_each(|other| all.extend(quotients(own, other, panel)));
            }
        }
    }
    all
}

fn quotients(one: &Series, other: &Series, panel: &Chart) -> Vec<f64> {
    let others: Vec<(String, f64)> = other.points.iter().map(|point| panel.labelled(point)).collect();
    let quotient = |(label, value): (String, f64)| {
        let found = others.iter().find(|(other, divisor)| *other == label && *divisor > 0.0)?;
        Some(value / found.1)
    };
    one.points.iter().filter_map(|point| quotient(panel.labelled(point))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, Format, Scale, looks};
    use super::*;

    #[test]
    fn sentences_have_the_figures_of_their_pictures() {
        let series = |name: &str, points: &[(f64, f64)]| {
            Series::new(name, Measured, looks::HCUBE, points.iter().copied())
        };
        let chart = Chart::new(
            "64 KiB per rank",
            Axis::new("ranks", Scale::Log2, Format::Plain),
            Axis::new("time", Scale::Log10, Format::Seconds),
            vec![
                series("hcube, in place", &[(2.0, 1e-3), (4.0, 2e-3)]),
                series("MPI library, in place", &[(2.0, 2e-3), (4.0, 1e-3), (8.0, 1.0)]),
            ],
        );
        assert_eq!(
            of("alltoall-measured", std::slice::from_ref(&chart)).as_deref(),
            Some("hcube's all-to-all in place: speed-up of 0.50 to 2.00 over the MPI library")
        );
        assert_eq!(
            of("alltoall-memory", std::slice::from_ref(&chart)).as_deref(),
            Some(
                "An exchange in place needs up to 2 ms of additional memory with hcube, 1 s with the MPI library"
            )
        );
        assert_eq!((of("alltoall-measured", &[]), of("unknown", &[chart])), (None, None));
    }

    #[test]
    fn sentences_have_a_place_for_each_figure() {
        for message in &MESSAGES {
            assert_eq!(message.sentence.matches("{}").count(), message.figures.len(), "{}", message.sentence);
        }
    }

    #[test]
    fn ranges_are_short() {
        assert_eq!(range(&[2.0, 0.4, 22.22]).as_deref(), Some("0.40 to 22.2"));
        assert_eq!((range(&[1.0, 1.001]).as_deref(), range(&[])), (Some("1.00"), None));
    }
}
