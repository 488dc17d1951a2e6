//! The common tests of installed runtimes, BSPlib and the coarrays of gfortran: a tree that was moved, its
//! commands, and what they compile and reject.

use crate::common::installed::{installed, loads_library_from, pkg_config};
use crate::common::session::run;
use crate::common::{Mpi, output};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A runtime, by its library and a function of that.
pub struct Runtime {
    pub library: &'static str,
    pub function: &'static str,
}

/// A tree whose path has a blank.
pub fn tree(name: &str) -> PathBuf {
    move_to(&installed(name), "moved there")
}

/// Gives a tree another name.
fn move_to(tree: &Path, name: &str) -> PathBuf {
    let moved = tree.with_file_name(name);
    drop(fs::remove_dir_all(&moved));
    fs::rename(tree, &moved).expect("a new name");
    moved
}

/// A command with nothing in the environment that helps it.
pub fn command(program: impl AsRef<Path>) -> Command {
    let mut command = Command::new(program.as_ref());
    for name in [
        "LD_LIBRARY_PATH",
        "OMPI_ALLOW_RUN_AS_ROOT",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
        "FC",
        "HCUBE_FC",
        "SLURM_JOB_ID",
        "PBS_NODEFILE",
        "LSB_HOSTS",
        "PE_HOSTFILE",
    ] {
        command.env_remove(name);
    }
    // See `Launch`: MPICH may hang at the end otherwise.
    command.env("UCX_TLS", "self,posix,sysv,cma");
    command
}

/// What a command prints with `--show`, without the tree.
pub fn shown(tree: &Path, mut command: Command, arguments: &[&str]) -> String {
    let text = output(command.arg("--show").args(arguments).current_dir(tree));
    text.replace(tree.to_str().expect("UTF-8"), "TREE").trim_end().to_owned()
}

pub fn refused(output: &Output, command: &str, words: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{words}: {errors}");
    assert!(errors.starts_with(&format!("{command}: ")) && errors.contains(words), "{words}: {errors}");
}

/// The exit status of the compiler and of a program are returned.
pub fn exit_status_is_kept(compiler: &mut Command, source: &str, launcher: &mut Command) {
    let failed = compiler.args(["-c", source]).output().expect("it starts");
    let errors = String::from_utf8_lossy(&failed.stderr);
    assert!(!failed.status.success() && errors.contains(source), "{failed:?}");
    // MPICH's launcher is sometimes ended by a signal if a program ends before it has read the end of its
    // input.
    let failed = run(launcher.args(["-n", "1", "sh", "-c", "read line; exit 7"]));
    assert_eq!(failed.status.code(), Some(7), "{failed:?}");
}

/// A folder of the tree with these commands of the search path.
pub fn commands(tree: &Path, names: &[&str]) -> PathBuf {
    let commands = tree.join("commands");
    fs::create_dir(&commands).expect("writable");
    for name in names {
        // The file, also where the shell has a command of this name.
        let found = output(Command::new("bash").args(["-c", &format!("type -P {name}")]));
        symlink(found.trim(), commands.join(name)).expect("a new name");
    }
    commands
}

impl Runtime {
    /// The file name of the shared library that programs search for.
    fn shared(&self) -> String {
        format!("{}.so.0", self.library)
    }

    /// That a program was linked to hcube of this tree, or contains it.
    pub fn serves(&self, tree: &Path, program: &Path, is_static: bool) {
        let libraries = output(Command::new("ldd").arg(program).env_remove("LD_LIBRARY_PATH"));
        assert!(!libraries.contains("libcaf_"), "{libraries}");
        if is_static {
            assert!(!libraries.contains("libhcube"), "{libraries}");
            let symbols = output(Command::new("nm").arg(program));
            let function = format!(" T {}", self.function);
            assert!(symbols.lines().any(|line| line.ends_with(&function)), "{symbols}");
            return;
        }
        loads_library_from(&self.shared(), &tree.join("lib/hcube").join(Mpi::selected().name()), program);
    }

    /// Moves the tree of a program, which does not find the library of itself then.
    pub fn move_again(&self, tree: &Path, program: &Path) -> PathBuf {
        let moved = move_to(tree, "moved again");
        let alone = Command::new("ldd").arg(program).env_remove("LD_LIBRARY_PATH").output().expect("ldd");
        let missing = format!("{} => not found", self.shared());
        assert!(String::from_utf8_lossy(&alone.stdout).contains(&missing), "{alone:?}");
        moved
    }

    /// Programs that are compiled as the packages say, by a compiler that may depend on how hcube is linked.
    pub fn with_pkg_config(
        &self,
        tree: &Path,
        source: &Path,
        compiler: impl Fn(bool) -> Command,
    ) -> Vec<PathBuf> {
        let mpi = Mpi::selected().name();
        let package = self.library.replace("lib", "").replace('_', "-");
        let own = format!("{package}-{mpi}");
        let builds = [(&package, &[][..], false), (&own, &[], false), (&own, &["--static"], true)];
        let build = |(name, options, is_static): (&String, &[&str], bool)| {
            if is_static {
                // With both in one folder, the linker takes the shared library.
                let shared = tree.join("lib/hcube").join(mpi).join(format!("{}.so", self.library));
                fs::remove_file(shared).expect("a link");
            }
            let program = tree.join(format!("client-{name}-{is_static}"));
            let mut compiler = compiler(is_static);
            compiler.args(pkg_config(tree, name, &["--cflags"])).arg(source).arg("-o").arg(&program);
            output(compiler.args(pkg_config(tree, name, &[options, &["--libs"]].concat())));
            self.serves(tree, &program, is_static);
            program
        };
        builds.map(build).into()
    }

    /// A program that CMake builds, with these lines before and after the line of the executable.
    pub fn with_cmake(
        &self,
        tree: &Path,
        source: &Path,
        (languages, rest): (&str, &str),
        option: &str,
    ) -> PathBuf {
        let project = tree.join("project");
        drop(fs::remove_dir_all(&project));
        fs::create_dir_all(&project).expect("writable");
        let lists = format!(
            "cmake_minimum_required(VERSION 3.18)\nproject(client {languages})\nadd_executable(client {})\n{rest}",
            source.display()
        );
        fs::write(project.join("CMakeLists.txt"), lists).expect("writable");
        let build = project.join("build");
        output(command("cmake").arg("-S").arg(&project).arg("-B").arg(&build).arg(option));
        output(command("cmake").arg("--build").arg(&build));
        self.serves(tree, &build.join("client"), false);
        build.join("client")
    }
}
