//! Records of numbers, sorted by their keys in bounded memory: sorted runs on disk, then merged.
//!
//! Keys are of any length, as phrases are, so records are found by an index; language model estimation, whose records
//! are of one size, sorts the records themselves (`metaphrase-ngram`).

use metaphrase_base::in_parallel;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// A thread is not worth while for fewer records.
const LEAST_PART: usize = 1 << 10;

/// A record: a key of any length and a number of values that is the same for all records of a sorter.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Record {
    pub key: Vec<u32>,
    pub values: Vec<u32>,
}

/// Takes records in any order and gives them back by key; the values of equal keys are added up.
pub(crate) struct Sorter<'a> {
    /// Where runs are put.
    folder: &'a Path,
    /// Values of a record.
    values: usize,
    /// Numbers that are kept in memory at most.
    room: usize,
    threads: NonZeroUsize,
    /// Records one after the other: length of the key, key, values.
    numbers: Vec<u32>,
    /// Where each record begins.
    starts: Vec<usize>,
    runs: Vec<File>,
}

impl<'a> Sorter<'a> {
    /// A sorter that keeps about `memory` bytes; the rest is in nameless files in `folder`.
    pub fn new(folder: &'a Path, values: usize, memory: usize, threads: NonZeroUsize) -> Self {
        let (numbers, starts, runs) = (Vec::new(), Vec::new(), Vec::new());
        Self { folder, values, room: memory / size_of::<u32>(), threads, numbers, starts, runs }
    }

    /// Adds a record. Equal keys of many records may add up to `u32::MAX` at most; then they stay there.
    pub fn push(&mut self, key: impl IntoIterator<Item = u32>, values: &[u32]) -> io::Result<()> {
        let start = self.numbers.len();
        self.starts.push(start);
        self.numbers.push(0);
        self.numbers.extend(key);
        self.numbers[start] = (self.numbers.len() - start - 1) as u32;
        self.numbers.extend_from_slice(values);
        let index = self.starts.len() * (size_of::<usize>() / size_of::<u32>());
        if self.numbers.len() + index > self.room { self.spill() } else { Ok(()) }
    }

    /// Writes the entries in memory as a run.
    fn spill(&mut self) -> io::Result<()> {
        let mut run = BufWriter::new(tempfile::tempfile_in(self.folder)?);
        let mut merge = Merge::new(self.sort(), self.values)?;
        let mut record = Record::default();
        while merge.next(&mut record)? {
            write_numbers(&mut run, &[record.key.len() as u32])?;
            write_numbers(&mut run, &record.key)?;
            write_numbers(&mut run, &record.values)?;
        }
        let mut run = run.into_inner()?;
        run.rewind()?;
        self.runs.push(run);
        // The memory was moved into the merge.
        self.numbers.reserve(self.room);
        Ok(())
    }

    /// Empties the memory into sorted runs, one for each thread.
    fn sort(&mut self) -> Vec<Run> {
        let (numbers, mut starts) = (std::mem::take(&mut self.numbers), std::mem::take(&mut self.starts));
        let part = starts.len().div_ceil(self.threads.get()).max(LEAST_PART);
        let sort = |part: &mut [usize]| part.sort_unstable_by_key(|&start| key(&numbers, start));
        in_parallel(self.threads.get(), starts.chunks_mut(part), sort);
        let ends = (0..starts.len()).step_by(part).map(|first| first..starts.len().min(first + part));
        let ranges: Vec<Range<usize>> = ends.collect();
        let sorted = Arc::new((numbers, starts));
        ranges.into_iter().map(|rest| Run::Memory { sorted: sorted.clone(), rest }).collect()
    }

    /// All records by key.
    pub fn finish(mut self) -> io::Result<Merge> {
        let mut runs = self.sort();
        runs.extend(self.runs.into_iter().map(|run| Run::File(BufReader::with_capacity(1 << 18, run))));
        Merge::new(runs, self.values)
    }
}

fn key(numbers: &[u32], start: usize) -> &[u32] {
    &numbers[start + 1..start + 1 + numbers[start] as usize]
}

/// Records by key.
enum Run {
    /// All records in memory and where each begins; of the latter a part that is sorted, as far as it was not read yet.
    Memory {
        sorted: Arc<(Vec<u32>, Vec<usize>)>,
        rest: Range<usize>,
    },
    File(BufReader<File>),
}

