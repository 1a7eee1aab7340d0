//! Inside a character few words may follow: these are scored, and not looked for among all words.

use super::*;
use crate::bans::{Ban, Repeats};
use crate::characters::Character;
use metaphrase_base::WordScores;

const WORDS: u32 = 5_000;

/// Scores that fall from word to word, after each row alike. Counts the requested candidates.
#[derive(Default)]
struct Falling {
    requested: usize,
}

impl StepScores for Falling {
    fn top(&mut self, rows: Range<usize>, so_far: &[f32], k: usize, excluded: &[WordId], out: &mut Vec<Candidate>) {
        self.requested += k;
        let words = || (0..WORDS).map(WordId).filter(|word| !excluded.contains(word));
        let of_row = |(row, so_far): (usize, &f32)| {
            let (row, so_far) = (Row::new(row), *so_far);
            words().map(move |word| Candidate { row, word, score: -(word.0 as f32) + so_far })
        };
        out.clear();
        out.extend(rows.zip(so_far).flat_map(of_row).filter(|candidate| candidate.score > f32::NEG_INFINITY));
        out.sort_by(by_score_desc);
        out.truncate(k);
    }

    fn score(&mut self, _: Row, word: WordId) -> f32 {
        -(word.0 as f32)
    }

    fn row(&mut self, _: Row, _: &mut [f32]) {
        unreachable!("nobody samples here")
    }

    fn add(&mut self, _: Row, _: WordScores<'_>) {
        unreachable!("nothing is added here")
    }
}

/// The bytes are the last words of all, after thousands of better ones.
fn bytes() -> ByteWords {
    ByteWords::new((0..=255).map(|byte| (WordId(WORDS - 256 + u32::from(byte)), byte)))
}

/// The hypothesis ends with the first byte of ä, so 64 bytes may follow.
fn inside(bytes: &ByteWords) -> Character {
    bytes.after(Character::WHOLE, WordId(WORDS - 256 + 0xC3))
}

/// The continuations of the hypotheses: the best of the beam, the best of each hypothesis, or those of a cube in which
/// all share a row.
fn found(characters: &[Character], k: usize, how: &str) -> (Vec<(usize, u32)>, usize) {
    let (bytes, mut out, mut scores) = (bytes(), Vec::new(), Falling::default());
    let row = |place| Row::new(if how == "cube" { 0 } else { place });
    let places: Vec<_> = (0..characters.len()).map(|place| BeamPlace { so_far: -10_000.0, row: row(place) }).collect();
    let rows = if how == "cube" { 0..1 } else { 0..places.len() };
    let repeats = Repeats::default();
    let facts = BanFacts {
        excluded: &[],
        repeats: &repeats,
        characters,
        bytes: &bytes,
        room: 3,
        end: WordId(0),
        is_short: false,
    };
    let mut bans = Bans { list: &[Ban::BrokenCharacter], facts, progress: None };
    let mut buffers = CandidateBuffers::default();
    let mut space = CandidateSpace { places: &places, rows, scores: &mut scores, buffers: &mut buffers };
    match how {
        "each" => space.best_of_each(k, &mut bans, &mut out),
        _ => space.best(k, &mut bans, &mut out),
    }
    assert!(out.iter().all(|found| found.score == -10_000.0 - found.word.0 as f32));
    (out.iter().map(|found| (found.place, found.word.0)).collect(), scores.requested)
}

#[test]
fn all_bytes_that_may_follow_are_found_without_asking_for_all_words() {
    let inside = inside(&bytes());
    let last = || (WORDS - 256 + 0x80)..(WORDS - 256 + 0xC0);
    for how in ["beam", "each"] {
        let (words, requested) = found(&[inside], 100, how);
        assert_eq!(words, last().map(|word| (0, word)).collect::<Vec<_>>(), "{how}");
        assert!(requested <= 500, "{how}: {requested} candidates were requested");
    }
    let (words, requested) = found(&[inside; 2], 100, "cube");
    let both = last().flat_map(|word| [(0, word), (1, word)]);
    assert_eq!(words, both.take(100).collect::<Vec<_>>());
    assert!(requested <= 100, "{requested} candidates were requested");
}

#[test]
fn next_to_a_whole_character_the_better_ones_win() {
    let inside = inside(&bytes());
    // Nearly all words may follow the other hypothesis, and the bytes are worse.
    let (words, requested) = found(&[inside, Character::WHOLE], 100, "beam");
    assert_eq!(words, (0..100).map(|word| (1, word)).collect::<Vec<_>>());
    assert!(requested <= 500, "{requested} candidates were requested");
    // 4,744 words and 128 bytes may follow the other hypothesis before the first byte may follow this one.
    let (words, _) = found(&[inside, Character::WHOLE], 4_900, "beam");
    assert_eq!(words.iter().filter(|(place, _)| *place == 0).count(), 4_900 - 4_872);
}
