//! The same tokens and the same score bits for a sentence alone, in any batch, in any order, on any number of
//! threads.

mod common;

use metaphrase::{Package, Request, TranslateOptions, Translation, Translator};
use metaphrase_testkit::{Outcome, shared};
use std::path::Path;

/// Every bit that a user can see.
type Bits = Vec<(String, u32, Vec<u32>)>;

fn bits(translation: &Translation) -> Bits {
    let of = |h: &metaphrase::Hypothesis| {
        (h.text.clone(), h.score.to_bits(), h.piece_log_probs.iter().map(|p| p.to_bits()).collect())
    };
    translation.hypotheses.iter().map(of).collect()
}

fn run(package: &Package, threads: usize, batch_tokens: usize, lines: &[String]) -> Vec<Bits> {
    let builder = Translator::builder().package(package.clone()).threads(threads).batch_tokens(batch_tokens);
    let translator = builder.build().expect("a model");
    let options = TranslateOptions { search: translator.options().search, ..TranslateOptions::default() };
    let requests = lines.iter().map(Request::translate).collect();
    translator.run(&options, requests).expect("translations").iter().map(bits).collect()
}

fn check(package: &Package, lines: &[String]) {
    let alone = run(package, 1, 1, lines);
    for (threads, batch_tokens) in [(1, 2), (2, 7), (1, 64), (2, 64), (2, 512)] {
        let together = run(package, threads, batch_tokens, lines);
        assert!(together == alone, "{threads} threads, batches of {batch_tokens} tokens");
    }
    // A shuffle: a stride that shares no factor with the number of lines.
    let stride = (lines.len() / 2..).find(|s| gcd(*s, lines.len()) == 1).expect("a stride");
    let order: Vec<usize> = (0..lines.len()).map(|i| i * stride % lines.len()).collect();
    let shuffled: Vec<String> = order.iter().map(|&i| lines[i].clone()).collect();
    let together = run(package, 2, 64, &shuffled);
    assert!(order.iter().zip(&together).all(|(&i, bits)| *bits == alone[i]), "shuffled");
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn of_the_bundled_model() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/everyday.en");
    check(&Package::bundled(), &common::lines(&examples));
}

fn of_all_architectures() -> Outcome {
    for name in ["amun", "nematus-ln", "s2s-deep-lstm", "transformer-post", "transformer-pre", "transformer-ssru"] {
        let folder = shared(&format!("models/{name}"))?;
        let lines = common::lines(&folder.join("source.en"));
        check(&Package::find(&folder).expect("a package"), &lines[..60]);
    }
    Ok(())
}

metaphrase_testkit::tests![of_the_bundled_model, of_all_architectures];
