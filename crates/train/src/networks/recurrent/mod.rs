//! Recurrent encoder-decoders with attention: `metaphrase_models::recurrent` with the target words given.
//!
//! Words lie position by position ([`Layout`]): the products by a layer's input are one product for all positions,
//! those by its state one per position, over the sentences that are still running.

mod attention_first;
mod cells;
mod layout;

use super::{Attended, Decoded, Dropout, NetworkError, embedding, shifted};
use crate::data::{Batch, Sentences};
use crate::parameters::{Init, ParameterId, Parameters};
use crate::tape::{Activation, AdditiveAttention, Spans, Tape, Var};
use attention_first::{AttentionFirst, Top};
use cells::{Cell, Declare, Inputs, Map, Place, State};
use layout::Layout;
use metaphrase_device::Device;
use metaphrase_models::Config;
use metaphrase_models::config::{
    AttentionFirst as Form, Cell as Kind, DecoderForm, EncoderType, LayerNorm, RecurrentConfig, Top as TopKind,
};
use std::rc::Rc;

pub(super) struct Recurrent {
    source: ParameterId,
    target: ParameterId,
    /// Stacks over the embeddings whose tops are joined.
    forward: Vec<Layer>,
    backward: Vec<Layer>,
    /// Layers over the joined tops.
    upper: Vec<Layer>,
    /// Layers in both directions, each over the joined outputs of both directions below.
    joined: Vec<[Layer; 2]>,
    decoder: AnyDecoder,
}

enum AnyDecoder {
    Conditional(Box<Decoder>),
    AttentionFirst(Box<AttentionFirst>),
}

/// A layer: a cell that reads, then transitions.
struct Layer {
    cells: Vec<Cell>,
    backward: bool,
    /// The layer's input is added to its output.
    skip: bool,
}

struct Decoder {
    start: Map,
    first: Cell,
    keys: Map,
    queries: Map,
    v: ParameterId,
    /// The cell that reads the context, and transitions.
    after_attention: Vec<Cell>,
    upper: Vec<Layer>,
    /// Of the word before, of the state, of the context.
    readout: [Map; 3],
}

/// What is declared with what.
struct Builder<'a> {
    declare: Declare<'a>,
    config: &'a RecurrentConfig,
}

