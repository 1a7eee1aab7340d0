//! Log-probabilities of given translations: `cargo run --release -p metaphrase --example score`

use metaphrase::{Request, Translator};

fn main() -> Result<(), metaphrase::Error> {
    let translator = Translator::bundled()?;
    let pairs = [
        ("Good morning!", "Guten Morgen!"),
        ("Good morning!", "Guten Abend!"),
        ("Where is the station?", "Wo ist der Bahnhof?"),
    ];
    let requests = pairs.iter().map(|(source, target)| Request::score(*source, *target)).collect();
    for ((source, target), scored) in pairs.iter().zip(translator.run(&translator.options(), requests)?) {
        for hypothesis in &scored.hypotheses {
            let words = hypothesis.piece_log_probs.len() as f32;
            println!(
                "{source} ||| {target} ||| {:.3} ||| {:.3} per piece",
                hypothesis.log_prob,
                hypothesis.log_prob / words
            );
        }
    }
    Ok(())
}
