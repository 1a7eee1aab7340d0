//! Where sentences end.
//!
//! The boundaries are those of Unicode's annex 29, without those that follow an abbreviation, an initial, an ordinal or
//! a quotation that its sentence continues.

use metaphrase_text::moses::NonbreakingPrefixes;
use metaphrase_text::without_spaces;
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Languages that write ordinals with a full stop.
const ORDINALS: &[&str] = &[
    "bs", "cs", "da", "de", "et", "fi", "fo", "hr", "hu", "is", "lb", "lv", "nb", "nn", "no", "pl", "sk", "sl", "sr",
    "tr",
];

/// Abbreviations of titles, dates and references that the lists of Moses lack.
const MORE: &[&str] = &[
    "Dr", "Mr", "Mrs", "Ms", "St", "Abb", "Abs", "Art", "Aufl", "Bd", "Bsp", "Hrsg", "Jh", "Kap", "Mio", "Mrd", "Nr",
    "Str", "Tab", "Tel", "Ziff", "bspw", "bzgl", "bzw", "ca", "evtl", "ggf", "inkl", "max", "min", "sog", "usf", "vgl",
    "zzgl", "z.B", "d.h", "u.a", "o.ä", "i.d.R", "h.c", "s.o", "s.u", "e.g", "i.e", "cf", "vs", "approx", "al", "fig",
    "Fig", "Eq", "Sec", "Vol", "pp", "Nos", "Mlle", "Mme", "MM", "ext", "Ext", "incl", "excl", "exkl", "einschl",
    "dept", "Dept", "etc.)",
];

/// Abbreviations of names of states and bodies: names go on after them, as in `U.S. Army`, unless a word follows that
/// begins sentences.
const STATES: &[&str] = &["U.S", "U.K", "U.N", "E.U", "U.S.A"];
const STARTS: &[&str] = &[
    "A", "An", "And", "As", "At", "But", "For", "He", "Her", "His", "How", "I", "If", "In", "It", "Its", "My", "No",
    "Not", "On", "Our", "She", "So", "That", "The", "Their", "There", "These", "They", "This", "Those", "We", "What",
    "When", "Who", "Why", "You", "Your",
];

/// The most characters inside brackets that hold a sentence together.
const BRACKETS: usize = 200;

/// Finds the sentences of a text in one language.
#[derive(Debug, Clone)]
pub struct Splitter {
    prefixes: NonbreakingPrefixes,
    more: HashSet<&'static str>,
    ordinals: bool,
}

impl Splitter {
    /// For a language by its code, as `de` or `de-AT`. A language without a list of abbreviations has the English one.
    #[must_use]
    pub fn new(language: &str) -> Self {
        let code = language.split(['-', '_']).next().unwrap_or_default().to_lowercase();
        let prefixes = NonbreakingPrefixes::for_language(&code);
        Self { prefixes, more: MORE.iter().copied().collect(), ordinals: ORDINALS.contains(&code.as_str()) }
    }

