//! Numbers of pages, comments and help texts against the sources that they come from: `numbers.txt` says
//! which.
//!
//! A line of the table is the text of the page, with a place for each number, ` <- `, and where the numbers
//! come from: a file (or the name that the head of the table gives it, or several joined by `+`) and an
//! expression of its constants, or a part of the file in quotes, with `{}` in the place of the number.
//! `## page` begins the lines of a page.
//!
//! | place | the number 16384 |
//! |---|---|
//! | `{}` | 16384 |
//! | `{size}` | 16 KiB |
//! | `{KiB}`, `{MiB}`, `{GiB}` | 16, without the unit |
//! | `{2^}` | 2^14 |
//! | `{word}`, `{Word}`, `{nth}`, `{times}` | of small numbers: three, Three, third, twice |
//! | `{us}`, `{ms}`, `{%}` | times 10^6, 10^3, 100 |

use crate::expression::{Constants, Value};
use hcube_testing as common;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const TABLE: &str = include_str!("numbers.txt");

/// Where a number comes from.
#[derive(Debug, PartialEq)]
enum Source {
    /// Files, and an expression of their constants.
    Expression(Vec<String>, String),
    /// A file, and what is before and after the number.
    Text(String, [String; 2]),
}

/// What a page says.
#[derive(Debug, PartialEq)]
struct Claim {
    page: String,
    text: String,
    sources: Vec<Source>,
}

/// Text in one line, without the signs that begin comments.
fn prose(text: &str, is_page: bool) -> String {
    let signs = ["//!", "///", "//", "/**", "*/", "*", "#"];
    let lines = text.lines().map(|line| {
        let line = line.trim();
        let sign = signs.iter().find(|sign| !is_page && line.starts_with(**sign));
        sign.map_or(line, |sign| &line[sign.len()..])
    });
    let words = lines.flat_map(str::split_whitespace);
    words.collect::<Vec<_>>().join(" ")
}

/// Parts of a text between a separator that is not in quotes.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut quoted) = (Vec::new(), 0, false);
    for (place, letter) in text.char_indices() {
        quoted ^= letter == '"';
        if letter == ';' && !quoted {
            parts.push(text[begin..place].trim());
            begin = place + 1;
        }
    }
    parts.push(text[begin..].trim());
    parts
}

fn source(text: &str, names: &BTreeMap<&str, &str>) -> Result<Source, String> {
    let (files, expression) =
        text.split_once(' ').ok_or_else(|| format!("'{text}': a file and a constant"))?;
    let file = |name: &str| match names.get(name) {
        Some(path) => Ok((*path).to_owned()),
        None if name.contains(['/', '.']) || name == "Makefile" => Ok(name.to_owned()),
        None => Err(format!("'{name}' is no file and no name of one")),
    };
    let files = files.split('+').map(file).collect::<Result<Vec<_>, _>>()?;
    let quoted = expression.trim().strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    match quoted.map(|quoted| quoted.split_once("{}")) {
        None => Ok(Source::Expression(files, expression.trim().to_owned())),
        Some(Some((before, after))) if !before.is_empty() && !after.is_empty() && files.len() == 1 => {
            Ok(Source::Text(files[0].clone(), [before, after].map(str::to_owned)))
        }
        Some(_) => Err(format!("'{text}': expected text before and after {{}}")),
    }
}

/// The lines of a table.
fn claims(table: &str) -> Result<Vec<Claim>, String> {
    let (mut names, mut page, mut claims) = (BTreeMap::new(), None, Vec::new());
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(name) = line.strip_prefix("## ") {
            page = Some(name);
        } else if let (None, Some((name, path))) = (page, line.split_once(" = ")) {
            names.insert(name, path);
        } else if let (Some(page), Some((text, sources))) = (page, line.split_once(" <- ")) {
            let sources = parts(sources).into_iter().map(|part| source(part, &names));
            let sources =
                sources.collect::<Result<Vec<_>, _>>().map_err(|error| format!("{page}: {error}"))?;
            let places = text.matches('{').count();
            if places == 0 || places != sources.len() {
                return Err(format!("{page}: '{text}': {places} numbers, and {} sources", sources.len()));
            }
            claims.push(Claim { page: page.to_owned(), text: text.to_owned(), sources });
        } else {
            return Err(format!("'{line}': expected 'name = path', '## page' or 'text <- source'"));
        }
    }
    Ok(claims)
}

