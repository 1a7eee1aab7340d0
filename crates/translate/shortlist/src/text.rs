//! Text with a line for each pair of words: `target source probability` (Marian's `lex.s2t`).

use crate::{Entry, ShortlistError, ShortlistOptions, Shortlists};
use metaphrase_base::{Gunzip, WordId, read_line};
use metaphrase_text::vocab::Vocabulary;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// The lack of a translation.
const NULL: &str = "NULL";

/// Reads a table as Marian does: of a pair that stands twice the last probability counts, a word that the vocabulary
/// lacks stands for its unknown word, and every list has the words with the lowest ids.
pub(crate) fn read(
    path: &Path,
    options: ShortlistOptions,
    vocabularies: [&Vocabulary; 2],
) -> Result<Shortlists, ShortlistError> {
    let io = |error| ShortlistError::io(path, "read", error);
    let file = File::open(path).map_err(io)?;
    let mut reader: Box<dyn BufRead> = match path.extension() {
        Some(extension) if extension == "gz" => Box::new(BufReader::new(Gunzip::new(file))),
        _ => Box::new(BufReader::new(file)),
    };
    let (mut line, mut number) = (Vec::new(), 0);
    let (mut pairs, mut known) = (HashMap::new(), 0);
    while let Some(read) = read_line(&mut *reader, &mut line).map_err(io)? {
        number += 1;
        let wrong = |problem| ShortlistError::line(path, number, problem);
        let text = str::from_utf8(&line).ok().filter(|_| !read.cut).ok_or_else(|| wrong(EXPECTED.into()))?;
        let [target, source, probability] = fields(text).map_err(wrong)?;
        if target != NULL && source != NULL {
            let probability: f32 = probability.parse().ok().filter(|p: &f32| p.is_finite()).ok_or_else(|| {
                wrong(format!("`{}` is not a probability; {EXPECTED}", metaphrase_base::shown(probability)))
            })?;
            let words = [(vocabularies[0], source), (vocabularies[1], target)];
            known += usize::from(words.iter().all(|(vocabulary, word)| vocabulary.id(word).is_some()));
            let [source, target] = words.map(|(vocabulary, word)| vocabulary.id(word).or(vocabulary.unk()));
            if let (Some(source), Some(target)) = (source, target) {
                pairs.insert((source, target), probability);
            }
        }
        line.clear();
    }
    if 2 * known < number as usize || number == 0 {
        let problem = format!(
            "was made for other vocabularies: of its {number} lines {known} have words of both; make it from text that is split as the model splits it"
        );
        return Err(ShortlistError::file(path, problem));
    }
    let threshold = options.threshold.unwrap_or(0.0);
    let entries = pairs.into_iter().map(|((source, target), probability)| Entry { source, target, probability });
    let entries = entries.filter(|entry| entry.probability > threshold).collect();
    let frequent = (0..vocabularies[1].len()).map(WordId::new).collect();
    Ok(Shortlists::new(entries, frequent, options, vocabularies))
}

const EXPECTED: &str = "expected a target word, a source word and a probability";

fn fields(line: &str) -> Result<[&str; 3], String> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    <[&str; 3]>::try_from(fields).map_err(|fields| format!("{} fields; {EXPECTED}", fields.len()))
}
