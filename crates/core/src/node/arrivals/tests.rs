//! The table and its lists, with threads as ranks.

use super::*;
use crate::comm::threads;
use crate::node::single_copy::tests::permitted;

/// The processes of all ranks, which are threads of this one.
fn processes(comm: &impl Comm) -> Vec<Process> {
    (0..comm.size()).map(|_| Process::own()).collect()
}

/// Whether each pair of ranks has found each other once in each operation, from what each rank has found.
fn check_pairs(found: Vec<Vec<(u64, usize, usize)>>, operations: u64) {
    let ranks = found.len();
    let mut pairs: Vec<_> = found.into_iter().flatten().collect();
    let expected = operations as usize * ranks * (ranks - 1) / 2;
    assert_eq!(pairs.len(), expected, "{ranks} ranks");
    pairs.sort_unstable();
    pairs.dedup();
    assert_eq!(pairs.len(), expected, "{ranks} ranks");
}

/// Enters an operation, and adds the pairs that were found.
fn enter(
    arrivals: &mut Arrivals,
    operation: u64,
    processes: &[Process],
    found: &mut Vec<(u64, usize, usize)>,
) {
    let own = arrivals.slots.own();
    let before = arrivals.enter(operation, 1000 * operation + own as u64 + 1, processes);
    for (rank, word) in before.expect("no errors") {
        assert_eq!(word, 1000 * operation + rank as u64 + 1);
        found.push((operation, rank.min(own), rank.max(own)));
    }
}

#[test]
fn of_two_ranks_exactly_one_finds_the_other() {
    const OPERATIONS: u64 = 2000;
    for ranks in [2, 3, 5] {
        let all: Vec<usize> = (0..ranks).collect();
        let found = threads::run(ranks, ranks, |comm| {
            let mut arrivals = Arrivals::create(comm, &all).expect("shared memory");
            let (processes, mut found) = (processes(comm), Vec::new());
            (1..=OPERATIONS).for_each(|key| enter(&mut arrivals, key, &processes, &mut found));
            comm.barrier().expect("no errors");
            found
        });
        check_pairs(found, OPERATIONS);
    }
}

/// Ranks that are far more operations ahead than there are rows do not wait, for any order of the others, and
/// no memory is left when all have finished.
#[test]
fn ranks_run_ahead_without_waiting() {
    const OPERATIONS: u64 = 1000;
    if !permitted() {
        return;
    }
    for ranks in [2, 3, 5] {
        let all: Vec<usize> = (0..ranks).collect();
        let found = threads::run(ranks, ranks, |comm| {
            let mut arrivals = Arrivals::create(comm, &all).expect("shared memory");
            let (processes, mut found) = (processes(comm), Vec::new());
            // All in one bucket; of every rank some ahead of the next rank, then the others.
            let orders: [fn(u64) -> u64; 3] = [|at| at, |at| OPERATIONS - 1 - at, |at| at * 333 % OPERATIONS];
            let order = |at| (orders[comm.rank() % 3](at) + 1) * BUCKETS as u64;
            for part in [0..OPERATIONS / 2, OPERATIONS / 2..OPERATIONS] {
                for turn in 0..comm.size() {
                    if turn == comm.rank() {
                        part.clone().for_each(|at| enter(&mut arrivals, order(at), &processes, &mut found));
                    }
                    comm.barrier().expect("no errors");
                }
            }
            assert_eq!(arrivals.word(0, QUEUED).load(Ordering::Relaxed), 0);
            enter(&mut arrivals, BUCKETS as u64, &processes, &mut Vec::new());
            assert_eq!(arrivals.bytes(), arrivals.slots.bytes_per_rank());
            comm.barrier().expect("no errors");
            found
        });
        check_pairs(found, OPERATIONS);
    }
}

/// The orders in which ranks can take this number of steps each.
fn turns(steps: &[usize]) -> Vec<Vec<usize>> {
    let next: Vec<usize> = (0..steps.len()).filter(|&rank| steps[rank] > 0).collect();
    if next.is_empty() {
        return vec![Vec::new()];
    }
    let after = |rank: usize| {
        let mut left = steps.to_vec();
        left[rank] -= 1;
        turns(&left).into_iter().map(move |rest| [vec![rank], rest].concat())
    };
    next.into_iter().flat_map(after).collect()
}

