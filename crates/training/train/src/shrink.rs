//! An unfolded ensemble, shrunk to the size of one of its members (Stahlberg and Byrne 2017, "data-bound" shrinking).
//!
//! Activities over a text show which neurons are redundant. Of each layer, the neurons stay that explain
//! most of what the next layers read ([`choose`]). All others become linear combinations of these: where a map reads x
//! in the unfolded network and the neurons x' stay, least squares give C with x ≈ x' · C, and C · W takes the place of
//! W. Embeddings are linear, so they are projected to the directions that matter in place of being chosen. Attention
//! has a file of its own.
//!
//! The paper adds to the weights of kept neurons once. Here each map is then fitted again, in the order of the network,
//! to its real inputs in the smaller network: so a layer makes up for errors of the layers below.
//!
//! There is no constant among the neurons that explain others: the products of a state have no bias that could take it.

mod activities;
mod attention;
mod choose;
mod dense;
mod fit;
mod measure;
mod plan;
#[cfg(test)]
mod tests;

use crate::AverageError;
use crate::data::{Batch, Corpus, CorpusFiles, Limits, TextVocabularies};
use crate::unfold::{UnfoldedNetwork, read, refused};
use fit::FittedNetwork;
use measure::Measurements;
use metaphrase_models::config::{RecurrentConfig, TiedEmbeddings};
use metaphrase_models::{Architecture, Config, StoredPrecision, Weights, check_free};
use metaphrase_text::vocab::Vocabulary;
use std::path::{Path, PathBuf};

/// Words of source and target that are looked at together.
const WORDS_OF_BATCH: usize = 2000;
/// Target words of the text for each number of an annotation; with fewer, least squares would learn the text by heart.
const LEAST_WORDS: usize = 4;

/// The report on a network that was shrunk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shrunk {
    /// Target words of the text, ends of sentence counted.
    pub words: usize,
    /// Cross-entropy of the text, in nats for each target word, after neurons were removed.
    pub removed: f64,
    /// The same after maps were fitted again.
    pub fitted: f64,
}

/// Writes at `to` one network of the size of one of `models`, all conditional GRUs of one kind, that is nearly their
/// ensemble, with the vocabularies of the first. Its neurons are chosen over `text`, a few thousand sentence pairs.
///
/// # Errors
/// If the models are not conditional GRUs of one kind, if the text is too short, or a file can not be read or written.
pub fn shrink(
    models: &[PathBuf],
    text: &CorpusFiles,
    to: &Path,
    precision: StoredPrecision,
) -> Result<Shrunk, AverageError> {
    check_free(to)?;
    let (members, files) = read(models)?;
    let vocabularies = files.vocabularies()?;
    let open = |path: &Path| Vocabulary::open(path).map_err(|error| refused(models, error.to_string()));
    let (source, target) = (open(&vocabularies.source.words)?, open(&vocabularies.target.words)?);
    let text = std::slice::from_ref(text);
    let (corpus, _) = Corpus::read(text, TextVocabularies::new(&source, &target), Limits::default(), 1)?;
    let (shrunk, report) = shrink_members(&members, &corpus).map_err(|problem| refused(models, problem))?;
    shrunk.save(&files, to, precision)?;
    Ok(report)
}

/// The network of these members over a text.
fn shrink_members(members: &[(Config, Weights)], text: &Corpus) -> Result<(UnfoldedNetwork, Shrunk), String> {
    let unfolded = UnfoldedNetwork::new(members)?;
    let (config, network) = config_of_one(&members[0].0)?;
    let batches = batches(text);
    let words: usize = batches.iter().map(|batch| batch.target.all().len()).sum();
    let least = LEAST_WORDS * network.dim_annotations();
    if words < least {
        return Err(format!(
            "the text has {words} target words, and {least} are the least for networks of this size; give more lines"
        ));
    }
    let mut measured = Measurements::new(members, &unfolded, &network, &batches)?;
    let mut fitted = FittedNetwork::new(config, &unfolded, &mut measured)?;
    let removed = fitted.loss(&batches) / words as f64;
    let loss = fitted.fit_again(&unfolded, &mut measured, &batches)? / words as f64;
    Ok((fitted.into_network(), Shrunk { words, removed, fitted: loss }))
}

/// The settings of one member, whose tables are untied: the input's table is a projection, and the output's follows the
/// hidden layer.
fn config_of_one(config: &Config) -> Result<(Config, RecurrentConfig), String> {
    let Architecture::Recurrent(network) = &config.architecture else {
        return Err("the models are no recurrent networks".into());
    };
    let network = RecurrentConfig { tied_embeddings: TiedEmbeddings::default(), ..network.clone() };
    Ok((Config { architecture: Architecture::Recurrent(network.clone()), ..config.clone() }, network))
}

/// All pairs of a text, those of a batch one after the other in it.
fn batches(text: &Corpus) -> Vec<Batch> {
    let (mut batches, mut pairs, mut words) = (Vec::new(), Vec::new(), 0);
    for pair in 0..text.len() as u32 {
        let one = text.batch(&[pair]);
        words += one.source.all().len() + one.target.all().len();
        pairs.push(pair);
        if words >= WORDS_OF_BATCH || pair as usize + 1 == text.len() {
            batches.push(text.batch(&pairs));
            pairs.clear();
            words = 0;
        }
    }
    batches
}
