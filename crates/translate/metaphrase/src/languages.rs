//! The languages of a model of several: words name the one that it reads and the one that it writes.
//!
//! | model | source | translation |
//! |---|---|---|
//! | OPUS-MT | `>>deu<<` first | |
//! | MADLAD-400 | `<2de>` first | |
//! | SMaLL-100 | `__de__` first | |
//! | M2M-100, NLLB-200, mBART-50 | `__en__`, `eng_Latn`, `en_XX` first | `__de__`, `deu_Latn`, `de_DE` first |
//! | packages of Argos Translate with a `target_prefix` | | that first |
//! | the first tokenisers of NLLB-200 | `eng_Latn` last | `deu_Latn` first |

use crate::Error;
use metaphrase_base::WordId;
use metaphrase_models::config::{LanguagePlaces, LanguageWords};
use metaphrase_text::vocab::Vocabulary;

/// The codes of ISO 639-1 and those of ISO 639-3 for the same languages.
#[rustfmt::skip]
pub(crate) const LONG_CODES: [(&str, &str); 108] = [
    ("af", "afr"), ("am", "amh"), ("an", "arg"), ("ar", "ara"), ("as", "asm"), ("az", "aze"), ("ba", "bak"),
    ("be", "bel"), ("bg", "bul"), ("bn", "ben"), ("bo", "bod"), ("br", "bre"), ("bs", "bos_Latn"), ("ca", "cat"),
    ("co", "cos"), ("cs", "ces"), ("cv", "chv"), ("cy", "cym"), ("da", "dan"), ("de", "deu"), ("dz", "dzo"),
    ("el", "ell"), ("en", "eng"), ("eo", "epo"), ("es", "spa"), ("et", "est"), ("eu", "eus"), ("fa", "fas"),
    ("fi", "fin"), ("fj", "fij"), ("fo", "fao"), ("fr", "fra"), ("fy", "fry"), ("ga", "gle"), ("gd", "gla"),
    ("gl", "glg"), ("gn", "grn"), ("gu", "guj"), ("gv", "glv"), ("ha", "hau"), ("he", "heb"), ("hi", "hin"),
    ("hr", "hrv"), ("ht", "hat"), ("hu", "hun"), ("hy", "hye"), ("ia", "ina"), ("id", "ind"), ("ig", "ibo"),
    ("io", "ido"), ("is", "isl"), ("it", "ita"), ("ja", "jpn"), ("jv", "jav"), ("ka", "kat"), ("kk", "kaz"),
    ("km", "khm"), ("kn", "kan"), ("ko", "kor"), ("ku", "kur"), ("kw", "cor"), ("ky", "kir"), ("la", "lat"),
    ("lb", "ltz"), ("lo", "lao"), ("lt", "lit"), ("lv", "lav"), ("mg", "mlg"), ("mi", "mri"), ("mk", "mkd"),
    ("ml", "mal"), ("mn", "mon"), ("mr", "mar"), ("ms", "msa"), ("mt", "mlt"), ("my", "mya"), ("nb", "nob"),
    ("ne", "nep"), ("nl", "nld"), ("nn", "nno"), ("no", "nor"), ("oc", "oci"), ("pa", "pan"), ("pl", "pol"),
    ("ps", "pus"), ("pt", "por"), ("qu", "que"), ("rm", "roh"), ("ro", "ron"), ("ru", "rus"), ("se", "sme"),
    ("si", "sin"), ("sk", "slk"), ("sl", "slv"), ("so", "som"), ("sq", "sqi"), ("sr", "srp_Cyrl"), ("sv", "swe"),
    ("sw", "swa"), ("ta", "tam"), ("te", "tel"), ("th", "tha"), ("tl", "tgl"), ("tr", "tur"), ("uk", "ukr"),
    ("ur", "urd"), ("vi", "vie"), ("zh", "cmn_Hans"),
];

