//! The words of a sentence and of its translation, and which translates which.

use crate::answer::Link;
use metaphrase_text::without_spaces;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// Words of one letter or short words may be equal by chance.
const ANCHOR: usize = 4;

/// The words of a text: runs of letters and digits, with marks inside them; each other character but blanks; each thing
/// to copy.
pub(crate) fn units(text: &str, kept: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut units: Vec<Range<usize>> = Vec::new();
    let mut kept: Vec<&Range<usize>> = kept.iter().collect();
    kept.sort_by_key(|kept| kept.start);
    let mut kept = kept.into_iter().peekable();
    let mut skip = 0;
    for (at, c) in text.char_indices() {
        if at < skip {
            continue;
        }
        while kept.next_if(|kept| kept.end <= at).is_some() {}
        if let Some(kept) = kept.next_if(|kept| kept.start <= at) {
            units.push(kept.clone());
            skip = kept.end;
            continue;
        }
        let end = at + c.len_utf8();
        let touches = units.last().is_some_and(|unit| unit.end == at && at > skip);
        if touches && joins(text, at, c) {
            units.last_mut().into_iter().for_each(|unit| unit.end = end);
        } else if !c.is_whitespace() {
            units.push(at..end);
        }
    }
    units
}

/// Whether the character at `at` belongs to the word before it.
fn joins(text: &str, at: usize, c: char) -> bool {
    let inside =
        |c: char| (c.is_alphanumeric() && !without_spaces(c)) || c == '_' || ('\u{300}'..='\u{36f}').contains(&c);
    let mark = |c: char| matches!(c, '.' | ':' | '\u{ad}');
    let before = text[..at].chars().next_back();
    let after = text[at + c.len_utf8()..].chars().next();
    let word = |c: Option<char>| c.is_some_and(inside);
    if inside(c) {
        word(before) || before.is_some_and(mark) && word(text[..at].chars().rev().nth(1))
    } else {
        mark(c) && word(before) && word(after)
    }
}

/// Which words of a sentence its translation's words translate.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// Words of the source.
    pub(crate) source: Vec<Range<usize>>,
    /// Words of the translation.
    pub(crate) target: Vec<Range<usize>>,
    /// By word of the translation: words of the source with weights, which sum to one; by rising word.
    pub(crate) links: Vec<Vec<(usize, f32)>>,
}

impl Words {
    /// Words from the links of their pieces. Things to copy belong to each other, and so do equal words and punctuation
    /// that both sides have equally often. `cuts`: bytes of the source where markup stands, in order; no word of the
    /// source goes over one of them.
    pub(crate) fn new(
        source: (&str, &[Range<usize>]),
        target: (&str, &[Range<usize>]),
        links: &[Link],
        cuts: &[usize],
    ) -> Self {
        let [source_units, target_units] = [source, target].map(|(text, kept)| units(text, kept));
        let mut sums: Vec<BTreeMap<usize, f32>> = vec![BTreeMap::new(); target_units.len()];
        for link in links {
            let (from, to) = (unit_of(&source_units, &link.source), unit_of(&target_units, &link.target));
            if let (Some(from), Some(to)) = (from, to) {
                *sums[to].entry(from).or_default() += link.weight;
            }
        }
        let mut words = Self { source: source_units, target: target_units, links: Vec::new() };
        let (rows, columns) = (words.target.len(), words.source.len());
        let sorted = |(row, sum): (usize, BTreeMap<usize, f32>)| {
            let total: f32 = sum.values().sum();
            let mut links: Vec<(usize, f32)> =
                sum.into_iter().filter(|_| total > 0.0).map(|(unit, weight)| (unit, weight / total)).collect();
            if links.is_empty() && columns > 0 {
                // Only the place in the sentence is known.
                links.push((row * columns / rows, 1.0));
            }
            links
        };
        words.links = sums.into_iter().enumerate().map(sorted).collect();
        words.anchor(source, target);
        words.tie_pronouns(source.0, target.0);
        words.divide(source.0, source.1, target.0, cuts);
        words
    }

