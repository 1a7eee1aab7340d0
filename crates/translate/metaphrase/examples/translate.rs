//! Translates lines: `cargo run --release -p metaphrase --example translate [MODEL]`
//!
//! `MODEL` is a model's directory, or the name of a bundled model: `en-de` (the default) or `de-en`.

use metaphrase::Translator;

fn main() -> Result<(), metaphrase::Error> {
    let model = std::env::args().nth(1).unwrap_or_else(|| "en-de".into());
    let translator = Translator::builder().model(model).build()?;
    for translation in translator.translate(&["Good morning!", "", "Where is the station?"])? {
        println!("{}", translation.text());
    }
    Ok(())
}
