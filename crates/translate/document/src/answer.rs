//! The translation of a sentence, with its things to copy in their places.

use crate::block::Sentence;
use crate::wrapped::divide_like;
use metaphrase_text::without_spaces;
use std::ops::Range;

/// The translation of a sentence.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// Its text.
    pub text: String,
    /// By thing to copy: the bytes of the text where it stands; `None` if the text lacks it.
    pub kept: Vec<Option<Range<usize>>>,
    /// Which words translate which, in any order.
    pub links: Vec<Link>,
}

/// A word of a translation, or a piece of a word, and a word that it may translate.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Bytes of the source sentence.
    pub source: Range<usize>,
    /// Bytes of the translation.
    pub target: Range<usize>,
    /// How much the one belongs to the other, from 0 to 1.
    pub weight: f32,
}

/// A translation that has each thing to copy.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RestoredTranslation {
    pub(crate) text: String,
    /// By thing to copy: its bytes in the text.
    pub(crate) kept: Vec<Range<usize>>,
    pub(crate) links: Vec<Link>,
    /// How many things the translation lacked.
    pub(crate) inserted: usize,
}

/// The sentence as its own translation.
pub(crate) fn unchanged(sentence: &Sentence, source: &str) -> RestoredTranslation {
    let kept: Vec<Range<usize>> = sentence.kept.iter().map(|kept| kept.range.clone()).collect();
    let link = |(at, word): (usize, &str)| {
        let range = at..at + word.len();
        Link { source: range.clone(), target: range, weight: 1.0 }
    };
    let words = source.split_inclusive(char::is_whitespace).scan(0, |start, word| {
        let at = *start;
        *start += word.len();
        Some((at, word.trim_end()))
    });
    let links = words.filter(|(_, word)| !word.is_empty()).map(link).collect();
    RestoredTranslation { text: source.to_owned(), kept, links, inserted: 0 }
}

/// Puts the things to copy that an answer lacks into it, writes the others as they are in the source, and closes gaps
/// next to them that the source lacks.
pub(crate) fn restore(sentence: &Sentence, source: &str, answer: &Answer) -> RestoredTranslation {
    // Vocabularies write one sign for the other, which has as many bytes.
    let dots = source.contains('…') && !source.contains("...") && answer.text.contains("...");
    let dotted = dots.then(|| Answer { text: answer.text.replace("...", "…"), ..answer.clone() });
    let answer = dotted.as_ref().unwrap_or(answer);
    let mut edits = Vec::new();
    let mut places: Vec<Option<Range<usize>>> = Vec::new();
    for (number, kept) in sentence.kept.iter().enumerate() {
        let place = answer.kept.get(number).cloned().flatten();
        let free = |place: &Range<usize>| {
            let apart = |other: &Range<usize>| other.end <= place.start || place.end <= other.start;
            answer.text.get(place.clone()).is_some() && places.iter().flatten().all(apart)
        };
        let place = place.filter(free);
        let shown = &source[kept.range.clone()];
        match &place {
            Some(place) => edits.push(replacement(source, &kept.range, &answer.text, place, shown, number)),
            None => edits.push(insertion(source, &kept.range, answer, shown, number)),
        }
        places.push(place);
    }
    edits.extend(leftovers(sentence, source, &answer.text, &places));
    let inserted = places.iter().filter(|place| place.is_none()).count();
    // Things at one place keep the order of the source.
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end, edit.number));
    let mut restored = apply(&answer.text, edits, sentence.kept.len(), &answer.links, inserted);
    if sentence.keeps_lines {
        divide_like(source, &mut restored.text, &restored.kept);
    }
    restored
}

/// A part of a text that is replaced.
struct Edit {
    range: Range<usize>,
    before: &'static str,
    with: String,
    after: &'static str,
    /// Number of the thing to copy; `None`: nothing is written.
    number: Option<usize>,
}

/// What was read for a thing to copy is no text of the translation: where it stands a second time, it is left out with
/// the blank before it.
fn leftovers(sentence: &Sentence, source: &str, text: &str, places: &[Option<Range<usize>>]) -> Vec<Edit> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for kept in &sentence.kept {
        let shown = &source[kept.range.clone()];
        let is_name = shown.strip_prefix('X').is_some_and(|number| number.bytes().all(|c| c.is_ascii_digit()));
        if kept.written.as_deref().is_none_or(|written| written == shown) || !is_name {
            continue;
        }
        for (at, name) in text.match_indices(shown) {
            let place = at..at + name.len();
            let goes_on = text[place.end..].starts_with(|c: char| c.is_ascii_digit());
            let taken =
                places.iter().flatten().chain(&found).any(|other| other.start < place.end && place.start < other.end);
            if !goes_on && !taken {
                found.push(place);
            }
        }
    }
    let edit = |place: Range<usize>| {
        let start = place.start - usize::from(text[..place.start].ends_with(' '));
        Edit { range: start..place.end, before: "", with: String::new(), after: "", number: None }
    };
    found.into_iter().map(edit).collect()
}

/// Signs of which a model may write one more at the ends of a thing: `__NAME___`. Brackets and quotation marks are not
/// among them, as they may belong to the text around it.
const REPEATED: &[char] = &['_', '%', '$', '#', '@', '~', '^', '=', '+', '*', '/', '\\', '|', '&', '`'];

