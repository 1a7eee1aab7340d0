//! Appendix A.1 and A.2: constraints that nobody chose. They come from a phrase table, not from the reference.

use super::{bare, missing, options, text};
use crate::iglesias::Words;
use crate::setup::{Setup, Text, measure, round};
use anyhow::{Context, Result};
use flate2::read::MultiGzDecoder;
use metaphrase::{Request, Strategy, Terms, Translation};
use metaphrase_metrics::{Bleu, BleuOptions, CorpusStats, DEFAULT_SAMPLES, DEFAULT_SEED, References, paired_bootstrap};
use metaphrase_phrase::PhraseLine;
use serde::Serialize;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Words of the longest phrases.
const LONGEST: usize = 7;

/// The phrases that become constraints.
#[derive(clap::Args)]
pub struct Args {
    /// The text of a phrase table, .gz, with the counts of its pairs, as `metaphrase phrase train` and Moses write it
    #[arg(long, value_name = "FILE")]
    phrase_table: PathBuf,
    /// Its languages; its words are as `metaphrase tokenize --escape` makes them
    #[arg(long, num_args = 2, value_names = ["SOURCE", "TARGET"], default_values = ["en", "de"])]
    table_languages: Vec<String>,
    /// The pairs of sentences that the table was made of, for the test of significance
    #[arg(long, value_name = "N")]
    pairs: u32,
}

/// A phrase of a line and its translation.
struct Candidate {
    words: usize,
    probability: f32,
    /// The negative logarithm of the p-value of Fisher's exact test: the larger, the less a chance.
    significance: f64,
    /// All words of both sides begin with a capital, and the phrase is not the beginning of its line.
    name: bool,
    /// The place of its first word.
    start: usize,
    /// The translation as a text.
    target: String,
}

impl Candidate {
    fn overlaps(&self, other: &Self) -> bool {
        self.start < other.start + other.words && other.start < self.start + self.words
    }

    /// Longer phrases before shorter ones, among phrases of one length the more probable ones.
    fn length(&self) -> f64 {
        self.words as f64 + 0.5 * f64::from(self.probability)
    }
}

/// How the constraints of a line are chosen.
struct Choice {
    name: &'static str,
    /// Whether a candidate may be chosen.
    fits: fn(&Candidate) -> bool,
    /// Candidates of larger values are chosen first.
    value: fn(&Candidate) -> f64,
    /// The most constraints of a line.
    most: usize,
}

const CHOICES: [Choice; 5] = [
    Choice { name: "longest phrase", fits: |_| true, value: Candidate::length, most: 1 },
    Choice { name: "most significant phrase", fits: |_| true, value: |phrase| phrase.significance, most: 1 },
    Choice { name: "most probable phrase", fits: |_| true, value: |phrase| phrase.probability.into(), most: 1 },
    Choice {
        name: "longest phrase of probability 0.5 and more",
        fits: |phrase| phrase.probability >= 0.5,
        value: Candidate::length,
        most: 1,
    },
    Choice { name: "names", fits: |phrase| phrase.name, value: Candidate::length, most: usize::MAX },
];

#[derive(Serialize)]
struct Row {
    constraints: &'static str,
    /// Lines with a constraint, and constraints.
    lines: usize,
    count: usize,
    /// Shares of the constraints that stand in the reference, and in the translation without constraints.
    in_reference: f64,
    in_free: f64,
    bleu: f64,
    /// Half the width of the 95 % interval.
    confidence: f64,
    /// The p-value of a paired bootstrap test against the translations without constraints.
    p: Option<f64>,
    /// Sum over the sentences.
    log_prob: f64,
    missing: usize,
}

