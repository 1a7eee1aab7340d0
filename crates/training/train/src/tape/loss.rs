//! The output layer and the loss, in one: logits live for some rows at a time and never for a whole batch.

use super::{Tape, Var};
use crate::parameters::ParameterId;
use metaphrase_device::{Activation, Block, Device, Shape, Weight, WordLoss};

/// An output layer with its loss, of logits x · Wᵀ + b.
#[derive(Debug, Clone, Copy)]
pub struct OutputLoss {
    /// W, `words × n`.
    pub table: ParameterId,
    /// b, `1 × words`.
    pub bias: Option<ParameterId>,
    /// The loss of a word.
    pub loss: WordLoss,
}

impl<D: Device> Tape<'_, D> {
    /// The losses of `words`, one per row of `x`, to be read by the device; their derivatives by `x` and the layer's
    /// parameters are added up.
    ///
    /// # Panics
    /// If there are not as many words as rows.
    pub fn output_loss(&mut self, x: Var, words: &[u32], layer: &OutputLoss) -> D::Unread {
        let (rows, cols) = self.shape(x);
        assert_eq!(rows, words.len(), "words of a loss");
        let mut losses = D::Unread::default();
        let mut grad = self.gradients.is_some().then(|| self.device.take(rows, cols));
        let step = self.device.logit_rows();
        for start in (0..rows).step_by(step) {
            let chunk = start..(start + step).min(rows);
            let mut inputs = self.device.take(chunk.len(), cols);
            let block = Block { rows: chunk.len(), cols, from: (start, 0), to: (0, 0) };
            self.device.copy_block(&self.values[x.index()], &mut inputs, block);
            let derivative = self.chunk(&inputs, &words[chunk], layer, &mut losses);
            if let (Some(grad), Some(derivative)) = (&mut grad, derivative) {
                self.device.copy_block(&derivative, grad, block.back());
                self.device.give(derivative);
            }
            self.device.give(inputs);
        }
        if let Some(grad) = grad {
            self.seed(x, grad);
        }
        losses
    }

    /// The losses of some rows and, if gradients are needed, their derivative by `inputs`.
    fn chunk(
        &mut self,
        inputs: &D::Matrix,
        words: &[u32],
        layer: &OutputLoss,
        losses: &mut D::Unread,
    ) -> Option<D::Matrix> {
        let Self { device, parameters, gradients, .. } = self;
        let table = parameters.parameter(layer.table);
        let bias = layer.bias.map(|bias| parameters.value(bias));
        let mut logits = device.take(words.len(), D::value(table).rows());
        let output = Weight { parameter: table, transposed: true };
        device.linear(inputs, output, bias, Activation::None, &mut logits);
        device.losses(&mut logits, words, layer.loss, gradients.is_some(), losses);
        let derivative = gradients.as_deref_mut().map(|gradients| {
            if let Some(bias) = layer.bias {
                device.add_all_rows(&logits, gradients.get_mut(bias));
            }
            device.transposed_product_add(&logits, inputs, gradients.get_mut(layer.table));
            let mut derivative = device.zeros(inputs.rows(), inputs.cols());
            let back = Weight { parameter: table, transposed: false };
            device.product_add(&logits, back, &mut derivative, false);
            derivative
        });
        device.give(logits);
        derivative
    }
}
