//! Libraries of hcube that only programs of one kind need: whether the one for this MPI library is there and
//! complete.

use super::finding::{Finding, State, Topic};
use crate::bench::library::{file_of, load, mpi_name, own_files};
use hcube_core::mpi::handle;
use hcube_core::node::loader::{self, Library};
use std::ffi::CStr;

/// A library to find.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    pub topic: Topic,
    pub name: &'static str,
    /// Functions that it has if it is complete; the first of them tells its file.
    pub functions: &'static [&'static CStr],
    /// What these are.
    pub what: &'static str,
    /// What to do where it cannot be loaded.
    pub advice: &'static str,
}

impl Wanted {
    /// What was found on this rank.
    pub fn find(&self) -> Finding {
        let files = own_files(self.name, mpi_name(&handle::library_version()));
        // Loaded for this process only: nothing is called.
        self.judge(load(&files, Library::open).map(|library| Loaded {
            file: library.symbol(self.functions[0]).map(file_of).unwrap_or_default(),
            complete: self.functions.iter().all(|name| library.symbol(name).is_some()),
            mpi: library.symbol(c"MPI_Init").map(file_of).unwrap_or_default(),
            mpi_here: loader::global(c"MPI_Init").map(file_of).unwrap_or_default(),
        }))
    }

    fn judge(&self, loaded: Result<Loaded, Vec<String>>) -> Finding {
        let Loaded { file, complete, mpi, mpi_here } = match loaded {
            Ok(loaded) => loaded,
            Err(reasons) => {
                let text = format!("{} cannot be loaded: {}", self.name, reasons.join("; "));
                return Finding::new(self.topic, State::Fact, text).advise(self.advice);
            }
        };
        if !complete {
            let text = format!("{file}: {} are missing", self.what);
            return Finding::new(self.topic, State::Wrong, text).advise("install hcube again");
        }
        if mpi != mpi_here {
            let text = format!("{file} uses {mpi}, and this program {mpi_here}");
            let advice = "correct LD_LIBRARY_PATH, so that both belong to one MPI library";
            return Finding::new(self.topic, State::Wrong, text).advise(advice);
        }
        Finding::new(self.topic, State::Good, file)
    }
}

/// A library that was loaded.
struct Loaded {
    file: String,
    /// Whether it has all functions.
    complete: bool,
    /// The file of the MPI library that it uses, and of that which this process uses.
    mpi: String,
    mpi_here: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANTED: Wanted = Wanted {
        topic: Topic::Bsplib,
        name: "libnone.so",
        functions: &[c"none"],
        what: "functions",
        advice: "none is needed",
    };

    fn loaded() -> Loaded {
        let name = |name: &str| name.to_owned();
        Loaded { file: name("own.so"), complete: true, mpi: name("mpi.so"), mpi_here: name("mpi.so") }
    }

    #[test]
    fn a_library_that_does_not_fit_is_told() {
        let good = WANTED.judge(Ok(loaded()));
        assert_eq!((good.state, &*good.text), (State::Good, "own.so"));
        let incomplete = WANTED.judge(Ok(Loaded { complete: false, ..loaded() }));
        assert_eq!((incomplete.state, &*incomplete.text), (State::Wrong, "own.so: functions are missing"));
        let other = WANTED.judge(Ok(Loaded { mpi_here: "other.so".to_owned(), ..loaded() }));
        assert_eq!(
            (other.state, &*other.text),
            (State::Wrong, "own.so uses mpi.so, and this program other.so")
        );
        let none = WANTED.judge(Err(vec!["no such file".to_owned()]));
        assert_eq!((none.state, none.advice.as_deref()), (State::Fact, Some("none is needed")));
    }
}
