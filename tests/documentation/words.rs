//! Words that what people read does not have, and what to say instead: `words.txt` lists them.
//!
//! A line of the table is `phrases | instead | scopes`: phrases with commas between them, and where they
//! are forbidden: `pages`, `headers` (also examples), `help`, `messages`, `comments`, or `all`. A phrase
//! matches whole words, also across the end of a line; `-`, `_` and digits belong to words. In lower case it
//! matches any case, otherwise only its own. In quotes it matches a whole string, or the whole cell of a
//! table. Code in backquotes and examples in pages are not read.
//!
//! Below `## exceptions`, a line is `file | phrase | reason`.
//!
//! `HCUBE_WORDS=all` (or some of the scopes) also prints what is not forbidden yet.

use crate::texts::{self, Passage, Scope};
use std::collections::BTreeSet;

const TABLE: &str = include_str!("words.txt");

struct Rule {
    phrases: Vec<String>,
    instead: String,
    scopes: Vec<Scope>,
}

#[derive(Default)]
struct Table {
    rules: Vec<Rule>,
    /// Files, and phrases that they may have.
    exceptions: BTreeSet<(String, String)>,
}

fn scopes(text: &str) -> Result<Vec<Scope>, String> {
    if text == "all" {
        return Ok(Scope::ALL.map(|(_, scope)| scope).to_vec());
    }
    let scope = |name: &str| {
        let found = Scope::ALL.iter().find(|(known, _)| *known == name);
        found.map(|&(_, scope)| scope).ok_or_else(|| format!("'{name}' is not a scope"))
    };
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(scope).collect()
}

fn table(text: &str) -> Result<Table, String> {
    let (mut table, mut exceptions) = (Table::default(), false);
    for line in text.lines().filter(|line| !line.is_empty()) {
        let columns: Vec<&str> = line.split('|').map(str::trim).collect();
        match columns[..] {
            ["## exceptions"] => exceptions = true,
            [file, phrase, reason] if exceptions && !reason.is_empty() => {
                table.exceptions.insert((file.to_owned(), phrase.to_owned()));
            }
            [phrases, instead, places] if !exceptions && !instead.is_empty() => {
                let phrases = phrases.split(", ").map(str::to_owned).collect();
                table.rules.push(Rule { phrases, instead: instead.to_owned(), scopes: scopes(places)? });
            }
            _ => return Err(format!("'{line}': expected three columns")),
        }
    }
    Ok(table)
}

/// A passage in one line, as it is and in lower case, with the places at which its lines begin.
struct Joined {
    text: String,
    lower: String,
    begins: Vec<(usize, usize)>,
}

impl Joined {
    fn new(passage: &Passage) -> Self {
        let (mut text, mut begins) = (String::new(), Vec::new());
        for (number, line) in &passage.lines {
            begins.push((text.len(), *number));
            text.extend(line.split_whitespace().flat_map(|word| [word, " "]));
        }
        let lower = text.to_ascii_lowercase();
        Self { text, lower, begins }
    }

    fn line(&self, at: usize) -> usize {
        self.begins.iter().rev().find(|(begin, _)| *begin <= at).map_or(0, |&(_, line)| line)
    }

    /// Numbers of the lines in which a phrase begins, as whole words.
    fn lines_with(&self, phrase: &str) -> Vec<usize> {
        let text = if phrase.contains(char::is_uppercase) { &self.text } else { &self.lower };
        let is_word = |letter: char| letter.is_alphanumeric() || "-_".contains(letter);
        let whole = |&(at, _): &(usize, &str)| {
            let (before, after) = (text[..at].chars().next_back(), text[at + phrase.len()..].chars().next());
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        };
        text.match_indices(phrase).filter(whole).map(|(at, _)| self.line(at)).collect()
    }
}

/// Numbers of the lines that are this text, or have it as a cell of a table.
fn lines_that_are(passage: &Passage, whole: &str) -> Vec<usize> {
    let is = |line: &str| line.split('|').any(|cell| cell.trim().eq_ignore_ascii_case(whole));
    passage.lines.iter().filter(|(_, line)| is(line)).map(|&(number, _)| number).collect()
}

