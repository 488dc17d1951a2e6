//! Exchanges by the C interface, and by unmodified programs under the preload library, on every path.

use hcube_testing as common;

mod in_place;
mod interface;
mod neighbours;
mod nonblocking;
mod persistent;
mod tested;
