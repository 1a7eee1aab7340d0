//! The Transformer: `metaphrase_models::transformer` with all words of a sentence at once.

use super::{AttentionRows, DecoderOutput, Dropout, shifted, spans};
use crate::data::{Batch, Sentences};
use crate::parameters::ParameterId;
use crate::tape::{Activation, HeadsAttention, Spans, Tape, Var};
use metaphrase_device::Device;
use metaphrase_models::config::{Activation as Function, TransformerConfig};
use metaphrase_models::parts::transformer::{self as parts, SoFar, Step};
use metaphrase_models::position_vectors;
use std::rc::Rc;

type Transformer = parts::Transformer<ParameterId>;
type Dense = parts::Dense<ParameterId>;
type Attention = parts::Attention<ParameterId>;
type AverageBlock = parts::Block<ParameterId, parts::AverageAttention<ParameterId>>;
type Process = parts::Process<ParameterId>;

/// The forward pass of a batch.
pub(super) fn forward<D: Device>(
    network: &Transformer,
    tape: &mut Tape<'_, D>,
    batch: &Batch,
    dropout: &Dropout,
) -> DecoderOutput {
    let (source, target) = (spans(&batch.source), spans(&batch.target));
    let run = Run { heads: network.settings.heads, dropout, source, target };
    let encoded = run.encode(network, tape, &batch.source);
    run.decode(network, tape, batch, encoded)
}

/// The settings that the blocks of one forward pass share.
struct Run<'a> {
    heads: usize,
    dropout: &'a Dropout,
    source: Spans,
    target: Spans,
}

/// The vectors of the words of all sentences of a batch.
#[derive(Clone, Copy)]
struct Sequences<'a> {
    /// Words × d.
    rows: Var,
    /// The rows of each sentence.
    spans: &'a Spans,
}

