//! The structure of a Transformer.

mod positions;

pub use positions::{PositionBiases, RelativePositions, is_position_table};

use super::{Init, OutputLayer, PartResult, Supply, WordTables};
use crate::Config;
use crate::config::{
    Activation, AverageAttention as AverageSettings, DecoderLayer as Kind, FeedForward as Size, Operation, Operations,
    Positions, TransformerConfig,
};

/// Rows of a table of trained positions, where no table exists yet.
const TRAINED_POSITIONS: usize = 1024;

/// A Transformer.
pub struct Transformer<T> {
    /// The settings: heads, positions, scales.
    pub settings: TransformerConfig,
    /// Embeddings and output layer.
    pub words: WordTables<T>,
    /// The encoder.
    pub encoder: Side<T, EncoderLayer<T>>,
    /// The decoder; of layers that share weights it has one.
    pub decoder: Side<T, DecoderLayer<T>>,
    /// For each layer of the network, the index of its weights among the decoder's layers.
    pub order: Vec<usize>,
}

/// A table of trained positions; its last row serves all later positions.
pub struct PositionTable<T> {
    /// `rows × d`.
    pub table: T,
    /// At least one.
    pub rows: usize,
}

/// An encoder or a decoder.
pub struct Side<T, L> {
    /// Trained positions; both sides may have one table.
    pub positions: Option<PositionTable<T>>,
    /// The operations between the embeddings and the first layer.
    pub after_embedding: Process<T>,
    /// The operations after the last layer.
    pub top: Process<T>,
    /// The layers.
    pub layers: Vec<L>,
}

/// A layer of the encoder.
pub struct EncoderLayer<T> {
    /// Self-attention.
    pub attention: Block<T, Attention<T>>,
    /// The feed-forward block.
    pub feed_forward: Block<T, FeedForward<T>>,
}

/// A layer of the decoder.
pub struct DecoderLayer<T> {
    /// The part that looks at the translation so far.
    pub so_far: SoFar<T>,
    /// Attention over the source.
    pub context: Block<T, Attention<T>>,
    /// The feed-forward block.
    pub feed_forward: Block<T, FeedForward<T>>,
}

/// The part of a decoder's layer that looks at the translation so far.
pub enum SoFar<T> {
    /// Attention over the words so far.
    Attention(Block<T, Attention<T>>),
    /// A simpler simple recurrent unit.
    Ssru(Block<T, Ssru<T>>),
    /// The mean of the inputs so far.
    Average(Block<T, AverageAttention<T>>),
}

/// A block with the operations before and after it.
pub struct Block<T, B> {
    /// The operations that make the block's input.
    pub before: Process<T>,
    /// The block itself.
    pub body: B,
    /// The operations on the block's output.
    pub after: Process<T>,
}

/// A linear map `f(x · w + b)`.
#[derive(Debug, Clone, Copy)]
pub struct Dense<T> {
    /// `inputs × outputs`.
    pub w: T,
    /// `1 × outputs`.
    pub b: Option<T>,
    /// f.
    pub activation: Option<Activation>,
}

/// Linear maps, one after the other.
pub struct FeedForward<T> {
    /// At least one.
    pub maps: Vec<Dense<T>>,
    /// A map of the block's input by whose output the first map's is multiplied.
    pub gate: Option<Dense<T>>,
}

/// Multi-head attention.
pub struct Attention<T> {
    /// From the attending words.
    pub queries: Dense<T>,
    /// From the words attended to.
    pub keys: Dense<T>,
    /// From the words attended to.
    pub values: Dense<T>,
    /// From the joined heads.
    pub projection: Option<Dense<T>>,
    /// Relative positions, of self-attention alone.
    pub relative: Option<RelativePositions<T>>,
    /// Numbers for distances, of self-attention alone.
    pub biases: Option<PositionBiases<T>>,
}

/// A simpler simple recurrent unit (Kim et al. 2019).
pub struct Ssru<T> {
    /// From the input to the candidate.
    pub candidate: Dense<T>,
    /// From the input to the forget gate.
    pub forget: Dense<T>,
    /// From the unit's output.
    pub projection: Option<Dense<T>>,
}

