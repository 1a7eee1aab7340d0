//! The parameters of a request: clients send them as JSON, as a form, in parts, in the query string, or in several of
//! these.

use crate::compression::decompressed;
use crate::error::Failure;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Request, header};
use futures_util::StreamExt;
use serde_json::{Map, Value};
use std::convert::Infallible;
use std::time::Duration;

/// A file of a form.
#[derive(Debug, Clone)]
pub struct Upload {
    /// Its name, without folders.
    pub name: String,
    /// Its bytes.
    pub bytes: Bytes,
}

/// The parameters of a request. A name that is given several times has a list.
#[derive(Debug, Default)]
pub struct Params {
    values: Map<String, Value>,
    /// The file of a form with parts.
    pub file: Option<Upload>,
    /// Whether the parameters came as JSON.
    pub json: bool,
}

/// The most time for the body of a request, ...
const BODY_TIME: Duration = Duration::from_secs(600);
/// ... and for each part of it.
const PART_TIME: Duration = Duration::from_secs(20);
/// The most parameters and parts of a request. A list of texts may have as many.
const PARAMETERS: usize = 10_000;

impl Params {
    /// Reads the parameters of a request whose body has at most `limit` bytes.
    ///
    /// # Errors
    /// [`Failure::Bad`] for a body that can not be read, [`Failure::TooLarge`] for one that is too long.
    pub async fn read(request: Request<Body>, limit: usize) -> Result<Self, Failure> {
        let query = request.uri().query().unwrap_or_default().to_owned();
        let kind = content_type(request.headers());
        let body = body(request, limit).await?;
        let mut params = Self::default();
        params.add_form(query.as_bytes())?;
        let first = without_mark(&body).iter().find(|byte| !byte.is_ascii_whitespace());
        if kind.starts_with("multipart/form-data") {
            params.add_parts(&kind, body).await?;
        } else if kind.contains("json") || (kind.is_empty() && first == Some(&b'{')) {
            params.add_json(&body)?;
        } else {
            params.add_form(&body)?;
        }
        Ok(params)
    }

    fn add(&mut self, name: String, value: Value) -> Result<(), Failure> {
        match self.values.get_mut(&name) {
            None => _ = self.values.insert(name, value),
            Some(Value::Array(list)) => list.push(value),
            Some(one) => *one = Value::Array(vec![one.take(), value]),
        }
        if self.values.len() > PARAMETERS {
            return Err(Failure::TooLarge { what: "parameters", found: self.values.len(), limit: PARAMETERS });
        }
        Ok(())
    }

    fn add_form(&mut self, text: &[u8]) -> Result<(), Failure> {
        for (name, value) in form_urlencoded::parse(text) {
            self.add(name.into_owned(), Value::String(value.into_owned()))?;
        }
        Ok(())
    }

    /// Values of JSON replace those of the query string.
    fn add_json(&mut self, text: &[u8]) -> Result<(), Failure> {
        self.json = true;
        let text = without_mark(text);
        if text.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        let value: Value =
            serde_json::from_slice(text).map_err(|error| Failure::Bad(format!("the body is not JSON: {error}")))?;
        let Value::Object(object) = value else { return Err(Failure::Bad("the body is not a JSON object".into())) };
        self.values.extend(object);
        Ok(())
    }

    async fn add_parts(&mut self, kind: &str, body: Bytes) -> Result<(), Failure> {
        let bad = |error: multer::Error| Failure::Bad(format!("the form can not be read: {error}"));
        let boundary = multer::parse_boundary(kind).map_err(bad)?;
        let whole = futures_util::stream::once(async move { Ok::<_, Infallible>(body) });
        let mut parts = multer::Multipart::new(whole, boundary);
        while let Some(part) = parts.next_field().await.map_err(bad)? {
            let name = part.name().unwrap_or_default().to_owned();
            match part.file_name().map(plain_name) {
                Some(file) => self.file = Some(Upload { name: file, bytes: part.bytes().await.map_err(bad)? }),
                None => self.add(name, Value::String(part.text().await.map_err(bad)?))?,
            }
        }
        Ok(())
    }

    /// A value as it was sent.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.values.get(name).filter(|value| !value.is_null())
    }

    /// The names of all parameters.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    /// A text; the last one if there are several. A number is a text, too.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<String> {
        match self.value(name)? {
            Value::Array(list) => text(list.last()?),
            value => text(value),
        }
    }

    /// The texts of a list; of one text, this text.
    ///
    /// # Errors
    /// If a member is no text.
    pub fn texts(&self, name: &'static str) -> Result<Vec<String>, Failure> {
        let all = match self.value(name) {
            None => return Ok(Vec::new()),
            Some(Value::Array(list)) => list.iter().map(text).collect(),
            Some(value) => text(value).map(|text| vec![text]),
        };
        all.ok_or_else(|| Failure::Bad(format!("the parameter `{name}` is neither a text nor a list of texts")))
    }

    /// A number from 0 on.
    ///
    /// # Errors
    /// If it is something else.
    pub fn number(&self, name: &'static str) -> Result<Option<usize>, Failure> {
        let Some(text) = self.text(name).filter(|text| !text.is_empty()) else { return Ok(None) };
        // Clients send `-1` for as many as there are, or for none.
        let number: i64 =
            text.parse().map_err(|_| Failure::Bad(format!("the parameter `{name}` is not a whole number")))?;
        Ok(Some(usize::try_from(number).unwrap_or(0)))
    }

    /// Yes or no, in the ways in which clients say so.
    ///
    /// # Errors
    /// If it is something else.
    pub fn flag(&self, name: &'static str) -> Result<Option<bool>, Failure> {
        match self.text(name).map(|text| text.to_ascii_lowercase()).as_deref() {
            None | Some("") => Ok(None),
            Some("1" | "true" | "yes" | "on") => Ok(Some(true)),
            Some("0" | "false" | "no" | "off") => Ok(Some(false)),
            Some(_) => Err(Failure::Bad(format!("the parameter `{name}` is neither true nor false"))),
        }
    }
}

