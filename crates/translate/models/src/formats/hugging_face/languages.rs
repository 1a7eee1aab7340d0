//! The words that name languages, from the files of a tokeniser.

use crate::ModelError;
use crate::config::hugging_face::{Family, Settings};
use crate::config::{LanguagePlaces, LanguageWords};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// The languages of M2M-100 and SMaLL-100 in the order of their words.
#[rustfmt::skip]
const M2M100: [&str; 100] = [
    "af", "am", "ar", "ast", "az", "ba", "be", "bg", "bn", "br", "bs", "ca", "ceb", "cs", "cy", "da", "de", "el", "en",
    "es", "et", "fa", "ff", "fi", "fr", "fy", "ga", "gd", "gl", "gu", "ha", "he", "hi", "hr", "ht", "hu", "hy", "id",
    "ig", "ilo", "is", "it", "ja", "jv", "ka", "kk", "km", "kn", "ko", "lb", "lg", "ln", "lo", "lt", "lv", "mg", "mk",
    "ml", "mn", "mr", "ms", "my", "ne", "nl", "no", "ns", "oc", "or", "pa", "pl", "ps", "pt", "ro", "ru", "sd", "si",
    "sk", "sl", "so", "sq", "sr", "ss", "su", "sv", "sw", "ta", "th", "tl", "tn", "tr", "uk", "ur", "uz", "vi", "wo",
    "xh", "yi", "yo", "zh", "zu",
];

/// Those of the models of M2M-100's kind for the WMT of 2021.
const WMT21: [&str; 8] = ["en", "ha", "is", "ja", "cs", "ru", "zh", "de"];

/// The languages of mBART-50.
#[rustfmt::skip]
const MBART50: [&str; 52] = [
    "ar_AR", "cs_CZ", "de_DE", "en_XX", "es_XX", "et_EE", "fi_FI", "fr_XX", "gu_IN", "hi_IN", "it_IT", "ja_XX", "kk_KZ",
    "ko_KR", "lt_LT", "lv_LV", "my_MM", "ne_NP", "nl_XX", "ro_RO", "ru_RU", "si_LK", "tr_TR", "vi_VN", "zh_CN", "af_ZA",
    "az_AZ", "bn_IN", "fa_IR", "he_IL", "hr_HR", "id_ID", "ka_GE", "km_KH", "mk_MK", "ml_IN", "mn_MN", "mr_IN", "pl_PL",
    "ps_AF", "pt_XX", "sv_SE", "sw_KE", "ta_IN", "te_IN", "th_TH", "tl_XX", "uk_UA", "ur_PK", "xh_ZA", "gl_ES", "sl_SI",
];

/// A model of M2M-100's kind with these numbers of layers is SMaLL-100: M2M-100 and NLLB-200 have as many on both
/// sides.
const SMALL100_LAYERS: (usize, usize) = (12, 3);

/// The file with the settings of a tokeniser.
const CONFIG: &str = "tokenizer_config.json";

/// The settings of a tokeniser.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Tokenizer {
    tokenizer_class: String,
    source_lang: Option<String>,
    target_lang: Option<String>,
    src_lang: Option<String>,
    tgt_lang: Option<String>,
    language_codes: Option<String>,
    legacy_behaviour: bool,
    added_tokens_decoder: BTreeMap<String, AddedWord>,
}

/// A word that a tokeniser has in addition to its model's.
#[derive(Debug, Deserialize)]
struct AddedWord {
    content: String,
    #[serde(default)]
    id: Option<u32>,
}

/// The languages of a model for one pair, if the tokeniser's settings name them.
pub(super) fn pair(directory: &Path) -> Option<[String; 2]> {
    let Tokenizer { source_lang, target_lang, .. } = json(directory, CONFIG).ok()??;
    Some([source_lang?, target_lang?])
}

/// The words that name languages to the model in `directory`. `first`: the id of the first word of all translations.
pub(super) fn words(directory: &Path, settings: &Settings, first: Option<u32>) -> Result<LanguageWords, ModelError> {
    let tokenizer: Tokenizer = json(directory, CONFIG)?.unwrap_or_default();
    let mut words = added(directory, &tokenizer)?;
    words.retain(|word, _| names_language(word));
    if words.is_empty() {
        words = usual(directory, settings, &tokenizer)?;
    }
    let m2m100 = settings.family() == Family::M2m100;
    let layers = m2m100.then_some((settings.encoder_layers, settings.decoder_layers));
    let places = places(directory, &tokenizer, layers)?;
    Ok(with_defaults(places, words, tokenizer, first))
}