/// A number, or a version.
#[derive(Debug, PartialEq)]
enum Number {
    Value(Value),
    Text(String),
}

type Read<'a> = &'a dyn Fn(&str) -> Result<String, String>;

fn number(source: &Source, read: Read<'_>) -> Result<Number, String> {
    match source {
        Source::Expression(files, expression) => {
            let mut constants = Constants::default();
            for file in files {
                constants = constants.and(Constants::of(&read(file)?));
            }
            let value =
                constants.value(expression).map_err(|error| format!("{}: {error}", files.join(" and ")))?;
            Ok(Number::Value(value))
        }
        Source::Text(file, [before, after]) => {
            let text = prose(&read(file)?, false);
            let found: BTreeSet<&str> = text
                .split(before.as_str())
                .skip(1)
                .filter_map(|rest| rest.split_once(after.as_str()))
                .map(|(number, _)| number)
                .filter(|number| {
                    number.starts_with(|letter: char| letter.is_ascii_digit()) && number.len() < 24
                })
                .collect();
            match &Vec::from_iter(found)[..] {
                [] => Err(format!("{file}: no number between '{before}' and '{after}'")),
                [number] => {
                    let value = Constants::default().value(number);
                    Ok(value.map_or_else(|_| Number::Text((*number).to_owned()), Number::Value))
                }
                several => Err(format!("{file}: {} between '{before}' and '{after}'", several.join(", "))),
            }
        }
    }
}

