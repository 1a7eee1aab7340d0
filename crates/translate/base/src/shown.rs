//! Foreign text in messages.

/// The longest text that a message repeats, in characters.
const LONGEST: usize = 60;

/// Text from outside as messages repeat it: a long one is shortened in its middle, and control characters, which could
/// break or colour a line, are blanks.
#[must_use]
pub fn shown(text: &str) -> String {
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    let length = text.chars().take(LONGEST + 1).count();
    if length <= LONGEST {
        return text.chars().map(visible).collect();
    }
    let end: Vec<char> = text.chars().rev().take(LONGEST / 4).collect();
    let start = text.chars().take(LONGEST - LONGEST / 4 - 1);
    start.chain(['…']).chain(end.into_iter().rev()).map(visible).collect()
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn long_text_is_shortened() {
        assert_eq!(shown("a short\ntext"), "a short text");
        assert_eq!(shown(&"ä".repeat(60)), "ä".repeat(60));
        let long = format!("{}{}", "a".repeat(1 << 20), "b".repeat(1 << 20));
        assert_eq!(shown(&long), format!("{}…{}", "a".repeat(44), "b".repeat(15)));
    }
}