    /// The sentences of a text, in order and without the white space around them. The text between them is white space
    /// alone. The end of a line ends a sentence.
    #[must_use]
    pub fn sentences(&self, text: &str) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        // Where the sentence begins, and the last boundary that was looked at.
        let (mut begin, mut last) = (0, 0);
        for (start, part) in without_long_runs(text).split_sentence_bound_indices() {
            let end = quoted_end(text, begin, start + part.len());
            if end <= last {
                continue;
            }
            last = end;
            if !self.goes_on(&text[begin..end], &text[end..]) {
                found.extend(trimmed(text, begin..end));
                begin = end;
            }
        }
        found.extend(trimmed(text, begin..text.len()));
        found
    }

    /// Whether the sentence goes on after `before`, which UAX #29 takes for its end.
    fn goes_on(&self, before: &str, after: &str) -> bool {
        let sentence = before.trim_end();
        let ends_line = before[sentence.len()..].contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']);
        if ends_line || sentence.is_empty() {
            return false;
        }
        let Some(next) = after.chars().next() else { return false };
        let inner = sentence.trim_end_matches(closes);
        let quoted = inner.len() < sentence.len();
        let spaced = sentence.len() < before.len();
        match inner.chars().next_back() {
            Some('.') if !quoted && self.keeps_stop(inner, after) => return true,
            Some('。' | '！' | '？' | '!' | '?') if quoted && !spaced && continues_quotation(next) => return true,
            _ => {}
        }
        let first = after
            .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '–' | '—' | '-' | '…' | '('))
            .chars()
            .next();
        matches!(next, ',' | ';')
            || first.is_some_and(char::is_lowercase) && !without_spaces(next)
            || in_brackets(sentence, after)
    }

    /// Whether the full stop at the end of `before` belongs to its last word.
    fn keeps_stop(&self, before: &str, after: &str) -> bool {
        let stem = before.strip_suffix('.').unwrap_or(before);
        let word = stem.rsplit(|c: char| c.is_whitespace() || opens(c)).next().unwrap_or_default();
        let number = after.trim_start().starts_with(|c: char| c.is_ascii_digit());
        if word.is_empty() || word.ends_with('.') {
            return false;
        }
        if word.bytes().all(|c| c.is_ascii_digit()) {
            // The number of an item, or an ordinal; a year ends a sentence.
            return word.len() == stem.trim_start().len() || (self.ordinals && word.len() <= 2);
        }
        let next = after.trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        if STATES.contains(&word) {
            return next.starts_with(char::is_uppercase) && !STARTS.contains(&next);
        }
        // The number of a house.
        if self.ordinals && number && word.ends_with("str") {
            return true;
        }
        let mut letters = word.chars();
        let initial = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none();
        let last = word.rsplit(['-', '/']).next().unwrap_or(word);
        initial || self.more.contains(last) || self.prefixes.keeps_full_stop(last, number)
    }
}

/// The most signs in a row that are looked at.
const LONGEST_RUN: usize = 500;

/// The text with letters in place of the signs after the first of a very long run, as in `.)))))`: no byte moves. At
/// each of the signs after a full stop the search for boundaries looks for the next letter.
fn without_long_runs(text: &str) -> Cow<'_, str> {
    let is_sign = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
    let mut changed = String::new();
    let (mut run, mut last) = (0, 0);
    for (at, c) in text.char_indices() {
        run = if is_sign(c) { run + 1 } else { 0 };
        if run > LONGEST_RUN {
            changed.push_str(&text[last..at]);
            changed.extend(std::iter::repeat_n('a', c.len_utf8()));
            last = at + c.len_utf8();
        }
    }
    if last == 0 {
        return text.into();
    }
    changed.push_str(&text[last..]);
    changed.into()
}

/// The range without the white space at its ends; `None` if nothing else is there.
pub(crate) fn trimmed(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    let end = range.start + part.trim_end().len();
    (start < end).then_some(start..end)
}

/// Brackets and quotation marks that end something.
pub(crate) fn closes(c: char) -> bool {
    matches!(
        c,
        ')' | ']'
            | '}'
            | '"'
            | '\''
            | '’'
            | '”'
            | '“'
            | '»'
            | '«'
            | '›'
            | '‹'
            | '」'
            | '』'
            | '）'
            | '】'
            | '》'
            | '〉'
    )
}

/// Brackets and quotation marks that begin something.
pub(crate) fn opens(c: char) -> bool {
    matches!(
        c,
        '(' | '['
            | '{'
            | '"'
            | '\''
            | '„'
            | '‚'
            | '“'
            | '‘'
            | '»'
            | '«'
            | '›'
            | '‹'
            | '「'
            | '『'
            | '（'
            | '【'
            | '《'
            | '〈'
    )
}

/// Whether a sentence of Japanese goes on with this character after a quotation.
fn continues_quotation(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309f}' | '、' | '，' | '・')
}

/// Whether a bracket that opens before is closed soon after; so are quotation marks of scripts without spaces.
fn in_brackets(before: &str, after: &str) -> bool {
    // However often a sentence goes on, only its end is looked at.
    let before = tail(before);
    let wide = after.chars().next().is_some_and(without_spaces);
    let pairs = [('(', ')'), ('（', '）'), ('[', ']'), ('「', '」'), ('『', '』'), ('“', '”')];
    pairs[..if wide { 6 } else { 3 }].iter().any(|&(open, close)| {
        let mut next = after.chars().take(BRACKETS).take_while(|&c| c != '\n' && c != open);
        is_open(before, open, close) && next.any(|c| c == close)
    })
}

fn tail(text: &str) -> &str {
    &text[text.floor_char_boundary(text.len().saturating_sub(2 * BRACKETS))..]
}

