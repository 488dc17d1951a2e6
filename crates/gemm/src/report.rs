//! The statistics of a product: its cost, and its path.

/// The path of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsedPath {
    /// Nothing had to be computed.
    Nothing,
    /// C was scaled: alpha or the inner size is 0.
    Scale,
    /// Every rank multiplied what it had.
    Local,
    /// SUMMA with panels that the ranks of a node share; all ranks are on one node.
    SharedPanels,
    /// SUMMA with messages between nodes.
    Summa,
    /// HSUMMA: messages between groups, then inside them.
    Hsumma,
    /// A stayed where it is.
    StationaryA,
    /// B stayed where it is.
    StationaryB,
}

impl UsedPath {
    /// All paths, in the order of their numbers.
    pub const ALL: [Self; 8] = [
        Self::Nothing,
        Self::Scale,
        Self::Local,
        Self::SharedPanels,
        Self::Summa,
        Self::Hsumma,
        Self::StationaryA,
        Self::StationaryB,
    ];

    /// The name in statistics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Scale => "scale",
            Self::Local => "local",
            Self::SharedPanels => "shared-panels",
            Self::Summa => "summa",
            Self::Hsumma => "hsumma",
            Self::StationaryA => "stationary-a",
            Self::StationaryB => "stationary-b",
        }
    }
}

/// The cost of a product for this rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    /// How it went.
    pub path: UsedPath,
    /// Bytes that this rank has sent to other nodes, or to other groups of ranks that are treated as nodes.
    pub bytes: u64,
    /// Bytes in addition to the matrices, per rank.
    pub memory: usize,
}

impl Report {
    /// Of a product that needed neither messages nor memory.
    pub const fn of(path: UsedPath) -> Self {
        Self { path, bytes: 0, memory: 0 }
    }
}
