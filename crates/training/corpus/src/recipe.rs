//! The sources of a corpus and the settings of its making.

use crate::CorpusError;
use crate::marks::Marks;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Everything that determines a corpus. In TOML the sources are `[[source]]` tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Recipe {
    /// The languages of both sides.
    pub languages: Languages,
    /// The sources, in the order in which they are read: of equal pairs the first stays.
    #[serde(rename = "source")]
    pub sources: Vec<Source>,
    /// Texts of test sets, of either language, plain or `.gz`. Pairs with a line of them, or with most of its words in
    /// the same order, are left out.
    #[serde(default)]
    pub unseen: Vec<PathBuf>,
    /// The limits of a good pair.
    #[serde(default)]
    pub limits: Limits,
    /// Pairs that are set aside.
    #[serde(default)]
    pub held_out: HeldOut,
    /// Pairs that are added with noise.
    #[serde(default)]
    pub noise: Noise,
    /// The share of the pairs that are used a second time with one to three terms and their translations in the source,
    /// from 0 to 1: see [`MarkedText`](metaphrase_text::MarkedText). A model that learns from them takes terms from
    /// there, and inflects them.
    #[serde(default)]
    pub terms: f64,
    /// How quotation marks are written in the text that a model learns to write.
    #[serde(default)]
    pub quotation_marks: QuotationMarks,
    /// How even the sources become: a source with a share p of all pairs gets a share proportional to
    /// weight · p^(1/temperature). 1 leaves sizes as they are; 5 comes close to equal sources.
    #[serde(default = "one")]
    pub temperature: f64,
    /// The seed of all random choices.
    #[serde(default)]
    pub seed: u64,
    /// Whether the training text is for the other direction: a model reads its targets. The pairs that stay, and those
    /// that are set aside, are the same ones. Not in the file.
    #[serde(skip)]
    pub reverse: bool,
}

/// The languages of a corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Languages {
    /// The language of the source side, a code of two letters such as `en`.
    pub source: String,
    /// The language of the target side.
    pub target: String,
}

/// How each side's quotation marks are written in the training text when a model learns to write that side. Text that
/// it learns to read, and pairs that are set aside, keep theirs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct QuotationMarks {
    /// The marks of the source side, for the other direction.
    pub source: Marks,
    /// The marks of the target side.
    pub target: Marks,
}

/// Two files that belong together line by line, plain or `.gz`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Source {
    /// Its name in the report, and of its test set.
    pub name: String,
    /// Source sentences.
    pub source: PathBuf,
    /// Target sentences.
    pub target: PathBuf,
    /// How often its pairs are used, before the temperature: 2 twice, 0.5 every second one.
    #[serde(default = "one")]
    pub weight: f64,
    /// Two files with a score for each line: ln p(target|source) and ln p(source|target), as `metaphrase score` prints
    /// them.
    #[serde(default)]
    pub scores: Option<[PathBuf; 2]>,
    /// The share of the pairs that stays, of those with the best scores; from 0 to 1.
    #[serde(default = "one")]
    pub keep: f64,
    /// The side that a model translated, if one did. Where it is what the new model reads, each line begins with
    /// U+0004, so that the model learns to distinguish such text from what people write.
    #[serde(default)]
    pub by_model: Option<Side>,
    /// Where the text comes from, and its licence; copied into the report.
    #[serde(default)]
    pub licence: Option<String>,
}

/// A side of parallel text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The side of the recipe's source language.
    Source,
    /// The side of the target language.
    Target,
}

/// The limits of a good pair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Limits {
    /// The most words of a side.
    pub max_words: usize,
    /// The least share of letters among the characters of a side that are not white space, from 0 to 1.
    pub min_letters: f64,
    /// How much longer or shorter a target may be than its source makes expect, in characters; a factor above 1. The
    /// expected length is learnt: the median over all sources.
    pub max_ratio: f64,
    /// The most numbers that one side has and the other lacks.
    pub max_other_numbers: usize,
    /// Whether a side of five words or more has to be in its language and not in the other side's.
    pub language: bool,
    /// The least agreement of a pair's words, from 0 to 1, by what the word aligner learns from all pairs: the mean,
    /// over the words of both sides, of the probability of the word given its best translation in the other side. 0
    /// skips the alignment.
    pub min_agreement: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_words: 100,
            min_letters: 0.5,
            max_ratio: 2.0,
            max_other_numbers: 2,
            language: true,
            min_agreement: 0.0,
        }
    }
}

