//! Languages of the Latin script, distinguished by their words.
//!
//! A word of a language is one of its list, with the probability that its rank has by Zipf's law, or a word that is not
//! in the list, with the probability of its spelling ([`SpellingModel`]). A small share of all words is taken from any
//! language: names, quotations. The languages of a text compete by Bayes' rule, the known ones with equal chances, the
//! others with small ones.

use super::base;
use super::characters::SpellingModel;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Long lists, with the share of a text's words that each has, and short ones.
const LONG: [(&str, &str, f32); 3] =
    [("en", include_str!("en.txt"), 0.93), ("de", include_str!("de.txt"), 0.88), ("fr", include_str!("fr.txt"), 0.9)];
const SHORT: &str = include_str!("others.txt");
const SHORT_COVERAGE: f32 = 0.5;
/// The words of a short list after this many are in no order of frequency.
const ORDERED: usize = 70;

/// The logarithm of the least probability of words that often stand alone: greetings, words of interfaces.
const ALONE: f32 = -7.0;

/// The code of names that say nothing about the language around them.
const ANY: &str = "*";

/// Codes that share the list of another language.
const SAME: [(&str, &str); 6] = [("nb", "no"), ("nn", "no"), ("bs", "hr"), ("sr", "hr"), ("fil", "tl"), ("mo", "ro")];

/// The chance of a language that is not known, where a known one has 1.
const UNKNOWN: f64 = 0.05;
/// The chance of a language with a long list, in which everybody writes now and then.
const UNKNOWN_LONG: f64 = 0.2;
/// The share of words that are of no language in particular: names, quotations.
const BORROWED: f32 = 0.02;
/// The same for words with a capital letter inside a sentence.
const BORROWED_CAPITAL: f32 = 0.2;
/// Words of a text depend on each other: evidence counts less than its product.
const DAMPING: f64 = 0.7;

/// The words of all languages, and their spelling.
pub struct LatinModel {
    /// The languages; the last one stands for all others.
    codes: Vec<&'static str>,
    words: HashMap<String, Vec<Entry>>,
    spelling: SpellingModel,
    /// By language: the share of words that are not in its list.
    unlisted: Vec<f32>,
}

/// A word of a language's list.
#[derive(Clone, Copy)]
struct Entry {
    language: usize,
    log_prob: f32,
    /// Whether it stands with a capital inside a sentence.
    capital: bool,
}

/// A word of a text.
struct Word<'t> {
    text: &'t str,
    /// Whether a capital letter says nothing: the first word of a sentence.
    first: bool,
}

static MODEL: LazyLock<LatinModel> = LazyLock::new(LatinModel::new);

/// The code whose list of words a language shares, or its own code.
pub fn same(code: &str) -> &str {
    SAME.iter().find(|(other, _)| *other == code).map_or(code, |(_, same)| same)
}

