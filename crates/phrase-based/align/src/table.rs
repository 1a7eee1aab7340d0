//! Lexical translation probabilities of both directions.

use crate::Error;
use crate::corpus::Corpus;
use crate::fixed::SharedSum;
use metaphrase_base::WordId;

/// A word pair that has never explained anything, or less often than [`LEAST`].
const FLOOR: f32 = 1e-10;
/// Concentration of the Dirichlet prior of each distribution: small, so that few translations share the probability
/// (Riley and Gildea 2012; the value is that of Dyer et al. 2013).
const ALPHA: f64 = 0.01;
/// With a smaller expected count the variational estimate exp Ψ(count + [`ALPHA`]) is below [`FLOOR`].
const LEAST: f64 = 0.03;
/// No word.
const EMPTY: u32 = u32::MAX;

/// A word pair: a slot of a hash table, in one cache line.
#[derive(Debug)]
struct Slot {
    /// The target word; [`EMPTY`] in an empty slot.
    target: u32,
    /// p(target|source), p(source|target).
    probabilities: [f32; 2],
    /// Expected counts of the same.
    counts: [SharedSum; 2],
}

/// Number of a [`Slot`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct SlotId(u32);

impl SlotId {
    /// A word pair without a slot.
    const NONE: Self = Self(u32::MAX);
}

/// p(t|s) and p(s|t) of word pairs that occur together in some sentence pair: an open hash table for each source word.
///
/// Direction 0 is *forward*: source words, or NULL, explain the target words; direction 1 is the other way round.
#[derive(Debug)]
pub(crate) struct Table {
    /// Where the slots of each source word begin; one number more than there are words.
    starts: Vec<u32>,
    slots: Vec<Slot>,
    /// p(target|NULL) by target word; p(source|NULL) by source word.
    null: [Vec<f32>; 2],
    null_counts: [Vec<SharedSum>; 2],
}

impl Table {
    /// All word pairs of those sentence pairs of a corpus that `wanted` chooses; every word is as likely as any other.
    pub fn new(corpus: &Corpus, wanted: impl Fn(usize) -> bool) -> Result<Self, Error> {
        let (source, target) = (corpus.source_words().len(), corpus.target_words().len());
        let uniform = [1.0 / target as f32, 1.0 / source as f32];
        let mut rows = Rows::default();
        Partners::new(corpus, wanted).for_each(|partners| rows.push(partners, |&target| (target, uniform)))?;
        let sums = |length| std::iter::repeat_with(SharedSum::default).take(length).collect();
        Ok(Self {
            starts: rows.starts,
            slots: rows.slots,
            null: [vec![uniform[0]; target], vec![uniform[1]; source]],
            null_counts: [sums(target), sums(source)],
        })
    }

    /// Forgets the word pairs that are improbable in both directions. Most pairs are; the rest fits caches better.
    pub fn prune(&mut self) -> Result<(), Error> {
        let mut rows = Rows::default();
        let mut row = Vec::new();
        for bounds in self.starts.windows(2) {
            let alive = |slot: &&Slot| slot.target != EMPTY && slot.probabilities.iter().any(|&p| p > FLOOR);
            row.clear();
            row.extend(self.slots[bounds[0] as usize..bounds[1] as usize].iter().filter(alive));
            rows.push(&row, |slot| (slot.target, slot.probabilities))?;
        }
        (self.starts, self.slots) = (rows.starts, rows.slots);
        Ok(())
    }

    /// The slot of a word pair.
    #[inline]
    pub fn find(&self, source: WordId, target: WordId) -> SlotId {
        let (start, end) = (self.starts[source.index()], self.starts[source.index() + 1]);
        let mut at = start + home(target.0, end - start);
        loop {
            match self.slots[at as usize].target {
                found if found == target.0 => return SlotId(at),
                EMPTY => return SlotId::NONE,
                _ => at = if at + 1 == end { start } else { at + 1 },
            }
        }
    }

    /// p(target|source), p(source|target).
    #[inline]
    pub fn probabilities(&self, slot: SlotId) -> [f32; 2] {
        self.slots.get(slot.0 as usize).map_or([FLOOR; 2], |slot| slot.probabilities)
    }

    /// p(word|NULL) of a direction.
    pub fn null(&self, direction: usize, word: WordId) -> f32 {
        self.null[direction][word.index()]
    }

