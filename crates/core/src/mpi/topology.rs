//! The neighbours of a rank in a process topology: Cartesian, graph or distributed graph.

use super::backend::MpiComm;
use super::check::check;
use super::constants::constants;
use super::own_call::marked;
use super::raw;
use crate::comm::Comm;
use crate::error::Result;
use std::ffi::c_int;

/// The neighbours of this rank, in the order in which MPI's neighbour exchanges have their blocks; `None` for
/// `MPI_PROC_NULL`. A rank may be a neighbour several times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbours {
    /// Ranks that blocks are received from.
    pub sources: Vec<Option<usize>>,
    /// Ranks that blocks are sent to.
    pub destinations: Vec<Option<usize>>,
}

/// Local: the neighbours of this rank; `None` for a communicator without a topology.
///
/// # Errors
/// Errors of MPI.
pub fn neighbours(comm: &MpiComm) -> Result<Option<Neighbours>> {
    let mut kind = 0;
    // SAFETY: a living communicator.
    check("MPI_Topo_test", unsafe { raw::PMPI_Topo_test(comm.original(), &mut kind) })?;
    let constants = constants();
    let (sources, destinations) = match kind {
        _ if kind == constants.topology_cart => both(cartesian(comm)?),
        _ if kind == constants.topology_graph => both(graph(comm)?),
        _ if kind == constants.topology_dist_graph => distributed(comm)?,
        _ => return Ok(None),
    };
    Ok(Some(Neighbours { sources: ranks(&sources), destinations: ranks(&destinations) }))
}

fn both(neighbours: Vec<c_int>) -> (Vec<c_int>, Vec<c_int>) {
    (neighbours.clone(), neighbours)
}

fn ranks(neighbours: &[c_int]) -> Vec<Option<usize>> {
    neighbours
        .iter()
        .map(|&rank| usize::try_from(rank).ok().filter(|_| rank != constants().proc_null))
        .collect()
}

/// In each dimension the neighbour with the lower and the neighbour with the higher coordinate.
fn cartesian(comm: &MpiComm) -> Result<Vec<c_int>> {
    let mut dimensions = 0;
    // SAFETY: a living communicator with a Cartesian topology.
    check("MPI_Cartdim_get", unsafe { raw::PMPI_Cartdim_get(comm.original(), &mut dimensions) })?;
    let mut all = Vec::new();
    for dimension in 0..dimensions {
        let (mut before, mut behind) = (0, 0);
        // SAFETY: a living communicator with a Cartesian topology, of which this is a dimension.
        let code = unsafe { raw::PMPI_Cart_shift(comm.original(), dimension, 1, &mut before, &mut behind) };
        check("MPI_Cart_shift", code)?;
        all.extend([before, behind]);
    }
    Ok(all)
}

fn graph(comm: &MpiComm) -> Result<Vec<c_int>> {
    let (rank, mut count) = (comm.rank() as c_int, 0);
    // SAFETY: a living communicator with a graph, and a rank of it.
    let code = unsafe { raw::PMPI_Graph_neighbors_count(comm.original(), rank, &mut count) };
    check("MPI_Graph_neighbors_count", code)?;
    let mut all = vec![0; count as usize];
    // SAFETY: a living communicator with a graph, a rank of it, and room for as many neighbours as MPI has
    // said.
    let code = unsafe { raw::PMPI_Graph_neighbors(comm.original(), rank, count, all.as_mut_ptr()) };
    check("MPI_Graph_neighbors", code).map(|()| all)
}

fn distributed(comm: &MpiComm) -> Result<(Vec<c_int>, Vec<c_int>)> {
    let [mut from, mut to, mut weighted] = [0; 3];
    // SAFETY: a living communicator with a distributed graph.
    let code =
        unsafe { raw::PMPI_Dist_graph_neighbors_count(comm.original(), &mut from, &mut to, &mut weighted) };
    check("MPI_Dist_graph_neighbors_count", code)?;
    let list = |count: c_int| vec![0; count as usize];
    let (mut sources, mut source_weights, mut destinations, mut weights) =
        (list(from), list(from), list(to), list(to));
    // SAFETY: a living communicator with a distributed graph, and room for as many neighbours as MPI has
    // said.
    let code = unsafe {
        raw::PMPI_Dist_graph_neighbors(
            comm.original(),
            from,
            sources.as_mut_ptr(),
            source_weights.as_mut_ptr(),
            to,
            destinations.as_mut_ptr(),
            weights.as_mut_ptr(),
        )
    };
    check("MPI_Dist_graph_neighbors", code).map(|()| (sources, destinations))
}

/// Which of MPI's exchanges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `MPI_Alltoall`, `MPI_Neighbor_alltoall` and their other variants.
    Equal,
    /// `MPI_Alltoallv`, `MPI_Neighbor_alltoallv` and their other variants.
    Counts,
    /// `MPI_Alltoallw`, `MPI_Neighbor_alltoallw` and their other variants.
    Types,
}

/// Collective: for each block that this rank receives, which of the blocks of its source arrives there, by
/// the source's own order. Where two ranks are neighbours several times, as on a periodic axis of two ranks,
/// this is the library's choice, for each function (MPICH 4.0.2 has different ones): it is determined by an
/// exchange of these numbers.
///
/// # Errors
/// Errors of MPI.
pub fn arriving(comm: &MpiComm, neighbours: &Neighbours, form: Form) -> Result<Vec<usize>> {
    let Neighbours { sources, destinations } = neighbours;
    // One more, so that the buffer has an address.
    let sent: Vec<i64> = (0..=destinations.len() as i64).collect();
    let mut received = vec![0i64; sources.len() + 1];
    let (from, to, kind) = (sent.as_ptr().cast(), received.as_mut_ptr().cast(), constants().int64);
    let blocks = sent.len().max(received.len());
    let (ones, kinds) = (vec![1; blocks], vec![kind; blocks]);
    let places: Vec<c_int> = (0..blocks as c_int).collect();
    let bytes: Vec<raw::MPI_Aint> =
        (0..blocks).map(|block| (block * size_of::<i64>()) as raw::MPI_Aint).collect();
    let (ones, places, bytes, kinds) = (ones.as_ptr(), places.as_ptr(), bytes.as_ptr(), kinds.as_ptr());
    let comm = comm.original();
    // SAFETY: a living communicator with a topology, and buffers and arrays with an entry for each neighbour.
    let code = marked(from, || unsafe {
        match form {
            Form::Equal => raw::PMPI_Neighbor_alltoall(from, 1, kind, to, 1, kind, comm),
            Form::Counts => {
                raw::PMPI_Neighbor_alltoallv(from, ones, places, kind, to, ones, places, kind, comm)
            }
            Form::Types => {
                raw::PMPI_Neighbor_alltoallw(from, ones, bytes, kinds, to, ones, bytes, kinds, comm)
            }
        }
    });
    check("an exchange between neighbours", code)?;
    received.pop();
    Ok(received.into_iter().map(|number| number as usize).collect())
}
