//! Matrices and vectors: products, element-wise functions and reductions, for the CPU at hand.
//!
//! Every function is written once over sixteen virtual lanes and compiled for AVX-512, for AVX2 with FMA, and
//! portably. Each thread chooses the fastest set of the CPU once, at run time ([`instruction_set`]).
//!
//! # Two promises about bits
//!
//! - **A row stands alone.** The bits of a result row depend on that row's own inputs and on the shape, never on how
//!   many rows are computed in one call nor on where the row lies among them. An element of a product is one chain of
//!   multiply-adds over the inputs in order; a sum over a row is sixteen lanes, added in one fixed tree.
//! - **All instruction sets agree to the bit**: the same lanes, the same tree, the same polynomials, fused
//!   multiply-adds in all. The portable code computes a fused multiply-add in f64 where the target has no instruction
//!   for it, and is slow there. Products of bf16 need no rounding. Only storage [with
//!   tiles](ProductStorage::with_tiles) has other sums of bf16.
//!
//! # Example
//!
//! ```
//! use metaphrase_kernels::{Activation, Epilogue, Matrix, PackedMatrix, Precision};
//! use metaphrase_kernels::{ProductStorage, WeightOrder, product};
//!
//! // Two inputs, three outputs.
//! let numbers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
//! let weights = PackedMatrix::pack(Precision::F32, &numbers, 2, 3, WeightOrder::InputsByOutputs);
//! let x = Matrix::from_vec(1, 2, vec![1.0, -1.0]);
//! let mut out = Matrix::new();
//! product(&x, &weights, Epilogue { bias: Some(&[0.0, 4.0, 5.0]), ..Epilogue::default() }, &mut out);
//! assert_eq!(out.row(0), [-3.0, 1.0, 2.0]);
//! product(&x, &weights, Epilogue { activation: Activation::Relu, ..Epilogue::default() }, &mut out);
//! assert_eq!(out.row(0), [0.0, 0.0, 0.0]);
//!
//! // In integers of 8 bits the rows are rounded first, once for all products which read them.
//! let weights = PackedMatrix::pack(Precision::Int8, &numbers, 2, 3, WeightOrder::InputsByOutputs);
//! let mut storage = ProductStorage::default();
//! let rows = storage.operand(&x, weights.precision());
//! product(rows, &weights, Epilogue::default(), &mut out);
//! assert!((out.row(0)[0] - -3.0).abs() < 0.05);
//! ```
//!
//! Shapes are checked with assertions: this crate meets no data from outside. The loader of a model compares the shapes
//! first, and can name the tensor.

mod aligned;
mod attention;
mod changes;
mod elementwise;
mod epilogue;
mod functions;
mod heads;
mod int16;
mod int8;
mod isa;
mod lanes;
mod lines;
mod log_sum;
mod matrix;
mod number;
mod operand;
mod packed;
mod panels;
mod peak;
mod product;
mod quantise;
mod reduce;
mod summary;
mod tables;
mod team;
mod tiles;
mod topk;
mod transposed;
mod values;
mod zeros;

pub use attention::{
    AttentionWeights, BiasTable, Heads, KeyValueAdditions, KeysValues, ProductBiases, StoredAs, attend,
    attend_with_biases,
};
pub use changes::{Changes, ColumnChange};
pub use elementwise::{
    RELU_LIMIT, add_assign, axpy, clipped_relu_in_place, exp_in_place, gelu_in_place, gelu_tanh_in_place, lerp,
    mul_assign, relu_in_place, scale, sigmoid_in_place, swish_in_place, tanh_in_place,
};
pub use epilogue::{Activation, Epilogue};
pub use heads::{Rows, heads_dot, heads_weighted_sum};
pub use int8::{MAX_INT8_INPUTS, int8_of_panels, int8_panel_bytes, quantise_int8};
pub use isa::{InstructionSet, instruction_set, vectorised, with_instruction_set};
pub use lines::SharedBytes;
pub use log_sum::log_sum_exp;
pub use matrix::Matrix;
pub use number::Precision;
pub use operand::{Operand, ProductStorage};
pub use packed::PackedMatrix;
pub use panels::WeightOrder;
pub use peak::{peak, read_bandwidth};
pub use product::{product, product_add, product_of_one, rounded_product, rounded_product_add};
pub use reduce::{dot, layer_norm, max, rms_norm, softmax_in_place, tanh_dot};
pub use summary::{Column, Summary};
pub use tables::{Functions, with_functions};
pub use team::{in_team, with_team};
pub use topk::{Best, TopK};
pub use transposed::transposed_product_add;
