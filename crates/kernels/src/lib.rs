//! Matrices and vectors: products, element-wise functions and reductions, for the CPU at hand.
