//! Translations of sentences that come again.
//!
//! A translation depends on the model, on the options and on the request alone, not on what else is translated: a
//! stored one is the same, to the bit. The texts are in memory alone, and leave it when they have not been used for
//! some time.

use metaphrase::{Glossary, Request, TranslateOptions, Translation};
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The models of a way, by the numbers under which they were loaded: a model that is loaded again has another one.
pub type ModelIds = [u64; 2];

/// Ways to translate that are remembered.
const CONTEXTS: usize = 32;
/// Terms of the glossaries of a way that is remembered.
const TERMS: usize = 20_000;

/// Translations by what was asked.
pub struct TranslationCache {
    /// Bytes of all translations.
    limit: usize,
    state: Mutex<State>,
}

/// A model and how it translates.
struct Context {
    models: ModelIds,
    /// Without the glossaries.
    options: TranslateOptions,
    glossaries: Vec<Arc<Glossary>>,
    number: u64,
}

#[derive(Default)]
struct State {
    /// The one that was used last comes last.
    contexts: Vec<Context>,
    contexts_made: u64,
    /// Translations that were made or used lately.
    recent: HashMap<CacheKey, Arc<Translation>>,
    /// Bytes of these.
    recent_bytes: usize,
    /// Those before them; they leave when the recent ones take their place.
    older: HashMap<CacheKey, Arc<Translation>>,
}

/// The question: the number of a context, and the request.
#[derive(Clone, PartialEq)]
pub struct CacheKey {
    context: u64,
    request: Request,
}

// Requests with evidence, which has numbers, are not stored.
impl Eq for CacheKey {}

impl Hash for CacheKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.context.hash(state);
        self.request.source.hash(state);
        self.request.prefix.hash(state);
    }
}

