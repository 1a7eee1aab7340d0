//! `metaphrase shortlist learn`.

use crate::io::Input;
use crate::lines::Lines;
use crate::messages::Terminal;
use crate::model::ModelArgs;
use crate::number;
use crate::progress::Progress;
use anyhow::{Context, Result, ensure};
use clap::ValueHint;
use metaphrase::{Request, Translator};
use metaphrase_align::{Alignment, Corpus};
use metaphrase_base::WordId;
use metaphrase_shortlist::{Entry, ShortlistOptions, Shortlists};
use metaphrase_text::vocab::Vocabulary;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Learn a shortlist from the model's own translations of text in the source language
///
/// Translates the text, aligns the words of the lines and of their translations, and lists for each source word the
/// target words that translate it, the most frequent first. No other data is needed. Every twentieth line is set aside:
/// on these lines the program measures what share of the translated words the lists contain.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The text in the source language; a name in .gz is decompressed [default: standard input, which is also -]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    input: Option<PathBuf>,
    /// The file to write
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: PathBuf,
    /// Largest number of target words for each source word
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = number::whole::<usize>)]
    words: usize,
    /// Number of the most frequent target words, which are in the list of every line
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = number::whole::<usize>)]
    first: usize,
    /// Number of hypotheses kept at each step of the translation [default: the model's own setting, else 6]
    #[arg(short, long, value_name = "B", value_parser = number::whole::<NonZeroUsize>)]
    beam_size: Option<NonZeroUsize>,
    #[command(flatten)]
    model: ModelArgs,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase shortlist learn -m model/ -i text.en.gz -o model/shortlist
  metaphrase translate -m model/ --shortlist model/shortlist < talk.en";

/// A share of the translated words, in percent: lists that contain less than this cost quality. 3,000 lines gave 86 %,
/// and cost nine BLEU.
const LEAST_COVERAGE: f64 = 97.0;

/// A line and its translation, in words of the model.
type Pair = [Vec<WordId>; 2];

/// Learns the lists.
pub fn run(args: &Args, terminal: &Terminal) -> Result<()> {
    args.model.check()?;
    let lines = Lines::new(Input::open(args.input.as_deref())?);
    let translator = args.model.load(|builder| builder)?;
    let vocabularies = translator.vocabularies().context("a phrase-based model has no shortlist")?;
    let vocabularies = [&*vocabularies[0], &*vocabularies[1]];
    let pairs = translate(&translator, args, lines, vocabularies, terminal)?;
    let mut held_out = Vec::new();
    let mut rest = Vec::new();
    for (number, pair) in pairs.into_iter().enumerate() {
        if number % 20 == 19 { held_out.push(pair) } else { rest.push(pair) }
    }
    ensure!(!rest.is_empty(), "there is no line to learn from");
    let options = ShortlistOptions { first: Some(args.first), words: Some(args.words), threshold: None };
    let lists = learn(&rest, options, vocabularies)?;
    report_coverage(&lists, &rest, &held_out);
    Ok(lists.write(&args.output, vocabularies)?)
}

/// Translates the text.
fn translate(
    translator: &Translator,
    args: &Args,
    mut lines: Lines,
    [source, target]: [&Vocabulary; 2],
    terminal: &Terminal,
) -> Result<Vec<Pair>> {
    let mut options = translator.options();
    options.search.beam_size = args.beam_size.map_or(options.search.beam_size, NonZeroUsize::get);
    let mut texts = Vec::new();
    while let Some(text) = lines.next_text()? {
        texts.push(text);
    }
    let mut progress = Progress::start(terminal, None, true);
    let mut sizes = texts.iter().map(String::len).collect::<Vec<_>>().into_iter();
    let requests = texts.chunks(2000).map(|chunk| chunk.iter().map(Request::translate).collect::<Vec<_>>());
    let mut pairs = Vec::new();
    let ids = |pieces: &[String], vocabulary: &Vocabulary| {
        pieces.iter().filter_map(|piece| vocabulary.id(piece)).collect::<Vec<_>>()
    };
    translator.stream(&options, requests.collect::<Vec<_>>(), |translation| {
        progress.line(sizes.next().unwrap_or(0) as u64, translation.source_pieces.len());
        if let Some(best) = translation.hypotheses.first().filter(|best| !best.pieces.is_empty()) {
            pairs.push([ids(&translation.source_pieces, source), ids(&best.pieces, target)]);
        }
        ControlFlow::Continue(())
    })?;
    Ok(pairs)
}

