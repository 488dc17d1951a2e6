//! BSP
