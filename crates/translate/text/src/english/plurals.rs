//! The plurals of English nouns.

/// Ends of nouns whose plural has no `s`, and this plural.
const IRREGULAR: &[(&str, &str)] = &[
    ("child", "children"),
    ("criterion", "criteria"),
    ("foot", "feet"),
    ("goose", "geese"),
    ("half", "halves"),
    ("knife", "knives"),
    ("leaf", "leaves"),
    ("life", "lives"),
    ("man", "men"),
    ("mouse", "mice"),
    ("phenomenon", "phenomena"),
    ("shelf", "shelves"),
    ("sis", "ses"),
    ("thief", "thieves"),
    ("tooth", "teeth"),
    ("wife", "wives"),
    ("wolf", "wolves"),
];

/// Words that end like one of them, and have an `s`.
const REGULAR: &[&str] = &["german", "human", "roman", "shaman", "talisman"];

/// Ends of nouns without a plural, or with the same word as their plural.
const WITHOUT: &[&str] = &[
    "access",
    "advice",
    "baggage",
    "content",
    "craft",
    "damage",
    "data",
    "evidence",
    "equipment",
    "feedback",
    "fish",
    "food",
    "fruit",
    "furniture",
    "hair",
    "harm",
    "help",
    "homework",
    "information",
    "knowledge",
    "luggage",
    "machinery",
    "money",
    "music",
    "news",
    "ness",
    "offspring",
    "pain",
    "people",
    "personnel",
    "police",
    "progress",
    "research",
    "series",
    "sheep",
    "species",
    "staff",
    "support",
    "traffic",
    "ware",
    "weather",
    "work",
];

/// Words that end like one of them, and have a plural.
const WITH: &[&str] = &["artwork", "framework", "network", "witness"];

/// The plural of an English noun. `None` for one that has none, and for words that do not end in a small letter.
///
/// ```
/// use metaphrase_text::english::plural;
///
/// assert_eq!(plural("municipality").as_deref(), Some("municipalities"));
/// assert_eq!(plural("address").as_deref(), Some("addresses"));
/// assert_eq!(plural("saleswoman").as_deref(), Some("saleswomen"));
/// assert_eq!(plural("software"), None);
/// ```
#[must_use]
pub fn plural(noun: &str) -> Option<String> {
    let small = noun.to_lowercase();
    let ends = |ends: &[&str]| ends.iter().any(|end| small.ends_with(end));
    if !noun.ends_with(|c: char| c.is_ascii_lowercase()) || noun.len() < 3 || (ends(WITHOUT) && !ends(WITH)) {
        return None;
    }
    let irregular = IRREGULAR.iter().find(|(end, _)| noun.ends_with(end)).filter(|_| !ends(REGULAR));
    if let Some((end, plural)) = irregular {
        return Some(format!("{}{plural}", &noun[..noun.len() - end.len()]));
    }
    let before_y = noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u']));
    Some(match before_y {
        Some(stem) => format!("{stem}ies"),
        None if ends(&["s", "x", "z", "ch", "sh"]) => format!("{noun}es"),
        None => format!("{noun}s"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_have_their_endings() {
        for (noun, expected) in [
            ("agreement", "agreements"),
            ("key", "keys"),
            ("battery", "batteries"),
            ("box", "boxes"),
            ("watch", "watches"),
            ("man", "men"),
            ("German", "Germans"),
            ("analysis", "analyses"),
            ("network", "networks"),
            ("bookshelf", "bookshelves"),
            ("Apple", "Apples"),
        ] {
            assert_eq!(plural(noun).as_deref(), Some(expected));
        }
        for without in ["PC", "A4", "", "is", "advice", "happiness", "homework", "news", "Straß"] {
            assert_eq!(plural(without), None, "{without}");
        }
    }
}
