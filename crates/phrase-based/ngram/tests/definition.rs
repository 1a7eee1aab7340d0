//! Scores are those of the definition of a back-off model.

use crate::common::{Naive, compare};
use metaphrase_ngram::{LmError, Model, UNKNOWN, arpa};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;

fn read(text: &str) -> Result<Model, LmError> {
    arpa::read_from(text.as_bytes(), Path::new("test.arpa"))
}

/// ARPA text of some n-grams over `<s> </s> <unk> a b c d`, in any order and with any gaps.
fn arpa_text(sections: &[BTreeSet<Vec<usize>>]) -> String {
    const WORDS: [&str; 7] = ["<unk>", "<s>", "</s>", "a", "b", "c", "d"];
    let mut text = format!("\\data\\\nngram 1={}\n", WORDS.len());
    for (k, section) in sections.iter().enumerate() {
        text += &format!("ngram {}={}\n", k + 2, section.len());
    }
    let value = |words: &[usize], salt: usize| {
        let number = words.iter().fold(salt, |n, &word| (n * 31 + word * 7 + 3) % 1009);
        if number % 5 == 0 { 0.0 } else { -(number as f64) / 256.0 }
    };
    text += "\n\\1-grams:\n";
    for (i, word) in WORDS.iter().enumerate() {
        text += &format!("{}\t{word}\t{}\n", value(&[i], 1), value(&[i], 2));
    }
    for (k, section) in sections.iter().enumerate() {
        text += &format!("\n\\{}-grams:\n", k + 2);
        for words in section {
            let names: Vec<&str> = words.iter().map(|&word| WORDS[word]).collect();
            text += &format!("{}\t{}", value(words, 1), names.join(" "));
            let last = k + 1 == sections.len();
            text += &if last { "\n".into() } else { format!("\t{}\n", value(words, 2)) };
        }
    }
    text + "\n\\end\\\n"
}

fn ngrams(order: usize, most: usize) -> impl Strategy<Value = BTreeSet<Vec<usize>>> {
    prop::collection::btree_set(prop::collection::vec(0usize..7, order), 0..most)
}

proptest! {
    /// Sections drawn at random lack histories and lower-order n-grams: worse than what pruning leaves.
    #[test]
    fn of_any_n_grams(
        two in ngrams(2, 30), three in ngrams(3, 60), four in ngrams(4, 60),
        sentences in prop::collection::vec(prop::collection::vec(0usize..6, 0..12), 1..20),
    ) {
        let text = arpa_text(&[two, three, four]);
        let (model, naive) = (read(&text).unwrap(), Naive::parse(&text));
        for sentence in sentences {
            let words: Vec<&str> = sentence.iter().map(|&word| ["a", "b", "c", "d", "never", "<s>"][word]).collect();
            compare(&model, &naive, &words);
        }
    }
}

/// `a b` is a history, `b` is not extended but has a back-off weight, nothing follows `c` at all.
const SMALL: &str = "\\data\\\nngram 1=6\nngram 2=2\nngram 3=1\n\n\\1-grams:\n-2\t<unk>\n-99\t<s>\t-0.25\n-1\t</s>\n-0.5\ta\t-0.125\n\
    -0.75\tb\t-0.0625\n-1.5\tc\n\n\\2-grams:\n-0.25\ta b\t-0.5\n-0.125\t<s> a\n\n\\3-grams:\n-0.0625\ta b a\n\n\\end\\\n";

#[test]
fn by_hand() {
    let model = read(SMALL).unwrap();
    let id = |word: &str| model.vocabulary().id(word);
    let after = |words: &[&str]| words.iter().fold(model.null(), |state, word| model.score(&state, id(word)).1);
    let (ab, a) = (after(&["a", "b"]), id("a"));
    assert_eq!(model.score(&ab, a).0, -0.0625);
    assert_eq!(model.score(&ab, id("c")).0, -0.5 + -0.0625 + -1.5);
    assert_eq!(model.score(&ab, id("never")).0, -0.5 + -0.0625 + -2.0);
    assert_eq!(model.scored(&ab, a).order, 3);
    assert_eq!(model.scored(&ab, UNKNOWN).order, 1);
    assert_eq!(model.sentence([a]), f64::from(-0.125f32) + f64::from(-0.125f32 + -1.0));
    assert_eq!(model.counts(), [6, 3, 1], "`b a` is added, as `a b a` is there");
}

#[test]
fn states_keep_only_what_matters() {
    let model = read(SMALL).unwrap();
    let after = |words: &[&str]| {
        words.iter().fold(model.begin(), |state, word| model.score(&state, model.vocabulary().id(word)).1)
    };
    assert_eq!(after(&["c"]), model.null(), "nothing follows c and it has no back-off weight");
    assert_eq!(after(&["never"]), model.null());
    assert_eq!(after(&["c", "a", "b"]), after(&["b", "b", "a", "b"]));
    assert_eq!(after(&["a", "b"]).length(), 2);
    assert_eq!(after(&["c", "b"]).length(), 1, "the back-off weight of b");
    assert_eq!(after(&["a"]).length(), 1, "`<s> a` is in the model, but no longer n-gram and no weight needs it");
    assert_ne!(model.begin(), model.null());
    assert!(std::mem::size_of_val(&model.begin()) <= 44);
}
