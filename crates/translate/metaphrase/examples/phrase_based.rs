//! Translates with a phrase-based model of Moses, through the same interface as with a neural model:
//! `cargo run --release -p metaphrase --example phrase_based [MODEL] < tokenised-text`
//!
//! `MODEL` is a directory with a `moses.ini`, as `metaphrase phrase train` and Moses write it. Without it the example
//! uses a model of three words, and its own text.

use metaphrase::{AlignmentKind, LookAhead, PhraseOptions, Request, Translator};
use std::io;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (model, lines) = match std::env::args().nth(1) {
        Some(model) => (model, io::stdin().lines().collect::<Result<Vec<_>, _>>()?),
        None => {
            let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../testdata/phrase/tiny");
            (model.into(), vec!["das Haus".into(), "Haus das".into()])
        }
    };
    let search = PhraseOptions { look_ahead: LookAhead::PhraseOnly, ..PhraseOptions::default() };
    let translator = Translator::builder().phrase_model(model).phrase_options(search).build()?;
    let mut options = translator.options();
    options.search.n_best = 3;
    let requests = lines.into_iter().map(Request::translate).collect();
    for translation in translator.run(&options, requests)? {
        for hypothesis in &translation.hypotheses {
            let links = hypothesis.alignment(AlignmentKind::Hard);
            println!("{:.3} {} {links:?}", hypothesis.score, hypothesis.text);
        }
    }
    Ok(())
}
