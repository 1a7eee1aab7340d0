//! Responses of HTTP.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use serde::Serialize;

/// An answer in JSON.
pub fn json(status: StatusCode, value: &impl Serialize) -> Response<Body> {
    match serde_json::to_vec(value) {
        Ok(text) => bytes(status, "application/json", text),
        // Our values have keys that are strings.
        Err(error) => bytes(StatusCode::INTERNAL_SERVER_ERROR, "text/plain", error.to_string()),
    }
}

/// An answer of bytes.
pub fn bytes(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// An answer without a body.
pub fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// An answer with the number of seconds after which the client may try again.
pub fn with_retry(mut response: Response<Body>, seconds: Option<u64>) -> Response<Body> {
    if let Some(seconds) = seconds {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// An answer that names the parameters of the request that had no effect.
pub fn with_ignored(response: Response<Body>, names: &[String]) -> Response<Body> {
    with_list(response, "x-metaphrase-ignored", names)
}

/// An answer that names the texts, counted from 1, that are in none of the source languages and came back as they were
/// sent.
pub fn with_untranslated(response: Response<Body>, numbers: &[usize]) -> Response<Body> {
    let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
    with_list(response, "x-metaphrase-untranslated", &numbers)
}

fn with_list(mut response: Response<Body>, header: &'static str, items: &[String]) -> Response<Body> {
    if items.is_empty() {
        return response;
    }
    // Clients choose the names of parameters: no more than a line of plain ones.
    let plain = items.iter().map(|item| item.chars().filter(|c| c.is_ascii_graphic() && *c != ',').take(64).collect());
    let line = plain.take(32).collect::<Vec<String>>().join(", ");
    if let Ok(value) = HeaderValue::from_str(&line) {
        response.headers_mut().insert(header, value);
    }
    response
}

/// A file to be saved under this name.
pub fn attachment(name: &str, body: impl Into<Body>) -> Response<Body> {
    let mut response = bytes(StatusCode::OK, "application/octet-stream", body);
    let encoded: String = form_urlencoded::byte_serialize(name.as_bytes()).collect::<String>().replace('+', "%20");
    let ascii: String = name.chars().map(|c| if c.is_ascii() && !c.is_control() { c } else { '_' }).collect();
    let value = format!("attachment; filename=\"{}\"; filename*=UTF-8''{encoded}", ascii.replace(['"', '\\'], "_"));
    if let Ok(value) = HeaderValue::from_str(&value) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
    }
    response
}