/// BLEU with the best phrase of each line by several criteria, and with the names of each line.
pub fn automatic(setup: &Setup, args: &Args) -> Result<()> {
    let (translator, text) = (setup.translator()?, text(setup)?);
    let words = Words::new(&args.table_languages)?;
    let sources: Vec<Vec<String>> = text.source.iter().map(|line| words.source_words(line)).collect();
    let table = Table::read(args, &sources, &words)?;
    let candidates: Vec<Vec<Candidate>> = sources.iter().map(|line| table.candidates(line)).collect();
    let options = options(&translator, Strategy::Beam, 10);
    let free = measure(&translator, &options, text.requests())?;
    let mut runs = Vec::new();
    for choice in &CHOICES {
        let chosen: Vec<Vec<&str>> = candidates.iter().map(|line| choice.of(line)).collect();
        let requests = text.source.iter().zip(&chosen).map(|(source, phrases)| {
            let terms = phrases.iter().fold(Terms::default(), |terms, phrase| terms.require([*phrase]));
            Request { terms, ..Request::translate(source) }
        });
        let measured = measure(&translator, &options, requests.collect())?;
        runs.push((choice.name, chosen, measured));
    }
    let outputs = [&free].into_iter().chain(runs.iter().map(|(_, _, run)| run)).map(|run| &run.translations[..]);
    let compared = compared(outputs, &text)?;
    let free_text: Vec<&str> = free.translations.iter().map(Translation::text).collect();
    let reference: Vec<&str> = text.reference.iter().map(String::as_str).collect();
    let nothing = vec![vec![]; text.source.len()];
    let systems =
        [("none", &nothing, &free)].into_iter().chain(runs.iter().map(|(name, chosen, run)| (*name, chosen, run)));
    let mut rows = Vec::new();
    for ((constraints, chosen, run), tested) in systems.zip(&compared) {
        rows.push(Row {
            constraints,
            lines: chosen.iter().filter(|phrases| !phrases.is_empty()).count(),
            count: chosen.iter().map(Vec::len).sum(),
            in_reference: share(chosen, &reference),
            in_free: share(chosen, &free_text),
            bleu: round(tested.score, 2),
            confidence: round(tested.interval.map_or(f64::NAN, |interval| interval.half_width), 2),
            p: tested.p_value.map(|p| round(p, 4)),
            log_prob: round(run.log_prob(), 1),
            missing: missing(run),
        });
        println!("{}", serde_json::to_string(&rows[rows.len() - 1])?);
    }
    setup.write("post-automatic", &rows)
}

impl Choice {
    /// The constraints of a line.
    fn of<'a>(&self, candidates: &'a [Candidate]) -> Vec<&'a str> {
        let mut fitting: Vec<&Candidate> = candidates.iter().filter(|phrase| (self.fits)(phrase)).collect();
        fitting.sort_by(|a, b| (self.value)(b).total_cmp(&(self.value)(a)));
        let mut chosen: Vec<&Candidate> = Vec::new();
        for phrase in fitting {
            if chosen.len() < self.most && !chosen.iter().any(|other| phrase.overlaps(other)) {
                chosen.push(phrase);
            }
        }
        chosen.iter().map(|phrase| &phrase.target[..]).collect()
    }
}

/// BLEU of each system, and the test of each against the first.
fn compared<'a>(
    systems: impl Iterator<Item = &'a [Translation]>,
    text: &Text,
) -> Result<Vec<metaphrase_metrics::Comparison>> {
    let reference = [text.reference.iter().map(|line| line.trim_end()).collect::<Vec<_>>()];
    let (references, bleu) = (References::new(&reference)?, Bleu::new(BleuOptions::default())?);
    let stats = systems.map(|translations| {
        let lines: Vec<&str> = translations.iter().map(Translation::text).collect();
        CorpusStats::collect(&bleu, &lines, &references)
    });
    let stats = stats.collect::<Result<Vec<_>, _>>()?;
    Ok(paired_bootstrap(&bleu, &stats.iter().collect::<Vec<_>>(), DEFAULT_SAMPLES, DEFAULT_SEED)?)
}

/// The share of the phrases that stand in their line, as whole words.
fn share(chosen: &[Vec<&str>], lines: &[&str]) -> f64 {
    let (mut all, mut found) = (0_u32, 0_u32);
    for (phrases, line) in chosen.iter().zip(lines) {
        let line = format!(" {} ", line.split_whitespace().map(bare).collect::<Vec<_>>().join(" "));
        for phrase in phrases {
            let phrase = phrase.split_whitespace().map(bare).collect::<Vec<_>>().join(" ");
            all += 1;
            found += u32::from(line.contains(&format!(" {phrase} ")));
        }
    }
    round(f64::from(found) / f64::from(all.max(1)), 3)
}

/// The best translation of each phrase that is in a text.
#[derive(Default)]
struct Table(HashMap<String, Entry>);

#[derive(Default)]
struct Entry {
    probability: f32,
    significance: f64,
    target: String,
}

impl Table {
    /// Reads the pairs whose source is in the text, and keeps for each source the most probable target among those
    /// pairs that are significant, as Johnson et al. 2007 do: their p-value is below that of a pair whose sides have
    /// been seen once, in the same sentence.
    fn read(args: &Args, sources: &[Vec<String>], words: &Words) -> Result<Self> {
        let mut found: HashMap<String, Entry> = HashMap::new();
        for line in sources {
            for (start, length) in spans(line.len()) {
                found.entry(line[start..start + length].join(" ")).or_default();
            }
        }
        let least = f64::from(args.pairs).ln() + 1e-6;
        for line in lines(&args.phrase_table)? {
            let line = line?;
            let Some(entry) = line.split(" ||| ").next().and_then(|source| found.get_mut(source)) else { continue };
            let phrase = PhraseLine::parse(&line).map_err(anyhow::Error::msg)?;
            let probability = *phrase.scores.get(2).context("a phrase pair without probabilities")?;
            let is_text = phrase
                .source
                .split(' ')
                .chain(phrase.target.split(' '))
                .all(|word| word.chars().all(char::is_alphabetic));
            if !is_text || probability <= entry.probability {
                continue;
            }
            let significance =
                Counts::parse(phrase.counts, args.pairs).context("a pair without counts")?.significance();
            if significance > least {
                *entry = Entry { probability, significance, target: words.text(phrase.target.split(' ')) };
            }
        }
        found.retain(|_, entry| entry.probability > 0.0);
        Ok(Self(found))
    }

