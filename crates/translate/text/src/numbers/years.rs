//! Years: decades, and years of which a text has the last digits.

use super::decimal::Decimal;
use super::tokens::{Kind, Token};

/// Further years that digits may mean: `80s` and `1980s`, `14` in `2010–14`.
pub(super) fn years(tokens: &[Token<'_>], at: usize, digits: &str) -> Vec<Decimal> {
    let Ok(value) = digits.parse::<u64>() else { return Vec::new() };
    let is_decade = tokens.get(at + 1).is_some_and(|token| {
        !token.spaced && matches!(token.word(), Some("s" | "er" | "ern" | "ers" | "'s"))
            || is_apostrophe_s(tokens, at + 1)
    });
    if is_decade && digits.len() == 4 {
        return vec![Decimal::from(value % 100)];
    }
    if is_decade && digits.len() == 2 {
        return [1900, 1800, 2000].map(|century| Decimal::from(century + value)).to_vec();
    }
    let is_dash = |token: &Token<'_>| matches!(token.kind, Kind::Sign('-' | '–' | '—' | '/'));
    let first = at.checked_sub(2).filter(|&first| is_dash(&tokens[first + 1]));
    if let Some(year) = first.and_then(|first| later_year(tokens[first].digits()?, digits)) {
        return vec![year];
    }
    // `'68`, `SS19`
    let apostrophe = at.checked_sub(1).is_some_and(|before| {
        matches!(tokens[before].kind, Kind::Sign('\'' | '’' | '‘') | Kind::Word) && !tokens[at].spaced
    });
    if apostrophe && digits.len() == 2 {
        return [1900, 2000].map(|century| Decimal::from(century + value)).to_vec();
    }
    // The second year of a range, which the other language may cut off.
    if digits.len() == 4 && first.is_some_and(|first| tokens[first].digits().is_some_and(|first| first.len() == 4)) {
        return vec![Decimal::from(value % 100)];
    }
    Vec::new()
}

/// `'s` after digits.
fn is_apostrophe_s(tokens: &[Token<'_>], at: usize) -> bool {
    let glued = |at: usize| tokens.get(at).filter(|token| !token.spaced);
    glued(at).is_some_and(|token| matches!(token.kind, Kind::Sign('\'' | '’')))
        && glued(at + 1).and_then(Token::word) == Some("s")
}

/// The year of the last digits `second` after the year `first`: 2014 for 2010 and 14.
pub(super) fn later_year(first: &str, second: &str) -> Option<Decimal> {
    let is_short = first.len() == 4 && (1..=2).contains(&second.len());
    is_short.then(|| Decimal::new(&format!("{}{second}", &first[..4 - second.len()]), ""))
}
