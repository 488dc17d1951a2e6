//! FASTA: header lines that begin with '>', comments that begin with ';', and residues in the lines between them.

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
    /// Inside a line that begins with this byte.
    pub fn within_line(first: u8) -> Self {
        if is_header(first) { Self::Header } else { Self::Sequence }
    }
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
            (_, b'\n') => Place::LineStart,
            (Place::Header, _) => Place::Header,
            (Place::LineStart, first) if is_header(first) => {
                records += usize::from(first == b'>');
                Place::Header
            }
            (place, b' ' | b'\t' | b'\r') => place,
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

/// Why a file that begins with these bytes is not FASTA, if it is not.
pub fn refusal(beginning: &[u8]) -> Option<String> {
    let first = beginning.iter().find(|byte| !byte.is_ascii_whitespace());
    match (beginning, first) {
        ([0x1f, 0x8b, ..], _) => {
            Some("a FASTA file that is not compressed: pass it as <(zcat FILE), on one rank".to_owned())
        }
        (_, Some(&first)) if !is_header(first) => {
            Some(format!("a FASTA file, which begins with '>', not with '{}'", first.escape_ascii()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &[u8] = b">one A C G T\nacg t\r\nNN\n;comment\n\n>two\nGAT*\n-ta";

    fn from(start: usize) -> Place {
        let before = &FILE[..start];
        let line = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        if line == start { Place::LineStart } else { Place::within_line(before[line]) }
    }

    #[test]
    fn parts_of_any_length_have_the_residues_of_the_whole() {
        for cut in 0..=FILE.len() {
            let (mut first, mut second) = (FILE[..cut].to_vec(), FILE[cut..].to_vec());
            let records = [residues(&mut first, from(0)), residues(&mut second, from(cut))];
            let records: usize = records.into_iter().map(|records| records.expect("residues")).sum();
            assert_eq!(([first, second].concat(), records), (b"ACGTNNGAT*-TA".to_vec(), 2), "cut at {cut}");
        }
    }

    #[test]
    fn what_is_no_fasta_is_refused() {
        let mut digits = b">x\nAC1".to_vec();
        assert_eq!(residues(&mut digits, Place::LineStart), Err(Unexpected { byte: b'1', at: 5 }));
        assert_eq!([&b"\n >x"[..], b"", b";x"].map(refusal), [None, None, None]);
        assert!(refusal(b"\x1f\x8b\x08").is_some_and(|text| text.contains("zcat")));
        assert!(refusal(b"ACGT").is_some_and(|text| text.contains("not with 'A'")));
    }
}