/// Bytes without the byte order mark that some programs write before JSON.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// The name of a file without folders and without control characters.
fn plain_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    last.chars().filter(|c| !c.is_control() && *c != '"').take(200).collect()
}

fn content_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    // The boundary of a form is case sensitive.
    let (kind, rest) = value.split_once(';').unwrap_or((value, ""));
    if rest.is_empty() {
        kind.trim().to_ascii_lowercase()
    } else {
        format!("{};{rest}", kind.trim().to_ascii_lowercase())
    }
}

/// The body of a request, which has at most `limit` bytes, compressed and unpacked.
///
/// # Errors
/// [`Failure::Bad`] for a body that does not come, [`Failure::TooLarge`] for one that is too long.
pub async fn body(request: Request<Body>, limit: usize) -> Result<Bytes, Failure> {
    let announced = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if let Some(found) = announced.filter(|&length: &usize| length > limit) {
        return Err(Failure::TooLarge { what: "bytes", found, limit });
    }
    let (head, body) = request.into_parts();
    let body = tokio::time::timeout(BODY_TIME, collect(body, limit)).await.map_err(|_| late())??;
    decompressed(&head.headers, body, limit).await
}

fn late() -> Failure {
    Failure::Bad("the body of the request did not come in time".into())
}

/// The bytes of a body, up to a limit.
async fn collect(body: Body, limit: usize) -> Result<Bytes, Failure> {
    let mut stream = body.into_data_stream();
    let mut all = Vec::new();
    while let Some(part) = tokio::time::timeout(PART_TIME, stream.next()).await.map_err(|_| late())? {
        let part = part.map_err(|error| Failure::Bad(format!("the body of the request was cut off: {error}")))?;
        if all.len() + part.len() > limit {
            return Err(Failure::TooLarge { what: "bytes", found: all.len() + part.len(), limit });
        }
        all.extend_from_slice(&part);
    }
    Ok(all.into())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    fn read(kind: &str, uri: &str, body: impl Into<Body>) -> Result<Params, Failure> {
        let request = Request::post(uri).header(header::CONTENT_TYPE, kind).body(body.into()).unwrap();
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
            .block_on(Params::read(request, 1000))
    }

    #[test]
    fn parameters_come_as_json_as_a_form_as_parts_and_in_the_query() {
        let parts = "--x\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\na b\r\n--x\r\nContent-Disposition: form-data; \
                     name=\"file\"; filename=\"../c/d.txt\"\r\n\r\nbytes\r\n--x--\r\n";
        for (kind, uri, body) in [
            ("application/json", "/", r#"{"q": "a b"}"#),
            ("", "/", r#" {"q": "a b"}"#),
            ("application/x-www-form-urlencoded", "/", "q=a+b"),
            ("", "/?q=a%20b", ""),
            ("application/json; charset=utf-8", "/?q=old", r#"{"q": "a b"}"#),
            ("Multipart/Form-Data; boundary=x", "/", parts),
        ] {
            let params = read(kind, uri, body).unwrap();
            assert_eq!(params.text("q").as_deref(), Some("a b"), "{kind} {uri}");
            assert_eq!(params.file.is_some(), kind.starts_with('M'));
            assert!(params.file.is_none_or(|file| file.name == "d.txt" && &*file.bytes == b"bytes"));
        }
    }

    #[test]
    fn lists_numbers_and_flags() {
        let params = read("application/json", "/", r#"{"q": ["a", "b"], "n": 3, "yes": true, "none": null}"#).unwrap();
        assert_eq!(params.texts("q").unwrap(), ["a", "b"]);
        assert_eq!(params.number("n").unwrap(), Some(3));
        assert_eq!(params.flag("yes").unwrap(), Some(true));
        assert_eq!(
            (params.value("none"), params.number("none").unwrap(), params.flag("q1").unwrap()),
            (None, None, None)
        );
        let params = read("", "/?text=a&text=b&n=x&yes=2&minus=-1", "").unwrap();
        assert_eq!(params.texts("text").unwrap(), ["a", "b"]);
        assert!(params.number("n").is_err() && params.flag("yes").is_err());
        assert_eq!(params.number("minus").unwrap(), Some(0));
    }

    #[test]
    fn bodies_that_are_wrong_are_refused() {
        let deep = format!("{{\"q\": {}1{}}}", "[".repeat(400), "]".repeat(400));
        for (kind, body) in [
            ("application/json", "{".to_owned()),
            ("application/json", "[1]".to_owned()),
            ("application/json", deep),
            ("multipart/form-data", "x".to_owned()),
            ("multipart/form-data; boundary=x", "--x\r\nnothing".to_owned()),
        ] {
            let refused = read(kind, "/", body.clone()).unwrap_err();
            assert!(matches!(refused, Failure::Bad(_)), "{kind} {body} {refused}");
        }
        let refused = read("text/plain", "/", "a".repeat(1001)).unwrap_err();
        assert!(matches!(refused, Failure::TooLarge { limit: 1000, .. }), "{refused}");
    }
}
