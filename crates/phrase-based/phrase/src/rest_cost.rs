//! Estimates of the cost of the words that are not translated yet.

use crate::coverage::Coverage;

/// Rest costs of a sentence: for each span the best score of a sequence of phrases over it, each with the language
/// model's estimate for itself, monotone and without jumps.
#[derive(Debug, Default)]
pub(crate) struct RestCosts {
    /// Spans longer than this are needed only where they end with the sentence.
    width: usize,
    /// `inner[start * width + len - 1]`.
    inner: Vec<f32>,
    /// From a position to the end of the sentence.
    suffix: Vec<f32>,
}

impl RestCosts {
    /// Computes them for a sentence of `words` words, `best(start, len)` being the best option for a span of at most
    /// `longest` words. Gaps before a covered word are at most `width` words long.
    pub(crate) fn compute(&mut self, words: usize, longest: usize, width: usize, best: impl Fn(usize, usize) -> f32) {
        self.width = width.min(words);
        self.inner.clear();
        self.inner.resize(words * self.width, f32::NEG_INFINITY);
        self.suffix.clear();
        self.suffix.resize(words + 1, f32::NEG_INFINITY);
        self.suffix[words] = 0.0;
        for start in (0..words).rev() {
            for len in 1..=longest.min(words - start) {
                let phrase = best(start, len);
                self.suffix[start] = self.suffix[start].max(phrase + self.suffix[start + len]);
                for total in len..=self.width.min(words - start) {
                    let cost = phrase + self.span(start + len, total - len);
                    let cell = &mut self.inner[start * self.width + total - 1];
                    *cell = cell.max(cost);
                }
            }
        }
    }

    fn span(&self, start: usize, len: usize) -> f32 {
        if len == 0 { 0.0 } else { self.inner[start * self.width + len - 1] }
    }

    /// The sum over the gaps of a coverage.
    pub(crate) fn gaps(&self, coverage: &Coverage) -> f32 {
        let end = coverage.end();
        let mut sum = self.suffix[end];
        let mut start = coverage.first_gap();
        while start < end {
            let gap = (start..end).take_while(|&position| !coverage.covers(position)).count();
            sum += self.span(start, gap);
            start += gap;
            start += (start..end).take_while(|&position| coverage.covers(position)).count();
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Costs of words 1, 2, 4, …, and of the pair of words 1 and 2 (-3).
    fn best(start: usize, len: usize) -> f32 {
        match (start, len) {
            (_, 1) => -f32::from(1u8 << start),
            (1, 2) => -3.0,
            _ => f32::NEG_INFINITY,
        }
    }

    #[test]
    fn gaps_add_up() {
        let mut costs = RestCosts::default();
        costs.compute(5, 2, 3, best);
        let none = Coverage::default();
        assert_eq!(costs.gaps(&none), -1.0 - 3.0 - 8.0 - 16.0);
        let mut fourth = Coverage::default();
        fourth.set_union(&none, 3..4);
        assert_eq!(costs.gaps(&fourth), -1.0 - 3.0 - 16.0);
        let mut third_and_fourth = Coverage::default();
        third_and_fourth.set_union(&fourth, 2..3);
        assert_eq!(costs.gaps(&third_and_fourth), -1.0 - 2.0 - 16.0);
        let mut all = Coverage::default();
        all.set_union(&third_and_fourth, 0..2);
        let mut end = Coverage::default();
        end.set_union(&all, 4..5);
        assert_eq!(costs.gaps(&end), 0.0);
    }
}
