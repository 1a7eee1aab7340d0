//! Where a sentence is cut that is too long for a model.

use crate::split::trimmed;
use metaphrase_text::without_spaces;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// The weight of a text against the limit of [`cut`]: a character of a script without spaces counts as three.
#[must_use]
pub fn weight(text: &str) -> usize {
    text.chars().map(width).sum()
}

fn width(c: char) -> usize {
    if without_spaces(c) { 3 } else { 1 }
}

/// Cuts a sentence into parts of at most this [`weight`]: at the boundaries of UAX #29, then after the punctuation of
/// clauses, then before words such as "and", then between words, then, in scripts without spaces, anywhere between
/// characters that a reader sees. The text around the parts is white space and endless words, which belong to no part.
#[must_use]
pub fn cut(text: &str, sentence: Range<usize>, longest: usize) -> Vec<Range<usize>> {
    let longest = longest.max(16);
    if weight(&text[sentence.clone()]) <= longest.min(LONGEST_WORD) {
        return vec![sentence];
    }
    let mut parts = without_endless(text, sentence, longest);
    let ways: [fn(&str) -> Vec<usize>; 5] =
        [unicode_ends, clause_ends, ends_before_conjunctions, word_ends, character_ends];
    for way in ways {
        if parts.iter().all(|part| weight(&text[part.clone()]) <= longest) {
            break;
        }
        let divided = |part: Range<usize>| {
            if weight(&text[part.clone()]) <= longest { vec![part] } else { packed(text, part, longest, way) }
        };
        parts = parts.into_iter().flat_map(divided).filter_map(|part| trimmed(text, part)).collect();
    }
    parts
}

/// The parts of a sentence around its endless words.
fn without_endless(text: &str, sentence: Range<usize>, longest: usize) -> Vec<Range<usize>> {
    let (mut parts, mut start) = (Vec::new(), sentence.start);
    for word in endless(&text[sentence.clone()], longest) {
        let word = sentence.start + word.start..sentence.start + word.end;
        parts.extend(trimmed(text, start..word.start));
        start = word.end;
    }
    parts.extend(trimmed(text, start..sentence.end));
    parts
}

/// The most weight of a word in a script with spaces, whatever the longest sentence.
const LONGEST_WORD: usize = 200;

/// The words that are longer than that or than the longest sentence in scripts with spaces, such as data in Base64 or a
/// key held down. No model translates them, and each of their parts would be searched up to the greatest length of a
/// translation.
fn endless(text: &str, longest: usize) -> impl Iterator<Item = Range<usize>> {
    let ends = |c: char| {
        let clause = ends_clause(c) && !c.is_ascii();
        c.is_whitespace() || matches!(c, '\u{200b}' | '\u{1361}') || clause || runs_on(c)
    };
    let mut end = 0;
    let words = text.split_inclusive(ends).map(move |word| {
        let start = end;
        end += word.len();
        start..start + word.trim_end_matches(ends).len()
    });
    words.filter(move |word| weight(&text[word.clone()]) > longest.min(LONGEST_WORD))
}

/// Whether a character belongs to a script without spaces between words: those of [`without_spaces`], and those of
/// South-East Asia and Tibet, whose characters are as light as Latin ones.
fn runs_on(c: char) -> bool {
    let light = matches!(
        c,
        '\u{e00}'..='\u{109f}' // Thai, Lao, Tibetan, Burmese
            | '\u{1780}'..='\u{17ff}' // Khmer
            | '\u{1950}'..='\u{19ff}' // Tai Le, New Tai Lue
            | '\u{1a00}'..='\u{1b7f}' // Buginese, Tai Tham, Balinese
            | '\u{a980}'..='\u{aadf}' // Javanese, Cham, Tai Viet
    );
    light || without_spaces(c)
}

fn ends_clause(c: char) -> bool {
    matches!(c, ',' | ';' | ':' | '–' | '—' | '，' | '、' | '；' | '：' | '،' | '؛' | ')' | '）')
}

