//! Results as comma-separated values (RFC 4180): a line for each run, with the keys of the JSON as columns,
//! so that figures have the digits and the units that they have there.

use super::kind::{Kind, VERSION_KEY, first_line};
use hcube_results::measured::distinct;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// Comma-separated values that a command has written: the first column is the version.
pub const CSV: Kind = Kind { name: "results of hcube as comma-separated values", holds: is_csv };

fn is_csv(bytes: &[u8]) -> bool {
    first_line(bytes).starts_with(format!("{VERSION_KEY},").as_bytes())
}

/// Results as comma-separated values.
pub fn of(results: &impl Serialize) -> serde_json::Result<String> {
    serde_json::from_str(&serde_json::to_string(results)?).map(|node| text(&node))
}

/// JSON with its keys in their order, and what is no list and no object as text.
#[derive(Debug)]
enum Node {
    Object(Vec<(String, Node)>),
    List(Vec<Node>),
    Text(String),
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }
    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Text(String::new()))
    }
    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Text(value.to_string()))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Text(value.to_string()))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Text(value.to_string()))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Text(value.to_string()))
    }
    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = list.next_element()? {
            nodes.push(node);
        }
        Ok(Node::List(nodes))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut nodes = Vec::new();
        while let Some(entry) = map.next_entry()? {
            nodes.push(entry);
        }
        Ok(Node::Object(nodes))
    }
}

/// The list of what a command has read: its entries are no results.
const INPUTS: &str = "files";

/// The objects in the lists of the results, a line each; of results without such lists, one line.
fn text(results: &Node) -> String {
    let entries = |node: &Node| -> Vec<Vec<(String, String)>> {
        let Node::List(list) = node else { return Vec::new() };
        list.iter().filter(|node| matches!(node, Node::Object(_))).map(cells).collect()
    };
    let mut rows = match results {
        Node::Object(keys) => {
            keys.iter().filter(|(key, _)| key != INPUTS).flat_map(|(_, node)| entries(node)).collect()
        }
        other => entries(other),
    };
    if rows.is_empty() {
        rows.push(cells(results));
    }
    let version = (VERSION_KEY.to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    for row in &mut rows {
        row.retain(|(key, _)| key != VERSION_KEY);
        row.insert(0, version.clone());
    }
    let mut columns = distinct(rows.iter().flatten().map(|(key, _)| key.clone()));
    // An object that some runs do not have is no column of its own.
    let objects: Vec<String> =
        columns.iter().filter_map(|key| Some(key.rsplit_once('.')?.0.to_owned())).collect();
    columns.retain(|key| !objects.contains(key));
    let mut text = line(columns.iter().map(String::as_str));
    for row in &rows {
        let cell =
            |column: &String| row.iter().find(|(key, _)| key == column).map_or("", |(_, cell)| cell.as_str());
        text += &line(columns.iter().map(cell));
    }
    text
}

/// Keys and cells of an object, and of those in it.
fn cells(node: &Node) -> Vec<(String, String)> {
    let mut cells = Vec::new();
    let Node::Object(keys) = node else { return cells };
    for (key, node) in keys {
        match node {
            Node::Text(text) => cells.push((key.clone(), text.clone())),
            Node::Object(_) => {
                let inner = self::cells(node).into_iter();
                cells.extend(inner.map(|(inner, cell)| (format!("{key}.{inner}"), cell)));
            }
            // Of all measurements there are the median and the spread.
            Node::List(_) if key.contains("measured") => {}
            Node::List(list) => {
                let texts = list.iter().map(|node| match node {
                    Node::Text(text) => Some(text.as_str()),
                    _ => None,
                });
                if let Some(texts) = texts.collect::<Option<Vec<_>>>() {
                    cells.push((key.clone(), texts.join(" ")));
                }
            }
        }
    }
    cells
}

fn line<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let quoted = |cell: &str| {
        if cell.contains(['"', ',', '\n']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell.to_owned()
        }
    };
    cells.map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_text(json: &str) -> String {
        let version = env!("CARGO_PKG_VERSION");
        text(&serde_json::from_str(json).expect("JSON")).replace(version, "V")
    }

    #[test]
    fn a_run_is_a_line() {
        let results = r#"{"hcube": "0.0", "runs": [
            {"mpi": "Some MPI 1.0, patched", "ranks": 2, "median_us": 1.5, "measured_us": [1.5, 2.0], "stages": null},
            {"mpi": "b", "ranks": 4, "median_us": 2.5, "blocks": [1, 2], "stages": {"wait": 0.5}}], "notes": ["x"]}"#;
        assert_eq!(
            of_text(results),
            "hcube,mpi,ranks,median_us,blocks,stages.wait\n\
             V,\"Some MPI 1.0, patched\",2,1.5,,\nV,b,4,2.5,1 2,0.5\n"
        );
        assert_eq!(
            of_text(r#"{"name": "say \"x\"", "files": [{"path": "a.fa"}], "length": 5}"#),
            "hcube,name,length\nV,\"say \"\"x\"\"\",5\n"
        );
    }

    #[test]
    fn own_files_are_recognised() {
        assert!(
            is_csv(of_text("{}").replace('\n', ",ranks\n").as_bytes()) && is_csv(b"hcube,ranks\n0.1.0,2\n")
        );
        assert!(!is_csv(b"ranks,us\n2,1\n") && !is_csv(b"{\"hcube\": 1}"));
    }
}
