//! Colours and markers of series: the same for the same variant in all pictures.

use super::chart::{Look, Marker};
use super::colour::Colour::{self, Blue, Green, Ink, Ochre, Purple, Vermilion};

/// hcube with its defaults.
pub const HCUBE: Look = (Blue, Marker::Circle);
/// hcube with other options.
pub const OTHER_OPTIONS: Look = (Ochre, Marker::Diamond);
/// What hcube replaces.
pub const STOCK: Look = (Vermilion, Marker::Square);
/// A second competitor.
pub const COMPETITOR: Look = (Purple, Marker::Up);
/// Figures of a paper.
pub const PAPER: Look = (Ink, Marker::Diamond);
/// Formulas.
pub const MODEL: Look = (Green, Marker::Circle);
/// For series without a colour and marker of their own.
pub const ALL: [Look; 6] =
    [HCUBE, OTHER_OPTIONS, COMPETITOR, (Green, Marker::Down), STOCK, (Ink, Marker::Circle)];

const COLOURS: [Colour; 6] = [Blue, Vermilion, Green, Purple, Ochre, Ink];
const MARKERS: [Marker; 5] = [Marker::Circle, Marker::Square, Marker::Up, Marker::Diamond, Marker::Down];

/// The first pairs of colour and marker by number that differ.
pub const DISTINCT: usize = COLOURS.len() * MARKERS.len();

/// The colour and marker of a series by its number; the first [`DISTINCT`] pairs differ.
pub fn numbered(number: usize) -> Look {
    (COLOURS[number % COLOURS.len()], MARKERS[number % MARKERS.len()])
}
