//! Evidence: the translations of a line by other systems, as scores in the neural search.

use crate::{Error, EvidenceOptions, Package, PhraseOptions};
use metaphrase_base::{SentenceScorer, Unit, WordId};
use metaphrase_evidence::{
    EvidenceError, Mask, Matrix, NgramNumber, Numbering, Paths, Posteriors, Units, WritingStyle,
};
use metaphrase_lattice::Lattice;
use metaphrase_phrase::{PhraseModel, ReadyModel, Results, Workspace};
use metaphrase_text::language::{Language, WordTokenizer};
use metaphrase_text::moses::TokenizerOptions;
use metaphrase_text::vocab::Vocabulary;
use std::path::PathBuf;
use std::sync::Arc;

/// Translations of a line by another system, or the n-grams that were counted in them. See `docs/algorithms/lmbr.md`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Evidence {
    /// N-grams of target pieces with their posteriors.
    Posteriors(Posteriors),
    /// Texts with their scores: natural logarithms, higher is better. Where the other system has tokens
    /// ([`EvidenceCounter::tokenized`],
    /// [`TranslatorBuilder::evidence_languages`](crate::TranslatorBuilder::evidence_languages)), the texts are tokens
    /// with spaces between them.
    NBest(Vec<(String, f64)>),
    /// A lattice of words or tokens.
    Lattice(Lattice),
}

impl Evidence {
    /// An estimate of the bytes that it takes.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Posteriors(posteriors) => posteriors.size(),
            Self::NBest(texts) => texts.iter().map(|(text, _)| 64 + text.len()).sum(),
            Self::Lattice(lattice) => 32 * lattice.arcs().len(),
        }
    }
}

/// The length of the n-best list that replaces a lattice which can not be counted as it is.
const N_BEST: usize = 1000;

/// Counts n-grams of the target pieces of a neural model in the translations of other systems.
#[derive(Debug, Clone)]
pub struct EvidenceCounter {
    target: Arc<Vocabulary>,
    /// By piece, whether it continues the written word before it.
    continues: Arc<[bool]>,
    writing: WritingStyle,
}

impl EvidenceCounter {
    /// Counts pieces of the model of `package`.
    ///
    /// # Errors
    /// [`Error`] if the model or its vocabulary can not be read.
    pub fn new(package: &Package) -> Result<Self, Error> {
        let (config, _) = package.open_model()?;
        Ok(Self::of(package.load_vocabularies(&config)?.1))
    }

    pub(crate) fn of(target: Arc<Vocabulary>) -> Self {
        let continues = (0..target.len()).map(|word| target.continues(WordId::new(word))).collect();
        Self { target, continues, writing: WritingStyle::default() }
    }

    /// The words of lattices are tokens of this language as Moses and `metaphrase tokenize --escape` make them; without
    /// this call a space stands between all words of a text.
    ///
    /// # Errors
    /// [`Error::Language`] for a code without a language.
    pub fn tokenized(mut self, language: &str) -> Result<Self, Error> {
        self.writing.detokenizer = Some(language.parse::<Language>()?.detokenizer());
        Ok(self)
    }

    /// Whether the translations of lattices begin with a capital letter that their words lack.
    #[must_use]
    pub fn capitalized(mut self, capitalize: bool) -> Self {
        self.writing.capitalize = capitalize;
        self
    }

    /// The posteriors of the n-grams of some evidence.
    ///
    /// # Errors
    /// If no translation has a finite score.
    pub fn posteriors(&self, evidence: &Evidence, options: &EvidenceOptions) -> Result<Posteriors, EvidenceError> {
        let units = self.units(options);
        match self.with_paths(evidence, options, |paths| paths.posteriors(options.order, &units)) {
            Err(EvidenceError::NoPaths) if let Evidence::Posteriors(posteriors) = evidence => Ok(posteriors.clone()),
            counted => counted,
        }
    }

