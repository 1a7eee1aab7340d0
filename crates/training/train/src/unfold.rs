//! An ensemble of recurrent networks as one network (Stahlberg and Byrne 2017, "Unfolding and Shrinking Neural Machine
//! Translation Ensembles").
//!
//! The layers of the members lie side by side: each matrix has the matrices of the members on its diagonal. Each
//! member attends to its own annotations ([`RecurrentConfig::attention_heads`]). The output layer is the mean of the
//! members' output layers, so the network's logits are the means of theirs. Log-probabilities are those of the ensemble
//! but for one number for each row, because the network normalises its scores and an ensemble does not.

use crate::AverageError;
use metaphrase_models::config::{Cell, DecoderForm, EncoderType, LayerNorm, RecurrentConfig, TiedEmbeddings};
use metaphrase_models::parts::recurrent::Recurrent;
use metaphrase_models::parts::{Init, Network, Supply};
use metaphrase_models::{Architecture, Config, ModelFiles, StoredPrecision, Weights, save};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::{Path, PathBuf};

/// Writes at `to` one network that is the ensemble of `models`, with the vocabularies of the first.
///
/// # Errors
/// If the models are not conditional GRUs of one kind, or a file can not be read or written.
pub fn unfold(models: &[PathBuf], to: &Path, precision: StoredPrecision) -> Result<(), AverageError> {
    let (members, files) = read(models)?;
    let unfolded = UnfoldedNetwork::new(&members).map_err(|problem| refused(models, problem))?;
    unfolded.save(&files, to, precision)
}

/// The models, of one kind, and the files of the first.
pub(crate) fn read(models: &[PathBuf]) -> Result<(Vec<(Config, Weights)>, ModelFiles), AverageError> {
    let first = models.first().ok_or(AverageError::None)?;
    let files = ModelFiles::find(first)?;
    let mut members: Vec<(Config, Weights)> = Vec::with_capacity(models.len());
    for path in models {
        let member = ModelFiles::find(path)?.load()?;
        if let Some((config, _)) = members.first()
            && config.architecture != member.0.architecture
        {
            let (first, other) = (first.clone(), path.clone());
            return Err(AverageError::Unlike { first, other, problem: "their settings differ".into() });
        }
        members.push(member);
    }
    Ok((members, files))
}

/// Why these models can not become one network.
pub(crate) fn refused(models: &[PathBuf], problem: String) -> AverageError {
    AverageError::Unfold { model: models.first().cloned().unwrap_or_default(), problem }
}

/// The settings and the tensors of a network.
pub(crate) struct UnfoldedNetwork {
    pub(crate) config: Config,
    pub(crate) tensors: BTreeMap<String, Table>,
}

/// A matrix, row by row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) numbers: Vec<f32>,
}

impl Table {
    pub(crate) fn new(rows: usize, columns: usize) -> Self {
        Self { rows, columns, numbers: vec![0.0; rows * columns] }
    }
}

/// The meaning of a dimension of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Axis {
    One,
    Words,
    /// Numbers of an embedding, of a state, or of the keys of attention: those of a member lie together.
    Together,
    /// Two halves of a state's size, as both gates or both directions: those of a half lie together.
    Halves,
}

/// Sizes that distinguish the axes.
const EMBEDDING: usize = 3;
const STATE: usize = 5;

/// Notes the axes of each tensor.
#[derive(Default)]
struct Axes(BTreeMap<String, [Axis; 2]>);

impl Supply for Axes {
    type Tensor = String;
    type Error = Infallible;

    fn tensor(&mut self, name: &str, shape: [usize; 2], _: Init) -> Result<String, Infallible> {
        let axis = |side: usize| {
            let keys = matches!(
                (name, side),
                ("decoder_Wc_att" | "decoder_b_att" | "decoder_W_comb_att", 1) | ("decoder_U_att", 0)
            );
            match shape[side] {
                1 => Axis::One,
                EMBEDDING | STATE => Axis::Together,
                size if size == 2 * STATE => {
                    if keys {
                        Axis::Together
                    } else {
                        Axis::Halves
                    }
                }
                _ => Axis::Words,
            }
        };
        self.0.insert(name.to_owned(), [axis(0), axis(1)]);
        Ok(name.to_owned())
    }
}

/// The names of a network's tensors with their axes, and where the network has them.
fn structure(config: &Config, network: &RecurrentConfig) -> (BTreeMap<String, [Axis; 2]>, Recurrent<String>) {
    let small = RecurrentConfig { dim_emb: EMBEDDING, dim_rnn: STATE, attention_heads: 1, ..network.clone() };
    let words = 7;
    let architecture = Architecture::Recurrent(small);
    let config = Config { source_words: words, target_words: words, architecture, ..config.clone() };
    let mut axes = Axes::default();
    let Ok(Network::Recurrent(parts)) = Network::build(&config, &mut axes) else {
        unreachable!("the architecture is a recurrent one")
    };
    (axes.0, *parts)
}