/// Average attention (Zhang et al. 2018, arXiv:1805.00631).
pub struct AverageAttention<T> {
    /// Linear maps over the mean. There is no map at all where the depth is 1, as in Marian.
    pub feed_forward: Vec<Dense<T>>,
    /// The gates.
    pub gates: Option<Gates<T>>,
}

/// The gates of average attention.
pub struct Gates<T> {
    /// From the block's input.
    pub input: Dense<T>,
    /// From the mean.
    pub forget: Dense<T>,
}

/// A sequence of operations before or after a block.
pub struct Process<T> {
    /// The operations in their order.
    pub steps: Vec<Step<T>>,
    /// Added to variances and mean squares.
    pub epsilon: f32,
}

/// One operation; `x` is the input of the block, `y` the value that the operation changes.
pub enum Step<T> {
    /// y + x
    Add,
    /// (y - mean) / sqrt(variance + ε) ⊙ scale + bias
    LayerNorm {
        /// `1 × d`.
        scale: T,
        /// `1 × d`.
        bias: T,
    },
    /// y / sqrt(mean square + ε) ⊙ scale
    RmsNorm {
        /// `1 × d`.
        scale: T,
    },
    /// g ⊙ y + (1 - g) ⊙ x, where the map makes g of x.
    Highway(Dense<T>),
}

impl<T> Transformer<T> {
    pub(super) fn build<S: Supply<Tensor = T>>(
        config: &Config,
        network: &TransformerConfig,
        supply: &mut S,
    ) -> Result<Self, S::Error> {
        let dim = network.dim_emb;
        let output = OutputLayer { name: "decoder_ff_logit_out", inputs: dim, has_bias: network.output_bias };
        let words = WordTables::build(supply, config, network.tied_embeddings, dim, output)?;
        let mut own: Vec<usize> = Vec::new();
        let mut order = Vec::new();
        for n in 1..=network.decoder_depth {
            let weights = network.tied_layers.get(n - 1).copied().unwrap_or(n);
            let index = own.iter().position(|&layer| layer == weights).unwrap_or(own.len());
            if index == own.len() {
                own.push(weights);
            }
            order.push(index);
        }
        let mut builder = Builder { supply, config: network };
        let encoder = builder.side("encoder", 1..=network.encoder_depth, Builder::encoder_layer)?;
        let decoder = builder.side("decoder", own, Builder::decoder_layer)?;
        Ok(Self { settings: network.clone(), words, encoder, decoder, order })
    }
}

/// Asks for the tensors of parts.
struct Builder<'a, S> {
    supply: &'a mut S,
    config: &'a TransformerConfig,
}