    /// Calls a function with the translations of some evidence, or with the n best of a lattice that is too large or
    /// has no spaces.
    fn with_paths<T>(
        &self,
        evidence: &Evidence,
        options: &EvidenceOptions,
        use_paths: impl Fn(&Paths) -> Result<T, EvidenceError>,
    ) -> Result<T, EvidenceError> {
        match evidence {
            Evidence::Posteriors(_) => Err(EvidenceError::NoPaths),
            Evidence::NBest(texts) => {
                let texts =
                    texts.iter().map(|(text, score)| (self.writing.text(text.split_ascii_whitespace()), *score));
                use_paths(&self.of_texts(texts, options)?)
            }
            Evidence::Lattice(lattice) => {
                let pruned;
                let lattice = if options.prune > 0.0 {
                    pruned = lattice.pruned(options.scale, options.prune).ok_or(EvidenceError::NoTranslation)?;
                    &pruned
                } else {
                    lattice
                };
                if let Some(count) = options.best_paths {
                    return use_paths(&self.of_best(lattice, count, options)?);
                }
                let paths = self.writing.paths(lattice, options.scale, &self.target);
                match paths.and_then(|paths| use_paths(&paths)) {
                    Err(EvidenceError::NoSpaces | EvidenceError::TooLarge { .. }) => {
                        use_paths(&self.of_best(lattice, N_BEST, options)?)
                    }
                    counted => counted,
                }
            }
        }
    }

    /// The best translations of a lattice.
    fn of_best(&self, lattice: &Lattice, count: usize, options: &EvidenceOptions) -> Result<Paths, EvidenceError> {
        let best = lattice.n_best(count).into_iter();
        let texts = best.map(|(words, score)| (self.writing.text(words.iter().map(|&word| lattice.word(word))), score));
        self.of_texts(texts, options)
    }

    fn of_texts(
        &self,
        texts: impl Iterator<Item = (String, f64)>,
        options: &EvidenceOptions,
    ) -> Result<Paths, EvidenceError> {
        let pieces = |(text, score): (String, f64)| {
            let mut pieces = Vec::new();
            self.target.encode(&text, &mut pieces);
            pieces.pop();
            (pieces, score)
        };
        Paths::from_n_best(&texts.map(pieces).collect::<Vec<_>>(), options.scale, self.target.eos())
    }

    /// Posteriors as text, a line with this number for each n-gram. See `docs/formats/posteriors.md`.
    #[must_use]
    pub fn to_text(&self, posteriors: &Posteriors, number: NgramNumber) -> String {
        posteriors.to_text(self.target.eos(), number)
    }

