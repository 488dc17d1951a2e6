//! The types of the C interface, a file for each header, and the construction of option structures from the
//! tables of options.
//!
//! Documentation that is only a link to an option of a table is replaced by the text of the table when
//! build.rs writes the header.

mod alltoall;
#[expect(non_camel_case_types, reason = "names of C")]
mod caf;
#[expect(non_camel_case_types, reason = "names of C")]
mod fft;
mod gemm;
mod lcs;
mod library;
mod matmul;
mod panel;
mod random_access;
mod stream;
mod transpose;

pub use alltoall::*;
pub use caf::*;
pub use fft::*;
pub use gemm::*;
pub use lcs::*;
pub use library::*;
pub use matmul::*;
pub use panel::*;
pub use random_access::*;
pub use stream::*;
pub use transpose::*;

/// Converts between a structure of options and the options of a table, and reads one from C.
///
/// All fields of the table are listed, by the names that they have there; `zero` is the one for a later
/// version, `none` a function that is not in the table.
macro_rules! options_of_a_table {
    ($structure:ident, $options:ty, [$($field:ident),+] $(, zero: $reserved:ident)? $(, none: $pointer:ident)?) => {
        const _: () = assert!(
            [$(stringify!($field)),+].len() == <$options as hcube_core::options::Table>::TABLE.len(),
            "a field for each option"
        );

        impl $structure {
            pub(crate) fn from_options(options: &$options) -> Self {
                use hcube_core::options::Number;
                Self {
                    struct_size: size_of::<Self>() as u64,
                    // In the range of the table, which fits.
                    $($field: Number::number(options.$field) as _,)+
                    $($reserved: 0,)?
                    $($pointer: None,)?
                }
            }

            /// The values of the environment, and defaults.
            pub(crate) fn defaults() -> hcube_core::Result<Self> {
                <$options>::from_environment().map(|options| Self::from_options(&options))
            }

            /// The structure that a caller passes; the first field says how many bytes the caller knows.
            ///
            /// # Safety
            /// The pointer is valid for the bytes that its first field says.
            pub(crate) unsafe fn given(from: *const Self) -> hcube_core::Result<Self> {
                // SAFETY: valid for the bytes that its first field says, by the contract of this function.
                unsafe { crate::sized::read(from, Self::defaults) }
            }

            /// The options that a caller passes, or for NULL the defaults and the environment.
            ///
            /// # Safety
            /// The pointer is null, or as for [`Self::given`].
            pub(crate) unsafe fn read(from: *const Self) -> hcube_core::Result<$options> {
                if from.is_null() {
                    return <$options>::from_environment();
                }
                // SAFETY: not null, and then valid for the bytes that its first field says.
                let given = unsafe { Self::given(from) }?;
                $(if given.$reserved != 0 {
                    let name = concat!("options.", stringify!($reserved));
                    return Err(hcube_core::Error::argument(name, given.$reserved, 0));
                })?
                let mut options = <$options>::default();
                $(hcube_core::options::put(&mut options, stringify!($field), given.$field.into())?;)+
                Ok(options)
            }
        }
    };
}
use options_of_a_table;
