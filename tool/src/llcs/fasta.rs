//! FASTA: header lines that begin with '>', comments that begin with ';', and residues in the lines between
//! them. A line ends with a newline, a carriage return (Mac OS before version 10) or both (Windows).

/// What the byte before a part of a file says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    LineStart,
    /// In a header or a comment.
    Header,
    /// In a line of residues.
    Sequence,
}

impl Place {
    /// Inside a line whose first byte that is not blank is this one.
    pub fn within_line(first: u8) -> Self {
        if is_header(first) { Self::Header } else { Self::Sequence }
    }
}

/// Whether a line ends with this byte. Two of them in a row enclose a line without residues, or are one end.
pub fn ends_line(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Whether this byte counts nowhere.
pub fn is_blank(byte: u8) -> bool {
    ends_line(byte) || matches!(byte, b' ' | b'\t')
}

fn is_header(first: u8) -> bool {
    matches!(first, b'>' | b';')
}

/// A byte that is no residue, and where it is in the part.
#[derive(Debug, PartialEq, Eq)]
pub struct Unexpected {
    pub byte: u8,
    pub at: usize,
}

/// Leaves the residues in a part of a file, in capital letters; the number of records that begin in it.
pub fn residues(part: &mut Vec<u8>, mut place: Place) -> Result<usize, Unexpected> {
    let (mut kept, mut records) = (0, 0);
    for at in 0..part.len() {
        let byte = part[at];
        place = match (place, byte) {
            (_, byte) if ends_line(byte) => Place::LineStart,
            (Place::Header, _) => Place::Header,
            (Place::LineStart, first) if is_header(first) => {
                records += usize::from(first == b'>');
                Place::Header
            }
            (place, byte) if is_blank(byte) => place,
            (_, b'A'..=b'Z' | b'a'..=b'z' | b'*' | b'-' | b'.') => {
                part[kept] = byte.to_ascii_uppercase();
                kept += 1;
                Place::Sequence
            }
            _ => return Err(Unexpected { byte, at }),
        };
    }
    part.truncate(kept);
    Ok(records)
}

/// Why a file that begins with these bytes after blanks is not FASTA, if it is not.
pub fn refusal(beginning: &[u8]) -> Option<String> {
    match *beginning {
        [first, ..] if !is_header(first) => {
            Some(format!("a FASTA file, which begins with '>', not with '{}'", first.escape_ascii()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = ">one A C G T\nacg t\nNN\n;comment\n \t\n  >two\nGAT*\n\n-ta";

    fn from(file: &[u8], start: usize) -> Place {
        let before = &file[..start];
        let line = before.iter().rposition(|&byte| ends_line(byte)).map_or(0, |at| at + 1);
        let first = before[line..].iter().find(|&&byte| !is_blank(byte));
        first.map_or(Place::LineStart, |&first| Place::within_line(first))
    }

    #[test]
    fn parts_of_any_length_have_the_residues_of_the_whole() {
        for end in ["\n", "\r\n", "\r"] {
            let file = FILE.replace('\n', end).into_bytes();
            for cut in 0..=file.len() {
                let (mut first, mut second) = (file[..cut].to_vec(), file[cut..].to_vec());
                let records = [residues(&mut first, from(&file, 0)), residues(&mut second, from(&file, cut))];
                let records: usize = records.into_iter().map(|records| records.expect("residues")).sum();
                let found = ([first, second].concat(), records);
                assert_eq!(found, (b"ACGTNNGAT*-TA".to_vec(), 2), "{end:?}, cut at {cut}");
            }
        }
    }

    #[test]
    fn what_is_no_fasta_is_refused() {
        let mut digits = b">x\nAC1".to_vec();
        assert_eq!(residues(&mut digits, Place::LineStart), Err(Unexpected { byte: b'1', at: 5 }));
        assert_eq!([&b">x"[..], b"", b";x"].map(refusal), [None, None, None]);
        assert!(refusal(b"ACGT").is_some_and(|text| text.contains("not with 'A'")));
    }
}
