//! How characters of text are written in Markdown: with a backslash where they would be signs, else as they are.
//!
//! Signs of other dialects have no meaning in CommonMark, so a backslash too much destroys them.

use super::MarkdownStyle;

/// The characters that may be signs inside a line.
const SIGNS: &str = r"\`*_[]<>~$|!&#";

/// The bytes before a text that may say that it begins a line, or hold the beginning of a formula.
const CONTEXT: usize = 500;

/// The most characters of the name of a link or of a reference that are looked at.
const NAME: usize = 1000;

/// Appends text to the text before it.
pub(super) fn push(out: &mut String, text: &str, style: MarkdownStyle) {
    let mut starts_line = starts_line(out);
    let marker = starts_line && ends_marker(out);
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        let place = Place { before: text[..at].chars().next_back().or_else(|| out.chars().next_back()), rest };
        let is_sign = match style {
            MarkdownStyle::Title(end) => c == end || c == '\\' || (end == ')' && c == '('),
            MarkdownStyle::Strict => SIGNS.contains(c) || (starts_line && place.begins_block(c, marker)),
            MarkdownStyle::Cell if c == '|' => true,
            MarkdownStyle::Text | MarkdownStyle::Cell => {
                place.is_sign(c, out) || (starts_line && place.begins_block(c, marker))
            }
        };
        let numbers = matches!(style, MarkdownStyle::Text | MarkdownStyle::Strict) && matches!(c, '.' | ')');
        if is_sign || (numbers && place.ends_number(out)) {
            out.push('\\');
        }
        out.push(c);
        starts_line &= c.is_whitespace();
    }
}

/// The characters around one.
struct Place<'t> {
    before: Option<char>,
    rest: &'t str,
}

impl Place<'_> {
    /// Whether a character would be a sign inside a line.
    fn is_sign(&self, c: char, out: &str) -> bool {
        let next = self.rest.chars().next();
        let is_blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        match c {
            '\\' => next.is_none_or(|next| next.is_ascii_punctuation()),
            '`' => true,
            '*' => !(is_blank(self.before) && next.is_some_and(char::is_whitespace)),
            '_' => !(is_letter(self.before) && is_letter(next) || is_blank(self.before) && is_blank(next)),
            '[' => next.is_none_or(|next| matches!(next, '[' | '^')) || self.is_link(),
            ']' => matches!(next, Some('(' | '[')) && !last_line(out).contains('['),
            '<' => next.is_none_or(|next| next.is_alphabetic() || matches!(next, '/' | '!' | '?')),
            '&' => self.is_reference(),
            '~' => !(is_blank(self.before) || is_letter(self.before) && is_letter(next)),
            '$' => !is_blank(self.before) && last_line(out).contains('$') || next == Some('$'),
            _ => false,
        }
    }

    /// Whether brackets with a target follow.
    fn is_link(&self) -> bool {
        let mut depth = 0_usize;
        let mut characters = self.rest.chars().take(NAME);
        while let Some(c) = characters.next() {
            match c {
                '[' => depth += 1,
                ']' if depth > 0 => depth -= 1,
                ']' => return matches!(characters.next(), Some('(' | '[')),
                _ => {}
            }
        }
        false
    }

    /// Whether the name of a character follows.
    fn is_reference(&self) -> bool {
        let name = self.rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '#').next().unwrap_or_default();
        !name.is_empty() && self.rest[name.len()..].starts_with(';')
    }

    /// Whether a character at the start of a line would begin a block of its own. `marker`: an item begins there.
    fn begins_block(&self, c: char, marker: bool) -> bool {
        let line = self.rest.split('\n').next().unwrap_or_default();
        let alone = line.chars().all(|next| next == c || next.is_whitespace());
        match c {
            '#' => line.trim_start_matches('#').chars().next().is_none_or(char::is_whitespace),
            '>' => true,
            '-' | '+' | '*' | '=' | '_' => alone || (c != '=' && c != '_' && line.starts_with(char::is_whitespace)),
            ':' => line.starts_with(char::is_whitespace),
            '~' => line.starts_with("~~"),
            '[' => (marker && [" ]", "x]", "X]"].iter().any(|task| line.starts_with(task))) || line.starts_with('!'),
            _ => false,
        }
    }

    /// Whether a full stop or a bracket makes the number before it the number of an item.
    fn ends_number(&self, out: &str) -> bool {
        let line = last_line(out);
        let number = line.len() - line.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        (1..=9).contains(&number)
            && self.rest.chars().next().is_none_or(char::is_whitespace)
            && starts_line(&out[..out.len() - number])
    }
}

/// The end of the last line.
fn last_line(out: &str) -> &str {
    let tail = &out[out.floor_char_boundary(out.len().saturating_sub(CONTEXT))..];
    &tail[tail.rfind('\n').map_or(0, |end| end + 1)..]
}

/// Whether nothing but the signs of quotations and items precedes on the line.
fn starts_line(out: &str) -> bool {
    if out.len() > CONTEXT && last_line(out).len() + 3 >= CONTEXT {
        return false;
    }
    let mut line = last_line(out);
    loop {
        line = line.trim_start();
        let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let item = if number.len() < line.len() {
            number.strip_prefix(['.', ')'])
        } else {
            line.strip_prefix(['-', '+', '*', ':'])
        };
        let note = line.strip_prefix("[^").and_then(|note| note.split_once("]:")).map(|(_, rest)| rest);
        match line
            .strip_prefix('>')
            .or(note)
            .or(item.filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace)))
        {
            Some(rest) => line = rest,
            None => return line.is_empty(),
        }
    }
}

/// Whether the sign of an item is the last one.
fn ends_marker(out: &str) -> bool {
    last_line(out).trim_end().ends_with(['-', '+', '*', '.', ')'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pushed(before: &str, text: &str, style: MarkdownStyle) -> String {
        let mut out = before.to_owned();
        push(&mut out, text, style);
        out.split_off(before.len())
    }

    #[test]
    fn signs_alone_have_backslashes() {
        for (before, text, expected) in [
            ("", "a [b] c", "a [b] c"),
            ("", "a [b](c)", "a \\[b](c)"),
            ("", "[[a]] [^1]", "\\[[a]] \\[^1]"),
            ("", "5 * 3, a*b", "5 * 3, a\\*b"),
            ("", "snake_case _x_", "snake_case \\_x\\_"),
            ("", "5 < 6 <b>", "5 < 6 \\<b>"),
            ("", "R&B &copy; &#39;", "R&B \\&copy; \\&#39;"),
            ("", "~5 or ~6, H~2~O, a~ b", "~5 or ~6, H~2~O, a\\~ b"),
            ("", "$5 and 6$", "$5 and 6\\$"),
            ("", "C:\\dir \\*", "C:\\dir \\\\\\*"),
            ("\n", "# a", "\\# a"),
            ("\n", "#a", "#a"),
            ("\n> ", "> a", "\\> a"),
            ("\n- ", "[x] a", "\\[x] a"),
            ("\n", "1986. A year", "1986\\. A year"),
            ("# ", "1. A", "1. A"),
            ("\n", "- a", "\\- a"),
            ("a ", "- a", "- a"),
            ("\n", "---", "\\---"),
            ("\n> ", "[!NOTE]", "\\[!NOTE]"),
        ] {
            assert_eq!(pushed(before, text, MarkdownStyle::Text), expected, "{before}{text}");
        }
        assert_eq!(pushed("| ", "a | b", MarkdownStyle::Cell), "a \\| b");
        assert_eq!(pushed("(x \"", "a \"b\" \\", MarkdownStyle::Title('"')), "a \\\"b\\\" \\\\");
    }
}
