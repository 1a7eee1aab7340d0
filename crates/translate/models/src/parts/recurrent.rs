//! The structure of recurrent encoder-decoders.

mod cells;

pub use cells::{Cell, CellForm, GruMaps, Map, Norm};

use super::{Init, OutputLayer, PartResult, Supply, WordTables};
use crate::Config;
use crate::config::{AttentionFirst as AttentionFirstSettings, Cell as Kind, DecoderForm, EncoderType};
use crate::config::{RecurrentConfig, Top as TopKind};
use cells::CellPosition;

/// A recurrent encoder-decoder with attention.
pub struct Recurrent<T> {
    /// Embeddings and output layer.
    pub words: WordTables<T>,
    /// The encoder.
    pub encoder: Encoder<T>,
    /// The decoder.
    pub decoder: Decoder<T>,
}

/// The encoder.
pub struct Encoder<T> {
    /// The stack over the embeddings that begins forwards; the tops of both stacks are joined.
    pub forward: Vec<Layer<T>>,
    /// The stack over the embeddings that begins backwards.
    pub backward: Vec<Layer<T>>,
    /// Layers over the joined tops.
    pub upper: Vec<Layer<T>>,
    /// Layers in both directions, each over the joined outputs of both directions below.
    pub joined: Vec<[Layer<T>; 2]>,
}

/// A layer: a cell that reads, then transitions.
pub struct Layer<T> {
    /// At least one.
    pub cells: Vec<Cell<T>>,
    /// Whether the layer runs from the last word to the first.
    pub backward: bool,
    /// Whether the layer's input is added to its output.
    pub skip: bool,
}

/// The decoder in one of its forms.
pub enum Decoder<T> {
    /// A cell reads the word, then attention, then a cell reads the context.
    Conditional(Box<Conditional<T>>),
    /// Attention sees the state before the word.
    AttentionFirst(Box<AttentionFirst<T>>),
}

/// A decoder whose first layer is cut by attention.
pub struct Conditional<T> {
    /// From the mean annotation to the state before the first word, before tanh.
    pub start: Map<T>,
    /// The cell that reads the word.
    pub first: Cell<T>,
    /// From annotations to the keys of attention.
    pub keys: Map<T>,
    /// From states to the queries of attention.
    pub queries: Map<T>,
    /// From tanh(key + query) to the energy of attention, `keys × 1`.
    pub v: T,
    /// Number of attentions: keys, queries and `v` have a part for each.
    pub heads: usize,
    /// The cell that reads the context, then transitions.
    pub after_attention: Vec<Cell<T>>,
    /// The layers above.
    pub upper: Vec<Layer<T>>,
    /// From the word before, the top state and the context to the input of the output layer, before the sum's tanh.
    pub readout: [Map<T>; 3],
}

/// A decoder that begins with attention, with fully-connected layers on top (Devlin 2017, §4 and §5).
pub struct AttentionFirst<T> {
    /// The cell that reads word and context.
    pub cell: Cell<T>,
    /// The map from the context to the cell's gates and candidate, `annotations × 2 dim-rnn` and
    /// `annotations × dim-rnn`.
    pub context: [T; 2],
    /// From the mean annotation to the state before the first word, before tanh.
    pub start: Map<T>,
    /// Attention's map of the annotations (Ua), `annotations × dim-attention`.
    pub keys: T,
    /// Attention's map of the word before (Va), `dim-emb × dim-attention`.
    pub query_word: T,
    /// Attention's map of the state before (Wa), `dim-rnn × dim-attention`.
    pub query_state: T,
    /// The fully-connected layers, before their ReLU.
    pub layers: Vec<Map<T>>,
    /// The highest layer.
    pub top: Top<T>,
}

/// The highest layer of a decoder that begins with attention.
pub enum Top<T> {
    /// The layer below is the highest.
    None,
    /// A map, before its tanh.
    Tanh(Map<T>),
    /// A gated recurrent unit.
    Gru(Layer<T>),
}

