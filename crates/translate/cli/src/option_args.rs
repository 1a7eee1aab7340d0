//! Options of the libraries as options of the command line.

use crate::number::{real, whole};
use crate::values::possible;
use clap::builder::{PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use metaphrase::{OptionFacts, OptionFault, OptionGroup, OptionKind, OptionValue, TranslateOption, TranslateOptions};
use std::marker::PhantomData;
use std::num::NonZeroU64;

/// A set of groups of options. It is a type, so that `#[command(flatten)]` can add the set to the options of a command.
pub trait OptionGroups {
    /// The groups, in the order of `--help`.
    const GROUPS: &'static [OptionGroup];
    /// The heading in `--help`.
    const HEADING: &'static str;
}

/// The values that a command line gives to the options of some groups.
#[derive(Debug, Clone)]
pub struct OptionArgs<G> {
    given: Vec<(TranslateOption, OptionValue)>,
    groups: PhantomData<G>,
}

impl<G> OptionArgs<G> {
    /// The given values.
    pub fn given(&self) -> &[(TranslateOption, OptionValue)] {
        &self.given
    }

    /// Whether the option of this name was given.
    pub fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(option, _)| option.facts().name == name)
    }

    /// Sets the options that were given.
    pub fn change(&self, options: &mut TranslateOptions) -> Result<(), OptionFault> {
        options.change(self.given.clone())
    }
}

/// The options of some groups that the command line generates from the items of the library.
fn group_options<G: OptionGroups>() -> impl Iterator<Item = TranslateOption> {
    let group = |&group: &OptionGroup| TranslateOption::all().filter(move |option| option.facts().group == group);
    G::GROUPS.iter().flat_map(group).filter(|option| option.facts().makes_flag())
}

impl<G: OptionGroups> Args for OptionArgs<G> {
    fn augment_args(command: Command) -> Command {
        command.args(group_options::<G>().map(|option| arg(option).help_heading(G::HEADING)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<G: OptionGroups> FromArgMatches for OptionArgs<G> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = group_options::<G>().filter_map(|option| Some((option, value(option, matches)?)));
        Ok(Self { given: given.collect(), groups: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The value of an option on the command line, if it is given.
fn value(option: TranslateOption, matches: &ArgMatches) -> Option<OptionValue> {
    let name = option.facts().name;
    match option.kind() {
        OptionKind::Switch => matches.get_flag(name).then_some(OptionValue::Switch(true)),
        OptionKind::Numbers => {
            let numbers: Vec<f64> = matches.get_many(name)?.copied().collect();
            numbers.try_into().ok().map(OptionValue::Numbers)
        }
        _ => matches.get_one(name).cloned(),
    }
}

/// The option of the command line.
fn arg(option: TranslateOption) -> Arg {
    let facts = option.facts();
    let kind = option.kind();
    let arg = Arg::new(facts.name).long(facts.long_flag().unwrap_or_default()).help(help(facts));
    let arg = arg.short(facts.letter).conflicts_with_all(facts.excludes.iter().copied());
    let arg = facts.alias.map_or(arg.clone(), |alias| arg.visible_alias(alias));
    // If another option must have certain values, the library checks this once all options are known.
    let arg = match facts.needs {
        Some((needed, "")) => arg.requires(needed),
        _ => arg,
    };
    if matches!(kind, OptionKind::Switch) {
        return arg.action(ArgAction::SetTrue);
    }
    let is_number = matches!(kind, OptionKind::Number { .. } | OptionKind::Double | OptionKind::Numbers);
    let placeholders: Vec<&'static str> = facts.placeholder.split(' ').collect();
    let arg = arg.num_args(placeholders.len()).value_names(placeholders).allow_negative_numbers(is_number);
    let arg = facts.bare.map_or(arg.clone(), |bare| arg.num_args(0..=1).default_missing_value(bare));
    arg.value_parser(parser(option, kind))
}

/// The text of an option in `--help`.
fn help(facts: &OptionFacts) -> String {
    let help = with_flags(facts.help);
    let help = match facts.needs {
        Some((needed, values)) if !values.is_empty() => format!("{help}, with {} {values}", flag(needed)),
        _ => help,
    };
    if facts.default.is_empty() { help } else { format!("{help} [default: {}]", with_flags(facts.default)) }
}

/// The text in `--help` of an option that a command declares itself.
pub fn help_for(name: &str) -> String {
    TranslateOption::named(name).map_or_else(String::new, |option| with_flags(option.facts().help))
}

/// The parser of an option's value.
fn parser(option: TranslateOption, kind: OptionKind) -> ValueParser {
    match kind {
        OptionKind::Count { .. } if option.facts().range.begins_above_zero() => {
            ValueParser::new(|text: &str| whole::<NonZeroU64>(text).map(|count| OptionValue::Count(count.get())))
        }
        OptionKind::Count { .. } => ValueParser::new(|text: &str| whole(text).map(OptionValue::Count)),
        OptionKind::Number { .. } => ValueParser::new(|text: &str| real(text).map(OptionValue::Number)),
        OptionKind::Double => ValueParser::new(|text: &str| real(text).map(OptionValue::Double)),
        OptionKind::Numbers => ValueParser::new(real::<f64>),
        OptionKind::Name { names, .. } => {
            ValueParser::new(PossibleValuesParser::new(names.iter().map(possible)).map(OptionValue::Text))
        }
        // The option parses its own text: here, so that a fault is reported at once, and again when the option is set.
        OptionKind::Text | OptionKind::Switch | OptionKind::Foreign => ValueParser::new(move |text: &str| {
            let value = OptionValue::Text(text.to_owned());
            match TranslateOptions::default().change(vec![(option, value.clone())]) {
                Err(OptionFault::Unknown { expected, .. }) => Err(expected.to_string()),
                Err(fault) => Err(fault.to_string()),
                Ok(()) => Ok(value),
            }
        }),
    }
}

/// The flag of an option: `--beam-size` for `beam_size`.
pub fn flag(name: &str) -> String {
    let flag = TranslateOption::named(name).and_then(|option| option.facts().long_flag());
    flag.map_or_else(|| name.to_owned(), |flag| format!("--{flag}"))
}

/// A text with the flags of the command line for the names of options in backquotes.
fn with_flags(text: &str) -> String {
    let part = |(at, part): (usize, &str)| if at % 2 == 0 { part.to_owned() } else { flag(part) };
    text.split('`').enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_options_become_flags() {
        assert_eq!(with_flags("as `ends_beside` with `stop` fill"), "as --eos-beside with --stop fill");
        assert_eq!(flag("no_such_option"), "no_such_option");
        let parsed = parser(TranslateOption::named("sampling").expect("an option"), OptionKind::Text);
        let command = Command::new("test").arg(Arg::new("sampling").long("sampling").value_parser(parsed));
        let error = command.try_get_matches_from(["test", "--sampling", "topk:0"]).expect_err("a fault");
        assert!(error.to_string().contains("expected full, topk:K"), "{error}");
    }
}
