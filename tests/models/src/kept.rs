//! Mutations that no model notices, and why they are not changes of the source.

use hcube_core::atomic::model::mutation::Mutation;

/// `kept.txt`: for each mutation that may survive its file, the line of the source, the mutation, and the
/// reason, separated by ` | `.
pub struct Kept(Vec<[String; 4]>);

/// The line of the source that a mutation changes.
fn source((file, line): (&str, u32)) -> String {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    text.lines().nth(line as usize - 1).unwrap_or_default().trim().to_owned()
}

fn key(mutation: Mutation) -> [String; 3] {
    let place = mutation.place();
    [place.0.to_owned(), source(place), mutation.to_string()]
}

impl Kept {
    pub fn read() -> Self {
        let line = |line: &str| {
            let parts: Vec<String> = line.split(" | ").map(|part| part.trim().to_owned()).collect();
            let count = parts.len();
            <[String; 4]>::try_from(parts).unwrap_or_else(|_| panic!("kept.txt: {count} parts: {line}"))
        };
        let lines = include_str!("../kept.txt").lines();
        Self(lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(line).collect())
    }

    /// Why a mutation may survive.
    pub fn reason(&self, mutation: Mutation) -> Option<&str> {
        let key = key(mutation);
        self.0.iter().find(|line| line[..3] == key).map(|line| line[3].as_str())
    }

    /// The lines for which nothing has survived.
    pub fn without(&self, survived: &[Mutation]) -> Vec<String> {
        let keys: Vec<[String; 3]> = survived.iter().map(|&mutation| key(mutation)).collect();
        let stale = self.0.iter().filter(|line| !keys.iter().any(|key| line[..3] == key[..]));
        stale.map(|line| line.join(" | ")).collect()
    }
}
