//! Models as the command line names them: languages and a path.

use metaphrase::{Error, Package};
use std::path::{Path, PathBuf};

/// A model of the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSpec {
    /// The source language's code.
    pub source: String,
    /// The target language's code.
    pub target: String,
    /// What [`metaphrase::Package::find`] takes, or the folder of a phrase-based model.
    pub path: PathBuf,
}

impl ModelSpec {
    /// The model's name for clients, without its path.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}-{}", self.source, self.target)
    }

    /// Finds the files of the model without loading them.
    ///
    /// # Errors
    /// The reason why the path cannot be a model's.
    pub fn check(&self) -> Result<(), Error> {
        if is_phrase_based(&self.path) { Ok(()) } else { Package::find(&self.path).map(drop) }
    }
}

/// Whether the folder has a model of Moses; all other models are neural.
pub fn is_phrase_based(path: &Path) -> bool {
    path.join("moses.ini").is_file()
}

/// The pairs of languages of one model of the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSpecs(pub Vec<ModelSpec>);

/// Reads what [`parse_model`] reads, or `A,B,C=PATH` for all pairs of these languages.
///
/// # Errors
/// One sentence.
pub fn parse_models(text: &str) -> Result<ModelSpecs, String> {
    let Some((codes, path)) = text.split_once('=').filter(|(codes, _)| codes.contains(',')) else {
        return parse_model(text).map(|spec| ModelSpecs(vec![spec]));
    };
    let codes: Vec<&str> = codes.split(',').map(str::trim).collect();
    let mut specs = Vec::new();
    for (at, source) in codes.iter().enumerate() {
        if codes[..at].contains(source) {
            return Err(format!("'{text}' names the language '{source}' twice"));
        }
        for target in codes.iter().filter(|target| !target.eq_ignore_ascii_case(source)) {
            specs.push(parse_model(&format!("{source}:{target}={path}"))?);
        }
    }
    Ok(ModelSpecs(specs))
}

/// Reads `SOURCE-TARGET=PATH`, or `SOURCE:TARGET=PATH` for codes with a hyphen.
///
/// # Errors
/// One sentence.
pub fn parse_model(text: &str) -> Result<ModelSpec, String> {
    let wrong = || format!("'{text}' is not a model; write SOURCE-TARGET=PATH, as de-en=models/de-en");
    let (pair, path) = text.split_once('=').ok_or_else(wrong)?;
    let (source, target) = pair.split_once(':').or_else(|| pair.split_once('-')).ok_or_else(wrong)?;
    let code = |code: &str| !code.is_empty() && code.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if source.eq_ignore_ascii_case(target) {
        return Err(format!("'{text}' translates from {source} to {target}; the two languages of a model differ"));
    }
    let hyphens = !pair.contains(':') && target.contains('-');
    if path.is_empty() || hyphens || !code(source) || !code(target) {
        return Err(wrong());
    }
    Ok(ModelSpec { source: source.to_owned(), target: target.to_owned(), path: path.into() })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn a_model_has_all_pairs_of_its_languages() {
        let pairs = |text: &str| {
            let ModelSpecs(specs) = parse_models(text)?;
            Ok::<_, String>(specs.iter().map(ModelSpec::name).collect::<Vec<_>>())
        };
        let found = pairs("en,de,zho_Hans=nllb").unwrap();
        assert_eq!(found, ["en-de", "en-zho_Hans", "de-en", "de-zho_Hans", "zho_Hans-en", "zho_Hans-de"]);
        assert_eq!(pairs("de-en=m").unwrap(), ["de-en"]);
        assert_eq!(pairs("de-en=a,b").unwrap(), ["de-en"]);
        for wrong in ["en,de=", "en,,de=m", "en,de,en=m", "en,d/e=m"] {
            assert!(pairs(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn models_are_named_with_their_languages() {
        let spec = |source: &str, target: &str, path: &str| ModelSpec {
            source: source.into(),
            target: target.into(),
            path: path.into(),
        };
        assert_eq!(parse_model("de-en=models/a=b"), Ok(spec("de", "en", "models/a=b")));
        assert_eq!(parse_model("pt-BR:en=m"), Ok(spec("pt-BR", "en", "m")));
        for wrong in ["", "de-en", "de=m", "de-en=", "pt-BR-en=m", "de-de=m", "d/e-en=m", "-en=m"] {
            assert!(parse_model(wrong).is_err(), "{wrong}");
        }
    }
}
