//! The output layer: from the decoder's output to one logit per target word.

mod lists;

use crate::embedding::Embedding;
use crate::linear::Linear;
use crate::parts::WordTables;
use crate::weights::CheckedTensor;
use metaphrase_kernels::{Matrix, Operand, PackedMatrix, ProductStorage, Summary, WeightOrder};
use std::sync::{Arc, OnceLock};

pub(crate) use lists::Lists;

/// `logits = x · Wᵀ + b`.
pub(crate) struct Output {
    map: Linear,
    /// The weights word by word, of which shortlists are made: the tied table of floats, or made when the first
    /// shortlist comes.
    by_word: OnceLock<Arc<Vec<f32>>>,
}

impl Output {
    /// The embeddings of source and target words, and the output layer.
    pub(crate) fn with_embeddings(words: WordTables<CheckedTensor<'_>>) -> (Embedding, Embedding, Self) {
        let WordTables { source, target, output, output_bias } = words;
        let tied = output.name() == target.name();
        let (source, target) = Embedding::pair(&source, &target);
        let weights = match &target {
            Embedding::Packed(table) if tied => Arc::clone(table),
            // A tied table has been read from its file already.
            Embedding::Floats { table, dim } if tied => {
                let words = output.rows();
                PackedMatrix::pack(output.precision(), table, *dim, words, WeightOrder::OutputsByInputs).into()
            }
            _ => output.pack_table().into(),
        };
        let by_word = match &target {
            Embedding::Floats { table, .. } if tied => OnceLock::from(Arc::clone(table)),
            _ => OnceLock::new(),
        };
        (source, target, Self { map: Linear::new(weights, output_bias.map(CheckedTensor::into_numbers)), by_word })
    }

    /// The number of target words.
    pub(crate) fn words(&self) -> usize {
        self.map.outputs()
    }

    /// The rows of `inputs` (`rows × inputs`) as the layer reads them.
    pub(crate) fn rows<'a>(&self, inputs: &'a Matrix, storage: &'a mut ProductStorage) -> Operand<'a> {
        self.map.rows(inputs, storage)
    }

    /// The logits of `inputs` (`rows × inputs`), `rows × words`.
    pub(crate) fn logits(&self, inputs: &Matrix, out: &mut Matrix, storage: &mut ProductStorage) {
        self.map.apply(inputs, out, storage);
    }

    /// The logit of one word after the only row of `input`.
    pub(crate) fn logit(&self, input: &Matrix, word: usize, storage: &mut ProductStorage) -> f32 {
        self.map.output(self.rows(input, storage), word)
    }

    /// The summaries of the logits of `inputs` with the `most` greatest of each row.
    pub(crate) fn summarise(&self, inputs: &Matrix, most: usize, out: &mut Summary, storage: &mut ProductStorage) {
        self.map.summarise(self.rows(inputs, storage), most, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Weights;

    #[test]
    fn tied_transposed_and_old_weights_are_the_same_layer() {
        // words × inputs: (1 2) (3 4) (5 6); inputs × words: (1 3 5) (2 4 6).
        let by_words = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let by_inputs = vec![1.0, 3.0, 5.0, 2.0, 4.0, 6.0];
        for (name, shape, data, output) in [
            ("Wemb", [3, 2], &by_words, "Wemb"),
            ("out_Wt", [3, 2], &by_words, "out_Wt"),
            ("out_W", [2, 3], &by_inputs, "out_Wt"),
        ] {
            let table = ("other", vec![3, 2], vec![0.0; 6]);
            let bias = ("out_b", vec![1, 3], vec![0.5, 0.0, 0.0]);
            let weights = Weights::from_tensors("m", [(name, shape.to_vec(), data.clone()), table, bias]).unwrap();
            let layer = |bias: bool| {
                let tensor = |name: &str| weights.checked(name, [3, 2]).unwrap();
                let words = WordTables {
                    source: tensor("other"),
                    target: tensor(if output == "Wemb" { "Wemb" } else { "other" }),
                    output: tensor(output),
                    output_bias: bias.then(|| weights.checked("out_b", [1, 3]).unwrap()),
                };
                Output::with_embeddings(words).2
            };
            let (input, mut logits) = (Matrix::from_vec(1, 2, vec![1.0, 10.0]), Matrix::new());
            layer(true).logits(&input, &mut logits, &mut ProductStorage::default());
            assert_eq!(logits.row(0), [21.5, 43.0, 65.0], "{name}");
            layer(false).logits(&input, &mut logits, &mut ProductStorage::default());
            assert_eq!(logits.row(0), [21.0, 43.0, 65.0], "{name}");
        }
    }
}
