//! The page: headlines, parts, machines, environment.

use super::evidence::Evidence;
use super::headline;
use super::html::badge;
use super::inputs::Inputs;
use super::machines;
use super::section::Section;
use super::{exchanges, nodes, rates, sweeps, transforms};
use std::fmt::Write;

/// All parts with plots, in their order.
pub fn sections(inputs: &Inputs) -> Vec<Section> {
    vec![
        rates::rates(inputs),
        rates::efficiency(inputs),
        sweeps::look_ahead(inputs),
        sweeps::ladder(inputs),
        sweeps::dimensions(inputs),
        nodes::nodes(inputs),
        exchanges::ranks(inputs),
        exchanges::sizes(inputs),
        exchanges::memory(inputs),
        transforms::transforms(inputs),
    ]
}

/// What the badges mean and how lines of each kind look.
fn key() -> String {
    let mut text = "<ul class=\"key\" aria-label=\"Kinds of evidence\">".to_owned();
    for evidence in Evidence::ALL {
        let line = if evidence.has_line() { "<path class=\"line\" d=\"M2 8H38\"/>" } else { "" };
        let mark = if evidence.has_markers() {
            "<path class=\"mark\" d=\"M16 8a4 4 0 1 1 8 0a4 4 0 1 1 -8 0z\"/>"
        } else {
            ""
        };
        let _ = write!(
            text,
            "<li>{}<svg class=\"chart sample\" viewBox=\"0 0 40 16\" aria-hidden=\"true\"><g class=\"ink {}\">\
             {line}{mark}</g></svg><span>{}: {}</span></li>",
            badge(evidence),
            evidence.word(),
            evidence.meaning(),
            evidence.drawn()
        );
    }
    text.push_str("</ul>\n");
    text
}

/// The whole page.
pub fn html(inputs: &Inputs, sections: &[Section]) -> String {
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>hcube: report</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<style>\n{}{}</style>\n</head>\n<body>\n<header>\n\
         <h1>hcube: what it brings, and on what evidence</h1>\n\
         <p>hcube takes over the communication-heavy inner loops of MPI programs: HPCC RandomAccess, the all-to-all \
         exchange, and FFTW's transposes.</p>\n",
        include_str!("chart.css"),
        include_str!("page.css"),
    );
    text.push_str(&key());
    text.push_str("</header>\n<main>\n");
    let cards = headline::cards(inputs);
    if !cards.is_empty() {
        text.push_str(
            "<section id=\"headlines\">\n<h2>Headline figures</h2>\n<p class=\"says\">What hcube brings at its best, \
             and where it brings least; the parts below have all figures.</p>\n<div class=\"cards\">\n",
        );
        cards.iter().for_each(|card| text.push_str(&card.html()));
        text.push_str("</div>\n</section>\n");
    }
    let links: Vec<String> = sections.iter().map(Section::link).collect();
    let _ = writeln!(text, "<nav aria-label=\"Parts\">{}</nav>", links.join(" "));
    sections.iter().for_each(|section| text.push_str(&section.html()));
    let machines = machines::machines(inputs);
    if !machines.is_empty() {
        let _ = write!(
            text,
            "<section id=\"machines\">\n<h2>Machines</h2>\n<p class=\"says\">Simulated machines are models: what they \
             are built from, and where these figures are from. Calibrated ones were fitted to measurements.</p>\n\
             <div class=\"machines\">\n{machines}</div>\n</section>\n"
        );
    }
    let _ = write!(
        text,
        "<section id=\"environment\">\n<h2>Environment</h2>\n<p class=\"says\">Versions, as far as the results tell, \
         and the files that this page was made from.</p>\n{}</section>\n</main>\n</body>\n</html>\n",
        machines::environment(inputs)
    );
    text
}
