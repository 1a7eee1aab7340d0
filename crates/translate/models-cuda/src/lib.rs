//! Neural translation models on a CUDA device.
//!
//! `CudaModel` is a [`DeviceNetwork`](metaphrase_models::device::DeviceNetwork): a network whose weights, keys
//! and values, and logits are on the device. Words, positions and parents go there; the best words of each row, and
//! the logits that a question needs, come back.
//!
//! A Transformer computes:
//!
//! ```text
//! encode:  words ─▶ embed ─▶ (self-attention ─▶ feed-forward) × depth ─▶ top ─▶ keys, values of all decoder layers
//! step:    rows  ─▶ embed ─▶ (so far ─▶ cross-attention ─▶ feed-forward) × depth ─▶ top ─▶ logits ─▶ summaries
//! ```
//!
//! Recurrent networks have steps of their own (`recurrent`).
//!
//! The structure is that of `metaphrase_models::parts`, the order of the operations that of this CPU's networks;
//! tests hold the two together. All sums have an order that a row alone decides (`metaphrase_cuda::decoding`), so a
//! sentence has the same bits alone and in any batch.

#![cfg(any(feature = "driver", feature = "emulator"))]

mod attention_rows;
mod average;
mod blocks;
mod decoder;
mod encoder;
mod entries;
mod error;
mod failure;
mod input;
mod logits;
mod memory;
mod model;
mod network;
mod pack;
mod recurrent;
mod source;
mod state;
mod units;

pub use error::CudaModelError;
pub use metaphrase_cuda::decoding::WeightNumbers;
pub use metaphrase_cuda::{Cuda, CudaError};
pub use model::CudaModel;
