//! Each hypothesis of the n-best lists that Moses printed gets the feature values and the score that Moses gave it.
#![allow(clippy::unwrap_used, reason = "a test")]

mod common;

use metaphrase_phrase::{Features, PairId, Phrase, PhraseModel, Target};
use metaphrase_testkit::Outcome;
use std::collections::HashMap;

/// Recorded values have six digits; sums of single precision differ in the last ones.
const TOLERANCE: f32 = 1e-3;

fn recorded_hypotheses_get_their_features() -> Outcome {
    check("moses.ini", "moses.s1000.nbest.gz")
}

fn recorded_hypotheses_get_their_features_without_lexicalised_reordering() -> Outcome {
    check("moses.distance.ini", "moses.distance.s1000.nbest.gz")
}

metaphrase_testkit::tests![
    recorded_hypotheses_get_their_features,
    recorded_hypotheses_get_their_features_without_lexicalised_reordering,
];

fn check(ini: &str, nbest: &str) -> Outcome {
    let folder = common::moses_model()?;
    let model = PhraseModel::read_moses(&folder.join(ini)).unwrap();
    let sources = common::lines(&folder.join("source.de"));
    let list = common::lines(&folder.join(nbest));
    assert!(list.len() > 9000);
    for line in &list {
        let recorded = NBestLine::parse(line, &model);
        let source: Vec<&str> = sources[recorded.source].split_ascii_whitespace().collect();
        let found = Reconstruction::find(&model, &source, &recorded);
        let derived: Vec<Features> = found.iter().map(|phrases| model.features(&source, phrases)).collect();
        let same = derived
            .iter()
            .find(|features| recorded.has(features))
            .unwrap_or_else(|| panic!("none of {} derivations has the features of {line}\n{derived:?}", derived.len()));
        let score = same.dot(&model.weights);
        assert!((score - recorded.score).abs() < TOLERANCE, "{score} for {line}");
    }
    Ok(())
}

/// A line of an n-best list.
struct NBestLine {
    source: usize,
    words: Vec<String>,
    features: Vec<f32>,
    score: f32,
    alignment: Vec<(usize, usize)>,
}

impl NBestLine {
    fn parse(line: &str, model: &PhraseModel) -> Self {
        let fields: Vec<&str> = line.split("|||").map(str::trim).collect();
        let point = |point: &str| {
            let (i, j) = point.split_once('-').unwrap();
            (i.parse().unwrap(), j.parse().unwrap())
        };
        let mut features: Vec<f32> = fields[2].split(' ').filter_map(|word| word.parse().ok()).collect();
        if model.names().reordering.is_none() {
            features.splice(0..0, [0.0; 6]);
        }
        Self {
            source: fields[0].parse().unwrap(),
            words: fields[1].split_ascii_whitespace().map(str::to_owned).collect(),
            features,
            score: fields[3].parse().unwrap(),
            alignment: fields[4].split_ascii_whitespace().map(point).collect(),
        }
    }

    fn has(&self, features: &Features) -> bool {
        let values: Vec<f32> = features.iter().collect();
        // All but the penalty of unknown words, which Moses does not print.
        values[..values.len() - 1].iter().zip(&self.features).all(|(a, b)| (a - b).abs() < TOLERANCE)
            && values.len() == self.features.len() + 1
    }
}

/// Finds the sequences of phrases that can have made a recorded hypothesis.
struct Reconstruction<'a> {
    model: &'a PhraseModel,
    source: &'a [&'a str],
    recorded: &'a NBestLine,
    /// By span: its translations that begin with a word of the hypothesis.
    targets: HashMap<(usize, usize), Vec<Target>>,
    found: Vec<Vec<Phrase>>,
}

impl<'a> Reconstruction<'a> {
    fn find(model: &'a PhraseModel, source: &'a [&'a str], recorded: &'a NBestLine) -> Vec<Vec<Phrase>> {
        let mut forced = Self { model, source, recorded, targets: HashMap::new(), found: Vec::new() };
        for start in 0..source.len() {
            for end in start + 1..=source.len().min(start + model.table().longest_source()) {
                forced.targets.insert((start, end), forced.targets_of(start, end));
            }
        }
        forced.extend(&mut Vec::new(), 0);
        forced.found
    }

    fn targets_of(&self, start: usize, end: usize) -> Vec<Target> {
        let pairs: Vec<PairId> = self.model.table().translations(&self.source[start..end].join(" ")).collect();
        if pairs.is_empty() && end == start + 1 {
            return vec![Target::Unknown];
        }
        let occurs = |target: &Target| {
            let words = self.model.words(self.source, &[Phrase { source: start..end, target: *target }]);
            self.recorded.words.windows(words.len()).any(|window| window == words)
        };
        pairs.into_iter().map(Target::Pair).filter(occurs).collect()
    }

    fn extend(&mut self, phrases: &mut Vec<Phrase>, done: usize) {
        let covered = |position: usize| phrases.iter().any(|phrase| phrase.source.contains(&position));
        let free: Vec<bool> = (0..self.source.len()).map(|position| !covered(position)).collect();
        if done == self.recorded.words.len() && !free.contains(&true) {
            self.found.push(phrases.clone());
        }
        for start in 0..free.len() {
            let longest = free[start..].iter().take_while(|free| **free).count();
            for end in start + 1..=start + longest.min(self.model.table().longest_source()) {
                for target in self.targets[&(start, end)].clone() {
                    phrases.push(Phrase { source: start..end, target });
                    if let Some(len) = self.fits(&phrases[phrases.len() - 1], done) {
                        self.extend(phrases, done + len);
                    }
                    phrases.pop();
                }
            }
        }
    }

    /// The number of words of a phrase, if they and the alignment points are those of the hypothesis at `done`.
    fn fits(&self, phrase: &Phrase, done: usize) -> Option<usize> {
        let phrases = std::slice::from_ref(phrase);
        let words = self.model.words(self.source, phrases);
        let target = done..done + words.len();
        if words != *self.recorded.words.get(target.clone())? {
            return None;
        }
        let shifted = |(i, j): (usize, usize)| (i, j + done);
        let points: Vec<(usize, usize)> = self.model.alignment(self.source, phrases).into_iter().map(shifted).collect();
        let touches = |(i, j): &&(usize, usize)| phrase.source.contains(i) || target.contains(j);
        points.iter().eq(self.recorded.alignment.iter().filter(touches)).then_some(words.len())
    }
}
