//! Iglesias et al. 2018, table 1: phrase-based and neural systems, and neural systems with the evidence of the
//! phrase-based one.

use super::oracle::oracle;
use super::phrase_based::{Lattices, Words, evidence};
use super::tuning::{Setting, TuningResult, translate, tune};
use crate::setup::{Setup, Text, bleu, round};
use anyhow::{Context, Result, ensure};
use metaphrase::{Evidence, EvidenceOptions, Translator};
use metaphrase_metrics::{
    Bleu, BleuOptions, CorpusStats, DEFAULT_SAMPLES, DEFAULT_SEED, References, Tokenizer, paired_bootstrap,
};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Sentences that are shown.
const SHOWN: usize = 20;

/// The systems and the texts.
#[derive(clap::Args)]
pub struct Args {
    /// A neural system: a model's directory, the name of a bundled one, or several with commas between them, which form
    /// an ensemble; may be repeated
    #[arg(long, value_name = "PATH,…", required = true)]
    neural: Vec<String>,
    /// The phrase-based model, a directory with a moses.ini or such a file
    #[arg(long, value_name = "PATH")]
    pub evidence: Option<PathBuf>,
    /// In its place the search graphs of Moses: of the development text, then of each test text
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "evidence")]
    graphs: Vec<PathBuf>,
    /// The languages of its words, which are as `metaphrase tokenize --escape` makes them
    #[arg(long, num_args = 2, value_names = ["SOURCE", "TARGET"])]
    pub evidence_tokenize: Vec<String>,
    /// The development text and its reference
    #[arg(long, num_args = 2, value_names = ["SOURCE", "REFERENCE"], required = true)]
    dev: Vec<PathBuf>,
    /// Lines of the development text
    #[arg(long, value_name = "N", default_value_t = 500)]
    dev_lines: usize,
    /// A test text: its name, its source and its reference; may be repeated
    #[arg(long, num_args = 3, value_names = ["NAME", "SOURCE", "REFERENCE"], required = true, action = clap::ArgAction::Append)]
    test: Vec<String>,
}

impl Args {
    /// Japanese has no spaces between words, so its characters are what BLEU counts.
    fn bleu_options(&self) -> BleuOptions {
        let is_japanese = self.evidence_tokenize.get(1).is_some_and(|target| target == "ja");
        let tokenizer = if is_japanese { Tokenizer::Char } else { Tokenizer::default() };
        BleuOptions { tokenizer, ..BleuOptions::default() }
    }
}

#[derive(Serialize)]
struct Report {
    dev_lines: usize,
    bleu_tokenizer: &'static str,
    systems: Vec<SystemReport>,
    tests: Vec<TestReport>,
}

#[derive(Serialize)]
struct SystemReport {
    name: String,
    models: Vec<String>,
    #[serde(flatten)]
    tuned: TuningResult,
}

#[derive(Serialize)]
struct TestReport {
    name: String,
    lines: usize,
    /// Arcs of a lattice, on average.
    arcs: f64,
    /// BLEU of the lattices' translations that are most like the references: at least this much is in the evidence.
    oracle_bleu: f64,
    rows: Vec<Row>,
    pairs: Vec<Pair>,
    sentences: Vec<Example>,
}

#[derive(Serialize)]
struct Row {
    system: String,
    bleu: f64,
    /// The half of the 95 % confidence interval.
    confidence: f64,
}

#[derive(Serialize)]
struct Pair {
    a: String,
    b: String,
    /// BLEU of b, less that of a.
    difference: f64,
    /// The p-value of a paired bootstrap test.
    p: f64,
}

/// A sentence that evidence changes.
#[derive(Serialize)]
struct Example {
    source: String,
    reference: String,
    phrase_based: String,
    alone: String,
    with_evidence: String,
}

/// A neural system: one model or an ensemble.
struct System {
    name: String,
    models: Vec<String>,
    translator: Translator,
}

/// A text with the evidence of its lines.
struct TextWithEvidence {
    text: Text,
    lattices: Vec<Arc<Evidence>>,
    /// The phrase-based system's own translations.
    phrase_based: Vec<String>,
    oracle: Vec<String>,
    arcs: f64,
    bleu_options: BleuOptions,
}

