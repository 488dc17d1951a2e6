//! `bsp_abort`: the exported names jump to functions in C, which take variable arguments. Stable Rust cannot
//! define such functions; the jump preserves all registers.

use hcube_bsp::process;

unsafe extern "C" {
    fn hcube_bsp_abort();
    fn hcube_bsp_abort_list();
}

#[cfg(target_arch = "x86_64")]
macro_rules! jump {
    () => {
        "jmp {}"
    };
}
#[cfg(any(target_arch = "aarch64", target_arch = "arm"))]
macro_rules! jump {
    () => {
        "b {}"
    };
}
#[cfg(any(target_arch = "riscv64", target_arch = "riscv32"))]
macro_rules! jump {
    () => {
        "tail {}"
    };
}

extern "C" fn leave() {
    process::leave();
}

// A name for the functions in C, which the library does not export.
std::arch::global_asm!(
    ".globl hcube_bsp_leave",
    ".hidden hcube_bsp_leave",
    "hcube_bsp_leave:",
    jump!(),
    sym leave
);

macro_rules! forward {
    ($($target:path: $($name:ident)*;)*) => {
        $($(
            #[doc = concat!("See `bsp.h`: `", stringify!($name), "`.")]
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name() {
                std::arch::naked_asm!(jump!(), sym $target)
            }
        )*)*
    };
}

forward! {
    hcube_bsp_abort: bsp_abort mcbsp_abort bsplibstd_abort;
    hcube_bsp_abort_list: bsp_abort_va bsp_vabort mcbsp_vabort;
}
