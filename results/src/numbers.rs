//! Medians and how numbers are written.

/// The middle value; of an even number of values the mean of the two in the middle. 0 of none.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        count if count % 2 == 1 => sorted[count / 2],
        count => f64::midpoint(sorted[count / 2 - 1], sorted[count / 2]),
    }
}

/// The lower and the upper quartile, between two values by their distances. 0 of none.
pub fn quartiles(values: &[f64]) -> [f64; 2] {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return [0.0; 2] };
    [0.25, 0.75].map(|share| {
        let place = share * last as f64;
        let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
        low + place.fract() * (high - low)
    })
}

/// Largest less smallest value, as a share of the median.
pub fn spread(values: &[f64]) -> f64 {
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let middle = median(values);
    if middle > 0.0 { (largest - smallest) / middle } else { 0.0 }
}

/// The geometric mean; nothing of no values.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    let logarithms: f64 = values.iter().map(|value| value.ln()).sum();
    (!values.is_empty()).then(|| (logarithms / values.len() as f64).exp())
}

/// Updates in `seconds` as GUP/s: 10^9 updates per second.
pub fn gups(updates: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { updates as f64 * 1e-9 / seconds } else { 0.0 }
}

/// Four significant digits: 0.1234, 0.002512.
pub fn significant(value: f64) -> String {
    if !value.is_finite() || value <= 0.0 {
        return "0".to_owned();
    }
    let decimals = (3 - value.log10().floor() as i32).clamp(0, 9) as usize;
    format!("{value:.decimals$}")
}

/// About three digits, as beside points of pictures and in their titles: 0.036, 1.41, 22.2, 616.
pub fn short(value: f64) -> String {
    match value.abs() {
        large if large >= 99.95 => format!("{value:.0}"),
        medium if medium >= 9.995 => format!("{value:.1}"),
        small if small >= 0.0995 || small == 0.0 => format!("{value:.2}"),
        tiny => format!("{value:.*}", (1 - tiny.log10().floor() as i32).clamp(0, 9) as usize),
    }
}

/// The day of a time in seconds since 1970: 2026-11-29.
pub fn date(seconds: u64) -> String {
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let (mut days, mut year) = (seconds / 86400, 1970);
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

/// A share as a percentage without decimals.
pub fn percent(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}

/// A time with four digits and its unit.
pub fn time(seconds: f64) -> String {
    match seconds {
        short if short < 1e-3 => format!("{} us", significant(1e6 * short)),
        short if short < 1.0 => format!("{} ms", significant(1e3 * short)),
        long => format!("{} s", significant(long)),
    }
}

/// As [`bytes`], without decimals that say nothing: 64 KiB.
pub fn whole_bytes(count: usize) -> String {
    bytes(count as f64).replace(".0 ", " ")
}

/// Bytes with the unit that leaves at most four digits before the point.
pub fn bytes(count: f64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let (mut value, mut unit) = (count, 0);
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{value:.0} B") } else { format!("{value:.1} {}", units[unit]) }
}

/// A length as a product of small numbers and a power of two: 2^20, 3*2^18.
pub fn length_name(length: usize) -> String {
    let power = length.max(1).trailing_zeros();
    match length.max(1) >> power {
        _ if power < 4 => length.to_string(),
        1 => format!("2^{power}"),
        odd => format!("{odd}*2^{power}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_dates() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(951_782_400), "2000-02-29");
        assert_eq!(date(1_798_761_599), "2026-12-31");
    }

    #[test]
    fn medians_of_odd_even_and_no_values() {
        assert_eq!((median(&[3.0, 1.0, 2.0]), median(&[4.0, 1.0, 2.0, 3.0]), median(&[])), (2.0, 2.5, 0.0));
    }

    #[test]
    fn quartiles_lie_between_values() {
        assert_eq!(quartiles(&[5.0, 1.0, 3.0, 2.0, 4.0]), [2.0, 4.0]);
        assert_eq!((quartiles(&[1.0, 2.0]), quartiles(&[7.0])), ([1.25, 1.75], [7.0; 2]));
        assert_eq!(quartiles(&[]), [0.0; 2]);
    }

    #[test]
    fn geometric_means() {
        let mean = geometric_mean(&[0.5, 8.0]).expect("of two values");
        assert!((mean - 2.0).abs() < 1e-12 && geometric_mean(&[]).is_none(), "{mean}");
    }

    #[test]
    fn spread_is_a_share_of_the_median() {
        assert_eq!(spread(&[1.0, 2.0, 3.0]), 1.0);
        assert_eq!((spread(&[5.0]), spread(&[])), (0.0, 0.0));
    }

    #[test]
    fn numbers_are_written_with_four_digits() {
        let written = [0.15092, 0.0024567, 19.98, 12345.0, 0.0].map(significant);
        assert_eq!(written, ["0.1509", "0.002457", "19.98", "12345", "0"]);
        assert_eq!([512.0, 1536.0, 3e6].map(bytes), ["512 B", "1.5 KiB", "2.9 MiB"]);
        assert_eq!([0.00035, 0.0123, 2.0].map(time), ["350.0 us", "12.30 ms", "2.000 s"]);
        assert_eq!([64 << 10, 1536].map(whole_bytes), ["64 KiB", "1.5 KiB"]);
        assert_eq!((gups(2_000_000_000, 4.0), gups(1, 0.0)), (0.5, 0.0));
    }
}
