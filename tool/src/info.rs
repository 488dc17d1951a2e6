//! `hcube info`: the variables of hcube with their values, and where its libraries are installed.

use crate::bench::library::library_folders;
use crate::output::JsonOption;
use crate::session::{self, Failure};
use crate::variables::{GROUPS, Group};
use crate::version;
use hcube_core::options::{Variable, known, value};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Lists the variables of hcube with their values, and where its libraries are installed (no mpirun needed)
///
/// Each variable has its value here, the origin of the value, and its default. 'hcube doctor' checks the
/// values, and the manual page hcube(1) describes them.
///
/// Example: hcube info
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Only the variables that the environment sets
    #[arg(long)]
    set: bool,
    #[command(flatten)]
    json: JsonOption,
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Origin {
    Environment,
    Default,
}

#[derive(Debug, Serialize)]
struct Entry {
    name: String,
    value: String,
    default: String,
    origin: Origin,
    /// The title of its group.
    system: &'static str,
}

#[derive(Debug, Serialize)]
struct Build {
    mpi: String,
    folder: String,
    libraries: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Results {
    hcube: &'static str,
    version: &'static str,
    builds: Vec<Build>,
    variables: Vec<Entry>,
    /// Set, but not read by hcube.
    unknown: Vec<String>,
}

/// Local: prints, and writes.
pub fn run(arguments: &Arguments) -> ExitCode {
    session::without_mpi(|| {
        arguments.json.check().map_err(|error| error.to_string())?;
        let results = Results {
            hcube: env!("CARGO_PKG_VERSION"),
            version: version::text(),
            builds: builds(&candidates(&library_folders())),
            variables: entries(value),
            unknown: unknown(),
        };
        write(arguments, &results)
    })
}

fn write(arguments: &Arguments, results: &Results) -> Result<(), Failure> {
    if arguments.json.tables() {
        print!("{}", text(results, arguments.set));
    }
    arguments.json.write(results)
}

/// The variables of a run, each once, with the values that `value` knows.
fn entries(value: impl Fn(&str) -> Option<String>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for group in GROUPS.iter().filter(|group| group.of_a_run) {
        for variable in group.variables() {
            if entries.iter().all(|entry| entry.name != variable.name) {
                entries.push(entry(group, &variable, value(variable.name)));
            }
        }
    }
    entries
}

/// A variable that is set to nothing has its default, as one that is not set.
fn entry(group: &Group, variable: &Variable, value: Option<String>) -> Entry {
    let default = variable.default.to_string();
    let (value, origin) = match value.filter(|value| !value.is_empty()) {
        Some(value) => (value, Origin::Environment),
        None => (default.clone(), Origin::Default),
    };
    Entry { name: variable.name.to_owned(), value, default, origin, system: group.title }
}

/// Variables of the environment with the prefix of hcube that hcube does not read.
fn unknown() -> Vec<String> {
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    let mut names: Vec<String> =
        names.filter(|name| name.starts_with(known::PREFIX) && !known::is_known(name)).collect();
    names.sort();
    names
}

/// The folders that may hold a build: the tool's own folder, and the folders within the others.
fn candidates(folders: &[PathBuf]) -> Vec<PathBuf> {
    let [own, others @ ..] = folders else { return Vec::new() };
    let within = |folder: &PathBuf| {
        let mut folders: Vec<PathBuf> =
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        folders.sort();
        folders
    };
    std::iter::once(own.clone()).chain(others.iter().flat_map(within)).collect()
}

/// The builds in these folders.
fn builds(folders: &[PathBuf]) -> Vec<Build> {
    let names = |folder: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> =
            names.filter(|name| name.starts_with("libhcube") && name.ends_with(".so")).collect();
        names.sort();
        names
    };
    let build = |folder: &PathBuf| {
        let mpi = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // In a build, target/<mpi>/release.
        let parent = || folder.parent()?.file_name().map(|name| name.to_string_lossy().into_owned());
        let mpi = if mpi == "release" { parent().unwrap_or(mpi) } else { mpi };
        Build { mpi, folder: folder.display().to_string(), libraries: names(folder) }
    };
    folders.iter().map(build).filter(|build| !build.libraries.is_empty()).collect()
}

