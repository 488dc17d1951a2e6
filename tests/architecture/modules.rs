//! The dependencies between the modules of a crate, and cycles among them.
//!
//! A module uses another module if it imports one of its names or writes a path to it. A re-export
//! (`pub use`) is not a use: the name is resolved to its definition. A folder's `mod.rs` that lists its parts
//! is therefore not a cycle, but one that calls a part that calls back is.

use crate::sources::{Source, sources};
use std::collections::{BTreeMap, BTreeSet};

/// A path in a source, and the name that it gets there.
#[derive(Debug, Clone)]
struct Import {
    path: Vec<String>,
    name: String,
    public: bool,
}

/// A crate's modules by their paths, which begin with `crate`.
#[derive(Debug)]
pub struct Modules {
    imports: BTreeMap<String, Vec<Import>>,
    /// Words that are in no `use`.
    rest: BTreeMap<String, Vec<String>>,
}

impl Modules {
    pub fn of(folder: &str) -> Self {
        let mut made = Self { imports: BTreeMap::new(), rest: BTreeMap::new() };
        for source in sources(folder) {
            let (imports, rest) = imports(&source);
            let name = name(folder, &source.path);
            made.imports.insert(name.clone(), imports);
            made.rest.insert(name, rest);
        }
        made
    }

    /// The modules that each one uses.
    pub fn uses(&self) -> BTreeMap<&str, BTreeSet<String>> {
        self.imports.keys().map(|module| (module.as_str(), self.uses_of(module))).collect()
    }

    fn uses_of(&self, module: &str) -> BTreeSet<String> {
        let rest = &self.rest[module];
        let needed = |import: &&Import| !import.public || import.name != "*" && rest.contains(&import.name);
        let imported = self.imports[module].iter().filter(needed).map(|import| import.path.clone());
        let all = imported.chain(paths(rest));
        let mut used: BTreeSet<String> = all.filter_map(|path| self.resolve(module, &path, 0)).collect();
        used.remove(module);
        used
    }

    fn is_module(&self, name: &str) -> bool {
        self.imports.contains_key(name)
    }

    /// The module in which a path ends; `None` outside of the crate.
    fn resolve(&self, from: &str, path: &[String], depth: usize) -> Option<String> {
        let mut here = match path.first()?.as_str() {
            "crate" => "crate".to_owned(),
            "self" => from.to_owned(),
            "super" => parent(from)?,
            // A type, not a module.
            "Self" => return None,
            _ => return self.step(from, path, depth),
        };
        let mut rest = &path[1..];
        while rest.first().is_some_and(|word| word == "super") {
            here = parent(&here)?;
            rest = &rest[1..];
        }
        if rest.is_empty() { Some(here) } else { self.step(&here, rest, depth).or(Some(here)) }
    }

    /// Follows a path from a module that has its first name: a module in it, or an import.
    fn step(&self, here: &str, path: &[String], depth: usize) -> Option<String> {
        let (first, rest) = path.split_first()?;
        let inside = format!("{here}::{first}");
        if self.is_module(&inside) {
            return if rest.is_empty() {
                Some(inside)
            } else {
                self.step(&inside, rest, depth).or(Some(inside))
            };
        }
        // Two names may lead to each other, in different kinds of things.
        let imports = self.imports.get(here)?.iter().filter(|_| depth < 8);
        if let Some(import) = imports.clone().find(|import| import.name == *first) {
            let whole: Vec<String> = import.path.iter().chain(rest).cloned().collect();
            return self.resolve(here, &whole, depth + 1);
        }
        let all = imports.filter(|import| import.name == "*");
        all.filter_map(|import| self.resolve(here, &import.path, depth + 1))
            .find(|from| self.defines(from, first))
    }

    /// Whether a module has an item of that name.
    fn defines(&self, module: &str, name: &str) -> bool {
        let kinds = ["struct", "enum", "union", "trait", "type", "fn", "const", "static", "macro_rules"];
        let is_item = |pair: &[String]| kinds.contains(&pair[0].as_str()) && pair[1] == name;
        self.rest.get(module).is_some_and(|rest| rest.windows(2).any(is_item))
    }
}

