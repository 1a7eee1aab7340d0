//! Quotation marks of the text that a model learns to write. Texts of many sources have them in many ways, and a model
//! that learns from all of them mixes the ways.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// How quotation marks are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Marks {
    /// As the text has them.
    #[default]
    AsWritten,
    /// `"so" and 'so'`; apostrophes as in `don't`.
    Straight,
    /// `„so“ and ‚so‘`, around prose; apostrophes as in `geht's`. Marks without a partner stay, and so do the straight
    /// ones of a text that looks like a program's.
    German,
}

/// Marks of quotations, and of quotations within quotations.
const KINDS: [&[char]; 2] = [&['"', '“', '”', '„', '»', '«'], &['\'', '‘', '’', '‚', '›', '‹']];
/// Characters that programs have and prose has not. A statement's end marks a program, too.
const OF_PROGRAMS: [char; 8] = ['=', '{', '}', '<', '>', '$', '\\', '`'];

impl Marks {
    /// The text with its quotation marks written in this way.
    pub(crate) fn apply(self, text: &str) -> Cow<'_, str> {
        let marked = || text.contains(|c: char| KINDS.iter().any(|kind| kind.contains(&c)));
        match self {
            Self::AsWritten => Cow::Borrowed(text),
            Self::Straight | Self::German if !marked() => Cow::Borrowed(text),
            Self::Straight => Cow::Owned(text.chars().map(straight).collect()),
            Self::German => Cow::Owned(styled(text, GERMAN)),
        }
    }
}

/// Guillemets stay: they stand in menus, too ("Datei » Öffnen").
fn straight(c: char) -> char {
    match c {
        '“' | '”' | '„' => '"',
        '‘' | '’' | '‚' => '\'',
        other => other,
    }
}

/// The opening and the closing mark of a quotation, and of one within it.
type Style = [[char; 2]; 2];

const GERMAN: Style = [['„', '“'], ['‚', '‘']];

/// Ways that people write quotations in.
const STYLES: [Style; 7] = [
    [['"', '"'], ['\'', '\'']],
    [['“', '”'], ['‘', '’']],
    [['‘', '’'], ['“', '”']],
    GERMAN,
    [['‚', '‘'], ['„', '“']],
    [['»', '«'], ['›', '‹']],
    [['«', '»'], ['‹', '›']],
];

/// The text with its quotations in another way, chosen at random; `None` if it has no quotation or that way already.
pub(crate) fn otherwise(text: &str, random: &mut ChaCha8Rng) -> Option<String> {
    let style = STYLES[random.random_range(0..STYLES.len())];
    let other = styled(text, style);
    (other != text).then_some(other)
}

fn styled(text: &str, style: Style) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let program = text.contains(OF_PROGRAMS) || text.ends_with(';');
    for (kind, [opening, closing]) in KINDS.into_iter().zip(style) {
        let mut open = None;
        for at in 0..chars.len() {
            if !kind.contains(&chars[at]) || (program && straight(chars[at]) == chars[at]) {
                continue;
            }
            let before = at.checked_sub(1).map(|before| chars[before]);
            let after = chars.get(at + 1).copied();
            if chars[at] == '’' && [before, after].into_iter().all(|c| c.is_some_and(char::is_alphabetic)) {
                chars[at] = '\'';
            } else if may_open(before, after) {
                open = Some(at);
            } else if let Some(first) = open.filter(|_| may_close(before, after)) {
                (chars[first], chars[at]) = (opening, closing);
                open = None;
            }
        }
    }
    chars.into_iter().collect()
}

/// Whether a quotation may begin between these characters: after a space, a bracket, a dash or another mark, and
/// before a word.
fn may_open(before: Option<char>, after: Option<char>) -> bool {
    before.is_none_or(|c| c.is_whitespace() || "([–—-/„‚\"'".contains(c))
        && after.is_some_and(|c| c.is_alphanumeric() || "„‚‘“”\"'…([¿¡+-.".contains(c))
}

/// Whether a quotation may end between these characters: after a word or punctuation, and not before a word.
fn may_close(before: Option<char>, after: Option<char>) -> bool {
    before.is_some_and(|c| !c.is_whitespace() && !"([".contains(c)) && after.is_none_or(|c| !c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn english_marks_become_straight() {
        let text = "“I don’t know,” she said, ‘really’. 5\" »menu«";
        assert_eq!(Marks::Straight.apply(text), "\"I don't know,\" she said, 'really'. 5\" »menu«");
        assert!(matches!(Marks::Straight.apply("plain"), Cow::Borrowed("plain")));
        assert_eq!(Marks::AsWritten.apply(text), text);
    }

    #[test]
    fn german_marks_enclose_prose() {
        for (text, expected) in [
            ("\"Ich weiß nicht\", sagte sie.", "„Ich weiß nicht“, sagte sie."),
            ("“Nein”, er ging.", "„Nein“, er ging."),
            ("Er rief: »Komm!«", "Er rief: „Komm!“"),
            ("„Schon gut.“", "„Schon gut.“"),
            ("Sie sagte: \"Er rief 'Halt!' und ging.\"", "Sie sagte: „Er rief ‚Halt!‘ und ging.“"),
            ("(\"so\") und \"so\"-Wörter", "(„so“) und „so“-Wörter"),
            ("Wie geht’s? Hans' Hut.", "Wie geht's? Hans' Hut."),
        ] {
            assert_eq!(Marks::German.apply(text), expected);
        }
    }

    #[test]
    fn quotations_come_in_all_ways() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let text = "“She said ‘no’ and left”, don’t you see?";
        let mut found: Vec<String> = (0..100).filter_map(|_| otherwise(text, &mut random)).collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), 7, "{found:#?}");
        assert!(found.contains(&"‘She said “no” and left’, don't you see?".to_owned()), "{found:#?}");
        assert_eq!((0..100).find_map(|_| otherwise("I do not say", &mut random)), None);
    }

    #[test]
    fn german_marks_without_a_partner_and_those_of_programs_stay() {
        for text in [
            "Ein Brett von 5\" Breite",
            "Er sagte: \"Ja",
            "Setzen Sie name=\"wert\".",
            "Datei » Öffnen",
            "printf(\"a\");",
        ] {
            assert_eq!(Marks::German.apply(text), text);
        }
    }
}
