//! Options as text: environment variables and their values.

use hcube_alltoall::options as alltoall;
use hcube_core::options::Table;
use hcube_random_access::options as random_access;

/// The values of all environment variables, one per line.
pub fn variables(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let lines: Vec<&str> = text.split('\n').collect();
    match random_access::Options::from_variables(|name| value::<random_access::Options>(&lines, name)) {
        Ok(options) => {
            options.check().expect("checked before");
            assert!((1..=options.look_ahead).contains(&options.round()));
        }
        Err(error) => assert_named(&error, "HCUBE_"),
    }
    match alltoall::Options::from_variables(|name| value::<alltoall::Options>(&lines, name)) {
        Ok(options) => options.check().expect("checked before"),
        Err(error) => assert_named(&error, "HCUBE_"),
    }
}

/// The line for a variable of a table.
fn value<O: Table>(lines: &[&str], variable: &str) -> Option<String> {
    let number =
        O::TABLE.iter().position(|row| row.spec.variable == variable).expect("a variable of the table");
    lines.get(number).map(|line| (*line).to_owned())
}

/// A refusal begins with what is wrong: a variable, or the option if only the value is out of range.
fn assert_named(error: &hcube_core::Error, prefix: &str) {
    let text = error.to_string();
    assert!(text.starts_with(prefix) || text.starts_with("options."), "{text}");
}

/// Bytes with units, and lists of optimisations.
pub fn lists(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Some(bytes) = alltoall::parse_bytes(&text) {
        assert_eq!(alltoall::parse_bytes(&bytes.to_string()), Some(bytes));
    }
    if let Some(chosen) = random_access::Optimisations::from_list(&text) {
        assert_eq!(random_access::Optimisations::from_list(&chosen.to_list()), Some(chosen));
    }
    if let Some(mode) = random_access::Mode::from_name(&text) {
        assert!(mode.name() == text);
    }
}
