//! Models as the command line names them: languages and a path.

use metaphrase::{Error, Package};
use std::path::{Path, PathBuf};

/// A model and its languages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSpec {
    /// The codes of the source languages; one, but for models of several.
    pub sources: Vec<String>,
    /// The codes of the target languages. A model translates from each source to each other target.
    pub targets: Vec<String>,
    /// What [`metaphrase::Package::find`] takes, or the folder of a phrase-based model.
    pub path: PathBuf,
}

impl ModelSpec {
    /// A model of one pair of languages.
    pub fn of_pair(source: impl Into<String>, target: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self { sources: vec![source.into()], targets: vec![target.into()], path: path.into() }
    }

    /// The model's name for clients, without its path: its pair, or its languages.
    #[must_use]
    pub fn name(&self) -> String {
        if let ([source], [target]) = (&self.sources[..], &self.targets[..]) {
            return pair_name(source, target);
        }
        if self.sources == self.targets {
            return listed(&self.sources);
        }
        format!("{} to {}", listed(&self.sources), listed(&self.targets))
    }

    /// All pairs of a source and another target.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.sources.iter().flat_map(|source| self.targets.iter().map(move |target| (&**source, &**target)));
        all.filter(|(source, target)| !source.eq_ignore_ascii_case(target))
    }

    /// Finds the files of the model without loading them.
    ///
    /// # Errors
    /// The reason why the path cannot be a model's.
    pub fn check(&self) -> Result<(), Error> {
        if is_phrase_based(&self.path) { Ok(()) } else { Package::find(&self.path).map(drop) }
    }
}

/// The name of a pair of languages.
pub fn pair_name(source: &str, target: &str) -> String {
    format!("{source}-{target}")
}

/// The first of some languages, and how many there are.
fn listed(codes: &[String]) -> String {
    const SHOWN: usize = 4;
    match codes.len() {
        count if count <= SHOWN => codes.join(","),
        count => format!("{} and {} more languages", codes[..SHOWN].join(","), count - SHOWN),
    }
}

/// Whether the folder has a model of Moses; all other models are neural.
pub fn is_phrase_based(path: &Path) -> bool {
    path.join("moses.ini").is_file()
}

/// Reads `SOURCE-TARGET=PATH`, or `SOURCE:TARGET=PATH` for codes with a hyphen, or `A,B,C=PATH` for all pairs of these
/// languages.
///
/// # Errors
/// One sentence.
pub fn parse_model(text: &str) -> Result<ModelSpec, String> {
    let wrong = || format!("'{text}' is not a model; write SOURCE-TARGET=PATH, as de-en=models/de-en");
    let (languages, path) = text.split_once('=').filter(|(_, path)| !path.is_empty()).ok_or_else(wrong)?;
    let is_code = |code: &str| !code.is_empty() && code.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    if languages.contains(',') {
        let codes: Vec<String> = languages.split(',').map(|code| code.trim().to_owned()).collect();
        if let Some(twice) =
            (1..codes.len()).find(|&at| codes[..at].iter().any(|code| code.eq_ignore_ascii_case(&codes[at])))
        {
            return Err(format!("'{text}' names the language '{}' twice", codes[twice]));
        }
        let all = codes.iter().all(|code| is_code(code));
        return if all {
            Ok(ModelSpec { sources: codes.clone(), targets: codes, path: path.into() })
        } else {
            Err(wrong())
        };
    }
    let (source, target) = languages.split_once(':').or_else(|| languages.split_once('-')).ok_or_else(wrong)?;
    if source.eq_ignore_ascii_case(target) {
        return Err(format!("'{text}' translates from {source} to {target}; the two languages of a model differ"));
    }
    let hyphens = !languages.contains(':') && target.contains('-');
    if hyphens || !is_code(source) || !is_code(target) {
        Err(wrong())
    } else {
        Ok(ModelSpec::of_pair(source, target, path))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn a_model_has_all_pairs_of_its_languages() {
        let pairs = |text: &str| {
            let spec = parse_model(text)?;
            Ok::<_, String>(spec.pairs().map(|(source, target)| pair_name(source, target)).collect::<Vec<_>>())
        };
        let found = pairs("en,de,zho_Hans=nllb").unwrap();
        assert_eq!(found, ["en-de", "en-zho_Hans", "de-en", "de-zho_Hans", "zho_Hans-en", "zho_Hans-de"]);
        assert_eq!(pairs("de-en=m").unwrap(), ["de-en"]);
        assert_eq!(pairs("de-en=a,b").unwrap(), ["de-en"]);
        for wrong in ["en,de=", "en,,de=m", "en,de,en=m", "en,de,EN=m", "en,d/e=m"] {
            assert!(pairs(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn models_are_named_with_their_languages() {
        assert_eq!(parse_model("de-en=models/a=b"), Ok(ModelSpec::of_pair("de", "en", "models/a=b")));
        assert_eq!(parse_model("pt-BR:en=m"), Ok(ModelSpec::of_pair("pt-BR", "en", "m")));
        for wrong in ["", "de-en", "de=m", "de-en=", "pt-BR-en=m", "de-de=m", "d/e-en=m", "-en=m"] {
            assert!(parse_model(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_model("de-en=m").unwrap().name(), "de-en");
        assert_eq!(parse_model("a,b,c,d,e,f=m").unwrap().name(), "a,b,c,d and 2 more languages");
        let one_to_many = ModelSpec { targets: vec!["de".into(), "nl".into()], ..ModelSpec::of_pair("en", "", "m") };
        assert_eq!(one_to_many.name(), "en to de,nl");
    }
}
