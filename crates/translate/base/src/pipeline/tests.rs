#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::time::Duration;

fn threads(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).unwrap()
}

/// Work that takes longer for some items than for others.
fn square(_: &mut (), item: usize) -> usize {
    thread::sleep(Duration::from_micros(item as u64 * 7919 % 301));
    item * item
}

fn squares(limit: usize, workers: usize, items: usize) -> Result<Vec<usize>, WorkerPanicked> {
    let mut all = Vec::new();
    let sink = |result| {
        all.push(result);
        Ok(())
    };
    in_order(Limit::items(limit), |_| 0, threads(workers), || (), 0..items, square, sink).map(|()| all)
}

#[test]
fn results_come_in_order_for_any_number_of_threads_and_places() {
    for items in [0, 1, 2, 300] {
        let expected: Vec<usize> = (0..items).map(|item| item * item).collect();
        for workers in [1, 2, 7] {
            for limit in [0, 1, 2, 1000] {
                assert_eq!(squares(limit, workers, items).unwrap(), expected, "{workers} threads, {limit} places");
            }
        }
    }
}

#[test]
fn no_more_items_are_in_flight_than_the_limit() {
    const LIMIT: usize = 5;
    let (in_flight, most) = (&AtomicUsize::new(0), &AtomicUsize::new(0));
    let items = (0..500).inspect(|_| _ = most.fetch_max(in_flight.fetch_add(1, SeqCst) + 1, SeqCst));
    let mut sunk = 0;
    let sink = |item: usize| {
        assert_eq!(item, sunk);
        sunk += 1;
        // The item is in flight until this returns.
        thread::yield_now();
        in_flight.fetch_sub(1, SeqCst);
        Ok::<_, WorkerPanicked>(())
    };
    let work = |_: &mut (), item: usize| {
        // The first item is slow: all others are done and wait for it.
        thread::sleep(Duration::from_millis(if item == 0 { 50 } else { 0 }));
        item
    };
    in_order(Limit::items(LIMIT), |_| 0, threads(3), || (), items, work, sink).unwrap();
    assert_eq!(most.load(SeqCst), LIMIT);
}

/// Passes items of these weights, the first of which is slow. Returns the largest sum of weights in flight.
fn heaviest(limit: usize, weights: &[usize]) -> usize {
    let (in_flight, most) = (&AtomicUsize::new(0), &AtomicUsize::new(0));
    let work = |_: &mut (), (number, weight): (usize, usize)| {
        // A weighed item is in flight.
        most.fetch_max(in_flight.fetch_add(weight, SeqCst) + weight, SeqCst);
        thread::sleep(Duration::from_millis(if number == 0 { 20 } else { 0 }));
        (number, weight)
    };
    let mut sunk = 0;
    let sink = |(number, weight): (usize, usize)| {
        assert_eq!(number, sunk);
        sunk += 1;
        in_flight.fetch_sub(weight, SeqCst);
        Ok::<_, WorkerPanicked>(())
    };
    let (items, limit) = (weights.iter().copied().enumerate(), Limit { items: 100, weight: limit });
    in_order(limit, |&(_, weight)| weight, threads(3), || (), items, work, sink).unwrap();
    most.load(SeqCst)
}

#[test]
fn no_more_weight_is_in_flight_than_the_limit() {
    let weights: Vec<usize> = (0..200).map(|number| number * 7 % 10).collect();
    let most = heaviest(30, &weights);
    assert!((20..=30).contains(&most), "{most}");
    assert_eq!(heaviest(5, &[8, 1, 2, 9, 1, 1]), 9, "an item that is too heavy goes alone");
    assert_eq!(heaviest(0, &[8, 0, 2, 9]), 9);
}

#[test]
fn a_feeder_that_waits_for_room_ends_with_the_reader() {
    let feed = |mut tickets: Tickets<usize>| {
        let (mut first, mut second) = (tickets.take().unwrap(), tickets.take().unwrap());
        first.weigh(10);
        assert!(second.fits(0) && !second.fits(1));
        first.finish(1);
        // Comes back although nobody takes the first result off.
        second.weigh(5);
        second.finish(2);
    };
    assert_eq!(ordered(Limit { items: 9, weight: 10 }, feed, |_| Err(Full)), Err(Full));
}

#[test]
fn a_result_comes_before_the_next_item() {
    let (questions, inbox) = channel();
    let mut asked = 0;
    questions.send(asked).unwrap();
    let mut questions = Some(questions);
    let sink = |answer: usize| {
        assert_eq!(answer, asked);
        asked += 1;
        if asked < 5 {
            questions.as_ref().unwrap().send(asked).unwrap();
        } else {
            questions = None;
        }
        Ok::<_, WorkerPanicked>(())
    };
    in_order(Limit::items(100), |_| 0, threads(2), || (), inbox.into_iter(), |_, item| item, sink).unwrap();
    assert_eq!(asked, 5);
}

