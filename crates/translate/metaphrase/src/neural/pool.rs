//! The threads of a neural engine, and the search that they run.

use super::context::Context;
use super::job::Job;
use crate::Device;
use metaphrase_base::pipeline::{Queue, Workers, batch};
use metaphrase_base::{StepModel, UnitTimes};
use metaphrase_models::with_team;
use metaphrase_phrase::Workspace;
use metaphrase_search::{Informed, Searcher, Task};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;

/// Threads that search for the sentences of all callers. A worker takes the sentences that fit into its batch and
/// refills the batch as sentences finish. Results do not depend on which sentences share a batch.
pub(crate) type Pool = Workers<Task<Job>>;

/// A neural translator's use of the machine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Machine {
    pub(crate) device: Device,
    pub(crate) threads: usize,
    /// The batch of each thread, in source pieces; `None`: that of the device.
    pub(crate) batch_tokens: Option<usize>,
    /// Whether all threads work on one sentence, in place of a batch for each.
    pub(crate) latency: bool,
}

/// Threads that search with a model, which each GPU has a copy of. The threads take the copies in turns.
pub(crate) fn pool<M: StepModel + 'static>(models: &[Arc<M>], context: &Arc<Context>, machine: Machine) -> Pool {
    let models: Vec<_> = models.iter().map(|model| Informed::new(Arc::clone(model))).collect();
    let (turn, context) = (AtomicUsize::new(0), Arc::clone(context));
    let Machine { device, threads, batch_tokens, latency } = machine;
    let batch_tokens = batch_tokens.unwrap_or(device.batch_tokens());
    let (workers, team, batch_tokens) = if latency {
        // Threads of a team wait for each other at every product: more than the machine has CPUs would take turns.
        let cpus = available_parallelism().map_or(threads, usize::from);
        (1, threads.min(cpus), 1)
    } else {
        (device.searches(threads), 1, batch_tokens)
    };
    let worker = move |queue: &Queue<Task<Job>>| {
        let _clock = context.unit_times.as_ref().map(UnitTimes::measure);
        // A panic loses the sentences of this thread's batch, whose callers get an error. The thread continues with a
        // new search.
        let model = &models[turn.fetch_add(1, Ordering::Relaxed) % models.len()];
        let search = || catch_unwind(AssertUnwindSafe(|| search(model, &context, queue, batch_tokens)));
        with_team(team, || while search().is_err() {});
    };
    Workers::new("translate", workers, worker)
}

/// Searches for the sentences of the queue until it ends.
fn search<M: StepModel>(model: &M, context: &Context, queue: &Queue<Task<Job>>, batch_tokens: usize) {
    let mut searcher = Searcher::new(model, batch_tokens);
    let mut workspace = Workspace::default();
    // A caller that left needs no translation.
    let wanted = |job: &Job| job.reply.is_wanted();
    while let Some(mut batch) = batch(queue) {
        let next = || batch.find(|task| wanted(&task.tag)).map(|task| context.inform(task, &mut workspace));
        searcher.run_while(wanted, next, |outcome| match context.second_search(outcome) {
            ControlFlow::Continue(task) => Some(task),
            ControlFlow::Break(outcome) => {
                context.reply(outcome);
                None
            }
        });
    }
}
