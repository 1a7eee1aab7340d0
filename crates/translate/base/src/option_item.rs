//! Options as items: what a command line, a binding and a page have to know about a field.

mod fault;
mod range;
mod value;

pub use fault::OptionFault;
pub use range::NumberRange;
pub use value::{OptionKind, OptionValue};

use crate::{Choice, Named, UnknownName};

/// One option: a field of the options `T`, and all that its users have to know about it. The items of `T` stand next to
/// `T`; the command line, the bindings, the checks and the pages are made from them.
#[derive(Debug)]
pub struct OptionItem<T: 'static> {
    /// What is said about the option.
    pub facts: OptionFacts,
    field: Field<T>,
    /// Whether the options have what `facts.needs` says.
    met: fn(&T) -> bool,
}

/// What is said about an option, whatever it is a field of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OptionFacts {
    /// The name in the library and in bindings: `beam_size`.
    pub name: &'static str,
    /// The part of a page that has it.
    pub group: OptionGroup,
    /// The option of the command line.
    pub flag: Flag,
    /// The letter of the command line: `b` of `-b`.
    pub letter: Option<char>,
    /// Another name on the command line.
    pub alias: Option<&'static str>,
    /// What stands for the value in help: `B`. Several words if the option has several values.
    pub placeholder: &'static str,
    /// The value of the flag alone, where it may stand alone.
    pub bare: Option<&'static str>,
    /// The numbers that are allowed.
    pub range: NumberRange,
    /// The default in words, for help; empty where the value says all.
    pub default: &'static str,
    /// One to three sentences, without the last full stop. Names of other options stand in backquotes.
    pub help: &'static str,
    /// The option without which this one has no effect, and the values of it that are meant; empty: any.
    pub needs: Option<(&'static str, &'static str)>,
    /// Options of the command line that can not be given together with this one.
    pub excludes: &'static [&'static str],
}

/// What an option is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionGroup {
    /// The search for the best translation.
    Search,
    /// Text before and after the search.
    Text,
    /// Random translations.
    Draws,
    /// How evidence of another system is used.
    Evidence,
    /// How n-grams of evidence are counted.
    Counting,
}

