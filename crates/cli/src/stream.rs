//! Requests through the translator, as they come and in their order.

use crate::io::{Output, leave_when_closed};
use crate::leave;
use crate::lines::Line;
use crate::progress::Progress;
use anyhow::Result;
use metaphrase::{Request, TranslateOptions, Translation, Translator};
use std::ops::ControlFlow;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

/// Lines that are handed over together at most: enough to sort by length.
const CHUNK: usize = 2000;
/// Who reads the output waits at most so long for a line that is ready.
const PATIENCE: Duration = Duration::from_millis(100);

/// What the printer of an answer has to know of the line that asked for it.
pub struct Ticket<T> {
    /// Number of the line, from 0.
    pub number: usize,
    /// Bytes of the line.
    pub bytes: u64,
    /// What was wrong with the line, each one sentence.
    pub notes: Vec<String>,
    /// What the command itself wants to remember.
    pub extra: T,
}

impl<T> Ticket<T> {
    /// The ticket of a line.
    pub fn new(number: usize, line: &Line, extra: T) -> Self {
        Self { number, bytes: line.bytes, notes: line.notes.clone(), extra }
    }
}

/// Where requests come from.
pub trait Source: Send {
    /// What is remembered of a line.
    type Extra: Send;

    /// The next request, after waiting for it; `None` at the end.
    fn next(&mut self) -> Result<Option<(Request, Ticket<Self::Extra>)>>;

    /// Whether the next request is there already.
    fn has_next(&self) -> bool;
}

/// What goes from the thread that reads to the one that prints, in the order of lines.
enum Message<T> {
    Ticket { ticket: Ticket<T>, ends_chunk: bool },
    Failed(anyhow::Error),
}

/// Chunks of requests: all that are there, or a few thousand, or one.
struct Chunks<S: Source> {
    source: S,
    limit: usize,
    messages: Sender<Message<S::Extra>>,
}

impl<S: Source> Iterator for Chunks<S> {
    type Item = Vec<Request>;

    fn next(&mut self) -> Option<Vec<Request>> {
        let mut chunk = Vec::new();
        while self.limit > 0 {
            match self.source.next() {
                Ok(Some((request, ticket))) => {
                    chunk.push(request);
                    let ends_chunk = chunk.len() == self.limit || !self.source.has_next();
                    // The printer listens until the last line is done.
                    let _ = self.messages.send(Message::Ticket { ticket, ends_chunk });
                    if ends_chunk {
                        return Some(chunk);
                    }
                }
                Ok(None) => break,
                Err(error) => {
                    let _ = self.messages.send(Message::Failed(error));
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
    mut output: Output,
    mut progress: Progress,
    mut print: impl FnMut(&mut String, Ticket<S::Extra>, Translation),
) -> Result<Output> {
    if output.is_stdout() {
        leave_when_closed();
    }
    let (messages, inbox) = channel();
    let chunks = Chunks { source, limit: if one_by_one { 1 } else { CHUNK }, messages };
    let (mut text, mut flushed) = (String::new(), Instant::now());
    translator.stream(options, chunks, |translation| {
        let Ok(Message::Ticket { ticket, ends_chunk }) = inbox.recv() else {
            return ControlFlow::Break(());
        };
        for note in ticket.notes.iter().chain(&translation.notes) {
            tracing::warn!("line {}: {note}", ticket.number + 1);
        }
        progress.line(ticket.bytes, translation.text().split_whitespace().count());
        text.clear();
        print(&mut text, ticket, translation);
        let mut written = output.write(&text);
        if ends_chunk || flushed.elapsed() > PATIENCE {
            written = written.and_then(|()| output.flush());
            flushed = Instant::now();
        }
        if let Err(error) = written {
            output.abandon();
            leave(&error);
        }
        ControlFlow::Continue(())
    })?;
    drop(progress);
    match inbox.try_recv() {
        Ok(Message::Failed(error)) => Err(error),
        _ => Ok(output),
    }
}
