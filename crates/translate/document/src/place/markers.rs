//! The places of elements without words, and the white space next to them.

use super::{ElementContent, ElementPlace, Grid};
use crate::block::Element;
use crate::markup::is_picture;
use std::ops::Range;

/// Whether a character ends a sentence.
fn is_final_mark(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？')
}

impl Grid<'_> {
    /// Puts an element without words of its own among its neighbours, whose `places` are in order.
    pub(super) fn put_marker(
        &self,
        marker: usize,
        inside: &ElementContent,
        placed: &mut [ElementPlace],
        places: &mut Vec<Range<usize>>,
    ) -> ElementContent {
        placed[marker] = self.marker(marker, inside, places);
        let bytes = placed[marker].range.clone();
        if !bytes.is_empty() {
            places.insert(places.partition_point(|other| other.start < bytes.start), bytes.clone());
        }
        let target = self.target.partition_point(|word| word.0.start < bytes.start);
        let text = self.block.elements[marker].text.clone();
        ElementContent { text, source: self.words_of(marker), target: target..target, bytes }
    }

    /// The byte of the translation for a byte outside the sentences, if the text between the sentences there is the
    /// same.
    fn outside(&self, at: usize) -> Option<usize> {
        let sentences = &self.block.sentences;
        let next = sentences.partition_point(|sentence| sentence.range.end <= at);
        if sentences.get(next).is_some_and(|sentence| sentence.range.start < at) {
            return None;
        }
        let first = next.checked_sub(1).map_or(0, |before| sentences[before].range.end);
        let end = sentences.get(next).map_or(self.block.text.len(), |sentence| sentence.range.start);
        let first_here = next.checked_sub(1).map_or(0, |before| self.joined.sentences[before].end);
        let end_here = self.joined.sentences.get(next).map_or(self.joined.text.len(), |sentence| sentence.start);
        let same = self.block.text.get(first..end)? == self.joined.text.get(first_here..end_here)?;
        same.then(|| first_here + (at - first))
    }

    /// The byte of the translation for a byte between two words of the source whose translations are neighbours,
    /// too.
    fn between(&self, at: usize, inside: &ElementContent) -> Option<usize> {
        if let Some(place) = self.outside(at).filter(|place| (inside.bytes.start..=inside.bytes.end).contains(place)) {
            return Some(place);
        }
        let word = self.source.partition_point(|word| word.start < at);
        let before = (word > inside.source.start).then(|| self.translated(word - 1));
        let next = if word < inside.source.end { self.translated(word)? } else { inside.target.end };
        let follows =
            before.map_or(next == inside.target.start, |before| before.is_some_and(|before| before + 1 == next));
        if follows { self.same(at, next, inside) } else { None }
    }

    /// The place of an element without words.
    fn marker(&self, element: usize, inside: &ElementContent, taken: &[Range<usize>]) -> ElementPlace {
        let text = &self.block.elements[element].text;
        if let (false, Some(start), Some(end)) =
            (text.is_empty(), self.between(text.start, inside), self.between(text.end, inside))
        {
            // White space that the translation has, too.
            let next = taken.partition_point(|taken| taken.end <= start);
            if start < end && taken.get(next).is_none_or(|next| end <= next.start) {
                return ElementPlace { range: start..end, ..ElementPlace::default() };
            }
        }
        let place = self.before_final_mark(element).unwrap_or_else(|| self.point(text.start, inside));
        let place = place.clamp(inside.bytes.start, inside.bytes.end);
        // Not inside a neighbour: at its nearer end.
        let at = taken.partition_point(|taken| taken.end <= place);
        let neighbour = taken.get(at).filter(|taken| taken.start < place);
        let place = neighbour
            .map_or(place, |taken| if place - taken.start < taken.end - place { taken.start } else { taken.end });
        let place = self.outside_compound(place).clamp(inside.bytes.start, inside.bytes.end);
        ElementPlace { range: place..place, ..self.surroundings(element, inside) }
    }

    /// The byte before the last mark of a sentence, for a picture that stands there in the source, after a blank.
    fn before_final_mark(&self, element: usize) -> Option<usize> {
        let Element { text, open, .. } = &self.block.elements[element];
        let is_apart = open.starts_with(' ') || self.block.text[..text.start].ends_with(' ');
        if !(is_apart && is_picture(open)) {
            return None;
        }
        let sentences = &self.block.sentences;
        let sentence = sentences.partition_point(|sentence| sentence.range.end <= text.start);
        let range = &sentences.get(sentence)?.range;
        let rest = self.block.text.get(text.start..range.end)?.trim();
        let translation = self.joined.sentences.get(sentence)?;
        let before = self.joined.text[translation.clone()].trim_end_matches(is_final_mark);
        let ends = |text: &str| !text.is_empty() && text.chars().all(is_final_mark);
        (ends(rest) && before.len() < translation.len()).then(|| translation.start + before.len())
    }

    /// A byte of the translation, or the end of the word with hyphens that it is inside of.
    fn outside_compound(&self, place: usize) -> usize {
        let (before, after) = self.joined.text.split_at(place);
        let is_hyphen = |c: char| matches!(c, '-' | '\u{2010}' | '\u{2011}');
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let begins = is_word(before.trim_end_matches(is_hyphen).chars().next_back());
        let goes_on = is_word(after.trim_start_matches(is_hyphen).chars().next());
        let touches_hyphen = before.ends_with(is_hyphen) || after.starts_with(is_hyphen);
        if !(begins && goes_on && touches_hyphen) {
            return place;
        }
        place + after.find(|c: char| !c.is_alphanumeric() && !is_hyphen(c)).unwrap_or(after.len())
    }

    /// What stands next to a marker in the source, without its place. White space between two markers is not that next
    /// to the text.
    fn surroundings(&self, marker: usize, inside: &ElementContent) -> ElementPlace {
        let elements = &self.block.elements;
        let Element { text, divides, .. } = &elements[marker];
        let (first, last) = (inside.text.start.min(text.start), inside.text.end.max(text.end));
        let before = self.block.text[first..text.start].chars().next_back();
        let after = self.block.text[text.end..last].chars().next();
        let follows = marker.checked_sub(1).is_some_and(|before| elements[before].text == (text.start..text.start));
        let is_inner = |other: &&Element| other.parent.is_some_and(|parent| parent >= marker);
        let mut here = elements[marker + 1..].iter().skip_while(is_inner);
        let precedes =
            here.by_ref().take_while(|other| other.text.start == text.end).any(|other| other.text.is_empty());
        let is_apart = |c: Option<char>| c.is_some_and(|c| !c.is_alphanumeric());
        let is_blank = |c: Option<char>| c.is_some_and(char::is_whitespace);
        ElementPlace {
            range: 0..0,
            blank_before: is_blank(before) && !follows,
            blank_after: is_blank(after) && !divides && !precedes,
            apart_before: is_apart(before) && !follows,
            apart_after: is_apart(after) && !divides && !precedes,
        }
    }

    /// The byte of the translation for a byte of the source.
    fn point(&self, at: usize, inside: &ElementContent) -> usize {
        if let Some(place) = self.between(at, inside) {
            return place;
        }
        let next = self.source.partition_point(|word| word.start < at);
        let before = next.checked_sub(1);
        // The markup around begins or ends here.
        if before.is_none_or(|before| before < inside.source.start) && !inside.source.is_empty() {
            return inside.bytes.start;
        }
        if next >= inside.source.end && !inside.source.is_empty() {
            return inside.bytes.end;
        }
        let sentences = &self.block.sentences;
        let sentence = sentences.partition_point(|sentence| sentence.range.end < at);
        match sentences.get(sentence) {
            Some(found) if found.range.start < at && at < found.range.end => {}
            // In the white space between sentences.
            found => {
                let gap = self.joined.sentences.get(sentence).map_or(self.joined.text.len(), |range| range.start);
                let distance = found.map_or(self.block.text.len(), |found| found.range.start).saturating_sub(at);
                let least = sentence.checked_sub(1).map_or(0, |before| self.joined.sentences[before].end);
                let place = if found.is_some_and(|found| found.range.end == at) {
                    self.joined.sentences[sentence].end
                } else {
                    gap.saturating_sub(distance).max(least)
                };
                return self.joined.text.floor_char_boundary(place);
            }
        }
        let translated = |word: usize| self.target.get(self.translated(word)?).map(|word| &word.0);
        let touches_before = before.is_some_and(|before| self.source[before].end >= at);
        let behind = || before.and_then(translated).map(|word| word.end);
        // Between two blanks of the translation there is room already.
        let ahead = || {
            let start = translated(next)?.start;
            let room = self.joined.text[..start].ends_with("  ");
            Some(start - usize::from(room))
        };
        let found = if touches_before { behind().or_else(ahead) } else { ahead().or_else(behind) };
        found.unwrap_or(inside.bytes.end)
    }
}
