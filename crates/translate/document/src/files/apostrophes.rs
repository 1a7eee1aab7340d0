//! Apostrophes of message formats: Java's and ICU's write one as two, since one alone begins literal text.

use super::icu::may_have_arguments;

/// The rule of a message format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// An apostrophe alone is literal unless a sign of the format follows it.
    Icu,
    /// In a message with arguments each apostrophe begins or ends literal text.
    Java,
}

/// How a message writes its apostrophes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Apostrophes {
    /// As they are.
    Plain,
    /// Twice.
    Doubled,
    /// Twice before a sign of the format.
    BeforeSigns,
}

impl Apostrophes {
    /// For texts without message format.
    pub(crate) const PLAIN: Self = Self::Plain;

    /// How a message writes them. A message of Java with arguments and an apostrophe alone is read by a program that
    /// knows no message format.
    pub(crate) fn of(text: &str, rule: Rule) -> Self {
        let arguments = text.match_indices('{').any(|(at, _)| text[at + 1..].starts_with(|c: char| c.is_ascii_digit()));
        match rule {
            // A message with branches is read with its apostrophes.
            _ if may_have_arguments(text) => Self::Plain,
            _ if text.contains("''") => Self::Doubled,
            Rule::Java if arguments && !text.contains('\'') => Self::Doubled,
            Rule::Java => Self::Plain,
            Rule::Icu => Self::BeforeSigns,
        }
    }

    pub(crate) fn decode(self, text: &str) -> String {
        if self == Self::Doubled { text.replace("''", "'") } else { text.to_owned() }
    }

    /// Literal text in apostrophes, as `'{'`, stays as it is.
    pub(crate) fn encode(self, text: &str) -> String {
        let mut written = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('\'').filter(|_| self != Self::Plain) {
            written.push_str(&rest[..at]);
            let after = &rest[at + 1..];
            let sign = after.starts_with(['{', '}']);
            // The text between the apostrophes has a sign alone or an argument, not words around one.
            let literal = after.find('\'').filter(|&end| sign && is_literal(&after[..end]));
            if let Some(end) = literal {
                written.push_str(&rest[at..at + end + 2]);
                rest = &after[end + 1..];
                continue;
            }
            written.push_str(if self == Self::Doubled || sign { "''" } else { "'" });
            rest = after;
        }
        written + rest
    }
}

/// Whether the text between two apostrophes is literal: it begins with a brace and has no white space.
fn is_literal(text: &str) -> bool {
    !text.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apostrophes_are_written_as_the_message_does() {
        for (rule, source, read, translation, written) in [
            (Rule::Java, "It''s {0}", "It's {0}", "C'est {0}", "C''est {0}"),
            (Rule::Java, "Open {0}", "Open {0}", "Ouvrir l'{0}", "Ouvrir l''{0}"),
            (Rule::Java, "It's {0}", "It's {0}", "C'est {0}", "C'est {0}"),
            (Rule::Java, "It's", "It's", "C'est", "C'est"),
            (Rule::Java, "Isn''t '{'", "Isn't '{'", "N'est '{'", "N''est '{'"),
            (Rule::Icu, "The {name}", "The {name}", "L'{name} d'or", "L''{name} d'or"),
        ] {
            let apostrophes = Apostrophes::of(source, rule);
            assert_eq!(apostrophes.decode(source), read);
            assert_eq!(apostrophes.encode(translation), written);
        }
    }
}
