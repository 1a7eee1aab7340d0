//! YAML as values: one document of scalars, lists and tables, which is what Marian's settings are.

use crate::Error;
use crate::value::{Key, Kind, Value};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle};
use serde::de::DeserializeOwned;
use std::collections::HashSet;
use std::ops::Range;

/// Lists and tables may lie in each other to this depth, which keeps recursion within the stack.
const DEEPEST: usize = 64;

/// Reads the settings in a YAML text. An empty text is an empty table.
///
/// # Errors
/// If the text is not YAML, has several documents or aliases (`*name`), or if a value does not fit `T`.
pub fn from_yaml<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    let value = Reader::new(text).document()?;
    T::deserialize(&value).map_err(|error| error.at(&value.at))
}

/// A list or a table that is not at its end.
struct OpenValue {
    at: Range<usize>,
    items: Vec<Value>,
    is_table: bool,
}

struct Reader<'t> {
    text: &'t str,
    /// The offset of each line.
    lines: Vec<usize>,
    open: Vec<OpenValue>,
    document: Option<Value>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { text, lines: std::iter::once(0).chain(ends).collect(), open: Vec::new(), document: None }
    }

    fn document(mut self) -> Result<Value, Error> {
        for event in Parser::new_from_str(self.text) {
            let (event, span) = event.map_err(|error| Error::new(error.info(), self.place(error.marker())))?;
            self.take(event, self.place(&span.start))?;
        }
        Ok(self.document.unwrap_or(Value { at: 0..self.text.len(), kind: Kind::Null }))
    }

    /// The line's offset and the column, which is exact for lines of ASCII.
    fn place(&self, marker: &Marker) -> Range<usize> {
        let line = self.lines.get(marker.line().saturating_sub(1)).copied().unwrap_or(self.text.len());
        let next = self.lines.get(marker.line()).map_or(self.text.len(), |next| next - 1);
        let start = (line + marker.col()).min(next.max(line));
        start..start
    }

    fn take(&mut self, event: Event<'_>, at: Range<usize>) -> Result<(), Error> {
        match event {
            Event::Scalar(text, style, ..) => {
                let plain = style == ScalarStyle::Plain;
                let kind = if plain { plain_scalar(&text) } else { Kind::Text(text.into_owned()) };
                self.add(Value { at, kind })
            }
            Event::SequenceStart(..) => self.begin(at, false),
            Event::MappingStart(..) => self.begin(at, true),
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(OpenValue { at, items, is_table }) = self.open.pop() else { return Ok(()) };
                let kind = if is_table { table(items)? } else { Kind::List(items) };
                self.add(Value { at, kind })
            }
            Event::Alias(_) => Err(Error::new("aliases (`*name`) are not read; write the value itself", at)),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, at: Range<usize>, is_table: bool) -> Result<(), Error> {
        if self.open.len() == DEEPEST {
            return Err(Error::new(format!("lists and tables lie in each other more than {DEEPEST} deep"), at));
        }
        self.open.push(OpenValue { at, items: Vec::new(), is_table });
        Ok(())
    }

    fn add(&mut self, value: Value) -> Result<(), Error> {
        match self.open.last_mut() {
            Some(open) => open.items.push(value),
            None if self.document.is_some() => {
                return Err(Error::new("a second document, where one is expected", value.at));
            }
            None => self.document = Some(value),
        }
        Ok(())
    }
}

/// A table of keys and values in turn.
fn table(items: Vec<Value>) -> Result<Kind, Error> {
    let mut entries: Vec<(Key, Value)> = Vec::with_capacity(items.len() / 2);
    let (mut items, mut names) = (items.into_iter(), HashSet::new());
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        let name = match key.kind {
            Kind::Text(name) => name,
            Kind::Integer(number) => number.to_string(),
            _ => return Err(Error::new("a key that is no text", key.at)),
        };
        if !names.insert(name.clone()) {
            return Err(Error::new(format!("the key `{name}` stands twice"), key.at));
        }
        entries.push((Key { name, at: key.at }, value));
    }
    Ok(Kind::Table(entries))
}

