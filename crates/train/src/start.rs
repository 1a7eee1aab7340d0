//! A run that goes on from the parameters of another model: new data, a new schedule, the same vocabularies, and the same
//! network or one with more layers.

use crate::networks::Network;
use crate::parameters::Parameters;
use crate::run::{RunVocabularies, TrainError};
use metaphrase_base::WordId;
use metaphrase_kernels::Matrix;
use metaphrase_models::{ModelFiles, Weights};
use metaphrase_text::vocab::Vocabulary;
use std::path::Path;

/// Gives all parameters the values that they have in the model at `path`. Layers that the model lacks pass on what they get.
pub(crate) fn start_from(
    path: &Path,
    vocabularies: &RunVocabularies,
    network: &Network,
    parameters: &mut Parameters,
) -> Result<(), TrainError> {
    let error = |problem: String| TrainError::Start { path: path.to_owned(), problem };
    let files = ModelFiles::find(path)?;
    let theirs = files.vocabularies()?;
    for (side, file, ours) in
        [("source", &theirs.source, &vocabularies.source), ("target", &theirs.target, &vocabularies.target)]
    {
        let theirs = Vocabulary::open(&file.words)?;
        if let Some(word) = difference(&theirs, ours) {
            return Err(error(format!(
                "its {side} vocabulary is another one from word {word} on; name the files in the model's directory in \
                 `vocabulary.files`"
            )));
        }
    }
    let (_, weights) = files.load()?;
    let names: Vec<String> = parameters.iter().map(|(name, _)| name.to_owned()).collect();
    let is_ours = |layer: &str| names.iter().any(|name| name.starts_with(layer));
    if let Some(layer) = weights.names().filter_map(layer).find(|layer| !is_ours(layer)) {
        return Err(error(format!("it has tensors `{layer}…`, and the network of the recipe has fewer layers")));
    }
    for name in names {
        if is_of_new_layer(&name, &weights) {
            continue;
        }
        let tensor = weights.tensor(&name)?;
        let Some(id) = parameters.find(&name) else { continue };
        let value = parameters.value(id);
        let shape = [value.rows(), value.cols()];
        if tensor.shape != shape {
            return Err(error(format!("its tensor `{name}` is {:?} and that of the recipe {shape:?}", tensor.shape)));
        }
        let value = Matrix::from_vec(shape[0], shape[1], tensor.data.into_owned());
        parameters.set(id, &value).map_err(|e| error(e.to_string()))?;
    }
    network.pass_on(|name| is_of_new_layer(name, &weights), parameters);
    Ok(())
}

/// The beginning of the names of a Transformer layer's tensors: `encoder_l5_` of `encoder_l5_self_Wq`.
fn layer(name: &str) -> Option<&str> {
    let number = ["encoder_l", "decoder_l"].iter().find_map(|side| name.strip_prefix(side))?;
    let (digits, rest) = number.split_once('_')?;
    digits.parse::<usize>().is_ok().then(|| &name[..name.len() - rest.len()])
}

/// Whether a tensor is of a layer of which a model has no tensor.
fn is_of_new_layer(name: &str, weights: &Weights) -> bool {
    layer(name).is_some_and(|layer| !weights.names().any(|theirs| theirs.starts_with(layer)))
}

/// The first word that two vocabularies do not share.
fn difference(theirs: &Vocabulary, ours: &Vocabulary) -> Option<usize> {
    let common = theirs.len().min(ours.len());
    let word = |vocabulary: &Vocabulary, id: usize| vocabulary.word(WordId(id as u32)).to_owned();
    let first = (0..common).find(|&id| word(theirs, id) != word(ours, id));
    first.or_else(|| (theirs.len() != ours.len()).then_some(common))
}
