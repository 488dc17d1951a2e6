//! Machines as files: what a simulation builds its platform from, and what the cost model predicts with.
//!
//! A description says what every figure stands on: the machines that come with hcube
//! (`machine/*.json`) are models with published figures, one that `hcube probe` writes was
//! measured. The tool accepts the name of such a model or a file.

pub mod bsp;
pub mod messages;
mod reliability;

use crate::json;
use bsp::{Bsp, not_negative, positive};
use messages::Messages;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::ErrorKind;

/// The machines that come with hcube, by name.
const BUILT_IN: [(&str, &str); 21] = [
    ("red-storm", include_str!("machine/red-storm.json")),
    ("juropa", include_str!("machine/juropa.json")),
    ("juqueen", include_str!("machine/juqueen.json")),
    ("bluegene-p", include_str!("machine/bluegene-p.json")),
    ("graphene", include_str!("machine/graphene.json")),
    ("crossbar", include_str!("machine/crossbar.json")),
    ("fat-nodes", include_str!("machine/fat-nodes.json")),
    ("franklin", include_str!("machine/franklin.json")),
    ("hosts-openmpi", include_str!("machine/hosts-openmpi.json")),
    ("hosts-openmpi5", include_str!("machine/hosts-openmpi5.json")),
    ("hosts-mpich", include_str!("machine/hosts-mpich.json")),
    ("hosts-mpich5", include_str!("machine/hosts-mpich5.json")),
    ("skua-oxtool", include_str!("machine/skua-oxtool.json")),
    ("skua-pub", include_str!("machine/skua-pub.json")),
    ("skua-mpi", include_str!("machine/skua-mpi.json")),
    ("argus-oxtool", include_str!("machine/argus-oxtool.json")),
    ("argus-pub", include_str!("machine/argus-pub.json")),
    ("argus-mpi", include_str!("machine/argus-mpi.json")),
    ("aracari-oxtool", include_str!("machine/aracari-oxtool.json")),
    ("aracari-pub", include_str!("machine/aracari-pub.json")),
    ("aracari-mpi", include_str!("machine/aracari-mpi.json")),
];

/// How nodes are connected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Topology {
    /// A grid of nodes with a link per direction and dimension.
    Grid {
        /// Nodes per dimension of the whole machine.
        nodes: Vec<usize>,
        /// Whether the ends of a dimension are joined (torus) or not (mesh).
        wrapped: Vec<bool>,
        /// 10^9 bytes per second and direction of a link, where that is not what a node can send.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        link_gb_s: Option<f64>,
    },
    /// Switches in levels with as much bandwidth upwards as downwards.
    FatTree {
        /// Nodes below a switch of the lowest level, then switches below one of the next, and so on.
        down: Vec<usize>,
    },
}

impl Topology {
    /// Nodes of the whole machine.
    pub fn nodes(&self) -> usize {
        match self {
            Self::Grid { nodes: factors, .. } | Self::FatTree { down: factors } => factors.iter().product(),
        }
    }
}

/// Messages between nodes or inside one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// From the call of send to the return of receive for the shortest message, in microseconds.
    pub latency_us: f64,
    /// What each link of a route adds to it, in microseconds.
    #[serde(default)]
    pub hop_latency_us: f64,
    /// 10^9 bytes per second and direction.
    pub bandwidth_gb_s: f64,
}

/// What local work costs a rank.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Costs {
    /// To generate a value of the stream, in nanoseconds.
    pub generate_ns: f64,
    /// To apply a value to the local part of the table.
    pub update_ns: f64,
    /// To inspect a value in a stage and append it to the list that it belongs to.
    pub divide_ns: f64,
    /// To copy a byte.
    pub copy_ns: f64,
    /// To multiply and add two numbers of a local matrix product; 0 where it is not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub multiply_ns: f64,
    /// To ship a function to another rank, and to run one that has arrived; 0 where it is not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ship_ns: f64,
    /// A complex number in a level of butterflies of a Fourier transform; 0 where it is not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub level_ns: f64,
    /// An entry of the matrix of a longest common subsequence, for symbols of a byte; 0 where it is not
    /// known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub entry_ns: f64,
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// How well the figures agree with what they were taken from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// The largest relative error of the model over all samples, in percent.
    pub largest_error_percent: f64,
    /// The mean of the absolute relative errors, in percent.
    pub mean_error_percent: f64,
    /// How many measurements it was fitted to.
    pub samples: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Short name, in the names of files.
    pub name: String,
    /// For headings.
    pub title: String,
    /// Where the figures are from, one sentence each.
    pub sources: Vec<String>,
    /// Absent where it is not known; then nothing can be simulated on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology: Option<Topology>,
    /// Cores of a node, and so the number of ranks that a node has without `--ranks-per-node`.
    pub cores: usize,
    /// Messages between nodes.
    pub network: Link,
    /// That nobody has measured these, and the figures of a node stand in for them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub network_assumed: bool,
    /// Messages between ranks of a node.
    pub node: Link,
    /// Local work.
    pub costs: Costs,
    /// What messages cost senders and receivers; absent where it is not known: then receiving costs nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<Messages>,
    /// Present where the figures were fitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<Fit>,
    /// Supersteps of BSP programs; present where `hcube bsp probe` has measured them, or a paper has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bsp: Option<Bsp>,
}

