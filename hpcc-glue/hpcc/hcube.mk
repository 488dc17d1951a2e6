# Puts hcube's kernels into HPCC: RandomAccess, FFT, HPL's broadcast, STREAM, PTRANS. Two lines at the END of your own
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

# Assigned later, these would lose what is added here, and HPCC's own code would run without a message.
ifeq ($(and $(HPL_LIBS),$(CCFLAGS)),)
$(error hcube.mk must be included at the END of Make.$(ARCH): it adds to HPL_LIBS and CCFLAGS, which are not assigned yet)
endif

# Flags of HPCC's own files, kept for its second copies below.
HCUBE_STOCK_FLAGS := $(CCFLAGS)

# HPCC's standard algorithm has its update functions in the same object files
# as the harness, and a second definition would be a linker error. With
# RA_SANDIA_OPT2 they are in separate object files, which the linker does not extract from
# the archive, because hcube's object has already defined their symbols.
#
# With USING_FFTW, HPCC calls the functions of FFTW 2 for the transforms that it measures, and its own inverse
# transforms check the result. hcube provides these functions and their headers, which precede the headers of an FFTW 2
# in the user's flags. HPCC_FFTW_CHECK32 would reject vectors of 2^31 points and more, which FFTW 2 cannot transform and
# hcube can.
CCFLAGS := -I$(HCUBE_GLUE)/fftw2 $(CCFLAGS) -DRA_SANDIA_OPT2 -DUSING_FFTW -UHPCC_FFTW_CHECK32

# HPCC's own functions, compiled a second time under names with this prefix: they run if hcube does not serve.
HCUBE_PREFIX := hcube_stock_
hcube_renamed = $(foreach name,$(1),-D$(name)=$(HCUBE_PREFIX)$(name))

HCUBE_BUILD := $(HCUBE_HPCC)/hcube
HCUBE_OWN := $(addprefix $(HCUBE_BUILD)/,hcube_glue.o hcube_random_access.o hcube_fft.o hcube_hpl.o hcube_stream.o)
HCUBE_STOCK := $(addprefix $(HCUBE_BUILD)/$(HCUBE_PREFIX),MPIRandomAccess.o MPIRandomAccessLCG.o stream.o \
	HPL_binit.o HPL_bcast.o HPL_bwait.o HPL_pdpanel_init.o HPL_pdpanel_free.o)
HCUBE_TUNED := $(HCUBE_BUILD)/hcube_tuned_stream.o
HCUBE_OBJECTS := $(HCUBE_OWN) $(HCUBE_STOCK) $(HCUBE_TUNED)

# PTRANS: as STREAM below, once as it is and once with hcube's memory and transposition.
HCUBE_OWN += $(HCUBE_BUILD)/hcube_ptrans.o
HCUBE_STOCK_PTRANS := $(HCUBE_BUILD)/$(HCUBE_PREFIX)pdtransdriver.o
HCUBE_TUNED_PTRANS := $(HCUBE_BUILD)/hcube_tuned_pdtransdriver.o
HCUBE_OBJECTS += $(HCUBE_BUILD)/hcube_ptrans.o $(HCUBE_STOCK_PTRANS) $(HCUBE_TUNED_PTRANS)

# The order selects hcube's functions: glue, libhcube, then libhpl.a.
# --no-as-needed: a linker that drops unused libraries might drop libhcube if the
# glue is compiled for link-time optimisation. With the run path LD_LIBRARY_PATH
# is not needed.
HCUBE_LINK := -L$(HCUBE_LIBDIR) -Wl,-rpath,$(HCUBE_LIBDIR) \
	-Wl,--push-state,--no-as-needed -lhcube -Wl,--pop-state
HPL_LIBS := $(HCUBE_OBJECTS) $(HCUBE_LINK) $(HPL_LIBS)

# The rules below must not become the default goal.
HCUBE_SAVED_GOAL := $(.DEFAULT_GOAL)

