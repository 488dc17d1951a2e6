//! Commands of an installed tree, and builds for two MPI libraries in one.

use hcube_testing as common;

mod both;
mod bsp;
mod caf;
mod runtime;
