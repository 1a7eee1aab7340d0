//! The language of a text, among the languages at hand.

use std::collections::HashMap;
use std::sync::LazyLock;
use whatlang::{Detector, Lang};

/// A language that a text may be in.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Detected {
    /// Its code.
    pub language: String,
    /// From 0 to 1.
    pub confidence: f64,
}

/// Codes of two letters, and of three as the detector has them.
const CODES: &str = "af afr ar ara az aze be bel bg bul bn ben ca cat cs ces da dan de deu el ell en eng eo epo es spa et est fa pes fi fin \
    fr fra gu guj he heb hi hin hr hrv hu hun hy hye id ind it ita ja jpn ka kat kn kan ko kor lt lit lv lav mk mkd ml mal mr mar \
    my mya nb nob ne nep nl nld no nob pa pan pl pol pt por ro ron ru rus si sin sk slk sl slv sr srp sv swe ta tam te tel th tha \
    tk tuk tl tgl tr tur uk ukr ur urd uz uzb vi vie zh cmn";

/// Frequent words, with the codes of the languages that have them.
static WORDS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let mut words: HashMap<&str, Vec<&str>> = HashMap::new();
    for line in include_str!("detect/words.txt").lines().filter(|line| !line.starts_with('#')) {
        let (code, list) = line.split_once(' ').unwrap_or_default();
        for word in list.split(' ') {
            words.entry(word).or_default().push(code);
        }
    }
    words
});

/// The share of a text's words that has to be frequent words of a language.
const FREQUENT: f64 = 0.15;

/// The characters of a text that are looked at.
const LOOKED_AT: usize = 4000;

/// The languages of `known` that a text may be in, the most probable one first. A text without letters of any of them has the first one
/// with confidence 0.
#[must_use]
pub fn detect(text: &str, known: &[String]) -> Vec<Detected> {
    let text = &text[..text.floor_char_boundary(LOOKED_AT)];
    let found = wide(text, known).or_else(|| by_words(text, known)).or_else(|| by_letters(text, known));
    let others = (known.len().saturating_sub(1)).max(1) as f64;
    // The best one is at least as probable as each of the others.
    let best = found.map(|(place, sure)| {
        let even = 1.0 / (others + 1.0);
        Detected { language: known[place].clone(), confidence: even + (1.0 - even) * sure.clamp(0.0, 1.0) }
    });
    let rest = best.as_ref().map_or(0.0, |best| (1.0 - best.confidence) / others);
    let others = known.iter().filter(|code| best.as_ref().is_none_or(|best| best.language != **code));
    let others = others.map(|code| Detected { language: code.clone(), confidence: rest });
    best.iter().cloned().chain(others).collect()
}

/// The code without a country or a script.
fn base(code: &str) -> &str {
    code.split(['-', '_']).next().unwrap_or(code)
}