    /// Divides words of the source at the cuts, and translations that are the same word at the same places.
    fn divide(&mut self, source: &str, kept: &[Range<usize>], target: &str, cuts: &[usize]) {
        let pieces = |unit: &Range<usize>| -> Vec<Range<usize>> {
            let inside = cuts.partition_point(|&cut| cut <= unit.start)..cuts.partition_point(|&cut| cut < unit.end);
            let inside = if inside.is_empty() || kept.contains(unit) { &[] } else { &cuts[inside] };
            let starts = std::iter::once(&unit.start).chain(inside);
            starts.zip(inside.iter().chain([&unit.end])).map(|(&start, &end)| start..end).collect()
        };
        let parts: Vec<Vec<Range<usize>>> = self.source.iter().map(pieces).collect();
        if parts.iter().all(|parts| parts.len() == 1) {
            return;
        }
        let firsts: Vec<usize> =
            parts.iter().scan(0, |next, parts| Some(std::mem::replace(next, *next + parts.len()))).collect();
        let (mut words, mut all) = (Vec::new(), Vec::new());
        for (number, (unit, links)) in self.target.iter().zip(&self.links).enumerate() {
            let same = links.iter().map(|link| link.0).find(|&from| {
                source[self.source[from].clone()] == target[unit.clone()] && self.translation_of(from) == Some(number)
            });
            if let Some(from) = same {
                let start = self.source[from].start;
                words.extend(
                    parts[from].iter().map(|part| unit.start + part.start - start..unit.start + part.end - start),
                );
                all.extend((firsts[from]..).take(parts[from].len()).map(|part| vec![(part, 1.0)]));
            } else {
                let share = |&(from, weight): &(usize, f32)| {
                    let length = self.source[from].len() as f32;
                    let of = move |part: &Range<usize>| weight * part.len() as f32 / length;
                    (firsts[from]..).zip(parts[from].iter().map(of)).collect::<Vec<_>>()
                };
                words.push(unit.clone());
                all.push(links.iter().flat_map(share).collect());
            }
        }
        *self = Self { source: parts.concat(), target: words, links: all };
    }

    fn anchor(&mut self, source: (&str, &[Range<usize>]), target: (&str, &[Range<usize>])) {
        for (from, to) in source.1.iter().zip(target.1) {
            self.tie(self.source.iter().position(|unit| unit == from), self.target.iter().position(|unit| unit == to));
        }
        let mut places: HashMap<&str, [Vec<usize>; 2]> = HashMap::new();
        for (side, units, text) in [(0, &self.source, source.0), (1, &self.target, target.0)] {
            for (number, unit) in units.iter().enumerate() {
                places.entry(&text[unit.clone()]).or_default()[side].push(number);
            }
        }
        let telling = |word: &str| {
            let plain = word.chars().all(char::is_lowercase);
            let punctuation = !word.contains(char::is_alphanumeric);
            punctuation
                || word.chars().count() >= ANCHOR
                || (!plain && word.chars().count() > 1)
                || word.contains(char::is_numeric)
        };
        let equal = places.into_iter().filter(|(word, [source, target])| source.len() == target.len() && telling(word));
        let pairs: Vec<(usize, usize)> =
            equal.flat_map(|(_, [source, target])| source.into_iter().zip(target)).collect();
        for (from, to) in pairs {
            self.tie(Some(from), Some(to));
        }
    }

