//! How characters of a translation are written in the notation of its file.

mod markdown;
mod rst;

/// How characters of text are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Escape {
    /// Characters stay as they are.
    #[default]
    None,
    /// With references for `&`, `<` and `>`.
    Markup,
    /// As markup, and with references for quotation marks: the value of an attribute.
    Attribute,
    /// As markup, without the ends of lines: the text is a part of a line.
    Runs,
    /// As the signs of Markdown demand.
    Markdown(MarkdownStyle),
    /// As the signs of reStructuredText demand.
    Rst,
    /// With a backslash before quotation marks and backslashes, as in a string of C.
    Quoted,
    /// With two `'` for one, as in YAML.
    Doubled,
    /// As text of a message of ICU that is written so.
    Message(Base),
}

/// The place of a text in Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MarkdownStyle {
    /// A paragraph.
    Text,
    /// A cell of a table, which ends at a bar.
    Cell,
    /// A text in which each character that may be a sign has a backslash.
    Strict,
    /// A title that ends with this character.
    Title(char),
}

/// How characters of messages of ICU are written besides the signs of ICU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    /// As they are.
    None,
    /// As [`Escape::Markup`].
    Markup,
    /// As [`Escape::Quoted`].
    Quoted,
}

impl Base {
    /// Appends text without signs of ICU. An apostrophe may begin a quotation, so the typographic one is written.
    fn push(self, out: &mut String, text: &str) {
        let escape = match self {
            Self::None => Escape::None,
            Self::Markup => Escape::Markup,
            Self::Quoted => Escape::Quoted,
        };
        for c in text.chars() {
            match c {
                '\'' => out.push('’'),
                '{' | '}' => out.extend(['\'', c, '\'']),
                _ => escape.push(out, c.encode_utf8(&mut [0; 4])),
            }
        }
    }
}

impl Escape {
    /// How things to copy are written: the signs in them stay signs, or none.
    pub(crate) fn of_copies(self) -> Self {
        match self {
            Self::Message(Base::None) | Self::Markdown(MarkdownStyle::Text) | Self::Rst => Self::None,
            Self::Message(Base::Markup) => Self::Markup,
            Self::Message(Base::Quoted) => Self::Quoted,
            Self::Markdown(MarkdownStyle::Cell) => Self::Markdown(MarkdownStyle::Title('|')),
            other => other,
        }
    }

    /// Appends text.
    pub(crate) fn push(self, out: &mut String, text: &str) {
        match self {
            Self::Markdown(style) => return markdown::push(out, text, style),
            Self::Rst => return rst::push(out, text),
            Self::Message(base) => return base.push(out, text),
            _ => {}
        }
        for c in text.chars() {
            match (self, c) {
                (Self::Runs, '\n') => {}
                (Self::Doubled, '\'') => out.push_str("''"),
                (Self::Attribute, '"') => out.push_str("&quot;"),
                (Self::Attribute, '\'') => out.push_str("&#39;"),
                (Self::Markup | Self::Runs | Self::Attribute, '&') => out.push_str("&amp;"),
                (Self::Markup | Self::Runs | Self::Attribute, '<') => out.push_str("&lt;"),
                (Self::Markup | Self::Runs | Self::Attribute, '>') => out.push_str("&gt;"),
                // Characters that no XML has.
                (
                    Self::Markup | Self::Runs | Self::Attribute,
                    '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}',
                ) => {}
                (Self::Quoted, '"' | '\\') => out.extend(['\\', c]),
                (Self::Quoted, '\n') => out.push_str("\\n"),
                (Self::Quoted, '\t') => out.push_str("\\t"),
                (Self::Quoted, '\r') => out.push_str("\\r"),
                _ => out.push(c),
            }
        }
    }
}