impl TranslationCache {
    /// A cache of this number of bytes; 0 stores nothing.
    pub fn new(limit: usize) -> Self {
        Self { limit, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a way to translate; `None` if its translations are not stored: draws differ from each other, and
    /// graphs are large.
    pub fn context(&self, models: ModelIds, options: &TranslateOptions) -> Option<u64> {
        let terms: usize = options.glossaries.iter().map(|glossary| glossary.len()).sum();
        if self.limit == 0 || options.search.sampling.is_some() || options.search_graph.is_some() || terms > TERMS {
            return None;
        }
        let glossaries = options.glossaries.clone();
        let options = TranslateOptions { glossaries: Vec::new(), ..options.clone() };
        let same = |a: &Arc<Glossary>, b: &Arc<Glossary>| Arc::ptr_eq(a, b) || a == b;
        let mut state = self.lock();
        let known = state.contexts.iter().position(|known| {
            let equal =
                known.models == models && known.options == options && known.glossaries.len() == glossaries.len();
            equal && known.glossaries.iter().zip(&glossaries).all(|(a, b)| same(a, b))
        });
        let context = match known {
            Some(place) => state.contexts.remove(place),
            None => {
                state.contexts_made += 1;
                Context { models, options, glossaries, number: state.contexts_made }
            }
        };
        let number = context.number;
        if state.contexts.len() >= CONTEXTS {
            state.contexts.remove(0);
        }
        state.contexts.push(context);
        Some(number)
    }

    /// The key of a request.
    pub fn key(&self, context: Option<u64>, request: &Request) -> Option<CacheKey> {
        let plain = request.evidence.is_none() && request.target.is_none();
        context.filter(|_| plain).map(|context| CacheKey { context, request: request.clone() })
    }

    /// The translation of an earlier request, if it is stored.
    pub fn get(&self, key: &CacheKey) -> Option<Translation> {
        let mut state = self.lock();
        if let Some(known) = state.recent.get(key) {
            return Some(known.as_ref().clone());
        }
        let (key, known) = state.older.remove_entry(key)?;
        let translation = known.as_ref().clone();
        self.store(&mut state, key, known);
        Some(translation)
    }

    /// Stores a translation.
    pub fn put(&self, key: CacheKey, translation: &Translation) {
        if translation.error.is_none() {
            self.store(&mut self.lock(), key, Arc::new(translation.clone()));
        }
    }

    fn store(&self, state: &mut State, key: CacheKey, translation: Arc<Translation>) {
        let bytes = bytes(&key, &translation);
        // The older ones have as many bytes as the recent ones at most.
        if bytes > self.limit / 2 {
            return;
        }
        if state.recent_bytes + bytes > self.limit / 2 {
            state.older = std::mem::take(&mut state.recent);
            state.recent_bytes = 0;
        }
        if state.recent.insert(key, translation).is_none() {
            state.recent_bytes += bytes;
        }
    }
}

/// The memory that a translation and its key take, about.
fn bytes(key: &CacheKey, translation: &Translation) -> usize {
    let texts = |list: &[String]| list.iter().map(|text| 24 + text.len()).sum::<usize>();
    let terms = key.request.terms.phrases().map(|term| 48 + term.len()).sum::<usize>();
    let hypotheses = translation.hypotheses.iter().map(|hypothesis| {
        let attention = hypothesis.attention.as_ref().map_or(0, |attention| 4 * attention.weights.len());
        let scores = 4 * hypothesis.piece_log_probs.len() + 24 * hypothesis.met.len() + 16 * hypothesis.links.len();
        256 + hypothesis.text.len() + texts(&hypothesis.pieces) + attention + scores
    });
    let hypotheses: usize = hypotheses.sum();
    let source = key.request.source.len() + key.request.prefix.len() + texts(&translation.source_pieces);
    512 + source + 2 * terms + hypotheses + texts(&translation.notes) + 64 * translation.missing_numbers.len()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use metaphrase::{Case, Hypothesis, Sampling, SamplingPool};

    fn translation(text: &str) -> Translation {
        let hypothesis = Hypothesis { text: text.to_owned(), ..Hypothesis::default() };
        Translation { hypotheses: vec![hypothesis], ..Translation::default() }
    }

    #[test]
    fn everything_that_matters_is_in_the_key() {
        let cache = TranslationCache::new(1 << 20);
        let options = TranslateOptions::default();
        let glossary = |text| vec![Arc::new(Glossary::parse(text, Case::Ignore).unwrap())];
        let context = |models, options: &TranslateOptions| cache.context(models, options);
        let plain = context([1, 0], &options);
        assert_eq!(plain, context([1, 0], &options.clone()));
        let mut wide = options.clone();
        wide.search.n_best = 3;
        let terms = TranslateOptions { glossaries: glossary("a\tb\n"), ..options.clone() };
        let others = [
            context([2, 0], &options),
            context([1, 2], &options),
            context([1, 0], &wide),
            context([1, 0], &terms),
            context([1, 0], &TranslateOptions { glossaries: glossary("a\tc\n"), ..options.clone() }),
        ];
        for (place, other) in others.iter().enumerate() {
            assert!(
                other.is_some() && *other != plain && others.iter().filter(|one| *one == other).count() == 1,
                "{place}"
            );
        }
        assert_eq!(others[3], context([1, 0], &TranslateOptions { glossaries: glossary("a\tb\n"), ..options.clone() }));
        let key = |request: Request| cache.key(plain, &request).unwrap();
        cache.put(key(Request::translate("a")), &translation("x"));
        assert_eq!(cache.get(&key(Request::translate("a"))).unwrap().text(), "x");
        for request in [
            Request::translate("b"),
            Request::translate("a").prefix("p"),
            Request::translate("a").require(["t"]),
            Request::translate("a").avoid("t"),
        ] {
            assert_eq!(cache.get(&key(request)), None);
        }
        assert!(cache.key(plain, &Request::score("a", "b")).is_none());
    }

    #[test]
    fn draws_are_not_stored_and_nothing_is_without_room() {
        let mut options = TranslateOptions::default();
        assert_eq!(TranslationCache::new(0).context([1, 0], &options), None);
        options.search.sampling = Some(Sampling { from: SamplingPool::Full, temperature: 1.0 });
        assert_eq!(TranslationCache::new(1 << 20).context([1, 0], &options), None);
    }

    #[test]
    fn the_bytes_are_bounded_and_used_translations_stay() {
        let cache = TranslationCache::new(100_000);
        let context = cache.context([1, 0], &TranslateOptions::default());
        let key = |text: &str| cache.key(context, &Request::translate(text)).unwrap();
        cache.put(key("used"), &translation("x"));
        for number in 0..1000 {
            cache.put(key(&number.to_string()), &translation(&"long ".repeat(20)));
            assert!(cache.get(&key("used")).is_some(), "{number}");
        }
        let state = cache.lock();
        let all = state.recent.iter().chain(&state.older).map(|(key, stored)| bytes(key, stored)).sum::<usize>();
        assert!((50_000..=100_000).contains(&all), "{all}");
        drop(state);
        assert!(cache.get(&key("0")).is_none() && cache.get(&key("999")).is_some());
    }
}
