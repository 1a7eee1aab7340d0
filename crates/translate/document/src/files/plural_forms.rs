//! `Plural-Forms` of gettext: how many plurals a language has, and which of them one thing has.

/// The most plurals that a file may ask for; no language has more than six.
const MOST: usize = 16;

/// The plurals of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PluralForms {
    pub(crate) count: usize,
    /// The number of the plural for one thing.
    pub(crate) one: usize,
}

/// The plurals that a header states: `nplurals=2; plural=(n != 1);`.
pub(crate) fn plural_forms(header: &str) -> Option<PluralForms> {
    let value =
        |name: &str| header.split(';').find_map(|part| part.trim().strip_prefix(name)?.trim_start().strip_prefix('='));
    let count = value("nplurals")?.trim().parse().ok().filter(|count| (1..=MOST).contains(count))?;
    let one = value("plural").and_then(|formula| Formula::new(formula).value()).unwrap_or_default();
    Some(PluralForms { count, one: usize::try_from(one).unwrap_or_default().min(count - 1) })
}

/// An expression of C in which `n` is one.
struct Formula<'f> {
    rest: &'f str,
    /// Brackets and conditions that are open.
    depth: usize,
}

const DEEPEST: usize = 64;

/// Operators from the weakest to the strongest.
const OPERATORS: &[&[&str]] =
    &[&["||"], &["&&"], &["==", "!="], &["<=", ">=", "<", ">"], &["+", "-"], &["*", "/", "%"]];

impl<'f> Formula<'f> {
    fn new(rest: &'f str) -> Self {
        Self { rest, depth: 0 }
    }

    /// The value of the whole expression; `None` if it is none.
    fn value(mut self) -> Option<i64> {
        let value = self.condition()?;
        self.rest.trim().is_empty().then_some(value)
    }

    fn take(&mut self, sign: &str) -> bool {
        match self.rest.trim_start().strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn condition(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let value = self.operation(0)?;
        if !self.take("?") {
            self.depth -= 1;
            return Some(value);
        }
        let yes = self.condition()?;
        let no = if self.take(":") { self.condition()? } else { return None };
        self.depth -= 1;
        Some(if value != 0 { yes } else { no })
    }

    fn operation(&mut self, level: usize) -> Option<i64> {
        let Some(operators) = OPERATORS.get(level) else { return self.operand() };
        let mut left = self.operation(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.take(operator)) {
            let right = self.operation(level + 1)?;
            left = match *operator {
                "||" => i64::from(left != 0 || right != 0),
                "&&" => i64::from(left != 0 && right != 0),
                "==" => i64::from(left == right),
                "!=" => i64::from(left != right),
                "<=" => i64::from(left <= right),
                ">=" => i64::from(left >= right),
                "<" => i64::from(left < right),
                ">" => i64::from(left > right),
                "+" => left.checked_add(right)?,
                "-" => left.checked_sub(right)?,
                "*" => left.checked_mul(right)?,
                "/" => left.checked_div(right)?,
                _ => left.checked_rem(right)?,
            };
        }
        Some(left)
    }

    fn operand(&mut self) -> Option<i64> {
        if self.take("(") {
            let value = self.condition()?;
            return self.take(")").then_some(value);
        }
        if self.take("!") {
            self.depth += 1;
            let value = if self.depth > DEEPEST { None } else { self.operand() };
            return value.map(|value| i64::from(value == 0));
        }
        if self.take("n") {
            return Some(1);
        }
        let rest = self.rest.trim_start();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        self.rest = &rest[digits..];
        rest[..digits].parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_state_plurals() {
        for (header, expected) in [
            ("nplurals=2; plural=(n != 1);", Some((2, 0))),
            ("nplurals=1; plural=0;", Some((1, 0))),
            ("nplurals=4; plural=(n%100==1 ? 1 : n%100==2 ? 2 : n%100==3 || n%100==4 ? 3 : 0);", Some((4, 1))),
            (
                "nplurals=6; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5;",
                Some((6, 1)),
            ),
            ("nplurals=INTEGER; plural=EXPRESSION;", None),
            ("nplurals=1000000000; plural=0;", None),
            ("nplurals=2; plural=n/0", Some((2, 0))),
        ] {
            let found = plural_forms(header).map(|forms| (forms.count, forms.one));
            assert_eq!(found, expected, "{header}");
        }
        assert_eq!(
            plural_forms(&format!("nplurals=2; plural={}", "(!".repeat(100_000))).map(|forms| forms.one),
            Some(0)
        );
    }
}
