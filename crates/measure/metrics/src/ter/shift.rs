//! The search for shifts: greedily the shift that saves the most edits, until no shift saves an edit.

use super::edit::{Edit, EditDistance};

/// The longest sequence of words that is shifted.
const MAX_SHIFT_SIZE: usize = 10;
/// How many positions apart a sequence and its match in the reference may be.
const MAX_SHIFT_DISTANCE: usize = 50;
/// The search ends after this number of tried shifts of one sentence (sacreBLEU's limit, not Tercom's).
const MAX_CANDIDATES: usize = 1000;

/// The number of edits, shifts included, that turn the hypothesis into the reference.
pub(super) fn edits(hypothesis: &[u32], reference: &[u32]) -> usize {
    if reference.is_empty() {
        return hypothesis.len();
    }
    let mut distance = EditDistance::new(hypothesis, reference);
    let mut shifted = Vec::with_capacity(hypothesis.len());
    let (mut shifts, mut tried) = (0, 0);
    while let Some(best) = best_shift(&mut distance, reference, &mut shifted, &mut tried) {
        // A shift found when the limit was reached is not made.
        if tried >= MAX_CANDIDATES || best.saved <= 0 {
            break;
        }
        best.apply(distance.hypothesis(), &mut shifted);
        distance.replace(&shifted);
        shifts += 1;
    }
    shifts + distance.distance() as usize
}

/// Moves `length` words from `start` to before the word that now is at `target`.
#[derive(Debug, Clone, Copy)]
struct Shift {
    /// Edits fewer than without the shift.
    saved: i64,
    length: usize,
    start: usize,
    target: usize,
}

impl Shift {
    /// The hypothesis after the shift, in `out`.
    fn apply(self, words: &[u32], out: &mut Vec<u32>) {
        let (start, end) = (self.start, self.start + self.length);
        // A target within the moved words, or right after them, moves them over as many of the following words as it
        // is after their start.
        let place = if self.target > end { self.target - self.length } else { self.target };
        let place = place.min(words.len() - self.length);
        out.clear();
        out.extend_from_slice(&words[..start]);
        out.extend_from_slice(&words[end..]);
        out.splice(place..place, words[start..end].iter().copied());
    }

    /// The order of shifts, most important first: it saves more, is longer, starts earlier, ends earlier.
    fn rank(self) -> impl Ord {
        (self.saved, self.length, std::cmp::Reverse((self.start, self.target)))
    }
}

/// The best of the shifts that look sensible, if there are any; counts in `tried` how many were tried.
fn best_shift(
    distance: &mut EditDistance<'_>,
    reference: &[u32],
    shifted: &mut Vec<u32>,
    tried: &mut usize,
) -> Option<Shift> {
    let words = distance.hypothesis().to_vec();
    let before = i64::from(distance.distance());
    let alignment = Alignment::new(&distance.trace());
    let mut best: Option<Shift> = None;
    for (start, match_start, length) in matching_spans(&words, reference) {
        if !alignment.allows(start, match_start, length) {
            continue;
        }
        let mut last = None;
        for target in alignment.targets(match_start, length) {
            if last.replace(target) == Some(target) {
                continue;
            }
            let mut shift = Shift { saved: 0, length, start, target };
            shift.apply(&words, shifted);
            shift.saved = before - i64::from(distance.distance_of(shifted));
            *tried += 1;
            if best.is_none_or(|best| shift.rank() > best.rank()) {
                best = Some(shift);
            }
        }
        if *tried >= MAX_CANDIDATES {
            break;
        }
    }
    best
}

