//! Abbreviations that keep their full stop ("non-breaking prefixes").

use std::collections::HashSet;

/// The abbreviations of a language: after one of these, a full stop is part of the word.
#[derive(Clone, Debug, Default)]
pub struct NonbreakingPrefixes {
    always: HashSet<String>,
    /// Kept only before a number: `No. 5`.
    before_number: HashSet<String>,
}

/// Marks an entry of a list that keeps its full stop only before a number.
const NUMERIC_ONLY: &str = "#NUMERIC_ONLY#";

/// The lists that come with the crate, by language code.
const LISTS: &[(&str, &str)] = &[
    ("cs", include_str!("prefixes/cs.txt")),
    ("de", include_str!("prefixes/de.txt")),
    ("en", include_str!("prefixes/en.txt")),
    ("es", include_str!("prefixes/es.txt")),
    ("fi", include_str!("prefixes/fi.txt")),
    ("fr", include_str!("prefixes/fr.txt")),
    ("it", include_str!("prefixes/it.txt")),
    ("nl", include_str!("prefixes/nl.txt")),
    ("pt", include_str!("prefixes/pt.txt")),
    ("zh", include_str!("prefixes/zh.txt")),
];

impl NonbreakingPrefixes {
    /// The list of a language: cs, de, en, es, fi, fr, it, nl, pt or zh. Any other gets the English
    /// list, which is what Moses does for a language that it does not know; it knows 28
    /// more than we do, whose lists [`parse`](Self::parse) reads.
    pub fn for_language(lang: &str) -> Self {
        let of = |lang| LISTS.iter().find(|(code, _)| *code == lang);
        of(lang).or_else(|| of("en")).map_or_else(Self::default, |(_, list)| Self::parse(list))
    }

    /// Reads a list in Moses' format: one abbreviation per line without its full stop,
    /// `#NUMERIC_ONLY#` after those that only count before a number, comments after `#` at the
    /// start of a line. Any text is a valid list.
    pub fn parse(list: &str) -> Self {
        let mut prefixes = Self::default();
        for line in list.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match line.strip_suffix(NUMERIC_ONLY) {
                Some(entry) => prefixes.before_number.insert(entry.trim_end().to_owned()),
                None => prefixes.always.insert(line.to_owned()),
            };
        }
        prefixes
    }

    /// Whether `prefix.` is one word, given whether a number follows. An abbreviation in both
    /// lists counts as one that needs the number.
    #[must_use]
    pub fn keeps_full_stop(&self, prefix: &str, before_number: bool) -> bool {
        if self.before_number.contains(prefix) { before_number } else { self.always.contains(prefix) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numeric_prefixes_need_a_number() {
        let en = NonbreakingPrefixes::for_language("en");
        assert!(en.keeps_full_stop("Dr", false));
        assert!(en.keeps_full_stop("No", true));
        assert!(!en.keeps_full_stop("No", false));
        assert!(!en.keeps_full_stop("house", true));
    }

    #[test]
    fn lists_are_read_leniently() {
        let own = NonbreakingPrefixes::parse("# comment\n\n  foo  \r\nbar #NUMERIC_ONLY#\n");
        assert!(own.keeps_full_stop("foo", false));
        assert!(own.keeps_full_stop("bar", true) && !own.keeps_full_stop("bar", false));
        assert!(!own.keeps_full_stop("", true));
    }

    #[test]
    fn unknown_languages_get_english() {
        assert!(NonbreakingPrefixes::for_language("tlh").keeps_full_stop("Mrs", false));
    }
}