$(HCUBE_HPCC)/hpcc : $(HCUBE_OBJECTS) | hcube-check

# Expanded when it is run, so it sees what was assigned after the include, and on make's command line.
define hcube_checked
$(if $(findstring -I$(HCUBE_GLUE)/fftw2,$(CCFLAGS)),,$(call hcube_lost,CCFLAGS))\
$(if $(findstring $(HCUBE_BUILD)/hcube_glue.o,$(HPL_LIBS)),,$(call hcube_lost,HPL_LIBS))\
$(if $(filter %/hcube_glue.o,$(hcube_first)),,$(error HPL_LIBS has $(hcube_first) before the objects of hcube, so that \
	HPCC's own kernels would be linked: include hcube.mk at the END of Make.$(ARCH)))
endef
# The first input of the linker: the glue or HPCC's archive.
hcube_first = $(firstword $(filter $(HCUBE_BUILD)/hcube_glue.o $(HPLlib) %libhpl.a -lhpl,$(HPL_LIBS)))
hcube_lost = $(error $(1) has lost what hcube.mk has added to it, because it is assigned $(if \
	$(findstring command line,$(origin $(1))),on make's command line: assign it in Make.$(ARCH)$(strip \
	) before the include,after the include: include hcube.mk at the END of Make.$(ARCH)))

.PHONY : hcube-check
hcube-check :
	@$(hcube_checked)

HCUBE_HEADERS := $(HCUBE_INCLUDEDIR)/hcube.h $(wildcard $(HCUBE_INCLUDEDIR)/hcube/*.h) $(HCUBE_GLUE)/hcube_glue.h \
	$(HCUBE_GLUE)/hcube_stream.h $(wildcard $(HCUBE_GLUE)/fftw2/*.h) $(HCUBE_HPCC)/include/hpcc.h
HCUBE_INCLUDES := -I$(HCUBE_GLUE) -I$(HCUBE_HPCC)/include -I$(HCUBE_HPCC)/RandomAccess -I$(HCUBE_HPCC)/FFT

# hcube_fft.o defines names which FFTW 3 has, too: other libraries of the program must not use hcube's.
$(HCUBE_BUILD)/hcube_fft.o : HCUBE_VISIBILITY := -fvisibility=hidden

$(HCUBE_BUILD) :
	$(MKDIR) $@

$(HCUBE_OWN) : $(HCUBE_BUILD)/%.o : $(HCUBE_GLUE)/%.c $(HCUBE_HEADERS) | $(HCUBE_BUILD) hcube-check
	$(CC) -o $@ -c $< $(HCUBE_INCLUDES) -I$(HCUBE_INCLUDEDIR) $(CCFLAGS) -DHCUBE_FOR_$(HCUBE_MPI) $(HCUBE_VISIBILITY)

# The standard algorithm, with all flags of the user. Its buffers are defined in HPCC's own object, too.
HCUBE_STANDARD := -fcommon -URA_SANDIA_OPT2 -URA_SANDIA_NOPT

$(HCUBE_BUILD)/$(HCUBE_PREFIX)MPIRandomAccess%.o : $(HCUBE_HPCC)/RandomAccess/MPIRandomAccess%.c | $(HCUBE_BUILD)
	$(CC) -o $@ -c $< $(HCUBE_INCLUDES) $(HCUBE_STOCK_FLAGS) $(HCUBE_STANDARD) $(call hcube_renamed,HPCC_MPIRandomAccess_LCG \
		HPCC_AnyNodesMPIRandomAccessUpdate_LCG HPCC_Power2NodesMPIRandomAccessUpdate_LCG)

$(HCUBE_BUILD)/$(HCUBE_PREFIX)MPIRandomAccess.o : $(HCUBE_HPCC)/RandomAccess/MPIRandomAccess.c | $(HCUBE_BUILD)
	$(CC) -o $@ -c $< $(HCUBE_INCLUDES) $(HCUBE_STOCK_FLAGS) $(HCUBE_STANDARD) $(call hcube_renamed,HPCC_MPIRandomAccess \
		AnyNodesMPIRandomAccessUpdate Power2NodesMPIRandomAccessUpdate)

# HPCC's STREAM has its four kernels in separate functions if TUNED is defined. They get other names in both copies, and
# hcube_stream.h gives the second one hcube's memory and kernels.
HCUBE_STREAM := computeSTREAMerrors tuned_STREAM_Copy tuned_STREAM_Scale tuned_STREAM_Add tuned_STREAM_Triad

$(HCUBE_BUILD)/$(HCUBE_PREFIX)stream.o : $(HCUBE_HPCC)/STREAM/stream.c | $(HCUBE_BUILD)
	$(CC) -o $@ -c $< $(HCUBE_INCLUDES) $(HCUBE_STOCK_FLAGS) $(call hcube_renamed,HPCC_Stream $(HCUBE_STREAM))

$(HCUBE_TUNED) : $(HCUBE_HPCC)/STREAM/stream.c $(HCUBE_GLUE)/hcube_stream.h | $(HCUBE_BUILD)
	$(CC) -o $@ -c $< $(HCUBE_INCLUDES) -include $(HCUBE_GLUE)/hcube_stream.h $(HCUBE_STOCK_FLAGS) -DTUNED \
		-DHPCC_Stream=hcube_tuned_HPCC_Stream

$(HCUBE_STOCK_PTRANS) : $(HCUBE_HPCC)/PTRANS/pdtransdriver.c | $(HCUBE_BUILD)
	$(CC) -o $@ -c $< $(HCUBE_INCLUDES) $(HCUBE_STOCK_FLAGS) $(call hcube_renamed,PTRANS)

$(HCUBE_BUILD)/hcube_ptrans.o : $(HCUBE_GLUE)/hcube_ptrans.h

$(HCUBE_TUNED_PTRANS) : $(HCUBE_HPCC)/PTRANS/pdtransdriver.c $(HCUBE_GLUE)/hcube_ptrans.h | $(HCUBE_BUILD)
	$(CC) -o $@ -c $< $(HCUBE_INCLUDES) -include $(HCUBE_GLUE)/hcube_ptrans.h $(HCUBE_STOCK_FLAGS) \
		$(foreach name,PTRANS Cblacs_gridmap pdmatgen pdtrans,-D$(name)=hcube_tuned_$(name))

$(HCUBE_BUILD)/$(HCUBE_PREFIX)HPL_b%.o : $(HCUBE_HPCC)/hpl/src/comm/HPL_b%.c | $(HCUBE_BUILD)
	$(CC) -o $@ -c $< $(HCUBE_INCLUDES) $(HCUBE_STOCK_FLAGS) $(call hcube_renamed,HPL_b$*)

$(HCUBE_BUILD)/$(HCUBE_PREFIX)HPL_pdpanel_%.o : $(HCUBE_HPCC)/hpl/src/panel/HPL_pdpanel_%.c | $(HCUBE_BUILD)
	$(CC) -o $@ -c $< $(HCUBE_INCLUDES) $(HCUBE_STOCK_FLAGS) $(call hcube_renamed,HPL_pdpanel_$*)

.PHONY : clean hcube-clean
clean : hcube-clean
hcube-clean :
	$(RM) -r $(HCUBE_BUILD)

.DEFAULT_GOAL := $(HCUBE_SAVED_GOAL)

# One clear message instead of 170 compilations and a failed link.
ifeq ($(filter clean,$(MAKECMDGOALS)),)
ifeq ($(wildcard $(HCUBE_LIBDIR)/libhcube.*),)
$(error There is no libhcube in '$(HCUBE_LIBDIR)'. Build it (make MPI=$(HCUBE_MPI) in hcube's folder), or set HCUBE_DIR, HCUBE_MPI or HCUBE_LIBDIR)
endif
endif

endif