    /// Requests have a pronoun in German that they lack in other languages, `Lesen Sie`: it belongs to its verb,
    /// although the model looks at the words after it.
    fn tie_pronouns(&mut self, source: &str, target: &str) {
        const PERSONS: &[&str] = &["you", "your", "yours", "yourself", "they", "them", "their", "she", "her"];
        let is_person = |unit: &Range<usize>| PERSONS.contains(&source[unit.clone()].to_lowercase().as_str());
        let pronouns = (1..self.target.len()).filter(|&unit| &target[self.target[unit].clone()] == "Sie");
        let requests: Vec<usize> =
            pronouns.filter(|unit| target[self.target[unit - 1].clone()].ends_with(['n', 'N'])).collect();
        if !requests.is_empty() && !self.source.iter().any(is_person) {
            for pronoun in requests {
                self.links[pronoun] = self.links[pronoun - 1].clone();
            }
        }
    }

    fn tie(&mut self, source: Option<usize>, target: Option<usize>) {
        if let (Some(source), Some(target)) = (source, target) {
            self.links[target] = vec![(source, 1.0)];
        }
    }

    /// The word of the translation that belongs to a word of the source the most; by its place if the word has no link.
    pub(crate) fn translation_of(&self, source: usize) -> Option<usize> {
        let weight = |links: &Vec<(usize, f32)>| links.iter().find(|link| link.0 == source).map_or(0.0, |link| link.1);
        let best = self
            .links
            .iter()
            .map(weight)
            .enumerate()
            .fold((None, 0.0), |best, (unit, weight)| if weight > best.1 { (Some(unit), weight) } else { best });
        let by_place = || source * self.target.len() / self.source.len().max(1);
        let last = self.target.len().checked_sub(1)?;
        Some(best.0.unwrap_or_else(by_place).min(last))
    }
}

/// The unit that a piece belongs to: the unit with the largest part of it.
fn unit_of(units: &[Range<usize>], piece: &Range<usize>) -> Option<usize> {
    let first = units.partition_point(|unit| unit.end <= piece.start);
    let overlaps = units[first..].iter().take_while(|unit| unit.start < piece.end.max(piece.start + 1));
    let overlap = |unit: &Range<usize>| piece.end.min(unit.end).saturating_sub(unit.start.max(piece.start));
    overlaps
        .enumerate()
        .max_by_key(|(number, unit)| (overlap(unit), usize::MAX - number))
        .map(|(number, _)| first + number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        units(text, &[]).into_iter().map(|unit| &text[unit]).collect()
    }

    #[test]
    fn words_are_told_apart() {
        assert_eq!(
            words("Don't use php.ini, E_ALL (or mb-x)."),
            ["Don", "'", "t", "use", "php.ini", ",", "E_ALL", "(", "or", "mb", "-", "x", ")", "."]
        );
        assert_eq!(words("我用iPhone。"), ["我", "用", "iPhone", "。"]);
        let kept = [2..5, 6..7];
        assert_eq!(units("a {b} cd", &kept), [0..1, 2..5, 6..7, 7..8]);
    }

    #[test]
    fn equal_words_belong_to_each_other() {
        let source = "the function array_map of Berlin.";
        let target = "array_map in Berlin ist die Funktion.";
        let words = Words::new((source, &[]), (target, &[]), &[], &[]);
        assert_eq!(words.links[0], [(2, 1.0)]);
        assert_eq!(words.links[2], [(4, 1.0)]);
        assert_eq!(words.links[6], [(5, 1.0)]);
        assert_eq!(words.translation_of(2), Some(0));
    }

    #[test]
    fn words_are_divided_where_markup_stands() {
        let words = |target: &str| Words::new(("two ints", &[]), (target, &[]), &[], &[4, 7]);
        let equal = words("zwei ints");
        assert_eq!((equal.source, equal.target), (vec![0..3, 4..7, 7..8], vec![0..4, 5..8, 8..9]));
        assert_eq!(equal.links[1..], [[(1, 1.0)], [(2, 1.0)]]);
        let other = words("zwei Zahlen");
        assert_eq!(other.target, [0..4, 5..11]);
        assert_eq!(other.links[1], [(1, 0.75), (2, 0.25)]);
    }
}
