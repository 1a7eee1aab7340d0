//! Values that programs read, among the texts of a file: names, paths, types, styles, patterns of dates.

use super::message::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// Forms of values without words.
static FORMS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let forms = [
        // Names, languages, and words with signs that no text has.
        r"[a-z][\w-]+(?:\.\w[\w-]+)+",
        r"[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|\d{3}))|[a-z]{2}-[A-Z][a-z]{3}",
        r"\w*[A-Za-z0-9]_\w*|_(?:blank|self|parent|top)|:\w+|[.#][a-z][\w-]*|[a-z]{2,}(?:[A-Z][a-z0-9]+)+",
        r"true|false|null|undefined|ltr|rtl",
        // Paths, patterns of names of files, types of media.
        r"\.{0,2}/[\w./-]*|[\w.-]+/[\w./-]*\.\w+",
        r"[^\s*]*(?:\*\*/|/\*|\*\.)\S*",
        r"(?:[,;]?\s?(?:application|audio|font|image|message|model|multipart|text|video)/[\w.+*-]+(?:;\s*[\w-]+=\S+)?|,\s?\.\w+)+",
        r"data:[\w/+.-]+[;,]\S*",
        r"(?:Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc)/[\w/+-]+",
        // Colours, identifiers, regular expressions, drawings.
        r"#[0-9A-Fa-f]{3,8}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}",
        r"\^.*\$|[Mm]\s?-?\d[MmLlHhVvCcSsQqTtAaZz\d.,\s-]*",
    ];
    pattern(&format!("^(?:{})$", forms.join("|")))
});

/// Patterns of dates and times: runs of letters between signs, and text in quotation marks.
static DATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let run =
        "[Yy]{1,4}|M{1,5}|L{1,4}|[Dd]{1,4}|Do|E{1,5}|e{1,4}|[HhKk]{1,2}|m{1,2}|s{1,2}|S{1,9}|[AaQqGw]|[ZzXx]{1,4}";
    let glued = "(?:YYYY|yyyy|yy|MM|DD|dd|HH|hh|mm|ss|SSS){2,}";
    let sign = r"[\s.,:/_-]|'[^'\n]*'|\[[^\[\]\n]*\]|T";
    pattern(&format!("^(?:(?:{sign})*(?:{glued}|{run})(?:(?:{sign})+(?:{glued}|{run}|Z))*(?:{sign})*)$"))
});

/// Parts of a style: lengths, colours, functions and numbers.
static STYLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"^(?:(?P<certain>-?[\d.]+(?:px|r?em|v[hw]|vmin|vmax|pt|fr|deg)|(?:rgba?|hsla?|calc|var|url|min|max|clamp|minmax|repeat|translate[XYZ3d]*|rotate|scale[XY]?|matrix|linear-gradient|radial-gradient|cubic-bezier)\(.*\)|#[0-9A-Fa-f]{3,8})|-?[\d.]+(?:%|m?s)?|[a-z]+(?:-[a-z]+)*)[,/]?$",
    )
});

/// Words of styles.
const STYLES: &str = "absolute all auto baseline black block blue bold bolder bottom center contain cover cursive dashed dotted \
    double ease ease-in ease-in-out ease-out fantasy fixed flex flex-end flex-start gray green grey grid \
    hidden important infinite inherit initial inline inline-block inline-flex inset italic left linear \
    monospace no-repeat none normal nowrap opacity red relative repeat right sans-serif scroll serif solid \
    space-around space-between static sticky stretch system-ui thick thin to top transform transparent \
    underline visible white";

/// Words of styles with a hyphen that stand alone, too.
const STYLES_ALONE: &str = "align-items border-box break-all break-word content-box ease-in ease-in-out ease-out fit-content flex-end \
    flex-start inline-block inline-flex keep-all line-through max-content min-content no-repeat pre-line \
    pre-wrap row-reverse column-reverse sans-serif space-around space-between space-evenly system-ui \
    ui-monospace ui-sans-serif ui-serif wrap-reverse";