/// The names of a network's tensors, where the network has them.
pub(crate) fn names(config: &Config, network: &RecurrentConfig) -> Recurrent<String> {
    structure(config, network).1
}

/// Why networks of these settings can not be unfolded.
fn problem(network: &RecurrentConfig) -> Option<&'static str> {
    let plain = network.encoder_cell == Cell::Gru && network.decoder_cell == Cell::Gru;
    let one_layer = network.encoder_depth == 1 && network.decoder_depth == 1 && network.dim_encoder.is_none();
    if network.layer_norm != LayerNorm::None {
        return Some("its layer normalisation is over all numbers of a layer, which would mix the members");
    }
    if network.decoder != DecoderForm::Conditional || !plain || !one_layer {
        return Some("it is not a conditional GRU of one layer with cells of kind gru");
    }
    (network.encoder_type != EncoderType::Bidirectional || network.attention_heads != 1)
        .then_some("its encoder is not bidirectional, or it is unfolded already")
}

impl UnfoldedNetwork {
    /// Writes the network at `to`, with the vocabularies of other files.
    pub(crate) fn save(self, files: &ModelFiles, to: &Path, precision: StoredPrecision) -> Result<(), AverageError> {
        let tensors = self.tensors.into_iter().map(|(name, t)| (name, vec![t.rows, t.columns], t.numbers));
        let weights = Weights::from_tensors(to, tensors)?;
        Ok(save(&self.config, &weights, &files.vocabularies()?, to, precision)?)
    }

    pub(crate) fn new(members: &[(Config, Weights)]) -> Result<Self, String> {
        let (config, _) = &members[0];
        let Architecture::Recurrent(network) = &config.architecture else {
            let reason =
                "the layer normalisation of a Transformer is over all numbers of a layer, which would mix the members";
            return Err(format!("only conditional GRUs can be unfolded: {reason}"));
        };
        if let Some(problem) = problem(network) {
            return Err(problem.to_owned());
        }
        let count = members.len();
        let unfolded = RecurrentConfig {
            dim_emb: count * network.dim_emb,
            dim_rnn: count * network.dim_rnn,
            attention_heads: count,
            tied_embeddings: TiedEmbeddings::default(),
            ..network.clone()
        };
        let (axes, Recurrent { words, .. }) = structure(config, &unfolded);
        let (_, Recurrent { words: tied, .. }) = structure(config, network);
        // Tables that a member shares have names of their own.
        let renamed = |name: &str| match name {
            name if name == words.source => tied.source.clone(),
            name if name == words.target => tied.target.clone(),
            name if name == words.output => tied.output.clone(),
            name => name.to_owned(),
        };
        let mut tensors = BTreeMap::new();
        for (name, axes) in axes {
            let mean = name == words.output || Some(&name) == words.output_bias.as_ref();
            let table = side_by_side(members, &renamed(&name), axes, if mean { 1.0 / count as f32 } else { 1.0 })?;
            tensors.insert(name, table);
        }
        let config = Config { architecture: Architecture::Recurrent(unfolded), ..config.clone() };
        Ok(Self { config, tensors })
    }
}

