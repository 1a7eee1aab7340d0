//! Translates requests as they arrive and prints the answers in their order.

use crate::io::{Output, leave_when_closed};
use crate::leave;
use crate::lines::Line;
use crate::progress::Progress;
use anyhow::Result;
use metaphrase::{Request, TranslateOptions, Translation, Translator};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The most lines of a chunk: enough to sort them by length.
const CHUNK: usize = 2000;
/// The most bytes of a chunk without its last line.
const CHUNK_BYTES: usize = 4 << 20;
/// The longest time for which a finished line stays in the buffer.
const PATIENCE: Duration = Duration::from_millis(100);

/// An output that another program reads while it is written: it buffers lines, but none for long.
pub struct PacedOutput {
    output: Output,
    flushed: Instant,
}

impl PacedOutput {
    /// Writes to `output`.
    pub fn new(output: Output) -> Self {
        if output.is_stdout() {
            leave_when_closed();
        }
        Self { output, flushed: Instant::now() }
    }

    /// Writes the text of a line; `last`: the next line has not been read yet and may take long to arrive.
    ///
    /// Ends the program when the output fails: the thread that reads may be waiting for a line that never comes.
    pub fn write(&mut self, text: &str, last: bool) {
        let mut written = self.output.write(text);
        if last || self.flushed.elapsed() > PATIENCE {
            written = written.and_then(|()| self.output.flush());
            self.flushed = Instant::now();
        }
        if let Err(error) = written {
            self.output.abandon();
            leave(&error);
        }
    }

    /// The output, after the last line.
    pub fn end(self) -> Output {
        self.output
    }
}

/// The facts about a line that are needed to print its answer.
pub struct Ticket<T> {
    /// Number of the line, from 0.
    pub number: usize,
    /// Bytes of the line.
    pub bytes: u64,
    /// The faults of the line except its encoding, each in one sentence.
    pub notes: Vec<String>,
    /// The fault of the encoding, for the result of this line. The messages have one for all lines together.
    pub encoding_note: Option<String>,
    /// Data that the command needs.
    pub extra: T,
}

impl<T> Ticket<T> {
    /// The ticket of a line.
    pub fn new(number: usize, line: &Line, extra: T) -> Self {
        Self { number, bytes: line.bytes, notes: line.notes.clone(), encoding_note: line.encoding_note(), extra }
    }
}

/// A source of requests.
pub trait Source: Send {
    /// Data about a line that the command needs.
    type Extra: Send;

    /// The next request, after waiting for it; `None` at the end.
    fn next(&mut self) -> Result<Option<(Request, Ticket<Self::Extra>)>>;

    /// Whether the next request has arrived already.
    fn has_next(&self) -> bool;
}

/// A line in flight.
struct LineInFlight<T> {
    ticket: Ticket<T>,
    /// Whether it is the last line of its chunk.
    ends_chunk: bool,
}

/// Chunks of requests: all that have arrived, but at most `limit`.
struct Chunks<'s, S: Source> {
    source: S,
    limit: usize,
    /// The error that ended the source.
    failure: &'s Mutex<Option<anyhow::Error>>,
}

impl<S: Source> Iterator for Chunks<'_, S> {
    type Item = Vec<(Request, LineInFlight<S::Extra>)>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut chunk = Vec::new();
        let mut bytes = 0;
        while self.limit > 0 {
            match self.source.next() {
                Ok(Some((request, ticket))) => {
                    bytes += request.source.len() + request.attached;
                    let is_full = chunk.len() + 1 == self.limit || bytes >= CHUNK_BYTES;
                    let ends_chunk = is_full || !self.source.has_next();
                    chunk.push((request, LineInFlight { ticket, ends_chunk }));
                    if ends_chunk {
                        return Some(chunk);
                    }
                }
                Ok(None) => break,
                Err(error) => {
                    *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    self.limit = 0;
                }
            }
        }
        (!chunk.is_empty()).then_some(chunk)
    }
}

/// Answers all requests of `source`; `print` appends the text of each answer, in the order of the requests. Returns the
/// output.
///
/// Ends the program when the output fails: the source may block without end.
pub fn run<S: Source>(
    translator: &Translator,
    options: &TranslateOptions,
    one_by_one: bool,
    source: S,
    output: Output,
    mut progress: Progress,
    mut print: impl FnMut(&mut String, Ticket<S::Extra>, Translation),
) -> Result<Output>
where
    S::Extra: 'static,
{
    let failure = Mutex::new(None);
    let chunks = Chunks { source, limit: if one_by_one { 1 } else { CHUNK }, failure: &failure };
    let mut text = String::new();
    let mut output = PacedOutput::new(output);
    translator.stream_with(options, chunks, |LineInFlight { ticket, ends_chunk }, translation| {
        for note in ticket.notes.iter().chain(&translation.notes) {
            tracing::warn!("line {}: {}", ticket.number + 1, crate::with_flags(note));
        }
        progress.line(ticket.bytes, translation.text().split_whitespace().count());
        text.clear();
        print(&mut text, ticket, translation);
        output.write(&text, ends_chunk);
        ControlFlow::Continue(())
    })?;
    drop(progress);
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(output.end()),
    }
}
