//! Pairs with terms in the source: words of the source stand between marks, with their translation after them.

use metaphrase_align::{Alignment, Corpus, Options, align};
use metaphrase_text::{MarkedText, written_words};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::ops::Range;

/// Words that are so frequent are no terms: articles, prepositions, auxiliaries.
const FREQUENT: usize = 180;

/// Longer sources are left alone.
const LONGEST: usize = 60;

/// The most words of a translation.
const LONGEST_TRANSLATION: usize = 3;

/// A translation in this number becomes another form of its word: three of ten.
const OTHER_FORM: f64 = 0.3;

/// A form of a word occurs at least this often.
const LEAST_OF_FORM: usize = 3;

/// The endings of a language's words, longest first.
fn endings(language: &str) -> &'static [&'static str] {
    match language {
        "de" => &["ern", "en", "em", "er", "es", "e", "n", "s"],
        "en" => &["ing", "ed", "es", "s", "d"],
        "fr" => &["es", "e", "s", "x"],
        _ => &[],
    }
}

/// What all pairs together show: the links of their words, frequent words, and the forms of words.
pub(crate) struct Terms {
    /// By pair.
    alignments: Vec<Alignment>,
    /// How often each word of the sources occurs, in small letters.
    counts: HashMap<String, usize>,
    frequent: [HashSet<String>; 2],
    /// The endings of the target language.
    endings: &'static [&'static str],
    /// By stem of the target language: its forms, the most frequent first.
    forms: HashMap<String, Vec<String>>,
}

/// Words of a source that may become a term.
struct Candidate {
    /// The words, by number.
    words: Range<usize>,
    bytes: Range<usize>,
    translation: String,
    /// How readily it is chosen: rare words teach most.
    weight: f64,
}

impl Terms {
    /// Aligns the pairs. `language` is that of the targets.
    pub(crate) fn new<'p>(
        pairs: impl Iterator<Item = [&'p str; 2]> + Clone,
        language: &str,
        threads: NonZeroUsize,
    ) -> Self {
        let mut corpus = Corpus::default();
        let mut lower: [HashMap<String, usize>; 2] = Default::default();
        let mut of_target: HashMap<&str, usize> = HashMap::new();
        for sides in pairs.clone() {
            let [source, target] = sides.map(|side| {
                let words = written_words(side).into_iter().map(|word| side[word].to_lowercase());
                words.collect::<Vec<_>>()
            });
            corpus.push(&source.join(" "), &target.join(" "));
            for (counts, words) in lower.iter_mut().zip([source, target]) {
                words.into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
            }
            written_words(sides[1]).into_iter().for_each(|word| *of_target.entry(&sides[1][word]).or_default() += 1);
        }
        let options = Options { threads, ..Options::default() };
        let alignments =
            align(&corpus, &options, &mut |_| {}).unwrap_or_else(|_| vec![Alignment::default(); corpus.len()]);
        let frequent = lower.each_ref().map(most_frequent);
        let endings = endings(language);
        let mut forms: HashMap<String, Vec<(usize, String)>> = HashMap::new();
        for (word, count) in of_target {
            if word.chars().count() >= 4 && count >= LEAST_OF_FORM {
                forms.entry(stem(word, endings).to_owned()).or_default().push((count, word.to_owned()));
            }
        }
        let sorted = |mut forms: Vec<(usize, String)>| {
            forms.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            forms.into_iter().map(|(_, word)| word).take(4).collect()
        };
        let forms = forms.into_iter().map(|(stem, forms)| (stem, sorted(forms))).collect();
        let [counts, _] = lower;
        Self { alignments, counts, frequent, endings, forms }
    }

    /// The source of a pair with one to three terms; `None` if it has none. `number` is that of the pair.
    pub(crate) fn insert(&self, number: usize, pair: [&str; 2], random: &mut ChaCha8Rng) -> Option<String> {
        let mut candidates = self.candidates(number, pair);
        let count = [1, 1, 1, 2, 2, 3].choose(random).copied().unwrap_or(1);
        let mut terms: Vec<(Range<usize>, String)> = Vec::new();
        for _ in 0..count {
            let Some(chosen) = draw(&candidates, random) else { break };
            // A word stays between two terms.
            let taken = chosen.words.start.saturating_sub(1)..chosen.words.end + 1;
            terms.push((chosen.bytes.clone(), self.form(&chosen.translation, random)));
            candidates.retain(|other| other.words.end <= taken.start || taken.end <= other.words.start);
        }
        terms.sort_by_key(|(place, _)| place.start);
        (!terms.is_empty()).then(|| MarkedText { text: pair[0].to_owned(), terms, by_model: false }.line())
    }