/// All (start in `words`, start in `reference`, length) of equal sequences that a shift may bring together.
fn matching_spans(words: &[u32], reference: &[u32]) -> impl Iterator<Item = (usize, usize, usize)> {
    let spans_at = |start: usize, match_start: usize| {
        let pairs = words[start..].iter().zip(&reference[match_start..]);
        let longest = pairs.take(MAX_SHIFT_SIZE).take_while(|(a, b)| a == b).count();
        (1..=longest).map(move |length| (start, match_start, length))
    };
    (0..words.len()).flat_map(move |start| {
        let first = start.saturating_sub(MAX_SHIFT_DISTANCE);
        let end = reference.len().min(start + MAX_SHIFT_DISTANCE + 1);
        (first..end).flat_map(move |match_start| spans_at(start, match_start))
    })
}

/// Which words stand opposite each other, and which of them are wrong.
struct Alignment {
    /// By word of the reference: the number of hypothesis words up to and including the one aligned to it.
    places: Vec<usize>,
    hypothesis_wrong: Vec<bool>,
    reference_wrong: Vec<bool>,
}

impl Alignment {
    fn new(trace: &[Edit]) -> Self {
        let (mut places, mut hypothesis_wrong, mut reference_wrong) = (Vec::new(), Vec::new(), Vec::new());
        for &edit in trace {
            let wrong = edit != Edit::Keep;
            if edit != Edit::Insert {
                hypothesis_wrong.push(wrong);
            }
            if edit != Edit::Delete {
                reference_wrong.push(wrong);
                places.push(hypothesis_wrong.len());
            }
        }
        Self { places, hypothesis_wrong, reference_wrong }
    }

    /// Whether words at `start` should move towards their equals at `match_start` in the reference: only if one of them
    /// is wrong where it is, one of those has no equal yet, and they are not opposite each other already.
    fn allows(&self, start: usize, match_start: usize, length: usize) -> bool {
        let wrong = |flags: &[bool], from: usize| flags[from..from + length].contains(&true);
        wrong(&self.hypothesis_wrong, start)
            && wrong(&self.reference_wrong, match_start)
            && !(start + 1..start + 1 + length).contains(&self.places[match_start])
    }

    /// Where in the hypothesis the words may go: after what is aligned to the word before `match_start`, or to one of
    /// the matched words themselves.
    fn targets(&self, match_start: usize, length: usize) -> impl Iterator<Item = usize> {
        let before = match match_start.checked_sub(1) {
            Some(word) => self.places[word],
            None => 0,
        };
        std::iter::once(before).chain(self.places[match_start..match_start + length].iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words as numbers: a hash will do.
    fn words(line: &str) -> Vec<u32> {
        let number = |word: &str| word.bytes().fold(0u32, |hash, byte| hash.wrapping_mul(31) ^ u32::from(byte));
        line.split_whitespace().map(number).collect()
    }

    fn count(hypothesis: &str, reference: &str) -> usize {
        edits(&words(hypothesis), &words(reference))
    }

    #[test]
    fn a_shift_costs_one_edit_whatever_its_length() {
        assert_eq!(count("c d e a b", "a b c d e"), 1);
        // Snover et al., section 3: "this week" is shifted, one insertion, two substitutions.
        let hypothesis = "THIS WEEK THE SAUDIS denied information published in the new york times";
        let reference = "SAUDI ARABIA denied THIS WEEK information published in the AMERICAN new york times";
        assert_eq!(count(hypothesis, reference), 4);
    }

    #[test]
    fn words_move_to_either_side_and_within_their_own_place() {
        let shift = |start, length, target| {
            let mut out = Vec::new();
            Shift { saved: 0, length, start, target }.apply(&[0, 1, 2, 3, 4], &mut out);
            out
        };
        assert_eq!(shift(3, 2, 1), [0, 3, 4, 1, 2]);
        assert_eq!(shift(0, 2, 4), [2, 3, 0, 1, 4]);
        assert_eq!(shift(1, 2, 2), [0, 3, 1, 2, 4]);
        assert_eq!(shift(1, 2, 3), [0, 3, 4, 1, 2]);
        assert_eq!(shift(2, 3, 4), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn nothing_and_something() {
        assert_eq!(count("", ""), 0);
        assert_eq!(count("a b", ""), 2);
        assert_eq!(count("", "a b"), 2);
    }
}
