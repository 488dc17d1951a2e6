//! Products on processes that are threads, compared with a plain product: on one node, on several, without
//! single copy, for both distributions; and invalid arguments, which return an error on all processes.

use hcube_bsp::{Options, Spmd};
use hcube_core::comm::Comm;
use hcube_core::comm::threads::{self, ThreadComm};
use hcube_core::error::Error;
use hcube_core::memory::Region;
use hcube_matmul::{
    Block, Distribution, Functions, Layout, Matrices, Problem, Progress, Sizes, multiply, plain,
    temporary_bytes,
};

/// The bytes after the elements of a process, and in C before the product.
const FILL: f64 = -77.0;
/// Elements after the part of a process.
const EXTRA: usize = 3;

fn element_of_a(row: usize, column: usize) -> f64 {
    ((row * 3 + column * 5) % 7) as f64 - 3.0
}

fn element_of_b(row: usize, column: usize) -> f64 {
    ((row * 4 + column) % 11) as f64 - 5.0
}

/// C by the definition, by rows.
fn expected(n: usize) -> Vec<f64> {
    let mut c = vec![0.0; n * n];
    for (row, inner) in (0..n).flat_map(|row| (0..n).map(move |inner| (row, inner))) {
        for column in 0..n {
            c[row * n + column] += element_of_a(row, inner) * element_of_b(inner, column);
        }
    }
    c
}

/// Memory that others use as well.
struct Memory(Box<[f64]>);

impl Memory {
    fn new(length: usize) -> Self {
        Self(vec![FILL; length].into_boxed_slice())
    }

    fn region(&mut self) -> Region<'static> {
        // SAFETY: the memory lives until all processes have finished, and is read only then.
        unsafe { Region::new(self.0.as_mut_ptr().cast(), self.0.len() * size_of::<f64>()) }
    }

    /// Calls `visit` for each element of a matrix that lies in this memory, with its row and column, and its
    /// place.
    fn each(&mut self, layout: &Layout, process: usize, mut visit: impl FnMut(usize, usize, &mut f64)) {
        let blocks = layout.blocks();
        for (row, column) in (0..blocks).flat_map(|row| (0..blocks).map(move |column| (row, column))) {
            let block = layout.block(row, column);
            for piece in layout.pieces(row, column).iter().filter(|piece| piece.process == process) {
                for column in 0..piece.columns {
                    for row in 0..piece.rows {
                        let place = piece.offset + column * piece.leading + row;
                        visit(
                            block.rows.start + piece.row + row,
                            block.columns.start + piece.column + column,
                            &mut self.0[place],
                        );
                    }
                }
            }
        }
    }
}

fn begin(comm: &ThreadComm, options: &Options) -> Spmd<ThreadComm> {
    let comm = comm.split(Some(0), comm.rank() as i32).expect("no error").expect("a part");
    Spmd::begin(comm, options).expect("memory")
}

fn end(mut spmd: Spmd<ThreadComm>) {
    spmd.end().expect("no error");
    spmd.comm().barrier().expect("no error");
}

/// A product on one process; the number of products of blocks that it has computed, or what is wrong. It does
/// not panic, since other processes wait.
fn product(spmd: &mut Spmd<ThreadComm>, problem: &Problem, expected: &[f64]) -> Result<usize, String> {
    let layout = Layout::new(problem, spmd.nprocs()).expect("valid");
    let (process, elements) = (spmd.pid(), layout.local_elements(spmd.pid()));
    let mut matrices = [(); 3].map(|()| Memory::new(elements + EXTRA));
    matrices[0].each(&layout, process, |row, column, place| *place = element_of_a(row, column));
    matrices[1].each(&layout, process, |row, column, place| *place = element_of_b(row, column));
    let mut temporary: Vec<Memory> = Vec::new();
    let regions = matrices.each_mut().map(Memory::region);
    let (mut products, mut seen) = (0, Vec::new());
    let mut functions = Functions {
        allocate: &mut |bytes| {
            temporary.push(Memory::new(bytes / size_of::<f64>()));
            Ok(temporary.last_mut().expect("just pushed").region())
        },
        multiply: &mut |sizes: Sizes, a: Block, b: Block, c: Block, accumulate| {
            products += 1;
            plain::multiply(sizes, a, b, c, accumulate);
        },
        progress: Some(&mut |progress| seen.push(progress)),
    };
    let [a, b, c] = regions;
    multiply(spmd, problem, Ok(Matrices { a, b, c }), &mut functions).map_err(|error| error.to_string())?;
    let mut wrong = None;
    let mut check = |right: bool, what: &str| {
        if !right {
            wrong.get_or_insert_with(|| format!("{what}, {problem:?}, process {process}"));
        }
    };
    let total = seen.len();
    check(seen.into_iter().eq((1..=total).map(|done| Progress { done, total })), "progress");
    let lengths: Vec<usize> = temporary.iter().map(|memory| size_of_val(&*memory.0)).collect();
    check(lengths == [temporary_bytes(&layout)], "memory is not allocated once");
    check(lengths[0] <= 3 * layout.side().pow(2) * size_of::<f64>(), "more than three blocks");
    let (n, mut checked) = (problem.n, 0);
    matrices[2].each(&layout, process, |row, column, found| {
        check(*found == expected[row * n + column], "an element of C");
        checked += 1;
    });
    for (memory, value) in matrices.iter_mut().zip([element_of_a, element_of_b]) {
        memory.each(&layout, process, |row, column, found| check(*found == value(row, column), "A or B"));
    }
    check(matrices[2].0[elements..].iter().all(|&element| element == FILL), "C behind its end");
    check(problem.distribution == Distribution::Customized || checked == elements, "places of elements");
    wrong.map_or(Ok(products), Err)
}

