//! The Transformer: `metaphrase_models::transformer` with all words of a sentence at once.

use super::{Attended, Decoded, Dropout, NetworkError, embedding, shifted, spans};
use crate::data::{Batch, Sentences};
use crate::parameters::{Init, ParameterId, Parameters};
use crate::tape::{Activation, HeadsAttention, Spans, Tape, Var};
use metaphrase_device::Device;
use metaphrase_models::Config;
use metaphrase_models::config::{
    Activation as Function, AverageAttention as AverageSettings, DecoderLayer, FeedForward as Size, Operation,
    Operations, Positions, TransformerConfig,
};
use metaphrase_models::position_vectors;

pub(super) struct Transformer {
    heads: usize,
    dim: usize,
    scale: f32,
    positions: Positions,
    trained_positions: Option<ParameterId>,
    encoder: Side,
    encoder_layers: Vec<(Block<SelfAttention>, Block<FeedForward>)>,
    decoder: Side,
    decoder_layers: Vec<DecoderBlocks>,
    /// The place of the decoder layer whose attention is the alignment.
    alignment_layer: usize,
}

/// What a side has besides its layers.
struct Side {
    table: ParameterId,
    after_embedding: Process,
    top: Process,
}

struct DecoderBlocks {
    so_far: SoFar,
    context: Block<SelfAttention>,
    feed_forward: Block<FeedForward>,
}

enum SoFar {
    Attention(Block<SelfAttention>),
    Ssru(Block<Ssru>),
    Average(Block<AverageAttention>),
}

/// A block with what stands before and after it.
struct Block<B> {
    before: Process,
    body: B,
    after: Process,
}

#[derive(Clone, Copy)]
struct Dense {
    w: ParameterId,
    b: Option<ParameterId>,
}

/// Self-attention, or attention over the source.
struct SelfAttention {
    queries: Dense,
    keys: Dense,
    values: Dense,
    projection: Option<Dense>,
}

struct FeedForward {
    maps: Vec<Dense>,
    activation: Function,
}

struct Ssru {
    candidate: Dense,
    forget: Dense,
    projection: Option<Dense>,
}

struct AverageAttention {
    feed_forward: Vec<Dense>,
    /// How many of the maps are followed by the activation.
    activated: usize,
    activation: Function,
    /// Gates of input and mean.
    gates: Option<(Dense, Dense)>,
}

/// Operations before or after a block.
struct Process {
    steps: Vec<Step>,
    epsilon: f32,
}

enum Step {
    Add,
    LayerNorm { scale: ParameterId, bias: ParameterId },
    RmsNorm { scale: ParameterId },
    Highway(Dense),
}

/// Rows of a table of trained positions.
const TRAINED_POSITIONS: usize = 1024;

/// Declares parameters by the names that inference reads.
struct Declare<'a> {
    parameters: &'a mut Parameters,
    config: &'a TransformerConfig,
}

