//! `moses.ini` as text: written anew, or with other weights.

use crate::features::Features;
use crate::ini::{FeatureFile, MosesIni};
use crate::model::FeatureNames;
use crate::table::REORDERING_SCORES;
use std::fmt;
use std::path::Path;

/// The file; paths are written as they are.
impl fmt::Display for MosesIni {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[input-factors]\n0\n\n[mapping]\n0 T 0\n\n[distortion-limit]\n")?;
        match self.distortion_limit {
            Some(limit) => writeln!(f, "{limit}")?,
            None => f.write_str("-1\n")?,
        }
        f.write_str("\n[feature]\n")?;
        self.write_features(f)?;
        f.write_str("\n[weight]\n")?;
        if let Some(reordering) = &self.reordering {
            write_weights(f, &reordering.name, &reordering.weights)?;
        }
        write_weights(f, &self.distortion.name, &[self.distortion.weight])?;
        write_weights(f, &self.language_model.name, &self.language_model.weights)?;
        for plain in [&self.word_penalty, &self.phrase_penalty] {
            write_weights(f, &plain.name, &[plain.weight])?;
        }
        write_weights(f, &self.phrase_table.name, &self.phrase_table.weights)?;
        write_weights(f, &self.unknown_word.name, &[self.unknown_word.weight])
    }
}

impl MosesIni {
    fn write_features(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "UnknownWordPenalty name={}", self.unknown_word.name)?;
        writeln!(f, "WordPenalty name={}", self.word_penalty.name)?;
        writeln!(f, "PhrasePenalty name={}", self.phrase_penalty.name)?;
        let FeatureFile { name, path, weights } = &self.phrase_table;
        write!(f, "PhraseDictionaryMemory name={name} num-features={} path={}", weights.len(), path.display())?;
        f.write_str(" input-factor=0 output-factor=0")?;
        if let Some(limit) = self.table_limit {
            write!(f, " table-limit={limit}")?;
        }
        if let Some(FeatureFile { name, path, .. }) = &self.reordering {
            write!(f, "\nLexicalReordering name={name} num-features={REORDERING_SCORES}")?;
            write!(f, " type=wbe-msd-bidirectional-fe-allff input-factor=0 output-factor=0 path={}", path.display())?;
        }
        writeln!(f, "\nDistortion name={}", self.distortion.name)?;
        let FeatureFile { name, path, .. } = &self.language_model;
        writeln!(f, "KENLM name={name} factor=0 path={}", path.display())
    }
}

fn write_weights(f: &mut fmt::Formatter<'_>, name: &str, weights: &[f32]) -> fmt::Result {
    writeln!(f, "{name}={}", spaced(weights))
}

fn spaced(weights: &[f32]) -> String {
    weights.iter().map(|weight| format!(" {weight}")).collect()
}

/// The text of a `moses.ini` with other weights for the features of these names; the penalty of unknown words keeps its
/// own. Relative paths get `folder` in front, if there is one: for a file that will be in another place.
#[must_use]
pub fn reweighted(text: &str, names: &FeatureNames, weights: &Features, folder: Option<&Path>) -> String {
    let mut section = String::new();
    let mut written = String::new();
    for line in text.lines() {
        let content = line.split('#').next().unwrap_or_default().trim();
        if content.starts_with('[') {
            content.clone_into(&mut section);
        }
        let changed = match (section.as_str(), folder) {
            ("[weight]", _) => content.split_once('=').and_then(|(name, _)| weight_line(name.trim(), names, weights)),
            ("[feature]", Some(folder)) => path_in(content).map(|path| {
                let moved = folder.join(path);
                content.replace(&format!("path={path}"), &format!("path={}", moved.display()))
            }),
            _ => None,
        };
        written += changed.as_deref().unwrap_or(line);
        written.push('\n');
    }
    written
}

fn path_in(feature: &str) -> Option<&str> {
    feature.split_ascii_whitespace().find_map(|word| word.strip_prefix("path="))
}

fn weight_line(name: &str, names: &FeatureNames, weights: &Features) -> Option<String> {
    let plain = [
        (&names.distortion, &weights.distortion),
        (&names.language_model, &weights.language_model),
        (&names.word_penalty, &weights.word_penalty),
        (&names.phrase_penalty, &weights.phrase_penalty),
    ];
    let values = if Some(name) == names.reordering.as_deref() {
        &weights.reordering[..]
    } else if name == names.translation {
        &weights.translation[..]
    } else {
        std::slice::from_ref(plain.into_iter().find(|(plain, _)| *plain == name)?.1)
    };
    Some(format!("{name}={}", spaced(values)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ini::Plain;

    fn ini() -> MosesIni {
        let file = |name: &str, path: &str, weights: &[f32]| FeatureFile {
            name: name.into(),
            path: path.into(),
            weights: weights.to_vec(),
        };
        let plain = |name: &str, weight| Plain { name: name.into(), weight };
        MosesIni {
            phrase_table: file("TranslationModel0", "phrase-table.gz", &[0.25, 0.5, 0.75, 1.0]),
            reordering: Some(file("LexicalReordering0", "reordering.gz", &[0.3; 6])),
            language_model: file("LM0", "/lm.arpa", &[0.5]),
            distortion: plain("Distortion0", 0.3),
            word_penalty: plain("WordPenalty0", -1.0),
            phrase_penalty: plain("PhrasePenalty0", 0.2),
            unknown_word: plain("UnknownWordPenalty0", 1.0),
            distortion_limit: Some(6),
            table_limit: Some(20),
        }
    }

    fn read(text: &str) -> MosesIni {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("moses.ini");
        std::fs::write(&path, text).unwrap();
        let mut ini = MosesIni::read(&path).unwrap();
        let files = [&mut ini.phrase_table, &mut ini.language_model].into_iter().chain(ini.reordering.as_mut());
        for file in files {
            file.path = file.path.strip_prefix(folder.path()).unwrap_or(&file.path).to_owned();
        }
        ini
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(read(&ini().to_string()), ini());
        let plain = MosesIni { reordering: None, distortion_limit: None, table_limit: None, ..ini() };
        assert_eq!(read(&plain.to_string()), plain);
    }

    #[test]
    fn only_weights_and_places_change() {
        let weights = Features {
            reordering: [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            distortion: 0.125,
            language_model: 0.75,
            translation: vec![0.0, -1.0, 0.0, 2.0],
            unknown_word: 7.0,
            ..Features::zeros(4)
        };
        let text = format!("# by hand\n{}", ini());
        let names = FeatureNames::of_moses(true);
        let same_place = reweighted(&text, &names, &weights, None);
        assert!(same_place.starts_with("# by hand\n"));
        let found = read(&same_place);
        assert_eq!(found.reordering.as_ref().map(|r| &r.weights[..]), Some(&weights.reordering[..]));
        assert_eq!(
            (found.phrase_table.weights, found.language_model.weights),
            (weights.translation.clone(), vec![0.75])
        );
        assert_eq!((found.distortion.weight, found.unknown_word.weight), (0.125, 1.0));
        assert_eq!(found.phrase_table.path, ini().phrase_table.path);

        let elsewhere = read(&reweighted(&text, &names, &weights, Some(Path::new("/models/a"))));
        assert_eq!(elsewhere.phrase_table.path, Path::new("/models/a/phrase-table.gz"));
        assert_eq!(elsewhere.language_model.path, Path::new("/lm.arpa"));
    }
}
