# Puts hcube's RandomAccess update into HPCC. Two lines at the END of your own
# hpl/Make.<arch>, then a build from clean:
#
#   HCUBE_DIR = /absolute/path/of/hcube
#   include $(HCUBE_DIR)/hpcc-glue/hpcc/hcube.mk
#
# HCUBE_DIR is hcube's source tree, or the prefix of `make install` (then the
# file is $(HCUBE_DIR)/share/hcube/hpcc/hcube.mk). Set before the include if the
# defaults do not apply:
#
#   HCUBE_MPI        MPI library that libhcube was built for: openmpi or mpich
#   HCUBE_LIBDIR     folder of libhcube
#   HCUBE_INCLUDEDIR folder of hcube.h

HCUBE_MPI ?= openmpi
HCUBE_GLUE := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))

ifneq ($(wildcard $(HCUBE_DIR)/Cargo.toml),)
HCUBE_LIBDIR ?= $(HCUBE_DIR)/target/$(HCUBE_MPI)/release
else
HCUBE_LIBDIR ?= $(HCUBE_DIR)/lib/hcube/$(HCUBE_MPI)
endif
HCUBE_INCLUDEDIR ?= $(HCUBE_DIR)/include

# HPCC reads Make.<arch> twice: in its top folder, where nothing is compiled,
# and in hpl/lib/arch/build, where all paths are relative to that folder. Only
# the second matters here; it is the one from which HPCC's header is found.
HCUBE_HPCC := ../../../..
ifneq ($(wildcard $(HCUBE_HPCC)/include/hpcc.h),)

# HPCC's standard algorithm has its update functions in the same object files
# as the harness, and a second definition would be a linker error. With this
# flag they are in separate object files, which the linker does not extract from
# the archive, because hcube's object has already defined their symbols.
CCFLAGS += -DRA_SANDIA_OPT2

# The order selects hcube's functions: glue, libhcube, then libhpl.a.
# --no-as-needed: a linker that drops unused libraries might drop libhcube if the
# glue is compiled for link-time optimisation. With the run path LD_LIBRARY_PATH
# is not needed.
HCUBE_OBJECT := $(HCUBE_HPCC)/RandomAccess/hcube_random_access.o
HCUBE_LINK := -L$(HCUBE_LIBDIR) -Wl,-rpath,$(HCUBE_LIBDIR) \
	-Wl,--push-state,--no-as-needed -lhcube -Wl,--pop-state
HPL_LIBS := $(HCUBE_OBJECT) $(HCUBE_LINK) $(HPL_LIBS)

# The rules below must not become the default goal.
HCUBE_SAVED_GOAL := $(.DEFAULT_GOAL)

$(HCUBE_HPCC)/hpcc : $(HCUBE_OBJECT)

$(HCUBE_OBJECT) : $(HCUBE_GLUE)/hcube_random_access.c $(HCUBE_INCLUDEDIR)/hcube.h $(wildcard $(HCUBE_INCLUDEDIR)/hcube/*.h) \
		$(HCUBE_HPCC)/include/hpcc.h $(HCUBE_HPCC)/RandomAccess/RandomAccess.h
	$(CC) -o $@ -c $< -I$(HCUBE_HPCC)/include -I$(HCUBE_HPCC)/RandomAccess \
		-I$(HCUBE_INCLUDEDIR) $(CCFLAGS)

.PHONY : clean hcube-clean
clean : hcube-clean
hcube-clean :
	$(RM) $(HCUBE_OBJECT)

.DEFAULT_GOAL := $(HCUBE_SAVED_GOAL)

# One clear message instead of 170 compilations and a failed link.
ifeq ($(filter clean,$(MAKECMDGOALS)),)
ifeq ($(wildcard $(HCUBE_LIBDIR)/libhcube.*),)
$(error There is no libhcube in '$(HCUBE_LIBDIR)'. Build it (make MPI=$(HCUBE_MPI) in hcube's folder), or set HCUBE_DIR, HCUBE_MPI or HCUBE_LIBDIR)
endif
endif

endif
