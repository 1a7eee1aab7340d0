//! Layers that a Transformer has beyond those of the model it begins with: at first they pass on what they get, so that
//! the deeper network begins with the translations of the shallower one (as Net2Net does: Chen et al. 2016).

use crate::parameters::{ParameterId, Parameters};
use metaphrase_kernels::Matrix;
use metaphrase_models::parts::transformer::{
    Attention, Block, DecoderLayer, Dense, EncoderLayer, FeedForward, Process, SoFar, Step, Transformer,
};

/// A block as far as it matters here.
struct BlockOutput<'a> {
    /// The block adds what this map gives; average attention has no such map.
    last: Option<Dense<ParameterId>>,
    after: &'a Process<ParameterId>,
}

/// Makes each block of the layers that are `new`, which follow the model's own, a block that passes on its input.
pub(super) fn pass_on(
    network: &Transformer<ParameterId>,
    new: impl Fn(ParameterId, &Parameters) -> bool,
    parameters: &mut Parameters,
) {
    let encoder: Vec<_> = network.encoder.layers.iter().map(encoder_blocks).collect();
    let decoder: Vec<_> = network.decoder.layers.iter().map(decoder_blocks).collect();
    for side in [encoder, decoder] {
        let mut before = None;
        for BlockOutput { last, after } in side.into_iter().flatten() {
            if let Some(Dense { w, b, .. }) = last.filter(|map| new(map.w, parameters)) {
                clear(w, parameters);
                b.into_iter().for_each(|b| clear(b, parameters));
                before.into_iter().for_each(|before| swap_normalisations(before, after, parameters));
            }
            before = Some(after);
        }
    }
}

/// Moves the scale and the bias of the normalisation `before` a block to that `after` it. What is normalised already is
/// not changed by a normalisation that has neither; the last one does what the model's last one did.
fn swap_normalisations(before: &Process<ParameterId>, after: &Process<ParameterId>, parameters: &mut Parameters) {
    for (before, after) in before.steps.iter().zip(&after.steps) {
        match (before, after) {
            (Step::LayerNorm { scale: g, bias: b }, Step::LayerNorm { scale, bias }) => {
                swap(*g, *scale, parameters);
                swap(*b, *bias, parameters);
            }
            (Step::RmsNorm { scale: g }, Step::RmsNorm { scale }) => swap(*g, *scale, parameters),
            _ => {}
        }
    }
}

fn swap(a: ParameterId, b: ParameterId, parameters: &mut Parameters) {
    let (a_value, b_value) = (parameters.value(a).clone(), parameters.value(b).clone());
    for (id, value) in [(a, b_value), (b, a_value)] {
        parameters.set(id, &value).expect("both have one shape");
    }
}

fn clear(id: ParameterId, parameters: &mut Parameters) {
    let value = parameters.value(id);
    let value = Matrix::zeros(value.rows(), value.cols());
    parameters.set(id, &value).expect("a value of the parameter's own shape");
}

fn encoder_blocks(layer: &EncoderLayer<ParameterId>) -> Vec<BlockOutput<'_>> {
    vec![attention_output(&layer.attention), feed_forward_output(&layer.feed_forward)]
}

fn decoder_blocks(layer: &DecoderLayer<ParameterId>) -> Vec<BlockOutput<'_>> {
    let so_far = match &layer.so_far {
        SoFar::Attention(block) => attention_output(block),
        SoFar::Ssru(block) => {
            BlockOutput { last: Some(block.body.projection.unwrap_or(block.body.candidate)), after: &block.after }
        }
        SoFar::Average(block) => BlockOutput { last: None, after: &block.after },
    };
    vec![so_far, attention_output(&layer.context), feed_forward_output(&layer.feed_forward)]
}

fn attention_output(block: &Block<ParameterId, Attention<ParameterId>>) -> BlockOutput<'_> {
    BlockOutput { last: Some(block.body.projection.unwrap_or(block.body.values)), after: &block.after }
}

fn feed_forward_output(block: &Block<ParameterId, FeedForward<ParameterId>>) -> BlockOutput<'_> {
    BlockOutput { last: block.body.maps.last().copied(), after: &block.after }
}
