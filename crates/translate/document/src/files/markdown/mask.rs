//! Signs of other dialects, hidden from the parser of CommonMark: each is replaced by a sign of CommonMark that has as
//! many bytes and acts alike, so that no byte moves.
//!
//! | sign | acts as |
//! |---|---|
//! | lines `:::note`, `{% note %}`, `{{< figure >}}`, `<Tabs>`, `import …`, `> [!tip] …`, `*[HTML]: …` | an empty line |
//! | lines `!!! note`, `??? note`, `=== "tab"`, whose content is indented | an item |
//! | lines `{% raw %}`, `{% highlight %}`, `{{< highlight >}}` and the code up to their end | empty lines |
//!
//! Signs inside lines are [masked](super::signs) in the same way.

use super::masker::{Mask, Masker, attributes, element_attributes, regex};
use super::signs::verbatim;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Lines whose content is indented: their signs, and their title.
static INDENTED: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r#"^(?:!!!|\?\?\?\+?|={3}[+!]?)(?:\s+[\w -]+?)?(?:\s+"(?P<quoted>.*)")?\s*$"#));

/// Lines that are nothing but signs, and the titles in them.
static LINES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let tags = concat!(r"^(?:</?(?:[A-Z]\w*[a-z][\w.]*)?", attributes!(), r"/?>\s*)+$");
    let patterns = [
        r"^:{3,}\s*(?:\{[^{}]*\}|[\w-]+)?(?:\[(?P<bracketed>.*)\]|\s+(?P<title>[^\s{\[].*?))?\s*(?:\{[^{}]*\})?\s*:*\s*$",
        r"^(?:(?:\{%(?:[^%]|%[^}])*%\}|\{\{[<%](?:[^>%]|[>%][^}])*[>%]\}\}|\{/\*(?:[^*]|\*[^/])*\*/\})\s*)+$",
        r"^\*\[[^\]\n]+\]:\s+(?P<title>\S.*?)\s*$",
        r"^\[![\w-]+\][+-]?(?:\s+(?P<title>\S.*?))?\s*$",
        r"^\{:[^{}]*\}\s*$|^\[\[?_?TOC_?\]?\]\s*$|^%%.*%%\s*$",
        concat!("^", element_attributes!(), r"\s*$"),
        r"^/{3,}\s*(?:[\w-]+(?:\s*\|\s*(?P<title>\S.*?))?)?\s*$",
        r"^\+{3,}(?:\s+(?P<title>\S.*?))?\s*$",
        r"^\\[A-Za-z]+\*?(?:\[[^\[\]]*\]|\{[^{}]*\})*\s*$",
        tags,
    ];
    patterns.iter().filter_map(|pattern| regex(pattern)).collect()
});

/// A statement of MDX.
static STATEMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r#"^(?:import\s+(?:[\w{*].*\sfrom\s+)?["'].*["'];?\s*$|import\s+\{\s*$|export\s+(?:const|let|var|default|function|class|async|type|interface|\{|\*))"#,
    )
});

/// The beginning of a tag, a sign or a formula that goes on over lines, and its end.
const LONG: &[(&str, &str)] =
    &[("{{<", ">}}"), ("{{%", "%}}"), ("{%", "%}"), ("{/*", "*/}"), ("\\[", "\\]"), ("$$", "$$")];

/// The most lines of a sign.
const LINES_OF_SIGN: usize = 50;

/// The most lines of code between two tags.
const LINES_OF_CODE: usize = 500;

/// The name of a field of Dataview at the start of a line.
static FIELD: LazyLock<Option<Regex>> = LazyLock::new(|| regex(r"^\p{L}[\p{L}\d_ -]{0,40}::(?:\s|$)"));

/// The text as the parser of CommonMark reads it.
pub(crate) fn mask(input: &str) -> Mask {
    let (text, hidden, attributes, values) = (input.as_bytes().to_vec(), Vec::new(), Vec::new(), Vec::new());
    let mut masker = Masker { input, text, hidden, attributes, values };
    masker.lines();
    // Each part was replaced whole, by ASCII.
    let text = String::from_utf8(masker.text).unwrap_or_else(|_| input.to_owned());
    Mask { text, hidden: masker.hidden, attributes: masker.attributes, values: masker.values }
}

