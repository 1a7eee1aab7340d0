//! The part of the zip format that `.npz` files use (PKWARE's APPNOTE, sections 4.3 to 4.5): members that are
//! stored or deflated, one disk, no encryption, no zip64.

use crate::ModelError;
use crate::buffer::{Buffer, Slice};
use flate2::read::DeflateDecoder;
use std::io::Read;
use std::path::Path;

const END: &[u8] = b"PK\x05\x06";
const CENTRAL: &[u8] = b"PK\x01\x02";
const LOCAL: &[u8] = b"PK\x03\x04";
const END_SIZE: usize = 22;
const CENTRAL_SIZE: usize = 46;
const LOCAL_SIZE: usize = 30;

/// No deflated byte stands for more than this many (258 bytes per two bits, rounded up).
const MAX_INFLATION: u64 = 1032;

/// The weights of no model are so alike that all members together are larger than this many times their archive.
const MOST_TIMES: u64 = 100;

/// The members may have this size in any case.
const SMALLEST_ROOM: u64 = 1 << 20;

/// A file within the archive.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    method: u16,
    crc: u32,
    compressed: u32,
    uncompressed: u32,
    /// Where its local header starts.
    offset: u32,
}

/// A zip archive in memory.
#[derive(Debug)]
pub(crate) struct Archive<'a> {
    path: &'a Path,
    bytes: &'a Slice,
    members: Vec<Member>,
}

impl<'a> Archive<'a> {
    pub(crate) fn open(path: &'a Path, bytes: &'a Slice) -> Result<Self, ModelError> {
        let damaged = |problem: &str| ModelError::malformed(path, "npz", problem);
        let all = bytes.bytes();
        let end =
            find_end(all).ok_or_else(|| damaged("the zip directory at its end is missing, so it is probably cut"))?;
        let count = u16_at(all, end + 10);
        let (size, start) = (u32_at(all, end + 12), u32_at(all, end + 16));
        if count == u16::MAX || size == u32::MAX || start == u32::MAX {
            return Err(ModelError::unsupported(
                path,
                "an npz file of the zip64 kind",
                "its members must be below 4 GiB",
            ));
        }
        let directory = all
            .get(start as usize..)
            .and_then(|rest| rest.get(..size as usize))
            .ok_or_else(|| damaged("its zip directory points beyond its end"))?;
        let members = read_directory(directory, count).ok_or_else(|| damaged("its zip directory is garbled"))?;
        // Members that share bytes would let a small file fill the memory.
        if members.iter().map(|member| u64::from(member.compressed)).sum::<u64>() > all.len() as u64 {
            return Err(damaged("its members are larger than itself"));
        }
        let unpacked: u64 = members.iter().map(|member| u64::from(member.uncompressed)).sum();
        if unpacked > (all.len() as u64).saturating_mul(MOST_TIMES).max(SMALLEST_ROOM) {
            return Err(damaged(&format!("it grows to more than {MOST_TIMES} times its size, which no model does")));
        }
        Ok(Self { path, bytes, members })
    }

    pub(crate) fn members(&self) -> &[Member] {
        &self.members
    }

    /// The content of a member: a part of the archive where it is stored, a copy where it is deflated.
    pub(crate) fn read(&self, member: &Member) -> Result<Slice, ModelError> {
        let damaged =
            |problem: String| ModelError::malformed(self.path, "npz", format!("member `{}` {problem}", member.name));
        let raw = self.raw(member).ok_or_else(|| damaged("lies beyond its end, so it is probably cut".into()))?;
        let content = match member.method {
            0 if member.compressed == member.uncompressed => raw,
            8 => inflate(raw.bytes(), member.uncompressed).map_err(|e| damaged(format!("can not be inflated: {e}")))?,
            0 => return Err(damaged("has two different sizes".into())),
            method => {
                return Err(damaged(format!("is compressed by method {method}; only stored and deflated are known")));
            }
        };
        let mut crc = flate2::Crc::new();
        crc.update(content.bytes());
        if crc.sum() != member.crc {
            return Err(damaged("does not match its checksum".into()));
        }
        Ok(content)
    }

    fn raw(&self, member: &Member) -> Option<Slice> {
        let header = member.offset as usize;
        let local = self.bytes.bytes().get(header..)?.get(..LOCAL_SIZE)?;
        if !local.starts_with(LOCAL) {
            return None;
        }
        let start = header + LOCAL_SIZE + usize::from(u16_at(local, 26)) + usize::from(u16_at(local, 28));
        self.bytes.part(start..start.checked_add(member.compressed as usize)?)
    }
}

/// The record at the end of the file, before a comment of at most 65,535 bytes.
fn find_end(bytes: &[u8]) -> Option<usize> {
    let last = bytes.len().checked_sub(END_SIZE)?;
    (last.saturating_sub(usize::from(u16::MAX))..=last)
        .rev()
        .find(|&at| bytes[at..].starts_with(END) && at + END_SIZE + usize::from(u16_at(bytes, at + 20)) == bytes.len())
}

fn read_directory(mut directory: &[u8], count: u16) -> Option<Vec<Member>> {
    let mut members = Vec::new();
    for _ in 0..count {
        let header = directory.get(..CENTRAL_SIZE)?;
        if !header.starts_with(CENTRAL) {
            return None;
        }
        let name = CENTRAL_SIZE..CENTRAL_SIZE + usize::from(u16_at(header, 28));
        let next = name.end + usize::from(u16_at(header, 30)) + usize::from(u16_at(header, 32));
        members.push(Member {
            name: String::from_utf8(directory.get(name)?.to_vec()).ok()?,
            method: u16_at(header, 10),
            crc: u32_at(header, 16),
            compressed: u32_at(header, 20),
            uncompressed: u32_at(header, 24),
            offset: u32_at(header, 42),
        });
        directory = directory.get(next..)?;
    }
    Some(members)
}

fn inflate(deflated: &[u8], size: u32) -> Result<Slice, String> {
    if u64::from(size) > (deflated.len() as u64).saturating_mul(MAX_INFLATION) {
        return Err(format!("{} bytes can not stand for {size}", deflated.len()));
    }
    let mut content = Vec::with_capacity(size as usize);
    // One byte more than promised, to notice content that does not end there.
    DeflateDecoder::new(deflated).take(u64::from(size) + 1).read_to_end(&mut content).map_err(|e| e.to_string())?;
    if content.len() != size as usize {
        return Err(format!("{size} bytes were announced, there are {} or more", content.len()));
    }
    Ok(Slice::whole(Buffer::Bytes(content)))
}

/// Callers have checked that the bytes are there.
fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
