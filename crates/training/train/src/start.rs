//! A run that goes on from the parameters of another model: new data, a new schedule, the same vocabularies but for new
//! words in the places of others, and the same network or one with more layers.

use crate::error::TrainError;
use crate::networks::Network;
use crate::new_words::NewWords;
use crate::observer::Observer;
use crate::parameters::Parameters;
use crate::run_vocabularies::RunVocabularies;
use metaphrase_kernels::Matrix;
use metaphrase_models::{ModelFiles, Weights};
use metaphrase_text::vocab::Vocabulary;
use std::path::Path;

/// Gives all parameters the values that they have in the model at `path`. Layers that the model lacks pass on what they
/// get; words that it lacks begin as the mean of the words that it spells them with.
pub(crate) fn start_from(
    path: &Path,
    vocabularies: &RunVocabularies,
    network: &Network,
    parameters: &mut Parameters,
    observer: &mut dyn Observer,
) -> Result<(), TrainError> {
    let error = |problem: String| TrainError::Start { path: path.to_owned(), problem };
    let files = ModelFiles::find(path)?;
    let theirs = files.vocabularies()?;
    let new_words = |side: &str, file: &Path, ours: &Vocabulary| {
        NewWords::between(&Vocabulary::open(file)?, ours).map_err(|word| {
            error(format!(
                "its {side} vocabulary is another one from word {word} on; name the files in the model's directory in \
                 `vocabulary.files`"
            ))
        })
    };
    let source = new_words("source", &theirs.source.words, &vocabularies.source)?;
    let target = new_words("target", &theirs.target.words, &vocabularies.target)?;
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
    if source.len() + target.len() > 0 {
        let (source_words, target_words) = (source.len(), target.len());
        observer
            .message(&format!("new words: {source_words} of the source vocabulary, {target_words} of the target's"));
        network.begin_words(&source, &target, parameters);
    }
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
