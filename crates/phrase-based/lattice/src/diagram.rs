//! Lattices for people to look at.
//!
//! A lattice has a state for each thing that a search distinguishes. A person wants to see where translations differ.
//! So a diagram draws equal beginnings of translations once, and equal rests once: states with the same arcs before
//! them become one, then states with the same arcs after them. Every path stays a path; the probability of an arc is
//! the sum of those of the arcs that it stands for.

use crate::Lattice;
use crate::probability::ln_sum;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A graph of words with their probabilities. Arcs lead to later states; state 0 is the start, the last state the end.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagram {
    states: usize,
    arcs: Vec<DiagramArc>,
}

/// An arc of a [`Diagram`].
#[derive(Debug, Clone, PartialEq)]
pub struct DiagramArc {
    /// The state that it leaves.
    pub from: usize,
    /// The state that it leads to; `None`: the search went no further.
    pub to: Option<usize>,
    /// Its word; empty: no word.
    pub text: String,
    /// Natural logarithm of the probability of the hypotheses that take it.
    pub ln_mass: f64,
    /// Whether it is on the path of the best translation.
    pub best: bool,
}

impl Diagram {
    /// A diagram of these arcs as they are.
    ///
    /// # Panics
    /// If an arc leads to an earlier state or to one that does not exist.
    #[must_use]
    pub fn new(states: usize, arcs: Vec<DiagramArc>) -> Self {
        let fits = |arc: &DiagramArc| arc.to.map_or(arc.from < states, |to| arc.from < to && to < states);
        assert!(arcs.iter().all(fits), "arcs lead to later states");
        Self { states, arcs }
    }

    /// The arcs of a lattice that at least a share of `least` of its translations take, and those of its best
    /// translation. The mass of an arc is its posterior, scores being multiplied by `scale`. `None` if no path has a
    /// finite score.
    #[must_use]
    pub fn from_lattice(lattice: &Lattice, scale: f64, least: f64) -> Option<Self> {
        let posteriors = lattice.posteriors(scale)?;
        let mut arcs = Vec::new();
        let best: BTreeSet<usize> = lattice.best_path().collect();
        let kept = lattice.kept(&posteriors, least);
        for (number, (arc, posterior)) in lattice.arcs().iter().zip(&posteriors).enumerate().filter(|(n, _)| kept[*n]) {
            arcs.push(DiagramArc {
                from: arc.from.index(),
                to: Some(arc.to.index()),
                text: arc.word.map_or("", |word| lattice.word(word)).to_owned(),
                ln_mass: posterior.ln(),
                best: best.contains(&number),
            });
        }
        Some(Self { states: lattice.states(), arcs }.merged())
    }

    /// Number of states.
    #[must_use]
    pub fn states(&self) -> usize {
        self.states
    }

    /// The arcs, in the order of the states that they leave.
    #[must_use]
    pub fn arcs(&self) -> &[DiagramArc] {
        &self.arcs
    }

    /// By arc: the probability of its word, given the hypotheses that lead to the state before it.
    #[must_use]
    pub fn shares(&self) -> Vec<f64> {
        let mut masses = vec![f64::NEG_INFINITY; self.states];
        masses[0] = 0.0;
        for arc in &self.arcs {
            if let Some(to) = arc.to {
                masses[to] = ln_sum(masses[to], arc.ln_mass);
            }
        }
        self.arcs.iter().map(|arc| (arc.ln_mass - masses[arc.from]).exp()).collect()
    }

    /// The diagram with states of equal pasts, and then of equal futures, made one.
    #[must_use]
    pub fn merged(self) -> Self {
        let mut merged = self;
        loop {
            let states = merged.states;
            merged = merged.with_pasts_merged().with_futures_merged();
            if merged.states >= states {
                return merged;
            }
        }
    }

