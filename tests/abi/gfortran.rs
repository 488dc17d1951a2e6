//! The interface of libhcube_caf.so, of gfortran 12 to 14: functions and their types, as recorded, and as the
//! compiler calls them.

use super::{folder, is_as_recorded, read};
use hcube_testing::gfortran::has_compiler;
use hcube_testing::{output, root};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

/// The beginning of a function in the sources.
const EXPORTED: &str = "extern \"C-unwind\" fn ";

/// The types of a list of parameters, without their names.
fn types(parameters: &str) -> Vec<String> {
    let parameters = parameters.split(',').map(str::trim).filter(|parameter| !parameter.is_empty());
    parameters
        .map(|parameter| parameter.split_once(": ").map_or(parameter, |(_, kind)| kind).to_owned())
        .collect()
}

/// Functions that the library exports, with the types of their parameters and of what they return; none where
/// gfortran 15 has functions that only refuse the program.
fn functions() -> BTreeMap<String, Option<(Vec<String>, String)>> {
    let mut found = BTreeMap::new();
    let sources = fs::read_dir(root().join("hpcc-glue/gfortran/src/export")).expect("a folder").flatten();
    for source in sources {
        // Functions among the parameters have no types: gfortran passes any.
        let text = read(&source.path()).replace("fn(),", "fn,");
        for function in text.split(EXPORTED).skip(1) {
            let (name, rest) = function.split_once('(').expect("parameters");
            let (parameters, rest) = rest.split_once(')').expect("parameters end");
            let result = rest.split_once('{').expect("a body").0.trim().trim_start_matches("-> ");
            let result = if result.is_empty() { "()" } else { result };
            if name.starts_with("_gfortran_") {
                found.insert(name.to_owned(), Some((types(parameters), result.to_owned())));
            }
        }
        if let Some((_, refused)) = text.split_once("refused! {") {
            let names = refused.split_once('}').expect("a list ends").0.split_whitespace();
            found.extend(names.map(|name| (name.to_owned(), None)));
        }
    }
    found
}

#[test]
fn interface_of_gfortran_is_as_recorded() {
    let functions = functions();
    let listed = read(&root().join("tests/symbols_caf.txt"));
    let listed: BTreeSet<&str> =
        listed.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert_eq!(functions.keys().map(String::as_str).collect::<BTreeSet<_>>(), listed);
    let line = |(name, function): (String, Option<(Vec<String>, String)>)| match function {
        Some((types, result)) => format!("function {name}({}) -> {result}", types.join(", ")),
        None => format!("refused {name}"),
    };
    is_as_recorded("record_caf.txt", &functions.into_iter().map(line).collect());
}

/// The numbers of arguments in all calls of coarray functions that a compiler has written down.
fn calls(dump: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (start, begin) in dump.match_indices("_gfortran_caf_") {
        let rest = &dump[start + begin.len()..];
        let Some((name, arguments)) = rest.split_once(" (") else { continue };
        if !name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_') {
            continue;
        }
        let (mut depth, mut commas, mut quoted, mut empty) = (0, 0, false, true);
        for letter in arguments.chars() {
            quoted ^= letter == '"';
            match letter {
                _ if quoted => (),
                ')' | ']' | '}' if depth == 0 => break,
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                ',' if depth == 0 => commas += 1,
                _ => (),
            }
            empty = false;
        }
        found.push((format!("{begin}{name}"), if empty { 0 } else { commas + 1 }));
    }
    found
}

/// Arguments that the library reads and the compiler does not pass would be chance values.
#[test]
fn gfortran_calls_the_recorded_functions() {
    if !has_compiler() {
        return;
    }
    let (functions, folder) = (functions(), folder("gfortran"));
    let mut called = BTreeSet::new();
    for name in [
        "collectives",
        "components",
        "ends",
        "failed",
        "kinds",
        "random",
        "sections",
        "synchronisation",
        "teams",
    ] {
        let mut compiler = Command::new("gfortran");
        compiler.args(["-fcoarray=lib", "-fdump-tree-original", "-c"]).current_dir(&folder);
        output(compiler.arg(root().join(format!("tests/gfortran/{name}.f90"))));
        let dump =
            fs::read_dir(&folder).expect("a folder").flatten().map(|entry| entry.path()).find(|path| {
                let file = path.file_name().expect("a name").to_string_lossy();
                file.starts_with(&format!("{name}.f90.")) && file.ends_with(".original")
            });
        for (function, passed) in calls(&read(&dump.expect("the compiler writes it"))) {
            let read = functions.get(&function).and_then(Option::as_ref);
            let (types, _) = read.unwrap_or_else(|| panic!("{name} calls {function}, which is not served"));
            assert!(
                types.len() <= passed,
                "{name}: {function}: {passed} arguments, {} are read",
                types.len()
            );
            called.insert(function);
        }
    }
    // All except functions that the compiler never calls, and `get_communicator` of OpenCoarrays.
    let rest: Vec<&String> = functions
        .iter()
        .filter(|(name, function)| function.is_some() && !called.contains(*name))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(rest, ["_gfortran_caf_get_communicator", "_gfortran_caf_get_team"]);
}
