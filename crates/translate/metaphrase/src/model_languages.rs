//! Between which languages a model translates, without loading its weights: by its settings, its vocabulary, its files'
//! names and its own.

use crate::languages::{LONG_CODES, Languages, OTHER_CODES};
use metaphrase_models::NamedLanguages;
use metaphrase_models::config::LanguagePlaces;
use metaphrase_text::vocab::Vocabulary;
use std::path::Path;

/// The languages of a model, by codes that [`Translator::between`](crate::Translator::between) takes: those of two
/// letters where the model has no two languages for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelLanguages {
    /// The source languages.
    pub sources: Vec<String>,
    /// The target languages. The model translates from each source to each other target.
    pub targets: Vec<String>,
}

/// The codes of groups of languages, which the names of models of OPUS-MT have: no text is in such a language.
#[rustfmt::skip]
const GROUPS: [&str; 62] = [
    "aav", "afa", "alv", "apa", "art", "ath", "aus", "bad", "bai", "bat", "ber", "bih", "bnt", "cau", "ccs", "cdd",
    "cel", "cpf", "cpp", "crp", "csu", "cus", "dra", "euq", "fiu", "gem", "gme", "gmq", "gmw", "grk", "iir", "inc",
    "ine", "ira", "iro", "itc", "kar", "khi", "map", "mkh", "mul", "nai", "ngf", "nic", "omq", "phi", "poz", "pqe",
    "pqw", "roa", "sai", "sal", "sem", "sit", "sla", "tai", "trk", "urj", "wen", "zle", "zls", "zlw",
];

/// Codes that the packages of Argos Translate and others have for languages of a country or a script.
const OWN_CODES: [(&str, &str); 3] = [("zt", "zh-Hant"), ("pb", "pt-BR"), ("zh_hant", "zh-Hant")];

/// What is known of a model's languages.
pub(crate) struct Clues<'a> {
    /// What the settings say.
    pub(crate) named: &'a NamedLanguages,
    /// The source vocabulary, if the settings do not list the words that name languages.
    pub(crate) vocabulary: Option<&'a Vocabulary>,
    /// The file or the directory of the tensors, and the vocabularies.
    pub(crate) files: &'a [&'a Path],
    /// The directory.
    pub(crate) directory: &'a Path,
}

impl Clues<'_> {
    /// The languages; `None`: a side has none that is known.
    pub(crate) fn languages(&self) -> Option<ModelLanguages> {
        let words = self.named.words.as_ref();
        let places = words.map(|words| words.places);
        let known = self.known();
        let all = known.as_ref().map(Languages::short_targets).unwrap_or_default();
        let pair = self.pair();
        let [read_sources, read_targets] = &self.named.readme;
        let one = |at: usize, read: &[String]| {
            let named = pair.as_ref().map(|pair| short(&pair[at])).filter(|code| !is_group(code));
            match (named, read) {
                (Some(code), _) => vec![code],
                (None, read) => read.iter().filter(|code| !is_group(code)).map(|code| short(code)).collect(),
            }
        };
        let (sources, targets) = match places {
            // The model of a package gets its one target language.
            Some(LanguagePlaces::Target) => (one(0, read_sources), one(1, read_targets)),
            // It translates between all.
            Some(_) => (all.clone(), all),
            None if all.is_empty() => (one(0, read_sources), one(1, read_targets)),
            None => (one(0, read_sources), all),
        };
        let known = !sources.is_empty() && !targets.is_empty() && (sources.len() > 1 || sources != targets);
        known.then_some(ModelLanguages { sources, targets })
    }

    /// The languages that words name.
    fn known(&self) -> Option<Languages> {
        let words = self.named.words.as_ref();
        match self.vocabulary {
            Some(vocabulary) => Some(Languages::new(words, vocabulary)),
            None => words.map(Languages::listed),
        }
    }

    /// The pair of languages that the settings have, or the names of the files, or that of the directory.
    fn pair(&self) -> Option<[String; 2]> {
        let named = self.named.pair.clone();
        let file = |path: &&Path| pair_in_file(path.file_name()?.to_str()?);
        named
            .or_else(|| self.files.iter().find_map(file))
            .or_else(|| pair_in_name(directory_name(self.directory)?.as_str()))
    }
}