const SIZES: [usize; 7] = [0, 1, 2, 7, 16, 33, 100];

fn all_problems(most: usize) -> Vec<(Problem, Vec<f64>)> {
    let mut problems = Vec::new();
    for n in SIZES.into_iter().filter(|&n| n <= most) {
        let expected = expected(n);
        for blocks in 0..=6.min(n.max(1)) {
            for &distribution in Distribution::ALL {
                problems.push((Problem { n, blocks, distribution }, expected.clone()));
            }
        }
    }
    problems
}

fn run(processes: usize, per_node: usize, options: &Options, problems: &[(Problem, Vec<f64>)]) {
    let products = threads::run(processes, per_node, |comm| {
        let mut spmd = begin(comm, options);
        let products: Vec<Result<usize, String>> =
            problems.iter().map(|(problem, expected)| product(&mut spmd, problem, expected)).collect();
        end(spmd);
        products
    });
    let products: Vec<Vec<usize>> =
        products.into_iter().map(|own| own.into_iter().map(|own| own.expect("right")).collect()).collect();
    for (number, (problem, _)) in problems.iter().enumerate() {
        let blocks = Layout::new(problem, processes).expect("valid").blocks();
        let all = if problem.n == 0 { 0 } else { blocks.pow(3) };
        assert_eq!(products.iter().map(|own| own[number]).sum::<usize>(), all, "{problem:?}");
    }
}

fn options(single_copy: usize) -> Options {
    Options { ranks_per_node: 0, single_copy, memory: 0 }
}

#[test]
fn products_on_one_node() {
    let problems = all_problems(100);
    for processes in 1..=9 {
        // Nearly everything by single copy, and nothing.
        for single_copy in [64, 0] {
            run(processes, processes, &options(single_copy), &problems);
        }
    }
}

#[test]
fn products_on_several_nodes() {
    let problems = all_problems(33);
    for (processes, per_node) in [(2, 1), (3, 2), (4, 2), (5, 1), (6, 4), (7, 3), (8, 2), (9, 3)] {
        run(processes, per_node, &options(256), &problems);
    }
}

/// A and B may be one array.
#[test]
fn a_matrix_is_squared() {
    for distribution in Distribution::ALL.iter().copied() {
        for processes in [1, 4, 5, 10] {
            let problem = Problem { n: 12, blocks: 3, distribution };
            let right = threads::run(processes, processes, |comm| {
                let mut spmd = begin(comm, &options(64));
                let layout = Layout::new(&problem, processes).expect("valid");
                let elements = layout.local_elements(comm.rank());
                let [mut a, mut c] = [(); 2].map(|()| Memory::new(elements));
                a.each(&layout, comm.rank(), |row, column, place| *place = element_of_a(row, column));
                let matrices = Matrices { a: a.region(), b: a.region(), c: c.region() };
                let result = call(&mut spmd, &problem, Ok(matrices), true);
                let mut is_right = result.is_ok();
                c.each(&layout, comm.rank(), |row, column, found| {
                    let terms = (0..12).map(|inner| element_of_a(row, inner) * element_of_a(inner, column));
                    is_right &= *found == terms.sum::<f64>();
                });
                end(spmd);
                is_right
            });
            assert!(right.iter().all(|&right| right), "{processes} processes, {distribution:?}");
        }
    }
}

