//! The normalisation rules of translation models: NFKC as a table of longest matches, and some additional rules.
//!
//! Which rules `nmt_nfkc` has is documented at
//! <https://github.com/google/sentencepiece/blob/master/doc/normalization.md>. The table is made from Unicode's data
//! when it is needed; it differs from one compiled earlier by the characters that Unicode got in between.

use super::super::charsmap;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfkd_quick};

/// The characters that become a blank, in addition to NFKC's spaces: controls that part lines or columns, marks without
/// a width, U+2581 that pieces use for blanks, and the sign for broken text.
const BLANKS: &str =
    "\t\n\u{C}\r\u{61C}\u{1680}\u{200B}\u{200C}\u{200E}\u{200F}\u{2028}\u{2029}\u{2581}\u{FEFF}\u{FFFD}";

/// From a text to its replacement.
type Rules = BTreeMap<String, String>;

/// The table in the form that model files have it in, made once. `None` if it outgrew the form, which Unicode's does
/// not.
pub(super) fn charsmap() -> Option<&'static [u8]> {
    static TABLE: LazyLock<Option<Vec<u8>>> = LazyLock::new(|| charsmap::compile(&rules()));
    TABLE.as_deref()
}

fn rules() -> Rules {
    let mut rules = nfkc_rules();
    rules.extend(BLANKS.chars().map(|c| (c.into(), " ".to_owned())));
    let vanish = |c: &char| !BLANKS.contains(*c);
    rules.extend(('\u{1}'..='\u{1F}').filter(vanish).map(|c| (c.into(), String::new())));
    rules.extend(['\u{7F}', '\u{8F}', '\u{9F}'].map(|c| (c.into(), String::new())));
    // Japanese uses the wide tilde differently from the narrow one.
    rules.remove("\u{FF5E}");
    without_redundant(rules)
}

/// NFKC of each character, and of each sequence that NFKC composes: every way to write a decomposition.
fn nfkc_rules() -> Rules {
    let mut rules = Rules::new();
    let mut decompositions = BTreeSet::new();
    // The other characters that decompose to a character.
    let mut sources: HashMap<char, Vec<char>> = HashMap::new();
    let decomposes = |&c: &char| is_nfkd_quick(std::iter::once(c)) != IsNormalized::Yes;
    for c in ('\u{1}'..=char::MAX).filter(decomposes) {
        let nfkc: String = c.nfkc().collect();
        let nfkd: String = c.nfkd().collect();
        let mut chars = nfkd.chars();
        if let (Some(only), None) = (chars.next(), chars.next()) {
            sources.entry(only).or_default().push(c);
        } else {
            decompositions.insert(nfkd);
        }
        if !nfkc.chars().eq([c]) {
            rules.insert(c.into(), nfkc);
        }
    }
    for nfkd in decompositions {
        let nfkc: String = nfkd.nfkc().collect();
        if nfkc == nfkd {
            continue;
        }
        for written in spellings(&nfkd, &sources) {
            if written != nfkc {
                rules.insert(written, nfkc.clone());
            }
        }
    }
    rules
}

/// Every string whose characters decompose to those of `nfkd` one by one.
fn spellings(nfkd: &str, sources: &HashMap<char, Vec<char>>) -> Vec<String> {
    let mut spellings = vec![String::new()];
    for c in nfkd.chars() {
        let sources: Vec<char> = sources.get(&c).into_iter().flatten().copied().chain([c]).collect();
        let longer = |start: &String| sources.iter().map(|&source| format!("{start}{source}")).collect::<Vec<_>>();
        spellings = spellings.iter().flat_map(longer).collect();
    }
    spellings
}

/// Leaves out the rules for several characters that shorter rules do the work of.
fn without_redundant(rules: Rules) -> Rules {
    let mut by_length: BTreeMap<usize, Vec<(String, String)>> = BTreeMap::new();
    for (from, to) in rules {
        by_length.entry(from.chars().count()).or_default().push((from, to));
    }
    let mut kept: HashMap<String, String> = HashMap::new();
    for (length, rules) in by_length {
        // Rules of one length are independent of each other.
        let needed = rules.into_iter().filter(|(from, to)| length == 1 || apply(&kept, from) != *to);
        let needed: Vec<_> = needed.collect();
        kept.extend(needed);
    }
    kept.into_iter().collect()
}

/// `text` by the longest matches of `rules`, from left to right.
fn apply(rules: &HashMap<String, String>, text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
        let rule = ends.into_iter().find_map(|end| Some((rules.get(&rest[..end])?, end)));
        match rule {
            Some((to, end)) => {
                out.push_str(to);
                rest = &rest[end..];
            }
            None => {
                out.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::super::charsmap::CharsMap;
    use super::*;

    #[test]
    fn the_table_composes_and_cleans() {
        let map = CharsMap::parse(charsmap().unwrap()).unwrap();
        let rule = |text: &str| {
            let found = map.longest_rule(text.as_bytes());
            found.map(|(length, to)| (length, String::from_utf8(to.to_vec()).unwrap()))
        };
        let is = |text: &str, to: &str| assert_eq!(rule(text), Some((text.len(), to.to_owned())), "{text:?}");
        is("ﬁ", "fi");
        is("Ａ", "A");
        is("a\u{308}", "ä");
        is("ａ\u{308}", "ä");
        is("\u{1112}\u{1161}\u{11AB}", "한");
        is("\u{3000}", " ");
        is("\t", " ");
        is("\u{7}", "");
        is("▁", " ");
        for same in ["a", "ä", "ß", "～", "\u{200D}", "漢"] {
            assert_eq!(rule(same), None, "{same:?}");
        }
    }
}
