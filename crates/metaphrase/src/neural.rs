//! The neural engine: a model, its vocabularies and the threads that search with them.

use crate::evidence::{EvidenceModel, EvidenceModelFiles};
use crate::stream::{Machine, Pool, pool};
use crate::{Error, EvidenceCounter, Package, ShortlistOptions, TranslateOptions};
use metaphrase_base::{UnitTimes, WordId};
use metaphrase_models::Model;
use metaphrase_search::{Continues, Fused};
use metaphrase_shortlist::Shortlists;
use metaphrase_text::vocab::Vocabulary;
use std::path::Path;
use std::sync::Arc;

/// A neural translator: the pool of threads, and what the threads read.
pub(crate) struct Neural {
    pub(crate) pool: Pool,
    pub(crate) shared: Arc<Shared>,
}

/// What callers and workers read.
pub(crate) struct Shared {
    pub(crate) model: Arc<Model>,
    pub(crate) source: Arc<Vocabulary>,
    pub(crate) target: Arc<Vocabulary>,
    /// Which target words continue the written word before them.
    pub(crate) continues: Continues,
    /// Counts evidence.
    pub(crate) counter: EvidenceCounter,
    /// Gives the evidence of lines that bring none.
    pub(crate) evidence: Option<EvidenceModel>,
    /// The words that may translate a line; `None`: all words.
    pub(crate) shortlists: Option<Shortlists>,
    /// Where the time goes is added to these.
    pub(crate) unit_times: Option<Arc<UnitTimes>>,
}