/// How the command line writes an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flag {
    /// The name with hyphens.
    Name,
    /// Another name, without the two hyphens before it.
    Other(&'static str),
    /// The command line declares it by itself, under this name, as it does more than to set the field.
    Own(&'static str),
    /// Not at all.
    None,
}

/// How a field is read and set.
#[derive(Debug)]
pub enum Field<T: 'static> {
    /// On or off.
    Switch(fn(&T) -> bool, fn(&mut T, bool)),
    /// A whole number.
    Count(fn(&T) -> usize, fn(&mut T, usize)),
    /// A whole number, or none.
    OptionalCount(fn(&T) -> Option<usize>, fn(&mut T, Option<usize>)),
    /// A whole number that bounds something; `usize::MAX`, which is none, bounds nothing.
    Limit(fn(&T) -> usize, fn(&mut T, usize)),
    /// The seed of draws.
    Seed(fn(&T) -> u64, fn(&mut T, u64)),
    /// A number.
    Number(fn(&T) -> f32, fn(&mut T, f32)),
    /// A number, or none.
    OptionalNumber(fn(&T) -> Option<f32>, fn(&mut T, Option<f32>)),
    /// A number of double precision.
    Double(fn(&T) -> f64, fn(&mut T, f64)),
    /// Five numbers of double precision.
    Numbers(fn(&T) -> [f64; 5], fn(&mut T, [f64; 5])),
    /// A member of a [`Choice`]: its members, its name, and how it is set by name.
    Name(fn() -> Vec<Named<()>>, fn(&T) -> &'static str, fn(&mut T, &str) -> Result<(), UnknownName>),
    /// The same, or none.
    OptionalName(fn() -> Vec<Named<()>>, fn(&T) -> Option<&'static str>, OptionalText<T>),
    /// A text of a form of its own, or none.
    Text(fn(&T) -> Option<String>, OptionalText<T>),
    /// A field that each interface sets in a way of its own.
    Foreign,
}

/// Sets a field by a text, or clears it.
type OptionalText<T> = fn(&mut T, Option<&str>) -> Result<(), UnknownName>;

/// The members of a [`Choice`] without their values, for [`Field::Name`].
#[must_use]
pub fn names_of<C: Choice>() -> Vec<Named<()>> {
    let unnamed = |member: &Named<C>| Named::new((), member.name, member.meaning).or(member.aliases);
    C::ALL.iter().map(unnamed).collect()
}

impl<T: 'static> OptionItem<T> {
    /// An option whose flag is its name.
    #[must_use]
    pub const fn new(name: &'static str, group: OptionGroup, field: Field<T>, help: &'static str) -> Self {
        let facts = OptionFacts {
            name,
            group,
            flag: Flag::Name,
            letter: None,
            alias: None,
            placeholder: "N",
            bare: None,
            range: NumberRange::ANY,
            default: "",
            help,
            needs: None,
            excludes: &[],
        };
        Self { facts, field, met: |_| true }
    }

    /// The same with this option of the command line.
    #[must_use]
    pub const fn flag(mut self, flag: Flag) -> Self {
        self.facts.flag = flag;
        self
    }

    /// The same with a letter for the command line.
    #[must_use]
    pub const fn letter(mut self, letter: char) -> Self {
        self.facts.letter = Some(letter);
        self
    }

    /// The same with another name on the command line.
    #[must_use]
    pub const fn alias(mut self, alias: &'static str) -> Self {
        self.facts.alias = Some(alias);
        self
    }

    /// The same with what stands for its value in help.
    #[must_use]
    pub const fn placeholder(mut self, placeholder: &'static str) -> Self {
        self.facts.placeholder = placeholder;
        self
    }

    /// The same with the value of the flag alone.
    #[must_use]
    pub const fn bare(mut self, value: &'static str) -> Self {
        self.facts.bare = Some(value);
        self
    }

    /// The same with the numbers that are allowed.
    #[must_use]
    pub const fn range(mut self, range: NumberRange) -> Self {
        self.facts.range = range;
        self
    }

    /// The same with its default in words.
    #[must_use]
    pub const fn default(mut self, default: &'static str) -> Self {
        self.facts.default = default;
        self
    }

    /// The same, without effect unless another option has one of some values, in words; `met` looks whether it has.
    #[must_use]
    pub const fn needs(mut self, option: &'static str, values: &'static str, met: fn(&T) -> bool) -> Self {
        self.facts.needs = Some((option, values));
        self.met = met;
        self
    }

    /// The same, which the command line does not take together with these options.
    #[must_use]
    pub const fn excludes(mut self, options: &'static [&'static str]) -> Self {
        self.facts.excludes = options;
        self
    }

    /// The values that the option has.
    #[must_use]
    pub fn kind(&self) -> OptionKind {
        match self.field {
            Field::Switch(..) => OptionKind::Switch,
            Field::Count(..) | Field::Seed(..) => OptionKind::Count { optional: false },
            Field::OptionalCount(..) | Field::Limit(..) => OptionKind::Count { optional: true },
            Field::Number(..) => OptionKind::Number { optional: false },
            Field::OptionalNumber(..) => OptionKind::Number { optional: true },
            Field::Double(..) => OptionKind::Double,
            Field::Numbers(..) => OptionKind::Numbers,
            Field::Name(names, ..) => OptionKind::Name { names: names(), optional: false },
            Field::OptionalName(names, ..) => OptionKind::Name { names: names(), optional: true },
            Field::Text(..) => OptionKind::Text,
            Field::Foreign => OptionKind::Foreign,
        }
    }

    /// The value that the option has; none for a field that is set in another way.
    #[must_use]
    pub fn get(&self, options: &T) -> OptionValue {
        let count = |value: usize| OptionValue::Count(value as u64);
        let text = |value: &str| OptionValue::Text(value.to_owned());
        match self.field {
            Field::Switch(get, _) => OptionValue::Switch(get(options)),
            Field::Count(get, _) => count(get(options)),
            Field::OptionalCount(get, _) => get(options).map_or(OptionValue::None, count),
            Field::Limit(get, _) => Some(get(options)).filter(|&n| n < usize::MAX).map_or(OptionValue::None, count),
            Field::Seed(get, _) => OptionValue::Count(get(options)),
            Field::Number(get, _) => OptionValue::Number(get(options)),
            Field::OptionalNumber(get, _) => get(options).map_or(OptionValue::None, OptionValue::Number),
            Field::Double(get, _) => OptionValue::Double(get(options)),
            Field::Numbers(get, _) => OptionValue::Numbers(get(options)),
            Field::Name(_, get, _) => text(get(options)),
            Field::OptionalName(_, get, _) => get(options).map_or(OptionValue::None, text),
            Field::Text(get, _) => get(options).map_or(OptionValue::None, OptionValue::Text),
            Field::Foreign => OptionValue::None,
        }
    }

    /// Sets the option. The range is looked at by [`check`](Self::check), when all options are set.
    ///
    /// # Errors
    /// If the value is not of the option's kind, or the option is without effect, as it needs another one; a switch
    /// that is off needs none.
    pub fn set(&self, options: &mut T, value: &OptionValue) -> Result<(), OptionFault> {
        let (option, unknown) = (self.facts.name, |expected| self.unknown(value, expected));
        if let Some((needed, values)) = self.facts.needs
            && *value != OptionValue::Switch(false)
            && !(self.met)(options)
        {
            return Err(OptionFault::Needs { option, needed, values });
        }
        let count = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
        match (&self.field, value) {
            (Field::Switch(_, set), &OptionValue::Switch(on)) => set(options, on),
            (Field::Count(_, set) | Field::Limit(_, set), &OptionValue::Count(value)) => set(options, count(value)),
            (Field::Limit(_, set), OptionValue::None) => set(options, usize::MAX),
            (Field::OptionalCount(_, set), &OptionValue::Count(value)) => set(options, Some(count(value))),
            (Field::OptionalCount(_, set), OptionValue::None) => set(options, None),
            (Field::Seed(_, set), &OptionValue::Count(value)) => set(options, value),
            (Field::Number(_, set), &OptionValue::Number(value)) => set(options, value),
            (Field::OptionalNumber(_, set), &OptionValue::Number(value)) => set(options, Some(value)),
            (Field::OptionalNumber(_, set), OptionValue::None) => set(options, None),
            (Field::Double(_, set), &OptionValue::Double(value)) => set(options, value),
            (Field::Numbers(_, set), &OptionValue::Numbers(values)) => set(options, values),
            (Field::Name(_, _, set), OptionValue::Text(name)) => return set(options, name).map_err(unknown),
            (Field::OptionalName(_, _, set) | Field::Text(_, set), OptionValue::Text(text)) => {
                return set(options, Some(text)).map_err(unknown);
            }
            (Field::OptionalName(_, _, set) | Field::Text(_, set), OptionValue::None) => {
                return set(options, None).map_err(unknown);
            }
            _ => return Err(self.fault(value, format!("{} of this option", self.kind()))),
        }
        Ok(())
    }

    /// Refuses a number out of range.
    ///
    /// # Errors
    /// If the number that the options have is out of range.
    pub fn check(&self, options: &T) -> Result<(), OptionFault> {
        let (range, value) = (self.facts.range, self.get(options));
        let (numbers, allowed) = match &value {
            OptionValue::Count(value) => ("a whole number", range.contains(*value as f64)),
            OptionValue::Number(value) => ("a number", range.contains(f64::from(*value))),
            OptionValue::Double(value) => ("a number", range.contains(*value)),
            OptionValue::Numbers(values) => ("numbers", values.iter().all(|&value| range.contains(value))),
            OptionValue::None | OptionValue::Switch(_) | OptionValue::Text(_) => return Ok(()),
        };
        if allowed { Ok(()) } else { Err(self.fault(&value, format!("{numbers} {range}"))) }
    }

    fn fault(&self, value: &OptionValue, expected: String) -> OptionFault {
        OptionFault::Value { option: self.facts.name, found: value.to_string(), expected }
    }

    fn unknown(&self, value: &OptionValue, expected: UnknownName) -> OptionFault {
        OptionFault::Unknown { option: self.facts.name, found: value.to_string(), expected }
    }
}

impl OptionFacts {
    /// The option of the command line, without the two hyphens before it.
    #[must_use]
    pub fn long_flag(&self) -> Option<String> {
        match self.flag {
            Flag::Name => Some(self.name.replace('_', "-")),
            Flag::Other(flag) | Flag::Own(flag) => Some(flag.to_owned()),
            Flag::None => None,
        }
    }

    /// Whether the command line makes its option of these facts.
    #[must_use]
    pub fn makes_flag(&self) -> bool {
        matches!(self.flag, Flag::Name | Flag::Other(_))
    }
}

#[cfg(test)]
mod tests;
