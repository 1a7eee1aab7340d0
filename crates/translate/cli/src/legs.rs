//! The translator of a text: one model or two in sequence, and a glossary.

use crate::Usage;
use crate::config::Config;
use crate::io::Input;
use crate::model::ModelArgs;
use crate::models;
use anyhow::{Context, Result};
use metaphrase::{Case, Glossary, GlossaryFile, Translator, TranslatorBuilder};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A second model in sequence, and a glossary.
#[derive(clap::Args)]
pub struct LegsArgs {
    /// A second model, which translates the translations of the first into a third language. Options of the search and
    /// the result, terms and prefixes apply to the second; the first gives its best translation. Both keep placeholders
    #[arg(long, value_name = "PATH", help_heading = "Model")]
    then: Option<PathBuf>,
    /// A glossary: if a line contains one of its source terms, the translation contains the target term. Each line of
    /// the file has a source term, a tab and a target term; more target terms after tabs are alternatives. CSV,
    /// TBX, TMX
    /// and Excel files are read, too
    #[arg(long, value_name = "FILE", help_heading = "Text")]
    glossary: Option<PathBuf>,
    /// Distinguish upper and lower case when looking for terms of the glossary
    #[arg(long, requires = "glossary", help_heading = "Text")]
    glossary_case: bool,
}

impl LegsArgs {
    /// The file of the glossary.
    pub fn file(&self) -> Option<&PathBuf> {
        self.glossary.as_ref()
    }

    /// Reads the models and starts the threads; `change` adds to the builder of the last model.
    pub fn load(
        &self,
        model: &ModelArgs,
        change: impl FnOnce(TranslatorBuilder) -> TranslatorBuilder,
    ) -> Result<Translator> {
        let translator = self.translator(model, change)?;
        let Some(path) = &self.glossary else { return Ok(translator) };
        let languages = translator.languages().map(|[source, target]| [&**source, &**target]);
        let glossary = read_glossary(path, self.glossary_case, languages)?;
        Ok(translator.with_glossary(glossary))
    }

    /// The translator without the glossary.
    fn translator(
        &self,
        model: &ModelArgs,
        change: impl FnOnce(TranslatorBuilder) -> TranslatorBuilder,
    ) -> Result<Translator> {
        let Some(then) = &self.then else { return model.load(change) };
        let first = model.load(|builder| builder)?;
        let config = Config::load()?;
        let then = models::locate(then, &config)?;
        let last = change(model.builder(&config).precision(model.precision()).model(then)).build()?;
        if let (Some([_, middle]), Some([source, target])) = (first.languages(), last.languages())
            && middle != source
        {
            let found = format!("the first model translates to {middle}, that of --then from {source} to {target}");
            return Err(Usage::error(format!(
                "{found}; the second model has to read the language that the first one writes"
            )));
        }
        Ok(Translator::pivot(Arc::new(first), Arc::new(last)))
    }
}

/// Reads a glossary's file; of a file with several languages those of the translator.
fn read_glossary(path: &Path, case: bool, languages: Option<[&str; 2]>) -> Result<Glossary> {
    let mut bytes = Vec::new();
    let name = path.display();
    Input::open(Some(path))?.reader.read_to_end(&mut bytes).with_context(|| format!("cannot read {name}"))?;
    let file = GlossaryFile::read(&bytes, languages).with_context(|| name.to_string())?;
    let glossary = file.glossary(Case::sensitive(case)).with_context(|| name.to_string())?;
    for note in glossary.notes() {
        tracing::warn!("{name}: {note}");
    }
    Ok(glossary)
}