impl Builder<'_> {
    fn cell(&mut self, kind: Kind, name: &str, inputs: usize, place: Place) -> Result<Cell, NetworkError> {
        Cell::declare(&mut self.declare, kind, self.config.dim_rnn, name, inputs, place)
    }

    /// A layer of `depth` cells of these names, counted from 1.
    fn layer(
        &mut self,
        (kind, place, depth): (Kind, Place, usize),
        inputs: usize,
        name: impl Fn(usize) -> String,
    ) -> Result<Layer, NetworkError> {
        let cells = (1..=depth).map(|i| self.cell(kind, &name(i), if i == 1 { inputs } else { 0 }, place));
        Ok(Layer { cells: cells.collect::<Result<_, _>>()?, backward: false, skip: false })
    }

    /// The encoder's layers over embeddings in one direction.
    fn stack(&mut self, prefix: &str, layers: usize, backward: bool) -> Result<Vec<Layer>, NetworkError> {
        let config = self.config;
        let alternating = config.encoder_type == EncoderType::Alternating;
        let mut stack = Vec::new();
        for i in 0..layers {
            let name = |cell: usize| match (i + 1, cell) {
                (1, 1) => prefix.to_owned(),
                (1, cell) => format!("{prefix}_cell{cell}"),
                (layer, cell) => format!("{prefix}_l{layer}_cell{cell}"),
            };
            let inputs = if i == 0 { config.dim_emb } else { config.dim_rnn };
            let kind = (config.encoder_cell, Place::Encoder, config.encoder_cell_depth);
            let layer = self.layer(kind, inputs, name)?;
            stack.push(Layer {
                backward: backward != (alternating && i % 2 == 1),
                skip: config.skip && i > 0,
                ..layer
            });
        }
        Ok(stack)
    }

    fn upper_encoder(&mut self, layers: usize) -> Result<Vec<Layer>, NetworkError> {
        let config = self.config;
        let mut upper = Vec::new();
        for i in 0..layers {
            let inputs = if i == 0 { 2 * config.dim_rnn } else { config.dim_rnn };
            let kind = (config.encoder_cell, Place::Encoder, config.encoder_cell_depth);
            let layer = self.layer(kind, inputs, |cell| format!("encoder_l{}_cell{cell}", i + 2))?;
            upper.push(Layer { skip: config.skip && i > 0, ..layer });
        }
        Ok(upper)
    }

    /// Layers over both directions of the layer below.
    fn joined(&mut self, layers: std::ops::RangeInclusive<usize>) -> Result<Vec<[Layer; 2]>, NetworkError> {
        let config = self.config;
        let mut joined = Vec::new();
        for layer in layers {
            let kind = (config.encoder_cell, Place::Encoder, config.encoder_cell_depth);
            let mut read = |prefix: &str, backward: bool| {
                let name = |cell| format!("{prefix}_l{layer}_cell{cell}");
                Ok(Layer { backward, ..self.layer(kind, 2 * config.dim_rnn, name)? })
            };
            joined.push([read("encoder_bi", false)?, read("encoder_bi_r", true)?]);
        }
        Ok(joined)
    }

    /// A decoder that begins with attention.
    fn attention_first(&mut self, form: &Form, dim: usize) -> Result<AttentionFirst, NetworkError> {
        let config = self.config;
        let (d, e, a) = (config.dim_rnn, config.dim_emb, form.dim_attention);
        if config.decoder_cell != Kind::Gru || config.layer_norm != LayerNorm::None {
            let problem = "a decoder that begins with attention has gru cells without normalisation";
            return Err(NetworkError(problem.into()));
        }
        let cell = self.cell(Kind::Gru, "decoder_cell1", e, Place::Decoder)?;
        let mut below = d;
        let mut layers = Vec::new();
        for i in 1..=form.layers {
            layers.push(self.declare.before_relu(&format!("decoder_fc{i}"), below, form.dim_layers));
            below = form.dim_layers;
        }
        let top = match form.top {
            TopKind::None => Top::None,
            TopKind::Tanh { dim } => Top::Tanh(self.declare.dense("decoder_top", "", below, dim)),
            TopKind::Gru => {
                let kind = (Kind::Gru, Place::Decoder, 1);
                Top::Gru(self.layer(kind, below, |cell| format!("decoder_top_cell{cell}"))?)
            }
        };
        Ok(AttentionFirst {
            start: self.declare.dense("decoder_ff_state", "", dim, d),
            keys: self.declare.matrix("decoder_Wc_att", dim, a),
            of_word: self.declare.matrix("decoder_V_att", e, a),
            of_state: self.declare.matrix("decoder_W_comb_att", d, a),
            cell,
            context: [
                self.declare.matrix("decoder_cell1_C", dim, 2 * d),
                self.declare.matrix("decoder_cell1_Cx", dim, d),
            ],
            layers,
            top,
        })
    }

    /// A decoder over annotations of width `dim`.
    fn decoder(&mut self, dim: usize) -> Result<Decoder, NetworkError> {
        let config = self.config;
        let (d, e) = (config.dim_rnn, config.dim_emb);
        let first = self.cell(config.decoder_cell, "decoder_cell1", e, Place::Decoder)?;
        let (keys, queries) = self.declare.attention(dim, d);
        let v = self.declare.parameters.declare("decoder_U_att", dim, 1, Init::Glorot);
        let mut after_attention = Vec::new();
        for i in 2..=config.decoder_cell_base_depth {
            let inputs = if i == 2 { dim } else { 0 };
            let name = format!("decoder_cell{i}");
            after_attention.push(self.cell(config.decoder_cell, &name, inputs, Place::AfterAttention)?);
        }
        let mut upper = Vec::new();
        for layer in 2..=config.decoder_depth {
            let kind = (config.decoder_cell, Place::Decoder, config.decoder_cell_high_depth);
            let name = |cell| format!("decoder_l{layer}_cell{cell}");
            upper.push(Layer { skip: config.skip, ..self.layer(kind, d, name)? });
        }
        let mut readout = |i: usize, inputs| self.declare.dense("decoder_ff_logit_l1", &i.to_string(), inputs, e);
        let readout = [readout(0, e), readout(1, d), readout(2, dim)];
        let start = self.declare.dense("decoder_ff_state", "", dim, d);
        Ok(Decoder { start, first, keys, queries, v, after_attention, upper, readout })
    }
}

