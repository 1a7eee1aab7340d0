//! Text to words.

use super::{Form, Language};
use crate::moses::{MosesTokenizer, TokenizerOptions, is_cjk};
use std::ops::Range;
use unicode_script::{Script, UnicodeScript};

/// Whether this build has the dictionary.
pub(super) const HAS_DICTIONARY: bool = cfg!(feature = "segmenter");

/// Splits a line into words as the language needs it: text in scripts without spaces by the language's code, all
/// other text as [`MosesTokenizer`] does.
pub struct WordTokenizer {
    moses: MosesTokenizer,
    form: Form,
}

impl WordTokenizer {
    /// A tokeniser for a language.
    #[must_use]
    pub fn new(language: Language, options: TokenizerOptions) -> Self {
        Self { moses: MosesTokenizer::with_options(language.moses_code(), options), form: language.form }
    }

    /// The words of a line with one space between them.
    #[must_use]
    pub fn tokenize_line(&self, line: &str) -> String {
        let words = match self.form {
            Form::Spaces => return self.moses.tokenize_line(line),
            Form::Characters => characters(line),
            Form::Dictionary => dictionary_words(line),
        };
        let mut out = String::with_capacity(2 * line.len());
        let mut add = |words: &str| {
            if !(out.is_empty() || words.is_empty()) {
                out.push(' ');
            }
            out += words;
        };
        let mut end = 0;
        for word in words {
            add(&self.moses.tokenize_line(&line[end..word.start]));
            add(&line[word.clone()]);
            end = word.end;
        }
        add(&self.moses.tokenize_line(&line[end..]));
        out
    }
}

/// Whether `c` is of a script that has no spaces between words. Korean has spaces.
#[must_use]
pub fn unspaced(c: char) -> bool {
    match c.script() {
        Script::Hangul => false,
        Script::Thai | Script::Lao | Script::Khmer | Script::Myanmar => true,
        _ => is_cjk(c) && !c.is_whitespace(),
    }
}

/// Whether `c` changes the character before it: voiced kana, and variation selectors.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{3099}' | '\u{309a}' | '\u{ff9e}' | '\u{ff9f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// The characters of scripts without spaces, each with its marks.
fn characters(line: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    for (start, c) in line.char_indices() {
        let end = start + c.len_utf8();
        match words.last_mut() {
            Some(last) if last.end == start && is_mark(c) => last.end = end,
            _ if unspaced(c) => words.push(start..end),
            _ => {}
        }
    }
    words
}

/// The words of scripts without spaces, as ICU's dictionaries and models have them.
#[cfg(feature = "segmenter")]
fn dictionary_words(line: &str) -> Vec<Range<usize>> {
    let ends: Vec<usize> = icu_segmenter::WordSegmenter::new_auto(Default::default()).segment_str(line).collect();
    let words = ends.windows(2).map(|pair| pair[0]..pair[1]);
    words.filter(|word| line[word.clone()].starts_with(unspaced)).collect()
}

/// No language has this form without the dictionary.
#[cfg(not(feature = "segmenter"))]
fn dictionary_words(line: &str) -> Vec<Range<usize>> {
    characters(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(code: &str, line: &str) -> String {
        let language: Language = code.parse().unwrap();
        WordTokenizer::new(language, TokenizerOptions { escape: false, ..Default::default() }).tokenize_line(line)
    }

    #[test]
    fn chinese_and_japanese_are_characters() {
        assert_eq!(words("zh", "我喜欢猫。Dr. Wu说:\"3.14元\""), "我 喜 欢 猫 。 Dr . Wu 说 : \" 3.14 元 \"");
        assert_eq!(words("yue", "佢\u{3000}嚟"), "佢 嚟");
        assert_eq!(words("ja", "か\u{3099}ー ｶﾞＡ葛\u{e0100}"), "か\u{3099} ー ｶﾞ Ａ 葛\u{e0100}");
        assert_eq!(words("zh", "\u{e0100}한국어 "), "\u{e0100} 한 국 어");
        assert_eq!(words("ko", "한국어는 좋다."), "한국어는 좋다 .");
        assert_eq!((words("zh", ""), words("ja", " \u{3000}")), (String::new(), String::new()));
    }

    #[test]
    fn characters_join_to_the_text_again() {
        for (code, text) in [("zh", "我喜欢猫。"), ("ja", "猫がいる、と言った。")] {
            let language: Language = code.parse().unwrap();
            assert_eq!(language.detokenizer().detokenize_line(&words(code, text)), text);
        }
    }

    #[cfg(feature = "segmenter")]
    #[test]
    fn dictionaries_find_words() {
        assert_eq!(words("zh-words", "我喜欢北京大学。OK"), "我 喜欢 北京 大学 。 OK");
        assert_eq!(words("ja-words", "私は学生です。"), "私 は 学生 です 。");
        assert_eq!(words("th", "ฉันกินข้าว 5 จาน."), "ฉัน กิน ข้าว 5 จาน .");
        let thai: Language = "th".parse().unwrap();
        assert_eq!(thai.detokenizer().detokenize_line("ฉัน กิน ข้าว"), "ฉันกินข้าว");
    }
}