/// The name of a directory; in a cache of Hugging Face, the name of the model.
fn directory_name(directory: &Path) -> Option<String> {
    let whole = std::path::absolute(directory).ok()?;
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    // `models--OWNER--NAME/snapshots/HASH`; packages of Argos Translate have their model in a folder `model`.
    let above = whole.parent()?;
    match name(above).as_deref() {
        Some("snapshots") => above.parent().and_then(name),
        _ if whole.ends_with("model") => name(above),
        _ => name(&whole),
    }
}

fn is_group(code: &str) -> bool {
    GROUPS.contains(&code)
}

/// The code of two letters for a language whose own one is usual.
fn short(code: &str) -> String {
    if let Some((_, own)) = OWN_CODES.iter().find(|(known, _)| known.eq_ignore_ascii_case(code)) {
        return (*own).to_owned();
    }
    let found = LONG_CODES.iter().chain(&OTHER_CODES).find(|(_, long)| *long == code);
    found.map_or_else(|| code.to_owned(), |(short, _)| (*short).to_owned())
}

/// Whether a code is one of the languages that models usually have.
fn is_known(code: &str) -> bool {
    let same = |(short, long): &(&str, &str)| *short == code || long.split('_').next() == Some(code);
    LONG_CODES.iter().chain(&OTHER_CODES).any(same) || OWN_CODES.iter().any(|(own, _)| *own == code)
}

/// Two codes of two letters in one word, as in `enpt`.
fn joined(word: &str) -> Option<[String; 2]> {
    let (source, target) = word.split_at_checked(2).filter(|(_, target)| target.len() == 2)?;
    (is_known(source) && is_known(target) && source != target).then(|| [source.to_owned(), target.to_owned()])
}

/// The pair in a name of a file of Firefox's models and of others like them: `model.enpt.intgemm.bin`,
/// `lex.50.50.enpt.s2t.bin`.
fn pair_in_file(name: &str) -> Option<[String; 2]> {
    let (first, rest) = name.split_once('.')?;
    let is_student = ["model", "lex", "vocab", "srcvocab", "trgvocab"].contains(&first);
    rest.split('.').filter(|_| is_student).find_map(joined)
}