    /// Adds to the expected counts.
    #[inline]
    pub fn add(&self, slot: SlotId, probabilities: [f32; 2]) {
        if let Some(slot) = self.slots.get(slot.0 as usize) {
            slot.counts[0].add(probabilities[0]);
            slot.counts[1].add(probabilities[1]);
        }
    }

    /// Adds to the expected count of a word from NULL.
    pub fn add_null(&self, direction: usize, word: WordId, probability: f32) {
        self.null_counts[direction][word.index()].add(probability);
    }

    /// New probabilities from the expected counts, which start again from zero.
    ///
    /// Variational Bayes: p(t|s) = exp Ψ(c(s,t) + α) / exp Ψ(Σ_t' (c(s,t') + α)), over the t' that occur with s.
    pub fn maximise(&mut self) {
        let mut columns = vec![Total::default(); self.null[0].len()];
        for bounds in self.starts.windows(2) {
            let row = &mut self.slots[bounds[0] as usize..bounds[1] as usize];
            let mut total = Total::default();
            for slot in row.iter_mut().filter(|slot| slot.target != EMPTY) {
                let [forward, backward] = &mut slot.counts;
                let counts = [forward.take(), backward.take()];
                total.add(counts[0]);
                columns[slot.target as usize].add(counts[1]);
                slot.probabilities = counts.map(|count| count as f32);
            }
            let scale = total.scale();
            for slot in row {
                slot.probabilities[0] = estimate(slot.probabilities[0], scale);
            }
        }
        let scales: Vec<f64> = columns.into_iter().map(Total::scale).collect();
        for slot in self.slots.iter_mut().filter(|slot| slot.target != EMPTY) {
            slot.probabilities[1] = estimate(slot.probabilities[1], scales[slot.target as usize]);
        }
        for (probabilities, counts) in self.null.iter_mut().zip(&mut self.null_counts) {
            let mut total = Total::default();
            for (p, count) in probabilities.iter_mut().zip(counts) {
                let count = count.take();
                total.add(count);
                *p = count as f32;
            }
            let scale = total.scale();
            probabilities.iter_mut().for_each(|p| *p = estimate(*p, scale));
        }
    }
}

/// The normaliser of a distribution.
#[derive(Debug, Clone, Copy, Default)]
struct Total {
    count: f64,
    outcomes: usize,
}

impl Total {
    fn add(&mut self, count: f64) {
        self.count += count;
        self.outcomes += 1;
    }

    fn scale(self) -> f64 {
        1.0 / exp_digamma(self.count + ALPHA * self.outcomes as f64)
    }
}

fn estimate(count: f32, scale: f64) -> f32 {
    let count = f64::from(count);
    if count < LEAST { FLOOR } else { ((exp_digamma(count + ALPHA) * scale) as f32).max(FLOOR) }
}

/// exp Ψ(x) for x > 0: the asymptotic series (Abramowitz and Stegun 6.3.18) after the recurrence Ψ(x) = Ψ(x+1) − 1/x.
fn exp_digamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < 6.0 {
        shift += 1.0 / x;
        x += 1.0;
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series = square * (1.0 / 12.0 - square * (1.0 / 120.0 - square / 252.0));
    x * (-0.5 * inverse - series - shift).exp()
}

/// The first slot probed for a word in a row of `slots` slots.
#[inline]
fn home(word: u32, slots: u32) -> u32 {
    // Fibonacci hashing; the product's upper bits choose the slot.
    ((u64::from(word.wrapping_mul(0x9E37_79B1)) * u64::from(slots)) >> 32) as u32
}

/// The rows of a table as it is built.
#[derive(Default)]
struct Rows {
    starts: Vec<u32>,
    slots: Vec<Slot>,
}

impl Rows {
    /// Adds the row of the next source word. A third of its slots stays free, at least one: there a search ends.
    fn push<T>(&mut self, words: &[T], content: impl Fn(&T) -> (u32, [f32; 2])) -> Result<(), Error> {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        let start = self.slots.len();
        let length = words.len() + words.len() / 2 + 1;
        let end = u32::try_from(start + length).ok().filter(|&end| end < SlotId::NONE.0);
        self.starts.push(end.ok_or(Error::TooManyWordPairs)?);
        self.slots.resize_with(start + length, || Slot {
            target: EMPTY,
            probabilities: [FLOOR; 2],
            counts: Default::default(),
        });
        let row = &mut self.slots[start..];
        for (target, probabilities) in words.iter().map(content) {
            let mut at = home(target, length as u32) as usize;
            while row[at].target != EMPTY {
                at = if at + 1 == length { 0 } else { at + 1 };
            }
            row[at].target = target;
            row[at].probabilities = probabilities;
        }
        Ok(())
    }
}

