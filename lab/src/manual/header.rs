//! The headers of hcube, from which the pages of section 3 follow.

use hcube_interface::Interface;

fn read(headers: &[(&str, &str)]) -> Result<Interface, String> {
    let mut all = Interface::default();
    headers.iter().try_for_each(|(name, text)| all.read(&format!("include/{name}"), text))?;
    Ok(all)
}

/// The headers of libhcube; the first comment is the comment of hcube.h, which includes the others.
pub fn library() -> Result<Interface, String> {
    read(&[
        ("hcube.h", include_str!("../../../include/hcube.h")),
        ("hcube/library.h", include_str!("../../../include/hcube/library.h")),
        ("hcube/alltoall.h", include_str!("../../../include/hcube/alltoall.h")),
        ("hcube/transpose.h", include_str!("../../../include/hcube/transpose.h")),
        ("hcube/gemm.h", include_str!("../../../include/hcube/gemm.h")),
        ("hcube/matmul.h", include_str!("../../../include/hcube/matmul.h")),
        ("hcube/random_access.h", include_str!("../../../include/hcube/random_access.h")),
        ("hcube/fft.h", include_str!("../../../include/hcube/fft.h")),
        ("hcube/panel.h", include_str!("../../../include/hcube/panel.h")),
        ("hcube/stream.h", include_str!("../../../include/hcube/stream.h")),
        ("hcube/lcs.h", include_str!("../../../include/hcube/lcs.h")),
        ("hcube/caf.h", include_str!("../../../include/hcube/caf.h")),
        ("hcube/fortran.h", include_str!("../../../include/hcube/fortran.h")),
    ])
}

/// The header of the solver for FFTW.
pub fn fftw() -> Result<Interface, String> {
    read(&[("hcube_fftw.h", include_str!("../../../include/hcube_fftw.h"))])
}

/// The header of BSPlib.
pub fn bsp() -> Result<Interface, String> {
    read(&[("bsp.h", include_str!("../../../include/bsp.h"))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headers_of_hcube_are_read_whole() {
        for header in [library(), fftw(), bsp()] {
            let header = header.expect("in the form that this module reads");
            assert!(!header.about.is_empty());
            // Nothing is without a comment, but the macros of bsp.h, which are no constants.
            let macros = |name: &str| name.starts_with("bsp_") || name.starts_with("BSP_");
            let mut constants = header.constants.iter().filter(|constant| !macros(&constant.name));
            assert!(constants.all(|constant| !constant.doc.is_empty()));
            assert!(header.functions.iter().all(|function| !function.doc.is_empty()));
            let fields = header.structures.iter().flat_map(|structure| &structure.fields);
            assert!(fields.into_iter().all(|field| !field.doc.is_empty()));
        }
        let header = library().expect("as above");
        let mut names: Vec<&str> = header.functions.iter().map(|function| &*function.name).collect();
        names.sort_unstable();
        let symbols = include_str!("../../../tests/symbols.txt");
        assert_eq!(names, symbols.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>());
    }
}