/// Table 1.
pub fn run(setup: &Setup, args: &Args) -> Result<()> {
    let words = Words::new(&args.evidence_tokenize)?;
    let lattices = Lattices::new(args.evidence.as_deref(), &args.graphs)?;
    let dev = Text::read(&args.dev[0], &args.dev[1], args.dev_lines)?;
    let dev = TextWithEvidence::new(dev, 0, &lattices, &words, args.bleu_options())?;
    let systems = systems(&args.neural, &args.evidence_tokenize)?;
    let mut reports = Vec::new();
    for system in &systems {
        let tuned = tune(&system.translator, &dev.text, &dev.lattices, dev.bleu_options)?;
        println!("{}: {}", system.name, serde_json::to_string(&tuned)?);
        let (name, models) = (system.name.clone(), system.models.clone());
        reports.push(SystemReport { name, models, tuned });
    }
    let mut tests = Vec::new();
    for (number, test) in args.test.chunks(3).enumerate() {
        let text = Text::read(Path::new(&test[1]), Path::new(&test[2]), setup.lines)?;
        let given = TextWithEvidence::new(text, number + 1, &lattices, &words, args.bleu_options())?;
        let report = given.report(&test[0], &systems, &reports)?;
        for row in &report.rows {
            println!("{}: {}", test[0], serde_json::to_string(row)?);
        }
        tests.push(report);
    }
    let dev_lines = dev.text.source.len();
    setup.write(
        "iglesias-table1",
        &Report { dev_lines, bleu_tokenizer: args.bleu_options().tokenizer.name(), systems: reports, tests },
    )
}

/// The systems of these paths.
fn systems(given: &[String], languages: &[String]) -> Result<Vec<System>> {
    // The best model of a run has the run's name.
    let name = |path: &str| {
        let path = Path::new(path.trim_end_matches('/'));
        let path = if path.ends_with("best") { path.parent().unwrap_or(path) } else { path };
        let last = path.file_name().map(|name| name.to_string_lossy().into_owned());
        last.with_context(|| format!("{} is no model", path.display()))
    };
    let system = |paths: &String| {
        let models = paths.split(',').map(name).collect::<Result<Vec<_>>>()?;
        // The words of the lattices are tokens of the target language.
        let builder = match languages {
            [source, target] => Translator::builder().evidence_languages(source, target),
            _ => Translator::builder(),
        };
        let translator = paths.split(',').fold(builder, |builder, path| builder.model(path)).build()?;
        let name = if let [one] = &*models { one.clone() } else { format!("ensemble of {}", models.len()) };
        Ok(System { name, models, translator })
    };
    given.iter().map(system).collect()
}

impl TextWithEvidence {
    fn new(text: Text, number: usize, lattices: &Lattices, words: &Words, bleu_options: BleuOptions) -> Result<Self> {
        let lattices = lattices.read(number, &text.source, words)?;
        let phrase_based = lattices.iter().map(|lattice| words.text(lattice.best().0)).collect();
        let arcs: usize = lattices.iter().map(|lattice| lattice.arcs().len()).sum();
        let bleu = Bleu::new(BleuOptions { effective_order: true, ..bleu_options })?;
        let best = |(lattice, line): (_, &String)| {
            oracle(lattice, &words.target_pieces(line), line, &bleu, |tokens| words.text(tokens.iter().copied()))
        };
        let oracle = lattices.iter().zip(&text.reference).map(best).collect::<Result<_>>()?;
        let arcs = arcs as f64 / lattices.len().max(1) as f64;
        Ok(Self { lattices: evidence(&lattices), text, phrase_based, oracle, arcs, bleu_options })
    }

