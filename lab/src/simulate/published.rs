//! What is published beside the simulated figures, and not in numbers.

/// Results of section 4 of Hofmann and Rünger 2013, which has no numbers for its figures.
pub const SCHEDULES: &str = "Published (Hofmann and Rünger 2013, section 4.2, without additional memory; 1 GB per rank on JuRoPA, 300 MB on\n\
Juqueen): on JuRoPA MPICH order takes about twice as long as the best other; linear shift and hierarchical sets\n\
differ little, hierarchical sets faster in almost all cases, by about 10% at best; the library out of place is\n\
fastest up to 32 ranks and significantly slower than both beyond. On Juqueen MPICH order is significantly slower in\n\
most cases, about three times on 512 ranks; linear shift and hierarchical sets differ by up to 25%,\n\
hierarchical sets faster in most cases. The MPI libraries are MPICH 4 and 5 and Open MPI, not the libraries of\n\
these machines in 2013; the ring out of place is the simulator's.\n";

/// Results of section 4.3 on additional memory.
pub const MEMORY: &str = "Published (Hofmann and Rünger 2013, section 4.3, JuRoPA): up to 32 ranks hierarchical sets are faster with memory for\n\
all data than with less; beyond, additional memory makes them slower, and they are fastest without. They\n\
exchange 1 GB per rank.\n";

/// Results of section 4.4, whose times are relative to FFTW's own exchange.
pub const TRANSPOSITIONS: &str = "Published (Hofmann and Rünger 2013, section 4.4 and Figure 6 (right), Juqueen): in transforms in place of three\n\
dimensions with 512 MiB per rank, on 2, 16, 128 and 1024 ranks, MPICH order takes much longer than FFTW's own\n\
exchange, and transforms up to about 1.6 times as long; with hierarchical sets, transforms take significantly\n\
longer only on 16 ranks, and otherwise no longer or a little less.\n";

/// Results of section V of Quintin, Hasanov and Lastovetsky 2013, whose times are in plots.
pub const GROUPS: &str = "Published (Quintin, Hasanov and Lastovetsky 2013, section V): with the best number of groups HSUMMA takes\n\
2.08 times less communication time than SUMMA on 2048 ranks of BlueGene/P, 5.89 times less on 16384; on smaller\n\
numbers both are almost the same. On Graphene HSUMMA is faster with any number of groups, by more for small blocks.\n\
Where a simulated speed-up is below 1, HSUMMA is slower.\n";

/// The result of section IV-B3 of Jin et al. 2011, whose Figure 10 has no numbers.
pub const COARRAYS: &str = "Published (Jin et al. 2011, section IV-B3): 2.01 GUP/s on 4096 cores of a Cray XT4, 4 images per node, with a\n\
table of 1 GB per image and routing by events.\n";

/// The result of section IV-B4 of the same paper.
pub const FFT: &str = "Published (Jin et al. 2011, sections I and IV-B4): 125 GFLOP/s on 4096 cores of a Cray XT4, 4 images per node, by\n\
binary exchange; the length of the vector is not published.\n";

/// The result of section IV-B1 of the same paper, and what it means for the rates of that machine.
pub const HPL: &str = "Published (Jin et al. 2011, section IV-B1): 18.3 TFLOP/s on 4096 cores of a Cray XT4, about 10 % less than the rate\n\
of few cores times their number; 12K x 12K elements on each core. The rate of local products of the model of that\n\
machine is fitted to it, so that GFLOP/s are no prediction there; 'of bound', what the broadcasts cost, is one.\n";
