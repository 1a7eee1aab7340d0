//! Which models translate between which languages.

use crate::language;
use crate::model_spec::ModelSpec;
use std::collections::HashMap;

/// The pairs of languages of some models, and those by way of a third language.
#[derive(Debug, Default)]
pub struct LanguagePairs {
    /// By source and target: the place of the first model of this pair.
    places: HashMap<String, HashMap<String, usize>>,
    /// By source: the targets of its models, in the order of the models.
    direct: HashMap<String, Vec<String>>,
    sources: Vec<String>,
    targets: Vec<String>,
    languages: Vec<(String, Vec<String>)>,
    first: Option<(String, String)>,
}

impl LanguagePairs {
    /// The pairs of these models, each with the place where it is.
    pub fn new<'a>(models: impl IntoIterator<Item = (&'a ModelSpec, usize)>) -> Self {
        let mut pairs = Self::default();
        let (mut sources, mut targets, mut codes) = (Codes::default(), Codes::default(), Codes::default());
        for (model, place) in models {
            for (source, target) in model.pairs() {
                sources.add(source);
                targets.add(target);
                codes.add(source);
                codes.add(target);
                pairs.first.get_or_insert_with(|| (source.to_owned(), target.to_owned()));
                let places = pairs.places.entry(source.to_owned()).or_default();
                if !places.contains_key(target) {
                    places.insert(target.to_owned(), place);
                    pairs.direct.entry(source.to_owned()).or_default().push(target.to_owned());
                }
            }
        }
        pairs.languages = pairs.all(&codes);
        pairs.languages.sort_by_cached_key(|(code, _)| language::names(code).0);
        (pairs.sources, pairs.targets) = (sources.listed, targets.listed);
        pairs
    }

    /// All codes, each with its targets: first those of its models, then those by way of a third language.
    fn all(&self, codes: &Codes) -> Vec<(String, Vec<String>)> {
        // A model may have two hundred languages, so languages are numbers here.
        let numbers = |code: &String| {
            let targets = self.direct.get(code).map_or(&[][..], Vec::as_slice);
            targets.iter().map(|target| codes.places[target]).collect()
        };
        let direct: Vec<Vec<usize>> = codes.listed.iter().map(numbers).collect();
        let reached = |(at, code): (usize, &String)| {
            let mut known = vec![false; codes.listed.len()];
            known[at] = true;
            let further = direct[at].iter().flat_map(|&between| &direct[between]);
            let new = direct[at].iter().chain(further).filter(|&&target| !std::mem::replace(&mut known[target], true));
            (code.clone(), new.map(|&target| codes.listed[target].clone()).collect())
        };
        codes.listed.iter().enumerate().map(reached).collect()
    }

    /// The codes of all source languages, in the order of the models.
    #[must_use]
    pub fn sources(&self) -> &[String] {
        &self.sources
    }

    /// The codes of all target languages, in the order of the models.
    #[must_use]
    pub fn targets(&self) -> &[String] {
        &self.targets
    }

    /// All codes by their names, each with the languages that it is translated to: first those of its models, then
    /// those by a pivot language.
    #[must_use]
    pub fn languages(&self) -> &[(String, Vec<String>)] {
        &self.languages
    }

    /// The first pair of the first model.
    #[must_use]
    pub fn first(&self) -> Option<(&str, &str)> {
        self.first.as_ref().map(|(source, target)| (&**source, &**target))
    }

    /// The place of the first model of this pair.
    #[must_use]
    pub fn place(&self, source: &str, target: &str) -> Option<usize> {
        self.places.get(source)?.get(target).copied()
    }

    /// The pivot language between two languages without a model; of several, the first one in the order of the models.
    #[must_use]
    pub fn between(&self, source: &str, target: &str) -> Option<&str> {
        if source == target || self.place(source, target).is_some() {
            return None;
        }
        let mut legs = self.direct.get(source)?.iter();
        legs.find(|between| self.place(between, target).is_some()).map(String::as_str)
    }

    /// Whether there is a way between these languages.
    #[must_use]
    pub fn has(&self, source: &str, target: &str) -> bool {
        self.place(source, target).is_some() || self.between(source, target).is_some()
    }
}

/// Codes in the order in which they come, each once.
#[derive(Default)]
struct Codes {
    listed: Vec<String>,
    places: HashMap<String, usize>,
}

impl Codes {
    fn add(&mut self, code: &str) {
        if !self.places.contains_key(code) {
            self.places.insert(code.to_owned(), self.listed.len());
            self.listed.push(code.to_owned());
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::model_spec::parse_model;

    fn pairs(models: &[&str]) -> LanguagePairs {
        let models: Vec<ModelSpec> = models.iter().map(|text| parse_model(text).unwrap()).collect();
        LanguagePairs::new(models.iter().zip(0..))
    }

    #[test]
    fn pairs_have_a_model_or_two() {
        let pairs = pairs(&["de-en=a", "en-fr=b", "en,it,es=c", "en-fr=d"]);
        assert_eq!(
            (pairs.place("en", "fr"), pairs.place("it", "es"), pairs.place("de", "fr")),
            (Some(1), Some(2), None)
        );
        assert_eq!(
            (pairs.between("de", "fr"), pairs.between("it", "fr"), pairs.between("fr", "de")),
            (Some("en"), Some("en"), None)
        );
        assert!(pairs.has("de", "es") && !pairs.has("de", "de") && !pairs.has("xx", "de"));
        assert_eq!(
            (pairs.sources(), pairs.first()),
            (&["de", "en", "it", "es"].map(String::from)[..], Some(("de", "en")))
        );
        let targets = |code: &str| pairs.languages().iter().find(|(known, _)| known == code).unwrap().1.join(" ");
        assert_eq!(
            (targets("de"), targets("en"), targets("fr")),
            ("en fr it es".into(), "fr it es".into(), String::new())
        );
        let names: Vec<&str> = pairs.languages().iter().map(|(code, _)| &**code).collect();
        assert_eq!(names, ["en", "fr", "de", "it", "es"], "by their English names");
    }

    #[test]
    fn a_model_of_many_languages_is_listed() {
        let codes: Vec<String> = (0..203).map(|code| format!("l{code}")).collect();
        let pairs = pairs(&[&format!("{}=nllb", codes.join(","))]);
        assert_eq!(pairs.languages().len(), 203);
        assert!(pairs.languages().iter().all(|(_, targets)| targets.len() == 202));
    }
}