impl Declare<'_> {
    /// `{prefix}_W{suffix}` and `{prefix}_b{suffix}`.
    fn dense(&mut self, prefix: &str, suffix: &str, inputs: usize, outputs: usize) -> Dense {
        let b = self.parameters.declare(&format!("{prefix}_b{suffix}"), 1, outputs, Init::Constant(0.0));
        Dense { b: Some(b), ..self.dense_without_bias(prefix, suffix, inputs, outputs) }
    }

    fn dense_without_bias(&mut self, prefix: &str, suffix: &str, inputs: usize, outputs: usize) -> Dense {
        let w = self.parameters.declare(&format!("{prefix}_W{suffix}"), inputs, outputs, Init::Glorot);
        Dense { w, b: None }
    }

    fn process(&mut self, operations: &Operations, prefix: &str, suffix: &str) -> Process {
        let dim = self.config.dim_emb;
        let vector = |parameters: &mut Parameters, kind: &str, value: f32| {
            parameters.declare(&format!("{prefix}_{kind}{suffix}"), 1, dim, Init::Constant(value))
        };
        let mut steps = Vec::new();
        for operation in &operations.0 {
            steps.push(match operation {
                Operation::Add => Step::Add,
                Operation::LayerNorm => Step::LayerNorm {
                    scale: vector(self.parameters, "ln_scale", 1.0),
                    bias: vector(self.parameters, "ln_bias", 0.0),
                },
                Operation::RmsNorm => Step::RmsNorm { scale: vector(self.parameters, "rms_scale", 1.0) },
                Operation::Highway => Step::Highway(self.dense(prefix, "h", dim, dim)),
            });
        }
        Process { steps, epsilon: self.config.layer_norm_epsilon }
    }

    /// A block whose surroundings have tensors that begin with `before` and `after`.
    fn block<B>(&mut self, body: B, before: &str, after: &str) -> Block<B> {
        let (preprocess, postprocess) = (&self.config.preprocess, &self.config.postprocess);
        Block { before: self.process(preprocess, before, "_pre"), body, after: self.process(postprocess, after, "") }
    }

    fn attention(&mut self, prefix: &str) -> Block<SelfAttention> {
        let dim = self.config.dim_emb;
        let [queries, keys, values] = ["q", "k", "v"].map(|suffix| self.dense(prefix, suffix, dim, dim));
        let projection = self.config.attention_projection.then(|| self.dense(prefix, "o", dim, dim));
        let around = format!("{prefix}_Wo");
        self.block(SelfAttention { queries, keys, values, projection }, &around, &around)
    }

    /// Linear maps from d over the inner size back to d.
    fn maps(&mut self, prefix: &str, size: Size) -> Vec<Dense> {
        let dim = self.config.dim_emb;
        let sizes = |i: usize| if i == 0 || i == size.depth { dim } else { size.dim };
        (1..=size.depth).map(|i| self.dense(prefix, &i.to_string(), sizes(i - 1), sizes(i))).collect()
    }

    fn feed_forward(&mut self, prefix: &str, size: Size) -> Block<FeedForward> {
        let maps = self.maps(prefix, size);
        let around = format!("{prefix}_ffn");
        self.block(FeedForward { maps, activation: self.config.activation }, &around, &around)
    }

    fn ssru(&mut self, prefix: &str, projection: bool) -> Block<Ssru> {
        let dim = self.config.dim_emb;
        let candidate = self.dense_without_bias(prefix, "", dim, dim);
        let forget = self.dense(prefix, "f", dim, dim);
        let projection = projection.then(|| self.dense(prefix, "o", dim, dim));
        self.block(Ssru { candidate, forget, projection }, prefix, &format!("{prefix}_ffn"))
    }

    fn average(&mut self, prefix: &str, settings: AverageSettings) -> Block<AverageAttention> {
        let dim = self.config.dim_emb;
        let mut feed_forward = self.maps(prefix, settings.ffn);
        if settings.ffn.depth == 1 || settings.ffn.dim == dim {
            feed_forward.pop(); // as inference: no last map where the size fits already
        }
        let gates = settings.gate.then(|| (self.dense(prefix, "i", dim, dim), self.dense(prefix, "f", dim, dim)));
        let around = format!("{prefix}_ffn");
        let activated = settings.ffn.depth - 1;
        self.block(
            AverageAttention { feed_forward, activated, activation: settings.activation, gates },
            &around,
            &around,
        )
    }

    fn side(&mut self, side: &str, table: ParameterId) -> Side {
        let after_embedding = self.process(&self.config.postprocess_emb, &format!("{side}_emb"), "_pre");
        Side { table, after_embedding, top: self.process(&self.config.postprocess_top, &format!("{side}_top"), "") }
    }

    fn decoder_layer(&mut self, n: usize) -> DecoderBlocks {
        let so_far = match self.config.decoder_layer {
            DecoderLayer::SelfAttention => SoFar::Attention(self.attention(&format!("decoder_l{n}_self"))),
            DecoderLayer::Ssru { projection } => SoFar::Ssru(self.ssru(&format!("decoder_l{n}_rnn"), projection)),
            DecoderLayer::AverageAttention(settings) => {
                SoFar::Average(self.average(&format!("decoder_l{n}_aan"), settings))
            }
        };
        DecoderBlocks {
            so_far,
            context: self.attention(&format!("decoder_l{n}_context")),
            feed_forward: self.feed_forward(&format!("decoder_l{n}_ffn"), self.config.decoder_ffn),
        }
    }
}

