//! The web page, which is in the program.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;

/// A file of the page: its path, its type, its bytes.
struct File(&'static str, &'static str, &'static [u8]);

/// The files of `crates/translate/server/page/dist`.
static FILES: &[File] = &[
    File("/index.html", "text/html; charset=utf-8", include_bytes!("../page/dist/index.html")),
    File("/page.js", "text/javascript; charset=utf-8", include_bytes!("../page/dist/page.js")),
    File("/page.css", "text/css; charset=utf-8", include_bytes!("../page/dist/page.css")),
    File("/icon.svg", "image/svg+xml", include_bytes!("../page/dist/icon.svg")),
];

/// The page may load its own files, and nothing from elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The paths of all files.
pub fn paths() -> impl Iterator<Item = &'static str> {
    ["/"].into_iter().chain(FILES.iter().map(|File(path, _, _)| *path))
}

/// The file at a path; `None` if there is none.
#[must_use]
pub fn get(path: &str, headers: &HeaderMap) -> Option<Response<Body>> {
    let name = if path == "/" { "/index.html" } else { path };
    let File(_, kind, bytes) = FILES.iter().find(|File(known, _, _)| *known == name)?;
    let tag = format!("\"{:x}\"", fnv(bytes));
    // Compressed answers have weak tags.
    let known = headers.get(header::IF_NONE_MATCH).and_then(|known| known.to_str().ok());
    let known = known.is_some_and(|known| known.strip_prefix("W/").unwrap_or(known) == tag);
    let mut response =
        if known { StatusCode::NOT_MODIFIED.into_response() } else { Body::from(*bytes).into_response() };
    let answer = response.headers_mut();
    answer.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    answer.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    answer.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    answer.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        answer.insert(header::ETAG, tag);
    }
    Some(response)
}

/// A number that differs for different files (Fowler, Noll and Vo).
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
