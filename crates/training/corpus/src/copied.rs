//! What a translation copies: emoji, words of other scripts, long numbers, amounts, addresses. Text to learn from has
//! few of them, and readers see at once when one is wrong.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::ops::RangeInclusive;

/// Emoji that people use most.
const COMMON: &str = "😂❤😍🤣😊🙏💕😭😘👍😅👏😁♥🔥💔💖💙😢🤔😆🙄💪😉👌🤗💜😔😎😇🌹🤦🎉💞✌✨🤷😱😌🌸🙌😋💗💚😏💛🙂💓🤩😄😀🖤😃💯🙈👇🎶😒🤭❣🍕✅⭐🚀👀🎂🥳😞📌➡⚠✓✔";

/// Blocks of pictures.
const PICTURES: [RangeInclusive<u32>; 5] =
    [0x1F300..=0x1F5FF, 0x1F600..=0x1F64F, 0x1F680..=0x1F6C5, 0x1F90C..=0x1F9FF, 0x2600..=0x27BF];

/// The letters of scripts, some ranges for each.
const SCRIPTS: [&[RangeInclusive<u32>]; 9] = [
    &[0x0410..=0x044F],                  // Cyrillic
    &[0x0410..=0x044F],                  // The same: the script that is seen most.
    &[0x03B1..=0x03C9],                  // Greek
    &[0x4E00..=0x9FA5],                  // Han
    &[0x3042..=0x3093, 0x30A2..=0x30F3], // kana
    &[0xAC00..=0xD7A3],                  // Hangul
    &[0x0627..=0x063A, 0x0641..=0x064A], // Arabic
    &[0x05D0..=0x05EA],                  // Hebrew
    &[0x0915..=0x0939],                  // Devanagari
];

/// A pair with the same thing on both sides: in the place of a name that they share, if there is `name`, else alone,
/// before or after the text.
pub(crate) fn with_copied(pair: [&str; 2], name: Option<&str>, random: &mut ChaCha8Rng) -> [String; 2] {
    let emoji = random.random_range(0..2) == 0;
    if let Some(name) = name.filter(|_| !emoji) {
        let word = if random.random_range(0..2) == 0 { foreign_word(random) } else { other_thing(random) };
        return pair.map(|side| side.replace(name, &word));
    }
    let thing = if emoji { emoji_row(random) } else { other_thing(random) };
    match random.random_range(0..8) {
        0 => [thing.clone(), thing],
        1 | 2 => pair.map(|side| format!("{thing} {side}")),
        _ => pair.map(|side| format!("{side} {thing}")),
    }
}

/// One to four emoji, often the same ones.
fn emoji_row(random: &mut ChaCha8Rng) -> String {
    let first = emoji(random);
    let mut row = first.clone();
    for _ in 0..random.random_range(0..4) {
        match random.random_range(0..4) {
            0 => {}
            1 => row.push_str(&emoji(random)),
            _ => row.push_str(&first),
        }
    }
    row
}

fn emoji(random: &mut ChaCha8Rng) -> String {
    let common: Vec<char> = COMMON.chars().collect();
    let picture = if random.random_range(0..3) == 0 {
        one_of(&PICTURES, random)
    } else {
        common[random.random_range(0..common.len())]
    };
    // The oldest pictures are signs of text, too; the selector after them requests the picture.
    let selector = if u32::from(picture) < 0x1F000 && random.random_range(0..2) == 0 { "\u{FE0F}" } else { "" };
    format!("{picture}{selector}")
}

/// A word of letters that the languages of the pair do not have.
fn foreign_word(random: &mut ChaCha8Rng) -> String {
    let script = SCRIPTS[random.random_range(0..SCRIPTS.len())];
    // A sign of Han or Hangul is a syllable.
    let longest = if script[0].clone().count() > 1000 { 4 } else { 9 };
    (0..random.random_range(1..=longest)).map(|_| one_of(script, random)).collect()
}

/// Signs that text has before or after a number: half of them are of money.
const SIGNS: &str = "€€€€€€££££$$§§§§°°×±µ→•©®";

/// A small number with a sign.
fn amount(random: &mut ChaCha8Rng) -> String {
    let signs: Vec<char> = SIGNS.chars().collect();
    let sign = signs[random.random_range(0..signs.len())];
    let digits = random.random_range(1..=4);
    let number = random.random_range(1..10_u32.pow(digits));
    match random.random_range(0..3) {
        0 => format!("{sign}{number}"),
        1 => format!("{sign} {number}"),
        _ => format!("{number} {sign}"),
    }
}