    fn candidates(&self, line: &[String]) -> Vec<Candidate> {
        let candidate = |(start, words): (usize, usize)| {
            let entry = self.0.get(&line[start..start + words].join(" "))?;
            let large = |word: &str| word.chars().next().is_some_and(char::is_uppercase) && word.chars().count() > 1;
            let name = start > 0
                && line[start..start + words].iter().all(|word| large(word))
                && entry.target.split(' ').all(large);
            let Entry { probability, significance, ref target } = *entry;
            Some(Candidate { words, probability, significance, name, start, target: target.clone() })
        };
        spans(line.len()).filter_map(candidate).collect()
    }
}

/// The starts and lengths of the phrases of a line.
fn spans(words: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..words).flat_map(move |start| (1..=LONGEST.min(words - start)).map(move |length| (start, length)))
}

fn lines(path: &Path) -> Result<impl Iterator<Item = std::io::Result<String>>> {
    let file = File::open(path).with_context(|| path.display().to_string())?;
    Ok(BufReader::new(MultiGzDecoder::new(file)).lines())
}

/// How often the sides of a pair were seen, and how often together, among a number of sentences.
struct Counts {
    target: u32,
    source: u32,
    both: u32,
    all: u32,
}

impl Counts {
    fn parse(text: &str, all: u32) -> Option<Self> {
        let mut numbers = text.split_ascii_whitespace().map(|number| number.parse::<f64>().ok());
        // A phrase is seen more than once in some sentences.
        let mut next = || Some((numbers.next()?? as u32).min(all));
        Some(Self { target: next()?, source: next()?, both: next()?, all })
    }

    /// The negative logarithm of the probability that the sides meet so often or more often by chance.
    fn significance(&self) -> f64 {
        let ways = |n: u32, k: u32| ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k);
        let &Self { target, source, both, all } = self;
        let exactly = |together: u32| {
            let apart = all.checked_sub(source).filter(|others| *others >= target - together);
            apart.map_or(f64::NEG_INFINITY, |others| {
                ways(source, together) + ways(others, target - together) - ways(all, target)
            })
        };
        let logs: Vec<f64> = (both..=target.min(source).min(both.saturating_add(1000))).map(exactly).collect();
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        -(largest + logs.iter().map(|log| (log - largest).exp()).sum::<f64>().ln())
    }
}

/// ln n!, of Stirling's series.
fn ln_factorial(n: u32) -> f64 {
    if n < 2 {
        return 0.0;
    }
    let n = f64::from(n);
    n * n.ln() - n + 0.5 * (std::f64::consts::TAU * n).ln() + 1.0 / (12.0 * n) - 1.0 / (360.0 * n.powi(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_seen_once_are_as_probable_as_one_of_all_sentences() {
        let counts = |text, all| Counts::parse(text, all).expect("counts").significance();
        assert!((counts("1 1 1", 1000) - 1000_f64.ln()).abs() < 1e-3);
        // Four balls of ten are black. Two that are drawn are black with probability 4/10 · 3/9.
        assert!((counts("2 4 2", 10) - (90.0 / 12.0_f64).ln()).abs() < 1e-3);
        // At least one: 1 - 6/10 · 5/9.
        assert!((counts("2 4 1", 10) + (60.0 / 90.0_f64).ln()).abs() < 1e-3);
        assert!(counts("6 9 3", 150_000) > counts("102 9 1", 150_000));
    }

    #[test]
    fn constraints_do_not_overlap() {
        let candidate = |start, words, probability| Candidate {
            words,
            probability,
            significance: 1.0,
            name: true,
            start,
            target: format!("{start}+{words}"),
        };
        let line = [candidate(1, 2, 0.5), candidate(1, 1, 0.9), candidate(3, 1, 0.2), candidate(2, 1, 1.0)];
        assert_eq!(CHOICES[4].of(&line), ["1+2", "3+1"], "names");
        assert_eq!(CHOICES[2].of(&line), ["2+1"], "most probable");
        assert_eq!(CHOICES[3].of(&line), ["1+2"], "the longest that is probable");
    }

    #[test]
    fn phrases_stand_as_whole_words() {
        assert_eq!(share(&[vec!["ein Haus", "aus"]], &["Das ist ein „Haus“."]), 0.5);
    }
}