    fn report(&self, name: &str, systems: &[System], tuned: &[SystemReport]) -> Result<TestReport> {
        let mut outputs = vec![("PBMT".to_owned(), self.phrase_based.clone())];
        let mut sentences = Vec::new();
        for (system, report) in systems.iter().zip(tuned) {
            let run = |evidence| translate(&system.translator, evidence, &self.text, &self.lattices);
            let (default, best) = (EvidenceOptions::default(), report.tuned.best.options());
            let alone = run(None)?;
            let informed = run(Some(best.clone()))?;
            if sentences.is_empty() {
                sentences = self.changed(&alone, &informed);
            }
            outputs.push((system.name.clone(), alone));
            outputs.push((format!("{} + LMBR", system.name), informed));
            outputs.push((format!("{} + LMBR, not tuned", system.name), run(Some(Setting::default().options()))?));
            let own = EvidenceOptions { own: Some(12), ..default.clone() };
            outputs.push((format!("{} + LMBR of its own 12-best", system.name), run(Some(own))?));
            let rescored = EvidenceOptions { rescore: true, ..best };
            outputs.push((format!("{}, PBMT lattice rescored", system.name), run(Some(rescored))?));
        }
        let (rows, pairs) = compared(&outputs, &self.text.reference, self.bleu_options)?;
        Ok(TestReport {
            name: name.to_owned(),
            lines: self.text.source.len(),
            arcs: round(self.arcs, 0),
            oracle_bleu: self.bleu(&self.oracle)?,
            rows,
            pairs,
            sentences,
        })
    }

    fn bleu(&self, lines: &[String]) -> Result<f64> {
        let lines = lines.iter().map(String::as_str);
        Ok(round(bleu(self.bleu_options, lines, &self.text.reference)?, 2))
    }

    /// The first sentences that evidence changes.
    fn changed(&self, alone: &[String], informed: &[String]) -> Vec<Example> {
        let changed = (0..alone.len()).filter(|&line| alone[line] != informed[line]).take(SHOWN);
        let shown = |line: usize| Example {
            source: self.text.source[line].clone(),
            reference: self.text.reference[line].clone(),
            phrase_based: self.phrase_based[line].clone(),
            alone: alone[line].clone(),
            with_evidence: informed[line].clone(),
        };
        changed.map(shown).collect()
    }
}

/// BLEU of each system, and a test of each pair.
fn compared(
    outputs: &[(String, Vec<String>)],
    reference: &[String],
    bleu_options: BleuOptions,
) -> Result<(Vec<Row>, Vec<Pair>)> {
    ensure!(outputs.iter().all(|(_, lines)| lines.len() == reference.len()), "a line is missing");
    let bleu = Bleu::new(bleu_options)?;
    let sets = [reference];
    let references = References::new(&sets)?;
    let stats = outputs.iter().map(|(_, lines)| Ok(CorpusStats::collect(&bleu, lines, &references)?));
    let stats = stats.collect::<Result<Vec<_>>>()?;
    let (mut rows, mut pairs) = (Vec::new(), Vec::new());
    for (number, (name, _)) in outputs.iter().enumerate() {
        let later: Vec<&CorpusStats> = stats[number..].iter().collect();
        let tested = paired_bootstrap(&bleu, &later, DEFAULT_SAMPLES, DEFAULT_SEED)?;
        let own = tested[0].score;
        let confidence = tested[0].interval.map_or(f64::NAN, |interval| interval.half_width);
        rows.push(Row { system: name.clone(), bleu: round(own, 2), confidence: round(confidence, 2) });
        for ((other, _), found) in outputs[number + 1..].iter().zip(&tested[1..]) {
            let p = found.p_value.unwrap_or(f64::NAN);
            let difference = round(found.score - own, 2);
            pairs.push(Pair { a: name.clone(), b: other.clone(), difference, p: round(p, 4) });
        }
    }
    Ok((rows, pairs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pairs_are_tested() {
        let lines = |texts: [&str; 3]| texts.map(str::to_owned).to_vec();
        let reference = lines(["the house is old", "he took a cab home", "good morning to you all"]);
        let worse = lines(["a house was old", "he took the taxi home", "good day to you"]);
        let outputs =
            [("a".to_owned(), worse), ("b".to_owned(), reference.clone()), ("c".to_owned(), reference.clone())];
        let (rows, pairs) = compared(&outputs, &reference, BleuOptions::default()).expect("three systems");
        assert_eq!((rows.len(), rows[1].bleu, pairs.len()), (3, 100.0, 3));
        let names: Vec<_> = pairs.iter().map(|pair| format!("{}{}", pair.a, pair.b)).collect();
        assert_eq!(names, ["ab", "ac", "bc"]);
        assert!(pairs[0].difference > 10.0 && pairs[2].difference == 0.0);
    }
}
