//! Guided alignment (Chen et al. 2016): attention is asked to look where a given alignment points.

use super::AttentionRows;
use crate::data::Batch;
use crate::tape::Tape;
use metaphrase_device::Device;
use metaphrase_kernels::Matrix;

/// Added to weights before their logarithm is taken, as in Marian.
const EPSILON: f32 = 1e-6;

/// The loss -Σ_s p_s · ln(w_s + ε) of each target word that has links, p being uniform over the source words it is
/// linked with and w its attention (the first head's); added up and multiplied with `cost`. The derivatives, times
/// `weight`, are on the tape.
pub(super) fn guide<D: Device>(
    tape: &mut Tape<'_, D>,
    batch: &Batch,
    attended: &[AttentionRows],
    cost: f32,
    weight: f32,
) -> f64 {
    if cost <= 0.0 || batch.alignments.is_empty() {
        return 0.0;
    }
    let mut loss = 0.0;
    for attention in attended {
        let weights = tape.attention_weights(attention.value);
        let mut derivatives = Matrix::zeros(1, weights.cols());
        let (weights, by_weights) = (weights.as_slice(), derivatives.as_mut_slice());
        let mut start = 0;
        for &(sentence, position) in &attention.queries {
            let words = batch.source.range(sentence).len();
            let links = batch.alignments[sentence].iter().filter(|(_, target)| *target as usize == position);
            let share = cost / links.clone().count().max(1) as f32;
            for &(source, _) in links {
                let at = start + source as usize;
                loss -= f64::from(share * (weights[at] + EPSILON).ln());
                by_weights[at] -= share * weight / (weights[at] + EPSILON);
            }
            start += attention.heads * words;
        }
        tape.guide_attention(attention.value, &derivatives);
    }
    loss
}
