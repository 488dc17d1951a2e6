//! Axes: range, ticks and position of values.

use crate::numbers::{self, length_name};
use serde::{Deserialize, Serialize};

/// The division of an axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Powers of two: numbers of ranks, sizes.
    Log2,
    /// Powers of ten: rates, times.
    Log10,
    /// Equal steps, 0 included.
    Linear,
    /// Named places of equal width; values are their indices.
    Categories(Vec<String>),
}

/// How a value is written at an axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Without trailing zeros.
    #[default]
    Plain,
    /// With four significant digits, whole from 100 on.
    Rounded,
    /// Bytes, with their unit.
    Bytes,
    /// Words of 64 bits, as bytes.
    Words,
    /// Seconds, with the unit that fits.
    Seconds,
    /// Multiples of powers of two: `3*2^20`.
    PowersOfTwo,
    /// Powers of ten: `10^6`.
    PowersOfTen,
    Percent,
    /// Two decimals.
    Hundredths,
}

impl Format {
    pub fn text(self, value: f64) -> String {
        match self {
            Self::Plain => plain(value),
            Self::Rounded if value >= 100.0 => plain(value.round()),
            Self::Rounded => plain(numbers::significant(value).parse().unwrap_or(value)),
            Self::Bytes => numbers::whole_bytes(value as usize),
            Self::Words => numbers::whole_bytes(value as usize * size_of::<u64>()),
            Self::Seconds => seconds(value),
            Self::PowersOfTwo => length_name(value as usize),
            Self::PowersOfTen => power_of_ten(value),
            Self::Percent => format!("{} %", plain((10.0 * value).round() / 10.0)).replace('-', "−"),
            Self::Hundredths => format!("{value:.2}"),
        }
    }
}

fn seconds(value: f64) -> String {
    let (value, unit) = match value {
        short if short < 0.999e-3 => (1e6 * short, "µs"),
        short if short < 0.999 => (1e3 * short, "ms"),
        long => (long, "s"),
    };
    format!("{} {unit}", plain(numbers::significant(value).parse().unwrap_or(value)))
}

fn power_of_ten(value: f64) -> String {
    let power = value.log10().round();
    if value >= 1e4 && (value / 10_f64.powf(power) - 1.0).abs() < 1e-9 {
        format!("10^{power}")
    } else {
        plain(value)
    }
}

/// An axis without its range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Quantity and unit.
    pub title: String,
    /// Its division.
    pub scale: Scale,
    /// How its values are written.
    #[serde(default)]
    pub format: Format,
}

impl Axis {
    pub fn new(title: impl Into<String>, scale: Scale, format: Format) -> Self {
        Self { title: title.into(), scale, format }
    }

    /// An axis of sizes in bytes.
    pub fn bytes(title: &str) -> Self {
        Self::new(title, Scale::Log2, Format::Bytes)
    }

    /// An axis of named places.
    pub fn categories(title: impl Into<String>, names: Vec<String>) -> Self {
        Self::new(title, Scale::Categories(names), Format::Plain)
    }

    /// The name of a category, or the formatted value.
    pub fn value(&self, value: f64) -> String {
        match &self.scale {
            Scale::Categories(names) => names.get(value as usize).cloned().unwrap_or_default(),
            _ => self.format.text(value),
        }
    }

    /// A value beside its point: about three digits of a plain number.
    pub fn rounded(&self, value: f64) -> String {
        match self.format {
            Format::Plain => numbers::short(value),
            format => format.text(value),
        }
    }