    /// One or two words that are linked to neighbouring words of the target and to nothing else.
    fn candidates(&self, number: usize, [source, target]: [&str; 2]) -> Vec<Candidate> {
        let (source_words, target_words) = (written_words(source), written_words(target));
        let mut found = Vec::new();
        if !(2..=LONGEST).contains(&source_words.len()) {
            return found;
        }
        let links = self.alignments[number].links();
        for first in 0..source_words.len() {
            for place in [first..first + 1, first..first + 2] {
                let inside = |word: u32| place.contains(&(word as usize));
                let mut linked: Vec<u32> =
                    links.iter().filter(|link| inside(link.source)).map(|link| link.target).collect();
                linked.sort_unstable();
                linked.dedup();
                let [Some(&begin), Some(&end)] = [linked.first(), linked.last()] else { continue };
                let all_linked = place.clone().all(|word| links.iter().any(|link| link.source as usize == word));
                let is_run = (end - begin) as usize + 1 == linked.len() && linked.len() <= LONGEST_TRANSLATION;
                let is_alone = links.iter().all(|link| inside(link.source) || !(begin..=end).contains(&link.target));
                if place.end > source_words.len() || !all_linked || !is_run || !is_alone {
                    continue;
                }
                let bytes = source_words[place.start].start..source_words[place.end - 1].end;
                let translation = &target[target_words[begin as usize].start..target_words[end as usize].end];
                if let Some(weight) = self.weight(&source[bytes.clone()], translation) {
                    found.push(Candidate { words: place, bytes, translation: translation.to_owned(), weight });
                }
            }
        }
        found
    }

    /// How readily a term is chosen; `None` if it is none.
    fn weight(&self, term: &str, translation: &str) -> Option<f64> {
        let lower = |text: &str| -> Vec<String> {
            written_words(text).into_iter().map(|word| text[word].to_lowercase()).collect()
        };
        let has_letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count() >= 3;
        let (source, target) = (lower(term), lower(translation));
        let is_frequent = source.iter().any(|word| self.frequent[0].contains(word))
            || target.iter().all(|word| self.frequent[1].contains(word));
        if is_frequent || !has_letters(term) || !has_letters(translation) {
            return None;
        }
        let rarest = source.iter().map(|word| self.counts.get(word).copied().unwrap_or(0)).min()?;
        Some(1.0 / (1.0 + rarest as f64).sqrt())
    }

    /// A translation, or in three of ten cases another form of it: the model learns to inflect.
    fn form(&self, translation: &str, random: &mut ChaCha8Rng) -> String {
        let exchanged = random.random_bool(OTHER_FORM) && !translation.contains(' ');
        let forms = self.forms.get(stem(translation, self.endings)).filter(|_| exchanged);
        forms.into_iter().flatten().find(|form| *form != translation).map_or(translation, String::as_str).to_owned()
    }
}

/// A candidate, drawn by the weights.
fn draw<'c>(candidates: &'c [Candidate], random: &mut ChaCha8Rng) -> Option<&'c Candidate> {
    let mut left = random.random::<f64>() * candidates.iter().map(|candidate| candidate.weight).sum::<f64>();
    let at = candidates.iter().position(|candidate| {
        left -= candidate.weight;
        left < 0.0
    });
    at.map(|at| &candidates[at]).or(candidates.last())
}

/// The most frequent words.
fn most_frequent(counts: &HashMap<String, usize>) -> HashSet<String> {
    let mut words: Vec<(&String, &usize)> = counts.iter().collect();
    words.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
    // In a small text most words are terms.
    let most = FREQUENT.min(words.len() / 3);
    words.into_iter().take(most).map(|(word, _)| word.clone()).collect()
}

/// A word without its ending; four letters stay.
fn stem<'w>(word: &'w str, endings: &[&str]) -> &'w str {
    let without = endings.iter().filter_map(|ending| word.strip_suffix(ending));
    without.into_iter().find(|stem| stem.chars().count() >= 4).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    const WORDS: [[&str; 2]; 8] = [
        ["house", "Gebäude"],
        ["book", "Buch"],
        ["tree", "Baum"],
        ["horse", "Pferd"],
        ["table", "Tisch"],
        ["window", "Fenster"],
        ["garden", "Garten"],
        ["letter", "Schreiben"],
    ];

    #[test]
    fn words_become_terms_with_what_stands_for_them() {
        let mut pairs = Vec::new();
        for (at, [en, de]) in WORDS.iter().enumerate() {
            for [en2, de2] in &WORDS[at + 1..] {
                pairs.push([format!("The {en} and the {en2}."), format!("Das {de} und das {de2}.")]);
            }
        }
        let terms = Terms::new(pairs.iter().map(|[en, de]| [&**en, &**de]), "de", NonZeroUsize::MIN);
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut found = 0;
        for (number, [en, de]) in pairs.iter().enumerate() {
            let Some(line) = terms.insert(number, [en, de], &mut random) else { continue };
            let marked = MarkedText::parse(&line).unwrap();
            assert_eq!(&marked.text, en);
            for (place, translation) in marked.terms {
                found += 1;
                let expected = WORDS.iter().find(|[word, _]| *word == &en[place.clone()]);
                assert_eq!(expected.map(|[_, de]| *de), Some(&*translation), "{line:?}");
            }
        }
        assert!(found > pairs.len(), "{found} terms in {} pairs", pairs.len());
    }

    #[test]
    fn forms_of_a_word_have_its_stem() {
        let of = endings("de");
        assert_eq!(["Häusern", "Häuser", "Rad", "Tische"].map(|word| stem(word, of)), ["Häus", "Häus", "Rad", "Tisch"]);
    }
}
