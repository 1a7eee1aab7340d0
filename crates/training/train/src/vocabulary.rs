//! Vocabularies of a run: files that are there, or trained on the training text.

use crate::data::CorpusFiles;
use crate::own_files::OwnFiles;
use crate::text_lines::lines;
use metaphrase_base::{Choice, Named, NewFile};
use metaphrase_models::{Vocabularies, VocabularyFiles};
use metaphrase_text::sentencepiece::train::{TrainError, TrainOptions, train_bpe, train_unigram};
use metaphrase_text::sentencepiece::{SentencePieceError, extend};
use metaphrase_text::vocab::{VocabularyError, train_words};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// The vocabularies: files, or how to train them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum VocabularyRecipe {
    /// Files with words and their ids: `.spm`, or lists.
    Files {
        /// The source language's.
        source: PathBuf,
        /// The target language's; may be the same file.
        target: PathBuf,
    },
    /// Trained on the training text before the first update, and kept in the run's directory.
    Train(VocabularyTraining),
}

/// How vocabularies are trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct VocabularyTraining {
    /// The kind of the words.
    pub kind: VocabularyKind,
    /// Number of words, special ones included.
    pub size: usize,
    /// One vocabulary for both languages.
    pub shared: bool,
    /// Share of the text's characters that pieces cover, from 0.98 to 1.
    pub coverage: f64,
    /// Other characters become bytes, which takes 256 pieces; otherwise they are unknown.
    pub byte_fallback: bool,
}

impl Default for VocabularyTraining {
    fn default() -> Self {
        Self { kind: VocabularyKind::Unigram, size: 8000, shared: false, coverage: 0.9995, byte_fallback: false }
    }
}

/// The kind of words of a trained vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VocabularyKind {
    /// Pieces of a unigram language model (Kudo 2018), as SentencePiece trains them.
    Unigram,
    /// Pieces of byte pair encoding (Sennrich et al. 2016), as SentencePiece trains them.
    Bpe,
    /// The most frequent words between blanks.
    Words,
}

impl Choice for VocabularyKind {
    const ALL: &'static [Named<Self>] = &[
        Named::new(Self::Unigram, "unigram", "Pieces of a unigram language model, as SentencePiece trains them"),
        Named::new(Self::Bpe, "bpe", "Pieces of byte pair encoding, as SentencePiece trains them"),
        Named::new(Self::Words, "words", "The most frequent words between spaces"),
    ];
}

