//! XML tags between and within the words of a line, as Moses' truecaser sees them.

use std::ops::Range;

use super::char_class::is_space;

/// The words and tags of a line. A tag may hold spaces and stand next to a word; one that directly
/// follows a `|` is a factor of that word.
pub(super) fn split_markup(line: &str) -> Vec<&str> {
    let line = line.trim_matches(is_space);
    let tags = Tags::new(line);
    let mut tokens: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < line.len() {
        let start = line.len() - line[at..].trim_start_matches(is_space).len();
        let rest = &line[start..];
        if let Some(end) = tags.end(start) {
            let word = tokens.pop_if(|word| start == at && line[word.clone()].ends_with('|'));
            at = match &word {
                Some(_) => line.len() - line[end..].trim_start_matches('|').len(),
                None => end,
            };
            tokens.push(word.map_or(start, |word| word.start)..at);
        } else {
            // A `<` or `>` that belongs to no tag is part of the word that it starts.
            let tag_like = rest.starts_with(['<', '>']);
            let ends = |c| is_space(c) || (!tag_like && matches!(c, '<' | '>'));
            at = start + rest.find(ends).unwrap_or(rest.len());
            tokens.push(start..at);
        }
    }
    tokens.into_iter().map(|token| &line[token]).collect()
}

/// Whether there is a tag anywhere in `token`.
pub(super) fn has_tag(token: &str) -> bool {
    let tags = Tags::new(token);
    token.match_indices('<').any(|(at, _)| tags.end(at).is_some())
}

/// Finds tags in a text: `<`, something but white space, and all up to the next `>`.
struct Tags<'a> {
    text: &'a str,
    /// Where the last `>` is: without it, looking for the end of each of many `<` would take
    /// quadratic time.
    last_close: usize,
}

impl<'a> Tags<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, last_close: text.rfind('>').unwrap_or(0) }
    }

    /// The end of the tag that starts at `start`, if one does.
    fn end(&self, start: usize) -> Option<usize> {
        let inside = self.text[start..].strip_prefix('<')?;
        let first = inside.chars().next().filter(|&c| !is_space(c))?;
        let from = start + 1 + first.len_utf8();
        if from > self.last_close {
            return None;
        }
        self.text[from..].find('>').map(|length| from + length + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_tokens() {
        assert_eq!(split_markup(" <a b=\"c d\">x</a>y  z "), ["<a b=\"c d\">", "x", "</a>", "y", "z"]);
        assert_eq!(split_markup("a < b > <> <c"), ["a", "<", "b", ">", "<>", "<c"]);
        assert_eq!(split_markup("a|<b c>||d <e>"), ["a|<b c>||", "d", "<e>"]);
        assert_eq!(split_markup("a| <b>|c"), ["a|", "<b>", "|c"]);
        assert_eq!(split_markup(" \t"), [""; 0]);
        assert!(has_tag("x<b>") && has_tag("<>>") && !has_tag("<>") && !has_tag("<b"));
    }

    #[test]
    fn many_open_brackets_take_linear_time() {
        let line = "<a ".repeat(300_000);
        assert_eq!(split_markup(&line).len(), 300_000);
        assert!(!has_tag(&"<".repeat(1_000_000)));
    }
}
