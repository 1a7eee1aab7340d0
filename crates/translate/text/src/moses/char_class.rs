//! Which character belongs to which class, by table.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// The code points of each class.
const RANGES: &str = include_str!("char_classes.txt");

/// A set of character classes, one bit each.
pub(super) type Classes = u16;

pub(super) const LETTER: Classes = 1;
pub(super) const INDIC_MARK: Classes = 1 << 1;
pub(super) const DIGIT: Classes = 1 << 2;
/// Numbers of any kind, fractions and Roman numerals included; not a superset of [`DIGIT`].
pub(super) const NUMBER: Classes = 1 << 3;
pub(super) const LOWER: Classes = 1 << 4;
pub(super) const CURRENCY: Classes = 1 << 5;
pub(super) const CASED: Classes = 1 << 6;
pub(super) const HAN: Classes = 1 << 7;
pub(super) const HANGUL: Classes = 1 << 8;
pub(super) const KANA: Classes = 1 << 9;

/// Whether `c` belongs to one of `classes`.
pub(super) fn is(c: char, classes: Classes) -> bool {
    TABLE.classes(c) & classes != 0
}

/// White space as Python's `str.split` sees it: Unicode's, and the four ASCII separators.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// The words of `line` between [white space](is_space).
pub(super) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(is_space).filter(|word| !word.is_empty())
}

/// Scripts that are written without spaces, Korean included, as the detokeniser counts them.
pub(crate) fn is_cjk(c: char) -> bool {
    matches!(u32::from(c),
        0x1100..=0x11ff | 0x2e80..=0xa4cf | 0xa840..=0xa87f | 0xac00..=0xd7af | 0xf900..=0xfaff
        | 0xfe30..=0xfe4f | 0xff65..=0xffdc | 0x17000..=0x18aff | 0x1b000..=0x1b12f
        | 0x1b170..=0x1b2ff | 0x20000..=0x2ffff)
}

/// Two stages: the page of 256 code points, then the classes of each; equal pages are shared.
struct Table {
    page_of: Vec<u16>,
    pages: Vec<[Classes; PAGE]>,
}

const PAGE: usize = 256;
const CODE_POINTS: usize = 0x11_0000;

static TABLE: LazyLock<Table> = LazyLock::new(Table::new);

/// The classes by their names in [`RANGES`].
const NAMES: [(&str, Classes); 10] = [
    ("letter", LETTER),
    ("indic-mark", INDIC_MARK),
    ("digit", DIGIT),
    ("number", NUMBER),
    ("lower", LOWER),
    ("currency", CURRENCY),
    ("cased", CASED),
    ("han", HAN),
    ("hangul", HANGUL),
    ("kana", KANA),
];

/// All ranges of code points, each with its class.
fn ranges() -> impl Iterator<Item = (Classes, RangeInclusive<usize>)> {
    RANGES.lines().filter(|line| !line.starts_with('#')).flat_map(|line| {
        let (name, ranges) = line.split_once(' ').expect("a class and its ranges");
        let (_, class) = NAMES.into_iter().find(|&(known, _)| known == name).expect("the name of a class");
        ranges.split(' ').map(move |range| {
            let (first, last) = range.split_once('-').expect("first and last code point");
            let code = |hex| usize::from_str_radix(hex, 16).expect("a code point");
            (class, code(first)..=code(last))
        })
    })
}

impl Table {
    fn new() -> Self {
        let mut flat = vec![0; CODE_POINTS];
        for (class, range) in ranges() {
            flat[range].iter_mut().for_each(|classes| *classes |= class);
        }
        let mut seen = HashMap::new();
        let mut pages = Vec::new();
        let (whole, _) = flat.as_chunks::<PAGE>();
        let page_of = whole
            .iter()
            .map(|page| {
                *seen.entry(page).or_insert_with(|| {
                    pages.push(*page);
                    // At most 0x1100 pages, so the number fits.
                    (pages.len() - 1) as u16
                })
            })
            .collect();
        Self { page_of, pages }
    }

    fn classes(&self, c: char) -> Classes {
        let code = c as usize;
        self.pages[usize::from(self.page_of[code / PAGE])][code % PAGE]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_holds_every_range() {
        for (class, range) in ranges() {
            for &code in [range.start(), range.end()] {
                let c = char::from_u32(code as u32).expect("ranges avoid surrogates");
                assert!(is(c, class), "{code:x}");
            }
        }
        assert!(!is('-', LETTER | DIGIT | NUMBER));
        assert!(is('½', NUMBER) && !is('½', DIGIT));
        assert!(!is('\u{10ffff}', Classes::MAX));
    }

    #[test]
    fn words_are_python_words() {
        let found: Vec<_> = words(" a\u{1c}b\u{a0}c\u{3000}\u{200b}d\t").collect();
        assert_eq!(found, ["a", "b", "c", "\u{200b}d"]);
    }
}