/// Operations of one bucket: all rows but one are taken by the first of them.
const FREED: usize = 0;
const ONE: usize = ROWS - 1;
const OTHER: usize = ROWS;

/// What ranks 0 to 2 start, in all orders of rank 1.
const OF_RANKS: [[&[usize]; 3]; 6] = {
    const FIRST: &[usize] = &[ONE, OTHER];
    const LAST: &[usize] = &[OTHER, ONE];
    [
        [FIRST, &[FREED, ONE, OTHER], LAST],
        [FIRST, &[FREED, OTHER, ONE], LAST],
        [FIRST, &[ONE, FREED, OTHER], LAST],
        [FIRST, &[OTHER, FREED, ONE], LAST],
        [FIRST, &[ONE, OTHER, FREED], LAST],
        [FIRST, &[OTHER, ONE, FREED], LAST],
    ]
};

/// An operation that some ranks have started and others have not lies in a row, or in the lists of all that
/// have.
fn is_in_place(arrivals: &Arrivals, key: u64, started: &[bool], processes: &[Process]) -> bool {
    let bucket = bucket_of(key);
    let in_row = (0..ROWS).any(|row| arrivals.word(bucket, FIRST_KEY + row).load(Ordering::Relaxed) == key);
    let others =
        started.iter().enumerate().filter(|&(rank, &has)| has && rank != arrivals.slots.own()).count();
    let in_lists = arrivals.find_queued(bucket, key, processes).expect("no errors").len();
    let is_open = started.contains(&true) && started.contains(&false);
    if is_open && !in_row { in_lists == others } else { in_lists == 0 && in_row == is_open }
}

/// All orders, one rank at a time, ensured by a lock. Ranks except the second one have taken all rows but
/// one; of these, the second one frees one before, between or after two further operations.
#[test]
fn in_all_orders_an_operation_lies_in_a_row_or_in_lists() {
    if !permitted() {
        return;
    }
    for ranks in [2, 3] {
        let all: Vec<usize> = (0..ranks).collect();
        let found = threads::run(ranks, ranks, |comm| {
            let (own, processes) = (comm.rank(), processes(comm));
            let mut arrivals = Arrivals::create(comm, &all).expect("shared memory");
            let (mut found, mut tried, mut wrong) = (Vec::new(), 0, Vec::new());
            let barrier = || comm.barrier().expect("no errors");
            for (of_rank, order) in OF_RANKS.iter().flat_map(|of_rank| {
                let steps: Vec<usize> = of_rank[..ranks].iter().map(|all| all.len()).collect();
                turns(&steps).into_iter().map(move |order| (of_rank, order))
            }) {
                let key = |operation: usize| (tried * (OTHER + 1) + operation + 1) as u64 * BUCKETS as u64;
                let mut start = |arrivals: &mut Arrivals, operation| {
                    enter(arrivals, key(operation), &processes, &mut found);
                };
                if own != 1 {
                    (0..ONE).for_each(|operation| start(&mut arrivals, operation));
                }
                barrier();
                let mut next = vec![0; ranks];
                for turn in order {
                    if turn == own {
                        start(&mut arrivals, of_rank[own][next[own]]);
                    }
                    next[turn] += 1;
                    barrier();
                    for operation in [ONE, OTHER] {
                        let has = |rank: usize| of_rank[rank][..next[rank]].contains(&operation);
                        let started: Vec<bool> = (0..ranks).map(has).collect();
                        // A rank that panicked here would leave the others in the barrier.
                        if !is_in_place(&arrivals, key(operation), &started, &processes) {
                            wrong.push((tried, operation, started));
                        }
                    }
                    barrier();
                }
                if own == 1 {
                    (FREED + 1..ONE).for_each(|operation| start(&mut arrivals, operation));
                }
                barrier();
                if arrivals.word(0, QUEUED).load(Ordering::Relaxed) != 0 {
                    wrong.push((tried, OTHER, vec![true; ranks]));
                }
                tried += 1;
            }
            (found, tried, wrong)
        });
        let wrong: Vec<_> = found.iter().flat_map(|(.., wrong)| wrong).collect();
        assert!(wrong.is_empty(), "{} of them: {:?}", wrong.len(), wrong.first());
        let operations = (found[0].1 * (OTHER + 1)) as u64;
        check_pairs(found.into_iter().map(|(found, ..)| found).collect(), operations);
    }
}