impl Masker<'_> {
    fn lines(&mut self) {
        let mut starts = Vec::new();
        let mut at = 0;
        for line in self.input.split_inclusive('\n') {
            starts.push(at..at + line.trim_end_matches(['\n', '\r']).len());
            at += line.len();
        }
        let (mut number, mut after_blank) = (0, true);
        // The fence of the code that is open, and where the text since the last code begins.
        let mut fence: Option<&str> = None;
        let mut begun = super::front_matter::end(self.input);
        while let Some(line) = starts.get(number).cloned() {
            number += 1;
            if line.start < begun {
                continue;
            }
            let content = self.content(&line);
            let text = &self.input[content.clone()];
            if let Some(open) = fence {
                if is_fence(text, open) {
                    fence = None;
                    begun = line.end;
                }
                continue;
            }
            if let Some(mark) = fence_of(text) {
                self.signs(begun..line.start);
                fence = Some(mark);
                continue;
            }
            let indented =
                line.len() - text.len() >= 4 && after_blank && !text.starts_with(['!', '?', '=', ':', '{', '<']);
            if !indented {
                number = self.line(&starts, number, content, after_blank);
            }
            after_blank = self.text[line.clone()].iter().all(u8::is_ascii_whitespace);
        }
        if fence.is_none() {
            self.signs(begun..self.input.len());
        }
        self.values.sort_by_key(|value| value.range.start);
    }

    /// The content of a line, after the signs of quotations and items.
    fn content(&self, line: &Range<usize>) -> Range<usize> {
        let mut rest = &self.input[line.clone()];
        loop {
            rest = rest.trim_start_matches([' ', '\t', '\u{feff}']);
            match rest.strip_prefix('>').or_else(|| rest.strip_prefix("- ")).or_else(|| rest.strip_prefix("* ")) {
                Some(inner) => rest = inner,
                None => return line.end - rest.len()..line.end,
            }
        }
    }

    /// Masks a line that is nothing but signs, and the lines that belong to it. Gives the number of the next line.
    fn line(&mut self, lines: &[Range<usize>], number: usize, content: Range<usize>, after_blank: bool) -> usize {
        let text = &self.input[content.clone()];
        let Some(first) = text.bytes().next() else { return number };
        if let Some(field) = FIELD.as_ref().and_then(|field| field.find(text)) {
            self.as_tag(content.start..content.start + field.as_str().trim_end().len());
            return number;
        }
        if !matches!(
            first,
            b'/' | b'+' | b':' | b'!' | b'?' | b'=' | b'{' | b'<' | b'*' | b'[' | b'%' | b'\\' | b'$' | b'i' | b'e'
        ) {
            return number;
        }
        if let Some(found) = INDENTED.as_ref().and_then(|pattern| pattern.captures(text)).filter(|_| content.len() > 4)
        {
            self.value(content.start, &found);
            let item = std::iter::once(b'-').chain([b' '; 3]).chain(std::iter::repeat(b'x'));
            self.text[content.clone()].iter_mut().zip(item).for_each(|(byte, with)| *byte = with);
            self.hidden.push(content);
            return number;
        }
        if let Some(end) = self.environment(lines, number, text).or_else(|| self.verbatim(lines, number, text)) {
            return self.blank_lines(lines, content, end);
        }
        if let Some(found) = LINES.iter().find_map(|pattern| pattern.captures(text)) {
            self.value(content.start, &found);
            self.parameters(content.clone());
            self.blank(content);
            return number;
        }
        let whole_import = text.starts_with("import") && text.trim_end().ends_with(['\'', '"', ';']);
        if (after_blank || whole_import) && STATEMENT.as_ref().is_some_and(|pattern| pattern.is_match(text)) {
            if !after_blank {
                self.blank(content);
                return number;
            }
            let end = lines[number..].iter().position(|line| self.input[line.clone()].trim().is_empty());
            return self.blank_lines(lines, content, end.map_or(lines.len(), |end| number + end));
        }
        let tag = text.strip_prefix('<').is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase()));
        let long = LONG.iter().copied().chain(tag.then_some(("<", ">")));
        for (open, close) in long {
            let Some(rest) = text.strip_prefix(open) else { continue };
            if rest.contains(close) || (open.starts_with(['\\', '$']) && !rest.trim().is_empty()) {
                continue;
            }
            let ends = |line: &Range<usize>| self.input[line.clone()].trim_end().ends_with(close);
            let end = lines[number..].iter().take(LINES_OF_SIGN).position(ends);
            if let Some(end) = end {
                return self.blank_lines(lines, content, number + end + 1);
            }
        }
        number
    }

    /// The number of the line after the environment of LaTeX that begins in this line.
    fn environment(&self, lines: &[Range<usize>], number: usize, text: &str) -> Option<usize> {
        let name = text.strip_prefix("\\begin{")?.split('}').next()?;
        let end = format!("\\end{{{name}}}");
        if text.trim_end().ends_with(&end) {
            return Some(number);
        }
        let is_end = |line: &Range<usize>| self.input[line.clone()].trim_end().ends_with(&end);
        Some(number + lines[number..].iter().take(LINES_OF_CODE).position(is_end)? + 1)
    }

    /// The number of the line after the code that the tag in this line begins. Text with code of its own is none.
    fn verbatim(&self, lines: &[Range<usize>], number: usize, text: &str) -> Option<usize> {
        let close = verbatim(text)?;
        let line = |line: &Range<usize>| self.input[line.clone()].trim();
        let inner = lines[number..].iter().take(LINES_OF_CODE).position(|inner| close.is_match(line(inner)))?;
        let is_prose = |inner: &Range<usize>| fence_of(line(inner)).is_some() || line(inner).starts_with("# ");
        let holds_text = text.contains("raw") && lines[number..number + inner].iter().any(is_prose);
        (!holds_text).then_some(number + inner + 1)
    }

    /// Masks the rest of a line and the lines after it up to the line `end`.
    fn blank_lines(&mut self, lines: &[Range<usize>], content: Range<usize>, end: usize) -> usize {
        let range = content.start..end.checked_sub(1).map_or(content.end, |last| lines[last].end.max(content.end));
        self.parameters(range.clone());
        self.blank(range);
        end
    }

    fn blank(&mut self, range: Range<usize>) {
        self.text[range].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    }
}

/// The fence that begins code.
fn fence_of(line: &str) -> Option<&str> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let fence = &line[..line.len() - line.trim_start_matches(mark).len()];
    (fence.len() >= 3 && (mark == '~' || !line[fence.len()..].contains('`'))).then_some(fence)
}

/// Whether a line ends the code that a fence began.
fn is_fence(line: &str, open: &str) -> bool {
    let line = line.trim();
    line.len() >= open.len() && line.chars().all(|c| open.starts_with(c))
}
