//! Tensors of a model's file, and maps on the device that are made of them.

use metaphrase_cuda::Cuda;
use metaphrase_cuda::Matrix;
use metaphrase_cuda::decoding::{DeviceMap, WeightNumbers};
use metaphrase_device::Storage;
use metaphrase_kernels::{Activation, Matrix as HostMatrix};
use metaphrase_models::parts::transformer::Dense;
use metaphrase_models::parts::{Init, Supply};
use metaphrase_models::{ModelError, Weights, config};

/// A tensor of a model's file, row-major.
#[derive(Clone)]
pub(crate) struct Tensor {
    pub(crate) name: String,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) numbers: Vec<f32>,
}

/// Supplies the tensors of a file.
pub(crate) struct FileTensors<'a>(pub(crate) &'a Weights);

impl Supply for FileTensors<'_> {
    type Tensor = Tensor;
    type Error = ModelError;

    fn tensor(&mut self, name: &str, [rows, cols]: [usize; 2], _init: Init) -> Result<Tensor, ModelError> {
        Ok(Tensor { name: name.to_owned(), rows, cols, numbers: self.0.numbers(name, [rows, cols])? })
    }

    fn rows(&self, name: &str, default: usize) -> usize {
        self.0.shape(name).and_then(|shape| shape.first()).map_or(default, |&rows| rows.max(1))
    }
}

/// Brings weights to a device.
pub(crate) struct Packer {
    pub(crate) cuda: Cuda,
    pub(crate) numbers: WeightNumbers,
}

impl Packer {
    /// A row of numbers.
    pub(crate) fn row(&mut self, numbers: Vec<f32>) -> Matrix {
        self.cuda.upload(&HostMatrix::from_vec(1, numbers.len(), numbers))
    }

    /// A vector, or a table of vectors.
    pub(crate) fn matrix(&mut self, tensor: Tensor) -> Matrix {
        self.cuda.upload(&HostMatrix::from_vec(tensor.rows, tensor.cols, tensor.numbers))
    }

    /// A table of words, `words × inputs`, which is a map to words at the same time.
    pub(crate) fn table(&mut self, table: &Tensor, bias: Option<Tensor>) -> DeviceMap {
        let w = HostMatrix::from_vec(table.rows, table.cols, table.numbers.clone());
        let bias = bias.map(|bias| bias.numbers);
        self.cuda.device_map(&w, bias.as_deref(), Activation::None, self.numbers)
    }

    pub(crate) fn map(&mut self, map: Dense<Tensor>) -> DeviceMap {
        self.joined(vec![map])
    }

    /// One map of maps with the same inputs and the same function: the outputs of one after those of the other.
    pub(crate) fn joined(&mut self, maps: Vec<Dense<Tensor>>) -> DeviceMap {
        let inputs = maps[0].w.rows;
        let activation = activation(maps[0].activation);
        let outputs: usize = maps.iter().map(|map| map.w.cols).sum();
        let (mut w, mut biases) = (HostMatrix::zeros(outputs, inputs), Vec::with_capacity(outputs));
        for Dense { w: own, b, .. } in maps {
            for output in 0..own.cols {
                // From `inputs × outputs` to `outputs × inputs`.
                let column = own.numbers.iter().skip(output).step_by(own.cols);
                let row = w.row_mut(biases.len());
                row.iter_mut().zip(column).for_each(|(to, &from)| *to = from);
                biases.push(b.as_ref().map_or(0.0, |b| b.numbers[output]));
            }
        }
        self.cuda.device_map(&w, Some(&biases), activation, self.numbers)
    }
}

fn activation(activation: Option<config::Activation>) -> Activation {
    match activation {
        None => Activation::None,
        Some(config::Activation::Relu) => Activation::Relu,
        Some(config::Activation::Swish) => Activation::Swish,
        // The approximate one is refused before: see `refuse_unsupported`.
        Some(config::Activation::Gelu | config::Activation::GeluTanh) => Activation::Gelu,
        Some(config::Activation::Sigmoid) => Activation::Sigmoid,
    }
}
