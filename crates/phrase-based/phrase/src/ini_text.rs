//! `moses.ini` as text: written anew, or with other weights.

use crate::features::{FeatureNames, Features};
use crate::ini::MosesIni;
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
        let Self { names, weights, .. } = self;
        if let Some(name) = &names.reordering {
            writeln!(f, "{name}={}", spaced(&weights.reordering))?;
        }
        writeln!(f, "{}= {}", names.distortion, weights.distortion)?;
        writeln!(f, "{}= {}", names.language_model, weights.language_model)?;
        writeln!(f, "{}= {}", names.word_penalty, weights.word_penalty)?;
        writeln!(f, "{}= {}", names.phrase_penalty, weights.phrase_penalty)?;
        writeln!(f, "{}={}", names.translation, spaced(&weights.translation))?;
        writeln!(f, "{}= {}", names.unknown_word, weights.unknown_word)
    }
}

impl MosesIni {
    fn write_features(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { names, weights, .. } = self;
        writeln!(f, "UnknownWordPenalty name={}", names.unknown_word)?;
        writeln!(f, "WordPenalty name={}", names.word_penalty)?;
        writeln!(f, "PhrasePenalty name={}", names.phrase_penalty)?;
        let (name, scores, path) = (&names.translation, weights.translation.len(), self.phrase_table.display());
        write!(f, "PhraseDictionaryMemory name={name} num-features={scores} path={path}")?;
        f.write_str(" input-factor=0 output-factor=0")?;
        if let Some(limit) = self.table_limit {
            write!(f, " table-limit={limit}")?;
        }
        if let (Some(name), Some(path)) = (&names.reordering, &self.reordering) {
            write!(f, "\nLexicalReordering name={name} num-features={REORDERING_SCORES}")?;
            write!(f, " type=wbe-msd-bidirectional-fe-allff input-factor=0 output-factor=0 path={}", path.display())?;
        }
        writeln!(f, "\nDistortion name={}", names.distortion)?;
        writeln!(f, "KENLM name={} factor=0 path={}", names.language_model, self.language_model.display())
    }
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

    fn ini() -> MosesIni {
        MosesIni {
            phrase_table: "phrase-table.gz".into(),
            reordering: Some("reordering.gz".into()),
            language_model: "/lm.arpa".into(),
            names: FeatureNames::moses_defaults(),
            weights: Features {
                reordering: [0.3; 6],
                distortion: 0.3,
                language_model: 0.5,
                word_penalty: -1.0,
                phrase_penalty: 0.2,
                translation: vec![0.25, 0.5, 0.75, 1.0],
                unknown_word: 1.0,
            },
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
            *file = file.strip_prefix(folder.path()).unwrap_or(file).to_owned();
        }
        ini
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(read(&ini().to_string()), ini());
        let mut plain = MosesIni { reordering: None, distortion_limit: None, table_limit: None, ..ini() };
        (plain.names.reordering, plain.weights.reordering) = (None, [0.0; 6]);
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
        let names = FeatureNames::moses_defaults();
        let same_place = reweighted(&text, &names, &weights, None);
        assert!(same_place.starts_with("# by hand\n"));
        let found = read(&same_place);
        assert_eq!(found.weights, Features { unknown_word: 1.0, ..weights.clone() });
        assert_eq!(found.phrase_table, ini().phrase_table);

        let elsewhere = read(&reweighted(&text, &names, &weights, Some(Path::new("/models/a"))));
        assert_eq!(elsewhere.phrase_table, Path::new("/models/a/phrase-table.gz"));
        assert_eq!(elsewhere.language_model, Path::new("/lm.arpa"));
    }
}