impl Recurrent {
    pub(super) fn declare(
        config: &Config,
        settings: &RecurrentConfig,
        parameters: &mut Parameters,
    ) -> Result<Self, NetworkError> {
        let (tied, dim) = (settings.tied_embeddings, settings.dim_emb);
        let source = embedding(parameters, tied.source_table(), config.source_words, dim);
        let target = embedding(parameters, tied.target_table(), config.target_words, dim);
        let declare = Declare { parameters, norm: settings.layer_norm };
        let mut builder = Builder { declare, config: settings };
        let (stacked, upper) = match settings.encoder_type {
            EncoderType::BiUnidirectional => (1, settings.encoder_depth.saturating_sub(1)),
            EncoderType::Bidirectional | EncoderType::Alternating => (settings.encoder_depth, 0),
            EncoderType::Joined => (1, 0),
        };
        let forward = builder.stack("encoder_bi", stacked, false)?;
        let backward = builder.stack("encoder_bi_r", stacked, true)?;
        let upper = builder.upper_encoder(upper)?;
        let annotations = if upper.is_empty() { 2 * settings.dim_rnn } else { settings.dim_rnn };
        let higher = if settings.encoder_type == EncoderType::Joined { settings.encoder_depth } else { 1 };
        let joined = builder.joined(2..=higher)?;
        let decoder = match &settings.decoder {
            DecoderForm::Conditional => AnyDecoder::Conditional(Box::new(builder.decoder(annotations)?)),
            DecoderForm::AttentionFirst(form) => {
                AnyDecoder::AttentionFirst(Box::new(builder.attention_first(form, annotations)?))
            }
        };
        Ok(Self { source, target, forward, backward, upper, joined, decoder })
    }

    pub(super) fn forward<D: Device>(&self, tape: &mut Tape<'_, D>, batch: &Batch, dropout: &Dropout) -> Decoded {
        let annotations = self.encode(tape, &batch.source, dropout);
        let layout = Layout::new(&batch.target);
        let before = layout.arrange(&batch.target, &shifted(&batch.target));
        let mut words = tape.lookup(self.target, &before, 1.0);
        words = tape.dropout_rows(words, dropout.target_words);
        let (output, attended) = match &self.decoder {
            AnyDecoder::Conditional(decoder) => decoder.run(tape, words, annotations, &layout, &batch.source, dropout),
            AnyDecoder::AttentionFirst(decoder) => {
                decoder.run(tape, words, annotations, &layout, &batch.source, dropout)
            }
        };
        let labels: Vec<u32> = batch.target.words().iter().map(|word| word.0).collect();
        Decoded { output, words: layout.arrange(&batch.target, &labels), attended }
    }

    /// The annotations of all words, sentence after sentence.
    fn encode<D: Device>(&self, tape: &mut Tape<'_, D>, sentences: &Sentences, dropout: &Dropout) -> Var {
        let layout = Layout::new(sentences);
        let words: Vec<_> = sentences.words().iter().map(|word| Some(word.0)).collect();
        let mut words = tape.lookup(self.source, &layout.arrange(sentences, &words), 1.0);
        words = tape.dropout_rows(words, dropout.source_words);
        let tops = [&self.forward, &self.backward].map(|stack| run_layers(tape, stack, words, &layout, dropout));
        let mut annotations = tape.join(&tops);
        annotations = run_layers(tape, &self.upper, annotations, &layout, dropout);
        for directions in &self.joined {
            let tops = directions.each_ref().map(|layer| layer.run(tape, annotations, &layout, None, dropout));
            annotations = tape.join(&tops);
        }
        tape.gather(annotations, layout.by_sentence(sentences))
    }
}

fn run_layers<D: Device>(
    tape: &mut Tape<'_, D>,
    layers: &[Layer],
    mut x: Var,
    layout: &Layout,
    dropout: &Dropout,
) -> Var {
    for layer in layers {
        x = layer.run(tape, x, layout, None, dropout);
    }
    x
}

impl Layer {
    /// Runs over all positions; `start` are the states before the first word, by rank, or zero.
    fn run<D: Device>(
        &self,
        tape: &mut Tape<'_, D>,
        x: Var,
        layout: &Layout,
        start: Option<State>,
        dropout: &Dropout,
    ) -> Var {
        let masks = Masks::new(tape, tape.shape(x).1, self.cells[0].dim(), layout.sentences(), dropout.recurrent);
        let input = masks.input(tape, x, layout);
        let inputs = self.cells[0].inputs(tape, input);
        let mut state = start.unwrap_or_else(|| zero_state(tape, &self.cells[0], 0));
        let mut outputs = Vec::with_capacity(layout.positions());
        for i in 0..layout.positions() {
            let rows = layout.at(if self.backward { layout.positions() - 1 - i } else { i });
            // Forwards sentences end, backwards they begin, with a state of zero.
            state = if tape.shape(state.output).0 < rows.len() {
                state.grown(tape, rows.len())
            } else {
                state.first(tape, rows.len())
            };
            let read = masks.state(tape, state.output);
            state = advance(tape, &self.cells, &inputs, rows.start, state, read);
            outputs.push(state.output);
        }
        if self.backward {
            outputs.reverse();
        }
        let y = tape.stack(&outputs);
        if self.skip { tape.add(y, x) } else { y }
    }
}