/// The individual languages that models name in place of a macro-language.
#[rustfmt::skip]
pub(crate) const OTHER_CODES: [(&str, &str); 24] = [
    ("ar", "arb"), ("ay", "ayr"), ("az", "azj"), ("et", "est"), ("fa", "pes"), ("gn", "grn"), ("ku", "kmr"),
    ("lv", "lvs"), ("mg", "plt"), ("mn", "khk"), ("ms", "zsm"), ("ne", "npi"), ("no", "nob"), ("or", "ory"),
    ("ps", "pbt"), ("qu", "quy"), ("sq", "als"), ("sw", "swh"), ("ti", "tir"), ("ug", "uig"), ("uz", "uzn"),
    ("yi", "ydd"), ("yo", "yor"), ("zh", "zho_Hans"),
];

/// The languages of a model of several.
#[derive(Debug, Clone)]
pub(crate) struct Languages {
    places: LanguagePlaces,
    /// Codes and words, in alphabetical order.
    known: Vec<(String, WordId)>,
    /// The languages where a request names none.
    source: Option<String>,
    target: Option<String>,
    /// Whether the model needs no source language and does not need a target language: lines may name it.
    in_lines: bool,
}

/// The words that name the languages of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LanguageMarks {
    /// Before the source.
    pub(crate) before: Option<WordId>,
    /// After the end of the source.
    pub(crate) last: Option<WordId>,
    /// Before the translation.
    pub(crate) first: Option<WordId>,
}

/// The sides of a translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Source,
    Target,
}

impl Languages {
    /// The languages of a model with this source vocabulary. `words`: those that the model's settings name.
    pub(crate) fn new(words: Option<&LanguageWords>, source: &Vocabulary) -> Self {
        if let Some(words) = words.filter(|words| !words.words.is_empty()) {
            return Self::listed(words);
        }
        let angles = words.is_some();
        let written = (0..source.len()).map(WordId::new).filter_map(|word| {
            let text = source.word(word);
            let code = in_arrows(text).or_else(|| after_two(text).filter(|_| angles))?;
            Some((code.to_owned(), word))
        });
        let places = words.map_or(LanguagePlaces::TargetBeforeSource, |words| words.places);
        Self::with_known(places, words, written.collect(), true)
    }

    /// The languages of a model whose settings name their words.
    pub(crate) fn listed(words: &LanguageWords) -> Self {
        let known = words.words.iter().map(|(word, &number)| (code(word).to_owned(), WordId(number))).collect();
        Self::with_known(words.places, Some(words), known, false)
    }

    fn with_known(
        places: LanguagePlaces,
        words: Option<&LanguageWords>,
        mut known: Vec<(String, WordId)>,
        in_lines: bool,
    ) -> Self {
        known.sort_unstable();
        let default = |word: &Option<String>| word.as_deref().map(|word| code(word).to_owned());
        let (source, target) = words.map_or((None, None), |words| (default(&words.source), default(&words.target)));
        Self { places, known, source, target, in_lines }
    }

    /// The codes of the target languages: those of two letters, with a script if need be, that mean the same word.
    pub(crate) fn short_targets(&self) -> Vec<String> {
        let mut codes: Vec<String> = Vec::with_capacity(self.known.len());
        for (code, word) in &self.known {
            let short = self.short_codes(code).into_iter().find(|short| {
                self.find(short, Side::Target).is_ok_and(|found| found == *word) && !codes.contains(short)
            });
            codes.push(short.unwrap_or_else(|| code.clone()));
        }
        codes
    }

    /// Shorter codes for a code, the shortest first.
    fn short_codes(&self, code: &str) -> Vec<String> {
        let (language, script) = code.split_once(['_', '-']).map_or((code, None), |(start, rest)| (start, Some(rest)));
        let same = |(short, long): &(&str, &str)| {
            language.eq_ignore_ascii_case(short)
                || language.eq_ignore_ascii_case(long.split('_').next().unwrap_or_default())
        };
        let shorts = LONG_CODES.iter().chain(&OTHER_CODES).filter(|pair| same(pair)).map(|(short, _)| *short);
        let with_script = |short: &str| script.map(|script| format!("{short}-{script}"));
        shorts.flat_map(|short| [Some(short.to_owned()), with_script(short)]).flatten().collect()
    }

