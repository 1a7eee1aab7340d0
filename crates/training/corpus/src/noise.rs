//! Pairs as careless people write them. The target stays good text: the model learns to translate what was meant.

use crate::copied::with_copied;
use crate::marks::otherwise;
use crate::recipe::Noise;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// A word in this number has a typing error.
const WORDS_PER_TYPO: u32 = 10;

/// The least number of words of a sentence. A shorter text may be a heading, which has no punctuation.
const LEAST_WORDS: usize = 5;

/// A letter in this number of a name becomes another one.
const LETTERS_PER_CHANGE: u32 = 2;

/// Letters that a vowel and a consonant of a name become, plain ones or ones with marks: the name can still be spoken.
const LETTERS: [[&str; 2]; 2] =
    [["aeiouy", "áàâäãåāăąæéèêëēěęíìîïīıóòôöõøōőúùûüūůűý"], ["bcdfghjklmnpqrstvwxz", "ćčçďđğłñńňřśšşťţźžż"]];

/// Calls `add` with each noisy pair that is made of `pair`; `next` is the pair after it.
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
    if random.random_bool(noise.no_punctuation) && source.split(' ').nth(LEAST_WORDS - 1).is_some() {
        add(without_punctuation(source), target.to_owned());
    }
    if random.random_bool(noise.names)
        && let Some([source, target]) = with_other_name(pair, random)
    {
        add(source, target);
    }
    if random.random_bool(noise.copied) {
        let [source, target] = with_copied(pair, shared_name(pair, random), random);
        add(source, target);
    }
    if random.random_bool(noise.marks)
        && let Some(source) = otherwise(source, random)
    {
        add(source, target.to_owned());
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

/// Exchanges two letters, leaves one out or doubles one, in some words of four letters or more; at least in one, if
/// there is any.
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

/// Leaves out punctuation at the ends of words; that within words, as in numbers and addresses, stays.
fn without_punctuation(text: &str) -> String {
    let mark = |c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '"' | '„' | '“' | '”' | '…');
    let words = text.split(' ').map(|word| word.trim_matches(mark)).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Makes a name that both sides share into another one: the model learns to copy names that it has never seen, letter
/// by letter. `None` if they share no name.
fn with_other_name(pair: [&str; 2], random: &mut ChaCha8Rng) -> Option<[String; 2]> {
    let name = shared_name(pair, random)?;
    let other = other_name(name, random);
    Some(pair.map(|side| side.replace(name, &other)))
}

/// One of the names that both sides share: a word with a capital that both sides have equally often and that is part of
/// no other word, as it is in a genitive.
fn shared_name<'a>(pair: [&'a str; 2], random: &mut ChaCha8Rng) -> Option<&'a str> {
    let names = words_of(pair[0]).filter(|word| {
        let mut letters = word.chars();
        letters.next().is_some_and(char::is_uppercase)
            && letters.clone().count() >= 2
            && letters.all(char::is_lowercase)
            && {
                let counts = pair.map(|side| words_of(side).filter(|other| other == word).count());
                counts[0] == counts[1] && counts == pair.map(|side| side.matches(word).count())
            }
    });
    let names: Vec<&str> = names.collect();
    names.get(random.random_range(0..names.len().max(1))).copied()
}

/// The words of a text, as sequences of letters.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty())
}

/// A name with other letters.
fn other_name(name: &str, random: &mut ChaCha8Rng) -> String {
    let letters = name.chars().enumerate().map(|(at, letter)| {
        let kind = LETTERS.iter().find(|[plain, _]| plain.contains(letter.to_ascii_lowercase()));
        let Some(kind) = kind.filter(|_| random.random_range(0..LETTERS_PER_CHANGE) == 0) else { return letter };
        let letters = kind[random.random_range(0..2)];
        let new = letters.chars().nth(random.random_range(0..letters.chars().count())).unwrap_or(letter);
        match (at, new.to_uppercase().next()) {
            (0, Some(upper)) => upper,
            _ => new,
        }
    });
    letters.collect()
}

/// Doubles some spaces and leaves out some of those after punctuation.
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
        let noise = Noise { lower_case: 1.0, upper_case: 1.0, no_full_stop: 1.0, joined: 1.0, ..Noise::default() };
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

    #[test]
    fn punctuation_goes_and_numbers_stay() {
        assert_eq!(without_punctuation("\"Well, it costs 3.50,\" he said: no …"), "Well it costs 3.50 he said no");
        let noise = Noise { no_punctuation: 1.0, ..Noise::default() };
        assert_eq!(all(&noise), [], "three words may be a heading");
    }

    #[test]
    fn a_shared_name_becomes_the_same_other_name_on_both_sides() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let mut strange = 0;
        for _ in 0..50 {
            let pair = ["Is Maria there? Maria knows.", "Ist Maria da? Maria weiß es."];
            let [source, target] = with_other_name(pair, &mut random).unwrap();
            let name = source.strip_prefix("Is ").unwrap().split(' ').next().unwrap();
            assert_eq!(source, format!("Is {name} there? {name} knows."));
            assert_eq!(target, format!("Ist {name} da? {name} weiß es."));
            assert!(name.chars().count() == 5 && name.chars().next().unwrap().is_uppercase(), "{name}");
            strange += usize::from(!name.is_ascii());
        }
        assert!(strange > 25, "{strange} of 50 names have letters with marks");
        for pair in [["Tom's here.", "Toms Hund ist da."], ["He is here.", "Er ist da."], ["NASA is.", "NASA ist."]] {
            assert_eq!(with_other_name(pair, &mut random), None, "{pair:?}");
        }
    }
}
