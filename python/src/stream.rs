//! Lines without end: a thread translates what the iterator of the caller has given so far.

use crate::errors;
use crate::options::CallOptions;
use crate::request::Request;
use crate::result::Translation;
use crate::translator::Loaded;
use pyo3::prelude::*;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Lines that are handed over together, at most: enough to sort them by length.
const CHUNK: usize = 2000;
/// Bytes of lines that are on the way, at most, but for the last line.
const BYTES: usize = 4 << 20;
/// The longest time for which a line waits for others, when the iterator is slow.
const PATIENCE: Duration = Duration::from_millis(2);
/// The longest time after which Ctrl-C is noticed.
const NOTICE: Duration = Duration::from_millis(100);

/// The translations of an iterable, in its order. No line is read before there is room for it.
#[pyclass(module = "metaphrase")]
pub struct TranslationStream {
    source: Py<PyAny>,
    loaded: Arc<Loaded>,
    options: CallOptions,
    /// Lines that are in flight, at most.
    ahead: usize,
    /// Gone when the iterator has ended.
    requests: Option<Sender<Vec<metaphrase::Request>>>,
    /// The result of the façade's call comes last.
    answers: Mutex<Receiver<Answer>>,
    worker: Option<JoinHandle<()>>,
    /// The sizes of the lines in flight, in order.
    in_flight: VecDeque<usize>,
    bytes: usize,
    /// What the iterator raised, which comes after the lines before.
    raised: Option<PyErr>,
}

type Answer = Result<metaphrase::Translation, metaphrase::Error>;

impl TranslationStream {
    pub fn new(loaded: Arc<Loaded>, options: CallOptions, source: Py<PyAny>, ahead: usize) -> PyResult<Self> {
        let (requests, inbox) = channel::<Vec<metaphrase::Request>>();
        let (outbox, answers) = channel();
        let (shared, translate) = (Arc::clone(&loaded), options.translate.clone());
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

    /// Reads lines until enough are on the way or an answer is there, which is given.
    fn read(&mut self, py: Python<'_>) -> PyResult<Option<Answer>> {
        let (mut chunk, mut begun) = (Vec::new(), Instant::now());
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
            // The thread that is gone has said why.
            let _ = requests.send(std::mem::take(chunk));
        }
    }

    fn next_request(&mut self, py: Python<'_>) -> PyResult<Option<metaphrase::Request>> {
        let Some(line) = self.source.bind(py).cast::<pyo3::types::PyIterator>()?.clone().next() else {
            return Ok(None);
        };
        let request = Request::of(&line?)?;
        let size = request.size();
        let request = request.into_facade(&self.loaded.translator, &self.options)?;
        self.in_flight.push_back(size);
        self.bytes += size;
        Ok(Some(request))
    }

    /// The next answer, after waiting for it without the interpreter's lock.
    fn wait(&mut self, py: Python<'_>) -> PyResult<Answer> {
        loop {
            let answers = self.answer();
            match py.detach(move || answers.recv_timeout(NOTICE)) {
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
        // When half of the lines are done, others are read: large chunks make good batches.
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

    /// Ends the work on lines whose translations have not been given back.
    fn close(&mut self, py: Python<'_>) {
        self.requests = None;
        self.in_flight.clear();
        self.raised = None;
        // The thread ends when nobody listens.
        self.answers = Mutex::new(channel().1);
        if let Some(worker) = self.worker.take() {
            py.detach(|| _ = worker.join());
        }
    }
}
