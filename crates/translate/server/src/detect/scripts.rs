//! Scripts, and the languages of all scripts but the Latin one.

use super::base;
use whatlang::{Detector, Lang};

/// A script, or scripts that are read together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// Latin.
    Latin,
    /// Kana and Han: Japanese and Chinese.
    East,
    /// Another one, by its place in [`SCRIPTS`].
    Other(usize),
}

/// Ranges of the letters of a script, and the languages that are written in it.
type ScriptRow = (&'static [(char, char)], &'static [&'static str]);

/// All scripts but the Latin one and those of Japanese and Chinese.
const SCRIPTS: &[ScriptRow] = &[
    (&[('\u{370}', '\u{3ff}'), ('\u{1f00}', '\u{1fff}')], &["el"]),
    (&[('\u{400}', '\u{52f}')], &["ru", "uk", "bg", "be", "mk", "sr", "kk", "ky", "mn", "tg", "tt", "ba", "uz"]),
    (&[('\u{530}', '\u{58f}')], &["hy"]),
    (&[('\u{590}', '\u{5ff}'), ('\u{fb1d}', '\u{fb4f}')], &["he", "yi"]),
    (
        &[('\u{600}', '\u{77f}'), ('\u{8a0}', '\u{8ff}'), ('\u{fb50}', '\u{fefc}')],
        &["ar", "fa", "ur", "ps", "ug", "ckb", "sd"],
    ),
    (&[('\u{900}', '\u{97f}')], &["hi", "mr", "ne"]),
    (&[('\u{980}', '\u{9ff}')], &["bn", "as"]),
    (&[('\u{a00}', '\u{a7f}')], &["pa"]),
    (&[('\u{a80}', '\u{aff}')], &["gu"]),
    (&[('\u{b00}', '\u{b7f}')], &["or"]),
    (&[('\u{b80}', '\u{bff}')], &["ta"]),
    (&[('\u{c00}', '\u{c7f}')], &["te"]),
    (&[('\u{c80}', '\u{cff}')], &["kn"]),
    (&[('\u{d00}', '\u{d7f}')], &["ml"]),
    (&[('\u{d80}', '\u{dff}')], &["si"]),
    (&[('\u{e00}', '\u{e7f}')], &["th"]),
    (&[('\u{e80}', '\u{eff}')], &["lo"]),
    (&[('\u{f00}', '\u{fff}')], &["bo", "dz"]),
    (&[('\u{1000}', '\u{109f}')], &["my"]),
    (&[('\u{10a0}', '\u{10ff}')], &["ka"]),
    (&[('\u{1100}', '\u{11ff}'), ('\u{3130}', '\u{318f}'), ('\u{ac00}', '\u{d7af}')], &["ko"]),
    (&[('\u{1200}', '\u{139f}')], &["am", "ti"]),
    (&[('\u{1780}', '\u{17ff}')], &["km"]),
];

/// Codes of two letters, and of three as the detector of trigrams has them, for scripts of several languages.
const CODES: &str = "ar ara be bel bg bul fa pes he heb hi hin mk mkd mr mar ne nep ru rus sr srp uk ukr ur urd yi yid";

/// How many letters of each script a text has.
#[derive(Debug, Default)]
pub struct Letters {
    latin: usize,
    kana: usize,
    han: usize,
    others: [usize; SCRIPTS.len()],
    unnamed: usize,
}

impl Letters {
    /// Counts the letters of a text.
    pub fn count(text: &str) -> Self {
        let mut letters = Self::default();
        for c in text.chars().filter(|c| c.is_alphabetic()) {
            match c {
                'a'..='z' | 'A'..='Z' | '\u{aa}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{ff21}'..='\u{ff5a}' => {
                    letters.latin += 1;
                }
                '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}' => letters.kana += 1,
                '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => letters.han += 1,
                _ => {
                    let inside = |(first, last): &(char, char)| (*first..=*last).contains(&c);
                    match SCRIPTS.iter().position(|(ranges, _)| ranges.iter().any(inside)) {
                        Some(script) => letters.others[script] += 1,
                        None => letters.unnamed += 1,
                    }
                }
            }
        }
        letters
    }

    fn east(&self) -> usize {
        self.kana + self.han
    }

    /// The letters of all scripts but the Latin one.
    pub fn outside_latin(&self) -> usize {
        self.east() + self.others.iter().sum::<usize>() + self.unnamed
    }

    /// The script of the text; `None` without letters. A word of the Latin script has more letters than one of Han, and
    /// names in Latin letters stand in texts of all scripts.
    pub fn script(&self) -> Option<Script> {
        let (other, &count) = self.others.iter().enumerate().max_by_key(|(_, count)| **count)?;
        let all = self.latin + self.east() + self.others.iter().sum::<usize>() + self.unnamed;
        if all == 0 {
            None
        } else if self.east() > count && 5 * self.east() >= all {
            Some(Script::East)
        } else if count > 0 && 3 * count >= all {
            Some(Script::Other(other))
        } else {
            Some(Script::Latin)
        }
    }
}

/// The probability of each of the `known` languages for a text in a script that is not Latin.
pub fn probabilities(text: &str, script: Script, letters: &Letters, known: &[String]) -> Vec<f64> {
    let mut shares = vec![0.0; known.len()];
    let found = match script {
        Script::Latin => None,
        Script::East => east(letters, known),
        Script::Other(number) => other(text, SCRIPTS[number].1, known),
    };
    if let Some((place, share)) = found {
        shares[place] = share;
    }
    shares
}

/// Japanese or Chinese, by the characters alone: a text with Kana is Japanese.
fn east(letters: &Letters, known: &[String]) -> Option<(usize, f64)> {
    let place = |wanted: &[&str]| known.iter().position(|code| wanted.contains(&base(code)));
    let (japanese, chinese) = (place(&["ja"]), place(&["zh", "cmn", "yue"]));
    if letters.kana > 0 && 20 * letters.kana >= letters.east() {
        return japanese.map(|place| (place, 0.99));
    }
    // Words without Kana are frequent in Japanese, sentences without them are not.
    let is_short = letters.han < 8;
    match (chinese, japanese) {
        (Some(place), Some(_)) if is_short => Some((place, 0.75)),
        (Some(place), _) => Some((place, 0.95)),
        (None, Some(place)) if is_short => Some((place, 0.5)),
        (None, _) => None,
    }
}

/// The language of a script that several languages are written in, by its trigrams of letters.
fn other(text: &str, written: &[&str], known: &[String]) -> Option<(usize, f64)> {
    let candidates: Vec<usize> = (0..known.len()).filter(|&place| written.contains(&base(&known[place]))).collect();
    let &[first, ..] = &candidates[..] else { return None };
    let competing: Vec<Lang> = written.iter().filter_map(|code| language(code)).collect();
    if written.len() == 1 || competing.is_empty() {
        return Some((first, 0.99));
    }
    let Some(found) = Detector::with_allowlist(competing).detect(text) else { return Some((first, 0.5)) };
    let best = candidates.iter().find(|place| language(base(&known[**place])) == Some(found.lang()));
    match best {
        Some(&place) => Some((place, 0.7 + 0.29 * found.confidence())),
        // Trigrams say little about short texts.
        None if !found.is_reliable() || text.len() < 40 => Some((first, 0.5)),
        None => None,
    }
}

/// The codes of the languages that are written in other scripts than the Latin one.
pub fn languages() -> impl Iterator<Item = &'static str> {
    SCRIPTS.iter().flat_map(|(_, codes)| codes.iter().copied()).chain(["ja", "zh"])
}

/// Whether a language is written in another script than the Latin one.
pub fn is_other(code: &str) -> bool {
    matches!(code, "ja" | "zh" | "cmn" | "yue") || SCRIPTS.iter().any(|(_, codes)| codes.contains(&code))
}

fn language(code: &str) -> Option<Lang> {
    let mut codes = CODES.split_whitespace();
    while let (Some(two), Some(three)) = (codes.next(), codes.next()) {
        if two == code {
            return Lang::from_code(three);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_one_of_the_detector() {
        let pairs: Vec<&str> = CODES.split_whitespace().collect();
        for pair in pairs.chunks(2) {
            assert!(language(pair[0]).is_some(), "{pair:?}");
            assert!(SCRIPTS.iter().any(|(_, codes)| codes.contains(&pair[0])), "{pair:?}");
        }
    }
}
