//! Rows of a chart: their height, and the points of several series in one row.

use super::chart::{Chart, Point, Series};

/// Height of a row, and of a row that has two points.
const ROW_HEIGHT: f64 = 22.0;
const DOUBLE_HEIGHT: f64 = 32.0;
/// Distance of two points in a row from its middle.
const OFFSET: f64 = 7.0;

/// How points stand in rows. Up to two stand below each other with their values; more share the line of the
/// row.
#[derive(Debug)]
pub struct RowPlan {
    pub height: f64,
    /// Row and name of the series of each point, from the top; nothing where points have no values.
    places: Vec<(f64, String)>,
}

impl RowPlan {
    pub fn new(chart: &Chart) -> Self {
        let plain = Self { height: ROW_HEIGHT, places: Vec::new() };
        if !chart.has_rows() {
            return plain;
        }
        // The series in front is the last of the list.
        let series = chart.series.iter().rev().filter(|series| series.evidence.has_markers());
        let places = series.flat_map(|one| one.points.iter().map(|point| (point.y, one.name.clone())));
        let places: Vec<(f64, String)> = places.collect();
        let of_row = |row: f64| places.iter().filter(|place| place.0 == row).count();
        match places.iter().map(|place| of_row(place.0)).max() {
            Some(1) => Self { height: ROW_HEIGHT, places },
            Some(2) => Self { height: DOUBLE_HEIGHT, places },
            _ => plain,
        }
    }

    /// How far below the line of its row a point stands, if points have their values beside them.
    pub fn offset(&self, series: &Series, point: &Point) -> Option<f64> {
        let own: Vec<&String> =
            self.places.iter().filter(|place| place.0 == point.y).map(|place| &place.1).collect();
        match own[..] {
            [] => None,
            [first, _] if *first == series.name => Some(-OFFSET),
            [_, _] => Some(OFFSET),
            _ => Some(0.0),
        }
    }
}