impl Machine {
    /// Names of the machines that come with hcube.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// The machine of that name, or the one that a file describes. The message of a failure names what is
    /// wrong and what would be right.
    pub fn find(name: &str) -> Result<Self, String> {
        if let Some((_, text)) = BUILT_IN.iter().find(|(known, _)| *known == name) {
            return Self::parse(name, text);
        }
        let names = Self::names().collect::<Vec<_>>().join(", ");
        let text = std::fs::read_to_string(name).map_err(|error| {
            let problem = match error.kind() {
                ErrorKind::NotFound => "no such file or machine",
                ErrorKind::InvalidData => "not a text in UTF-8",
                ErrorKind::IsADirectory => "a directory",
                ErrorKind::PermissionDenied => "no permission to read it",
                _ => "the file cannot be read",
            };
            format!("machine {name}: {problem}; expected a file of 'hcube probe' or one of {names}")
        })?;
        let machine = Self::parse(name, &text)?;
        // Published figures stand beside some of the machines that come with hcube.
        if Self::names().any(|known| known == machine.name) {
            return Err(format!(
                "machine {name}: name = '{}': expected another name than those that come with hcube",
                machine.name
            ));
        }
        Ok(machine)
    }

    fn parse(place: &str, text: &str) -> Result<Self, String> {
        let failure = |problem| format!("machine {place}: {problem}");
        // Another version may have other fields, so it is looked for before them. What is no JSON fails
        // below.
        if let Ok(file) = serde_json::from_str::<Value>(text) {
            bsp::check_version(&file["bsp"]["version"]).map_err(failure)?;
        }
        let machine: Self = json::parse(text).map_err(|problem| {
            failure(format!("{problem}; expected a file that 'hcube probe FILE' has written"))
        })?;
        machine.check().map_err(failure)?;
        Ok(machine)
    }

    /// Whether RandomAccess can be predicted: where all costs of its local work are 0, they are not known.
    pub fn random_access_known(&self) -> bool {
        let Costs { generate_ns, update_ns, divide_ns, copy_ns, .. } = self.costs;
        [generate_ns, update_ns, divide_ns, copy_ns].iter().any(|&cost| cost > 0.0)
    }

    /// Whether the figures are possible.
    pub fn check(&self) -> Result<(), String> {
        let named = |name: &str| {
            !name.is_empty()
                && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter))
        };
        if !named(&self.name) {
            return Err(format!("name = '{}': expected letters, digits and hyphens", self.name));
        }
        if self.cores == 0 {
            return Err("cores = 0: expected 1 or more".to_owned());
        }
        for (name, link) in [("network", &self.network), ("node", &self.node)] {
            not_negative(name, "latency_us", link.latency_us)?;
            not_negative(name, "hop_latency_us", link.hop_latency_us)?;
            positive(name, "bandwidth_gb_s", link.bandwidth_gb_s)?;
        }
        let Costs { generate_ns, update_ns, divide_ns, copy_ns, multiply_ns, ship_ns, level_ns, entry_ns } =
            self.costs;
        for (name, value) in [
            ("generate_ns", generate_ns),
            ("update_ns", update_ns),
            ("divide_ns", divide_ns),
            ("copy_ns", copy_ns),
            ("multiply_ns", multiply_ns),
            ("ship_ns", ship_ns),
            ("level_ns", level_ns),
            ("entry_ns", entry_ns),
        ] {
            not_negative("costs", name, value)?;
        }
        self.topology.as_ref().map_or(Ok(()), check_topology)?;
        self.messages.as_ref().map_or(Ok(()), Messages::check)?;
        self.bsp.as_ref().map_or(Ok(()), Bsp::check)
    }
}

