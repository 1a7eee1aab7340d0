//! Forms of things of programs: code, paths, constants, options.

use metaphrase_text::without_spaces;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Ends of the names of files.
const FILES: &str = "7z|apk|avi|avif|bak|bat|bmp|cfg|cmd|conf|cpp|css|csv|dat|db|deb|dll|dmg|docx?|epub|exe|flac|gif|\
    gz|heic|hpp|html?|ico|ini|ipynb|iso|jar|java|jpe?g|jsx?|json|kt|log|m4a|md|mkv|mov|mp3|mp4|mpe?g|msi|odp|ods|odt|ogg|otf|pdf|pem|\
    php|png|po|pot|pptx?|properties|ps1|py|rar|rb|rpm|rs|rst|rtf|scss|sh|sql|sqlite|srt|svg|tar|tar\\.gz|tex|tgz|tiff?|tmp|toml|tsv|tsx?|\
    ttf|txt|vtt|wasm|wav|webm|webp|woff2?|xhtml|xlf|xliff|xlsx?|xml|xz|ya?ml|zip";

/// Folders at the root of a system.
const ROOTS: &[&str] = &[
    "Applications",
    "Library",
    "System",
    "Users",
    "Volumes",
    "bin",
    "boot",
    "dev",
    "etc",
    "home",
    "lib",
    "media",
    "mnt",
    "opt",
    "proc",
    "root",
    "run",
    "sbin",
    "srv",
    "sys",
    "tmp",
    "usr",
    "var",
];

/// A form, and what must be true of a text that has it and of the characters around it.
struct Form {
    pattern: Regex,
    fits: fn(&Found<'_>) -> bool,
    /// Whether punctuation of the sentence may stand at its end.
    open_end: bool,
}

/// A text of a form, with the text around it.
struct Found<'t> {
    text: &'t str,
    before: &'t str,
    after: &'t str,
}

/// Whether no word goes on before or after it.
fn is_apart(found: &Found<'_>) -> bool {
    let goes_on = |c: Option<char>| c.is_some_and(|c| (c.is_alphanumeric() || c == '_') && !without_spaces(c));
    !goes_on(found.before.chars().next_back()) && !goes_on(found.after.chars().next())
}

/// Whether it begins where a word of its own begins.
fn begins(found: &Found<'_>) -> bool {
    found
        .before
        .chars()
        .next_back()
        .is_none_or(|last| last.is_whitespace() || without_spaces(last) || "([{\"'“„«‘=:,`|>".contains(last))
}

fn form(pattern: &str, fits: fn(&Found<'_>) -> bool) -> Option<Form> {
    // The tests use each pattern.
    Some(Form { pattern: Regex::new(pattern).ok()?, fits, open_end: false })
}

fn open_form(pattern: &str, fits: fn(&Found<'_>) -> bool) -> Option<Form> {
    Some(Form { open_end: true, ..form(pattern, fits)? })
}

/// Code between backticks, and roles of reStructuredText.
static CODE: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let code = r"(?::[A-Za-z][\w:.+-]*:)?(?:``[^`\n]+``|`[^`\s](?:[^`\n]*[^`\s])?`)_{0,2}";
    form(code, is_apart).into_iter().collect()
});

static PATHS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let name = r#"[^\s\\/:*?"<>|]+"#;
    let windows = format!(r#"\b[A-Za-z]:(?:\\{{1,2}}|/)(?:{name}(?: {name}){{0,3}}(?:\\{{1,2}}|/))*(?:{name})?"#);
    let share = format!(r"\\\\[A-Za-z0-9][\w.-]*(?:\\{name})+");
    let variable = format!(r"%[A-Za-z_]\w*%(?:\\{name})+");
    let unix = r"(?:~|\.{1,2})?/[\w.@+-][\w.@%+*=-]*(?:/[\w.@%+*=~-]+)*/?";
    let capitals = FILES.to_uppercase();
    let file = format!(r"\b\w[\w.-]*(?:/[\w.-]+)*\.(?:{FILES}|{capitals})\b");
    [
        open_form(&windows, begins),
        open_form(&share, begins),
        open_form(&variable, begins),
        open_form(unix, is_path),
        form(&file, |found| !found.before.ends_with(['@', '/', '\\']) && !found.after.starts_with('(')),
    ]
    .into_iter()
    .flatten()
    .collect()
});

