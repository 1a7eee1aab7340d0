//! Signs of other dialects inside lines, hidden from the parser of CommonMark.
//!
//! | sign | acts as |
//! |---|---|
//! | `{% x %}`, `{{< x >}}`, tags with `{…}`, `{==x==}`, `` {ref}`text <target>` ``, `[name:: x]`, `{.class}` | tags |
//! | `==marked==`, `++inserted++` | strong text |
//! | `20^th^` | emphasis |
//! | `[text]{.class}` | a link |
//! | `:smile:`, `\(x^2\)`, `++ctrl+c++`, `` {doc}`name` ``, `\newpage`, `H~2~O`, `{% raw %}…{% endraw %}` | code |

use super::masker::{Masker, attributes, element_attributes, regex};
use regex::{Captures, Regex};
use std::ops::Range;
use std::sync::LazyLock;

/// Signs, tried from left to right; what has no name is only passed over: code, formulas.
static SIGNS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(concat!(
        r"(?P<role>\{[A-Za-z][\w:+.-]*\}`)(?P<role_text>[^`<>\n]*)(?P<role_target><[^`<>\n]+>)?`",
        r"|```[^`\n]+```|``(?:[^`\n]|`[^`\n])+``|`(?:[^`\n]|\n[^`\s])+`|\$\$[^$]+\$\$",
        r"|(?P<review>\{>>(?:[^<\n]|<[^<\n])*<<\}|\{--(?:[^-\n]|-[^-\n])*--\}|\{~~(?:[^~\n]|~[^>~\n])*~>",
        r"|\{\+\+|\{==|\+\+\}|==\}|~~\})",
        // A sign ends where the next one begins, so that no text is searched twice.
        r"|(?P<tag>\{%(?:[^%{\n]|\{[^%\n]|%[^}\n])*%\}|\{\{[<%](?:[^{\n]|\{[^{\n])*?[>%]\}\}|</?[A-Za-z][\w.:-]*",
        attributes!(),
        r"/?>)",
        r#"|(?P<keys>\+\+(?:[\w-]+|"[^"\n]*")(?:\+(?:[\w-]+|"[^"\n]*"))*\+\+)"#,
        r"|(?P<strong>==[^\s=](?:[^=\n]*[^\s=])?==|\+\+[^\s+](?:[^+\n]*[^\s+])?\+\+)",
        r"|(?P<page>\[\[[^\[\]\n|]*\]\][(\[])",
        r"|(?P<field>[\[(]\p{L}[\p{L}\d_-]*(?: [\p{L}\d_-]+){0,3}::)\s",
        r"|(?P<code>\\\((?:[^\n`\\]|\\[^()\n])+?\\\)|\\\[(?:[^\n`\\]|\\[^\[\]\n])+?\\\])",
        r"|(?P<command>\\[A-Za-z]{2,}\*?(?:\{[^{}\n]*\})*)",
        r"|\\.",
        r"|(?P<emoji>(?::[a-z0-9_+-]*[a-z][a-z0-9_+-]*:)+)",
        r"|(?P<attributes>",
        element_attributes!(),
        r")",
        // A letter or a digit, and what is raised or lowered next to it.
        r"|(?P<raised>[\p{L}\p{N}]+\^\p{L}+\^)",
        r"|(?P<script>[\p{L}\p{N}]+(?:(?:~[\p{L}\p{N}+−-]{1,8}~|\^[\p{L}\p{N}+−*/()-]{1,8}\^)[\p{L}\p{N}]*)+)",
    ))
});

/// Names of keys that may stand alone between `++`.
const KEYS: &[&str] = &[
    "alt",
    "backspace",
    "caps-lock",
    "cmd",
    "command",
    "control",
    "ctrl",
    "del",
    "delete",
    "down",
    "end",
    "enter",
    "esc",
    "escape",
    "fn",
    "home",
    "ins",
    "insert",
    "left",
    "menu",
    "meta",
    "num-lock",
    "option",
    "page-down",
    "page-up",
    "pause",
    "print-screen",
    "return",
    "right",
    "scroll-lock",
    "shift",
    "space",
    "super",
    "tab",
    "up",
    "win",
    "windows",
];

