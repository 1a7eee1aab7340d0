//! Names whose letters a model doubles, or writes once: `Toffee` became `Toffe`, and `Dutton` became `Duttton`.

use std::collections::HashMap;
use std::ops::Range;

/// The fewest letters of a name, and of what a model writes for it.
const SHORTEST: usize = 4;

/// A name that German writes in its own way.
const OF_LANGUAGES: [&str; 2] = ["Hanover", "Hannover"];

/// The words of a source that begin with a capital, which names are among, by their letters without doubled ones.
pub(crate) struct SourceNames(HashMap<String, String>);

impl SourceNames {
    /// `None`: there are no such words.
    pub(crate) fn of(source: &str) -> Option<Self> {
        let mut names: HashMap<String, String> = HashMap::new();
        for name in capitalised(source).map(|place| &source[place]) {
            // The translation may have either of two words that differ in doubled letters alone.
            names
                .entry(single_letters(name))
                .and_modify(|known| {
                    if known != name {
                        known.clear()
                    }
                })
                .or_insert_with(|| name.to_owned());
        }
        names.retain(|_, name| !name.is_empty() && !OF_LANGUAGES.contains(&name.as_str()));
        (!names.is_empty()).then_some(Self(names))
    }

    /// The same without the names that a text, a required term, may write in its own way.
    pub(crate) fn without_those_of(mut self, text: &str) -> Self {
        capitalised(text).for_each(|place| _ = self.0.remove(&single_letters(&text[place])));
        self
    }

    /// The translation, with these words as they stand in the source where it has one with other doubled letters.
    pub(crate) fn restored(&self, translation: &str) -> String {
        let mut text = String::with_capacity(translation.len());
        let mut done = 0;
        for place in capitalised(translation) {
            let written = &translation[place.clone()];
            if let Some(name) = self.0.get(&single_letters(written)).filter(|name| !is_cognate(name, written)) {
                text.push_str(&translation[done..place.start]);
                text.push_str(name);
                done = place.end;
            }
        }
        text.push_str(&translation[done..]);
        text
    }
}

/// Whether a word may be written in both ways in two languages: consonants at the end, as in `Metal` and `Metall`,
/// `Role` and `Rolle`.
fn is_cognate(name: &str, written: &str) -> bool {
    let end = |word: &str| {
        let stem = word.strip_suffix('s').unwrap_or(word).trim_end_matches('e');
        let last = stem.chars().next_back().filter(|c| !"aeiou".contains(*c));
        stem.chars().rev().take_while(|c| last == Some(*c)).count()
    };
    end(name) != end(written)
}

/// The runs of letters of a text that begin with a capital, without short ones.
fn capitalised(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    let words = text.split_inclusive(|c: char| !c.is_alphabetic()).map(move |word| {
        let place = start..start + word.trim_end_matches(|c: char| !c.is_alphabetic()).len();
        start += word.len();
        place
    });
    words.filter(|place| {
        let word = &text[place.clone()];
        word.starts_with(char::is_uppercase) && word.chars().count() >= SHORTEST
    })
}

/// A word with each run of a letter once.
fn single_letters(word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    letters.dedup();
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_letters_of_the_source() {
        let cases = [
            ("Mr. Toffee met Dutton.", "Herr Toffe traf Duttton.", "Herr Toffee traf Dutton."),
            ("in Titisee-Neustadt, Tayyip's", "in Titise-Neustadt, Tayips", "in Titisee-Neustadt, Tayips"),
            ("Tayyip and Tayyip", "Tayip und Tayyip", "Tayyip und Tayyip"),
            // Words that languages write in their own ways.
            (
                "The Metal Quartet, Role, Tips, Hanover",
                "Das Metall-Quartett, Rolle, Tipps, Hannover",
                "Das Metall-Quartett, Rolle, Tipps, Hannover",
            ),
            // Either may be meant.
            ("Maller, Maler, Dutton", "Maller, Malerr, Duton", "Maller, Malerr, Dutton"),
            ("Bees are important.", "Bienen sind wichtig.", "Bienen sind wichtig."),
        ];
        for (source, translation, expected) in cases {
            assert_eq!(SourceNames::of(source).unwrap().restored(translation), expected, "{source}");
        }
        let names = SourceNames::of("Toffee met Dutton.").unwrap().without_those_of("Toffe");
        assert_eq!(names.restored("Toffe traf Duton."), "Toffe traf Dutton.");
        assert!(SourceNames::of("no names, and Ann is short").is_none());
    }
}