impl<T> Recurrent<T> {
    pub(super) fn build<S: Supply<Tensor = T>>(
        config: &Config,
        network: &RecurrentConfig,
        supply: &mut S,
    ) -> Result<Self, S::Error> {
        let inputs = match &network.decoder {
            DecoderForm::Conditional => network.dim_emb,
            DecoderForm::AttentionFirst(form) => form.dim_output(network.dim_rnn),
        };
        let output = OutputLayer { name: "decoder_ff_logit_l2", inputs, has_bias: network.output_bias };
        let words = WordTables::build(supply, config, network.tied_embeddings, network.dim_emb, output)?;
        let encoder_config =
            RecurrentConfig { dim_rnn: network.dim_encoder.unwrap_or(network.dim_rnn), ..network.clone() };
        let encoder = Builder { supply, config: &encoder_config }.encoder()?;
        let mut builder = Builder { supply, config: network };
        let decoder = match &network.decoder {
            DecoderForm::Conditional => Decoder::Conditional(Box::new(builder.conditional()?)),
            DecoderForm::AttentionFirst(form) => Decoder::AttentionFirst(Box::new(builder.attention_first(form)?)),
        };
        Ok(Self { words, encoder, decoder })
    }
}

/// Asks for the tensors of parts.
struct Builder<'a, S> {
    supply: &'a mut S,
    config: &'a RecurrentConfig,
}

