//! SUMMA and HSUMMA on simulated machines: communication over the number of groups.

use super::section::Section;
use super::shared::machine_title;
use super::simulated::{rows, table};
use super::sources::{Inputs, SIMULATE};
use crate::simulate::gemm::{Gemm, LAYOUT, gain};
use hcube_results::measured::distinct;
use hcube_results::plot::Evidence::Simulated;
use hcube_results::plot::{Axis, Chart, Format, Scale, Series, looks};

/// What the products of a line have in common.
type Setting<'a> = (&'a str, usize, usize, usize);

fn setting(product: &Gemm) -> Setting<'_> {
    (&product.site.machine, product.site.ranks, product.inner_block, product.panels())
}

/// Products over the number of groups, in which all ranks send messages.
fn swept(inputs: &Inputs) -> Vec<&Gemm> {
    let mut products = rows(inputs, |all| &all.gemm);
    products.retain(|product| ["groups", "latency"].contains(&product.site.section.as_str()));
    products
}

/// Gains over the number of groups, beside those that were published.
pub fn groups(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "groups",
        "Groups of HSUMMA",
        "Communication time of SUMMA over the time of HSUMMA by the number of groups, on models of machines; local \
         products take no time. As in Figures 5, 6, 8 and 9 of Quintin, Hasanov and Lastovetsky 2013, panels are \
         broadcast by scatter and all-gather, and all ranks send messages. Unlike there, three panels are in flight at a time.",
    );
    let all = swept(inputs);
    let settings = distinct(all.iter().map(|product| setting(product)));
    let series = settings.iter().enumerate().map(|(number, &known)| {
        let (machine, ranks, block, panels) = known;
        let own = LAYOUT.lines(&all).into_iter().filter(|line| setting(line.row) == known);
        let points = own.filter_map(|line| Some((line.row.groups().max(1) as f64, gain(&line)?)));
        let name =
            format!("{}, {ranks} ranks, b = {block}, panels: {panels}", machine_title(inputs, machine));
        Series::new(name, Simulated, looks::numbered(number), points.collect::<Vec<_>>())
    });
    section.chart(
        Chart::new(
            "Communication of SUMMA / HSUMMA",
            Axis::new("groups", Scale::Log2, Format::Plain),
            Axis::new("speed-up over SUMMA, higher is better", Scale::Linear, Format::Hundredths),
            series.collect(),
        )
        .beside(1.0)
        .named(Some("gemm-groups")),
    );
    section.table(table(inputs, "Products over the number of groups", &LAYOUT, &all, 0));
    section.lacks(all.is_empty(), "matrix products on large machines, simulated", SIMULATE);
    section
}
