//! The Moses punctuation normaliser.

use std::borrow::Cow;

use regex::Regex;

/// Brings quotation marks, dashes, spaces and numbers to plain forms, as Moses'
/// `normalize-punctuation.perl` and `sacremoses` do.
///
/// The rules are a list of substitutions for whole lines, run one after the other.
#[derive(Clone, Debug)]
pub struct PunctuationNormalizer(Vec<Rule>);

/// Which of the normaliser's rules run.
#[derive(Clone, Copy, Debug)]
pub struct NormalizerOptions {
    /// Treat `` ` `` and `''` as quotation marks, which Penn Treebank text must not. On by default.
    pub penn: bool,
    /// Order quotation mark and comma as the language does (`en`, `de`, `es`, `fr`). On by default.
    pub quote_commas: bool,
    /// Make a no-break space between digits the language's separator. On by default.
    pub numbers: bool,
    /// First replace full-width and CJK punctuation by ASCII. Off by default.
    pub replace_unicode_punctuation: bool,
    /// In the end remove control, format, private-use and unassigned characters, line ends and
    /// tabs included. Off by default. Which characters are unassigned changes with Unicode.
    pub remove_control_characters: bool,
    /// Do three things as the Perl script does and the Python package does not. Off by default.
    pub perl_parity: bool,
}

impl Default for NormalizerOptions {
    fn default() -> Self {
        Self {
            penn: true,
            quote_commas: true,
            numbers: true,
            replace_unicode_punctuation: false,
            remove_control_characters: false,
            perl_parity: false,
        }
    }
}

/// One substitution.
#[derive(Clone, Debug)]
enum Rule {
    Literal(&'static str, &'static str),
    Pattern(Regex, &'static str),
}

impl Rule {
    fn apply<'a>(&self, text: Cow<'a, str>) -> Cow<'a, str> {
        match self {
            Self::Literal(from, to) if text.contains(from) => text.replace(from, to).into(),
            Self::Literal(..) => text,
            Self::Pattern(pattern, to) => match pattern.replace_all(&text, *to) {
                Cow::Borrowed(_) => text,
                Cow::Owned(changed) => changed.into(),
            },
        }
    }
}

impl PunctuationNormalizer {
    /// A normaliser for a language (`"en"`, `"de"`, …) with the default options.
    pub fn new(lang: &str) -> Self {
        Self::with_options(lang, NormalizerOptions::default())
    }

    /// A normaliser for a language with other options.
    pub fn with_options(lang: &str, options: NormalizerOptions) -> Self {
        let mut rules = Vec::new();
        if options.replace_unicode_punctuation {
            rules.extend(cjk_punctuation());
        }
        rules.extend(white_space());
        if options.penn {
            rules.extend(literals(&[("`", "'"), ("''", " \" ")]));
        }
        rules.extend(quotes_and_dashes(options.perl_parity));
        rules.extend(no_break_spaces());
        if options.quote_commas {
            rules.extend(quote_commas(lang));
        }
        if options.numbers {
            let comma = matches!(lang, "de" | "es" | "cz" | "cs" | "fr");
            let to = if comma { "$1,$2" } else { "$1.$2" };
            rules.push(pattern("(\\d)\u{a0}(\\d)", to));
        }
        if options.remove_control_characters {
            rules.push(pattern(r"\p{C}", ""));
        }
        Self(rules)
    }

    /// The normalised line, without white space at its ends.
    pub fn normalize(&self, line: &str) -> String {
        let text = self.0.iter().fold(Cow::Borrowed(line), |text, rule| rule.apply(text));
        text.trim_matches(super::char_class::is_space).to_owned()
    }
}

fn pattern(from: &str, to: &'static str) -> Rule {
    Rule::Pattern(Regex::new(from).expect("the patterns are compiled by the tests"), to)
}

fn literals(pairs: &[(&'static str, &'static str)]) -> Vec<Rule> {
    pairs.iter().map(|&(from, to)| Rule::Literal(from, to)).collect()
}

fn single_spaces() -> Rule {
    pattern("  +", " ")
}

/// Spaces outside brackets, not inside; no space before `:` `;` `%`.
fn white_space() -> Vec<Rule> {
    let mut rules = literals(&[("\r", ""), ("(", " ("), (")", ") ")]);
    rules.push(single_spaces());
    rules.push(pattern(r"\) ([.!:?;,])", ")$1"));
    rules.extend(literals(&[("( ", "("), (" )", ")")]));
    rules.push(pattern(r"(\d) %", "$1%"));
    rules.extend(literals(&[(" :", ":"), (" ;", ";")]));
    rules
}

