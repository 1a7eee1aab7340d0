//! The words of each row so far, as indices into an arena of keys and values.
//!
//! A step writes one *entry* per row: the keys and values of that row in every layer. A row is a list of entries,
//! its parent's and its own. So when search re-orders hypotheses only lists of `u32` are copied, never keys or values.

use crate::ragged::RaggedArray;
use metaphrase_base::{Row, Step, StepRow};

/// The entries that a sentence owns.
#[derive(Debug, Default)]
struct OwnedEntries {
    entries: Vec<u32>,
    /// At this number of owned entries, the entries that no row refers to are collected.
    collect_at: usize,
}

/// Fewer entries than this are not worth a collection.
const COLLECT_FROM: usize = 64;

/// The rows of the last step and the entries of each.
#[derive(Debug, Default)]
pub(super) struct History {
    /// Per row, oldest entry first.
    now: RaggedArray<u32>,
    before: RaggedArray<u32>,
    /// Per row of the last step.
    slots: Vec<usize>,
    /// Per slot.
    owned: Vec<OwnedEntries>,
    free: Vec<u32>,
    /// The number of entries ever in use, free or owned.
    len: usize,
    /// Per entry, used while collecting.
    alive: Vec<bool>,
}

impl History {
    /// Takes in the rows of a call, each with a new entry of its own at the end of its list.
    pub(super) fn advance(&mut self, step: Step, rows: &[StepRow]) {
        if step == Step::New {
            self.collect();
            std::mem::swap(&mut self.now, &mut self.before);
            self.now.clear();
            self.slots.clear();
        }
        for row in rows {
            self.now.begin_row();
            if let Some(parent) = row.parent {
                self.now.extend(entries_of(&self.before, parent.row.index()).iter().copied());
            }
            let slot = row.sentence.index();
            let entry = self.new_entry(slot);
            self.now.extend([entry]);
            self.slots.push(slot);
        }
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.slots.len()
    }

    /// The entries of a row, oldest first; the last is its own.
    pub(super) fn entries(&self, row: Row) -> &[u32] {
        entries_of(&self.now, row.index())
    }

    /// The entry that the last step made for a row.
    pub(super) fn own_entry(&self, row: Row) -> usize {
        let entries = self.entries(row);
        entries[entries.len() - 1] as usize
    }

    /// The number of words before the next one of the row.
    pub(super) fn position(&self, row: Row) -> usize {
        self.entries(row).len() - 1
    }

    /// One more than the largest entry there ever was.
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// Frees the entries of a slot.
    pub(super) fn release(&mut self, slot: usize) {
        if let Some(owned) = self.owned.get_mut(slot) {
            self.free.append(&mut owned.entries);
            owned.collect_at = COLLECT_FROM;
        }
    }

    fn new_entry(&mut self, slot: usize) -> u32 {
        let entry = self.free.pop().unwrap_or_else(|| {
            self.len += 1;
            u32::try_from(self.len - 1).expect("fewer entries than fit in memory")
        });
        if slot >= self.owned.len() {
            self.owned.resize_with(slot + 1, || OwnedEntries { entries: Vec::new(), collect_at: COLLECT_FROM });
        }
        self.owned[slot].entries.push(entry);
        entry
    }

    /// Frees the entries that no row of the last step has, for sentences that own twice as many as after their last
    /// collection. So the work stays in proportion to the number of steps.
    fn collect(&mut self) {
        for (slot, owned) in self.owned.iter_mut().enumerate() {
            if owned.entries.len() < owned.collect_at {
                continue;
            }
            self.alive.clear();
            self.alive.resize(self.len, false);
            for (row, _) in self.slots.iter().enumerate().filter(|(_, of)| **of == slot) {
                entries_of(&self.now, row).iter().for_each(|&entry| self.alive[entry as usize] = true);
            }
            owned.entries.retain(|&entry| {
                let alive = self.alive[entry as usize];
                if !alive {
                    self.free.push(entry);
                }
                alive
            });
            owned.collect_at = COLLECT_FROM.max(2 * owned.entries.len());
        }
    }
}

/// # Panics
/// If there is no such row.
fn entries_of(lists: &RaggedArray<u32>, row: usize) -> &[u32] {
    lists.get(row).expect("a row of this step, or a parent of the step before")
}

#[cfg(test)]
mod tests {
    use super::*;
    use metaphrase_base::{Parent, SentId, WordId};

    fn start(sentence: u32) -> StepRow {
        StepRow { sentence: SentId(sentence), parent: None }
    }

    fn after(sentence: u32, row: u32) -> StepRow {
        StepRow { sentence: SentId(sentence), parent: Some(Parent { row: Row(row), word: WordId(0) }) }
    }

    #[test]
    fn a_row_has_its_parents_entries_and_one_more() {
        let mut history = History::default();
        history.advance(Step::New, &[start(0), start(1)]);
        assert_eq!((history.position(Row(0)), history.position(Row(1))), (0, 0));
        let first = history.entries(Row(1))[0];
        history.advance(Step::New, &[after(1, 1), after(1, 1), start(2)]);
        for row in [0, 1] {
            assert_eq!(history.entries(Row(row))[0], first);
            assert_eq!(history.position(Row(row)), 1);
        }
        assert_ne!(history.entries(Row(0))[1], history.entries(Row(1))[1]);
        assert_eq!(history.position(Row(2)), 0);
    }

    #[test]
    fn released_entries_are_used_again() {
        let mut history = History::default();
        for _ in 0..5 {
            history.advance(Step::New, &[start(3), start(3)]);
            history.release(3);
        }
        assert_eq!(history.len(), 2);
    }

    #[test]
    fn abandoned_hypotheses_leave_no_entries() {
        let mut history = History::default();
        let beam = 8;
        history.advance(Step::New, &[start(0)]);
        history.advance(Step::New, &vec![after(0, 0); beam]);
        for _ in 0..1000 {
            // All rows extend the first one: one entry per step stays alive.
            history.advance(Step::New, &vec![after(0, 0); beam]);
        }
        assert_eq!(history.position(Row(0)), 1001);
        assert!(history.len() < 2 * 1002 + COLLECT_FROM + beam, "{}", history.len());
    }
}
