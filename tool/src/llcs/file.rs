//! The parts of a file that ranks read.
//!
//! Each rank reads an equal part of the bytes of a regular file. Only rank 0 reads what has no length in advance (standard
//! input, pipes), and files whose lines are symbols, as all lines get their numbers in one table.

use super::fasta::{self, Place};
use super::format::Format;
use hcube_core::comm::{Comm, agree, agree_on_and_share};
use hcube_core::memory::reserve;
use hcube_core::{Error, Result};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

/// The part of a rank.
#[derive(Debug, Default)]
pub struct Part {
    pub bytes: Vec<u8>,
    /// Records of FASTA that begin in it.
    pub records: usize,
}

/// The name of standard input.
const STANDARD_INPUT: &str = "-";

/// Bytes that are looked at for the beginning of a line, or of a file.
const LOOK: u64 = 64 << 10;

/// What rank 0 says of the length of a file that has none.
const NO_LENGTH: u64 = u64::MAX;

/// Collective: the part of this rank.
pub fn read(comm: &impl Comm, path: &Path, format: Format) -> Result<Part> {
    let (rank, ranks) = (comm.rank() as u64, comm.size() as u64);
    let length = agree(comm, if rank == 0 { length(path) } else { Ok(0) })?;
    let length = agree_on_and_share(comm, &[], length)?;
    let local = match length {
        _ if format != Format::Lines && length != NO_LENGTH => {
            let bound = |rank: u64| (u128::from(length) * u128::from(rank) / u128::from(ranks)) as u64;
            part(path, bound(rank)..bound(rank + 1), format)
        }
        _ if rank == 0 => whole(path, format),
        _ => Ok(Part::default()),
    };
    agree(comm, local)
}

fn refused(path: &Path, error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::OutOfMemory => Error::Memory(format!("{}: {error}", path.display())),
        _ => Error::argument("FILE", path.display(), format!("a file that can be read ({error})")),
    }
}

fn length(path: &Path) -> Result<u64> {
    if path == Path::new(STANDARD_INPUT) {
        return Ok(NO_LENGTH);
    }
    let file = path.metadata().map_err(|error| refused(path, &error))?;
    // Files of the kernel have no length, and yet contents.
    Ok(if file.is_file() && file.len() > 0 { file.len() } else { NO_LENGTH })
}

/// All of a file without a length.
fn whole(path: &Path, format: Format) -> Result<Part> {
    let mut bytes = Vec::new();
    let read = if path == Path::new(STANDARD_INPUT) {
        io::stdin().lock().read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    read.map_err(|error| refused(path, &error))?;
    filtered(path, bytes, format, 0, Place::LineStart)
}

/// A range of the bytes of a regular file.
fn part(path: &Path, range: Range<u64>, format: Format) -> Result<Part> {
    let failed = |error: io::Error| refused(path, &error);
    let mut file = File::open(path).map_err(failed)?;
    let place = if format == Format::Fasta {
        place(&mut file, range.start).map_err(failed)?
    } else {
        Place::LineStart
    };
    let length = (range.end - range.start) as usize;
    let mut bytes = reserve::filled(0, length, "bytes of a file")?;
    file.seek(SeekFrom::Start(range.start)).and_then(|_| file.read_exact(&mut bytes)).map_err(failed)?;
    filtered(path, bytes, format, range.start, place)
}

fn filtered(path: &Path, mut bytes: Vec<u8>, format: Format, start: u64, place: Place) -> Result<Part> {
    if format != Format::Fasta {
        return Ok(Part { bytes, records: 0 });
    }
    let expected = |text: String| Error::argument("FILE", path.display(), text);
    if let (0, Some(text)) = (start, fasta::refusal(&bytes)) {
        return Err(expected(text));
    }
    let records = fasta::residues(&mut bytes, place).map_err(|unexpected| {
        let (at, byte) = (start + unexpected.at as u64, unexpected.byte.escape_ascii());
        expected(format!("a FASTA file, which has no '{byte}' among its residues (byte {at})"))
    })?;
    Ok(Part { bytes, records })
}

/// Where a byte of a FASTA file is, from what stands before it in its line.
fn place(file: &mut File, at: u64) -> io::Result<Place> {
    // The first byte of what was looked at, which is that of the line where no newline comes before it.
    let mut first = None;
    let mut end = at;
    while end > 0 {
        let start = end.saturating_sub(LOOK);
        let mut bytes = vec![0; (end - start) as usize];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut bytes)?;
        if let Some(newline) = bytes.iter().rposition(|&byte| byte == b'\n') {
            first = bytes.get(newline + 1).copied().or(first);
            break;
        }
        first = bytes.first().copied();
        end = start;
    }
    Ok(first.map_or(Place::LineStart, Place::within_line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn written(name: &str, contents: &[u8]) -> PathBuf {
        let path = std::env::temp_dir().join(format!("hcube-llcs-{name}-{}", std::process::id()));
        std::fs::write(&path, contents).expect("a file");
        path
    }

    #[test]
    fn lines_longer_than_a_look_have_one_kind() {
        let long = LOOK as usize + 10;
        let path = written("long", &[b">", &vec![b'h'; long][..], b"\n", &vec![b'A'; long], b"\n"].concat());
        let mut file = File::open(&path).expect("a file");
        let sequence = long as u64 + 2;
        for (at, expected) in [
            (0, Place::LineStart),
            (1, Place::Header),
            (LOOK, Place::Header),
            (LOOK + 5, Place::Header),
            (sequence - 1, Place::Header),
            (sequence, Place::LineStart),
            (sequence + 1, Place::Sequence),
            (sequence + LOOK, Place::Sequence),
            (sequence + LOOK + 1, Place::Sequence),
        ] {
            assert_eq!(place(&mut file, at).expect("a place"), expected, "at {at}");
        }
        drop(std::fs::remove_file(path));
    }

    #[test]
    fn parts_follow_each_other() {
        let path = written("parts", b">x\nACGT\nACGTT\n");
        for cut in 0..=14 {
            let parts = [0..cut, cut..14].map(|range| part(&path, range, Format::Fasta).expect("residues"));
            assert_eq!(parts[0].records + parts[1].records, 1);
            let [first, second] = parts.map(|part| part.bytes);
            assert_eq!([first, second].concat(), b"ACGTACGTT", "cut at {cut}");
        }
        drop(std::fs::remove_file(path));
    }
}
