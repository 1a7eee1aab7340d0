//! Edit distance (Levenshtein) within a band around the diagonal, for sequences that differ by little from one seen before.

use std::ops::Range;

/// How far the band reaches to either side of the diagonal.
const BEAM_WIDTH: usize = 25;
/// The distance of a cell outside the band; more edits than any line has words, and far from overflow.
const FAR: u32 = 1 << 30;

/// One step of turning the hypothesis into the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edit {
    /// Keep a word.
    Keep,
    /// Replace a word.
    Substitute,
    /// Insert a word of the reference.
    Insert,
    /// Delete a word of the hypothesis.
    Delete,
}

/// Distances between all heads of a hypothesis and all heads of a reference.
///
/// Shifts are tried by the hundred, and each changes a part of the hypothesis only: rows before the first word that changed
/// are taken over.
pub(super) struct EditDistance<'r> {
    reference: &'r [u32],
    hypothesis: Vec<u32>,
    /// `(hypothesis + 1) × (reference + 1)`: row i has the distances of the first i words.
    table: Vec<u32>,
    /// Two rows for [`EditDistance::distance_of`].
    rows: [Vec<u32>; 2],
}

impl<'r> EditDistance<'r> {
    pub(super) fn new(hypothesis: &[u32], reference: &'r [u32]) -> Self {
        let width = reference.len() + 1;
        let mut table = vec![FAR; (hypothesis.len() + 1) * width];
        for (cell, distance) in table.iter_mut().zip(0..width as u32) {
            *cell = distance;
        }
        let rows = [vec![FAR; width], vec![FAR; width]];
        let mut new = Self { reference, hypothesis: hypothesis.to_vec(), table, rows };
        new.fill(0);
        new
    }

    /// The hypothesis that the table is of.
    pub(super) fn hypothesis(&self) -> &[u32] {
        &self.hypothesis
    }

    /// The distance of the whole hypothesis.
    pub(super) fn distance(&self) -> u32 {
        self.table[self.table.len() - 1]
    }

    /// Takes another hypothesis of the same length.
    pub(super) fn replace(&mut self, hypothesis: &[u32]) {
        let same = common_head(&self.hypothesis, hypothesis);
        self.hypothesis.copy_from_slice(hypothesis);
        self.fill(same);
    }

    /// The distance of another hypothesis of the same length.
    pub(super) fn distance_of(&mut self, hypothesis: &[u32]) -> u32 {
        let same = common_head(&self.hypothesis, hypothesis);
        if same == hypothesis.len() {
            return self.distance();
        }
        let width = self.reference.len() + 1;
        let [before, row] = &mut self.rows;
        before.copy_from_slice(&self.table[same * width..(same + 1) * width]);
        for i in same + 1..=hypothesis.len() {
            fill_row(before, row, hypothesis[i - 1], self.reference, band(i, hypothesis.len(), self.reference.len()));
            std::mem::swap(before, row);
        }
        before[width - 1]
    }

    /// Computes the rows behind row `from`.
    fn fill(&mut self, from: usize) {
        let width = self.reference.len() + 1;
        for i in from + 1..=self.hypothesis.len() {
            let (before, row) = self.table[(i - 1) * width..(i + 1) * width].split_at_mut(width);
            let band = band(i, self.hypothesis.len(), self.reference.len());
            fill_row(before, row, self.hypothesis[i - 1], self.reference, band);
        }
    }

    /// The edits in order. Of equally short ways it prefers, from the end, to keep or substitute, then to delete.
    pub(super) fn trace(&self) -> Vec<Edit> {
        let width = self.reference.len() + 1;
        let cell = |i: usize, j: usize| self.table[i * width + j];
        let (mut i, mut j) = (self.hypothesis.len(), self.reference.len());
        let mut edits = Vec::with_capacity(i + j);
        while i > 0 || j > 0 {
            let keep = i > 0 && j > 0 && self.hypothesis[i - 1] == self.reference[j - 1];
            let edit = if i == 0 {
                Edit::Insert
            } else if j == 0 {
                Edit::Delete
            } else if cell(i, j) == cell(i - 1, j - 1) + u32::from(!keep) {
                if keep { Edit::Keep } else { Edit::Substitute }
            } else if cell(i, j) == cell(i - 1, j) + 1 {
                Edit::Delete
            } else {
                Edit::Insert
            };
            i -= usize::from(edit != Edit::Insert);
            j -= usize::from(edit != Edit::Delete);
            edits.push(edit);
        }
        edits.reverse();
        edits
    }
}

