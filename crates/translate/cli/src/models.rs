//! `metaphrase models`, and models by their names: those of the program, and those in the folders of the settings.

use crate::config::Config;
use crate::io::Output;
use crate::messages::one_line;
use anyhow::{Result, bail};
use metaphrase::Package;
use std::path::{Component, Path, PathBuf};

/// List the models that -m finds by name: those of the program, and those in the folders of the settings
///
/// Each line has a name, a tab, and the place of the model. `metaphrase config` shows the folders.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {}

const EXAMPLES: &str = "\
Examples:
  metaphrase models
  METAPHRASE_MODELS=~/models metaphrase translate -m opus-mt-en-fr < talk.en";

/// Lists the models.
pub fn run(_args: &Args) -> Result<()> {
    let config = Config::load()?;
    let mut output = Output::create(None)?;
    for name in Package::bundled_names() {
        output.write(&format!("{name}\tpart of the program\n"))?;
    }
    for (name, path) in named(&config) {
        output.write(&format!("{}\t{}\n", one_line(&name), one_line(&path.to_string_lossy())))?;
    }
    output.finish()
}

/// The models in the folders of the settings, in their order and by name; the first one of a name counts.
fn named(config: &Config) -> Vec<(String, PathBuf)> {
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for folder in &config.folders.value {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        paths.sort();
        for path in paths {
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            if found.iter().all(|(known, _)| known != name) && can_be_model(&path) {
                found.push((name.to_owned(), path));
            }
        }
    }
    found
}

/// Whether a directory has the files of a model, neural or phrase-based.
fn can_be_model(path: &Path) -> bool {
    is_phrase_based(path) || Package::find(path).is_ok()
}

/// Whether this is a model of Moses: its directory, or its `moses.ini`.
fn is_phrase_based(path: &Path) -> bool {
    path.join("moses.ini").is_file() || (path.ends_with("moses.ini") && path.is_file())
}

/// The place of the neural model that a user names: a path, a model of the program, or one in the folders.
///
/// # Errors
/// One sentence that says which models there are, or where to get the model.
pub fn locate(name: &Path, config: &Config) -> Result<PathBuf> {
    if let Some(found) = find(name, config) {
        if is_phrase_based(&found) {
            let shown = name.display();
            bail!("{shown} is a phrase-based model; translate with it by `metaphrase phrase translate -m {shown}`");
        }
        return Ok(found);
    }
    bail!(missing(name, config))
}

/// The model where no option names one.
pub fn default_package(config: &Config) -> Result<Package> {
    // Even where a directory has the name of the bundled model.
    if config.model.is_default() {
        return Ok(Package::bundled());
    }
    Ok(Package::find(locate(&config.model.value, config)?)?)
}

/// The place of a model, neural or phrase-based; `None`: there is no such model.
pub fn find(name: &Path, config: &Config) -> Option<PathBuf> {
    if name.exists() || Package::bundled_names().any(|bundled| name == Path::new(bundled)) {
        return Some(name.to_owned());
    }
    let in_folders =
        |name: &Path| config.folders.value.iter().map(|folder| folder.join(name)).find(|path| path.exists());
    let is_name = name.components().all(|part| matches!(part, Component::Normal(_)));
    // `OWNER/NAME` of Hugging Face is found as the folder `NAME`, too.
    is_name.then(|| in_folders(name).or_else(|| in_folders(Path::new(hub_name(name)?.1)))).flatten()
}

/// The owner and the name of a model as Hugging Face writes them: `Helsinki-NLP/opus-mt-en-de`.
fn hub_name(name: &Path) -> Option<(&str, &str)> {
    let (owner, model) = name.to_str()?.split_once('/')?;
    let is_word = |word: &str| {
        !word.is_empty()
            && !word.starts_with('.')
            && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    (is_word(owner) && is_word(model) && !Path::new(owner).exists()).then_some((owner, model))
}

/// The sentence about a model that is not there.
fn missing(name: &Path, config: &Config) -> String {
    let shown = name.display();
    if let Some((owner, model)) = hub_name(name) {
        return format!(
            "there is no model {shown} on this machine; if Hugging Face has it (https://huggingface.co/{owner}/{model}), \
             download it with `hf download {owner}/{model} --local-dir {model}` and use `-m {model}`"
        );
    }
    if name.components().count() > 1 || name.is_absolute() {
        return format!(
            "cannot find the model {shown}: no file or directory has this name; `metaphrase models` lists the models \
             that have names"
        );
    }
    let bundled: Vec<String> = Package::bundled_names().map(str::to_owned).collect();
    let named: Vec<String> = named(config).into_iter().map(|(name, _)| name).collect();
    let names = bundled.into_iter().chain(named).collect::<Vec<_>>().join(", ");
    format!(
        "there is no model {shown}: no directory has this name, and the models with names are {names}; download a model \
         of other languages, such as one of https://huggingface.co/Helsinki-NLP, and name its directory"
    )
}
