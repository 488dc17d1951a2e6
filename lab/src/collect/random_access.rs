//! Sections of the benchmark of RandomAccess, each a run of `hcube bench random-access`, and HPCC's results.

use crate::hpcc::cores;
use crate::records::read_json;
use hcube_results::numbers::percent;
use hcube_tool::output::JsonOption;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Results of RandomAccess
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The MPI library
    #[arg(long)]
    mpi: String,
    /// Results of `hcube-lab hpcc`
    #[arg(long, value_name = "FILE")]
    hpcc: Option<PathBuf>,
    /// Results of `hcube bench random-access`; the file is named after the section
    #[arg(value_name = "FILE", required = true)]
    sections: Vec<PathBuf>,
    #[command(flatten)]
    json: JsonOption,
}

#[derive(Debug, Serialize)]
struct Results {
    mpi: String,
    cores: usize,
    sections: BTreeMap<String, Value>,
    hpcc: Option<Value>,
}

pub fn collect(arguments: &Arguments) -> Result<(), String> {
    let mut sections = BTreeMap::new();
    for path in &arguments.sections {
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        sections.insert(name, read_json(path)?);
    }
    let hpcc = arguments.hpcc.as_deref().map(read_json).transpose()?;
    let results = Results { mpi: arguments.mpi.clone(), cores: cores(), sections, hpcc };
    if arguments.json.tables() {
        print!("{}", shares(&results.sections));
    }
    arguments.json.write(&results)
}

/// The share of the local bound for each number of ranks, in one place.
fn shares(sections: &BTreeMap<String, Value>) -> String {
    let mut shares: Vec<(u64, f64)> = sections
        .iter()
        .filter(|(name, _)| name.starts_with("ranks-"))
        .filter_map(|(_, section)| {
            let lines = section["lines"].as_array()?.iter();
            let share = lines.filter_map(|line| line["of_local_bound"].as_f64()).next()?;
            Some((section["ranks"].as_u64()?, share))
        })
        .collect();
    shares.sort_by_key(|&(ranks, _)| ranks);
    let line = |(ranks, share)| format!("{ranks} rank(s): {} of the local bound\n", percent(share));
    shares.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn shares_are_in_the_order_of_ranks() {
        let section =
            |ranks: u32, share: Option<f64>| json!({"ranks": ranks, "lines": [{"of_local_bound": share}]});
        let sections = BTreeMap::from([
            ("ranks-16".to_owned(), section(16, Some(0.5))),
            ("ranks-2".to_owned(), section(2, Some(0.715))),
            ("ranks-4".to_owned(), section(4, None)),
            ("dimensions".to_owned(), section(8, Some(0.1))),
        ]);
        assert_eq!(
            shares(&sections),
            format!(
                "2 rank(s): {} of the local bound\n16 rank(s): {} of the local bound\n",
                percent(0.715),
                percent(0.5)
            )
        );
    }
}