impl Transformer {
    pub(super) fn declare(
        config: &Config,
        settings: &TransformerConfig,
        parameters: &mut Parameters,
    ) -> Result<Self, NetworkError> {
        let dim = settings.dim_emb;
        if settings.heads == 0 || !dim.is_multiple_of(settings.heads) {
            return Err(NetworkError(format!("{dim} numbers can not be cut into {} heads", settings.heads)));
        }
        let tied = settings.tied_embeddings;
        let source = embedding(parameters, tied.source_table(), config.source_words, dim);
        let target = embedding(parameters, tied.target_table(), config.target_words, dim);
        let trained_positions = (settings.positions == Positions::Trained)
            .then(|| parameters.declare("Wpos", TRAINED_POSITIONS, dim, Init::Uniform(0.05)));
        let mut declare = Declare { parameters, config: settings };
        let encoder_layer = |n: usize, declare: &mut Declare<'_>| {
            let attention = declare.attention(&format!("encoder_l{n}_self"));
            (attention, declare.feed_forward(&format!("encoder_l{n}_ffn"), settings.encoder_ffn))
        };
        let own_weights = |n: usize| settings.tied_layers.get(n - 1).copied().unwrap_or(n);
        Ok(Self {
            heads: settings.heads,
            dim,
            scale: if settings.scale_embeddings { (dim as f32).sqrt() } else { 1.0 },
            positions: settings.positions,
            trained_positions,
            encoder: declare.side("encoder", source),
            encoder_layers: (1..=settings.encoder_depth).map(|n| encoder_layer(n, &mut declare)).collect(),
            decoder: declare.side("decoder", target),
            alignment_layer: settings.alignment_layer.saturating_sub(1),
            decoder_layers: (1..=settings.decoder_depth).map(|n| declare.decoder_layer(own_weights(n))).collect(),
        })
    }

    pub(super) fn forward<D: Device>(&self, tape: &mut Tape<'_, D>, batch: &Batch, dropout: &Dropout) -> Decoded {
        let (source, target) = (spans(&batch.source), spans(&batch.target));
        let encoded = self.encode(tape, &batch.source, &source, dropout);
        let run = Run { heads: self.heads, dropout, source: source.clone(), target: target.clone() };
        let before = shifted(&batch.target);
        let embedded = self.input(tape, &self.decoder, &before, &target, (dropout.target_words, dropout.layer));
        let mut x = self.decoder.after_embedding.apply(tape, embedded, embedded);
        let mut attended = Vec::new();
        for (n, layer) in self.decoder_layers.iter().enumerate() {
            x = match &layer.so_far {
                SoFar::Attention(block) => {
                    run.around(tape, block, x, |run, tape, body, x| run.attend(tape, body, x, &run.target, true))
                }
                SoFar::Ssru(block) => run.around(tape, block, x, Run::ssru),
                SoFar::Average(block) => run.average(tape, block, x),
            };
            let mut attention = None;
            x = run.around(tape, &layer.context, x, |run, tape, body, x| {
                let (value, y) = run.attention(tape, body, (x, &run.target), (encoded, &run.source), false);
                attention = Some(value);
                y
            });
            if let (true, Some(value)) = (n == self.alignment_layer, attention) {
                let positions = |i: usize| (0..batch.target.range(i).len()).map(move |t| (i, t));
                let queries = (0..batch.target.len()).flat_map(positions).collect();
                attended.push(Attended { value, queries, heads: self.heads });
            }
            x = run.around(tape, &layer.feed_forward, x, Run::feed_forward);
        }
        let output = self.decoder.top.apply(tape, x, embedded);
        Decoded { output, words: batch.target.words().iter().map(|word| word.0).collect(), attended }
    }

    fn encode<D: Device>(
        &self,
        tape: &mut Tape<'_, D>,
        sentences: &Sentences,
        spans: &Spans,
        dropout: &Dropout,
    ) -> Var {
        let run = Run { heads: self.heads, dropout, source: spans.clone(), target: spans.clone() };
        let words: Vec<_> = sentences.words().iter().map(|word| Some(word.0)).collect();
        let embedded = self.input(tape, &self.encoder, &words, spans, (dropout.source_words, dropout.layer));
        let mut x = self.encoder.after_embedding.apply(tape, embedded, embedded);
        for (attention, feed_forward) in &self.encoder_layers {
            x = run.around(tape, attention, x, |run, tape, body, x| run.attend(tape, body, x, &run.source, false));
            x = run.around(tape, feed_forward, x, Run::feed_forward);
        }
        self.encoder.top.apply(tape, x, embedded)
    }

    /// Embeddings and positions.
    fn input<D: Device>(
        &self,
        tape: &mut Tape<'_, D>,
        side: &Side,
        words: &[Option<u32>],
        spans: &Spans,
        (word_dropout, dropout): (f32, f32),
    ) -> Var {
        let mut x = tape.lookup(side.table, words, self.scale);
        x = tape.dropout_rows(x, word_dropout);
        let longest = spans.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
        if let Some(table) = self.trained_positions {
            let places = spans.iter().flat_map(|span| 0..span.len());
            let places: Vec<_> = places.map(|t| Some(t.min(TRAINED_POSITIONS - 1) as u32)).collect();
            let positions = tape.lookup(table, &places, 1.0);
            x = tape.add(x, positions);
        } else if let Some(vectors) = position_vectors(self.positions, self.dim, longest) {
            let places = spans.iter().flat_map(|span| 0..span.len() as u32).collect();
            let vectors = tape.constant(&vectors);
            let positions = tape.gather(vectors, places);
            x = tape.add(x, positions);
        }
        tape.dropout(x, dropout)
    }
}

