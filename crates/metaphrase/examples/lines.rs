//! Translates the lines of stdin: `cargo run --release -p metaphrase --example lines [MODEL_DIR] < text`

use metaphrase::{Package, Translator};
use std::io;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let package =
        std::env::args().nth(1).map_or_else(|| Ok(Package::bundled()), |path| Package::find(path.as_ref()))?;
    let translator = Translator::load(&package, metaphrase::Execution::default())?;
    let lines: Vec<String> = io::stdin().lines().collect::<Result<_, _>>()?;
    for translation in translator.translate(&lines)? {
        println!("{}", translation.text());
    }
    Ok(())
}