/// A number without zeros at the end.
fn plain(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A number as the page writes it.
fn written(number: &Number, place: &str) -> Result<String, String> {
    let value = match number {
        Number::Value(value) => value.real(),
        Number::Text(text) if place.is_empty() => return Ok(text.clone()),
        Number::Text(text) => return Err(format!("'{text}' is no number")),
    };
    let named = |names: &[&str], first: usize| {
        let name = (value as usize).checked_sub(first).and_then(|place| names.get(place));
        name.map(|name| (*name).to_owned()).ok_or_else(|| format!("no word for {value}"))
    };
    let words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let whole = value as u128;
    match place {
        "" => Ok(plain(value)),
        "size" => {
            let power =
                (0..5).rfind(|power| whole > 0 && whole.is_multiple_of(1 << (10 * power))).unwrap_or(0);
            Ok(format!("{} {}", whole >> (10 * power), ["bytes", "KiB", "MiB", "GiB", "TiB"][power]))
        }
        "KiB" => Ok(plain(value / 1024.0)),
        "MiB" => Ok(plain(value / 1024.0 / 1024.0)),
        "GiB" => Ok(plain(value / 1024.0 / 1024.0 / 1024.0)),
        "2^" if whole.is_power_of_two() => Ok(format!("2^{}", whole.trailing_zeros())),
        "word" => named(&words, 1),
        "Word" => named(&words, 1).map(|word| word[..1].to_uppercase() + &word[1..]),
        "nth" => named(&["first", "second", "third", "fourth"], 1),
        "times" => named(&["once", "twice", "three times", "four times"], 1),
        "us" => Ok(plain(value * 1e6)),
        "ms" => Ok(plain(value * 1e3)),
        "%" => Ok(plain(value * 100.0)),
        _ => Err(format!("{value} as {{{place}}}")),
    }
}

/// What the page has to say.
fn expected(claim: &Claim, read: Read<'_>) -> Result<String, String> {
    let mut pieces = claim.text.split('{');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for (piece, source) in pieces.zip(&claim.sources) {
        let (place, rest) = piece.split_once('}').ok_or("'{' without '}'")?;
        text += &written(&number(source, read)?, place)?;
        text += rest;
    }
    Ok(text)
}

/// Whether a page has a text, and not with other digits before or after it.
fn has(page: &str, text: &str) -> bool {
    let joined = |before: Option<char>, after: Option<char>| {
        before.is_some_and(|letter| letter.is_ascii_alphanumeric() || letter == '.')
            && after.is_some_and(|letter| letter.is_ascii_alphanumeric())
    };
    page.match_indices(text).any(|(place, _)| {
        let (before, after) = (&page[..place], &page[place + text.len()..]);
        let is_decimal =
            after.starts_with('.') && after[1..].starts_with(|letter: char| letter.is_ascii_digit());
        let cut = joined(before.chars().next_back(), text.chars().next())
            || joined(text.chars().next_back(), after.chars().next())
            || is_decimal && text.ends_with(|letter: char| letter.is_ascii_digit());
        !cut
    })
}

/// Sections that describe the code; figures of measurements are elsewhere.
const DESCRIBING: [&str; 4] = ["Paths", "How data moves", "Memory", "Limits"];

/// The describing sections of a page, without what is in code blocks; all of a page about the algorithms.
fn described(name: &str, page: &str) -> String {
    let (mut code, mut own, mut lines) = (false, false, Vec::new());
    for line in page.lines() {
        code ^= line.trim_start().starts_with("```");
        if let Some(heading) = line.strip_prefix("## ").filter(|_| !code) {
            own = name == "doc/how-it-works.md" || DESCRIBING.contains(&heading);
        }
        if own && !code {
            lines.push(line);
        }
    }
    prose(&lines.join("\n"), true)
}

/// Sizes in a text that no sentence of the table has.
fn unnamed<'a>(text: &'a str, sentences: &[String]) -> Vec<&'a str> {
    let is_named = |place: usize| {
        let mut found = sentences.iter().flat_map(|sentence| text.match_indices(sentence.as_str()));
        found.any(|(begin, sentence)| (begin..=begin + sentence.len()).contains(&place))
    };
    let units = ["KiB", "MiB", "GiB", "TiB"].into_iter().flat_map(|unit| text.match_indices(unit));
    let unnamed = units.map(|(place, _)| place).filter(|&place| !is_named(place));
    unnamed
        .map(|place| &text[text[..place].rfind(['.', '|', ';']).map_or(0, |end| end + 1)..place + 3])
        .collect()
}

fn check(claim: &Claim, read: Read<'_>) -> Result<(), String> {
    let Claim { page, text, .. } = claim;
    let expected = expected(claim, read).map_err(|error| format!("{page}: '{text}': {error}"))?;
    let found = has(&prose(&read(page)?, page.ends_with(".md")), &expected);
    if found { Ok(()) } else { Err(format!("{page}: expected '{expected}'")) }
}

#[test]
fn numbers_are_those_of_the_sources() {
    let read = |file: &str| {
        fs::read_to_string(common::root().join(file)).map_err(|error| format!("{file}: {error}"))
    };
    let claims = claims(TABLE).expect("a table");
    assert!(claims.len() > 150, "{}", claims.len());
    let wrong: Vec<String> = claims.iter().filter_map(|claim| check(claim, &read).err()).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    for (number, claim) in claims.iter().enumerate() {
        assert!(!claims[..number].contains(claim), "twice in numbers.txt: {claim:?}");
    }
}

