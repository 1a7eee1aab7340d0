//! TER's own tokeniser, that of Tercom.

use super::isolate;
use super::western::{is_punctuation, unescape, western_stops};
use crate::ter::options::TerOptions;

/// The line as TER sees it: lower-cased, normalised, without punctuation, by the options.
pub(crate) fn tercom(line: &str, options: &TerOptions) -> String {
    let mut line = if options.case_sensitive { line.to_owned() } else { line.to_lowercase() };
    if options.normalized {
        line = normalize(&line);
        if options.asian_support {
            line = isolate(&line, |c| is_asian(c) || is_asian_punctuation(c));
        }
    }
    if options.no_punct {
        line.retain(|c| !matches!(c, '.' | ',' | '?' | ':' | ';' | '!' | '"' | '(' | ')'));
        if options.asian_support {
            line.retain(|c| !is_asian_punctuation(c));
        }
    }
    line
}

/// Undoes entities and splits off Western punctuation, as `13a` does, and the genitive `'s` before a space.
///
/// Tercom's rules for runs of kana apply at the very beginning of a line only, where there always is a space by then:
/// they never do anything, so they are not here.
fn normalize(line: &str) -> String {
    let line = line.replace("\n-", "").replace('\n', " ");
    let line = isolate(&format!(" {} ", unescape(&line)), is_punctuation);
    western_stops(&line.replace("'s ", " 's "))
}

/// Ideographs and other characters that become words of their own.
fn is_asian(c: char) -> bool {
    matches!(c,
        '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' // unified ideographs and extension A
        | '\u{31c0}'..='\u{31ef}' | '\u{2e80}'..='\u{2eff}' // strokes, radicals
        | '\u{3300}'..='\u{33ff}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' // compatibility
        | '\u{3200}'..='\u{3f22}') // enclosed letters; the original's upper bound, 32ff was meant
}

/// Punctuation of Chinese and Japanese, and full-width forms of Western punctuation.
fn is_asian_punctuation(c: char) -> bool {
    matches!(c,
        '\u{3001}' | '\u{3002}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}' | '\u{ff61}'..='\u{ff65}' | '\u{30fb}'
        | '．' | '，' | '？' | '：' | '；' | '！' | '＂' | '（' | '）')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pytext::words;

    fn tokens(line: &str, options: TerOptions) -> String {
        words(&tercom(line, &options)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn options_apply_one_by_one() {
        let line = "Tom's (1.5) „x“, 中文。 ok!";
        assert_eq!(tokens(line, TerOptions::default()), "tom's (1.5) „x“, 中文。 ok!");
        let normalized = TerOptions { normalized: true, ..TerOptions::default() };
        assert_eq!(tokens(line, normalized), "tom 's ( 1.5 ) „x“ , 中文。 ok !");
        let asian = TerOptions { asian_support: true, ..normalized };
        assert_eq!(tokens(line, asian), "tom 's ( 1.5 ) „x“ , 中 文 。 ok !");
        let bare = TerOptions { no_punct: true, asian_support: true, case_sensitive: true, ..TerOptions::default() };
        assert_eq!(tokens(line, bare), "Tom's 15 „x“ 中文 ok");
    }
}
