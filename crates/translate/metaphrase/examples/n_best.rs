//! The five best translations of a line, with scores and word alignments:
//! `cargo run --release -p metaphrase --example n_best`

use metaphrase::{AlignmentKind, Request, Translator};

fn main() -> Result<(), metaphrase::Error> {
    let translator = Translator::bundled()?;
    let mut options = translator.options();
    options.search.n_best = 5;
    options.search.attention = translator.has_alignment();
    let request = Request::translate("The house is old, but the garden behind it is new.");
    for translation in translator.run(&options, vec![request])? {
        println!("{}", translation.source_pieces.join(" "));
        for hypothesis in &translation.hypotheses {
            println!("{:.3} {}", hypothesis.score, hypothesis.text);
            let links: Vec<String> =
                hypothesis.alignment(AlignmentKind::Hard).iter().map(|(s, t)| format!("{s}-{t}")).collect();
            println!("    {} ||| {}", hypothesis.pieces.join(" "), links.join(" "));
        }
    }
    Ok(())
}