    fn with_futures_merged(self) -> Self {
        let mut futures: HashMap<Vec<(&str, usize)>, usize> = HashMap::new();
        let mut groups = vec![0; self.states];
        let leaving = self.by_state(|arc| Some(arc.from));
        for state in (0..self.states - 1).rev() {
            let followed = leaving[state].iter().filter_map(|arc| Some((&*arc.text, groups[arc.to?])));
            let following: BTreeSet<(&str, usize)> = followed.collect();
            let following: Vec<_> = following.into_iter().collect();
            // Group 0 is the end.
            let new = futures.len() + 1;
            groups[state] = match following[..] {
                [("", only)] => only,
                _ => *futures.entry(following).or_insert(new),
            };
        }
        self.grouped(&groups)
    }

    fn with_pasts_merged(self) -> Self {
        // By past, and whether the state is the end.
        let mut pasts: HashMap<_, usize> = HashMap::new();
        let mut groups = vec![0; self.states];
        let coming = self.by_state(|arc| arc.to);
        for state in 1..self.states {
            let before: BTreeSet<(usize, &str)> =
                coming[state].iter().map(|arc| (groups[arc.from], &*arc.text)).collect();
            let new = pasts.len() + 1;
            let ends = state + 1 == self.states;
            groups[state] = *pasts.entry((before, ends)).or_insert(new);
        }
        self.grouped(&groups)
    }

    fn by_state(&self, state: impl Fn(&DiagramArc) -> Option<usize>) -> Vec<Vec<&DiagramArc>> {
        let mut arcs = vec![Vec::new(); self.states];
        for arc in &self.arcs {
            if let Some(state) = state(arc) {
                arcs[state].push(arc);
            }
        }
        arcs
    }

    /// The diagram in which the states of a group are one.
    fn grouped(&self, groups: &[usize]) -> Self {
        let mut sums: BTreeMap<(usize, &str, Option<usize>), (f64, bool)> = BTreeMap::new();
        let mut add = |key, mass, best| {
            let sum = sums.entry(key).or_insert((f64::NEG_INFINITY, false));
            *sum = (ln_sum(sum.0, mass), sum.1 | best);
        };
        // Words that one hypothesis of a group dropped and another one kept are kept.
        let mut kept: HashMap<(usize, &str), usize> = HashMap::new();
        for arc in &self.arcs {
            if let Some(to) = arc.to.map(|to| groups[to]) {
                kept.entry((groups[arc.from], &arc.text)).or_insert(to);
            }
        }
        for arc in &self.arcs {
            let from = groups[arc.from];
            let to = arc.to.map(|to| groups[to]).or_else(|| kept.get(&(from, &*arc.text)).copied());
            if to != Some(from) {
                add((from, &*arc.text, to), arc.ln_mass, arc.best);
            }
        }
        let (start, end) = (groups[0], groups[self.states - 1]);
        let numbers = in_order(start, end, sums.keys().filter_map(|&(from, _, to)| Some((from, to?))));
        let mut arcs: Vec<DiagramArc> = sums
            .iter()
            .filter_map(|(&(from, text, to), &(ln_mass, best))| {
                let (from, to) = (*numbers.get(&from)?, to.and_then(|to| numbers.get(&to).copied()));
                Some(DiagramArc { from, to, text: text.to_owned(), ln_mass, best })
            })
            .collect();
        arcs.sort_by_key(|arc| arc.from);
        Self { states: numbers.len(), arcs }
    }
}

