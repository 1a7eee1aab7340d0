//! The stages of making a corpus, in their order.

use crate::agreement::agreements;
use crate::filter::Filter;
use crate::noise::noisy;
use crate::read::for_each_pair;
use crate::recipe::{HeldOut, Recipe, Side, Source};
use crate::scores::{dual_cross_entropy, read};
use crate::seen::{Pairs, TestSets, plain};
use crate::terms::Terms;
use crate::{CorpusError, Reason, Report, SourceReport};
use flate2::Compression;
use flate2::write::GzEncoder;
use metaphrase_text::MarkedText;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Characters that are added to both lengths before they are compared: short sides vary more.
const SLACK: f64 = 10.0;
/// The lengths of pairs that are set aside, in words of the source.
const TESTED_WORDS: std::ops::RangeInclusive<usize> = 4..=50;
/// A source gives at most one pair of this number to each set.
const LEAST_PER_TESTED: usize = 20;

/// The next piece of work, for a display of progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage<'r> {
    /// The source with this name is read.
    Read(&'r str),
    /// The words of all pairs are aligned.
    Align,
    /// Terms are looked for.
    Terms,
    /// The files are written.
    Write,
}

/// A pair that was not left out so far.
struct Pair {
    /// Its line, from 0.
    line: usize,
    source: Box<str>,
    target: Box<str>,
}

impl Pair {
    fn sides(&self) -> [&str; 2] {
        [&self.source, &self.target]
    }

    fn reverse(&mut self) {
        std::mem::swap(&mut self.source, &mut self.target);
    }

    fn words(&self) -> [usize; 2] {
        self.sides().map(|side| side.split_whitespace().count())
    }
}

/// A source that is being cleaned.
struct Part<'r> {
    source: &'r Source,
    report: SourceReport,
    pairs: Vec<Pair>,
}

impl Part<'_> {
    /// Leaves out the pairs for which `wrong`, called with the place and the pair, is true.
    fn leave_out(&mut self, reason: Reason, mut wrong: impl FnMut(usize, &Pair) -> bool) {
        let (report, mut place) = (&mut self.report, 0);
        self.pairs.retain(|pair| {
            let out = wrong(place, pair);
            place += 1;
            if out {
                report.leave_out(reason, pair.line, pair.sides());
            }
            !out
        });
    }
}

/// Makes the corpus of a recipe and writes it into a folder, which exists: `train`, `dev` and, for each source with a
/// test set, `test.NAME`, with the languages' codes and `.gz` appended to these names. All texts are held in memory.
/// The alignment uses `threads` threads.
///
/// # Errors
/// A file that can not be read or written, files whose lines do not belong together, scores that are not numbers, a
/// setting without meaning, and a corpus of which nothing is left.
pub fn clean<'r>(
    recipe: &'r Recipe,
    folder: &Path,
    threads: NonZeroUsize,
    observer: &mut dyn FnMut(Stage<'r>),
) -> Result<Report, CorpusError> {
    recipe.check()?;
    let mut parts = read_sources(recipe, observer)?;
    let read: usize = parts.iter().map(|part| part.report.read).sum();
    leave_out_ratios(&mut parts, recipe.limits.max_ratio);
    if recipe.limits.min_agreement > 0.0 {
        observer(Stage::Align);
        leave_out_disagreement(&mut parts, recipe.limits.min_agreement, threads);
    }
    parts.iter_mut().try_for_each(keep_best_scores)?;
    let mut random = ChaCha8Rng::seed_from_u64(recipe.seed);
    let mut writer = Files { folder, recipe, languages: [&recipe.languages.source, &recipe.languages.target] };
    let dev = writer.hold_out(&mut parts, recipe.held_out, &mut random)?;
    if parts.iter().all(|part| part.pairs.is_empty()) {
        return Err(CorpusError::Nothing(read));
    }
    // Only now, so that the models of both directions have the same test sets.
    if recipe.reverse {
        writer.languages.reverse();
        parts.iter_mut().flat_map(|part| &mut part.pairs).for_each(Pair::reverse);
    }
    let marks = if recipe.reverse { recipe.quotation_marks.source } else { recipe.quotation_marks.target };
    for pair in parts.iter_mut().flat_map(|part| &mut part.pairs) {
        if let Cow::Owned(target) = marks.apply(&pair.target) {
            pair.target = target.into();
        }
    }
    let times = times(&parts, recipe.temperature);
    let terms = (recipe.terms > 0.0).then(|| {
        observer(Stage::Terms);
        let language = [&recipe.languages.source, &recipe.languages.target][usize::from(!recipe.reverse)];
        Terms::new(parts.iter().flat_map(|part| part.pairs.iter().map(Pair::sides)), language, threads)
    });
    observer(Stage::Write);
    let [written, noisy, with_terms] = writer.train(&mut parts, &times, terms.as_ref(), &mut random)?;
    let sources = parts.into_iter().map(|part| part.report).collect();
    Ok(Report { sources, dev, noisy, with_terms, written })
}

