//! Lines of n-best lists, `N ||| translation ||| features ||| score`, with the further fields of Moses and Marian.

use metaphrase_base::SixDigits;

/// The fields of a line that we read.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Number of the source line, from 0.
    pub source: usize,
    /// The translation.
    pub text: &'a str,
}

impl<'a> Entry<'a> {
    /// Reads a line; `None` if it is no line of an n-best list.
    pub fn parse(line: &'a str) -> Option<Self> {
        let mut fields = line.split("|||");
        let source = fields.next()?;
        let text = fields.next()?;
        fields.next()?;
        Some(Self { source: source.trim().parse().ok()?, text: text.trim() })
    }
}

/// The line with one more feature after its other features. The field of features is the first one after the
/// translation with a name (`F0= `); Marian may write an alignment before it.
pub fn with_feature(line: &str, name: &str, value: f32) -> String {
    let mut fields: Vec<String> = line.split("|||").map(str::to_owned).collect();
    let features = fields.iter().skip(2).position(|field| field.contains('=')).map_or(2, |found| found + 2);
    if let Some(field) = fields.get_mut(features) {
        *field = format!("{} {name}= {} ", field.trim_end(), SixDigits(value.into()));
    }
    fields.join("|||")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_moses_and_marian_are_read() {
        let moses = "12 ||| das Haus  ||| LM0= -12.5 TM0= -1 -2 ||| -3.5 ||| 0-1";
        assert_eq!(Entry::parse(moses), Some(Entry { source: 12, text: "das Haus" }));
        assert_eq!(Entry::parse("0 |||  ||| F0= 0 ||| 0"), Some(Entry { source: 0, text: "" }));
        for wrong in ["", "das Haus", "1 ||| das Haus", "x ||| das Haus ||| F0= 1 ||| 1", "-1 ||| a ||| b"] {
            assert_eq!(Entry::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_feature_follows_the_others() {
        for (line, expected) in [
            ("0 ||| a ||| F0= -1 ||| -1", "0 ||| a ||| F0= -1 Score= -2.5 ||| -1"),
            ("0 ||| a ||| 0-0 1-1 ||| F0= -1 ||| -1", "0 ||| a ||| 0-0 1-1 ||| F0= -1 Score= -2.5 ||| -1"),
            ("0 ||| a |||  ||| -1", "0 ||| a ||| Score= -2.5 ||| -1"),
        ] {
            assert_eq!(with_feature(line, "Score", -2.5), expected);
        }
    }
}