    /// The codes of the source languages, if the model needs to know which one it reads; else empty.
    pub(crate) fn sources(&self) -> Vec<String> {
        if self.in_lines || self.places == LanguagePlaces::Target { Vec::new() } else { self.targets() }
    }

    /// The codes of the target languages.
    pub(crate) fn targets(&self) -> Vec<String> {
        self.known.iter().map(|(code, _)| code.clone()).collect()
    }

    /// The words for these languages, which are given as in [`targets`](Self::targets), as the whole word, or by a code
    /// of two or three letters.
    pub(crate) fn marks(&self, source: Option<&str>, target: Option<&str>) -> Result<LanguageMarks, Error> {
        let from = source.map(|language| self.find(language, Side::Source)).transpose()?;
        let to = target.map(|language| self.find(language, Side::Target)).transpose()?;
        if self.in_lines {
            return Ok(LanguageMarks { before: to, ..LanguageMarks::default() });
        }
        let to = self.or_default(to, self.target.as_deref(), Side::Target)?;
        if self.places == LanguagePlaces::TargetBeforeSource {
            return Ok(LanguageMarks { before: Some(to), ..LanguageMarks::default() });
        }
        if self.places == LanguagePlaces::Target {
            return Ok(LanguageMarks { first: Some(to), ..LanguageMarks::default() });
        }
        let from = Some(self.or_default(from, self.source.as_deref(), Side::Source)?);
        let (before, last) = if self.places == LanguagePlaces::SourceLast { (None, from) } else { (from, None) };
        Ok(LanguageMarks { before, last, first: Some(to) })
    }

    /// Whether a source word chooses a target language in a line.
    pub(crate) fn is_in_line(&self, word: WordId) -> bool {
        self.in_lines && self.known.iter().any(|(_, known)| *known == word)
    }

    fn or_default(&self, found: Option<WordId>, default: Option<&str>, side: Side) -> Result<WordId, Error> {
        match (found, default) {
            (Some(word), _) => Ok(word),
            (None, Some(default)) => self.find(default, side),
            (None, None) => {
                let side = if side == Side::Source { "source" } else { "target" };
                Err(Error::LanguageNeeded { side, known: self.targets().join(", ") })
            }
        }
    }

    /// The word of a language.
    fn find(&self, language: &str, side: Side) -> Result<WordId, Error> {
        let asked = code(language);
        match self.candidates(asked).into_iter().find_map(|candidate| self.word(&candidate)) {
            _ if side == Side::Source && (self.in_lines || self.places == LanguagePlaces::Target) => {
                Err(Error::NoSourceLanguages { language: asked.to_owned() })
            }
            Some(word) => Ok(word),
            None if self.known.is_empty() => Err(Error::NoTargetLanguages { language: asked.to_owned() }),
            None => {
                let (language, known) = (asked.to_owned(), self.targets().join(", "));
                Err(match side {
                    Side::Source => Error::SourceLanguage { language, known },
                    Side::Target => Error::TargetLanguage { language, known },
                })
            }
        }
    }

    /// The codes under which a model may know a language, the likeliest first.
    fn candidates(&self, asked: &str) -> Vec<String> {
        let mut candidates = vec![asked.to_owned()];
        // `de-DE`, `zh-Hant`
        let plain = asked.replace('-', "_");
        let language = plain.split('_').next().unwrap_or_default().to_owned();
        candidates.extend([plain.clone(), language.clone()]);
        let same = |(short, long): &(&str, &str)| {
            let alone = long.split('_').next().unwrap_or_default();
            language.eq_ignore_ascii_case(short) || language.eq_ignore_ascii_case(alone)
        };
        for (short, long) in LONG_CODES.iter().chain(&OTHER_CODES).filter(|pair| same(pair)) {
            // A script that is asked for counts before the usual one.
            if let Some((_, script)) = plain.split_once('_') {
                candidates.push(format!("{}_{script}", long.split('_').next().unwrap_or_default()));
            }
            candidates.extend([*long, long.split('_').next().unwrap_or_default(), short].map(str::to_owned));
        }
        candidates
    }

