//! The Moses tokeniser.

use super::char_class::{self as class, Classes, is, is_space, words};
use super::prefixes::NonbreakingPrefixes;
use super::protect::ProtectedPatterns;

/// Splits a line into tokens as Moses' `tokenizer.perl` and `sacremoses` do.
///
/// There are rules of their own for the apostrophe in `en`, `fr` and `it`, and letters of their own
/// in `zh`, `ja`, `ko` and `cjk`; the rest of a language is its list of abbreviations
/// ([`NonbreakingPrefixes::for_language`]). Any language code is accepted;
/// [`WordTokenizer`](crate::language::WordTokenizer) knows which codes are languages, and splits text without spaces.
#[derive(Clone, Debug)]
pub struct MosesTokenizer {
    prefixes: NonbreakingPrefixes,
    apostrophe: Apostrophe,
    /// Scripts that count as letters in addition to [`LETTERS`].
    scripts: Classes,
    options: TokenizerOptions,
}

/// The options of the tokeniser.
#[derive(Clone, Debug)]
pub struct TokenizerOptions {
    /// Split every hyphen inside a word: `well-known` becomes `well @-@ known`. Off by default.
    pub aggressive_dashes: bool,
    /// Write `& | < > ' " [ ]` as XML entities, which Moses' own formats need. On by default.
    pub escape: bool,
    /// Text that stays whole. None by default.
    pub protected: ProtectedPatterns,
}

impl Default for TokenizerOptions {
    fn default() -> Self {
        Self { aggressive_dashes: false, escape: true, protected: ProtectedPatterns::default() }
    }
}

/// Which side of an apostrophe between letters is split.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Apostrophe {
    /// `don 't`
    English,
    /// `l' homme`
    French,
    /// `d ' accord`
    Alone,
}

const LETTERS: Classes = class::LETTER | class::INDIC_MARK;

impl MosesTokenizer {
    /// A tokeniser for a language (`"en"`, `"de"`, …) with the default options.
    pub fn new(lang: &str) -> Self {
        Self::with_options(lang, TokenizerOptions::default())
    }

    /// A tokeniser for a language with other options.
    pub fn with_options(lang: &str, options: TokenizerOptions) -> Self {
        Self {
            prefixes: NonbreakingPrefixes::for_language(lang),
            apostrophe: match lang {
                "en" => Apostrophe::English,
                "fr" | "it" => Apostrophe::French,
                _ => Apostrophe::Alone,
            },
            scripts: match lang {
                "zh" => class::HAN,
                "ja" => class::HAN | class::KANA,
                "ko" => class::HANGUL,
                "cjk" => class::HAN | class::KANA | class::HANGUL,
                _ => 0,
            },
            options,
        }
    }

    /// The same tokeniser with another list of abbreviations.
    #[must_use]
    pub fn with_prefixes(mut self, prefixes: NonbreakingPrefixes) -> Self {
        self.prefixes = prefixes;
        self
    }

    /// The tokens of a line. White space, control characters and line ends never are tokens.
    pub fn tokenize(&self, line: &str) -> Vec<String> {
        words(&self.split(line)).map(str::to_owned).collect()
    }

    /// The tokens of a line with one space between them.
    pub fn tokenize_line(&self, line: &str) -> String {
        let mut text = self.split(line);
        // Two cases leave more than single spaces: a last apostrophe, and protected text.
        if text.ends_with(' ') || !self.options.protected.is_empty() {
            text = words(&text).collect::<Vec<_>>().join(" ");
        }
        text
    }

    /// All rules, in the order of the original.
    fn split(&self, line: &str) -> String {
        let mut line = clean(line);
        let hidden = (!self.options.protected.is_empty()).then(|| self.options.protected.hide(&mut line));

        let mut text = Rewriter::new(line.trim_matches(' '));
        self.pad_specials(&mut text);
        if self.options.aggressive_dashes {
            self.split_dashes(&mut text);
        }
        mark_dot_runs(&mut text);
        split_commas(&mut text);
        self.split_apostrophes(&mut text);

        let mut text = self.split_full_stops(&text.finish());
        if text.ends_with(".'") {
            text.truncate(text.len() - 2);
            text.push_str(" . ' ");
        }
        if let Some(hidden) = hidden {
            hidden.restore(&mut text);
        }
        text = restore_dot_runs(text);
        if self.options.escape { escape(&text) } else { text }
    }