/// Japanese or Chinese, by the characters alone: where Kana are, is Japanese. How sure that is, from 0 to 1.
fn wide(text: &str, known: &[String]) -> Option<(usize, f64)> {
    let (mut kana, mut han, mut letters) = (0_usize, 0_usize, 0_usize);
    for c in text.chars().filter(|c| c.is_alphabetic()) {
        letters += 1;
        kana += usize::from(matches!(c, '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}'));
        han += usize::from(matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'));
    }
    // A word of Latin script has more letters than one of Han.
    if 5 * (kana + han) < letters || kana + han == 0 {
        return None;
    }
    let place = |wanted: &[&str]| known.iter().position(|code| wanted.contains(&base(code)));
    let (japanese, chinese) = (place(&["ja"]), place(&["zh", "cmn"]));
    match (japanese, chinese) {
        (Some(japanese), Some(_)) if 20 * kana >= kana + han && kana > 0 => Some((japanese, 1.0)),
        (Some(_), Some(chinese)) => Some((chinese, if han >= 8 { 0.9 } else { 0.5 })),
        (one, other) => one.or(other).map(|place| (place, 1.0)),
    }
}

/// The language most of whose frequent words stand in a text, if they tell.
fn by_words(text: &str, known: &[String]) -> Option<(usize, f64)> {
    let mut votes = vec![0.0; known.len()];
    let mut count = 0.0;
    let apostrophe = |c: Option<char>| c.is_some_and(|c| matches!(c, '\'' | '’'));
    let mut last = None;
    for part in text.split_inclusive(|c: char| !c.is_alphabetic()) {
        let word = part.trim_end_matches(|c: char| !c.is_alphabetic());
        let (before, after) = (last, part[word.len()..].chars().next());
        last = after;
        if word.is_empty() {
            continue;
        }
        count += 1.0;
        let word = word.to_lowercase();
        let elided = (apostrophe(after).then(|| format!("{word}'")), apostrophe(before).then(|| format!("'{word}")));
        let forms = [elided.0, elided.1, Some(word)];
        let codes = forms.iter().flatten().find_map(|form| WORDS.get(form.as_str())).map_or(&[][..], Vec::as_slice);
        let has = |code: &String| codes.contains(&if base(code) == "nb" { "no" } else { base(code) });
        let sharing = known.iter().filter(|code| has(code)).count() as f64;
        for (vote, _) in votes.iter_mut().zip(known).filter(|(_, code)| has(code)) {
            *vote += 1.0 / sharing;
        }
    }
    let (place, best) = votes.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    let second =
        votes.iter().enumerate().filter(|(other, _)| *other != place).fold(0.0, |most, (_, &vote)| vote.max(most));
    let tells = best >= second + 0.5 && best >= FREQUENT * count;
    tells.then(|| (place, (best - second) / (best + second + 0.25)))
}

/// The language by its trigrams of letters.
fn by_letters(text: &str, known: &[String]) -> Option<(usize, f64)> {
    let languages: Vec<(Lang, usize)> =
        known.iter().enumerate().filter_map(|(place, code)| Some((language(code)?, place))).collect();
    let detector = Detector::with_allowlist(languages.iter().map(|(language, _)| *language).collect());
    let found = (!languages.is_empty()).then(|| detector.detect(text)).flatten()?;
    let place = languages.iter().find(|(language, _)| *language == found.lang())?.1;
    Some((place, found.confidence()))
}

fn language(code: &str) -> Option<Lang> {
    let base = base(code);
    let mut codes = CODES.split_whitespace();
    while let (Some(two), Some(three)) = (codes.next(), codes.next()) {
        if two == base {
            return Lang::from_code(three);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(text: &str, known: &[&str]) -> (String, bool) {
        let known: Vec<String> = known.iter().map(ToString::to_string).collect();
        let found = detect(text, &known);
        assert_eq!(found.len(), known.len());
        let sum: f64 = found.iter().map(|found| found.confidence).sum();
        assert!(sum <= 1.0 + 1e-9, "{found:?}");
        assert!(found.windows(2).all(|pair| pair[0].confidence >= pair[1].confidence), "{found:?}");
        (found[0].language.clone(), found[0].confidence > 0.0)
    }

    #[test]
    fn texts_are_told_apart() {
        let known = ["en", "de", "fr", "zh-Hans", "xx"];
        for (text, expected) in [
            ("Where is the station?", "en"),
            ("Guten Morgen", "de"),
            ("iPhone 的新版本", "zh-Hans"),
            ("there are two houses", "en"),
            ("Ich weiß nicht, was du meinst.", "de"),
            ("Je ne sais pas où est la gare.", "fr"),
            ("你好，世界", "zh-Hans"),
        ] {
            assert_eq!(best(text, &known), (expected.into(), true), "{text}");
        }
        for text in ["", "123", "😀"] {
            assert_eq!(best(text, &known), ("en".into(), false), "{text}");
        }
        assert_eq!(best("Good morning", &["xx"]), ("xx".into(), false));
    }

    #[test]
    fn every_code_is_one_of_the_detector() {
        let pairs: Vec<&str> = CODES.split_whitespace().collect();
        for pair in pairs.chunks(2) {
            assert!(language(pair[0]).is_some(), "{pair:?}");
        }
    }
}
