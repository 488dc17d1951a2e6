//! gfortran 15 uses compiler-generated accessor functions, which it registers at the start of the program.
//! The library rejects them with one line.

use crate::failure::Failure;
use crate::statement::{fail, kind::Kind};

#[cold]
fn refuse() -> ! {
    let text = "the program was compiled by gfortran 15 or later: expected gfortran 12 to 14, whose interface this library has";
    fail(Kind::Begin, &Failure::new(text))
}

macro_rules! refused {
    ($($name:ident)*) => {$(
        #[doc = concat!("Of gfortran 15: `", stringify!($name), "`.")]
        #[unsafe(no_mangle)]
        pub extern "C-unwind" fn $name() {
            refuse()
        }
    )*};
}

refused! {
    _gfortran_caf_register_accessor _gfortran_caf_register_accessors_finish
    _gfortran_caf_get_remote_function_index _gfortran_caf_get_from_remote
    _gfortran_caf_is_present_on_remote _gfortran_caf_send_to_remote
    _gfortran_caf_transfer_between_remotes
}
