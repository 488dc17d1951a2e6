//! `bsp_abort`: the exported names lead to functions in C, which take variable arguments. Stable Rust cannot define
//! such functions, so these pass all registers on by a jump.

unsafe extern "C" {
    fn hcube_bsp_abort();
    fn hcube_bsp_abort_list();
}

#[cfg(target_arch = "x86_64")]
macro_rules! jump {
    ($target:path) => {
        std::arch::naked_asm!("jmp {}", sym $target)
    };
}
#[cfg(any(target_arch = "aarch64", target_arch = "arm"))]
macro_rules! jump {
    ($target:path) => {
        std::arch::naked_asm!("b {}", sym $target)
    };
}
#[cfg(any(target_arch = "riscv64", target_arch = "riscv32"))]
macro_rules! jump {
    ($target:path) => {
        std::arch::naked_asm!("tail {}", sym $target)
    };
}

macro_rules! forward {
    ($($target:path: $($name:ident)*;)*) => {
        $($(
            #[doc = concat!("See `bsp.h`: `", stringify!($name), "`.")]
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name() {
                jump!($target)
            }
        )*)*
    };
}

forward! {
    hcube_bsp_abort: bsp_abort mcbsp_abort bsplibstd_abort;
    hcube_bsp_abort_list: bsp_abort_va bsp_vabort mcbsp_vabort;
}