    /// Spaces around everything but letters, digits, space and `.` `'` `` ` `` `,` `-`.
    fn pad_specials(&self, text: &mut Rewriter) {
        let plain = LETTERS | class::DIGIT | self.scripts;
        text.rewrite(|rest, out| match *rest {
            [c @ (' ' | '.' | '\'' | '`' | ',' | '-'), ..] => copy(c, out),
            [c, ..] if is(c, plain) => copy(c, out),
            [c, ..] => replace(1, [' ', c, ' '], out),
            [] => 0,
        });
    }

    fn split_dashes(&self, text: &mut Rewriter) {
        let plain = LETTERS | class::DIGIT | self.scripts;
        text.rewrite(|rest, out| match *rest {
            [a, '-', b, ..] if is(a, plain) && is(b, plain) => replace(2, [a, ' ', '@', '-', '@', ' '], out),
            [c, ..] => copy(c, out),
            [] => 0,
        });
    }

    /// The apostrophe's rules run one after the other, each over the whole line: one may see the
    /// spaces that another has put in.
    fn split_apostrophes(&self, text: &mut Rewriter) {
        if !text.contains('\'') {
            return;
        }
        let letter = |c| is(c, LETTERS);
        match self.apostrophe {
            Apostrophe::Alone => text.rewrite(|rest, out| match *rest {
                ['\'', ..] => replace(1, [' ', '\'', ' '], out),
                [c, ..] => copy(c, out),
                [] => 0,
            }),
            Apostrophe::English => {
                text.around_apostrophe(Spaces::BOTH, |a, b| !letter(a) && !letter(b));
                text.around_apostrophe(Spaces::BOTH, |a, b| !is(a, LETTERS | class::NUMBER) && letter(b));
                text.around_apostrophe(Spaces::BOTH, |a, b| letter(a) && !letter(b));
                text.around_apostrophe(Spaces::BEFORE, |a, b| letter(a) && letter(b));
                text.around_apostrophe(Spaces::BEFORE, |a, b| is(a, class::NUMBER) && b == 's');
            }
            Apostrophe::French => {
                text.around_apostrophe(Spaces::BOTH, |a, b| !letter(a) && !letter(b));
                text.around_apostrophe(Spaces::BOTH, |a, b| !letter(a) && letter(b));
                text.around_apostrophe(Spaces::BOTH, |a, b| letter(a) && !letter(b));
                text.around_apostrophe(Spaces::AFTER, |a, b| letter(a) && letter(b));
            }
        }
    }

    /// Splits the full stop from the end of a word unless the word is an abbreviation or the text
    /// goes on in lower case; leaves one space between words.
    fn split_full_stops(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 8);
        let mut words = text.split(' ').filter(|word| !word.is_empty()).peekable();
        while let Some(word) = words.next() {
            if !out.is_empty() {
                out.push(' ');
            }
            match word.strip_suffix('.') {
                Some(stem) if !stem.is_empty() && !self.is_abbreviation(stem, words.peek()) => {
                    out.push_str(stem);
                    out.push_str(" .");
                }
                _ => out.push_str(word),
            }
        }
        out
    }

    fn is_abbreviation(&self, stem: &str, next: Option<&&str>) -> bool {
        let next = next.and_then(|word| word.chars().next());
        let inner_dot = stem.contains('.') && stem.chars().any(|c| is(c, LETTERS | self.scripts));
        inner_dot
            || next.is_some_and(|c| is(c, class::LOWER))
            || self.prefixes.keeps_full_stop(stem, next.is_some_and(|c| c.is_ascii_digit()))
    }
}

/// One space for each run of white space; no control characters.
fn clean(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut in_space = false;
    for c in line.chars() {
        let space = is_space(c);
        if space && !in_space {
            out.push(' ');
        } else if !space && c >= ' ' {
            out.push(c);
        }
        in_space = space;
    }
    out
}

