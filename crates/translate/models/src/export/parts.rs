//! What the writers ask of a network.

use super::ExportedModel;
use crate::ModelError;
use crate::config::{Architecture, Operation, Operations, TransformerConfig};
use crate::parts::Network;
use crate::parts::transformer::{Block, Process, Step, Transformer};
use crate::weights::{CheckedTensor, FromFile};
use metaphrase_kernels::Precision;

/// Where a Transformer normalises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Before each block.
    Before,
    /// After the sum of each block's input and output.
    After,
}

/// A Transformer of attention, with its settings.
pub(super) struct Attentive<'a> {
    pub(super) settings: &'a TransformerConfig,
    pub(super) parts: Transformer<CheckedTensor<'a>>,
    pub(super) order: Order,
    /// The only kind of normalisation.
    pub(super) norm: Operation,
}

impl<'a> Attentive<'a> {
    /// The Transformer of a model, if it has the usual form. `program`: the one that it is written for.
    pub(super) fn of(model: &ExportedModel<'a>, program: &str) -> Result<Self, ModelError> {
        let refuse = |what: &str, advice: &str| {
            Err(ModelError::unsupported(model.path(), format!("{what} in a model for {program}"), advice.to_owned()))
        };
        let Architecture::Transformer(settings) = &model.config.architecture else {
            return refuse("a recurrent network", "it must be a Transformer");
        };
        let mut supply = FromFile { weights: model.weights, precision: Precision::F32 };
        let Network::Transformer(parts) = Network::build(model.config, &mut supply)? else {
            return refuse("a recurrent network", "it must be a Transformer");
        };
        let self_attention = settings.decoder_layer == crate::config::DecoderLayer::SelfAttention;
        let depths = [settings.encoder_ffn.depth, settings.decoder_ffn.depth];
        let refused = [
            (!self_attention, "an SSRU or average attention", "the decoder must have self-attention"),
            (depths != [2, 2], "feed-forward blocks of other than two maps", "each must have two"),
            (settings.gated_ffn, "gates in feed-forward blocks", "they must be plain maps"),
            (!settings.attention_projection, "attention without a last map", "its output must pass one"),
            (settings.dim_head.is_some(), "heads of a size of their own", "it must be that of the network / heads"),
        ];
        if let Some((_, what, advice)) = refused.iter().find(|(found, ..)| *found) {
            return refuse(what, advice);
        }
        let is = |operations: &Operations, expected: &[Operation]| operations.0 == expected;
        for norm in [Operation::LayerNorm, Operation::RmsNorm] {
            let before = is(&settings.preprocess, &[norm]) && is(&settings.postprocess, &[Operation::Add]);
            let after = settings.preprocess.0.is_empty() && is(&settings.postprocess, &[Operation::Add, norm]);
            let others = [&settings.postprocess_emb, &settings.postprocess_top];
            let alike = others.into_iter().all(|operations| operations.0.is_empty() || is(operations, &[norm]));
            if (before || after) && alike {
                let order = if before { Order::Before } else { Order::After };
                return Ok(Self { settings, parts: *parts, order, norm });
            }
        }
        refuse("normalisation at other places", "it must be before each block, or after each sum")
    }
}

/// The normalisation of a block: before it or after it.
pub(super) fn norm_of<'b, 'a, B>(block: &'b Block<CheckedTensor<'a>, B>) -> Option<Norm<'b, 'a>> {
    norm(&block.before).or_else(|| norm(&block.after))
}

/// Scale and bias of a normalisation.
pub(super) type Norm<'b, 'a> = (&'b CheckedTensor<'a>, Option<&'b CheckedTensor<'a>>);

/// The normalisation among operations.
pub(super) fn norm<'b, 'a>(process: &'b Process<CheckedTensor<'a>>) -> Option<Norm<'b, 'a>> {
    process.steps.iter().find_map(|step| match step {
        Step::LayerNorm { scale, bias } => Some((scale, Some(bias))),
        Step::RmsNorm { scale } => Some((scale, None)),
        Step::Add | Step::Highway(_) => None,
    })
}
