//! The parts of a file that ranks read. How many ranks there are makes no difference to what is accepted.
//!
//! Each rank reads an equal part of the bytes of a regular file. Only rank 0 reads what has no length in
//! advance (standard input, pipes, files compressed by gzip or bgzip), and files whose lines are symbols, as
//! all lines get their numbers in one table.

use super::fasta::{self, Place};
use super::format::Format;
use flate2::bufread::MultiGzDecoder;
use hcube_core::comm::{Comm, agree, agree_on_and_share};
use hcube_core::error::reason;
use hcube_core::memory::reserve;
use hcube_core::{Error, Result};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::ops::Range;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
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

/// Bytes that are read at a time to find the beginning of a line, or of a file.
const WINDOW_BYTES: u64 = 64 << 10;

/// Bytes that show what a file is.
const BEGINNING: u64 = 2;

/// The beginning of files that gzip or bgzip has compressed.
const GZIP: [u8; BEGINNING as usize] = [0x1f, 0x8b];

/// What rank 0 says of the length of a file that has none, or another one than what it contains.
const NO_LENGTH: u64 = u64::MAX;

/// Whether a name means standard input. Only rank 0 has the standard input of the user.
fn is_standard_input(path: &Path) -> bool {
    [STANDARD_INPUT, "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].iter().any(|name| path == Path::new(name))
}

/// Local: that both files can be read, and that what can be read only once is not named twice.
pub fn check(files: [&Path; 2]) -> Result<()> {
    files.into_iter().try_for_each(check_file)?;
    let [first, second] = files;
    let refuse = |what: &str| {
        let expected = format!("another file: the first one is {what} as well, which can be read only once");
        Err(Error::argument("FILE", second.display(), expected))
    };
    if files.into_iter().all(is_standard_input) {
        return refuse("standard input");
    }
    let pipe = |path: &Path| {
        let data = path.metadata().ok().filter(|data| data.file_type().is_fifo())?;
        Some((data.dev(), data.ino()))
    };
    match pipe(first) {
        Some(one) if pipe(second) == Some(one) => refuse("this pipe"),
        _ => Ok(()),
    }
}

/// That a file exists, and that it can be opened; a pipe is opened only once.
fn check_file(path: &Path) -> Result<()> {
    if is_standard_input(path) {
        return Ok(());
    }
    let failed = |error: io::Error| refused(path, &error);
    let kind = path.metadata().map_err(failed)?.file_type();
    if !kind.is_file() && !kind.is_dir() {
        return Ok(());
    }
    File::open(path).and_then(|mut file| file.read(&mut [0])).map(drop).map_err(failed)
}

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
        io::ErrorKind::OutOfMemory => Error::Memory(format!("{}: {}", path.display(), reason(error))),
        _ => Error::argument("FILE", path.display(), format!("a file that can be read ({})", reason(error))),
    }
}

fn length(path: &Path) -> Result<u64> {
    if is_standard_input(path) {
        return Ok(NO_LENGTH);
    }
    let file = path.metadata().map_err(|error| refused(path, &error))?;
    // Files of the kernel have no length, and yet contents.
    if !file.is_file() || file.len() == 0 {
        return Ok(NO_LENGTH);
    }
    let mut first = Vec::new();
    let read = File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut first));
    read.map_err(|error| refused(path, &error))?;
    Ok(if first == GZIP { NO_LENGTH } else { file.len() })
}

/// What a file contains, decompressed if it is compressed.
fn contents(path: &Path, mut file: impl BufRead) -> Result<Vec<u8>> {
    let (mut first, mut bytes) = (Vec::new(), Vec::new());
    let failed = |error: io::Error| refused(path, &error);
    (&mut file).take(BEGINNING).read_to_end(&mut first).map_err(failed)?;
    let is_compressed = first == GZIP;
    let mut whole = Cursor::new(first).chain(file);
    if !is_compressed {
        whole.read_to_end(&mut bytes).map_err(failed)?;
        return Ok(bytes);
    }
    // bgzip writes many members, one after the other.
    match MultiGzDecoder::new(whole).read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) if error.raw_os_error().is_some() || error.kind() == io::ErrorKind::OutOfMemory => {
            Err(failed(error))
        }
        Err(error) => {
            let expected = format!("a file of gzip that is complete and not damaged ({})", reason(&error));
            Err(Error::argument("FILE", path.display(), expected))
        }
    }
}

