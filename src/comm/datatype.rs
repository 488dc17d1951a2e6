//! stub
use super::memory::Region;
/// x
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> { region: Region<'a> }
impl<'a> Block<'a> {
    /// x
    pub fn stub(region: Region<'a>) -> Self { Self { region } }
    /// x
    pub fn bytes(&self) -> usize { self.region.len() }
    /// x
    pub fn region(&self) -> Option<Region<'a>> { Some(self.region) }
    /// x
    pub fn pack(&self, offset: usize, out: &mut [u8]) { self.region.part(offset..offset + out.len()).read(out) }
    /// x
    pub fn unpack(&self, offset: usize, bytes: &[u8]) { self.region.part(offset..offset + bytes.len()).write(bytes) }
}