impl Run {
    /// Reads the next record, if there is one.
    fn next(&mut self, values: usize, record: &mut Record) -> io::Result<bool> {
        record.key.clear();
        record.values.clear();
        match self {
            Self::Memory { sorted, rest } => {
                let (numbers, starts) = &**sorted;
                let Some(start) = rest.next().map(|at| starts[at]) else { return Ok(false) };
                let key = key(numbers, start);
                record.key.extend_from_slice(key);
                let after = start + 1 + key.len();
                record.values.extend_from_slice(&numbers[after..after + values]);
            }
            Self::File(file) => {
                let mut length = [0; 4];
                // The file is ours: it ends between records.
                match file.read_exact(&mut length) {
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
                    result => result?,
                }
                read_numbers(file, u32::from_le_bytes(length) as usize, &mut record.key)?;
                read_numbers(file, values, &mut record.values)?;
            }
        }
        Ok(true)
    }
}

fn write_numbers(run: &mut impl Write, numbers: &[u32]) -> io::Result<()> {
    numbers.iter().try_for_each(|number| run.write_all(&number.to_le_bytes()))
}

fn read_numbers(run: &mut impl Read, count: usize, numbers: &mut Vec<u32>) -> io::Result<()> {
    for _ in 0..count {
        let mut bytes = [0; 4];
        run.read_exact(&mut bytes)?;
        numbers.push(u32::from_le_bytes(bytes));
    }
    Ok(())
}

/// Gives the records of several runs by key.
pub(crate) struct Merge {
    runs: Vec<Run>,
    values: usize,
    /// The next record of each run that has one.
    heads: BinaryHeap<Reverse<(Record, usize)>>,
}

impl Merge {
    fn new(mut runs: Vec<Run>, values: usize) -> io::Result<Self> {
        let mut heads = BinaryHeap::new();
        for (number, run) in runs.iter_mut().enumerate() {
            let mut record = Record::default();
            if run.next(values, &mut record)? {
                heads.push(Reverse((record, number)));
            }
        }
        Ok(Self { runs, values, heads })
    }

    /// Reads the next record, if there is one; its key is greater than the last one's.
    pub fn next(&mut self, record: &mut Record) -> io::Result<bool> {
        record.key.clear();
        record.values.clear();
        while let Some(mut head) = self.heads.peek_mut() {
            let Reverse((first, number)) = &mut *head;
            if record.values.is_empty() {
                std::mem::swap(record, first);
            } else if first.key == record.key {
                for (sum, value) in record.values.iter_mut().zip(&first.values) {
                    *sum = sum.saturating_add(*value);
                }
            } else {
                break;
            }
            if !self.runs[*number].next(self.values, first)? {
                std::collections::binary_heap::PeekMut::pop(head);
            }
        }
        Ok(!record.values.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Keys of different lengths, many of them equal, with all of them in memory, some, or one at a time.
    #[test]
    fn records_come_by_key_whatever_the_memory() {
        let folder = tempfile::tempdir().unwrap();
        let mut expected: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        let records = (0..2000u32).map(|n| {
            let key: Vec<u32> = (0..1 + n % 3).map(|k| n.wrapping_mul(2_654_435_761).wrapping_add(k) % 7).collect();
            (key, [1, n])
        });
        let records: Vec<_> = records.collect();
        for (key, values) in &records {
            let sums = expected.entry(key.clone()).or_insert_with(|| vec![0; 2]);
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        }
        for (memory, threads) in [(1 << 20, 1), (1 << 20, 3), (3000, 2), (400, 1)] {
            let mut sorter = Sorter::new(folder.path(), 2, memory, NonZeroUsize::new(threads).unwrap());
            for (key, values) in &records {
                sorter.push(key.iter().copied(), values).unwrap();
            }
            let (mut merge, mut record, mut found) = (sorter.finish().unwrap(), Record::default(), Vec::new());
            while merge.next(&mut record).unwrap() {
                found.push((record.key.clone(), record.values.clone()));
            }
            assert!(found.into_iter().eq(expected.clone()), "{memory} bytes, {threads} threads");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