impl LatinModel {
    /// The model, which is built when it is first needed.
    pub fn get() -> &'static Self {
        &MODEL
    }

    /// The codes of the languages that have a list of words.
    pub fn languages(&self) -> impl Iterator<Item = &'static str> {
        self.codes.iter().copied().filter(|code| !code.is_empty())
    }

    fn new() -> Self {
        let mut lists: Vec<(&str, f32, Vec<&str>)> = Vec::new();
        for (code, text, coverage) in LONG {
            lists.push((code, coverage, text.lines().collect()));
        }
        let mut alone: Vec<(usize, &str)> = Vec::new();
        for line in SHORT.lines().filter(|line| !line.starts_with('#')) {
            let (code, list) = line.split_once(' ').unwrap_or_default();
            if code == ANY {
                alone.extend(list.split(' ').flat_map(|word| (0..LONG.len()).map(move |language| (language, word))));
                continue;
            }
            match lists.iter_mut().enumerate().find(|(_, (known, ..))| *known == code) {
                Some((language, _)) if language < LONG.len() => {
                    alone.extend(list.split(' ').map(|word| (language, word)))
                }
                Some((_, (.., words))) => words.extend(list.split(' ')),
                None => lists.push((code, SHORT_COVERAGE, list.split(' ').collect())),
            }
        }
        let small: Vec<Vec<String>> =
            lists.iter().map(|(.., words)| words.iter().map(|word| word.to_lowercase()).collect()).collect();
        let mut spelt: Vec<Vec<&str>> = small.iter().map(|words| words.iter().map(String::as_str).collect()).collect();
        // The languages without a list are spelled like a mixture of those with short ones.
        spelt.push(small[LONG.len()..].iter().flatten().map(String::as_str).collect());
        let mut unlisted: Vec<f32> = lists.iter().map(|(_, coverage, _)| (1.0 - coverage).ln()).collect();
        unlisted.push(0.0);
        let mut words: HashMap<String, Vec<Entry>> = HashMap::new();
        for (language, (_, coverage, list)) in lists.iter().enumerate() {
            for ((rank, &word), small) in list.iter().enumerate().zip(&small[language]) {
                let log_prob = zipf(rank, list.len(), language >= LONG.len()) + coverage.ln();
                let entry = Entry { language, log_prob, capital: word != small };
                words.entry(small.clone()).or_default().push(entry);
            }
        }
        for (language, word) in alone {
            let small = word.to_lowercase();
            let capital = word != small;
            let entries = words.entry(small).or_default();
            match entries.iter_mut().find(|entry| entry.language == language) {
                Some(entry) => entry.log_prob = entry.log_prob.max(ALONE),
                None => entries.push(Entry { language, log_prob: ALONE, capital }),
            }
        }
        let codes = lists.iter().map(|(code, ..)| *code).chain([""]).collect();
        Self { codes, words, spelling: SpellingModel::new(&spelt), unlisted }
    }

    /// The probability of each of the `known` languages; `None` for a text without words.
    pub fn probabilities(&self, text: &str, known: &[String]) -> Option<Vec<f64>> {
        let words = words(text);
        if words.is_empty() {
            return None;
        }
        let shouts = words.iter().all(|word| !word.text.chars().any(char::is_lowercase));
        let mut sums = vec![0.0_f64; self.codes.len()];
        let mut log_probs = vec![0.0; self.codes.len()];
        for word in &words {
            self.log_probs(word, shouts, &mut log_probs);
            sums.iter_mut().zip(&log_probs).for_each(|(sum, &log_prob)| *sum += f64::from(log_prob));
        }
        let places: Vec<Option<usize>> = known.iter().map(|code| self.place(code)).collect();
        let weights = (0..self.codes.len()).map(|language| {
            let chance = if places.contains(&Some(language)) {
                1.0
            } else if language < LONG.len() {
                UNKNOWN_LONG
            } else {
                UNKNOWN
            };
            sums[language] * DAMPING + chance.ln()
        });
        let weights: Vec<f64> = weights.collect();
        let best = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = weights.iter().map(|weight| (weight - best).exp()).collect();
        let sum: f64 = weights.iter().sum();
        // Codes of the same language share its probability.
        let share = |place: &Option<usize>| {
            let same = places.iter().filter(|other| *other == place).count().max(1) as f64;
            place.map_or(0.0, |place| weights[place] / sum / same)
        };
        Some(places.iter().map(share).collect())
    }

    /// The language of a code: its own list, or that of all languages without one. `None` for other scripts.
    fn place(&self, code: &str) -> Option<usize> {
        let code = same(base(code));
        let listed = self.codes.iter().position(|known| *known == code);
        listed.or_else(|| (!super::scripts::is_other(code)).then(|| self.codes.len() - 1))
    }

    /// The logarithm of the probability of a word in each language.
    fn log_probs(&self, word: &Word<'_>, shouts: bool, log_probs: &mut [f32]) {
        let small = word.text.to_lowercase().replace('’', "'");
        self.spelling.log_probs(&small, log_probs);
        log_probs.iter_mut().zip(&self.unlisted).for_each(|(log_prob, unlisted)| *log_prob += unlisted);
        let capital = word.text.starts_with(char::is_uppercase);
        for entry in self.words.get(&small).into_iter().flatten() {
            let letters: f32 = match (entry.capital, capital) {
                _ if shouts => 0.0,
                (true, false) => -3.0,
                (false, true) if !word.first => {
                    if entry.language == 1 {
                        -2.5
                    } else {
                        -1.0
                    }
                }
                _ => 0.0,
            };
            let best = &mut log_probs[entry.language];
            *best = best.max(entry.log_prob + letters);
        }
        let best = log_probs.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let any = log_probs.iter().map(|log_prob| (log_prob - best).exp()).sum::<f32>() / log_probs.len() as f32;
        let borrowed = if capital && !word.first && !shouts { BORROWED_CAPITAL } else { BORROWED };
        for log_prob in log_probs {
            *log_prob = ((1.0 - borrowed) * (*log_prob - best).exp() + borrowed * any).ln();
        }
    }
}

/// The logarithm of the probability of the word at this place of a list, as a share of the list.
fn zipf(rank: usize, size: usize, is_short: bool) -> f32 {
    const SHIFT: f32 = 2.7;
    let sum = ((size as f32 + SHIFT) / SHIFT).ln();
    let share = 1.0 / ((rank as f32 + SHIFT) * sum);
    if is_short && rank >= ORDERED { (share / 2.0).ln() } else { share.ln() }
}

/// The words of a text. Names of files, addresses and the like are left out, if anything else is there.
fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut first = true;
    for token in text.split_whitespace() {
        let is_code =
            token.contains(['@', '_', '\\', '=', '<', '{', '$']) || token.contains("://") || token.starts_with("www.");
        let has_digit = token.contains(|c: char| c.is_numeric());
        if !is_code && !has_digit {
            let inner = |c: char| c.is_alphabetic() || matches!(c, '\'' | '’');
            for part in token.split(|c: char| !inner(c)) {
                let word = part.trim_matches(['\'', '’']);
                if !word.is_empty() {
                    words.push(Word { text: word, first });
                    first = false;
                }
            }
        }
        first |= token.ends_with(['.', '!', '?', ':', '…']);
    }
    if words.is_empty() {
        let runs = text.split(|c: char| !c.is_alphabetic()).filter(|run| !run.is_empty());
        words.extend(runs.map(|text| Word { text, first: true }));
    }
    words
}
