//! From any format to those of other programs.

mod bin;
mod ctranslate2;
mod firefox;
mod hugging_face;
mod marian;
mod npz;
mod parts;

use crate::convert::check_free;
use crate::files::{Numbering, ShortlistFile, VocabularyFiles, unpacked_name};
use crate::formats::directory::StoredPrecision;
use crate::{Config, ModelError, Vocabularies, Weights};
use metaphrase_base::{Choice, Named, NewFolder, read_unpacked};
use std::path::Path;

/// The formats of other programs that models can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForeignFormat {
    /// A directory of CTranslate2.
    CTranslate2,
    /// A directory of Marian: `model.npz`, `decoder.yml`.
    Marian,
    /// A directory of Hugging Face's MarianMT.
    HuggingFace,
    /// A directory as Firefox' models have it: Marian's `.bin` with integers, SentencePiece, a shortlist.
    Firefox,
}

impl Choice for ForeignFormat {
    const ALL: &'static [Named<Self>] = &[
        Named::new(
            Self::CTranslate2,
            "ctranslate2",
            "a directory of CTranslate2: model.bin, config.json, vocabularies",
        ),
        Named::new(Self::Marian, "marian", "a directory of Marian: model.npz, decoder.yml, vocabularies"),
        Named::new(Self::HuggingFace, "hugging-face", "a directory of MarianMT in Hugging Face's transformers"),
        Named::new(Self::Firefox, "firefox", "a directory as Firefox' models have it: Marian .bin, vocab.spm, options"),
    ];
}

/// The words of a model, by id; as many as the model has, or fewer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelWords {
    /// Words of the source language.
    pub source: Vec<String>,
    /// Words of the target language.
    pub target: Vec<String>,
}

/// A model that is to be written in the format of another program.
#[derive(Debug)]
pub struct ExportedModel<'a> {
    /// Its settings.
    pub config: &'a Config,
    /// Its tensors.
    pub weights: &'a Weights,
    /// The files of its vocabularies.
    pub vocabularies: &'a Vocabularies,
    /// The words of its vocabularies.
    pub words: &'a ModelWords,
    /// Its shortlist.
    pub shortlist: Option<&'a ShortlistFile>,
}

/// Writes a model at `to` in the format of another program, which translates with it as this one does. Answers what of
/// the model the format has no place for, though translations without it are the same.
///
/// The directory is written atomically, as by [`convert`](crate::convert).
///
/// # Errors
/// If the other program can not compute the model, if something other than an empty directory is at `to`, or if it can
/// not be written.
pub fn export(
    model: &ExportedModel<'_>,
    to: &Path,
    format: ForeignFormat,
    precision: StoredPrecision,
) -> Result<Vec<&'static str>, ModelError> {
    model.config.check(model.weights.path())?;
    model.check_languages()?;
    check_free(to)?;
    let folder = NewFolder::create(to).map_err(|e| ModelError::io(to, "create", e))?;
    let written = match format {
        ForeignFormat::CTranslate2 => ctranslate2::write(model, folder.part(), precision),
        ForeignFormat::Marian => marian::write(model, folder.part(), precision),
        ForeignFormat::HuggingFace => hugging_face::write(model, folder.part(), precision),
        ForeignFormat::Firefox => firefox::write(model, folder.part(), precision),
    };
    written.map_err(|error| error.moved(folder.part(), to))?;
    folder.finish().map_err(|e| ModelError::io(to, "create", e))?;
    Ok(model.left_out(format))
}

impl ExportedModel<'_> {
    fn path(&self) -> &Path {
        self.weights.path()
    }

    fn check_languages(&self) -> Result<(), ModelError> {
        let words = self.config.language_words.as_ref().filter(|languages| !languages.words.is_empty());
        let advice =
            "models of one pair of languages, and those that are told the target language in the text, are written";
        let what = "a model of many languages in a format of another program";
        let codes = self.vocabularies.source.has_codes() || self.vocabularies.target.has_codes();
        let bpe = "a model of BPE units, whose text passes Moses' scripts, in a format of another program";
        let keep = "it is translated with from its own directory";
        ModelError::refuse(self.path(), &[(words.is_some(), what, advice), (codes, bpe, keep)])
    }

    fn left_out(&self, format: ForeignFormat) -> Vec<&'static str> {
        let takes = |shortlist: &&ShortlistFile| format == ForeignFormat::Firefox && shortlist.is_binary();
        let parts = [
            (self.shortlist.is_some_and(|shortlist| !takes(&shortlist)), "the shortlist"),
            (self.config.inline_terms.is_some(), "terms within the source"),
            (self.config.decoding.longest_sentence.is_some(), "the length of the longest sentence"),
        ];
        parts.into_iter().filter_map(|(has, what)| has.then_some(what)).collect()
    }

    /// Copies the SentencePiece models of both languages as `{source}` and `{target}`. Whether there are any.
    fn copy_pieces(&self, folder: &Path, [source, target]: [&str; 2]) -> Result<bool, ModelError> {
        let sides = [(&self.vocabularies.source, source), (&self.vocabularies.target, target)];
        for (files, name) in sides {
            let Some(pieces) = pieces(files) else { return Ok(false) };
            let to = folder.join(name);
            let content = read_unpacked(pieces).map_err(|e| ModelError::io(pieces, "read", e))?;
            std::fs::write(&to, content).map_err(|e| ModelError::io(&to, "write", e))?;
        }
        Ok(true)
    }

    /// Whether both languages have the same words.
    fn shares_words(&self) -> bool {
        self.words.source == self.words.target && self.config.source_words == self.config.target_words
    }
}

/// The SentencePiece model of a vocabulary, if a file is one.
fn pieces(files: &VocabularyFiles) -> Option<&Path> {
    let is_pieces = |path: &&Path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        matches!(unpacked_name(name).rsplit_once('.'), Some((_, "spm" | "model")))
    };
    let file = files.segmenter.as_deref().unwrap_or(&files.words);
    Some(file).filter(is_pieces).filter(|_| files.numbering == Numbering::Own)
}

/// `count` words, of which those that the vocabulary lacks have names that no text has.
fn filled(words: &[String], count: usize) -> Vec<String> {
    let known: std::collections::HashSet<&str> = words.iter().map(String::as_str).collect();
    let gap = |id: usize| {
        let name = format!("<gap{id}>");
        if known.contains(name.as_str()) { format!("<gap {id}>") } else { name }
    };
    let word = |id: usize| words.get(id).filter(|word| !word.is_empty()).cloned().unwrap_or_else(|| gap(id));
    (0..count).map(word).collect()
}

/// Writes a file of JSON.
fn write_json(path: &Path, value: &serde_json::Value) -> Result<(), ModelError> {
    std::fs::write(path, format!("{value:#}\n")).map_err(|e| ModelError::io(path, "write", e))
}