/// A size in a description has a line in the table, so that a new one does not come without.
#[test]
fn sizes_in_descriptions_are_in_the_table() {
    let root = common::root();
    let read = |file: &str| fs::read_to_string(root.join(file)).map_err(|error| format!("{file}: {error}"));
    let claims = claims(TABLE).expect("a table");
    let mut missing = Vec::new();
    for path in common::links::pages(&root) {
        let name = path.strip_prefix(&root).expect("below").to_string_lossy().into_owned();
        // Their numbers are compared by lab/tests/pages.
        if !name.contains("doc/") && !name.contains("glue/") || name.starts_with("doc/bsp") {
            continue;
        }
        let own = claims.iter().filter(|claim| claim.page == name);
        let sentences: Vec<String> = own.filter_map(|claim| expected(claim, &read).ok()).collect();
        let text = described(&name, &read(&name).expect("a page"));
        missing.extend(unnamed(&text, &sentences).iter().map(|size| format!("{name}:{size}")));
    }
    assert!(missing.is_empty(), "no line in numbers.txt for\n{}", missing.join("\n"));
    let page = "## Use\n8 KiB\n```\n## Limits\n9 MiB\n```\n## Limits\nAt most\n16 KiB and 3 GiB. One more: 4 TiB.\n## More\n1 MiB";
    let text = described("doc/a.md", page);
    assert_eq!(text, "## Limits At most 16 KiB and 3 GiB. One more: 4 TiB.");
    assert_eq!(
        unnamed(&text, &["most 16 KiB".to_owned(), "3".to_owned()]),
        ["## Limits At most 16 KiB and 3 GiB", " One more: 4 TiB"]
    );
}

/// Each mistake is found, and the message says where and what.
#[test]
fn wrong_numbers_are_found() {
    let check_with = |constant: &str, page: &str, line: &str| {
        let table = format!("limits = src/limits.rs\n## page.md\n{line}");
        let read = |file: &str| match file {
            "src/limits.rs" => Ok(format!("//! from {constant} on\nconst SIZE: usize = {constant};")),
            "page.md" => Ok(page.to_owned()),
            _ => Err(format!("{file}: not there")),
        };
        claims(&table)?.iter().try_for_each(|claim| check(claim, &read))
    };
    let page = "Blocks of 16 KiB\nor more (up to 64 of them)\nare copied, 6.5 at a time, from 2^14 on.";
    for line in [
        "of {size} or more <- limits SIZE",
        "of {KiB} KiB or more (up to {} of <- limits SIZE; limits SIZE / 256",
        "from {2^} on <- limits SIZE",
        "of {size} or more <- src/limits.rs \"from {} on\"",
    ] {
        assert_eq!(check_with("16 << 10", page, line), Ok(()), "{line}");
    }
    for (constant, line, error) in [
        ("32 << 10", "of {size} or more <- limits SIZE", "page.md: expected 'of 32 KiB or more'"),
        ("4", "{} of them <- limits SIZE", "page.md: expected '4 of them'"),
        ("6", "copied, {} <- limits SIZE", "page.md: expected 'copied, 6'"),
        ("6", "of {size} or more <- limits LENGTH", "src/limits.rs: no constant LENGTH"),
        ("6", "of {size} or more <- limits \"until {} on\"", "no number between 'until ' and ' on'"),
        ("6", "of {size} or more <- other SIZE", "'other' is no file"),
        ("6", "of {size} or more <- src/other.rs SIZE", "src/other.rs: not there"),
        ("6", "of {yards} or more <- limits SIZE", "6 as {yards}"),
        ("6", "from {2^} on <- limits SIZE", "6 as {2^}"),
        ("6", "of {size} or {} <- limits SIZE", "2 numbers, and 1 sources"),
        ("6", "of 16 KiB or more", "expected 'name = path', '## page' or 'text <- source'"),
    ] {
        let found = check_with(constant, page, line).expect_err(line);
        assert!(found.contains(error), "{line}: {found}");
    }
}

#[test]
fn numbers_are_written_as_pages_do() {
    for (value, place, text) in [
        (16384.0, "", "16384"),
        (0.6, "", "0.6"),
        (16384.0, "size", "16 KiB"),
        (1500.0, "size", "1500 bytes"),
        (1e-5, "us", "10"),
        (1e-3, "ms", "1"),
        (1.2 - 1.0, "%", "20"),
        (3.0, "Word", "Three"),
        (2.0, "times", "twice"),
        (2.0, "nth", "second"),
        (1_099_511_627_776.0, "2^", "2^40"),
    ] {
        assert_eq!(written(&Number::Value(Value::Real(value)), place).as_deref(), Ok(text));
    }
    assert_eq!(written(&Number::Text("3.3.10".to_owned()), "").as_deref(), Ok("3.3.10"));
}
