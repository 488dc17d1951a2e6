//! `hcube llcs` as users start it, on files of every format, against the plain recurrence.

use hcube_testing as common;

use common::{Launch, Mpi, TOOL};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn written(name: &str, contents: &[u8]) -> PathBuf {
    let path = common::folder("llcs").join(name);
    fs::write(&path, contents).expect("a file");
    path
}

fn random(seed: u64, length: usize, symbols: u64) -> Vec<u8> {
    let mut state = seed;
    let numbers = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % symbols
    });
    numbers.take(length).map(|number| number as u8).collect()
}

/// The recurrence, row by row.
fn expected<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    let mut row = vec![0; a.len() + 1];
    for symbol in b {
        let mut corner = 0;
        for at in 1..=a.len() {
            let above = row[at];
            row[at] = if a[at - 1] == *symbol { corner + 1 } else { above.max(row[at - 1]) };
            corner = above;
        }
    }
    row[a.len()]
}

/// One process, without a launcher.
fn alone(arguments: &[&str]) -> Output {
    Command::new(TOOL.as_str())
        .arg("llcs")
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the tool starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A run that ends well on some ranks; its results.
fn results(ranks: usize, files: [&PathBuf; 2], options: &[&str]) -> Value {
    let launch = Launch::new(TOOL.as_str(), ranks).args(["llcs", "--no-progress", "--json=-"]);
    let output = launch.args(files).args(options.iter().copied()).run().success();
    serde_json::from_str(&output).unwrap_or_else(|error| panic!("{error}: {output}"))
}

fn ranks() -> &'static [usize] {
    if Mpi::selected() == Mpi::Mpich { &[1, 2] } else { &[1, 2, 3, 5] }
}

