//! Digits with separators: `1,250.50`, `1.250,50`, `1 250,50`, `3.5`, `1.2.3`.

use super::decimal::Decimal;
use super::tokens::{Kind, Token, is_apostrophe};

/// Digits with separators between them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Chain {
    /// The token after it.
    pub(super) end: usize,
    /// Its possible values: one number, or several.
    pub(super) readings: Vec<Vec<Decimal>>,
}

/// The chain of digits that begins with the digits at a token.
pub(super) fn chain(tokens: &[Token<'_>], at: usize) -> Chain {
    let digits = |at: usize| tokens.get(at).and_then(Token::digits);
    let mut groups = vec![digits(at).unwrap_or_default()];
    let mut separators = Vec::new();
    let mut end = at + 1;
    while let Some(token) = tokens.get(end) {
        let separator = match token.kind {
            // A number with other separators ends at a blank, so the last separator is like all of them.
            Kind::Digits if token.spaced && is_group_after_blank(&groups, &separators, &token.text) => ' ',
            Kind::Sign(sign @ ('.' | ',')) if !token.spaced => sign,
            Kind::Sign(sign) if !token.spaced && is_apostrophe(sign) => '\'',
            _ => break,
        };
        let next = end + usize::from(separator != ' ');
        let Some(group) = digits(next).filter(|_| separator == ' ' || !tokens[next].spaced) else { break };
        separators.push(separator);
        groups.push(group);
        end = next + 1;
    }
    Chain { end, readings: readings(&groups, &separators) }
}

fn is_group_after_blank(groups: &[&str], separators: &[char], group: &str) -> bool {
    let first = groups[0];
    group.len() == 3
        && separators.last().is_none_or(|&separator| separator == ' ')
        && first.len() <= 3
        && !first.starts_with('0')
}

/// The possible values of groups of digits. There is one separator fewer than groups.
fn readings(groups: &[&str], separators: &[char]) -> Vec<Vec<Decimal>> {
    let apart = || groups.iter().map(|group| Decimal::new(group, "")).collect::<Vec<_>>();
    let Some((&last, before)) = separators.split_last() else { return vec![apart()] };
    let fraction = groups[groups.len() - 1];
    let mut readings = Vec::new();
    if separators.iter().all(|&separator| separator == last) && are_thousands(groups) {
        readings.push(vec![Decimal::new(&groups.concat(), "")]);
    }
    let whole = &groups[..groups.len() - 1];
    let grouped = before.first().is_none_or(|&first| {
        first != last && before.iter().all(|&separator| separator == first) && are_thousands(whole)
    });
    if matches!(last, '.' | ',') && grouped {
        readings.push(vec![Decimal::new(&whole.concat(), fraction)]);
    }
    if readings.is_empty() || last == ' ' {
        readings.push(apart());
    }
    readings
}

/// The reading of one sign between digits where the decimal sign of the language is known: `1.200 W` are 1200 watts in
/// German, and little more than one in English.
pub(super) fn in_notation(readings: Vec<Vec<Decimal>>, tokens: &[Token<'_>], decimal: char) -> Vec<Vec<Decimal>> {
    match (&readings[..], tokens) {
        ([grouped, fraction], [_, sign, _]) if matches!(sign.kind, Kind::Sign('.' | ',')) => {
            vec![if sign.is_sign(decimal) { fraction.clone() } else { grouped.clone() }]
        }
        _ => readings,
    }
}

/// Whether these are the groups of a large number. India has groups of two digits before the last one.
fn are_thousands(groups: &[&str]) -> bool {
    let (first, rest) = (groups[0], &groups[1..]);
    let Some((last, middle)) = rest.split_last() else { return true };
    let equal = |size: usize| middle.iter().all(|group| group.len() == size);
    (1..=3).contains(&first.len()) && last.len() == 3 && (equal(3) || (equal(2) && first.len() <= 2))
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    fn numbers(text: &str) -> Vec<Vec<Decimal>> {
        chain(&tokens(text), 0).readings
    }

    #[test]
    fn notations_are_one_number() {
        let amount = vec![vec![Decimal::new("1250", "5")]];
        for text in ["1,250.50", "1.250,50", "1 250,50", "1\u{202f}250.5", "1'250.50", "1’250,5", "1250.50", "1250,5"]
        {
            assert_eq!(numbers(text), amount, "{text}");
        }
        for text in ["1,250,000", "1.250.000", "1'250'000", "12,50,000"] {
            assert_eq!(numbers(text), [[Decimal::from(1_250_000)]], "{text}");
        }
    }

    #[test]
    fn doubts_are_several_readings() {
        let (grouped, decimal) = (vec![Decimal::from(1250)], vec![Decimal::new("1", "25")]);
        assert_eq!(numbers("1.250"), [grouped.clone(), decimal.clone()]);
        assert_eq!(numbers("1,250"), [grouped.clone(), decimal]);
        assert_eq!(numbers("1 250"), [grouped, vec![Decimal::from(1), Decimal::from(250)]]);
        assert_eq!(numbers("3.5"), [[Decimal::new("3", "5")]]);
        assert_eq!(numbers("1.2.3"), [[1, 2, 3].map(Decimal::from).to_vec()]);
        assert_eq!(numbers("10, 20"), [[Decimal::from(10)]]);
    }
}