/// The tensors of this name side by side.
fn side_by_side(members: &[(Config, Weights)], name: &str, axes: [Axis; 2], factor: f32) -> Result<Table, String> {
    let count = members.len();
    let mut table = Table::new(0, 0);
    for (member, (_, weights)) in members.iter().enumerate() {
        let tensor = weights.find(name).ok_or_else(|| format!("a member has no tensor `{name}`"))?;
        let [rows, columns] = *tensor.shape else { return Err(format!("tensor `{name}` has no two dimensions")) };
        let all = |size: usize, axis: Axis| if matches!(axis, Axis::One | Axis::Words) { size } else { count * size };
        if member == 0 {
            table = Table::new(all(rows, axes[0]), all(columns, axes[1]));
        }
        if (all(rows, axes[0]), all(columns, axes[1])) != (table.rows, table.columns) {
            return Err(format!("the tensors `{name}` of the members have different shapes"));
        }
        let place = |index: usize, size: usize, axis: Axis| match axis {
            Axis::One | Axis::Words => index,
            Axis::Together => member * size + index,
            Axis::Halves => {
                let half = size / 2;
                index / half * (count * half) + member * half + index % half
            }
        };
        for (index, number) in tensor.data.iter().enumerate() {
            let (row, column) = (index / columns, index % columns);
            let place = place(row, rows, axes[0]) * table.columns + place(column, columns, axes[1]);
            table.numbers[place] += factor * number;
        }
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::networks::Network as UpdateMatrices;
    use crate::networks::tests::architectures::{config, recurrent};
    use crate::networks::tests::{batch, model_of, randomise};
    use crate::parameters::Parameters;
    use metaphrase_base::{Parent, Row, SentId, Sentence, Step, StepDemand, StepModel, StepRow, StepScores, WordId};
    use metaphrase_models::Model;

    fn network() -> RecurrentConfig {
        let tied_embeddings = TiedEmbeddings { source_target: false, target_output: true };
        RecurrentConfig {
            encoder_cell: Cell::Gru,
            decoder_cell: Cell::Gru,
            encoder_cell_depth: 2,
            decoder_cell_base_depth: 3,
            tied_embeddings,
            ..recurrent()
        }
    }

    fn member(seed: u64) -> (Config, Weights, Model) {
        let config = config(Architecture::Recurrent(network()));
        let mut parameters = Parameters::new(seed);
        UpdateMatrices::declare(&config, &mut parameters).unwrap();
        randomise(&mut parameters);
        let tensors = parameters.iter().map(|(name, m)| (name, vec![m.rows(), m.cols()], m.as_slice().to_vec()));
        (config.clone(), Weights::from_tensors("member", tensors).unwrap(), model_of(&config, &parameters))
    }

    fn model(unfolded: UnfoldedNetwork) -> Model {
        let tensors =
            unfolded.tensors.into_iter().map(|(name, table)| (name, vec![table.rows, table.columns], table.numbers));
        Model::new(unfolded.config, &Weights::from_tensors("unfolded", tensors).unwrap()).unwrap()
    }

    /// The scores of all words after each beginning of some translations.
    fn rows(model: &Model) -> Vec<Vec<f32>> {
        let (mut state, mut scores) = (model.new_state(), model.new_scores());
        let (slot, batch, words) = (SentId(0), batch(), model.facts().target_words);
        let mut rows = Vec::new();
        for i in 0..batch.source.len() {
            model.encode(&[Sentence::new(slot, batch.source.get(i))], &mut state);
            let mut parent = None;
            for &word in batch.target.get(i) {
                model.step(
                    Step::New,
                    StepDemand::ANYTHING,
                    &[StepRow { sentence: slot, parent }],
                    &mut state,
                    &mut scores,
                );
                rows.push((0..words).map(|word| scores.score(Row::new(0), WordId::new(word))).collect());
                parent = Some(Parent { row: Row::new(0), word });
            }
            model.release(slot, &mut state);
        }
        rows
    }

    /// The greatest difference of two rows, but for a number that all words of a row have in common.
    fn difference(a: &[Vec<f32>], b: &[Vec<f32>]) -> f32 {
        let row_difference = |(a, b): (&Vec<f32>, &Vec<f32>)| {
            let differences = a.iter().zip(b).map(|(a, b)| a - b).filter(|difference| difference.is_finite());
            let (least, most) = differences.fold((f32::MAX, f32::MIN), |(least, most), d| (least.min(d), most.max(d)));
            most - least
        };
        a.iter().zip(b).map(row_difference).fold(0.0, f32::max)
    }

    #[test]
    fn the_unfolded_network_is_the_ensemble() {
        let members = [1, 2, 3].map(member);
        let pairs: Vec<_> = members.iter().map(|(config, weights, _)| (config.clone(), weights.clone())).collect();
        let unfolded = rows(&model(UnfoldedNetwork::new(&pairs).unwrap()));
        let third = 1.0 / 3.0;
        let ensemble = Model::ensemble(members.map(|(.., model)| model).into(), &[third; 3]).unwrap();
        let ensemble = rows(&ensemble);
        assert_eq!(unfolded.len(), ensemble.len());
        let found = difference(&unfolded, &ensemble);
        assert!(found < 1e-4, "{found}");
        let sum: f32 = unfolded[0].iter().map(|log_prob| log_prob.exp()).sum();
        assert!((sum - 1.0).abs() < 1e-3, "the network normalises: {sum}");
    }

    #[test]
    fn what_can_not_be_unfolded_is_reported() {
        let (config, weights, _) = member(1);
        let refused = |change: &dyn Fn(&mut RecurrentConfig)| {
            let mut network = network();
            change(&mut network);
            let config = Config { architecture: Architecture::Recurrent(network), ..config.clone() };
            UnfoldedNetwork::new(&[(config, weights.clone())]).err().unwrap()
        };
        assert!(refused(&|network| network.layer_norm = LayerNorm::Marian).contains("would mix the members"));
        assert!(refused(&|network| network.encoder_cell = Cell::Lstm).contains("not a conditional GRU of one layer"));
        assert!(refused(&|network| network.attention_heads = 2).contains("unfolded already"));
    }
}
