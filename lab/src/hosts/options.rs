//! Options that say which hosts there are.

use hcube_hosts::MAX_HOSTS;
use hcube_tool::choices::number;
use std::time::Duration;

/// Hosts, their network and what starts ranks on them.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// Number of hosts
    #[arg(long, value_name = "NUMBER", default_value = "2", value_parser = number::<usize>(1..=MAX_HOSTS))]
    pub hosts: usize,
    /// Ranks on each host
    #[arg(long, value_name = "NUMBER", default_value = "2", value_parser = number::<usize>(1..=1024))]
    pub ranks_per_host: usize,
    #[command(flatten)]
    pub links: Links,
    /// The MPI library, whose launcher is mpirun.NAME: openmpi, openmpi5, mpich, mpich5
    #[arg(long, value_name = "NAME", env = "MPI", default_value = "openmpi")]
    pub mpi: String,
    /// Neighbouring ranks are on different hosts
    #[arg(long)]
    pub in_turn: bool,
}

/// How fast the links between hosts are.
#[derive(Debug, Clone, clap::Args)]
pub struct Links {
    /// The rate of each link, such as 1gbit or 100mbit (by default no limit)
    #[arg(long, value_name = "RATE", value_parser = rate)]
    pub rate: Option<u64>,
    /// The time that a frame needs from one host to another, such as 100us or 1ms (by default none). Needs
    /// /dev/net/tun; a program relays all frames, which costs processor time
    #[arg(long, value_name = "TIME", value_parser = latency)]
    pub latency: Option<Duration>,
}

/// A number with one of these units.
fn with_unit(text: &str, units: &[(&str, f64)], expected: &str) -> Result<f64, String> {
    let value = units.iter().find_map(|(unit, factor)| {
        let number: f64 = text.strip_suffix(unit)?.parse().ok()?;
        (number.is_finite() && number > 0.0).then_some(number * factor)
    });
    value.ok_or_else(|| format!("expected {expected}"))
}

/// Bits per second.
fn rate(text: &str) -> Result<u64, String> {
    const EXPECTED: &str = "a rate from 1mbit to 400gbit such as 1gbit";
    let bits = with_unit(text, &[("kbit", 1e3), ("mbit", 1e6), ("gbit", 1e9)], EXPECTED)?;
    if (1e6..=4e11).contains(&bits) { Ok(bits as u64) } else { Err(format!("expected {EXPECTED}")) }
}

fn latency(text: &str) -> Result<Duration, String> {
    const EXPECTED: &str = "a time from 1us to 1s such as 100us";
    let seconds = with_unit(text, &[("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0)], EXPECTED)?;
    let is_possible = (1e-6..=1.0).contains(&seconds);
    if is_possible { Ok(Duration::from_secs_f64(seconds)) } else { Err(format!("expected {EXPECTED}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_times_have_units() {
        assert_eq!((rate("1gbit"), rate("2.5mbit")), (Ok(1_000_000_000), Ok(2_500_000)));
        assert_eq!(latency("100us"), Ok(Duration::from_micros(100)));
        assert_eq!(latency("1.5ms"), Ok(Duration::from_micros(1500)));
        for wrong in ["", "1", "gbit", "-1gbit", "1kbit", "1tbit", "infgbit", "NaNgbit"] {
            assert!(rate(wrong).is_err_and(|text| text.starts_with("expected a rate")), "{wrong}");
        }
        for wrong in ["", "100", "us", "0us", "-1ms", "10ns", "2s"] {
            assert!(latency(wrong).is_err_and(|text| text.starts_with("expected a time")), "{wrong}");
        }
    }
}