/// A vocabulary that can not be trained.
#[derive(Debug, thiserror::Error)]
pub enum VocabularyTrainingError {
    /// A file can not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The text does not give such pieces.
    #[error("no vocabulary of this kind and size can be trained on the text: {0}")]
    Pieces(#[from] TrainError),
    /// A vocabulary can not be given more characters.
    #[error("{path}: {source}")]
    Extension {
        /// The vocabulary.
        path: PathBuf,
        /// Why.
        source: SentencePieceError,
    },
    /// The text does not give such a list of words.
    #[error("no vocabulary of this kind and size can be trained on the text: {0}")]
    Words(#[from] VocabularyError),
}

impl VocabularyRecipe {
    /// The files that the recipe names, with their keys.
    pub(crate) fn files_mut(&mut self) -> Vec<(String, &mut PathBuf)> {
        match self {
            Self::Files { source, target } => {
                vec![("vocabulary.files.source".into(), source), ("vocabulary.files.target".into(), target)]
            }
            Self::Train(_) => Vec::new(),
        }
    }

    /// The files of the source and the target vocabulary. They are trained and written into `run`, among the files of
    /// `own`, unless the run is resumed and they are there.
    pub(crate) fn prepare(
        &self,
        data: &[CorpusFiles],
        run: &Path,
        own: &mut OwnFiles,
        resume: bool,
        threads: usize,
    ) -> Result<Vocabularies, VocabularyTrainingError> {
        let of = |words: &PathBuf| VocabularyFiles::from(words.clone());
        let training = match self {
            Self::Files { source, target } => return Ok(Vocabularies { source: of(source), target: of(target) }),
            Self::Train(training) => training,
        };
        let extension = if training.kind == VocabularyKind::Words { "yml" } else { "spm" };
        let sources = || data.iter().map(|files| &files.source);
        let targets = || data.iter().map(|files| &files.target);
        let mut prepare = |name: &str, texts: &mut dyn Iterator<Item = &PathBuf>| {
            let name = format!("{name}.{extension}");
            let path = run.join(&name);
            if !(resume && path.exists()) {
                let vocabulary = training.trained(texts, threads)?;
                let io = |source| VocabularyTrainingError::Io { path: path.clone(), source };
                own.write(&name, vocabulary).map_err(io)?;
            }
            Ok::<_, VocabularyTrainingError>(VocabularyFiles::from(path))
        };
        if training.shared {
            let both = prepare("vocabulary", &mut sources().chain(targets()))?;
            return Ok(Vocabularies { source: both.clone(), target: both });
        }
        let source = prepare("source", &mut sources())?;
        Ok(Vocabularies { source, target: prepare("target", &mut targets())? })
    }
}

impl VocabularyTraining {
    /// Trains one vocabulary on text files, of which `.gz` are decompressed, and writes it to the file `to`. The file
    /// does not depend on `threads`.
    ///
    /// # Errors
    /// If a file can not be read or written, or if the text does not give such a vocabulary.
    pub fn train<'p>(
        &self,
        texts: impl Iterator<Item = &'p PathBuf>,
        to: &Path,
        threads: usize,
    ) -> Result<(), VocabularyTrainingError> {
        let vocabulary = self.trained(texts, threads)?;
        NewFile::write(to, vocabulary).map_err(|source| VocabularyTrainingError::Io { path: to.to_owned(), source })
    }

    /// The file of a vocabulary that is trained on text files.
    fn trained<'p>(
        &self,
        texts: impl Iterator<Item = &'p PathBuf>,
        threads: usize,
    ) -> Result<Vec<u8>, VocabularyTrainingError> {
        let all = all_lines(texts)?;
        let options = TrainOptions {
            vocab_size: self.size,
            character_coverage: self.coverage,
            byte_fallback: self.byte_fallback,
            threads,
            ..TrainOptions::default()
        };
        Ok(match self.kind {
            VocabularyKind::Unigram => train_unigram(all, &options, |_| ())?.model,
            VocabularyKind::Bpe => train_bpe(all, &options, |_| ())?.model,
            VocabularyKind::Words => train_words(&all, self.size)?.yaml.into_bytes(),
        })
    }
}

/// Gives characters that the SentencePiece model `vocabulary` lacks the places of the pieces that the texts use least,
/// as [`metaphrase_text::sentencepiece::extend`] does, and writes it to the file `to`. Returns the pieces that left and
/// the characters that came.
///
/// # Errors
/// If a file can not be read or written, or if the vocabulary can not be given the characters.
pub fn extend_vocabulary<'p>(
    vocabulary: &Path,
    characters: &str,
    texts: impl Iterator<Item = &'p PathBuf>,
    to: &Path,
) -> Result<Vec<(String, char)>, VocabularyTrainingError> {
    let io = |path: &Path| {
        let path = path.to_owned();
        |source| VocabularyTrainingError::Io { path, source }
    };
    let file = std::fs::read(vocabulary).map_err(io(vocabulary))?;
    let extended = extend(&file, characters, all_lines(texts)?)
        .map_err(|source| VocabularyTrainingError::Extension { path: vocabulary.to_owned(), source })?;
    NewFile::write(to, extended.model).map_err(io(to))?;
    Ok(extended.replaced)
}

/// The lines of text files, of which `.gz` are decompressed.
fn all_lines<'p>(texts: impl Iterator<Item = &'p PathBuf>) -> Result<Vec<String>, VocabularyTrainingError> {
    let mut all = Vec::new();
    for path in texts {
        all.extend(lines(path).map_err(|source| VocabularyTrainingError::Io { path: path.clone(), source })?);
    }
    Ok(all)
}
