//! Translates standard input of any size in little memory; lines come out in order while later lines are still read:
//! `cargo run --release -p metaphrase --example stream [MODEL] < text > translation`

use metaphrase::{Request, Translator};
use std::io::{self, BufRead, BufWriter, Write};
use std::ops::ControlFlow;

/// Lines that are sorted by length together.
const CHUNK: usize = 2000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = std::env::args().nth(1).unwrap_or_else(|| "en-de".into());
    let translator = Translator::builder().model(model).build()?;
    let mut lines = io::BufReader::new(io::stdin()).lines();
    let mut unreadable = None;
    let chunks = std::iter::from_fn(|| {
        let mut chunk = Vec::new();
        while unreadable.is_none() && chunk.len() < CHUNK {
            match lines.next() {
                None => break,
                Some(Ok(line)) => chunk.push(Request::translate(line)),
                Some(Err(error)) => unreadable = Some(error),
            }
        }
        (!chunk.is_empty()).then_some(chunk)
    });
    let mut output = BufWriter::new(io::stdout());
    let mut written = Ok(());
    translator.stream(&translator.options(), chunks, |translation| {
        written = writeln!(output, "{}", translation.text());
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written?;
    output.flush()?;
    Ok(unreadable.map_or(Ok(()), Err)?)
}
