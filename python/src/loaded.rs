//! A loaded translator, which all calls of a Python translator share.

use crate::errors;
use crate::options::CallOptions;
use crate::request::Request;
use crate::result::Translation;
use metaphrase::Cancel;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// A loaded translator and the default options of its calls.
pub struct LoadedTranslator {
    pub translator: metaphrase::Translator,
    pub defaults: CallOptions,
}

/// The longest time until Ctrl-C is noticed, if lines are finished in the meantime.
const PATIENCE: Duration = Duration::from_millis(100);

impl LoadedTranslator {
    /// Answers requests without the interpreter's lock.
    pub fn run(&self, py: Python<'_>, options: &CallOptions, requests: Vec<Request>) -> PyResult<Vec<Translation>> {
        let requests = requests.into_iter().map(|request| request.into_library(&self.translator, options));
        let answers = self.answers(py, options, requests.collect::<PyResult<_>>()?)?;
        Ok(answers.into_iter().map(Translation::new).collect())
    }

    /// Answers requests of the crate `metaphrase`, without the interpreter's lock.
    pub fn answers(
        &self,
        py: Python<'_>,
        options: &CallOptions,
        requests: Vec<metaphrase::Request>,
    ) -> PyResult<Vec<metaphrase::Translation>> {
        let requests = match <[metaphrase::Request; 1]>::try_from(requests) {
            Ok([only]) => return Ok(vec![self.answer(py, options, only)?]),
            Err(requests) => requests,
        };
        let mut found = Vec::with_capacity(requests.len());
        let mut interrupted = None;
        let mut checked = Instant::now();
        let sink = |translation| {
            found.push(translation);
            if checked.elapsed() > PATIENCE {
                checked = Instant::now();
                interrupted = Python::attach(|py| py.check_signals()).err();
            }
            if interrupted.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let ended = py.detach(|| self.translator.stream(&options.translate, [requests], sink));
        match interrupted {
            Some(interrupt) => Err(interrupt),
            None => ended.map(|()| found).map_err(errors::raise),
        }
    }

    /// Answers one request. It starts no thread: that would take most of the time of such a call.
    fn answer(
        &self,
        py: Python<'_>,
        options: &CallOptions,
        request: metaphrase::Request,
    ) -> PyResult<metaphrase::Translation> {
        py.detach(|| {
            let (sender, answer) = sync_channel(1);
            let cancel = Cancel::new();
            let send = move |answer| _ = sender.send(answer);
            self.translator.submit(&options.translate, request, &cancel, send).map_err(errors::raise)?;
            loop {
                match answer.recv_timeout(PATIENCE) {
                    Ok(answer) => return answer.map_err(errors::raise),
                    Err(RecvTimeoutError::Timeout) => {
                        Python::attach(|py| py.check_signals()).inspect_err(|_| cancel.cancel())?;
                    }
                    Err(RecvTimeoutError::Disconnected) => return Err(errors::raise(metaphrase::Error::WorkerFailed)),
                }
            }
        })
    }
}
