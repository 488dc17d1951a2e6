//! The environment variables that hcube reads.

use super::finding::{Finding, State, Topic};
use crate::variables;
use hcube_core::comm::{Comm, agree};
use hcube_core::options::known;

const TOPIC: Topic = Topic::Environment;

/// The options that the environment gives, or what is wrong with it on any rank.
pub struct Defaults {
    /// Of RandomAccess.
    pub random_access: hcube_core::Result<hcube_random_access::Options>,
    /// Of the all-to-all exchange.
    pub alltoall: hcube_core::Result<hcube_alltoall::Options>,
    /// Of matrix products.
    pub gemm: hcube_core::Result<hcube_gemm::options::Options>,
    /// Of BSP programs.
    pub bsp: hcube_core::Result<hcube_bsp::Options>,
    /// Of longest common subsequences.
    pub lcs: hcube_core::Result<hcube_lcs::options::Options>,
    /// Of coarray programs.
    pub caf: hcube_core::Result<hcube_caf::options::Options>,
}

/// Collective.
pub fn defaults(comm: &impl Comm) -> Defaults {
    Defaults {
        random_access: agree(comm, hcube_random_access::Options::from_environment()),
        alltoall: agree(comm, hcube_alltoall::Options::from_environment()),
        gemm: agree(comm, hcube_gemm::options::Options::from_environment()),
        bsp: agree(comm, hcube_bsp::Options::from_environment()),
        lcs: agree(comm, hcube_lcs::options::Options::from_environment()),
        caf: agree(comm, hcube_caf::options::Options::from_environment()),
    }
}

/// What is set, on this rank.
pub fn findings(defaults: &Defaults) -> Vec<Finding> {
    let set: Vec<(String, String)> = std::env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
        .filter(|(name, _)| name.starts_with("HCUBE_"))
        .collect();
    let errors = [
        defaults.random_access.as_ref().err(),
        defaults.alltoall.as_ref().err(),
        defaults.gemm.as_ref().err(),
        defaults.bsp.as_ref().err(),
        defaults.lcs.as_ref().err(),
        defaults.caf.as_ref().err(),
    ];
    judge(set, errors.into_iter().flatten().map(ToString::to_string).collect())
}

fn judge(mut set: Vec<(String, String)>, mut errors: Vec<String>) -> Vec<Finding> {
    set.sort();
    // Several kinds of options may refuse the same variable.
    errors.dedup();
    let mut findings = Vec::new();
    for (name, value) in &set {
        let text = format!("{name}={value}");
        let meanings = variables::meanings(name);
        // Of tests and scripts.
        if meanings.is_empty() && known::is_known(name) {
            continue;
        }
        findings.push(if meanings.is_empty() {
            let advice = match known::nearest(name) {
                Some(nearest) => known::did_you_mean(name, nearest),
                None => "unknown variable: 'hcube info' lists the variables of hcube".to_owned(),
            };
            Finding::new(TOPIC, State::Slow, text).advise(advice)
        } else {
            Finding::new(TOPIC, State::Fact, format!("{text}: {}", meanings.join("; ")))
        });
    }
    for error in errors {
        findings.push(Finding::new(TOPIC, State::Wrong, error).advise("correct or unset it"));
    }
    if findings.is_empty() {
        findings.push(Finding::new(TOPIC, State::Good, "no variable HCUBE_* is set; the defaults apply"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_variables_and_errors_are_told() {
        let set = ["HCUBE_MOD", "HCUBE_MODE", "HCUBE_STATS", "HCUBE_TEST_X", "HCUBE_X"];
        let set = set.map(|name| (name.into(), "fast".into()));
        let error = "HCUBE_MODE = 'fast': expected auto".to_owned();
        let findings = judge(set.into(), vec![error.clone(), error]);
        let states: Vec<State> = findings.iter().map(|finding| finding.state).collect();
        assert_eq!(states, [State::Slow, State::Fact, State::Fact, State::Slow, State::Wrong]);
        let advice = |number: usize| findings[number].advice.as_deref().unwrap_or_default();
        assert_eq!(advice(0), "HCUBE_MOD is not a variable of hcube; did you mean HCUBE_MODE?");
        assert!(advice(3).contains("hcube info"), "{}", advice(3));
        assert_eq!(judge(Vec::new(), Vec::new())[0].state, State::Good);
    }
}
