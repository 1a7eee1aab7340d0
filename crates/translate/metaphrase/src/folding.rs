//! Letters and punctuation in a form that a small vocabulary is likely to have: `ş` as `s`, `“` as `"`.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Letters without a decomposition, and punctuation.
const FORMS: &[(&str, &str)] = &[
    ("łƚŀ", "l"),
    ("Ł", "L"),
    ("đð", "d"),
    ("ĐÐ", "D"),
    ("øɵ", "o"),
    ("Ø", "O"),
    ("ħ", "h"),
    ("Ħ", "H"),
    ("ıɨ", "i"),
    ("Ɨ", "I"),
    ("ŧ", "t"),
    ("Ŧ", "T"),
    ("ŋ", "n"),
    ("Ŋ", "N"),
    ("ß", "ss"),
    ("ẞ", "SS"),
    ("æ", "ae"),
    ("Æ", "Ae"),
    ("œ", "oe"),
    ("Œ", "Oe"),
    ("þ", "th"),
    ("Þ", "Th"),
    ("ſ", "s"),
    ("əǝ", "e"),
    ("Ə", "E"),
    ("ɓƀ", "b"),
    ("ɗ", "d"),
    ("ƙ", "k"),
    ("ƴ", "y"),
    ("ɠǥ", "g"),
    ("ĸ", "k"),
    ("ʻʼʹ‘’‚‛′", "'"),
    ("“”„‟″«»", "\""),
    ("‹›", "'"),
    ("–—―‐‑‒−", "-"),
    ("…", "..."),
    ("⁄", "/"),
    ("。", "."),
    ("、，", ","),
    ("！", "!"),
    ("？", "?"),
];

/// A word with other characters for those that `knows` does not know.
pub(crate) fn folded(word: &str, mut knows: impl FnMut(char) -> bool) -> String {
    let mut out = String::with_capacity(word.len());
    for c in word.nfc() {
        if knows(c) {
            out.push(c);
        } else if let Some((_, form)) = FORMS.iter().find(|(characters, _)| characters.contains(c)) {
            out.push_str(form);
        } else if c.is_alphanumeric() || (is_combining_mark(c) && out.ends_with(char::is_alphabetic)) {
            // A letter without its accents; nothing for an accent itself.
            fold_letter(c, &mut out, &mut knows);
        } else {
            out.push(c);
        }
    }
    out
}

/// Appends a letter without as many of its accents as it takes to be known.
fn fold_letter(c: char, out: &mut String, knows: &mut impl FnMut(char) -> bool) {
    let parts: Vec<char> = std::iter::once(c).nfkd().collect();
    let letters: Vec<char> = parts.iter().copied().filter(|&part| !is_combining_mark(part)).collect();
    let marks: Vec<char> = parts.iter().copied().filter(|&part| is_combining_mark(part)).collect();
    for length in (0..marks.len()).rev() {
        let fewer: String = letters.iter().chain(&marks[..length]).copied().nfc().collect();
        if fewer.chars().all(&mut *knows) {
            return out.push_str(&fewer);
        }
    }
    let plain = letters.iter().map(|letter| {
        let known = FORMS.iter().find(|(characters, _)| characters.contains(*letter));
        known.map_or_else(|| letter.to_string(), |(_, form)| (*form).to_owned())
    });
    out.extend(plain);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_folded() {
        let knows = |c: char| c.is_ascii() || "öéô".contains(c);
        for (word, expected) in [
            ("Yeşilgöz", "Yesilgöz"),
            ("Łukasz", "Lukasz"),
            ("Nguyễn", "Nguyên"),
            ("Đà", "Da"),
            ("don’t", "don't"),
            ("ﬁnd", "find"),
            ("“x”…", "\"x\"..."),
            ("e\u{301}ş", "és"),
            ("東京", "東京"),
            ("İstanbul", "Istanbul"),
            ("⌘", "⌘"),
        ] {
            let knows = |c: char| knows(c) || (word == "Nguyễn" && c == 'ê');
            assert_eq!(folded(word, knows), expected);
        }
    }
}
