//! Vocabularies by the names that their files usually have.

use super::{Vocabularies, VocabularyFiles, has_extension, listed};
use crate::ModelError;
use std::path::{Path, PathBuf};

/// The extensions of vocabularies.
const EXTENSIONS: [&str; 5] = ["spm", "yml", "yaml", "json", "txt"];

/// How the files of the two languages begin: Marian's, Bergamot's, Hugging Face's and OPUS-MT's ways.
const PAIRS: [(&str, &str); 6] = [
    ("vocab.src.", "vocab.trg."),
    ("vocab.source.", "vocab.target."),
    ("source.vocab.", "target.vocab."),
    ("srcvocab.", "trgvocab."),
    ("src.", "trg."),
    ("vocab.json", "target_vocab.json"),
];

/// These may be the vocabularies, or only what divides text into the words of another file.
const MODELS: (&str, &str) = ("source.spm", "target.spm");

/// The vocabularies among the files of a directory.
pub(super) fn find(directory: &Path, names: &[String]) -> Result<Vocabularies, ModelError> {
    let (source, target) = words(directory, names)?;
    Ok(with_segmenters(directory, names, directory.join(source), directory.join(target)))
}

/// Lists of pieces come with two SentencePiece models that divide text into them, `source.spm` and `target.spm`.
pub(super) fn with_segmenters(directory: &Path, names: &[String], source: PathBuf, target: PathBuf) -> Vocabularies {
    let side = |words: PathBuf, spm: &str| {
        let is_spm = words.extension().is_some_and(|extension| extension == "spm");
        let segmenter = (!is_spm && names.iter().any(|name| name == spm)).then(|| directory.join(spm));
        VocabularyFiles { words, segmenter }
    };
    Vocabularies { source: side(source, MODELS.0), target: side(target, MODELS.1) }
}

/// The files with source and target words: a pair of names, or one file for both.
fn words<'n>(directory: &Path, names: &'n [String]) -> Result<(&'n str, &'n str), ModelError> {
    let lists = || names.iter().map(String::as_str).filter(|name| has_extension(name, &EXTENSIONS));
    let starting = |start: &str| lists().find(|name| name.starts_with(start));
    let pair = |(source, target): (&str, &str)| starting(source).zip(starting(target));
    if let Some(found) = PAIRS.into_iter().find_map(pair) {
        return Ok(found);
    }
    let shared: Vec<&str> = lists().filter(|name| is_vocabulary(name)).collect();
    match (shared.iter().find(|name| **name == "vocab.spm"), &shared[..]) {
        (Some(shared), _) | (None, [shared]) => Ok((shared, shared)),
        (None, several) => pair(MODELS).ok_or_else(|| unclear(directory, names, several)),
    }
}

/// `vocab.spm`, `vocab.deen.spm`, `opus.spm32k-spm32k.vocab.yml`, …
fn is_vocabulary(name: &str) -> bool {
    name.starts_with("vocab.") || name.rsplit_once('.').is_some_and(|(stem, _)| stem.ends_with("vocab"))
}

fn unclear(directory: &Path, names: &[String], several: &[&str]) -> ModelError {
    let problem = if several.is_empty() {
        format!("there is no vocabulary, such as `vocab.spm`, next to the model ({})", listed(names))
    } else {
        let found = several.join(", ");
        format!("it is not clear which vocabulary is the source's and which the target's: {found}; name both")
    };
    ModelError::settings(directory, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words and segmenters that are found among some files, for source and target.
    fn found(names: &[&str]) -> Result<[String; 2], String> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let show = |files: VocabularyFiles| match files.segmenter {
            Some(segmenter) => format!("{} {}", files.words.display(), segmenter.display()),
            None => files.words.display().to_string(),
        };
        let vocabularies = find(Path::new(""), &names).map_err(|e| e.to_string())?;
        Ok([show(vocabularies.source), show(vocabularies.target)])
    }

    #[test]
    fn usual_names_are_found() {
        for (names, expected) in [
            (&["model.npz", "vocab.spm"][..], ["vocab.spm", "vocab.spm"]),
            (&["vocab.src.yml", "vocab.trg.yml"], ["vocab.src.yml", "vocab.trg.yml"]),
            (&["vocab.deen.spm", "lex.bin"], ["vocab.deen.spm", "vocab.deen.spm"]),
            (&["srcvocab.enja.spm", "trgvocab.enja.spm"], ["srcvocab.enja.spm", "trgvocab.enja.spm"]),
            (&["source.spm", "target.spm"], ["source.spm", "target.spm"]),
            (&["source.spm", "target.spm", "vocab.json"], ["vocab.json source.spm", "vocab.json target.spm"]),
            (
                &["source.spm", "target.spm", "target_vocab.json", "vocab.json"],
                ["vocab.json source.spm", "target_vocab.json target.spm"],
            ),
            (
                &["opus.spm32k-spm32k.vocab.yml", "source.spm", "target.spm"],
                ["opus.spm32k-spm32k.vocab.yml source.spm", "opus.spm32k-spm32k.vocab.yml target.spm"],
            ),
        ] {
            assert_eq!(found(names).unwrap(), expected);
        }
    }

    #[test]
    fn what_is_not_clear_is_listed() {
        assert!(found(&["vocab.de.yml", "vocab.en.yml"]).unwrap_err().contains("vocab.de.yml, vocab.en.yml"));
        assert!(found(&["model.npz"]).unwrap_err().contains("no vocabulary"));
    }
}
