//! Where the markup of a paragraph goes in its translation.
//!
//! Each element is written once. It gets the words of the translation that belong to its words more than to others: the
//! maximum-sum run of words, with 0.5 subtracted from each weight (Kadane). The run lies inside the words of the
//! element around it and apart from those of its neighbours. So the elements are nested in any case.

mod markers;

use crate::block::{Block, Element};
use crate::initials;
use crate::units::Words;
use std::ops::Range;

/// The translation of a paragraph, in one text.
#[derive(Debug, Default)]
pub(crate) struct ParagraphText {
    pub(crate) text: String,
    /// By sentence: its bytes in the text.
    pub(crate) sentences: Vec<Range<usize>>,
    /// By sentence: its words. Ranges count from the start of the sentence.
    pub(crate) words: Vec<Words>,
}

/// The place of an element in a translation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ElementPlace {
    /// Bytes of the translation.
    pub(crate) range: Range<usize>,
    /// Whether white space stands before a marker in the source, and after it.
    pub(crate) blank_before: bool,
    pub(crate) blank_after: bool,
    /// Whether a marker touches no word of the source before it, and none after it.
    pub(crate) apart_before: bool,
    pub(crate) apart_after: bool,
}

/// The words of a whole paragraph.
struct Grid<'a> {
    block: &'a Block,
    joined: &'a ParagraphText,
    /// By word of the source: its bytes in the paragraph.
    source: Vec<Range<usize>>,
    /// By word of the translation: its bytes, the number of its sentence, and its number there.
    target: Vec<(Range<usize>, usize, usize)>,
    /// By sentence: its first words in source and translation; one more at the end.
    firsts: Vec<(usize, usize)>,
}

/// The places of all elements of a paragraph.
pub(crate) fn place(block: &Block, joined: &ParagraphText) -> Vec<ElementPlace> {
    let grid = Grid::new(block, joined);
    let mut placed = vec![ElementPlace::default(); block.elements.len()];
    if block.elements.is_empty() {
        return placed;
    }
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); block.elements.len() + 1];
    for (number, element) in block.elements.iter().enumerate() {
        children[element.parent.map_or(0, |parent| parent + 1)].push(number);
    }
    let text = 0..block.text.len();
    let (source, target) = (0..grid.source.len(), 0..grid.target.len());
    let all = ElementContent { text, source, target, bytes: 0..joined.text.len() };
    let mut waiting = vec![(0, all)];
    while let Some((parent, inside)) = waiting.pop() {
        let found = grid.children(&children[parent], &inside, &mut placed);
        waiting.extend(found.into_iter().map(|(child, inside)| (child + 1, inside)));
    }
    placed
}

/// The content of an element: text and words of the source, words and bytes of the translation.
#[derive(Debug, Clone)]
struct ElementContent {
    text: Range<usize>,
    source: Range<usize>,
    target: Range<usize>,
    bytes: Range<usize>,
}

/// A sum of weights below which no word of the translation belongs to an element.
const UNKNOWN: f32 = -0.45;

impl<'a> Grid<'a> {
    fn new(block: &'a Block, joined: &'a ParagraphText) -> Self {
        let mut grid = Self { block, joined, source: Vec::new(), target: Vec::new(), firsts: Vec::new() };
        for (number, words) in joined.words.iter().enumerate() {
            grid.firsts.push((grid.source.len(), grid.target.len()));
            let (from, to) = (block.sentences[number].range.start, joined.sentences[number].start);
            grid.source.extend(words.source.iter().map(|word| from + word.start..from + word.end));
            let target = words.target.iter().enumerate();
            grid.target.extend(target.map(|(unit, word)| (to + word.start..to + word.end, number, unit)));
        }
        grid.firsts.push((grid.source.len(), grid.target.len()));
        grid
    }

