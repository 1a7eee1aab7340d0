//! A glossary and a source line, with a zero byte between: an error of one sentence, or terms of the glossary's alternatives.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase::{Case, Glossary};
use metaphrase_fuzz::models::check_message;
use metaphrase_fuzz::text::texts;

fuzz_target!(|input: &[u8]| {
    let [text, source] = texts(input);
    for case in [Case::Ignore, Case::Respect] {
        let glossary = match Glossary::parse(&text, case) {
            Ok(glossary) => glossary,
            Err(error) => {
                check_message(&error);
                continue;
            }
        };
        let entries = text.lines().filter(|line| line.contains('\t')).count();
        assert!(glossary.len() + glossary.notes().len() <= entries, "an entry from nowhere");
        for term in glossary.find(&source) {
            assert!(!term.is_empty() && term.iter().all(|target| text.contains(target.as_str())), "{term:?}");
        }
    }
});
