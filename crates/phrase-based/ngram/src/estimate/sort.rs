//! Sorting more records than memory holds: sorted runs go to temporary files and are merged.

use super::record::{Key, Record};
use crate::LmError;
use metaphrase_base::in_parallel;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Seek, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Records that a sorter holds before it writes to files, if its room is not smaller: more make no sort faster.
const BLOCK: usize = 1 << 19;
/// The part of its records that it holds when there are many: the number of runs grows with the logarithm of their
/// number.
const SHARE: usize = 8;

/// The resources of a sort: folder, memory, threads.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    /// Records that may be in memory.
    pub(crate) records: usize,
    /// Threads that sort.
    pub(crate) threads: usize,
    /// The directory of temporary files.
    pub(crate) folder: PathBuf,
}

/// Takes records in any order.
#[derive(Debug)]
pub(crate) struct Sorter {
    room: Room,
    /// Whether records of the same key are counts to be added up.
    adds_up: bool,
    records: Vec<Record>,
    runs: Vec<File>,
    /// Records in the runs.
    written: usize,
}

impl Sorter {
    pub(crate) fn new(room: &Room) -> Self {
        Self { room: room.clone(), adds_up: false, records: Vec::new(), runs: Vec::new(), written: 0 }
    }

    /// A sorter that adds up the payloads of records with the same key.
    pub(crate) fn adding_up(room: &Room) -> Self {
        Self { adds_up: true, ..Self::new(room) }
    }

    pub(crate) fn push(&mut self, key: Key, payload: u64) -> Result<(), LmError> {
        if self.records.len() >= self.limit() {
            self.make_room()?;
        }
        self.records.push(Record { key, payload });
        Ok(())
    }

    /// Records that are held in memory at most.
    fn limit(&self) -> usize {
        BLOCK.max(self.written / SHARE).min(self.room.records).max(2)
    }

    /// Puts the records in order. Records that do not fit into memory go to files.
    fn make_room(&mut self) -> Result<(), LmError> {
        let limit = self.limit();
        let parts = self.sort();
        // Text repeats itself: adding up alone often makes enough room.
        if self.records.len() > limit / 2 {
            self.written += self.records.len();
            for part in parts {
                self.runs.push(spill(&self.records[part], &self.room.folder)?);
            }
            self.records.clear();
        }
        Ok(())
    }

    /// Sorts a part of the records on each thread, and adds up in it. Where the parts are then.
    fn sort(&mut self) -> Vec<Range<usize>> {
        let part = self.records.len().div_ceil(self.room.threads.max(1)).max(1 << 12);
        let adds_up = self.adds_up;
        let sort = move |records: &mut [Record]| {
            records.sort_unstable_by_key(|record| record.key);
            if adds_up { add_up(records) } else { records.len() }
        };
        let lengths = in_parallel(self.room.threads, self.records.chunks_mut(part), sort);
        let mut end = 0;
        let mut parts = Vec::with_capacity(lengths.len());
        for (i, length) in lengths.into_iter().enumerate() {
            self.records.copy_within(i * part..i * part + length, end);
            parts.push(end..end + length);
            end += length;
        }
        self.records.truncate(end);
        parts
    }

    /// All records in order.
    pub(crate) fn finish(mut self) -> Result<MergedRecords, LmError> {
        let parts = self.sort();
        let mut sources: Vec<Source> = Vec::new();
        for mut run in self.runs {
            run.rewind().map_err(|e| LmError::io(&self.room.folder, "read a temporary file in", e))?;
            sources.push(Source::File(BufReader::with_capacity(1 << 16, run)));
        }
        let records = Rc::new(self.records);
        sources.extend(parts.into_iter().map(|part| Source::Memory(Rc::clone(&records), part)));
        let heads = BinaryHeap::with_capacity(sources.len());
        let mut sorted = MergedRecords { sources, heads, adds_up: self.adds_up, folder: self.room.folder };
        sorted.read_heads().map_err(|e| sorted.cannot_read(e))?;
        Ok(sorted)
    }
}

/// Adds up the counts of records with the same key, which are neighbours, at the front. How many records that leaves.
fn add_up(records: &mut [Record]) -> usize {
    let mut length = 0;
    for i in 0..records.len() {
        let record = records[i];
        if length > 0 && records[length - 1].key == record.key {
            records[length - 1].payload += record.payload;
        } else {
            records[length] = record;
            length += 1;
        }
    }
    length
}

/// Writes a run to a file without a name, which is gone when it is closed.
fn spill(records: &[Record], folder: &Path) -> Result<File, LmError> {
    let write = || -> io::Result<File> {
        let mut writer = BufWriter::with_capacity(1 << 20, tempfile::tempfile_in(folder)?);
        for record in records {
            writer.write_all(&record.to_bytes())?;
        }
        Ok(writer.into_inner()?)
    };
    write().map_err(|e| LmError::io(folder, "write a temporary file in", e))
}