    /// Reads the lines of a sentence that [`to_text`](Self::to_text) has written.
    ///
    /// # Errors
    /// If a line has another form.
    pub fn from_text<'t>(
        &self,
        lines: impl IntoIterator<Item = &'t str>,
        options: &EvidenceOptions,
    ) -> Result<Posteriors, EvidenceError> {
        let (words, end, begin) = (self.target.len(), self.target.eos(), self.target.id("<s>"));
        Posteriors::from_text(lines, Numbering { words, end, begin }, &self.units(options))
    }

    /// For each order the sum of the posteriors of the n-grams of a translation, where each occurrence of an n-gram
    /// counts. `complete`: the translation ends with the end of sentence. These are the features that Θ1 to Θ4 weigh.
    #[must_use]
    pub fn sums(&self, posteriors: &Posteriors, pieces: &[String], complete: bool) -> [f64; 4] {
        let ids = pieces.iter().filter_map(|piece| self.target.id(piece));
        let words: Vec<WordId> = ids.chain(complete.then(|| self.target.eos())).collect();
        posteriors.sums(&words)
    }

    fn units(&self, options: &EvidenceOptions) -> Units {
        if options.written_words { Units::written_words(Arc::clone(&self.continues)) } else { Units::words() }
    }

    /// The scores that evidence adds to words; `None` if it has no n-grams.
    pub(crate) fn scorer(
        &self,
        evidence: &Evidence,
        options: &EvidenceOptions,
    ) -> Result<Option<Arc<dyn SentenceScorer>>, EvidenceError> {
        let posteriors = Unit::Posteriors.timed();
        if options.rescore {
            return Ok(Some(Arc::new(self.with_paths(evidence, options, Mask::new)?)));
        }
        let found = self.posteriors(evidence, options)?;
        drop(posteriors);
        Ok(self.matrix(&found, options))
    }

    /// The same for translations in pieces.
    pub(crate) fn scorer_of_pieces(
        &self,
        list: &[(&[WordId], f64)],
        options: &EvidenceOptions,
    ) -> Result<Option<Arc<dyn SentenceScorer>>, EvidenceError> {
        let unit = Unit::Posteriors.timed();
        let paths = Paths::from_n_best(list, options.scale, self.target.eos())?;
        if options.rescore {
            return Ok(Some(Arc::new(Mask::new(&paths)?)));
        }
        let found = paths.posteriors(options.order, &self.units(options))?;
        drop(unit);
        Ok(self.matrix(&found, options))
    }

    fn matrix(&self, posteriors: &Posteriors, options: &EvidenceOptions) -> Option<Arc<dyn SentenceScorer>> {
        let _unit = Unit::Matrix.timed();
        let matrix = || Matrix::new(posteriors, &self.units(options), &options.theta, options.weight);
        (!posteriors.is_empty()).then(|| Arc::new(matrix()) as _)
    }
}

/// The files of a phrase-based model in addition to the neural ones, as given to the builder.
#[derive(Debug, Clone, Default)]
pub(crate) struct EvidenceModelFiles {
    /// `None`: the requests bring their evidence.
    pub(crate) model: Option<PathBuf>,
    pub(crate) options: Option<PhraseOptions>,
    /// The languages of the source and of the target, if words are split and joined as Moses does.
    pub(crate) languages: Option<(String, String)>,
    pub(crate) capitalize: bool,
}

/// A phrase-based model whose lattices are evidence.
pub(crate) struct EvidenceModel {
    model: ReadyModel,
    tokenizer: Option<WordTokenizer>,
}

impl EvidenceModel {
    /// Reads the model, if there is one, and configures `counter` for the languages of the evidence.
    pub(crate) fn open(files: &EvidenceModelFiles, counter: &mut EvidenceCounter) -> Result<Option<Self>, Error> {
        let mut tokenizer = None;
        if let Some((source, target)) = &files.languages {
            let escape = TokenizerOptions { escape: true, ..TokenizerOptions::default() };
            tokenizer = Some(WordTokenizer::new(source.parse::<Language>()?, escape));
            *counter = counter.clone().tokenized(target)?;
        }
        *counter = counter.clone().capitalized(files.capitalize);
        let Some(path) = &files.model else { return Ok(None) };
        let model = PhraseModel::read_moses(path)?;
        let distortion_limit = model.distortion_limit;
        let options = files.options.clone();
        let options = options.unwrap_or_else(|| PhraseOptions { distortion_limit, ..PhraseOptions::default() });
        Ok(Some(Self { model: ReadyModel::new(model, options)?, tokenizer }))
    }

    /// The lattice of the first `limit` words of a line.
    pub(crate) fn lattice(&self, source: &str, limit: usize, workspace: &mut Workspace) -> Lattice {
        let _unit = Unit::PhraseSearch.timed();
        let tokenized = self.tokenizer.as_ref().map(|tokenizer| tokenizer.tokenize_line(source));
        let words = tokenized.as_deref().unwrap_or(source).split_ascii_whitespace();
        let words: Vec<&str> = words.take(limit).collect();
        let decoder = self.model.decoder(Results::Many);
        let (phrases, _) = decoder.lattice(&words, workspace);
        self.model.model().word_lattice(&words, &phrases)
    }
}
