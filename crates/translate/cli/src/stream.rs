//! Requests through the translator, as they come and in their order.

use crate::io::{Output, leave_when_closed};
use crate::leave;
use crate::lines::Line;
use crate::progress::Progress;
use anyhow::Result;
use metaphrase::{Request, TranslateOptions, Translation, Translator};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Lines that are handed over together, at most: enough to sort them by length.
const CHUNK: usize = 2000;
/// Bytes of lines that are handed over together, at most, but for the last line.
const CHUNK_BYTES: usize = 4 << 20;
/// The longest time for which a finished line is held back.
const PATIENCE: Duration = Duration::from_millis(100);

/// An output that others read while it is written: lines are handed on together, but no line is held back for long.
pub struct Paced {
    output: Output,
    flushed: Instant,
}

impl Paced {
    /// Writes to `output`.
    pub fn new(output: Output) -> Self {
        if output.is_stdout() {
            leave_when_closed();
        }
        Self { output, flushed: Instant::now() }
    }

    /// Writes the text of a line; `last`: the next line has not been read yet, and may be long in coming.
    ///
    /// When the output fails, the program ends here: the thread that reads may wait for a line that never comes.
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

/// The facts about a line that the printer of its answer needs.
pub struct Ticket<T> {
    /// Number of the line, from 0.
    pub number: usize,
    /// Bytes of the line.
    pub bytes: u64,
    /// The faults of the line, each one sentence, but for its encoding.
    pub notes: Vec<String>,
    /// The fault of its encoding, for the line's own result: messages have one for all lines.
    pub encoding_note: Option<String>,
    /// Data of the command.
    pub extra: T,
}

impl<T> Ticket<T> {
    /// The ticket of a line.
    pub fn new(number: usize, line: &Line, extra: T) -> Self {
        Self { number, bytes: line.bytes, notes: line.notes.clone(), encoding_note: line.encoding_note(), extra }
    }
}

/// Where requests come from.
pub trait Source: Send {
    /// Data of the command about a line.
    type Extra: Send;

    /// The next request, after waiting for it; `None` at the end.
    fn next(&mut self) -> Result<Option<(Request, Ticket<Self::Extra>)>>;

    /// Whether the next request is there already.
    fn has_next(&self) -> bool;
}

/// A line that is in flight, and whether the next one has not been read yet.
struct InFlight<T> {
    ticket: Ticket<T>,
    ends_chunk: bool,
}

/// Chunks of requests: all that are there, or a few thousand, or one.
struct Chunks<'s, S: Source> {
    source: S,
    limit: usize,
    /// The error that ended the source.
    failure: &'s Mutex<Option<anyhow::Error>>,
}

impl<S: Source> Iterator for Chunks<'_, S> {
    type Item = Vec<(Request, InFlight<S::Extra>)>;

    fn next(&mut self) -> Option<Self::Item> {
        let (mut chunk, mut bytes) = (Vec::new(), 0);
        while self.limit > 0 {
            match self.source.next() {
                Ok(Some((request, ticket))) => {
                    bytes += request.source.len() + request.attached;
                    let is_full = chunk.len() + 1 == self.limit || bytes >= CHUNK_BYTES;
                    let ends_chunk = is_full || !self.source.has_next();
                    chunk.push((request, InFlight { ticket, ends_chunk }));
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

/// Answers all requests of `source`; `print` appends the text of each answer, in their order. Gives the output back.
///
/// Does not come back when the output fails: then the program ends here, as the source may keep us waiting for ever.
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
    let (mut text, mut output) = (String::new(), Paced::new(output));
    translator.stream_with(options, chunks, |InFlight { ticket, ends_chunk }, translation| {
        for note in ticket.notes.iter().chain(&translation.notes) {
            tracing::warn!("line {}: {}", ticket.number + 1, crate::in_flags(note));
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
