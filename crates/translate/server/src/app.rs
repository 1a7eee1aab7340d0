//! The state that all requests share, and how a request is read.

use crate::config::Config;
use crate::error::{Failure, Reason};
use crate::file_jobs::FileJobs;
use crate::metrics::Metrics;
use crate::models::Models;
use crate::params::{Params, body};
use crate::rate::Rates;
use crate::scheduler::{ClientId, QueueLimits, Scheduler};
use crate::store::{Key, Store};
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Request, header};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

/// The state that all requests share.
pub struct App {
    /// The settings.
    pub config: Config,
    /// The models.
    pub models: Models,
    /// The queue.
    pub scheduler: Arc<Scheduler>,
    /// Glossaries, keys, usage.
    pub store: Arc<Store>,
    /// Files that are being translated, and results.
    pub files: FileJobs,
    /// Counters and gauges.
    pub metrics: Arc<Metrics>,
    rates: Rates,
}

/// The sender of a request.
#[derive(Debug, Clone)]
pub struct Client {
    /// Its identity in the queue.
    pub id: ClientId,
    /// Its key; number 0 if it has none.
    pub key: Key,
}

/// The address that a request comes from.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub IpAddr);

/// A request whose parameters are parsed.
pub struct ClientRequest {
    /// The parameters.
    pub params: Params,
    /// The head of the request.
    pub headers: HeaderMap,
    /// The address that it comes from.
    pub peer: IpAddr,
}

/// A function that reads or changes the stored state.
type StoreTask<T> = Box<dyn FnOnce(&Store) -> Result<T, Failure> + Send>;

impl App {
    /// The server's state for these settings.
    ///
    /// # Errors
    /// If the data file can not be used.
    pub fn new(config: Config) -> Result<Arc<Self>, Failure> {
        let metrics = Arc::new(Metrics::default());
        let models = Models::new(config.models.clone(), config.model_options.clone(), Arc::clone(&metrics));
        let limits = QueueLimits {
            // Estimates of tokens are a little high: a quarter more fills the batches.
            in_work: config.model_options.threads * config.model_options.batch_tokens * 5 / 4,
            sentences: config.limits.queue,
            sentences_of_client: config.limits.queue / 2,
            bytes: config.limits.queue_bytes,
            cache_bytes: config.limits.cache_bytes,
        };
        let scheduler = Scheduler::new(limits, Arc::clone(&metrics));
        let store = Arc::new(Store::open(config.data.as_deref())?);
        let files = FileJobs::new(config.limits.clone());
        Ok(Arc::new(Self { config, models, scheduler, store, files, metrics, rates: Rates::default() }))
    }

    /// Reads a request: its parameters, of which the body has at most `limit` bytes.
    ///
    /// # Errors
    /// As [`Params::read`].
    pub async fn read(&self, request: Request<Body>, limit: usize) -> Result<ClientRequest, Failure> {
        let call = self.head(&request);
        Ok(ClientRequest { params: Params::read(request, limit).await?, ..call })
    }

    /// Reads a request whose body the caller parses: the head, without parameters, and the body.
    ///
    /// # Errors
    /// As [`Params::read`].
    pub async fn read_bytes(&self, request: Request<Body>, limit: usize) -> Result<(ClientRequest, Bytes), Failure> {
        let call = self.head(&request);
        Ok((call, body(request, limit).await?))
    }

