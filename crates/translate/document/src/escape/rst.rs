//! How characters of text are written in reStructuredText.

/// Appends text without signs: a character that would be one gets a backslash.
pub(super) fn push(out: &mut String, text: &str) {
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let before = out.chars().next_back();
        let starts = before.is_none_or(|c| !c.is_alphanumeric());
        let next = characters.peek();
        let is_sign = match c {
            '\\' | '`' => true,
            '*' | '|' => starts && next.is_none_or(|next| !next.is_whitespace()),
            '_' => !starts && next.is_none_or(|next| !next.is_alphanumeric() && *next != '_'),
            _ => false,
        };
        if is_sign {
            out.push('\\');
        }
        out.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_escaped_where_they_are_signs() {
        let mut written = String::new();
        push(&mut written, "a *b 5 * 3 snake_case name_ `x` |y");
        assert_eq!(written, "a \\*b 5 * 3 snake_case name\\_ \\`x\\` \\|y");
    }
}
