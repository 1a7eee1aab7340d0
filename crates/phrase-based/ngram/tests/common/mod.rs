//! The definition of a back-off model, word for word: what all else is compared with.
#![allow(clippy::unwrap_used, reason = "of tests")]

use metaphrase_ngram::{BEGIN, END, Model, UNKNOWN, WordId};
use std::collections::HashMap;

/// The entries of an ARPA text, by their words.
pub struct Naive {
    entries: HashMap<Vec<String>, (f32, f32)>,
    pub order: usize,
}

impl Naive {
    /// Takes every line of an n-gram in any section.
    pub fn parse(text: &str) -> Self {
        let mut naive = Self { entries: HashMap::new(), order: 0 };
        for line in text.lines() {
            if let Some(order) = line.strip_prefix('\\').and_then(|rest| rest.strip_suffix("-grams:")) {
                naive.order = order.parse().unwrap();
            } else if naive.order > 0 && !line.is_empty() && line != "\\end\\" {
                let mut fields = line.split('\t');
                let log10 = fields.next().unwrap().parse().unwrap();
                let words: Vec<String> = fields.next().unwrap().split(' ').map(str::to_owned).collect();
                assert_eq!(words.len(), naive.order);
                let backoff = fields.next().map_or(0.0, |field| field.parse().unwrap());
                naive.entries.insert(words, (log10, backoff));
            }
        }
        naive
    }

    /// log10 p(last word | the words before).
    pub fn score(&self, words: &[&str]) -> f64 {
        let words = &words[words.len().saturating_sub(self.order)..];
        let key: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        match self.entries.get(&key) {
            Some(&(log10, _)) => f64::from(log10),
            None if words.len() == 1 => self.entries.get(&["<unk>".to_owned()][..]).map_or(-100.0, |e| f64::from(e.0)),
            None => {
                let backoff = self.entries.get(&key[..key.len() - 1]).map_or(0.0, |entry| f64::from(entry.1));
                backoff + self.score(&words[1..])
            }
        }
    }
}

/// Compares a model with the definition on a sentence, word by word, and the context handle with both.
pub fn compare(model: &Model, naive: &Naive, sentence: &[&str]) {
    let vocabulary = model.vocabulary();
    let mut state = model.begin();
    let mut history = vec!["<s>"];
    for &word in sentence.iter().chain(&["</s>"]) {
        let id = vocabulary.id(word);
        history.push(if id == UNKNOWN { "<unk>" } else { word });
        let scored = model.scored(&state, id);
        let expected = naive.score(&history);
        assert!((f64::from(scored.log10) - expected).abs() < 1e-5, "{history:?}: {} for {expected}", scored.log10);
        assert!(scored.order <= history.len() && scored.order <= model.order());
        let context = model.context(&state);
        for id in [id, UNKNOWN, BEGIN, END, WordId(3), WordId(u32::MAX)] {
            let found = context.look_up(id);
            assert_eq!((found.log10, context.after(&found)), model.score(&state, id), "{history:?}, word {id}");
            assert_eq!(context.score(id), found.log10);
        }
        state = scored.state;
    }
}
