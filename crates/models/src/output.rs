//! The output layer: from the decoder's output to one logit per target word.

use crate::embedding::Embedding;
use crate::{ModelError, Weights};
use metaphrase_kernels::{Epilogue, Matrix, PackedMatrix, WeightOrder, product};

/// `logits = x · Wᵀ + b`.
pub(crate) struct Output {
    weights: PackedMatrix,
    bias: Option<Vec<f32>>,
}

/// Where the output layer finds its weights.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OutputNames<'a> {
    /// The table of target words (`words × inputs`), if it is the output layer too.
    pub(crate) table: Option<&'a Embedding>,
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
            Ok(PackedMatrix::pack(&tensor.data, inputs, words, WeightOrder::OutputsByInputs))
        };
        let untransposed = format!("{}_W", names.prefix);
        let matrix = match names.table {
            Some(table) => PackedMatrix::pack(table.numbers(), inputs, words, WeightOrder::OutputsByInputs),
            None if weights.contains(&untransposed) => {
                let tensor = weights.tensor(&untransposed)?.expect(&[inputs, words])?;
                PackedMatrix::pack(&tensor.data, inputs, words, WeightOrder::InputsByOutputs)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tied_transposed_and_old_weights_are_the_same_layer() {
        // words × inputs: (1 2) (3 4) (5 6); inputs × words: (1 3 5) (2 4 6).
        let by_words = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let by_inputs = vec![1.0, 3.0, 5.0, 2.0, 4.0, 6.0];
        for (name, shape, data, table) in [
            ("Wemb", [3, 2], &by_words, Some("Wemb")),
            ("out_Wt", [3, 2], &by_words, None),
            ("out_W", [2, 3], &by_inputs, None),
        ] {
            let bias = ("out_b", vec![1, 3], vec![0.5, 0.0, 0.0]);
            let weights = Weights::from_tensors("m", [(name, shape.to_vec(), data.clone()), bias]).unwrap();
            let table = table.map(|name| Embedding::load(&weights, name, 3, 2).unwrap());
            let table = table.as_ref();
            let layer = |bias| Output::load(&weights, OutputNames { table, prefix: "out", bias }, 2, 3).unwrap();
            let (input, mut logits) = (Matrix::from_vec(1, 2, vec![1.0, 10.0]), Matrix::new());
            layer(true).logits(&input, &mut logits);
            assert_eq!(logits.row(0), [21.5, 43.0, 65.0], "{name}");
            layer(false).logits(&input, &mut logits);
            assert_eq!(logits.row(0), [21.0, 43.0, 65.0], "{name}");
        }
    }
}
