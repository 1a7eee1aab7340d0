//! One alignment from those of the two directions.

use crate::{Alignment, Link};
use std::str::FromStr;

/// How the alignments of the two directions become one (Koehn, Och and Marcu 2003).
///
/// In the *forward* alignment each target word has at most one link, in the *backward* one each source word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Symmetrization {
    /// The forward alignment alone.
    Forward,
    /// The backward alignment alone.
    Backward,
    /// Links of both.
    Intersection,
    /// Links of either.
    Union,
    /// The intersection, and links of the union that touch it, diagonally too, if one of their words has no link yet.
    GrowDiag,
    /// As `GrowDiag`, and then links of the union of which one word has no link yet.
    GrowDiagFinal,
    /// As `GrowDiag`, and then links of the union of which both words have no link yet.
    #[default]
    GrowDiagFinalAnd,
}

/// Names, as the Moses scripts and `atools` have them.
const NAMES: [(&str, Symmetrization); 7] = [
    ("forward", Symmetrization::Forward),
    ("backward", Symmetrization::Backward),
    ("intersection", Symmetrization::Intersection),
    ("union", Symmetrization::Union),
    ("grow-diag", Symmetrization::GrowDiag),
    ("grow-diag-final", Symmetrization::GrowDiagFinal),
    ("grow-diag-final-and", Symmetrization::GrowDiagFinalAnd),
];

impl Symmetrization {
    /// The names that [`FromStr`] knows.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// One alignment for a pair of sentences with `source` and `target` words. All links are inside the sentences.
    pub(crate) fn apply(self, forward: Vec<Link>, backward: Vec<Link>, source: usize, target: usize) -> Alignment {
        let mut grid = Grid::new(&forward, &backward, source, target);
        match self {
            Self::Forward => return forward.into_iter().collect(),
            Self::Backward => return backward.into_iter().collect(),
            Self::Union => return forward.into_iter().chain(backward).collect(),
            Self::Intersection => {}
            Self::GrowDiag => grid.grow(),
            Self::GrowDiagFinal => {
                grid.grow();
                grid.add_final([forward, backward], |source, target| !source || !target);
            }
            Self::GrowDiagFinalAnd => {
                grid.grow();
                grid.add_final([forward, backward], |source, target| !source && !target);
            }
        }
        grid.chosen.into_iter().collect()
    }
}

impl FromStr for Symmetrization {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, method)| *method).ok_or_else(|| {
            let names: Vec<&str> = Self::names().collect();
            format!("expected one of {}", names.join(", "))
        })
    }
}

/// The links chosen so far, and the links that can still be chosen.
struct Grid {
    target: usize,
    /// Whether a link is in the union and not chosen, source × target.
    open: Vec<bool>,
    chosen: Vec<Link>,
    /// Whether a word has a link.
    source_linked: Vec<bool>,
    target_linked: Vec<bool>,
}

impl Grid {
    fn new(forward: &[Link], backward: &[Link], source: usize, target: usize) -> Self {
        let mut grid = Self {
            target,
            open: vec![false; source * target],
            chosen: Vec::new(),
            source_linked: vec![false; source],
            target_linked: vec![false; target],
        };
        for &link in forward {
            let at = grid.at(link);
            grid.open[at] = true;
        }
        for &link in backward {
            let at = grid.at(link);
            if grid.open[at] {
                grid.choose(link);
            } else {
                grid.open[at] = true;
            }
        }
        grid.chosen.sort_unstable();
        grid
    }

    fn at(&self, link: Link) -> usize {
        link.source as usize * self.target + link.target as usize
    }

    fn choose(&mut self, link: Link) {
        let at = self.at(link);
        self.open[at] = false;
        self.source_linked[link.source as usize] = true;
        self.target_linked[link.target as usize] = true;
        self.chosen.push(link);
    }

    /// Neighbours of each link, also of those added meanwhile: first the horizontal and vertical ones, then the
    /// diagonal ones. A link that was refused can not be taken later, as words only gain links; so one pass is enough.
    fn grow(&mut self) {
        const NEIGHBOURS: [(i64, i64); 8] = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)];
        let mut next = 0;
        while let Some(&link) = self.chosen.get(next) {
            next += 1;
            for (down, right) in NEIGHBOURS {
                let inside = |at: u32, step: i64, length: usize| {
                    u32::try_from(i64::from(at) + step).ok().filter(|&at| (at as usize) < length)
                };
                let source = inside(link.source, down, self.source_linked.len());
                let target = inside(link.target, right, self.target);
                let (Some(source), Some(target)) = (source, target) else { continue };
                let link = Link { source, target };
                let free = !self.source_linked[source as usize] || !self.target_linked[target as usize];
                if free && self.open[self.at(link)] {
                    self.choose(link);
                }
            }
        }
    }

    /// Links of one direction after the other that `wanted(source word has a link, target word has a link)`.
    fn add_final(&mut self, directions: [Vec<Link>; 2], wanted: impl Fn(bool, bool) -> bool) {
        for mut links in directions {
            links.sort_unstable();
            for link in links {
                let linked = (self.source_linked[link.source as usize], self.target_linked[link.target as usize]);
                if self.open[self.at(link)] && wanted(linked.0, linked.1) {
                    self.choose(link);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(text: &str) -> Vec<Link> {
        text.parse::<Alignment>().unwrap().links().to_vec()
    }

    /// `1-0` and `1-2` touch a link and give a word its first one, `3-4` touches none and has two free words, `0-4`
    /// one.
    #[test]
    fn each_method_adds_what_it_promises() {
        let (forward, backward) = ("0-0 1-1 1-2 3-4", "0-0 1-1 2-1 0-4");
        for (name, expected) in [
            ("forward", forward),
            ("backward", "0-0 0-4 1-1 2-1"),
            ("intersection", "0-0 1-1"),
            ("union", "0-0 0-4 1-1 1-2 2-1 3-4"),
            ("grow-diag", "0-0 1-1 1-2 2-1"),
            ("grow-diag-final", "0-0 1-1 1-2 2-1 3-4"),
            ("grow-diag-final-and", "0-0 1-1 1-2 2-1 3-4"),
        ] {
            let method: Symmetrization = name.parse().unwrap();
            assert_eq!(method.apply(links(forward), links(backward), 4, 5).to_string(), expected, "{name}");
        }
        let method = Symmetrization::GrowDiagFinal;
        assert_eq!(method.apply(links("0-0"), links("0-0 1-0"), 3, 5).to_string(), "0-0 1-0");
        assert_eq!(method.apply(links("0-0"), links("0-0 2-0"), 3, 5).to_string(), "0-0 2-0");
        let method = Symmetrization::GrowDiagFinalAnd;
        assert_eq!(method.apply(links("0-0"), links("0-0 2-0"), 3, 5).to_string(), "0-0");
        assert!("grow".parse::<Symmetrization>().unwrap_err().contains("grow-diag-final-and"));
    }
}
