//! CUDA devices: the operations of training and of decoding on a GPU, loaded at run time.
//!
//! `Cuda` is a [`Device`](metaphrase_device::Device). Building needs no CUDA: opening a device loads the driver, NVRTC
//! and cuBLAS, and compiles the kernels (`src/kernels`) for the device. Training's products are cuBLAS'. `decoding`
//! has its own, since each row of a step must have the same bits alone and in any batch.
//!
//! The feature `driver` opens GPUs; the feature `emulator` is for tests. Without both, the crate is empty, and nobody
//! compiles the bindings of CUDA's libraries by chance.
//!
//! ```text
//! operations: shapes, tables ──▶ Backend ──▶ Driver (cudarc): a GPU
//!                                      └───▶ Emulator: the same kernels on the CPU, for tests
//! ```
//!
//! # Promises
//!
//! - Sums have an order that shapes decide: two runs on one device give the same bits.
//! - A warm device allocates nothing, and the CPU waits for the device only where it reads numbers.
//! - The first failure is kept, and every operation after it does nothing, as in CUDA itself: `Cuda::check` returns
//!   that failure. So an operation needs no result, and no failure is lost.
//!
//! # Unsafe code
//!
//! Kernels read and write the addresses that they are given. Two places show that these are right: a `Matrix` owns
//! memory for its shape, and each operation asserts the shapes and ids that its kernel relies on before the launch.

#![cfg(any(feature = "driver", feature = "emulator"))]

mod arguments;
mod backend;
#[cfg(feature = "driver")]
mod compiler;
pub mod decoding;
mod device;
#[cfg(feature = "driver")]
mod driver;
#[cfg(feature = "emulator")]
mod emulator;
mod error;
mod launch;
mod operations;
#[cfg(feature = "driver")]
mod staging;
mod times;

pub use device::{Cuda, Matrix};
pub use error::CudaError;
pub use operations::UnreadLosses;
pub use times::CallTimes;
/// For tests: the kernels' names, and NVRTC without a device.
#[cfg(feature = "driver")]
pub use {
    backend::NAMES,
    compiler::{check_library, compile},
};
