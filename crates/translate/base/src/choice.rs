//! Closed sets that people choose from by name.

use std::fmt;

/// A closed set whose members have names: an option of the command line, of a server, of a binding.
pub trait Choice: Copy + PartialEq + Send + Sync + 'static {
    /// All members, in the order in which people read them.
    const ALL: &'static [Named<Self>];

    /// The name of this member.
    fn name(self) -> &'static str {
        Self::ALL.iter().find(|named| named.value == self).map_or("", |named| named.name)
    }

    /// The member of this name, or of one of its other names.
    ///
    /// # Errors
    /// [`UnknownName`] lists the names.
    fn from_name(name: &str) -> Result<Self, UnknownName> {
        let is_it = |named: &&Named<Self>| named.name == name || named.aliases.contains(&name);
        Self::ALL.iter().find(is_it).map(|named| named.value).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|named| named.name).collect();
            UnknownName::expected(names.join(", "))
        })
    }
}

/// A member of a [`Choice`].
#[derive(Debug, Clone, Copy)]
pub struct Named<T: 'static> {
    /// The member.
    pub value: T,
    /// Its name.
    pub name: &'static str,
    /// Other names that mean the same.
    pub aliases: &'static [&'static str],
    /// One line that explains it.
    pub meaning: &'static str,
}

impl<T> Named<T> {
    /// A member without other names.
    pub const fn new(value: T, name: &'static str, meaning: &'static str) -> Self {
        Self { value, name, aliases: &[], meaning }
    }

    /// The same member with other names.
    #[must_use]
    pub const fn or(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }
}

/// A text that names no choice, with the expected choices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName(String);

impl UnknownName {
    /// The message names the expected choices.
    pub fn expected(what: impl fmt::Display) -> Self {
        Self(format!("expected {what}"))
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UnknownName {}

#[cfg(test)]
mod tests {
    use super::*;

    impl Choice for bool {
        const ALL: &'static [Named<Self>] =
            &[Named::new(true, "on", "do it").or(&["yes"]), Named::new(false, "off", "")];
    }

    #[test]
    fn members_are_found_by_name() {
        assert_eq!(["on", "yes", "off"].map(|name| bool::from_name(name).ok()), [Some(true), Some(true), Some(false)]);
        assert_eq!((true.name(), false.name()), ("on", "off"));
        assert_eq!(bool::from_name("maybe"), Err(UnknownName::expected("on, off")));
    }
}
