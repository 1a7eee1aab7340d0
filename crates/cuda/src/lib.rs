//! CUDA devices: the operations of training on a GPU, loaded at run time.
//!
//! [`Cuda`] is a [`Device`](metaphrase_device::Device). Building needs no CUDA: driver, NVRTC and cuBLAS are loaded when a
//! device is opened, and the kernels (`src/kernels`) are compiled for it then. Products are cuBLAS'.
//!
//! ```text
//! operations: shapes, tables ──▶ Backend ──▶ Driver (cudarc): a GPU
//!                                      └───▶ Emulator: the same kernels on the CPU, for tests
//! ```
//!
//! # Promises
//!
//! - Sums have an order that shapes decide: two runs on one device give the same bits.
//! - When a device is warm nothing is allocated, and the CPU waits for it only where it reads numbers.
//! - The first failure is kept and everything after it does nothing, as CUDA itself does: [`Cuda::check`] tells it. So an
//!   operation needs no result, and no failure is lost.
//!
//! # Unsafe code
//!
//! Kernels read and write what they are told to. That they are told rightly is shown in two places: a [`Matrix`] owns
//! memory for its shape, and each operation asserts the shapes and ids that its kernel relies on before it launches it.

mod backend;
mod compiler;
mod device;
mod driver;
#[cfg(feature = "emulator")]
mod emulator;
mod error;
mod operations;

pub use device::{Cuda, Matrix};
pub use error::CudaError;
pub use operations::optimizer::{Adadelta, Adam};
/// For tests: the kernels' names, and NVRTC without a device.
#[cfg(feature = "emulator")]
pub use {
    backend::NAMES,
    compiler::{check_library, compile},
};