/// Numbers for the states that the start leads to, so that arcs lead to higher numbers. The end is the last.
fn in_order(start: usize, end: usize, arcs: impl Iterator<Item = (usize, usize)>) -> HashMap<usize, usize> {
    let mut following: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut coming: HashMap<usize, usize> = HashMap::new();
    for (from, to) in arcs {
        following.entry(from).or_default().push(to);
        *coming.entry(to).or_default() += 1;
    }
    let (mut numbers, mut ready) = (HashMap::new(), vec![start]);
    while let Some(state) = ready.pop() {
        if state != end || numbers.is_empty() {
            numbers.insert(state, numbers.len());
        }
        for &to in following.get(&state).into_iter().flatten() {
            if let Some(waiting) = coming.get_mut(&to) {
                *waiting -= 1;
                if *waiting == 0 {
                    ready.push(to);
                }
            }
        }
    }
    let count = numbers.len();
    numbers.entry(end).or_insert(count);
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paths of a diagram, each with its words.
    fn paths(diagram: &Diagram, state: usize, before: &str, out: &mut BTreeSet<String>) {
        if state + 1 == diagram.states() {
            out.insert(before.trim_end().to_owned());
        }
        for arc in diagram.arcs().iter().filter(|arc| arc.from == state) {
            if let Some(to) = arc.to {
                paths(diagram, to, &format!("{before}{}{}", arc.text, if arc.text.is_empty() { "" } else { " " }), out);
            }
        }
    }

    fn texts(diagram: &Diagram) -> Vec<String> {
        let mut found = BTreeSet::new();
        paths(diagram, 0, "", &mut found);
        found.into_iter().collect()
    }

    #[test]
    fn equal_beginnings_and_ends_are_drawn_once() {
        // Each translation on states of its own.
        let texts_in = ["the house is old", "the house was old", "this house is old"];
        let mut builder = crate::Builder::default();
        let mut ends = Vec::new();
        for text in texts_in {
            let mut state = builder.start();
            for word in text.split(' ') {
                let next = builder.add_state();
                builder.add_arc(state, next, Some(word), -0.25);
                state = next;
            }
            ends.push(state);
        }
        let end = builder.add_state();
        ends.into_iter().for_each(|state| builder.add_arc(state, end, None, 0.0));
        let diagram = Diagram::from_lattice(&builder.build(), 1.0, 0.0).expect("paths");
        assert_eq!(texts(&diagram), texts_in);
        // `old` leads to the end in all three, and `the house` begins two.
        let arcs = |text: &str| diagram.arcs().iter().filter(|arc| arc.text == text).collect::<Vec<_>>();
        assert_eq!((arcs("old").len(), arcs("the").len()), (1, 1));
        assert!(arcs("old")[0].ln_mass.abs() < 1e-6);
        assert!((arcs("the")[0].ln_mass.exp() - 2.0 / 3.0).abs() < 1e-6);
        assert!(diagram.arcs().iter().filter(|arc| arc.best).count() == 4);
        let was = diagram.arcs().iter().position(|arc| arc.text == "was").expect("an arc");
        assert!((diagram.shares()[was] - 0.5).abs() < 1e-6, "one of two after `the house`");
    }

    #[test]
    fn rare_arcs_are_left_out_and_the_empty_lattice_is_drawn() {
        let [half, rare] = [0.99f32, 0.01].map(f32::ln);
        let lattice = Lattice::from_compact(&format!("3\t0 1 {half} a\t0 1 {rare} b\t1 1 0 c")).expect("a lattice");
        assert_eq!(texts(&Diagram::from_lattice(&lattice, 1.0, 0.0).expect("paths")), ["a c", "b c"]);
        assert_eq!(texts(&Diagram::from_lattice(&lattice, 1.0, 0.1).expect("paths")), ["a c"]);
        let empty = Lattice::from_compact("1").expect("a lattice");
        assert_eq!(Diagram::from_lattice(&empty, 1.0, 0.1).expect("a path").states(), 1);
        let nothing = Lattice::from_compact("2\t0 1 -inf a").expect("a lattice");
        assert_eq!(Diagram::from_lattice(&nothing, 1.0, 0.1), None);
    }

    #[test]
    fn hypotheses_that_were_dropped_do_not_keep_states_apart() {
        let arc =
            |from, to, text: &str, p: f64| DiagramArc { from, to, text: text.into(), ln_mass: p.ln(), best: false };
        let arcs = vec![
            arc(0, Some(1), "a", 0.5),
            arc(0, Some(2), "b", 0.5),
            arc(1, Some(3), "c", 0.25),
            arc(2, Some(3), "c", 0.25),
            arc(1, None, "d", 0.125),
        ];
        let diagram = Diagram::new(4, arcs).merged();
        assert_eq!(diagram.states(), 3);
        let dropped = diagram.arcs().iter().position(|arc| arc.to.is_none()).expect("an arc");
        assert!((diagram.shares()[dropped] - 0.125).abs() < 1e-9);
    }
}
