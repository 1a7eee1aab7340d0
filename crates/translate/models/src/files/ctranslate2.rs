//! The files of CTranslate2's directories, and of the packages of Argos Translate, which hold such a directory.

use super::hugging_face::TOKENIZER;
use super::{BPE_MODEL, ModelFiles, Vocabularies, VocabularyFiles, file_names, has_extension};
use crate::ModelError;
use crate::config::{DecoderDefaults, LanguagePlaces, LanguageWords};
use crate::formats::Format;
use crate::formats::ctranslate2::{self as format, WordLists};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The description of a package of Argos Translate.
const METADATA: &str = "metadata.json";

/// How the files of the two languages begin.
const SIDES: [(&str, &str); 4] = [("source", "target"), ("src", "tgt"), ("src", "trg"), ("spm.src", "spm.tgt")];

/// Whether this is a directory of CTranslate2, by its files: a `model.bin` of this format, or of any content next to
/// lists of words.
pub(super) fn is_directory(directory: &Path, names: &[String]) -> bool {
    let has = |start: &str| names.iter().any(|name| name.starts_with(start));
    let lists = ["shared_vocabulary.", "source_vocabulary.", "target_vocabulary."].into_iter().any(has);
    names.iter().any(|name| name == format::MODEL) && (lists || is_model(&directory.join(format::MODEL)))
}

/// Whether this is a file of tensors of CTranslate2.
pub(super) fn is_model(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(32).read_to_end(&mut start));
    read.is_ok() && format::is_model(&start)
}

/// Whether this is the directory of a package of Argos Translate.
pub(super) fn is_argos(directory: &Path, names: &[String]) -> bool {
    names.iter().any(|name| name == METADATA) && directory.join("model").join(format::MODEL).is_file()
}

/// The keys of a package's description that translation depends on.
#[derive(Deserialize)]
struct Metadata {
    from_code: Option<String>,
    to_code: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    target_prefix: Option<String>,
}

/// The model of a package of Argos Translate. It is searched as Argos Translate does.
pub(super) fn argos(directory: &Path) -> Result<ModelFiles, ModelError> {
    let path = directory.join(METADATA);
    let metadata = metadata(&path)?;
    let target_prefix = metadata.target_prefix.filter(|prefix| !prefix.is_empty());
    let other = metadata.kind.as_deref().is_some_and(|kind| kind != "translate");
    let what = "a package of Argos Translate that does not translate";
    ModelError::refuse(&path, &[(other, what, "its `type` must be `translate`")])?;
    let model = directory.join("model");
    let decoding = DecoderDefaults { beam_size: Some(4), normalize: Some(0.2), ..DecoderDefaults::default() };
    let languages = metadata.from_code.zip(metadata.to_code).map(|(from, to)| [from, to]);
    Ok(ModelFiles { decoding, languages, target_prefix, ..ModelFiles::plain(Format::CTranslate2, &model, &model) })
}

fn metadata(path: &Path) -> Result<Metadata, ModelError> {
    let json = std::fs::read(path).map_err(|e| ModelError::io(path, "read", e))?;
    serde_json::from_slice(&json).map_err(|e| ModelError::settings(path, format!("can not be read: {e}")))
}

/// The languages of the package in `directory`, if there is one.
pub(super) fn argos_pair(directory: &Path) -> Option<[String; 2]> {
    let Metadata { from_code, to_code, .. } = metadata(&directory.join(METADATA)).ok()?;
    Some([from_code?, to_code?])
}

/// The word that all translations of a package begin with, as the word of its one target language.
pub(super) fn language_words(directory: &Path, prefix: &str) -> Result<LanguageWords, ModelError> {
    let words = WordLists::find(directory)?.read()?;
    let id = words.target.iter().position(|word| word == prefix);
    let Some(id) = id.and_then(|id| u32::try_from(id).ok()) else {
        let problem = format!("the model has no word `{prefix}`, with which its translations are to begin");
        return Err(ModelError::settings(&directory.join(METADATA), problem));
    };
    let words = BTreeMap::from([(prefix.to_owned(), id)]);
    Ok(LanguageWords { places: LanguagePlaces::Target, source: None, target: Some(prefix.to_owned()), words })
}