impl<S: Supply> Builder<'_, S> {
    fn encoder(&mut self) -> PartResult<S, Encoder<S::Tensor>> {
        let depth = self.config.encoder_depth;
        let (stacked, upper, joined) = match self.config.encoder_type {
            EncoderType::BiUnidirectional => (1, depth, 1),
            EncoderType::Joined => (1, 1, depth),
            EncoderType::Bidirectional | EncoderType::Alternating => (depth, 1, 1),
        };
        Ok(Encoder {
            forward: self.encoder_stack("encoder_bi", stacked, false)?,
            backward: self.encoder_stack("encoder_bi_r", stacked, true)?,
            upper: (2..=upper).map(|n| self.upper_encoder_layer(n)).collect::<Result<_, _>>()?,
            joined: (2..=joined).map(|n| self.joined_encoder_layer(n)).collect::<Result<_, _>>()?,
        })
    }

    /// The encoder's layers over embeddings that begin in one direction.
    fn encoder_stack(&mut self, prefix: &str, layers: usize, backward: bool) -> PartResult<S, Vec<Layer<S::Tensor>>> {
        let config = self.config;
        let alternating = config.encoder_type == EncoderType::Alternating;
        let layer = |n: usize| {
            let name = |cell: usize| match (n, cell) {
                (1, 1) => prefix.to_owned(),
                (1, cell) => format!("{prefix}_cell{cell}"),
                (layer, cell) => format!("{prefix}_l{layer}_cell{cell}"),
            };
            let inputs = if n == 1 { config.dim_emb } else { config.dim_rnn };
            let backward = backward != (alternating && n.is_multiple_of(2));
            Ok(Layer { backward, skip: config.skip && n > 1, ..self.encoder_layer(inputs, name)? })
        };
        (1..=layers).map(layer).collect()
    }

    fn upper_encoder_layer(&mut self, n: usize) -> PartResult<S, Layer<S::Tensor>> {
        let RecurrentConfig { dim_rnn, skip, .. } = *self.config;
        let inputs = if n == 2 { 2 * dim_rnn } else { dim_rnn };
        let layer = self.encoder_layer(inputs, |cell| format!("encoder_l{n}_cell{cell}"))?;
        Ok(Layer { skip: skip && n > 2, ..layer })
    }

    fn joined_encoder_layer(&mut self, n: usize) -> PartResult<S, [Layer<S::Tensor>; 2]> {
        let inputs = 2 * self.config.dim_rnn;
        let forward = self.encoder_layer(inputs, |cell| format!("encoder_bi_l{n}_cell{cell}"))?;
        let backward = self.encoder_layer(inputs, |cell| format!("encoder_bi_r_l{n}_cell{cell}"))?;
        Ok([forward, Layer { backward: true, ..backward }])
    }

    fn encoder_layer(&mut self, inputs: usize, name: impl Fn(usize) -> String) -> PartResult<S, Layer<S::Tensor>> {
        let RecurrentConfig { encoder_cell, encoder_cell_depth, .. } = *self.config;
        self.layer(encoder_cell, CellPosition::Encoder, inputs, (1..=encoder_cell_depth).map(name))
    }

    /// A layer whose cells have these names.
    fn layer(
        &mut self,
        kind: Kind,
        position: CellPosition,
        inputs: usize,
        names: impl Iterator<Item = String>,
    ) -> PartResult<S, Layer<S::Tensor>> {
        Ok(Layer { cells: self.cells(kind, position, inputs, names)?, backward: false, skip: false })
    }

    /// Cells of these names, of which the first reads an input and the others are transitions.
    fn cells(
        &mut self,
        kind: Kind,
        position: CellPosition,
        inputs: usize,
        names: impl Iterator<Item = String>,
    ) -> PartResult<S, Vec<Cell<S::Tensor>>> {
        let inputs = std::iter::once(inputs).chain(std::iter::repeat(0));
        names.zip(inputs).map(|(name, inputs)| self.cell(kind, position, &name, inputs)).collect()
    }

    /// A conditional decoder.
    fn conditional(&mut self) -> PartResult<S, Conditional<S::Tensor>> {
        let config = self.config;
        let (d, e, annotations) = (config.dim_rnn, config.dim_emb, config.dim_annotations());
        let kind = config.decoder_cell;
        let first = self.cell(kind, CellPosition::Decoder, "decoder_cell1", e)?;
        let [keys, queries] = self.attention(annotations)?;
        let v = self.supply.tensor("decoder_U_att", [annotations, 1], Init::Glorot)?;
        let names = (2..=config.decoder_cell_base_depth).map(|i| format!("decoder_cell{i}"));
        let after_attention = self.cells(kind, CellPosition::AfterAttention, annotations, names)?;
        let mut upper = Vec::new();
        for n in 2..=config.decoder_depth {
            let names = (1..=config.decoder_cell_high_depth).map(|cell| format!("decoder_l{n}_cell{cell}"));
            upper.push(Layer { skip: config.skip, ..self.layer(kind, CellPosition::Decoder, d, names)? });
        }
        let mut readout = |number: &str, inputs| self.dense("decoder_ff_logit_l1", number, [inputs, e]);
        let readout = [readout("0", e)?, readout("1", d)?, readout("2", annotations)?];
        let start = self.dense("decoder_ff_state", "", [annotations, d])?;
        let heads = config.attention_heads;
        Ok(Conditional { start, first, keys, queries, v, heads, after_attention, upper, readout })
    }

    /// A decoder that begins with attention.
    fn attention_first(&mut self, form: &AttentionFirstSettings) -> PartResult<S, AttentionFirst<S::Tensor>> {
        let config = self.config;
        let (d, e, annotations, a) = (config.dim_rnn, config.dim_emb, config.dim_annotations(), form.dim_attention);
        let cell = self.cell(config.decoder_cell, CellPosition::Decoder, "decoder_cell1", e)?;
        let mut below = d;
        let mut layers = Vec::new();
        for i in 1..=form.layers {
            layers.push(self.before_relu(&format!("decoder_fc{i}"), [below, form.dim_layers])?);
            below = form.dim_layers;
        }
        let top = match form.top {
            TopKind::None => Top::None,
            TopKind::Tanh { dim } => Top::Tanh(self.dense("decoder_top", "", [below, dim])?),
            TopKind::Gru => {
                let names = std::iter::once("decoder_top_cell1".to_owned());
                Top::Gru(self.layer(config.decoder_cell, CellPosition::Decoder, below, names)?)
            }
        };
        let start = self.dense("decoder_ff_state", "", [annotations, d])?;
        Ok(AttentionFirst {
            cell,
            layers,
            top,
            start,
            keys: self.matrix("decoder_Wc_att", [annotations, a])?,
            query_word: self.matrix("decoder_V_att", [e, a])?,
            query_state: self.matrix("decoder_W_comb_att", [d, a])?,
            context: [
                self.matrix("decoder_cell1_C", [annotations, 2 * d])?,
                self.matrix("decoder_cell1_Cx", [annotations, d])?,
            ],
        })
    }
}