/// A call with the plain kernel, for which memory is available or not.
fn call(
    spmd: &mut Spmd<ThreadComm>,
    problem: &Problem,
    matrices: Result<Matrices, Error>,
    has_memory: bool,
) -> Result<(), Error> {
    let mut temporary = Vec::new();
    let mut functions = Functions {
        allocate: &mut |bytes| {
            if !has_memory {
                return Err(Error::Memory("no memory for blocks".into()));
            }
            temporary.push(Memory::new(bytes / size_of::<f64>()));
            Ok(temporary.last_mut().expect("just pushed").region())
        },
        multiply: &mut plain::multiply,
        progress: None,
    };
    multiply(spmd, problem, matrices, &mut functions)
}

/// The error on one process, and the beginning of its message.
const FAULTS: [(&str, &str); 11] = [
    ("n", "n differs between ranks, from 12 to 13"),
    ("large n", "n = 268435457: expected 0 to "),
    ("blocks", "blocks differs between ranks, from 3 to 4"),
    ("many blocks", "blocks = 13: expected 0 to 12 for n = 12"),
    ("distribution", "distribution differs between ranks, from 0 to 1"),
    ("short a", "a: 0 bytes: expected "),
    ("short c", "c: "),
    ("overlap", "c: overlaps a or b"),
    ("matrices", "b = NULL"),
    ("memory", "no memory for blocks"),
    ("one array", "b: the array of a on some ranks only"),
];

#[test]
fn a_wrong_argument_on_one_process_is_an_error_on_all() {
    for processes in [2, 3, 5, 8] {
        for bad in [0, processes - 1] {
            let problem = Problem { n: 12, blocks: 3, distribution: Distribution::Customized };
            let results = threads::run(processes, 3, |comm| {
                let mut spmd = begin(comm, &options(64));
                let is_bad = comm.rank() == bad;
                let faults = FAULTS.map(|fault| check_fault(&mut spmd, problem, is_bad, fault));
                let after = product(&mut spmd, &problem, &expected(12));
                end(spmd);
                faults.into_iter().collect::<Result<Vec<()>, String>>().and(after)
            });
            assert!(results.iter().all(Result::is_ok), "{processes} processes, {bad} is bad: {results:?}");
        }
    }
}

/// A call that all processes refuse, with nothing written; or what is wrong.
fn check_fault(
    spmd: &mut Spmd<ThreadComm>,
    mut problem: Problem,
    is_bad: bool,
    (fault, message): (&str, &str),
) -> Result<(), String> {
    let elements = Layout::new(&problem, spmd.nprocs()).expect("valid").local_elements(spmd.pid());
    // Room for the faults.
    let mut memory = [(); 3].map(|()| Memory::new(elements + 100));
    let [a, b, c] = memory.each_mut().map(Memory::region);
    let mut matrices = Ok(Matrices { a, b, c });
    let mut has_memory = true;
    match fault {
        _ if !is_bad => {}
        "n" => problem.n = 13,
        "large n" => problem.n = (1 << 28) + 1,
        "blocks" => problem.blocks = 4,
        "many blocks" => problem.blocks = 13,
        "distribution" => problem.distribution = Distribution::Static,
        "short a" => matrices = Ok(Matrices { a: a.part(0..0), b, c }),
        "short c" => matrices = Ok(Matrices { a, b, c: c.part(0..elements * 8 - 1) }),
        "overlap" => matrices = Ok(Matrices { a, b, c: b }),
        "matrices" => matrices = Err(Error::Buffer("b = NULL".into())),
        "memory" => has_memory = false,
        "one array" => matrices = Ok(Matrices { a, b: a, c }),
        _ => panic!("{fault}"),
    }
    let error = match call(spmd, &problem, matrices, has_memory) {
        Ok(()) => return Err(format!("{fault} is not refused")),
        Err(error) => error.to_string(),
    };
    let is_common = message.contains("differs") || fault == "one array";
    let begin = if is_bad || is_common { message } else { "rank " };
    let is_right = error.starts_with(begin) && error.contains(message);
    let is_untouched = memory[2].0.iter().all(|&element| element == FILL);
    if is_right && is_untouched { Ok(()) } else { Err(format!("{fault}: {error}, {is_untouched}")) }
}