/// The lists of these pairs.
fn learn(pairs: &[Pair], options: ShortlistOptions, vocabularies: [&Vocabulary; 2]) -> Result<Shortlists> {
    let mut corpus = Corpus::default();
    for pair in pairs {
        // The ids of pieces, because a piece may be a blank.
        let [source, target] = [0, 1].map(|side| pair[side].iter().map(|word| format!("{word} ")).collect::<String>());
        corpus.push(&source, &target);
    }
    let settings = metaphrase_align::Options { threads: number::threads(None), ..Default::default() };
    let alignments = metaphrase_align::align(&corpus, &settings, &mut |_| {})?;
    let mut used = vec![0usize; vocabularies[1].len()];
    let mut seen = vec![0usize; vocabularies[0].len()];
    for [source, target] in pairs {
        target.iter().for_each(|word| used[word.index()] += 1);
        source.iter().for_each(|word| seen[word.index()] += 1);
    }
    let counts = count(pairs, &alignments, &seen);
    let entries =
        counts.into_iter().map(|((source, target), count)| Entry { source, target, probability: count as f32 });
    let mut frequent: Vec<WordId> = (0..used.len()).map(WordId::new).collect();
    frequent.sort_by_key(|word| std::cmp::Reverse(used[word.index()]));
    Ok(Shortlists::new(entries.collect(), frequent, options, vocabularies))
}

/// How often each target word translates each source word. A target word without a link counts for the rarest source
/// word of its line, which is the most specific one.
fn count(pairs: &[Pair], alignments: &[Alignment], seen: &[usize]) -> HashMap<(WordId, WordId), u32> {
    let mut counts = HashMap::new();
    for ([source, target], alignment) in pairs.iter().zip(alignments) {
        let mut linked = vec![false; target.len()];
        for link in alignment.links() {
            let from = link.source as usize;
            let to = link.target as usize;
            *counts.entry((source[from], target[to])).or_insert(0) += 1;
            linked[to] = true;
        }
        let Some(&rarest) = source.iter().min_by_key(|word| seen[word.index()]) else { continue };
        for (&word, _) in target.iter().zip(linked).filter(|(_, linked)| !linked) {
            *counts.entry((rarest, word)).or_insert(0) += 1;
        }
    }
    counts
}

/// Reports the share of the words of the translations that the lists contain.
fn report_coverage(lists: &Shortlists, learnt: &[Pair], held_out: &[Pair]) {
    let (pairs, other) = if held_out.is_empty() { (learnt, "") } else { (held_out, "other ") };
    let mut words = 0;
    let mut found = 0;
    let mut whole = 0;
    let mut size = 0;
    for [source, target] in pairs {
        let list = lists.for_sentence(source);
        let here = target.iter().filter(|word| list.place(**word).is_some()).count();
        words += target.len();
        found += here;
        size += list.words().len();
        whole += usize::from(here == target.len());
    }
    let share = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
    if share(found, words) < LEAST_COVERAGE {
        tracing::warn!(
            "the lists lack {:.1} % of the words of the translations, and translations with them lack these words: learn from more lines \
             than {}, or raise --words and --first",
            100.0 - share(found, words),
            learnt.len()
        );
    }
    tracing::info!(
        "learnt from {} lines; for {} {other}lines the lists contain {:.2} % of the translated words, and all words of {:.1} % of the \
         translations, with {} words per list",
        learnt.len(),
        pairs.len(),
        share(found, words),
        share(whole, pairs.len()),
        size / pairs.len().max(1)
    );
}