/// `he/she` and `and /or` are no paths.
fn is_path(found: &Found<'_>) -> bool {
    let names: Vec<&str> =
        without_end(found.text).trim_start_matches(['~', '.']).split('/').filter(|name| !name.is_empty()).collect();
    let first = names.first().copied().unwrap_or_default();
    let rooted = !found.text.starts_with('/');
    let letters = names.iter().any(|name| name.contains(char::is_alphabetic));
    begins(found) && letters && (rooted || names.len() > 1 || ROOTS.contains(&first) || first.contains(['.', '_']))
}

/// Whether a text with hyphens ends in a word: `64-Bit-Versionen` is no key.
fn ends_in_word(text: &str) -> bool {
    let last = text.rsplit_once('-').map_or("", |(_, last)| last).as_bytes();
    last.len() >= 4 && last[0].is_ascii_alphabetic() && last[1..].iter().all(u8::is_ascii_lowercase)
}

/// Whether a text has `$1`, which is not the start of an amount.
fn has_first_argument(text: &str) -> bool {
    let rest = text.split("$1").skip(1);
    rest.map(|rest| rest.trim_start_matches(['.', ','])).any(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Names that may have other things in them.
static FIRST: LazyLock<Vec<Form>> = LazyLock::new(|| {
    [
        form(r#"[A-Za-z_]\w*(?:\.\w+)*\((?:\)|"[^"\n]*"[^()\n]*\))"#, |found| {
            is_apart(found) && !found.before.ends_with('.')
        }),
        form(r"<%[=-].*?%>|<\?(?:php|=)?\s.*?\?>", |_| true),
        open_form(r#"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+=[^\s,;"']+"#, is_apart),
        open_form(r#"--[A-Za-z][\w-]*(?:=[^\s"'`]+)?"#, begins),
    ]
    .into_iter()
    .flatten()
    .collect()
});

/// A part of the pattern of a date or of a time.
const DATE_PART: &str = "(?:[YyJ]{4}|[YyJ]{2}|M{1,4}|DD|dd|TT|[Hh]{1,2}|mm|ss|SSS)";

/// Keys that are pressed together, as `Ctrl+Shift+V`.
fn keys() -> String {
    let held = "(?:Ctrl|Control|Alt|AltGr|Shift|Cmd|Command|Meta|Super|Option|Win|Windows|Fn|Strg|Umschalt|[⌘⇧⌥⌃])";
    let last = "(?:[A-Za-z0-9]+|[-+.,/#<>*↑↓←→])";
    format!(r"{held}\s?\+\s?(?:{held}\s?\+\s?)*{last}")
}

static NAMES: LazyLock<Vec<Form>> = LazyLock::new(|| {
    [
        form(r"%%[A-Za-z_][\w.-]*%%", |_| true),
        form(r"%%", |_| true),
        form(r"%[A-Za-z_]\w*%", |_| true),
        form(r"\$[A-Za-z_]\w*\$", |_| true),
        form(r"__[A-Za-z0-9]+(?:_[A-Za-z0-9]+)*__", |_| true),
        form(r"\[\[[\w.:|#/-]+\]\]", |_| true),
        form(r"\|[A-Za-z][\w.-]*\|", is_apart),
        form(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+", is_apart),
        form(r"[a-z][a-z0-9]+(?:_[a-z0-9]+)+(?:\(\))?", |found| is_apart(found) && !is_gendered(found.text)),
        form(r"[a-z_]\w*(?:\.[A-Za-z_]\w*)+\([^()\n]*\)", is_apart),
        form(r"-[A-Za-z]", |found| begins(found) && is_apart(found) && !found.after.starts_with(['-', '\'', '’'])),
        form(r":[a-z][a-z_]{2,}", |found| begins(found) && is_apart(found) && !found.after.starts_with(':')),
        form(r"%[a-z_]{3,}", |found| {
            is_apart(found) && !found.before.trim_end().ends_with(|c: char| c.is_ascii_digit())
        }),
        form(r"\\(?:u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]{1,6}\}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2})", |_| true),
        form(r"#[0-9A-Fa-f]{6}|0x[0-9A-Fa-f]+", is_apart),
        // Arguments of shells: the first is there if another one is. Without it, `$5` is an amount.
        form(r"\$\d", |found| {
            let amount =
                found.after.strip_prefix(['.', ',']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            is_apart(found) && !amount && [found.before, found.text, found.after].into_iter().any(has_first_argument)
        }),
        form(r":[a-z0-9][a-z0-9_+-]*:", |found| begins(found) && is_apart(found)),
        form(r"&&", |_| true),
        form(r"(?:[\w.*-]+/)*\*{1,2}(?:/[\w.*-]+)*\.[\w*]+", begins),
        form(&keys(), is_apart),
        // Moments, ranges of numbers, addresses of machines.
        form(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?", is_apart),
        form(r"\d{1,2}:\d\d:\d\d[.,]\d+|\d+–\d+|\d{1,3}(?:\.\d{1,3}){3}", is_apart),
        form(r"\d{1,2}:\d\d:\d\d", is_apart),
        // Parts of laws and of contracts, numbers of accounts, results of statistics.
        form(r"\d+(?:\.\d+)*(?:\((?:\d{1,2}|[a-z]|[ivx]{2,4})\))+", is_apart),
        form(r"[A-Z]{2}\d\d(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?", |found| {
            is_apart(found) && found.text.bytes().filter(u8::is_ascii_digit).count() >= 10
        }),
        form(r"[a-zA-Z] ?[<>=≤≥] ?\d*[.,]\d+", is_apart),
        // Kinds of changes of a version control system, users and subjects of a forum.
        form(r"[a-z]{2,10}\([a-z][\w./-]*\)!?:", |found| is_apart(found) && found.before.trim().is_empty()),
        form(r"[ru]/[A-Za-z]\w+", |found| begins(found) && is_apart(found)),
        // Keys and sums, which are no words.
        form(r"[A-Za-z0-9_+/-]{16,}={0,2}", |found| {
            let digits = found.text.bytes().filter(u8::is_ascii_digit).count();
            let is_key = digits >= 2 && digits < found.text.len() && !found.text.contains("--");
            is_key && !ends_in_word(found.text) && is_apart(found)
        }),
        // Formulas of chemistry, as `CO₂`: vocabularies read a lowered digit as any other.
        form(r"[A-Za-z]+[₀-₉][A-Za-z₀-₉]*", is_apart),
        // Kinds of media, sets of characters.
        form(r"(?:application|audio|font|image|multipart|text|video)/(?:\*|[a-z0-9.+-]+)|(?:ISO|iso)-\d+(?:-\d+)*|[Uu][Tt][Ff]-\d+", is_apart),
        form(r"\.NET|[a-z]\d{2}[a-z]", is_apart),
        form(&format!(r"{DATE_PART}(?:[-/.: T]{{1,2}}{DATE_PART})+"), is_apart),
        // Names of accounts and of subjects in social networks.
        form(r"@[A-Za-z_][\w-]*(?:[.@][\w-]+)*", |found| begins(found) && is_apart(found)),
        form(r"#[A-Za-z_]\w+", |found| begins(found) && is_apart(found)),
    ]
    .into_iter()
    .flatten()
    .collect()
});

/// The way in which a message names its arguments, which a flag of gettext names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Style {
    /// In a way that any text may have.
    #[default]
    Any,
    /// `% d`, `%<PRIu64>`.
    C,
    /// `%1`, `%L1`, `%n`.
    Qt,
    /// `%1%`.
    Boost,
    /// `%<name>s`.
    Ruby,
    /// `~a`.
    Lisp,
    /// `%0:s`.
    Delphi,
}

impl Style {
    /// The style of a flag, as `qt-format`.
    pub(crate) fn of_flag(flag: &str) -> Option<Self> {
        Some(match flag.trim().strip_suffix("-format")? {
            "c" | "objc" | "possible-c" | "gcc-internal" => Self::C,
            "qt" | "qt-plural" | "kde" | "kde-kuit" | "smalltalk" => Self::Qt,
            "boost" => Self::Boost,
            "ruby" => Self::Ruby,
            "lisp" | "scheme" => Self::Lisp,
            "object-pascal" | "delphi" => Self::Delphi,
            _ => return None,
        })
    }
}

static STYLES: LazyLock<Vec<(Style, Form)>> = LazyLock::new(|| {
    let any = |_: &Found<'_>| true;
    let c = r"%(?:\d+\$)?[-+#0 ']*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh?|ll?|[Lqjzt]|I64|I32)?[diouxXeEfFgGaAcsSpn]\b|%[-+#0 ]*\d*<PRI\w+>";
    [
        (Style::C, form(c, any)),
        (Style::Qt, form(r"%L?\d{1,2}|%n\b", any)),
        (Style::Boost, form(r"%\d+%|%\|[^|\s]*\|", any)),
        (Style::Ruby, form(r"%<\w+>[-+0 #]*\d*(?:\.\d+)?[a-zA-Z]\b", any)),
        (Style::Lisp, form(r"~[\d,'@:]*[a-zA-Z%~&]", any)),
        (Style::Delphi, form(r"%\d+:[-\d.]*[a-zA-Z]\b", any)),
    ]
    .into_iter()
    .filter_map(|(style, form)| Some((style, form?)))
    .collect()
});

/// The arguments of a message in a style of its own.
pub(crate) fn arguments(text: &str, style: Style) -> impl Iterator<Item = Range<usize>> {
    STYLES.iter().filter(move |known| known.0 == style).flat_map(|(_, form)| matches(text, std::slice::from_ref(form)))
}

/// German writes `eine_n` and `arbeiter_innen`.
fn is_gendered(name: &str) -> bool {
    let end = name.rsplit('_').next().unwrap_or_default();
    end.len() < 2 || matches!(end, "in" | "innen" | "er" | "es" | "en" | "em")
}

/// Code between backticks.
pub(crate) fn code(text: &str) -> Vec<Range<usize>> {
    if text.contains('`') { matches(text, &CODE).collect() } else { Vec::new() }
}

/// Paths and names of files.
pub(crate) fn paths(text: &str) -> impl Iterator<Item = Range<usize>> {
    let has_signs = text.contains(['/', '\\', '.']);
    has_signs.then(|| matches(text, &PATHS)).into_iter().flatten()
}

/// Options, constants with their values, and calls of functions: they may have other things inside.
pub(crate) fn first(text: &str) -> impl Iterator<Item = Range<usize>> {
    let has_signs = text.contains("--") || text.contains(['=', '<', '(']);
    has_signs.then(|| matches(text, &FIRST)).into_iter().flatten()
}

/// Names that programs know.
pub(crate) fn names(text: &str) -> impl Iterator<Item = Range<usize>> {
    let has_signs =
        text.contains(['%', '$', '_', '<', '[', '|', '(', '-', '\\', '#', '0', ':', '@', '&', '*', '+', '/', '.']);
    let has_signs = has_signs || text.contains(|c| matches!(c, '₀'..='₉'));
    has_signs.then(|| matches(text, &NAMES)).into_iter().flatten()
}

fn matches<'t>(text: &'t str, forms: &'static [Form]) -> impl Iterator<Item = Range<usize>> + 't {
    forms.iter().flat_map(move |form| {
        form.pattern.find_iter(text).filter_map(move |found| {
            let shown = if form.open_end { without_end(found.as_str()) } else { found.as_str() };
            let range = found.start()..found.start() + shown.len();
            let found = Found { text: shown, before: &text[..range.start], after: &text[range.end..] };
            (form.fits)(&found).then_some(range)
        })
    })
}

/// An address without the punctuation of the sentence after it.
pub(crate) fn without_end(address: &str) -> &str {
    let mut address = address;
    // By pair: closing brackets that nothing opens.
    let closing = |(open, close)| (close, address.matches(close).count().saturating_sub(address.matches(open).count()));
    let mut extra = [('(', ')'), ('[', ']'), ('{', '}')].map(closing);
    while let Some(last) = address.chars().next_back() {
        let bracket = extra.iter_mut().find(|(close, extra)| *close == last && *extra > 0);
        let punctuation = matches!(last, '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '’' | '”' | '“' | '»' | '*' | '_');
        match bracket {
            Some((_, extra)) => *extra -= 1,
            None if punctuation => {}
            None => break,
        }
        address = &address[..address.len() - last.len_utf8()];
    }
    address
}