    /// Places the children of an element. Returns those that may have children, with their content.
    fn children(
        &self,
        children: &[usize],
        inside: &ElementContent,
        placed: &mut [ElementPlace],
    ) -> Vec<(usize, ElementContent)> {
        let initial = self.initial(children, inside);
        let mut around: Vec<(usize, Range<usize>, Range<usize>, f32)> = Vec::new();
        let mut found: Vec<(usize, ElementContent)> = Vec::new();
        let mut markers = Vec::new();
        for &child in children.iter().filter(|&&child| initial.as_ref().is_none_or(|(initial, _)| *initial != child)) {
            let (words, text) = (self.words_of(child), self.block.elements[child].text.clone());
            if words.is_empty() {
                markers.push(child);
            } else if words == inside.source {
                // White space at the ends belongs to an element that has it in the source.
                let all = text == inside.text;
                let bytes = if all { inside.bytes.clone() } else { self.bytes_of(&text, &inside.target, inside) };
                found.push((child, ElementContent { text, source: words, target: inside.target.clone(), bytes }));
            } else {
                let range = self.hull(&words, &inside.target);
                let sum = self.best(&words, std::slice::from_ref(&range)).1;
                around.push((child, words, range, sum));
            }
        }
        // The surest first; among equals the first.
        around.sort_by(|a, b| b.3.total_cmp(&a.3).then(a.0.cmp(&b.0)));
        let with_words = found.iter().map(|(_, inside)| inside).filter(|inside| !inside.target.is_empty());
        let mut taken: Vec<Range<usize>> = with_words.clone().map(|inside| inside.target.clone()).collect();
        let mut places: Vec<Range<usize>> = with_words.map(|inside| inside.bytes.clone()).collect();
        for (child, words, range, _) in around {
            let target = self.run(&words, &range, &taken, inside);
            if target.is_empty() || (self.is_raised_part(child) && !self.is_part(target.start)) {
                markers.push(child);
                continue;
            }
            let text = self.block.elements[child].text.clone();
            let at = taken.partition_point(|taken| taken.start < target.start);
            let mut bytes = self.bytes_of(&text, &target, inside);
            // White space between two neighbours belongs to the surer one.
            bytes.start = at.checked_sub(1).map_or(bytes.start, |before| bytes.start.max(places[before].end));
            bytes.end = places.get(at).map_or(bytes.end, |next| bytes.end.min(next.start));
            taken.insert(at, target.clone());
            places.insert(at, bytes.clone());
            found.push((child, ElementContent { text, source: words, target, bytes }));
        }
        if initial.is_none() {
            self.cover(inside, &mut found);
        }
        if let Some(initial) = initial {
            make_room(&initial.1, &mut found);
            found.push(initial);
        }
        found.iter().for_each(|(child, inside)| placed[*child].range = inside.bytes.clone());
        for marker in markers {
            found.push((marker, self.put_marker(marker, inside, placed, &mut places)));
        }
        found
    }

    /// Where elements of one kind have all words of the source, they have all words of the translation: one without an
    /// element joins the element before it, or else the first one.
    fn cover(&self, inside: &ElementContent, found: &mut [(usize, ElementContent)]) {
        let open = |&(child, _): &(usize, ElementContent)| &self.block.elements[child].open;
        let are_alike = found.windows(2).all(|pair| open(&pair[0]) == open(&pair[1]));
        let words: usize = found.iter().map(|(_, content)| content.source.len()).sum();
        if found.len() < 2 || !are_alike || words < inside.source.len() {
            return;
        }
        found.sort_by_key(|(_, content)| content.target.start);
        let starts: Vec<usize> = found.iter().skip(1).map(|(_, content)| content.target.start).collect();
        for (place, (_, content)) in found.iter_mut().enumerate() {
            let next = starts.get(place).copied().unwrap_or(inside.target.end);
            let first = if place == 0 { inside.target.start } else { content.target.start };
            if first < content.target.start {
                content.bytes.start = self.target[first].0.start;
            }
            if content.target.end < next {
                content.bytes.end = content.bytes.end.max(self.target[next - 1].0.end);
            }
            content.target = first..next.max(content.target.end);
        }
    }