    /// From the smallest to the largest of these values, with a tick at each; nothing for many values, a
    /// single one, or named places.
    pub fn exact(&self, values: &[f64]) -> Option<Ruler> {
        let logarithmic = matches!(self.scale, Scale::Log2 | Scale::Log10);
        let mut places = values.to_vec();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let is_drawable = |place: &f64| (-MAX_VALUE..=MAX_VALUE).contains(place);
        let is_positive = |place: &f64| *place >= MAX_VALUE.recip();
        if matches!(self.scale, Scale::Categories(_))
            || !(2..=MAX_EXACT).contains(&places.len())
            || !places.iter().all(|place| is_drawable(place) && (!logarithmic || is_positive(place)))
        {
            return None;
        }
        let ticks = places.iter().map(|&place| (place, self.format.text(place))).collect();
        Some(Ruler { low: places[0], high: places[places.len() - 1], logarithmic, ticks })
    }

    /// The range and ticks for these values.
    pub fn fit(&self, values: &[f64]) -> Ruler {
        let logarithmic = matches!(self.scale, Scale::Log2 | Scale::Log10);
        let drawable = |value: &f64| value.is_finite() && (!logarithmic || *value > 0.0);
        let values = values.iter().copied().filter(drawable);
        let values = values.map(|value| value.clamp(-MAX_VALUE, MAX_VALUE));
        let values = values.map(|value| if logarithmic { value.max(MAX_VALUE.recip()) } else { value });
        let low = values.clone().reduce(f64::min).unwrap_or(1.0);
        let high = values.reduce(f64::max).unwrap_or(1.0);
        match &self.scale {
            Scale::Log2 => powers(2.0, low, high, self.format),
            Scale::Log10 if high / low > 50.0 => powers(10.0, low, high, self.format),
            Scale::Log10 => round_values(low, high, self.format),
            Scale::Linear => linear(low, high, self.format),
            Scale::Categories(names) => Ruler {
                low: -0.5,
                high: names.len() as f64 - 0.5,
                logarithmic: false,
                ticks: names.iter().enumerate().map(|(n, name)| (n as f64, name.clone())).collect(),
            },
        }
    }
}

/// Places that can have a tick each.
const MAX_EXACT: usize = 14;

/// Larger values, and on logarithmic axes their reciprocals, are drawn at the edge.
const MAX_VALUE: f64 = 1e30;

/// A number without trailing zeros.
fn plain(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// An axis with its range.
#[derive(Debug, Clone, PartialEq)]
pub struct Ruler {
    low: f64,
    high: f64,
    logarithmic: bool,
    /// Values and their labels.
    pub ticks: Vec<(f64, String)>,
}

impl Ruler {
    /// Position of a value: 0 at the low end and for what the axis cannot show, 1 at the high end.
    pub fn place(&self, value: f64) -> f64 {
        let place = if self.logarithmic {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        if place.is_nan() { 0.0 } else { place.clamp(0.0, 1.0) }
    }
}

/// Labels that fit beside each other on a small screen.
const MAX_STEPS: i32 = 6;

fn powers(base: f64, low: f64, high: f64, format: Format) -> Ruler {
    // Logarithms of powers are not always whole.
    let exponent = |value: f64| value.ln() / base.ln();
    let from = (exponent(low) + 1e-9).floor() as i32;
    let to = ((exponent(high) - 1e-9).ceil() as i32).max(from + 1);
    let step = (to - from + MAX_STEPS - 1) / MAX_STEPS;
    let ticks = (from..=to).step_by(step.max(1) as usize);
    let ticks = ticks.map(|power| base.powi(power)).map(|value| (value, format.text(value))).collect();
    Ruler { low: base.powi(from), high: base.powi(to), logarithmic: true, ticks }
}

/// Round values: 1, 2 and 5 times powers of ten, or more of them where these are too few.
fn round_values(low: f64, high: f64, format: Format) -> Ruler {
    let coarse = between(&[1.0, 2.0, 5.0], low, high);
    let values = if coarse.len() > 3 {
        coarse
    } else {
        between(&[1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0], low, high)
    };
    let ticks = values.iter().map(|&value| (value, format.text(value))).collect();
    Ruler { low: values[0], high: values[values.len() - 1], logarithmic: true, ticks }
}

/// These digits times powers of ten, from the last below the range to the first above it.
fn between(digits: &[f64], low: f64, high: f64) -> Vec<f64> {
    let decade = low.log10().floor() as i32;
    let steps: Vec<f64> = (decade..decade + 5)
        .flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)))
        .collect();
    let from = steps.iter().rposition(|&step| step <= low * (1.0 + 1e-9)).unwrap_or(0);
    let to = steps.iter().position(|&step| step >= high * (1.0 - 1e-9)).unwrap_or(steps.len() - 1);
    steps[from.min(steps.len() - 2)..=to.max(from + 1)].to_vec()
}

