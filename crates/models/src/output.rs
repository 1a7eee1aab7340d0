//! The output layer: from the decoder's output to one logit per target word.

use crate::{ModelError, Weights};
use metaphrase_kernels::{Epilogue, Layout, Matrix, PackedMatrix, product};

/// `logits = x · Wᵀ + b`.
pub(crate) struct Output {
    weights: PackedMatrix,
    bias: Option<Vec<f32>>,
}

/// Where the output layer finds its weights.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OutputNames<'a> {
    /// The table of target words (`words × inputs`), if it is the output layer too.
    pub(crate) table: Option<&'a str>,
    /// Otherwise `{prefix}_Wt` (`words × inputs`) or, in older files, `{prefix}_W` (`inputs × words`).
    pub(crate) prefix: &'a str,
    /// Whether there is a `{prefix}_b`.
    pub(crate) bias: bool,
}

impl Output {
    /// Reads the layer that scores `words` words from `inputs` numbers.
    ///
    /// # Errors
    /// If a tensor is missing or of another shape.
    pub(crate) fn load(
        weights: &Weights,
        names: OutputNames<'_>,
        inputs: usize,
        words: usize,
    ) -> Result<Self, ModelError> {
        let by_words = |name: &str| -> Result<PackedMatrix, ModelError> {
            let tensor = weights.tensor(name)?.expect(&[words, inputs])?;
            Ok(PackedMatrix::pack(&tensor.data, inputs, words, Layout::OutputsByInputs))
        };
        let untransposed = format!("{}_W", names.prefix);
        let matrix = match names.table {
            Some(table) => by_words(table)?,
            None if weights.contains(&untransposed) => {
                let tensor = weights.tensor(&untransposed)?.expect(&[inputs, words])?;
                PackedMatrix::pack(&tensor.data, inputs, words, Layout::InputsByOutputs)
            }
            None => by_words(&format!("{}_Wt", names.prefix))?,
        };
        let bias = if names.bias {
            let tensor = weights.tensor(&format!("{}_b", names.prefix))?.expect(&[1, words])?;
            Some(tensor.data.into_owned())
        } else {
            None
        };
        Ok(Self { weights: matrix, bias })
    }

    /// The logits of `inputs` (`rows × inputs`), `rows × words`.
    pub(crate) fn logits(&self, inputs: &Matrix, out: &mut Matrix) {
        product(inputs, &self.weights, Epilogue { bias: self.bias.as_deref(), ..Epilogue::default() }, out);
    }

    /// Memory that the weights take.
    pub(crate) fn bytes(&self) -> usize {
        self.weights.bytes() + self.bias.as_deref().map_or(0, size_of_val)
    }
}
