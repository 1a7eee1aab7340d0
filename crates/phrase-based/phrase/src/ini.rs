//! `moses.ini`: which features a Moses model has, their files and weights.

use crate::error::Error;
use crate::features::{FeatureNames, Features};
use crate::lines::Lines;
use crate::table::REORDERING_SCORES;
use metaphrase_base::{inside, shown};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The parts of a `moses.ini` that belong to the features of this decoder.
#[derive(Debug, Clone, PartialEq)]
pub struct MosesIni {
    /// The file of the phrase table.
    pub phrase_table: PathBuf,
    /// The file of the lexicalised reordering table, if there is one.
    pub reordering: Option<PathBuf>,
    /// The file of the language model, in ARPA format.
    pub language_model: PathBuf,
    /// The names of the features.
    pub names: FeatureNames,
    /// The weights of the features; a feature that the model does not have has weight 0.
    pub weights: Features,
    /// How many source words a jump may pass; `None`: any number.
    pub distortion_limit: Option<usize>,
    /// Translation options per source phrase, `table-limit`; `None`: Moses' own default of 20.
    pub table_limit: Option<usize>,
}

impl MosesIni {
    /// Reads the file; paths in it are relative to its directory, as where Moses is run from is not known. They may
    /// lead anywhere: the user has named the file.
    pub fn read(path: &Path) -> Result<Self, Error> {
        Sections::read(path, false)?.into_ini()
    }

    /// Reads the `moses.ini` of a directory, whose paths have to stay in the directory.
    pub fn from_folder(folder: &Path) -> Result<Self, Error> {
        Sections::read(&folder.join("moses.ini"), true)?.into_ini()
    }
}

/// A line of `[feature]`: `Type key=value key=value`.
struct FeatureLine {
    line: usize,
    kind: String,
    values: HashMap<String, String>,
}

/// The lines of the file, by section.
struct Sections {
    path: PathBuf,
    features: Vec<FeatureLine>,
    weights: HashMap<String, Vec<f32>>,
    distortion_limit: Option<usize>,
    /// Whether files have to be in the directory.
    closed: bool,
}