fn linear(low: f64, high: f64, format: Format) -> Ruler {
    let (low, high) = (low.min(0.0), high.max(0.0));
    let rough = ((high - low) / 4.0).max(f64::MIN_POSITIVE);
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|digit| digit * power);
    let step = step.into_iter().find(|&step| step >= rough * (1.0 - 1e-9)).unwrap_or(10.0 * power);
    let from = (low / step + 1e-9).floor() as i32;
    let to = ((high / step - 1e-9).ceil() as i32).max(from + 1);
    let ticks = (from..=to).map(|number| step * f64::from(number)).map(|value| (value, format.text(value)));
    let ticks = ticks.collect();
    Ruler { low: step * f64::from(from), high: step * f64::from(to), logarithmic: false, ticks }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, values: &[f64]) -> Vec<String> {
        Axis::new("", scale, Format::Plain).fit(values).ticks.into_iter().map(|tick| tick.1).collect()
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(labels(Scale::Log2, &[1.0, 8.0]), ["1", "2", "4", "8"]);
        assert_eq!(labels(Scale::Log2, &[1.0, 8192.0]), ["1", "8", "64", "512", "4096"]);
        assert_eq!(labels(Scale::Log10, &[0.0013, 0.18]), ["0.001", "0.01", "0.1", "1"]);
        assert_eq!(labels(Scale::Log10, &[0.3, 4.0]), ["0.2", "0.5", "1", "2", "5"]);
        assert_eq!(labels(Scale::Linear, &[3.0, 100.0]), ["0", "25", "50", "75", "100"]);
        assert_eq!(labels(Scale::Linear, &[-7.0, 22.0]), ["-10", "0", "10", "20", "30"]);
        assert_eq!(labels(Scale::Log10, &[1.0, 1.0]), ["1", "1.5"]);
        assert_eq!(labels(Scale::Log10, &[0.021, 0.044]), ["0.02", "0.025", "0.03", "0.04", "0.05"]);
    }

    #[test]
    fn any_value_has_a_place() {
        let extremes = [0.0, -4.0, 1e-300, 1.0, 1e300, f64::INFINITY, f64::NAN];
        for scale in [Scale::Log2, Scale::Log10, Scale::Linear] {
            for values in [&extremes[..], &extremes[..1], &[5.0, 5.0], &[]] {
                let ruler = Axis::new("", scale.clone(), Format::Plain).fit(values);
                assert!(ruler.ticks.len() >= 2, "{values:?}: {ruler:?}");
                let mut places = extremes.iter().chain(values).map(|&value| ruler.place(value));
                assert!(places.all(|place| (0.0..=1.0).contains(&place)), "{values:?}: {ruler:?}");
            }
        }
    }

    #[test]
    fn places_are_between_the_ends() {
        let ruler = Axis::new("", Scale::Log2, Format::Plain).fit(&[1.0, 16.0]);
        assert_eq!([1.0, 4.0, 16.0].map(|value| ruler.place(value)), [0.0, 0.5, 1.0]);
        let names = Axis::categories("", vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!([0.0, 1.0].map(|value| names.fit(&[]).place(value)), [0.25, 0.75]);
        assert_eq!((names.value(1.0).as_str(), names.value(7.0).as_str()), ("b", ""));
    }
}
