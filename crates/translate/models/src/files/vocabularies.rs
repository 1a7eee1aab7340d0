//! Vocabularies by the names that their files usually have.

use super::{Vocabularies, VocabularyFiles, has_extension, listed, unpacked_name};
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

/// How the lists of the two languages of OPUS-MT's models end.
const ENDS: [(&str, &str); 2] = [(".src.vocab", ".trg.vocab"), (".src.vocab.yml", ".trg.vocab.yml")];

/// These may be the vocabularies, or only what divides text into the words of another file.
const MODELS: (&str, &str) = ("source.spm", "target.spm");

/// The codes that divide tokens into the words of a list; a model with one file uses it for both languages.
const CODES: (&str, &str) = ("source.bpe", "target.bpe");

/// The vocabularies among the files of a directory.
pub(super) fn find(directory: &Path, names: &[String]) -> Result<Vocabularies, ModelError> {
    let (source, target) = words(directory, names)?;
    Ok(with_segmenters(directory, names, directory.join(source), directory.join(target)))
}

/// Lists of pieces come with two SentencePiece models that divide text into them, `source.spm` and `target.spm`, or
/// with the codes of BPE, `source.bpe` and `target.bpe`.
pub(super) fn with_segmenters(directory: &Path, names: &[String], source: PathBuf, target: PathBuf) -> Vocabularies {
    let has = |name: &str| names.iter().any(|other| other == name);
    let side = |words: PathBuf, spm: &str, codes: &str| {
        let name = words.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_spm = has_extension(unpacked_name(name), &["spm"]);
        let segmenters = [spm, codes, CODES.0];
        let segmenter = segmenters.into_iter().find(|name| !is_spm && has(name)).map(|name| directory.join(name));
        VocabularyFiles { segmenter, ..VocabularyFiles::from(words) }
    };
    Vocabularies { source: side(source, MODELS.0, CODES.0), target: side(target, MODELS.1, CODES.1) }
}

/// The files with source and target words: a pair of names, or one file for both.
fn words<'n>(directory: &Path, names: &'n [String]) -> Result<(&'n str, &'n str), ModelError> {
    // A packed file whose content is here, too, does not count.
    let packed_again =
        |name: &str| unpacked_name(name) != name && names.iter().any(|other| other == unpacked_name(name));
    let is_list = |name: &&str| has_extension(unpacked_name(name), &EXTENSIONS) && !packed_again(name);
    let lists = || names.iter().map(String::as_str).filter(is_list);
    let starting = |start: &str| lists().find(|name| name.starts_with(start));
    let pair = |(source, target): (&str, &str)| starting(source).zip(starting(target));
    if let Some(found) = PAIRS.into_iter().find_map(pair) {
        return Ok(found);
    }
    if let Some(found) = ENDS.into_iter().find_map(|(source, target)| only(names, source).zip(only(names, target))) {
        return Ok(found);
    }
    let shared: Vec<&str> = lists().filter(|name| is_vocabulary(name)).collect();
    match (shared.iter().find(|name| **name == "vocab.spm"), &shared[..]) {
        (Some(shared), _) | (None, [shared]) => Ok((shared, shared)),
        (None, several) => pair(MODELS).ok_or_else(|| unclear(directory, names, several)),
    }
}

/// The only file that ends so.
fn only<'n>(names: &'n [String], end: &str) -> Option<&'n str> {
    let mut found = names.iter().filter(|name| name.ends_with(end));
    found.next().filter(|_| found.next().is_none()).map(String::as_str)
}

/// `vocab.spm`, `vocab.deen.spm`, `opus.spm32k-spm32k.vocab.yml`, …
fn is_vocabulary(name: &str) -> bool {
    let name = unpacked_name(name);
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
            (&["vocab.enpt.spm.gz"], ["vocab.enpt.spm.gz", "vocab.enpt.spm.gz"]),
            (&["vocab.enpt.spm", "vocab.enpt.spm.gz"], ["vocab.enpt.spm", "vocab.enpt.spm"]),
            (&["srcvocab.enja.spm.gz", "trgvocab.enja.spm.gz"], ["srcvocab.enja.spm.gz", "trgvocab.enja.spm.gz"]),
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
            (
                &["opusTCv20210807.src.vocab", "opusTCv20210807.trg.vocab", "source.spm", "target.spm"],
                ["opusTCv20210807.src.vocab source.spm", "opusTCv20210807.trg.vocab target.spm"],
            ),
            (
                &["opus.src.vocab.yml", "opus.trg.vocab.yml", "source.spm", "target.spm"],
                ["opus.src.vocab.yml source.spm", "opus.trg.vocab.yml target.spm"],
            ),
            (
                &["opus.bpe32k-bpe32k.vocab.yml", "source.bpe", "source.tcmodel", "target.bpe"],
                ["opus.bpe32k-bpe32k.vocab.yml source.bpe", "opus.bpe32k-bpe32k.vocab.yml target.bpe"],
            ),
            // The list that SentencePiece's trainer writes next to its model.
            (&["vocab.deen.spm", "vocab.deen.vocab"], ["vocab.deen.spm", "vocab.deen.spm"]),
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