/// Beginnings of names of classes, before a hyphen.
const CLASSES: &str = "alert align badge bg bi border btn card col container d dropdown fa fab far fas flex font form gap \
    glyphicon grid h has hover icon input is items js justify lg list m max mb md mdi min ml modal mr mt mx \
    my nav navbar offset overflow p pb pl pr pt px py ring rounded row shadow sm space table text tracking ui \
    w xl z";

/// Words that hyphens join in texts: `up-to-date`, `step-by-step`.
const JOINING: &str =
    "a and as at by de for free from in it made of off on one or out over so the to und up von with zu";

/// Whether a value is meant for programs: `main.title`, `en-US`, `MAX_SIZE`, `#a1b2c3`, `/img/a.png`, `image/*`,
/// `btn btn-primary`, `1px solid red`, `MM/DD/YYYY`.
pub(crate) fn is_code(text: &str) -> bool {
    let is = |form: &Option<Regex>| form.as_ref().is_some_and(|form| form.is_match(text));
    is(&FORMS)
        || is_date(text)
        || is_style(text)
        || is_fonts(text)
        || are_classes(text)
        || text.contains("(min-width:")
        || text.contains("(max-width:")
}

/// Whether a word is one of a list.
fn is_among(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

/// Whether a text is a pattern of a date or a time, as `D MMMM YYYY, h:mm A` or `%d.%m.%Y`.
fn is_date(text: &str) -> bool {
    if let Some(rest) = text.strip_prefix('%') {
        let directive = |part: &str| {
            let sign = part.trim_start_matches(['-', '_', '0', '^', '#']).as_bytes();
            sign.first().is_some_and(|c| b"aAbBcCdDeFgGhHIjkmMnpPrRsStTuUVwWxXyYzZ".contains(c))
                && sign[1..].iter().all(|&c| b" .,:/-T".contains(&c))
        };
        return text.contains(['B', 'Y', 'H', 'm', 'y', 'b', 'I', 'M']) && rest.split('%').all(directive);
    }
    let Some(date) = &*DATE else { return false };
    if text.len() > 60 || !date.is_match(text) {
        return false;
    }
    let runs: Vec<&str> = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|run| !run.is_empty()).collect();
    let longest = runs.iter().map(|run| run.len()).max().unwrap_or_default();
    longest >= 3 || (longest >= 2 && runs.len() >= 2)
}

/// Whether a text is a style: one part of it is certain, and all others may be.
fn is_style(text: &str) -> bool {
    let Some(style) = &*STYLE else { return false };
    if is_among(STYLES_ALONE, text) {
        return true;
    }
    let mut certain = false;
    let text = text.trim_end_matches("!important").trim_end_matches(';');
    parts(text).into_iter().all(|part| {
        style.captures(part).is_some_and(|found| {
            certain |= found.name("certain").is_some();
            let word = part.trim_end_matches([',', '/']);
            !word.starts_with(|c: char| c.is_ascii_lowercase())
                || found.name("certain").is_some()
                || is_among(STYLES, word)
        })
    }) && certain
}

/// The parts of a text between blanks, but not those inside brackets.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Whether a text lists fonts, of which the last one is a kind of fonts.
fn is_fonts(text: &str) -> bool {
    let kinds = ["serif", "sans-serif", "monospace", "system-ui", "cursive", "fantasy", "ui-sans-serif"];
    let mut fonts = text.rsplit(',').map(str::trim);
    text.contains(',') && fonts.next().is_some_and(|last| kinds.contains(&last)) && text.len() < 200
}