fn read_sources<'r>(recipe: &'r Recipe, observer: &mut dyn FnMut(Stage<'r>)) -> Result<Vec<Part<'r>>, CorpusError> {
    let filter = Filter::new(&recipe.limits, &recipe.languages);
    let tests = TestSets::read(recipe.unseen.iter().map(PathBuf::as_path))?;
    let mut known = Pairs::default();
    let mut parts = Vec::new();
    for source in &recipe.sources {
        observer(Stage::Read(&source.name));
        let mut report =
            SourceReport { name: source.name.clone(), licence: source.licence.clone(), ..SourceReport::default() };
        let mut pairs = Vec::new();
        report.read = for_each_pair([&source.source, &source.target], |line, texts| {
            let Some(texts) = texts else { return report.leave_out(Reason::NoText, line, ["", ""]) };
            let sides = texts.each_ref().map(|text| text.trim());
            let seen = |side: &&str| tests.contain(side);
            let fault = filter.fault(sides).or_else(|| (!known.insert(sides)).then_some(Reason::Duplicate));
            match fault.or_else(|| sides.iter().any(seen).then_some(Reason::TestSet)) {
                Some(reason) => report.leave_out(reason, line, sides),
                None => pairs.push(Pair { line, source: sides[0].into(), target: sides[1].into() }),
            }
        })?;
        parts.push(Part { source, report, pairs });
    }
    Ok(parts)
}

/// Leaves out pairs whose lengths differ by more than the median and a factor.
fn leave_out_ratios(parts: &mut [Part<'_>], most: f64) {
    let length = |side: &str| side.chars().count() as f64 + SLACK;
    let ratio = |pair: &Pair| (length(&pair.target) / length(&pair.source)).ln();
    let mut ratios: Vec<f64> = parts.iter().flat_map(|part| part.pairs.iter().map(ratio)).collect();
    if ratios.is_empty() {
        return;
    }
    let middle = ratios.len() / 2;
    let median = *ratios.select_nth_unstable_by(middle, f64::total_cmp).1;
    for part in parts {
        part.leave_out(Reason::Ratio, |_, pair| (ratio(pair) - median).abs() > most.ln());
    }
}

/// Leaves out pairs whose words do not translate each other.
fn leave_out_disagreement(parts: &mut [Part<'_>], least: f64, threads: NonZeroUsize) {
    let found = agreements(parts.iter().flat_map(|part| part.pairs.iter().map(Pair::sides)), threads);
    let mut found = found.into_iter();
    for part in parts {
        part.report.agreement = histogram(found.as_slice().iter().take(part.pairs.len()));
        part.leave_out(Reason::Agreement, |_, _| found.next().is_some_and(|found| f64::from(found) < least));
    }
}

/// The numbers of values from 0 to 1 in twenty parts of equal width.
fn histogram<'v>(values: impl Iterator<Item = &'v f32>) -> Vec<usize> {
    let mut counts = vec![0; 20];
    values.for_each(|value| counts[((value * 20.0) as usize).min(19)] += 1);
    counts
}

/// Keeps the pairs with the best scores, if the source has scores.
fn keep_best_scores(part: &mut Part<'_>) -> Result<(), CorpusError> {
    let Some(paths) = &part.source.scores else { return Ok(()) };
    let scores = [read(&paths[0])?, read(&paths[1])?];
    for (path, scores) in paths.iter().zip(&scores) {
        let (lines, texts) = (scores.len(), part.report.read);
        if lines != texts {
            let (shorter, longer) = (path.clone(), part.source.source.clone());
            return Err(match lines < texts {
                true => CorpusError::Lines { shorter, lines, longer },
                false => CorpusError::Lines { shorter: longer, lines: texts, longer: shorter },
            });
        }
    }
    let cost = |pair: &Pair| dual_cross_entropy(scores.each_ref().map(|scores| scores[pair.line]), pair.words());
    let costs: Vec<f32> = part.pairs.iter().map(cost).collect();
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by(|&a, &b| costs[a].total_cmp(&costs[b]));
    let kept = (part.source.keep * costs.len() as f64).round() as usize;
    let left_out: HashSet<usize> = order[kept..].iter().copied().collect();
    part.leave_out(Reason::Scores, |place, _| left_out.contains(&place));
    Ok(())
}

/// How often each source's pairs are used on average. All pairs together are about as many as without a temperature.
fn times(parts: &[Part<'_>], temperature: f64) -> Vec<f64> {
    let sizes = parts.iter().map(|part| part.pairs.len() as f64);
    let plain: f64 = parts.iter().zip(sizes.clone()).map(|(part, size)| part.source.weight * size).sum();
    let all: f64 = sizes.clone().sum();
    let even = |part: &Part<'_>, size: f64| {
        if size == 0.0 { 0.0 } else { part.source.weight * (size / all).powf(1.0 / temperature - 1.0) }
    };
    let evened: f64 = parts.iter().zip(sizes.clone()).map(|(part, size)| even(part, size) * size).sum();
    let scale = if evened > 0.0 { plain / evened } else { 0.0 };
    parts.iter().zip(sizes).map(|(part, size)| even(part, size) * scale).collect()
}

/// Where the files are written.
struct Files<'r> {
    folder: &'r Path,
    recipe: &'r Recipe,
    /// The languages of both sides of the pairs in their present order.
    languages: [&'r str; 2],
}

impl Files<'_> {
    /// Sets pairs aside, writes them, and leaves out pairs that share a side with them. Returns the number of pairs of
    /// the development set.
    fn hold_out(&self, parts: &mut [Part<'_>], sizes: HeldOut, random: &mut ChaCha8Rng) -> Result<usize, CorpusError> {
        let HeldOut { dev, test } = sizes;
        if dev == 0 && test == 0 {
            return Ok(0);
        }
        let (mut all_dev, mut sides) = (Vec::new(), HashSet::new());
        for part in &mut *parts {
            let mut places: Vec<usize> = (0..part.pairs.len()).collect();
            places.retain(|&place| TESTED_WORDS.contains(&part.pairs[place].words()[0]));
            places.shuffle(random);
            let most = part.pairs.len() / LEAST_PER_TESTED;
            let (test, dev) = (test.min(most).min(places.len()), dev.min(most));
            let (tested, rest) = places.split_at(test);
            let developed = &rest[..dev.min(rest.len())];
            let taken = tested.iter().chain(developed).flat_map(|&place| part.pairs[place].sides()).map(plain);
            sides.extend(taken);
            if !tested.is_empty() {
                let mut file = self.pairs(&format!("test.{}", part.source.name))?;
                tested.iter().try_for_each(|&place| file.write(part.pairs[place].sides()))?;
                file.finish()?;
            }
            all_dev.extend(developed.iter().map(|&place| part.pairs[place].sides().map(str::to_owned)));
            part.report.held_out = [developed.len(), tested.len()];
        }
        for part in parts {
            part.pairs.retain(|pair| !pair.sides().iter().any(|side| sides.contains(&plain(side))));
        }
        if dev > 0 {
            let mut file = self.pairs("dev")?;
            all_dev.iter().try_for_each(|[source, target]| file.write([source, target]))?;
            file.finish()?;
        }
        Ok(all_dev.len())
    }

    /// Writes the training text. Returns the numbers of all pairs, of noisy ones, and of those with terms.
    fn train(
        &self,
        parts: &mut [Part<'_>],
        times: &[f64],
        terms: Option<&Terms>,
        random: &mut ChaCha8Rng,
    ) -> Result<[usize; 3], CorpusError> {
        let mut file = self.pairs("train")?;
        let [mut written, mut noise, mut with_terms] = [0, 0, 0];
        let mut number = 0;
        for (part, &times) in parts.iter_mut().zip(times) {
            part.report.times = times;
            part.report.kept = part.pairs.len();
            file.by_model = part.source.by_model == Some(if self.recipe.reverse { Side::Target } else { Side::Source });
            for (place, pair) in part.pairs.iter().enumerate() {
                number += 1;
                part.report.words.iter_mut().zip(pair.words()).for_each(|(sum, words)| *sum += words);
                let copies = times as usize + usize::from(random.random_bool(times.fract()));
                for _ in 0..copies {
                    file.write(pair.sides())?;
                }
                written += copies;
                if copies == 0 {
                    continue;
                }
                let next = part.pairs.get(place + 1).map(Pair::sides);
                let mut added = Vec::new();
                noisy(pair.sides(), next, &self.recipe.noise, random, |source, target| added.push([source, target]));
                noise += added.len();
                if let Some(terms) = terms
                    && random.random_bool(self.recipe.terms)
                    && let Some(source) = terms.insert(number - 1, pair.sides(), random)
                {
                    with_terms += 1;
                    added.push([source, pair.target.to_string()]);
                }
                added.iter().try_for_each(|[source, target]| file.write([source, target]))?;
            }
        }
        file.finish()?;
        Ok([written + noise + with_terms, noise, with_terms])
    }

    /// Two files that pairs are written into.
    fn pairs(&self, name: &str) -> Result<PairFiles, CorpusError> {
        let create = |language: &str| {
            let path = self.folder.join(format!("{name}.{language}.gz"));
            let file = File::create(&path).map_err(CorpusError::written(&path))?;
            Ok((path, GzEncoder::new(BufWriter::new(file), Compression::default())))
        };
        let [source, target] = self.languages;
        Ok(PairFiles { sides: [create(source)?, create(target)?], by_model: false })
    }
}

/// Two files that belong together line by line.
struct PairFiles {
    sides: [(PathBuf, GzEncoder<BufWriter<File>>); 2],
    /// Whether a model wrote the source.
    by_model: bool,
}

impl PairFiles {
    fn write(&mut self, pair: [&str; 2]) -> Result<(), CorpusError> {
        let tagged;
        let pair = if self.by_model {
            tagged = MarkedText::tagged(pair[0]);
            [&*tagged, pair[1]]
        } else {
            pair
        };
        for ((path, file), text) in self.sides.iter_mut().zip(pair) {
            writeln!(file, "{text}").map_err(CorpusError::written(path))?;
        }
        Ok(())
    }

    fn finish(self) -> Result<(), CorpusError> {
        for (path, file) in self.sides {
            let written = file.finish().and_then(|mut file| file.flush());
            written.map_err(CorpusError::written(&path))?;
        }
        Ok(())
    }
}
