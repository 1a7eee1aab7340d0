//! Lattices, search graphs and posteriors: what is read is counted, or refused in one sentence.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase::{Evidence, EvidenceCounter, EvidenceOptions, Lattice, NgramNumber, Package};
use metaphrase_fuzz::models::check_message;
use std::sync::LazyLock;

static COUNTER: LazyLock<EvidenceCounter> = LazyLock::new(|| {
    EvidenceCounter::new(&Package::bundled()).and_then(|counter| counter.tokenized("en")).expect("the bundled model")
});

fuzz_target!(|text: &str| {
    let (form, text) = text.split_once('\n').unwrap_or(("", text));
    let options = EvidenceOptions { prune: if form.ends_with('p') { 0.01 } else { 0.0 }, ..EvidenceOptions::default() };
    let lattice = match form.bytes().next() {
        Some(b'c') => Lattice::from_compact(text),
        Some(b'o') => Lattice::from_openfst(text),
        Some(b'm') => Lattice::from_moses_graph(text.lines()),
        _ => {
            match COUNTER.from_text(text.lines(), &options) {
                Ok(posteriors) => {
                    let again = COUNTER.to_text(&posteriors, NgramNumber::Posterior);
                    assert_eq!(COUNTER.from_text(again.lines(), &options).expect("posteriors"), posteriors);
                }
                Err(error) => check_message(&error),
            }
            return;
        }
    };
    match lattice.map(|lattice| COUNTER.posteriors(&Evidence::Lattice(lattice), &options)) {
        Ok(Ok(posteriors)) => assert!(posteriors.iter().all(|gram| (0.0..=1.0).contains(&gram.posterior))),
        Ok(Err(error)) => check_message(&error),
        Err(error) => check_message(&error),
    }
});
