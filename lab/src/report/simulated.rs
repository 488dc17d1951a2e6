//! Tables and lines of simulated rows.

use super::shared::machine_title;
use super::sources::Inputs;
use super::table::{NONE, Table};
use crate::simulate::columns::{self, Layout};
use crate::simulate::row::Row;
use hcube_results::plot::Evidence::Simulated;
use hcube_results::plot::{Series, looks};

/// The rows of the simulations, if there are any.
pub fn rows<T>(inputs: &Inputs, list: fn(&crate::simulate::results::Results) -> &Vec<T>) -> Vec<&T> {
    inputs.simulated.iter().flat_map(list).collect()
}

/// The table of rows; the column `machine` is number `place`.
pub fn table<T: Row>(inputs: &Inputs, caption: &str, layout: &Layout<T>, rows: &[&T], place: usize) -> Table {
    let columns: Vec<_> =
        layout.columns.iter().filter_map(|column| Some((column.on_page()?, column))).collect();
    let mut headings: Vec<_> = columns.iter().map(|(heading, _)| *heading).collect();
    headings.insert(place, ("machine", None));
    let mut table = Table::new(caption, headings);
    for line in layout.lines(rows) {
        let mut cells: Vec<String> = columns.iter().map(|(_, column)| on_page(column.cell(&line))).collect();
        cells.insert(place, machine_title(inputs, &line.row.place().0.machine).to_owned());
        table.row(cells);
    }
    table
}

/// A cell as the page writes it.
fn on_page(cell: String) -> String {
    if cell == columns::NONE { NONE.to_owned() } else { cell.replace('%', " %") }
}

/// Points in the order of x.
pub fn points<'a, T: 'a>(
    rows: impl IntoIterator<Item = &'a T>,
    point: impl Fn(&T) -> (f64, f64),
) -> Vec<(f64, f64)> {
    let mut points: Vec<_> = rows.into_iter().map(point).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

/// A line for each setting, which `of` finds in a row.
pub fn lines<T, K: PartialEq>(
    rows: &[&T],
    settings: &[K],
    of: impl Fn(&T) -> K,
    name: impl Fn(&K) -> String,
    point: impl Fn(&T) -> (f64, f64),
) -> Vec<Series> {
    let line = |(number, setting): (usize, &K)| {
        let own = rows.iter().copied().filter(|row| of(row) == *setting);
        Series::new(name(setting), Simulated, looks::numbered(number), points(own, &point))
    };
    settings.iter().enumerate().map(line).collect()
}
