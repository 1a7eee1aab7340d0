//! How words of a language are spelled: the probability of each character after the two before it.

/// Probabilities of characters in words of several languages, learnt from lists of words.
///
/// `P(c | ab) = (N(abc) + k P(c | b)) / (N(ab) + k)` and `P(c | b) = (N(bc) + k G(c | b)) / (N(b) + k)`, in which `N`
/// counts in the words of the language and `G` is the mean of all languages. Costs, that is negative logarithms, are
/// stored in eighths.
pub struct SpellingModel {
    languages: usize,
    /// The number of each character below [`ALPHABET`].
    numbers: Vec<u8>,
    /// The number of numbers.
    size: usize,
    /// By pair of characters: where its followers begin in `followers`.
    contexts: Vec<u32>,
    /// The characters that follow pairs, each with a row of `costs`.
    followers: Vec<u8>,
    /// Followers × languages.
    costs: Vec<u8>,
    /// Pairs × languages: the cost of the second character after the first.
    pairs: Vec<u8>,
    /// Pairs × languages: the cost of a character that never followed this pair, in addition to that after its second
    /// one.
    unseen: Vec<u8>,
}

/// The weight of the estimates from shorter contexts.
const BACK_OFF: f32 = 4.0;
/// Steps of costs.
const SCALE: f32 = 8.0;
/// Letters beyond this one, which mostly are Vietnamese, are one letter.
const ALPHABET: usize = 0x250;
const OTHER: u8 = 0;
const END: u8 = 1;

/// The counts of one language.
struct Counts {
    /// Trigrams in rising order, each with its number.
    trigrams: Vec<(usize, f32)>,
    /// By pair.
    contexts: Vec<f32>,
    /// By pair of a character and its follower.
    pairs: Vec<f32>,
    /// By character.
    singles: Vec<f32>,
}

fn cost(probability: f32) -> u8 {
    (-probability.max(1e-13).ln() * SCALE).round().clamp(0.0, 255.0) as u8
}

impl SpellingModel {
    /// A model of languages, each a list of words in small letters.
    pub fn new(lists: &[Vec<&str>]) -> Self {
        let (mut numbers, mut size) = (vec![OTHER; ALPHABET], usize::from(END) + 1);
        for c in lists.iter().flatten().flat_map(|word| word.chars()) {
            match numbers.get_mut(c as usize) {
                Some(number) if *number == OTHER && size <= usize::from(u8::MAX) => {
                    *number = size as u8;
                    size += 1;
                }
                _ => {}
            }
        }
        let empty = Vec::new;
        let (contexts, pairs) = (Vec::new(), Vec::new());
        let languages = lists.len();
        let mut model =
            Self { languages, numbers, size, contexts, followers: empty(), costs: empty(), pairs, unseen: empty() };
        let counts: Vec<Counts> = lists.iter().map(|words| model.count(words)).collect();
        let shares = model.estimate_pairs(&counts);
        model.estimate_trigrams(&counts, &shares);
        model
    }

    /// The numbers of a word's characters after the first end, with the second one.
    fn numbers<'a>(&'a self, word: &'a str) -> impl Iterator<Item = usize> + 'a {
        let number = |c: char| self.numbers.get(c as usize).copied().unwrap_or(OTHER);
        word.chars().map(number).chain([END]).map(usize::from)
    }

    fn count(&self, words: &[&str]) -> Counts {
        let size = self.size;
        let (mut contexts, mut pairs) = (vec![0.0; size * size], vec![0.0; size * size]);
        let mut singles = vec![0.0; size];
        let mut keys = Vec::new();
        for word in words {
            let (mut before, mut last) = (usize::from(END), usize::from(END));
            for c in self.numbers(word) {
                let context = before * size + last;
                keys.push(context * size + c);
                contexts[context] += 1.0;
                pairs[last * size + c] += 1.0;
                singles[last] += 1.0;
                (before, last) = (last, c);
            }
        }
        keys.sort_unstable();
        let trigrams = keys.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len() as f32)).collect();
        Counts { trigrams, contexts, pairs, singles }
    }

    /// The probability of the second character of each pair after the first, by language.
    fn estimate_pairs(&mut self, counts: &[Counts]) -> Vec<f32> {
        let mut shares = Vec::with_capacity(self.size * self.size * counts.len());
        for pair in 0..self.size * self.size {
            let first = pair / self.size;
            let own = counts.iter().map(|one| one.pairs[pair] / one.singles[first].max(1.0));
            let general = 0.98 * own.sum::<f32>() / counts.len() as f32 + 0.02 / self.size as f32;
            for one in counts {
                shares.push((one.pairs[pair] + BACK_OFF * general) / (one.singles[first] + BACK_OFF));
                self.unseen.push(cost(BACK_OFF / (one.contexts[pair] + BACK_OFF)));
            }
        }
        self.pairs = shares.iter().copied().map(cost).collect();
        shares
    }

    fn estimate_trigrams(&mut self, counts: &[Counts], shares: &[f32]) {
        let size = self.size;
        let mut keys: Vec<usize> = counts.iter().flat_map(|one| one.trigrams.iter().map(|(key, _)| *key)).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut places = vec![0; counts.len()];
        for key in keys {
            let (context, pair) = (key / size, key % (size * size));
            self.contexts.resize(context + 1, self.followers.len() as u32);
            self.followers.push((key % size) as u8);
            for (language, (one, place)) in counts.iter().zip(&mut places).enumerate() {
                let found = one.trigrams.get(*place).filter(|(known, _)| *known == key);
                *place += usize::from(found.is_some());
                let count = found.map_or(0.0, |(_, count)| *count);
                let shorter = shares[pair * counts.len() + language];
                self.costs.push(cost((count + BACK_OFF * shorter) / (one.contexts[context] + BACK_OFF)));
            }
        }
        self.contexts.resize(size * size + 1, self.followers.len() as u32);
    }

    /// Writes the logarithm of the probability of a word in small letters, for each language.
    pub fn log_probs(&self, word: &str, log_probs: &mut [f32]) {
        log_probs.fill(0.0);
        let (n, size) = (self.languages, self.size);
        let (mut before, mut last) = (usize::from(END), usize::from(END));
        for c in self.numbers(word) {
            let (context, pair) = (before * size + last, last * size + c);
            let known = self.contexts[context] as usize..self.contexts[context + 1] as usize;
            match self.followers[known.clone()].iter().position(|&follower| usize::from(follower) == c) {
                Some(place) => {
                    let costs = &self.costs[(known.start + place) * n..][..n];
                    log_probs.iter_mut().zip(costs).for_each(|(sum, &cost)| *sum -= f32::from(cost));
                }
                None => {
                    let costs = self.pairs[pair * n..][..n].iter().zip(&self.unseen[context * n..][..n]);
                    for (sum, (&pair, &unseen)) in log_probs.iter_mut().zip(costs) {
                        *sum -= f32::from(pair) + f32::from(unseen);
                    }
                }
            }
            (before, last) = (last, c);
        }
        log_probs.iter_mut().for_each(|sum| *sum /= SCALE);
    }
}