/// Whether a text is the name of a class or of something else in small letters with hyphens, or several classes.
fn are_classes(text: &str) -> bool {
    let is_name = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_lowercase())
            && !word.ends_with('-')
            && word.bytes().all(|c| matches!(c, b'a'..=b'z' | b'0'..=b'9' | b'-' | b':' | b'/'))
    };
    if !text.contains('-') || !text.split(' ').all(is_name) {
        return false;
    }
    let words: Vec<&str> = text.split(' ').collect();
    let class = |word: &str| {
        let word = word.rsplit(':').next().unwrap_or(word);
        let first = word.split('-').next().unwrap_or(word);
        is_among(CLASSES, first)
    };
    let parts: Vec<&str> = text.split('-').collect();
    match &words[..] {
        [_] => {
            let joined = parts.iter().any(|part| is_among(JOINING, part));
            let has_number = parts[1..].iter().all(|part| part.bytes().all(|c| c.is_ascii_digit()));
            ((parts.len() >= 3 || class(text)) && !joined) || (has_number && parts.len() == 2)
        }
        words => words.iter().all(|word| class(word)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_programs_are_told_from_texts() {
        for text in [
            "main.title",
            "en-US",
            "zh-Hans",
            "es-419",
            "MAX_SIZE",
            "#a1b2c3",
            "/img/a.png",
            ":day",
            "image/*",
            "application/json",
            "text/html; charset=utf-8",
            "image/png, image/jpeg",
            "image/*,.pdf",
            "sans-serif",
            "true",
            "false",
            "null",
            "kebab-case-key",
            "fa-arrow-left",
            "btn btn-primary",
            "btn-primary",
            "fa fa-arrow-left",
            "col-md-6 text-center",
            "mt-4 flex items-center",
            "hover:bg-red-500",
            "rgba(0,0,0,0.5)",
            "rgba(0, 0, 0, 0.5)",
            "MM/DD/YYYY",
            "D MMMM YYYY, h:mm A",
            "yyyy-MM-dd",
            "dd.MM.yyyy",
            "HH:mm",
            "h:mm a",
            "EEE, MMM d",
            "YYYY-MM-DD[T]HH:mm:ss",
            "d 'de' MMMM",
            "yyyyMMdd",
            "MMMM",
            "%d.%m.%Y",
            "%Y-%m-%d %H:%M",
            "1px solid red",
            "0 auto 10px",
            "10px 20px",
            "all 0.3s ease-in-out 2px",
            "calc(100% - 20px)",
            "1.5rem",
            "flex-start",
            "inline-block",
            "Arial, Helvetica, sans-serif",
            "\"Segoe UI\", Roboto, sans-serif",
            "*.txt",
            "**/*.js",
            "src/**/*",
            "*.jpg;*.png",
            "*.{png,jpg}",
            "backgroundColor",
            "utf-8",
            "_blank",
            "Europe/Berlin",
            "550e8400-e29b-41d4-a716-446655440000",
            "^[a-z]+$",
            "M10 10 L20 20 Z",
            ".card-title",
            "(min-width: 768px)",
            "data:image/png;base64,AAAA",
        ] {
            assert!(is_code(text), "{text}");
        }
        for text in [
            "Save",
            "save",
            "e-mail",
            "sign-in",
            "check-in",
            "up-to-date",
            "state-of-the-art",
            "step-by-step",
            "Check-in",
            "read-only",
            "text-based games",
            "he/she",
            "and/or",
            "Add",
            "Add a",
            "Mom",
            "a.m.",
            "Do",
            "day",
            "DMA",
            "24 h",
            "5s left",
            "5 min",
            "100%",
            "bold",
            "solid red",
            "top left",
            "Yes",
            "No",
            "on",
            "off",
            "True",
            "none",
            "Left",
            "red, green",
            "read, write",
            "The font is serif",
            "Mass",
            "Dad",
            "as",
            "M",
            "50% off",
            "H",
            "YES",
            "**bold**",
            "a * b",
            "/* a comment */",
            "well-known",
            "on-site",
            "Hey",
            "See",
            "dd",
            "Messages",
            "Aa",
            "image",
            "text",
            "video",
            "Press *.",
            "a-z",
            "one-to-one",
            "Do it",
            "sm",
            "SMS",
            "Sss",
            "EE",
            "Em",
            "Ad",
            "A",
            "Made",
            "max",
            "go to the card",
            "use it (max-size)",
        ] {
            assert!(!is_code(text), "{text}");
        }
    }
}
