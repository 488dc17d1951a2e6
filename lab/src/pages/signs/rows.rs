//! The published effects: source, published figure, where the simulated one comes from, and why they differ.

use super::figures::{
    BLUE_GENE_L, blue_gene_l, events, formula, hypercube, mean_efficiency, measured_gain, of_look_ahead,
    product, published_stock, published_time, simulated, simulated_time,
};
use super::recorded::Recorded;
use super::verdict::Kind::{Change, Rate, Ratio};
use super::verdict::Published::{Above, Below, FarAbove, Figure, NotAbove};
use super::verdict::Reason::{Known, None as Nothing, Unexplained};
use super::verdict::{Kind, Published, Reason, Sign, Simulated};
use hcube_results::alltoall::RING_OUT_OF_PLACE;
use hcube_results::published::bsp::Program;
use hcube_results::published::{ALL_OPTIMISATIONS, COARRAY_FFT, COARRAYS, OPTIMISED, TABLE_4};
use hcube_results::simulated::LOOK_AHEAD;

const fn sign(
    [source, effect]: [&'static str; 2],
    kind: Kind,
    published: fn() -> Published,
    simulated: Option<Simulated>,
    reason: Reason,
) -> Sign {
    Sign { source, effect, kind, published, simulated, reason }
}

const TABLE_1: &str = "Plimpton et al. 2006, Table 1";
const TABLE_2: &str = "Plimpton et al. 2006, Table 2";
const TABLE_3: &str = "Plimpton et al. 2006, Table 3";
const UPDATES: Kind = Rate("GUP/s");
const SCHEDULES: &str = "Hofmann and Rünger 2013, section 4.2";
const MEMORY: &str = "Hofmann and Rünger 2013, section 4.3";
const TRANSFORMS: &str = "Hofmann and Rünger 2013, Figure 6 (right)";
const GRAPHENE: &str = "Quintin, Hasanov and Lastovetsky 2013, section V-A";
const BLUE_GENE: &str = "Quintin, Hasanov and Lastovetsky 2013, section V-B";
/// The clusters on more than two nodes.
const JUROPA: [usize; 3] = [32, 64, 128];
const JUQUEEN: [usize; 2] = [64, 128];
/// Rows of the table of Graphene.
const SMALL_BLOCKS: &str = "communication, b = B = 64, 16 of 128 panels";
const LARGE_BLOCKS: &str = "communication, b = B = 512, 16 panels";

const PRODUCT: &str = "Krusche 2005, Table D.3 (product)";
const STATIC_PRODUCT: &str = "Krusche 2005, Table E.3 (product, static distribution)";
const SUBSEQUENCES: &str = "Krusche 2005, Table F.3 (subsequence)";
const BIT_PARALLEL: &str = "Krusche 2005, Table G.3 (subsequence, bit-parallel)";
const PER_CENT: Kind = Rate("%");
const PRODUCTS: Reason =
    Known("processes find blocks in their own memory, for which the equations charge words");
const ROWS_OF_BLOCKS: Reason = Known(
    "the thesis transfers matrices row by row, and the model has no overhead of the library for a message",
);
const OXTOOL: [&str; 2] = ["aracari", "oxtool"];

const RECEIVER: Reason = Known("a receiver pays nothing for a message");
const STOCK: Reason = Unexplained("");
const LINKS: Reason = Unexplained("sharing a link costs no time of its own in the simulation");
const OVERLAP: Reason =
    Unexplained("successive panels overlap in the simulation, which hides the latency that groups avoid");
const OVERHEAD: Reason = Known("the model has no overhead of GASNet and no contention for memory");

pub const ROWS: [Sign; 51] = [
    sign(
        [TABLE_1, "rate as shipped, from 1 to 16 ranks"],
        Change,
        || Figure(published_stock(16) / published_stock(1)),
        Some(|all| Ok(all.stock(16)? / all.stock(1)?)),
        STOCK,
    ),
    sign(
        [TABLE_1, "rate as shipped, 16 ranks"],
        UPDATES,
        || Figure(published_stock(16)),
        Some(|all| all.stock(16)),
        STOCK,
    ),
    sign([TABLE_1, "64 ranks"], UPDATES, || Figure(published_stock(64)), Some(|all| all.stock(64)), STOCK),
    sign(
        [TABLE_1, "1024 ranks"],
        UPDATES,
        || Figure(published_stock(1024)),
        Some(|all| all.stock(1024)),
        STOCK,
    ),
    sign(
        [TABLE_1, "5000 ranks"],
        UPDATES,
        || Figure(published_stock(5000)),
        Some(|all| all.stock(5000)),
        Nothing,
    ),
    sign(
        [TABLE_1, "8192 ranks"],
        UPDATES,
        || Figure(published_stock(8192)),
        Some(|all| all.stock(8192)),
        Nothing,
    ),
    sign(
        [TABLE_1, "10350 ranks"],
        UPDATES,
        || Figure(published_stock(10_350)),
        Some(|all| all.stock(10_350)),
        STOCK,
    ),
    sign(
        [TABLE_2, "hypercube over the update as shipped, 8192 ranks"],
        Ratio,
        || Figure(hypercube(8192) / published_stock(8192)),
        Some(|all| Ok(simulated(8192)? / all.stock(8192)?)),
        Nothing,
    ),
    sign(
        [TABLE_2, "rate from 200 to 256 ranks"],
        Change,
        || Figure(hypercube(256) / hypercube(200)),
        Some(|_| Ok(simulated(256)? / simulated(200)?)),
        Nothing,
    ),
    sign(
        [TABLE_2, "rate from 256 to 300 ranks"],
        Change,
        || Figure(hypercube(300) / hypercube(256)),
        Some(|_| Ok(simulated(300)? / simulated(256)?)),
        Known(
            "both messages of a rank in an odd half are under way together; `hcube model` counts both, and falls",
        ),
    ),
    sign(
        [TABLE_2, "10240 ranks"],
        UPDATES,
        || Figure(hypercube(10_240)),
        Some(|_| simulated(10_240)),
        Nothing,
    ),
    sign(
        ["Plimpton et al. 2006, section 3", "prediction for BlueGene/L, 128 K ranks (by `hcube model`)"],
        UPDATES,
        || Figure(BLUE_GENE_L),
        Some(|_| blue_gene_l()),
        Nothing,
    ),
    sign(
        [TABLE_3, "time with Mod1, 32 ranks"],
        Change,
        || published_time(1),
        Some(|_| simulated_time(1)),
        RECEIVER,
    ),
    sign(
        [TABLE_3, "with Mod1 and Mod2"],
        Change,
        || published_time(2),
        Some(|_| simulated_time(2)),
        RECEIVER,
    ),
    sign([TABLE_3, "with Mod1 to Mod3"], Change, || published_time(3), Some(|_| simulated_time(3)), RECEIVER),
    sign([TABLE_3, "with Mod1 to Mod7"], Change, || published_time(4), Some(|_| simulated_time(4)), Nothing),
    sign(
        ["Plimpton et al. 2006, section 4", "rate with all optimisations, 8192 ranks"],
        UPDATES,
        || Figure(OPTIMISED.1),
        Some(|all| all.hypercube(OPTIMISED.0, ALL_OPTIMISATIONS)),
        Nothing,
    ),
    sign(
        ["Plimpton et al. 2006, section 4", "gain of all optimisations, 8192 ranks"],
        Change,
        || Figure(OPTIMISED.1 / hypercube(OPTIMISED.0)),
        Some(|all| Ok(all.hypercube(OPTIMISED.0, ALL_OPTIMISATIONS)? / all.hypercube(OPTIMISED.0, 0)?)),
        Unexplained(""),
    ),
    sign(
        ["Plimpton et al. 2006, Table 4", "rate from 8192 to 32768 values of look-ahead"],
        Change,
        || Figure(of_look_ahead(&TABLE_4, 32_768) / of_look_ahead(&TABLE_4, 8192)),
        Some(|_| Ok(of_look_ahead(&LOOK_AHEAD, 32_768) / of_look_ahead(&LOOK_AHEAD, 8192))),
        Unexplained(
            "lists of 256 KiB cost no more for a value than short ones in the simulation, which has no caches",
        ),
    ),
    sign(
        [SCHEDULES, "MPICH order over the best other schedule, JuRoPA, 128 ranks"],
        Ratio,
        || Figure(2.0),
        Some(|all| {
            let shift = all.over_sets("juropa", 128, "linear-shift")?;
            Ok(all.over_sets("juropa", 128, "mpich")? / shift.min(1.0))
        }),
        Nothing,
    ),
    sign(
        [SCHEDULES, "linear shift over hierarchical sets, JuRoPA, at most"],
        Ratio,
        || Figure(1.1),
        Some(|all| all.linear_shift("juropa", &JUROPA)),
        Unexplained(""),
    ),
    sign(
        [SCHEDULES, "linear shift over hierarchical sets, Juqueen, at most"],
        Ratio,
        || Figure(1.25),
        Some(|all| all.linear_shift("juqueen", &JUQUEEN)),
        Nothing,
    ),
    sign(
        [SCHEDULES, "MPICH order over the best other schedule, Juqueen, 512 ranks"],
        Ratio,
        || Figure(3.0),
        Some(|all| {
            let shift = all.over_sets("juqueen", 512, "linear-shift")?;
            Ok(all.over_sets("juqueen", 512, "mpich")? / shift.min(1.0))
        }),
        Nothing,
    ),
    sign(
        [SCHEDULES, "library out of place over hierarchical sets, JuRoPA, 32 ranks"],
        Ratio,
        || Below("faster"),
        Some(|all| all.over_sets("juropa", 32, RING_OUT_OF_PLACE)),
        LINKS,
    ),
    sign(
        [SCHEDULES, "library out of place over hierarchical sets, JuRoPA, 64 ranks"],
        Ratio,
        || Above("significantly slower"),
        Some(|all| all.over_sets("juropa", 64, RING_OUT_OF_PLACE)),
        LINKS,
    ),
    sign(
        [MEMORY, "hierarchical sets with memory for all data over 1 MiB, JuRoPA, 16 ranks"],
        Ratio,
        || Below("faster"),
        Some(|all| all.with_memory(16)),
        Nothing,
    ),
    sign(
        [MEMORY, "hierarchical sets with memory for all data over 1 MiB, JuRoPA, 64 ranks"],
        Ratio,
        || Above("slower"),
        Some(|all| all.with_memory(64)),
        LINKS,
    ),
    sign(
        [TRANSFORMS, "exchange with MPICH order over FFTW's own, Juqueen, 128 ranks"],
        Ratio,
        || FarAbove("strong increase"),
        Some(|all| all.over_fftw(128, "mpich")),
        Nothing,
    ),
    sign(
        [
            TRANSFORMS,
            "transform with MPICH order over FFTW's own, Juqueen, at most (simulated up to 128 ranks)",
        ],
        Ratio,
        || Figure(1.6),
        Some(|all| all.transform_over_fftw("mpich")),
        Nothing,
    ),
    sign(
        [TRANSFORMS, "exchange with hierarchical sets over FFTW's own, Juqueen, 16 ranks"],
        Ratio,
        || Above("significant increase"),
        Some(|all| all.over_fftw(16, "hierarchical-sets")),
        Unexplained("FFTW copies whole blocks of 32 MiB before it sends them"),
    ),
    sign(
        [TRANSFORMS, "exchange with hierarchical sets over FFTW's own, Juqueen, 128 ranks"],
        Ratio,
        || NotAbove("no increase, or a small decrease"),
        Some(|all| all.over_fftw(128, "hierarchical-sets")),
        Nothing,
    ),
    sign(
        [TRANSFORMS, "exchange with hierarchical sets over FFTW's own, Juqueen, 1024 ranks"],
        Ratio,
        || NotAbove("no increase, or a small decrease"),
        None,
        Known("takes too long to simulate"),
    ),
    sign(
        [GRAPHENE, "SUMMA over HSUMMA, 128 ranks, b = 64, worst number of groups"],
        Ratio,
        || Above("faster"),
        Some(|all| Ok(all.graphene(SMALL_BLOCKS)?.worst())),
        OVERLAP,
    ),
    sign(
        [GRAPHENE, "best number of groups"],
        Ratio,
        || FarAbove("huge difference"),
        Some(|all| Ok(all.graphene(SMALL_BLOCKS)?.best())),
        OVERLAP,
    ),
    sign(
        [GRAPHENE, "b = 512, worst number of groups"],
        Ratio,
        || Above("faster"),
        Some(|all| Ok(all.graphene(LARGE_BLOCKS)?.worst())),
        OVERLAP,
    ),
    sign(
        [GRAPHENE, "b = 512, best number of groups"],
        Ratio,
        || Above("faster"),
        Some(|all| Ok(all.graphene(LARGE_BLOCKS)?.best())),
        Nothing,
    ),
    sign(
        [BLUE_GENE, "SUMMA over HSUMMA, 2048 ranks, best number of groups"],
        Ratio,
        || measured_gain(2048),
        Some(|all| Ok(all.blue_gene()?.best())),
        Unexplained("the model of Quintin et al., which has no links, predicts no gain"),
    ),
    sign(
        [BLUE_GENE, "SUMMA over HSUMMA, 16384 ranks, best number of groups"],
        Ratio,
        || measured_gain(16384),
        None,
        Known("takes too long to simulate"),
    ),
    sign(
        [
            "Quintin, Hasanov and Lastovetsky 2013, Table II",
            "SUMMA over HSUMMA, a single panel, 512 ranks, by formula",
        ],
        Ratio,
        || Figure(formula()),
        Some(Recorded::single_panel),
        Known(
            "the messages of a panel are under way together and share a port, so that the first one, for which \
             others wait, ends late, with groups once in each level",
        ),
    ),
    sign(
        ["Jin et al. 2011, section IV-B3", "RandomAccess by events, 4096 images, rounds of 1024"],
        UPDATES,
        || Figure(COARRAYS.1),
        Some(|_| events(COARRAYS.0)),
        OVERHEAD,
    ),
    sign(
        ["Jin et al. 2011, section IV-B3", "mode `events`, rounds of 512"],
        UPDATES,
        || Figure(COARRAYS.1),
        Some(|all| all.coarrays(COARRAYS.0)),
        OVERHEAD,
    ),
    sign(
        ["Jin et al. 2011, section IV-B4", "Fourier transform, 4096 images"],
        Rate("GFLOP/s"),
        || Figure(COARRAY_FFT.1),
        None,
        Known("more than 24 GiB in the simulator"),
    ),
    sign(
        ["Krusche 2005, Table D.3", "product on aracari, from 5 to 8 blocks per side"],
        Change,
        || Figure(product(OXTOOL, 4, 8) / product(OXTOOL, 4, 5)),
        Some(|all| Ok(all.product("aracari, 4", 4)? / all.product("aracari, 4", 2)?)),
        PRODUCTS,
    ),
    sign(
        [PRODUCT, "mean efficiency on 4 processes of aracari, PUB"],
        PER_CENT,
        || Figure(mean_efficiency("pub", Program::MatmulCustomized)),
        Some(|all| all.mean_efficiency("aracari-pub", Program::MatmulCustomized)),
        PRODUCTS,
    ),
    sign(
        [PRODUCT, "mean efficiency on 4 processes of aracari, MPI"],
        PER_CENT,
        || Figure(mean_efficiency("mpi", Program::MatmulCustomized)),
        Some(|all| all.mean_efficiency("aracari-mpi", Program::MatmulCustomized)),
        PRODUCTS,
    ),
    sign(
        [SUBSEQUENCES, "mean efficiency on 4 processes of aracari, PUB"],
        PER_CENT,
        || Figure(mean_efficiency("pub", Program::LlcsStandard)),
        Some(|all| all.mean_efficiency("aracari-pub", Program::LlcsStandard)),
        Nothing,
    ),
    sign(
        [SUBSEQUENCES, "mean efficiency on 4 processes of aracari, MPI"],
        PER_CENT,
        || Figure(mean_efficiency("mpi", Program::LlcsStandard)),
        Some(|all| all.mean_efficiency("aracari-mpi", Program::LlcsStandard)),
        Nothing,
    ),
    sign(
        [STATIC_PRODUCT, "mean efficiency on 4 processes of aracari, PUB"],
        PER_CENT,
        || Figure(mean_efficiency("pub", Program::MatmulStatic)),
        Some(|all| all.mean_efficiency("aracari-pub", Program::MatmulStatic)),
        ROWS_OF_BLOCKS,
    ),
    sign(
        [STATIC_PRODUCT, "mean efficiency on 4 processes of aracari, MPI"],
        PER_CENT,
        || Figure(mean_efficiency("mpi", Program::MatmulStatic)),
        Some(|all| all.mean_efficiency("aracari-mpi", Program::MatmulStatic)),
        Nothing,
    ),
    sign(
        [BIT_PARALLEL, "mean efficiency on 4 processes of aracari, PUB"],
        PER_CENT,
        || Figure(mean_efficiency("pub", Program::LlcsBitParallel)),
        Some(|all| all.mean_efficiency("aracari-pub", Program::LlcsBitParallel)),
        Nothing,
    ),
    sign(
        [BIT_PARALLEL, "mean efficiency on 4 processes of aracari, MPI"],
        PER_CENT,
        || Figure(mean_efficiency("mpi", Program::LlcsBitParallel)),
        Some(|all| all.mean_efficiency("aracari-mpi", Program::LlcsBitParallel)),
        Nothing,
    ),
];
