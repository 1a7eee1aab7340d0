//! `13a`, mteval-v13a's tokenisation of Western languages, of which `zh` and Tercom share parts.

use std::borrow::Cow;

use super::{Split, isolate, split_pairs};

/// `mteval-v13a`: removes the marks of SGML test sets and undoes its entities, then splits off punctuation.
pub(super) fn v13a(line: &str) -> String {
    // The surrounding spaces let the pair rules see the first and the last character.
    let line = if line.contains(['<', '\n']) {
        Cow::Owned(line.replace("<skipped>", "").replace("-\n", "").replace('\n', " "))
    } else {
        Cow::Borrowed(line)
    };
    western(&format!(" {} ", unescape(&line)))
}

/// Undoes the four entities of SGML, one after the other: `&amp;lt;` becomes `<`.
pub(super) fn unescape(line: &str) -> Cow<'_, str> {
    if line.contains('&') {
        let line = line.replace("&quot;", "\"").replace("&amp;", "&");
        Cow::Owned(line.replace("&lt;", "<").replace("&gt;", ">"))
    } else {
        Cow::Borrowed(line)
    }
}

/// Splits off ASCII punctuation; full stop and comma unless between digits, the hyphen only after a digit.
pub(super) fn western(line: &str) -> String {
    western_stops(&isolate(line, is_punctuation))
}

/// The second half of [`western`].
pub(super) fn western_stops(line: &str) -> String {
    let line = split_pairs(line, Split::OffSecond, |c| !c.is_ascii_digit(), is_stop);
    let line = split_pairs(&line, Split::OffFirst, is_stop, |c| !c.is_ascii_digit());
    split_pairs(&line, Split::OffSecond, |c| c.is_ascii_digit(), |c| c == '-')
}

/// ASCII punctuation that is always a word of its own: all but `'`, `,`, `-`, `.`.
pub(super) fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() && !matches!(c, '\'' | ',' | '-' | '.')
}

/// The marks that also stand within numbers.
fn is_stop(c: char) -> bool {
    matches!(c, '.' | ',')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pytext::words;

    fn tokens(line: &str) -> String {
        words(&v13a(line)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn stops_split_unless_between_digits() {
        assert_eq!(tokens("It cost 1,234.56, he said."), "It cost 1,234.56 , he said .");
        assert_eq!(tokens("5. 6-7 a-b don't"), "5 . 6 - 7 a-b don't");
        assert_eq!(tokens("...und (so) weiter…"), ". . . und ( so ) weiter…");
    }

    #[test]
    fn entities_are_undone_in_mteval_s_order() {
        assert_eq!(tokens("&quot;a&amp;lt;b&quot;"), "\" a < b \"");
        assert_eq!(tokens("<skipped>x"), "x");
    }
}
