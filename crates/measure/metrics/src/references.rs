//! The reference translations of a corpus, by line.

use std::fmt;

use crate::Error;

/// One or more references for each line.
///
/// References are given as sets: texts whose line n translates sentence n. They are read by sentence.
#[derive(Debug, Clone)]
pub struct References<'a> {
    /// The references of all sentences, one sentence after the other.
    lines: Vec<&'a str>,
    /// Where the references of each sentence end in `lines`.
    ends: Vec<usize>,
    per_line: ReferenceCount,
}

/// The number of references of a line, `nrefs` in a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceCount {
    /// The number of references of each line.
    Same(usize),
    /// The lines have different numbers of references.
    Varying,
}

impl<'a> References<'a> {
    /// References of sets without gaps; an empty line is an empty reference.
    ///
    /// # Errors
    /// If there is no set or no line, or if sets have different numbers of lines.
    pub fn new<T: AsRef<[S]>, S: AsRef<str> + 'a>(sets: &'a [T]) -> Result<Self, Error> {
        let lengths: Vec<usize> = sets.iter().map(|set| set.as_ref().len()).collect();
        Self::from_fn(&lengths, |set, line| Some(sets[set].as_ref()[line].as_ref()))
    }

    /// References of sets with gaps: a missing reference (`None`) is left out for its line alone.
    ///
    /// # Errors
    /// As [`References::new`], and if a line has no reference.
    pub fn with_missing<T: AsRef<[Option<S>]>, S: AsRef<str> + 'a>(sets: &'a [T]) -> Result<Self, Error> {
        let lengths: Vec<usize> = sets.iter().map(|set| set.as_ref().len()).collect();
        Self::from_fn(&lengths, |set, line| sets[set].as_ref()[line].as_ref().map(AsRef::as_ref))
    }

    /// `get(set, line)` for sets of the given lengths.
    fn from_fn(lengths: &[usize], get: impl Fn(usize, usize) -> Option<&'a str>) -> Result<Self, Error> {
        let &expected = lengths.first().ok_or(Error::NoReferences)?;
        if let Some(set) = lengths.iter().position(|&length| length != expected) {
            return Err(Error::ReferenceLines { set: set + 1, found: lengths[set], expected });
        }
        let mut lines = Vec::with_capacity(expected * lengths.len());
        let mut ends = Vec::with_capacity(expected);
        let mut per_line = None;
        for line in 0..expected {
            let before = lines.len();
            lines.extend((0..lengths.len()).filter_map(|set| get(set, line)));
            ends.push(lines.len());
            let count = lines.len() - before;
            if count == 0 {
                return Err(Error::MissingReference { line: line + 1 });
            }
            per_line = match per_line {
                None => Some(ReferenceCount::Same(count)),
                same if same == Some(ReferenceCount::Same(count)) => same,
                _ => Some(ReferenceCount::Varying),
            };
        }
        let per_line = per_line.ok_or(Error::NoHypotheses)?;
        Ok(Self { lines, ends, per_line })
    }

    /// Number of lines, at least one.
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of references of a line.
    pub fn per_line(&self) -> ReferenceCount {
        self.per_line
    }

    /// The references of each line in turn, at least one each.
    pub fn iter(&self) -> impl Iterator<Item = &[&'a str]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.lines[std::mem::replace(&mut start, end)..end])
    }
}

impl fmt::Display for ReferenceCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same(count) => count.fmt(f),
            Self::Varying => f.write_str("var"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read_by_line() {
        let sets = [["a", "b"], ["c", "d"]];
        let references = References::new(&sets).unwrap();
        assert_eq!(references.iter().collect::<Vec<_>>(), [["a", "c"], ["b", "d"]]);
        assert_eq!(references.per_line(), ReferenceCount::Same(2));
    }

    #[test]
    fn missing_references_make_the_count_vary() {
        let sets = [[Some("a"), Some("b")], [None, Some("")]];
        let references = References::with_missing(&sets).unwrap();
        assert_eq!(references.iter().map(<[&str]>::len).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(references.per_line().to_string(), "var");
    }

    #[test]
    fn sets_that_do_not_fit_are_refused() {
        let none: [Vec<&str>; 0] = [];
        assert_eq!(References::new(&none).unwrap_err(), Error::NoReferences);
        assert_eq!(References::new(&[Vec::<&str>::new()]).unwrap_err(), Error::NoHypotheses);
        let uneven = [vec!["a", "b"], vec!["c"]];
        assert_eq!(References::new(&uneven).unwrap_err(), Error::ReferenceLines { set: 2, found: 1, expected: 2 });
        let absent = [[Some("a"), None]];
        assert_eq!(References::with_missing(&absent).unwrap_err(), Error::MissingReference { line: 2 });
    }
}