/// What works beside the models.
pub(crate) struct Beside<'a> {
    /// The file of a language model, and its weight.
    pub(crate) language_model: Option<(&'a Path, f32)>,
    /// The file of a shortlist, and how much of it is used.
    pub(crate) shortlist: Option<(&'a Path, ShortlistOptions)>,
    /// A phrase-based model that gives evidence.
    pub(crate) evidence: Option<EvidenceModelFiles>,
    /// Where the time goes is added to these.
    pub(crate) unit_times: Option<Arc<UnitTimes>>,
}

/// The vocabularies of the source and of the target.
type Vocabularies = (Arc<Vocabulary>, Arc<Vocabulary>);

impl Neural {
    /// Loads the packages and what works beside them. The threads start with the first request.
    pub(crate) fn new(
        packages: &[Package],
        weights: Option<&[f32]>,
        beside: Beside<'_>,
        machine: Machine,
    ) -> Result<Self, Error> {
        let (model, (source, target)) = load(packages, weights)?;
        let model = Arc::new(model);
        let continues = (0..target.len()).map(|word| target.continues(WordId::new(word))).collect();
        let open = |(path, options)| Shortlists::open(path, options, [&source, &target]);
        let shortlists = beside.shortlist.map(open).transpose()?;
        let mut counter = EvidenceCounter::of(Arc::clone(&target));
        let evidence = match &beside.evidence {
            Some(files) => EvidenceModel::open(files, &mut counter)?,
            None => None,
        };
        let unit_times = beside.unit_times;
        let shared = Arc::new(Shared { model, source, target, continues, counter, evidence, shortlists, unit_times });
        let pool = match beside.language_model {
            None => pool(&shared.model, &shared, machine),
            Some((path, weight)) => {
                let words = shared.model.config().target_words;
                let scorer = crate::language_model::open(path, weight, &shared.target, words)?;
                let fused = Arc::new(Fused::new(Arc::clone(&shared.model), scorer, weight));
                pool(&fused, &shared, machine)
            }
        };
        Ok(Self { pool, shared })
    }

    /// The options that the model recommends, over our defaults.
    pub(crate) fn options(&self) -> TranslateOptions {
        let decoding = &self.shared.model.config().decoding;
        let mut options = TranslateOptions::default();
        let search = &mut options.search;
        search.beam_size = decoding.beam_size.unwrap_or(search.beam_size);
        search.normalize = decoding.normalize.unwrap_or(search.normalize);
        // Terms need hypotheses that lack them and hypotheses that have them.
        search.beam_size_constrained = Some(search.beam_size.max(10));
        search.word_penalty = decoding.word_penalty.unwrap_or(search.word_penalty);
        search.max_length_factor = decoding.max_length_factor.unwrap_or(search.max_length_factor);
        options.longest_sentence = decoding.longest_sentence;
        options
    }
}

/// One model, or an ensemble with its weights; and the vocabularies, which all its models share.
fn load(packages: &[Package], weights: Option<&[f32]>) -> Result<(Model, Vocabularies), Error> {
    let (first, others) = packages.split_first().ok_or(Error::NoModel)?;
    let (model, vocabularies) = open(first)?;
    if others.is_empty() && weights.is_none() {
        return Ok((model, vocabularies));
    }
    let mut models = vec![model];
    for package in others {
        let (model, (source, target)) = open(package)?;
        // Models of other languages mostly have other words, too. The ensemble names the languages.
        let languages = [&models[0], &model].map(|model| model.config().languages.as_ref());
        let other_languages = matches!(languages, [Some(ours), Some(theirs)] if ours != theirs);
        for (side, ours, theirs) in [("source", &vocabularies.0, source), ("target", &vocabularies.1, target)] {
            if !other_languages && !same_words(ours, &theirs) {
                return Err(Error::EnsembleVocabulary { first: first.name(), other: package.name(), side });
            }
        }
        models.push(model);
    }
    let equal = vec![1.0 / models.len() as f32; models.len()];
    Ok((Model::ensemble(models, weights.unwrap_or(&equal))?, vocabularies))
}

/// The model of a package and its vocabularies.
fn open(package: &Package) -> Result<(Model, Vocabularies), Error> {
    let (mut config, weights) = package.open_model()?;
    let (source, target) = package.load_vocabularies(&config)?;
    // Marian's files do not say which word ends a sentence; their vocabularies do.
    config.end_of_sentence = target.eos().0;
    Ok((package.model(config, &weights)?, (source, target)))
}

/// Whether the words are the same, and the special ones among them.
fn same_words(a: &Vocabulary, b: &Vocabulary) -> bool {
    let special = |v: &Vocabulary| (v.len(), v.eos(), v.unk(), v.special_words());
    special(a) == special(b) && (0..a.len()).map(WordId::new).all(|word| a.word(word) == b.word(word))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::Translator;
    use std::path::PathBuf;

    fn tiny(file: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/models/marian-tiny").join(file)
    }

    /// What `load` gives for the tiny model with a vocabulary of `words` words whose end of sentence has the id `end`.
    fn with_vocabulary<T>(
        (words, end): (u32, u32),
        load: impl FnOnce(Package) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let entry = |id: u32| match id {
            _ if id == end => format!("\"</s>\": {id}\n"),
            _ if id == u32::from(end != 1) => format!("\"<unk>\": {id}\n"),
            _ => format!("w{id}: {id}\n"),
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vocabulary.yml");
        std::fs::write(&path, (0..words).map(entry).collect::<String>()).unwrap();
        Package::files(tiny("model.npz"), &[&path]).and_then(load)
    }

    #[test]
    fn the_vocabulary_says_which_word_ends_a_sentence() {
        let translator = |package| Translator::builder().package(package).threads(1).batch_tokens(1).build();
        let words = Model::load(&tiny("")).unwrap().config().target_words as u32;
        for end in [0, 1, 5] {
            let model = with_vocabulary((words, end), |package| open(&package)).unwrap().0;
            assert_eq!(model.config().end_of_sentence, end);
            let translator = with_vocabulary((words, end), translator).unwrap();
            assert_eq!(translator.segment("w7").last().unwrap().0, end);
            assert!(translator.translate(&["w7 w8 nothing"]).is_ok());
        }
        // A longer list is cut to the model's words, but not before its end of sentence.
        assert!(with_vocabulary((words + 10, 0), translator).is_ok());
        let refused = with_vocabulary((words + 10, words + 3), translator).err().unwrap().to_string();
        assert!(refused.contains("give the vocabulary that belongs to the model"), "{refused}");
        assert!(with_vocabulary((6, 0), translator).is_err() || words < 70);
    }

    #[test]
    fn models_of_nothing_are_refused() {
        let refused = |builder: crate::TranslatorBuilder| builder.build().err().unwrap().to_string();
        let sentence = "no model was given; name a model's directory, or a bundled model such as `en-de`";
        assert_eq!(refused(Translator::builder()), sentence);
        assert_eq!(refused(Translator::builder().weights([])), sentence);
        let weights = refused(Translator::builder().model("en-de").weights([0.5, 0.5]));
        assert!(weights.starts_with("these models can not form an ensemble: "), "{weights}");
    }
}