/// `...` becomes ` DOTDOTDOTMULTI `, so that no later rule sees a full stop. A line that holds
/// such words itself gets dots for them in the end, as in the original.
fn mark_dot_runs(text: &mut Rewriter) {
    if !text.contains('.') {
        return;
    }
    text.rewrite(|rest, out| match *rest {
        ['.', '.', ..] => {
            let run = rest.iter().take_while(|&&c| c == '.').count();
            out.push(' ');
            out.extend("DOT".chars().cycle().take(3 * run));
            out.extend("MULTI".chars());
            if run < rest.len() {
                out.push(' ');
            }
            run
        }
        [c, ..] => copy(c, out),
        [] => 0,
    });
}

/// Undoes [`mark_dot_runs`].
fn restore_dot_runs(text: String) -> String {
    if !text.contains("DOTMULTI") {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find("DOT") {
        out.push_str(&rest[..at]);
        let after = rest[at..].trim_start_matches("DOT");
        let marks = &rest[at..rest.len() - after.len()];
        rest = match after.strip_prefix("MULTI") {
            Some(after) => {
                out.extend(std::iter::repeat_n('.', marks.len() / 3));
                after
            }
            None => {
                out.push_str(marks);
                after
            }
        };
    }
    out + rest
}

/// Splits commas, except between numbers: `5,300`.
fn split_commas(text: &mut Rewriter) {
    if !text.contains(',') {
        return;
    }
    let number = |c| is(c, class::NUMBER);
    text.rewrite(|rest, out| match *rest {
        [a, ',', ..] if !number(a) => replace(2, [a, ' ', ',', ' '], out),
        [c, ..] => copy(c, out),
        [] => 0,
    });
    text.rewrite(|rest, out| match *rest {
        [',', b, ..] if !number(b) => replace(2, [' ', ',', ' ', b], out),
        [c, ..] => copy(c, out),
        [] => 0,
    });
    text.rewrite(|rest, out| match *rest {
        [a, ','] if number(a) => replace(2, [a, ' ', ',', ' '], out),
        [c, ..] => copy(c, out),
        [] => 0,
    });
}

/// The characters that mean something in Moses' formats, as entities.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '|' => out.push_str("&#124;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\'' => out.push_str("&apos;"),
            '"' => out.push_str("&quot;"),
            '[' => out.push_str("&#91;"),
            ']' => out.push_str("&#93;"),
            _ => out.push(c),
        }
    }
    out
}

/// The work space of the rules: each rule is one pass from `text` into `out`.
struct Rewriter {
    text: Vec<char>,
    out: Vec<char>,
}

/// Where spaces go at an apostrophe.
#[derive(Clone, Copy)]
struct Spaces {
    before: bool,
    after: bool,
}

impl Spaces {
    const BOTH: Self = Self { before: true, after: true };
    const BEFORE: Self = Self { before: true, after: false };
    const AFTER: Self = Self { before: false, after: true };
}

impl Rewriter {
    fn new(line: &str) -> Self {
        let text: Vec<char> = line.chars().collect();
        let out = Vec::with_capacity(text.len() + text.len() / 4);
        Self { text, out }
    }

    fn contains(&self, c: char) -> bool {
        self.text.contains(&c)
    }

    /// One pass. `rule` sees the rest of the text, writes the replacement and returns the number of
    /// characters that it replaces, as a substitution from left to right without overlap does.
    fn rewrite(&mut self, rule: impl Fn(&[char], &mut Vec<char>) -> usize) {
        self.out.clear();
        let mut rest = self.text.as_slice();
        while !rest.is_empty() {
            rest = &rest[rule(rest, &mut self.out)..];
        }
        std::mem::swap(&mut self.text, &mut self.out);
    }

    /// Puts spaces at each apostrophe between two characters that `rule` accepts.
    fn around_apostrophe(&mut self, spaces: Spaces, rule: impl Fn(char, char) -> bool) {
        self.rewrite(|rest, out| match *rest {
            [a, '\'', b, ..] if rule(a, b) => {
                out.push(a);
                out.extend(spaces.before.then_some(' '));
                out.push('\'');
                out.extend(spaces.after.then_some(' '));
                out.push(b);
                3
            }
            [c, ..] => copy(c, out),
            [] => 0,
        });
    }

    fn finish(self) -> String {
        self.text.into_iter().collect()
    }
}

fn copy(c: char, out: &mut Vec<char>) -> usize {
    out.push(c);
    1
}

fn replace<const N: usize>(consumed: usize, by: [char; N], out: &mut Vec<char>) -> usize {
    out.extend(by);
    consumed
}
