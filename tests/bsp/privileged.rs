//! A program with more permissions than its user (set-group-id): the library ignores its variables, with
//! which the user could have files written or replaced that only the program may write.

use crate::common::bsp::{Dialect, program};
use crate::common::guest::ranks;
use crate::common::privileged::privileged;
use crate::common::{Language, Launch, folder};
use std::fs;

#[test]
fn a_privileged_program_ignores_variables() {
    let program = program("bsp/privileged", Language::C11, Dialect::Classic);
    let Some(copy) = privileged(&program) else { return };
    let profile = folder("privileged").join("profile.json");
    let launch = |program| Launch::new(program, ranks(3)).limit(60);
    let written = [&program, &copy].map(|program| {
        drop(fs::remove_file(&profile));
        let outcome = launch(program).env("HCUBE_BSP_PROFILE", &profile.display().to_string()).run();
        (outcome.success(), profile.exists())
    });
    let expected = [("privileged: 0\n", true), ("privileged: 1\n", false)];
    assert_eq!(written, expected.map(|(text, exists)| (text.to_owned(), exists)));
    // An invalid value is an error where variables are read.
    let succeeds =
        [&program, &copy].map(|program| launch(program).env("HCUBE_MEMORY", "wrong").run().status.success());
    assert_eq!(succeeds, [false, true], "with an invalid value");
}
