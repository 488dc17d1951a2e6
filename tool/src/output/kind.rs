//! What a file holds that an option names, so that nothing else is replaced by it.

use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// A kind of files that a command writes.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// In messages.
    pub name: &'static str,
    /// Whether a file with these contents is of this kind.
    pub holds: fn(&[u8]) -> bool,
}

/// The results of a command.
pub const RESULTS: Kind = Kind { name: "results of hcube in JSON", holds: is_results };
/// The figures of a machine.
pub const MACHINE: Kind = Kind { name: "the figures of a machine in JSON", holds: is_machine };
/// A plot.
pub const PLOT: Kind = Kind { name: "a plot of hcube in SVG", holds: is_plot };

/// The key that says which version has written results.
pub const VERSION_KEY: &str = "hcube";

/// Keys of results that were written before all of them had [`VERSION_KEY`], on the top level.
const FORMER_KEYS: [&str; 6] = ["runs", "rows", "figures", "machines", "sections", "common_symbols"];

/// The keys of an object of JSON; nothing for all other files.
fn keys(bytes: &[u8]) -> Option<Vec<String>> {
    let object: BTreeMap<String, IgnoredAny> = serde_json::from_slice(bytes).ok()?;
    Some(object.into_keys().collect())
}

fn is_results(bytes: &[u8]) -> bool {
    let is_known = |key: &String| key == VERSION_KEY || FORMER_KEYS.contains(&key.as_str());
    keys(bytes).is_some_and(|keys| keys.iter().any(is_known))
}

/// Also a machine of an older version, which has other figures.
fn is_machine(bytes: &[u8]) -> bool {
    let has = |keys: &[String], key: &str| keys.iter().any(|other| other == key);
    keys(bytes).is_some_and(|keys| ["name", "sources", "cores"].iter().all(|key| has(&keys, key)))
}

fn is_plot(bytes: &[u8]) -> bool {
    let line = first_line(bytes);
    line.starts_with(b"<svg ") && line.windows(13).any(|words| words == b"class=\"chart\"")
}

/// The first line of a text.
pub fn first_line(bytes: &[u8]) -> &[u8] {
    bytes.split(|&byte| byte == b'\n').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    fn contents(name: &str) -> Vec<u8> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    #[test]
    fn files_of_all_versions_are_recognised() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/tests/fixtures");
        for entry in fs::read_dir(fixtures).expect("fixtures").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(name) = name.strip_suffix(".json") else { continue };
            let bytes = fs::read(entry.path()).expect("a fixture");
            let is = [RESULTS, MACHINE, PLOT].map(|kind| (kind.holds)(&bytes));
            assert_eq!(is, [name != "calibration", name == "calibration", false], "{name}");
        }
        for name in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../doc/plots")).expect("plots") {
            let bytes = fs::read(name.expect("a plot").path()).expect("a plot");
            assert!((PLOT.holds)(&bytes));
        }
    }

    #[test]
    fn nothing_else_is() {
        let own = contents("lab/tests/fixtures/llcs.json");
        for bytes in [
            &b">x\nACGT\n"[..],
            b"{\"name\": \"somebody's package\", \"version\": \"1.0\"}",
            b"[1, 2]",
            b"<svg xmlns=\"http://www.w3.org/2000/svg\"><!-- class=chart --></svg>",
            b"<?xml version=\"1.0\"?>\n<svg class=\"chart\"></svg>",
            // Cut off.
            &own[..own.len() / 2],
        ] {
            for kind in [RESULTS, MACHINE, PLOT] {
                assert!(!(kind.holds)(bytes), "{}: {}", kind.name, String::from_utf8_lossy(bytes));
            }
        }
    }
}
