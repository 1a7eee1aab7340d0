//! Models in the formats of other programs.

use crate::packed::OnDisk;
use crate::{Error, ModelLanguages, Package};
use metaphrase_base::WordId;
use metaphrase_models::{ExportedModel, ForeignFormat, ModelWords, StoredPrecision};
use metaphrase_text::vocab::Vocabulary;
use std::path::Path;

/// Writes the model at `from`, of any format that can be read, or the bundled one of this name, as a directory of
/// another program, which translates with it as this one does. The directory `to` is absent or empty and is written
/// whole or not at all. The answer names the parts of the model that the format has no place for; translations
/// without them are the same.
///
/// # Errors
/// [`Error`] if the model can not be read, if the other program does not compute such models, or if the directory can
/// not be written.
pub fn export(
    from: impl AsRef<Path>,
    to: impl AsRef<Path>,
    format: ForeignFormat,
    precision: StoredPrecision,
) -> Result<Vec<&'static str>, Error> {
    let package = Package::on_disk(OnDisk::open_any(from.as_ref())?)?;
    let (mut config, weights) = package.open_model()?;
    if format == ForeignFormat::Firefox && config.languages.is_none() {
        // The names of the files have the languages.
        config.languages = package.languages().ok().and_then(only_pair);
    }
    let (source, target) = package.load_vocabularies(&config)?;
    let words = ModelWords { source: words(&source), target: words(&target) };
    let Some((shortlist, vocabularies)) = package.vocabulary_files() else {
        unreachable!("all models are on disk here");
    };
    let model =
        ExportedModel { config: &config, weights: &weights, vocabularies: &vocabularies, words: &words, shortlist };
    Ok(metaphrase_models::export(&model, to.as_ref(), format, precision)?)
}

fn only_pair(languages: ModelLanguages) -> Option<[String; 2]> {
    let [source] = <[String; 1]>::try_from(languages.sources).ok()?;
    let [target] = <[String; 1]>::try_from(languages.targets).ok()?;
    Some([source, target])
}

fn words(vocabulary: &Vocabulary) -> Vec<String> {
    (0..vocabulary.len()).map(|id| vocabulary.word(WordId::new(id)).to_owned()).collect()
}
