//! Estimates models from text: interpolated modified Kneser-Ney smoothing (Chen & Goodman 1998), on sorted files
//! (Heafield et al. 2013), in memory that is bounded but for the words themselves.

mod adjust;
mod count;
mod discounts;
mod record;
mod smooth;
mod sort;

pub use discounts::Discounts;

use crate::{LmError, MAX_ORDER, Vocabulary, WordId};
use record::{Record, pack};
use smooth::{DiscountedOrder, Interpolation};
use sort::{Room, Sorter};
use std::io::{BufRead, BufWriter, Write};
use std::path::{Path, PathBuf};

/// How to estimate.
#[derive(Debug, Clone)]
pub struct EstimateOptions {
    /// Words of the longest n-grams, from 1 to [`MAX_ORDER`].
    pub order: usize,
    /// N-grams of order k + 1 that occur at most `prune[k]` times are left out; never words. The numbers do not fall,
    /// and the last one holds for the orders above, too.
    pub prune: Vec<u64>,
    /// Discounts for orders whose counts give no discounts, as in small or artificial texts. Without them such an order
    /// is an error.
    pub fallback: Option<Discounts>,
    /// Leaves out `<s>`, `</s>` and `<unk>` in the text instead of refusing it.
    pub skip_symbols: bool,
    /// Bytes of memory for sorting.
    pub memory: usize,
    /// The directory of temporary files.
    pub temporary: PathBuf,
    /// Threads that sort.
    pub threads: usize,
}

impl Default for EstimateOptions {
    fn default() -> Self {
        Self {
            order: 5,
            prune: Vec::new(),
            fallback: None,
            skip_symbols: false,
            memory: 1 << 30,
            temporary: std::env::temp_dir(),
            threads: 1,
        }
    }
}

/// The counts of an estimation.
#[derive(Debug, Clone)]
pub struct EstimateReport {
    /// Words of the text, without `</s>`.
    pub words: u64,
    /// Lines of the text.
    pub sentences: u64,
    /// By order.
    pub orders: Vec<OrderReport>,
}

/// The counts of one order.
#[derive(Debug, Clone, Copy)]
pub struct OrderReport {
    /// N-grams in the text.
    pub ngrams: u64,
    /// N-grams in the model.
    pub kept: u64,
    /// The discounts that were used.
    pub discounts: Discounts,
    /// Whether these are the fallback.
    pub is_fallback: bool,
}

/// Estimates a model from a text with a sentence per line, words between white space, and writes it as ARPA text.
/// Errors call the text `name` and the output `to`.
///
/// # Errors
/// If the options contradict themselves, the text can not be read or has words with a meaning of their own, the counts
/// give no discounts, or a file can not be written.
pub fn estimate(
    text: &mut dyn BufRead,
    name: &Path,
    options: &EstimateOptions,
    arpa: &mut dyn Write,
    to: &Path,
) -> Result<EstimateReport, LmError> {
    let prune = options.check(name)?;
    let room = options.room();
    let counts = count::count(text, name, options.order, options.skip_symbols, &room)?;
    let adjusted = adjust::adjust(counts.ngrams, options.order, &prune, &room)?;
    let mut orders = Vec::with_capacity(options.order);
    for (k, order) in adjusted.iter().enumerate() {
        let (discounts, is_fallback) = options.discounts(&order.of, k + 1, name)?;
        orders.push(OrderReport { ngrams: order.count, kept: order.kept, discounts, is_fallback });
    }
    let mut output = Output { writer: BufWriter::with_capacity(1 << 18, arpa), to, vocabulary: &counts.vocabulary };
    output.header(&orders)?;
    // Each order is discounted, then interpolated with the order below once its back-off weights are there, which come
    // from the order above.
    let mut below = None;
    let mut waiting: Option<DiscountedOrder> = None;
    for (k, order) in adjusted.into_iter().enumerate() {
        let DiscountedOrder { ngrams, histories } =
            smooth::discount(order.by_history.finish()?, k + 1, &orders[k].discounts, &room)?;
        if let Some(lower) = waiting.replace(DiscountedOrder { ngrams, histories: Sorter::new(&room) }) {
            below = Some(output.section(lower.ngrams, k, Some(histories), below, &orders, &room)?);
        }
    }
    if let Some(highest) = waiting {
        output.section(highest.ngrams, options.order, None, below, &orders, &room)?;
    }
    output.end()?;
    Ok(EstimateReport { words: counts.words, sentences: counts.sentences, orders })
}

