//! JSON as Python's `json.dumps` writes it, as far as scores need it.

/// A value.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Text(String),
    Number(f64),
    Null,
    /// An object inside the object.
    Object(Vec<(String, Value)>),
}

/// An object with one key a line, indented by `indent` more than the `outer` spaces it stands at itself.
pub(crate) fn object(fields: &[(String, Value)], indent: usize, outer: usize) -> String {
    let inner = outer + indent;
    let fields: Vec<String> = fields
        .iter()
        .map(|(key, value)| {
            let value = match value {
                Value::Text(text) => quote(text),
                Value::Number(number) => float(*number),
                Value::Null => "null".to_owned(),
                Value::Object(fields) => object(fields, indent, inner),
            };
            format!("{:inner$}{}: {value}", "", quote(key))
        })
        .collect();
    format!("{{\n{}\n{:outer$}}}", fields.join(",\n"), "")
}

/// A string in quotation marks; characters beyond ASCII stay as they are.
fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The shortest digits that are read back as the same number, in Python's layout: always a fraction or an exponent, and
/// an exponent of at least two digits below 1e-4 and from 1e16.
fn float(x: f64) -> String {
    if !x.is_finite() {
        return x.to_string();
    }
    let shortest = format!("{x:e}");
    let digits = shortest.bytes().take_while(|&byte| byte != b'e').filter(u8::is_ascii_digit).count();
    // Two numbers can be equally short and equally close, often where they were f32. Then Rust takes the upper one and
    // Python the even one; so does Rust if the number of digits is given.
    let even = format!("{x:.*e}", digits.saturating_sub(1));
    let shortest = if even.parse() == Ok(x) { even } else { shortest };
    let size = x.abs();
    if size == 0.0 || (1e-4..1e16).contains(&size) {
        return plain(&shortest, x);
    }
    let (digits, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    format!("{digits}e{sign}{exponent:0>2}")
}

/// The digits of `scientific` without an exponent, and with a fraction.
fn plain(scientific: &str, x: f64) -> String {
    let (digits, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let behind_point = digits.split_once('.').map_or(0, |(_, fraction)| fraction.len()) as i32;
    let width = (behind_point - exponent.parse::<i32>().unwrap_or(0)).max(1);
    format!("{x:.*}", width as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_look_as_in_python() {
        for (x, expected) in [
            (0.0, "0.0"),
            (28.0, "28.0"),
            (0.1, "0.1"),
            (3.4520034790039062, "3.4520034790039062"),
            (100.0, "100.0"),
            (-12.5, "-12.5"),
            (33.03402709960938, "33.03402709960938"),
            (1e-4, "0.0001"),
            (5e-5, "5e-05"),
            (1.25e-123, "1.25e-123"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
        ] {
            assert_eq!(float(x), expected);
        }
    }

    #[test]
    fn objects_are_indented_and_escaped() {
        let inner = Value::Object(vec![("score".to_owned(), Value::Number(1.5)), ("p".to_owned(), Value::Null)]);
        let fields =
            [("system".to_owned(), Value::Text("a\"b\u{1}\u{8}\u{1f}é\u{7f}".to_owned())), ("BLEU".to_owned(), inner)];
        let expected = "{\n  \"system\": \"a\\\"b\\u0001\\b\\u001fé\u{7f}\",\n  \"BLEU\": {\n    \"score\": 1.5,\n    \"p\": null\n  }\n}";
        assert_eq!(object(&fields, 2, 0), expected);
    }
}
