//! What longest common subsequences have here: the kernels, their instructions and their rates.

use super::finding::{Finding, State, Topic};
use hcube_core::Result;
use hcube_core::comm::{Comm, agree};
use hcube_core::machine::instructions::Level;
use hcube_lcs::{Kernel, rate};

const TOPIC: Topic = Topic::Llcs;

/// The alphabets that findings are about: bytes, and sequences of nucleotides.
const ALPHABETS: [(usize, &str); 2] = [(256, "symbols of a byte"), (4, "an alphabet of 4 symbols")];

/// Collective: the rates, measured on all ranks at the same time as in a computation.
pub fn all(comm: &impl Comm) -> Result<Vec<Finding>> {
    let level = Level::detect();
    let measured = ALPHABETS.map(|(alphabet, what)| {
        comm.barrier()?;
        let kernel = Kernel::choose(alphabet, level);
        let seconds =
            comm.all_gather(&[agree(comm, rate::entry_seconds(alphabet, kernel, level))?.to_bits()])?;
        // A computation goes on at the rate of the slowest rank.
        let slowest = seconds.into_iter().map(f64::from_bits).fold(0.0, f64::max);
        Ok(judge(what, kernel, level, 1e-9 / slowest))
    });
    measured.into_iter().collect()
}

/// The rate is in GCUPS, 10^9 cell updates per second.
fn judge(what: &str, kernel: Kernel, level: Level, rate: f64) -> Finding {
    // The kernel in words has the same instructions on every level.
    let instructions = if kernel == Kernel::Words { Level::Portable } else { level };
    let name = Kernel::ALL.into_iter().find(|&(each, _)| each == kernel).map_or("", |(_, name)| name);
    let text =
        format!("{what}: kernel {name}, {} instructions, {rate:.0} GCUPS on a rank", instructions.name());
    if level == Level::Portable {
        let advice = "none is required; small alphabets are faster on processors with AVX2 or AVX-512";
        return Finding::new(TOPIC, State::Slow, text).advise(advice);
    }
    Finding::new(TOPIC, State::Good, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_core::comm::threads;

    #[test]
    fn only_processors_without_vectors_are_slow() {
        for level in Level::available() {
            for (alphabet, what) in ALPHABETS {
                let kernel = Kernel::choose(alphabet, level);
                let finding = judge(what, kernel, level, 12.3);
                let is_portable = level == Level::Portable;
                assert_eq!(finding.state == State::Slow, is_portable, "{finding:?}");
                assert_eq!(finding.advice.is_some(), is_portable, "{finding:?}");
                assert!(finding.text.ends_with(", 12 GCUPS on a rank"), "{finding:?}");
                let instructions = if kernel == Kernel::Words { "portable" } else { level.name() };
                assert!(finding.text.contains(&format!(" {instructions} instructions")), "{finding:?}");
            }
        }
    }

    #[test]
    fn ranks_find_the_same() {
        let found = threads::run(3, 3, |comm| all(comm).expect("found"));
        assert_eq!(found[0].len(), ALPHABETS.len());
        assert!(found.iter().all(|findings| *findings == found[0]), "{found:?}");
        assert!(
            found[0][0].text.contains("of a byte") && found[0][1].text.contains("4 symbols"),
            "{found:?}"
        );
    }
}
