//! What products keep on a communicator between calls.

use crate::domain::Domains;
use crate::factor::{Factor, Side};
use crate::local::LocalGemm;
use crate::model::hockney::Hockney;
use crate::network;
use crate::options::Options;
use crate::panels::{DEPTH, LINES, Limits, Panels, shapes};
use crate::product::{Grid, Product};
use crate::report::{Report, UsedPath};
use crate::ring::Ring;
use crate::route::{Demand, Route, choose, domains_on_lines};
use crate::scale::scale;
use crate::summa::{self, Setting};
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::node::panels::PanelMemory;
use hcube_core::node::processor::crowded;
use hcube_core::progress::wait::Patience;

/// What one communicator keeps.
#[derive(Debug)]
pub struct State {
    options: Options,
    grid: Grid,
    domains: Domains,
    /// Domains on process columns and on process rows.
    on_lines: [usize; 2],
    /// The time of messages, once it was measured.
    network: Option<Hockney>,
    limits: Limits,
    patience: Patience,
    memory: PanelMemory,
    ring: Ring,
}

/// Which ranks share memory: those of a node, in groups of consecutive ones where `ranks_per_node` is not 0.
fn domain_numbers(nodes: &[u32], ranks_per_node: usize) -> Vec<u32> {
    if ranks_per_node == 0 {
        return nodes.to_vec();
    }
    let mut counts = std::collections::HashMap::new();
    let mut numbers = std::collections::HashMap::new();
    let of = |node: &u32| {
        let count = counts.entry(*node).or_insert(0usize);
        *count += 1;
        (*node, (*count - 1) / ranks_per_node)
    };
    let groups: Vec<(u32, usize)> = nodes.iter().map(of).collect();
    let number = |group| {
        let next = numbers.len() as u32;
        *numbers.entry(group).or_insert(next)
    };
    groups.into_iter().map(number).collect()
}

impl State {
    /// Collective: for a communicator whose ranks form a grid.
    ///
    /// # Errors
    /// On all ranks, those of MPI.
    pub fn new<C: Comm>(comm: &C, grid: Grid, options: &Options) -> Result<Self> {
        let nodes = comm.node_numbers()?;
        let patience = Patience::new(crowded(comm, &nodes)?, comm.simulated());
        let numbers = domain_numbers(&nodes, options.ranks_per_node);
        let width = Some(options.inner_block.max(options.outer_block)).filter(|&width| width > 0);
        let limits = Limits { memory: options.memory, width, shapes: shapes(&numbers, grid) };
        let domains = Domains::new(numbers, grid);
        let memory = PanelMemory::own(0)?;
        let on_lines = domains_on_lines(&domains, grid);
        let options = *options;
        Ok(Self {
            options,
            grid,
            domains,
            on_lines,
            network: None,
            limits,
            patience,
            memory,
            ring: Ring::new(0),
        })
    }

    /// The grid that it was made for.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Collective: memory for panels of a size, the same on all ranks.
    fn reserve<C: Comm>(&mut self, comm: &C, bytes: usize) -> Result<()> {
        if bytes <= self.memory.capacity() {
            return Ok(());
        }
        self.memory = if self.domains.are_ranks() {
            PanelMemory::own(bytes)?
        } else {
            PanelMemory::share(comm, &self.domains.ranks, bytes)?
        };
        self.ring = Ring::new(bytes);
        Ok(())
    }

    /// Collective: how panels travel between domains.
    fn route<C: Comm>(
        &mut self,
        comm: &C,
        factors: [&Factor<'_>; 2],
        panels: &Panels,
    ) -> Result<(Route, Hockney)> {
        let network = match self.network {
            Some(network) => network,
            None => {
                let distance = self.limits.shapes.iter().map(|shape| shape[2]).max().unwrap_or(1);
                network::measure(comm, distance, self.patience)?
            }
        };
        self.network = Some(network);
        let column_bytes = factors.map(|factor| factor.max_height() * factor.size);
        let columns = factors.map(|factor| factor.inner_shares().axis.block.min(panels.width));
        let columns = columns[0].min(columns[1]);
        let demand = Demand { domains: self.on_lines, column_bytes, columns };
        Ok((choose(&self.options, &demand, &network), network))
    }

    /// Collective: computes a product. All ranks pass the same but for the memory.
    ///
    /// # Errors
    /// Of MPI, and where memory could not be allocated; then nothing was written.
    pub fn multiply<C: Comm>(
        &mut self,
        comm: &C,
        product: &Product<'_>,
        local: &LocalGemm,
    ) -> Result<Report> {
        if product.m == 0 || product.n == 0 {
            return Ok(Report::of(UsedPath::Nothing));
        }
        if product.k == 0 || product.alpha.is_zero() {
            scale(product);
            return Ok(Report::of(UsedPath::Scale));
        }
        let [a, b] = [Side::Left, Side::Right].map(|side| Factor::new(product, side));
        let factors = [&a, &b];
        let in_place = a.in_place && b.in_place;
        let several = !in_place && !self.domains.is_one();
        let by_outer = if several { [true; 2] } else { [a.by_outer, b.by_outer] };
        let lines = LINES.map(|dimension| self.domains.lines(dimension, self.grid));
        let panels = Panels::new(factors, by_outer, product.k, &self.limits, [&lines[0], &lines[1]]);
        if several {
            comm.open_messages()?;
        }
        if !in_place {
            self.reserve(comm, panels.max_bytes * DEPTH.min(panels.count))?;
        }
        let route = if several { Some(self.route(comm, factors, &panels)?) } else { None };
        let lines = route.map(|(route, network)| route.lines(self.grid, &self.domains, &network));
        let setting = Setting {
            comm,
            domains: &self.domains,
            memory: &self.memory,
            ring: &mut self.ring,
            patience: self.patience,
            lines,
        };
        let carried = summa::multiply(setting, product, factors, &panels, local)?;
        let path = match (in_place, several) {
            (true, _) => UsedPath::Local,
            (_, false) => UsedPath::SharedPanels,
            _ if route.is_some_and(|(route, _)| route.has_groups()) => UsedPath::Hsumma,
            _ => UsedPath::Summa,
        };
        Ok(Report { path, bytes: carried.bytes, memory: self.memory.capacity() / self.memory.ranks() })
    }
}