    /// The child that is a drop capital.
    fn initial(&self, children: &[usize], inside: &ElementContent) -> Option<(usize, ElementContent)> {
        children.iter().find_map(|&child| {
            let bytes = initials::initial(self.block, child, &self.joined.text, (&inside.text, &inside.bytes))?;
            let text = self.block.elements[child].text.clone();
            let target = inside.target.start..inside.target.start;
            Some((child, ElementContent { text, source: self.words_of(child), target, bytes }))
        })
    }

    /// The run of words of the translation that an element with these words gets, of the words in a range that are not
    /// taken.
    fn run(
        &self,
        words: &Range<usize>,
        range: &Range<usize>,
        taken: &[Range<usize>],
        inside: &ElementContent,
    ) -> Range<usize> {
        let free = without(range, taken);
        let free = if free.is_empty() { without(&near(range, &inside.target), taken) } else { free };
        let (target, sum) = self.best(words, &free);
        if sum < UNKNOWN { self.nearest(words, &free, inside) } else { target }
    }

    /// Whether an element raises or lowers the end of a word, as in `2<sup>nd</sup>`.
    fn is_raised_part(&self, element: usize) -> bool {
        let Element { text, open, .. } = &self.block.elements[element];
        let moves = ["<sup", "<sub", "superscript", "subscript", "baseline=\""].iter().any(|form| open.contains(form))
            || open == "^";
        let [before, inside] = [&self.block.text[..text.start], &self.block.text[text.clone()]];
        moves && before.ends_with(char::is_alphanumeric) && inside.starts_with(char::is_alphanumeric)
    }

    /// Whether a word of the translation is the later part of a word that is divided.
    fn is_part(&self, target: usize) -> bool {
        let word = &self.target[target].0;
        let before = target.checked_sub(1).map(|before| &self.target[before].0);
        before.is_some_and(|before| before.end == word.start)
            && self.joined.text[..word.start].ends_with(char::is_alphanumeric)
            && self.joined.text[word.clone()].starts_with(char::is_alphanumeric)
    }

    /// Words of the source that an element has, or a part of them.
    fn words_of(&self, element: usize) -> Range<usize> {
        let text = &self.block.elements[element].text;
        let first = self.source.partition_point(|word| word.end <= text.start);
        let last = self.source.partition_point(|word| word.start < text.end);
        first..last.max(first)
    }

    /// The words of the translations of the sentences that these words stand in.
    fn hull(&self, words: &Range<usize>, within: &Range<usize>) -> Range<usize> {
        let sentence = |word: usize| self.firsts.partition_point(|first| first.0 <= word).saturating_sub(1);
        let first = self.firsts[sentence(words.start)].1.max(within.start);
        let end = (sentence(words.end.saturating_sub(1)) + 1).min(self.firsts.len() - 1);
        let last = self.firsts[end].1.min(within.end);
        first..last.max(first)
    }

    /// How much a word of the translation belongs to these words of the source.
    fn weight(&self, target: usize, words: &Range<usize>) -> f32 {
        let (_, sentence, unit) = self.target[target];
        let first = self.firsts[sentence].0;
        let links = &self.joined.words[sentence].links[unit];
        links.iter().filter(|(source, _)| words.contains(&(first + source))).map(|link| link.1).sum()
    }

    /// The best run of words in the free ranges, and its sum: one word at least, if there is any.
    fn best(&self, words: &Range<usize>, free: &[Range<usize>]) -> (Range<usize>, f32) {
        let mut best = (0..0, f32::NEG_INFINITY);
        for range in free {
            let (mut start, mut sum) = (range.start, 0.0);
            for target in range.clone() {
                if sum <= 0.0 {
                    (start, sum) = (target, 0.0);
                }
                sum += self.weight(target, words) - 0.5;
                if sum > best.1 {
                    best = (start..target + 1, sum);
                }
            }
        }
        best
    }