/// The words of the list of a model that name languages, with what the settings of a tokeniser in `directory` say
/// about them. `layers`: those of encoder and decoder. `None` if there are not two such words next to each other: a
/// word alone may look like one.
pub(crate) fn in_list(
    directory: &Path,
    list: &[String],
    layers: (usize, usize),
) -> Result<Option<LanguageWords>, ModelError> {
    let named = (0..).zip(list).filter(|(_, word)| names_language(word));
    let words: BTreeMap<String, u32> = named.map(|(id, word)| (word.clone(), id)).collect();
    let mut ids: Vec<u32> = words.values().copied().collect();
    ids.sort_unstable();
    if !ids.windows(2).any(|pair| pair[1] == pair[0] + 1) {
        return Ok(None);
    }
    let tokenizer: Tokenizer = json(directory, CONFIG)?.unwrap_or_default();
    let places = places(directory, &tokenizer, Some(layers))?;
    Ok(Some(with_defaults(places, words, tokenizer, None)))
}

/// Where the words of languages stand. `layers`: those of encoder and decoder of a model that may be SMaLL-100.
fn places(
    directory: &Path,
    tokenizer: &Tokenizer,
    layers: Option<(usize, usize)>,
) -> Result<LanguagePlaces, ModelError> {
    let class = tokenizer.tokenizer_class.to_ascii_lowercase();
    if class.starts_with("mbarttokenizer") {
        let advice = "mBART-50 is read, whose tokeniser is `MBart50Tokenizer`";
        return Err(ModelError::unsupported(directory, "mBART of 25 languages", advice));
    }
    let is_small100 = class.contains("small100")
        || directory.join("tokenization_small100.py").is_file()
        || layers == Some(SMALL100_LAYERS);
    Ok(match is_small100 {
        true => LanguagePlaces::TargetBeforeSource,
        false if tokenizer.legacy_behaviour => LanguagePlaces::SourceLast,
        false => LanguagePlaces::SourceAndTarget,
    })
}

/// The words, and the languages of requests that name none: those of the tokeniser, or the target's by the word
/// `first`.
fn with_defaults(
    places: LanguagePlaces,
    words: BTreeMap<String, u32>,
    tokenizer: Tokenizer,
    first: Option<u32>,
) -> LanguageWords {
    let known = |language: Option<String>| {
        let language = language?;
        [format!("__{language}__"), language].into_iter().find(|word| words.contains_key(word))
    };
    let (source, target) = (known(tokenizer.src_lang), known(tokenizer.tgt_lang));
    let first = words.iter().find(|(_, id)| Some(**id) == first).map(|(word, _)| word.clone());
    LanguageWords { places, source, target: first.or(target), words }
}

/// The words that a tokeniser has in addition to its model's, with their ids.
fn added(directory: &Path, tokenizer: &Tokenizer) -> Result<BTreeMap<String, u32>, ModelError> {
    #[derive(Deserialize)]
    struct Whole {
        #[serde(default)]
        added_tokens: Vec<AddedWord>,
    }
    if let Some(Whole { added_tokens }) = json(directory, "tokenizer.json")? {
        return Ok(added_tokens.into_iter().filter_map(|word| Some((word.content, word.id?))).collect());
    }
    if let Some(words) = json(directory, "added_tokens.json")? {
        return Ok(words);
    }
    let words = tokenizer.added_tokens_decoder.iter();
    Ok(words.filter_map(|(id, word)| Some((word.content.clone(), id.parse().ok()?))).collect())
}

/// The words of the published models, whose tokenisers have them in their programs: M2M-100's after the words of
/// `vocab.json`, mBART's before the last word.
fn usual(directory: &Path, settings: &Settings, tokenizer: &Tokenizer) -> Result<BTreeMap<String, u32>, ModelError> {
    let list: Option<BTreeMap<String, Value>> = json(directory, "vocab.json")?;
    let (names, first) = match (settings.family(), list) {
        (Family::M2m100, Some(list)) => {
            let codes = if tokenizer.language_codes.as_deref() == Some("wmt21") { &WMT21[..] } else { &M2M100 };
            (codes.iter().map(|code| format!("__{code}__")).collect::<Vec<_>>(), Some(list.len()))
        }
        (Family::Mbart, _) => {
            let first = settings.vocab_size.checked_sub(MBART50.len() + 1);
            (MBART50.map(str::to_owned).to_vec(), first)
        }
        _ => (Vec::new(), None),
    };
    let first = first.and_then(|first| u32::try_from(first).ok());
    let problem = "its languages are not there: copy the files of its tokeniser, too (`tokenizer.json`, or                    `sentencepiece.bpe.model`, `vocab.json` and `tokenizer_config.json`)";
    let first = first.ok_or_else(|| ModelError::settings(directory, problem))?;
    // More words than fit in the model are refused with its other settings.
    Ok(names.into_iter().zip(first..).collect())
}

