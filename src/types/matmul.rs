//! The types of matrix products by BSP for C.

/// The BLAS routine dgemm_ (Fortran binding), cast to this type.
#[expect(non_camel_case_types, reason = "a name of C")]
pub type hcube_matmul_kernel = Option<unsafe extern "C" fn()>;
