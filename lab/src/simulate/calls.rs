//! Where every rank of a hanging simulation is, from SimGrid's log.
//!
//! It reads two categories. `smpi_mpi` logs begin and end of every call of an `MPI_` name. hcube calls
//! `PMPI_` names, which are not logged there; `smpi_request` logs every request: its sender and receiver, its
//! tag, and who waits for it. Messages of collectives have negative tags, one for each collective. A rank
//! that polls with `PMPI_Test` is not logged, so the report only says that it does not wait.
//!
//! Ranks at the same place share a line, in the order of the first rank of each place.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

/// The log categories.
pub const LOGS: [&str; 2] = ["--log=smpi_mpi.thres:verbose", "--log=smpi_request.thres:debug"];

/// Limit on places, on ranges of ranks of a place, and on messages of a place in the report.
const MAX_RANGES: usize = 16;

/// The flag of receive requests.
const RECEIVES: u32 = 8;

/// Source and tag of a receive with wildcards.
const ANY_SOURCE: i64 = -555;
const ANY_TAG: i64 = -444;

/// Tags of messages inside collectives.
const COLLECTIVES: [(i64, &str); 12] = [
    (-112, "a reduction"),
    (-223, "a scatter"),
    (-334, "a scatter"),
    (-445, "a gather"),
    (-556, "an allgather"),
    (-667, "an allgather"),
    (-778, "a barrier"),
    (-1000, "an alltoallv"),
    (-1020, "an alltoallw"),
    (-1112, "an alltoall"),
    (-3334, "a broadcast"),
    (-4445, "an allreduce"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Request {
    receives: bool,
    /// The other rank; `None` for any.
    peer: Option<usize>,
    tag: i64,
}

impl Request {
    /// `0x55b5  [buf = 0x7fd2, size = 4, src = 1, dst = 2, tag = 7, flags = a]`: address and request.
    /// SimGrid counts ranks from 1 here.
    fn read(text: &str) -> Option<(&str, Self)> {
        let field = |name: &str| {
            let (_, rest) = text.split_once(name)?;
            rest.split([',', ']']).next()
        };
        let number = |name: &str| field(name)?.parse::<i64>().ok();
        let receives = u32::from_str_radix(field("flags = ")?, 16).ok()? & RECEIVES != 0;
        let peer = number(if receives { "src = " } else { "dst = " })?;
        let peer = (peer != ANY_SOURCE).then(|| usize::try_from(peer - 1).ok()).flatten();
        Some((text.split_whitespace().next()?, Self { receives, peer, tag: number("tag = ")? }))
    }

    fn kind(&self) -> String {
        match COLLECTIVES.iter().find(|(tag, _)| *tag == self.tag) {
            Some((_, name)) => format!("in {name}"),
            None if self.tag == ANY_TAG => "for messages with any tag".to_owned(),
            None => format!("for messages with tag {}", self.tag),
        }
    }

    fn pair(&self, rank: usize) -> String {
        let peer = self.peer.map_or_else(|| "any".to_owned(), |peer| peer.to_string());
        format!("{rank} {} {peer}", if self.receives { "from" } else { "to" })
    }
}

/// The last known state of a rank.
#[derive(Debug, Default)]
enum Activity {
    #[default]
    Runs,
    /// The list of requests is not complete.
    Lists(Vec<Request>),
    Waits(Vec<Request>),
    Polls(Request),
}

#[derive(Debug, Default)]
struct Rank {
    /// The last `MPI_` call, and whether it has returned.
    call: String,
    left: bool,
    activity: Activity,
}

/// Of `[node-0:3:(4) 0.000000] ...`; lines without a rank have only the time.
fn rank_of(line: &str) -> Option<usize> {
    let mut parts = line.strip_prefix('[')?.split(':').skip(1);
    let rank = parts.next()?.parse().ok()?;
    parts.next()?.starts_with('(').then_some(rank)
}

/// Reads the log line by line.
#[derive(Debug, Default)]
pub struct Calls {
    ranks: BTreeMap<usize, Rank>,
    /// By address.
    requests: HashMap<String, Request>,
}

impl Calls {
    /// `[node-0:3:(4) 0.000000] file: [category/LEVEL] text`, of rank 3.
    pub fn read(&mut self, line: &str) {
        let text = ["[smpi_mpi/", "[smpi_request/"]
            .iter()
            .find_map(|category| line.split_once(category)?.1.split_once("] "));
        let (Some(rank), Some((_, text))) = (rank_of(line), text) else { return };
        let rank = self.ranks.entry(rank).or_default();
        if let Some(call) = text.strip_prefix("SMPI - Entering ") {
            *rank = Rank { call: call.to_owned(), ..Rank::default() };
        } else if let Some(call) = text.strip_prefix("SMPI - Leaving ") {
            *rank = Rank { call: call.to_owned(), left: true, ..Rank::default() };
        } else if let Some(address) = text.strip_prefix("Waiting any ") {
            let mut listed = match std::mem::take(&mut rank.activity) {
                Activity::Lists(listed) => listed,
                _ => Vec::new(),
            };
            listed.extend(self.requests.get(address.trim()));
            rank.activity = Activity::Lists(listed);
        } else if text.starts_with("Enter waitany") {
            if let Activity::Lists(listed) = std::mem::take(&mut rank.activity) {
                rank.activity = Activity::Waits(listed);
            }
        } else if let Some((verb, request)) = text.split_once(" request ") {
            let Some((address, request)) = Request::read(request) else { return };
            match verb.trim() {
                "Waiting" => rank.activity = Activity::Waits(vec![request]),
                "New iprobe" => rank.activity = Activity::Polls(request),
                // The request of a probe is freed immediately, and the rank probes again.
                "Destroying" if matches!(rank.activity, Activity::Polls(_)) => {}
                "Destroying" => {
                    self.requests.remove(address);
                    rank.activity = Activity::Runs;
                }
                _ => {
                    self.requests.insert(address.to_owned(), request);
                    rank.activity = Activity::Runs;
                }
            }
        }
    }

    /// A line for all ranks at a place; ranks that have left MPI_Finalize are only counted.
    pub fn text(&self) -> String {
        let mut places: Vec<(String, Vec<usize>, Vec<String>)> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut ended = 0;
        for (&number, rank) in &self.ranks {
            if rank.left && rank.call == "MPI_Finalize" {
                ended += 1;
                continue;
            }
            let place = rank.place();
            let at = *known.entry(place.clone()).or_insert_with(|| {
                places.push((place, Vec::new(), Vec::new()));
                places.len() - 1
            });
            places[at].1.push(number);
            places[at].2.extend(rank.requests().iter().map(|request| request.pair(number)));
        }
        let mut text = String::new();
        for (place, ranks, pairs) in places.iter().take(MAX_RANGES) {
            let _ = write!(text, "\n  {} {place}", ranges(ranks));
            if !pairs.is_empty() {
                let more = if pairs.len() > MAX_RANGES { ", ..." } else { "" };
                let _ = write!(text, " ({}{more})", pairs[..pairs.len().min(MAX_RANGES)].join(", "));
            }
        }
        let rest: usize = places.iter().skip(MAX_RANGES).map(|(_, ranks, _)| ranks.len()).sum();
        for (count, what) in [(rest, "at other places"), (ended, "at the end")] {
            if count > 0 {
                let _ = write!(text, "\n  {count} {} {what}", if count == 1 { "rank" } else { "ranks" });
            }
        }
        text
    }
}

impl Rank {
    fn requests(&self) -> &[Request] {
        match &self.activity {
            Activity::Runs => &[],
            Activity::Lists(requests) | Activity::Waits(requests) => requests,
            Activity::Polls(request) => std::slice::from_ref(request),
        }
    }

    fn place(&self) -> String {
        let polls = ["MPI_Test", "MPI_Iprobe", "MPI_Improbe"].iter().any(|call| self.call.starts_with(call));
        // Inside and between polls of a loop is the same place.
        let mut place = match (self.left, polls) {
            (_, true) => format!("at {}", self.call),
            (true, false) => format!("after {}", self.call),
            (false, false) => format!("in {}", self.call),
        };
        let mut kinds: Vec<String> = self.requests().iter().map(Request::kind).collect();
        kinds.sort();
        kinds.dedup();
        let kinds = kinds.join(" and ");
        let _ = match self.activity {
            Activity::Runs => write!(place, ": computing or polling"),
            Activity::Polls(_) => write!(place, ": polling {kinds}"),
            Activity::Lists(_) | Activity::Waits(_) => write!(place, ": waiting {kinds}"),
        };
        place
    }
}

/// `rank 3`, `ranks 0, 2-5`; the first [`MAX_RANGES`] ranges.
fn ranges(ranks: &[usize]) -> String {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for &rank in ranks {
        match found.last_mut() {
            Some((_, last)) if *last + 1 == rank => *last = rank,
            _ => found.push((rank, rank)),
        }
    }
    let shown = found.iter().take(MAX_RANGES).map(|&(first, last)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    let more =
        if found.len() > MAX_RANGES { format!(", ... ({} in all)", ranks.len()) } else { String::new() };
    format!("{} {shown}{more}", if ranks.len() == 1 { "rank" } else { "ranks" })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of SimGrid 3.32, one for each rank.
    fn text_of(lines: &[(usize, &str)]) -> String {
        let mut calls = Calls::default();
        for (rank, text) in lines {
            let (category, file) = match text.starts_with("SMPI") {
                true => ("smpi_mpi/VERBOSE", "bindings/smpi_mpi.cpp:221"),
                false => ("smpi_request/DEBUG", "mpi/smpi_request.cpp:228"),
            };
            let pid = rank + 1;
            calls.read(&format!("[node-{rank}:{rank}:({pid}) 0.1] ./src/smpi/{file}: [{category}] {text}"));
        }
        calls.read("[0.000000] [ker_engine/INFO] 4 actors are still running, waiting for something.");
        calls.read("[0.000000] ./src/smpi/internals/x.cpp:131: [smpi_config/INFO] You did not set the power");
        calls.text()
    }

    fn request(address: &str, from: i64, to: i64, tag: i64, flags: &str) -> String {
        format!(
            "request {address}  [buf = 0x7f, size = 4, src = {from}, dst = {to}, tag = {tag}, flags = {flags}]"
        )
    }

    #[test]
    fn ranks_are_told_of_by_what_they_wait_for() {
        let [first, second] = [(2, 1), (1, 2)].map(|(from, to)| request("0x1", from, to, 7, "a"));
        let barrier = request("0x2", 4, 1, -778, "6");
        let text = text_of(&[
            (0, "SMPI - Entering MPI_Recv"),
            (0, &format!("New recv  {first}")),
            (0, &format!("Waiting  {first}")),
            (1, "SMPI - Entering MPI_Recv"),
            (1, &format!("Waiting  {second}")),
            (2, "SMPI - Leaving MPI_Comm_rank"),
            (3, "SMPI - Leaving MPI_Comm_rank"),
            (3, &format!("Waiting  {barrier}")),
            (4, "SMPI - Leaving MPI_Finalize"),
            (5, "SMPI - Leaving MPI_Comm_rank"),
        ]);
        assert_eq!(
            text,
            "\n  ranks 0-1 in MPI_Recv: waiting for messages with tag 7 (0 from 1, 1 from 0)\
             \n  ranks 2, 5 after MPI_Comm_rank: computing or polling\
             \n  rank 3 after MPI_Comm_rank: waiting in a barrier (3 to 0)\
             \n  1 rank at the end"
        );
    }

    #[test]
    fn all_requests_of_a_rank_count_and_those_of_the_past_do_not() {
        let (one, any) = (request("0x1", 3, 1, 7, "a"), request("0x2", -555, 1, -444, "a"));
        let mut lines = vec![
            (0, "SMPI - Entering MPI_Waitall".to_owned()),
            (0, format!("New recv  {one}")),
            (0, format!("New recv  {any}")),
            (0, "Waiting any 0x1 ".to_owned()),
            (0, "Waiting any 0x2 ".to_owned()),
            (0, "Enter waitany for 2 comms".to_owned()),
        ];
        let both = "\n  rank 0 in MPI_Waitall: waiting for messages with any tag and for messages with tag 7 \
                    (0 from 2, 0 from any)";
        let text = |lines: &[(usize, String)]| {
            text_of(&lines.iter().map(|(rank, text)| (*rank, text.as_str())).collect::<Vec<_>>())
        };
        assert_eq!(text(&lines), both);
        lines.extend([(0, "Waiting any 0x2 ".to_owned()), (0, "Enter waitany for 1 comms".to_owned())]);
        assert!(text(&lines).ends_with("any tag (0 from any)"), "{}", text(&lines));
        lines.push((0, format!("Destroying  {any}")));
        assert!(text(&lines).ends_with("MPI_Waitall: computing or polling"), "{}", text(&lines));
    }

    #[test]
    fn polling_is_one_place_whether_a_poll_has_ended_or_not() {
        let probe = request("0x1", 1, 2, 5, "19");
        let text = text_of(&[
            (0, "SMPI - Entering MPI_Test"),
            (1, "SMPI - Entering MPI_Test"),
            (1, "SMPI - Leaving MPI_Test"),
            (2, "SMPI - Leaving MPI_Barrier"),
            (2, &format!("New iprobe  {probe}")),
            (2, &format!("Destroying  {probe}")),
        ]);
        assert_eq!(
            text,
            "\n  ranks 0-1 at MPI_Test: computing or polling\
             \n  rank 2 after MPI_Barrier: polling for messages with tag 5 (2 from 0)"
        );
    }

    #[test]
    fn many_ranks_make_no_long_lines() {
        assert_eq!(ranges(&[3]), "rank 3");
        assert_eq!(ranges(&[0, 2, 3, 4, 5, 8]), "ranks 0, 2-5, 8");
        let odd: Vec<usize> = (0..100).map(|number| 2 * number + 1).collect();
        assert!(ranges(&odd).ends_with(", 31, ... (100 in all)"), "{}", ranges(&odd));
    }
}
