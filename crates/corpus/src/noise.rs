//! Pairs as careless people write them. The target stays good text: the model learns to translate what was meant.

use crate::recipe::Noise;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// A word in this number has a typing error.
const WORDS_PER_TYPO: u32 = 10;

/// Calls `add` with each noisy pair that is made of `pair`; `next` is the pair behind it.
pub(crate) fn noisy(
    pair: [&str; 2],
    next: Option<[&str; 2]>,
    noise: &Noise,
    random: &mut ChaCha8Rng,
    mut add: impl FnMut(String, String),
) {
    let [source, target] = pair;
    if random.random_bool(noise.lower_case) {
        add(source.to_lowercase(), target.to_owned());
    }
    if random.random_bool(noise.upper_case) {
        add(source.to_uppercase(), target.to_uppercase());
    }
    if random.random_bool(noise.typos) {
        add(with_typos(source, random), target.to_owned());
    }
    if random.random_bool(noise.no_full_stop) {
        let [source, target] = pair.map(|side| side.trim_end_matches(['.', '!', '。', '！']).to_owned());
        if !source.is_empty() && !target.is_empty() {
            add(source, target);
        }
    }
    if random.random_bool(noise.white_space) {
        add(with_other_spaces(source, random), target.to_owned());
    }
    if let Some(next) = next
        && random.random_bool(noise.joined)
    {
        add(format!("{source} {}", next[0]), format!("{target} {}", next[1]));
    }
}

/// Exchanges two letters, leaves one out or doubles one, in some words of four letters or more; at least in one, if there
/// is any.
fn with_typos(text: &str, random: &mut ChaCha8Rng) -> String {
    let long = |word: &str| word.chars().count() >= 4 && word.chars().all(char::is_alphabetic);
    let words = text.split(' ').filter(|word| long(word)).count() as u32;
    let sure = if words == 0 { 0 } else { random.random_range(0..words) };
    let mut place = 0;
    let changed = text.split(' ').map(|word| {
        if !long(word) {
            return word.to_owned();
        }
        place += 1;
        if place - 1 == sure || random.random_range(0..WORDS_PER_TYPO) == 0 {
            with_typo(word, random)
        } else {
            word.to_owned()
        }
    });
    changed.collect::<Vec<_>>().join(" ")
}

fn with_typo(word: &str, random: &mut ChaCha8Rng) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    // The first letter is seldom wrong.
    let at = random.random_range(1..letters.len() - 1);
    match random.random_range(0..3) {
        0 => letters.swap(at, at + 1),
        1 => _ = letters.remove(at),
        _ => letters.insert(at, letters[at]),
    }
    letters.into_iter().collect()
}

/// Doubles some spaces and leaves out some of those behind punctuation.
fn with_other_spaces(text: &str, random: &mut ChaCha8Rng) -> String {
    let mut changed = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        let behind_mark = changed.ends_with([',', ';', ':']);
        match random.random_range(0..4) {
            0 if c == ' ' && behind_mark => {}
            1 if c == ' ' => changed.push_str("  "),
            _ => changed.push(c),
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    fn all(noise: &Noise) -> Vec<(String, String)> {
        let (pair, next) = (["Hello, dear friends.", "Hallo, liebe Freunde."], ["How are you?", "Wie geht es?"]);
        let mut found = Vec::new();
        let mut random = ChaCha8Rng::seed_from_u64(1);
        noisy(pair, Some(next), noise, &mut random, |source, target| found.push((source, target)));
        found
    }

    #[test]
    fn each_kind_of_noise_does_what_it_says() {
        assert_eq!(all(&Noise::default()), []);
        let noise =
            Noise { lower_case: 1.0, upper_case: 1.0, typos: 0.0, no_full_stop: 1.0, white_space: 0.0, joined: 1.0 };
        let expected = [
            ("hello, dear friends.", "Hallo, liebe Freunde."),
            ("HELLO, DEAR FRIENDS.", "HALLO, LIEBE FREUNDE."),
            ("Hello, dear friends", "Hallo, liebe Freunde"),
            ("Hello, dear friends. How are you?", "Hallo, liebe Freunde. Wie geht es?"),
        ];
        assert_eq!(all(&noise), expected.map(|(source, target)| (source.to_owned(), target.to_owned())));
        let typos = all(&Noise { typos: 1.0, ..Noise::default() });
        assert!(typos[0].0 != "Hello, dear friends." && typos[0].0.starts_with("Hello, d"), "{typos:?}");
        assert_eq!(typos[0].1, "Hallo, liebe Freunde.");
        let spaces = with_other_spaces(&"a, b ".repeat(20), &mut ChaCha8Rng::seed_from_u64(2));
        assert!(spaces.contains(",b") && spaces.contains("  "), "{spaces}");
        assert_eq!(spaces.replace(' ', ""), "a,b".repeat(20));
    }
}