    /// The word of a code, or of the only code that begins with it and a script or a country.
    fn word(&self, code: &str) -> Option<WordId> {
        let equal = self.known.iter().find(|(known, _)| known.eq_ignore_ascii_case(code));
        let begins = |known: &str| {
            let (start, rest) = known.split_at_checked(code.len()).unwrap_or_default();
            start.eq_ignore_ascii_case(code) && rest.starts_with('_') && !code.contains('_')
        };
        let mut longer = self.known.iter().filter(|(known, _)| !self.in_lines && begins(known));
        let only = longer.next().filter(|_| longer.next().is_none());
        equal.or(only).map(|(_, word)| *word)
    }
}

/// The code of a word that names a language; other words are codes themselves.
fn code(word: &str) -> &str {
    let dashes = word.strip_prefix("__").and_then(|rest| rest.strip_suffix("__")).filter(|code| !code.is_empty());
    in_arrows(word).or_else(|| after_two(word)).or(dashes).unwrap_or(word)
}

/// `>>deu<<`
fn in_arrows(word: &str) -> Option<&str> {
    let code = word.strip_prefix(">>")?.strip_suffix("<<")?;
    is_code(code).then_some(code)
}

/// `<2de>`
fn after_two(word: &str) -> Option<&str> {
    let code = word.strip_prefix("<2")?.strip_suffix('>')?;
    (is_code(code) && code.len() >= 2 && code.starts_with(|c: char| c.is_ascii_lowercase())).then_some(code)
}

