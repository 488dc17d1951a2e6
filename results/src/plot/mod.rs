//! All pictures of the project: charts as SVG, for the benchmarks, the report and the pages under `doc/`.
//!
//! Colours, dashes and text sizes are presentation attributes, which every renderer knows (librsvg, cairosvg,
//! Inkscape, LaTeX). Classes serve [`dark_style`], which browsers apply in dark mode, and the style sheet of
//! the report.

mod axis;
mod chart;
mod colour;
mod draw;
mod evidence;
pub mod looks;
mod message;
mod rows;
mod sheet;

pub use axis::{Axis, Format, Scale};
pub use chart::{Chart, Look, Marker, Point, Rows, Series, Variant};
pub use colour::{Colour, dark_style};
pub use draw::sample;
pub use evidence::Evidence;
pub use message::range;
pub use sheet::Sheet;
