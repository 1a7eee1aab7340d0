//! Wuebker et al. 2012: phrase-based search with pre-sorting and language model look-ahead, on a Moses model.

mod choice;

pub use choice::{Args, table_2};

use crate::setup::{self, Setup, Text, cpu_seconds, read_lines, round};
use anyhow::{Context, Result};
use metaphrase_metrics::{BleuOptions, Metric, References, Ter, TerOptions};
use metaphrase_phrase::{Counters, Decoder, LookAhead, PhraseModel, Presort, SearchOptions, Workspace};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// `N_c` = `N_l`, figure 1.
const SIZES: [usize; 9] = [1, 2, 4, 8, 16, 24, 32, 48, 64];
/// The size of table 1.
const SIZE: usize = 16;
/// Searches shorter than this are repeated, and the fastest is taken.
const ENOUGH_SECONDS: f64 = 1.0;
/// The file that `benches/peers/compare_phrase.py` writes next to our results.
const MOSES: &str = "wuebker-moses.json";

/// Name, pre-sorting, look-ahead.
type SetUp = (&'static str, Presort, LookAhead);

const SETUPS: [SetUp; 5] = [
    ("baseline", Presort::None, LookAhead::None),
    ("+sorting alone", Presort::Exact, LookAhead::None),
    ("+pre-sort", Presort::Full, LookAhead::None),
    ("+first-word", Presort::Full, LookAhead::FirstWord),
    ("+phrase-only", Presort::Full, LookAhead::PhraseOnly),
];

/// A search of the whole text.
#[derive(Serialize, Clone)]
struct Row {
    setup: &'static str,
    /// `N_c` = `N_l`.
    size: usize,
    /// `N_o`; `None`: unlimited.
    options: Option<usize>,
    bleu: f64,
    ter: f64,
    /// Mean model score of a sentence, natural logarithm.
    score: f64,
    /// Translation options looked at, per source word.
    considered: f64,
    /// Per source word.
    expansions: f64,
    /// Language model scores requested, computed or remembered, per source word.
    lm_requests: f64,
    /// Per source word.
    lm_computations: f64,
    words_per_second: f64,
    seconds: f64,
    /// Seconds that the scoring of all options of the model takes before the first sentence; not part of the others.
    /// Moses scores the options of each sentence in its time.
    scoring: f64,
}

impl Row {
    /// Words per second with the scoring of options.
    fn speed_with_scoring(&self) -> f64 {
        self.words_per_second * self.seconds / (self.seconds + self.scoring)
    }
}

/// A run of Moses, loading subtracted.
#[derive(Serialize, Deserialize, Clone)]
struct MosesRow {
    setup: String,
    /// Stack size or pop limit.
    size: usize,
    bleu: f64,
    words_per_second: f64,
    seconds: f64,
    /// Seconds of a run without input, which are subtracted.
    loading: f64,
}

/// The model and the text that come together.
struct Task {
    folder: PathBuf,
    model: PhraseModel,
    text: Text,
}

impl Task {
    /// The model of an experiment, and the text that is given, or the one that is in the model's folder.
    fn open(setup: &Setup) -> Result<Self> {
        let folder = setup.model.clone().unwrap_or_else(|| setup::shared().join("models/moses-de-en"));
        let model = PhraseModel::read_moses(&folder)?;
        let text = setup.text_or(folder.join("source.de"), folder.join("reference.en"))?;
        Ok(Self { model, text, folder })
    }

    fn options(&self, size: usize, options: Option<usize>, presort: Presort, look_ahead: LookAhead) -> SearchOptions {
        SearchOptions {
            coverages: size,
            hypotheses: size,
            options,
            presort,
            look_ahead,
            distortion_limit: self.model.distortion_limit,
            ..SearchOptions::default()
        }
    }

    /// Translates the text, again and again if that is quick.
    fn search(&self, options: SearchOptions) -> Result<Search> {
        let mut scoring = f64::INFINITY;
        let mut decoder = None;
        for _ in 0..3 {
            let begun = cpu_seconds();
            decoder = Some(Decoder::new(&self.model, options.clone())?);
            scoring = scoring.min(cpu_seconds() - begun);
        }
        let decoder = decoder.context("no decoder")?;
        let mut best: Option<Search> = None;
        let mut spent = 0.0;
        while spent < ENOUGH_SECONDS {
            let search = self.search_once(&decoder);
            spent += search.seconds;
            best = best.into_iter().chain([search]).min_by(|a, b| a.seconds.total_cmp(&b.seconds));
        }
        Ok(Search { scoring, ..best.context("no search")? })
    }

    fn search_once(&self, decoder: &Decoder) -> Search {
        let mut search = Search::default();
        let mut workspace = Workspace::default();
        let begun = cpu_seconds();
        for line in &self.text.source {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            let (translation, counters) = decoder.translate(&words, &mut workspace);
            search.counters += counters;
            search.scores.push(translation.score);
            search.output.push(self.model.words(&words, &translation.phrases).join(" "));
        }
        search.seconds = cpu_seconds() - begun;
        search
    }

    /// All set-ups that `wanted` names, at one size.
    fn rows(&self, size: usize, options: Option<usize>, wanted: &[&str]) -> Result<Vec<Row>> {
        SETUPS
            .into_iter()
            .filter(|(name, ..)| wanted.contains(name))
            .map(|set_up| self.row(set_up, size, options))
            .collect()
    }

    /// A set-up at one size.
    fn row(&self, set_up: SetUp, size: usize, options: Option<usize>) -> Result<Row> {
        let (name, presort, look_ahead) = set_up;
        let search = self.search(self.options(size, options, presort, look_ahead))?;
        let words = search.counters.source_words as f64;
        let per_word = |count: u64| round(count as f64 / words, 1);
        let scores: f64 = search.scores.iter().map(|&score| f64::from(score)).sum();
        let row = Row {
            setup: name,
            size,
            options,
            bleu: round(bleu(&search.output, &self.text.reference)?, 2),
            ter: round(ter(&search.output, &self.text.reference)?, 1),
            score: round(scores / self.text.source.len() as f64, 5),
            considered: per_word(search.counters.considered),
            expansions: per_word(search.counters.expansions),
            lm_requests: per_word(search.counters.lm_requests),
            lm_computations: per_word(search.counters.lm_computations),
            words_per_second: round(words / search.seconds, 0),
            seconds: round(search.seconds, 4),
            scoring: round(search.scoring, 4),
        };
        println!("{}", serde_json::to_string(&row)?);
        Ok(row)
    }
}

#[derive(Default)]
struct Search {
    output: Vec<String>,
    scores: Vec<f32>,
    counters: Counters,
    seconds: f64,
    scoring: f64,
}

/// BLEU of tokenised text: words are taken as they are.
fn bleu(output: &[String], reference: &[String]) -> Result<f64> {
    let options = BleuOptions { tokenizer: "none".parse()?, ..BleuOptions::default() };
    setup::bleu(options, output.iter().map(String::as_str), reference)
}

/// TER of tokenised text.
fn ter(output: &[String], reference: &[String]) -> Result<f64> {
    let lines = |lines: &'_ [String]| lines.iter().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    let (output, reference) = (lines(output), lines(reference));
    Ok(Ter::new(TerOptions::default()).corpus_score(&output, &References::new(&[reference])?)?.value)
}

/// Work per source word and speed, with all options of a source phrase, with 100 and with Moses' 20.
pub fn table_1(setup: &Setup) -> Result<()> {
    let task = Task::open(setup)?;
    let mut rows = Vec::new();
    for options in [None, Some(100), Some(20)] {
        rows.extend(task.rows(SIZE, options, &SETUPS.map(|(name, ..)| name))?);
    }
    setup.write("wuebker-table1", &rows)
}

#[derive(Serialize)]
struct Figure {
    ours: Vec<Row>,
    moses: Vec<MosesRow>,
    /// Next to the faster of Moses' searches.
    table_2: Vec<Comparison>,
    /// Next to its search with stacks, as in the paper.
    table_2_stacks: Vec<Comparison>,
}

/// The fastest of each system that loses no more BLEU than allowed: a row of table 2.
#[derive(Serialize)]
struct Comparison {
    /// None: any.
    bleu_loss: Option<f64>,
    moses: MosesRow,
    ours: Row,
    /// How many times faster, with the scoring of options and without.
    speed_up: f64,
    speed_up_without_scoring: f64,
}

/// BLEU against speed, compared with Moses.
pub fn figure_1(setup: &Setup, options: usize) -> Result<()> {
    let task = Task::open(setup)?;
    let mut ours = Vec::new();
    for size in SIZES {
        ours.extend(task.rows(size, Some(options), &SETUPS.map(|(name, ..)| name))?);
    }
    let moses = read_moses(&setup.out().join(MOSES))?;
    let stacks: Vec<MosesRow> = moses.iter().filter(|row| row.setup == "Moses").cloned().collect();
    let compared = |moses: &[MosesRow]| -> Vec<Comparison> {
        [Some(0.0), Some(1.0), Some(2.0), None].iter().filter_map(|loss| compare(*loss, &ours, moses)).collect()
    };
    let (table_2, table_2_stacks) = (compared(&moses), compared(&stacks));
    for row in table_2.iter().chain(&table_2_stacks) {
        println!("{}", serde_json::to_string(row)?);
    }
    setup.write("wuebker-fig1", &Figure { ours, moses, table_2, table_2_stacks })
}

fn read_moses(path: &Path) -> Result<Vec<MosesRow>> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read {}; benches/peers/compare_phrase.py writes it", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}

fn compare(bleu_loss: Option<f64>, ours: &[Row], moses: &[MosesRow]) -> Option<Comparison> {
    let best = moses.iter().map(|row| row.bleu).fold(f64::MIN, f64::max);
    let least = bleu_loss.map_or(f64::MIN, |loss| best - loss);
    let by_speed = |a: f64, b: f64| a.total_cmp(&b);
    let moses = moses.iter().filter(|row| row.bleu >= least);
    let moses = moses.max_by(|a, b| by_speed(a.words_per_second, b.words_per_second))?.clone();
    let ours = ours.iter().filter(|row| row.bleu >= least);
    let ours = ours.max_by(|a, b| by_speed(a.speed_with_scoring(), b.speed_with_scoring()))?.clone();
    let speed_up = round(ours.speed_with_scoring() / moses.words_per_second, 1);
    let speed_up_without_scoring = round(ours.words_per_second / moses.words_per_second, 1);
    Some(Comparison { bleu_loss, moses, ours, speed_up, speed_up_without_scoring })
}

#[derive(Serialize)]
struct Scores {
    model: &'static str,
    sentences: usize,
    /// Model score at least that of Moses' best recorded translation, less a thousandth.
    reached: usize,
    better: usize,
    worse: usize,
}

/// Model scores of a wide search without look-ahead, against those of Moses with stacks of 1000.
pub fn scores(setup: &Setup) -> Result<()> {
    let task = Task::open(setup)?;
    let mut results = Vec::new();
    for (ini, list) in [("moses.ini", "moses.s1000.nbest.gz"), ("moses.distance.ini", "moses.distance.s1000.nbest.gz")]
    {
        let model = PhraseModel::read_moses(&task.folder.join(ini))?;
        let text = Text { source: task.text.source.clone(), reference: Vec::new() };
        let task = Task { model, folder: task.folder.clone(), text };
        let moses = best_scores(&read_lines(&task.folder.join(list))?, task.text.source.len())?;
        // Moses' own number of options.
        let decoder = Decoder::new(&task.model, task.options(32, Some(20), Presort::Exact, LookAhead::None))?;
        let ours = task.search_once(&decoder).scores;
        let count = |is: &dyn Fn(f32) -> bool| ours.iter().zip(&moses).filter(|(a, b)| is(*a - *b)).count();
        results.push(Scores {
            model: ini,
            sentences: ours.len(),
            reached: count(&|more| more > -1e-3),
            better: count(&|more| more >= 1e-3),
            worse: count(&|more| more <= -1e-3),
        });
        println!("{}", serde_json::to_string(&results[results.len() - 1])?);
    }
    setup.write("wuebker-scores", &results)
}

/// The best score of each sentence in an n-best list.
fn best_scores(list: &[String], sentences: usize) -> Result<Vec<f32>> {
    let mut best = vec![f32::NEG_INFINITY; sentences];
    for line in list {
        let fields: Vec<&str> = line.split("|||").map(str::trim).collect();
        let [number, _, _, score, ..] = fields[..] else { anyhow::bail!("not a line of an n-best list: {line}") };
        let best = best.get_mut(number.parse::<usize>()?).context("more sentences in the list than in the text")?;
        *best = best.max(score.parse()?);
    }
    Ok(best)
}