#[test]
fn bytes_on_any_number_of_ranks() {
    let (a, b) = (random(1, 1501, 256), random(2, 2003, 256));
    let files = [written("a.bin", &a), written("b.bin", &b)];
    for &ranks in ranks() {
        let found = results(ranks, [&files[0], &files[1]], &[]);
        assert_eq!(found["length"].as_u64(), Some(expected(&a, &b) as u64), "{found}");
        assert_eq!(found["similarity"].as_f64(), Some(expected(&a, &b) as f64 / 2003.0), "{found}");
        assert_eq!(found["files"][1]["symbols"].as_u64(), Some(2003), "{found}");
        assert_eq!((found["ranks"].as_u64(), found["format"].as_str()), (Some(ranks as u64), Some("bytes")));
        assert!(found["predicted_seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{found}");
    }
    for kernel in ["planes", "words", "standard"] {
        let found = results(2, [&files[0], &files[1]], &["--kernel", kernel]);
        assert_eq!(found["length"].as_u64(), Some(expected(&a, &b) as u64), "{found}");
        assert_eq!(found["kernel"].as_str(), Some(kernel));
    }
}

#[test]
fn residues_of_fasta_files() {
    let letters = |bytes: &[u8]| bytes.iter().map(|&byte| b"ACGT"[usize::from(byte)]).collect::<Vec<_>>();
    let (a, b) = (letters(&random(3, 1000, 4)), letters(&random(4, 1300, 4)));
    // Several records, small letters, blanks, lines of any length.
    let file = |residues: &[u8], width: usize, end: &str| -> Vec<u8> {
        let mut file = format!("{end}>first ACGTACGT{end};ACGT{end}").into_bytes();
        for (number, line) in residues.chunks(width).enumerate() {
            let line = if number % 2 == 0 { line.to_ascii_lowercase() } else { line.to_vec() };
            file.extend([&line[..], b" ", end.as_bytes()].concat());
            if number == 3 {
                file.extend(format!("  >second{end}").into_bytes());
            }
        }
        file
    };
    let a_file = written("a.fas", &file(&a, 61, "\n"));
    for end in ["\n", "\r\n", "\r"] {
        let b_file = written("b.FNA", &file(&b, 300, end));
        for &ranks in ranks() {
            let found = results(ranks, [&a_file, &b_file], &[]);
            assert_eq!(found["length"].as_u64(), Some(expected(&a, &b) as u64), "{end:?}: {found}");
            let file = &found["files"][1];
            let counts = (file["symbols"].as_u64(), file["records"].as_u64());
            assert_eq!(counts, (Some(1300), Some(2)), "{end:?}: {found}");
        }
    }
}

/// Whoever has the part in which the first residues are.
#[test]
fn a_file_without_a_header_is_refused_on_any_number_of_ranks() {
    let good = written("header.fa", b"\n\n>x\nACGT\n");
    let bad = written("headless.fa", &[&[b'\n'; 40][..], b"ACGTACGTACGT\n"].concat());
    for &ranks in ranks() {
        let launch = Launch::new(TOOL.as_str(), ranks).args(["llcs", "--no-progress"]).args([&good, &bad]);
        let outcome = launch.run();
        let message = "headless.fa: expected a FASTA file, which begins with '>', not with 'A'";
        assert!(!outcome.status.success() && outcome.stderr.contains(message), "{ranks} ranks: {outcome:?}");
    }
}

/// The number of different symbols that both files have, also where the strings are short or equal.
#[test]
fn common_symbols_are_counted() {
    let [short, other] = [written("short", b"abcabcx"), written("other", b"cccbbbyz")];
    let long = written("long", &random(11, 3000, 97));
    let [one, two] = [written("one.txt", b"a\nb\nc\nb\n"), written("two.txt", b"c\nd\nc\nb\nb\n")];
    let fasta = written("common.fa", b">x\nACgtNN\n");
    for &ranks in &ranks()[..2] {
        for (files, options, expected) in [
            ([&short, &other], &[][..], 2),
            ([&short, &short], &[], 4),
            ([&long, &long], &[], 97),
            ([&long, &long], &["--at-least", "4000"], 97),
            ([&one, &two], &["--format", "lines"], 2),
            ([&fasta, &fasta], &[], 5),
        ] {
            let launch = Launch::new(TOOL.as_str(), ranks).args(["llcs", "--no-progress"]);
            let outcome = launch.args(files).args(options.iter().copied()).run();
            let line = format!("\n{expected} common symbols, matrix of ");
            assert!(outcome.stdout.contains(&line), "{ranks} ranks, {files:?}: {outcome:?}");
        }
    }
}

#[test]
fn lines_of_text_files_and_standard_input() {
    let lines =
        |seed| random(seed, 700, 90).iter().map(|number| format!("line {number}")).collect::<Vec<_>>();
    let (a, b) = (lines(5), lines(6));
    let files =
        [written("a.txt", (a.join("\n") + "\n").as_bytes()), written("b.txt", b.join("\n").as_bytes())];
    for &ranks in &ranks()[..2] {
        let found = results(ranks, [&files[0], &files[1]], &["--format", "lines"]);
        assert_eq!(found["length"].as_u64(), Some(expected(&a, &b) as u64), "{found}");
    }
    let output = Command::new(TOOL.as_str())
        .args(["llcs", "-", "--format", "lines"])
        .arg(&files[1])
        .stdin(fs::File::open(&files[0]).expect("a file"))
        .output()
        .expect("the tool starts");
    let output = text(&output.stdout);
    let line = format!("length of a longest common subsequence: {}\n", expected(&a, &b));
    assert!(output.contains(&line) && output.contains("-: 700 lines"), "{output}");
}

#[test]
fn empty_files_have_nothing_in_common() {
    let (empty, some) = (written("empty", b""), written("some", b"some"));
    for &ranks in &ranks()[..2] {
        let found = results(ranks, [&empty, &some], &[]);
        assert_eq!((found["length"].as_u64(), found["similarity"].as_f64()), (Some(0), Some(0.0)), "{found}");
        let found = results(ranks, [&empty, &empty], &[]);
        assert_eq!((found["length"].as_u64(), found["similarity"].as_f64()), (Some(0), Some(1.0)), "{found}");
        let found = results(ranks, [&some, &some], &[]);
        assert_eq!((found["length"].as_u64(), found["similarity"].as_f64()), (Some(4), Some(1.0)), "{found}");
    }
    let output = alone(&[&empty.display().to_string(), &some.display().to_string()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(text(&output.stderr), format!("hcube llcs: warning: {} is empty\n", empty.display()));
}

#[test]
fn compressed_files_are_decompressed_on_any_number_of_ranks() {
    let residues = |seed| random(seed, 3000, 4).iter().map(|&byte| b"ACGT"[usize::from(byte)]).collect();
    let (a, b): (Vec<u8>, Vec<u8>) = (residues(12), residues(13));
    let compressed = |text: &[u8]| -> Vec<u8> {
        let path = written("member", text);
        let output = Command::new("gzip").arg("-c").arg(path).output().expect("gzip starts");
        assert!(output.status.success(), "{output:?}");
        output.stdout
    };
    // Two members, as bgzip writes them; the other file is not compressed.
    let members = [compressed(&[b">a\n", &a[..1000]].concat()), compressed(&a[1000..])].concat();
    let files = [written("a.fa.gz", &members), written("b.fa", &[b">b\n", &b[..]].concat())];
    for &ranks in ranks() {
        let found = results(ranks, [&files[0], &files[1]], &[]);
        assert_eq!(found["format"].as_str(), Some("fasta"), "{found}");
        assert_eq!(found["length"].as_u64(), Some(expected(&a, &b) as u64), "{found}");
        assert_eq!(found["files"][0]["symbols"].as_u64(), Some(3000), "{found}");
    }
    let output = Command::new(TOOL.as_str())
        .args(["llcs", "-", "--format", "fasta"])
        .arg(&files[1])
        .stdin(fs::File::open(&files[0]).expect("a file"))
        .output()
        .expect("the tool starts");
    let output = text(&output.stdout);
    assert!(output.contains("-: 3000 residues in 1 record(s)") && output.contains(" GCUPS\n"), "{output}");
}

#[test]
fn a_length_below_the_bound_has_a_status_of_its_own() {
    let (a, b) = (random(7, 400, 4), random(8, 400, 4));
    let length = expected(&a, &b);
    let files = [written("bound-a", &a), written("bound-b", &b)].map(|path| path.display().to_string());
    let run = |at_least: usize| alone(&[&files[0], &files[1], "--at-least", &at_least.to_string()]);
    let reached = run(length);
    assert_eq!(reached.status.code(), Some(0));
    assert!(text(&reached.stdout).contains(&format!("subsequence: {length}\n")));
    let below = run(length + 1);
    assert_eq!(below.status.code(), Some(1));
    assert!(text(&below.stdout).contains(&format!("subsequence: below {}\n", length + 1)));
}

#[test]
fn bad_input_is_refused_with_its_name() {
    let (good, bad) = (written("good.fa", b">x\nACGT\n"), written("bad.fa", b">x\nAC\x07GT\n"));
    let zipped = written("zipped.fa", b"\x1f\x8b\x08 and so on");
    let plain = written("plain.bin", b"no FASTA");
    let stdin = PathBuf::from("-");
    let folder = common::folder("llcs");
    let missing = folder.join("missing");
    for (files, options, expected) in [
        (
            [&good, &missing],
            &["--format=bytes"][..],
            "missing: expected a file that can be read (No such file or directory)\n",
        ),
        // Before it is asked whether both names are of FASTA files.
        ([&good, &missing], &[], "missing: expected a file that can be read (No such file or directory)\n"),
        ([&folder, &good], &[], "expected a file that can be read (Is a directory)\n"),
        ([&folder, &good], &["--format=bytes"], "expected a file that can be read (Is a directory)\n"),
        (
            [&good, &bad],
            &[],
            "bad.fa: expected a FASTA file, which has no '\\x07' among its residues (byte 5)",
        ),
        (
            [&zipped, &good],
            &[],
            "zipped.fa: expected a file of gzip that is complete and not damaged (invalid gzip header)",
        ),
        ([&plain, &good], &["--format=fasta"], "plain.bin: expected a FASTA file, which begins with '>'"),
        ([&plain, &good], &[], "--format is missing: only one of "),
        (
            [&stdin, &stdin],
            &["--format=bytes"],
            "FILE = -: expected another file: the first one is standard input as well, which can be read only once",
        ),
        (
            [&good, &good],
            &["--machine=none"],
            "--machine: machine none: no such file or machine; expected a file of 'hcube probe'",
        ),
        (
            [&good, &good],
            &["--json=/proc/none/x"],
            "--json = /proc/none/x: expected a file that can be written",
        ),
    ] {
        let paths = files.map(|path| path.display().to_string());
        let output = alone(&[&[paths[0].as_str(), &paths[1]], options].concat());
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), String::new()), "{output:?}");
        assert!(text(&output.stderr).contains(expected), "{expected}: {output:?}");
        // Rank 1 reads the end of the files, where nothing is wrong.
        if options.is_empty() {
            let outcome = Launch::new(TOOL.as_str(), 2).args(["llcs", "--no-progress"]).args(files).run();
            assert!(!outcome.status.success() && outcome.stderr.contains(expected), "{outcome:?}");
            assert_eq!(outcome.stderr.matches("hcube: ").count(), 1, "{outcome:?}");
        }
    }
}

