//! The key of a button or a menu: `&Open`, `Save &as`, `E&xit`.

/// The letter that a text marks as its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Accelerator(Option<char>);

impl Accelerator {
    /// The text without the mark of its key. One `&` before a letter is a mark, but not inside `R&D`; a text with tags
    /// or references has none.
    pub(crate) fn take(text: &str) -> (String, Self) {
        let mut marks = text.match_indices('&').map(|(at, _)| at);
        let (Some(at), None) = (marks.next(), marks.next()) else { return (text.to_owned(), Self(None)) };
        let (before, after) = (text[..at].chars().next_back(), text[at + 1..].chars().next());
        let letter = after.filter(|c| c.is_alphanumeric());
        let capitals = before.is_some_and(char::is_uppercase) && after.is_some_and(char::is_uppercase);
        let word = text[at + 1..].find(|c: char| !c.is_alphanumeric()).map_or("", |end| &text[at + 1 + end..]);
        if letter.is_none() || capitals || word.starts_with(';') || text.contains('<') {
            return (text.to_owned(), Self(None));
        }
        (format!("{}{}", &text[..at], &text[at + 1..]), Self(letter))
    }

    /// The translation with the mark: before the same letter at the start of a word, else the same letter, else the
    /// first letter.
    pub(crate) fn put(self, translation: &str) -> String {
        let Self(Some(letter)) = self else { return translation.to_owned() };
        let same = |c: char| c.to_lowercase().eq(letter.to_lowercase());
        let starts = |at: usize| !translation[..at].ends_with(char::is_alphanumeric);
        // No key stands inside a thing that stays, as `%1` or `{name}`.
        let free = |at: usize| {
            let word = translation[..at].rsplit(char::is_whitespace).next().unwrap_or_default();
            !word.contains(['%', '{', '$', '@'])
        };
        let letters = || translation.char_indices().filter(|&(at, c)| c.is_alphanumeric() && free(at));
        let found = letters().find(|&(at, c)| same(c) && starts(at));
        let found = found.or_else(|| letters().find(|&(_, c)| same(c))).or_else(|| letters().next());
        match found {
            Some((at, _)) => format!("{}&{}", &translation[..at], &translation[at..]),
            None => translation.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_taken_and_put_back() {
        for (text, plain, translation, marked) in [
            ("&Open", "Open", "Öffnen", "&Öffnen"),
            ("Save &as...", "Save as...", "Speichern als...", "Speichern &als..."),
            ("E&xit", "Exit", "Beenden", "&Beenden"),
            ("&Delete %1", "Delete %1", "%1 löschen", "%1 &löschen"),
            ("E&xit", "Exit", "Text", "Te&xt"),
            ("R&D", "R&D", "R&D", "R&D"),
            ("Salt & pepper", "Salt & pepper", "Salz & Pfeffer", "Salz & Pfeffer"),
            ("A &amp; B", "A &amp; B", "A &amp; B", "A &amp; B"),
        ] {
            let (found, accelerator) = Accelerator::take(text);
            assert_eq!((found.as_str(), accelerator.put(translation).as_str()), (plain, marked));
        }
    }
}
