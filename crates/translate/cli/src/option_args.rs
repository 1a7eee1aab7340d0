//! Options of the libraries as options of the command line.

use crate::values::possible;
use clap::builder::{PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use metaphrase::{OptionFacts, OptionFault, OptionGroup, OptionKind, OptionValue, TranslateOption, TranslateOptions};
use std::marker::PhantomData;
use std::num::{NonZeroU64, ParseFloatError, ParseIntError};

/// Groups of options, as a type so that each set of them can be a part of a command's options.
pub trait OptionGroups {
    /// The groups, in the order of the help.
    const GROUPS: &'static [OptionGroup];
    /// The heading of the help.
    const HEADING: &'static str;
}

/// The options of some groups that a command line gives.
#[derive(Debug, Clone)]
pub struct OptionArgs<G> {
    given: Vec<(TranslateOption, OptionValue)>,
    groups: PhantomData<G>,
}

impl<G> OptionArgs<G> {
    /// The values that were given.
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

/// The options of some groups that the command line makes of what the library says about them.
fn options_of<G: OptionGroups>() -> impl Iterator<Item = TranslateOption> {
    let group = |&group: &OptionGroup| TranslateOption::all().filter(move |option| option.facts().group == group);
    G::GROUPS.iter().flat_map(group).filter(|option| option.facts().makes_flag())
}

impl<G: OptionGroups> Args for OptionArgs<G> {
    fn augment_args(command: Command) -> Command {
        command.args(options_of::<G>().map(|option| arg(option).help_heading(G::HEADING)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<G: OptionGroups> FromArgMatches for OptionArgs<G> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = options_of::<G>().filter_map(|option| Some((option, value(option, matches)?)));
        Ok(Self { given: given.collect(), groups: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The value that the command line gives to an option.
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
    let (facts, kind) = (option.facts(), option.kind());
    let arg = Arg::new(facts.name).long(facts.long_flag().unwrap_or_default()).help(help(facts));
    let arg = arg.short(facts.letter).conflicts_with_all(facts.excludes.iter().copied());
    let arg = facts.alias.map_or(arg.clone(), |alias| arg.visible_alias(alias));
    // Another option with one of some values is asked for when all options are known.
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

/// What the help says.
fn help(facts: &OptionFacts) -> String {
    let help = in_flags(facts.help);
    let help = match facts.needs {
        Some((needed, values)) if !values.is_empty() => format!("{help}, with {} {values}", flag_of(needed)),
        _ => help,
    };
    if facts.default.is_empty() { help } else { format!("{help} [default: {}]", in_flags(facts.default)) }
}

/// The help of an option that a command declares by itself.
pub fn help_of(name: &str) -> String {
    TranslateOption::named(name).map_or_else(String::new, |option| in_flags(option.facts().help))
}

/// Reads a value.
fn parser(option: TranslateOption, kind: OptionKind) -> ValueParser {
    match kind {
        OptionKind::Count { .. } if option.facts().range.begins_above_zero() => {
            let count = |text: &str| Ok::<_, ParseIntError>(OptionValue::Count(text.parse::<NonZeroU64>()?.get()));
            ValueParser::new(count)
        }
        OptionKind::Count { .. } => {
            ValueParser::new(|text: &str| Ok::<_, ParseIntError>(OptionValue::Count(text.parse()?)))
        }
        OptionKind::Number { .. } => {
            ValueParser::new(|text: &str| Ok::<_, ParseFloatError>(OptionValue::Number(text.parse()?)))
        }
        OptionKind::Double => {
            ValueParser::new(|text: &str| Ok::<_, ParseFloatError>(OptionValue::Double(text.parse()?)))
        }
        OptionKind::Numbers => ValueParser::new(|text: &str| text.parse::<f64>()),
        OptionKind::Name { names, .. } => {
            ValueParser::new(PossibleValuesParser::new(names.iter().map(possible)).map(OptionValue::Text))
        }
        // The option itself reads the text, once here to refuse it at once, and once when it is set.
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

/// An option as the command line writes it.
pub fn flag_of(name: &str) -> String {
    let flag = TranslateOption::named(name).and_then(|option| option.facts().long_flag());
    flag.map_or_else(|| name.to_owned(), |flag| format!("--{flag}"))
}

/// A text in which names of options stand in backquotes, as the command line writes them.
fn in_flags(text: &str) -> String {
    let part = |(at, part): (usize, &str)| if at % 2 == 0 { part.to_owned() } else { flag_of(part) };
    text.split('`').enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_options_become_flags() {
        assert_eq!(in_flags("as `ends_beside` with `stop` fill"), "as --eos-beside with --stop fill");
        assert_eq!(flag_of("no_such_option"), "no_such_option");
        let parsed = parser(TranslateOption::named("sampling").expect("an option"), OptionKind::Text);
        let command = Command::new("test").arg(Arg::new("sampling").long("sampling").value_parser(parsed));
        let error = command.try_get_matches_from(["test", "--sampling", "topk:0"]).expect_err("a fault");
        assert!(error.to_string().contains("expected full, topk:K"), "{error}");
    }
}