/// All of a file that only one rank reads.
fn whole(path: &Path, format: Format) -> Result<Part> {
    let bytes = if is_standard_input(path) {
        contents(path, io::stdin().lock())?
    } else {
        let file = File::open(path).map_err(|error| refused(path, &error))?;
        contents(path, BufReader::with_capacity(WINDOW_BYTES as usize, file))?
    };
    if format == Format::Fasta {
        let first = bytes.iter().position(|&byte| !fasta::is_blank(byte)).unwrap_or(bytes.len());
        check_beginning(path, &bytes[first..])?;
    }
    filtered(path, bytes, format, 0, Place::LineStart)
}

/// A range of the bytes of a regular file.
fn part(path: &Path, range: Range<u64>, format: Format) -> Result<Part> {
    let failed = |error: io::Error| refused(path, &error);
    let mut file = File::open(path).map_err(failed)?;
    let place = if format == Format::Fasta {
        // The header may be in the part of another rank.
        if range.start == 0 {
            check_beginning(path, &beginning(&mut file).map_err(failed)?)?;
        }
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
    let records = fasta::residues(&mut bytes, place).map_err(|unexpected| {
        let (at, byte) = (start + unexpected.at as u64, unexpected.byte.escape_ascii());
        let expected = format!("a FASTA file, which has no '{byte}' among its residues (byte {at})");
        Error::argument("FILE", path.display(), expected)
    })?;
    Ok(Part { bytes, records })
}

/// That a file which begins with these bytes after blanks is FASTA.
fn check_beginning(path: &Path, beginning: &[u8]) -> Result<()> {
    match fasta::refusal(beginning) {
        Some(expected) => Err(Error::argument("FILE", path.display(), expected)),
        None => Ok(()),
    }
}

/// The first bytes of a file that are not blank.
fn beginning(file: &mut File) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::with_capacity(WINDOW_BYTES as usize, file);
    loop {
        let bytes = reader.fill_buf()?;
        let blanks = bytes.iter().take_while(|&&byte| fasta::is_blank(byte)).count();
        if blanks < bytes.len() || bytes.is_empty() {
            reader.consume(blanks);
            let mut beginning = Vec::new();
            reader.take(BEGINNING).read_to_end(&mut beginning)?;
            return Ok(beginning);
        }
        reader.consume(blanks);
    }
}