impl Run<'_> {
    fn decode<D: Device>(
        &self,
        network: &Transformer,
        tape: &mut Tape<'_, D>,
        batch: &Batch,
        encoded: Var,
    ) -> DecoderOutput {
        let (run, decoder) = (self, &network.decoder);
        let before = shifted(&batch.target, network.settings.start_word);
        let mut embedded = tape.lookup(network.words.target, &before, scale(&network.settings));
        embedded = tape.dropout_rows(embedded, self.dropout.target_words);
        embedded = self.add_positions(&network.settings, decoder.positions.as_ref(), tape, embedded, &self.target);
        let mut x = process(&decoder.after_embedding, tape, embedded, embedded);
        let mut attended = Vec::new();
        for (n, &weights) in network.order.iter().enumerate() {
            let layer = &decoder.layers[weights];
            x = match &layer.so_far {
                SoFar::Attention(block) => {
                    run.around(tape, block, x, |run, tape, body, x| run.attend(tape, body, x, &run.target, true))
                }
                SoFar::Ssru(block) => run.around(tape, block, x, Run::ssru),
                SoFar::Average(block) => run.average(tape, block, x),
            };
            let mut attention = None;
            x = run.around(tape, &layer.context, x, |run, tape, body, x| {
                let queries = Sequences { rows: x, spans: &run.target };
                let keys = Sequences { rows: encoded, spans: &run.source };
                let (value, y) = run.attention(tape, body, queries, keys, false);
                attention = Some(value);
                y
            });
            if let (true, Some(value)) = (n + 1 == network.settings.alignment_layer, attention) {
                let positions = |i: usize| (0..batch.target.range(i).len()).map(move |t| (i, t));
                let queries = (0..batch.target.len()).flat_map(positions).collect();
                attended.push(AttentionRows { value, queries, heads: self.heads });
            }
            x = run.around(tape, &layer.feed_forward, x, |run, tape, body, x| run.maps(tape, &body.maps, x));
        }
        let output = process(&decoder.top, tape, x, embedded);
        DecoderOutput { output, words: batch.target.all().iter().map(|word| word.0).collect(), attended }
    }

    fn encode<D: Device>(&self, network: &Transformer, tape: &mut Tape<'_, D>, sentences: &Sentences) -> Var {
        let encoder = &network.encoder;
        let words: Vec<_> = sentences.all().iter().map(|word| Some(word.0)).collect();
        let mut embedded = tape.lookup(network.words.source, &words, scale(&network.settings));
        embedded = tape.dropout_rows(embedded, self.dropout.source_words);
        embedded = self.add_positions(&network.settings, encoder.positions.as_ref(), tape, embedded, &self.source);
        let mut x = process(&encoder.after_embedding, tape, embedded, embedded);
        for layer in &encoder.layers {
            let attend =
                |run: &Self, tape: &mut Tape<'_, D>, body: &_, x| run.attend(tape, body, x, &run.source, false);
            x = self.around(tape, &layer.attention, x, attend);
            x = self.around(tape, &layer.feed_forward, x, |run, tape, body, x| run.maps(tape, &body.maps, x));
        }
        process(&encoder.top, tape, x, embedded)
    }

    /// Adds positions to embeddings.
    fn add_positions<D: Device>(
        &self,
        settings: &TransformerConfig,
        trained: Option<&parts::PositionTable<ParameterId>>,
        tape: &mut Tape<'_, D>,
        mut x: Var,
        spans: &Spans,
    ) -> Var {
        let positions = || spans.iter().flat_map(|span| 0..span.len());
        let longest = spans.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
        if let Some(trained) = trained {
            let positions: Vec<_> = positions().map(|t| Some(t.min(trained.rows - 1) as u32)).collect();
            let positions = tape.lookup(trained.table, &positions, 1.0);
            x = tape.add(x, positions);
        } else if let Some(vectors) = position_vectors(settings.positions, settings.dim_emb, longest) {
            let vectors = tape.constant(&vectors);
            let positions = tape.gather(vectors, positions().map(|t| t as u32).collect());
            x = tape.add(x, positions);
        }
        tape.dropout(x, self.dropout.layer)
    }

    /// A block with the operations before and after it.
    fn around<D: Device, B>(
        &self,
        tape: &mut Tape<'_, D>,
        block: &parts::Block<ParameterId, B>,
        x: Var,
        body: impl FnOnce(&Self, &mut Tape<'_, D>, &B, Var) -> Var,
    ) -> Var {
        let input = process(&block.before, tape, x, x);
        let y = body(self, tape, &block.body, input);
        self.after(&block.after, tape, y, x)
    }

    /// Dropout and the operations on `y`; skip connections and highways lead from `x`.
    fn after<D: Device>(&self, operations: &Process, tape: &mut Tape<'_, D>, y: Var, x: Var) -> Var {
        let (y, steps) = match operations.steps.split_first() {
            Some((Step::Add, others)) => (tape.add_dropped(y, x, self.dropout.layer), others),
            _ => (tape.dropout(y, self.dropout.layer), &operations.steps[..]),
        };
        process_by(steps, operations.epsilon, tape, y, x)
    }

    /// Attention, and its projection.
    fn attention<D: Device>(
        &self,
        tape: &mut Tape<'_, D>,
        block: &Attention,
        queries: Sequences<'_>,
        keys: Sequences<'_>,
        causal: bool,
    ) -> (Var, Var) {
        let q = linear(tape, &block.queries, queries.rows);
        let k = linear(tape, &block.keys, keys.rows);
        let v = linear(tape, &block.values, keys.rows);
        if let Some(relative) = &block.relative {
            let y = self.relative_attention(tape, relative, [q, k, v], queries.spans, causal);
            return (y, block.projection.map_or(y, |map| linear(tape, &map, y)));
        }
        let settings = HeadsAttention {
            heads: self.heads,
            queries: queries.spans.clone(),
            keys: keys.spans.clone(),
            causal,
            scale: None,
            dropout: self.dropout.attention,
        };
        let y = tape.attention(q, k, v, &settings);
        (y, block.projection.map_or(y, |map| linear(tape, &map, y)))
    }

    fn attend<D: Device>(&self, tape: &mut Tape<'_, D>, block: &Attention, x: Var, spans: &Spans, causal: bool) -> Var {
        let sequences = Sequences { rows: x, spans };
        self.attention(tape, block, sequences, sequences, causal).1
    }

    /// Self-attention with relative positions: each query has keys and values of its own, those of the words that it
    /// sees with the vectors for their distances added. So memory grows with the square of a sentence's length.
    fn relative_attention<D: Device>(
        &self,
        tape: &mut Tape<'_, D>,
        relative: &parts::RelativePositions<ParameterId>,
        [q, k, v]: [Var; 3],
        sentences: &Spans,
        causal: bool,
    ) -> Var {
        let (mut words, mut distances, mut keys) = (Vec::new(), Vec::new(), Vec::new());
        for sentence in sentences.iter() {
            for query in 0..sentence.len() {
                let seen = if causal { query + 1 } else { sentence.len() };
                keys.push(words.len()..words.len() + seen);
                words.extend((0..seen).map(|key| (sentence.start + key) as u32));
                distances.extend((0..seen).map(|key| Some(relative.row(query, key) as u32)));
            }
        }
        let words: Rc<[u32]> = words.into();
        let mut seen = |x: Var, table: ParameterId| {
            let word_keys = tape.gather(x, Rc::clone(&words));
            let distance_keys = tape.lookup(table, &distances, 1.0);
            let distance_keys = tape.join(&vec![distance_keys; self.heads]);
            tape.add(word_keys, distance_keys)
        };
        let (k, v) = (seen(k, relative.keys), seen(v, relative.values));
        let settings = HeadsAttention {
            heads: self.heads,
            queries: (0..keys.len()).map(|query| query..query + 1).collect(),
            keys: keys.into(),
            causal: false,
            scale: None,
            dropout: self.dropout.attention,
        };
        tape.attention(q, k, v, &settings)
    }

    /// Linear maps, one after the other.
    fn maps<D: Device>(&self, tape: &mut Tape<'_, D>, maps: &[Dense], mut x: Var) -> Var {
        for map in maps {
            x = linear(tape, map, x);
            if map.activation.is_some() {
                x = tape.dropout(x, self.dropout.feed_forward);
            }
        }
        x
    }

    fn ssru<D: Device>(&self, tape: &mut Tape<'_, D>, block: &parts::Ssru<ParameterId>, x: Var) -> Var {
        let candidate = linear(tape, &block.candidate, x);
        let forget = linear(tape, &block.forget, x);
        let cells = tape.leaky_sum(forget, candidate, &self.target);
        let y = tape.activate(cells, Activation::Relu);
        block.projection.map_or(y, |map| linear(tape, &map, y))
    }

    /// Unlike in other blocks, the operations before the block see the means, and the gate sees the input as it is.
    fn average<D: Device>(&self, tape: &mut Tape<'_, D>, block: &AverageBlock, x: Var) -> Var {
        let means = tape.running_mean(x, &self.target);
        let seen = process(&block.before, tape, means, means);
        let mut y = self.maps(tape, &block.body.feed_forward, seen);
        if let Some(gates) = &block.body.gates {
            let input = linear(tape, &gates.input, x);
            let forget = linear(tape, &gates.forget, y);
            let kept = tape.mul(input, x);
            let mean = tape.mul(forget, y);
            y = tape.add(mean, kept);
        }
        self.after(&block.after, tape, y, x)
    }
}