/// A word of another script, a number, an amount or an address.
fn other_thing(random: &mut ChaCha8Rng) -> String {
    match random.random_range(0..6) {
        0 => foreign_word(random),
        1 => number(random),
        4 | 5 => amount(random),
        2 => format!("{}@{}.{}", syllables(random), syllables(random), ending(random)),
        _ => format!("https://{}.{}/{}", syllables(random), ending(random), syllables(random)),
    }
}

/// Digits: one long number, groups as in telephone numbers, or with letters in front as in account numbers.
fn number(random: &mut ChaCha8Rng) -> String {
    let mut digits = |count: RangeInclusive<usize>| -> String {
        (0..random.random_range(count)).map(|_| char::from(b'0' + random.random_range(0..10u8))).collect()
    };
    let (long, groups) = (digits(5..=18), [digits(2..=4), digits(2..=4), digits(3..=7)]);
    match random.random_range(0..4) {
        0 => groups.join(" "),
        1 => groups.join("-"),
        2 => {
            let letters = (0..2).map(|_| char::from(b'A' + random.random_range(0..26u8)));
            letters.chain(long.chars()).collect()
        }
        _ => long,
    }
}

/// The end of a host's name.
fn ending(random: &mut ChaCha8Rng) -> &'static str {
    ["com", "org", "net", "de", "eu"][random.random_range(0..5)]
}

/// A word that can be spoken.
fn syllables(random: &mut ChaCha8Rng) -> String {
    let mut letter = |letters: &[u8]| char::from(letters[random.random_range(0..letters.len())]);
    let mut word: String = (0..2).flat_map(|_| [letter(b"bcdfghjklmnprstvwz"), letter(b"aeiouy")]).collect();
    word.extend([letter(b"lmnrstx"), letter(b"aeio0123456789-_")]);
    word.push(letter(b"abdgklmnrst"));
    word
}

/// A character of one of the ranges.
fn one_of(ranges: &[RangeInclusive<u32>], random: &mut ChaCha8Rng) -> char {
    let range = ranges[random.random_range(0..ranges.len())].clone();
    char::from_u32(random.random_range(range)).unwrap_or('?')
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn both_sides_have_the_same_thing() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let pair = ["Is Maria there?", "Ist Maria da?"];
        let (mut alone, mut named) = (0, 0);
        for _ in 0..200 {
            let [source, target] = with_copied(pair, None, &mut random);
            let things = [(&source, pair[0]), (&target, pair[1])].map(|(side, text)| side.replace(text, ""));
            assert!(things[0] == things[1] && !things[0].trim().is_empty(), "{source} | {target}");
            alone += usize::from(source == target);
            let [source, target] = with_copied(pair, Some("Maria"), &mut random);
            if let Some(word) = source.strip_prefix("Is ").and_then(|rest| rest.strip_suffix(" there?"))
                && word != "Maria"
            {
                named += 1;
                assert_eq!(target, format!("Ist {word} da?"));
            }
        }
        assert!((10..60).contains(&alone), "{alone} of 200 are alone");
        assert!((60..140).contains(&named), "{named} of 200 stand for the name");
    }

    #[test]
    fn there_are_emoji_scripts_numbers_and_addresses() {
        let mut random = ChaCha8Rng::seed_from_u64(2);
        let things: Vec<String> = (0..300).map(|_| other_thing(&mut random)).collect();
        for kind in ["@", "https://"] {
            assert!(things.iter().any(|thing| thing.contains(kind)), "{kind}");
        }
        assert!(things.iter().any(|thing| thing.chars().all(|c| c.is_ascii_digit())));
        assert!(things.iter().any(|thing| thing.chars().all(|c| matches!(c, 'А'..='я'))));
        assert!(things.iter().filter(|thing| thing.contains('€')).count() > 10);
        let rows: Vec<String> = (0..100).map(|_| emoji_row(&mut random)).collect();
        assert!(rows.iter().all(|row| !row.chars().any(char::is_alphabetic)), "{rows:?}");
        assert!(rows.iter().any(|row| row.contains('😂')) && rows.iter().any(|row| row.ends_with('\u{FE0F}')));
    }
}