/// Tags of templates whose content is code or text of a template, and their ends.
static VERBATIM: LazyLock<Vec<(Regex, Regex)>> = LazyLock::new(|| {
    let names = [
        "raw",
        "verbatim",
        "highlight",
        "code",
        "codeblock",
        "comment",
        "mermaid",
        "katex",
        "math",
        "plantuml",
        "chart",
    ];
    let tags = |name: &str| {
        let pairs = [
            (format!(r"^\{{%-?\s*{name}\b[^%\n]*%\}}"), format!(r"\{{%-?\s*end{name}\s*-?%\}}")),
            (format!(r"^\{{\{{[<%]\s*{name}\b[^{{}}\n]*[>%]\}}\}}"), format!(r"\{{\{{[<%]\s*/\s*{name}\s*[>%]\}}\}}")),
        ];
        pairs.into_iter().filter_map(|(open, close)| Some((regex(&open)?, regex(&close)?))).collect::<Vec<_>>()
    };
    names.into_iter().flat_map(tags).collect()
});

/// The form of the end of the code that the tag at the start of this text begins, unless it ends in its line.
pub(super) fn verbatim(text: &str) -> Option<&'static Regex> {
    let (open, close) = VERBATIM.iter().filter(|_| text.starts_with('{')).find(|(open, _)| open.is_match(text))?;
    let tag = open.find(text)?;
    (!close.is_match(&text[tag.end()..])).then_some(close)
}

/// The most bytes of code between two tags in a line.
const LONGEST: usize = 500;

/// What a translator reads for something that acts as code: `H2O` for `H~2~O`.
pub(super) fn shown(raw: &str) -> String {
    if raw.starts_with(char::is_alphanumeric) { raw.replace(['~', '^'], "") } else { raw.to_owned() }
}