/// Pairs that are set aside before the rest is repeated and made noisy. No pair of the rest shares a side with them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HeldOut {
    /// Pairs of each source for the development set.
    pub dev: usize,
    /// Pairs of each source for its test set. A source gives at most a twentieth of its pairs to each set.
    pub test: usize,
}

/// Shares of the pairs that are used a second time with noise in the source, each from 0 to 1.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Noise {
    /// In small letters.
    pub lower_case: f64,
    /// In capitals, and so is the target.
    pub upper_case: f64,
    /// With a letter exchanged, left out or doubled in about every tenth word.
    pub typos: f64,
    /// Without punctuation at the end; the target too.
    pub no_full_stop: f64,
    /// Without any punctuation; the target keeps its own.
    pub no_punctuation: f64,
    /// With a name that both sides share made into another one, with strange letters; the target too.
    pub names: f64,
    /// With an emoji, a word of another script, a long number or an address; the target has the same.
    pub copied: f64,
    /// With its quotation marks written in another way, where it has some.
    pub marks: f64,
    /// With white space doubled or left out next to punctuation.
    pub white_space: f64,
    /// With the next pair of the source in the same line.
    pub joined: f64,
}

fn one() -> f64 {
    1.0
}

impl Recipe {
    /// Reads a recipe, a TOML file. Its file names are relative to its folder.
    ///
    /// # Errors
    /// If the file can not be read, is no such recipe, or has a setting without meaning.
    pub fn read(path: &Path) -> Result<Self, CorpusError> {
        let text = std::fs::read_to_string(path).map_err(CorpusError::read(path))?;
        let mut recipe: Self = metaphrase_settings::from_toml(&text).map_err(|error| {
            let (line, problem) = (error.line(&text), error.message().to_owned());
            CorpusError::Recipe { path: path.into(), line, problem }
        })?;
        recipe.check()?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let own = recipe.sources.iter_mut().flat_map(|source| {
            [&mut source.source, &mut source.target].into_iter().chain(source.scores.iter_mut().flatten())
        });
        own.chain(&mut recipe.unseen).for_each(|path| *path = folder.join(&*path));
        Ok(recipe)
    }

    /// All files that a corpus is made from.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let texts = self.sources.iter().flat_map(|source| [&source.source, &source.target]);
        texts.chain(self.sources.iter().flat_map(|source| &source.scores).flatten()).chain(&self.unseen)
    }

    /// Whether all settings have a meaning.
    ///
    /// # Errors
    /// [`CorpusError::Setting`] for the first that has none.
    pub fn check(&self) -> Result<(), CorpusError> {
        let wrong =
            |key: String, value: f64, expected| Err(CorpusError::Setting { key, value: value.to_string(), expected });
        for (at, source) in self.sources.iter().enumerate() {
            if !(source.weight.is_finite() && (0.0..=100.0).contains(&source.weight)) {
                return wrong(format!("source[{at}].weight"), source.weight, "a number from 0 to 100");
            }
            if !(0.0..=1.0).contains(&source.keep) {
                return wrong(format!("source[{at}].keep"), source.keep, "a share from 0 to 1");
            }
        }
        let Limits { min_letters, max_ratio, min_agreement, .. } = self.limits;
        let Noise {
            lower_case,
            upper_case,
            typos,
            no_full_stop,
            no_punctuation,
            names,
            copied,
            marks,
            white_space,
            joined,
        } = self.noise;
        let shares = [
            ("limits.min-letters", min_letters),
            ("limits.min-agreement", min_agreement),
            ("terms", self.terms),
            ("noise.lower-case", lower_case),
            ("noise.upper-case", upper_case),
            ("noise.typos", typos),
            ("noise.no-full-stop", no_full_stop),
            ("noise.no-punctuation", no_punctuation),
            ("noise.names", names),
            ("noise.copied", copied),
            ("noise.marks", marks),
            ("noise.white-space", white_space),
            ("noise.joined", joined),
        ];
        for (key, share) in shares {
            if !(0.0..=1.0).contains(&share) {
                return wrong(key.to_owned(), share, "a share from 0 to 1");
            }
        }
        if max_ratio.is_nan() || max_ratio <= 1.0 {
            return wrong("limits.max-ratio".into(), max_ratio, "a factor above 1");
        }
        if !(1.0..=1000.0).contains(&self.temperature) {
            return wrong("temperature".into(), self.temperature, "a number from 1 to 1000");
        }
        Ok(())
    }
}
