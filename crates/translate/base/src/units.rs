//! Time by calculation unit, measured inside the search (as in Zhang et al. 2018, table 1).
//!
//! A thread that measures has a clock. Code that belongs to a unit begins with a [`Unit::timed`] guard: until the guard
//! is dropped the time of the thread is the time of that unit, without the units within it. So the units of a thread
//! add up to the time between its outermost guards. On a thread without a clock a guard reads one flag of the thread.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// A part of the work of a translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// From text to source words, and from target words to text.
    Text,
    /// The encoder, and everything else that is computed once per sentence.
    Encoder,
    /// Vectors of the target words so far.
    Embedding,
    /// The decoder without its attention: products and what stands between them.
    Decoder,
    /// The decoder's attention over the source and over the words so far, without the products before and after it.
    Attention,
    /// The output layer.
    Output,
    /// The normalisers of the scores.
    Softmax,
    /// The best continuations of the rows of a sentence.
    Top,
    /// The search of a phrase-based model whose lattice is evidence.
    PhraseSearch,
    /// The n-gram posteriors of evidence.
    Posteriors,
    /// The scores that posteriors give to words (matrix L of Iglesias et al. 2018).
    Matrix,
    /// Language models and other scorers.
    Scorers,
    /// Everything else in the search.
    Search,
}

impl Unit {
    /// All units, in the order of the work.
    pub const ALL: [Self; 13] = [
        Self::Text,
        Self::Encoder,
        Self::Embedding,
        Self::Decoder,
        Self::Attention,
        Self::Output,
        Self::Softmax,
        Self::Top,
        Self::PhraseSearch,
        Self::Posteriors,
        Self::Matrix,
        Self::Scorers,
        Self::Search,
    ];

    /// The time of this thread is this unit's until the guard is dropped.
    #[inline]
    pub fn timed(self) -> UnitTimer {
        UnitTimer { outer: if MEASURING.get() { Some(enter(self)) } else { None }, thread: PhantomData }
    }
}

/// The name of the unit in tables.
impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Text => "segmentation",
            Self::Encoder => "encoder",
            Self::Embedding => "embedding",
            Self::Decoder => "decoder",
            Self::Attention => "attention",
            Self::Output => "output layer",
            Self::Softmax => "softmax",
            Self::Top => "top-k",
            Self::PhraseSearch => "phrase-based search",
            Self::Posteriors => "n-gram posteriors",
            Self::Matrix => "matrix of evidence",
            Self::Scorers => "scorers",
            Self::Search => "search",
        })
    }
}

/// Whether this thread measures units, for parts that then have to wait for a device.
#[inline]
#[must_use]
pub fn is_measuring() -> bool {
    MEASURING.get()
}

/// Counts the operations of a matrix product, `2 · rows · inputs · outputs`, for the unit that this thread is in.
#[inline]
pub fn count_product(rows: usize, inputs: usize, outputs: usize) {
    if MEASURING.get() {
        add_operations(2 * (rows * inputs * outputs) as u64);
    }
}

/// The time of each unit, summed over the threads that measure.
#[derive(Debug, Default)]
pub struct UnitTimes([UnitTotals; Unit::ALL.len()]);

#[derive(Debug, Default)]
struct UnitTotals {
    nanoseconds: AtomicU64,
    calls: AtomicU64,
    operations: AtomicU64,
}

/// The cost of a unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnitTime {
    /// Seconds of wall time, summed over the threads.
    pub seconds: f64,
    /// How often the unit was entered.
    pub calls: u64,
    /// Multiplications and additions of matrix products.
    pub operations: u64,
}

impl UnitTimes {
    /// Gives this thread a clock that adds to these times until the guard is dropped.
    #[must_use = "the thread measures until the guard is dropped"]
    pub fn measure(self: &Arc<Self>) -> Measurement {
        let clock = Clock { times: Arc::clone(self), unit: None, since: Instant::now() };
        let outer = CLOCK.replace(Some(clock));
        MEASURING.set(true);
        Measurement { outer, thread: PhantomData }
    }