fn check_topology(topology: &Topology) -> Result<(), String> {
    let (name, factors) = match topology {
        Topology::Grid { nodes, wrapped, .. } if nodes.len() != wrapped.len() => {
            return Err(format!(
                "topology: nodes has {} dimensions and wrapped {}: expected as many",
                nodes.len(),
                wrapped.len()
            ));
        }
        Topology::Grid { link_gb_s: Some(links), .. } if !(links.is_finite() && *links > 0.0) => {
            return Err(format!("topology.link_gb_s = {links}: expected more than 0"));
        }
        Topology::Grid { nodes, .. } => ("nodes", nodes),
        Topology::FatTree { down } => ("down", down),
    };
    if factors.is_empty() || factors.contains(&0) {
        return Err(format!("topology.{name} = {factors:?}: expected numbers of 1 or more"));
    }
    // More than anything that was ever built, and no overflow.
    const MAX_NODES: usize = 10_000_000;
    let product = factors.iter().try_fold(1_usize, |product, &factor| product.checked_mul(factor));
    if product.is_none_or(|nodes| nodes > MAX_NODES) {
        return Err(format!("topology.{name} = {factors:?}: expected {MAX_NODES} nodes at most"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::{COARRAY_HPL, TABLE_2};
    use std::path::Path;

    #[test]
    fn the_machines_that_come_with_hcube() {
        for name in Machine::names() {
            let machine = Machine::find(name).expect("valid");
            assert_eq!(machine.name, name);
            assert!(!machine.sources.is_empty() && machine.title.contains("model"), "{name}");
            let again = serde_json::to_string(&machine).expect("JSON");
            assert_eq!(Machine::parse(name, &again).as_ref(), Ok(&machine));
        }
        let red_storm = Machine::find("red-storm").expect("valid");
        assert_eq!(red_storm.topology.map(|topology| topology.nodes()), Some(10_368));
        // T1 of Plimpton et al. 2006.
        let Costs { generate_ns, update_ns, .. } = red_storm.costs;
        assert!((1.024 * (generate_ns + update_ns) - 56.9).abs() < 0.1);
        // Which is the rate of the first column of its Table 2: the simulated rate of one rank is no
        // prediction.
        assert!((1.0 / (generate_ns + update_ns) - TABLE_2[0].hypercube).abs() < 1e-4);
        // TC less a latency and 4096 bytes, over the values of a stage.
        let per_value = (33e3 - 7e3 - 4096.0 / 1.1) / 1024.0;
        assert!((red_storm.costs.divide_ns - per_value).abs() < 0.01, "{per_value}");
        // Local products are fitted to the published HPL, the levels of butterflies to STREAM and not to
        // transforms.
        let franklin = Machine::find("franklin").expect("valid").costs;
        let (ranks, gflops) = COARRAY_HPL;
        let rate = gflops / 0.9 / ranks as f64;
        assert!((2.0 / franklin.multiply_ns - rate).abs() < 0.005, "{rate}");
        assert!((franklin.level_ns - 32.0 / (8730.0 / ranks as f64)).abs() < 0.05);
    }

    /// Rows of the tables of Krusche 2005, counted in print.
    #[test]
    fn published_supersteps_are_complete() {
        for (name, processes, gaps) in [
            ("skua-oxtool", &[4, 8, 10, 16, 25, 32][..], 60),
            ("skua-pub", &[4, 10, 16, 25, 32], 46),
            ("skua-mpi", &[4, 8, 10, 16, 25, 32], 60),
            ("argus-oxtool", &[4, 10], 19),
            ("argus-pub", &[4, 10], 18),
            ("argus-mpi", &[4, 10], 20),
            ("aracari-oxtool", &[4, 8, 10, 16, 32], 50),
            ("aracari-pub", &[4, 8, 10, 16, 32], 49),
            ("aracari-mpi", &[4, 8, 10, 16, 32], 50),
        ] {
            let machine = Machine::find(name).expect("valid");
            assert!(!machine.random_access_known() && machine.topology.is_some(), "{name}");
            let bsp = machine.bsp.expect("published");
            assert!(bsp.processes.iter().map(|entry| &entry.processes).eq(processes), "{name}");
            assert_eq!(bsp.processes.iter().map(|entry| entry.gaps.len()).sum::<usize>(), gaps, "{name}");
            assert_eq!(bsp.operations.len(), 10, "{name}");
        }
        // Tables C.8, C.9 and 5.3.
        let bsp = Machine::find("aracari-oxtool").ok().and_then(|machine| machine.bsp).expect("published");
        let four = bsp.for_processes(4).expect("published");
        assert_eq!(four.latency_us, bsp::Latency { empty: 43.4, shift: 64.5, all_to_all: 87.5 });
        let gap = four.gap(bsp::Pattern::AllToAll, bsp::GapOperation::HpGet).expect("published");
        assert_eq!((gap.g_us, gap.half_words, gap.overhead_words), (0.18398, 140.0, 134.0));
        assert_eq!((gap.error_message, gap.error_words), (Some(7.5e-9), Some(1.5e-8)));
        assert_eq!(bsp.operation("llcs-standard", 4), Some(16.393));
        assert_eq!(bsp.operation("llcs-standard-printed", 4), Some(11.628));
    }

    #[test]
    fn supersteps_of_other_versions_are_refused_before_their_fields() {
        let text = include_str!("machine/argus-mpi.json");
        let newer = text.replace("\"version\": 1,", "\"version\": 2, \"barriers\": [],");
        assert_eq!(
            Machine::parse("x.json", &newer).expect_err("refused"),
            "machine x.json: bsp.version = 2: expected 1; measure again with 'hcube bsp probe'"
        );
        for (old, new, message) in [
            (
                "\"version\": 1,",
                "",
                "the entry 'version' is missing; expected a file that 'hcube probe FILE' has written",
            ),
            ("\"g_us\": 2.74347", "\"g_us\": -1", "bsp.processes[0].gaps[0].g_us = -1: expected more than 0"),
        ] {
            let error = Machine::parse("x.json", &text.replace(old, new)).expect_err("refused");
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn an_assumed_network_is_written_only_where_it_is() {
        let mut machine = Machine::find("red-storm").expect("valid");
        assert!(!machine.network_assumed);
        let written = |machine: &Machine| serde_json::to_string(machine).expect("JSON");
        assert!(!written(&machine).contains("network_assumed"));
        machine.network_assumed = true;
        assert_eq!(Machine::parse("x.json", &written(&machine)), Ok(machine));
    }

    #[test]
    fn what_cannot_be_is_named() {
        let text = include_str!("machine/red-storm.json");
        for (old, new, message) in [
            (
                "\"bandwidth_gb_s\": 1.1",
                "\"bandwidth_gb_s\": 0",
                "network.bandwidth_gb_s = 0: expected more than 0",
            ),
            ("\"latency_us\": 7.0", "\"latency_us\": -7.0", "network.latency_us = -7: expected 0 or more"),
            ("[27, 16, 24]", "[27, 0, 24]", "topology.nodes = [27, 0, 24]: expected numbers of 1 or more"),
            ("[27, 16, 24]", "[27, 16]", "nodes has 2 dimensions and wrapped 3"),
            ("[27, 16, 24]", "[99999, 99999, 9]", "expected 10000000 nodes at most"),
            ("\"cores\": 1", "\"cores\": 0", "cores = 0: expected 1 or more"),
            ("\"cores\": 1", "\"core\": 1", "unknown entry 'core'"),
            ("\"red-storm\"", "\"red/storm\"", "name = 'red/storm'"),
        ] {
            assert!(text.contains(old), "{old}");
            let error = Machine::parse("x.json", &text.replace(old, new)).expect_err("refused");
            assert!(error.starts_with("machine x.json: ") && error.contains(message), "{error}");
        }
        let error = Machine::find("red-strom").expect_err("neither name nor file");
        assert!(error.contains("red-strom") && error.contains("red-storm, juropa, juqueen"), "{error}");
    }

    /// Pages name machines as `--machine` takes them, and include all machines of Krusche 2005.
    #[test]
    fn pages_name_machines_that_exist() {
        let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../doc");
        let mut all = String::new();
        for entry in std::fs::read_dir(pages).expect("pages").flatten() {
            if entry.path().extension().is_some_and(|end| end == "md") {
                all += &std::fs::read_to_string(entry.path()).expect("a page");
            }
        }
        let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        let values =
            all.split("--machine ").skip(1).map(|rest| rest.split(|letter| !is_of_name(letter)).next());
        // Placeholders are in capitals, files have an ending.
        let names: Vec<&str> = values
            .flatten()
            .filter(|name| !name.contains('.') && name.starts_with(|first: char| first.is_ascii_lowercase()))
            .collect();
        assert!(names.len() >= 3, "{names:?}");
        for name in names {
            assert!(Machine::names().any(|known| known == name), "--machine {name}");
        }
        for name in Machine::names().filter(|name| Machine::find(name).is_ok_and(|known| known.bsp.is_some()))
        {
            assert!(all.contains(&format!("`{name}`")), "{name} is on no page");
        }
    }
}
