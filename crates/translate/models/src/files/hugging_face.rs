//! Vocabularies of Hugging Face's models.

use super::{
    Numbering, Vocabularies, VocabularyFiles, file_names, foreign, has_extension, listed, vocabularies as usual,
};
use crate::ModelError;
use crate::config::hugging_face::Family;
use std::path::Path;

/// What Hugging Face's tokenizers write, with everything in it.
pub(super) const TOKENIZER: &str = "tokenizer.json";

/// The vocabularies of the model in `directory`: those of MarianMT by their usual names; of other models a list of
/// words with a SentencePiece model, a `tokenizer.json`, or a SentencePiece model alone.
pub(super) fn vocabularies(directory: &Path) -> Result<Vocabularies, ModelError> {
    let names = file_names(directory)?;
    let family = foreign::model_type(directory).and_then(|kind| Family::from_model_type(&kind));
    if family.is_none_or(|family| family == Family::Marian) {
        return usual::find(directory, &names);
    }
    let has = |name: &str| names.iter().any(|known| known == name);
    let model = names.iter().find(|name| has_extension(name, &["model", "spm"]));
    let files = match model {
        Some(model) if has("vocab.json") => {
            let segmenter = Some(directory.join(model));
            VocabularyFiles { segmenter, ..VocabularyFiles::from(directory.join("vocab.json")) }
        }
        _ if has(TOKENIZER) => VocabularyFiles::from(directory.join(TOKENIZER)),
        Some(model) if family == Some(Family::T5) => VocabularyFiles::from(directory.join(model)),
        Some(model) => {
            VocabularyFiles { numbering: Numbering::Fairseq, ..VocabularyFiles::from(directory.join(model)) }
        }
        None => {
            let problem = format!(
                "there is no vocabulary: neither `{TOKENIZER}` nor `sentencepiece.bpe.model`; copy it, too ({})",
                listed(&names)
            );
            return Err(ModelError::settings(directory, problem));
        }
    };
    Ok(Vocabularies { source: files.clone(), target: files })
}
