//! The limit of requests per minute.

use crate::scheduler::ClientId;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// How many requests each client has left: a bucket that fills again in a minute.
#[derive(Default)]
pub struct Rates(Mutex<HashMap<ClientId, Bucket>>);

struct Bucket {
    left: f64,
    at: Instant,
}

/// Buckets that are kept; full ones are forgotten beyond this number.
const KEPT: usize = 10_000;

impl Rates {
    /// Takes a request of a client that may make `limit` a minute.
    ///
    /// # Errors
    /// The seconds to wait, if there is none left.
    pub fn take(&self, client: &ClientId, limit: u32) -> Result<(), u64> {
        let (now, limit) = (Instant::now(), f64::from(limit.max(1)));
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= KEPT {
            buckets.retain(|_, bucket| now.duration_since(bucket.at).as_secs() < 60);
        }
        let bucket = buckets.entry(client.clone()).or_insert(Bucket { left: limit, at: now });
        let filled = bucket.left + now.duration_since(bucket.at).as_secs_f64() * limit / 60.0;
        (bucket.left, bucket.at) = (filled.min(limit), now);
        if bucket.left < 1.0 {
            return Err(((1.0 - bucket.left) * 60.0 / limit).ceil() as u64);
        }
        bucket.left -= 1.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_has_its_requests_and_no_more() {
        let (rates, a, b) = (Rates::default(), ClientId::Key(1), ClientId::Key(2));
        for _ in 0..3 {
            assert_eq!(rates.take(&a, 3), Ok(()));
        }
        assert_eq!(rates.take(&a, 3), Err(20));
        assert_eq!(rates.take(&b, 3), Ok(()));
    }
}