/// Whether a bracket or quotation mark is open at the end of a text.
fn is_open(text: &str, open: char, close: char) -> bool {
    let [opened, closed] = [open, close].map(|mark| text.matches(mark).count());
    if open == close { opened % 2 == 1 } else { opened > closed }
}

/// The end of a sentence that UAX #29 sees at `end`, with respect to quotation marks, which are the same to UAX #29: a
/// mark that opens belongs to the next sentence, and one that closes, after a blank as in French, to this sentence.
fn quoted_end(text: &str, begin: usize, end: usize) -> usize {
    let sentence = &text[begin..end];
    let stem = sentence.trim_end();
    let Some(mark) = stem.chars().next_back() else { return end };
    if sentence[stem.len()..].contains('\n') {
        return end;
    }
    let before = &stem[..stem.len() - mark.len_utf8()];
    let wide_stop = before.ends_with(['。', '！', '？']);
    let after_stop = wide_stop || before.ends_with(['.', '!', '?', '…', '」', '”', '"']);
    // Quotations may hold several sentences.
    let context = tail(&text[..begin + before.len()]);
    let opens = match mark {
        '「' | '『' | '《' | '（' | '„' | '‚' => true,
        '“' => wide_stop && !is_open(context, '“', '”'),
        '"' => wide_stop && !is_open(context, '"', '"'),
        _ => false,
    };
    if opens && after_stop && !before.is_empty() {
        return begin + before.len();
    }
    let rest = &text[end..];
    let closes = [('«', '»'), ('‹', '›')]
        .into_iter()
        .find(|&(open, close)| rest.starts_with(close) && is_open(tail(&text[..end]), open, close));
    match closes {
        Some((_, close)) => {
            let behind = &rest[close.len_utf8()..];
            end + rest.len() - behind.trim_start_matches([' ', '\t', '\u{a0}', '\u{202f}']).len()
        }
        None => end,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    fn split<'t>(language: &str, text: &'t str) -> Vec<&'t str> {
        Splitter::new(language).sentences(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn full_stops_of_words_end_no_sentence() {
        for (language, text) in [
            ("en", "Dr. Smith paid Mr. J. R. Jones $5.50 at approx. 3 p.m. yesterday."),
            ("en", "Call the Sales Dept. Office at 555-0100 ext. 12 today."),
            ("en", "See Fig. 3 and No. 5, e.g. Table 2."),
            ("en", "\"Why?\" she asked."),
            ("en", "The U.S. Army met U.S. President Lincoln."),
            ("de", "Dr. h.c. Müller wohnt in der Bahnhofstr. 5 in Köln."),
            ("en", "He left (nobody knew. Why not?) and came back."),
            ("de", "Am 3. Mai im 19. Jahrhundert kam Kaiser Wilhelm II. nach Köln."),
            ("de", "Das gilt z.B. Hunden, bzw. Katzen und Dr. Müller."),
            ("de", "1. Der erste Punkt"),
            ("fr", "M. Dupont et Mme. Durand sont là."),
            ("ja", "彼は「行く。」と言った。"),
        ] {
            assert_eq!(split(language, text), [text]);
        }
    }

    #[test]
    fn sentences_end() {
        assert_eq!(
            split("en", "He came.  She left! \tWhy? \"Nobody knows.\" Well…"),
            ["He came.", "She left!", "Why?", "\"Nobody knows.\"", "Well…"]
        );
        assert_eq!(split("en", "He left the U.S. She did not."), ["He left the U.S.", "She did not."]);
        assert_eq!(split("de", "Das war 1990. Er kam um 5 Uhr."), ["Das war 1990.", "Er kam um 5 Uhr."]);
        assert_eq!(split("zh", "你好。再见！他问：“为什么？”"), ["你好。", "再见！", "他问：“为什么？”"]);
        assert_eq!(split("ja", "「行く。」彼は言った。本当だ！"), ["「行く。」", "彼は言った。", "本当だ！"]);
        assert_eq!(split("en", "A line\nand another\r\n\r\n  the end"), ["A line", "and another", "the end"]);
        assert_eq!(split("zh", "“好。\"\n再见"), ["“好。\"", "再见"]);
        assert!(split("en", " \n\t ").is_empty() && split("en", "").is_empty());
    }
}
