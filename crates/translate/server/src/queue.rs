//! The fair queue, which chooses the client whose sentence is next.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// Tokens that a client may have translated before the next client's turn.
const QUANTUM: usize = 64;
/// Tokens after which the next job of the same client has its turn. Sentence by sentence, a text of forty sentences
/// among 200 others would take forty rounds: nobody gains from that, and such texts are those that take longest.
const TURN: usize = 128;

/// Sentences that wait, of several clients with several jobs each.
///
/// Clients take turns by deficit round robin: each turn gives a client a quantum of tokens, and a client whose next
/// sentence costs more than it has saved waits for further turns. So clients get equal numbers of tokens, whatever the
/// lengths of their sentences and the numbers of their requests. The jobs of a client take turns of some sentences.
pub struct FairQueue<K, T> {
    clients: HashMap<K, Client<T>>,
    /// The clients that have sentences, the next one first.
    turns: VecDeque<K>,
    sentences: usize,
    tokens: usize,
}

/// The sentences of a client.
struct Client<T> {
    /// Tokens that it may still have translated in this turn.
    deficit: usize,
    sentences: usize,
    /// Jobs by number, the next one first; none is empty.
    jobs: VecDeque<Job<T>>,
}

struct Job<T> {
    number: u64,
    sentences: VecDeque<Waiting<T>>,
    /// Tokens of its sentences that were handed out in this turn.
    given: usize,
}

struct Waiting<T> {
    tokens: usize,
    item: T,
}

impl<K, T> Default for FairQueue<K, T> {
    fn default() -> Self {
        Self { clients: HashMap::new(), turns: VecDeque::new(), sentences: 0, tokens: 0 }
    }
}

impl<K: Clone + Eq + Hash, T> FairQueue<K, T> {
    /// Adds the sentences of a job, each with its number of tokens. A job has a number of its own.
    pub fn push(&mut self, client: K, number: u64, sentences: impl IntoIterator<Item = (usize, T)>) {
        let waiting: VecDeque<_> =
            sentences.into_iter().map(|(tokens, item)| Waiting { tokens: tokens.max(1), item }).collect();
        if waiting.is_empty() {
            return;
        }
        self.sentences += waiting.len();
        self.tokens += waiting.iter().map(|sentence| sentence.tokens).sum::<usize>();
        let turns = &mut self.turns;
        let entry = self.clients.entry(client.clone()).or_insert_with(|| {
            turns.push_back(client);
            Client { deficit: 0, sentences: 0, jobs: VecDeque::new() }
        });
        entry.sentences += waiting.len();
        entry.jobs.push_back(Job { number, sentences: waiting, given: 0 });
    }

    /// The next sentence and its number of tokens, if it has no more than `room` tokens. A sentence that is too large
    /// keeps its turn: smaller ones do not overtake it.
    pub fn pop(&mut self, room: usize) -> Option<(usize, T)> {
        loop {
            let key = self.turns.front()?;
            let client = self.clients.get_mut(key)?;
            let tokens = client.jobs.front()?.sentences.front()?.tokens;
            if client.deficit < tokens {
                // With one client no turn has to be waited for.
                client.deficit += if self.turns.len() == 1 { tokens } else { QUANTUM };
                self.turns.rotate_left(1);
                continue;
            }
            if tokens > room {
                return None;
            }
            client.deficit -= tokens;
            client.sentences -= 1;
            self.sentences -= 1;
            self.tokens -= tokens;
            let job = client.jobs.front_mut()?;
            let found = job.sentences.pop_front()?;
            job.given += tokens;
            if job.sentences.is_empty() {
                client.jobs.pop_front();
            } else if job.given >= TURN {
                job.given = 0;
                client.jobs.rotate_left(1);
            }
            if client.jobs.is_empty() {
                self.clients.remove(&self.turns.pop_front()?);
            }
            return Some((tokens, found.item));
        }
    }

    /// Removes what is left of a job; gives its sentences.
    pub fn remove(&mut self, client: &K, job: u64) -> Vec<T> {
        let Some(entry) = self.clients.get_mut(client) else { return Vec::new() };
        let Some(place) = entry.jobs.iter().position(|known| known.number == job) else { return Vec::new() };
        let sentences = entry.jobs.remove(place).map(|job| job.sentences).unwrap_or_default();
        entry.sentences -= sentences.len();
        self.sentences -= sentences.len();
        self.tokens -= sentences.iter().map(|sentence| sentence.tokens).sum::<usize>();
        if entry.jobs.is_empty() {
            self.clients.remove(client);
            self.turns.retain(|key| key != client);
        }
        sentences.into_iter().map(|sentence| sentence.item).collect()
    }