impl Sections {
    fn read(path: &Path, closed: bool) -> Result<Self, Error> {
        let mut lines = Lines::open(path)?;
        let (path, distortion_limit) = (path.to_owned(), Some(6));
        let mut sections = Self { path, features: Vec::new(), weights: HashMap::new(), distortion_limit, closed };
        let mut section = String::new();
        loop {
            let read = match lines.next_line()? {
                None => return Ok(sections),
                Some((number, line)) => {
                    let line = line.split('#').next().unwrap_or_default().trim();
                    match line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                        Some(name) => {
                            name.clone_into(&mut section);
                            check_section(name)
                        }
                        None if line.is_empty() => Ok(()),
                        None => sections.add(&section, number, line),
                    }
                }
            };
            read.map_err(|what| lines.wrong(what))?;
        }
    }

    fn add(&mut self, section: &str, number: usize, line: &str) -> Result<(), String> {
        match section {
            "feature" => self.features.push(parse_feature(number, line)?),
            "weight" => {
                let (name, values) = parse_weight(line)?;
                self.weights.insert(name, values);
            }
            "distortion-limit" => {
                let limit: i64 = line.parse().map_err(|_| format!("expected a number, found `{}`", shown(line)))?;
                self.distortion_limit = usize::try_from(limit).ok();
            }
            _ => {}
        }
        Ok(())
    }

    fn into_ini(self) -> Result<MosesIni, Error> {
        self.check_kinds()?;
        let table = self.required("a phrase table", is_phrase_table)?;
        let language_model = self.required("a language model", is_language_model)?;
        let reordering = self.one_of(is_reordering)?;
        let number = |key| table.values.get(key).and_then(|value| value.parse().ok());
        let mut weights = Features {
            translation: self.weights_of(table, number("num-features").unwrap_or(1))?,
            language_model: self.weights_of(language_model, 1)?[0],
            distortion: self.weight("Distortion")?,
            word_penalty: self.weight("WordPenalty")?,
            phrase_penalty: self.weight("PhrasePenalty")?,
            unknown_word: self.weight("UnknownWordPenalty")?,
            ..Features::default()
        };
        if let Some(feature) = reordering {
            self.check_reordering(feature)?;
            weights.reordering.copy_from_slice(&self.weights_of(feature, REORDERING_SCORES)?);
        }
        Ok(MosesIni {
            phrase_table: self.file(table)?,
            reordering: reordering.map(|feature| self.file(feature)).transpose()?,
            language_model: self.file(language_model)?,
            names: FeatureNames {
                reordering: reordering.map(name_of),
                distortion: self.name("Distortion"),
                language_model: name_of(language_model),
                word_penalty: self.name("WordPenalty"),
                phrase_penalty: self.name("PhrasePenalty"),
                translation: name_of(table),
                unknown_word: self.name("UnknownWordPenalty"),
            },
            weights,
            distortion_limit: self.distortion_limit,
            table_limit: number("table-limit"),
        })
    }

    /// A feature that we do not have would be missing in every score.
    fn check_kinds(&self) -> Result<(), Error> {
        for feature in &self.features {
            let plain = ["Distortion", "WordPenalty", "PhrasePenalty", "UnknownWordPenalty"];
            let kind = feature.kind.as_str();
            if !(plain.contains(&kind) || is_phrase_table(kind) || is_language_model(kind) || is_reordering(kind)) {
                let what = format!("the feature {kind} is not supported; scores without it would not be this model's");
                return Err(Error::line(&self.path, feature.line, what));
            }
        }
        Ok(())
    }

    fn one_of(&self, is_kind: fn(&str) -> bool) -> Result<Option<&FeatureLine>, Error> {
        let mut found = self.features.iter().filter(|feature| is_kind(&feature.kind));
        let first = found.next();
        match found.next() {
            None => Ok(first),
            Some(second) => {
                let what = format!("a second {}; one of a kind is supported", second.kind);
                Err(Error::line(&self.path, second.line, what))
            }
        }
    }

    fn required(&self, what: &str, is_kind: fn(&str) -> bool) -> Result<&FeatureLine, Error> {
        let none = || Error::model(&self.path, format!("expected {what} under [feature], found none"));
        self.one_of(is_kind)?.ok_or_else(none)
    }

    fn check_reordering(&self, feature: &FeatureLine) -> Result<(), Error> {
        let kind = feature.values.get("type").map(String::as_str).unwrap_or_default();
        let supported = ["wbe-msd-bidirectional-fe-allff", "wbe-msd-bidirectional-fe", "phrase-msd-bidirectional-fe"];
        if !supported.contains(&kind) {
            let what = format!("the reordering type `{kind}` is not supported; wbe-msd-bidirectional-fe-allff is");
            return Err(Error::line(&self.path, feature.line, what));
        }
        Ok(())
    }

    fn file(&self, feature: &FeatureLine) -> Result<PathBuf, Error> {
        let Some(file) = feature.values.get("path") else {
            return Err(Error::line(&self.path, feature.line, format!("{} has no path=", feature.kind)));
        };
        let (folder, file) = (self.path.parent().unwrap_or(Path::new("")), Path::new(file));
        if !self.closed {
            return Ok(folder.join(file));
        }
        inside(folder, file).ok_or_else(|| {
            let what = format!(
                "{} is not in the directory of the model; copy it there, or name the file moses.ini itself instead of its \
                 directory if its paths are to be followed anywhere",
                file.display()
            );
            Error::line(&self.path, feature.line, what)
        })
    }

    fn plain(&self, kind: &str) -> Option<&FeatureLine> {
        self.features.iter().find(|feature| feature.kind == kind)
    }

    fn name(&self, kind: &str) -> String {
        self.plain(kind).map_or_else(|| format!("{kind}0"), name_of)
    }

    fn weight(&self, kind: &str) -> Result<f32, Error> {
        self.plain(kind).map_or(Ok(0.0), |feature| Ok(self.weights_of(feature, 1)?[0]))
    }

    fn weights_of(&self, feature: &FeatureLine, count: usize) -> Result<Vec<f32>, Error> {
        let name = &name_of(feature);
        match self.weights.get(name) {
            Some(weights) if weights.len() == count => Ok(weights.clone()),
            Some(weights) => {
                let what = format!("{name} has {count} scores, but {} weights under [weight]", weights.len());
                Err(Error::line(&self.path, feature.line, what))
            }
            // Moses gives it this weight, too.
            None if feature.kind == "UnknownWordPenalty" => Ok(vec![1.0]),
            None => Err(Error::line(&self.path, feature.line, format!("{name} has no weights under [weight]"))),
        }
    }
}

fn is_phrase_table(kind: &str) -> bool {
    kind == "PhraseDictionaryMemory"
}

fn is_language_model(kind: &str) -> bool {
    ["KENLM", "SRILM", "IRSTLM"].contains(&kind)
}

fn is_reordering(kind: &str) -> bool {
    kind == "LexicalReordering"
}

fn name_of(feature: &FeatureLine) -> String {
    let default = if is_phrase_table(&feature.kind) {
        "TranslationModel0".to_owned()
    } else if is_language_model(&feature.kind) {
        "LM0".to_owned()
    } else {
        format!("{}0", feature.kind)
    };
    feature.values.get("name").cloned().unwrap_or(default)
}

/// Sections of the first version have other features in them.
fn check_section(name: &str) -> Result<(), String> {
    if name.starts_with("ttable-") || name.starts_with("lmodel-") || name.starts_with("weight-") {
        return Err(format!("[{name}] is of Moses' old format; convert the file with convert-moses-ini-to-v2.perl"));
    }
    Ok(())
}