/// What the blocks of one forward pass share.
struct Run<'a> {
    heads: usize,
    dropout: &'a Dropout,
    source: Spans,
    target: Spans,
}

impl Run<'_> {
    /// A block with what stands before and after it.
    fn around<D: Device, B>(
        &self,
        tape: &mut Tape<'_, D>,
        block: &Block<B>,
        x: Var,
        body: impl FnOnce(&Self, &mut Tape<'_, D>, &B, Var) -> Var,
    ) -> Var {
        let input = block.before.apply(tape, x, x);
        let y = body(self, tape, &block.body, input);
        let y = tape.dropout(y, self.dropout.layer);
        block.after.apply(tape, y, x)
    }

    /// Attention, and what its projection makes of it.
    fn attention<D: Device>(
        &self,
        tape: &mut Tape<'_, D>,
        block: &SelfAttention,
        (x, queries): (Var, &Spans),
        (seen, keys): (Var, &Spans),
        causal: bool,
    ) -> (Var, Var) {
        let q = block.queries.apply(tape, x, Activation::None);
        let k = block.keys.apply(tape, seen, Activation::None);
        let v = block.values.apply(tape, seen, Activation::None);
        let settings = HeadsAttention {
            heads: self.heads,
            queries: queries.clone(),
            keys: keys.clone(),
            causal,
            scale: None,
            dropout: self.dropout.attention,
        };
        let y = tape.attention(q, k, v, &settings);
        (y, block.projection.map_or(y, |map| map.apply(tape, y, Activation::None)))
    }

    fn attend<D: Device>(
        &self,
        tape: &mut Tape<'_, D>,
        block: &SelfAttention,
        x: Var,
        spans: &Spans,
        causal: bool,
    ) -> Var {
        self.attention(tape, block, (x, spans), (x, spans), causal).1
    }

    fn feed_forward<D: Device>(&self, tape: &mut Tape<'_, D>, block: &FeedForward, x: Var) -> Var {
        self.maps(tape, &block.maps, block.maps.len() - 1, block.activation, x)
    }

    /// Linear maps; the first `activated` of them are followed by the function.
    fn maps<D: Device>(
        &self,
        tape: &mut Tape<'_, D>,
        maps: &[Dense],
        activated: usize,
        function: Function,
        mut x: Var,
    ) -> Var {
        for (i, map) in maps.iter().enumerate() {
            if i < activated {
                x = map.apply_function(tape, x, function);
                x = tape.dropout(x, self.dropout.feed_forward);
            } else {
                x = map.apply(tape, x, Activation::None);
            }
        }
        x
    }

    fn ssru<D: Device>(&self, tape: &mut Tape<'_, D>, block: &Ssru, x: Var) -> Var {
        let candidate = block.candidate.apply(tape, x, Activation::None);
        let forget = block.forget.apply(tape, x, Activation::Sigmoid);
        let cells = tape.leaky_sum(forget, candidate, &self.target);
        let y = tape.activate(cells, Activation::Relu);
        block.projection.map_or(y, |map| map.apply(tape, y, Activation::None))
    }

    /// Not like the others: what stands before the block sees the means, and its gate sees the input as it is.
    fn average<D: Device>(&self, tape: &mut Tape<'_, D>, block: &Block<AverageAttention>, x: Var) -> Var {
        let means = tape.running_mean(x, &self.target);
        let seen = block.before.apply(tape, means, means);
        let AverageAttention { feed_forward, activated, activation, gates } = &block.body;
        let mut y = self.maps(tape, feed_forward, *activated, *activation, seen);
        if let Some((input, forget)) = gates {
            let input = input.apply(tape, x, Activation::Sigmoid);
            let forget = forget.apply(tape, y, Activation::Sigmoid);
            let kept = tape.mul(input, x);
            let mean = tape.mul(forget, y);
            y = tape.add(mean, kept);
        }
        let y = tape.dropout(y, self.dropout.layer);
        block.after.apply(tape, y, x)
    }
}

