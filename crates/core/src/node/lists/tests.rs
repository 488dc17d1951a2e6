use super::*;
use crate::comm::threads::{self, ThreadComm};
use crate::error::Error;

const PATIENCE: fn() -> Patience = || Patience::new(true, false);

fn meet(lists: &mut RecordLists, comm: &ThreadComm) {
    lists.meet(comm, PATIENCE(), || {}, [0; NOTICE_WORDS]);
}

fn bytes(region: Region<'_>) -> Vec<u8> {
    let mut bytes = vec![0; region.len()];
    region.read(&mut bytes);
    bytes
}

/// What rank `from` leaves for `to` in a turn: payloads of many lengths.
fn payload(turn: usize, from: usize, to: usize, number: usize) -> Vec<u8> {
    let length = [0, 1, 15, 16, 17, 5000, 40, 70_000][(turn + from + 3 * to + number) % 8];
    (0..length).map(|index| (index * 7 + turn + 11 * from + 31 * to + number) as u8).collect()
}

/// Every record arrives at its reader, in order, in each of several turns, and stays where it is for a
/// further turn.
#[test]
fn records_arrive_in_order_and_stay_for_a_turn() {
    for size in [1, 2, 3, 5] {
        threads::run(size, size, |comm| {
            let ranks: Vec<usize> = (0..size).collect();
            let mut lists = RecordLists::share(comm, &ranks, size + 1, MIN_RESERVE).expect("shared memory");
            let own = lists.own_number();
            let mut before: Vec<(Vec<u8>, Region<'static>)> = Vec::new();
            for turn in 0..5 {
                for number in 0..6 {
                    for to in 0..=size {
                        let data = payload(turn, own, to, number);
                        let region =
                            lists.record(to, number as u64, turn as u32, data.len()).expect("memory");
                        assert!(region.address().addr().is_multiple_of(16));
                        region.write(&data);
                    }
                }
                assert!(before.iter().all(|(data, region)| &bytes(*region) == data), "overwritten too early");
                before.clear();
                lists.meet(comm, PATIENCE(), || {}, [turn as u64, own as u64, 0, 0, 1]);
                for from in 0..size {
                    assert_eq!(lists.notice(from), [turn as u64, from as u64, 0, 0, 1]);
                    for to in [own, size] {
                        // SAFETY: located in this turn, and read until the next one.
                        let records = unsafe { lists.records(lists.list(from, to)) };
                        let mut count = 0;
                        for (number, record) in records.enumerate() {
                            let data = payload(turn, from, to, number);
                            assert_eq!((record.value, record.label), (number as u64, turn as u32));
                            assert_eq!(bytes(record.payload), data);
                            before.push((data, record.payload));
                            count += 1;
                        }
                        assert_eq!(count, 6);
                    }
                }
                lists.turn();
                lists.finish();
            }
            comm.barrier().expect("no error");
        });
    }
}

#[test]
fn a_list_without_records_is_empty_in_the_next_round() {
    threads::run(2, 2, |comm| {
        let mut lists = RecordLists::share(comm, &[0, 1], 2, MIN_RESERVE).expect("shared memory");
        let other = 1 - lists.own_number();
        lists.record(other, 1, 2, 3).expect("memory").write(&[1, 2, 3]);
        meet(&mut lists, comm);
        assert!(!lists.list(other, 1 - other).is_empty() && lists.list(other, other).is_empty());
        // The same number of the block is used again two rounds later.
        for _ in 0..2 {
            meet(&mut lists, comm);
            assert!((0..2).all(|reader| lists.list(other, reader).is_empty()));
        }
        comm.barrier().expect("no error");
    });
}

/// A rank that has not finished the turn keeps others from its memory.
#[test]
fn ranks_wait_for_what_a_turn_asks_of_another() {
    threads::run(2, 2, |comm| {
        let mut lists = RecordLists::share(comm, &[0, 1], 2, MIN_RESERVE).expect("shared memory");
        let own = lists.own_number();
        for turn in 1..100u64 {
            meet(&mut lists, comm);
            lists.turn();
            if own == 0 {
                lists.finish();
            } else {
                assert_eq!(lists.finished(own).load(Ordering::Relaxed), turn - 1);
                lists.wait_for(0, comm, PATIENCE());
                assert!(lists.finished(0).load(Ordering::Relaxed) >= turn);
                lists.finish();
            }
        }
        comm.barrier().expect("no error");
    });
}

#[test]
fn more_than_the_address_range_is_refused() {
    threads::run(1, 1, |comm| {
        let mut lists = RecordLists::share(comm, &[0], 1, MIN_RESERVE).expect("shared memory");
        assert!(matches!(lists.record(0, 0, 0, MIN_RESERVE), Err(Error::Memory(_))));
        let fits = (0..).take_while(|_| lists.record(0, 0, 0, 1000).is_ok()).count();
        assert!((500..1049).contains(&fits), "{fits} records");
        meet(&mut lists, comm);
        // SAFETY: the list was located in this turn, and the records are used before the next.
        assert_eq!(unsafe { lists.records(lists.list(0, 0)) }.count(), fits);
        lists.turn();
        lists.record(0, 0, 0, 1000).expect("the other buffer is empty");
        meet(&mut lists, comm);
    });
}

#[test]
fn memory_that_is_not_used_is_given_back() {
    threads::run(2, 2, |comm| {
        let mut lists = RecordLists::share(comm, &[0, 1], 2, 64 << 20).expect("shared memory");
        let large = 16 << 20;
        lists.record(0, 0, 0, large).expect("memory");
        let present = lists.present();
        for turn in 0..MAX_IDLE_TURNS {
            meet(&mut lists, comm);
            lists.turn();
            lists.record(0, 0, 0, 100).expect("memory").write(&[turn as u8; 100]);
        }
        meet(&mut lists, comm);
        assert!(present >= large && lists.present() < 2 << 20, "{present}, then {}", lists.present());
        comm.barrier().expect("no error");
    });
}

#[test]
fn lists_of_one_rank_need_no_shared_memory() {
    threads::run(1, 1, |comm| {
        let mut lists = RecordLists::own(1).expect("memory");
        lists.record(0, 7, 8, 2).expect("memory").write(&[1, 2]);
        meet(&mut lists, comm);
        // SAFETY: the list was located in this turn, and the records are used in it.
        let records: Vec<Record<'_>> = unsafe { lists.records(lists.list(0, 0)) }.collect();
        assert_eq!((records.len(), records[0].value, records[0].label), (1, 7, 8));
        assert_eq!(bytes(records[0].payload), [1, 2]);
    });
}
