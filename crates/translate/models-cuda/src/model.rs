//! A network's weights on a device.

use crate::average::AverageAttention;
use crate::blocks::{Block, FeedForward, Process};
use crate::decoder::{CrossAttention, Decoder, DecoderLayer, NO_WORD, SelfAttention, SoFar, Ssru};
use crate::encoder::{Encoder, EncoderLayer, SourceFrame};
use crate::error::CudaModelError;
use crate::failure::Failure;
use crate::input::{Input, Positions};
use crate::logits::Logits;
use crate::network::Network;
use crate::pack::{FileTensors, Packer, Tensor};
use crate::recurrent::{Recurrent, RecurrentState};
use crate::state::State;
use metaphrase_cuda::Cuda;
use metaphrase_cuda::decoding::{DeviceMap, RowHeads, WeightNumbers};
use metaphrase_models::config::{Activation, Positions as PositionKind, TransformerConfig};
use metaphrase_models::device::{DeviceLogits, DeviceNetwork, DeviceState};
use metaphrase_models::parts::transformer::{self as parts, Transformer};
use metaphrase_models::parts::{Network as Parts, WordTables};
use metaphrase_models::{Architecture, Config, Model, Weights};
use std::sync::Arc;

/// A network on a CUDA device.
pub struct CudaModel {
    network: AnyNetwork,
    cuda: Cuda,
    failure: Arc<Failure>,
}

/// The network of an architecture.
enum AnyNetwork {
    Transformer(Arc<Network>),
    Recurrent(Arc<Recurrent>),
}

/// The widest head that kernels have room for.
const WIDEST_HEAD: usize = 512;

impl CudaModel {
    /// The model of these settings and weights, brought to the device of `cuda`. Its maps and embeddings are stored as
    /// `numbers`; everything is computed in `f32`.
    ///
    /// # Errors If the settings make no sense, if a tensor is missing, if the device can not run the network, or if it
    /// has no room.
    pub fn load(
        cuda: &Cuda,
        config: Config,
        weights: &Weights,
        numbers: WeightNumbers,
    ) -> Result<Model, CudaModelError> {
        config.check(weights.path())?;
        if let Architecture::Transformer(settings) = &config.architecture {
            refuse_unsupported(settings)?;
        }
        let mut packer = Packer { cuda: cuda.another(), numbers };
        let network = match Parts::build(&config, &mut FileTensors(weights))? {
            Parts::Transformer(parts) => AnyNetwork::Transformer(Arc::new(packer.transformer(*parts))),
            Parts::Recurrent(parts) => AnyNetwork::Recurrent(Arc::new(Recurrent::pack(*parts, &mut packer))),
        };
        packer.cuda.synchronise(); // searches read the weights in streams of their own
        packer.cuda.check()?;
        let model = Self { network, cuda: cuda.another(), failure: Arc::default() };
        Ok(Model::on_device(config, weights, Box::new(model))?)
    }
}

impl DeviceNetwork for CudaModel {
    fn new_state(&self) -> Box<dyn DeviceState> {
        let (cuda, failure) = (self.cuda.another(), Arc::clone(&self.failure));
        match &self.network {
            AnyNetwork::Transformer(network) => Box::new(State::new(Arc::clone(network), cuda, failure)),
            AnyNetwork::Recurrent(network) => Box::new(RecurrentState::new(Arc::clone(network), cuda, failure)),
        }
    }

    fn new_logits(&self) -> Box<dyn DeviceLogits> {
        Box::new(Logits::new(self.cuda.another(), Arc::clone(&self.failure)))
    }

    fn failure(&self) -> Option<String> {
        self.failure.last().as_ref().map(ToString::to_string)
    }
}

/// Refuses settings that have no kernels.
fn refuse_unsupported(settings: &TransformerConfig) -> Result<(), CudaModelError> {
    let part = match settings.positions {
        PositionKind::Relative { .. } => "relative positions",
        PositionKind::Buckets { .. } => "numbers for distances between words",
        _ if settings.gated_ffn => "gated feed-forward blocks",
        _ if settings.dim_head.is_some_and(|size| size * settings.heads != settings.dim_emb) => {
            "heads of a size of their own"
        }
        _ if settings.activation == Activation::GeluTanh => "the approximate GELU",
        _ if settings.dim_emb / settings.heads > WIDEST_HEAD => "attention heads of more than 512 numbers",
        _ => return Ok(()),
    };
    Err(CudaModelError::Unsupported { part })
}

