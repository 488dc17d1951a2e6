//! Files that commands of hcube-lab write because the command line names them: never in the place of an
//! input, or of a file that holds something else.

use hcube_testing as common;

use std::fs;
use std::process::{Command, Output};
use std::sync::LazyLock;

static LAB: LazyLock<String> = LazyLock::new(common::lab);

#[test]
fn no_command_replaces_what_it_has_not_written() {
    let folder = common::folder("lab-output");
    let fixture = |name: &str| common::root().join("lab/tests/fixtures").join(name).display().to_string();
    let (notes, results) = ("some notes\n", fs::read_to_string(fixture("results.json")).expect("a fixture"));
    for (name, text) in [("notes", notes), ("results.json", &results), ("page.html", "<html></html>")] {
        fs::write(folder.join(name), text).expect("a file");
    }
    let run = |line: &str| -> Output {
        let mut command = Command::new(LAB.as_str());
        command.args(line.split(' ')).current_dir(&folder).output().expect("the tool starts")
    };
    let other = "it holds something else";
    for (line, option, file, why) in [
        ("hpcc --root . --json=notes", "--json", "notes", other),
        ("hpcc --root . --plot notes", "--plot", "notes", other),
        ("simulate --root . --json=notes", "--json", "notes", other),
        ("report --run results.json --output notes", "--output", "notes", other),
        ("report --run results.json --output page.html", "--output", "page.html", other),
        (
            "report --run results.json --output results.json",
            "--output",
            "results.json",
            "--run names this one",
        ),
        ("collect fftw results.json --json=results.json", "--json", "results.json", "FILE names this one"),
        ("collect random-access --mpi openmpi results.json --json=notes", "--json", "notes", other),
    ] {
        let former = fs::read(folder.join(file)).expect("a file");
        let output = run(line);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{line}: {output:?}");
        let expected = format!("{option} = {file}: expected ");
        // A command that reads first may refuse what it reads.
        let is_read_first = line.starts_with("collect fftw") && message.contains("results.json");
        assert!(is_read_first || message.contains(&expected) && message.contains(why), "{line}: {message}");
        assert_eq!(fs::read(folder.join(file)).expect("a file"), former, "{line}");
    }
    for _ in 0..2 {
        let output = run("report --run results.json --output new.html --plots plots");
        assert!(output.status.success(), "{output:?}");
        let output = run("collect random-access --mpi openmpi results.json --json=new.json");
        assert!(output.status.success(), "{output:?}");
    }
}
