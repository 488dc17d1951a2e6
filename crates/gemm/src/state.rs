//! The state of a communicator for products.
//!
//! Memory: the panels, within the bound, a few bytes per rank, and the times of 16 shapes of products; freed
//! with the communicator. Panels of communicators that were not used recently are freed earlier
//! (`recent.rs`).

use crate::broadcasts::max_width;
use crate::domain::Domains;
use crate::factor::Factor;
use crate::local::LocalGemm;
use crate::model::hockney::Hockney;
use crate::network;
use crate::options::{Options, Stationary};
use crate::panels::{DEPTH, LINES, Limits, Moving, Panels, shapes};
use crate::pipeline::Setting;
use crate::product::{Dimension, Grid, Product};
use crate::recent::CommPanels;
use crate::report::{Report, UsedPath};
use crate::ring::Ring;
use crate::route::{Demand, Route, candidates, domains_on_lines};
use crate::scale::scale;
use crate::stationary::{self, Fixed};
use crate::summa;
use crate::trials::Trials;
use hcube_core::comm::{Comm, agree};
use hcube_core::error::{Error, Result};
use hcube_core::node::counted_memory::CountedMemory;
use hcube_core::node::processor::crowded;
use hcube_core::progress::wait::Patience;
use std::sync::Arc;

/// A or B stays where fewer bytes than this share of what moves else would move: partial products are more
/// work than panels, and the panels of a single factor are narrower.
const STATIONARY_SHARE: f64 = 0.6;

/// The route of panels, its key, and the time of messages.
type Travel = (Route, Demand, Hockney);

/// The bound on memory is never reduced below this.
const MIN_BOUND_BYTES: usize = 32 << 20;

/// The bound on bytes per rank that holds where the user permits more: a quarter of the matrices.
fn memory_bound(product: &Product<'_>) -> usize {
    let [m, n, k] = [product.m, product.n, product.k].map(|size| size as u128);
    let elements = (m * k + k * n + m * n) / product.grid.size() as u128;
    let bytes = elements * product.element.bytes() as u128 / 4;
    usize::try_from(bytes).unwrap_or(usize::MAX).max(MIN_BOUND_BYTES)
}

/// The state of one communicator.
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
    memory: Arc<CommPanels>,
    /// Bytes of the memory of a domain of each of [`Limits::shapes`].
    reserved: Vec<usize>,
    ring: Ring,
    trials: Trials,
}