/// The path of the module in a file.
fn name(folder: &str, path: &str) -> String {
    let inside = path.strip_prefix(folder).expect("a file of the crate").trim_start_matches('/');
    let inside = inside.trim_end_matches(".rs");
    let parts = inside.split('/').filter(|part| !matches!(*part, "mod" | "lib" | "main"));
    std::iter::once("crate").chain(parts).collect::<Vec<_>>().join("::")
}

fn parent(module: &str) -> Option<String> {
    module.rsplit_once("::").map(|(parent, _)| parent.to_owned())
}

/// The imports of a file, and all words that are in none.
fn imports(source: &Source) -> (Vec<Import>, Vec<String>) {
    let (mut all, mut rest, mut at) = (Vec::new(), Vec::new(), 0);
    let words = &source.words;
    while at < words.len() {
        // Not `use<'a>` of a type.
        if words[at] != "use" || words.get(at + 1).is_some_and(|word| word == "<") {
            rest.push(words[at].clone());
            at += 1;
            continue;
        }
        let public = matches!(rest.last().map(String::as_str), Some("pub" | ")"));
        let end = at + words[at..].iter().position(|word| word == ";").expect("an import ends");
        tree(&words[at + 1..end], &mut 0, &[], public, &mut all);
        at = end + 1;
    }
    (all, rest)
}

/// Reads `a::{b, c as d}` from a place on, up to a comma or a brace.
fn tree(words: &[String], at: &mut usize, before: &[String], public: bool, all: &mut Vec<Import>) {
    let mut path = before.to_vec();
    while let Some(word) = words.get(*at) {
        *at += 1;
        match word.as_str() {
            "::" => {}
            "{" => {
                while words[*at - 1] != "}" {
                    tree(words, at, &path, public, all);
                    *at += 1;
                }
                return;
            }
            "," | "}" => {
                *at -= 1;
                break;
            }
            "as" => {
                let name = words[*at].clone();
                *at += 1;
                return all.push(Import { path, name, public });
            }
            "self" if !path.is_empty() => {}
            _ => path.push(word.clone()),
        }
    }
    if path.last().is_some_and(|last| last == "*") {
        path.pop();
        all.push(Import { path, name: "*".into(), public });
    } else if path.len() > before.len()
        || !path.is_empty() && words.get(*at - 1).is_some_and(|word| word == "self")
    {
        all.push(Import { name: path.last().expect("not empty").clone(), path, public });
    }
}

/// Paths of two parts or more among the words. Those of a macro (`$crate`) are its callers'.
fn paths(words: &[String]) -> Vec<Vec<String>> {
    let is_name = |word: &String| word.starts_with(|first: char| first.is_alphabetic() || first == '_');
    let (mut all, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let mut path = vec![words[at].clone()];
        let begins = is_name(&words[at]) && (at == 0 || !matches!(words[at - 1].as_str(), "::" | "$"));
        at += 1;
        while begins && at + 1 < words.len() && words[at] == "::" && is_name(&words[at + 1]) {
            path.push(words[at + 1].clone());
            at += 2;
        }
        if path.len() > 1 {
            all.push(path);
        }
    }
    all
}

/// Groups of modules that reach each other.
pub fn circles(uses: &BTreeMap<&str, BTreeSet<String>>) -> Vec<BTreeSet<String>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        uses.keys().map(|&from| (from, reach(uses, from))).collect();
    let mut found: Vec<BTreeSet<String>> = Vec::new();
    for (&from, all) in &reached {
        if all.contains(from) && !found.iter().any(|circle| circle.contains(from)) {
            let back = all.iter().filter(|&&to| reached[to].contains(from));
            found.push(back.map(|&name| name.to_owned()).collect());
        }
    }
    found
}

fn reach<'a>(uses: &'a BTreeMap<&'a str, BTreeSet<String>>, from: &str) -> BTreeSet<&'a str> {
    let (mut all, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
    while let Some(next) = open.pop() {
        for to in &uses[next.as_str()] {
            if all.insert(to.as_str()) {
                open.push(to.clone());
            }
        }
    }
    all
}
