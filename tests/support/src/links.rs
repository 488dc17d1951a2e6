//! Links of Markdown pages: whether their targets exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Text outside code, with the lines' numbers; code has no links.
fn prose(text: &str) -> Vec<(usize, String)> {
    let mut code = false;
    let mut lines = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            code = !code;
        } else if !code {
            let outside = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
            lines.push((number + 1, outside));
        }
    }
    lines
}

/// The anchor that a heading gets: lower case, blanks as dashes, no other signs.
fn anchor(heading: &str) -> String {
    let letters = heading.trim().to_lowercase();
    let kept = letters.chars().filter(|&letter| letter.is_alphanumeric() || " -_".contains(letter));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

/// The anchors of a page.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut code = false;
    let mut all = BTreeSet::new();
    for line in text.lines() {
        code ^= line.trim_start().starts_with("```");
        let heading = line.trim_start_matches('#');
        if !code && heading.len() < line.len() && heading.starts_with(' ') {
            all.insert(anchor(heading));
        }
    }
    all
}

/// The targets of `[text](target)` in a line.
fn targets(line: &str) -> Vec<&str> {
    line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target).collect()
}

/// A path without `..`, taken apart as a browser does it: links to folders count as folders.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        if component == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(component);
        }
    }
    plain
}

/// The error of a link, if any.
fn wrong(page: &Path, text: &str, target: &str) -> Option<String> {
    if target.starts_with("https://") {
        return None;
    }
    let (file, section) =
        target.split_once('#').map_or((target, None), |(file, section)| (file, Some(section)));
    let path = if file.is_empty() {
        page.to_owned()
    } else {
        plain(&page.parent().expect("a page lies in a folder").join(file))
    };
    if !path.exists() {
        return Some(format!("no {}", path.display()));
    }
    let section = section?;
    let text = if file.is_empty() { text.to_owned() } else { fs::read_to_string(&path).ok()? };
    (!anchors(&text).contains(section)).then(|| format!("no heading '{section}' in {}", path.display()))
}

/// All links of these pages that lead nowhere.
pub fn broken(pages: &[PathBuf]) -> Vec<String> {
    let mut broken = Vec::new();
    for page in pages {
        let text = fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
        for (number, line) in prose(&text) {
            for target in targets(&line) {
                if let Some(what) = wrong(page, &text, target) {
                    broken.push(format!("{}:{number}: ({target}): {what}", page.display()));
                }
            }
        }
    }
    broken
}

/// The Markdown pages of a folder and its subfolders, which may be links.
pub fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let skipped = name == "target" || name.to_string_lossy().starts_with('.');
        if path.is_dir() && !skipped {
            all.extend(pages(&path));
        } else if path.extension().is_some_and(|end| end == "md") {
            all.push(path);
        }
    }
    all.sort();
    all
}