/// The place of a thing with the signs next to it that repeat its first or its last one, and that the source lacks.
fn with_repeated(source: &str, kept: &Range<usize>, text: &str, place: &Range<usize>, shown: &str) -> Range<usize> {
    let mut range = place.clone();
    let repeated =
        |sign: Option<char>, near: Option<char>| sign.filter(|sign| REPEATED.contains(sign) && near != Some(*sign));
    if let Some(sign) = repeated(shown.chars().next_back(), source[kept.end..].chars().next()) {
        range.end = text.len() - text[range.end..].trim_start_matches(sign).len();
    }
    if let Some(sign) = repeated(shown.chars().next(), source[..kept.start].chars().next_back()) {
        range.start = text[..range.start].trim_end_matches(sign).len();
    }
    range
}

/// A thing that the translation has. White space next to it is removed if the source has the same characters next to
/// it without white space, and added between it and a word if the source has white space there.
fn replacement(
    source: &str,
    kept: &Range<usize>,
    text: &str,
    place: &Range<usize>,
    shown: &str,
    number: usize,
) -> Edit {
    let place = with_repeated(source, kept, text, place, shown);
    let mut range = place.clone();
    let before = text[..place.start].trim_end();
    let left = source[..kept.start].chars().next_back();
    if before.len() < place.start
        && left.is_some_and(|left| !left.is_whitespace())
        && before.chars().next_back() == left
    {
        range.start = before.len();
    }
    let after = text[place.end..].trim_start();
    let right = source[kept.end..].chars().next();
    if after.len() < text.len() - place.end
        && right.is_some_and(|right| !right.is_whitespace())
        && after.chars().next() == right
    {
        range.end = text.len() - after.len();
    }
    let touches = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !without_spaces(c));
    let blank = |near: Option<char>, here: Option<char>| {
        if near.is_some_and(char::is_whitespace) && touches(here) { " " } else { "" }
    };
    let (before, after) = (text[..range.start].chars().next_back(), text[range.end..].chars().next());
    Edit {
        before: blank(left, before),
        with: shown.to_owned(),
        after: blank(right, after),
        range,
        number: Some(number),
    }
}

/// A thing that the translation lacks: it follows the translation of the word before it.
fn insertion(source: &str, kept: &Range<usize>, answer: &Answer, shown: &str, number: usize) -> Edit {
    let strongest = |links: &mut dyn Iterator<Item = &Link>| {
        links.max_by(|a, b| a.weight.total_cmp(&b.weight)).map(|link| link.target.clone())
    };
    let word_before = source[..kept.start].trim_end();
    let word_start = word_before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let mut before = answer.links.iter().filter(|link| {
        link.source.start < word_before.len()
            && link.source.end > word_start
            && answer.text.is_char_boundary(link.target.end)
    });
    let text = &answer.text;
    // Nothing but punctuation follows it, or nothing precedes it.
    let is_last = !source[kept.end..].contains(char::is_alphanumeric);
    let at = if word_before.is_empty() {
        0
    } else if is_last {
        text.trim_end_matches(|c: char| !c.is_alphanumeric()).len()
    } else if let Some(target) = strongest(&mut before) {
        // After the whole word.
        let at = target.end.min(text.len());
        at + text[at..].find(|c: char| !c.is_alphanumeric() || without_spaces(c)).unwrap_or(text.len() - at)
    } else {
        let at = text.floor_char_boundary(text.len() * kept.start / source.len().max(1));
        at + text[at..].find(char::is_whitespace).unwrap_or(text.len() - at)
    };
    let spaced = |c: char| !c.is_whitespace() && !without_spaces(c);
    let before = if text[..at].chars().next_back().is_some_and(spaced) { " " } else { "" };
    let next = text[at..].chars().next();
    let after = if next.is_some_and(|c| c.is_alphanumeric() && spaced(c)) { " " } else { "" };
    Edit { range: at..at, before, with: shown.to_owned(), after, number: Some(number) }
}

fn apply(text: &str, edits: Vec<Edit>, count: usize, links: &[Link], inserted: usize) -> RestoredTranslation {
    let mut restored = RestoredTranslation { kept: vec![0..0; count], inserted, ..RestoredTranslation::default() };
    // By edit: where it ends in the old text, and where in the new one.
    let mut moved: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let mut last = 0;
    for edit in edits {
        // Two things may share the white space between them.
        let (start, end) = (edit.range.start.max(last), edit.range.end.max(last));
        restored.text.push_str(&text[last..start]);
        let began = restored.text.len();
        restored.text.push_str(edit.before);
        let at = restored.text.len();
        restored.text.push_str(&edit.with);
        if let Some(number) = edit.number {
            restored.kept[number] = at..restored.text.len();
        }
        restored.text.push_str(edit.after);
        moved.push((start..end, began..restored.text.len()));
        last = end;
    }
    restored.text.push_str(&text[last..]);
    // The place in the new text of the start or the end of a link.
    let position = |at: usize, is_end: bool| -> usize {
        let next = moved.partition_point(|(old, _)| old.end < at || (old.end == at && !(old.is_empty() && is_end)));
        match moved.get(next) {
            Some((old, new)) if old.start < at => {
                if is_end {
                    new.end
                } else {
                    new.start
                }
            }
            _ => match next.checked_sub(1).and_then(|before| moved.get(before)) {
                Some((old, new)) => new.end + (at - old.end),
                None => at,
            },
        }
    };
    restored.links = links
        .iter()
        .map(|link| {
            let start = position(link.target.start, false);
            let end = position(link.target.end, true).max(start);
            Link { source: link.source.clone(), target: start..end, weight: link.weight }
        })
        .collect();
    restored
}
