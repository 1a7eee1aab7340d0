//! The entries of the words so far: which are in use, and by which rows.
//!
//! A row writes one entry of keys and values. Entries are a tree, since a row extends the row before it, and an entry
//! is free again when no row and no other entry needs it. A step costs as much as it has rows, however long these are.

use metaphrase_base::{Step, StepRow};

/// The word of a row.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The entry of the word before, if there is one.
    parent: Option<u32>,
    /// The rows and entries that need it.
    uses: u32,
    /// The number of words before it.
    position: u32,
}

/// All entries, and those of the rows of the last two steps.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    all: Vec<Entry>,
    free: Vec<u32>,
    /// Per row.
    now: Vec<u32>,
    before: Vec<u32>,
}

impl Entries {
    /// Takes in the rows of a call, each with a new entry.
    ///
    /// # Panics
    /// If a parent is not a row of the step before.
    pub(crate) fn advance(&mut self, step: Step, rows: &[StepRow]) {
        if step == Step::New {
            for row in std::mem::take(&mut self.before) {
                self.release(row);
            }
            std::mem::swap(&mut self.now, &mut self.before);
        }
        for row in rows {
            let parent = row.parent.map(|parent| self.before[parent.row.index()]);
            let position = parent.map_or(0, |parent| {
                let parent = &mut self.all[parent as usize];
                parent.uses += 1;
                parent.position + 1
            });
            let entry = Entry { parent, uses: 1, position };
            let place = match self.free.pop() {
                Some(place) => {
                    self.all[place as usize] = entry;
                    place
                }
                None => {
                    self.all.push(entry);
                    u32::try_from(self.all.len() - 1).expect("fewer entries than fit in memory")
                }
            };
            self.now.push(place);
        }
    }

    fn release(&mut self, entry: u32) {
        let mut next = Some(entry);
        while let Some(place) = next {
            let entry = &mut self.all[place as usize];
            entry.uses -= 1;
            if entry.uses > 0 {
                return;
            }
            next = entry.parent;
            self.free.push(place);
        }
    }

    /// Number of rows of the last step.
    pub(crate) fn rows(&self) -> usize {
        self.now.len()
    }

    /// The entry of a row.
    pub(crate) fn entry(&self, row: usize) -> usize {
        self.now[row] as usize
    }

    /// The number of words before the next one of the row.
    pub(crate) fn position(&self, row: usize) -> usize {
        self.all[self.entry(row)].position as usize
    }

    /// One more than the largest entry there ever was.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use metaphrase_base::{Parent, Row, SentId, WordId};

    fn start(sentence: u32) -> StepRow {
        StepRow { sentence: SentId(sentence), parent: None }
    }

    fn after(sentence: u32, row: u32) -> StepRow {
        StepRow { sentence: SentId(sentence), parent: Some(Parent { row: Row(row), word: WordId(0) }) }
    }

    #[test]
    fn an_entry_is_free_when_no_row_needs_it() {
        let mut entries = Entries::default();
        entries.advance(Step::New, &[start(0), start(1)]);
        for position in 1..1000 {
            // Both rows extend the first one: an entry per step stays.
            entries.advance(Step::New, &[after(0, 0), after(0, 0)]);
            assert_eq!((entries.position(0), entries.position(1)), (position, position));
            assert_ne!(entries.entry(0), entries.entry(1));
        }
        assert!(entries.len() < 1005, "{}", entries.len());
        entries.advance(Step::New, &[start(2)]);
        entries.advance(Step::New, &[start(2)]);
        assert_eq!(entries.all.len() - entries.free.len(), 2);
    }

    #[test]
    fn a_step_that_grows_has_the_parents_of_the_step_before() {
        let mut entries = Entries::default();
        entries.advance(Step::New, &[start(0)]);
        entries.advance(Step::New, &[after(0, 0)]);
        entries.advance(Step::Same, &[after(0, 0)]);
        assert_eq!(entries.rows(), 2);
        assert_eq!(entries.all[entries.entry(0)].parent, entries.all[entries.entry(1)].parent);
    }
}
