//! The arguments and the output of tests/c/update.c.

use super::Launch;

/// The path that a run takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// One rank.
    Alone,
    /// All ranks on one node.
    Shared,
    Messages,
    /// This number of nodes, with the hypercube between them.
    Hypercube(usize),
    /// This number of nodes, with three hops.
    ThreeHop(usize),
    /// On coarrays, with what is said of it; whether nodes have several images, and whether there are several
    /// nodes.
    Images(&'static str, bool, bool),
}

impl Path {
    fn text(self) -> String {
        match self {
            Self::Alone => "no communication".into(),
            Self::Shared => "1 node, shared memory".into(),
            Self::Messages => "messages in ".into(),
            Self::Hypercube(nodes) => format!("{nodes} nodes, shared memory inside, hypercube between"),
            Self::ThreeHop(nodes) => format!("{nodes} nodes, three hops"),
            Self::Images(how, ..) => format!("coarrays, {how}"),
        }
    }

    /// Whether messages are sent and whether words go through shared memory.
    fn traffic(self) -> (bool, bool) {
        match self {
            Self::Alone => (false, false),
            Self::Shared => (false, true),
            Self::Messages => (true, false),
            Self::Hypercube(_) | Self::ThreeHop(_) => (true, true),
            Self::Images(_, has_mates, has_others) => (has_others, has_mates),
        }
    }

    /// The mode of all ranks on one node.
    pub fn on_one_node(ranks: usize) -> Self {
        if ranks == 1 { Self::Alone } else { Self::Shared }
    }

    pub fn by_messages(ranks: usize) -> Self {
        if ranks == 1 { Self::Alone } else { Self::Messages }
    }
}

/// Numbers of HCUBE_MODE_*.
pub const MESSAGE: i32 = 1;
pub const NODE: i32 = 2;
pub const THREE_HOP: i32 = 3;
pub const EVENTS: i32 = 4;
pub const SPAWN: i32 = 5;

/// The modes on coarrays, with what is said of them.
pub const ON_COARRAYS: [(i32, &str, &str); 2] =
    [(EVENTS, "events", "copies with events"), (SPAWN, "spawn", "shipped functions")];

pub type Cases = Vec<(String, Path)>;

/// Runs the cases and checks the line of each.
pub fn check(launch: Launch, ranks: usize, language: &str, cases: &Cases) {
    let text = launch.args(cases.iter().map(|(case, _)| case)).run().success();
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("ok ")).collect();
    assert_eq!(lines.len(), cases.len(), "a line for each case:\n{text}");
    for (line, (case, path)) in lines.into_iter().zip(cases) {
        let mut parts = line["ok ".len()..].splitn(3, " | ");
        let mut part = || parts.next().expect("three parts");
        let (told, counters, description) = (part(), part(), part());
        assert_eq!(told, case);
        let number = |name: &str| -> u64 {
            let value = counters
                .split(' ')
                .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
                .expect("a counter");
            value.parse().expect("a number")
        };
        assert!(counters.contains(&format!("language={language}")), "{line}");
        let plural = if ranks == 1 { "" } else { "s" };
        assert!(
            description.starts_with(&format!("{ranks} rank{plural}, ")) && description.contains(&path.text()),
            "{path:?} expected: {line}"
        );
        // With hardly any updates it is chance whether a value goes to another rank.
        if !case.contains("count=few") && !case.contains("count=none") {
            assert_eq!(
                (number("messages") > 0, number("shared") > 0),
                path.traffic(),
                "{path:?} expected: {line}"
            );
        }
    }
}

/// Both streams and all distributions of updates, for the present environment.
pub fn standard_cases(path: Path) -> Cases {
    [
        "table=13",
        "table=12,count=uneven",
        "table=10,start=zero",
        "table=6,count=few",
        "table=5,count=none",
        "table=4",
    ]
    .into_iter()
    .flat_map(|case| ["polynomial", "lcg"].map(|stream| (format!("{case},stream={stream}"), path)))
    .collect()
}