/// Divides a part at the given places, as few of them as the limit allows.
fn packed(text: &str, part: Range<usize>, longest: usize, ends: fn(&str) -> Vec<usize>) -> Vec<Range<usize>> {
    let (mut parts, mut start, mut last) = (Vec::new(), part.start, part.start);
    let mut heavy = 0;
    for end in ends(&text[part.clone()]).into_iter().map(|end| part.start + end).chain([part.end]) {
        let more = weight(&text[last..end]);
        if last > start && heavy + more > longest {
            parts.push(start..last);
            (start, heavy) = (last, 0);
        }
        (last, heavy) = (end, heavy + more);
    }
    parts.push(start..part.end);
    parts
}

fn unicode_ends(text: &str) -> Vec<usize> {
    text.split_sentence_bound_indices().map(|(start, part)| start + part.len()).collect()
}

fn clause_ends(text: &str) -> Vec<usize> {
    let end = |(at, c): (usize, char)| {
        let next = text[at + c.len_utf8()..].chars().next();
        (ends_clause(c) && (without_spaces(c) || !c.is_ascii() || next.is_some_and(char::is_whitespace)))
            .then(|| at + c.len_utf8())
    };
    text.char_indices().filter_map(end).collect()
}

/// Words that begin a clause, in the languages whose speakers most often forget commas.
const CONJUNCTIONS: &[&str] = &[
    "and", "but", "or", "because", "so", "when", "while", "which", "who", "that", "where", "if", "then", "und", "aber",
    "oder", "weil", "denn", "dass", "als", "wenn", "während", "damit", "sondern", "et", "mais", "ou", "parce", "y",
    "pero", "o", "porque", "e", "ma", "perché", "mas", "en", "maar", "omdat",
];

fn ends_before_conjunctions(text: &str) -> Vec<usize> {
    let words = text.split_word_bound_indices();
    words.filter(|(start, word)| *start > 0 && CONJUNCTIONS.contains(word)).map(|(start, _)| start).collect()
}

fn word_ends(text: &str) -> Vec<usize> {
    text.split_word_bound_indices().map(|(start, word)| start + word.len()).collect()
}

fn character_ends(text: &str) -> Vec<usize> {
    text.grapheme_indices(true).map(|(start, character)| start + character.len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str, longest: usize) -> Vec<&str> {
        cut(text, 0..text.len(), longest).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn long_sentences_are_cut_where_it_hurts_least() {
        assert_eq!(pieces("short enough", 20), ["short enough"]);
        assert_eq!(
            pieces("He saw Dr. Who yesterday. Then, he left, and she came", 30),
            ["He saw Dr. Who yesterday.", "Then, he left, and she came"]
        );
        assert_eq!(pieces("one two, three four, five six", 16), ["one two,", "three four,", "five six"]);
        assert_eq!(pieces("one two three four five", 16), ["one two three", "four five"]);
        assert_eq!(pieces("my old house and her new garden", 20), ["my old house", "and her new garden"]);
        assert_eq!(pieces("一二三四五六七八", 16), ["一二三四五", "六七八"]);
    }

    #[test]
    fn endless_words_belong_to_no_part() {
        assert!(pieces("abcdefghijklmnopqrstuvwxyz", 16).is_empty());
        assert_eq!(pieces("abcdefghijklmnop", 16).len(), 1, "as long as the longest sentence");
        assert_eq!(pieces("see abcdefghijklmnopqrstuvwxyz, or not", 16), ["see", "or not"]);
        assert_eq!(pieces("abcdefghijklmnopqrstuvwxyz/ABCDEFGHIJKLMNOP= is a key", 16), ["is a key"]);
        assert_eq!(pieces("一二三abcdefghijklmnopqrstuvwxyz四五。", 16), ["一二三", "四五。"]);
        assert_eq!(pieces("ฉันไปตลาดเพื่อซื้อผลไม้และผัก", 16).concat(), "ฉันไปตลาดเพื่อซื้อผลไม้และผัก", "Thai");
        assert_eq!(pieces("look: data:image/png;base64,iVBORw0KGgo=, I said", 16), ["look:", "I said"]);
        assert_eq!(pieces("abcdefgh—ijklmnop—qrstuvwx", 16), ["abcdefgh—", "ijklmnop—", "qrstuvwx"]);
    }
}