fn parse_feature(line: usize, text: &str) -> Result<FeatureLine, String> {
    let mut words = text.split_ascii_whitespace();
    let kind = words.next().unwrap_or_default().to_owned();
    let value = |word: &str| match word.split_once('=') {
        Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
        None => Err(format!("expected `key=value`, found `{}`", shown(word))),
    };
    Ok(FeatureLine { line, kind, values: words.map(value).collect::<Result<_, _>>()? })
}

fn parse_weight(text: &str) -> Result<(String, Vec<f32>), String> {
    let (name, values) =
        text.split_once('=').ok_or_else(|| format!("expected `Name= weight …`, found `{}`", shown(text)))?;
    let value = |word: &str| match word.parse::<f32>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(format!("expected a weight, found `{}`", shown(word))),
    };
    Ok((name.trim().to_owned(), values.split_ascii_whitespace().map(value).collect::<Result<_, _>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const INI: &str = "[input-factors]\n0\n\n[distortion-limit]\n6\n[feature]\nUnknownWordPenalty\nWordPenalty # words\n\
        PhrasePenalty\nPhraseDictionaryMemory name=TranslationModel0 num-features=2 path=table.gz input-factor=0\n\
        LexicalReordering name=LexicalReordering0 num-features=6 type=wbe-msd-bidirectional-fe-allff path=r.gz\n\
        Distortion\nKENLM name=LM0 factor=0 path=lm.arpa order=5\n[weight]\nLexicalReordering0= 1 2 3 4 5 6\n\
        Distortion0= 0.5\nLM0= 0.25\nWordPenalty0= -1\nPhrasePenalty0= 0\nTranslationModel0= 7 8\n";

    fn read(text: &str) -> Result<MosesIni, String> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let name = format!("{}", file.path().display());
        MosesIni::read(file.path()).map_err(|error| error.to_string().replace(&name, "moses.ini"))
    }

    #[test]
    fn features_get_their_weights() {
        let ini = read(INI).unwrap();
        assert_eq!(ini.weights.translation, [7.0, 8.0]);
        assert_eq!(ini.phrase_table.file_name().unwrap(), "table.gz");
        assert_eq!(ini.reordering.unwrap().file_name().unwrap(), "r.gz");
        assert_eq!(ini.weights.reordering, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(ini.weights.language_model, 0.25);
        assert_eq!((ini.weights.distortion, ini.weights.word_penalty), (0.5, -1.0));
        assert_eq!((ini.names.unknown_word.as_str(), ini.weights.unknown_word), ("UnknownWordPenalty0", 1.0));
        assert_eq!((ini.distortion_limit, ini.table_limit), (Some(6), None));
        assert_eq!(read(&INI.replace("]\n6", "]\n-1")).unwrap().distortion_limit, None);
    }

    #[test]
    fn a_directory_names_its_own_files() {
        let folder = tempfile::tempdir().unwrap();
        let read = |from: &str, to: &str| {
            let path = folder.path().join("moses.ini");
            std::fs::write(&path, INI.replace(from, to)).unwrap();
            assert!(MosesIni::read(&path).is_ok(), "the file itself was named");
            MosesIni::from_folder(folder.path()).map_err(|error| error.to_string())
        };
        assert_eq!(read("", "").unwrap().language_model, folder.path().join("lm.arpa"));
        let absolute = format!("path={}/lm.arpa", folder.path().display());
        assert_eq!(read("path=lm.arpa", &absolute).unwrap().language_model, folder.path().join("lm.arpa"));
        for (from, to) in
            [("path=lm.arpa", "path=/etc/passwd"), ("path=table.gz", "path=../x"), ("=r.gz", "=a/../../r")]
        {
            let error = read(from, to).unwrap_err();
            assert!(error.contains(" is not in the directory of the model; copy it there"), "{error}");
        }
    }

    #[test]
    fn faults_are_named() {
        for (from, to, expected) in [
            ("7 8", "7", "moses.ini, line 10: TranslationModel0 has 2 scores, but 1 weights under [weight]"),
            ("7 8", "7 x", "moses.ini, line 20: expected a weight, found `x`"),
            ("Distortion0=", "D=", "moses.ini, line 12: Distortion0 has no weights under [weight]"),
            (
                "KENLM",
                "RDLM",
                "moses.ini, line 13: the feature RDLM is not supported; scores without it would not be this model's",
            ),
            ("]\n6", "]\nsix", "moses.ini, line 5: expected a number, found `six`"),
            (
                "[input-factors]",
                "[ttable-file]",
                "moses.ini, line 1: [ttable-file] is of Moses' old format; convert the file with convert-moses-ini-to-v2.perl",
            ),
        ] {
            assert_eq!(read(&INI.replace(from, to)).unwrap_err(), expected);
        }
        assert_eq!(read("").unwrap_err(), "moses.ini: expected a phrase table under [feature], found none");
    }
}