impl Process {
    /// The operations on `y`; skip connections and highways lead from `x`.
    fn apply<D: Device>(&self, tape: &mut Tape<'_, D>, mut y: Var, x: Var) -> Var {
        for step in &self.steps {
            y = match *step {
                Step::Add => tape.add(y, x),
                Step::LayerNorm { scale, bias } => tape.layer_norm(y, scale, Some(bias), self.epsilon),
                Step::RmsNorm { scale } => tape.rms_norm(y, scale, self.epsilon),
                Step::Highway(map) => {
                    let gate = map.apply(tape, x, Activation::Sigmoid);
                    tape.mix(gate, y, x)
                }
            };
        }
        y
    }
}

impl Dense {
    fn apply<D: Device>(self, tape: &mut Tape<'_, D>, x: Var, activation: Activation) -> Var {
        tape.linear(x, self.w, self.b, activation)
    }

    fn apply_function<D: Device>(self, tape: &mut Tape<'_, D>, x: Var, function: Function) -> Var {
        let inner = match function {
            Function::Relu => Activation::Relu,
            Function::Sigmoid => Activation::Sigmoid,
            Function::Swish | Function::Gelu => Activation::None,
        };
        let y = self.apply(tape, x, inner);
        match function {
            Function::Swish => tape.swish(y),
            Function::Gelu => tape.gelu(y),
            Function::Relu | Function::Sigmoid => y,
        }
    }
}
