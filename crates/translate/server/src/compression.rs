//! Bodies in gzip: of requests that came so, and of answers to clients that take it.

use crate::error::Failure;
use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::http::{HeaderMap, HeaderValue, Response, header};
use flate2::Compression;
use flate2::read::{GzDecoder, GzEncoder};
use std::io::Read;

/// Shorter answers are sent as they are.
const SHORTEST: u64 = 1000;
/// Longer answers are sent as they are: they are files, mostly compressed ones.
const LONGEST: u64 = 64 << 20;
/// A body that unpacks to more than this many times its size is no text.
const LARGEST_RATIO: usize = 1100;

/// The body of a request as it was before it was compressed; it has at most `limit` bytes.
///
/// # Errors
/// [`Failure::Encoding`] for another compression than gzip, [`Failure::Bad`] for a broken body, [`Failure::TooLarge`].
pub async fn decompressed(headers: &HeaderMap, body: Bytes, limit: usize) -> Result<Bytes, Failure> {
    let encoding = headers.get(header::CONTENT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match encoding.trim().to_ascii_lowercase().as_str() {
        "" | "identity" => Ok(body),
        "gzip" | "x-gzip" => {
            let limit = limit.min(body.len().saturating_mul(LARGEST_RATIO));
            let unpack = move || unpacked(&body, limit);
            let unpacked = tokio::task::spawn_blocking(unpack).await;
            unpacked.unwrap_or_else(|_| Err(Failure::Worker("a thread failed".into())))
        }
        other => Err(Failure::Encoding(other.chars().take(40).collect())),
    }
}

fn unpacked(body: &[u8], limit: usize) -> Result<Bytes, Failure> {
    let mut bytes = Vec::new();
    let read = GzDecoder::new(body).take(limit as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::Bad(format!("the body of the request is not gzip: {error}")))?;
    if bytes.len() > limit {
        return Err(Failure::TooLarge { what: "bytes", found: bytes.len(), limit });
    }
    Ok(bytes.into())
}

/// Whether a client takes gzip.
pub fn accepts(headers: &HeaderMap) -> bool {
    let lists = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut codings = lists.flat_map(|list| list.split(','));
    codings.any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=").map_or(Some(1.0), |weight| weight.trim().parse::<f32>().ok());
        name.trim().eq_ignore_ascii_case("gzip") && weight.is_some_and(|weight| weight > 0.0)
    })
}

/// An answer in gzip, if it is a text of some length that is there as a whole.
pub async fn compressed(mut response: Response<Body>) -> Response<Body> {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_text = ["json", "text/html", "text/plain", "javascript", "text/css", "svg", "tab-separated"];
    let is_text = is_text.iter().any(|text| kind.contains(text));
    let size = response.body().size_hint().exact();
    if !is_text || !size.is_some_and(|size| (SHORTEST..=LONGEST).contains(&size)) {
        return response;
    }
    response.headers_mut().append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    let (mut head, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, LONGEST as usize).await else { return Response::from_parts(head, Body::empty()) };
    let plain = bytes.clone();
    let packed = tokio::task::spawn_blocking(move || {
        let mut packed = Vec::new();
        GzEncoder::new(&*plain, Compression::fast()).read_to_end(&mut packed).map(|_| packed)
    });
    let Ok(Ok(packed)) = packed.await else { return Response::from_parts(head, bytes.into()) };
    head.headers.remove(header::CONTENT_LENGTH);
    head.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    // The bytes are others than those that the tag names.
    if let Some(tag) = head.headers.get(header::ETAG).and_then(|tag| tag.to_str().ok())
        && let Ok(weak) = HeaderValue::from_str(&format!("W/{tag}"))
    {
        head.headers.insert(header::ETAG, weak);
    }
    Response::from_parts(head, packed.into())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn clients_say_whether_they_take_gzip() {
        for (value, expected) in [
            ("gzip, deflate, br", true),
            ("br", false),
            ("gzip;q=0", false),
            ("deflate, GZIP;q=0.5", true),
            ("*", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(value))]);
            assert_eq!(accepts(&headers), expected, "{value}");
        }
    }

    #[test]
    fn bodies_that_unpack_to_too_much_are_refused() {
        let mut packed = Vec::new();
        GzEncoder::new(&vec![0_u8; 1_000_000][..], Compression::best()).read_to_end(&mut packed).unwrap();
        assert_eq!(unpacked(&packed, 1_000_000).unwrap().len(), 1_000_000);
        assert!(matches!(unpacked(&packed, 999_999), Err(Failure::TooLarge { .. })));
        assert!(matches!(unpacked(b"not gzip", 10), Err(Failure::Bad(_))));
    }
}
