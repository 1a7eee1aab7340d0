//! `zh`: Chinese characters one by one, the rest as `13a`.

use super::{isolate, western::western};
use crate::pytext::trim;

/// Isolates every character in [`RANGES`], then tokenises the rest.
pub(super) fn zh(line: &str) -> String {
    western(&isolate(trim(line), is_chinese))
}

/// The characters that sacreBLEU's `zh` regards as Chinese.
///
/// Two ranges of the original are meant to lie beyond the basic plane but are written with four-digit escapes
/// (`\u20000`, `\u2a6d6`), so each bound is a character and a digit, and the comparison of strings makes them what
/// stands in the last two lines here. General punctuation (`“`, `—`, `…`) is split off only because of that, extension
/// B is not.
const RANGES: [(char, char); 21] = [
    ('\u{3400}', '\u{4db5}'), // unified ideographs, extension A
    ('\u{4e00}', '\u{9fbb}'), // unified ideographs
    ('\u{f900}', '\u{fa2d}'), // compatibility ideographs
    ('\u{fa30}', '\u{fa6a}'),
    ('\u{fa70}', '\u{fad9}'),
    ('\u{ff00}', '\u{ffef}'), // full- and half-width forms
    ('\u{2e80}', '\u{2eff}'), // radicals
    ('\u{3000}', '\u{303f}'), // CJK symbols and punctuation
    ('\u{31c0}', '\u{31ef}'), // strokes
    ('\u{2f00}', '\u{2fdf}'), // Kangxi radicals
    ('\u{2ff0}', '\u{2fff}'), // description characters
    ('\u{3100}', '\u{312f}'), // Bopomofo
    ('\u{31a0}', '\u{31bf}'),
    ('\u{fe10}', '\u{fe1f}'), // vertical forms
    ('\u{fe30}', '\u{fe4f}'), // compatibility forms
    ('\u{2600}', '\u{26ff}'), // miscellaneous symbols
    ('\u{2700}', '\u{27bf}'), // dingbats
    ('\u{3200}', '\u{32ff}'), // enclosed letters and months
    ('\u{3300}', '\u{33ff}'), // squared words
    ('\u{2001}', '\u{2a6d}'), // "\u2000" + "0" to "\u2a6d" + "6"
    ('\u{2f81}', '\u{2fa1}'), // "\u2f80" + "0" to "\u2fa1" + "d"
];

fn is_chinese(c: char) -> bool {
    c > '\u{2000}' && RANGES.iter().any(|&(low, high)| (low..=high).contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pytext::words;

    #[test]
    fn ideographs_and_their_punctuation_stand_alone() {
        let tokens = |line| words(&zh(line)).collect::<Vec<_>>().join(" ");
        assert_eq!(tokens("我用iPhone 5.5，“好”吗?"), "我 用 iPhone 5.5 ， “ 好 ” 吗 ?");
        assert_eq!(tokens("\u{20000}\u{20001}…"), "\u{20000}\u{20001} …");
    }
}