fn text(results: &Results, only_set: bool) -> String {
    let mut text = format!("hcube {}\n\nLibraries:\n", results.version);
    for Build { mpi, folder, libraries } in &results.builds {
        text += &format!("  {mpi}: {folder}\n");
        for name in libraries {
            text += &format!("    {name}\n");
        }
    }
    if results.builds.is_empty() {
        text += "  none beside this program ('make install' installs them)\n";
    }
    let shown: Vec<&Entry> =
        results.variables.iter().filter(|entry| !only_set || entry.origin == Origin::Environment).collect();
    let assigned = |entry: &Entry| format!("{}={}", entry.name, entry.value);
    let width = shown.iter().map(|entry| assigned(entry).chars().count()).filter(|&width| width <= 48).max();
    let width = width.unwrap_or(0);
    let mut system = "";
    for entry in &shown {
        if entry.system != system {
            system = entry.system;
            text += &format!("\n{system}:\n");
        }
        let origin = match entry.origin {
            Origin::Default if entry.value.is_empty() => "default: not set".to_owned(),
            Origin::Default => "default".to_owned(),
            Origin::Environment if entry.default.is_empty() => "environment; default: not set".to_owned(),
            Origin::Environment => format!("environment; default: {}", entry.default),
        };
        text += &format!("  {:width$}  {origin}\n", assigned(entry));
    }
    if shown.is_empty() {
        text += "\nThe environment sets no variable of hcube.\n";
    }
    if !results.unknown.is_empty() {
        text += "\nSet, but not read by hcube:\n";
    }
    for name in &results.unknown {
        let meant = known::nearest(name).map(|nearest| format!("  did you mean {nearest}?"));
        text += &format!("  {name}{}\n", meant.unwrap_or_default());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results() -> Results {
        let value = |name: &str| match name {
            "HCUBE_PATH" => Some("message".to_owned()),
            "HCUBE_MEMORY" => Some(String::new()),
            "HCUBE_BSP_PROFILE" => Some("a.json".to_owned()),
            _ => None,
        };
        Results {
            hcube: "1.2.3",
            version: "1.2.3, built for x",
            builds: vec![Build {
                mpi: "openmpi".into(),
                folder: "/opt/hcube/lib/hcube/openmpi".into(),
                libraries: vec!["libhcube.so".into()],
            }],
            variables: entries(value),
            unknown: vec!["HCUBE_PTH".into(), "HCUBE_X".into()],
        }
    }

    #[test]
    fn variables_have_value_origin_and_default() {
        let text = text(&results(), false);
        let line = |name: &str| {
            let lines = text.lines().filter(|line| line.trim().starts_with(&format!("{name}=")));
            let words: Vec<String> =
                lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
            assert_eq!(words.len(), 1, "{name}: {text}");
            words.concat()
        };
        assert_eq!(line("HCUBE_PATH"), "HCUBE_PATH=message environment; default: auto");
        assert_eq!(line("HCUBE_MEMORY"), "HCUBE_MEMORY=1M default");
        assert_eq!(line("HCUBE_BSP_PROFILE"), "HCUBE_BSP_PROFILE=a.json environment; default: not set");
        assert_eq!(line("HCUBE_PLATFORM"), "HCUBE_PLATFORM= default: not set");
        for name in crate::variables::names() {
            line(name);
        }
        assert!(text.contains("  HCUBE_PTH  did you mean HCUBE_PATH?\n  HCUBE_X\n"), "{text}");
        assert!(
            text.starts_with("hcube 1.2.3, built for x\n\nLibraries:\n  openmpi: /opt/hcube/lib"),
            "{text}"
        );
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }

    #[test]
    fn only_what_is_set_is_listed_on_request() {
        let text = text(&results(), true);
        assert!(text.contains("HCUBE_PATH=message") && !text.contains("HCUBE_MEMORY"), "{text}");
    }

    #[test]
    fn builds_are_found_below_a_folder() {
        let folder = std::env::temp_dir().join(format!("hcube-info-{}", std::process::id()));
        for file in ["mpich/libhcube.so", "mpich/libhcube.a", "openmpi/libhcube_bsp.so", "other/x.so"] {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
            std::fs::write(path, "").expect("writable");
        }
        let found: Vec<(String, Vec<String>)> =
            builds(&candidates(&[PathBuf::from("/nowhere"), folder.clone()]))
                .into_iter()
                .map(|build| (build.mpi, build.libraries))
                .collect();
        let expected = [("mpich", "libhcube.so"), ("openmpi", "libhcube_bsp.so")];
        assert_eq!(found, expected.map(|(mpi, file)| (mpi.to_owned(), vec![file.to_owned()])));
        drop(std::fs::remove_dir_all(folder));
    }
}
