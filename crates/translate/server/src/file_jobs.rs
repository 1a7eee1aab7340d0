//! Files that are being translated, and results until they are fetched. They are in memory alone, for some minutes.

use crate::config::Limits;
use crate::error::Failure;
use crate::scheduler::ClientId;
use axum::body::Bytes;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::task::AbortHandle;

/// The time that a result is kept.
const KEPT: Duration = Duration::from_secs(600);

/// The least bytes that a result counts as.
const LEAST: usize = 64 << 10;

/// All files.
pub struct FileJobs {
    jobs: Mutex<HashMap<String, FileJob>>,
    limits: Limits,
}

/// The state of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Its sentences wait or are being translated.
    Translating,
    /// Its result can be fetched.
    Done,
    /// It has no result.
    Failed,
}

/// A file.
#[derive(Debug, Clone)]
pub struct FileJob {
    pub(crate) owner: ClientId,
    /// The secret of clients that do not send their key with each request.
    pub secret: String,
    /// Its name.
    pub name: String,
    /// The name of the result.
    pub result_name: String,
    /// The codes of its languages; the source is empty until it is detected.
    pub languages: (String, String),
    /// Its state.
    pub status: Status,
    /// Sentences translated, and all.
    pub sentences: (usize, usize),
    /// Characters of its text.
    pub characters: usize,
    /// The translated file.
    pub result: Option<Bytes>,
    /// Why there is none.
    pub failure: Option<Failure>,
    /// Messages.
    pub notes: Vec<String>,
    pub(crate) ended: Option<Instant>,
    pub(crate) task: Option<AbortHandle>,
}

impl FileJobs {
    /// Room for `limits.files` files in flight, and for the results of as many of the largest size.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { jobs: Mutex::default(), limits }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, FileJob>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets results that nobody fetched in time.
    pub fn forget_old(&self) {
        self.lock().retain(|_, job| job.ended.is_none_or(|ended| ended.elapsed() < KEPT));
    }

    /// Adds a file, if there is room: one client may have half of it.
    pub(crate) fn add(&self, id: &str, job: FileJob) -> Result<(), Failure> {
        let mut jobs = self.lock();
        let is_full = |of: &dyn Fn(&FileJob) -> bool, files: usize| {
            let (mut working, mut bytes) = (0, 0_usize);
            for job in jobs.values().filter(|job| of(job)) {
                match &job.result {
                    None => working += usize::from(job.status == Status::Translating),
                    Some(result) => bytes = bytes.saturating_add(result.len().max(LEAST)),
                }
            }
            working >= files || bytes > files.saturating_mul(self.limits.file_bytes.max(LEAST))
        };
        let everyone = is_full(&|_| true, self.limits.files);
        if everyone || is_full(&|other| other.owner == job.owner, self.limits.files.div_ceil(2)) {
            return Err(Failure::Busy { seconds: 60, everyone });
        }
        jobs.insert(id.to_owned(), job);
        Ok(())
    }

    pub(crate) fn change(&self, id: &str, change: impl FnOnce(&mut FileJob)) {
        if let Some(job) = self.lock().get_mut(id) {
            change(job);
        }
    }

    pub(crate) fn end(&self, id: &str, end: Result<Bytes, Failure>) {
        self.change(id, |job| {
            (job.status, job.result, job.failure) = match end {
                Ok(result) => (Status::Done, Some(result), None),
                Err(failure) => (Status::Failed, None, Some(failure)),
            };
            job.ended = Some(Instant::now());
        });
    }

    /// A file of a client.
    ///
    /// # Errors
    /// [`Failure::NotFound`].
    pub fn get(&self, client: &ClientId, id: &str) -> Result<FileJob, Failure> {
        self.lock().get(id).filter(|job| job.owner == *client).cloned().ok_or(Failure::NotFound("file"))
    }

    /// A file whose name and secret are known.
    ///
    /// # Errors
    /// [`Failure::NotFound`].
    pub fn get_by_secret(&self, id: &str, secret: &str) -> Result<FileJob, Failure> {
        self.lock().get(id).filter(|job| job.secret == secret).cloned().ok_or(Failure::NotFound("document"))
    }

    /// Forgets a file, and stops the work on it.
    ///
    /// # Errors
    /// [`Failure::NotFound`].
    pub fn remove(&self, client: &ClientId, id: &str) -> Result<(), Failure> {
        self.get(client, id)?;
        if let Some(task) = self.lock().remove(id).and_then(|job| job.task) {
            task.abort();
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    fn job(owner: i64, result: Option<usize>) -> FileJob {
        FileJob {
            owner: ClientId::Key(owner),
            secret: String::new(),
            name: String::new(),
            result_name: String::new(),
            languages: (String::new(), String::new()),
            status: if result.is_some() { Status::Done } else { Status::Translating },
            sentences: (0, 0),
            characters: 0,
            result: result.map(|bytes| vec![0; bytes].into()),
            failure: None,
            notes: Vec::new(),
            ended: None,
            task: None,
        }
    }

    #[test]
    fn room_for_files_is_for_all_clients_and_small_files_take_little() {
        let files = FileJobs::new(Limits { files: 4, file_bytes: 1_000_000, ..Limits::default() });
        let add = |id: &str, owner: i64, result: Option<usize>| files.add(id, job(owner, result));
        let refused = |everyone| Err(Failure::Busy { seconds: 60, everyone });
        (0..20).for_each(|number| add(&format!("small {number}"), 1, Some(10)).unwrap());
        assert_eq!(add("large", 1, Some(1_500_000)), Ok(()));
        assert_eq!(add("one more", 1, None), refused(false), "results have more bytes than two of the largest files");
        assert_eq!((add("a", 2, None), add("b", 2, None)), (Ok(()), Ok(())));
        assert_eq!(add("c", 2, None), refused(false), "half of the files in work are one client's");
        assert_eq!((add("d", 3, None), add("e", 3, None)), (Ok(()), Ok(())));
        assert_eq!(add("f", 4, None), refused(true));
    }
}
