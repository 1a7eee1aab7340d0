//! The shared Transformers against the output of Marian 1.12.42.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{marian_options, read_n_best, score, search};
use metaphrase_base::WordId;
use metaphrase_models::Model;
use metaphrase_testkit::{MissingFiles, Outcome, shared};
use metaphrase_text::vocab::Vocabulary;
use std::path::PathBuf;

const MODELS: [&str; 4] = ["transformer-post", "transformer-pre", "transformer-ssru", "en-de-tatoeba"];

struct Reference {
    folder: PathBuf,
    model: Model,
    vocabulary: Vocabulary,
}

impl Reference {
    fn all() -> Result<Vec<Self>, MissingFiles> {
        MODELS.iter().map(|name| Ok(Self::load(shared(&format!("models/{name}"))?))).collect()
    }

    fn load(folder: PathBuf) -> Self {
        Self::load_file(folder, "model.npz")
    }

    fn load_file(folder: PathBuf, file: &str) -> Self {
        let model = Model::load(&folder.join(file)).unwrap();
        let vocabulary = Vocabulary::open(&folder.join("vocab.spm")).unwrap();
        Self { folder, model, vocabulary }
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.folder.join(file)).unwrap()
    }

    fn sentences(&self, file: &str) -> Vec<Vec<WordId>> {
        let sentence = |line| {
            let mut words = Vec::new();
            self.vocabulary.encode(line, &mut words); // the end of sentence included
            words
        };
        self.read(file).lines().map(sentence).collect()
    }

    /// Searches for all sentences and compares the n-best list with Marian's.
    fn compare_n_best(&self, file: &str, beam_size: usize, normalize: f32) {
        let options = marian_options(&self.model, beam_size, normalize);
        let outcomes = search(&self.model, &options, 256, &self.sentences("source.en"));
        let found = outcomes.iter().flat_map(|o| o.hypotheses.iter().map(move |h| (o.tag, h)));
        let expected = read_n_best(&self.read(file));
        assert_eq!(found.clone().count(), expected.len());
        for ((sentence, hypothesis), expected) in found.zip(&expected) {
            let text = self.vocabulary.decode(&hypothesis.words);
            assert_eq!((sentence, text.trim()), (expected.sentence, &expected.text[..]), "{}", self.folder.display());
            // Six digits are printed.
            let near = |a: f32, b: f32| (a - b).abs() < 1e-5 * b.abs() + 1e-4;
            assert!(near(hypothesis.log_prob, expected.log_prob), "{hypothesis:?}, {expected:?}");
            assert!(near(hypothesis.score, expected.score), "{hypothesis:?}, {expected:?}");
        }
    }
}

fn given_translations_have_marians_scores() -> Outcome {
    for reference in Reference::all()? {
        let expected = reference.read("scores.txt");
        let (sources, targets) = (reference.sentences("source.en"), reference.sentences("target.de"));
        for (score, expected) in score(&reference.model, &sources, &targets).iter().zip(expected.lines()) {
            let expected: f32 = expected.parse().unwrap();
            assert!((score - expected).abs() < 1e-4, "{}: {score}, not {expected}", reference.folder.display());
        }
    }
    Ok(())
}

fn greedy_translations_are_marians() -> Outcome {
    for reference in Reference::all()? {
        let options = marian_options(&reference.model, 1, 0.0);
        let outcomes = search(&reference.model, &options, 256, &reference.sentences("source.en"));
        for (outcome, expected) in outcomes.iter().zip(reference.read("greedy.txt").lines()) {
            assert_eq!(reference.vocabulary.decode(&outcome.hypotheses[0].words).trim(), expected.trim());
        }
    }
    Ok(())
}

fn n_best_lists_are_marians() -> Outcome {
    for reference in Reference::all()? {
        reference.compare_n_best("nbest.b4n0.txt", 4, 0.0);
        reference.compare_n_best("nbest.b6n1.txt", 6, 1.0);
    }
    Ok(())
}

/// The numbers of the integer files are those of the model, rounded; Marian's arithmetic with them is not ours.
fn bin_files_score_as_the_model_does() -> Outcome {
    let folder = shared("models/transformer-ssru")?;
    for (file, tolerance) in [("float32", 1e-4), ("intgemm16", 0.1), ("intgemm8", 0.5)] {
        let reference = Reference::load_file(folder.clone(), &format!("model.{file}.bin"));
        let expected = reference.read("scores.txt");
        let (sources, targets) = (reference.sentences("source.en"), reference.sentences("target.de"));
        let mut worst: f32 = 0.0;
        for (score, expected) in score(&reference.model, &sources, &targets).iter().zip(expected.lines()) {
            let expected: f32 = expected.parse().unwrap();
            worst = worst.max((score - expected).abs());
        }
        assert!(worst < tolerance, "{file}: {worst}");
    }
    Ok(())
}

metaphrase_testkit::tests![
    given_translations_have_marians_scores,
    greedy_translations_are_marians,
    n_best_lists_are_marians,
    bin_files_score_as_the_model_does,
];
