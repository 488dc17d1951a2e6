//! OpenCoarrays' tests: the programs, their numbers of images, and the output of a test that has passed.
//!
//! The numbers of images are as in the suite. Paths are relative to its folder src/tests.

/// A program of the suite.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// Its name in the table: the name of the main program's file without its ending.
    pub name: &'static str,
    /// Its files in the order in which they are compiled, the main program last.
    pub sources: &'static [&'static str],
    pub images: usize,
    pub arguments: &'static [&'static str],
    /// A line that image 1 writes if the program has passed, without blanks around it.
    pub passed: &'static str,
    /// A part of the main program that is replaced, and by what, where the program is wrong in itself.
    pub correction: Option<(&'static str, &'static str)>,
}

const fn program(name: &'static str, sources: &'static [&'static str], images: usize) -> Program {
    Program { name, sources, images, arguments: &[], passed: "Test passed", correction: None }
}

/// Programs of one file each, on 2 images unless another number follows.
macro_rules! programs {
    ($folder:literal, $end:literal: $($name:literal $(on $images:literal)?),+ $(,)?) => {
        &[$(program(
            $name,
            &[concat!($folder, "/", $name, ".", $end)],
            // The last number counts.
            { let images = [2 $(, $images)?]; images[images.len() - 1] },
        )),+]
    };
}

pub const COLLECTIVES: &[&[Program]] = &[
    programs!("unit/collectives", "F90": "co_broadcast" on 4, "co_max" on 4, "co_min" on 4, "co_reduce" on 4,
        "co_reduce_res_im" on 4, "co_sum" on 4),
    programs!("unit/collectives", "f90": "co_broadcast_alloc_mixed", "co_broadcast_allocatable_components" on 4,
        "co_broadcast_derived_type" on 4, "co_reduce_string" on 4),
    programs!("unit/simple", "f90": "increment_neighbor" on 8, "random_init" on 4, "testAtomics" on 8),
];

pub const SYNCHRONISATION: &[&[Program]] = &[
    programs!("unit/sync", "f90": "duplicate_syncimages" on 8, "sync_image_ring_abort_on_stopped_image" on 7,
        "syncall" on 8, "syncimages" on 8, "syncimages2" on 8, "syncimages_status" on 8),
    programs!("unit/events", "f90": "allocatable_p2p_event_post" on 4, "static_event_post_issue_293" on 3),
];

pub const REGISTRATION: &[&[Program]] = &[
    programs!("unit/init_register", "F90": "initialize_mpi"),
    programs!("unit/init_register", "f90": "allocate_as_barrier", "allocate_as_barrier_proc" on 8,
        "async_comp_alloc" on 6, "async_comp_alloc_2", "comp_allocated_1", "comp_allocated_2", "register",
        "register_alloc_comp_1", "register_alloc_comp_2", "register_alloc_comp_3", "register_alloc_vector",
        "register_vector"),
];

pub const TRANSFERS: &[&[Program]] = &[
    programs!("unit/send-get", "F90": "alloc_comp_multidim_shape"),
    programs!("unit/send-get", "f90": "alloc_comp_get_convert_nums", "alloc_comp_send_convert_nums",
        "get_array_test", "get_convert_char_array", "get_convert_nums", "get_static_array", "get_with_offset_1d",
        "get_with_vector_index" on 4, "sameloc", "send-strided-self", "send_array_test",
        "send_convert_char_array", "send_convert_nums", "send_with_vector_index",
        "sendget_convert_char_array" on 3, "sendget_convert_nums" on 3, "strided_get", "strided_sendget" on 3,
        "whole_get_array"),
];

pub const TEAMS: &[&[Program]] = &[
    programs!("unit/teams", "F90": "get-communicator" on 3),
    programs!("unit/teams", "f90": "sync-team" on 8, "team-number" on 8, "teams_coarray_get" on 5,
        "teams_coarray_get_by_ref" on 5, "teams_coarray_send" on 5, "teams_coarray_send_by_ref" on 5,
        "teams_coarray_sendget" on 5, "teams_subset" on 3),
];

pub const FAILED_IMAGES: &[&[Program]] = &[
    programs!("unit/fail_images", "f90": "image_fail_and_failed_images_test_1" on 4, "image_fail_and_get_test_1" on 4,
        "image_fail_and_status_test_1" on 4, "image_fail_and_sync_test_1" on 4, "image_fail_and_sync_test_2" on 4,
        "image_fail_and_sync_test_3" on 4, "image_fail_test_1" on 4, "image_status_test_1" on 4),
    &[Program {
        // Images that have reached their end have stopped, too, so none may end before all others have
        // checked.
        correction: Some((
            "if (me == 1) print *",
            "sync images ([1, (i, i=3, np)], stat=stat)\n    if (me == 1) print *",
        )),
        ..program(
            "image_fail_and_stopped_images_test_1",
            &["unit/fail_images/image_fail_and_stopped_images_test_1.f90"],
            4,
        )
    }],
];

const COBOUNDS: Program =
    program("issue-488-multi-dim-cobounds", &["regression/reported/issue-488-multi-dim-cobounds.f90"], 8);

pub const REGRESSIONS: &[&[Program]] = &[
    programs!("regression/reported", "F90": "issue-172-wrong-co_reduce" on 4, "issue-172-wrong-co_reduce-int64" on 4,
        "issue-172-wrong-co_reduce-int8" on 4, "issue-422-send", "issue-422-send-get" on 3),
    programs!("regression/reported", "f90": "issue-243-source-allocation-no-sync" on 8,
        "issue-292-convert-type-before-put" on 3, "issue-322-non-coarray-vector-idx-lhs",
        "issue-493-coindex-slice" on 8, "issue-503-multidim-array-broadcast", "issue-503-non-contig-red-ndarray",
        "issue-511-incorrect-shape" on 1, "issue-515-mimic-mpi-gatherv", "issue-552-send_by_ref-singleton",
        "issue-700-allow-multiple-scalar-dim-array-gets", "issue-762-mpi-crashing-on-exit"),
    &[Program { arguments: &["true"], ..COBOUNDS }, Program { arguments: &["false"], ..COBOUNDS }],
];

pub const INTEGRATION: &[&[Program]] = &[
    programs!("integration/coarrayHelloWorld", "F90": "hello_multiverse"),
    programs!("integration/events", "F90": "async-hello" on 3),
    &[
        Program {
            passed: "test passed:",
            ..program(
                "coarray_distributed_transpose",
                &["integration/dist_transpose/coarray_distributed_transpose.F90"],
                2,
            )
        },
        program(
            "co_heat",
            &[
                "integration/pde_solvers/coarrayHeatSimplified/local_field.f90",
                "integration/pde_solvers/coarrayHeatSimplified/global_field.f90",
                "integration/pde_solvers/coarrayHeatSimplified/main.f90",
            ],
            2,
        ),
        program(
            "coarray_burgers_pde",
            &[
                "integration/pde_solvers/coarrayBurgers/library/object_interface.F90",
                "integration/pde_solvers/coarrayBurgers/library/ForTrilinos_assertion_utility.F90",
                "integration/pde_solvers/coarrayBurgers/library/co_object_interface.F90",
                "integration/pde_solvers/coarrayBurgers/local_field.F90",
                "integration/pde_solvers/coarrayBurgers/global_field.F90",
                "integration/pde_solvers/coarrayBurgers/main.F90",
            ],
            2,
        ),
    ],
];

/// Files of programs that are not run, or the beginnings of their paths, and why.
pub const NOT_RUN: &[(&str, &str)] = &[
    ("unit/send-get/old_get_array_test.f90", "gfortran refuses it; the suite does not compile it"),
    (
        "unit/teams/teams_send.f90",
        "gfortran 12 ignores team= in an image selector; the suite does not compile it",
    ),
    ("integration/pde_solvers/navier-stokes/", "it needs a library that is available only as machine code"),
    ("integration/pde_solvers/library/", "copies of what belongs to other programs"),
    ("integration/pde_solvers/coarrayBurgers/library/ForTrilinos_error.F90", "no program uses it"),
];