/// For each source word the sentence pairs that it occurs in.
struct Partners<'a> {
    corpus: &'a Corpus,
    starts: Vec<usize>,
    pairs: Vec<u32>,
}

impl<'a> Partners<'a> {
    fn new(corpus: &'a Corpus, wanted: impl Fn(usize) -> bool) -> Self {
        let mut starts = vec![0; corpus.source_words().len() + 2];
        let tokens = || {
            let pairs = (0..corpus.len()).filter(|&pair| wanted(pair));
            pairs.flat_map(|pair| corpus.pair(pair).source.iter().map(move |word| (word.index(), pair)))
        };
        // Counted two places further on, then filled: `starts[word + 1]` moves from the start of `word` to its end.
        tokens().for_each(|(word, _)| starts[word + 2] += 1);
        for word in 2..starts.len() {
            starts[word] += starts[word - 1];
        }
        let mut pairs = vec![0; starts[starts.len() - 1]];
        for (word, pair) in tokens() {
            pairs[starts[word + 1]] = pair as u32;
            starts[word + 1] += 1;
        }
        Self { corpus, starts, pairs }
    }

    /// Hands out the target words that occur with each source word, each once.
    fn for_each(&self, mut row: impl FnMut(&[u32]) -> Result<(), Error>) -> Result<(), Error> {
        let mut seen = vec![EMPTY; self.corpus.target_words().len()];
        let mut partners = Vec::new();
        for source in 0..self.corpus.source_words().len() {
            partners.clear();
            for &pair in &self.pairs[self.starts[source]..self.starts[source + 1]] {
                for target in self.corpus.pair(pair as usize).target {
                    if std::mem::replace(&mut seen[target.index()], source as u32) != source as u32 {
                        partners.push(target.0);
                    }
                }
            }
            row(&partners)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_digamma_has_known_values() {
        // Ψ(1) = −γ; Ψ(1/2) = −γ − 2 ln 2; Ψ(2) = 1 − γ
        const GAMMA: f64 = 0.577_215_664_901_532_9;
        for (x, digamma) in [(1.0, -GAMMA), (0.5, -GAMMA - 2.0 * 2f64.ln()), (2.0, 1.0 - GAMMA)] {
            assert!((exp_digamma(x).ln() - digamma).abs() < 1e-7);
        }
        assert!((exp_digamma(1e6) - (1e6 - 0.5)).abs() < 1e-3);
        assert!(exp_digamma(LEAST + ALPHA) < f64::from(FLOOR));
    }

    #[test]
    fn pairs_are_found_estimated_and_pruned() {
        let mut corpus = Corpus::default();
        corpus.push("a b", "x y z");
        corpus.push("b", "x");
        corpus.push("c", "z");
        let mut table = Table::new(&corpus, |pair| pair != 2).unwrap();
        let slot = |table: &Table, s: &str, t: &str| {
            table.find(corpus.source_words().id(s).unwrap(), corpus.target_words().id(t).unwrap())
        };
        assert_eq!(table.probabilities(slot(&table, "a", "z")), [1.0 / 3.0; 2]);
        assert_eq!(table.probabilities(slot(&table, "c", "z")), [FLOOR; 2], "that sentence pair was not wanted");
        table.add(slot(&table, "b", "x"), [10.0, 5.0]);
        table.add(slot(&table, "b", "y"), [1.0, 1.0]);
        table.add(slot(&table, "a", "y"), [0.0, 1.0]);
        table.maximise();
        table.prune().unwrap();
        let [forward, backward] = table.probabilities(slot(&table, "b", "x"));
        assert!((f64::from(forward) - exp_digamma(10.01) / exp_digamma(11.03)).abs() < 1e-6);
        assert!((f64::from(backward) - exp_digamma(5.01) / exp_digamma(5.02)).abs() < 1e-6);
        assert_eq!(table.probabilities(slot(&table, "a", "z")), [FLOOR; 2]);
        assert_eq!(table.probabilities(slot(&table, "a", "y"))[0], FLOOR);
        assert!(table.probabilities(slot(&table, "a", "y"))[1] > 0.1);
    }
}
