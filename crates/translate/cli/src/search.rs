//! Options of the search.

use crate::Usage;
use crate::io::Input;
use crate::option_args::{OptionArgs, OptionGroups, help_for};
use anyhow::{Context, Result};
use metaphrase::{Dictionary, OptionGroup, TranslateOptions};
use std::io::Read;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Options of the search, the text and the random draws. The default of an option is the model's own setting.
#[derive(clap::Args)]
#[command(next_help_heading = "Search")]
pub struct SearchArgs {
    #[command(flatten)]
    options: OptionArgs<SearchGroups>,
    #[arg(long, value_name = "FILE", num_args = 0..=1, value_hint = clap::ValueHint::FilePath)]
    #[arg(help = help_for("replace_unknown"))]
    replace_unk: Option<Option<PathBuf>>,
}

/// The groups of options in [`SearchArgs`].
#[derive(Debug, Clone)]
struct SearchGroups;

impl OptionGroups for SearchGroups {
    const GROUPS: &'static [OptionGroup] = &[OptionGroup::Search, OptionGroup::Text, OptionGroup::Draws];
    const HEADING: &'static str = "Search";
}

impl SearchArgs {
    /// Whether translations are drawn at random.
    pub fn samples(&self) -> bool {
        self.options.has("sampling")
    }

    /// The model's `options` with the changes of the command line, for `n_best` translations of each line.
    pub fn apply(&self, mut options: TranslateOptions, n_best: Option<NonZeroUsize>) -> Result<TranslateOptions> {
        self.options.change(&mut options)?;
        options.search.n_best = n_best.map_or(1, NonZeroUsize::get);
        let wanted = options.search.n_best;
        let beam = options.search.beam_size;
        if wanted > beam && options.search.sampling.is_none() {
            let advice = format!("add --beam-size {wanted}");
            return Err(Usage::error(format!("--n-best {wanted} is more than the beam of {beam} can hold; {advice}")));
        }
        options.replace_unknown = self.dictionary()?;
        Ok(options)
    }

    /// The dictionary for unknown words, if they are to be replaced.
    fn dictionary(&self) -> Result<Option<Dictionary>> {
        let Some(path) = &self.replace_unk else { return Ok(None) };
        let Some(path) = path else { return Ok(Some(Dictionary::default())) };
        let mut text = String::new();
        let name = path.display();
        Input::open(Some(path))?.reader.read_to_string(&mut text).with_context(|| format!("cannot read {name}"))?;
        Ok(Some(Dictionary::parse(&text).with_context(|| name.to_string())?))
    }
}
