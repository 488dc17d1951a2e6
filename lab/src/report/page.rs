//! The page: headline figures, parts, machines, environment.

use super::headline::{self, Card};
use super::machines::{Environment, Machines};
use super::section::Section;
use super::sources::Inputs;
use super::{
    bsp_programs_simulated, coarrays, coarrays_simulated, exchange_kinds, exchanges, groups, kernels,
    kernels_simulated, nodes, products, programs, rates, subsequences, subsequences_simulated, supersteps,
    supersteps_simulated, sweeps, transforms,
};
use askama::Template;
use hcube_results::plot::{self, Evidence};

/// All parts with charts, in their order.
pub fn sections(inputs: &Inputs) -> Vec<Section> {
    vec![
        kernels::hpcc(inputs),
        rates::rates(inputs),
        rates::efficiency(inputs),
        sweeps::look_ahead(inputs),
        sweeps::ladder(inputs),
        sweeps::dimensions(inputs),
        nodes::nodes(inputs),
        programs::programs(inputs),
        exchanges::ranks(inputs),
        exchanges::sizes(inputs),
        exchanges::memory(inputs),
        exchange_kinds::kinds(inputs),
        products::products(inputs),
        groups::groups(inputs),
        supersteps::supersteps(inputs),
        supersteps_simulated::supersteps(inputs),
        subsequences::subsequences(inputs),
        subsequences_simulated::subsequences(inputs),
        bsp_programs_simulated::programs(inputs),
        coarrays::coarrays(inputs),
        coarrays_simulated::coarrays(inputs),
        transforms::transforms(inputs),
        kernels::fft(inputs),
        kernels_simulated::fft(inputs),
        kernels::stream(inputs),
        kernels::panels(inputs),
        kernels_simulated::hpl(inputs),
    ]
}

#[derive(Debug, Template)]
#[template(path = "page.html")]
pub struct Page<'a> {
    dark_style: String,
    cards: Vec<Card>,
    sections: &'a [Section],
    machines: Machines<'a>,
    environment: Environment,
}

impl<'a> Page<'a> {
    /// The page of `inputs`, whose charts and tables are in `sections`.
    pub fn new(inputs: &'a Inputs, sections: &'a [Section]) -> Self {
        Self {
            dark_style: plot::dark_style(),
            cards: headline::cards(inputs),
            sections,
            machines: Machines::new(inputs),
            environment: Environment::new(inputs),
        }
    }
}
