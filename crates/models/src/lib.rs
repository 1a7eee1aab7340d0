//! Neural translation models: architectures, weights, file formats.