    /// The bytes of a run of words of an element that has this text. White space at an end is inside if it is in the
    /// source, where the white space is the same.
    fn bytes_of(&self, text: &Range<usize>, target: &Range<usize>, inside: &ElementContent) -> Range<usize> {
        let (Some(first), Some(last)) =
            (self.target.get(target.start), target.end.checked_sub(1).map(|last| &self.target[last]))
        else {
            return inside.bytes.start..inside.bytes.start;
        };
        let start = self.same(text.start, target.start, inside).unwrap_or(first.0.start);
        let end = self.same(text.end, target.end, inside).unwrap_or(last.0.end);
        let start = start.clamp(inside.bytes.start, first.0.start);
        start..end.clamp(last.0.end, inside.bytes.end.max(last.0.end))
    }

    /// The byte of the translation, before the word `next`, for a byte of the source, if the text between the words
    /// there is the same.
    fn same(&self, at: usize, next: usize, inside: &ElementContent) -> Option<usize> {
        let word = self.source.partition_point(|word| word.start < at);
        let first = if word > inside.source.start { self.source[word - 1].end } else { inside.text.start };
        let end = if word < inside.source.end { self.source[word].start } else { inside.text.end };
        let source = self.block.text.get(first..end)?;
        let first_here = if next > inside.target.start { self.target[next - 1].0.end } else { inside.bytes.start };
        let end_here = if next < inside.target.end { self.target[next].0.start } else { inside.bytes.end };
        let target = self.joined.text.get(first_here..end_here)?;
        (source == target && first <= at).then(|| first_here + (at - first))
    }

    /// The word of the translation, among those of all sentences, for a word of the source.
    fn translated(&self, word: usize) -> Option<usize> {
        let sentence = self.firsts.partition_point(|first| first.0 <= word).checked_sub(1)?;
        let (first, first_here) = *self.firsts.get(sentence)?;
        Some(first_here + self.joined.words.get(sentence)?.translation_of(word.checked_sub(first)?)?)
    }

    /// The free word that is nearest to the place after the translation of the word before these words.
    fn nearest(&self, words: &Range<usize>, free: &[Range<usize>], inside: &ElementContent) -> Range<usize> {
        let before = words.start.checked_sub(1).filter(|&before| before >= inside.source.start);
        let at = before.and_then(|before| self.translated(before)).map_or(inside.target.start, |before| before + 1);
        let distance = |&word: &usize| {
            let is_word = self.joined.text[self.target[word].0.clone()].contains(char::is_alphanumeric);
            (!is_word, word.abs_diff(at))
        };
        free.iter().cloned().flatten().min_by_key(distance).map_or(0..0, |word| word..word + 1)
    }
}

/// The siblings of a drop capital begin after it.
fn make_room(initial: &ElementContent, siblings: &mut [(usize, ElementContent)]) {
    for (_, sibling) in siblings.iter_mut().filter(|(_, sibling)| sibling.bytes.end > initial.bytes.start) {
        sibling.bytes.start = sibling.bytes.start.max(initial.bytes.end);
        sibling.bytes.end = sibling.bytes.end.max(sibling.bytes.start);
    }
}

/// The words around a range in which an element looks for a place when the range has none left. A paragraph with more
/// elements than words would take the square of its length otherwise.
fn near(range: &Range<usize>, within: &Range<usize>) -> Range<usize> {
    const WORDS: usize = 1000;
    range.start.saturating_sub(WORDS).max(within.start)..range.end.saturating_add(WORDS).min(within.end)
}

/// A range without others, which are in order and apart.
fn without(range: &Range<usize>, taken: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut free = Vec::new();
    let mut start = range.start;
    let first = taken.partition_point(|other| other.end <= range.start);
    for other in taken[first..].iter().take_while(|other| other.start < range.end) {
        if other.start > start {
            free.push(start..other.start);
        }
        start = start.max(other.end);
    }
    if start < range.end {
        free.push(start..range.end);
    }
    free
}
