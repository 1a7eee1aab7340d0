//! Devices: the operations of training, forwards and backwards, and the CPU as the first device.
//!
//! Each kind of operation has a file: a trait defines what is computed, and below it the [`Host`] implements it.
//! The tape of `metaphrase-train` knows the order of operations; a device only computes.
//!
//! Forwards, an operation writes a matrix whose numbers are unspecified before. Backwards, an operation *adds* to
//! derivatives ("`sum`"), unless the caller declares these fresh; `grad` is the derivative of the loss by the
//! value of the operation.
//!
//! ```
//! use metaphrase_device::{Elementwise, Host, Storage};
//! use metaphrase_kernels::Matrix;
//!
//! let mut device = Host::default();
//! let mut y = device.upload(&Matrix::from_vec(1, 2, vec![1.0, 2.0]));
//! let x = device.upload(&Matrix::from_vec(1, 2, vec![3.0, 5.0]));
//! device.mul(&mut y, &x);
//! assert_eq!(device.download(&y).row(0), [3.0, 10.0]);
//! ```
//!
//! Shapes are checked with assertions, as in `metaphrase-kernels`: this crate meets no data from outside.

mod additive_attention;
mod attention;
mod cells;
mod dropout;
mod elementwise;
mod loss;
mod normalisation;
mod parameter;
mod pool;
mod products;
mod rows;
mod scans;
mod storage;
mod updates;

pub use additive_attention::{AdditiveAttention, AdditiveInputs};
pub use attention::{Attention, AttentionInputs, HeadsAttention, Spans};
pub use cells::{Cells, GruBackward, GruForward, Lstm};
pub use dropout::{Dropout, Mask};
pub use elementwise::Elementwise;
pub use loss::{Losses, RowOfLogits, WordLoss, WordLosses};
pub use metaphrase_kernels::Activation;
pub use normalisation::{Normal, Normalisation};
pub use parameter::{Parameter, TrainingPrecision};
pub use pool::{Pool, PoolItem};
pub use products::{Products, Weight};
pub use rows::{Block, Rows};
pub use scans::Scans;
pub use storage::{Failure, Host, Shape, Storage};
pub use updates::{Adadelta, Adam, Change, Rule, UpdateMatrices, Updates};

/// All operations.
pub trait Device:
    Storage
    + Products
    + Elementwise
    + Rows
    + Dropout
    + Normalisation
    + Attention
    + AdditiveAttention
    + Scans
    + Cells
    + Losses
    + Updates
{
}

impl Device for Host {}