fn is_code(code: &str) -> bool {
    !code.is_empty() && code.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use metaphrase_text::vocab::VocabularyFormat;

    fn vocabulary(words: &[&str]) -> Vocabulary {
        let list: String = words.iter().map(|word| format!("{word}\n")).collect();
        Vocabulary::from_bytes(VocabularyFormat::List, list.as_bytes()).unwrap()
    }

    /// The languages of a model whose settings name these words, numbered from 10.
    fn named(places: LanguagePlaces, words: &[&str]) -> Languages {
        let words = words.iter().map(|word| (*word).to_owned()).zip(10..).collect();
        let words = LanguageWords { places, source: None, target: None, words };
        Languages::new(Some(&words), &vocabulary(&["</s>", "<unk>"]))
    }

    #[test]
    fn languages_are_the_words_in_arrows() {
        let words = ["</s>", "<unk>", ">>nld<<", ">>", "<<", ">><<", ">>a b<<", ">>deu<<", ">>cmn_Hans<<", "x>>deu<<"];
        let found = Languages::new(None, &vocabulary(&words));
        assert_eq!(found.targets(), ["cmn_Hans", "deu", "nld"]);
        assert_eq!(found.sources(), [""; 0]);
        // `<2de>` is a language where the settings say that languages stand before the source.
        let words = vocabulary(&["</s>", "<unk>", "<2de>", "<2>", "<23>", "<2pt_BR>"]);
        assert_eq!(Languages::new(None, &words).targets(), [""; 0]);
        let places = LanguagePlaces::TargetBeforeSource;
        let settings = LanguageWords { places, source: None, target: None, words: Default::default() };
        let found = Languages::new(Some(&settings), &words);
        assert_eq!(found.targets(), ["de", "pt_BR"]);
        assert_eq!(found.marks(None, Some("pt-BR")).unwrap().before, Some(WordId(5)));
        assert_eq!(found.marks(None, Some("<2de>")).unwrap().before, Some(WordId(2)));
        assert!(found.is_in_line(WordId(2)) && !found.is_in_line(WordId(3)));
    }

    #[test]
    fn a_language_has_several_names() {
        let source = vocabulary(&["</s>", "<unk>", ">>deu<<", ">>cmn_Hans<<", ">>nl<<", ">>srp_Latn<<", ">>srp<<"]);
        let languages = Languages::new(None, &source);
        let word = |language: &str| {
            let marks = languages.marks(None, Some(language))?;
            Ok::<_, Error>(source.word(marks.before.unwrap()).to_owned())
        };
        for (language, expected) in [
            ("deu", ">>deu<<"),
            ("de", ">>deu<<"),
            ("DE", ">>deu<<"),
            (">>deu<<", ">>deu<<"),
            ("zh", ">>cmn_Hans<<"),
            ("cmn_hans", ">>cmn_Hans<<"),
            ("nl", ">>nl<<"),
            ("sr", ">>srp<<"),
        ] {
            assert_eq!(word(language).unwrap(), expected, "{language}");
        }
        let refused = word("xyz").unwrap_err().to_string();
        assert!(refused.contains("`xyz`") && refused.contains("cmn_Hans, deu, nl, srp, srp_Latn"), "{refused}");
        let refused = languages.marks(Some("en"), Some("de")).unwrap_err().to_string();
        assert!(refused.contains("does not need the source language"), "{refused}");
        let none = Languages::new(None, &vocabulary(&["</s>", "<unk>", "a"]));
        let refused = none.marks(None, Some("de")).unwrap_err().to_string();
        assert!(refused.contains("leave the target language out"), "{refused}");
        assert_eq!(none.marks(None, None).unwrap(), LanguageMarks::default());
    }

    #[test]
    fn models_of_many_languages_are_told_both() {
        let words = ["arb_Arab", "deu_Latn", "eng_Latn", "nob_Latn", "zho_Hans", "zho_Hant"];
        let nllb = named(LanguagePlaces::SourceAndTarget, &words);
        let pair = |source: &str, target: &str| {
            let marks = nllb.marks(Some(source), Some(target))?;
            Ok::<_, Error>([marks.before, marks.first].map(|word| words[word.unwrap().index() - 10]))
        };
        assert_eq!(pair("en", "de").unwrap(), ["eng_Latn", "deu_Latn"]);
        assert_eq!(pair("ENG", "deu_latn").unwrap(), ["eng_Latn", "deu_Latn"]);
        assert_eq!(pair("zh", "ar").unwrap(), ["zho_Hans", "arb_Arab"]);
        assert_eq!(pair("zh-Hant", "no").unwrap(), ["zho_Hant", "nob_Latn"]);
        assert!(
            pair("fr", "de").unwrap_err().to_string().contains("does not translate from `fr`; its languages are arb")
        );
        assert!(pair("de", "fr").unwrap_err().to_string().contains("does not translate into `fr`"));
        let needed = nllb.marks(None, Some("de")).unwrap_err().to_string();
        assert!(needed.contains("source language") && needed.contains("zho_Hant"), "{needed}");
        let words = ["__ar__", "__de__", "__en__", "__zh__"];
        let m2m = named(LanguagePlaces::SourceAndTarget, &words);
        for language in ["de", "deu", "__de__", "de-DE", "deu_Latn"] {
            assert_eq!(m2m.marks(Some(language), Some("zh-CN")).unwrap().before, Some(WordId(11)), "{language}");
        }
        let mbart = named(LanguagePlaces::SourceAndTarget, &["de_DE", "en_XX", "zh_CN"]);
        let marks = mbart.marks(Some("en"), Some("deu")).unwrap();
        assert_eq!((marks.before, marks.last, marks.first), (Some(WordId(11)), None, Some(WordId(10))));
        let last = named(LanguagePlaces::SourceLast, &["deu_Latn", "eng_Latn"]).marks(Some("en"), Some("de")).unwrap();
        assert_eq!((last.before, last.last, last.first), (None, Some(WordId(11)), Some(WordId(10))));
        let small = named(LanguagePlaces::TargetBeforeSource, &words).marks(Some("en"), Some("de")).unwrap();
        assert_eq!((small.before, small.first), (Some(WordId(11)), None));
    }
}
