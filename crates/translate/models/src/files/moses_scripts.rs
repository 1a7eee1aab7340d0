//! The scripts through which the text of OPUS-MT's models of 2019 passes, which have BPE units of Moses' tokens.

use std::io::Read;
use std::path::{Path, PathBuf};

/// Texts of a release that are read have some kilobytes.
const MOST_BYTES: u64 = 1 << 20;

/// What the scripts of a model do with its text. The programs are those of Moses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MosesScripts {
    /// The codes of the source and the target language. English, as in Moses' own scripts, where neither the README nor
    /// the directory's name has them.
    pub languages: [String; 2],
    /// Whether `normalize-punctuation.perl` is one of them.
    pub normalize: bool,
    /// Whether `replace-unicode-punctuation.perl` is one of them.
    pub replace_unicode_punctuation: bool,
    /// Whether `remove-non-printing-char.perl` is one of them.
    pub remove_control_characters: bool,
    /// Whether `tokenizer.perl` has its option `-a`.
    pub aggressive_dashes: bool,
    /// The model of `truecase.perl`, if that is one of them.
    pub truecaser: Option<PathBuf>,
}

impl MosesScripts {
    /// The scripts of the model in `directory`, whose list of words is `list`: those that its `preprocess.sh` runs. A
    /// directory without such a script has the usual ones.
    #[must_use]
    pub fn of_directory(directory: &Path, list: &Path) -> Self {
        if let Some(languages) = super::ctranslate2::argos_pair(directory) {
            return Self::argos(languages);
        }
        let script = text(&directory.join("preprocess.sh")).filter(|script| script.contains("tokenizer.perl"));
        let runs =
            |program: &str| script.as_ref().is_none_or(|script| commands(script).any(|line| line.contains(program)));
        let aggressive_dashes = match &script {
            Some(script) => commands(script).any(|line| line.contains("tokenizer.perl") && has_word(line, "-a")),
            // The list shows it: the option makes the token `@-@`.
            None => std::fs::read(list).is_ok_and(|list| list.windows(3).any(|bytes| bytes == b"@-@")),
        };
        // Releases without truecasing have an empty file.
        let truecaser = directory.join("source.tcmodel");
        let has_truecaser = truecaser.metadata().is_ok_and(|file| file.len() > 0) && runs("truecase");
        Self {
            languages: languages(directory),
            normalize: runs("normalize-punctuation"),
            replace_unicode_punctuation: runs("replace-unicode-punctuation"),
            remove_control_characters: runs("remove-non-printing-char"),
            aggressive_dashes,
            truecaser: has_truecaser.then_some(truecaser),
        }
    }
}

impl MosesScripts {
    /// What Argos Translate does with the text of its packages with `bpe.model`.
    fn argos(languages: [String; 2]) -> Self {
        Self {
            languages,
            normalize: true,
            replace_unicode_punctuation: false,
            remove_control_characters: false,
            aggressive_dashes: false,
            truecaser: None,
        }
    }
}

/// The lines of a script that are no comments.
fn commands(script: &str) -> impl Iterator<Item = &str> {
    script.lines().filter(|line| !line.trim_start().starts_with('#'))
}

fn has_word(line: &str, word: &str) -> bool {
    line.split_whitespace().any(|found| found == word)
}

fn text(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The languages that the README names, or the directory's name, or that of the directory around it.
fn languages(directory: &Path) -> [String; 2] {
    let [sources, targets] = readme(directory);
    if let (Some(source), Some(target)) = (sources.first(), targets.first()) {
        return [source.clone(), target.clone()];
    }
    let whole = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
    let names = whole.ancestors().take(2).filter_map(|folder| folder.file_name()?.to_str());
    let pair = |name: &str| {
        let (source, target) = name.strip_prefix("opus-mt-").unwrap_or(name).split_once('-')?;
        (is_code(source) && is_code(target)).then(|| [source.to_owned(), target.to_owned()])
    };
    let found = names.filter_map(pair).next();
    found.unwrap_or_else(|| ["en".to_owned(), "en".to_owned()])
}

/// The codes of the source and the target languages that the README of a model lists: `* source language(s): deu nld`.
pub(super) fn readme(directory: &Path) -> [Vec<String>; 2] {
    let readme = text(&directory.join("README.md")).unwrap_or_default();
    let listed = |side: &str| {
        let line = readme.lines().find(|line| line.to_ascii_lowercase().contains(side));
        let codes = line.and_then(|line| line.split_once(':')).map_or("", |(_, codes)| codes);
        codes.split([' ', ',', '+', '*']).filter(|code| is_code(code)).map(str::to_owned).collect()
    };
    [listed("source language"), listed("target language")]
}

/// A code of two or three letters; what follows an underscore is a script or a region.
fn is_code(code: &str) -> bool {
    let main = code.split('_').next().unwrap_or_default();
    matches!(main.len(), 2 | 3) && main.bytes().all(|byte| byte.is_ascii_lowercase())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use std::fs;

    const SCRIPT: &str = "#!/bin/bash\n# truecase.perl is not run\n${TOKENIZER}/replace-unicode-punctuation.perl |\n\
        ${TOKENIZER}/normalize-punctuation.perl -l $1 |\n${TOKENIZER}/tokenizer.perl -a -threads 4 -l $1 |\n";

    #[test]
    fn a_script_names_its_programs() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("preprocess.sh"), SCRIPT).unwrap();
        fs::write(path("source.tcmodel"), "the (9/10) The (1)\n").unwrap();
        fs::write(path("README.md"), "* source language(s): fi sv\n* target language(s): en\n").unwrap();
        let read = || MosesScripts::of_directory(folder.path(), &path("list.yml"));
        let scripts = read();
        assert_eq!(scripts.languages, ["fi", "en"]);
        assert_eq!(readme(folder.path()), [vec!["fi".to_owned(), "sv".to_owned()], vec!["en".to_owned()]]);
        assert!(scripts.normalize && scripts.replace_unicode_punctuation && scripts.aggressive_dashes);
        assert!(!scripts.remove_control_characters && scripts.truecaser.is_none());
        fs::write(path("preprocess.sh"), "tokenizer.perl -l en | truecase.perl --model source.tcmodel\n").unwrap();
        let scripts = read();
        assert!(!scripts.normalize && !scripts.aggressive_dashes && scripts.truecaser.is_some());
    }

    #[test]
    fn without_a_script_the_list_and_the_name_tell() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("opus-mt-sv-fr");
        fs::create_dir(&inner).unwrap();
        let list = inner.join("list.yml");
        for (words, aggressive) in [("\"@-@\": 3\n", true), ("a: 3\n", false)] {
            fs::write(&list, words).unwrap();
            let scripts = MosesScripts::of_directory(&inner, &list);
            assert_eq!(scripts.aggressive_dashes, aggressive);
            assert_eq!(scripts.languages, ["sv", "fr"]);
            assert!(scripts.normalize && scripts.truecaser.is_none());
        }
        fs::write(inner.join("metadata.json"), r#"{"from_code":"de","to_code":"en"}"#).unwrap();
        let argos = MosesScripts::of_directory(&inner, &list);
        assert_eq!(argos.languages, ["de", "en"]);
        assert!(argos.normalize && !argos.aggressive_dashes && !argos.replace_unicode_punctuation);
        let nowhere = MosesScripts::of_directory(folder.path(), &list);
        assert_eq!(nowhere.languages, ["en", "en"]);
    }
}