/// What is wrong: `file:line: 'phrase': say ...`. Exceptions that were needed are taken out of the set.
fn found(
    table: &Table,
    passages: &[Passage],
    also: &[Scope],
    unneeded: &mut BTreeSet<(String, String)>,
) -> Vec<String> {
    let mut all = Vec::new();
    for passage in passages {
        let joined = Joined::new(passage);
        let active = |rule: &&Rule| rule.scopes.contains(&passage.scope) || also.contains(&passage.scope);
        for rule in table.rules.iter().filter(active) {
            for phrase in &rule.phrases {
                let whole = phrase.strip_prefix('"').and_then(|phrase| phrase.strip_suffix('"'));
                let lines =
                    whole.map_or_else(|| joined.lines_with(phrase), |whole| lines_that_are(passage, whole));
                let exception = (passage.file.clone(), phrase.clone());
                if !lines.is_empty() && table.exceptions.contains(&exception) {
                    unneeded.remove(&exception);
                    continue;
                }
                let complaint = |line| format!("{}:{line}: '{phrase}': say {}", passage.file, rule.instead);
                all.extend(lines.into_iter().map(complaint));
            }
        }
    }
    all
}

#[test]
fn words_are_those_of_the_field() {
    let table = table(TABLE).unwrap_or_else(|error| panic!("words.txt: {error}"));
    let also = std::env::var("HCUBE_WORDS").map_or(Ok(Vec::new()), |text| scopes(&text));
    let also = also.unwrap_or_else(|error| panic!("HCUBE_WORDS: {error}"));
    let passages = texts::all();
    for (name, scope) in Scope::ALL {
        assert!(passages.iter().any(|passage| passage.scope == scope), "no {name}");
    }
    let mut unneeded = table.exceptions.clone();
    let all = found(&table, &passages, &also, &mut unneeded);
    assert!(all.is_empty(), "{} phrases:\n{}", all.len(), all.join("\n"));
    assert!(unneeded.is_empty(), "words.txt: exceptions that nothing needs: {unneeded:?}");
}

#[test]
fn forbidden_words_are_found() {
    let text = "look, looks | poll | pages, comments\nthat of | repeat the noun | messages\nBad | good | pages\n\
                \"ratio\" | speed-up | pages\n## exceptions\nb.md | look | a telescope\n";
    let table = table(text).expect("a table");
    let passage = |file: &str, scope, lines: &[&str]| Passage {
        file: file.to_owned(),
        scope,
        lines: lines.iter().enumerate().map(|(at, line)| (at + 7, (*line).to_owned())).collect(),
    };
    let passages = [
        passage("a.md", Scope::Pages, &["It Looks. A look-ahead, overlook, look_at", "bad, Bad; that", "of"]),
        passage("a.rs", Scope::Messages, &["the size, and that", "of the other; look", "that often"]),
        passage("b.md", Scope::Pages, &["look", "| n | Ratio |", "the ratio | a ratio of"]),
    ];
    let mut unneeded = table.exceptions.clone();
    assert_eq!(
        found(&table, &passages, &[], &mut unneeded),
        [
            "a.md:7: 'looks': say poll",
            "a.md:8: 'Bad': say good",
            "a.rs:7: 'that of': say repeat the noun",
            "b.md:8: '\"ratio\"': say speed-up"
        ]
    );
    assert!(unneeded.is_empty(), "{unneeded:?}");
    assert_eq!(found(&table, &passages, &[Scope::Messages], &mut unneeded).len(), 5);
    assert!(scopes("page").is_err_and(|error| error.contains("'page'")));
}

#[test]
fn strings_and_comments_are_read() {
    let text = "let a = \"one \\\n  two\"; // \"no\"\nlet b = r#\"three \" four\"#;\nlet c = '\"'; f::<'a>(\"five\\\"six\");\n\
                #[cfg(test)]\nmod tests {\n\"seven\"}";
    let strings = texts::strings(text);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let strings: Vec<(usize, String)> =
        strings.into_iter().map(|(line, text)| (line, words(&text))).collect();
    assert_eq!(
        strings,
        [(1, "one two".to_owned()), (3, "three \" four".to_owned()), (4, "five six".to_owned())]
    );
    assert_eq!(texts::without_code("a `b` [c](d#e) f"), "a ` [c] f");
}
