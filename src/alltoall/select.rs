//! Which algorithm takes which exchange.

/// How an exchange can be made: name, restriction, cost per rank (P ranks, additional memory m, a
/// rank's data b), and when it is taken.
pub const ALGORITHMS: [[&str; 4]; 6] = [
    [
        "single-copy",
        "ranks of a node may read each other's memory",
        "2 copies per byte",
        "large blocks inside a node",
    ],
    [
        "shared",
        "ranks of a node share memory",
        "3 copies per byte",
        "small blocks inside a node; no single copy",
    ],
    ["mpich", "none", "messages in 2 P - 1 steps", "HCUBE_ALLTOALL=mpich"],
    ["linear-shift", "none", "messages in P steps", "HCUBE_ALLTOALL=linear-shift"],
    ["hierarchical-sets", "none", "messages in P + ceil(log2 P) - 2 steps", "between nodes"],
    ["library", "none", "the library's", "HCUBE_ALLTOALL=library, and what hcube does not make faster"],
];