/// The ranks that share memory: the ranks of a node, in groups of consecutive ranks if `ranks_per_node` is
/// not 0.
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
    /// On all ranks, errors of MPI.
    pub fn new<C: Comm>(comm: &C, grid: Grid, options: &Options) -> Result<Self> {
        let nodes = comm.node_numbers()?;
        let patience = Patience::new(crowded(comm, &nodes)?, comm.simulated());
        let numbers = domain_numbers(&nodes, options.ranks_per_node);
        let width = Some(options.inner_block.max(options.outer_block)).filter(|&width| width > 0);
        let limits =
            Limits { memory: options.memory, width, max_width: None, shapes: shapes(&numbers, grid) };
        let domains = Domains::new(numbers, grid);
        let memory = CommPanels::new(agree(comm, CountedMemory::own(0))?);
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
            reserved: Vec::new(),
            ring: Ring::new(0),
            trials: Trials::default(),
        })
    }

    /// The grid that it was made for.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Collective: memory for panels, of which domains of each shape need some bytes. If ranks of a node
    /// cannot share memory, every rank is a separate domain from then on, and the result is false: panels
    /// then have other sizes.
    fn reserve<C: Comm>(&mut self, comm: &C, needed: &[usize]) -> Result<bool> {
        self.reserved.resize(needed.len(), 0);
        if needed.iter().zip(&self.reserved).all(|(needed, reserved)| needed <= reserved) {
            return Ok(true);
        }
        let larger: Vec<usize> =
            needed.iter().zip(&self.reserved).map(|(&one, &other)| one.max(other)).collect();
        // The same decision on all ranks, but not more memory than a domain of this shape uses.
        let bytes = larger[self.own_shape()];
        // Before it grows: all panels that this rank has placed there were released, or others have their own
        // mappings.
        (self.memory, self.ring) = (CommPanels::new(agree(comm, CountedMemory::own(0))?), Ring::new(0));
        self.reserved.clear();
        let memory = if self.domains.are_ranks() {
            agree(comm, CountedMemory::own(bytes))
        } else {
            CountedMemory::share(comm, &self.domains.ranks, bytes)
        };
        match memory {
            Ok(memory) => {
                (self.memory, self.ring, self.reserved) = (CommPanels::new(memory), Ring::new(bytes), larger);
            }
            Err(error) if self.domains.are_ranks() || matches!(error, Error::Mpi { .. }) => {
                return Err(error);
            }
            Err(_) => {
                self.divide((0..comm.size() as u32).collect());
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The number of this domain's shape.
    fn own_shape(&self) -> usize {
        let [rows, columns] = LINES.map(|dimension| self.domains.lines(dimension, self.grid).len());
        let shape = [rows, columns, self.domains.ranks.len()];
        self.limits.shapes.binary_search(&shape).expect("every domain has a shape")
    }

    /// Ranks with the same number are a domain from now on.
    fn divide(&mut self, numbers: Vec<u32>) {
        self.limits.shapes = shapes(&numbers, self.grid);
        self.domains = Domains::new(numbers, self.grid);
        self.on_lines = domains_on_lines(&self.domains, self.grid);
        self.network = None;
        self.reserved.clear();
    }

    /// Collective: selects the route of panels between domains.
    fn route<C: Comm>(
        &mut self,
        comm: &C,
        factors: [Option<&Factor<'_>>; 2],
        panels: &Panels,
    ) -> Result<Travel> {
        let network = match self.network {
            Some(network) => network,
            None => {
                let distance = self.limits.shapes.iter().map(|shape| shape[2]).max().unwrap_or(1);
                network::measure(comm, distance, self.patience)?
            }
        };
        self.network = Some(network);
        let column_bytes = factors
            .map(|factor| factor.map_or(0, |factor| factor.target.max_count().saturating_mul(factor.size)));
        let piece = |factor: &Factor<'_>| factor.inner_shares().axis.block.min(panels.width);
        let columns = factors.map(|factor| factor.map_or(usize::MAX, piece));
        let columns = columns[0].min(columns[1]);
        let demand = Demand { domains: self.on_lines, column_bytes, columns };
        let route = self.trials.next(comm, &demand, candidates(&self.options, &demand, &network))?;
        Ok((route, demand, network))
    }

    /// Collective: computes a product. All ranks pass the same arguments except the memory.
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
        match self.fixed(product) {
            Some(fixed) => self.multiply_stationary(comm, product, &fixed, local),
            None => self.multiply_summa(comm, product, local),
        }
    }

    /// The matrix that stays where it is, if that is not C.
    fn fixed<'a>(&self, product: &Product<'a>) -> Option<Fixed<'a>> {
        let possible =
            |number| Some(Fixed::new(product, number)).filter(|fixed: &Fixed<'_>| fixed.is_possible(product));
        match self.options.stationary {
            Stationary::A => possible(0),
            Stationary::B => possible(1),
            Stationary::C => None,
            // On a node a factor that moves is copied once, which costs less than partial products.
            Stationary::Auto if self.domains.is_one() => None,
            Stationary::Auto => {
                let size = product.element.bytes() as f64;
                let [m, n, k] = [product.m, product.n, product.k].map(|size| size as f64);
                let [a, b] =
                    Self::factors(product).map(|factor| if factor.in_place { 0.0 } else { size * k });
                let bytes = a * m + b * n;
                let moved = |fixed: &Fixed<'_>| fixed.moved_bytes(product);
                let less = |fixed: &Fixed<'_>| moved(fixed) < STATIONARY_SHARE * bytes;
                let candidates = [0, 1].into_iter().filter_map(possible).filter(less);
                candidates.min_by(|one, other| moved(one).total_cmp(&moved(other)))
            }
        }
    }

    /// A and B as C is distributed.
    fn factors<'a>(product: &Product<'a>) -> [Factor<'a>; 2] {
        let (rows, columns) = (product.c.rows, product.c.columns);
        let a = Factor::new(product, 0, true, (rows, Dimension::Rows), columns.only_process());
        let b = Factor::new(product, 1, false, (columns, Dimension::Columns), rows.only_process());
        [a, b]
    }

    fn multiply_summa<C: Comm>(
        &mut self,
        comm: &C,
        product: &Product<'_>,
        local: &LocalGemm,
    ) -> Result<Report> {
        let [a, b] = Self::factors(product);
        let factors = [&a, &b];
        if a.in_place && b.in_place {
            summa::multiply_in_place(comm, product, factors, local);
            return Ok(self.report(UsedPath::Local, 0));
        }
        let moving = factors.map(|factor| Some(factor).filter(|factor| !factor.in_place));
        let (panels, lines) = self.prepare(comm, product, (moving, product.k, 0))?;
        let grouped = lines.as_ref().is_some_and(|(route, ..)| route.has_groups());
        let path = match lines {
            None => UsedPath::SharedPanels,
            Some(_) if grouped => UsedPath::Hsumma,
            Some(_) => UsedPath::Summa,
        };
        let begin = comm.seconds();
        let _in_use = self.memory.begin();
        let setting = self.setting(comm, lines);
        let sent = summa::multiply(setting, product, factors, &panels, local)?;
        if let Some((route, demand, _)) = &lines {
            self.trials.note(demand, route, comm.seconds() - begin);
        }
        Ok(self.report(path, sent))
    }

    fn multiply_stationary<C: Comm>(
        &mut self,
        comm: &C,
        product: &Product<'_>,
        fixed: &Fixed<'_>,
        local: &LocalGemm,
    ) -> Result<Report> {
        let factor = fixed.moving(product);
        let mut moving = [None, None];
        moving[factor.lines as usize] = Some(&factor);
        let rows = fixed.matrix.section(fixed.outer).max_count();
        let (panels, lines) = self.prepare(comm, product, (moving, factor.inner.length, rows))?;
        let _in_use = self.memory.begin();
        let setting = self.setting(comm, lines);
        let sent = stationary::multiply(setting, product, (fixed, &factor), &panels, local)?;
        let path = if fixed.number == 0 { UsedPath::StationaryA } else { UsedPath::StationaryB };
        Ok(self.report(path, sent))
    }

    /// Bytes of panels per rank.
    fn panel_bytes(&self) -> usize {
        self.memory.memory().capacity() / self.memory.memory().ranks()
    }

    fn report(&self, path: UsedPath, bytes: u64) -> Report {
        Report { path, bytes, memory: self.panel_bytes() }
    }

    fn setting<'s, C: Comm>(&'s mut self, comm: &'s C, route: Option<Travel>) -> Setting<'s, C> {
        Setting {
            comm,
            domains: &self.domains,
            memory: self.memory.memory(),
            ring: &mut self.ring,
            patience: self.patience,
            lines: route.map(|(route, _, network)| route.lines(self.grid, &self.domains, &network)),
        }
    }

    /// Collective: the panels of communicated factors, their memory, and their route between domains.
    fn prepare<C: Comm>(
        &mut self,
        comm: &C,
        product: &Product<'_>,
        (factors, inner, partial): ([Option<&Factor<'_>>; 2], usize, usize),
    ) -> Result<(Panels, Option<Travel>)> {
        let (size, memory) = (product.element.bytes(), memory_bound(product));
        let several = !self.domains.is_one();
        let natural = factors.map(|factor| factor.is_none_or(|factor| factor.by_outer));
        let by_outer = if several { [true; 2] } else { natural };
        let moving = Moving { factors, by_outer, inner, partial, size };
        let lines = LINES.map(|dimension| self.domains.lines(dimension, self.grid));
        let blocks = factors.iter().flatten().map(|factor| factor.inner_shares().axis.block);
        let max_width = if several { blocks.map(max_width).min() } else { None };
        let limits = Limits { memory: self.limits.memory.min(memory), max_width, ..self.limits.clone() };
        let panels = Panels::new(&moving, &limits, [&lines[0], &lines[1]], self.domains.ranks.len());
        if several {
            comm.open_messages()?;
        }
        let depth = DEPTH.min(panels.count);
        let needed: Vec<usize> = panels.shape_bytes.iter().map(|bytes| bytes.saturating_mul(depth)).collect();
        if !self.reserve(comm, &needed)? {
            return self.prepare(comm, product, (factors, inner, partial));
        }
        let route = if several { Some(self.route(comm, factors, &panels)?) } else { None };
        Ok((panels, route))
    }
}