/// The pair in the name of a directory or an archive: `en-de`, `opus-mt-en-de`, `translate-en_de-1_0`, `enpt`.
fn pair_in_name(name: &str) -> Option<[String; 2]> {
    let name = name.rsplit("--").next().unwrap_or(name);
    let published = ["opus-mt-", "translate-"].into_iter().find_map(|start| name.strip_prefix(start));
    let rest = published.unwrap_or(name);
    let words: Vec<&str> = rest.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let is_script = |word: &&str| word.len() == 4 && word.starts_with(|c: char| c.is_ascii_uppercase());
    let words: Vec<&str> = words
        .into_iter()
        .filter(|word| !is_script(word) && !["to", "tc", "big", "base", "bible"].contains(word))
        .collect();
    let is_code = |word: &str| {
        let letters = matches!(word.len(), 2 | 3) && word.bytes().all(|byte| byte.is_ascii_lowercase());
        letters && (is_known(word) || (published.is_some() && word.len() == 3))
    };
    let mut pairs = words.windows(2).filter(|two| is_code(two[0]) && is_code(two[1]) && two[0] != two[1]);
    let first = match (pairs.next(), published) {
        // `nmt-mt-en-de`: machine translation before Maltese.
        (Some(two), None) if two[0] == "mt" => pairs.next().or(Some(two)),
        (two, _) => two,
    };
    let start = words.first().copied().unwrap_or_default();
    let with_english = |pair: &[String; 2]| pair.iter().any(|code| code == "en");
    first.map(|two| [two[0].to_owned(), two[1].to_owned()]).or_else(|| joined(start).filter(with_english))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use metaphrase_models::config::LanguageWords;
    use metaphrase_text::vocab::VocabularyFormat;

    fn pair(found: Option<[String; 2]>) -> String {
        found.map_or_else(|| "none".to_owned(), |pair| pair.join(" "))
    }

    #[test]
    fn names_have_pairs() {
        for (name, expected) in [
            ("en-de", "en de"),
            ("de_en", "de en"),
            ("opus-mt-en-de", "en de"),
            ("opus-mt-mt-en", "mt en"),
            ("opus-mt-tc-big-en-tr", "en tr"),
            ("opus-mt-en-gmw", "en gmw"),
            ("opus-mt-en-ROMANCE", "none"),
            ("opus-mt-ceb-en", "ceb en"),
            ("models--Helsinki-NLP--opus-mt-fr-en", "fr en"),
            ("translate-en_de-1_0", "en de"),
            ("translate-en_zt-1_9", "en zt"),
            ("argos-deu-eng", "deu eng"),
            ("wmt19-en-to-fr", "en fr"),
            ("nmt-mt-en-de", "en de"),
            ("enpt", "en pt"),
            ("ende.student.tiny11", "en de"),
            ("code", "none"),
            ("base", "none"),
            ("my-model-v2", "none"),
            ("nllb-200-distilled-600M", "none"),
            ("m2m100_418M", "none"),
            ("the-big-model", "none"),
            ("", "none"),
        ] {
            assert_eq!(pair(pair_in_name(name)), expected, "{name}");
        }
        for (name, expected) in [
            ("model.enpt.intgemm.alphas.bin.gz", "en pt"),
            ("lex.50.50.deen.s2t.bin", "de en"),
            ("vocab.spm", "none"),
            ("model.npz", "none"),
            ("opus.spm32k-spm32k.vocab.yml", "none"),
        ] {
            assert_eq!(pair(pair_in_file(name)), expected, "{name}");
        }
    }

    /// The languages of a directory `name` with these words in its source vocabulary.
    fn in_directory(name: &str, words: &str, readme: [&[&str]; 2]) -> Option<ModelLanguages> {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().join(name);
        std::fs::create_dir(&directory).unwrap();
        let vocabulary = Vocabulary::from_bytes(VocabularyFormat::List, words.as_bytes()).unwrap();
        let readme = readme.map(|codes| codes.iter().map(|code| (*code).to_owned()).collect());
        let named = NamedLanguages { readme, ..NamedLanguages::default() };
        let clues = Clues { named: &named, vocabulary: Some(&vocabulary), files: &[], directory: &directory };
        clues.languages()
    }

    fn shown(found: Option<ModelLanguages>) -> String {
        found.map_or_else(
            || "none".to_owned(),
            |found| format!("{} > {}", found.sources.join(" "), found.targets.join(" ")),
        )
    }

    #[test]
    fn words_and_readmes_complete_names() {
        let (plain, many) = ("</s>\n<unk>\n", "</s>\n<unk>\n>>deu<<\n>>nld<<\n>>srp_Latn<<\n>>srp_Cyrl<<\n");
        assert_eq!(shown(in_directory("deu-eng", plain, [&[], &[]])), "de > en");
        assert_eq!(shown(in_directory("opus-mt-en-gmw", many, [&[], &[]])), "en > de nl sr sr-Latn");
        assert_eq!(shown(in_directory("opus-mt-gmq-en", plain, [&["dan", "swe"], &["eng"]])), "da sv > en");
        assert_eq!(shown(in_directory("unnamed", plain, [&["deu"], &["eng"]])), "de > en");
        assert_eq!(shown(in_directory("opus-mt-gmq-en", plain, [&[], &[]])), "none");
        assert_eq!(shown(in_directory("opus-mt-en-gmw", plain, [&[], &[]])), "none");
        assert_eq!(shown(in_directory("unnamed", plain, [&[], &[]])), "none");
        assert_eq!(shown(in_directory("translate-en_zt-1_9", plain, [&[], &[]])), "en > zh-Hant");
    }

    #[test]
    fn listed_languages_have_short_codes() {
        let words = ["ace_Arab", "ace_Latn", "deu_Latn", "eng_Latn", "zho_Hans", "zho_Hant"];
        let words = words.map(str::to_owned).into_iter().zip(10..).collect();
        let words = LanguageWords { places: LanguagePlaces::SourceAndTarget, source: None, target: None, words };
        let named = NamedLanguages { words: Some(words), ..NamedLanguages::default() };
        let clues = Clues { named: &named, vocabulary: None, files: &[], directory: Path::new("nllb") };
        let codes = "ace_Arab ace_Latn de en zh zh-Hant";
        assert_eq!(shown(clues.languages()), format!("{codes} > {codes}"));
    }
}
