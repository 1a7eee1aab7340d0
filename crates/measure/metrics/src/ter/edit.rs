//! Edit distance (Levenshtein) within a band around the diagonal, for sequences that differ little from the previous
//! sequence.

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
/// A search tries hundreds of shifts, and each changes only a part of the hypothesis: the rows before the first changed
/// word are reused. Only the band is kept, so that lines of any length can be compared.
pub(super) struct EditDistance<'r> {
    reference: &'r [u32],
    hypothesis: Vec<u32>,
    /// The columns of each row that are in the band: all of row 0, [`band`] of the others.
    bands: Vec<Range<usize>>,
    /// Where the cells of each row are in `cells`.
    places: Vec<Range<usize>>,
    /// The cells of all rows: row i has the distances of the first i words.
    cells: Vec<u32>,
    /// Two rows for [`EditDistance::distance_of`].
    rows: [Vec<u32>; 2],
}

impl<'r> EditDistance<'r> {
    pub(super) fn new(hypothesis: &[u32], reference: &'r [u32]) -> Self {
        let (rows, columns) = (hypothesis.len(), reference.len());
        let bands: Vec<_> = std::iter::once(0..columns + 1).chain((1..=rows).map(|i| band(i, rows, columns))).collect();
        let mut end = 0;
        let mut place = |band: &Range<usize>| {
            let start = end;
            end += band.len();
            start..end
        };
        let places = bands.iter().map(&mut place).collect();
        // Row 0 is filled here: as many insertions as there are words.
        let cells = (0..=columns as u32).chain(std::iter::repeat_n(FAR, end - columns - 1)).collect();
        let rows = [Vec::new(), Vec::new()];
        let mut new = Self { reference, hypothesis: hypothesis.to_vec(), bands, places, cells, rows };
        new.fill(0);
        new
    }

    /// The hypothesis that the table is of.
    pub(super) fn hypothesis(&self) -> &[u32] {
        &self.hypothesis
    }

    /// The distance of the whole hypothesis.
    pub(super) fn distance(&self) -> u32 {
        self.cells[self.cells.len() - 1]
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
        let [cells, row] = &mut self.rows;
        cells.clear();
        cells.extend_from_slice(&self.cells[self.places[same].clone()]);
        for i in same + 1..=hypothesis.len() {
            let before = Row { first: self.bands[i - 1].start, cells };
            row.resize(self.bands[i].len(), FAR);
            fill_row(before, row, hypothesis[i - 1], self.reference, self.bands[i].clone());
            std::mem::swap(cells, row);
        }
        cells[cells.len() - 1]
    }

    /// Computes the rows after row `from`.
    fn fill(&mut self, from: usize) {
        for i in from + 1..=self.hypothesis.len() {
            let (done, rest) = self.cells.split_at_mut(self.places[i].start);
            let before = Row { first: self.bands[i - 1].start, cells: &done[self.places[i - 1].clone()] };
            let band = self.bands[i].clone();
            fill_row(before, &mut rest[..band.len()], self.hypothesis[i - 1], self.reference, band);
        }
    }

    /// The edits in order. Among equally short sequences of edits the choice prefers, from the end, to keep or
    /// substitute, then to delete.
    pub(super) fn trace(&self) -> Vec<Edit> {
        let row = |i: usize| Row { first: self.bands[i].start, cells: &self.cells[self.places[i].clone()] };
        let cell = |i: usize, j: usize| row(i).cell(j);
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

/// The number of words that two sequences have in common before the first difference.
fn common_head(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// The columns of row `i` that are computed, 1 <= i <= `rows`: a band around the straight line to the last cell.
///
/// A very long reference widens it, so that the bands of neighbouring rows always overlap; the last row reaches the
/// end.
fn band(i: usize, rows: usize, columns: usize) -> Range<usize> {
    let ratio = columns as f64 / rows as f64;
    let reach =
        if (BEAM_WIDTH as f64) < ratio / 2.0 { (ratio / 2.0 + BEAM_WIDTH as f64).ceil() as usize } else { BEAM_WIDTH };
    let diagonal = (i as f64 * ratio).floor() as usize;
    let end = if i == rows { columns + 1 } else { (columns + 1).min(diagonal + reach) };
    diagonal.saturating_sub(reach)..end
}

/// The cells of a row that are in its band.
#[derive(Clone, Copy)]
struct Row<'a> {
    /// The column of the first.
    first: usize,
    cells: &'a [u32],
}

impl Row<'_> {
    fn cell(self, column: usize) -> u32 {
        column.checked_sub(self.first).and_then(|at| self.cells.get(at)).copied().unwrap_or(FAR)
    }
}

/// One row of distances, those in its band, from the row before it, for the hypothesis' next word.
fn fill_row(before: Row<'_>, row: &mut [u32], word: u32, reference: &[u32], band: Range<usize>) {
    let mut left = FAR;
    for (cell, j) in row.iter_mut().zip(band) {
        let substituted = match j.checked_sub(1) {
            Some(left) => before.cell(left) + u32::from(reference[left] != word),
            None => FAR,
        };
        left = substituted.min(before.cell(j) + 1).min(left + 1).min(FAR);
        *cell = left;
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
    fn long_lines_need_little_memory() {
        let line: Vec<u32> = (0..100_000).collect();
        let distance = EditDistance::new(&line, &line);
        assert_eq!(distance.distance(), 0);
        assert!(distance.cells.len() < 60 * line.len());
    }

    #[test]
    fn a_word_far_from_the_diagonal_is_not_seen() {
        let reference: Vec<u32> = (0..100).collect();
        let mut hypothesis: Vec<u32> = (1000..1100).collect();
        hypothesis[10] = 90;
        assert_eq!(EditDistance::new(&hypothesis, &reference).distance(), 100);
    }
}