    /// Sentences that wait.
    pub fn len(&self) -> usize {
        self.sentences
    }

    /// Tokens of the sentences that wait.
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// Sentences of a client that wait.
    pub fn client_len(&self, client: &K) -> usize {
        self.clients.get(client).map_or(0, |client| client.sentences)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    const ROOM: usize = usize::MAX;

    fn job(tokens: usize, names: &[&'static str]) -> Vec<(usize, &'static str)> {
        names.iter().map(|&name| (tokens, name)).collect()
    }

    fn all(queue: &mut FairQueue<&'static str, &'static str>) -> Vec<&'static str> {
        std::iter::from_fn(|| queue.pop(ROOM).map(|(_, name)| name)).collect()
    }

    #[test]
    fn one_client_is_served_in_order() {
        let mut queue = FairQueue::default();
        queue.push("a", 1, job(1000, &["1", "2", "3"]));
        assert_eq!((queue.len(), queue.tokens(), queue.client_len(&"a")), (3, 3000, 3));
        assert_eq!(all(&mut queue), ["1", "2", "3"]);
        assert_eq!((queue.len(), queue.tokens(), queue.client_len(&"a")), (0, 0, 0));
    }

    #[test]
    fn a_line_after_a_long_job_of_another_client_waits_for_one_quantum() {
        let mut queue = FairQueue::default();
        queue.push("long", 1, (0..50_000).map(|_| (30, "long")));
        assert_eq!(queue.pop(ROOM), Some((30, "long")));
        queue.push("line", 2, job(30, &["line"]));
        let served = all(&mut queue);
        let place = served.iter().position(|&name| name == "line").unwrap();
        assert!(place <= QUANTUM / 30 + 1, "{place}");
        assert_eq!(served.len(), 50_000);
    }

    #[test]
    fn clients_get_equal_numbers_of_tokens() {
        let mut queue = FairQueue::default();
        queue.push("short", 1, (0..1000).map(|_| (5, "short")));
        queue.push("long", 2, (0..1000).map(|_| (150, "long")));
        // A third client with many requests has no more than the others.
        (0..1000).for_each(|number| queue.push("many", 3 + number, [(20, "many")]));
        let mut tokens = HashMap::new();
        while tokens.values().sum::<usize>() < 12_000 {
            let (size, name) = queue.pop(ROOM).unwrap();
            *tokens.entry(name).or_insert(0) += size;
        }
        assert!(tokens.values().all(|&tokens: &usize| tokens.abs_diff(4000) <= 200), "{tokens:?}");
    }

    #[test]
    fn the_jobs_of_a_client_take_turns() {
        let mut queue = FairQueue::default();
        queue.push("a", 1, job(TURN / 2, &["1", "1", "1"]));
        queue.push("a", 2, job(10, &["2"]));
        assert_eq!(all(&mut queue), ["1", "1", "2", "1"]);
        queue.push("a", 1, job(TURN, &["1", "1"]));
        queue.push("a", 2, job(TURN, &["2", "2"]));
        assert_eq!(all(&mut queue), ["1", "2", "1", "2"]);
    }

    #[test]
    fn a_large_sentence_is_not_overtaken() {
        let mut queue = FairQueue::default();
        queue.push("a", 1, job(100, &["large"]));
        assert_eq!(queue.pop(99), None);
        queue.push("b", 2, job(1, &["small"]));
        assert_eq!(queue.pop(99), None);
        assert_eq!(queue.pop(100), Some((100, "large")));
        assert_eq!(queue.pop(99), Some((1, "small")));
    }

    #[test]
    fn a_job_is_removed() {
        let mut queue = FairQueue::default();
        queue.push("a", 1, job(10, &["1", "1"]));
        queue.push("a", 2, job(10, &["2"]));
        queue.push("b", 3, job(10, &["3"]));
        assert_eq!(queue.remove(&"a", 1), ["1", "1"]);
        assert_eq!(queue.remove(&"a", 1), [""; 0]);
        assert_eq!(queue.remove(&"b", 3), ["3"]);
        assert_eq!((queue.len(), queue.tokens()), (1, 10));
        assert_eq!(all(&mut queue), ["2"]);
        queue.push("b", 4, job(10, &["4"]));
        assert_eq!(all(&mut queue), ["4"]);
    }
}
