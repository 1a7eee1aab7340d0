//! The `n` best of a sequence of things, and the score that the next one has to beat.

/// Keeps the `capacity` best of numbered things, exactly at each moment: a heap with the worst on top.
#[derive(Debug, Default)]
pub(crate) struct Ranking {
    capacity: usize,
    heap: Vec<(f32, u32)>,
}

impl Ranking {
    /// Empties the ranking, for the `capacity` best.
    pub(crate) fn reset(&mut self, capacity: usize) {
        self.capacity = capacity;
        self.heap.clear();
    }

    /// The score that a newcomer has to exceed.
    #[inline]
    pub(crate) fn threshold(&self) -> f32 {
        if self.heap.len() < self.capacity { f32::NEG_INFINITY } else { self.heap[0].0 }
    }

    /// Adds a thing that is above the threshold; returns the number of the thing that it displaces.
    pub(crate) fn add(&mut self, score: f32, number: u32) -> Option<u32> {
        if self.heap.len() < self.capacity {
            self.heap.push((score, number));
            self.rise(self.heap.len() - 1);
            return None;
        }
        let (_, out) = std::mem::replace(&mut self.heap[0], (score, number));
        self.sink(0);
        Some(out)
    }

    /// If the ranking is full, a newcomer above the threshold takes the place and the number of the worst.
    pub(crate) fn replace_worst(&mut self, score: f32) -> Option<u32> {
        if self.heap.len() < self.capacity {
            return None;
        }
        let number = self.heap[0].1;
        self.heap[0].0 = score;
        self.sink(0);
        Some(number)
    }

    /// The thing `number`, which is in the ranking, gets a better score. It is looked for one by one: rankings are
    /// short, and this happens more rarely than the look at the threshold.
    pub(crate) fn raise(&mut self, score: f32, number: u32) {
        if let Some(at) = self.heap.iter().position(|&(_, other)| other == number) {
            self.heap[at].0 = score;
            self.sink(at);
        }
    }

    /// The things, the best first. The ranking takes nothing more after this.
    pub(crate) fn sort(&mut self) -> &[(f32, u32)] {
        self.heap.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        &self.heap
    }

    fn rise(&mut self, mut at: usize) {
        while at > 0 {
            let above = (at - 1) / 2;
            if !worse(self.heap[at], self.heap[above]) {
                break;
            }
            self.heap.swap(at, above);
            at = above;
        }
    }

    fn sink(&mut self, mut at: usize) {
        loop {
            let left = 2 * at + 1;
            let Some(&child) = self.heap.get(left) else { return };
            let right = self.heap.get(left + 1).is_some_and(|&right| worse(right, child));
            let below = left + usize::from(right);
            if !worse(self.heap[below], self.heap[at]) {
                return;
            }
            self.heap.swap(at, below);
            at = below;
        }
    }
}

/// Among equal scores the later number is the worse one.
fn worse(a: (f32, u32), b: (f32, u32)) -> bool {
    a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)).is_lt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_stay_and_the_threshold_is_the_worst_of_them() {
        let scores: Vec<f32> = (0..200u16).map(|i| f32::from(i * 73 % 101)).collect();
        let mut ranking = Ranking::default();
        ranking.reset(10);
        let mut kept: Vec<(f32, u32)> = Vec::new();
        for (number, &score) in (0..).zip(&scores) {
            if score > ranking.threshold() {
                let out = ranking.add(score, number);
                kept.push((score, number));
                kept.retain(|&(_, number)| Some(number) != out);
            }
            if number % 7 == 0 && !kept.is_empty() {
                let which = number as usize % kept.len();
                kept[which].0 += 0.5;
                ranking.raise(kept[which].0, kept[which].1);
            }
            let mut all = ranking.heap.clone();
            all.sort_by_key(|entry| entry.1);
            kept.sort_by_key(|entry| entry.1);
            assert_eq!(all, kept);
            let worst = kept.iter().map(|entry| entry.0).min_by(f32::total_cmp).unwrap();
            assert_eq!(ranking.threshold(), if kept.len() < 10 { f32::NEG_INFINITY } else { worst });
        }
    }
}
