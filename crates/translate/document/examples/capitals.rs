//! Writes a file again with each sentence in capitals: `… --example capitals -- in.docx out.docx`. Shows what is taken
//! for text.
use metaphrase_document::{Answer, FileFormat, Options, SegmentedFile};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let [input, output] = &names[..] else { return Err("two names of files are expected".into()) };
    let extension = Path::new(input).extension().unwrap_or_default().to_string_lossy();
    let format = FileFormat::from_extension(&extension).ok_or("the format is not known")?;
    let options = Options { target: "de".to_owned(), ..Options::default() };
    let prepared = SegmentedFile::new(std::fs::read(input)?, format, &options)?;
    let answer = |source: metaphrase_document::Source<'_>| {
        let kept = source.kept.iter().map(|kept| Some(kept.range.clone())).collect();
        Some(Answer { text: source.text.to_uppercase(), kept, links: Vec::new() })
    };
    let answers: Vec<Option<Answer>> = prepared.sentences().map(answer).collect();
    std::fs::write(output, prepared.finish(&answers)?.bytes)?;
    println!("{} sentences", prepared.len());
    Ok(())
}