    fn head(&self, request: &Request<Body>) -> ClientRequest {
        let headers = request.headers().clone();
        let socket = request.extensions().get().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |Peer(address)| *address);
        let peer = if self.config.trust_forwarded { forwarded(&headers).unwrap_or(socket) } else { socket };
        ClientRequest { params: Params::default(), headers, peer: host(peer) }
    }

    /// Works with the state on a thread that may wait for the disk.
    ///
    /// # Errors
    /// Those of `work`.
    pub async fn stored<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let store = Arc::clone(&self.store);
        // A boxed function: the task is compiled once for each type of result, not for each caller.
        let work: StoreTask<T> = Box::new(work);
        let done = tokio::task::spawn_blocking(move || work(&store)).await;
        let done = done.unwrap_or_else(|_| Err(Failure::Store(Reason("a thread failed".into()))));
        if let Err(Failure::Store(reason)) = &done {
            tracing::error!("the data file cannot be used: {reason}");
        }
        done
    }

    /// Who makes a call that sends this key, if the limits of the client allow one more request.
    ///
    /// # Errors
    /// [`Failure::KeyMissing`], [`Failure::KeyUnknown`], [`Failure::Busy`].
    pub async fn client(&self, call: &ClientRequest, key: Option<String>) -> Result<Client, Failure> {
        let sent = key.filter(|key| !key.is_empty());
        let anonymous = Key { number: 0, name: String::new(), characters: None, requests: self.config.limits.requests };
        let key = match sent {
            None if self.config.require_key => return Err(Failure::KeyMissing),
            None => None,
            Some(sent) => self.stored(move |store| store.find_key(&sent)).await?,
        };
        if key.is_none() && self.config.require_key {
            return Err(Failure::KeyUnknown);
        }
        let client = match key {
            Some(key) => Client { id: ClientId::Key(key.number), key },
            None => Client { id: ClientId::Address(call.peer), key: anonymous },
        };
        match client.key.requests.map(|limit| self.rates.take(&client.id, limit)) {
            Some(Err(seconds)) => Err(Failure::Busy { seconds, everyone: false }),
            _ => Ok(client),
        }
    }

    /// Counts the characters of a request before they are translated, so that concurrent requests cannot exceed the
    /// limit together.
    ///
    /// # Errors
    /// [`Failure::Quota`] if its key has fewer left.
    pub async fn take_quota(&self, client: &Client, characters: i64) -> Result<(), Failure> {
        let key = client.key.number;
        match client.key.characters {
            None => self.store.count(key, characters),
            Some(limit) if self.stored(move |store| store.take(key, characters, limit)).await? => {}
            Some(_) => return Err(Failure::Quota),
        }
        Ok(())
    }

    /// Writes the counted characters and forgets old files at intervals; never returns.
    pub async fn flush(&self) {
        loop {
            tokio::time::sleep(Duration::from_secs(5)).await;
            self.files.forget_old();
            // A failure is in the log; the counts are kept.
            let _ = self.stored(Store::flush).await;
        }
    }
}

impl ClientRequest {
    /// The key of the header: `Authorization: Bearer KEY`, `Authorization: DeepL-Auth-Key KEY` or `X-API-Key: KEY`.
    #[must_use]
    pub fn header_key(&self) -> Option<String> {
        let header = |name| self.headers.get(name).and_then(|value: &axum::http::HeaderValue| value.to_str().ok());
        let key = header(header::AUTHORIZATION.as_str()).and_then(|value| {
            let (scheme, key) = value.split_once(' ')?;
            let known = ["bearer", "deepl-auth-key"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
            known.then(|| key.trim())
        });
        key.or_else(|| header("x-api-key")).map(str::to_owned)
    }
}

/// The address of a client's network: hosts have 2⁶⁴ addresses of IPv6, which begin with the same 64 bits.
fn host(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        address => address,
    }
}

/// The client's address according to a proxy in front of the server: the last one of the list, which this proxy has
/// added.
fn forwarded(headers: &HeaderMap) -> Option<IpAddr> {
    headers.get("x-forwarded-for")?.to_str().ok()?.rsplit(',').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_one_client_whatever_address_it_takes() {
        let same = |one: &str, other: &str| one.parse().ok().map(host) == other.parse().ok().map(host);
        assert!(same("2001:db8:1:2::1", "2001:db8:1:2:ffff::9") && !same("2001:db8:1:2::1", "2001:db8:1:3::1"));
        assert!(same("::ffff:10.0.0.1", "10.0.0.1") && !same("10.0.0.1", "10.0.0.2"));
    }
}
