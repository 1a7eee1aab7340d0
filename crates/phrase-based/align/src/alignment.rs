//! Links between the words of a sentence pair, and their text form `0-0 1-2`.

use crate::{Error, Pair};
use metaphrase_base::shown;
use std::fmt;
use std::str::FromStr;

/// Positions in a sentence are below this.
pub(crate) const LONGEST: u32 = 1 << 24;

/// Source word `source` and target word `target` translate each other; both are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    /// Position in the source sentence.
    pub source: u32,
    /// Position in the target sentence.
    pub target: u32,
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.source, self.target)
    }
}

impl FromStr for Link {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let position = |digits: &str| digits.parse().ok().filter(|&at: &u32| at < LONGEST);
        let link = text.split_once('-').and_then(|(s, t)| Some(Self { source: position(s)?, target: position(t)? }));
        link.ok_or_else(|| Error::Link { found: shown(text) })
    }
}

/// The links of a sentence pair: distinct, ordered by source and then target position. Its text form is Pharaoh's,
/// `0-0 1-2`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Alignment {
    links: Vec<Link>,
}

impl Alignment {
    /// The links in order.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Whether this link is there.
    #[must_use]
    pub fn contains(&self, link: Link) -> bool {
        self.links.binary_search(&link).is_ok()
    }

    /// Whether every link is inside the sentence pair.
    ///
    /// # Errors
    /// [`Error::LinkOutside`] names the first that is not.
    pub fn check(&self, pair: Pair<'_>) -> Result<(), Error> {
        let (source_words, target_words) = (pair.source.len(), pair.target.len());
        let outside = |link: &&Link| link.source as usize >= source_words || link.target as usize >= target_words;
        match self.links.iter().find(outside) {
            Some(link) => Err(Error::LinkOutside { link: link.to_string(), source_words, target_words }),
            None => Ok(()),
        }
    }
}

impl FromIterator<Link> for Alignment {
    fn from_iter<I: IntoIterator<Item = Link>>(links: I) -> Self {
        let mut links: Vec<Link> = links.into_iter().collect();
        links.sort_unstable();
        links.dedup();
        Self { links }
    }
}

impl FromStr for Alignment {
    type Err = Error;

    fn from_str(line: &str) -> Result<Self, Error> {
        line.split_ascii_whitespace().map(str::parse).collect()
    }
}

impl fmt::Display for Alignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, link) in self.links.iter().enumerate() {
            write!(f, "{}{link}", if n == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_links_are_the_same() {
        let alignment: Alignment = " 3-1 0-0\t0-2 3-1 ".parse().unwrap();
        assert_eq!(alignment.to_string(), "0-0 0-2 3-1");
        assert!(
            alignment.contains(Link { source: 3, target: 1 }) && !alignment.contains(Link { source: 1, target: 3 })
        );
        assert_eq!("".parse::<Alignment>().unwrap(), Alignment::default());
    }

    #[test]
    fn what_is_no_link_is_named() {
        for text in ["1", "1-", "-1-2", "a-b", "1–2", "0-16777216", "0-99999999999999999999", "1-2-3"] {
            let error = text.parse::<Alignment>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("'{text}' is no link; expected ")), "{error}");
        }
    }
}
