//! The environment variables that hcube reads.

use super::{Finding, State};
use hcube::comm::{Comm, agree};
use hcube::random_access::Options;
use hcube::random_access::options::ENVIRONMENT;

/// Variables of the HPCC glue, the build and the scripts, which are no options of a run.
const OTHERS: [&str; 5] =
    ["HCUBE_VERBOSE", "HCUBE_HPCC_TARBALL", "HCUBE_UPDATE_HEADER", "HCUBE_DIR", "HCUBE_MPI"];

const TOPIC: &str = "environment";

/// Collective: the options that the environment gives, or what is wrong with it on any rank.
pub fn options(comm: &impl Comm) -> hcube::Result<Options> {
    let own = Options::from_environment();
    agree(comm, own.as_ref().map(|_| ()).map_err(Clone::clone))?;
    own
}

/// What is set, on this rank.
pub fn findings(options: &hcube::Result<Options>) -> Vec<Finding> {
    let set: Vec<(String, String)> = std::env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
        .filter(|(name, _)| name.starts_with("HCUBE_"))
        .collect();
    judge(set, options.as_ref().err().map(ToString::to_string))
}

fn judge(mut set: Vec<(String, String)>, error: Option<String>) -> Vec<Finding> {
    set.sort();
    let mut findings = Vec::new();
    for (name, value) in &set {
        let known = ENVIRONMENT.iter().find(|(known, ..)| known == name);
        let text = format!("{name}={value}");
        findings.push(match known {
            Some((_, _, meaning)) => Finding::new(TOPIC, State::Fact, format!("{text}: {meaning}")),
            None if OTHERS.contains(&name.as_str()) => Finding::new(TOPIC, State::Fact, text),
            None => {
                let names: Vec<&str> = ENVIRONMENT.iter().map(|&(name, ..)| name).collect();
                let advice = format!("hcube does not know it; it knows {}", names.join(", "));
                Finding::new(TOPIC, State::Slow, text).advise(advice)
            }
        });
    }
    if let Some(error) = error {
        findings.push(Finding::new(TOPIC, State::Wrong, error).advise("correct or unset it, then ask again"));
    } else if findings.is_empty() {
        findings.push(Finding::new(TOPIC, State::Good, "no variable HCUBE_* is set: defaults"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_variables_and_errors_are_told() {
        let set = vec![("HCUBE_MOD".into(), "node".into()), ("HCUBE_MODE".into(), "fast".into())];
        let findings = judge(set, Some("HCUBE_MODE = 'fast': expected auto".into()));
        let states: Vec<State> = findings.iter().map(|finding| finding.state).collect();
        assert_eq!(states, [State::Slow, State::Fact, State::Wrong]);
        assert_eq!(judge(Vec::new(), None)[0].state, State::Good);
    }
}
