//! Several models that vote together with a language model:
//! `cargo run --release -p metaphrase --example ensemble [MODEL MODEL [LANGUAGE_MODEL]]`
//!
//! The models have to share their vocabularies. The language model is over their target pieces: see
//! `metaphrase tokenize --vocabulary` and `metaphrase lm estimate`.

use metaphrase::Translator;

fn main() -> Result<(), metaphrase::Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut builder = match &*arguments {
        [first, second, ..] => Translator::builder().model(first).model(second).weights([0.6, 0.4]),
        // A model may vote twice.
        _ => Translator::builder().model("en-de").model("en-de").weights([0.6, 0.4]),
    };
    if let Some(language_model) = arguments.get(2) {
        builder = builder.language_model(language_model, 0.1);
    }
    let translator = builder.build()?;
    for translation in translator.translate(&["The house is old.", "How are you?"])? {
        println!("{}", translation.text());
    }
    Ok(())
}