/// The records of several sorted sources, in order; of equal ones those of the first source come first.
#[derive(Debug)]
pub(crate) struct MergedRecords {
    sources: Vec<Source>,
    /// The next record of each source, by key and source.
    heads: BinaryHeap<Reverse<(Key, usize, u64)>>,
    adds_up: bool,
    folder: PathBuf,
}

impl MergedRecords {
    fn read_heads(&mut self) -> io::Result<()> {
        for (i, source) in self.sources.iter_mut().enumerate() {
            self.heads.extend(source.next()?.map(|record| Reverse((record.key, i, record.payload))));
        }
        Ok(())
    }

    fn cannot_read(&self, error: io::Error) -> LmError {
        LmError::io(&self.folder, "read a temporary file in", error)
    }

    /// The next record, if there is one.
    pub(crate) fn next(&mut self) -> Result<Option<Record>, LmError> {
        self.try_next().map_err(|e| self.cannot_read(e))
    }

    fn try_next(&mut self) -> io::Result<Option<Record>> {
        let Some(mut record) = self.pop()? else { return Ok(None) };
        while self.adds_up && self.heads.peek().is_some_and(|Reverse((key, ..))| *key == record.key) {
            record.payload += self.pop()?.map_or(0, |same| same.payload);
        }
        Ok(Some(record))
    }

    fn pop(&mut self) -> io::Result<Option<Record>> {
        let Some(mut head) = self.heads.peek_mut() else { return Ok(None) };
        let Reverse((key, source, payload)) = *head;
        match self.sources[source].next()? {
            Some(next) => *head = Reverse((next.key, source, next.payload)),
            None => drop(std::collections::binary_heap::PeekMut::pop(head)),
        }
        Ok(Some(Record { key, payload }))
    }
}

#[derive(Debug)]
enum Source {
    Memory(Rc<Vec<Record>>, Range<usize>),
    File(BufReader<File>),
}

impl Source {
    fn next(&mut self) -> io::Result<Option<Record>> {
        let mut bytes = [0; Record::SIZE];
        match self {
            Self::Memory(records, rest) => Ok(rest.next().map(|i| records[i])),
            Self::File(reader) => match reader.read_exact(&mut bytes) {
                Ok(()) => Ok(Some(Record::from_bytes(&bytes))),
                Err(e) if e.kind() == ErrorKind::UnexpectedEof => Ok(None),
                Err(e) => Err(e),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn all(mut sorted: MergedRecords) -> Vec<(u32, u64)> {
        std::iter::from_fn(|| sorted.next().unwrap()).map(|record| (record.key.word(0), record.payload)).collect()
    }

    proptest! {
        #[test]
        fn sorts_and_adds_up_in_any_room(words in prop::collection::vec(0u32..300, 0..3000), records in 1usize..4000, threads in 1usize..4) {
            let folder = tempfile::tempdir().unwrap();
            let room = Room { records, threads, folder: folder.path().into() };
            let (mut plain, mut adding) = (Sorter::new(&room), Sorter::adding_up(&room));
            let mut expected = BTreeMap::new();
            for &word in &words {
                plain.push(Key::new([word]), u64::from(word)).unwrap();
                adding.push(Key::new([word]), 1).unwrap();
                *expected.entry(word).or_insert(0) += 1;
            }
            let mut sorted: Vec<_> = words.iter().map(|&word| (word, u64::from(word))).collect();
            sorted.sort_unstable();
            prop_assert_eq!(all(plain.finish().unwrap()), sorted);
            prop_assert_eq!(all(adding.finish().unwrap()), expected.into_iter().collect::<Vec<_>>());
            prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "temporary files have no names");
        }
    }

    /// An estimation has several sorters: what each may hold is more than it needs.
    #[test]
    fn a_sorter_with_much_room_holds_little() {
        let folder = tempfile::tempdir().unwrap();
        let mut sorter = Sorter::new(&Room { records: 1 << 30, threads: 1, folder: folder.path().into() });
        for i in 0..3 * BLOCK as u32 {
            sorter.push(Key::new([i.wrapping_mul(0x9E37_79B9)]), 0).unwrap();
            assert!(sorter.records.capacity() <= BLOCK, "{} records after {i}", sorter.records.capacity());
        }
        assert_eq!(sorter.runs.len(), 2);
        let mut sorted = sorter.finish().unwrap();
        assert!(sorted.next().unwrap().is_some_and(|record| record.key == Key::new([0])));
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let mut sorter = Sorter::new(&Room { records: 2, threads: 1, folder: "/no/such/folder".into() });
        let error = (0..3).find_map(|word| sorter.push(Key::new([word]), 0).err()).expect("no room");
        assert!(error.to_string().starts_with("/no/such/folder: cannot write a temporary file in: "), "{error}");
    }
}
