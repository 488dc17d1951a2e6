//! The shape of pages and headers: the width of prose, figures in tables, links that readers cannot follow,
//! and commands that they do not have.

use crate::common::root;
use crate::texts::{all_pages, files, outside_examples, without_code};
use std::fs;

/// Characters that a line of prose may have.
const MAX_WIDTH: usize = 120;
/// Figures in a cell of a table that is a sentence.
const MAX_FIGURES: usize = 2;
/// Words from which on a cell counts as a sentence.
const MIN_SENTENCE_WORDS: usize = 6;

/// Commands that are not installed.
const SOURCE_TREE: [&str; 6] =
    ["hcube-lab", "scripts/", "make run", "make bench", "make simulate", "make report"];

fn is_row(line: &str) -> bool {
    line.trim_start().starts_with('|')
}

/// Lines of prose that are too wide, by their numbers; a link cannot be divided.
fn too_wide(text: &str) -> Vec<usize> {
    let lines = outside_examples(text).into_iter();
    let wide = lines.filter(|(_, line)| {
        !is_row(line)
            && line.chars().count() > MAX_WIDTH
            && line.trim().contains(' ')
            && !["![", "<!-- written"].iter().any(|begin| line.starts_with(begin))
    });
    wide.map(|(number, _)| number).collect()
}

/// Numbers of a cell; sizes as 64 x 64 x 64 are one, names of versions none.
fn figures(cell: &str) -> usize {
    let is_figure = |word: &&str| {
        let word = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        word.starts_with(|letter: char| letter.is_ascii_digit()) && word.matches('.').count() < 2
    };
    let words: Vec<&str> = cell.split_whitespace().filter(|word| !word.is_empty()).collect();
    let factors =
        words.windows(3).filter(|it| it[1] == "x" && is_figure(&it[0]) && is_figure(&it[2])).count();
    words.iter().filter(|word| is_figure(word)).count() - factors
}

/// Cells of tables that are sentences with too many figures: numbers of lines, and the cells.
fn crowded(text: &str) -> Vec<(usize, String)> {
    let mut all = Vec::new();
    for (number, line) in outside_examples(text).into_iter().filter(|(_, line)| is_row(line)) {
        let line = without_code(line);
        for cell in line.split('|') {
            let is_word = |word: &&str| word.chars().filter(|letter| letter.is_alphabetic()).count() > 1;
            let words = cell.split_whitespace().filter(is_word).count();
            if words >= MIN_SENTENCE_WORDS && figures(cell) > MAX_FIGURES {
                all.push((number, cell.trim().to_owned()));
            }
        }
    }
    all
}

/// Lines that name a command which is not installed, in sections that do not say so.
fn developers_only(text: &str) -> Vec<usize> {
    let (mut all, mut section, mut found) = (Vec::new(), String::new(), Vec::new());
    for (number, line) in text.lines().enumerate().chain([(0, "## end")]) {
        if line.starts_with('#') && line.contains("# ") {
            let is_marked = section
                .to_lowercase()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .contains("in the source tree");
            all.extend(std::mem::take(&mut found).into_iter().filter(|_| !is_marked));
            section.clear();
        }
        section.extend([line, "\n"]);
        if SOURCE_TREE.iter().any(|command| line.contains(command)) {
            found.push(number + 1);
        }
    }
    all
}

/// Whether a page is for users; the options of `make` are in one of them.
fn is_for_users(name: &str) -> bool {
    name != "doc/options.md" && ["doc/", "examples/"].iter().any(|folder| name.starts_with(folder))
}

#[test]
fn prose_has_the_width_of_a_terminal() {
    let pages = all_pages();
    let wide = pages.iter().filter(|(name, _)| name != "doc/options.md");
    let wide =
        wide.flat_map(|(name, text)| too_wide(text).into_iter().map(move |line| format!("{name}:{line}")));
    let wide: Vec<String> = wide.collect();
    assert!(wide.is_empty(), "more than {MAX_WIDTH} characters:\n{}", wide.join("\n"));
}

#[test]
fn cells_of_tables_are_no_sentences_with_many_figures() {
    let mut all = Vec::new();
    // The table of options has the help texts.
    let others = |(name, _): &(String, String)| name != "doc/options.md";
    for (name, text) in all_pages().into_iter().filter(others) {
        all.extend(crowded(&text).into_iter().map(|(line, cell)| format!("{name}:{line}: {cell}")));
    }
    assert!(all.is_empty(), "more than {MAX_FIGURES} figures in a sentence:\n{}", all.join("\n"));
}

/// The usage of a script, between `cat <<'END'` and `END`.
fn usage(script: &str) -> impl Iterator<Item = &str> {
    let (_, text) = script.split_once("cat <<'END'\n").unwrap_or_default();
    text.lines().take_while(|line| *line != "END")
}

#[test]
fn usage_of_installed_scripts_has_100_columns() {
    for name in ["bspcc", "bsprun", "hcube-caf", "hcube-run"] {
        let text = fs::read_to_string(root().join("install").join(name)).expect("a script");
        assert!(usage(&text).count() > 10, "install/{name}: no usage");
        for line in usage(&text) {
            assert!(line.chars().count() <= 100, "install/{name}: more than 100 characters: {line}");
        }
    }
}

#[test]
fn headers_have_no_links_of_rust() {
    for folder in ["include", "fortran"] {
        for path in files(&root().join(folder)) {
            let text = fs::read_to_string(&path).expect("text");
            for (number, line) in text.lines().enumerate() {
                let link =
                    ["](crate", "](super", "](self", "[`", "`]"].iter().any(|sign| line.contains(sign));
                assert!(!link, "{}:{}: a link of rustdoc: {line}", path.display(), number + 1);
            }
        }
    }
}

#[test]
fn pages_for_users_name_installed_commands() {
    let pages = all_pages().into_iter().filter(|(name, _)| is_for_users(name));
    let lines = pages.flat_map(|(name, text)| {
        developers_only(&text).into_iter().map(move |line| format!("{name}:{line}"))
    });
    let lines: Vec<String> = lines.collect();
    assert!(lines.is_empty(), "not installed: say 'in the source tree':\n{}", lines.join("\n"));
}

#[test]
fn wrong_shapes_are_found() {
    let wide = "word ".repeat(25);
    let text = format!("{wide}\n| {wide} |\n```\n{wide}\n```\n{}\n", "x".repeat(130));
    assert_eq!(too_wide(&text), [1]);
    for (cell, count) in [
        ("64 x 64 x 64 on 2 ranks", 2),
        ("1.5, 2 and 3 GiB with Open MPI 4.1.4", 3),
        ("2^31 bytes, `HCUBE_1 2`, n3", 1),
    ] {
        assert_eq!(figures(&without_code(cell)), count, "{cell}");
    }
    let rows = "| from 1 to 2 ranks, of 3 GiB each, on all nodes | 1, 2, 3 |\n| 1 rank of 2, on all nodes of a cluster |\n";
    assert_eq!(crowded(rows).len(), 1);
    let page = "# a\nhcube-lab x\n## b (in the source tree)\n```\nhcube-lab y\n```\n## c\n";
    assert_eq!(developers_only(page), [2]);
}
