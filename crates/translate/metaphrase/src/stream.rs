//! Any number of requests of one caller: fed by one thread, answered in order on the caller's.

use crate::plan::Planner;
use crate::reply::{AnswerFn, Cancel};
use crate::{Error, Request, Translation};
use metaphrase_base::pipeline::{Limit, Tickets, WorkerPanicked, ordered};
use std::ops::ControlFlow;

/// The most requests of a caller that are in flight, from the feeder to the sink.
const WINDOW: usize = 8192;
/// The most bytes that these requests and their answers take, by an estimate.
const MEMORY: usize = 64 << 20;
/// The most requests that are sorted by length together.
const SORTED: usize = WINDOW / 4;

/// Requests, chunk by chunk, each with a value that its caller gets back with the translation.
pub(crate) type Chunks<'c, T> = &'c mut (dyn Iterator<Item = Vec<(Request, T)>> + Send);

/// The function that gets translations in order, until it breaks.
pub(crate) type Sink<'s, T> = &'s mut dyn FnMut(T, Translation) -> ControlFlow<()>;

/// Stops the work of a caller that has left.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Answers requests in order: a ticket for each keeps its place.
pub(crate) fn stream<T: Send + 'static>(
    planner: &Planner<'_>,
    chunks: Chunks<'_, T>,
    sink: Sink<'_, T>,
) -> Result<(), Error> {
    let cancel = CancelOnDrop(Cancel::new());
    let feed = |tickets| feed(planner, chunks, tickets, &cancel.0);
    let mut broke = false;
    let answered = ordered(Limit { items: WINDOW, weight: MEMORY }, feed, |(extra, translation)| {
        broke = sink(extra, translation).is_break();
        if broke {
            cancel.0.cancel();
            return Err(WorkerPanicked);
        }
        Ok(())
    });
    if broke { Ok(()) } else { answered.map_err(|WorkerPanicked| Error::WorkerFailed) }
}

/// Plans requests and gives them to the engine as far as the window and the memory allow.
fn feed<T: Send + 'static>(
    planner: &Planner<'_>,
    chunks: Chunks<'_, T>,
    mut tickets: Tickets<(T, Translation)>,
    cancel: &Cancel,
) {
    let mut number = 0;
    for chunk in chunks {
        let mut lines = Vec::with_capacity(chunk.len().min(SORTED));
        for (request, extra) in chunk {
            let Some(mut ticket) = tickets.take() else { return };
            let line = planner.plan(request, &mut number);
            let weight = planner.weight(&line);
            // A ticket that has to wait for room may wait for these lines.
            if lines.len() == SORTED || !ticket.fits(weight) {
                planner.submit(lines.drain(..), cancel);
            }
            ticket.weigh(weight);
            // Without a translation the ticket is lost, which ends the stream.
            let answer: AnswerFn = Box::new(move |translation| {
                if let Ok(translation) = translation {
                    ticket.finish((extra, translation));
                }
            });
            lines.push((line, answer));
        }
        planner.submit(lines, cancel);
    }
}