/// How many words two sequences have in common before the first difference.
fn common_head(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// The columns of row `i` that are computed, 1 <= i <= `rows`: a band around the straight line to the last cell.
///
/// A very long reference widens it, so that the bands of neighbouring rows always overlap; the last row reaches the end.
fn band(i: usize, rows: usize, columns: usize) -> Range<usize> {
    let ratio = columns as f64 / rows as f64;
    let reach =
        if (BEAM_WIDTH as f64) < ratio / 2.0 { (ratio / 2.0 + BEAM_WIDTH as f64).ceil() as usize } else { BEAM_WIDTH };
    let diagonal = (i as f64 * ratio).floor() as usize;
    let end = if i == rows { columns + 1 } else { (columns + 1).min(diagonal + reach) };
    diagonal.saturating_sub(reach)..end
}

/// One row of distances from the row before it, for the hypothesis' next word.
fn fill_row(before: &[u32], row: &mut [u32], word: u32, reference: &[u32], band: Range<usize>) {
    row[..band.start].fill(FAR);
    row[band.end..].fill(FAR);
    let mut left = FAR;
    for j in band {
        let substituted = match j.checked_sub(1) {
            Some(left) => before[left] + u32::from(reference[left] != word),
            None => FAR,
        };
        left = substituted.min(before[j] + 1).min(left + 1).min(FAR);
        row[j] = left;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The recursive definition, for short sequences.
    fn levenshtein(a: &[u32], b: &[u32]) -> u32 {
        match (a, b) {
            ([], rest) | (rest, []) => rest.len() as u32,
            ([x, a_rest @ ..], [y, b_rest @ ..]) => (levenshtein(a_rest, b_rest) + u32::from(x != y))
                .min(levenshtein(a_rest, b) + 1)
                .min(levenshtein(a, b_rest) + 1),
        }
    }

    proptest! {
        #[test]
        fn distances_and_traces_are_shortest(
            a in prop::collection::vec(0u32..3, 0..6),
            b in prop::collection::vec(0u32..3, 1..6),
            at in 0usize..6,
        ) {
            let mut table = EditDistance::new(&a, &b);
            prop_assert_eq!(table.distance(), levenshtein(&a, &b));
            let trace = table.trace();
            let cost = trace.iter().filter(|&&edit| edit != Edit::Keep).count();
            prop_assert_eq!(cost as u32, table.distance());
            prop_assert_eq!(trace.iter().filter(|&&edit| edit != Edit::Insert).count(), a.len());

            let mut other = a.clone();
            let at = at.min(other.len());
            other.rotate_left(at);
            prop_assert_eq!(table.distance_of(&other), levenshtein(&other, &b));
            table.replace(&other);
            prop_assert_eq!(table.distance(), levenshtein(&other, &b));
        }
    }

    #[test]
    fn the_band_reaches_the_end_for_any_lengths() {
        for (rows, columns) in [(1, 300), (2, 1000), (300, 1), (100, 90), (7, 7)] {
            let (a, b): (Vec<u32>, Vec<u32>) = ((0..rows).collect(), (1000..1000 + columns).collect());
            assert_eq!(EditDistance::new(&a, &b).distance(), rows.max(columns));
        }
    }

    #[test]
    fn a_word_far_from_the_diagonal_is_not_seen() {
        let reference: Vec<u32> = (0..100).collect();
        let mut hypothesis: Vec<u32> = (1000..1100).collect();
        hypothesis[10] = 90;
        assert_eq!(EditDistance::new(&hypothesis, &reference).distance(), 100);
    }
}