/// The vocabularies of a directory: lists of words, and what divides text into them: SentencePiece models in the
/// directory or in that above, or a `tokenizer.json`.
pub(super) fn vocabularies(directory: &Path) -> Result<Vocabularies, ModelError> {
    let lists = WordLists::find(directory)?;
    let above = directory.canonicalize().ok().and_then(|path| Some(path.parent()?.to_owned()));
    let tokenizer = directory.join(TOKENIZER);
    let found = match segmenters(directory)? {
        Some(found) => Some(found),
        None if tokenizer.is_file() => Some([tokenizer.clone(), tokenizer]),
        None => above.as_deref().map(segmenters).transpose()?.flatten().or_else(|| codes(above.as_deref()?)),
    };
    match found {
        Some([source, target]) => Ok(with_segmenters(lists, source, target)),
        None => {
            check_words(directory, &lists)?;
            let side = VocabularyFiles::from;
            Ok(Vocabularies { source: side(lists.source), target: side(lists.target) })
        }
    }
}

/// The vocabularies of a directory whose SentencePiece models these are.
pub(super) fn with_segmenters(lists: WordLists, source: PathBuf, target: PathBuf) -> Vocabularies {
    let side = |words, segmenter| VocabularyFiles { segmenter: Some(segmenter), ..VocabularyFiles::from(words) };
    Vocabularies { source: side(lists.source, source), target: side(lists.target, target) }
}

/// The SentencePiece models of source and target in a directory, if it has any: one for both, or two that are named
/// after their sides.
fn segmenters(directory: &Path) -> Result<Option<[PathBuf; 2]>, ModelError> {
    let names: Vec<String> = file_names(directory)?
        .into_iter()
        .filter(|name| has_extension(name, &["spm", "model"]) && is_sentencepiece(&directory.join(name)))
        .collect();
    let starting = |start: &str| names.iter().find(|name| name.starts_with(start));
    let pair = SIDES.into_iter().find_map(|(source, target)| starting(source).zip(starting(target)));
    match (&names[..], pair) {
        ([], _) => Ok(None),
        ([both], _) => Ok(Some([both, both].map(|name| directory.join(name)))),
        (_, Some((source, target))) => Ok(Some([source, target].map(|name| directory.join(name)))),
        (several, None) => {
            let problem = format!(
                "it is not clear which SentencePiece model is the source's and which the target's: {}; call them \
                 `source.spm` and `target.spm`, or name both as vocabularies",
                several.join(", ")
            );
            Err(ModelError::settings(directory, problem))
        }
    }
}

/// The codes of BPE of a package of Argos Translate, for both languages.
fn codes(package: &Path) -> Option<[PathBuf; 2]> {
    let codes = package.join(BPE_MODEL);
    (package.join(METADATA).is_file() && codes.is_file()).then(|| [codes.clone(), codes])
}

/// SentencePiece models start with a line feed, and others of these endings do not.
fn is_sentencepiece(path: &Path) -> bool {
    let mut start = [0];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *b"\n"
}

/// Refuses lists of pieces without anything that divides text into them: translations would be of unknown words.
fn check_words(directory: &Path, lists: &WordLists) -> Result<(), ModelError> {
    let [mut sentencepiece, mut bpe] = [0; 2];
    for word in lists.read()?.source.iter() {
        sentencepiece += usize::from(word.starts_with('\u{2581}'));
        bpe += usize::from(word.ends_with("@@") || word.contains('\u{ffed}'));
    }
    // A word or two may have such characters.
    let (what, advice) = match (sentencepiece > 10, bpe > 10) {
        (true, _) => (
            "pieces of SentencePiece",
            "copy the model that divides text into them to the directory, as `source.spm` and `target.spm` or as \
             `sentencepiece.model` (or a `tokenizer.json`), or name it as the vocabulary",
        ),
        (_, true) => ("pieces of another tool than SentencePiece", "models with SentencePiece are read"),
        _ => return Ok(()),
    };
    Err(ModelError::settings(directory, format!("the words of the CTranslate2 model are {what}; {advice}")))
}