impl Masker<'_> {
    /// Masks signs inside lines.
    pub(super) fn signs(&mut self, range: Range<usize>) {
        let text = &self.input[range.clone()];
        let mut done = 0;
        for found in SIGNS.iter().flat_map(|pattern| pattern.captures_iter(text)) {
            let start = range.start + found.get(0).map_or(0, |whole| whole.start());
            // A line that is masked already, or the inside of a sign.
            if start < done || self.text[start] != self.input.as_bytes()[start] {
                continue;
            }
            done = self.sign(&found, range.start);
        }
    }

    /// Masks a sign. Gives the byte up to which nothing else is masked.
    fn sign(&mut self, found: &Captures<'_>, base: usize) -> usize {
        let place = |group: &str| found.name(group).map(|group| base + group.start()..base + group.end());
        if let Some(tag) = place("tag") {
            return self.tag(tag);
        } else if let Some(role) = place("role") {
            self.role(role, place("role_text"), place("role_target"));
        } else if let Some(review) = place("review").or_else(|| place("field")) {
            self.as_tag(review);
        } else if let Some(keys) = place("keys").filter(|keys| are_keys(&self.input[keys.clone()])) {
            self.code(keys);
        } else if let Some(strong) = place("strong").or_else(|| place("keys")) {
            self.text[strong.start..strong.start + 2].fill(b'*');
            self.text[strong.end - 2..strong.end].fill(b'*');
        } else if let Some(page) = place("page") {
            self.text[page.start + 1] = b'(';
            self.text[page.end - 3] = b')';
        } else if let Some(code) = place("code").filter(|code| is_formula(&self.input[code.clone()])) {
            self.code(code);
        } else if let Some(command) = place("command").filter(|command| self.is_command(command)) {
            self.code(command);
        } else if let Some(emoji) = place("emoji").filter(|emoji| self.is_apart(emoji)) {
            self.code(emoji);
        } else if let Some(attributes) = place("attributes") {
            self.element_attributes(attributes);
        } else if let Some(raised) = place("raised") {
            self.raised(raised);
        } else if let Some(script) = place("script").filter(|script| self.is_word(script)) {
            self.code(script);
        }
        0
    }

    /// Masks a tag that the parser does not take for one, and the code after it. Gives the byte after them.
    fn tag(&mut self, tag: Range<usize>) -> usize {
        let raw = &self.input[tag.clone()];
        let rest = &self.input[tag.start..];
        let line = &rest[..rest.floor_char_boundary(LONGEST)];
        let line = line.split('\n').next().unwrap_or(line);
        let close = VERBATIM.iter().filter(|_| raw.starts_with('{')).find(|(open, _)| open.is_match(line));
        if let Some(end) = close.and_then(|(_, close)| close.find(line)) {
            self.code(tag.start..tag.start + end.end());
            return tag.start + end.end();
        }
        if !raw.starts_with('<') || raw[1..].starts_with(|c: char| c.is_ascii_uppercase()) {
            self.parameters(tag.clone());
        }
        if !raw.starts_with('<') || raw.contains('{') {
            self.as_tag(tag);
        }
        0
    }

    /// Makes a sign of at least three bytes a tag.
    pub(super) fn as_tag(&mut self, sign: Range<usize>) {
        self.text[sign.start] = b'<';
        self.text[sign.end - 1] = b'>';
        let inner = &mut self.text[sign.start + 1..sign.end - 1];
        inner.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b'x');
    }

    fn code(&mut self, range: Range<usize>) {
        self.text[range.clone()].fill(b'x');
        (self.text[range.start], self.text[range.end - 1]) = (b'`', b'`');
    }

    /// Masks a role of MyST. The text before a target is translated; anything else is a name.
    fn role(&mut self, role: Range<usize>, text: Option<Range<usize>>, target: Option<Range<usize>>) {
        let Some(text) = text else { return };
        let words = self.input[text.clone()].trim_end();
        match target.clone().filter(|_| words.contains(char::is_alphabetic)) {
            Some(target) => {
                self.as_tag(role);
                self.as_tag(text.start + words.len()..target.end + 1);
            }
            None => self.code(role.start..target.map_or(text.end, |target| target.end) + 1),
        }
    }

    /// Masks the attributes of the element that they touch. Text in brackets with attributes is an element, too.
    fn element_attributes(&mut self, range: Range<usize>) {
        let before = &self.input[self.input.floor_char_boundary(range.start.saturating_sub(LONGEST))..range.start];
        let follows_attributes = self.attributes.last().is_some_and(|last| last.end == range.start);
        if !before.ends_with([')', ']', '`', '*', '_', '>', '=']) || follows_attributes {
            return;
        }
        let span = before.strip_suffix(']').and_then(|inner| inner.rsplit_once('['));
        if span.is_some_and(|(outside, inner)| !outside.ends_with([']', '!', '[']) && !inner.is_empty()) {
            self.text[range.clone()].fill(b'x');
            (self.text[range.start], self.text[range.end - 1]) = (b'(', b')');
            return;
        }
        self.as_tag(range.clone());
        self.attributes.push(range);
    }

    /// Masks raised letters: those of a word are text, those of one letter a formula.
    fn raised(&mut self, range: Range<usize>) {
        let raw = &self.input[range.clone()];
        let Some((base, letters)) = raw.trim_end_matches('^').split_once('^') else { return };
        let is_formula =
            base.chars().count() == 1 && base.starts_with(char::is_alphabetic) && letters.chars().count() == 1;
        if !self.is_word(&range) || is_formula {
            return self.code(range);
        }
        self.text[range.start + base.len()] = b'*';
        self.text[range.end - 1] = b'*';
    }

    /// Whether a command of LaTeX stands here, not a part of a path.
    fn is_command(&self, command: &Range<usize>) -> bool {
        let before = self.input[..command.start].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, ':' | '\\' | '.' | '/' | '_' | '%' | '~'))
            && !self.input[command.end..].starts_with(['\\', '.', '_'])
    }

    /// Whether no letter or digit touches the name of an emoji.
    fn is_apart(&self, emoji: &Range<usize>) -> bool {
        let touches = |c: char| c.is_alphanumeric() || c == '`' || c == ':' || c == '/';
        !self.input[..emoji.start].ends_with(touches) && !self.input[emoji.end..].starts_with(touches)
    }

    /// Whether a word is no part of a path, an address or code.
    fn is_word(&self, word: &Range<usize>) -> bool {
        !self.input[..word.start].ends_with(['/', '~', '^', '_', '\\', '.', '@'])
            && !self.input[word.end..].starts_with(['/', '~', '^', '_', '\\'])
    }
}

/// Whether this is a key, or several at once: `++ctrl+c++`.
fn are_keys(raw: &str) -> bool {
    let inner = &raw[2..raw.len() - 2];
    let function = |key: &str| key.strip_prefix('f').is_some_and(|number| number.parse::<u8>().is_ok());
    inner.contains('+') || inner.starts_with('"') || inner.len() == 1 || KEYS.contains(&inner) || function(inner)
}

/// Whether brackets with backslashes hold a formula, not a text.
fn is_formula(text: &str) -> bool {
    text[2..text.len() - 2].contains(['\\', '^', '_', '=', '{', '+'])
}