/// A cell that reads `inputs` and of the state `read`, then transitions.
fn advance<D: Device>(
    tape: &mut Tape<'_, D>,
    cells: &[Cell],
    inputs: &Inputs,
    from: usize,
    mut state: State,
    read: Var,
) -> State {
    let Some((first, transitions)) = cells.split_first() else { return state };
    state = first.advance(tape, inputs, from, state, read);
    for cell in transitions {
        let inputs = cell.inputs(tape, state.output);
        state = cell.advance(tape, &inputs, 0, state, state.output);
    }
    state
}

fn zero_state<D: Device>(tape: &mut Tape<'_, D>, cell: &Cell, rows: usize) -> State {
    let mut zeros = || tape.zeros(rows, cell.dim());
    State { output: zeros(), memory: cell.has_memory().then(zeros) }
}

/// Variational dropout of a layer: one mask per sentence for its inputs, one for its states.
struct Masks {
    input: Option<Var>,
    state: Option<Var>,
}

impl Masks {
    fn new<D: Device>(tape: &mut Tape<'_, D>, inputs: usize, state: usize, sentences: usize, probability: f32) -> Self {
        let mut mask = |cols| tape.dropout_mask(sentences, cols, probability);
        Self { input: mask(inputs), state: mask(state) }
    }

    /// Inputs of all positions.
    fn input<D: Device>(&self, tape: &mut Tape<'_, D>, x: Var, layout: &Layout) -> Var {
        let Some(mask) = self.input else { return x };
        let mask = tape.gather(mask, layout.ranks().into());
        tape.mul(x, mask)
    }

    /// States of the first ranks.
    fn state<D: Device>(&self, tape: &mut Tape<'_, D>, x: Var) -> Var {
        let Some(mask) = self.state else { return x };
        let mask = tape.slice(mask, 0..tape.shape(x).0);
        tape.mul(x, mask)
    }
}

impl Decoder {
    /// What the output layer reads, position by position.
    fn run<D: Device>(
        &self,
        tape: &mut Tape<'_, D>,
        words: Var,
        annotations: Var,
        layout: &Layout,
        source: &Sentences,
        dropout: &Dropout,
    ) -> (Var, Vec<Attended>) {
        let mut attended = Vec::with_capacity(layout.positions());
        let by_rank: Spans = layout.order().iter().map(|&i| source.range(i)).collect();
        let means = tape.means(annotations, &by_rank);
        let output = self.start.activated(tape, means, Activation::Tanh);
        // A memory starts with the same state as the output.
        let start = State { output, memory: self.first.has_memory().then_some(output) };
        let keys = self.keys.apply(tape, annotations);
        let (embeddings, dim) = (tape.shape(words).1, self.first.dim());
        let masks = Masks::new(tape, embeddings, dim, layout.sentences(), dropout.recurrent);
        let input = masks.input(tape, words, layout);
        let inputs = self.first.inputs(tape, input);
        let mut state = start;
        let (mut outputs, mut contexts) = (Vec::new(), Vec::new());
        for t in 0..layout.positions() {
            let rows = layout.at(t);
            state = state.first(tape, rows.len());
            let read = masks.state(tape, state.output);
            state = self.first.advance(tape, &inputs, rows.start, state, read);
            let queries = self.queries.apply(tape, state.output);
            let spans: Rc<[_]> = layout.spans(t, source);
            let context =
                tape.additive_attention(AdditiveAttention { queries, keys, values: annotations, v: self.v, spans });
            attended.push(Attended { value: context, queries: layout.places(t), heads: 1 });
            if let Some(second) = self.after_attention.first() {
                let inputs = second.inputs(tape, context);
                state = advance(tape, &self.after_attention, &inputs, 0, state, state.output);
            }
            outputs.push(state.output);
            contexts.push(context);
        }
        let (mut top, contexts) = (tape.stack(&outputs), tape.stack(&contexts));
        for layer in &self.upper {
            top = layer.run(tape, top, layout, Some(start), dropout);
        }
        let parts = [words, top, contexts];
        let [word, state, context] = [0, 1, 2].map(|i| self.readout[i].apply(tape, parts[i]));
        let sum = tape.add(word, state);
        let sum = tape.add(sum, context);
        let hidden = tape.activate(sum, Activation::Tanh);
        (tape.dropout(hidden, dropout.output), attended)
    }
}
