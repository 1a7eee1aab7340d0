//! The language of a text, among the languages at hand.

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

/// The languages of `known` that a text may be in, the most probable one first. A text without letters of any of them has the first one
/// with confidence 0.
#[must_use]
pub fn detect(text: &str, known: &[String]) -> Vec<Detected> {
    let languages: Vec<(Lang, &String)> = known.iter().filter_map(|code| Some((language(code)?, code))).collect();
    let detector = Detector::with_allowlist(languages.iter().map(|(language, _)| *language).collect());
    let found = (!languages.is_empty()).then(|| detector.detect(text)).flatten();
    let best = found.and_then(|found| {
        let code = languages.iter().find(|(language, _)| *language == found.lang())?.1;
        Some(Detected { language: code.clone(), confidence: found.confidence() })
    });
    let others = known.iter().filter(|code| best.as_ref().is_none_or(|best| best.language != **code));
    let rest = best.as_ref().map_or(0.0, |best| (1.0 - best.confidence) / (known.len() - 1).max(1) as f64);
    let others = others.map(|code| Detected { language: code.clone(), confidence: rest });
    best.iter().cloned().chain(others).collect()
}

fn language(code: &str) -> Option<Lang> {
    let base = code.split(['-', '_']).next()?;
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
        (found[0].language.clone(), found[0].confidence > 0.0)
    }

    #[test]
    fn texts_are_told_apart() {
        let known = ["en", "de", "fr", "zh-Hans", "xx"];
        for (text, expected) in [
            ("Where is the station?", "en"),
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
