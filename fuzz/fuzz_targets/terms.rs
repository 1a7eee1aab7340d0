//! A glossary, a source line, and terms that are required and avoided, with zero bytes between: with the bundled model
//! every required term is in the translation or reported as missing, and no avoided one is in it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase::{Case, Glossary, Hypothesis, Request, RequiredTerm, Terms, Translator};
use metaphrase_fuzz::models::check_message;
use metaphrase_fuzz::text::texts;
use std::sync::LazyLock;

static TRANSLATOR: LazyLock<Translator> = LazyLock::new(|| {
    Translator::builder().model("en-de").threads(1).batch_tokens(64).build().expect("the bundled model")
});

fuzz_target!(|input: &[u8]| {
    let [glossary, source, required, avoided] = texts(input);
    let source: String = source.lines().next().unwrap_or_default().chars().take(40).collect();
    let mut terms = Terms::default();
    for case in [Case::Ignore, Case::Respect] {
        match Glossary::parse(&glossary, case) {
            Ok(glossary) => terms.required = glossary.find(&source).into_iter().map(RequiredTerm::new).collect(),
            Err(error) => check_message(&error),
        }
    }
    terms.required.extend(required.lines().map(|line| RequiredTerm::new(line.split('\t'))));
    terms.avoided = avoided.lines().map(str::to_owned).collect();

    let mut options = TRANSLATOR.options();
    (options.search.beam_size, options.search.n_best) = (3, 3);
    let request = Request { terms: terms.clone(), ..Request::translate(source) };
    let translation = TRANSLATOR.run(&options, vec![request]).expect("a search").remove(0);
    assert!(translation.notes.iter().all(|note| !note.is_empty()), "a note that says nothing");
    translation.hypotheses.iter().for_each(|hypothesis| check(hypothesis, &terms, &translation.missing));
});

fn check(hypothesis: &Hypothesis, terms: &Terms, missing: &[usize]) {
    let target = |phrase: &str| TRANSLATOR.segment_target(phrase);
    let words = |first: usize, count: usize| {
        let pieces = &hypothesis.pieces[first..first + count];
        pieces.iter().map(String::as_str).collect::<String>().replace('▁', " ").trim().to_owned()
    };
    for term in (0..terms.required.len()).filter(|term| !missing.contains(term)) {
        let met = hypothesis.met.iter().find(|met| met.term == term).expect("a term is met or missing");
        assert!(
            terms.required[term].targets.iter().any(|phrase| target(phrase).len() == met.pieces),
            "{hypothesis:?} {terms:?}"
        );
        let found = words(met.first, met.pieces);
        // A piece that is a byte stands for a part of a character.
        assert!(found.contains("<0x") || hypothesis.text.contains(&found), "{hypothesis:?} {terms:?}");
    }
    let mut taken = vec![false; hypothesis.pieces.len()];
    for met in &hypothesis.met {
        let places = &mut taken[met.first..met.first + met.pieces];
        assert!(places.iter().all(|taken| !taken), "a piece counts for two terms: {hypothesis:?} {terms:?}");
        places.fill(true);
    }
}
