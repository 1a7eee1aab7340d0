//! Any text through the Moses tools, and, behind a zero byte, as a list of abbreviations.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::text::texts;
use metaphrase_text::moses::{
    MosesDetokenizer, MosesTokenizer, NonbreakingPrefixes, NormalizerOptions, ProtectedPatterns, PunctuationNormalizer,
    TokenizerOptions,
};
use std::sync::LazyLock;

const LANGUAGES: [&str; 10] = ["en", "de", "fr", "it", "cs", "fi", "zh", "ja", "ko", "cjk"];

/// Made once, as their patterns take long to compile.
struct Tools {
    tokenizers: Vec<MosesTokenizer>,
    detokenizers: Vec<MosesDetokenizer>,
    normalizers: Vec<PunctuationNormalizer>,
}

static TOOLS: LazyLock<Tools> = LazyLock::new(|| {
    let options = |protected| TokenizerOptions { protected, aggressive_dashes: true, escape: false };
    let (basic, web) = (options(ProtectedPatterns::basic()), options(ProtectedPatterns::web()));
    let tokenizers = |lang| {
        let with = |options: &TokenizerOptions| MosesTokenizer::with_options(lang, options.clone());
        [MosesTokenizer::new(lang), with(&basic), with(&web)]
    };
    let every = NormalizerOptions {
        penn: true,
        quote_commas: true,
        numbers: true,
        replace_unicode_punctuation: true,
        remove_control_characters: true,
        perl_parity: true,
    };
    let normalizers =
        |lang| [PunctuationNormalizer::new(lang), PunctuationNormalizer::with_options(lang, every.clone())];
    Tools {
        tokenizers: LANGUAGES.into_iter().flat_map(tokenizers).collect(),
        detokenizers: LANGUAGES.map(MosesDetokenizer::new).into(),
        normalizers: LANGUAGES.into_iter().flat_map(normalizers).collect(),
    }
});

fuzz_target!(init: LazyLock::force(&TOOLS), |input: &[u8]| try_all(input));

fn try_all(input: &[u8]) {
    let [line, prefixes] = texts(input);
    let own = MosesTokenizer::new("en").with_prefixes(NonbreakingPrefixes::parse(&prefixes));
    for tokenizer in TOOLS.tokenizers.iter().chain([&own]) {
        let tokens = tokenizer.tokenize(&line);
        assert!(tokens.iter().all(|token| !token.is_empty() && !token.contains(char::is_whitespace)), "{tokens:?}");
        assert_eq!(tokenizer.tokenize_line(&line), tokens.join(" "));
    }
    let tokens: Vec<_> = line.split(' ').collect();
    for detokenizer in &TOOLS.detokenizers {
        let _ = (detokenizer.detokenize(&tokens), detokenizer.detokenize_line(&line));
    }
    TOOLS.normalizers.iter().for_each(|normalizer| drop(normalizer.normalize(&line)));
}
