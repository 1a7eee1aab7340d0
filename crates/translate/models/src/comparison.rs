//! The comparison of a file with its checksum while a model is made of the file.

use crate::ModelError;
use std::thread::{Builder, JoinHandle};

/// The comparison of a file of weights with its checksum, which may go on while the model is prepared. The model
/// may translate nothing before [`finish`](Self::finish) has answered.
#[must_use = "the file of the model may be damaged"]
#[derive(Debug, Default)]
pub struct Comparison(Option<JoinHandle<Result<(), ModelError>>>);

impl Comparison {
    /// Begins a comparison on a thread of its own; where none can be had, it is made at once.
    pub(crate) fn begin(
        compare: impl FnOnce() -> Result<(), ModelError> + Clone + Send + 'static,
    ) -> Result<Self, ModelError> {
        match Builder::new().name("checksum".to_owned()).spawn(compare.clone()) {
            Ok(thread) => Ok(Self(Some(thread))),
            Err(_) => compare().map(|()| Self(None)),
        }
    }

    /// Waits for the result.
    ///
    /// # Errors
    /// If the file has another checksum.
    pub fn finish(self) -> Result<(), ModelError> {
        let result = self.0.map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        result.unwrap_or(Ok(()))
    }
}
