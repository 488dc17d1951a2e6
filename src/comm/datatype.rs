//! stub
use super::memory::Region;
use super::mpi::{MpiComm, check};
use super::raw::{self, MPI_Datatype};
use crate::error::Result;
use std::ffi::c_void;
/// x
#[derive(Debug, Clone)]
pub struct Datatype {
    size: usize,
}
impl Datatype {
    /// x
    pub fn inspect(datatype: MPI_Datatype, _: &MpiComm) -> Result<Self> {
        let mut size = 0;
        // SAFETY: x
        check("x", unsafe { raw::PMPI_Type_size(datatype, &mut size) })?;
        Ok(Self { size: size as usize })
    }
    /// x
    pub fn size(&self) -> usize {
        self.size
    }
    /// x
    pub fn extent(&self) -> isize {
        self.size as isize
    }
}
/// x
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    region: Region<'a>,
}
impl<'a> Block<'a> {
    /// # Safety
    /// x
    pub unsafe fn new(address: *mut c_void, count: usize, datatype: &Datatype) -> Self {
        // SAFETY: x
        Self { region: unsafe { Region::new(address.cast(), count * datatype.size) } }
    }
    /// x
    pub fn bytes(&self) -> usize {
        self.region.len()
    }
    /// x
    pub fn region(&self) -> Option<Region<'a>> {
        Some(self.region)
    }
    /// x
    pub fn pack(&self, offset: usize, out: &mut [u8]) {
        self.region.part(offset..offset + out.len()).read(out)
    }
    /// x
    pub fn unpack(&self, offset: usize, bytes: &[u8]) {
        self.region.part(offset..offset + bytes.len()).write(bytes)
    }
}