/// Whether a word names a language: `__de__`, `deu_Latn`, `de_DE`, `en_XX`.
fn names_language(word: &str) -> bool {
    let letters = |part: &str, shortest: usize, longest: usize| {
        (shortest..=longest).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    if let Some(code) = word.strip_prefix("__").and_then(|rest| rest.strip_suffix("__")) {
        return letters(code, 2, 3);
    }
    let Some((language, script)) = word.split_once('_') else { return false };
    letters(language, 2, 3) && language.bytes().all(|byte| byte.is_ascii_lowercase()) && letters(script, 2, 4)
}

/// The content of a file of the directory, if it is there.
fn json<T: for<'de> Deserialize<'de>>(directory: &Path, name: &str) -> Result<Option<T>, ModelError> {
    let path = directory.join(name);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(ModelError::io(&path, "read", error)),
    };
    serde_json::from_slice(&bytes).map(Some).map_err(|e| ModelError::settings(&path, format!("can not be read: {e}")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use std::fs;

    fn settings(model_type: &str, more: &str) -> Settings {
        let json = format!(r#"{{"model_type":"{model_type}"{more}}}"#);
        Settings::parse(Path::new("config.json"), json.as_bytes()).unwrap()
    }

    /// The languages of a directory with these files.
    fn of(settings: &Settings, files: &[(&str, &str)]) -> Result<LanguageWords, ModelError> {
        let folder = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
        words(folder.path(), settings, None)
    }

    #[test]
    fn words_of_languages_are_known() {
        for word in ["__de__", "__ast__", "deu_Latn", "ace_Arab", "de_DE", "en_XX"] {
            assert!(names_language(word), "{word}");
        }
        for word in ["<mask>", "__", "____", "__d__", "De_DE", "deu_", "_Latn", "madeupword0000", "deu_Latin1"] {
            assert!(!names_language(word), "{word}");
        }
    }

    #[test]
    fn languages_come_from_the_files_of_the_tokeniser() {
        let m2m = settings("m2m_100", "");
        let found = of(&m2m, &[("vocab.json", r#"{"<s>":0,"<pad>":1,"</s>":2,"<unk>":3}"#)]).unwrap();
        assert_eq!((found.words["__af__"], found.words["__zu__"], found.words.len()), (4, 103, 100));
        assert_eq!((found.places, found.source), (LanguagePlaces::SourceAndTarget, None));
        let tokenizer = r#"{"added_tokens":[{"id":9,"content":"deu_Latn"},{"id":8,"content":"<mask>"}],"model":{}}"#;
        let nllb = r#"{"tokenizer_class":"NllbTokenizer","src_lang":"deu_Latn","legacy_behaviour":true}"#;
        let found = of(&m2m, &[("tokenizer.json", tokenizer), ("tokenizer_config.json", nllb)]).unwrap();
        assert_eq!((found.words.len(), found.words["deu_Latn"]), (1, 9));
        assert_eq!((found.places, found.source.as_deref()), (LanguagePlaces::SourceLast, Some("deu_Latn")));
        let added = ("added_tokens.json", r#"{"__de__":7}"#);
        let small = settings("m2m_100", r#","encoder_layers":12,"decoder_layers":3"#);
        let found = of(&small, &[added, ("tokenizer_config.json", r#"{"tgt_lang":"de"}"#)]).unwrap();
        assert_eq!((found.places, found.target.as_deref()), (LanguagePlaces::TargetBeforeSource, Some("__de__")));
        let decoder = r#"{"added_tokens_decoder":{"5":{"content":"__fr__"}}}"#;
        assert_eq!(of(&m2m, &[("tokenizer_config.json", decoder)]).unwrap().words["__fr__"], 5);
        let mbart = settings("mbart", r#","vocab_size":250054"#);
        assert_eq!(of(&mbart, &[]).unwrap().words["ar_AR"], 250_001);
        let refused = of(&m2m, &[]).unwrap_err().to_string();
        assert!(refused.contains("copy the files of its tokeniser"), "{refused}");
        let refused = of(&mbart, &[("tokenizer_config.json", r#"{"tokenizer_class":"MBartTokenizer"}"#)]);
        assert!(refused.unwrap_err().to_string().contains("25 languages"));
    }
}
