#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use metaphrase::Hypothesis;
use std::net::{IpAddr, Ipv4Addr};

/// An engine that answers when the test asks it to. A sentence of `panic` loses its thread, one of `refuse` is refused.
#[derive(Default)]
struct FakeEngine {
    waiting: Mutex<Vec<(String, Cancel, AnswerFn)>>,
}

impl Engine for FakeEngine {
    fn submit(&self, _: &TranslateOptions, request: Request, cancel: &Cancel, answer: AnswerFn) -> Result<(), Error> {
        if request.source == "refuse" {
            return Err(Error::WorkerFailed);
        }
        if request.source.is_empty() {
            answer(Ok(Translation::default()));
        } else {
            self.waiting.lock().unwrap().push((request.source, cancel.clone(), answer));
        }
        Ok(())
    }
}

impl FakeEngine {
    /// Answers the sentence that has been in work for the longest time; gives its source.
    fn step(&self) -> Option<String> {
        let mut waiting = self.waiting.lock().unwrap();
        let (source, cancel, answer) = if waiting.is_empty() { return None } else { waiting.remove(0) };
        drop(waiting);
        answer(match &*source {
            _ if cancel.is_cancelled() => Err(Error::Cancelled),
            "panic" => Err(Error::WorkerFailed),
            text => {
                let hypothesis = Hypothesis { text: text.to_uppercase(), ..Hypothesis::default() };
                Ok(Translation { hypotheses: vec![hypothesis], ..Translation::default() })
            }
        });
        Some(source)
    }

    fn in_work(&self) -> usize {
        self.waiting.lock().unwrap().len()
    }
}

const LIMITS: QueueLimits =
    QueueLimits { in_work: 40, sentences: 60_000, sentences_of_client: 55_000, bytes: 1 << 30, cache_bytes: 0 };

struct Setup {
    scheduler: Arc<Scheduler>,
    engine: Arc<FakeEngine>,
    metrics: Arc<Metrics>,
    runtime: tokio::runtime::Runtime,
}

impl Setup {
    fn new(limits: QueueLimits) -> Self {
        let metrics = Arc::new(Metrics::default());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { scheduler: Scheduler::new(limits, Arc::clone(&metrics)), engine: Arc::default(), metrics, runtime }
    }

    fn start(&self, client: u8, sources: impl IntoIterator<Item = impl Into<String>>) -> Result<JobHandle, Failure> {
        let client = ClientId::Address(IpAddr::V4(Ipv4Addr::new(10, 0, 0, client)));
        let requests = sources.into_iter().map(|source| (0, Request::translate(source))).collect();
        let lane = Lane { engine: Arc::clone(&self.engine) as Arc<dyn Engine>, options: TranslateOptions::default() };
        self.scheduler.start(Work { client, lanes: vec![lane], requests, deadline: deadline(100_000) })
    }

    fn all(&self, running: JobHandle) -> Result<Vec<String>, Failure> {
        let all = self.runtime.block_on(running.all())?;
        Ok(all.iter().map(|translation| translation.text().to_owned()).collect())
    }
}

/// A sentence of eleven tokens, by our estimate.
fn line(number: usize) -> String {
    format!("line {number:035}")
}

#[test]
fn one_line_is_answered_within_a_few_sentences_after_a_job_of_50_000() {
    let setup = Setup::new(LIMITS);
    let long = setup.start(1, (0..50_000).map(line)).unwrap();
    assert_eq!(setup.engine.in_work(), 3, "no more than fits into the batch is in work");
    (0..10).for_each(|_| _ = setup.engine.step());
    let short = setup.start(2, [line(7)]).unwrap();
    let mut steps = 0;
    while short.results.is_empty() {
        setup.engine.step();
        steps += 1;
    }
    // Three sentences in work, and those of the turn that the other client has.
    assert!(steps <= 12, "{steps} sentences came first");
    assert_eq!(setup.all(short).unwrap(), [line(7).to_uppercase()]);
    assert_eq!(setup.metrics.waiting_sentences.load(Relaxed) as usize + 3 + 10 + steps, 50_001);
    drop(long);
}