/// ASCII quotation marks and dashes.
fn quotes_and_dashes(perl_parity: bool) -> Vec<Rule> {
    let mut rules = literals(&[("„", "\""), ("“", "\""), ("”", "\""), ("–", "-"), ("—", " - ")]);
    rules.push(single_spaces());
    rules.push(Rule::Literal("´", "'"));
    rules.push(pattern("([a-zA-Z])‘([a-zA-Z])", "$1'$2"));
    rules.push(pattern("([a-zA-Z])’([a-zA-Z])", "$1'$2"));
    rules.extend(literals(&[
        ("‘", "'"),
        ("‚", "'"),
        ("’", if perl_parity { "\"" } else { "'" }),
        ("''", "\""),
        ("…", "..."),
        ("\u{a0}«\u{a0}", if perl_parity { " \"" } else { "\"" }),
        ("«\u{a0}", "\""),
        ("«", "\""),
        ("\u{a0}»\u{a0}", if perl_parity { "\" " } else { "\"" }),
        ("\u{a0}»", "\""),
        ("»", "\""),
    ]));
    rules
}

fn no_break_spaces() -> Vec<Rule> {
    let mut rules = literals(&[
        ("\u{a0}%", "%"),
        ("nº\u{a0}", "nº "),
        ("\u{a0}:", ":"),
        ("\u{a0}ºC", " ºC"),
        ("\u{a0}cm", " cm"),
        ("\u{a0}?", "?"),
        ("\u{a0}!", "!"),
        ("\u{a0};", ";"),
        (",\u{a0}", ", "),
    ]);
    rules.push(single_spaces());
    rules
}

/// English puts comma and full stop inside the quotation, German, Spanish and French outside.
fn quote_commas(lang: &str) -> Vec<Rule> {
    match lang {
        "en" => vec![pattern(r#""([,.]+)"#, "$1\"")],
        // The separators \x1c to \x1f are white space to Python and not to Rust. A full stop at
        // the end of the line stays.
        "de" | "es" | "fr" => vec![Rule::Literal(",\"", "\","), pattern(r#"(\.+)"([\s\x1c-\x1f]*[^<])"#, "\"$1$2")],
        _ => Vec::new(),
    }
}

/// A rule for each character of `from`, which becomes the character of `to` in the same place.
fn characters(from: &'static str, to: &'static str) -> impl Iterator<Item = Rule> {
    let each = |text: &'static str| text.char_indices().map(move |(at, c)| &text[at..at + c.len_utf8()]);
    each(from).zip(each(to)).map(|(from, to)| Rule::Literal(from, to))
}

/// Does the work of `replace-unicode-punctuation.perl`.
fn cjk_punctuation() -> Vec<Rule> {
    let mut rules = vec![Rule::Literal("，", ","), pattern(r"。[\s\x1c-\x1f]*", ". ")];
    rules.extend(characters("、”“∶：？《》）！（；」「", ",\"\"::?\"\")!(;\"\""));
    rules.extend(characters("０１２３４５６７８９", "0123456789"));
    rules.push(pattern(r"．[\s\x1c-\x1f]*", ". "));
    rules.extend(characters("～’━〈〉【】％", "~'-<>[]%"));
    rules.push(Rule::Literal("…", "..."));
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_commas_follow_the_language() {
        let line = "„Ja“, sagte er (laut ). “Nein.” Und 5\u{a0}000 %";
        let de = PunctuationNormalizer::new("de").normalize(line);
        assert_eq!(de, "\"Ja\", sagte er (laut). \"Nein\". Und 5,000%");
        let en = PunctuationNormalizer::new("en").normalize(line);
        assert_eq!(en, "\"Ja,\" sagte er (laut). \"Nein.\" Und 5.000%");
    }

    #[test]
    fn every_option_has_its_rules() {
        let all = NormalizerOptions {
            replace_unicode_punctuation: true,
            remove_control_characters: true,
            perl_parity: true,
            ..NormalizerOptions::default()
        };
        let normalizer = PunctuationNormalizer::with_options("zh", all);
        assert_eq!(normalizer.normalize("你好，《世界》。 \u{7}（１）"), "你好,\"世界\".  (1)");
        let all = cjk_punctuation()
            .iter()
            .fold(Cow::Borrowed("，。、”“∶：？《》）！（；」「０９．～’…━〈〉【】％"), |text, rule| rule.apply(text));
        assert_eq!(all, ",. ,\"\"::?\"\")!(;\"\"09. ~'...-<>[]%");
    }
}
