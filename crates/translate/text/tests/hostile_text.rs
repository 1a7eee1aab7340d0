//! Whatever the text or the file, the Moses tools and byte-pair encoding neither panic nor break
//! their promises.

use std::sync::LazyLock;

use metaphrase_text::bpe::{Bpe, BpeVocabulary};
use metaphrase_text::moses::{
    FirstWords, MosesDetokenizer, MosesTokenizer, NonbreakingPrefixes, ProtectedPatterns, PunctuationNormalizer,
    TokenizerOptions, Truecaser, TruecaserTrainer, detruecase_headline,
};
use proptest::prelude::*;

/// Made once, as their patterns take long to compile.
static TOKENIZERS: LazyLock<Vec<MosesTokenizer>> = LazyLock::new(|| {
    let protected = ProtectedPatterns::basic();
    let other = TokenizerOptions { protected, aggressive_dashes: true, escape: false };
    let both = |lang| [MosesTokenizer::new(lang), MosesTokenizer::with_options(lang, other.clone())];
    ["en", "fr", "de", "ja"].into_iter().flat_map(both).collect()
});

static NORMALIZERS: LazyLock<Vec<PunctuationNormalizer>> =
    LazyLock::new(|| ["en", "fr", "cs"].map(PunctuationNormalizer::new).into());

/// Text from pieces that the rules look for.
fn line() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        "[ a-zA-Z0-9'\",.|<>&;@#:/-]{1,4}",
        prop::sample::select(vec![
            "...",
            "DOT",
            "MULTI",
            "THISISPROTECTED",
            "X000",
            "@-@",
            "&amp;",
            "http://x.y/",
            "</w>",
            "@@",
            "@@ ",
            "\u{a0}",
            "\u{1c}",
            "\u{0}",
            "中",
            "😀",
            "İ",
            "ß",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

/// Codes with many accidental equalities.
fn codes() -> impl Strategy<Value = String> {
    let pair = "(a|b|ab|<|/w>|a</w>|</w>|</w)( )(a|b|ba|/w>|b</w>|</w>)";
    (prop::bool::ANY, prop::collection::vec(pair, 1..30)).prop_map(|(second, pairs)| {
        let header = if second { "#version: 0.2\n" } else { "" };
        format!("{header}{}\n", pairs.join("\n"))
    })
}

proptest! {
    #[test]
    fn tokens_are_words_without_white_space(line in line()) {
        for tool in TOKENIZERS.iter() {
            let tokens = tool.tokenize(&line);
            prop_assert!(tokens.iter().all(|t| !t.is_empty() && !t.contains(char::is_whitespace)));
            prop_assert_eq!(tool.tokenize_line(&line), tokens.join(" "));
        }
    }

    #[test]
    fn other_tools_take_any_line(line in line()) {
        for lang in ["en", "fr", "cs", "ko"] {
            MosesDetokenizer::new(lang).detokenize_line(&line);
        }
        NORMALIZERS.iter().for_each(|tool| drop(tool.normalize(&line)));
        let mut trainer = TruecaserTrainer::new(FirstWords::Count);
        trainer.learn_line(&line);
        let mut model = Vec::new();
        let truecaser = trainer.finish();
        truecaser.write(&mut model).expect("memory");
        let again = Truecaser::from_bytes(&model, "model").expect("what we write we read");
        prop_assert_eq!(truecaser.truecase_line(&line), again.truecase_line(&line));
        detruecase_headline(&line);
    }

    #[test]
    fn sub_words_join_to_the_line(
        codes in codes(),
        line in "[ab</w>]{0,12}( [ab</w>äß]{1,12}){0,4}",
        known in prop::collection::vec("[ab</w>]{1,3}(@@)?", 0..9),
    ) {
        let plain = Bpe::from_bytes(codes.as_bytes(), "codes").expect("valid");
        prop_assert_eq!(plain.join_line(&plain.segment_line(&line)), line.clone());
        let known: String = known.iter().map(|piece| format!("{piece} 1\n")).collect();
        let known = BpeVocabulary::from_bytes(known.as_bytes(), "vocab", 1).expect("valid");
        let filtered = plain.with_vocabulary(known);
        prop_assert_eq!(filtered.join_line(&filtered.segment_line(&line)), line);
    }

    #[test]
    fn readers_take_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..60), text in line()) {
        for bytes in [&bytes[..], text.as_bytes()] {
            let _ = Truecaser::from_bytes(bytes, "model");
            let _ = BpeVocabulary::from_bytes(bytes, "vocabulary", 1);
            if let Ok(bpe) = Bpe::from_bytes(bytes, "codes") {
                bpe.segment_line(&text);
            }
        }
        NonbreakingPrefixes::parse(&text);
        let _ = ProtectedPatterns::new(&[&text]);
    }
}
