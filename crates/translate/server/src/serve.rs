//! The listener, its connections, and their end.

use crate::app::{App, Peer};
use crate::config::Config;
use crate::error::Failure;
use crate::model_folder;
use crate::routes;
use crate::timed_stream::TimedStream;
use axum::Router;
use axum::body::Body;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tower_service::Service;

/// The time that a connection without a request has when the server ends.
const LAST_HEAD_TIME: Duration = Duration::from_secs(1);

/// The time for the head of a request, and between requests of a connection.
const HEAD_TIME: Duration = Duration::from_secs(60);
/// The time in which a client has to read something of its answer.
const WRITE_TIME: Duration = Duration::from_secs(60);

/// Why a server can not run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address can not be listened at.
    #[error("cannot listen at {address}: {error}; choose another port or host")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        error: std::io::Error,
    },
    /// The path of a model leads to none.
    #[error("the model {name} cannot be served: {error}")]
    Model {
        /// Its languages.
        name: String,
        /// Why.
        error: Box<metaphrase::Error>,
    },
    /// A folder of models that can not be read.
    #[error("the folder {} cannot be read: {error}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// Folders without models.
    #[error("{} has no model that can be served; the log says why", listed(.0))]
    NoModels(Vec<PathBuf>),
    /// The data file can not be used.
    #[error(transparent)]
    Data(#[from] Failure),
    /// No threads, no signals.
    #[error("cannot start the server: {0}")]
    Start(std::io::Error),
}

fn listed(folders: &[PathBuf]) -> String {
    folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// Serves until a signal ends the program (SIGTERM, SIGINT), then finishes the requests in work. `ready` gets the
/// address when connections are accepted.
///
/// # Errors
/// [`ServeError`] if the server can not begin.
pub fn run(config: Config, ready: fn(SocketAddr)) -> Result<(), ServeError> {
    let threads = config.model_options.threads.clamp(1, 4);
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime =
        runtime.worker_threads(threads).thread_name("http").enable_all().build().map_err(ServeError::Start)?;
    runtime.block_on(async {
        let end = ended().map_err(ServeError::Start)?;
        let server = Server::start(config).await?;
        ready(server.address);
        end.await;
        tracing::info!("the server ends; requests in work are finished first");
        server.stop().await;
        Ok(())
    })
}

/// Waits for a signal that ends the program.
fn ended() -> std::io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        Ok(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        })
    }
    #[cfg(not(unix))]
    Ok(async { _ = tokio::signal::ctrl_c().await })
}

/// A server that accepts connections.
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    /// Its state.
    pub app: Arc<App>,
    stop: watch::Sender<bool>,
    accepting: tokio::task::JoinHandle<()>,
    others: Vec<tokio::task::JoinHandle<()>>,
}

impl Server {
    /// Finds the files of all models, listens, and serves on other tasks.
    ///
    /// # Errors
    /// [`ServeError`].
    pub async fn start(mut config: Config) -> Result<Self, ServeError> {
        for model in &config.models {
            model.check().map_err(|error| ServeError::Model { name: model.name(), error: Box::new(error) })?;
        }
        for folder in &config.model_folders {
            let unreadable = |error| ServeError::Folder { folder: folder.clone(), error };
            config.models.extend(model_folder::find_models(folder).map_err(unreadable)?);
        }
        if config.models.is_empty() {
            return Err(ServeError::NoModels(config.model_folders));
        }
        let address = config.address;
        let listener = TcpListener::bind(address).await.map_err(|error| ServeError::Listen { address, error })?;
        let address = listener.local_addr().map_err(ServeError::Start)?;
        let app = App::new(config)?;
        let (stop, stopped) = watch::channel(false);
        let accepting = tokio::spawn(accept(listener, Arc::clone(&app), stopped));
        let (watching, flushing) = (Arc::clone(&app), Arc::clone(&app));
        let others = vec![
            tokio::spawn(async move { watching.models.watch().await }),
            tokio::spawn(async move { flushing.flush().await }),
        ];
        Ok(Self { address, app, stop, accepting, others })
    }

    /// Accepts nothing more, finishes the requests in work as far as there is time, and writes what was counted.
    pub async fn stop(self) {
        let _ = self.stop.send(true);
        let _ = self.accepting.await;
        let connections = async {
            while self.app.metrics.connections.load(Relaxed) > 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        if tokio::time::timeout(self.app.config.drain, connections).await.is_err() {
            tracing::warn!("some requests were not finished in time");
        }
        self.others.iter().for_each(tokio::task::JoinHandle::abort);
        // A failure is in the log.
        let _ = self.app.stored(crate::store::Store::flush).await;
    }
}

async fn accept(listener: TcpListener, app: Arc<App>, mut stopped: watch::Receiver<bool>) {
    let router = routes::router(&app);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopped.changed() => return,
        };
        let Ok((stream, peer)) = accepted else {
            // No file descriptors: some will be free again.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        if app.metrics.connections.load(Relaxed) >= app.config.limits.connections as u64 {
            continue;
        }
        app.metrics.connections.fetch_add(1, Relaxed);
        let (app, router, stopped) = (Arc::clone(&app), router.clone(), stopped.clone());
        tokio::spawn(async move {
            let _open = ConnectionGuard(app);
            connection(stream, Peer(peer.ip()), router, stopped).await;
        });
    }
}

/// A connection that is counted, also if its task panics.
struct ConnectionGuard(Arc<App>);

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.0.metrics.connections.fetch_sub(1, Relaxed);
    }
}

async fn connection(stream: TcpStream, peer: Peer, router: Router, mut stopped: watch::Receiver<bool>) {
    // Answers are small and should not wait for more.
    let _ = stream.set_nodelay(true);
    // A request has come, or none yet but the beginning of a head.
    let asked = AtomicBool::new(false);
    let service = service_fn(|request: hyper::Request<hyper::body::Incoming>| {
        asked.store(true, Relaxed);
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(peer);
        router.clone().call(request)
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(64 << 10);
    let served = http.serve_connection(TokioIo::new(TimedStream::new(stream, WRITE_TIME)), service);
    let mut served = std::pin::pin!(served);
    let done = tokio::select! {
        done = served.as_mut() => done,
        _ = stopped.changed() => {
            served.as_mut().graceful_shutdown();
            match tokio::time::timeout(LAST_HEAD_TIME, served.as_mut()).await {
                Ok(done) => done,
                Err(_) if asked.load(Relaxed) => served.await,
                Err(_) => return tracing::debug!("a connection ended without a request"),
            }
        }
    };
    if let Err(error) = done {
        tracing::debug!("a connection ended: {error}");
    }
}