impl<S: Supply> Builder<'_, S> {
    /// The side called `name` with layers of these numbers, counted from 1.
    fn side<L>(
        &mut self,
        name: &str,
        layers: impl IntoIterator<Item = usize>,
        layer: impl Fn(&mut Self, usize) -> PartResult<S, L>,
    ) -> PartResult<S, Side<S::Tensor, L>> {
        Ok(Side {
            positions: self.positions(name)?,
            after_embedding: self.process(&self.config.postprocess_emb, &format!("{name}_emb"), "_pre")?,
            top: self.process(&self.config.postprocess_top, &format!("{name}_top"), "")?,
            layers: layers.into_iter().map(|n| layer(self, n)).collect::<Result<_, _>>()?,
        })
    }

    /// The table of positions of the side called `side`.
    fn positions(&mut self, side: &str) -> PartResult<S, Option<PositionTable<S::Tensor>>> {
        let name = match self.config.positions {
            Positions::Trained => "Wpos".to_owned(),
            Positions::TrainedBySide => format!("{side}_Wpos"),
            _ => return Ok(None),
        };
        let rows = self.supply.rows(&name, TRAINED_POSITIONS);
        let table = self.supply.tensor(&name, [rows, self.config.dim_emb], Init::Uniform(0.05))?;
        Ok(Some(PositionTable { table, rows }))
    }

    fn encoder_layer(&mut self, n: usize) -> PartResult<S, EncoderLayer<S::Tensor>> {
        Ok(EncoderLayer {
            attention: self.self_attention(&format!("encoder_l{n}_self"))?,
            feed_forward: self.feed_forward(&format!("encoder_l{n}_ffn"), self.config.encoder_ffn)?,
        })
    }

    fn decoder_layer(&mut self, n: usize) -> PartResult<S, DecoderLayer<S::Tensor>> {
        let so_far = match self.config.decoder_layer {
            Kind::SelfAttention => SoFar::Attention(self.self_attention(&format!("decoder_l{n}_self"))?),
            Kind::Ssru { projection } => SoFar::Ssru(self.ssru(&format!("decoder_l{n}_rnn"), projection)?),
            Kind::AverageAttention(settings) => SoFar::Average(self.average(&format!("decoder_l{n}_aan"), settings)?),
        };
        Ok(DecoderLayer {
            so_far,
            context: self.attention(&format!("decoder_l{n}_context"))?,
            feed_forward: self.feed_forward(&format!("decoder_l{n}_ffn"), self.config.decoder_ffn)?,
        })
    }

    fn attention(&mut self, prefix: &str) -> PartResult<S, Block<S::Tensor, Attention<S::Tensor>>> {
        let (dim, inner) = (self.config.dim_emb, self.config.heads * self.config.head_size());
        let projects = self.config.attention_projection;
        let body = Attention {
            queries: self.dense(prefix, "q", [dim, inner])?,
            keys: self.dense(prefix, "k", [dim, inner])?,
            values: self.dense(prefix, "v", [dim, inner])?,
            projection: projects.then(|| self.dense(prefix, "o", [inner, dim])).transpose()?,
            relative: None,
            biases: None,
        };
        let around = format!("{prefix}_Wo");
        self.block(body, &around, &around)
    }

    fn self_attention(&mut self, prefix: &str) -> PartResult<S, Block<S::Tensor, Attention<S::Tensor>>> {
        let mut block = self.attention(prefix)?;
        if let Positions::Relative { distance } = self.config.positions {
            let shape = [2 * distance + 1, self.config.head_size()];
            let keys = self.supply.tensor(&format!("{prefix}_relative_keys"), shape, Init::Glorot)?;
            let values = self.supply.tensor(&format!("{prefix}_relative_values"), shape, Init::Glorot)?;
            block.body.relative = Some(RelativePositions { keys, values, distance });
        }
        if let Positions::Buckets { buckets, distance } = self.config.positions {
            let both_ways = prefix.starts_with("encoder");
            let name = if both_ways { "encoder_relative_bias" } else { "decoder_relative_bias" };
            let table = self.supply.tensor(name, [buckets, self.config.heads], Init::Glorot)?;
            block.body.biases = Some(PositionBiases { table, buckets, distance, both_ways });
        }
        Ok(block)
    }

    fn feed_forward(&mut self, prefix: &str, size: Size) -> PartResult<S, Block<S::Tensor, FeedForward<S::Tensor>>> {
        let mut maps = self.inner_maps(prefix, size, self.config.activation)?;
        let inputs = if maps.is_empty() { self.config.dim_emb } else { size.dim };
        maps.push(self.dense(prefix, &size.depth.to_string(), [inputs, self.config.dim_emb])?);
        let gated = self.config.gated_ffn;
        let gate = gated.then(|| self.dense(prefix, "g", [self.config.dim_emb, size.dim])).transpose()?;
        let around = format!("{prefix}_ffn");
        self.block(FeedForward { maps, gate }, &around, &around)
    }

    fn ssru(&mut self, prefix: &str, projection: bool) -> PartResult<S, Block<S::Tensor, Ssru<S::Tensor>>> {
        let dim = self.config.dim_emb;
        let w = self.supply.tensor(&format!("{prefix}_W"), [dim, dim], Init::Glorot)?;
        let body = Ssru {
            candidate: Dense { w, b: None, activation: None },
            forget: self.gate(prefix, "f")?,
            projection: projection.then(|| self.square(prefix, "o")).transpose()?,
        };
        self.block(body, prefix, &format!("{prefix}_ffn"))
    }

    fn average(
        &mut self,
        prefix: &str,
        AverageSettings { ffn, activation, gate }: AverageSettings,
    ) -> PartResult<S, Block<S::Tensor, AverageAttention<S::Tensor>>> {
        let dim = self.config.dim_emb;
        let mut feed_forward = self.inner_maps(prefix, ffn, activation)?;
        if ffn.depth > 1 && ffn.dim != dim {
            // Marian leaves the last map out where the size fits already.
            feed_forward.push(self.dense(prefix, &ffn.depth.to_string(), [ffn.dim, dim])?);
        }
        let gates = gate.then(|| Ok(Gates { input: self.gate(prefix, "i")?, forget: self.gate(prefix, "f")? }));
        let around = format!("{prefix}_ffn");
        let body = AverageAttention { feed_forward, gates: gates.transpose()? };
        self.block(body, &around, &around)
    }

    /// The maps of a feed-forward block but for the last one: from d to the inner size, each with its activation.
    fn inner_maps(&mut self, prefix: &str, size: Size, activation: Activation) -> PartResult<S, Vec<Dense<S::Tensor>>> {
        let inputs = |i: usize| if i == 1 { self.config.dim_emb } else { size.dim };
        let shapes: Vec<_> = (1..size.depth).map(|i| (i.to_string(), [inputs(i), size.dim])).collect();
        let map = |(suffix, shape): (String, _)| {
            Ok(Dense { activation: Some(activation), ..self.dense(prefix, &suffix, shape)? })
        };
        shapes.into_iter().map(map).collect()
    }

    /// A block whose surroundings have tensors that begin with `before` and `after`.
    fn block<B>(&mut self, body: B, before: &str, after: &str) -> PartResult<S, Block<S::Tensor, B>> {
        Ok(Block {
            before: self.process(&self.config.preprocess, before, "_pre")?,
            body,
            after: self.process(&self.config.postprocess, after, "")?,
        })
    }

    /// Operations whose tensors begin with `prefix`; the names of normalisations end with `suffix`.
    fn process(&mut self, operations: &Operations, prefix: &str, suffix: &str) -> PartResult<S, Process<S::Tensor>> {
        let dim = self.config.dim_emb;
        let vector = |supply: &mut S, kind: &str, value| {
            supply.tensor(&format!("{prefix}_{kind}{suffix}"), [1, dim], Init::Constant(value))
        };
        let step = |operation: &Operation| {
            Ok(match operation {
                Operation::Add => Step::Add,
                Operation::LayerNorm => Step::LayerNorm {
                    scale: vector(self.supply, "ln_scale", 1.0)?,
                    bias: vector(self.supply, "ln_bias", 0.0)?,
                },
                Operation::RmsNorm => Step::RmsNorm { scale: vector(self.supply, "rms_scale", 1.0)? },
                Operation::Highway => Step::Highway(self.gate(prefix, "h")?),
            })
        };
        let steps = operations.0.iter().map(step).collect::<Result<_, _>>()?;
        Ok(Process { steps, epsilon: self.config.layer_norm_epsilon })
    }

    /// A map from d to d that ends with the logistic function.
    fn gate(&mut self, prefix: &str, suffix: &str) -> PartResult<S, Dense<S::Tensor>> {
        Ok(Dense { activation: Some(Activation::Sigmoid), ..self.square(prefix, suffix)? })
    }

    /// A map from d to d.
    fn square(&mut self, prefix: &str, suffix: &str) -> PartResult<S, Dense<S::Tensor>> {
        self.dense(prefix, suffix, [self.config.dim_emb; 2])
    }

    /// The map `{prefix}_W{suffix}`, `{prefix}_b{suffix}` of `shape`, which is `[inputs, outputs]`.
    fn dense(&mut self, prefix: &str, suffix: &str, shape: [usize; 2]) -> PartResult<S, Dense<S::Tensor>> {
        let b = self.supply.tensor(&format!("{prefix}_b{suffix}"), [1, shape[1]], Init::Constant(0.0))?;
        let w = self.supply.tensor(&format!("{prefix}_W{suffix}"), shape, Init::Glorot)?;
        Ok(Dense { w, b: Some(b), activation: None })
    }
}