/// Where a byte of a FASTA file is, from what stands before it in its line.
fn place(file: &mut File, at: u64) -> io::Result<Place> {
    // The first byte that is not blank of what was read so far, which is the first one of the line where no
    // end of a line comes before it.
    let mut first = None;
    let mut end = at;
    while end > 0 {
        let start = end.saturating_sub(WINDOW_BYTES);
        let mut bytes = vec![0; (end - start) as usize];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut bytes)?;
        let line = bytes.iter().rposition(|&byte| fasta::ends_line(byte)).map(|at| at + 1);
        let in_line = bytes[line.unwrap_or(0)..].iter().find(|&&byte| !fasta::is_blank(byte));
        first = in_line.copied().or(first);
        if line.is_some() {
            break;
        }
        end = start;
    }
    Ok(first.map_or(Place::LineStart, Place::within_line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::path::PathBuf;

    fn written(name: &str, contents: &[u8]) -> PathBuf {
        let path = std::env::temp_dir().join(format!("hcube-llcs-{name}-{}", std::process::id()));
        std::fs::write(&path, contents).expect("a file");
        path
    }

    #[test]
    fn lines_longer_than_a_window_have_one_kind() {
        let long = WINDOW_BYTES as usize + 10;
        let path = written("long", &[b">", &vec![b'h'; long][..], b"\n", &vec![b'A'; long], b"\n"].concat());
        let mut file = File::open(&path).expect("a file");
        let sequence = long as u64 + 2;
        for (at, expected) in [
            (0, Place::LineStart),
            (1, Place::Header),
            (WINDOW_BYTES, Place::Header),
            (WINDOW_BYTES + 5, Place::Header),
            (sequence - 1, Place::Header),
            (sequence, Place::LineStart),
            (sequence + 1, Place::Sequence),
            (sequence + WINDOW_BYTES, Place::Sequence),
            (sequence + WINDOW_BYTES + 1, Place::Sequence),
        ] {
            assert_eq!(place(&mut file, at).expect("a place"), expected, "at {at}");
        }
        drop(std::fs::remove_file(path));
    }

    #[test]
    fn blanks_before_a_header_may_be_longer_than_a_window() {
        let blanks = vec![b' '; WINDOW_BYTES as usize + 10];
        let path = written("blanks", &[&blanks, &b">x"[..], b"\n", &blanks, b"AC"].concat());
        let mut file = File::open(&path).expect("a file");
        let header = blanks.len() as u64;
        assert_eq!(beginning(&mut file).expect("bytes"), b">x");
        for (at, expected) in [
            (header, Place::LineStart),
            (header + 1, Place::Header),
            (header + 3 + WINDOW_BYTES, Place::LineStart),
            (2 * header + 4, Place::Sequence),
        ] {
            assert_eq!(place(&mut file, at).expect("a place"), expected, "at {at}");
        }
        drop(std::fs::remove_file(path));
    }

    #[test]
    fn parts_follow_each_other() {
        for end in ["\n", "\r\n", "\r"] {
            let file = "\n  >x\nACGT\n \nACGTT\n".replace('\n', end).into_bytes();
            let (path, length) = (written("parts", &file), file.len() as u64);
            for cut in 0..=length {
                let parts =
                    [0..cut, cut..length].map(|range| part(&path, range, Format::Fasta).expect("residues"));
                assert_eq!(parts[0].records + parts[1].records, 1);
                let [first, second] = parts.map(|part| part.bytes);
                assert_eq!([first, second].concat(), b"ACGTACGTT", "{end:?}, cut at {cut}");
            }
            drop(std::fs::remove_file(path));
        }
    }

    #[test]
    fn a_file_without_a_header_is_refused_wherever_parts_end() {
        let file = [&[b'\n'; 40][..], b"ACGT\n>x\nACGT\n"].concat();
        let (path, length) = (written("headless", &file), file.len() as u64);
        for cut in 1..length {
            let refused = part(&path, 0..cut, Format::Fasta).expect_err("no header").to_string();
            assert!(refused.contains("begins with '>', not with 'A'"), "cut at {cut}: {refused}");
        }
        assert!(whole(&path, Format::Fasta).is_err());
        drop(std::fs::remove_file(path));
    }

    #[test]
    fn compressed_files_are_read_and_damaged_ones_refused() {
        let member = |text: &[u8]| {
            let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            writer.write_all(text).expect("memory");
            writer.finish().expect("memory")
        };
        // As bgzip writes it: members of parts, and an empty one at the end.
        let file = [member(b">x\nACG"), member(b"T\n>y\nTT"), member(b"")].concat();
        let path = written("zipped", &file);
        assert_eq!(length(&path), Ok(NO_LENGTH));
        let part = whole(&path, Format::Fasta).expect("residues");
        assert_eq!((&part.bytes[..], part.records), (&b"ACGTTT"[..], 2));
        assert_eq!(whole(&path, Format::Bytes).expect("bytes").bytes, b">x\nACGT\n>y\nTT");
        let mut damaged = member(&[b'A'; 1000]);
        let middle = damaged.len() - 6;
        damaged[middle] ^= 1;
        for file in [&file[..file.len() / 2], &GZIP, &damaged] {
            let path = written("damaged", file);
            let refused = whole(&path, Format::Bytes).expect_err("damaged").to_string();
            let expected = "expected a file of gzip that is complete and not damaged (";
            assert!(refused.starts_with("FILE = ") && refused.contains(expected), "{refused}");
            drop(std::fs::remove_file(path));
        }
        drop(std::fs::remove_file(path));
    }

    #[test]
    fn what_can_be_read_once_is_named_once() {
        let refused = |names: [&str; 2]| check(names.map(Path::new)).err().map(|error| error.to_string());
        for second in ["-", "/dev/stdin"] {
            let text = refused(["-", second]).expect("refused");
            assert!(
                text.starts_with(&format!("FILE = {second}: ")) && text.contains("standard input"),
                "{text}"
            );
        }
        assert_eq!(refused(["-", "/dev/null"]), None);
        assert_eq!(refused(["/dev/null", "/dev/null"]), None);
        let pipe = std::env::temp_dir().join(format!("hcube-llcs-pipe-{}", std::process::id()));
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|status| status.success()));
        assert!(check([&pipe, &pipe]).is_err());
        assert!(check([&pipe, Path::new("-")]).is_ok());
        drop(std::fs::remove_file(pipe));
    }
}