/// The operations on `y`; skip connections and highways lead from `x`.
fn process<D: Device>(operations: &Process, tape: &mut Tape<'_, D>, y: Var, x: Var) -> Var {
    process_by(&operations.steps, operations.epsilon, tape, y, x)
}

fn process_by<D: Device>(steps: &[Step<ParameterId>], epsilon: f32, tape: &mut Tape<'_, D>, mut y: Var, x: Var) -> Var {
    for step in steps {
        y = match step {
            Step::Add => tape.add(y, x),
            Step::LayerNorm { scale, bias } => tape.layer_norm(y, *scale, Some(*bias), epsilon),
            Step::RmsNorm { scale } => tape.rms_norm(y, *scale, epsilon),
            Step::Highway(map) => {
                let gate = linear(tape, map, x);
                tape.mix(gate, y, x)
            }
        };
    }
    y
}

/// A linear map with its activation.
fn linear<D: Device>(tape: &mut Tape<'_, D>, map: &Dense, x: Var) -> Var {
    let inner = match map.activation {
        Some(Function::Relu) => Activation::Relu,
        Some(Function::Sigmoid) => Activation::Sigmoid,
        Some(Function::Swish | Function::Gelu | Function::GeluTanh) | None => Activation::None,
    };
    let y = tape.linear(x, map.w, map.b, inner);
    match map.activation {
        Some(Function::Swish) => tape.activate(y, Activation::Swish),
        // The approximation by tanh is not trained.
        Some(Function::Gelu | Function::GeluTanh) => tape.activate(y, Activation::Gelu),
        Some(Function::Relu | Function::Sigmoid) | None => y,
    }
}

/// The factor of embeddings.
fn scale(settings: &TransformerConfig) -> f32 {
    if settings.scale_embeddings { (settings.dim_emb as f32).sqrt() } else { 1.0 }
}
