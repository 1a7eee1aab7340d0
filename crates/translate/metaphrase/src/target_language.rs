//! The target language of a model of several: OPUS-MT's models read it as a word before the sentence, as `>>deu<<`.

use crate::Error;
use metaphrase_base::WordId;
use metaphrase_text::vocab::Vocabulary;

/// The codes of ISO 639-1 and those of ISO 639-3 for the same languages.
#[rustfmt::skip]
const LONG_CODES: [(&str, &str); 108] = [
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

/// The target languages among the words of a source vocabulary, in alphabetical order.
pub(crate) fn languages(source: &Vocabulary) -> Vec<String> {
    let words = (0..source.len()).map(|word| source.word(WordId::new(word)));
    let mut languages: Vec<String> = words.filter_map(code).map(str::to_owned).collect();
    languages.sort_unstable();
    languages
}

/// The code of a word that names a target language.
pub(crate) fn code(word: &str) -> Option<&str> {
    let code = word.strip_prefix(">>")?.strip_suffix("<<")?;
    let is_code = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    (!code.is_empty() && code.chars().all(is_code)).then_some(code)
}

/// The word that makes the model translate into a language, which is given as in `languages`, as the whole word, or by
/// its code of two letters.
pub(crate) fn mark(source: &Vocabulary, languages: &[String], language: &str) -> Result<WordId, Error> {
    let asked = code(language).unwrap_or(language);
    let long = LONG_CODES.iter().find(|(short, _)| asked.eq_ignore_ascii_case(short)).map(|(_, long)| *long);
    let tried = [Some(asked), long, long.and_then(|long| long.split('_').next())];
    let known = |asked: &str| languages.iter().find(|known| known.eq_ignore_ascii_case(asked));
    let found = tried.into_iter().flatten().find_map(known);
    match found.and_then(|found| source.id(&format!(">>{found}<<"))) {
        Some(mark) => Ok(mark),
        None if languages.is_empty() => Err(Error::NoTargetLanguages { language: asked.to_owned() }),
        None => Err(Error::TargetLanguage { language: asked.to_owned(), known: languages.join(", ") }),
    }
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

    #[test]
    fn languages_are_the_words_in_arrows() {
        let words = ["</s>", "<unk>", ">>nld<<", ">>", "<<", ">><<", ">>a b<<", ">>deu<<", ">>cmn_Hans<<", "x>>deu<<"];
        assert_eq!(languages(&vocabulary(&words)), ["cmn_Hans", "deu", "nld"]);
    }

    #[test]
    fn a_language_has_several_names() {
        let source = vocabulary(&["</s>", "<unk>", ">>deu<<", ">>cmn_Hans<<", ">>nl<<", ">>srp_Latn<<", ">>srp<<"]);
        let languages = languages(&source);
        let word = |language: &str| mark(&source, &languages, language).map(|word| source.word(word).to_owned());
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
        let none = vocabulary(&["</s>", "<unk>", "a"]);
        let refused = mark(&none, &[], "de").unwrap_err().to_string();
        assert!(refused.contains("leave the target language out"), "{refused}");
    }
}