/// All ranks are ahead of each other at the same time.
#[test]
fn ranks_run_ahead_at_the_same_time() {
    const OPERATIONS: u64 = 3000;
    if !permitted() {
        return;
    }
    for ranks in [2, 3] {
        let all: Vec<usize> = (0..ranks).collect();
        let found = threads::run(ranks, ranks, |comm| {
            let mut arrivals = Arrivals::create(comm, &all).expect("shared memory");
            let (processes, mut found) = (processes(comm), Vec::new());
            // Each rank begins elsewhere, so that all are ahead of each other.
            let begin = comm.rank() as u64 * OPERATIONS / comm.size() as u64;
            for at in 0..OPERATIONS {
                let key = (begin + at) % OPERATIONS + 1;
                enter(&mut arrivals, key * BUCKETS as u64, &processes, &mut found);
            }
            comm.barrier().expect("no errors");
            found
        });
        check_pairs(found, OPERATIONS);
    }
}

#[test]
fn an_offer_is_taken_once_and_not_after_it_was_withdrawn() {
    let results = threads::run(2, 2, |comm| {
        let mut arrivals = Arrivals::create(comm, &[0, 1])?;
        for (key, is_withdrawn) in [(1, false), (2, true), (3, false)] {
            if comm.rank() == 0 {
                arrivals.make_offer(1, key);
                assert_eq!(arrivals.enter(key, 7, &processes(comm)), Ok(Vec::new()));
                if is_withdrawn {
                    assert_eq!(arrivals.withdraw_offer(1, key), None);
                }
            }
            comm.barrier()?;
            if comm.rank() == 1 {
                assert_eq!(arrivals.enter(key, 9, &processes(comm)), Ok(vec![(0, 7)]));
                // An offer holds for its operation only.
                assert!(!arrivals.take_offer(0, key + 10, 9));
                assert_eq!(arrivals.take_offer(0, key, 9), !is_withdrawn);
            }
            comm.barrier()?;
            if comm.rank() == 0 {
                assert_eq!(arrivals.taken_offer(1), (!is_withdrawn).then_some(9));
                assert_eq!(arrivals.taken_offer(1), None);
            }
            comm.barrier()?;
        }
        comm.barrier()
    });
    assert!(results.iter().all(Result::is_ok), "{results:?}");
}

/// Both ranks agree on whether an offer was taken or withdrawn.
#[test]
fn offers_are_taken_or_withdrawn() {
    const OPERATIONS: u64 = 3000;
    let results = threads::run(2, 2, |comm| -> Result<Vec<bool>> {
        let mut arrivals = Arrivals::create(comm, &[0, 1])?;
        let (own, other) = (comm.rank(), 1 - comm.rank());
        let mut shared = Vec::new();
        for operation in 1..=OPERATIONS {
            arrivals.make_offer(other, operation);
            let word = 10 * operation + own as u64;
            let before = arrivals.enter(operation, word, &processes(comm))?;
            shared.push(if before.is_empty() {
                let taken = (0..operation % 50).find_map(|_| arrivals.taken_offer(other));
                let taken = taken.or_else(|| arrivals.withdraw_offer(other, operation));
                assert!(taken.is_none_or(|word| word == 10 * operation + other as u64), "{taken:?}");
                taken.is_some()
            } else {
                assert_eq!(arrivals.withdraw_offer(other, operation), None);
                arrivals.take_offer(other, operation, word)
            });
        }
        comm.barrier()?;
        Ok(shared)
    });
    let shared: Vec<Vec<bool>> = results.into_iter().map(|shared| shared.expect("no errors")).collect();
    assert_eq!(shared[0], shared[1]);
}