    /// The cost of a unit so far.
    #[must_use]
    pub fn get(&self, unit: Unit) -> UnitTime {
        let UnitTotals { nanoseconds, calls, operations } = &self.0[unit as usize];
        UnitTime {
            seconds: nanoseconds.load(Relaxed) as f64 * 1e-9,
            calls: calls.load(Relaxed),
            operations: operations.load(Relaxed),
        }
    }
}

/// Measures the units of this thread, see [`UnitTimes::measure`].
pub struct Measurement {
    outer: Option<Clock>,
    /// A clock belongs to its thread.
    thread: PhantomData<*const ()>,
}

impl Drop for Measurement {
    fn drop(&mut self) {
        MEASURING.set(self.outer.is_some());
        CLOCK.set(self.outer.take());
    }
}

/// The time of a unit runs, see [`Unit::timed`].
#[must_use = "the time of the unit ends when the guard is dropped"]
pub struct UnitTimer {
    /// The unit before, on a thread that measures.
    outer: Option<Option<Unit>>,
    thread: PhantomData<*const ()>,
}

impl Drop for UnitTimer {
    #[inline]
    fn drop(&mut self) {
        if let Some(outer) = self.outer {
            switch(outer);
        }
    }
}

/// The clock of a thread: which unit the time since then belongs to.
struct Clock {
    times: Arc<UnitTimes>,
    unit: Option<Unit>,
    since: Instant,
}

thread_local! {
    /// Whether this thread has a clock.
    static MEASURING: Cell<bool> = const { Cell::new(false) };
    static CLOCK: RefCell<Option<Clock>> = const { RefCell::new(None) };
}

/// Begins the time of a unit. Returns the unit before.
#[cold]
fn enter(unit: Unit) -> Option<Unit> {
    CLOCK.with_borrow(|clock| {
        if let Some(clock) = clock {
            clock.times.0[unit as usize].calls.fetch_add(1, Relaxed);
        }
    });
    switch(Some(unit))
}

/// Adds the time since the last switch to its unit. Returns that unit.
#[cold]
fn switch(unit: Option<Unit>) -> Option<Unit> {
    CLOCK.with_borrow_mut(|clock| {
        let clock = clock.as_mut()?;
        let now = Instant::now();
        if let Some(before) = clock.unit {
            let nanoseconds = now.duration_since(clock.since).as_nanos() as u64;
            clock.times.0[before as usize].nanoseconds.fetch_add(nanoseconds, Relaxed);
        }
        clock.since = now;
        std::mem::replace(&mut clock.unit, unit)
    })
}

#[cold]
fn add_operations(count: u64) {
    CLOCK.with_borrow(|clock| {
        if let Some((clock, unit)) = clock.as_ref().and_then(|clock| Some((clock, clock.unit?))) {
            clock.times.0[unit as usize].operations.fetch_add(count, Relaxed);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn units_within_a_unit_are_not_part_of_it() {
        let times = Arc::new(UnitTimes::default());
        let begun = Instant::now();
        {
            let _clock = times.measure();
            count_product(1, 1, 1);
            let _search = Unit::Search.timed();
            {
                let _decoder = Unit::Decoder.timed();
                count_product(2, 3, 4);
                std::thread::sleep(Duration::from_millis(5));
            }
            count_product(1, 1, 1);
            drop(Unit::Decoder.timed());
        }
        let whole = begun.elapsed().as_secs_f64();
        let (search, decoder) = (times.get(Unit::Search), times.get(Unit::Decoder));
        assert!(
            decoder.seconds >= 0.005 && search.seconds + decoder.seconds <= whole,
            "{search:?} {decoder:?} {whole}"
        );
        assert_eq!((search.calls, decoder.calls), (1, 2));
        assert_eq!((search.operations, decoder.operations), (2, 48), "the first was outside");
        assert_eq!(times.get(Unit::Top), UnitTime { seconds: 0.0, calls: 0, operations: 0 });
    }

    #[test]
    fn a_thread_without_a_clock_measures_nothing() {
        let times = Arc::new(UnitTimes::default());
        drop(times.measure());
        let _search = Unit::Search.timed();
        count_product(1, 1, 1);
        assert!(Unit::ALL.iter().all(|&unit| times.get(unit).calls == 0));
    }

    #[test]
    fn units_are_numbered_in_their_order() {
        assert!(Unit::ALL.iter().enumerate().all(|(place, &unit)| unit as usize == place));
    }
}