/// The value of a scalar without quotation marks, by the core schema of YAML 1.2.
fn plain_scalar(text: &str) -> Kind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Kind::Null,
        "true" | "True" | "TRUE" => return Kind::Switch(true),
        "false" | "False" | "FALSE" => return Kind::Switch(false),
        ".nan" | ".NaN" | ".NAN" => return Kind::Number(f64::NAN),
        _ => {}
    }
    let (sign, digits) = match text.as_bytes()[0] {
        b'-' => (-1.0, &text[1..]),
        b'+' => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    if matches!(digits, ".inf" | ".Inf" | ".INF") {
        return Kind::Number(sign * f64::INFINITY);
    }
    let radix = |prefix, radix| text.strip_prefix(prefix).and_then(|digits| i128::from_str_radix(digits, radix).ok());
    if let Some(number) = radix("0x", 16).or_else(|| radix("0o", 8)) {
        return Kind::Integer(number);
    }
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Kind::Text(text.to_owned());
    }
    let integer = text.parse().map(Kind::Integer).ok();
    integer.or_else(|| text.parse().map(Kind::Number).ok()).unwrap_or_else(|| Kind::Text(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Value, Error> {
        Reader::new(text).document()
    }

    #[test]
    fn plain_scalars_follow_the_core_schema() {
        let of = |text: &str| plain_scalar(text);
        for (text, number) in [("6", 6), ("-7", -7), ("+12", 12), ("0x1F", 31), ("0o17", 15)] {
            assert_eq!(of(text), Kind::Integer(number), "{text}");
        }
        for (text, number) in [("1e-06", 1e-6), ("0.5", 0.5), (".5", 0.5), ("-1.", -1.0), ("-.inf", f64::NEG_INFINITY)]
        {
            assert_eq!(of(text), Kind::Number(number), "{text}");
        }
        assert!(matches!(of(".nan"), Kind::Number(number) if number.is_nan()));
        for text in ["n", "dan", "e5", "inf", "nan", "1.2.3", "-", ".", "12a", "yes", "infinity"] {
            assert_eq!(of(text), Kind::Text(text.into()), "{text}");
        }
        assert_eq!([of("~"), of("true")], [Kind::Null, Kind::Switch(true)]);
    }

    #[test]
    fn lists_and_tables_in_both_styles_are_the_same() {
        let kinds = |value: &Value| match &value.kind {
            Kind::Table(entries) => {
                entries.iter().map(|(key, value)| (key.name.clone(), list(value))).collect::<Vec<_>>()
            }
            other => panic!("{other:?}"),
        };
        fn list(value: &Value) -> Vec<Kind> {
            match &value.kind {
                Kind::List(items) => items.iter().map(|item| item.kind.clone()).collect(),
                other => vec![other.clone()],
            }
        }
        let block = read("dim-vocabs:\n  - 12\n  - 13\ntype: s2s\nquoted: \"12\"\n").unwrap();
        let flow = read("{dim-vocabs: [12, 13], type: s2s, quoted: '12'}").unwrap();
        assert_eq!(kinds(&block), kinds(&flow));
        let [vocabs, kind, quoted] = &kinds(&block)[..] else { panic!("three keys") };
        assert_eq!(vocabs.1, [Kind::Integer(12), Kind::Integer(13)]);
        assert_eq!((&kind.1[0], &quoted.1[0]), (&Kind::Text("s2s".into()), &Kind::Text("12".into())));
    }

    #[test]
    fn hostile_text_is_refused_with_its_line() {
        let deep = "[".repeat(DEEPEST + 1);
        let laughs = "a: &a [1]\nb: &b [*a, *a]\n";
        let cases = [
            ("models: {", "", 1),
            (laughs, "aliases", 2),
            (&deep, "64 deep", 1),
            ("a: 1\nb: 2\na: 3\n", "the key `a` stands twice", 3),
            ("a: 1\n---\nb: 2\n", "a second document", 3),
            ("? [1]\n: 2\n", "a key that is no text", 1),
        ];
        for (text, message, line) in cases {
            let error = read(text).expect_err(message);
            assert!(error.message().contains(message), "{error}");
            assert_eq!(error.line(text), line, "{error}");
        }
    }
}