impl EstimateOptions {
    /// A sentence about the first option that contradicts the others, if there is one.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        let (order, thresholds) = (self.order, self.prune.len());
        if !(1..=MAX_ORDER).contains(&order) {
            return Some(format!("models have an order from 1 to {MAX_ORDER}, not {order}"));
        }
        if thresholds > order {
            return Some(format!("{thresholds} pruning thresholds for a model of order {order}"));
        }
        if self.prune.first().is_some_and(|&least| least > 0) {
            return Some("words are never pruned: the first pruning threshold is 0".into());
        }
        let falls = "pruning thresholds must not fall: a longer n-gram needs the shorter ones within it";
        (!self.prune.is_sorted()).then(|| falls.into())
    }

    /// The pruning thresholds of all orders.
    fn check(&self, name: &Path) -> Result<Vec<u64>, LmError> {
        if let Some(problem) = self.problem() {
            return Err(LmError::model(name, problem));
        }
        let mut prune = self.prune.clone();
        prune.resize(self.order, self.prune.last().copied().unwrap_or(0));
        Ok(prune)
    }

    /// The room of each of the sorters that are filled at a time: one per order, or the few of a later step.
    fn room(&self) -> Room {
        let sorters = self.order.max(4) + 2;
        let records = self.memory / Record::SIZE / sorters;
        Room { records, threads: self.threads, folder: self.temporary.clone() }
    }

    fn discounts(&self, of: &[u64; 5], order: usize, name: &Path) -> Result<(Discounts, bool), LmError> {
        match (Discounts::estimate(of), self.fallback) {
            (Ok(discounts), _) => Ok((discounts, false)),
            (Err(_), Some(fallback)) => Ok((fallback, true)),
            (Err(problem), None) => Err(LmError::model(
                name,
                format!(
                    "the counts of {order}-grams give no discounts, {problem}: is the text small, artificial or full of \
                     repetitions? Remove these, or give discounts to fall back to (`fallback`)"
                ),
            )),
        }
    }
}

/// The ARPA text as it is written.
struct Output<'v> {
    writer: BufWriter<&'v mut dyn Write>,
    to: &'v Path,
    vocabulary: &'v Vocabulary,
}

impl Output<'_> {
    fn header(&mut self, orders: &[OrderReport]) -> Result<(), LmError> {
        let counts = orders.iter().enumerate().map(|(k, order)| format!("ngram {}={}\n", k + 1, order.kept));
        let text = format!("\\data\\\n{}", counts.collect::<String>());
        self.write(text.as_bytes())
    }

    /// Writes the n-grams of one order; the order above needs their probabilities.
    fn section(
        &mut self,
        ngrams: Sorter,
        order: usize,
        histories: Option<Sorter>,
        below: Option<Sorter>,
        orders: &[OrderReport],
        room: &Room,
    ) -> Result<Sorter, LmError> {
        // A word may be each one but `<s>`.
        let uniform = 1.0 / (orders[0].ngrams - 1) as f32;
        let is_highest = histories.is_none();
        let finish = |sorter: Option<Sorter>| sorter.map(Sorter::finish).transpose();
        let mut interpolated =
            Interpolation::new(ngrams.finish()?, order, uniform, finish(below)?, finish(histories)?)?;
        let mut probabilities = Sorter::new(room);
        self.write(format!("\n\\{order}-grams:\n").as_bytes())?;
        let mut line = Vec::new();
        while let Some(estimate) = interpolated.next()? {
            line.clear();
            // Writing to memory can not fail.
            let _ = write!(line, "{}", estimate.probability.log10().min(0.0));
            for (i, word) in estimate.key.words(order).rev().enumerate() {
                line.push(if i == 0 { b'\t' } else { b' ' });
                line.extend_from_slice(self.vocabulary.word(WordId(word)).as_bytes());
            }
            if !is_highest {
                let _ = write!(line, "\t{}", estimate.backoff.log10());
            }
            line.push(b'\n');
            self.write(&line)?;
            if !is_highest {
                probabilities.push(estimate.key, pack(estimate.probability, 0.0))?;
            }
        }
        Ok(probabilities)
    }

    fn end(&mut self) -> Result<(), LmError> {
        self.write(b"\n\\end\\\n")?;
        self.writer.flush().map_err(|e| LmError::io(self.to, "write", e))
    }

    fn write(&mut self, text: &[u8]) -> Result<(), LmError> {
        self.writer.write_all(text).map_err(|e| LmError::io(self.to, "write", e))
    }
}