#[test]
fn lack_of_memory_is_a_message() {
    // A file with holes takes no room on the disk; the limit is more than what the tool and MPI need.
    let path = written("holes", b"");
    fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .and_then(|file| file.set_len(8 << 30))
        .expect("a sparse file");
    let script = "ulimit -v 6000000; exec \"$0\" llcs \"$1\" \"$1\"";
    let output = Command::new("sh").args(["-c", script, TOOL.as_str()]).arg(&path).output();
    let output = output.expect("the shell starts");
    drop(fs::remove_file(path));
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text(&output.stderr).contains("hcube: bytes of a file: no memory for "), "{output:?}");
}

/// The processes of the tool, without the launcher, that compute with a file.
fn computing(file: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").expect("processes").flatten();
    let is_computing = |process: &String| {
        let line = fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default();
        line.split('\0').next() == Some(TOOL.as_str()) && line.contains(file)
    };
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).filter(is_computing).collect()
}

#[test]
fn an_interrupted_computation_ends_at_once_and_says_so() {
    // Minutes of a core.
    let files =
        [written("long-a", &random(9, 4_000_000, 256)), written("long-b", &random(10, 4_000_000, 256))];
    for &ranks in &ranks()[..2] {
        let file = files[0].display().to_string();
        let stop = move || {
            let processes = computing(&file);
            assert_eq!(processes.len(), ranks, "{processes:?}");
            let status = Command::new("sh").args(["-c", "kill -INT \"$@\"", "kill"]).args(processes).status();
            assert!(status.is_ok_and(|status| status.success()), "no signal was sent");
        };
        let launch = Launch::new(TOOL.as_str(), ranks).args(["llcs", "--no-progress"]).args(&files);
        let outcome = launch.interrupt("predicted: ", stop).run();
        assert!(!outcome.status.success() && outcome.left.is_empty(), "{outcome:?}");
        assert!(outcome.stdout.contains("interrupted\n"), "{outcome:?}");
    }
}