#[test]
fn a_panic_ends_the_work_with_an_error() {
    for (workers, bad) in [(1, 0), (1, 50), (3, 99)] {
        let work = |_: &mut (), item: usize| assert_ne!(item, bad, "as the test wants");
        let sunk = in_order(Limit::items(4), |_| 0, threads(workers), || (), 0..100_000, work, |()| Ok(()));
        assert_eq!(sunk, Err(WorkerPanicked));
    }
    let items = (0..10).inspect(|&item| assert_ne!(item, 5, "as the test wants"));
    assert_eq!(
        in_order(Limit::items(4), |_| 0, threads(2), || (), items, |_, item| item, |_| Ok(())),
        Err(WorkerPanicked)
    );
}

/// An error of a sink.
#[derive(Debug, PartialEq)]
struct Full;

impl From<WorkerPanicked> for Full {
    fn from(_: WorkerPanicked) -> Self {
        unreachable!("no worker panics")
    }
}

#[test]
fn a_sink_that_fails_stops_the_feeder() {
    let fed = AtomicUsize::new(0);
    let items = (0..).inspect(|_| _ = fed.fetch_add(1, SeqCst));
    let mut sunk = 0;
    let sink = |_| {
        sunk += 1;
        if sunk == 3 { Err(Full) } else { Ok(()) }
    };
    assert_eq!(in_order(Limit::items(10), |_| 0, threads(2), || (), items, |_, item: usize| item, sink), Err(Full));
    assert_eq!(sunk, 3);
    assert!(fed.load(SeqCst) <= 14, "{fed:?} items were read");
}

#[test]
fn workers_may_take_several_items_and_finish_them_in_any_order() {
    let batches = AtomicUsize::new(0);
    let worker = |queue: &Queue<(usize, Ticket<usize>)>| {
        while let Some(batch) = batch(queue) {
            let batch: Vec<_> = batch.take(8).collect();
            batches.fetch_add(1, SeqCst);
            batch.into_iter().rev().for_each(|(item, ticket)| ticket.finish(item));
        }
    };
    let mut next = 0;
    let sink = |item| {
        assert_eq!(item, next);
        next += 1;
        Ok::<_, WorkerPanicked>(())
    };
    in_batches(Limit::items(50), |_| 0, threads(2), 0..1000, worker, sink).unwrap();
    assert_eq!(next, 1000);
    assert!(batches.into_inner() >= 1000 / 8);
}

type Job = (usize, Ticket<usize>);

fn doubling(threads: usize) -> Workers<Job> {
    let worker = |queue: &Queue<Job>| {
        for (item, ticket) in queue {
            assert_ne!(item, usize::MAX, "as the test wants");
            ticket.finish(2 * item);
        }
    };
    Workers::new("double", threads, worker)
}

/// Doubles numbers as one of several callers.
fn doubles(workers: &Workers<Job>, numbers: &[usize]) -> Result<Vec<usize>, WorkerPanicked> {
    let mut doubled = Vec::new();
    workers.ready().unwrap();
    let feed = |mut tickets: Tickets<usize>| {
        for &number in numbers {
            let Some(ticket) = tickets.take() else { return };
            workers.push((number, ticket));
        }
    };
    ordered(Limit::items(3), feed, |number| {
        doubled.push(number);
        Ok::<_, WorkerPanicked>(())
    })?;
    Ok(doubled)
}

#[test]
fn several_callers_share_workers() {
    let workers = doubling(2);
    thread::scope(|scope| {
        for caller in 0..4 {
            let workers = &workers;
            scope.spawn(move || {
                let numbers: Vec<usize> = (0..500).map(|item| item + 1000 * caller).collect();
                assert!(doubles(workers, &numbers).unwrap().into_iter().eq(numbers.iter().map(|number| 2 * number)));
            });
        }
    });
}

#[test]
fn threads_start_once_and_late() {
    let started = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&started);
    let workers = Workers::<usize>::new("count", 3, move |queue| {
        count.fetch_add(1, SeqCst);
        queue.iter().for_each(drop);
    });
    thread::sleep(Duration::from_millis(5));
    assert_eq!(started.load(SeqCst), 0);
    thread::scope(|scope| (0..4).for_each(|_| _ = scope.spawn(|| workers.ready().unwrap())));
    workers.push(1);
    drop(workers);
    assert_eq!(started.load(SeqCst), 3);
}

#[test]
fn a_worker_that_panics_hangs_no_caller() {
    let workers = doubling(1);
    assert_eq!(doubles(&workers, &[1, 2]), Ok(vec![2, 4]));
    assert_eq!(doubles(&workers, &[1, usize::MAX, 3, 4, 5, 6, 7]), Err(WorkerPanicked));
    assert_eq!(doubles(&workers, &[1, 2]), Err(WorkerPanicked), "the pool is closed");
}

#[test]
fn items_of_a_caller_that_left_are_not_wanted() {
    let (jobs, taken) = channel();
    let feed = |mut tickets: Tickets<usize>| {
        let (first, second) = (tickets.take().unwrap(), tickets.take().unwrap());
        assert!(first.is_wanted());
        assert_eq!((first.number(), second.number()), (0, 1));
        first.finish(1);
        jobs.send(second).unwrap();
        assert!(tickets.take().is_none());
    };
    assert_eq!(ordered(Limit::items(2), feed, |_| Err(Full)), Err(Full));
    let second = taken.recv().unwrap();
    assert!(!second.is_wanted());
    second.finish(1);
}
