//! Endless iterables: a thread translates the lines that the caller's iterator has returned so far.

use crate::errors;
use crate::loaded::LoadedTranslator;
use crate::options::CallOptions;
use crate::request::Request;
use crate::result::Translation;
use pyo3::prelude::*;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The most lines of a chunk: enough to sort them by length.
const CHUNK: usize = 2000;
/// The most bytes of lines in flight, without the last line.
const BYTES: usize = 4 << 20;
/// The longest time that a line waits for others if the iterator is slow.
const PATIENCE: Duration = Duration::from_millis(2);
/// The longest time until Ctrl-C is noticed.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(100);

/// The translations of an iterable, in its order. A line is read only when there is room for it.
#[pyclass(module = "metaphrase")]
pub struct TranslationStream {
    source: Py<PyAny>,
    loaded: Arc<LoadedTranslator>,
    options: CallOptions,
    /// The most lines in flight.
    ahead: usize,
    /// `None` when the iterator has ended.
    requests: Option<Sender<Vec<metaphrase::Request>>>,
    /// The translations, and an error at the end if the call fails.
    answers: Mutex<Receiver<Answer>>,
    worker: Option<JoinHandle<()>>,
    /// The sizes of the lines in flight, in order.
    in_flight: VecDeque<usize>,
    bytes: usize,
    /// The exception of the iterator, which is raised after the translations of the lines before it.
    raised: Option<PyErr>,
}

type Answer = Result<metaphrase::Translation, metaphrase::Error>;

impl TranslationStream {
    pub fn new(loaded: Arc<LoadedTranslator>, options: CallOptions, source: Py<PyAny>, ahead: usize) -> PyResult<Self> {
        let (requests, inbox) = channel::<Vec<metaphrase::Request>>();
        let (outbox, answers) = channel();
        let shared = Arc::clone(&loaded);
        let translate = options.translate.clone();
        let work = move || {
            let sink = |translation| match outbox.send(Ok(translation)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            };
            if let Err(error) = shared.translator.stream(&translate, inbox, sink) {
                let _ = outbox.send(Err(error));
            }
        };
        let worker = std::thread::Builder::new().name("stream".into()).spawn(work);
        let worker = worker.map_err(|error| errors::raise(metaphrase::Error::Threads(error)))?;
        Ok(Self {
            source,
            loaded,
            options,
            ahead: ahead.max(1),
            requests: Some(requests),
            answers: Mutex::new(answers),
            worker: Some(worker),
            in_flight: VecDeque::new(),
            bytes: 0,
            raised: None,
        })
    }

    fn answer(&mut self) -> &mut Receiver<Answer> {
        self.answers.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads lines until enough are in flight, or until an answer arrives, which is returned.
    fn read(&mut self, py: Python<'_>) -> PyResult<Option<Answer>> {
        let mut chunk = Vec::new();
        let mut begun = Instant::now();
        while self.requests.is_some()
            && self.in_flight.len() < self.ahead
            && (self.bytes < BYTES || self.in_flight.is_empty())
        {
            match self.next_request(py) {
                Ok(Some(request)) => chunk.push(request),
                Ok(None) => {
                    self.send(&mut chunk);
                    self.requests = None;
                }
                Err(error) => {
                    self.raised = Some(error);
                    self.send(&mut chunk);
                    self.requests = None;
                }
            }
            if chunk.len() >= CHUNK || begun.elapsed() > PATIENCE {
                self.send(&mut chunk);
                begun = Instant::now();
                if let Ok(answer) = self.answer().try_recv() {
                    return Ok(Some(answer));
                }
            }
        }
        self.send(&mut chunk);
        Ok(None)
    }

    fn send(&self, chunk: &mut Vec<metaphrase::Request>) {
        if let Some(requests) = self.requests.as_ref().filter(|_| !chunk.is_empty()) {
            // A thread that has ended has sent its error.
            let _ = requests.send(std::mem::take(chunk));
        }
    }

    fn next_request(&mut self, py: Python<'_>) -> PyResult<Option<metaphrase::Request>> {
        let Some(line) = self.source.bind(py).cast::<pyo3::types::PyIterator>()?.clone().next() else {
            return Ok(None);
        };
        let request = Request::from_argument(&line?)?;
        let size = request.size();
        let request = request.into_library(&self.loaded.translator, &self.options)?;
        self.in_flight.push_back(size);
        self.bytes += size;
        Ok(Some(request))
    }

    /// The next answer, after waiting for it without the interpreter's lock.
    fn wait(&mut self, py: Python<'_>) -> PyResult<Answer> {
        loop {
            let answers = self.answer();
            match py.detach(move || answers.recv_timeout(SIGNAL_INTERVAL)) {
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
                Err(RecvTimeoutError::Disconnected) => return Ok(Err(metaphrase::Error::WorkerFailed)),
            }
        }
    }
}

#[pymethods]
impl TranslationStream {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Translation>> {
        // Reads new lines only when half of the old ones are done: large chunks make good batches.
        let early = if self.in_flight.len() <= self.ahead / 2 { self.read(py)? } else { None };
        if self.in_flight.is_empty() {
            return match self.raised.take() {
                Some(error) => Err(error),
                None => Ok(None),
            };
        }
        let answer = match early {
            Some(answer) => answer,
            None => self.wait(py)?,
        };
        match answer {
            Ok(found) => {
                let size = self.in_flight.pop_front().unwrap_or_default();
                self.bytes -= size;
                Ok(Some(Translation::new(found)))
            }
            Err(error) => {
                self.close(py);
                Err(errors::raise(error))
            }
        }
    }

    /// Ends the work on lines whose translations have not been returned.
    fn close(&mut self, py: Python<'_>) {
        self.requests = None;
        self.in_flight.clear();
        self.raised = None;
        // The thread ends when the receiver of its answers is dropped.
        self.answers = Mutex::new(channel().1);
        if let Some(worker) = self.worker.take() {
            py.detach(|| _ = worker.join());
        }
    }
}