#[test]
fn answers_come_in_the_order_of_the_sentences() {
    let setup = Setup::new(LIMITS);
    let running = setup.start(1, (0..100).map(line)).unwrap();
    while setup.engine.step().is_some() {}
    assert_eq!(setup.all(running).unwrap(), (0..100).map(|number| line(number).to_uppercase()).collect::<Vec<_>>());
    let empty = setup.start(1, vec![String::new(); 50_000]).unwrap();
    assert_eq!(setup.all(empty).unwrap().len(), 50_000, "answers that come at once need no stack");
}

#[test]
fn work_of_a_client_that_left_stops() {
    let setup = Setup::new(LIMITS);
    let running = setup.start(1, (0..100).map(line)).unwrap();
    let other = setup.start(2, [line(1)]).unwrap();
    assert_eq!(setup.engine.in_work(), 3);
    drop(running);
    assert_eq!(setup.metrics.stopped_waiting.load(Relaxed), 97);
    while setup.engine.step().is_some() {}
    assert_eq!(setup.metrics.stopped_in_search.load(Relaxed), 3);
    assert_eq!(setup.all(other).unwrap(), [line(1).to_uppercase()]);
    assert_eq!(setup.metrics.tokens_in_work.load(Relaxed), 0);
}

#[test]
fn a_sentence_that_makes_a_thread_panic_is_answered_with_an_error_and_others_are_not() {
    let setup = Setup::new(LIMITS);
    let bad = setup.start(1, ["panic"]).unwrap();
    let good = setup.start(2, ["a", "b"]).unwrap();
    // All that share the batch are lost with it: the first two here.
    let lost = std::mem::take(&mut *setup.engine.waiting.lock().unwrap());
    lost.into_iter().for_each(|(_, _, answer)| answer(Err(Error::WorkerFailed)));
    assert_eq!(setup.engine.in_work(), 1, "lost sentences are tried again one at a time");
    while setup.engine.step().is_some() {}
    assert!(matches!(setup.all(bad), Err(Failure::Worker(_))));
    assert_eq!(setup.all(good).unwrap(), ["A", "B"]);
    assert_eq!((setup.metrics.panics.load(Relaxed), setup.metrics.failed.load(Relaxed)), (3, 1));
}

#[test]
fn a_sentence_that_its_translator_refuses_has_an_error_and_takes_no_room() {
    let setup = Setup::new(LIMITS);
    let bad = setup.start(1, ["refuse"]).unwrap();
    assert!(matches!(
        setup.runtime.block_on(async { tokio::time::timeout(Duration::from_secs(1), bad.all()).await }),
        Ok(Err(Failure::Worker(_)))
    ));
    assert_eq!(setup.metrics.tokens_in_work.load(Relaxed), 0);
    let good = setup.start(1, (0..4).map(line)).unwrap();
    assert_eq!(setup.engine.in_work(), 3, "as many as ever");
    drop(good);
}

#[test]
fn a_full_queue_says_when_to_come_again() {
    let setup = Setup::new(QueueLimits { sentences: 20, sentences_of_client: 10, ..LIMITS });
    let busy = |refused: Result<JobHandle, Failure>, all: bool| matches!(refused.err(), Some(Failure::Busy { seconds: 1..=60, everyone }) if everyone == all);
    assert!(busy(setup.start(1, (0..11).map(line)), false));
    let first = setup.start(1, (0..10).map(line)).unwrap();
    let second = setup.start(2, (0..10).map(line)).unwrap();
    assert!(busy(setup.start(3, (0..10).map(line)), true));
    assert_eq!(setup.metrics.refused.load(Relaxed), 2);
    drop((first, second));
    assert!(setup.start(3, (0..10).map(line)).is_ok());
}

#[test]
fn an_answer_that_is_late_is_given_up() {
    let setup = Setup::new(LIMITS);
    let mut running = setup.start(1, ["a"]).unwrap();
    running.deadline = Instant::now();
    assert_eq!(setup.all(running), Err(Failure::Deadline));
    setup.engine.step();
    assert_eq!(setup.metrics.stopped_in_search.load(Relaxed), 1);
}
