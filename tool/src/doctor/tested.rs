//! What works where: the exchanges of unmodified programs that tests have checked, by MPI library and path.

use super::wrap::wrapped;

/// Written by tests/alltoall/tested.rs: lines `library | function | paths`, and
/// `library | version | what it says of itself`.
const RECORD: &str = include_str!("tested.txt");

fn lines() -> impl Iterator<Item = [&'static str; 3]> {
    RECORD.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut parts = line.split(" | ");
        Some([parts.next()?, parts.next()?, parts.next()?])
    })
}

/// The versions of the libraries, and a row for each function with the paths by their first letters.
pub fn text() -> String {
    let libraries: Vec<[&str; 3]> = lines().filter(|[_, function, _]| *function == "version").collect();
    let mut functions: Vec<&str> =
        lines().map(|[_, function, _]| function).filter(|function| *function != "version").collect();
    functions.sort_unstable();
    functions.dedup();
    let mut rows: Vec<[String; 3]> = Vec::new();
    for function in functions {
        // Libraries with the same paths together.
        let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
        for [mpi, _, paths] in lines().filter(|[_, other, _]| *other == function) {
            match groups.iter_mut().find(|(known, _)| *known == paths) {
                Some((_, all)) => all.push(mpi),
                None => groups.push((paths, vec![mpi])),
            }
        }
        for (paths, all) in groups {
            rows.push([function.to_owned(), paths.to_owned(), all.join(", ")]);
        }
    }
    let versions: Vec<String> =
        libraries.iter().map(|[mpi, _, version]| format!("{mpi}: {version}")).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let (names, paths) = (width(0), width(1));
    let beginning = |[function, path, _]: &[String; 3]| format!("  {function:names$}  {path:paths$}  ");
    let table = rows.iter().map(|row| wrapped(&beginning(row), &row[2]));
    table.chain(versions.iter().map(|version| wrapped("  ", version))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_library_has_a_version_and_exchanges() {
        let text = text();
        for mpi in ["openmpi", "mpich", "openmpi5", "mpich5", "intelmpi", "abi"] {
            assert!(lines().any(|[of, function, _]| of == mpi && function == "version"), "{mpi}");
            assert!(
                lines().any(|[of, function, _]| of == mpi && function == "MPI_Alltoallw in place"),
                "{mpi}"
            );
            assert!(text.contains(mpi), "{text}");
        }
    }
}