impl Packer {
    fn transformer(&mut self, parts: Transformer<Tensor>) -> Network {
        let Transformer { settings, words, encoder, decoder, order } = parts;
        let dim = settings.dim_emb;
        let heads = RowHeads { count: settings.heads, dim: dim / settings.heads };
        let raw_keys = !settings.normalised_keys;
        let [source, target, output] = self.tables(words);
        let mut positions = |trained: Option<parts::PositionTable<Tensor>>| match trained {
            Some(trained) => Positions::Trained(Arc::new(self.matrix(trained.table))),
            None if settings.positions == PositionKind::None => Positions::None,
            None => Positions::Computed { kind: settings.positions, dim },
        };
        let [of_encoder, of_decoder] = [encoder.positions, decoder.positions].map(&mut positions);
        let scale = if settings.scale_embeddings { (dim as f32).sqrt() } else { 1.0 };
        let [encoder_top, decoder_top] = [encoder.top, decoder.top].map(|top| Process::pack(top, self));
        let mut input = |table, positions, process, is_kept| {
            let process = Process::pack(process, self);
            Input { table, positions, scale, process, is_kept }
        };
        let encoder_input = input(source, of_encoder, encoder.after_embedding, encoder_top.reads_input());
        let decoder_input = input(target, of_decoder, decoder.after_embedding, decoder_top.reads_input());
        let encoder_layers = encoder.layers.into_iter().map(|layer| self.encoder_layer(layer)).collect();
        let (mut layers, mut sources) = (Vec::new(), Vec::new());
        for layer in decoder.layers {
            layers.push(self.decoder_layer(layer, raw_keys, &mut sources));
        }
        let encoder = Encoder {
            input: encoder_input,
            frame: SourceFrame::new(&settings),
            heads,
            layers: encoder_layers,
            top: encoder_top,
        };
        let decoder = Decoder {
            input: decoder_input,
            layers,
            order,
            alignment_layer: settings.alignment_layer - 1,
            start_word: settings.start_word.unwrap_or(NO_WORD),
            heads,
            raw_keys,
            source: self.joined(sources),
            top: decoder_top,
        };
        Network { encoder, decoder, output }
    }

    /// The tables of source and target words, and the output layer; tied ones are one.
    pub(crate) fn tables(&mut self, words: WordTables<Tensor>) -> [Arc<DeviceMap>; 3] {
        let WordTables { source, target, output, output_bias } = words;
        let layer = Arc::new(self.table(&output, output_bias));
        let tied_target = target.name == output.name;
        let of_target = if tied_target { Arc::clone(&layer) } else { Arc::new(self.table(&target, None)) };
        let of_source = match &source.name {
            name if *name == target.name => Arc::clone(&of_target),
            name if *name == output.name => Arc::clone(&layer),
            _ => Arc::new(self.table(&source, None)),
        };
        [of_source, of_target, layer]
    }

    fn encoder_layer(&mut self, layer: parts::EncoderLayer<Tensor>) -> EncoderLayer {
        EncoderLayer {
            attention: self.self_attention(layer.attention, false),
            feed_forward: Block::pack(layer.feed_forward, self, FeedForward::pack),
        }
    }

    fn decoder_layer(
        &mut self,
        layer: parts::DecoderLayer<Tensor>,
        raw_keys: bool,
        sources: &mut Vec<parts::Dense<Tensor>>,
    ) -> DecoderLayer {
        let so_far = match layer.so_far {
            parts::SoFar::Attention(block) => SoFar::Attention(self.self_attention(block, raw_keys)),
            parts::SoFar::Ssru(block) => SoFar::Ssru(Block::pack(block, self, |ssru, packer| Ssru {
                candidate: packer.map(ssru.candidate),
                forget: packer.map(ssru.forget),
                projection: ssru.projection.map(|map| packer.map(map)),
            })),
            parts::SoFar::Average(block) => SoFar::Average(Block::pack(block, self, AverageAttention::pack)),
        };
        let context = Block::pack(layer.context, self, |attention, packer| {
            sources.extend([attention.keys, attention.values]);
            let projection = attention.projection.map(|map| packer.map(map));
            CrossAttention { queries: packer.map(attention.queries), projection }
        });
        DecoderLayer { so_far, context, feed_forward: Block::pack(layer.feed_forward, self, FeedForward::pack) }
    }

    fn self_attention(
        &mut self,
        block: parts::Block<Tensor, parts::Attention<Tensor>>,
        raw_keys: bool,
    ) -> Block<SelfAttention> {
        let is_apart = raw_keys && !block.before.steps.is_empty();
        Block::pack(block, self, |attention, packer| {
            let parts::Attention { queries, keys, values, projection, .. } = attention;
            let raw = is_apart.then(|| packer.joined(vec![keys.clone(), values.clone()]));
            let made = packer.joined(vec![queries, keys, values]);
            SelfAttention { made, raw, projection: projection.map(|map| packer.map(map)) }
        })
    }
}
